/* What a compiler writes of a plan, as Python has it → a plan. */
#include "plan/plan.h"

int *plan_words(PyObject *buffer, Py_ssize_t *count) {
    Py_buffer view;
    if (PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    int *words = PyMem_Malloc(view.len + sizeof(int));
    if (words == NULL)
        PyErr_NoMemory();
    else
        memcpy(words, view.buf, view.len);
    *count = view.len / (Py_ssize_t)sizeof(int);
    PyBuffer_Release(&view);
    return words;
}

/* A tuple of ints → PyMem. */
static int *ints(PyObject *tuple, int *count) {
    *count = (int)PyTuple_GET_SIZE(tuple);
    int *out = PyMem_Malloc((*count + 1) * sizeof(int));
    if (out == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int i = 0; i < *count; i++)
        out[i] = (int)PyLong_AsLong(PyTuple_GET_ITEM(tuple, i));
    return out;
}

/* (kind, offset, through_point, start, stack, local indexes, local operands, value) */
static int read_exit(PyObject *row, PlanExit *exit) {
    PyObject *stack, *index, *local;
    int kind, values;
    if (!PyArg_ParseTuple(row, "iipiO!O!O!i", &kind, &exit->offset, &exit->through_point,
                          &exit->start, &PyTuple_Type, &stack, &PyTuple_Type, &index,
                          &PyTuple_Type, &local, &exit->value))
        return -1;
    exit->kind = (ExitKind)kind;
    exit->stack = ints(stack, &exit->nstack);
    exit->local_index = ints(index, &exit->nlocals);
    exit->local = ints(local, &values);
    if (exit->stack == NULL || exit->local_index == NULL || exit->local == NULL)
        return -1;
    if (!PyErr_Occurred() && (values != exit->nlocals || kind < EXIT_MISS || kind > EXIT_JUMP))
        PyErr_SetString(PyExc_ValueError, "these are not the exits of a plan");
    return PyErr_Occurred() ? -1 : 0;
}

static int read_exits(PyObject *rows, Plan *plan) {
    plan->nexits = (int)PyTuple_GET_SIZE(rows);
    plan->exits = PyMem_Calloc(plan->nexits + 1, sizeof(PlanExit));
    if (plan->exits == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < plan->nexits; i++)
        if (read_exit(PyTuple_GET_ITEM(rows, i), &plan->exits[i]) < 0)
            return -1;
    return 0;
}

int plan_read(Plan *plan, PyObject *words, PyObject *exits) {
    plan->words = plan_words(words, &plan->count);
    return plan->words == NULL ? -1 : read_exits(exits, plan);
}

void plan_free(Plan *plan) {
    for (int i = 0; plan->exits && i < plan->nexits; i++) {
        PyMem_Free(plan->exits[i].stack);
        PyMem_Free(plan->exits[i].local_index);
        PyMem_Free(plan->exits[i].local);
    }
    PyMem_Free(plan->exits);
    PyMem_Free(plan->words);
}
