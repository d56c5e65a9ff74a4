/* The state of a region point: are its entries asked, and is the compiler?
 *
 * The life of a point as it is today. `closed`, `cold` and the counters are fields of PointState; "hot" is one of the code entry
 * (frame/code_map.h); penalties come from the entries (JitEntryHead in frame/transfer.h).
 *
 *     ┌──────┐ hot  ┌──────┐ close()                             ┌────────┐ no entries ┌──────┐ visit
 *     │ cold │─────▶│ open │────────────────────────────────────▶│ closed │───────────▶│ dead │──────▶ a jump over
 *     └──────┘      └──────┘◀────────────────────────────────────└────────┘            └──────┘        it in that C*
 *                     │  ▲    activation ended, time has passed    │  ▲
 *           a penalty │  │ n visits                     64 misses  │  │ a hit
 *                     ▼  │ later                        in a row   ▼  │
 *               ┌──────────────┐                           ┌────────────┐
 *               │ penalised(n) │ (from closed, too)        │ backed off │
 *               └──────────────┘                           └────────────┘
 *
 *     cold         neither entries nor the compiler are asked
 *     open         entries are asked; a miss asks the compiler, if the code is hot: under JITCORE=1 it is cool after each piece
 *     closed       entries are asked; a miss is CPython's
 *     backed off   entries are asked at every 32nd visit of an activation that came by before
 *     penalised    entries are not asked
 *     dead         closed, and without entries: buried at the next visit
 *
 *     from          event                                     to              constants                     where
 *     cold          a visit; the code's seconds and NumPy's   open            CLOCK_*, FIRST_*, BUDGET_*    point_state.c, hotness.c,
 *                   work are enough                                                                         budget.c
 *     cold          short iterations, the budget is spent     cold, visits_until_clock     CLOCK_BACKOFF, SHORT_ITERATION        point_state.c
 *     open          miss, hot: the compiler adds an entry     open            -                             frame/point.c
 *     open          close(), leave_run(), wait()              closed          -                             frame/point.c
 *     closed        of leave_run(): another activation;       open            -                             point_state.c
 *                   of wait(): the time has passed
 *     closed        misses in a row                           backed off      MAX_MISSES, BACKOFF_VISITS    point_state.c, here
 *     open, closed  a hit of the only entry, with a penalty   penalised       ENTRY_PENALTY                 plan/entry_order.h
 *     open, closed  one of several entries had one, declined  penalised       MAX_PENALISED, POINT_PENALTY  point_state.c
 *     penalised     visit: n - the stride of the call         n = 0: open     BACKOFF_SAMPLE                frame/point.c, backoff.h
 *     open, closed  declined, and no entry computes anything  dead            MAX_DECLINES                  frame/point.c
 *     any           kill()                                    dead            -                             frame/point.c
 *
 *     An entry:     kernels pending ─▶ trial ─▶ serving ─▶ penalised(n) ─▶ serving …      plan/entry_run.c, plan/entry.c
 *                   trial ─▶ retired: declines for 16, 64, … frames ─▶ trial              trial.c
 *                   serving ─▶ disabled (MAX_FAILURES in a row): declines for good        plan/entry_run.c
 *     A function:   backoff of its calls (backoff.h); the penalty of its only entry (frame/call.c); off (Python)
 */
#ifndef JITCORE_POLICY_POINT_STATE_H
#define JITCORE_POLICY_POINT_STATE_H

#include "frame/activation.h"
#include "frame/code_map.h"

/* A loop whose index or shape changes at each iteration asks eight entries, and all of them miss. */
#define MAX_MISSES 64
#define BACKOFF_VISITS 32

/* A point without code is asked so often; asking costs as much as a small Python function. */
#define MAX_DECLINES 1000

typedef struct {
    char closed;               /* a miss does not ask the compiler any more */
    char cold;                 /* neither entries nor the compiler are asked before its code is hot */
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
    int penalty;               /* visits at which the entries are not asked: they did not pay */
} PointState;

/* Hot: so much time was spent in the point's code that compiling it may pay. Counts the visit if not. */
int point_state_is_hot(PointState *state, Activation *activation);

/* A piece of the code was compiled, which took `cost` seconds: under JITCORE=1 the next one waits until it is hot once more. */
void point_state_cool(PointState *state, CodeEntry *code_entry, Activation *activation, double cost);

/* No entry's guards held. 1: the compiler is not to be asked. */
int point_state_miss(PointState *state, const Activation *activation);

/* One of several entries had a penalty; every so often the point takes one itself. */
void point_state_note_penalised(PointState *state);

static inline void point_state_hit(PointState *state) { state->misses_in_a_row = state->penalised_in_a_row = 0; }

/* Is this visit one of those at which the entries are not asked, after MAX_MISSES? */
static inline int point_state_is_backed_off(PointState *state, const Activation *activation) {
    int again = state->activation == activation->serial;
    state->activation = activation->serial;
    return again && state->misses_in_a_row >= MAX_MISSES && ++state->backoff_visits % BACKOFF_VISITS != 0;
}

#endif
