/* A kernel's loop, cut into parts along one axis: on several threads where that pays (workers.h). */
#ifndef JITCORE_KERNEL_SPLIT_H
#define JITCORE_KERNEL_SPLIT_H

#include "kernel/kernel.h"

/* Runs `k` on the operands `p`; the GIL is not needed. The status and the flags raised, which are those of one thread.
 * `old`: where what stands in the target is kept, piece by piece, before the loop comes to it (undo.h); NULL: nowhere. */
int split_run(const Kernel *k, char *const *p, char *old);

/* The same for what the flags will be: what `k` writes into an input goes into memory of our own instead, in pieces that
 * stay in the caches. RT_DOUBT where there is no memory; RT_CHANGED unless the very same bytes stand there already. */
#define RT_CHANGED 0x1000
int split_rehearse(const Kernel *k, char *const *p, char *none);

/* Can this kernel be rehearsed? */
int split_can_rehearse(const Kernel *k);

#endif
