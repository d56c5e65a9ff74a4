#include "kernel/pool.h"

#include "host/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*   from mmap, at a multiple of 2 MiB when it is that long, or from posix_memalign
 *   | Head | ... | room for data ...............|
 *   base         base + AHEAD, on a cache line
 *
 * AHEAD: malloc's large blocks begin 16 bytes into a page. A result that began a little further into
 * its own would be written where, as far as a CPU compares addresses (the last 12 bits), operands are
 * about to be read, and each load would wait for a store; a quarter of a page is far enough.
 */
#define LINE 64
#define AHEAD (1024 + LINE)
#define LEAST ((size_t)1 << 17)
#define HUGE_PAGE ((size_t)2 << 20)
#define SPARE(room) ((room) / 8) /* a buffer this much too large will do */
#define SLOTS 64

typedef struct {
    size_t room;
    size_t mapped; /* bytes of mmap; 0: of posix_memalign */
    pid_t maker;   /* in another process the pages are shared with its parent until written to */
} Head;

/* A kept buffer. Its head may be gone: the system takes idle pages when it is short of memory. */
typedef struct {
    char *data;
    Head head;
} IdleBuffer;

static IdleBuffer idle[SLOTS]; /* the oldest first */
static int nidle;
static size_t idle_bytes, limit;
static unsigned long long reused;
static pid_t owner; /* whose `idle` is */
static int huge_pages;
static unsigned domain; /* NumPy's for tracemalloc */
static PyObject *capsule;

static Head *head_of(char *data) { return (Head *)(data - AHEAD); }

/* ---- from the system, and back to it -------------------------------------------------------- */

#ifdef MADV_HUGEPAGE
static char *map_huge(size_t size) {
    char *raw = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)raw % HUGE_PAGE;
    if (before)
        munmap(raw, before);
    munmap(raw + before + size, HUGE_PAGE - before);
    if (huge_pages)
        (void)madvise(raw + before, size, MADV_HUGEPAGE); /* an old kernel refuses: no harm */
    return raw + before;
}

static char *from_system(size_t size, Head *head) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + AHEAD + page - 1) / page * page;
    char *base = size < HUGE_PAGE ? NULL : map_huge(whole);
    if (base != NULL)
        *head = (Head){whole - AHEAD, whole, getpid()};
    return base;
}
#else
static char *from_system(size_t size, Head *head) {
    (void)size, (void)head;
    return NULL;
}
#endif

static char *new_buffer(size_t size) {
    Head head;
    void *base = from_system(size, &head);
    if (base == NULL) {
        if (posix_memalign(&base, LINE, size + AHEAD) != 0)
            return NULL;
        head = (Head){size, 0, getpid()};
    }
    *(Head *)base = head;
    return (char *)base + AHEAD;
}

static void to_system(IdleBuffer buffer) {
    char *base = buffer.data - AHEAD;
    if (buffer.head.mapped)
        munmap(base, buffer.head.mapped);
    else
        free(base);
}

/* ---- the pool ------------------------------------------------------------------------------- */

static IdleBuffer take_buffer(int i) {
    IdleBuffer buffer = idle[i];
    nidle--;
    memmove(idle + i, idle + i + 1, (nidle - i) * sizeof *idle);
    idle_bytes -= buffer.head.room;
    return buffer;
}

int pool_clear(void) {
    int any = nidle > 0;
    while (nidle > 0)
        to_system(take_buffer(nidle - 1));
    return any;
}

/* After a fork the parent's buffers would be copied page by page: the child begins with none. */
static void drop_parents_buffers(void) {
    pid_t now = getpid();
    if (now != owner)
        pool_clear();
    owner = now;
}

/* The smallest that is large enough and wastes little; of several, the one used last. */
static char *reuse(size_t size) {
    int best = -1;
    for (int i = nidle - 1; i >= 0; i--) {
        size_t room = idle[i].head.room;
        if (room >= size && room - size <= SPARE(room) && (best < 0 || room < idle[best].head.room))
            best = i;
    }
    if (best < 0)
        return NULL;
    IdleBuffer buffer = take_buffer(best);
    *head_of(buffer.data) = buffer.head;
    reused++;
    return buffer.data;
}

static void keep_buffer(IdleBuffer buffer) {
    while (nidle == SLOTS || idle_bytes + buffer.head.room > limit)
        to_system(take_buffer(0));
    idle[nidle++] = buffer;
    idle_bytes += buffer.head.room;
#ifdef MADV_FREE
    /* The system may take whole huge pages when it is short of memory; small ones would cost more than they give. */
    if (buffer.head.mapped >= HUGE_PAGE)
        (void)madvise(buffer.data - AHEAD, buffer.head.mapped / HUGE_PAGE * HUGE_PAGE, MADV_FREE);
#endif
}

/* ---- NumPy's handler ------------------------------------------------------------------------ */

static void *pool_malloc(void *ctx, size_t size) {
    (void)ctx;
    drop_parents_buffers();
    char *data = reuse(size);
    if (data == NULL)
        data = new_buffer(size);
    if (data == NULL && pool_clear())
        data = new_buffer(size);
    return data;
}

