#include "guard_eval.h"

#include "array_spec.h"
#include "guard_ops.h"
#include "held.h"

enum {
#define NUMBER(name, operands) G_##name,
    GUARD_OPS(NUMBER)
#undef NUMBER
};

static PyObject *errstate_var; /* NumPy's context variable */

/* ---------------------------------------------------------------- loads: a new reference, or NULL without exception */

static PyObject *quiet(PyObject *found) {
    if (found == NULL)
        PyErr_Clear();
    return found;
}

static PyObject *dict_item(PyObject *dict, PyObject *key) {
    PyObject *found = PyDict_Check(dict) ? PyDict_GetItemWithError(dict, key) : NULL;
    if (found == NULL)
        PyErr_Clear();
    return Py_XNewRef(found);
}

static PyObject *cell_content(PyObject *cell) {
    return cell != NULL && PyCell_Check(cell) ? Py_XNewRef(PyCell_GET(cell)) : NULL;
}

static PyObject *function_part(PyObject *obj, int part) {
    if (!PyFunction_Check(obj))
        return NULL;
    PyFunctionObject *f = (PyFunctionObject *)obj;
    PyObject *parts[] = {f->func_code, f->func_globals, f->func_defaults, f->func_kwdefaults,
                         f->func_closure};
    return Py_NewRef(parts[part] != NULL ? parts[part] : Py_None);
}

static PyObject *closure_content(PyObject *obj, int index) {
    PyObject *closure = PyFunction_Check(obj) ? ((PyFunctionObject *)obj)->func_closure : NULL;
    if (closure == NULL || index >= PyTuple_GET_SIZE(closure))
        return NULL;
    return cell_content(PyTuple_GET_ITEM(closure, index));
}

static PyObject *sequence_item(PyObject *obj, int index) {
    if (PyTuple_Check(obj))
        return index < PyTuple_GET_SIZE(obj) ? Py_NewRef(PyTuple_GET_ITEM(obj, index)) : NULL;
    if (PyList_CheckExact(obj))
        return index < PyList_GET_SIZE(obj) ? Py_NewRef(PyList_GET_ITEM(obj, index)) : NULL;
    return NULL;
}

/* The class was checked: object's own lookup, no user code. */
static PyObject *instance_attr(PyObject *obj, PyObject *name) {
    return quiet(PyObject_GenericGetAttr(obj, name));
}

static PyObject *module_attr(PyObject *obj, PyObject *name) {
    return PyModule_Check(obj) ? dict_item(PyModule_GetDict(obj), name) : NULL;
}

static PyObject *slot_value(PyObject *obj, PyObject *descr) {
    descrgetfunc get = Py_TYPE(descr)->tp_descr_get;
    return get ? quiet(get(descr, obj, (PyObject *)Py_TYPE(obj))) : NULL;
}

static PyObject *method_part(PyObject *obj, int self) {
    if (!PyMethod_Check(obj))
        return NULL;
    return Py_NewRef(self ? PyMethod_GET_SELF(obj) : PyMethod_GET_FUNCTION(obj));
}

/* ---------------------------------------------------------------- checks */

static int same_double(double a, double b) { return memcmp(&a, &b, sizeof(a)) == 0; }

/* Exact builtin constants only. */
static int equals(PyObject *a, PyObject *b) {
    if (a == b)
        return 1;
    if (Py_TYPE(a) != Py_TYPE(b))
        return 0;
    if (PyFloat_CheckExact(a))
        return same_double(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
    if (PyComplex_CheckExact(a)) {
        Py_complex x = PyComplex_AsCComplex(a), y = PyComplex_AsCComplex(b);
        return same_double(x.real, y.real) && same_double(x.imag, y.imag);
    }
    if (PySlice_Check(a)) {
        PySliceObject *x = (PySliceObject *)a, *y = (PySliceObject *)b;
        return equals(x->start, y->start) && equals(x->stop, y->stop) && equals(x->step, y->step);
    }
    if (PyTuple_CheckExact(a)) {
        Py_ssize_t n = PyTuple_GET_SIZE(a);
        if (n != PyTuple_GET_SIZE(b))
            return 0;
        for (Py_ssize_t i = 0; i < n; i++)
            if (!equals(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)))
                return 0;
        return 1;
    }
    if (!PyLong_CheckExact(a) && !PyUnicode_CheckExact(a) && !PyBytes_CheckExact(a) &&
        !PyRange_Check(a))
        return 0;
    int same = PyObject_RichCompareBool(a, b, Py_EQ);
    if (same < 0)
        PyErr_Clear();
    return same == 1;
}

