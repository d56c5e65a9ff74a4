#include "budget.h"

#include "trial.h"

#include <sys/resource.h>

static double began, stood, spent;

static double processor(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Compilers are processes of their own. */
static double of_children(void) {
    struct rusage use;
    if (getrusage(RUSAGE_CHILDREN, &use) < 0)
        return 0;
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

double budget_clock(void) { return trial_clock() - stood; }

void budget_begin(void) {
    if (began == 0)
        began = processor(CLOCK_PROCESS_CPUTIME_ID);
}

Spending budget_open(void) {
    return (Spending){trial_clock(), processor(CLOCK_THREAD_CPUTIME_ID) + of_children()};
}

double budget_charge(Spending since) {
    Spending now = budget_open();
    double cost = now.processor - since.processor;
    stood += now.clock - since.clock;
    spent += cost;
    return cost;
}

int budget_is_spent(void) {
    if (began == 0 || spent <= BUDGET_SECONDS)
        return 0;
    return spent > BUDGET_SECONDS + BUDGET_SHARE * (processor(CLOCK_PROCESS_CPUTIME_ID) - began);
}
