#include "loop/def.h"

#include <stddef.h>
#include <stdlib.h>
#include <structmember.h>

#include "kernel/launch.h"
#include "kernel/undo.h"
#include "loop/blocks.h"
#include "loop/boxing.h"
#include "loop/scratch.h"
#include "numpy/blas_gemv.h"

#define FEW_BYTES 1024 /* of numbers and places of arrays: on the stack */
#define WORTH_MUCH ((i64)1 << 16) /* bytes stored */
#define KEPT_SCRATCH ((i64)1 << 20)

/* ---------------------------------------------------------------- a launch */

static int array_fits(const Port *want, PyObject *obj) {
    if (Py_TYPE(obj) != &PyArray_Type)
        return 0;
    PyArrayObject *array = (PyArrayObject *)obj;
    PyArray_Descr *descr = PyArray_DESCR(array);
    return PyArray_NDIM(array) == want->ndim && descr->type_num == want->num && PyArray_ISNBO(descr->byteorder) &&
           PyArray_ISALIGNED(array) && (!want->written || PyArray_ISWRITEABLE(array));
}

static PyObject *item_of(const LocalStack *stack, const char *at) {
    PyObject *made = stack->tuples ? PyTuple_New(stack->width) : NULL;
    if (!stack->tuples)
        return number_box(stack->parts[0].kind, stack->parts[0].num, (const rt_slot *)at);
    for (int i = 0; made != NULL && i < stack->width; i++) {
        PyObject *part = number_box(stack->parts[i].kind, stack->parts[i].num, (const rt_slot *)(at + stack->parts[i].at));
        if (part == NULL)
            Py_CLEAR(made);
        else
            PyTuple_SET_ITEM(made, i, part);
    }
    return made;
}

