/* Runs the steps of a plan over a register file. */
#ifndef JIT_PLAN_H
#define JIT_PLAN_H

#include "transfer.h"

typedef struct {
    ExitKind kind;
    int offset, through_point;
    int start;                   /* word where the exit's own steps begin; they end with EXIT */
    int nstack, nlocals;
    int *stack;                  /* operands */
    int *local_index, *local;    /* operands */
    int value;                   /* operand, RETURN */
} PlanExit;

typedef struct {
    int *words;
    Py_ssize_t count;
    PyObject **consts;
    PlanExit *exits;             /* exit 0 is the miss */
    int nexits;
} Plan;

/* Runs the plan. Registers are owned by the caller. Returns how the region is left; EXIT_RAISE has the exception set, no
 * other has; with TRANSFER_KEEPS_STATE it is raised where the region began. */
ExitKind plan_run(const Plan *plan, const FrameView *view, PyObject **regs, Transfer *out);

int plan_init(PyObject *module);

#endif
