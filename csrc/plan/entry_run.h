/* A run of an entry: guards → plan → exit, and what follows where runs do not pay.
 *
 *     kernels pending        the baseline runs, untimed
 *     trial goes on          the entry and its baseline take turns, each run timed (policy/trial.h)
 *     declined, dead,         the guards are asked; where they hold the entry declines
 *     penalty > 0
 *     a poor balance         penalty = ENTRY_PENALTY, then twice as many … MAX_DOUBLINGS times
 *     MAX_FAILURES           steps that failed in a row: dead; side exits in a row without a frame: it needs a frame
 */
#ifndef JITCORE_PLAN_ENTRY_RUN_H
#define JITCORE_PLAN_ENTRY_RUN_H

#include "plan/entry.h"

/* `run` of an Entry's head; borrows `head` and the view, fills in the transfer. An exception is set with EXIT_RAISE only. */
ExitKind entry_run(JitEntryHead *head, FrameView *view, Transfer *out);

/* The same while a report is wanted: time is charged to the entry's slots. */
ExitKind entry_run_metered(JitEntryHead *head, FrameView *view, Transfer *out);

/* The slots of an entry: its own two, then one for each exit, then one for each word of its plan. */
enum { ENTRY_SLOT, DECLINED_SLOT, NSLOTS }; /* guards and exits; CPython, where the guards hold and the entry does not run */

static inline MeterSlot *slot_after_exit(const Entry *self, int exit) { return self->slots + NSLOTS + exit; }
static inline MeterSlot *slots_of_words(const Entry *self) { return self->slots + NSLOTS + self->plan.nexits; }

#endif
