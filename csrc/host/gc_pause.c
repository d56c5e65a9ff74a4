#include "host/gc_pause.h"

#include <pthread.h>

static struct _gc_runtime_state *watched; /* NULL: nobody compiles */
static int compiling;                     /* so many, in each other and on several threads */
static int count;                         /* of the young generation, before */
static Py_ssize_t collections;            /* by then */

/* How often it has run: each time it begins to count anew. */
static Py_ssize_t runs_of(const struct _gc_runtime_state *gc) {
    Py_ssize_t all = 0;
    for (int i = 0; i < NUM_GENERATIONS; i++)
        all += gc->generation_stats[i].collections;
    return all;
}

static void restore_count(void) {
    if (watched == NULL)
        return;
    if (runs_of(watched) == collections)
        watched->generations[0].count = count;
    else if (watched->generations[0].count < 0)
        watched->generations[0].count = 0;
    watched = NULL;
    compiling = 0;
}

void gc_pause_begin(void) {
    static int minds_forks; /* who compiled in the parent's other threads does not end in a child */
    if (!minds_forks)
        minds_forks = pthread_atfork(NULL, NULL, restore_count) == 0;
    if (compiling++ > 0)
        return;
    watched = &PyThreadState_Get()->interp->gc;
    count = watched->generations[0].count;
    collections = runs_of(watched);
    watched->generations[0].count -= GC_PAUSE_ROOM;
}

void gc_pause_end(void) {
    if (compiling > 0 && --compiling == 0)
        restore_count();
}

static PyObject *collector_begin(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    gc_pause_begin();
    Py_RETURN_NONE;
}

static PyObject *collector_end(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    gc_pause_end();
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"collector_begin", collector_begin, METH_NOARGS, "From here on what this process allocates starts no garbage collection, ..."},
    {"collector_end", collector_end, METH_NOARGS, "... and from here on it does, as if nothing had been allocated in between."},
    {NULL, NULL, 0, NULL},
};

int gc_pause_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
