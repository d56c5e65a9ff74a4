#include "host/heap.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define RARE 200.0              /* times as long as giving back took, at least: it and the new pages are a few percent */
#define MOST ((size_t)64 << 20) /* glibc's rule goes no further: twice DEFAULT_MMAP_THRESHOLD_MAX */

static size_t kept; /* 0: the heap is as the program has it */
static int every;   /* so many seconds */

#ifdef __GLIBC__
void heap_give_back(void) {
    if (kept)
        malloc_trim(0);
}

static double seconds_by(clockid_t clock) {
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9 : 0;
}

void heap_look(void) {
    static double looked, took; /* 0: not yet */
    double now = kept ? seconds_by(CLOCK_MONOTONIC_COARSE) : 0;
    if (!kept || now - looked < fmax(every, RARE * took))
        return;
    if (looked > 0) {
        double began = seconds_by(CLOCK_MONOTONIC);
        heap_give_back();
        took = seconds_by(CLOCK_MONOTONIC) - began;
    }
    looked = now;
}
#else
void heap_give_back(void) {}
void heap_look(void) {}
#endif

/* A page less than that, with its header: the most that the rule takes is just below DEFAULT_MMAP_THRESHOLD_MAX. */
static void raise_to(size_t bytes) {
    size_t pages = 2 * (size_t)sysconf(_SC_PAGESIZE);
    void *volatile block = bytes > pages ? malloc(bytes - pages) : NULL; /* a compiler would leave out the two */
    free(block);
}

static PyObject *heap_keep(PyObject *self, PyObject *args) {
    (void)self;
    Py_ssize_t given;
    int seconds;
    if (!PyArg_ParseTuple(args, "ni", &given, &seconds))
        return NULL;
    size_t bytes = given < 0 ? 0 : (size_t)given < MOST ? (size_t)given : MOST;
    if (bytes > kept)
        raise_to(bytes / 2);
    kept = bytes > kept ? bytes : kept;
    every = seconds;
    Py_RETURN_NONE;
}

static PyObject *give_back(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    heap_give_back();
    Py_RETURN_NONE;
}

static PyObject *addresses(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(limit.rlim_cur);
}

static PyMethodDef methods[] = {
    {"heap_keep", heap_keep, METH_VARARGS,
     "heap_keep(bytes, seconds): what malloc may keep at the top of a heap, which is never made less, and how often what lies "
     "free is given back."},
    {"heap_give_back", give_back, METH_NOARGS, "heap_give_back(): give what lies free in malloc's heaps back to the system."},
    {"addresses", addresses, METH_NOARGS, "addresses(): bytes that RLIMIT_AS leaves this process; None: all."},
    {NULL, NULL, 0, NULL},
};

int heap_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
