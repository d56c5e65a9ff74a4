#include "loop/def.h"

static int read_ports(NativeLoop *r, PyObject *inputs, PyObject *outputs) {
    r->ninputs = (int)PyTuple_GET_SIZE(inputs);
    r->noutputs = (int)PyTuple_GET_SIZE(outputs);
    r->ports = PyMem_Calloc((size_t)(r->ninputs + r->noutputs) + 1, sizeof(Port));
    if (r->ports == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < r->ninputs + r->noutputs; i++) {
        Port *port = &r->ports[i];
        PyObject *row = i < r->ninputs ? PyTuple_GET_ITEM(inputs, i) : PyTuple_GET_ITEM(outputs, i - r->ninputs);
        if (!PyTuple_Check(row)) {
            PyErr_SetString(PyExc_TypeError, "a port is a tuple (kind, num, ndim, written)");
            return -1;
        }
        if (!PyArg_ParseTuple(row, "Ciip", &port->kind, &port->num, &port->ndim, &port->written))
            return -1;
        if (port->kind == LOCAL_STACK && i >= r->ninputs && port->num >= 0 && port->num < r->nstacks)
            continue;
        int array = !is_scalar(port->kind);
        int known = (port->num >= NPY_BOOL && port->num <= NPY_DOUBLE) || port->num == NPY_CFLOAT ||
                    port->num == NPY_CDOUBLE;
        if (port->kind == 0 || strchr("asbifcLTUBYGun", port->kind) == NULL || !known ||
            (array && i >= r->ninputs && (port->kind != ARRAY || port->ndim < 1 || port->ndim > RT_AXES))) {
            PyErr_SetString(PyExc_ValueError, "what a routine takes and gives are numbers and arrays");
            return -1;
        }
        r->narrays += array && i < r->ninputs;
        r->nread += array && i < r->ninputs ? 2 * axes_of(port) : 0;
    }
    return 0;
}

static int read_stack(PyObject *row, LocalStack *stack) {
    PyObject *parts;
    if (!PyTuple_Check(row) || !PyArg_ParseTuple(row, "ipO!", &stack->size, &stack->tuples, &PyTuple_Type, &parts))
        return -1;
    stack->width = (int)PyTuple_GET_SIZE(parts);
    if (stack->width < 1 || stack->width > MOST_PARTS || (!stack->tuples && stack->width != 1))
        return -1;
    for (int i = 0; i < stack->width; i++) {
        PyObject *part = PyTuple_GET_ITEM(parts, i);
        if (!PyTuple_Check(part) ||
            !PyArg_ParseTuple(part, "Cii", &stack->parts[i].kind, &stack->parts[i].num, &stack->parts[i].at))
            return -1;
        if (!is_scalar(stack->parts[i].kind) || stack->parts[i].at < 0 || stack->parts[i].at + 8 > stack->size)
            return -1;
    }
    return 0;
}

static int read_stacks(NativeLoop *r, PyObject *rows) {
    r->nstacks = (int)PyTuple_GET_SIZE(rows);
    r->stacks = PyMem_Calloc((size_t)r->nstacks + 1, sizeof(LocalStack));
    if (r->stacks == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < r->nstacks; i++) {
        if (read_stack(PyTuple_GET_ITEM(rows, i), &r->stacks[i]) == 0)
            continue;
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a list is a tuple (bytes of an item, whether it is a tuple, its numbers)");
        return -1;
    }
    return 0;
}

static int read_side_exit(const NativeLoop *r, PyObject *row, SideExit *side_exit) {
    if (!PyTuple_Check(row)) {
        PyErr_SetString(PyExc_TypeError, "a way is a tuple of outputs");
        return -1;
    }
    side_exit->count = (int)PyTuple_GET_SIZE(row);
    side_exit->ports = PyMem_Calloc((size_t)side_exit->count + 1, sizeof(int));
    if (side_exit->ports == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < side_exit->count; i++) {
        long at = PyLong_AsLong(PyTuple_GET_ITEM(row, i));
        if (at < 0 || at >= r->noutputs) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "a way gives some of the outputs");
            return -1;
        }
        side_exit->ports[i] = (int)at;
    }
    return 0;
}

static int read_side_exits(NativeLoop *r, PyObject *side_exits) {
    Py_ssize_t count = PyTuple_GET_SIZE(side_exits);
    if (count < 2) {
        PyErr_SetString(PyExc_ValueError, "a routine has an end, and a way out before it begins");
        return -1;
    }
    r->side_exits = PyMem_Calloc((size_t)count, sizeof(SideExit));
    if (r->side_exits == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    r->nside_exits = (int)count - 1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (read_side_exit(r, PyTuple_GET_ITEM(side_exits, i), &r->side_exits[i]) < 0)
            return -1;
    if (r->side_exits[REFUSED].count == 0)
        return 0;
    PyErr_SetString(PyExc_ValueError, "before a routine has begun it has no values");
    return -1;
}

static int read_doall_stores(NativeLoop *r, PyObject *rows) {
    Py_ssize_t count = PyTuple_GET_SIZE(rows);
    r->doall_stores = PyMem_Calloc((size_t)count + 1, sizeof(DoallStore));
    if (r->doall_stores == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        DoallStore *store = &r->doall_stores[i];
        PyObject *row = PyTuple_GET_ITEM(rows, i);
        if (!PyTuple_Check(row)) {
            PyErr_SetString(PyExc_TypeError, "what rounds write is a tuple (input, axis, start, step)");
            return -1;
        }
        if (!PyArg_ParseTuple(row, "iiLL", &store->array, &store->axis, &store->start, &store->step))
            return -1;
        int known = store->array >= 0 && store->array < r->ninputs && r->ports[store->array].kind == ARRAY;
        if (!known || store->axis < 0 || store->axis >= r->ports[store->array].ndim || store->start < 0 || store->step < 1) {
            PyErr_SetString(PyExc_ValueError, "rounds write along an axis of an array");
            return -1;
        }
        store->array -= r->ninputs - r->narrays; /* arrays are the last inputs */
    }
    r->ndoall_stores = (int)count;
    return 0;
}

int native_loop_read(NativeLoop *r, PyObject *stacks, PyObject *inputs, PyObject *outputs, PyObject *side_exits,
                     PyObject *doall_stores) {
    if (read_stacks(r, stacks) < 0 || read_ports(r, inputs, outputs) < 0)
        return -1;
    return read_side_exits(r, side_exits) < 0 || read_doall_stores(r, doall_stores) < 0 ? -1 : 0;
}
