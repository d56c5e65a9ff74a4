#include "observe/as_lists.h"

PyObject **slots_of_list(PyObject *list) {
    Py_ssize_t count = PyList_GET_SIZE(list);
    PyObject **slots = PyMem_Malloc((count + 1) * sizeof(PyObject *));
    if (slots == NULL)
        return (PyObject **)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *obj = PyList_GET_ITEM(list, i);
        slots[i] = obj == jit_null ? NULL : obj;
    }
    return slots;
}

static PyObject *shown(PyObject *const *slots, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(slots[i] ? slots[i] : jit_null));
    return tuple;
}

static PyObject *shown_locals(const Transfer *t) {
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < t->nlocals; i++) {
        PyObject *index = PyLong_FromLong(t->local_index[i]);
        PyObject *value = t->local_value[i] ? t->local_value[i] : jit_null;
        if (index == NULL || PyDict_SetItem(dict, index, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(index);
    }
    return dict;
}

PyObject *transfer_shown(ExitKind kind, const Transfer *t) {
    static const char *kinds[] = {"miss", "return", "jump", "raise", "stay"};
    PyObject *error = NULL, *type = NULL, *traceback = NULL;
    if (kind == EXIT_RAISE) {
        PyErr_Fetch(&type, &error, &traceback);
        PyErr_NormalizeException(&type, &error, &traceback);
    }
    int keeps = t->nstack == TRANSFER_KEEPS_STATE;
    PyObject *value = error ? error : t->value ? t->value : jit_null;
    PyObject *stack = keeps ? Py_NewRef(Py_None) : shown(t->stack, t->nstack);
    PyObject *locals = shown_locals(t), *result = NULL;
    if (stack != NULL && locals != NULL)
        result = Py_BuildValue("siiOOO", kinds[kind], t->offset, t->through_point, value, stack, locals);
    Py_XDECREF(stack);
    Py_XDECREF(locals);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return result;
}
