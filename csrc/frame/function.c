#include "frame/function.h"

#include "frame/call.h"
#include "guards/array_spec.h"
#include "observe/meter.h"
#include "plan/entry_order.h"

#include <structmember.h>

static PyObject *function_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"fn", "original", NULL};
    PyObject *fn, *original = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|O!", names, &PyFunction_Type, &fn, &PyFunction_Type, &original))
        return NULL;
    original = original ? original : fn;
    CompiledFunction *self = (CompiledFunction *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = meter_is_on() ? function_call_metered : function_call;
    self->stands_for = 1;
    self->wrapped = Py_NewRef(fn);
    self->original = Py_NewRef(original);
    self->copied = Py_NewRef(((PyFunctionObject *)original)->func_code);
    self->code = Py_NewRef(((PyFunctionObject *)fn)->func_code);
    self->entries = PyTuple_New(0);
    PyObject *attributes = ((PyFunctionObject *)fn)->func_dict;
    self->dict = attributes ? PyDict_Copy(attributes) : PyDict_New();
    if (self->entries == NULL || self->dict == NULL ||
        PyDict_SetItemString(self->dict, "__wrapped__", original) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int function_traverse(PyObject *op, visitproc visit, void *arg) {
    CompiledFunction *self = (CompiledFunction *)op;
    Py_VISIT(self->wrapped);
    Py_VISIT(self->original);
    Py_VISIT(self->entries);
    Py_VISIT(self->signature);
    Py_VISIT(self->wanted);
    Py_VISIT(self->controls);
    Py_VISIT(self->config);
    Py_VISIT(self->carrier);
    Py_VISIT(self->dict);
    return 0;
}

static int function_clear(PyObject *op) {
    CompiledFunction *self = (CompiledFunction *)op;
    Py_CLEAR(self->signature);
    Py_CLEAR(self->wanted);
    Py_CLEAR(self->controls);
    Py_CLEAR(self->config);
    Py_CLEAR(self->carrier);
    Py_CLEAR(self->dict);
    return 0;
}

static void function_dealloc(PyObject *op) {
    CompiledFunction *self = (CompiledFunction *)op;
    PyObject_GC_UnTrack(op);
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs(op);
    function_clear(op);
    Py_XDECREF(self->wrapped);
    Py_XDECREF(self->original);
    Py_XDECREF(self->copied);
    Py_XDECREF(self->code);
    Py_XDECREF(self->entries);
    Py_XDECREF(self->options);
    Py_TYPE(op)->tp_free(op);
}

static PyObject *function_descr_get(PyObject *op, PyObject *instance, PyObject *owner) {
    (void)owner;
    return instance == NULL || instance == Py_None ? Py_NewRef(op) : PyMethod_New(op, instance);
}

static PyObject *repr(PyObject *op) {
    return PyUnicode_FromFormat("<jitcore.compile of %R>", ((CompiledFunction *)op)->original);
}

static PyObject *add_frameless(PyObject *op, PyObject *args) {
    CompiledFunction *self = (CompiledFunction *)op;
    PyObject *all = entries_added(self->entries, args);
    if (all == NULL)
        return NULL;
    Py_SETREF(self->entries, all);
    Py_RETURN_NONE;
}

static PyObject *clear_entries(PyObject *op, PyObject *ignored) {
    (void)ignored;
    PyObject *none = PyTuple_New(0);
    if (none == NULL)
        return NULL;
    Py_SETREF(((CompiledFunction *)op)->entries, none);
    ((CompiledFunction *)op)->backoff = (Backoff){0};
    Py_RETURN_NONE;
}

/* ---------------------------------------------------------------- pickling: jitcore/api/pickling.py */

/* A new reference to what the function of that name says; the name is let go of. */
static PyObject *pickled(const char *name, PyObject *op, PyObject *protocol) {
    PyObject *module = PyImport_ImportModule("jitcore.api.pickling");
    PyObject *fn = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *result = fn ? PyObject_CallFunctionObjArgs(fn, op, protocol, NULL) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(fn);
    return result;
}

static PyObject *function_reduce(PyObject *op, PyObject *protocol) { return pickled("reduced", op, protocol); }

static PyObject *get_carrier(PyObject *op, void *ignored) {
    (void)ignored;
    return pickled("carrier", op, NULL);
}

/* The first one stays: a pickler asks for it twice, and other threads may ask in between. */
static PyObject *keep_carrier(PyObject *op, PyObject *fn) {
    CompiledFunction *self = (CompiledFunction *)op;
    if (self->carrier == NULL && fn != Py_None)
        self->carrier = Py_NewRef(fn);
    return Py_NewRef(self->carrier ? self->carrier : Py_None);
}

/* CPython makes what it needs of functions of these names, and of nothing else, when it makes a class. */
static PyObject *set_name(PyObject *op, PyObject *const *args, Py_ssize_t nargs) {
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "a class and a name are expected");
        return NULL;
    }
    PyObject *owner = args[0], *name = args[1], *wrapped = NULL;
    if (!PyType_Check(owner) || !PyType_HasFeature((PyTypeObject *)owner, Py_TPFLAGS_HEAPTYPE) || !PyUnicode_Check(name) ||
        PyDict_GetItem(((PyTypeObject *)owner)->tp_dict, name) != op)
        Py_RETURN_NONE;
    if (PyUnicode_CompareWithASCIIString(name, "__new__") == 0)
        wrapped = PyStaticMethod_New(op);
    else if (PyUnicode_CompareWithASCIIString(name, "__init_subclass__") == 0 ||
             PyUnicode_CompareWithASCIIString(name, "__class_getitem__") == 0)
        wrapped = PyClassMethod_New(op);
    else
        Py_RETURN_NONE;
    /* past the metaclass, as CPython itself */
    int failed = wrapped == NULL || PyType_Type.tp_setattro(owner, name, wrapped) < 0;
    Py_XDECREF(wrapped);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *self_copy(PyObject *op, PyObject *ignored) {
    (void)ignored;
    return Py_NewRef(op);
}

/* A new reference to the function of that name; NULL with an exception. */
static PyObject *control_of(PyObject *op, const char *name) {
    PyObject *controls = ((CompiledFunction *)op)->controls;
    if (controls != NULL)
        return PyObject_GetAttrString(controls, name);
    PyErr_Format(PyExc_RuntimeError, "%s: no controls were set", name);
    return NULL;
}

static PyObject *control(PyObject *op, const char *name) {
    PyObject *fn = control_of(op, name), *result = fn ? PyObject_CallOneArg(fn, op) : NULL;
    Py_XDECREF(fn);
    return result;
}

static PyObject *cache_info(PyObject *op, PyObject *ignored) {
    (void)ignored;
    return control(op, "cache_info");
}

static PyObject *cache_clear(PyObject *op, PyObject *ignored) {
    (void)ignored;
    return control(op, "cache_clear");
}

static PyObject *warmup(PyObject *op, PyObject *args, PyObject *kwargs) {
    PyObject *fn = control_of(op, "warmup"), *one = fn ? PyTuple_Pack(1, op) : NULL;
    PyObject *all = one ? PySequence_Concat(one, args) : NULL;
    PyObject *result = all ? PyObject_Call(fn, all, kwargs) : NULL;
    Py_XDECREF(fn);
    Py_XDECREF(one);
    Py_XDECREF(all);
    return result;
}

static PyObject *set_signature(PyObject *op, PyObject *args) {
    CompiledFunction *self = (CompiledFunction *)op;
    PyObject *asked, *wanted;
    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &asked, &PyTuple_Type, &wanted))
        return NULL;
    int valid = PyTuple_GET_SIZE(asked) == PyTuple_GET_SIZE(wanted) && self->controls != NULL;
    for (Py_ssize_t i = 0; valid && i < PyTuple_GET_SIZE(asked); i++) {
        PyObject *one = PyTuple_GET_ITEM(asked, i);
        valid = one == Py_None || PyType_Check(one) || Py_IS_TYPE(one, &ArraySpec_Type);
    }
    if (!valid) {
        PyErr_SetString(PyExc_TypeError, "a tuple of None, classes and ArraySpecs is expected, and controls before it");
        return NULL;
    }
    Py_XSETREF(self->signature, Py_NewRef(asked));
    Py_XSETREF(self->wanted, Py_NewRef(wanted));
    Py_CLEAR(self->options); /* a call of the function itself would ask nothing */
    Py_RETURN_NONE;
}

