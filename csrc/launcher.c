#include "launcher.h"

#include <stddef.h>
#include <structmember.h>

#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include "../jitcore/runtime_c/kernel_rt.h"

#define MAX_OPERANDS 64
#define ASK_ERRSTATE (-1)

/* Above this many elements another thread may run meanwhile; NumPy's own limit is 500 a loop. */
#define RELEASE_GIL 8192

/* What an operand is; the letters are those of jitcore/codegen/abi.py. */
typedef enum {
    ARRAY = 'a',
    NUMPY_SCALAR = 's',
    PYTHON_BOOL = 'b',
    PYTHON_INT = 'i',
    PYTHON_FLOAT = 'f',
    PYTHON_COMPLEX = 'c',
} OperandKind;

typedef struct {
    OperandKind kind;
    int num;                    /* NumPy's type number: that of the array, or what a scalar becomes */
    int ndim;
    npy_intp *shape;            /* ndim extents, then ndim strides, owned */
    npy_intp *strides;
} Operand;

/* ufunc._get_strided_loop documents this layout for its capsule. */
typedef struct {
    rt_strided_loop *strided_loop;
    void *context;
    void *auxdata;
    npy_bool requires_pyapi;
    npy_bool no_floatingpoint_errors;
} UfuncCallInfo;

typedef int kernel_fn(char *const *p, const i64 *dim, const i64 *step, const rt_loop *loop);

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    kernel_fn *fn;
    int ninputs, noutputs, nloops;
    int flag_mask;              /* RT_* bits that refuse a launch, or ASK_ERRSTATE */
    npy_intp size;              /* elements of the loop */
    Operand *operands;          /* inputs, then outputs */
    i64 *dim, *step;
    rt_loop *loops;
    PyObject *capsules;         /* keep `loops` alive */
    PyObject *library;          /* keeps the code mapped */
    PyObject *name, *source;
    unsigned long long launches, refusals;
} Kernel;

typedef union {
    i64 i;
    f64 d;
    char bytes[16];
} Slot;

static PyObject *errstate_var;      /* NumPy's context variable, NULL where it was not found */
static PyObject *errstate_dict;     /* umath._get_extobj_dict */

/* Values of the variable that were met, and the flags that each does not ignore; the oldest goes. */
#define KNOWN 8
static struct { PyObject *value; int mask; } known[KNOWN];
static int oldest;

/* ---- which flags does the user want to hear of? -------------------------------------------- */

static int
mask_from_dict(PyObject *modes)
{
    static const struct { const char *name; int bit; } rows[] = {
        {"divide", RT_DIVIDE}, {"over", RT_OVER}, {"under", RT_UNDER}, {"invalid", RT_INVALID},
    };
    int mask = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PyObject *mode = PyDict_GetItemString(modes, rows[i].name);
        if (mode == NULL || !PyUnicode_Check(mode) || PyUnicode_CompareWithASCIIString(mode, "ignore") != 0)
            mask |= rows[i].bit;
    }
    return mask;
}

/* A value of the variable is never changed, only replaced, so identity says that the mask is known. */
static int
errstate_mask(void)
{
    PyObject *value = NULL, *modes;
    if (errstate_var == NULL || PyContextVar_Get(errstate_var, NULL, &value) < 0 || value == NULL) {
        PyErr_Clear();
        return RT_FLAGS;
    }
    for (int i = 0; i < KNOWN; i++) {
        if (value == known[i].value) {
            Py_DECREF(value);
            return known[i].mask;
        }
    }
    modes = PyObject_CallNoArgs(errstate_dict);
    if (modes == NULL || !PyDict_Check(modes)) {
        PyErr_Clear();
        Py_XDECREF(modes);
        Py_DECREF(value);
        return RT_FLAGS;
    }
    int mask = mask_from_dict(modes);
    Py_DECREF(modes);
    known[oldest].mask = mask;
    Py_XSETREF(known[oldest].value, value);
    oldest = (oldest + 1) % KNOWN;
    return mask;
}

/* ---- operands ------------------------------------------------------------------------------- */

static int
plain_descr(PyArray_Descr *descr, int num)
{
    return descr->type_num == num && PyArray_ISNBO(descr->byteorder)
           && PyDataType_METADATA(descr) == NULL;
}

