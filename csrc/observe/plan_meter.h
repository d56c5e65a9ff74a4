/* What a report has of a plan's runs: rows of its steps, not those of its exits, and of what comes after its exits. */
#ifndef JITCORE_OBSERVE_PLAN_METER_H
#define JITCORE_OBSERVE_PLAN_METER_H

#include "plan/plan.h"

/* The kinds of the slots, one for each word. */
void plan_meter_kinds(const Plan *plan, MeterSlot *slots);

/* Appends to `list` the rows of what has been measured, with the offset of each exit, of `slots` one for each exit; */
int plan_exit_rows(const Plan *plan, const MeterSlot *slots, PyObject *list);

/* with what each step calls, of `slots` one for each word. 0, or -1 with an exception. */
int plan_step_rows(const Plan *plan, const MeterSlot *slots, PyObject *list);

#endif
