#include "loop/call_out_def.h"

static int count_parts(PyObject *row) {
    int count = 1;
    if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) != 2)
        return -1;
    long what = PyLong_AsLong(PyTuple_GET_ITEM(row, 0));
    if (what < AS_CONSTANT || what > AS_SLICE)
        return -1;
    PyObject *rest = PyTuple_GET_ITEM(row, 1);
    if (what < AS_TUPLE)
        return count;
    if (!PyTuple_Check(rest) || (what == AS_SLICE && PyTuple_GET_SIZE(rest) != 3))
        return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rest); i++) {
        int more = count_parts(PyTuple_GET_ITEM(rest, i));
        if (more < 0)
            return -1;
        count += more;
    }
    return count;
}

static Part *fill_parts(Part *into, PyObject *row) {
    PyObject *rest = PyTuple_GET_ITEM(row, 1);
    Part *part = into++;
    part->what = (int)PyLong_AsLong(PyTuple_GET_ITEM(row, 0));
    if (part->what == AS_CONSTANT) {
        part->constant = Py_NewRef(rest);
        return into;
    }
    if (part->what == AS_OPERAND) {
        part->count = (int)PyLong_AsLong(rest);
        return into;
    }
    part->count = (int)PyTuple_GET_SIZE(rest);
    for (int i = 0; i < part->count; i++)
        into = fill_parts(into, PyTuple_GET_ITEM(rest, i));
    return into;
}

static int read_template(CallOut *call, PyObject *template) {
    int count = 0;
    call->narguments = (int)PyTuple_GET_SIZE(template);
    for (int i = 0; i < call->narguments; i++) {
        int more = count_parts(PyTuple_GET_ITEM(template, i));
        if (more < 0)
            return -1;
        count += more;
    }
    call->parts = PyMem_Calloc((size_t)count + 1, sizeof(Part));
    if (call->parts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    call->nparts = count;
    Part *at = call->parts;
    for (int i = 0; i < call->narguments; i++)
        at = fill_parts(at, PyTuple_GET_ITEM(template, i));
    for (int i = 0; i < count; i++)
        if (call->parts[i].what == AS_OPERAND && (call->parts[i].count < 0 || call->parts[i].count >= call->noperands))
            return -1;
    return 0;
}

static int read_port(CallOutPort *port, PyObject *row) {
    return PyTuple_Check(row) && PyArg_ParseTuple(row, "Cii", &port->kind, &port->num, &port->ndim) ? 0 : -1;
}

static int read_call(CallOut *call, PyObject *row, int ninputs) {
    PyObject *names, *template, *operands, *results;
    if (!PyTuple_Check(row) || !PyArg_ParseTuple(row, "OOO!O!O!", &call->fn, &names, &PyTuple_Type, &template, &PyTuple_Type,
                                                 &operands, &PyTuple_Type, &results)) {
        call->fn = NULL;
        return -1;
    }
    Py_INCREF(call->fn);
    call->names = names == Py_None ? NULL : Py_NewRef(names);
    call->noperands = (int)PyTuple_GET_SIZE(operands);
    int nresults = (int)PyTuple_GET_SIZE(results);
    if (call->noperands > MOST_OPERANDS || nresults < 1 || nresults > MOST_OPERANDS || PyTuple_GET_SIZE(template) > MOST_ARGUMENTS ||
        (call->names != NULL && (!PyTuple_Check(call->names) || PyTuple_GET_SIZE(call->names) > PyTuple_GET_SIZE(template))))
        return -1;
    call->operands = PyMem_Calloc((size_t)call->noperands + 1, sizeof(CallOutPort));
    call->views = PyMem_Calloc((size_t)call->noperands + 1, sizeof(PyObject *));
    call->results = PyMem_Calloc((size_t)nresults, sizeof(CallOutPort));
    call->held = PyMem_Calloc((size_t)nresults, sizeof(PyArrayObject *));
    if (call->operands == NULL || call->views == NULL || call->results == NULL || call->held == NULL)
        return -1;
    call->nresults = nresults;
    for (int i = 0; i < nresults; i++)
        if (read_port(&call->results[i], PyTuple_GET_ITEM(results, i)) < 0 || call->results[i].ndim > RT_AXES)
            return -1;
    for (int i = 0; i < call->noperands; i++)
        if (read_port(&call->operands[i], PyTuple_GET_ITEM(operands, i)) < 0 || call->operands[i].ndim > RT_AXES ||
            (call->operands[i].kind == INPUT && (call->operands[i].num < 0 || call->operands[i].num >= ninputs)))
            return -1;
    return read_template(call, template);
}

int call_outs_read(CallOuts *calls, PyObject *rows, PyObject *quiet, int ninputs) {
    int count = (int)PyTuple_GET_SIZE(rows);
    calls->each = PyMem_Calloc((size_t)count + 1, sizeof(CallOut));
    calls->quiet = Py_NewRef(quiet);
    if (calls->each == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (calls->count = 0; calls->count < count;) {
        CallOut *call = &calls->each[calls->count++];
        if (read_call(call, PyTuple_GET_ITEM(rows, calls->count - 1), ninputs) == 0)
            continue;
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "this is no callback");
        return -1;
    }
    return 0;
}

void call_outs_free(CallOuts *calls) {
    for (int i = 0; i < calls->count; i++) {
        CallOut *call = &calls->each[i];
        for (int k = 0; k < call->nparts; k++)
            Py_XDECREF(call->parts[k].constant);
        for (int k = 0; call->views != NULL && k < call->noperands; k++)
            Py_XDECREF(call->views[k]);
        for (int k = 0; call->held != NULL && k < call->nresults; k++)
            Py_XDECREF(call->held[k]);
        PyMem_Free(call->held);
        PyMem_Free(call->results);
        PyMem_Free(call->views);
        PyMem_Free(call->parts);
        PyMem_Free(call->operands);
        Py_XDECREF(call->fn);
        Py_XDECREF(call->names);
    }
    PyMem_Free(calls->each);
    Py_XDECREF(calls->quiet);
}
