/* The hook lease, under JITCORE=1: how long the evaluation function stands for all frames, on all threads.
 *
 * A frame that comes by takes longer for it. So it stands for so many frames without anything to do, and what runs compiled, or
 * is about to be, pays for more:
 *
 *     code is prepared, or a piece of it compiled ──▶ as many as at first
 *     a region has run                            ──▶ as many as cost what that saves
 *     a frame of code that is not hot yet         ──▶ itself, and as many as cost a share of its time
 */
#ifndef JITCORE_POLICY_HOOK_LEASE_H
#define JITCORE_POLICY_HOOK_LEASE_H

#include "compat.h"

extern int jit_lease_on; /* it stands; read at each frame */

void lease_begin(void);       /* or goes on, for at least as many frames as at first */
void lease_begin_short(void); /* the same for fewer: a frame is about to come that is worth it */
void lease_end(void);

void lease_met_frame(void);        /* while it stands */
void lease_worked(void);           /* code was prepared, or compiled: as many frames as at first */
void lease_gained(double seconds); /* that a region saved; 0: not known */

/* A frame of code that is not hot yet begins, and has taken so long. `worth`: hotness_worth(). `before`: what the first gave. */
double lease_warm(void);
void lease_warmed(double seconds, double worth, double before);

#endif
