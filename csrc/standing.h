/* JITCORE=1: how long the evaluation function stands for all frames, on all threads.
 *
 * A frame that comes by takes longer for it. So it stands for so many frames without anything to do, and what runs compiled, or
 * is about to be, pays for more:
 *
 *     code is prepared, or a piece of it compiled ──▶ as many as at first
 *     a region has run                            ──▶ as many as cost what that saves
 *     a frame of code that is not hot yet         ──▶ itself, and as many as cost a share of its time
 */
#ifndef JIT_STANDING_H
#define JIT_STANDING_H

#include "compat.h"

extern int jit_standing; /* it does; read at each frame */

void standing_begin(void);   /* or stay, for at least as many frames as at first */
void standing_for_one(void); /* the same for fewer: a frame is about to come that is worth it */
void standing_end(void);

void standing_met_frame(void); /* while it stands */
void standing_worked(void);
void standing_gained(double seconds); /* 0: nobody knows */

/* A frame of code that is not hot yet begins, and has taken so long. `worth`: everywhere_worth(). `before`: what the first gave. */
double standing_warm(void);
void standing_warmed(double seconds, double worth, double before);

#endif
