#include "plan/entry_order.h"

#include "plan/entry.h"
#include "policy/constants.h"

PyObject *entries_added(PyObject *entries, PyObject *args) {
    PyObject *entry;
    int first = 0;
    if (!PyArg_ParseTuple(args, "O!|p", &JitBaseEntry_Type, &entry, &first))
        return NULL;
    PyObject *one = PyTuple_Pack(1, entry), *all = NULL;
    if (one != NULL)
        all = first ? PySequence_Concat(one, entries) : PySequence_Concat(entries, one);
    Py_XDECREF(one);
    return all;
}


/* A new tuple, stable; the counts are halved, so that old ones fade. NULL: entries of other kinds keep their places. */
static PyObject *by_recent_hits(PyObject *entries) {
    Py_ssize_t count = PyTuple_GET_SIZE(entries);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!Py_IS_TYPE(PyTuple_GET_ITEM(entries, i), &Entry_Type))
            return NULL;
    PyObject *sorted = PyTuple_New(count);
    for (Py_ssize_t i = 0; sorted != NULL && i < count; i++) {
        JitEntryHead *one = (JitEntryHead *)Py_NewRef(PyTuple_GET_ITEM(entries, i));
        Py_ssize_t at = i;
        for (; at > 0 && ((JitEntryHead *)PyTuple_GET_ITEM(sorted, at - 1))->recent_hits < one->recent_hits; at--)
            PyTuple_SET_ITEM(sorted, at, PyTuple_GET_ITEM(sorted, at - 1));
        PyTuple_SET_ITEM(sorted, at, (PyObject *)one);
    }
    for (Py_ssize_t i = 0; sorted != NULL && i < count; i++)
        ((JitEntryHead *)PyTuple_GET_ITEM(sorted, i))->recent_hits /= 2;
    if (sorted == NULL)
        PyErr_Clear();
    return sorted;
}

void entries_promote(PyObject **place, Py_ssize_t at, int *hits_past_first) {
    if (at >= PyTuple_GET_SIZE(*place))
        return;
    JitEntryHead *one = (JitEntryHead *)PyTuple_GET_ITEM(*place, at);
    one->recent_hits += one->recent_hits < MOST_RECENT_HITS;
    if (at == 0 || ++*hits_past_first < PROMOTE_AFTER)
        return;
    *hits_past_first = 0;
    PyObject *sorted = by_recent_hits(*place);
    if (sorted != NULL)
        Py_SETREF(*place, sorted);
}

void entry_hand_over_penalty(JitEntryHead *only, Life *life) {
    int visits = only->life.penalty;
    if (visits > 0) {
        life_penalise(life, EVENT_POOR, visits);
        life_end_penalty(&only->life, EVENT_PAID, entry_is_tried(only));
    } else
        life_end_penalty(life, EVENT_PAID, 0);
}

int entries_any_penalised(PyObject *entries) {
    int found = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(entries); i++)
        found |= ((JitEntryHead *)PyTuple_GET_ITEM(entries, i))->life.penalty > 0;
    return found;
}
