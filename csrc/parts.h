/* A kernel's loop, cut into parts along one axis: on several threads where that pays (workers.h). */
#ifndef JITCORE_PARTS_H
#define JITCORE_PARTS_H

#include "kernel.h"

/* Runs `k` on the operands `p`; the GIL is not needed. The status and the flags raised, which are those of one thread. */
int parts_run(const Kernel *k, char *const *p);

#endif
