#include "kernel/kernel.h"

#include <stddef.h>
#include <structmember.h>

#include "kernel/dynamic_sizes.h"
#include "kernel/launch.h"

/* kernel(*inputs) → tuple of results, or None: refused. For tests and benchmarks. */
static PyObject *kernel_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    Kernel *k = (Kernel *)self;
    PyObject *outputs[MAX_OPERANDS];
    if (kwnames != NULL || PyVectorcall_NARGS(nargsf) != k->ninputs) {
        PyErr_Format(PyExc_TypeError, "%U takes %d operands", k->name, k->ninputs);
        return NULL;
    }
    int refused = kernel_launch(self, args, outputs);
    if (refused < 0)
        return refused == -1 ? Py_NewRef(Py_None) : NULL;
    PyObject *result = PyTuple_New(k->noutputs);
    for (int i = 0; i < k->noutputs; i++) {
        if (result != NULL)
            PyTuple_SET_ITEM(result, i, outputs[i]);
        else
            Py_DECREF(outputs[i]);
    }
    return result;
}

/* ---- the object ----------------------------------------------------------------------------- */

/* Stands for code that is still being compiled: every launch is refused. */
static int not_loaded(char *const *p, const i64 *dim, const i64 *step, const rt_loop *loop) {
    (void)p, (void)dim, (void)step, (void)loop;
    return RT_DOUBT;
}

static PyObject *kernel_load(PyObject *self, PyObject *args) {
    Kernel *k = (Kernel *)self;
    PyObject *address, *library;
    if (!PyArg_ParseTuple(args, "O!O", &PyLong_Type, &address, &library))
        return NULL;
    void *fn = PyLong_AsVoidPtr(address);
    if (fn == NULL || k->fn != not_loaded) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, fn ? "the kernel has its code" : "no code at address 0");
        return NULL;
    }
    Py_SETREF(k->library, Py_NewRef(library));
    k->fn = (kernel_fn *)fn;
    Py_RETURN_NONE;
}

static PyMethodDef kernel_methods[] = {
    {"load", kernel_load, METH_VARARGS, "load(address, library): the code of a kernel that was made without (address 0)."},
    {"sized", kernel_sized, METH_VARARGS,
     "sized(extents, quotients, monomials, terms, part): from now on a launch computes the numbers that the terms are of. "
     "extents: (input, axis, least, most, step); quotients, monomials: as of a Number; terms: (number, monomial, times); "
     "part: elements of a loop's smallest part."},
    {NULL, NULL, 0, NULL},
};

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"address",   "name",   "inputs",  "reads", "outputs", "dim",   "step",    "loops",
                            "flag_mask", "source", "library", "cut",   "write",   "taken", "targets", NULL};
    PyObject *address, *name, *source, *library;
    int flag_mask;
    KernelRows rows = {0};
    Cut cut = {0, 0, 0, 0};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!UO!O!O!O!O!O!iUO|(iLLi)O!O!O!", names, &PyLong_Type, &address, &name,
                                     &PyTuple_Type, &rows.inputs, &PyTuple_Type, &rows.reads, &PyTuple_Type, &rows.outputs,
                                     &PyTuple_Type, &rows.dim, &PyTuple_Type, &rows.step, &PyTuple_Type, &rows.loops, &flag_mask,
                                     &source, &library, &cut.axis, &cut.grain, &cut.least, &cut.joined, &PyTuple_Type,
                                     &rows.write, &PyTuple_Type, &rows.donated, &PyTuple_Type, &rows.targets))
        return NULL;
    void *fn = PyLong_AsVoidPtr(address);
    if (fn == NULL && PyErr_Occurred())
        return NULL;
    Kernel *k = (Kernel *)type->tp_alloc(type, 0);
    if (k == NULL)
        return NULL;
    k->vectorcall = kernel_call;
    k->fn = fn ? (kernel_fn *)fn : not_loaded;
    k->flag_mask = flag_mask;
    k->cut = cut;
    k->name = Py_NewRef(name);
    k->source = Py_NewRef(source);
    k->library = Py_NewRef(library);
    if (kernel_read(k, &rows) < 0) {
        Py_DECREF(k);
        return NULL;
    }
    return (PyObject *)k;
}

static void kernel_dealloc(Kernel *k) {
    for (int i = 0; k->operands != NULL && i < k->ninputs + k->noutputs; i++)
        PyMem_Free(k->operands[i].shape);
    PyMem_Free(k->operands);
    PyMem_Free(k->reads);
    PyMem_Free(k->targets);
    PyMem_Free(k->donated);
    PyMem_Free(k->dim);
    PyMem_Free(k->step);
    PyMem_Free(k->loops);
    sizes_free(k->sizes);
    Py_XDECREF(k->capsules);
    Py_XDECREF(k->library);
    Py_XDECREF(k->name);
    Py_XDECREF(k->source);
    Py_TYPE(k)->tp_free((PyObject *)k);
}

static PyObject *kernel_repr(Kernel *k) {
    return PyUnicode_FromFormat("<Kernel %U: %d -> %d>", k->name, k->ninputs, k->noutputs);
}

static PyMemberDef kernel_members[] = {
    {"name", T_OBJECT, offsetof(Kernel, name), READONLY, "the symbol in the compiled library"},
    {"source", T_OBJECT, offsetof(Kernel, source), READONLY, "the C text"},
    {"launches", T_ULONGLONG, offsetof(Kernel, launches), READONLY, "launches that gave results"},
    {"refusals", T_ULONGLONG, offsetof(Kernel, refusals), READONLY, "launches left to NumPy"},
    {"ninputs", T_INT, offsetof(Kernel, ninputs), READONLY, NULL},
    {"noutputs", T_INT, offsetof(Kernel, noutputs), READONLY, NULL},
    {"flag_mask", T_INT, offsetof(Kernel, flag_mask), READONLY, "the flags that refuse a launch; -1: ask NumPy"},
    {0},
};

PyTypeObject Kernel_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Kernel",
    .tp_doc = PyDoc_STR("Kernel(address, name, inputs, reads, outputs, dim, step, loops, flag_mask, source, library, "
                        "cut=(0, 0, 0, 0), write=(), taken=(), targets=...)\n\n"
                        "A compiled loop with the signature of its operands, see csrc/kernel/launch.h. Without an address "
                        "it refuses all launches until load()."),
    .tp_basicsize = sizeof(Kernel),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_new = kernel_new,
    .tp_dealloc = (destructor)kernel_dealloc,
    .tp_repr = (reprfunc)kernel_repr,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Kernel, vectorcall),
    .tp_members = kernel_members,
    .tp_methods = kernel_methods,
};
