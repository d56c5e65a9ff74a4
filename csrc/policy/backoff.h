/* Backoff of a compiled function: after 64 calls in a row that entered no compiled code and met no new code, entries and the
 * evaluation function, which makes Python calls slower, are tried on every 32nd call only.
 *
 *     idle call             ──▶ calls + 1, and one more for every 512 frames of other functions in it
 *     calls ≥ threshold     ──▶ 31 of 32 calls are plain ones; the 32nd is a sample
 *     a sample does work    ──▶ calls = 0, threshold × 2
 *     a plain call is long  ──▶ calls = 0
 */
#ifndef JITCORE_POLICY_BACKOFF_H
#define JITCORE_POLICY_BACKOFF_H

#include "policy/constants.h"
#include "policy/state.h"

typedef struct {
    Life life;      /* its penalty: plain calls, taken over from the only entry */
    long calls;     /* idle ones in a row, samples and skipped calls among them */
    long threshold; /* 0: BACKOFF_CALLS */
    char penalised; /* entries had a penalty in the last sample: they are of use again where a call is a long one */
} Backoff;

static inline long backoff_threshold(const Backoff *backoff) {
    return backoff->threshold ? backoff->threshold : BACKOFF_CALLS;
}

static inline int backoff_is_on(const Backoff *backoff) { return backoff->calls >= backoff_threshold(backoff); }

/* May this call go without the evaluation function? */
static inline int backoff_applies(Backoff *backoff) {
    return backoff_is_on(backoff) && ++backoff->calls % BACKOFF_SAMPLE != 0;
}

/* A plain call was a long one. */
static inline void backoff_end(Backoff *backoff) {
    backoff->calls = 0;
    life_end_penalty(&backoff->life, EVENT_LONG, 0);
}

/* How many calls a sample stands for. */
static inline int backoff_stride(const Backoff *backoff) { return backoff_is_on(backoff) ? BACKOFF_SAMPLE : 1; }

/* After a sample. `worked`: it entered compiled code, or met new code; `frames`: of other functions that ran in it. */
static inline void backoff_note(Backoff *backoff, int worked, unsigned long frames) {
    if (!worked) {
        long weight = 1 + (long)(frames / BACKOFF_FRAMES), room = backoff_threshold(backoff) - backoff->calls;
        if (room > 0)
            backoff->calls += weight < room ? weight : room;
        if (room > 0 && weight >= room)
            life_on(&backoff->life, EVENT_IDLE, 0);
        return;
    }
    if (backoff_is_on(backoff)) {
        if (backoff->threshold < BACKOFF_MOST)
            backoff->threshold = 2 * backoff_threshold(backoff);
        life_on(&backoff->life, EVENT_WORKED, 0);
    }
    backoff->calls = 0;
}

#endif
