/* Verify mode: Python code is told how each frame of a C* ends.
 *
 *     set_ended(fn)     jit_hook_report_ends(1): frames run through frame_end_report()
 *     a frame ends      fn(serial, result, error), with what the frame gives or raises untouched
 *     set_ended(None)   frames run as ever
 *
 * `fn` is our own code: nothing is intercepted while it runs, and what it raises is not the program's (frame/ask_python.h).
 */
#ifndef JITCORE_OBSERVE_FRAME_END_H
#define JITCORE_OBSERVE_FRAME_END_H

#include "jitcore.h"

/* Steals `result`, the frame's, NULL with its exception set; gives it back, the exception set again. `serial`: of its
 * activation. */
PyObject *frame_end_report(unsigned long serial, PyObject *result);

/* Adds `set_ended` to the module. 0, or -1 with an exception. */
int frame_end_init(PyObject *module);

#endif