static PyObject *list_of(const LocalStack *stack, const rt_slot *slot) {
    PyObject *list = PyList_New((Py_ssize_t)slot->part.extents[0]);
    for (i64 i = 0; list != NULL && i < slot->part.extents[0]; i++) {
        PyObject *item = item_of(stack, slot->part.first + i * stack->size);
        if (item == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

/* New reference; NULL: memory ran out. */
static PyObject *result_of(const NativeLoop *r, const Port *port, const rt_slot *slot) {
    if (port->kind == LOCAL_STACK)
        return list_of(&r->stacks[port->num], slot);
    if (port->kind != ARRAY)
        return number_box(port->kind, port->num, slot);
    npy_intp extents[RT_AXES];
    for (int axis = 0; axis < port->ndim; axis++)
        extents[axis] = (npy_intp)slot->part.extents[axis];
    PyObject *made = PyArray_SimpleNew(port->ndim, extents, port->num);
    if (made != NULL && PyArray_SIZE((PyArrayObject *)made) > 0)
        memcpy(PyArray_DATA((PyArrayObject *)made), slot->part.first, (size_t)PyArray_NBYTES((PyArrayObject *)made));
    return made;
}

/* The values that a side exit hands on. -1: memory ran out. */
static int fill_outputs(const NativeLoop *r, const SideExit *side_exit, const rt_slot *slots, PyObject **outputs) {
    for (int i = 0; i < side_exit->count; i++) {
        int at = side_exit->ports[i];
        const Port *port = &r->ports[r->ninputs + at];
        outputs[at] = result_of(r, port, &slots[at]);
        if (outputs[at] != NULL)
            continue;
        for (int k = 0; k < r->noutputs; k++)
            Py_CLEAR(outputs[k]);
        return -1;
    }
    return 0;
}

/* Where an array, or a sequence, has its elements. 0: it does not fit. */
static int locate(const Port *port, PyObject *obj, char **first, const i64 **extents, const i64 **steps) {
    if (port->kind != ARRAY)
        return items_of(port->kind, obj, first, extents, steps);
    if (!array_fits(port, obj))
        return 0;
    PyArrayObject *array = (PyArrayObject *)obj;
    *first = PyArray_BYTES(array);
    *extents = (const i64 *)PyArray_DIMS(array);
    *steps = (const i64 *)PyArray_STRIDES(array);
    return 1;
}

/* What a launch has read of its inputs: once, so that others may not change it. */
typedef struct {
    const NativeLoop *loop;
    PyObject *const *inputs;
    char *const *p;
    const i64 *const *dim;
    i64 *read; /* extents of each array and sequence; after those of an array, its steps */
} Launch;

static size_t bytes_read(const Port *port) { return (size_t)axes_of(port) * sizeof(i64); }

static void note_layouts(const Launch *launch, const i64 *const *step) {
    const NativeLoop *r = launch->loop;
    const Port *ports = &r->ports[r->ninputs - r->narrays];
    i64 *at = launch->read;
    for (int k = 0; k < r->narrays; k++) {
        memcpy(at, launch->dim[k], bytes_read(&ports[k]));
        at += axes_of(&ports[k]);
        if (ports[k].kind != ARRAY)
            continue;
        memcpy(at, step[k], bytes_read(&ports[k]));
        at += axes_of(&ports[k]);
    }
}

/* Code that ran within a call may have given arrays other memory, or another shape. */
static int unchanged(const void *given) {
    const Launch *launch = given;
    const NativeLoop *r = launch->loop;
    const Port *ports = &r->ports[r->ninputs - r->narrays];
    const i64 *at = launch->read, *extents, *steps;
    for (int k = 0; k < r->narrays; k++) {
        char *first;
        if (!locate(&ports[k], launch->inputs[r->ninputs - r->narrays + k], &first, &extents, &steps))
            return 0;
        if (first != launch->p[k] || extents != launch->dim[k] || memcmp(at, extents, bytes_read(&ports[k])) != 0)
            return 0;
        at += axes_of(&ports[k]);
        if (ports[k].kind != ARRAY)
            continue;
        if (memcmp(at, steps, bytes_read(&ports[k])) != 0)
            return 0;
        at += axes_of(&ports[k]);
    }
    return 1;
}

/* Once so many bytes are stored that it is worth to write them where they go at once, as far as a warning could neither
 * raise nor run code of the user's. -1: a signal's handler raised. */
static int may_store_at_once(const NativeLoop *r, PyObject *const *inputs) {
    i64 bytes = 0;
    for (int i = r->ninputs - r->narrays; r->asks && i < r->ninputs; i++)
        if (r->ports[i].kind == ARRAY && r->ports[i].written && Py_TYPE(inputs[i]) == &PyArray_Type)
            bytes += (i64)PyArray_NBYTES((PyArrayObject *)inputs[i]);
    return bytes < WORTH_MUCH ? 0 : warnings_pass();
}

static int call_native(NativeLoop *r, PyObject *const *inputs, int sure, rt_slot *in, rt_slot *out, char **p, const i64 **dim,
                       const i64 **step, i64 *read, i64 *iterations) {
    int arrays = 0, scalars = 0;
    for (int i = 0; i < r->ninputs; i++) {
        const Port *port = &r->ports[i];
        if (is_scalar(port->kind)) {
            if (!scalar_fits(port->kind, port->num, inputs[i], &in[scalars++]))
                return REFUSED;
        } else {
            if (!locate(port, inputs[i], &p[arrays], &dim[arrays], &step[arrays]))
                return REFUSED;
            arrays++;
        }
    }
    PyThreadState *thread = PyThreadState_Get();
    Launch launch = {r, inputs, p, (const i64 *const *)dim, read};
    if (r->calls.count > 0)
        note_layouts(&launch, (const i64 *const *)step);
    r->calls.arrays = inputs;
    r->calls.unchanged = unchanged;
    r->calls.launch = &launch;
    r->calls.thread = thread;
    rt_world world = {JIT_BREAKER(thread), JIT_BREAKER_BITS, r->loops, &PyFloat_Type, item_whole, item_fits,
                      item_put, item_append, scratch_make, r->scratch, iterations, call_out_make, &r->calls, 0, 0, RT_ALL, 0,
                      sure, 0, blas_dot, blas_dots_ahead, blas_dot_from, blas_gemv_ahead, blocks_run};
    PyArrayObject *const *given = (PyArrayObject *const *)(inputs + (r->ninputs - r->narrays));
    DoallCall all = {r->fn, in, out, r->noutputs, p, (const i64 *const *)dim, (const i64 *const *)step, &world,
                     r->nscratch, given, r->narrays, r->doall_stores, r->ndoall_stores};
    int side_exit = r->ndoall_stores > 0 ? doall_run(&all, &r->doall) : r->fn(in, out, p, dim, step, &world);
    rt_clear();
    r->asks = world.stored >= WORTH_MUCH;
    return side_exit;
}

/* Somebody keeps views of what the launch worked with: it lives for ever. */
static void leak_memory(NativeLoop *r, PyObject *const *inputs) {
    for (int i = 0; i < r->nscratch; i++)
        r->scratch[i] = (rt_room){NULL, 0, 0};
    for (int i = 0; i < r->ninputs; i++)
        Py_INCREF(inputs[i]);
    call_outs_abandon(&r->calls);
}

int native_loop_launch(PyObject *self, PyObject *const *inputs, PyObject **outputs, i64 *iterations) {
    NativeLoop *r = (NativeLoop *)self;
    size_t slots = (size_t)(r->ninputs + r->noutputs), arrays = (size_t)r->narrays + 1;
    size_t bytes = slots * sizeof(rt_slot) + 3 * arrays * sizeof(void *) + (size_t)r->nread * sizeof(i64) + 1;
    _Alignas(16) char few[FEW_BYTES];
    rt_slot *in = bytes > sizeof(few) ? PyMem_Malloc(bytes) : (rt_slot *)few;
    memset(outputs, 0, (size_t)r->noutputs * sizeof(PyObject *));
    *iterations = 0;
    int sure = in != NULL && !r->calls.busy ? may_store_at_once(r, inputs) : 0;
    if (in == NULL || r->calls.busy || sure < 0) {
        if (in != (rt_slot *)few)
            PyMem_Free(in);
        return sure < 0 ? -1 : REFUSED;
    }
    r->calls.busy = 1;
    rt_slot *out = in + r->ninputs;
    char **p = (char **)(out + r->noutputs);
    const i64 **dim = (const i64 **)(p + arrays), **step = dim + arrays;
    int side_exit = call_native(r, inputs, sure, in, out, p, dim, step, (i64 *)(step + arrays), iterations);
    PyErr_Clear();
    r->launches++;
    r->refusals += side_exit == REFUSED;
    r->exits += side_exit > REFUSED;
    if (side_exit < 0 || side_exit > r->nside_exits)
        side_exit = REFUSED;
    if (fill_outputs(r, &r->side_exits[side_exit], out, outputs) < 0)
        side_exit = -1;
    if (r->calls.spoiled)
        leak_memory(r, inputs);
    scratch_empty(r->scratch, r->nscratch, KEPT_SCRATCH);
    if (in != (rt_slot *)few)
        PyMem_Free(in);
    call_outs_end(&r->calls);
    r->calls.busy = 0;
    return side_exit;
}

int native_loop_inputs(PyObject *loop) { return ((NativeLoop *)loop)->ninputs; }
int native_loop_outputs(PyObject *loop) { return ((NativeLoop *)loop)->noutputs; }
i64 native_loop_weight(PyObject *loop) { return ((NativeLoop *)loop)->weight; }
int native_loop_side_exits(PyObject *loop) { return ((NativeLoop *)loop)->nside_exits; }

/* ---------------------------------------------------------------- the object */

static PyObject *native_loop_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"address", "name",   "inputs", "outputs", "ways", "loops",
                            "rooms",   "weight", "source", "library", "calls", "quiet", "dealt", "piles", NULL};
    PyObject *address, *name, *inputs, *outputs, *side_exits, *loops, *source, *library, *calls, *quiet, *doall_stores, *stacks;
    int rooms, weight;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!UO!O!O!O!iiUOO!OO!O!", names, &PyLong_Type, &address, &name,
                                     &PyTuple_Type, &inputs, &PyTuple_Type, &outputs, &PyTuple_Type, &side_exits,
                                     &PyTuple_Type, &loops, &rooms, &weight, &source, &library,
                                     &PyTuple_Type, &calls, &quiet, &PyTuple_Type, &doall_stores,
                                     &PyTuple_Type, &stacks))
        return NULL;
    void *fn = PyLong_AsVoidPtr(address);
    if (fn == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "no code at address 0");
        return NULL;
    }
    NativeLoop *r = (NativeLoop *)type->tp_alloc(type, 0);
    if (r == NULL)
        return NULL;
    r->fn = (native_loop_fn *)fn;
    r->name = Py_NewRef(name);
    r->source = Py_NewRef(source);
    r->library = Py_NewRef(library);
    r->capsules = Py_NewRef(loops);
    r->loops = inner_loops(loops, &r->nloops);
    r->weight = weight;
    r->asks = 1;
    r->nscratch = rooms > 0 ? rooms : 0;
    r->scratch = PyMem_Calloc((size_t)r->nscratch + 1, sizeof(rt_room));
    if (r->scratch == NULL && !PyErr_Occurred())
        PyErr_NoMemory();
    if (r->scratch == NULL || r->loops == NULL || native_loop_read(r, stacks, inputs, outputs, side_exits, doall_stores) < 0 ||
        call_outs_read(&r->calls, calls, quiet, r->ninputs) < 0) {
        Py_DECREF(r);
        return NULL;
    }
    return (PyObject *)r;
}

