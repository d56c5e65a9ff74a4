/* Is there anything to do in a function's calls? Where many in a row entered no compiled code and met no new code, they
 * go without entries and without the evaluation function, which makes Python calls slower, but for every few. What these
 * then find makes it more patient. A call in which very many other functions ran stands for several.
 */
#ifndef JIT_IDLE_H
#define JIT_IDLE_H

#define IDLE_PATIENCE 64      /* calls in a row, at first */
#define IDLE_SAMPLE 32        /* then one of so many looks again */
#define IDLE_MOST (1L << 30)
#define IDLE_FRAMES 512       /* of others, that weigh as much as a call */

typedef struct {
    long calls;    /* in a row, without anything to do */
    long patience; /* 0: IDLE_PATIENCE */
    char rests;    /* in the last one entries rested that will be of use where a call is a long one */
} Idle;

static inline long idle_patience(const Idle *idle) {
    return idle->patience ? idle->patience : IDLE_PATIENCE;
}

/* May this call go without the evaluation function? */
static inline int idle_skips(Idle *idle) {
    if (idle->calls < idle_patience(idle))
        return 0;
    return ++idle->calls % IDLE_SAMPLE != 0;
}

/* There may be something to do again. */
static inline void idle_ends(Idle *idle) { idle->calls = 0; }

/* How many calls one with it stands for. */
static inline int idle_stride(const Idle *idle) { return idle->calls < idle_patience(idle) ? 1 : IDLE_SAMPLE; }

/* After a call with it, in which so many frames ran that it had nothing to do for. */
static inline void idle_note(Idle *idle, int worked, unsigned long frames) {
    if (!worked) {
        long weight = 1 + (long)(frames / IDLE_FRAMES), room = idle_patience(idle) - idle->calls;
        if (room > 0)
            idle->calls += weight < room ? weight : room;
        return;
    }
    if (idle->calls >= idle_patience(idle) && idle->patience < IDLE_MOST)
        idle->patience = 2 * idle_patience(idle);
    idle->calls = 0;
}

#endif
