#include "kernel/launch.h"

#include <string.h>

#include "kernel/dynamic_sizes.h"
#include "kernel/kernel.h"
#include "kernel/pool.h"
#include "kernel/split.h"
#include "kernel/undo.h"
#include "numpy/errstate.h"

/* Above this many elements another thread may run meanwhile; NumPy's own limit is 500 a loop. */
#define RELEASE_GIL 8192

typedef union {
    i64 i;
    f64 d;
    char bytes[16];
} Slot;

/* The flags that the user's np.errstate does not ignore; all of them where it cannot be read. */
static int errstate_mask(void) {
    ErrState now;
    if (errstate_now(&now) < 0) {
        PyErr_Clear();
        return RT_FLAGS;
    }
    return errstate_flags(now.mask);
}

/* ---- operands ------------------------------------------------------------------------------- */

static int plain_descr(PyArray_Descr *descr, int num) {
    return descr->type_num == num && PyArray_ISNBO(descr->byteorder) && PyDataType_METADATA(descr) == NULL;
}

static char *array_data(const Operand *want, PyObject *obj) {
    if (Py_TYPE(obj) != &PyArray_Type)
        return NULL;
    PyArrayObject *array = (PyArrayObject *)obj;
    if (PyArray_NDIM(array) != want->ndim || !PyArray_ISALIGNED(array) || !plain_descr(PyArray_DESCR(array), want->num))
        return NULL;
    for (int d = 0; d < want->ndim; d++) {
        if (PyArray_DIM(array, d) != want->shape[d])
            return NULL;
        if (want->shape[d] > 1 && PyArray_STRIDE(array, d) != want->strides[d])
            return NULL;
    }
    return PyArray_BYTES(array);
}

static int numpy_scalar(const Operand *want, PyObject *obj, Slot *slot) {
    PyArray_Descr *descr = PyArray_DescrFromType(want->num);
    int ok = descr != NULL && Py_TYPE(obj) == descr->typeobj;
    Py_XDECREF(descr);
    if (ok)
        PyArray_ScalarAsCtype(obj, slot);
    return ok;
}

/* Python ints never wrap: what does not fit is an OverflowError in NumPy, or its special comparison. */
static int put_int(int num, PyObject *obj, Slot *slot) {
    static const struct {
        char is_signed, size;
    } rows[] = {
        [NPY_BYTE] = {1, 1},     [NPY_UBYTE] = {0, 1},     [NPY_SHORT] = {1, 2},           [NPY_USHORT] = {0, 2},
        [NPY_INT] = {1, 4},      [NPY_UINT] = {0, 4},      [NPY_LONG] = {1, sizeof(long)}, [NPY_ULONG] = {0, sizeof(long)},
        [NPY_LONGLONG] = {1, 8}, [NPY_ULONGLONG] = {0, 8},
    };
    int size = rows[num].size;
    if (!rows[num].is_signed) {
        u64 value = PyLong_AsUnsignedLongLong(obj);
        if (value == (u64)-1 && PyErr_Occurred())
            return 0;
        if (size < 8 && value >> (8 * size))
            return 0;
        slot->i = (i64)value;
    } else {
        i64 value = PyLong_AsLongLong(obj);
        if (value == -1 && PyErr_Occurred())
            return 0;
        if (size < 8 && (value < -((i64)1 << (8 * size - 1)) || value >= (i64)1 << (8 * size - 1)))
            return 0;
        slot->i = value;
    }
    i64 wide = slot->i;
    switch (size) {
    case 1:
        *(i8 *)slot = (i8)wide;
        break;
    case 2:
        *(i16 *)slot = (i16)wide;
        break;
    case 4:
        *(i32 *)slot = (i32)wide;
        break;
    default:
        break;
    }
    return 1;
}

static int put_float(int num, Py_complex value, int is_complex, Slot *slot) {
    f64 *wide = (f64 *)slot;
    f32 *narrow = (f32 *)slot;
    switch (num) {
    case NPY_DOUBLE:
        wide[0] = value.real;
        return !is_complex;
    case NPY_FLOAT:
        narrow[0] = (f32)value.real;
        return !is_complex;
    case NPY_CDOUBLE:
        wide[0] = value.real;
        wide[1] = value.imag;
        return 1;
    case NPY_CFLOAT:
        narrow[0] = (f32)value.real;
        narrow[1] = (f32)value.imag;
        return 1;
    default:
        return 0;
    }
}