static void native_loop_dealloc(NativeLoop *r) {
    for (int i = 0; r->side_exits != NULL && i <= r->nside_exits; i++)
        PyMem_Free(r->side_exits[i].ports);
    scratch_empty(r->scratch, r->nscratch, 0);
    call_outs_free(&r->calls);
    PyMem_Free(r->doall_stores);
    PyMem_Free(r->stacks);
    PyMem_Free(r->scratch);
    PyMem_Free(r->side_exits);
    PyMem_Free(r->ports);
    PyMem_Free(r->loops);
    Py_XDECREF(r->capsules);
    Py_XDECREF(r->library);
    Py_XDECREF(r->name);
    Py_XDECREF(r->source);
    Py_TYPE(r)->tp_free((PyObject *)r);
}

static PyObject *native_loop_repr(NativeLoop *r) {
    return PyUnicode_FromFormat("<Routine %U: %d -> %d>", r->name, r->ninputs, r->noutputs);
}

static PyMemberDef native_loop_members[] = {
    {"name", T_OBJECT, offsetof(NativeLoop, name), READONLY, "what reports call it"},
    {"source", T_OBJECT, offsetof(NativeLoop, source), READONLY, "the C text"},
    {"launches", T_ULONGLONG, offsetof(NativeLoop, launches), READONLY, "how often it was entered"},
    {"refusals", T_ULONGLONG, offsetof(NativeLoop, refusals), READONLY, "launches with inputs that do not fit"},
    {"exits", T_ULONGLONG, offsetof(NativeLoop, exits), READONLY, "launches that were left before their end"},
    {0},
};

PyTypeObject NativeLoop_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Routine",
    .tp_doc = PyDoc_STR("Routine(address, name, inputs, outputs, ways, loops, rooms, weight, source, library, calls, quiet, dealt, piles)\n\n"
                        "Compiled scalar code with loops, see csrc/loop/loop.h. Inputs and outputs: (kind, type number, ndim, "
                        "written). Ways: the outputs that each hands on. Rooms: how many buffers it may ask for. Calls, and NumPy's error "
                        "state for them: csrc/loop/call_out.h. Dealt: (input, axis, start, step), csrc/loop/doall.h. Piles: (bytes of an item, is it a tuple, its numbers "
                        "(kind, type number, where)), for outputs that are lists."),
    .tp_basicsize = sizeof(NativeLoop),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = native_loop_new,
    .tp_dealloc = (destructor)native_loop_dealloc,
    .tp_repr = (reprfunc)native_loop_repr,
    .tp_members = native_loop_members,
};

int native_loop_init(PyObject *module) { return PyModule_AddType(module, &NativeLoop_Type); }
