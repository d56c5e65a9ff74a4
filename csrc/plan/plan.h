/* Runs the steps of a plan over a register file. */
#ifndef JITCORE_PLAN_PLAN_H
#define JITCORE_PLAN_PLAN_H

#include "frame/transfer.h"
#include "observe/meter.h"

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
    PyObject **consts;           /* borrowed */
    PlanExit *exits;             /* exit 0 is the miss */
    int nexits;
    char no_effects;             /* without a frame, what fails or leaves a loop is a miss: nothing has happened */
} Plan;

/* Runs the plan. Registers are owned by the caller. Returns how the region is left; EXIT_RAISE has the exception set, no
 * other has. *failed: a step without effects failed, and CPython repeats the work since the start of its window; but for an interrupt,
 * which is raised there. *gain: in thousandths of a launch, what its loops saved beyond what it costs to launch them; below
 * 0 CPython would have been faster.
 *
 * An exit's own steps are such that only memory can run out in them. Then that is raised, with TRANSFER_KEEPS_STATE: from
 * where the region began, after those effects that were already performed. */
ExitKind plan_run(const Plan *plan, const FrameView *view, PyObject **regs, Transfer *out,
                  int *failed, int *gain);

/* The same, measured: from a call, a kernel or a native loop on the time is that of the slot with the number of its word.
 * *exit_taken: the exit, 0: it did not get to one. */
ExitKind plan_run_metered(const Plan *plan, const FrameView *view, PyObject **regs, Transfer *out, int *failed, int *gain,
                          Meter *meter, MeterSlot *slots, int *exit_taken);

/* A buffer of ints → PyMem, and how many they are. NULL with an exception. */
int *plan_words(PyObject *buffer, Py_ssize_t *count);

/* Its words and exits, from a buffer and a tuple of (kind, offset, through_point, start, stack, local indexes, local operands,
 * value). 0, or -1 with an exception; either way plan_free() frees what it has got. */
int plan_read(Plan *plan, PyObject *words, PyObject *exits);
void plan_free(Plan *plan);

/* 0, or -1 with an exception: the words are not a plan over `nregs` registers and `nconsts` constants. */
int plan_check(const Plan *plan, int nregs, Py_ssize_t nconsts);

int plan_init(PyObject *module);

#endif
