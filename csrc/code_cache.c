#include "code_cache.h"

static Py_ssize_t home_index = -1, map_index = -1;

Home *home_hold(Home *home) {
    home->refs++;
    return home;
}

void home_release(Home *home) {
    if (--home->refs == 0)
        free(home);
}

static void home_free(void *extra) {
    Home *home = extra;
    if (home == NULL)
        return;
    home->code = NULL;
    Py_CLEAR(home->cstar);
    home_release(home);
}

static void map_free(void *extra) {
    Map *map = extra;
    if (map == NULL)
        return;
    home_release(map->home);
    PyMem_Free(map->at_point);
    PyMem_Free(map->at_instr);
    PyMem_Free(map);
}

/* Each frame asks, and on 3.12 and later each function that is made: no calls. */
static inline void *extra_of(PyCodeObject *code, Py_ssize_t index) {
    const JitExtras *extras = (const JitExtras *)code->co_extra;
    return extras != NULL && index < extras->ce_size ? extras->ce_extras[index] : NULL;
}

Home *home_of(PyCodeObject *code) { return extra_of(code, home_index); }

Map *map_of(PyCodeObject *cstar) { return extra_of(cstar, map_index); }

Home *home_make(PyCodeObject *code) {
    Home *home = home_of(code);
    if (home != NULL)
        return home;
    home = calloc(1, sizeof(Home)); /* not among what the program is told of its memory */
    if (home == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    home->refs = 1;
    home->code = code;
    if (JIT_SET_EXTRA((PyObject *)code, home_index, home) < 0) {
        free(home);
        return NULL;
    }
    jit_trim_extras(code, home_index);
    return home;
}

/* A buffer of C ints → a PyMem copy of exactly `units`. */
static int *copy_units(PyObject *buffer, int units) {
    Py_buffer view;
    if (PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    int *copy = NULL;
    if (view.len != (Py_ssize_t)(units * sizeof(int)))
        PyErr_SetString(PyExc_ValueError, "a unit map must have one int for each code unit");
    else if ((copy = PyMem_Malloc(view.len ? view.len : 1)) == NULL)
        PyErr_NoMemory();
    else
        memcpy(copy, view.buf, view.len);
    PyBuffer_Release(&view);
    return copy;
}

static int map_make(PyCodeObject *cstar, Home *home, PyObject *at_point, PyObject *at_instr) {
    Map *map = PyMem_Calloc(1, sizeof(Map));
    if (map == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    map->home = home;
    home->refs++;
    map->units = (int)Py_SIZE(home->code);
    map->return_unit = (int)Py_SIZE(cstar) - 1;
    map->at_point = copy_units(at_point, map->units);
    map->at_instr = map->at_point ? copy_units(at_instr, map->units) : NULL;
    if (map->at_instr == NULL || JIT_SET_EXTRA((PyObject *)cstar, map_index, map) < 0) {
        map_free(map);
        return -1;
    }
    jit_trim_extras(cstar, map_index);
    return 0;
}

static PyObject *install(PyObject *self, PyObject *args) {
    (void)self;
    PyCodeObject *code, *cstar;
    PyObject *at_point, *at_instr;
    int patient = 0;
    if (!PyArg_ParseTuple(args, "O!O!OO|p", &PyCode_Type, &code, &PyCode_Type, &cstar, &at_point,
                          &at_instr, &patient))
        return NULL;
    if (code == cstar || cstar->co_nlocalsplus != code->co_nlocalsplus ||
        cstar->co_stacksize != code->co_stacksize || map_of(cstar) != NULL) {
        PyErr_SetString(PyExc_ValueError, "not a new C* of this code object");
        return NULL;
    }
    Home *home = home_make(code);
    if (home == NULL || map_make(cstar, home, at_point, at_instr) < 0)
        return NULL;
    Py_XSETREF(home->cstar, (PyCodeObject *)Py_NewRef(cstar));
    home->left = 0;        /* as it may have been, before somebody asked for it by name */
    home->hot |= !patient; /* nobody measures its time */
    home->measured = patient != 0;
    Py_RETURN_NONE;
}

static PyObject *uninstall(PyObject *self, PyObject *code) {
    (void)self;
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "a code object is expected");
        return NULL;
    }
    Home *home = home_of((PyCodeObject *)code);
    if (home != NULL) {
        home->asked = home->left = home->hot = 0;
        home->calls = home->heat = 0;
        home->spent = home->cost = 0;
        Py_CLEAR(home->cstar);
    }
    Py_RETURN_NONE;
}

static PyObject *leave_alone(PyObject *self, PyObject *code) {
    PyObject *done = uninstall(self, code);
    Home *home = done ? home_make((PyCodeObject *)code) : NULL;
    if (home == NULL) {
        Py_XDECREF(done);
        return NULL;
    }
    home->asked = home->left = 1;
    return done;
}

static PyObject *mark_broken(PyObject *self, PyObject *code) {
    (void)self;
    Home *home = PyCode_Check(code) ? home_of((PyCodeObject *)code) : NULL;
    if (home != NULL)
        home->broken = 1;
    Py_RETURN_NONE;
}

static PyObject *installed(PyObject *self, PyObject *code) {
    (void)self;
    Home *home = PyCode_Check(code) ? home_of((PyCodeObject *)code) : NULL;
    PyObject *cstar = home ? (PyObject *)home->cstar : NULL;
    return Py_NewRef(cstar ? cstar : Py_None);
}

static PyMethodDef methods[] = {
    {"install", install, METH_VARARGS,
     "install(code, cstar, at_point, at_instr, patient=False): from now on frames of `code` start as `cstar`. Patient: the "
     "time that they take is measured."},
    {"uninstall", uninstall, METH_O, "uninstall(code): frames of `code` run it as it is."},
    {"leave_alone", leave_alone, METH_O,
     "leave_alone(code): frames of `code` run it as it is, and nobody is asked about it any more."},
    {"mark_broken", mark_broken, METH_O, "mark_broken(code): it has breaks that were no errors when they were met."},
    {"installed", installed, METH_O, "installed(code): its newest C*, or None."},
    {NULL, NULL, 0, NULL},
};

int code_cache_init(PyObject *module) {
    home_index = JIT_NEW_EXTRA_INDEX(home_free);
    map_index = JIT_NEW_EXTRA_INDEX(map_free);
    if (home_index < 0 || map_index < 0) {
        PyErr_SetString(PyExc_ImportError, "CPython has no free co_extra index");
        return -1;
    }
    return PyModule_AddFunctions(module, methods);
}
