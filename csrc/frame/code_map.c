#include "frame/code_map.h"

static Py_ssize_t code_entry_index = -1, offset_map_index = -1;

CodeEntry *code_entry_hold(CodeEntry *code_entry) {
    code_entry->refs++;
    return code_entry;
}

void code_entry_release(CodeEntry *code_entry) {
    if (--code_entry->refs == 0)
        free(code_entry);
}

static void code_entry_free(void *extra) {
    CodeEntry *code_entry = extra;
    if (code_entry == NULL)
        return;
    code_entry->code = NULL;
    Py_CLEAR(code_entry->cstar);
    code_entry_release(code_entry);
}

static void offset_map_free(void *extra) {
    OffsetMap *map = extra;
    if (map == NULL)
        return;
    code_entry_release(map->code_entry);
    PyMem_Free(map->at_point);
    PyMem_Free(map->at_instr);
    PyMem_Free(map);
}

/* Each frame asks, and on 3.12 and later each function that is made: no calls. */
static inline void *extra_of(PyCodeObject *code, Py_ssize_t index) {
    const JitExtras *extras = (const JitExtras *)code->co_extra;
    return extras != NULL && index < extras->ce_size ? extras->ce_extras[index] : NULL;
}

CodeEntry *code_entry_of(PyCodeObject *code) { return extra_of(code, code_entry_index); }

OffsetMap *offset_map_of(PyCodeObject *cstar) { return extra_of(cstar, offset_map_index); }

CodeEntry *code_entry_make(PyCodeObject *code) {
    CodeEntry *code_entry = code_entry_of(code);
    if (code_entry != NULL)
        return code_entry;
    code_entry = calloc(1, sizeof(CodeEntry)); /* not among what the program is told of its memory */
    if (code_entry == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    code_entry->refs = 1;
    code_entry->code = code;
    if (JIT_SET_EXTRA((PyObject *)code, code_entry_index, code_entry) < 0) {
        free(code_entry);
        return NULL;
    }
    jit_trim_extras(code, code_entry_index);
    return code_entry;
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

static int offset_map_make(PyCodeObject *cstar, CodeEntry *code_entry, PyObject *at_point, PyObject *at_instr) {
    OffsetMap *map = PyMem_Calloc(1, sizeof(OffsetMap));
    if (map == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    map->code_entry = code_entry;
    code_entry->refs++;
    map->units = (int)Py_SIZE(code_entry->code);
    map->return_unit = (int)Py_SIZE(cstar) - 1;
    map->at_point = copy_units(at_point, map->units);
    map->at_instr = map->at_point ? copy_units(at_instr, map->units) : NULL;
    if (map->at_instr == NULL || JIT_SET_EXTRA((PyObject *)cstar, offset_map_index, map) < 0) {
        offset_map_free(map);
        return -1;
    }
    jit_trim_extras(cstar, offset_map_index);
    return 0;
}

static PyObject *install(PyObject *self, PyObject *args) {
    (void)self;
    PyCodeObject *code, *cstar;
    PyObject *at_point, *at_instr;
    int cold = 0;
    if (!PyArg_ParseTuple(args, "O!O!OO|p", &PyCode_Type, &code, &PyCode_Type, &cstar, &at_point,
                          &at_instr, &cold))
        return NULL;
    if (code == cstar || cstar->co_nlocalsplus != code->co_nlocalsplus ||
        cstar->co_stacksize != code->co_stacksize || offset_map_of(cstar) != NULL) {
        PyErr_SetString(PyExc_ValueError, "not a new C* of this code object");
        return NULL;
    }
    CodeEntry *code_entry = code_entry_make(code);
    if (code_entry == NULL || offset_map_make(cstar, code_entry, at_point, at_instr) < 0)
        return NULL;
    Py_XSETREF(code_entry->cstar, (PyCodeObject *)Py_NewRef(cstar));
    code_entry->left_alone = 0;        /* as it may have been, before somebody asked for it by name */
    code_entry->hot |= !cold; /* nobody measures its time */
    code_entry->measured = cold != 0;
    Py_RETURN_NONE;
}

static PyObject *uninstall(PyObject *self, PyObject *code) {
    (void)self;
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "a code object is expected");
        return NULL;
    }
    CodeEntry *code_entry = code_entry_of((PyCodeObject *)code);
    if (code_entry != NULL) {
        code_entry->asked = code_entry->left_alone = code_entry->hot = 0;
        code_entry->calls = code_entry->heat = 0;
        code_entry->spent = code_entry->cost = 0;
        Py_CLEAR(code_entry->cstar);
    }
    Py_RETURN_NONE;
}

static PyObject *leave_alone(PyObject *self, PyObject *code) {
    PyObject *done = uninstall(self, code);
    CodeEntry *code_entry = done ? code_entry_make((PyCodeObject *)code) : NULL;
    if (code_entry == NULL) {
        Py_XDECREF(done);
        return NULL;
    }
    code_entry->asked = code_entry->left_alone = 1;
    return done;
}

static PyObject *mark_broken(PyObject *self, PyObject *code) {
    (void)self;
    CodeEntry *code_entry = PyCode_Check(code) ? code_entry_of((PyCodeObject *)code) : NULL;
    if (code_entry != NULL)
        code_entry->broken = 1;
    Py_RETURN_NONE;
}

static PyObject *installed(PyObject *self, PyObject *code) {
    (void)self;
    CodeEntry *code_entry = PyCode_Check(code) ? code_entry_of((PyCodeObject *)code) : NULL;
    PyObject *cstar = code_entry ? (PyObject *)code_entry->cstar : NULL;
    return Py_NewRef(cstar ? cstar : Py_None);
}

static PyMethodDef methods[] = {
    {"install", install, METH_VARARGS,
     "install(code, cstar, at_point, at_instr, cold=False): from now on frames of `code` start as `cstar`. Cold: the "
     "time that they take is measured."},
    {"uninstall", uninstall, METH_O, "uninstall(code): frames of `code` run it as it is."},
    {"leave_alone", leave_alone, METH_O,
     "leave_alone(code): frames of `code` run it as it is, and nobody is asked about it any more."},
    {"mark_broken", mark_broken, METH_O, "mark_broken(code): it has breaks that were no errors when they were met."},
    {"installed", installed, METH_O, "installed(code): its newest C*, or None."},
    {NULL, NULL, 0, NULL},
};

int code_map_init(PyObject *module) {
    code_entry_index = JIT_NEW_EXTRA_INDEX(code_entry_free);
    offset_map_index = JIT_NEW_EXTRA_INDEX(offset_map_free);
    if (code_entry_index < 0 || offset_map_index < 0) {
        PyErr_SetString(PyExc_ImportError, "CPython has no free co_extra index");
        return -1;
    }
    return PyModule_AddFunctions(module, methods);
}
