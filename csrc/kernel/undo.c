#include "kernel/undo.h"

#include "kernel/pool.h"

/* Below so many bytes a copy is cheaper than asking whether it is needed. What is larger has a frame, which is asked, too
 * (jitcore/plan/segments.py). */
#define WORTH_ASKING (1 << 18)

/* Up to so many bytes a copy is cheaper than a rehearsal: beyond, it goes to memory. */
#define MOST_CACHED (1 << 22)

/* What is smaller than the pool's buffers has one that is kept. */
#define SPARE (1 << 20)

/* numpy/_core/src/multiarray/common.h: a write warns. Results of np.broadcast_arrays have it. */
#define WARN_ON_WRITE INT_MIN

static char *spare; /* SPARE bytes once they were wanted; NULL while a launch has them */

static PyObject *warnings_check; /* () → whether a warning can neither raise nor run the user's code */

static int writes_freely(PyArrayObject *array) {
    return (PyArray_FLAGS(array) & (NPY_ARRAY_WRITEABLE | WARN_ON_WRITE)) == NPY_ARRAY_WRITEABLE;
}

void undo_none(Undo *undo) {
    undo->old = undo->buffer = NULL;
    undo->memory = NULL;
}

static npy_intp common_divisor(npy_intp a, npy_intp b) {
    while (b != 0) {
        npy_intp rest = a % b;
        a = b, b = rest;
    }
    return a < 0 ? -a : a;
}

/* Of all distances between elements. */
static npy_intp pitch(const Operand *array, npy_intp found) {
    for (int d = 0; d < array->ndim; d++)
        if (array->shape[d] > 1)
            found = common_divisor(found, array->strides[d]);
    return found;
}

/* Columns of one array: no element of either lies in the gaps that the other fills. `apart`: from the first's first
 * element to the second's. */
static int interleave(const Operand *one, const Operand *two, npy_intp apart) {
    npy_intp every = pitch(two, pitch(one, 0));
    if (every == 0)
        return 0;
    npy_intp after = apart % every + (apart % every < 0 ? every : 0);
    return after >= one->itemsize && after + two->itemsize <= every;
}

int write_fits(const Kernel *k, PyObject *const *inputs, char *const *given) {
    const Write *write = &k->write;
    const Operand *kernel_target = &k->operands[k->ninputs + write->output];
    char *at = given[write->input] + write->offset;
    if (!writes_freely((PyArrayObject *)inputs[write->input]))
        return 0;
    for (int i = 0; i < k->ninputs; i++) {
        const Operand *other = &k->operands[i];
        if (i != write->input && other->kind == ARRAY && given[i] + other->low < at + kernel_target->high &&
            at + kernel_target->low < given[i] + other->high && !interleave(kernel_target, other, given[i] - at))
            return 0;
    }
    return 1;
}

static npy_intp target_bytes(const Kernel *k) { return k->size * k->operands[k->ninputs + k->write.output].itemsize; }

int undo_is_dear(const Kernel *k) { return target_bytes(k) >= WORTH_ASKING; }

int undo_fits_caches(const Kernel *k) { return target_bytes(k) <= MOST_CACHED; }

int warnings_pass(void) {
    if (warnings_check == NULL)
        return 0;
    PyObject *told = PyObject_CallNoArgs(warnings_check);
    if (told == NULL)
        return -1;
    Py_DECREF(told);
    return told == Py_True;
}

int write_is_final(const Kernel *k, int mask) {
    if (!k->write.certain)
        return 0;
    if (mask == 0)
        return 1;
    return k->write.repeatable && undo_is_dear(k) ? warnings_pass() : 0;
}

/* ---- copies --------------------------------------------------------------------------------- */

static void copy_row(char *to, npy_intp to_step, const char *from, npy_intp from_step, npy_intp count, int size) {
    if (to_step == size && from_step == size) {
        memcpy(to, from, count * size);
        return;
    }
#define ELEMENTS(T)                                                \
    for (npy_intp i = 0; i < count; i++)                           \
        memcpy(to + i * to_step, from + i * from_step, sizeof(T)); \
    return
    switch (size) {
    case 1:
        ELEMENTS(u8);
    case 2:
        ELEMENTS(u16);
    case 4:
        ELEMENTS(u32);
    case 8:
        ELEMENTS(u64);
    default:
        break;
    }
    for (npy_intp i = 0; i < count; i++)
        memcpy(to + i * to_step, from + i * from_step, size);
}

