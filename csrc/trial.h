/* Does an entry pay? Its first runs take turns with a rival that makes NumPy's own calls one by one; the faster of each
 * side's best times decides. Both give the same results, so that a trial shows in nothing but the time. An entry that
 * wins is tried once more later: after compiling, caches are cold and the heap grows, which is worst for the one that
 * makes more arrays.
 */
#ifndef JIT_TRIAL_H
#define JIT_TRIAL_H

#include "transfer.h"

#include <time.h>

#define TRIAL_RUNS 8          /* four each */
#define TRIAL_REST 200        /* runs of the winner until its second trial */
#define TRIAL_MARGIN 1.1      /* what a noisy machine may do to the faster one */
#define TRIAL_LEAVING 200e-9  /* seconds; asking a retired entry costs as much again */

typedef struct {
    JitEntryHead *rival; /* owned; NULL: decided */
    int runs, won;       /* of this trial; the first one */
    int rest;            /* runs until the second one */
    double best[2];      /* seconds; of the entry, of its rival */
} Trial;

static inline double trial_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The rival's turn? */
static inline int trial_turn(const Trial *trial) { return trial->runs & 1; }

static inline void trial_note(Trial *trial, double seconds) {
    double *best = &trial->best[trial_turn(trial)];
    if (trial->runs < 2 || seconds < *best)
        *best = seconds;
    trial->runs++;
}

static inline void trial_ends(Trial *trial) {
    trial->won = 1;
    trial->rest = TRIAL_REST;
    trial->runs = 0;
}

static inline int trial_lost(const Trial *trial) {
    return trial->best[0] > trial->best[1] * TRIAL_MARGIN + TRIAL_LEAVING;
}

#endif