static char *
array_data(const Operand *want, PyObject *obj)
{
    if (Py_TYPE(obj) != &PyArray_Type)
        return NULL;
    PyArrayObject *array = (PyArrayObject *)obj;
    if (PyArray_NDIM(array) != want->ndim || !PyArray_ISALIGNED(array)
        || !plain_descr(PyArray_DESCR(array), want->num))
        return NULL;
    for (int d = 0; d < want->ndim; d++) {
        if (PyArray_DIM(array, d) != want->shape[d])
            return NULL;
        if (want->shape[d] > 1 && PyArray_STRIDE(array, d) != want->strides[d])
            return NULL;
    }
    return PyArray_BYTES(array);
}

static int
numpy_scalar(const Operand *want, PyObject *obj, Slot *slot)
{
    PyArray_Descr *descr = PyArray_DescrFromType(want->num);
    int ok = descr != NULL && Py_TYPE(obj) == descr->typeobj;
    Py_XDECREF(descr);
    if (ok)
        PyArray_ScalarAsCtype(obj, slot);
    return ok;
}

/* Python ints never wrap: what does not fit is an OverflowError in NumPy, or its special comparison. */
static int
put_int(int num, PyObject *obj, Slot *slot)
{
    static const struct { char is_signed, size; } rows[] = {
        [NPY_BYTE] = {1, 1}, [NPY_UBYTE] = {0, 1}, [NPY_SHORT] = {1, 2}, [NPY_USHORT] = {0, 2},
        [NPY_INT] = {1, 4}, [NPY_UINT] = {0, 4}, [NPY_LONG] = {1, sizeof(long)},
        [NPY_ULONG] = {0, sizeof(long)}, [NPY_LONGLONG] = {1, 8}, [NPY_ULONGLONG] = {0, 8},
    };
    int size = rows[num].size;
    if (!rows[num].is_signed) {
        u64 value = PyLong_AsUnsignedLongLong(obj);
        if (value == (u64)-1 && PyErr_Occurred())
            return 0;
        if (size < 8 && value >> (8 * size))
            return 0;
        slot->i = (i64)value;
    }
    else {
        i64 value = PyLong_AsLongLong(obj);
        if (value == -1 && PyErr_Occurred())
            return 0;
        if (size < 8 && (value < -((i64)1 << (8 * size - 1)) || value >= (i64)1 << (8 * size - 1)))
            return 0;
        slot->i = value;
    }
    i64 wide = slot->i;
    switch (size) {
        case 1: *(i8 *)slot = (i8)wide; break;
        case 2: *(i16 *)slot = (i16)wide; break;
        case 4: *(i32 *)slot = (i32)wide; break;
        default: break;
    }
    return 1;
}

static int
put_float(int num, Py_complex value, int is_complex, Slot *slot)
{
    f64 *wide = (f64 *)slot;
    f32 *narrow = (f32 *)slot;
    switch (num) {
        case NPY_DOUBLE: wide[0] = value.real; return !is_complex;
        case NPY_FLOAT: narrow[0] = (f32)value.real; return !is_complex;
        case NPY_CDOUBLE: wide[0] = value.real; wide[1] = value.imag; return 1;
        case NPY_CFLOAT: narrow[0] = (f32)value.real; narrow[1] = (f32)value.imag; return 1;
        default: return 0;
    }
}

static int
put_number(int num, PyObject *obj, Slot *slot)
{
    if (num == NPY_BOOL)
        return 0;
    if (num < NPY_FLOAT)
        return put_int(num, obj, slot);
    /* beyond 2**53 it would matter whether NumPy rounds once or twice on the way to float32 */
    i64 value = PyLong_AsLongLong(obj);
    if ((value == -1 && PyErr_Occurred()) || value > (1LL << 53) || value < -(1LL << 53))
        return 0;
    return put_float(num, (Py_complex){(f64)value, 0.0}, 0, slot);
}

static int
python_scalar(const Operand *want, PyObject *obj, Slot *slot)
{
    switch (want->kind) {
        case PYTHON_BOOL:
            if (!PyBool_Check(obj))
                return 0;
            if (want->num != NPY_BOOL)
                return put_number(want->num, obj, slot);
            slot->bytes[0] = obj == Py_True;
            return 1;
        case PYTHON_INT:
            return PyLong_CheckExact(obj) && put_number(want->num, obj, slot);
        case PYTHON_FLOAT:
            return PyFloat_CheckExact(obj)
                   && put_float(want->num, (Py_complex){PyFloat_AS_DOUBLE(obj), 0.0}, 0, slot);
        case PYTHON_COMPLEX:
            return PyComplex_CheckExact(obj)
                   && put_float(want->num, PyComplex_AsCComplex(obj), 1, slot);
        default:
            return 0;
    }
}