static Py_ssize_t length(PyObject *obj) {
    if (PyTuple_Check(obj))
        return PyTuple_GET_SIZE(obj);
    if (PyList_CheckExact(obj))
        return PyList_GET_SIZE(obj);
    return PyDict_CheckExact(obj) ? PyDict_GET_SIZE(obj) : -1;
}

static int has_keys(PyObject *dict, PyObject *keys) {
    if (!PyDict_CheckExact(dict) || PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(keys))
        return 0;
    Py_ssize_t at = 0, i = 0;
    PyObject *key, *value;
    while (PyDict_Next(dict, &at, &key, &value))
        if (!equals(key, PyTuple_GET_ITEM(keys, i++)))
            return 0;
    return 1;
}

/* The instance has no such attribute of its own; its class, whose version was checked, may have one. */
static int no_attr(PyObject *obj, PyObject *name) {
    PyObject *found = PyObject_GenericGetAttr(obj, name);
    if (found == NULL) {
        PyErr_Clear();
        return 1;
    }
    PyObject *of_class = _PyType_Lookup(Py_TYPE(obj), name);
    int absent = found == of_class || (PyMethod_Check(found) && PyMethod_GET_SELF(found) == obj &&
                                       PyMethod_GET_FUNCTION(found) == of_class);
    Py_DECREF(found);
    if (absent || of_class == NULL)
        return absent;
    PyObject *dict = PyObject_GenericGetDict(obj, NULL);
    if (dict == NULL) {
        PyErr_Clear();
        return 1;
    }
    int has = PyDict_Contains(dict, name);
    Py_DECREF(dict);
    if (has < 0)
        PyErr_Clear();
    return has == 0;
}

static int no_key(PyObject *dict, PyObject *key) {
    int has = PyDict_Check(dict) ? PyDict_Contains(dict, key) : 1;
    if (has < 0)
        PyErr_Clear();
    return has == 0;
}

static int version_is(PyObject *held, PyObject *version) {
    PyTypeObject *type = (PyTypeObject *)((Held *)held)->obj;
    return type != NULL && jit_type_version(type) == PyLong_AsUnsignedLong(version);
}

/* The first field of NumPy's npy_extobj (extobj.h): three bits for each kind of error. */
int errstate_now(void) {
    PyObject *capsule = NULL;
    if (PyContextVar_Get(errstate_var, NULL, &capsule) < 0)
        return -1;
    int mask = -1;
    if (capsule == NULL)
        PyErr_SetString(PyExc_RuntimeError, "NumPy's error state is not set");
    else {
        int *extobj = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
        mask = extobj ? *extobj : -1;
        Py_DECREF(capsule);
    }
    return mask;
}

static int errstate_is(PyObject *wanted) {
    int now = errstate_now();
    if (now < 0)
        PyErr_Clear();
    return now >= 0 && now == PyLong_AsLong(wanted);
}

/* ---------------------------------------------------------------- the loop */

#define LOAD(name, operands, expr)             \
    case G_##name:                             \
        if ((regs[w[1]] = (expr)) == NULL)     \
            goto miss_##operands;              \
        w += operands + 2;                     \
        break;
#define CHECK(name, operands, expr) \
    case G_##name:                  \
        if (!(expr))                \
            goto miss_##operands;   \
        w += operands + 2;          \
        break;

