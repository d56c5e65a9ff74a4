/* A run of a plan: what its steps work on (plan.c), and the objects that they make (plan_make.c). */
#ifndef JIT_PLAN_RUN_H
#define JIT_PLAN_RUN_H

#include "plan.h"
#include "plan_ops.h"

typedef struct {
    const Plan *plan;
    const FrameView *view;
    PyObject **regs;
    PyObject *state;             /* token of NumPy's error state, to be put back */
    int quiet;                   /* it is not one that the user's code may see */
    int window;                  /* exit that a failure takes */
    int loud;                    /* the next step raises in the window exit's state, */
    int gain;                    /* of the routines that ran: what they saved beyond what launching them costs */
    int handled;                 /* a signal's handler raised inside a kernel's launch */
    int offset;                  /* at this instruction; -1: where the region begins */
    _Py_CODEUNIT *ip;            /* the frame's instruction pointer before a loud step */
} Run;

/* Borrowed; NULL for PLAN_NULL. */
static inline PyObject *get(const Run *run, int operand) {
    if (operand >= 0)
        return run->regs[operand];
    return operand == PLAN_NULL ? NULL : run->plan->consts[~operand];
}

/* Steals the value. -1: it is NULL. */
static inline int put(Run *run, int reg, PyObject *value) {
    if (value == NULL)
        return -1;
    Py_XSETREF(run->regs[reg], value);
    return 0;
}

/* New references, or NULL with an exception. Operands are those of their steps (plan_ops.h). */
PyObject *plan_build_tuple(const Run *run, const int *items, int count);
PyObject *plan_build_list(const Run *run, const int *items, int count);
PyObject *plan_build_set(const Run *run, const int *items, int count);
PyObject *plan_build_map(const Run *run, const int *items, int count);

/* defaults, kwdefaults and closure may be NULL. */
PyObject *plan_make_function(const Run *run, const int *parts);

/* The iterator itself, with its first items taken. */
PyObject *plan_advance(PyObject *it, PyObject *count);

/* The same iterator, with so many more items taken. */
PyObject *plan_take_items(PyObject *it, PyObject *count);

/* That follows from extents of the arrays. */
PyObject *plan_number(const Run *run, PyObject *of, const int *arrays, int count);

/* What was known weakly, now held. */
PyObject *plan_alive(PyObject *held);

#endif