/* Where the kernel finds this operand, or NULL: not as compiled. */
static char *
operand_data(const Operand *want, PyObject *obj, Slot *slot)
{
    if (want->kind == ARRAY)
        return array_data(want, obj);
    int ok = want->kind == NUMPY_SCALAR ? numpy_scalar(want, obj, slot)
                                        : python_scalar(want, obj, slot);
    return ok ? slot->bytes : NULL;
}

static PyObject *
new_result(const Operand *spec)
{
    PyArray_Descr *descr = PyArray_DescrFromType(spec->num);
    if (descr == NULL)
        return NULL;
    return PyArray_NewFromDescr(&PyArray_Type, descr, spec->ndim, spec->shape, spec->strides,
                                NULL, 0, NULL);
}

/* ---- the launch ----------------------------------------------------------------------------- */

static int
run(Kernel *k, char *const *p, PyObject *const *inputs)
{
    if (k->size < RELEASE_GIL)
        return k->fn(p, k->dim, k->step, k->loops) | rt_flags();
    for (int i = 0; i < k->ninputs; i++)
        Py_INCREF(inputs[i]);
    Py_INCREF(k);
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = k->fn(p, k->dim, k->step, k->loops) | rt_flags();
    Py_END_ALLOW_THREADS
    for (int i = 0; i < k->ninputs; i++)
        Py_DECREF(inputs[i]);
    Py_DECREF(k);
    return status;
}

int
kernel_launch(PyObject *self, PyObject *const *inputs, PyObject **outputs)
{
    Kernel *k = (Kernel *)self;
    Slot slots[MAX_OPERANDS];
    char *p[MAX_OPERANDS];
    int made = 0;

    rt_clear();                 /* converting a scalar may raise a flag, too */
    for (int i = 0; i < k->ninputs; i++) {
        p[i] = operand_data(&k->operands[i], inputs[i], &slots[i]);
        if (p[i] == NULL)
            goto refuse;
    }
    int mask = k->flag_mask == ASK_ERRSTATE ? errstate_mask() : k->flag_mask;
    int before = rt_flags();    /* what is called below may clear them */
    for (; made < k->noutputs; made++) {
        outputs[made] = new_result(&k->operands[k->ninputs + made]);
        if (outputs[made] == NULL)
            goto refuse;
        p[k->ninputs + made] = PyArray_BYTES((PyArrayObject *)outputs[made]);
    }
    if (k->size > 0) {
        rt_clear();
        int status = before | run(k, p, inputs);
        rt_clear();
        /* integer power sets its exception inside the loop */
        if (status & (mask | RT_DOUBT | RT_ERROR) || PyErr_Occurred())
            goto refuse;
    }
    else if (before & mask)
        goto refuse;
    k->launches++;
    return 0;

refuse:
    while (made > 0)
        Py_CLEAR(outputs[--made]);
    PyErr_Clear();
    k->refusals++;
    return -1;
}

int
kernel_inputs(PyObject *kernel)
{
    return ((Kernel *)kernel)->ninputs;
}

int
kernel_outputs(PyObject *kernel)
{
    return ((Kernel *)kernel)->noutputs;
}

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
    if (kernel_launch(self, args, outputs) < 0)
        Py_RETURN_NONE;
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
    return read_longs(shape, into->shape) < 0 || read_longs(strides, into->strides) < 0 ? -1 : 0;
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
    for (Py_ssize_t i = 0; i < nin; i++)
        if (read_operand(PyTuple_GET_ITEM(inputs, i), &k->operands[i]) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < nout; i++) {
        if (read_operand(PyTuple_GET_ITEM(outputs, i), &k->operands[nin + i]) < 0)
            return -1;
        if (k->operands[nin + i].kind != ARRAY) {
            PyErr_SetString(PyExc_ValueError, "a result is an array");
            return -1;
        }
    }
    return 0;
}

