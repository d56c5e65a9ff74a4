/* Runs a flat guard program. */
#ifndef JITCORE_GUARDS_EVAL_H
#define JITCORE_GUARDS_EVAL_H

#include "frame/transfer.h"

/* 1: all hold; the registers that the program loads are owned by the caller, who has made them NULL before.
 * `words` are written to where they remember something. 0: a miss; *reason is the index of its reason, registers loaded so far are owned all the same. No exception either way.
 * Runs no user code. */
int guards_hold(int *words, Py_ssize_t count, PyObject *const *consts, const FrameView *view,
                PyObject **regs, int *reason);

/* Every guard that does not hold: a new list of (index of its reason, tuple of the objects that it looked at). What hangs
 * below an object that one of them refuses is left out. Registers as above; `refused`: room for as many marks, zeroed by the
 * caller. NULL: an exception. */
PyObject *guards_failing(int *words, Py_ssize_t count, PyObject *const *consts, const FrameView *view,
                         PyObject **regs, char *refused);

/* 1: `words` is a whole program over `nregs` registers, `nconsts` constants and `nreasons` reasons. */
int guards_valid(const int *words, Py_ssize_t count, int nregs, Py_ssize_t nconsts,
                 Py_ssize_t nreasons);

int guards_init(PyObject *module);

#endif
