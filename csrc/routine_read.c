#include "routine_form.h"

static int read_ports(Routine *r, PyObject *inputs, PyObject *outputs) {
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
        if (port->kind == PILE && i >= r->ninputs && port->num >= 0 && port->num < r->npiles)
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

static int read_pile(PyObject *row, Pile *pile) {
    PyObject *parts;
    if (!PyTuple_Check(row) || !PyArg_ParseTuple(row, "ipO!", &pile->size, &pile->tuples, &PyTuple_Type, &parts))
        return -1;
    pile->width = (int)PyTuple_GET_SIZE(parts);
    if (pile->width < 1 || pile->width > MOST_PARTS || (!pile->tuples && pile->width != 1))
        return -1;
    for (int i = 0; i < pile->width; i++) {
        PyObject *part = PyTuple_GET_ITEM(parts, i);
        if (!PyTuple_Check(part) ||
            !PyArg_ParseTuple(part, "Cii", &pile->parts[i].kind, &pile->parts[i].num, &pile->parts[i].at))
            return -1;
        if (!is_scalar(pile->parts[i].kind) || pile->parts[i].at < 0 || pile->parts[i].at + 8 > pile->size)
            return -1;
    }
    return 0;
}

static int read_piles(Routine *r, PyObject *rows) {
    r->npiles = (int)PyTuple_GET_SIZE(rows);
    r->piles = PyMem_Calloc((size_t)r->npiles + 1, sizeof(Pile));
    if (r->piles == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < r->npiles; i++) {
        if (read_pile(PyTuple_GET_ITEM(rows, i), &r->piles[i]) == 0)
            continue;
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a list is a tuple (bytes of an item, whether it is a tuple, its numbers)");
        return -1;
    }
    return 0;
}

static int read_way(const Routine *r, PyObject *row, Way *way) {
    if (!PyTuple_Check(row)) {
        PyErr_SetString(PyExc_TypeError, "a way is a tuple of outputs");
        return -1;
    }
    way->count = (int)PyTuple_GET_SIZE(row);
    way->ports = PyMem_Calloc((size_t)way->count + 1, sizeof(int));
    if (way->ports == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < way->count; i++) {
        long at = PyLong_AsLong(PyTuple_GET_ITEM(row, i));
        if (at < 0 || at >= r->noutputs) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "a way gives some of the outputs");
            return -1;
        }
        way->ports[i] = (int)at;
    }
    return 0;
}

static int read_ways(Routine *r, PyObject *ways) {
    Py_ssize_t count = PyTuple_GET_SIZE(ways);
    if (count < 2) {
        PyErr_SetString(PyExc_ValueError, "a routine has an end, and a way out before it begins");
        return -1;
    }
    r->ways = PyMem_Calloc((size_t)count, sizeof(Way));
    if (r->ways == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    r->nways = (int)count - 1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (read_way(r, PyTuple_GET_ITEM(ways, i), &r->ways[i]) < 0)
            return -1;
    if (r->ways[REFUSED].count == 0)
        return 0;
    PyErr_SetString(PyExc_ValueError, "before a routine has begun it has no values");
    return -1;
}

static int read_dealt(Routine *r, PyObject *rows) {
    Py_ssize_t count = PyTuple_GET_SIZE(rows);
    r->dealt = PyMem_Calloc((size_t)count + 1, sizeof(Dealt));
    if (r->dealt == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        Dealt *dealt = &r->dealt[i];
        PyObject *row = PyTuple_GET_ITEM(rows, i);
        if (!PyTuple_Check(row)) {
            PyErr_SetString(PyExc_TypeError, "what rounds write is a tuple (input, axis, start, step)");
            return -1;
        }
        if (!PyArg_ParseTuple(row, "iiLL", &dealt->array, &dealt->axis, &dealt->start, &dealt->step))
            return -1;
        int known = dealt->array >= 0 && dealt->array < r->ninputs && r->ports[dealt->array].kind == ARRAY;
        if (!known || dealt->axis < 0 || dealt->axis >= r->ports[dealt->array].ndim || dealt->start < 0 || dealt->step < 1) {
            PyErr_SetString(PyExc_ValueError, "rounds write along an axis of an array");
            return -1;
        }
        dealt->array -= r->ninputs - r->narrays; /* arrays are the last inputs */
    }
    r->ndealt = (int)count;
    return 0;
}

int routine_read(Routine *r, PyObject *piles, PyObject *inputs, PyObject *outputs, PyObject *ways, PyObject *dealt) {
    int bad = read_piles(r, piles) < 0 || read_ports(r, inputs, outputs) < 0 || read_ways(r, ways) < 0 || read_dealt(r, dealt) < 0;
    return bad ? -1 : 0;
}