static int
read_nest(Kernel *k, PyObject *dim, PyObject *step)
{
    Py_ssize_t depth = PyTuple_GET_SIZE(dim);
    if (PyTuple_GET_SIZE(step) != depth * (k->ninputs + k->noutputs)) {
        PyErr_SetString(PyExc_ValueError, "one step per operand and axis");
        return -1;
    }
    k->dim = PyMem_Calloc((size_t)depth + 1, sizeof(i64));
    k->step = PyMem_Calloc((size_t)PyTuple_GET_SIZE(step) + 1, sizeof(i64));
    if (k->dim == NULL || k->step == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    Py_BUILD_ASSERT(sizeof(i64) == sizeof(npy_intp));
    if (read_longs(dim, (npy_intp *)k->dim) < 0 || read_longs(step, (npy_intp *)k->step) < 0)
        return -1;
    k->size = 1;
    for (Py_ssize_t d = 0; d < depth; d++)
        k->size *= (npy_intp)k->dim[d];
    return 0;
}

static int
read_loops(Kernel *k, PyObject *capsules)
{
    k->nloops = (int)PyTuple_GET_SIZE(capsules);
    k->loops = PyMem_Calloc((size_t)k->nloops + 1, sizeof(rt_loop));
    if (k->loops == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < k->nloops; i++) {
        UfuncCallInfo *call = PyCapsule_GetPointer(PyTuple_GET_ITEM(capsules, i),
                                                   "numpy_1.24_ufunc_call_info");
        if (call == NULL)
            return -1;
        if (call->strided_loop == NULL || call->requires_pyapi) {
            PyErr_SetString(PyExc_ValueError, "a kernel calls loops that need no Python only");
            return -1;
        }
        k->loops[i] = (rt_loop){call->strided_loop, call->context, call->auxdata};
    }
    k->capsules = Py_NewRef(capsules);
    return 0;
}

static PyObject *
kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"address", "name", "inputs", "outputs", "dim", "step",
                            "loops", "flag_mask", "source", "library", NULL};
    PyObject *address, *name, *inputs, *outputs, *dim, *step, *loops, *source, *library;
    int flag_mask;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!UO!O!O!O!O!iUO", names, &PyLong_Type, &address, &name, &PyTuple_Type,
            &inputs, &PyTuple_Type, &outputs, &PyTuple_Type, &dim, &PyTuple_Type, &step,
            &PyTuple_Type, &loops, &flag_mask, &source, &library))
        return NULL;
    void *fn = PyLong_AsVoidPtr(address);
    if (fn == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "no code at address 0");
        return NULL;
    }
    Kernel *k = (Kernel *)type->tp_alloc(type, 0);
    if (k == NULL)
        return NULL;
    k->vectorcall = kernel_call;
    k->fn = (kernel_fn *)fn;
    k->flag_mask = flag_mask;
    k->name = Py_NewRef(name);
    k->source = Py_NewRef(source);
    k->library = Py_NewRef(library);
    if (read_operands(k, inputs, outputs) < 0 || read_nest(k, dim, step) < 0
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
    PyMem_Free(k->dim);
    PyMem_Free(k->step);
    PyMem_Free(k->loops);
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
    {0},
};

PyTypeObject Kernel_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "jitcore._C.Kernel",
    .tp_doc = PyDoc_STR("Kernel(address, name, inputs, outputs, dim, step, loops, flag_mask, source, library)\n\n"
                        "A compiled loop with the signature of its operands, see csrc/launcher.h."),
    .tp_basicsize = sizeof(Kernel),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_new = kernel_new,
    .tp_dealloc = (destructor)kernel_dealloc,
    .tp_repr = (reprfunc)kernel_repr,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Kernel, vectorcall),
    .tp_members = kernel_members,
};

int
launcher_init(PyObject *module)
{
    PyObject *umath = PyImport_ImportModule("numpy._core.umath");
    if (umath == NULL)
        return -1;
    errstate_var = PyObject_GetAttrString(umath, "_extobj_contextvar");
    errstate_dict = PyObject_GetAttrString(umath, "_get_extobj_dict");
    Py_DECREF(umath);
    if (errstate_var == NULL || errstate_dict == NULL || !PyContextVar_CheckExact(errstate_var)) {
        PyErr_Clear();          /* another NumPy: then every raised flag refuses */
        Py_CLEAR(errstate_var);
        Py_CLEAR(errstate_dict);
    }
    return PyModule_AddType(module, &Kernel_Type);
}