int guards_hold(const int *w, Py_ssize_t count, PyObject *const *consts, const FrameView *view,
                PyObject **regs, int *reason) {
    const int *end = w + count;
    while (w < end) {
        switch (w[0]) {
            LOAD(LOAD_LOCAL, 2, Py_XNewRef(view->locals[w[2]]))
            LOAD(LOAD_CELL_SLOT, 2, cell_content(view->locals[w[2]]))
            LOAD(LOAD_STACK, 2, Py_XNewRef(view->stack[w[2]]))
            LOAD(LOAD_GLOBAL, 2, dict_item(view->globals, consts[w[2]]))
            LOAD(LOAD_BUILTIN, 2, dict_item(view->builtins, consts[w[2]]))
            LOAD(LOAD_CONST, 2, Py_XNewRef(((Held *)consts[w[2]])->obj))
            LOAD(LOAD_ATTR, 3, instance_attr(regs[w[2]], consts[w[3]]))
            LOAD(LOAD_SLOT, 3, slot_value(regs[w[2]], consts[w[3]]))
            LOAD(LOAD_MODULE_ATTR, 3, module_attr(regs[w[2]], consts[w[3]]))
            LOAD(LOAD_FUNCTION, 3, function_part(regs[w[2]], w[3]))
            LOAD(LOAD_CLOSURE, 3, closure_content(regs[w[2]], w[3]))
            LOAD(LOAD_METHOD_FUNC, 2, method_part(regs[w[2]], 0))
            LOAD(LOAD_METHOD_SELF, 2, method_part(regs[w[2]], 1))
            LOAD(LOAD_PARTIAL, 3, quiet(PyObject_GetAttr(regs[w[2]], consts[w[3]])))
            LOAD(LOAD_ITEM, 3, sequence_item(regs[w[2]], w[3]))
            LOAD(LOAD_KEY, 3, dict_item(regs[w[2]], consts[w[3]]))
            CHECK(HAS_TYPE, 2, (PyObject *)Py_TYPE(regs[w[1]]) == ((Held *)consts[w[2]])->obj)
            CHECK(IS_OBJECT, 2, regs[w[1]] == ((Held *)consts[w[2]])->obj)
            CHECK(EQUALS, 2, equals(regs[w[1]], consts[w[2]]))
            CHECK(LENGTH, 2, length(regs[w[1]]) == w[2])
            CHECK(KEYS, 2, has_keys(regs[w[1]], consts[w[2]]))
            CHECK(IS_ARRAY, 2, array_spec_holds((ArraySpec *)consts[w[2]], regs[w[1]]))
            CHECK(NO_LOCAL, 1, view->locals[w[1]] == NULL)
            CHECK(NO_STACK, 1, view->stack[w[1]] == NULL)
            CHECK(NO_GLOBAL, 1, no_key(view->globals, consts[w[1]]))
            CHECK(NO_ATTR, 2, no_attr(regs[w[1]], consts[w[2]]))
            CHECK(NO_KEY, 2, no_key(regs[w[1]], consts[w[2]]))
            CHECK(SAME_OBJECT, 3, (regs[w[1]] == regs[w[2]]) == w[3])
            CHECK(TYPE_VERSION, 2, version_is(consts[w[1]], consts[w[2]]))
            CHECK(ERRSTATE, 1, errstate_is(consts[w[1]]))
        default:
            Py_FatalError("jitcore: unknown guard instruction");
        }
    }
    return 1;
miss_1:
    *reason = w[2];
    return 0;
miss_2:
    *reason = w[3];
    return 0;
miss_3:
    *reason = w[4];
    return 0;
}

static PyObject *type_version(PyObject *self, PyObject *cls) {
    (void)self;
    if (!PyType_Check(cls)) {
        PyErr_SetString(PyExc_TypeError, "a class is expected");
        return NULL;
    }
    unsigned version = jit_assign_type_version((PyTypeObject *)cls);
    if (version == 0) {
        PyErr_Format(PyExc_ValueError, "class %R has no version", cls);
        return NULL;
    }
    return PyLong_FromUnsignedLong(version);
}

static PyObject *errstate_code(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    int now = errstate_now();
    return now < 0 ? NULL : PyLong_FromLong(now);
}

static PyMethodDef methods[] = {
    {"type_version", type_version, METH_O,
     "type_version(cls): changes when the class or a base does; ValueError if it has none."},
    {"errstate_code", errstate_code, METH_NOARGS, "np.geterr() of now, as the number NumPy keeps."},
    {NULL, NULL, 0, NULL},
};

static PyObject *table(void) {
    PyObject *dict = PyDict_New();
    if (dict == NULL)
        return NULL;
#define ROW(name, operands)                                                          \
    {                                                                                \
        PyObject *number = PyLong_FromLong(G_##name);                                \
        int failed = number == NULL || PyDict_SetItemString(dict, #name, number) < 0; \
        Py_XDECREF(number);                                                          \
        if (failed) {                                                                \
            Py_DECREF(dict);                                                         \
            return NULL;                                                             \
        }                                                                            \
    }
    GUARD_OPS(ROW)
#undef ROW
    return dict;
}

int guard_eval_init(PyObject *module) {
    PyObject *umath = PyImport_ImportModule("numpy._core.umath");
    if (umath == NULL)
        return -1;
    errstate_var = PyObject_GetAttrString(umath, "_extobj_contextvar");
    Py_DECREF(umath);
    PyObject *ops = errstate_var ? table() : NULL;
    if (ops == NULL || PyModule_AddFunctions(module, methods) < 0) {
        Py_XDECREF(ops);
        return -1;
    }
    int failed = PyModule_AddObjectRef(module, "GUARD_OPS", ops);
    Py_DECREF(ops);
    return failed;
}
