/* What JITCORE=1 may spend on compiling, in seconds of the processor: compilers are charged for, waiting is not.
 *
 *     50 ms to be gained in code ──▶ it is hot: compiled, the seconds are charged, and it is cool again
 *     as long as all of its pieces have cost so far, and not saved ──▶ hot once more: another version, the piece after a break
 *     debt = charged - saved/2; allowed = 0.15 s + 1% of the program's time
 *     debt                      ──▶ hot after 1 + 20 (debt / allowed)^2 times as long, but not longer than what makes an
 *                                   average piece 1% of it
 *
 * The first question to the compiler loads it: that is the start, and no debt; nor is what jitcore.compile is asked for. So
 * what is spent in vain is the allowance, and little more, however many functions a program goes through, each for a moment;
 * where compiled code saves more than it has cost, the debt is gone, and nothing waits longer than 50 ms.
 */
#ifndef JITCORE_POLICY_BUDGET_H
#define JITCORE_POLICY_BUDGET_H


/* Seconds by a clock that stands while something is compiled, on any thread: compiling makes no code hot. */
double budget_clock(void);

typedef struct {
    double processor, children, wall; /* seconds */
} Spending;

typedef struct {
    double spent, saved;  /* by compiling, by what was compiled */
    double priced;        /* of what was spent, for so many pieces that took some time */
    int pieces;
    double program, wall; /* since it began, of the processor and by the clock */
} Account;

void budget_begin(void);
Spending budget_open(void);
double budget_charge(Spending since, int free); /* seconds of the processor; `free`: they are no debt */
void budget_earn(double seconds);                 /* that a run has saved */
int budget_is_spent(void); /* code waits 20 times as long, or longer */
/* The seconds in code that make it hot, where it would be so after that many. */
double budget_wait(double seconds);

/* Times as long as else, and not longer than that many seconds. */
double budget_times(const Account *account, double *most);
Account budget_account(void);

#endif
