/* A run of a plan: what its steps work on (plan.c), and the objects that they make (build_objects.c). */
#ifndef JITCORE_PLAN_RUN_H
#define JITCORE_PLAN_RUN_H

#include "plan/ops.h"
#include "plan/plan.h"

typedef struct {
    const Plan *plan;
    const FrameView *view;
    PyObject **regs;
    PyObject *state;             /* token of NumPy's error state, to be put back */
    int quiet;                   /* it is not one that the user's code may see */
    int window;                  /* exit that a failure takes */
    int effect;                  /* the next step has one: it raises in the window exit's state, */
    int gain;                    /* of the native loops that ran: what they saved beyond what launching them costs */
    int handled;                 /* a signal's handler raised inside a kernel's launch */
    int offset;                  /* at this instruction; -1: where the region begins */
    _Py_CODEUNIT *ip;            /* the frame's instruction pointer before an effect step */
} PlanRun;

/* Borrowed; NULL for PLAN_NULL. */
static inline PyObject *get(const PlanRun *run, int operand) {
    if (operand >= 0)
        return run->regs[operand];
    return operand == PLAN_NULL ? NULL : run->plan->consts[~operand];
}

/* Steals the value. -1: it is NULL. */
static inline int put(PlanRun *run, int reg, PyObject *value) {
    if (value == NULL)
        return -1;
    Py_XSETREF(run->regs[reg], value);
    return 0;
}

/* New references, or NULL with an exception. Operands are those of their steps (ops.h). */
PyObject *plan_build_tuple(const PlanRun *run, const int *items, int count);
PyObject *plan_build_list(const PlanRun *run, const int *items, int count);
PyObject *plan_build_set(const PlanRun *run, const int *items, int count);
PyObject *plan_build_map(const PlanRun *run, const int *items, int count);

/* defaults, kwdefaults and closure may be NULL. */
PyObject *plan_make_function(const PlanRun *run, const int *parts);

/* The iterator itself, with its first items taken. */
PyObject *plan_advance(PyObject *it, PyObject *count);

/* The same iterator, with so many more items taken. */
PyObject *plan_take_items(PyObject *it, PyObject *count);

/* That follows from extents of the arrays. */
PyObject *plan_number(const PlanRun *run, PyObject *of, const int *arrays, int count);

/* What was known weakly, now held. */
PyObject *plan_alive(PyObject *held);

#endif
