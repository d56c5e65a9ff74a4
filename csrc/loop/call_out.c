#include "loop/call_out_def.h"

#include "frame/hook.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"
#include "loop/boxing.h"
#include "numpy/errstate.h"
#include "policy/trial.h"

#define STALE_AFTER 0.1 /* seconds; then what handlers of signals have changed is found by the entry's guards */
#define CLOCK_AFTER 16   /* calls */

/* ---------------------------------------------------------------- arguments */

/* That of an earlier call, which nobody else has. 0: there is none. */
static int point_view(PyObject *view, const CallOutPort *port, const rt_slot *slot) {
    if (view == NULL || Py_REFCNT(view) != 1)
        return 0;
    PyArrayObject_fields *array = (PyArrayObject_fields *)view;
    if (array->nd != port->ndim || array->base != NULL || array->descr->type_num != port->num ||
        !PyArray_ISNBO(array->descr->byteorder))
        return 0;
    array->data = slot->part.first;
    for (int axis = 0; axis < port->ndim; axis++) {
        array->dimensions[axis] = (npy_intp)slot->part.extents[axis];
        array->strides[axis] = (npy_intp)slot->part.steps[axis];
    }
    array->flags = NPY_ARRAY_WRITEABLE;
    PyArray_UpdateFlags((PyArrayObject *)view, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    return 1;
}

static PyObject *view_of(const CallOutPort *port, const rt_slot *slot) {
    npy_intp extents[RT_AXES], steps[RT_AXES];
    for (int axis = 0; axis < port->ndim; axis++) {
        extents[axis] = (npy_intp)slot->part.extents[axis];
        steps[axis] = (npy_intp)slot->part.steps[axis];
    }
    PyArray_Descr *descr = PyArray_DescrFromType(port->num);
    if (descr == NULL)
        return NULL;
    return PyArray_NewFromDescr(&PyArray_Type, descr, port->ndim, extents, steps, slot->part.first, NPY_ARRAY_WRITEABLE, NULL);
}

static PyObject *operand_of(const CallOuts *calls, CallOut *call, int k, const rt_slot *slot) {
    const CallOutPort *port = &call->operands[k];
    if (port->kind == INPUT)
        return Py_NewRef(calls->arrays[port->num]);
    if (port->kind != ARRAY)
        return number_box(port->kind, port->num, slot);
    PyObject *view = call->views[k];
    call->views[k] = NULL; /* a call within this one has it not */
    if (point_view(view, port, slot))
        return view;
    Py_XDECREF(view);
    return view_of(port, slot);
}

/* The next part of the template and those in it. */
static PyObject *argument(const Part **at, PyObject *const *operands) {
    const Part *part = (*at)++;
    PyObject *made, *parts[3] = {NULL, NULL, NULL};
    if (part->what == AS_CONSTANT)
        return Py_NewRef(part->constant);
    if (part->what == AS_OPERAND)
        return Py_NewRef(operands[part->count]);
    if (part->what == AS_SLICE) {
        for (int i = 0; i < 3; i++)
            parts[i] = argument(at, operands);
        made = parts[0] && parts[1] && parts[2] ? PySlice_New(parts[0], parts[1], parts[2]) : NULL;
        for (int i = 0; i < 3; i++)
            Py_XDECREF(parts[i]);
        return made;
    }
    made = part->what == AS_TUPLE ? PyTuple_New(part->count) : PyList_New(part->count);
    if (made == NULL)
        return NULL;
    for (int i = 0; i < part->count; i++) {
        PyObject *item = argument(at, operands);
        if (item == NULL) {
            Py_DECREF(made);
            return NULL;
        }
        if (part->what == AS_TUPLE)
            PyTuple_SET_ITEM(made, i, item);
        else
            PyList_SET_ITEM(made, i, item);
    }
    return made;
}

static PyObject *called(const CallOut *call, PyObject *const *operands) {
    PyObject *all[MOST_ARGUMENTS + 1], **arguments = all + 1, *result = NULL;
    const Part *at = call->parts;
    int made = 0;
    for (; made < call->narguments; made++)
        if ((arguments[made] = argument(&at, operands)) == NULL)
            break;
    if (made == call->narguments) {
        Py_ssize_t positional = made - (call->names ? PyTuple_GET_SIZE(call->names) : 0);
        result = PyObject_Vectorcall(call->fn, arguments, (size_t)positional | PY_VECTORCALL_ARGUMENTS_OFFSET, call->names);
    }
    while (made-- > 0)
        Py_DECREF(arguments[made]);
    return result;
}

/* ---------------------------------------------------------------- a call */

/* Of NumPy, of ours, or of the standard library, which both use. */
static int is_theirs(PyFrameObject *frame) {
    PyObject *globals = PyFrame_GetGlobals(frame), *package = NULL;
    PyObject *name = PyDict_GetItemString(globals, "__name__"), *library = PySys_GetObject("stdlib_module_names");
    const char *text = name != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    int found = 0;
    if (text != NULL)
        package = PyUnicode_FromStringAndSize(text, (Py_ssize_t)strcspn(text, "."));
    if (package != NULL) {
        found = PyUnicode_CompareWithASCIIString(package, "numpy") == 0 ||
                PyUnicode_CompareWithASCIIString(package, "jitcore") == 0;
        if (!found && library != NULL && PyAnySet_Check(library))
            found = PySet_Contains(library, package);
    }
    if (package == NULL || found < 0)
        PyErr_Clear();
    Py_XDECREF(package);
    Py_DECREF(globals);
    return found > 0;
}

/* NumPy's calls of numbers run nothing of the user's, so what comes out of a module of the user's comes out of a handler. A handler
 * in C leaves no frame, but what such ones raise are no Exceptions, or OSErrors, which NumPy's own errors are not. */
static int is_handlers(PyObject *exception, PyObject *traceback) {
    if (!PyErr_GivenExceptionMatches(exception, PyExc_Exception) || PyErr_GivenExceptionMatches(exception, PyExc_OSError))
        return 1;
    for (PyTracebackObject *at = (PyTracebackObject *)traceback; at != NULL; at = at->tb_next)
        if (!is_theirs(at->tb_frame))
            return 1;
    return 0;
}

int handler_raised(void) {
    PyObject *type, *value, *traceback;
    if (!PyErr_Occurred())
        return 0;
    PyErr_Fetch(&type, &value, &traceback);
    int found = is_handlers(type, traceback);
    PyErr_Restore(type, value, traceback);
    return found;
}

static void drop_exception(CallOuts *calls) {
    if (handler_raised() && calls->type == NULL)
        PyErr_Fetch(&calls->type, &calls->value, &calls->traceback);
    else
        PyErr_Clear();
}

/* What its calls run of Python is left alone: to compile it would be to compile it for an error state that is not the user's. */
static int enter_error_state(CallOuts *calls) {
    if (calls->quieted)
        return 0;
    if (calls->quiet != Py_None && (calls->token = errstate_set(calls->quiet)) == NULL)
        return -1;
    calls->quieted = 1;
    calls->took_out = jit_hook_take_out(calls->thread);
    jit_busy_enter();
    return 0;
}

/* Nobody else has it, nor its memory: a copy of it is as good. */
static int is_own(PyObject *obj, const CallOutPort *port) {
    if (!PyArray_CheckExact(obj) || Py_REFCNT(obj) != 1)
        return 0;
    PyArrayObject *array = (PyArrayObject *)obj;
    return PyArray_NDIM(array) == port->ndim && PyArray_DESCR(array)->type_num == port->num &&
           PyArray_ISNBO(PyArray_DESCR(array)->byteorder) && PyArray_BASE(array) == NULL &&
           PyArray_CHKFLAGS(array, NPY_ARRAY_CARRAY | NPY_ARRAY_OWNDATA);
}

/* New reference to what the native loop has from then on. NULL: it is not as expected. */
static PyArrayObject *array_from(PyObject *obj, const CallOutPort *port) {
    if (is_own(obj, port))
        return (PyArrayObject *)Py_NewRef(obj);
    if (port->kind != LOOSE || !PyArray_CheckExact(obj) || PyArray_NDIM((PyArrayObject *)obj) != port->ndim ||
        PyArray_DESCR((PyArrayObject *)obj)->type_num != port->num)
        return NULL;
    PyObject *copy = PyArray_NewCopy((PyArrayObject *)obj, NPY_CORDER);
    if (copy != NULL && !is_own(copy, port))
        Py_CLEAR(copy);
    return (PyArrayObject *)copy;
}

/* 1: it is as expected. Borrows obj. */
static int take_one(CallOut *call, int i, PyObject *obj, rt_slot *out) {
    const CallOutPort *port = &call->results[i];
    if (port->kind == NOTHING)
        return obj == Py_None;
    if (port->kind != ARRAY && port->kind != LOOSE)
        return scalar_fits(port->kind, port->num, obj, out);
    PyArrayObject *array = array_from(obj, port);
    if (array == NULL)
        return 0;
    out->part.first = PyArray_BYTES(array);
    for (int axis = 0; axis < port->ndim; axis++)
        out->part.extents[axis] = (i64)PyArray_DIM(array, axis);
    Py_XSETREF(call->held[i], array);
    return 1;
}

/* The same of what a call gives, alone or in a tuple. Steals it: nobody has the tuple then. */
static int take_results(CallOut *call, PyObject *result, rt_slot *out) {
    int good = 1;
    if (!PyTuple_Check(result))
        good = call->nresults == 1 && take_one(call, 0, result, out);
    else if (Py_REFCNT(result) != 1 || PyTuple_GET_SIZE(result) != call->nresults)
        good = 0;
    else
        for (int i = 0; good && i < call->nresults; i++)
            good = take_one(call, i, PyTuple_GET_ITEM(result, i), &out[i]);
    Py_DECREF(result);
    return good;
}

/* A handler of a signal may have run within a call: nothing tells. */
static int lateness(CallOuts *calls) {
    if (calls->made++ == 0)
        calls->began = trial_clock();
    if (calls->made % CLOCK_AFTER != 0)
        return 0;
    double spent = trial_clock() - calls->began;
    return spent < STALE_AFTER ? 0 : spent < 2 * STALE_AFTER ? STALE : VERY_STALE;
}

int call_out_make(rt_world *world, i64 k, rt_slot *slots, rt_slot *out) {
    CallOuts *calls = world->calls;
    CallOut *call = &calls->each[k];
    PyObject *operands[MOST_OPERANDS], *result = NULL;
    int made = 0, good = 0;
    unsigned long switches = jit_switches(calls->thread);
    for (; made < call->noperands; made++)
        if ((operands[made] = operand_of(calls, call, made, &slots[made])) == NULL)
            break;
    if (made == call->noperands && enter_error_state(calls) == 0)
        result = called(call, operands);
    if (result != NULL)
        good = take_results(call, result, out);
    if (PyErr_Occurred()) {
        drop_exception(calls);
        good = 0;
    }
    while (made-- > 0) {
        if (call->operands[made].kind != ARRAY) {
            Py_DECREF(operands[made]);
        } else if (Py_REFCNT(operands[made]) == 1) {
            Py_XSETREF(call->views[made], operands[made]);
        } else { /* somebody keeps a view of the native loop's memory */
            calls->spoiled = 1;
            good = 0;
            Py_DECREF(operands[made]);
        }
    }
    world->sure = 0;
    world->stale |= lateness(calls);
    if (jit_switches(calls->thread) != switches)
        world->stale |= VERY_STALE;
    rt_clear();
    good = good && calls->unchanged(calls->launch);
    return good;
}

void call_outs_abandon(CallOuts *calls) {
    for (int i = 0; i < calls->count; i++)
        for (int k = 0; k < calls->each[i].nresults; k++)
            calls->each[i].held[k] = NULL;
}

void call_outs_end(CallOuts *calls) {
    for (int i = 0; i < calls->count; i++)
        for (int k = 0; k < calls->each[i].nresults; k++)
            Py_CLEAR(calls->each[i].held[k]);
    if (calls->quieted) {
        jit_busy_leave();
        jit_hook_put_back(calls->thread, calls->took_out);
    }
    if (calls->token != NULL)
        errstate_reset(calls->token);
    if (calls->type != NULL)
        PyErr_Restore(calls->type, calls->value, calls->traceback);
    calls->type = calls->value = calls->traceback = calls->token = NULL;
    calls->quieted = calls->spoiled = 0;
    calls->made = 0;
}
