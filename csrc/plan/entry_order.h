/* The entries of a place (a point, a compiled function), in the order in which their guards are asked. */
#ifndef JITCORE_PLAN_ENTRY_ORDER_H
#define JITCORE_PLAN_ENTRY_ORDER_H

#include "frame/transfer.h"

/* A new tuple: `entries`, and the one in `args` (entry, first=False) after or before them. NULL with an exception. */
PyObject *entries_added(PyObject *entries, PyObject *args);

/* The entry at `at` has hit. After so many hits past the first entry, counted in *hits_past_first, the entries are sorted by
 * their recent hits, in a new tuple at *place. Two that alternate keep their places. Not to be called while an exception is
 * set. */
void entries_promote(PyObject **place, Py_ssize_t at, int *hits_past_first);

/* The entry is asked again at once, and the place is not. */
void entry_hand_over_penalty(JitEntryHead *only, Life *life);

/* A place with one entry takes over its penalty: asking the guards costs as much as the entry saves. Where there are several,
 * another one may be worth it: nothing is changed. */
static inline void entries_take_penalty(PyObject *entries, Life *life) {
    if (PyTuple_GET_SIZE(entries) == 1 && ((JitEntryHead *)PyTuple_GET_ITEM(entries, 0))->life.penalty != life->penalty)
        entry_hand_over_penalty((JitEntryHead *)PyTuple_GET_ITEM(entries, 0), life);
}

/* Has one of them a penalty? */
int entries_any_penalised(PyObject *entries);

#endif
