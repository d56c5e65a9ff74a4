#include "frame/activation.h"

static __thread Activation *innermost;    /* most often the one that is asked for */
static __thread unsigned long begun; /* on this thread: each has a number of its own */

Activation *activation_of(JitFrame *frame) {
    Activation *activation = innermost;
    while (activation != NULL && activation->frame != frame)
        activation = activation->outer;
    return activation;
}

/* Activations are no part of the C stack, nor do they end in the order in which they began: greenlets swap stacks. */
Activation *activation_begin(JitFrame *frame) {
    Activation *activation = calloc(1, sizeof(Activation)); /* not among what the program is told of its memory */
    if (activation == NULL)
        return NULL;
    activation->frame = frame;
    activation->serial = ++begun;
    activation->outer = innermost;
    if (innermost != NULL)
        innermost->inner = activation;
    return innermost = activation;
}

void activation_end(Activation *activation) {
    if (activation->outer != NULL)
        activation->outer->inner = activation->inner;
    if (activation->inner != NULL)
        activation->inner->outer = activation->outer;
    else
        innermost = activation->outer;
    free(activation);
}

unsigned long activations_begun(void) { return begun; }