static void *pool_calloc(void *ctx, size_t count, size_t each) {
    if (each && count > SIZE_MAX / 2 / each)
        return NULL;
    void *data = pool_malloc(ctx, count * each);
    return data ? memset(data, 0, count * each) : NULL;
}

static void pool_free(void *ctx, void *data, size_t size) {
    (void)ctx, (void)size;
    if (data == NULL)
        return;
    drop_parents_buffers();
    IdleBuffer buffer = {data, *head_of(data)};
    if (buffer.head.room < LEAST || buffer.head.room > limit || buffer.head.maker != owner)
        to_system(buffer);
    else
        keep_buffer(buffer);
}

void *pool_take(size_t size) { return size < LEAST || size > limit ? NULL : pool_malloc(NULL, size); }

void pool_give(void *data) { pool_free(NULL, data, 0); }

static void *pool_realloc(void *ctx, void *data, size_t size) {
    if (data == NULL)
        return pool_malloc(ctx, size);
    size_t room = head_of(data)->room;
    if (size <= room && room - size <= SPARE(room))
        return data;
    void *other = pool_malloc(ctx, size);
    if (other == NULL)
        return NULL;
    memcpy(other, data, size < room ? size : room);
    pool_free(ctx, data, room);
    return other;
}

static PyDataMem_Handler handler = {
    "jitcore_pool", 1, {NULL, pool_malloc, pool_calloc, pool_realloc, pool_free}};

static int users_own_handler(void) {
    PyObject *now = PyDataMem_GetHandler();
    if (now == NULL)
        PyErr_Clear();
    Py_XDECREF(now);
    return now != PyDataMem_DefaultHandler;
}

/* The array owns `data` and knows whom to give it back to: as if the pool had been NumPy's handler
 * just while it was made, which would need a change of context that can fail on the way back. */
static PyObject *adopt(PyObject *array, char *data, size_t size) {
    PyArrayObject_fields *fields = (PyArrayObject_fields *)array;
    fields->mem_handler = Py_NewRef(capsule);
    fields->flags |= NPY_ARRAY_OWNDATA;
    if (PyTraceMalloc_Track(domain, (uintptr_t)data, size) == -1)
        Py_CLEAR(array);
    return array;
}

PyObject *pool_array(PyArray_Descr *descr, int ndim, const npy_intp *shape, const npy_intp *strides) {
    size_t size = PyDataType_ELSIZE(descr);
    for (int d = 0; d < ndim; d++)
        size *= shape[d];
    if (size < LEAST || size > limit || users_own_handler())
        return NULL;
    heap_look();
    char *data = pool_malloc(NULL, size);
    if (data == NULL)
        return NULL;
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)Py_NewRef(descr), ndim, shape,
                                           strides, data, NPY_ARRAY_BEHAVED, NULL);
    if (array == NULL) {
        PyErr_Clear();
        pool_free(NULL, data, size);
        return NULL;
    }
    return adopt(array, data, size);
}

/* ---- for Python ------------------------------------------------------------------------------ */

static PyObject *set_limit(PyObject *self, PyObject *arg) {
    (void)self;
    size_t bytes = PyLong_AsSize_t(arg);
    if (bytes == (size_t)-1 && PyErr_Occurred())
        return NULL;
    limit = bytes;
    while (idle_bytes > limit)
        to_system(take_buffer(0));
    Py_RETURN_NONE;
}

static PyObject *clear(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    pool_clear();
    Py_RETURN_NONE;
}

static PyObject *pool_state(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    drop_parents_buffers();
    return Py_BuildValue("nniK", (Py_ssize_t)limit, (Py_ssize_t)idle_bytes, nidle, reused);
}

static PyMethodDef methods[] = {
    {"pool_limit", set_limit, METH_O, "pool_limit(bytes): what idle buffers may hold; 0 turns the pool off."},
    {"pool_clear", clear, METH_NOARGS, "pool_clear(): give idle buffers back to the system."},
    {"pool_state", pool_state, METH_NOARGS, "pool_state(): (limit, idle bytes, idle buffers, times that one was reused)."},
    {NULL, NULL, 0, NULL},
};

/* Huge pages are left alone where NumPy leaves them alone (NUMPY_MADVISE_HUGEPAGE=0). */
static int wants_huge_pages(void) {
    PyObject *module = PyImport_ImportModule("numpy._core.multiarray");
    PyObject *answer = module ? PyObject_CallMethod(module, "_get_madvise_hugepage", NULL) : NULL;
    int wanted = answer != Py_False;
    PyErr_Clear();
    Py_XDECREF(answer);
    Py_XDECREF(module);
    return wanted;
}

static long tracemalloc_domain(void) {
    PyObject *module = PyImport_ImportModule("numpy.lib");
    PyObject *number = module ? PyObject_GetAttrString(module, "tracemalloc_domain") : NULL;
    long found = number ? PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    Py_XDECREF(module);
    return found;
}

int pool_init(PyObject *module) {
    long found = tracemalloc_domain();
    if (found == -1)
        return -1;
    domain = (unsigned)found;
    huge_pages = wants_huge_pages();
    capsule = PyCapsule_New(&handler, "mem_handler", NULL);
    return capsule == NULL ? -1 : PyModule_AddFunctions(module, methods);
}
