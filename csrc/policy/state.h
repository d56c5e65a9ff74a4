/* The life of a region point, of an entry and of a compiled function, as one state machine. TRANSITIONS is its table: what it has
 * no row for changes nothing. Each holds a Life; what counts towards an event stands beside that (point_state.h, trial.h,
 * backoff.h), and all the numbers in constants.h.
 *
 *     A point
 *                 hot                  asked                     added
 *     ┌──────┐─────────▶┌──────┐────────────────▶┌───────────┐───────────▶┌─────────┐
 *     │ cold │          │ warm │                 │ compiling │            │ serving │
 *     └──────┘          └──────┘◀────────────────└───────────┘◀───────────└─────────┘
 *                        ▲    │      compiled          │         asked     ▲ │   ▲ │
 *                  asked │    │ this frame, time       │               hit │ │   │ │ poor, crowd
 *                       ┌──────────┐                   │            misses │ ▼   │ ▼
 *                       │ declined │                   │        ┌────────────┐ ┌───────────┐
 *                       └──────────┘                   │        │ backed off │ │ penalised │
 *                                         nothing pays ▼        └────────────┘ └───────────┘
 *                                                   ┌──────┐                     paid: serving
 *                       limit, killed, declines ──▶ │ dead │  a jump in that C* from its next visit on
 *                                                   └──────┘
 *     An entry
 *                 ready                   decided                    poor
 *     compiling ─────────▶ trial ─────────────────────▶ serving ◀──────────────▶ penalised
 *                          │   ▲                           │          paid
 *                     lost ▼   │ again                     ▼ failures
 *                         declined                       dead
 *
 *     A function: serving ⇄ backed off (idle, worked), serving ⇄ penalised (poor; paid, long)
 */
#ifndef JITCORE_POLICY_STATE_H
#define JITCORE_POLICY_STATE_H

#include "jitcore.h"

#define STATES(S)                                                                                                                \
    S(SERVING, "serving")       /* it is asked, and what holds runs */                                                           \
    S(WARM, "warm")             /* a point without entries: the compiler is asked */                                             \
    S(COMPILING, "compiling")   /* a point: the compiler is there; an entry: its baseline runs until its kernels are ready */    \
    S(TRIAL, "trial")           /* an entry takes turns with its baseline */                                                     \
    S(BACKED_OFF, "backed off") /* it is asked at one of so many visits */                                                       \
    S(DECLINED, "declined")     /* an entry: CPython's where its guards hold; a point: the compiler is not asked for a while */  \
    S(PENALISED, "penalised")   /* it is not asked for so many visits. From here on nobody is */                                 \
    S(COLD, "cold")             /* its code is to run for longer first */                                                        \
    S(DEAD, "dead")             /* nothing will ever run */

#define AS_STATE(name, text) STATE_##name,
typedef enum { STATES(AS_STATE) NSTATES } State;

typedef struct {
    unsigned char now; /* State */
    unsigned char why; /* Event that led there */
    int penalty;       /* visits that are CPython's yet */
} Life;

/* What leads to a state: its name, the code and the text that Python has for it ("penalised since ..."). */
#define EVENTS(E)                                                                                                             \
    E(MADE, "made", "it was made")                                                                                            \
    E(COLD, "cold", "its code has not run for long enough to be worth compiling")                                             \
    E(HOT, "hot", "its code has run for long enough")                                                                         \
    E(ASKED, "asked", "no entry's guards held")                                                                               \
    E(COMPILED, "compiled", "the compiler was asked, and added nothing")                                                      \
    E(ADDED, "added", "an entry was compiled")                                                                                \
    E(REOPENED, "reopened", "a region may begin there")                                                                       \
    E(LIMIT, "limit", "as many versions were compiled as may be")                                                             \
    E(REPEATS, "repeats", "another version would be the same again")                                                          \
    E(UNPROFITABLE, "unprofitable", "there is nothing that would be faster compiled")                                         \
    E(FORGOTTEN, "forgotten", "what was compiled of its code was forgotten")                                                  \
    E(ERROR, "error", "the compiler failed")                                                                                  \
    E(VERIFY, "verify", "verify mode looks at frames there")                                                                  \
    E(THIS_FRAME, "this frame", "each version was of use for a moment only, in the frame that runs")                          \
    E(TIME, "time", "compiling took too long for what its code has run")                                                      \
    E(MISSES, "misses", NUMBER(MAX_MISSES) " misses in a row")                                                                \
    E(HIT, "hit", "an entry's guards held again")                                                                             \
    E(CROWD, "crowd", NUMBER(MAX_PENALISED) " visits at which one of its entries was penalised")                              \
    E(DECLINES, "declines", NUMBER(MAX_DECLINES) " visits with nothing to compute")                                           \
    E(KILLED, "killed", "its code is left to CPython, or was forgotten")                                                      \
    E(PENDING, "pending", "its kernels are being compiled, and NumPy's calls run meanwhile")                                  \
    E(TRIED, "tried", "it has to be faster than NumPy's calls")                                                               \
    E(READY, "ready", "its kernels are ready")                                                                                \
    E(WON, "won", "it was faster than NumPy's calls, once")                                                                   \
    E(LOST, "lost", "NumPy's calls were faster")                                                                              \
    E(AGAIN, "again", "it is compared with NumPy's calls once more")                                                          \
    E(DECIDED, "decided", "it was faster than NumPy's calls, twice")                                                          \
    E(POOR, "poor", "its runs lost more than they gained: short loops, or steps that failed")                                 \
    E(PAID, "paid", "its penalty is over")                                                                                    \
    E(FAILURES, "failures", NUMBER(MAX_FAILURES) " runs in a row failed")                                                     \
    E(NO_GAIN, "no gain", "there is nothing to compute, or no kernel for it")                                                 \
    E(IDLE, "idle", NUMBER(BACKOFF_CALLS) " calls in a row, or more, had nothing to do")                                      \
    E(WORKED, "worked", "a call had something to do")                                                                         \
    E(LONG, "long", "a call was a long one")

#define AS_EVENT(name, code, text) EVENT_##name,
typedef enum { EVENTS(AS_EVENT) NEVENTS } LifeEvent;

/* Follows the row of TRANSITIONS for this event, if there is one. `holds`: a point has entries, an entry has a baseline. */
__attribute__((cold)) void life_on(Life *life, LifeEvent event, int holds);

/* CPython's for so many visits; no more. */
static inline void life_penalise(Life *life, LifeEvent event, int visits) {
    life->penalty = visits;
    life_on(life, event, 0);
}

static inline void life_end_penalty(Life *life, LifeEvent event, int holds) {
    life->penalty = 0;
    life_on(life, event, holds);
}

/* (state, why, when it is looked at again: an int of visits, a float of seconds, None), new. Steals `again`, NULL: no memory. */
PyObject *life_told(const Life *life, PyObject *again);

/* A name that Python has for a reason to close a point → its event. -1 with an exception. */
int event_named(PyObject *name);

int state_init(PyObject *module);

#endif
