/* Scratch: buffers in which a native loop keeps what its loops make.
 *
 * They are kept from launch to launch, but for large ones: those come from the pool of large results (kernel/pool.h) and go back to
 * it, since pages that nobody has touched yet cost more than what is computed in them.
 */
#ifndef JITCORE_LOOP_SCRATCH_H
#define JITCORE_LOOP_SCRATCH_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"
#include "../jitcore/runtime_c/routine_rt.h"

/* Room k has at least so many bytes, and anything in it. 1, or 0 without memory: it is as it was. Holding the GIL. */
int scratch_make(rt_room *rooms, i64 k, i64 bytes);

/* The same on a thread of ours, without the GIL. */
int scratch_make_apart(rt_room *rooms, i64 k, i64 bytes);

/* Those above so many bytes are empty from here on. With the GIL, if room_make has made any of them. */
void scratch_empty(rt_room *rooms, int count, i64 above);

#endif
