/* What a region point counts, until an event of its life (policy/state.h): its visits, misses and declines, and the time of its
 * code. All times are by budget_clock.
 *
 *     a visit, cold    ─▶ the time of its code and NumPy's work in it: enough is `hot`, when it is asked for
 *     a miss, closed   ─▶ MAX_MISSES of them in a row: `misses`
 *     a hit            ─▶ none in a row
 *     a penalised one of several entries was asked ─▶ MAX_PENALISED of them in a row: `crowd`
 */
#ifndef JITCORE_POLICY_POINT_STATE_H
#define JITCORE_POLICY_POINT_STATE_H

#include "frame/activation.h"
#include "frame/code_map.h"
#include "policy/constants.h"
#include "policy/state.h"

typedef struct {
    Life life;
    char closed;               /* a miss does not ask the compiler any more */
    char always_declines;      /* no entry computes anything: they say where there is nothing to compile */
    int declines;              /* visits at which one of those did */
    unsigned visits;           /* while it was cold */
    unsigned visits_until_clock;            /* visits at which the clock is not looked at: its code will not be hot for long */
    double looked_at;          /* when it was, while the budget made it wait */
    unsigned long timed;       /* serial of the activation that came last while its code was not hot, */
    double timed_since;        /* and when that came first */
    unsigned long activation;  /* serial of the one that came last */
    unsigned long closed_for;  /* serial of the activation for which it is closed */
    double closed_until;       /* by budget_clock; 0: it is not closed for a time */
    int misses_in_a_row;       /* while it was closed; up to MAX_MISSES */
    unsigned backoff_visits;   /* of an activation that came by again, since MAX_MISSES was reached */
    int penalised_in_a_row;    /* visits at which an entry of several had a penalty */
} PointState;

/* Hot: so much time was spent in the point's code that compiling it may pay. Counts the visit if not. */
int point_state_is_hot(PointState *state, Activation *activation);

/* A piece of the code was compiled, which took `cost` seconds: under JITCORE=1 the next one waits until it is hot once more. */
void point_state_cool(PointState *state, CodeEntry *code_entry, Activation *activation, double cost);

/* No entry's guards held. 1: the compiler is not to be asked. */
int point_state_miss(PointState *state, const Activation *activation);

/* One of several entries had a penalty; every so often the point takes one itself. */
void point_state_note_penalised(PointState *state);

/* No more backoff. */
static inline void point_state_asked(PointState *state, int holds) {
    if (state->misses_in_a_row >= MAX_MISSES)
        life_on(&state->life, EVENT_HIT, holds);
    state->misses_in_a_row = 0;
}

static inline void point_state_hit(PointState *state) {
    point_state_asked(state, 1);
    state->penalised_in_a_row = 0;
}

/* A visit of a penalised point, which stands for so many. */
void point_state_pay(PointState *state, int visits);

/* When it is looked at again: an int of visits, a float of seconds, or None; new. NULL: no memory. */
PyObject *point_state_again(const PointState *state);

/* Is this visit one of those at which the entries are not asked, after MAX_MISSES? */
static inline int point_state_is_backed_off(PointState *state, const Activation *activation) {
    int again = state->activation == activation->serial;
    state->activation = activation->serial;
    return again && state->misses_in_a_row >= MAX_MISSES && ++state->backoff_visits % BACKOFF_VISITS != 0;
}

#endif