/* Of the copy, along each axis of the loop: it has no gaps. */
static void dense_steps(const Kernel *k, i64 *dense) {
    i64 step = k->operands[k->ninputs + k->write.output].itemsize;
    for (int d = k->depth - 1; d >= 0; d--) {
        dense[d] = step;
        step *= k->dim[d];
    }
}

/* Elements of the target, so many along each axis, in the order of the loop, to or from the copy. */
static void copy_target_box(const Kernel *k, const i64 *dim, char *dense, char *there, int save) {
    int last = k->depth - 1, size = k->operands[k->ninputs + k->write.output].itemsize;
    const i64 *step = k->step + kernel_target(k) * k->depth;
    i64 at[NPY_MAXDIMS] = {0}, dense_step[NPY_MAXDIMS];
    dense_steps(k, dense_step);
    for (;;) {
        char *row = there, *kept = dense;
        for (int axis = 0; axis < last; axis++) {
            row += at[axis] * step[axis];
            kept += at[axis] * dense_step[axis];
        }
        if (save)
            copy_row(kept, size, row, step[last], dim[last], size);
        else
            copy_row(row, step[last], kept, size, dim[last], size);
        int axis = last - 1;
        while (axis >= 0 && ++at[axis] == dim[axis])
            at[axis--] = 0;
        if (axis < 0)
            return;
    }
}

static PyObject *memory_for(npy_intp bytes) {
    npy_intp step = 1;
    PyArray_Descr *descr = PyArray_DescrFromType(NPY_UBYTE);
    if (descr == NULL)
        return NULL;
    PyObject *array = pool_array(descr, 1, &bytes, &step);
    if (array == NULL) {
        PyErr_Clear();
        return PyArray_NewFromDescr(&PyArray_Type, descr, 1, &bytes, NULL, NULL, 0, NULL);
    }
    Py_DECREF(descr);
    return array;
}

/* NULL with an exception. */
static char *room_for(Undo *undo, npy_intp bytes) {
    if (bytes <= UNDO_FEW)
        return undo->few;
    if (bytes <= SPARE) {
        undo->buffer = spare != NULL ? spare : PyMem_RawMalloc(SPARE);
        spare = NULL;
        if (undo->buffer == NULL)
            PyErr_NoMemory();
        return undo->buffer;
    }
    undo->memory = memory_for(bytes);
    return undo->memory == NULL ? NULL : PyArray_BYTES((PyArrayObject *)undo->memory);
}

char *undo_room(Undo *undo, const Kernel *k) { return undo->old = room_for(undo, target_bytes(k)); }

int undo_by_pieces(const Kernel *k) {
    return k->write.by_pieces && k->cut.grain > 0 && k->cut.joined == 0 && k->noutputs == k->ntargets;
}

void undo_keep(const Kernel *k, char *old, i64 from, const i64 *dim, char *there) {
    i64 dense_step[NPY_MAXDIMS];
    dense_steps(k, dense_step);
    copy_target_box(k, dim, old + from * dense_step[k->cut.axis], there, 1);
}

i64 undo_grains(const Kernel *k, i64 bytes) {
    i64 each = target_bytes(k) / k->dim[k->cut.axis] * k->cut.grain;
    return each > 0 && each < bytes ? bytes / each : 1;
}

int undo_save(Undo *undo, const Kernel *k, char *there) {
    undo->old = room_for(undo, target_bytes(k));
    if (undo->old == NULL)
        return -1;
    copy_target_box(k, k->dim, undo->old, there, 1);
    return 0;
}

void undo_restore(const Undo *undo, const Kernel *k, char *there) {
    if (undo->old != NULL)
        copy_target_box(k, k->dim, undo->old, there, 0);
}

void undo_drop(Undo *undo) {
    undo->old = NULL;
    Py_CLEAR(undo->memory);
    if (undo->buffer != NULL && spare == NULL)
        spare = undo->buffer;
    else
        PyMem_RawFree(undo->buffer);
    undo->buffer = NULL;
}

/* ---- the module ----------------------------------------------------------------------------- */

static PyObject *set_warnings_check(PyObject *self, PyObject *check) {
    (void)self;
    Py_XSETREF(warnings_check, Py_NewRef(check));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_warnings_check", set_warnings_check, METH_O,
     "Who says whether a warning can neither raise nor run the user's code: () → bool."},
    {NULL, NULL, 0, NULL},
};

int undo_init(PyObject *module) {
    if (PyModule_AddIntMacro(module, WORTH_ASKING) < 0 || PyModule_AddIntMacro(module, MOST_CACHED) < 0)
        return -1;
    return PyModule_AddFunctions(module, methods);
}
