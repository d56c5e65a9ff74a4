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

#define BACKOFF_CALLS 64   /* idle calls in a row: the first threshold */
#define BACKOFF_SAMPLE 32  /* then one call of so many is a sample */
#define BACKOFF_MOST (1L << 30)
#define BACKOFF_FRAMES 512 /* of other functions, that weigh as much as an idle call */

typedef struct {
    long calls;     /* idle ones in a row, samples and skipped calls among them */
    long threshold; /* 0: BACKOFF_CALLS */
    char penalised; /* entries had a penalty in the last sample: they are of use again where a call is a long one */
} Backoff;

static inline long backoff_threshold(const Backoff *backoff) {
    return backoff->threshold ? backoff->threshold : BACKOFF_CALLS;
}

/* May this call go without the evaluation function? */
static inline int backoff_applies(Backoff *backoff) {
    if (backoff->calls < backoff_threshold(backoff))
        return 0;
    return ++backoff->calls % BACKOFF_SAMPLE != 0;
}

/* A plain call was a long one. */
static inline void backoff_end(Backoff *backoff) { backoff->calls = 0; }

/* How many calls a sample stands for. */
static inline int backoff_stride(const Backoff *backoff) { return backoff->calls < backoff_threshold(backoff) ? 1 : BACKOFF_SAMPLE; }

/* After a sample. `worked`: it entered compiled code, or met new code; `frames`: of other functions that ran in it. */
static inline void backoff_note(Backoff *backoff, int worked, unsigned long frames) {
    if (!worked) {
        long weight = 1 + (long)(frames / BACKOFF_FRAMES), room = backoff_threshold(backoff) - backoff->calls;
        if (room > 0)
            backoff->calls += weight < room ? weight : room;
        return;
    }
    if (backoff->calls >= backoff_threshold(backoff) && backoff->threshold < BACKOFF_MOST)
        backoff->threshold = 2 * backoff_threshold(backoff);
    backoff->calls = 0;
}

#endif
