/* What JITCORE=1 may spend on compiling, in seconds of the processor: compilers are charged for, waiting is not.
 *
 *     50 ms in code            ──▶ it is hot: compiled, the seconds are charged, and it is cool again
 *     as long as that took     ──▶ hot once more: another version, the piece after a break
 *     two seconds are charged, and more than a share of the program's time ──▶ hot after 20 times as long
 *
 * So what is spent on code is at most what it has been used for; a program that stays in some thirty functions never
 * meets the limit, and one that goes through thousands, each for a moment, as a suite of tests does, loses little.
 */
#ifndef JIT_BUDGET_H
#define JIT_BUDGET_H

#define BUDGET_SECONDS 2.0   /* at once */
#define BUDGET_SHARE 0.03    /* of the program's time, from then on */
#define BUDGET_PATIENCE 20.0 /* times as long, once it is spent */

/* Seconds by a clock that stands while something is compiled, on any thread: compiling makes no code hot. */
double budget_clock(void);

typedef struct {
    double processor; /* seconds */
} Spending;

void budget_begin(void);
Spending budget_open(void);
double budget_charge(Spending since); /* seconds of the processor */
int budget_is_spent(void);

#endif