static int put_number(int num, PyObject *obj, Slot *slot) {
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

static int python_scalar(const Operand *want, PyObject *obj, Slot *slot) {
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
        return PyFloat_CheckExact(obj) && put_float(want->num, (Py_complex){PyFloat_AS_DOUBLE(obj), 0.0}, 0, slot);
    case PYTHON_COMPLEX:
        return PyComplex_CheckExact(obj) && put_float(want->num, PyComplex_AsCComplex(obj), 1, slot);
    default:
        return 0;
    }
}

int scalar_fits(int kind, int num, PyObject *obj, void *slot) {
    Operand want = {.kind = (OperandKind)kind, .num = num};
    int fits = kind == NUMPY_SCALAR ? numpy_scalar(&want, obj, slot) : python_scalar(&want, obj, slot);
    PyErr_Clear();
    return fits;
}

/* Where the kernel finds this operand, or NULL: not as compiled. */
static char *operand_data(const Operand *want, PyObject *obj, Slot *slot) {
    if (want->kind == ARRAY)
        return array_data(want, obj);
    int ok = want->kind == NUMPY_SCALAR ? numpy_scalar(want, obj, slot) : python_scalar(want, obj, slot);
    return ok ? slot->bytes : NULL;
}

static PyObject *new_array(const Operand *spec, PyArray_Descr *descr) {
    PyObject *array = pool_array(descr, spec->ndim, spec->shape, spec->strides);
    if (array != NULL)
        return array;
    return PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)Py_NewRef(descr), spec->ndim, spec->shape, spec->strides, NULL, 0,
                                NULL);
}

static PyObject *new_result(const Operand *spec) {
    PyArray_Descr *descr = PyArray_DescrFromType(spec->num);
    if (descr == NULL)
        return NULL;
    PyObject *array = new_array(spec, descr);
    if (array == NULL && pool_clear()) {
        PyErr_Clear();
        array = new_array(spec, descr);
    }
    Py_DECREF(descr);
    return array;
}

/* Has nobody but the plan this array, its memory, or a view of it? */
static int is_unshared(const Operand *want, PyArrayObject *array) {
    const int own = NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE;
    if (Py_REFCNT(array) != 1 || (PyArray_FLAGS(array) & own) != own || PyArray_BASE(array) != NULL ||
        ((PyArrayObject_fields *)array)->weakreflist != NULL)
        return 0;
    for (int d = 0; d < want->ndim; d++)
        if (PyArray_STRIDE(array, d) != want->strides[d]) /* of an extent of 1, too */
            return 0;
    return 1;
}

/* The input as a result, to be worked on in place; where others have it, a copy. */
static PyObject *donated_array(const Operand *spec, PyObject *input) {
    PyArrayObject *array = (PyArrayObject *)input;
    if (is_unshared(spec, array))
        return Py_NewRef(input);
    PyObject *copy = new_result(spec);
    if (copy != NULL)
        memcpy(PyArray_BYTES((PyArrayObject *)copy), PyArray_BYTES(array), PyArray_NBYTES(array));
    return copy;
}

static PyObject *result_of(const Kernel *k, int output, PyObject *const *inputs) {
    const Operand *spec = &k->operands[k->ninputs + output];
    for (int i = 0; i < k->ndonated; i++)
        if (k->donated[i].output == output)
            return donated_array(spec, inputs[k->donated[i].input]);
    return new_result(spec);
}

/* The results that are scalars, from where the kernel left them. */
static int scalar_results(const Operand *specs, char *const *p, PyObject **outputs, int count) {
    for (int i = 0; i < count; i++) {
        if (specs[i].kind != NUMPY_SCALAR)
            continue;
        PyArray_Descr *descr = PyArray_DescrFromType(specs[i].num);
        if (descr == NULL)
            return -1;
        outputs[i] = PyArray_Scalar(p[i], descr, NULL);
        Py_DECREF(descr);
        if (outputs[i] == NULL)
            return -1;
    }
    return 0;
}

/* ---- the launch ----------------------------------------------------------------------------- */

typedef int Runs(const Kernel *k, char *const *p, char *old);

static int run_loop(Kernel *k, char *const *p, PyObject *const *inputs, char *old, Runs *all) {
    int status;
    if (k->size < RELEASE_GIL && old == NULL && all == split_run) {
        status = k->fn(p, k->dim, k->step, k->loops);
        return status | rt_flags();
    }
    for (int i = 0; i < k->ninputs; i++)
        Py_INCREF(inputs[i]);
    Py_INCREF(k);
    Py_BEGIN_ALLOW_THREADS status = all(k, p, old);
    Py_END_ALLOW_THREADS for (int i = 0; i < k->ninputs; i++) Py_DECREF(inputs[i]);
    Py_DECREF(k);
    return status;
}

