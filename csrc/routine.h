/* Routine: compiled scalar code with loops, which reads and writes elements of arrays in place.
 *
 * It is left by one of its ways. Way 0 is its end; each other one is a place in the user's code at which CPython goes on, with
 * the values that its state is made of. Arrays are then as CPython would have left them there.
 */
#ifndef JITCORE_ROUTINE_H
#define JITCORE_ROUTINE_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"

extern PyTypeObject Routine_Type;

/* Adds `Routine` to the module. 0, or -1 with an exception. */
int routine_init(PyObject *module);

/* Borrows `routine` (a Routine) and its `inputs`. The way, and how many rounds its loops went; `outputs` holds a new reference for each value of it, and NULL for
 * the others. Way 1, before anything has happened, where an input is not as compiled. -1: memory ran out afterwards,
 * exception set, no outputs: what was stored stays, so nobody may repeat it. */
int routine_launch(PyObject *routine, PyObject *const *inputs, PyObject **outputs, i64 *rounds);

/* How many operands of each sort, and ways besides way 0, `routine` (borrowed) has. */
int routine_inputs(PyObject *routine);
int routine_outputs(PyObject *routine);
int routine_ways(PyObject *routine);

/* About how many nanoseconds a round takes in CPython. */
i64 routine_weight(PyObject *routine);

#endif
