/* Where a program's time goes, while a report is wanted.
 *
 * At each moment a thread's time has one owner, a slot: a kernel, a NumPy call of a plan, CPython after some exit, the
 * compiler. Where the owner changes the clock is read, and what has passed is the former owner's; so all that passes between
 * the begin and the end of a compiled call is somebody's, once. A tree has the same time by who called whom.
 *
 * Without a report nothing of this is called: entries, compiled functions and the evaluation function then are other
 * functions than those that change owners. What is made here is never freed, as any thread may be in the midst of it.
 */
#ifndef JITCORE_OBSERVE_METER_H
#define JITCORE_OBSERVE_METER_H

#include "jitcore.h"
#include "policy/cycles.h"

#include <stdint.h>

#define METER_KINDS(X) \
    X(CPYTHON)   /* instructions that are not compiled, and all that they call */ \
    X(KERNEL)    \
    X(LOOP)      /* a native loop */ \
    X(CALL)      /* of NumPy, by a plan */ \
    X(ENTRY)     /* guards, and the state for what comes next */ \
    X(COMPILING)

typedef enum {
#define KIND(name) METER_##name,
    METER_KINDS(KIND)
#undef KIND
    METER_NKINDS
} MeterKind;

typedef struct {
    uint64_t ticks, times;
    MeterKind kind;
} MeterSlot;

/* Of a code object: CPython before its first region, or in calls for which nothing is looked at; the compiler; whole frames
 * before and after that. */
typedef struct MeterCode MeterCode;

/* Of a thread. */
typedef struct {
    MeterSlot *owner;
    uint64_t *kinds; /* of its place in the tree, the same time by kind */
    uint64_t since;
    uint64_t weight; /* so many calls this one stands for */
    int live;        /* in a span, and measured */
    int spans;
    void *node;
} Meter;

typedef struct {
    MeterSlot *owner;
    void *node;
    uint64_t began, weight;
} MeterSpan;

/* Is there a report? */
int meter_is_on(void);

/* Frames of a code object from beginning to end, with all that they called: those that ended before the compiler was asked
 * for it, and those that began after it was asked last. Not of generators. NULL for `code`: nothing. */
typedef struct {
    MeterCode *code;
    unsigned asked;
} MeterFrame;

void meter_asked(MeterCode *code, unsigned times);
MeterFrame meter_frame(MeterCode *code);
void meter_frame_ended(const MeterFrame *frame, uint64_t ticks);

/* Zeroed, for good. NULL: memory ran out, no exception. */
MeterSlot *meter_slots(Py_ssize_t count);

/* The code object's; NULL: memory ran out, no exception. */
MeterCode *meter_code(PyCodeObject *code);

Meter *meter_here(void);

static inline uint64_t meter_charge(Meter *m) {
    uint64_t ticks = ticks_now();
    if (m->owner != NULL && ticks > m->since) {
        uint64_t passed = (ticks - m->since) * m->weight;
        m->owner->ticks += passed;
        m->kinds[m->owner->kind] += passed;
    }
    return m->since = ticks;
}

/* From now on the time is `next`'s; gives whose it was. */
static inline MeterSlot *meter_pass(Meter *m, MeterSlot *next) {
    MeterSlot *before = m->owner;
    if (m->live) {
        meter_charge(m);
        m->owner = next;
    }
    return before;
}

/* And once more for `next`. */
static inline MeterSlot *meter_enter(Meter *m, MeterSlot *next) {
    if (m->live)
        next->times += m->weight;
    return meter_pass(m, next);
}

/* A call that nobody measures: another one stands for it. Gives what ends it. */
static inline int meter_silence(Meter *m) {
    int live = m->live;
    m->live = 0;
    m->spans++;
    return live;
}

static inline void meter_speak(Meter *m, int live) {
    m->live = live;
    m->spans--;
}

/* A compiled call, which stands for so many others; a frame; compiling for it. meter_end ends each of them; NULL: nothing was begun. */
void meter_begin_call(MeterSpan *span, MeterCode *code, int weight);
void meter_begin_frame(MeterSpan *span, MeterCode *code);
void meter_begin_compiling(MeterSpan *span, MeterCode *code);
uint64_t meter_end(const MeterSpan *span); /* its ticks */

/* A frame that the evaluation function was asked to run. */
void meter_saw_frame(void);

/* [(kind, what, times, seconds)]: `what` is `object`'s. NULL with an exception. */
PyObject *meter_row(const MeterSlot *slot, PyObject *what);

int meter_init(PyObject *module);

#endif
