/* The running frame's locals, stack and instruction pointer. */
#ifndef JITCORE_FRAME_FRAME_H
#define JITCORE_FRAME_FRAME_H

#include "frame/transfer.h"

/* `code` in place of the frame's; the instruction pointer is the caller's business. */
void frame_set_code(JitFrame *frame, PyCodeObject *code);

/* Views a frame at a region point with `depth` values on its stack. */
void frame_view(JitFrame *frame, int depth, FrameView *view);

/* C offset → the place where the frame's C* runs that instruction, for warnings and tracebacks. */
void frame_set_ip(JitFrame *frame, int offset);

/* Writes the state of a JUMP, RAISE or RETURN into a frame that is off the thread's stack, where `depth` values lie on its
 * own, moves it to the newest C*, and clears the transfer. */
void frame_apply(JitFrame *frame, int depth, Transfer *t);

/* What Python sees of a frame: a FrameState. New reference. */
PyObject *frame_state(JitFrame *frame, PyCodeObject *code, int offset, int depth);

int frame_state_init(PyObject *module);

#endif
