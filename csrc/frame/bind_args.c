#include "frame/bind_args.h"

#include "guards/lookup.h"

int args_index(PyCodeObject *code, PyObject *name, int from, int to) {
    for (int i = from; i < to; i++)
        if (PyTuple_GET_ITEM(code->co_localsplusnames, i) == name)
            return i;
    if (!PyUnicode_CheckExact(name)) /* it may compare in its own way */
        return -1;
    for (int i = from; i < to; i++)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(code->co_localsplusnames, i), name) == 0)
            return i;
    return -1;
}

/* Defaults are owned, `*owned` has their bits: user code may replace them while an entry runs. */
static void take_default(PyObject **locals, int i, PyObject *value, uint64_t *owned) {
    locals[i] = Py_NewRef(value);
    *owned |= (uint64_t)1 << i;
}

static int fill_defaults(PyFunctionObject *fn, PyCodeObject *code, PyObject **locals,
                         uint64_t *owned) {
    Py_ssize_t count = fn->func_defaults ? PyTuple_GET_SIZE(fn->func_defaults) : 0;
    for (int i = 0; i < code->co_argcount; i++) {
        if (locals[i] != NULL)
            continue;
        Py_ssize_t at = i - (code->co_argcount - count);
        if (at < 0)
            return 0;
        take_default(locals, i, PyTuple_GET_ITEM(fn->func_defaults, at), owned);
    }
    for (int i = code->co_argcount; i < code->co_argcount + code->co_kwonlyargcount; i++) {
        if (locals[i] != NULL)
            continue;
        PyObject *name = PyTuple_GET_ITEM(code->co_localsplusnames, i);
        PyObject *value = NULL;
        if (fn->func_kwdefaults != NULL && lookup_name(fn->func_kwdefaults, name, &value) == FOUND)
            take_default(locals, i, value, owned);
        Py_XDECREF(value);
        if (locals[i] == NULL)
            return 0;
    }
    return 1;
}

int args_bind(PyFunctionObject *fn, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **locals, uint64_t *owned) {
    PyCodeObject *code = (PyCodeObject *)fn->func_code;
    if (code->co_flags & (CO_VARARGS | CO_VARKEYWORDS) || nargs > code->co_argcount ||
        code->co_nlocalsplus > MAX_LOCALS)
        return 0;
    memset(locals, 0, code->co_nlocalsplus * sizeof(PyObject *));
    for (Py_ssize_t i = 0; i < nargs; i++)
        locals[i] = args[i];
    Py_ssize_t words = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < words; i++) {
        int at = args_index(code, PyTuple_GET_ITEM(names, i), code->co_posonlyargcount,
                            code->co_argcount + code->co_kwonlyargcount);
        if (at < 0 || locals[at] != NULL)
            return 0;
        locals[at] = args[nargs + i];
    }
    if (nargs + words == code->co_argcount + code->co_kwonlyargcount)
        return 1;
    return fill_defaults(fn, code, locals, owned);
}

void args_unbind(PyObject **locals, uint64_t owned) {
    for (int i = 0; owned != 0; i++, owned >>= 1)
        if (owned & 1)
            Py_DECREF(locals[i]);
}
