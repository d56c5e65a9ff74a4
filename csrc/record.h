/* What is known of one run of a frame of a C*. */
#ifndef JIT_RECORD_H
#define JIT_RECORD_H

#include "transfer.h"

typedef struct Record {
    JitFrame *frame;
    unsigned long serial; /* of this run of a frame, on this thread */
    int pending;         /* `transfer` waits to be applied */
    int depth;           /* of the value stack at the point that was left */
    Transfer transfer;
    PyObject *error;     /* EXIT_RAISE: the exception, owned */
    double began;        /* by budget_clock, while its code is not hot; 0: nobody measures */
    void *waits;         /* the first point that it has passed while its code was not hot, since it was last asked for */
    struct Record *outer, *inner;
} Record;

/* The record of this very frame on this thread; NULL: it has none. */
Record *record_for(JitFrame *frame);

/* NULL: no memory. */
Record *record_begin(JitFrame *frame);
void record_end(Record *record);

/* The serial of the newest one on this thread. */
unsigned long records_begun(void);

#endif
