#include "policy/budget.h"

#include "policy/constants.h"
#include "policy/trial.h"

#include <math.h>
#include <pthread.h>
#include <sys/resource.h>

static int begun;
static double began, began_wall;
static Account account;
static double paused_seconds, paused_at; /* that the clock was paused; since when it is */
static int pauses;                       /* for so many that compile; under the GIL */

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

double budget_clock(void) { return (pauses > 0 ? paused_at : trial_clock()) - paused_seconds; }

static void resume_clock(void) {
    if (pauses > 0)
        paused_seconds += trial_clock() - paused_at;
    pauses = 0;
}

static void about_to_fork(void) { budget_account(); }

/* A child goes on with the program's account, though its processor's clock begins anew. Who compiled in the parent's other
 * threads does not end there. */
static void in_child(void) {
    began = processor(CLOCK_PROCESS_CPUTIME_ID) - account.program;
    resume_clock();
}

static void mind_forks(void) {
    static int minded;
    if (!minded)
        minded = pthread_atfork(about_to_fork, NULL, in_child) == 0;
}

void budget_begin(void) {
    if (begun)
        return;
    mind_forks();
    begun = 1;
    began = processor(CLOCK_PROCESS_CPUTIME_ID);
    began_wall = trial_clock();
}

Spending budget_open(void) {
    mind_forks();
    if (pauses++ == 0)
        paused_at = trial_clock();
    return (Spending){processor(CLOCK_THREAD_CPUTIME_ID), of_children(), trial_clock()};
}


/* The program's own children may end meanwhile, too: of them all, no more than its compilers can have taken. */
static double used_since(Spending opened) {
    double children = of_children() - opened.children;
    return processor(CLOCK_THREAD_CPUTIME_ID) - opened.processor + fmin(children, COMPILERS_AT_ONCE * (trial_clock() - opened.wall));
}


static double looked; /* when that was asked for; 0: not since something was charged */
static double times = 1, longest;

double budget_charge(Spending since, int free) {
    double cost = used_since(since);
    if (pauses == 1)
        resume_clock();
    else if (pauses > 1)
        pauses--;
    looked = 0;
    if (free)
        return cost;
    account.spent += cost;
    if (cost > BUDGET_PIECE) {
        account.priced += cost;
        account.pieces++;
    }
    return cost;
}

void budget_earn(double seconds) { account.saved += seconds; }

/* Others may use the processors, too: the clock that makes code hot is the wall's. */
static double slowed(const Account *a) {
    double found = a->program > 0 ? a->wall / a->program : 1;
    return found < 1 ? 1 : found > BUDGET_SLOWED ? BUDGET_SLOWED : found;
}

double budget_times(const Account *a, double *most) {
    double debt = a->spent - BUDGET_EARNED * a->saved, allowed = BUDGET_SECONDS + BUDGET_SHARE * a->program;
    *most = HUGE_VAL;
    if (debt <= 0)
        return 1;
    double slow = slowed(a), over = debt / allowed;
    if (a->pieces > 0)
        *most = a->priced / a->pieces / BUDGET_SHARE * slow;
    return (1 + BUDGET_PATIENCE * over * over) * slow;
}

Account budget_account(void) {
    account.program = processor(CLOCK_PROCESS_CPUTIME_ID) - began;
    account.wall = trial_clock() - began_wall;
    return account;
}

static double patience(void) {
    if (!begun || account.spent <= BUDGET_EARNED * account.saved)
        return 1;
    double now = trial_clock();
    if (looked == 0 || now - looked > BUDGET_LOOK) {
        looked = now;
        Account present = budget_account();
        times = budget_times(&present, &longest);
    }
    return times;
}

int budget_is_spent(void) { return patience() > BUDGET_PATIENCE; }

double budget_wait(double seconds) {
    double found = patience();
    return found > 1 ? fmax(fmin(found * seconds, longest), seconds) : seconds;
}
