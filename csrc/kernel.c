#include "kernel.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

#include "launcher.h"
#include "search.h"
#include "sizes.h"

/* ufunc._get_strided_loop documents this layout for its capsule. */
typedef struct {
    rt_strided_loop *strided_loop;
    void *context;
    void *auxdata;
    npy_bool requires_pyapi;
    npy_bool no_floatingpoint_errors;
} UfuncCallInfo;

/* kernel(*inputs) → tuple of results, or None: refused. For tests and benchmarks. */
static PyObject *
kernel_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
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

/* ---- construction --------------------------------------------------------------------------- */

/* num: -1 with ValueError where generated C has no type for it. */
static int
known_type(int num)
{
    if ((num >= NPY_BOOL && num <= NPY_DOUBLE) || num == NPY_CFLOAT || num == NPY_CDOUBLE
        || num == NPY_HALF)
        return num;
    PyErr_Format(PyExc_ValueError, "no kernel operand has NumPy type number %d", num);
    return -1;
}

static int
read_longs(PyObject *tuple, npy_intp *into)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        into[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
        if (into[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

void
operand_reach(Operand *operand)
{
    operand->low = 0;
    operand->high = operand->itemsize;
    for (int d = 0; d < operand->ndim; d++) {
        npy_intp last = (operand->shape[d] - 1) * operand->strides[d];
        if (operand->shape[d] == 0) {
            operand->low = operand->high = 0;
            return;
        }
        *(last < 0 ? &operand->low : &operand->high) += last;
    }
}

static int
measure(Operand *operand)
{
    PyArray_Descr *descr = PyArray_DescrFromType(operand->num);
    if (descr == NULL)
        return -1;
    operand->itemsize = (int)PyDataType_ELSIZE(descr);
    Py_DECREF(descr);
    operand_reach(operand);
    return 0;
}

/* (kind, num, shape, strides); shape and strides are () for scalars. */
static int
read_operand(PyObject *spec, Operand *into)
{
    int kind, num;
    PyObject *shape, *strides;
    if (!PyTuple_Check(spec)) {
        PyErr_SetString(PyExc_TypeError, "an operand is a tuple (kind, num, shape, strides)");
        return -1;
    }
    if (!PyArg_ParseTuple(spec, "CiO!O!", &kind, &num, &PyTuple_Type, &shape, &PyTuple_Type, &strides))
        return -1;
    Py_ssize_t ndim = PyTuple_GET_SIZE(shape);
    if (ndim != PyTuple_GET_SIZE(strides) || ndim > NPY_MAXDIMS || strchr("asbifc", kind) == NULL
        || kind == 0) {
        PyErr_SetString(PyExc_ValueError, "operand kind, shape or strides");
        return -1;
    }
    if (known_type(num) < 0)
        return -1;
    into->kind = (OperandKind)kind;
    into->num = num;
    into->ndim = (int)ndim;
    into->shape = PyMem_Calloc(2 * (size_t)ndim + 1, sizeof(npy_intp));
    if (into->shape == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    into->strides = into->shape + ndim;
    if (read_longs(shape, into->shape) < 0 || read_longs(strides, into->strides) < 0)
        return -1;
    return measure(into);
}

static int
read_operands(Kernel *k, PyObject *inputs, PyObject *outputs)
{
    Py_ssize_t nin = PyTuple_GET_SIZE(inputs), nout = PyTuple_GET_SIZE(outputs);
    if (nin + nout > MAX_OPERANDS) {
        PyErr_Format(PyExc_ValueError, "a kernel has at most %d operands", MAX_OPERANDS);
        return -1;
    }
    k->operands = PyMem_Calloc((size_t)(nin + nout) + 1, sizeof(Operand));
    if (k->operands == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    k->ninputs = (int)nin;
    k->noutputs = (int)nout;
    for (Py_ssize_t i = 0; i < nin; i++) {
        if (read_operand(PyTuple_GET_ITEM(inputs, i), &k->operands[i]) < 0)
            return -1;
        k->converts += k->operands[i].kind != ARRAY;
    }
    for (Py_ssize_t i = 0; i < nout; i++) {
        if (read_operand(PyTuple_GET_ITEM(outputs, i), &k->operands[nin + i]) < 0)
            return -1;
        if (k->operands[nin + i].kind != ARRAY && k->operands[nin + i].kind != NUMPY_SCALAR) {
            PyErr_SetString(PyExc_ValueError, "a result is an array or a NumPy scalar");
            return -1;
        }
        k->nscalars += k->operands[nin + i].kind == NUMPY_SCALAR;
    }
    return 0;
}

/* One (input, offset) for each array or scalar that the loop reads. */
static int
read_reads(Kernel *k, PyObject *reads)
{
    Py_ssize_t count = PyTuple_GET_SIZE(reads);
    if (count + k->noutputs > MAX_OPERANDS) {
        PyErr_Format(PyExc_ValueError, "a kernel has at most %d operands", MAX_OPERANDS);
        return -1;
    }
    k->reads = PyMem_Calloc((size_t)count + 1, sizeof(Read));
    if (k->reads == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    k->nreads = (int)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        Read *read = &k->reads[i];
        if (!PyTuple_Check(PyTuple_GET_ITEM(reads, i))) {
            PyErr_SetString(PyExc_TypeError, "a read is a tuple (input, offset)");
            return -1;
        }
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(reads, i), "in", &read->input, &read->offset))
            return -1;
        if (read->input < 0 || read->input >= k->ninputs
            || (read->offset != 0 && k->operands[read->input].kind != ARRAY)) {
            PyErr_SetString(PyExc_ValueError, "a kernel reads its inputs, views of arrays only");
            return -1;
        }
    }
    return 0;
}

static int
read_target(const Kernel *k, PyObject *spec, Target *into)
{
    if (!PyTuple_Check(spec)) {
        PyErr_SetString(PyExc_TypeError, "a target is a tuple (output, offset)");
        return -1;
    }
    if (!PyArg_ParseTuple(spec, "in", &into->output, &into->offset))
        return -1;
    if (into->output >= 0 && into->output < k->noutputs
        && (into->offset == 0
            || (into->offset > 0 && into->offset < k->operands[k->ninputs + into->output].high)))
        return 0;
    PyErr_SetString(PyExc_ValueError, "a loop writes into its results");
    return -1;
}

/* One (output, offset) for each array or scalar that the loop makes; without them, each result is one. */
static int
read_targets(Kernel *k, PyObject *targets)
{
    Py_ssize_t count = targets == NULL ? k->noutputs : PyTuple_GET_SIZE(targets);
    if (count + k->nreads > MAX_OPERANDS) {
        PyErr_Format(PyExc_ValueError, "a kernel has at most %d operands", MAX_OPERANDS);
        return -1;
    }
    k->targets = PyMem_Calloc((size_t)count + 1, sizeof(Target));
    if (k->targets == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    k->ntargets = (int)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (targets == NULL)
            k->targets[i] = (Target){(int)i, 0};
        else if (read_target(k, PyTuple_GET_ITEM(targets, i), &k->targets[i]) < 0)
            return -1;
    }
    return 0;
}

static int
read_nest(Kernel *k, PyObject *dim, PyObject *step)
{
    Py_ssize_t depth = PyTuple_GET_SIZE(dim);
    if (depth < 1 || depth > NPY_MAXDIMS) {
        PyErr_SetString(PyExc_ValueError, "a loop nest has 1 to NPY_MAXDIMS axes");
        return -1;
    }
    k->depth = (int)depth;
    if (PyTuple_GET_SIZE(step) < depth * (k->nreads + k->ntargets)) {
        PyErr_SetString(PyExc_ValueError,
                        "one step per operand and axis, then the numbers that the code asks for");
        return -1;
    }
    k->dim = PyMem_Calloc((size_t)depth + 2, sizeof(i64));
    k->step = PyMem_Calloc((size_t)PyTuple_GET_SIZE(step) + 1, sizeof(i64));
    if (k->dim == NULL || k->step == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    k->nsteps = (int)PyTuple_GET_SIZE(step);
    Py_BUILD_ASSERT(sizeof(i64) == sizeof(npy_intp));
    if (read_longs(dim, (npy_intp *)k->dim) < 0 || read_longs(step, (npy_intp *)k->step) < 0)
        return -1;
    k->size = 1;
    for (Py_ssize_t d = 0; d < depth; d++)
        k->size *= (npy_intp)k->dim[d];
    return 0;
}

static int
check_cut(const Kernel *k)
{
    const Cut *cut = &k->cut;
    if (cut->grain == 0 || (cut->grain > 0 && cut->least > 0 && cut->axis >= 0 && cut->axis < k->depth
        && cut->joined >= 0 && cut->joined <= k->ntargets))
        return 0;
    PyErr_SetString(PyExc_ValueError, "where the loop may be cut");
    return -1;
}

rt_loop *
inner_loops(PyObject *capsules, int *count)
{
    *count = (int)PyTuple_GET_SIZE(capsules);
    rt_loop *loops = PyMem_Calloc((size_t)*count + 1, sizeof(rt_loop));
    if (loops == NULL)
        PyErr_NoMemory();
    for (int i = 0; loops != NULL && i < *count; i++) {
        PyObject *capsule = PyTuple_GET_ITEM(capsules, i);
        if (PyCapsule_IsValid(capsule, SEARCH_CAPSULE)) {
            loops[i].fn = (rt_strided_loop *)PyCapsule_GetPointer(capsule, SEARCH_CAPSULE);
            continue;
        }
        UfuncCallInfo *call = PyCapsule_GetPointer(capsule, "numpy_1.24_ufunc_call_info");
        if (call != NULL && call->strided_loop != NULL && !call->requires_pyapi) {
            loops[i] = (rt_loop){call->strided_loop, call->context, call->auxdata};
            continue;
        }
        if (call != NULL)
            PyErr_SetString(PyExc_ValueError, "a kernel calls loops that need no Python only");
        PyMem_Free(loops);
        loops = NULL;
    }
    return loops;
}

static int
read_loops(Kernel *k, PyObject *capsules)
{
    k->capsules = Py_NewRef(capsules);
    k->loops = inner_loops(capsules, &k->nloops);
    return k->loops != NULL ? 0 : -1;
}

/* Stands for code that is still being compiled: every launch is refused. */
static int
not_loaded(char *const *p, const i64 *dim, const i64 *step, const rt_loop *loop)
{
    (void)p, (void)dim, (void)step, (void)loop;
    return RT_DOUBT;
}

static PyObject *
kernel_load(PyObject *self, PyObject *args)
{
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

static int
alike(const Operand *a, const Operand *b)
{
    size_t size = (size_t)a->ndim * sizeof(npy_intp);
    return a->kind == ARRAY && b->kind == ARRAY && a->num == b->num && a->ndim == b->ndim
           && memcmp(a->shape, b->shape, size) == 0 && memcmp(a->strides, b->strides, size) == 0;
}

/* (output, input, offset, certain, repeatable, by_pieces, rehearsed), or () */
static int
read_write(Kernel *k, PyObject *spec)
{
    Write *write = &k->write;
    write->output = -1;
    if (spec == NULL || PyTuple_GET_SIZE(spec) == 0)
        return 0;
    if (!PyArg_ParseTuple(spec, "iinpppp", &write->output, &write->input, &write->offset,
                          &write->certain, &write->repeatable, &write->by_pieces,
                          &write->rehearsed))
        return -1;
    if (write->output >= 0 && write->output < k->noutputs && write->output < k->ntargets
        && k->targets[write->output].output == write->output && write->input >= 0
        && write->input < k->ninputs && k->operands[write->input].kind == ARRAY
        && k->operands[k->ninputs + write->output].kind == ARRAY)
        return 0;
    PyErr_SetString(PyExc_ValueError, "an array result is written into an array");
    return -1;
}

/* Pairs of an output and an input that are alike. */
static int
read_taken(Kernel *k, PyObject *pairs)
{
    k->ntaken = pairs == NULL ? 0 : (int)PyTuple_GET_SIZE(pairs);
    k->taken = PyMem_Calloc((size_t)k->ntaken + 1, sizeof(Take));
    if (k->taken == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < k->ntaken; i++) {
        Take *take = &k->taken[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, i), "ii", &take->output, &take->input))
            return -1;
        if (take->output < 0 || take->output >= k->noutputs || take->input < 0
            || take->input >= k->ninputs || !alike(&k->operands[k->ninputs + take->output],
                                                   &k->operands[take->input])) {
            PyErr_SetString(PyExc_ValueError, "a result takes an array like itself");
            return -1;
        }
    }
    return 0;
}

static PyObject *
kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"address", "name", "inputs", "reads", "outputs", "dim", "step",
                            "loops", "flag_mask", "source", "library", "cut", "write", "taken",
                            "targets", NULL};
    PyObject *address, *name, *inputs, *reads, *outputs, *dim, *step, *loops, *source, *library;
    int flag_mask;
    PyObject *write = NULL, *taken = NULL, *targets = NULL;
    Cut cut = {0, 0, 0, 0};
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!UO!O!O!O!O!O!iUO|(iLLi)O!O!O!", names, &PyLong_Type, &address, &name,
            &PyTuple_Type, &inputs, &PyTuple_Type, &reads, &PyTuple_Type, &outputs, &PyTuple_Type,
            &dim, &PyTuple_Type, &step, &PyTuple_Type, &loops, &flag_mask, &source, &library,
            &cut.axis, &cut.grain, &cut.least, &cut.joined, &PyTuple_Type, &write,
            &PyTuple_Type, &taken, &PyTuple_Type, &targets))
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
    if (read_operands(k, inputs, outputs) < 0 || read_reads(k, reads) < 0 || read_targets(k, targets) < 0
        || read_nest(k, dim, step) < 0 || check_cut(k) < 0 || read_write(k, write) < 0 || read_taken(k, taken) < 0
        || read_loops(k, loops) < 0) {
        Py_DECREF(k);
        return NULL;
    }
    return (PyObject *)k;
}

static void
kernel_dealloc(Kernel *k)
{
    for (int i = 0; k->operands != NULL && i < k->ninputs + k->noutputs; i++)
        PyMem_Free(k->operands[i].shape);
    PyMem_Free(k->operands);
    PyMem_Free(k->reads);
    PyMem_Free(k->targets);
    PyMem_Free(k->taken);
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

static PyObject *
kernel_repr(Kernel *k)
{
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
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "jitcore._C.Kernel",
    .tp_doc = PyDoc_STR("Kernel(address, name, inputs, reads, outputs, dim, step, loops, flag_mask, source, library, "
                        "cut=(0, 0, 0, 0), write=(), taken=(), targets=...)\n\n"
                        "A compiled loop with the signature of its operands, see csrc/launcher.h. Without an address "
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
