#include "record.h"

static __thread Record *innermost;    /* most often the one that is asked for */
static __thread unsigned long begun; /* on this thread: each has a number of its own */

Record *record_for(JitFrame *frame) {
    Record *record = innermost;
    while (record != NULL && record->frame != frame)
        record = record->outer;
    return record;
}

/* Records are no part of the C stack, nor do they end in the order in which they began: greenlets swap stacks. */
Record *record_begin(JitFrame *frame) {
    Record *record = calloc(1, sizeof(Record)); /* not among what the program is told of its memory */
    if (record == NULL)
        return NULL;
    record->frame = frame;
    record->serial = ++begun;
    record->outer = innermost;
    if (innermost != NULL)
        innermost->inner = record;
    return innermost = record;
}

void record_end(Record *record) {
    if (record->outer != NULL)
        record->outer->inner = record->inner;
    if (record->inner != NULL)
        record->inner->outer = record->outer;
    else
        innermost = record->outer;
    free(record);
}

unsigned long records_begun(void) { return begun; }
