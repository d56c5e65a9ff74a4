/* Native loops (`_C.Routine`): compiled scalar code with loops, which reads and writes elements of arrays in place.
 *
 * A native loop is left by one of its side exits. Number 0 is its end; each other one is a place in the user's code at which
 * CPython goes on, with the values that its state is made of. Arrays are then as CPython would have left them there.
 */
#ifndef JITCORE_LOOP_LOOP_H
#define JITCORE_LOOP_LOOP_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"

extern PyTypeObject NativeLoop_Type;

/* Adds `Native loop` to the module. 0, or -1 with an exception. */
int native_loop_init(PyObject *module);

/* Borrows `loop` (a Routine) and its `inputs`. The side exit, and how many iterations its loops went; `outputs` holds a new
 * reference for each value of it, and NULL for the others. Side exit 1, before anything has happened, where an input is not as
 * compiled. -1: memory ran out afterwards, exception set, no outputs: what was stored stays, so nobody may repeat it. */
int native_loop_launch(PyObject *loop, PyObject *const *inputs, PyObject **outputs, i64 *iterations);

/* How many operands of each sort, and side exits besides number 0, `loop` (borrowed) has. */
int native_loop_inputs(PyObject *loop);
int native_loop_outputs(PyObject *loop);
int native_loop_side_exits(PyObject *loop);

/* About how many nanoseconds an iteration takes in CPython. */
i64 native_loop_weight(PyObject *loop);

#endif