static int launch(Kernel *k, PyObject *const *inputs, PyObject **outputs) {
    Slot slots[MAX_OPERANDS], scalars[MAX_OPERANDS];
    char *given[MAX_OPERANDS], *results[MAX_OPERANDS], *p[MAX_OPERANDS], *old = NULL;
    Undo undo;
    int made = 0, before = 0;

    undo_none(&undo);
    int mask = k->flag_mask == ASK_ERRSTATE ? errstate_mask() : k->flag_mask;
    int final = k->write.output >= 0 ? write_is_final(k, mask) : 1;
    if (final < 0)
        return -2;
    /* The flags are looked at as seldom as possible: it takes as long as the kernel on ten elements. */
    if (k->converts) /* converting a scalar may raise a flag, too */
        rt_clear();
    for (int i = 0; i < k->ninputs; i++) {
        given[i] = operand_data(&k->operands[i], inputs[i], &slots[i]);
        if (given[i] == NULL)
            goto refuse;
    }
    for (int i = 0; i < k->nreads; i++)
        p[i] = given[k->reads[i].input] + k->reads[i].offset;
    if (k->converts) /* what is called below may clear them */
        before = rt_flags();
    for (; made < k->noutputs; made++) {
        const Operand *spec = &k->operands[k->ninputs + made];
        outputs[made] = NULL;
        if (spec->kind == NUMPY_SCALAR) {
            results[made] = scalars[made].bytes;
            continue;
        }
        if (made == k->write.output) {
            if (!write_fits(k, inputs, given))
                goto refuse;
            outputs[made] = Py_NewRef(inputs[k->write.input]);
            results[made] = given[k->write.input] + k->write.offset;
            continue;
        }
        outputs[made] = result_of(k, made, inputs);
        if (outputs[made] == NULL)
            goto refuse;
        results[made] = PyArray_BYTES((PyArrayObject *)outputs[made]);
    }
    for (int i = 0; i < k->ntargets; i++)
        p[k->nreads + i] = results[k->targets[i].output] + k->targets[i].offset;
    int dear = !final && k->size > 0 && undo_is_dear(k), needed = k->size > 0;
    int rehearsed = dear && !undo_fits_caches(k) && split_can_rehearse(k);
    if (rehearsed) {
        rt_clear();
        int status = before | run_loop(k, p, inputs, NULL, split_rehearse);
        if (status & RT_FLAGS)
            rt_clear();
        if (status & (mask | RT_DOUBT | RT_ERROR))
            goto refuse;
        needed = status & RT_CHANGED;
    } else if (dear && undo_by_pieces(k))
        old = undo_room(&undo, k);
    if (!final && !rehearsed && old == NULL && undo_save(&undo, k, results[k->write.output]) < 0)
        goto refuse;
    if (needed) {
        rt_clear();
        int status = before | run_loop(k, p, inputs, old, split_run);
        if (status & RT_FLAGS)
            rt_clear();
        /* Integer power sets its exception inside the loop. What was rehearsed has been written: other flags than then
         * come of other threads that wrote to its operands meanwhile. */
        if (!rehearsed && (status & (mask | RT_DOUBT | RT_ERROR) || PyErr_Occurred()))
            goto refuse;
    } else if (before & mask)
        goto refuse;
    if (k->nscalars > 0 && scalar_results(k->operands + k->ninputs, results, outputs, k->noutputs) < 0)
        goto refuse;
    undo_drop(&undo);
    k->launches++;
    return 0;

refuse:
    if (undo.old != NULL)
        undo_restore(&undo, k, results[k->write.output]);
    undo_drop(&undo);
    while (made-- > 0)
        Py_CLEAR(outputs[made]); /* 3.11's macro takes its argument twice */
    PyErr_Clear();
    k->refusals++;
    return -1;
}

static int launch_sized(Kernel *k, PyObject *const *inputs, PyObject **outputs) {
    Kernel *own = sized_enter(k, inputs);
    if (own == NULL) {
        k->refusals++;
        return -1;
    }
    Py_INCREF(k);
    int status = launch(own, inputs, outputs);
    k->launches += status == 0;
    k->refusals += status == -1;
    sized_leave(k, own);
    Py_DECREF(k);
    return status;
}

int kernel_launch(PyObject *self, PyObject *const *inputs, PyObject **outputs) {
    Kernel *k = (Kernel *)self;
    return k->sizes == NULL ? launch(k, inputs, outputs) : launch_sized(k, inputs, outputs);
}

int kernel_inputs(PyObject *kernel) { return ((Kernel *)kernel)->ninputs; }

int kernel_outputs(PyObject *kernel) { return ((Kernel *)kernel)->noutputs; }

int kernel_init(PyObject *module) { return PyModule_AddType(module, &Kernel_Type); }
