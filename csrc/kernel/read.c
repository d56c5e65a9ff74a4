#include "kernel/kernel.h"

#include <string.h>

#include "numpy/argmax.h"

/* ufunc._get_strided_loop documents this layout for its capsule. */
typedef struct {
    rt_strided_loop *strided_loop;
    void *context;
    void *auxdata;
    npy_bool requires_pyapi;
    npy_bool no_floatingpoint_errors;
} UfuncCallInfo;

/* num: -1 with ValueError where generated C has no type for it. */
static int known_type(int num) {
    if ((num >= NPY_BOOL && num <= NPY_DOUBLE) || num == NPY_CFLOAT || num == NPY_CDOUBLE || num == NPY_HALF)
        return num;
    PyErr_Format(PyExc_ValueError, "no kernel operand has NumPy type number %d", num);
    return -1;
}

static int read_longs(PyObject *tuple, npy_intp *into) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        into[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
        if (into[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

int operand_reach(Operand *operand) {
    int beyond = 0;
    operand->low = 0;
    operand->high = operand->itemsize;
    for (int d = 0; d < operand->ndim; d++) {
        npy_intp last, *end;
        if (operand->shape[d] == 0) {
            operand->low = operand->high = 0;
            return 0;
        }
        beyond |= __builtin_mul_overflow(operand->shape[d] - 1, operand->strides[d], &last);
        end = last < 0 ? &operand->low : &operand->high;
        beyond |= __builtin_add_overflow(*end, last, end);
    }
    return -beyond;
}

static int measure(Operand *operand) {
    PyArray_Descr *descr = PyArray_DescrFromType(operand->num);
    if (descr == NULL)
        return -1;
    operand->itemsize = (int)PyDataType_ELSIZE(descr);
    Py_DECREF(descr);
    operand_reach(operand); /* beyond 64 bits: as_strided makes such arrays, of which a view may be read */
    return 0;
}

/* (kind, num, shape, strides); shape and strides are () for scalars. */
static int read_operand(PyObject *spec, Operand *into) {
    int kind, num;
    PyObject *shape, *strides;
    if (!PyTuple_Check(spec)) {
        PyErr_SetString(PyExc_TypeError, "an operand is a tuple (kind, num, shape, strides)");
        return -1;
    }
    if (!PyArg_ParseTuple(spec, "CiO!O!", &kind, &num, &PyTuple_Type, &shape, &PyTuple_Type, &strides))
        return -1;
    Py_ssize_t ndim = PyTuple_GET_SIZE(shape);
    if (ndim != PyTuple_GET_SIZE(strides) || ndim > NPY_MAXDIMS || strchr("asbifc", kind) == NULL || kind == 0) {
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

static int read_operands(Kernel *k, PyObject *inputs, PyObject *outputs) {
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
static int read_reads(Kernel *k, PyObject *reads) {
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
        if (read->input < 0 || read->input >= k->ninputs || (read->offset != 0 && k->operands[read->input].kind != ARRAY)) {
            PyErr_SetString(PyExc_ValueError, "a kernel reads its inputs, views of arrays only");
            return -1;
        }
    }
    return 0;
}

static int read_target(const Kernel *k, PyObject *spec, Target *into) {
    if (!PyTuple_Check(spec)) {
        PyErr_SetString(PyExc_TypeError, "a target is a tuple (output, offset)");
        return -1;
    }
    if (!PyArg_ParseTuple(spec, "in", &into->output, &into->offset))
        return -1;
    if (into->output >= 0 && into->output < k->noutputs &&
        (into->offset == 0 || (into->offset > 0 && into->offset < k->operands[k->ninputs + into->output].high)))
        return 0;
    PyErr_SetString(PyExc_ValueError, "a loop writes into its results");
    return -1;
}

/* One (output, offset) for each array or scalar that the loop makes; without them, each result is one. */
static int read_targets(Kernel *k, PyObject *targets) {
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

static int read_nest(Kernel *k, PyObject *dim, PyObject *step) {
    Py_ssize_t depth = PyTuple_GET_SIZE(dim);
    if (depth < 1 || depth > NPY_MAXDIMS) {
        PyErr_SetString(PyExc_ValueError, "a loop nest has 1 to NPY_MAXDIMS axes");
        return -1;
    }
    k->depth = (int)depth;
    if (PyTuple_GET_SIZE(step) < depth * (k->nreads + k->ntargets)) {
        PyErr_SetString(PyExc_ValueError, "one step per operand and axis, then the numbers that the code asks for");
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

static int check_cut(const Kernel *k) {
    const Cut *cut = &k->cut;
    if (cut->grain == 0 || (cut->grain > 0 && cut->least > 0 && cut->axis >= 0 && cut->axis < k->depth && cut->joined >= 0 &&
                            cut->joined <= k->ntargets))
        return 0;
    PyErr_SetString(PyExc_ValueError, "where the loop may be cut");
    return -1;
}

rt_loop *inner_loops(PyObject *capsules, int *count) {
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

static int read_loops(Kernel *k, PyObject *capsules) {
    k->capsules = Py_NewRef(capsules);
    k->loops = inner_loops(capsules, &k->nloops);
    return k->loops != NULL ? 0 : -1;
}

static int alike(const Operand *a, const Operand *b) {
    size_t size = (size_t)a->ndim * sizeof(npy_intp);
    return a->kind == ARRAY && b->kind == ARRAY && a->num == b->num && a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, size) == 0 && memcmp(a->strides, b->strides, size) == 0;
}

/* (output, input, offset, certain, repeatable, by_pieces, rehearsed), or () */
static int read_write(Kernel *k, PyObject *spec) {
    Write *write = &k->write;
    write->output = -1;
    if (spec == NULL || PyTuple_GET_SIZE(spec) == 0)
        return 0;
    if (!PyArg_ParseTuple(spec, "iinpppp", &write->output, &write->input, &write->offset, &write->certain, &write->repeatable,
                          &write->by_pieces, &write->rehearsed))
        return -1;
    if (write->output >= 0 && write->output < k->noutputs && write->output < k->ntargets &&
        k->targets[write->output].output == write->output && write->input >= 0 && write->input < k->ninputs &&
        k->operands[write->input].kind == ARRAY && k->operands[k->ninputs + write->output].kind == ARRAY)
        return 0;
    PyErr_SetString(PyExc_ValueError, "an array result is written into an array");
    return -1;
}

/* Pairs of an output and an input that are alike. */
static int read_donated(Kernel *k, PyObject *pairs) {
    k->ndonated = pairs == NULL ? 0 : (int)PyTuple_GET_SIZE(pairs);
    k->donated = PyMem_Calloc((size_t)k->ndonated + 1, sizeof(Donation));
    if (k->donated == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < k->ndonated; i++) {
        Donation *donation = &k->donated[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, i), "ii", &donation->output, &donation->input))
            return -1;
        if (donation->output < 0 || donation->output >= k->noutputs || donation->input < 0 || donation->input >= k->ninputs ||
            !alike(&k->operands[k->ninputs + donation->output], &k->operands[donation->input])) {
            PyErr_SetString(PyExc_ValueError, "a result takes an array like itself");
            return -1;
        }
    }
    return 0;
}

int kernel_read(Kernel *k, const KernelRows *rows) {
    int bad = read_operands(k, rows->inputs, rows->outputs) < 0 || read_reads(k, rows->reads) < 0 ||
              read_targets(k, rows->targets) < 0 || read_nest(k, rows->dim, rows->step) < 0 || check_cut(k) < 0 ||
              read_write(k, rows->write) < 0 || read_donated(k, rows->donated) < 0 || read_loops(k, rows->loops) < 0;
    return bad ? -1 : 0;
}
