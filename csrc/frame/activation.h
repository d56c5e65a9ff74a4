/* Activations: what is known of one run of a frame of a C*. */
#ifndef JITCORE_FRAME_ACTIVATION_H
#define JITCORE_FRAME_ACTIVATION_H

#include "frame/transfer.h"

typedef struct Activation {
    JitFrame *frame;
    unsigned long serial; /* of this run of a frame, on this thread */
    int pending;          /* `transfer` waits to be applied */
    int depth;            /* of the value stack at the point that was left */
    Transfer transfer;
    PyObject *error;      /* EXIT_RAISE: the exception, owned */
    double began;         /* by budget_clock, while its code is not hot; 0: its time is not measured */
    void *first_cold_point; /* that it has passed while its code was not hot, since the compiler was last asked: its state */
    struct Activation *outer, *inner;
} Activation;

/* The activation of this very frame on this thread; NULL: it has none. */
Activation *activation_of(JitFrame *frame);

/* NULL: no memory. */
Activation *activation_begin(JitFrame *frame);
void activation_end(Activation *activation);

/* The serial of the newest one on this thread. */
unsigned long activations_begun(void);

#endif
