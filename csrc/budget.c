#include "budget.h"

#include "trial.h"

#include <pthread.h>
#include <sys/resource.h>

static double began, spent;
static double stood, stands_at; /* seconds that the clock stood; since when it does */
static int standing;            /* for so many that compile; under the GIL */

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

double budget_clock(void) { return (standing > 0 ? stands_at : trial_clock()) - stood; }

/* Who compiled in the parent's other threads does not end in a child. */
static void go_on(void) {
    if (standing > 0)
        stood += trial_clock() - stands_at;
    standing = 0;
}

void budget_begin(void) {
    if (began == 0)
        began = processor(CLOCK_PROCESS_CPUTIME_ID);
}

static double used(void) { return processor(CLOCK_THREAD_CPUTIME_ID) + of_children(); }

Spending budget_open(void) {
    static int minds_forks;
    if (!minds_forks)
        minds_forks = pthread_atfork(NULL, NULL, go_on) == 0;
    if (standing++ == 0)
        stands_at = trial_clock();
    return (Spending){used()};
}

double budget_charge(Spending since) {
    double cost = used() - since.processor;
    if (standing == 1)
        go_on();
    else if (standing > 1)
        standing--;
    spent += cost;
    return cost;
}

int budget_is_spent(void) {
    if (began == 0 || spent <= BUDGET_SECONDS)
        return 0;
    return spent > BUDGET_SECONDS + BUDGET_SHARE * (processor(CLOCK_PROCESS_CPUTIME_ID) - began);
}
