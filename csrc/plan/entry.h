/* An entry (`_C.Entry`): guards, then a plan, for one version of the facts at a point or of a call's arguments.
 *
 * It answers a frame with EXIT_MISS (a guard fails), EXIT_DECLINED (the guards hold, and CPython goes on: it is penalised,
 * declined or dead) or an exit of its plan. entry_run.h says when it does which; here are the object and its making.
 */
#ifndef JITCORE_PLAN_ENTRY_H
#define JITCORE_PLAN_ENTRY_H

#include "frame/transfer.h"
#include "plan/plan.h"
#include "policy/trial.h"

typedef struct {
    JitEntryHead head;
    int *guards; /* PyMem */
    Py_ssize_t nguards;
    Plan plan;
    int nregs;
    Trial trial;             /* against its baseline: NumPy's own calls, one by one */
    int failures_in_a_row, side_exits_in_a_row;
    int penalties;           /* in succession: each is twice as long */
    int balance;             /* of what its runs gained and lost, see entry_run.c */
    char kernels_pending;    /* they are being compiled: the baseline runs */
    char needs_frame;        /* without one it misses: its steps or exits use it */
    int last_miss;           /* index of a reason; -1: none yet */
    PyObject *guard_consts;  /* tuple */
    PyObject *plan_consts;   /* tuple; plan.consts are its items */
    PyObject *reasons;       /* tuple; str() of each says what must hold */
    PyObject *name;
    MeterSlot *slots;        /* of a report, see entry_run.h; NULL: none yet */
    JitEntryHead *former;    /* the baseline that the trial is done with, for a report */
} Entry;

extern PyTypeObject Entry_Type;

/* Is there a baseline that it is yet to be compared with? */
int entry_is_tried(const JitEntryHead *head);

/* Adds `BaseEntry` and `Entry` to the module. 0, or -1 with an exception. */
int entry_init(PyObject *module);

#endif
