/* Does an entry pay? Its first runs take turns with a baseline that makes NumPy's own calls one by one: that is a comparison, and
 * the best time of each side decides it. Both give the same results, so that comparisons show in nothing but the time.
 *
 *     won  ──▶ 200 runs ──▶ won again ──▶ decided: it stays, and the baseline goes
 *     lost ──▶ it is declined: CPython's for 16 frames, then another comparison; for 64 after the next one that is lost …
 *
 * The second comparison of a winner: after compiling, caches are cold and the heap grows, which is worst for the one that makes
 * more arrays. That of a loser: all runs of a comparison lie within a fraction of a millisecond, and what takes a processor away,
 * or a worker's, takes it for longer than that. However often one has lost, comparisons go on, so rarely that they cost next to
 * nothing.
 */
#ifndef JITCORE_POLICY_TRIAL_H
#define JITCORE_POLICY_TRIAL_H

#include "frame/transfer.h"

#include <time.h>

typedef struct {
    JitEntryHead *baseline; /* owned; NULL: decided */
    int runs;               /* of this comparison */
    int won, lost;          /* comparisons: in a row, in all */
    int runs_until_comparison; /* of the winner, or of CPython as the loser's penalty */
    double best[2];         /* seconds; of the entry, of its baseline */
} Trial;

typedef enum { TRIAL_GOES_ON, TRIAL_WON, TRIAL_LOST, TRIAL_DECIDED } Verdict;

static inline double trial_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

extern int trials_held; /* calls that are being explained */

/* Is the entry to run, untimed? It counts towards the next comparison; always so while a call is explained. */
static inline int trial_is_between_comparisons(Trial *trial) {
    if (trial->baseline == NULL || trials_held > 0)
        return 1;
    if (trial->runs_until_comparison == 0)
        return 0;
    trial->runs_until_comparison--;
    return 1;
}

/* The baseline's turn? */
static inline int trial_turn(const Trial *trial) { return trial->runs & 1; }

/* From the beginning, against this one; borrowed. */
void trial_begin(Trial *trial, PyObject *baseline);

/* What a run took, of the side whose turn it was. TRIAL_DECIDED: the baseline is not needed any more, the caller drops it. */
Verdict trial_note(Trial *trial, double seconds);

int trial_init(PyObject *module);

#endif