static PyObject *set_controls(PyObject *op, PyObject *controls) {
    Py_XSETREF(((CompiledFunction *)op)->controls, Py_NewRef(controls));
    Py_RETURN_NONE;
}

static PyObject *set_options(PyObject *op, PyObject *options) {
    if (!PyUnicode_CheckExact(options)) {
        PyErr_SetString(PyExc_TypeError, "a str is expected");
        return NULL;
    }
    Py_XSETREF(((CompiledFunction *)op)->options, Py_NewRef(options));
    Py_RETURN_NONE;
}

static PyObject *function_set_metered(PyObject *op, PyObject *arg) {
    int wanted = PyObject_IsTrue(arg);
    if (wanted < 0)
        return NULL;
    CompiledFunction *self = (CompiledFunction *)op;
    self->vectorcall = wanted ? function_call_metered : function_call;
    self->unmeasured = 0;
    self->stands_for = 1;
    Py_RETURN_NONE;
}

static PyMethodDef function_methods[] = {
    {"_add_frameless", add_frameless, METH_VARARGS,
     "_add_frameless(entry, first=False): an entry for the whole function, tried after the others, or first."},
    {"_clear", clear_entries, METH_NOARGS, "Drop the entries for the whole function."},
    {"_meter", function_set_metered, METH_O, "_meter(on): its calls are measured, or no more."},
    {"cache_info", cache_info, METH_NOARGS,
     "cache_info(): hits, misses, compiles, entries, size; .details has each entry, .recompiles why there is another one."},
    {"cache_clear", cache_clear, METH_NOARGS, "cache_clear(): forget what was compiled of this function."},
    {"warmup", (PyCFunction)(void (*)(void))warmup, METH_VARARGS | METH_KEYWORDS,
     "warmup(*args, **kwargs): compile for these arguments, arrays or jitcore.ArraySpec, without a call. True: all of it."},
    {"_set_signature", set_signature, METH_VARARGS,
     "_set_signature(asked, wanted): for each parameter None, a class or an _C.ArraySpec, and what a message says of it; "
     "controls.refuse(dispatcher, index, value) is called where an argument is something else."},
    {"_set_options", set_options, METH_O,
     "_set_options(text): callers that are compiled with the same may have the function in their own graphs."},
    {"_set_controls", set_controls, METH_O, "_set_controls(obj): what has cache_info, cache_clear, warmup and graphs."},
    {"_keep_carrier", keep_carrier, METH_O, "_keep_carrier(fn): the one that is kept, this one if there was none; or None."},
    {"__reduce_ex__", function_reduce, METH_O, NULL},
    {"__set_name__", (PyCFunction)(void (*)(void))set_name, METH_FASTCALL, NULL},
    {"__copy__", self_copy, METH_NOARGS, NULL},
    {"__deepcopy__", self_copy, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* What is not a function's begins with an underscore: users keep attributes of all names on their functions. */
static PyMemberDef function_members[] = {
    {"_function", T_OBJECT, offsetof(CompiledFunction, wrapped), READONLY, "the function that runs"},
    {"_original", T_OBJECT, offsetof(CompiledFunction, original), READONLY, "the original function"},
    {"_entries", T_OBJECT, offsetof(CompiledFunction, entries), READONLY, NULL},
    {"_hits", T_LONG, offsetof(CompiledFunction, hits), READONLY, "calls answered without a frame"},
    {"_signature", T_OBJECT, offsetof(CompiledFunction, wanted), READONLY, "what arguments are to be, or None"},
    {"_options", T_OBJECT, offsetof(CompiledFunction, options), READONLY, "of whom its function may be a part, or None"},
    {"_config", T_OBJECT, offsetof(CompiledFunction, config), 0, "what it was asked to be compiled with"},
    {"_off", T_BOOL, offsetof(CompiledFunction, off), 0, "plain calls only"},
    {NULL, 0, 0, 0, NULL},
};

static PyObject *own_attribute(CompiledFunction *self, const char *name) {
    return self->dict != NULL ? Py_XNewRef(PyDict_GetItemString(self->dict, name)) : NULL;
}

/* Names that functions have and types would answer for themselves: the dispatcher's own, or else the function's. */
static PyObject *of_wrapped(PyObject *op, void *name) {
    PyObject *found = own_attribute((CompiledFunction *)op, name);
    return found ? found : PyObject_GetAttrString(((CompiledFunction *)op)->original, name);
}

static PyObject *wrapped_itself(PyObject *op, void *name) {
    PyObject *found = own_attribute((CompiledFunction *)op, name);
    return found ? found : Py_NewRef(((CompiledFunction *)op)->original);
}

static int set_own(PyObject *op, PyObject *value, void *name) {
    PyObject *dict = PyObject_GenericGetDict(op, NULL);
    if (dict == NULL)
        return -1;
    int failed = value ? PyDict_SetItemString(dict, name, value) : PyDict_DelItemString(dict, name);
    Py_DECREF(dict);
    if (failed && value == NULL && PyErr_ExceptionMatches(PyExc_KeyError))
        PyErr_Format(PyExc_AttributeError, "%s is the function's", (const char *)name);
    return failed;
}

/* What decides how the function runs is the function's. */
static PyObject *of_function(PyObject *op, void *name) {
    return PyObject_GetAttrString(((CompiledFunction *)op)->original, name);
}

static int set_function(PyObject *op, PyObject *value, void *name) {
    return PyObject_SetAttrString(((CompiledFunction *)op)->original, name, value);
}

/* An attribute of that name that the user has given the function goes before. */
static PyObject *graphs(PyObject *op, void *name) {
    PyObject *found = own_attribute((CompiledFunction *)op, name);
    return found ? found : control(op, name);
}

static PyObject *get_life(PyObject *op, void *ignored) {
    (void)ignored;
    const Backoff *backoff = &((CompiledFunction *)op)->backoff;
    int on = backoff_is_on(backoff);
    long again = on ? BACKOFF_SAMPLE - backoff->calls % BACKOFF_SAMPLE : backoff->life.penalty;
    return life_told(&backoff->life, again > 0 ? PyLong_FromLong(again) : Py_NewRef(Py_None));
}

#define OF_WRAPPED(name) {name, of_wrapped, set_own, NULL, name}
#define OF_FUNCTION(name) {name, of_function, set_function, NULL, name}
static PyGetSetDef function_getset[] = {
    {"__wrapped__", wrapped_itself, set_own, "the original function", "__wrapped__"},
    {"eager", wrapped_itself, set_own, "the original function", "eager"},
    {"graphs", graphs, set_own, "the compiled regions, as of jitcore.explain", "graphs"},
    {"_life", get_life, NULL, "(state, why, looked at again: an int of calls, or None)", NULL},
    {"_carrier", get_carrier, NULL, "a function that goes into pickles for it", NULL},
    OF_WRAPPED("__name__"),
    OF_WRAPPED("__qualname__"),
    OF_WRAPPED("__doc__"),
    OF_WRAPPED("__module__"),
    OF_WRAPPED("__annotations__"),
    OF_WRAPPED("__type_params__"),
    OF_FUNCTION("__defaults__"),
    OF_FUNCTION("__kwdefaults__"),
    OF_FUNCTION("__code__"),
    OF_FUNCTION("__globals__"),
    OF_FUNCTION("__closure__"),
    OF_FUNCTION("__builtins__"),
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject CompiledFunction_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore.Compiled",
    .tp_doc = "A compiled function: what jitcore.compile returns.",
    .tp_basicsize = sizeof(CompiledFunction),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_new = function_new,
    .tp_dealloc = function_dealloc,
    .tp_traverse = function_traverse,
    .tp_clear = function_clear,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(CompiledFunction, vectorcall),
    .tp_dictoffset = offsetof(CompiledFunction, dict),
    .tp_weaklistoffset = offsetof(CompiledFunction, weakrefs),
    .tp_descr_get = function_descr_get,
    .tp_repr = repr,
    .tp_methods = function_methods,
    .tp_members = function_members,
    .tp_getset = function_getset,
};

int function_init(PyObject *module) {
    if (PyType_Ready(&CompiledFunction_Type) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "Dispatcher", (PyObject *)&CompiledFunction_Type);
}
