/* Every number of the policy, with its unit and why it is that many. What they do is drawn in policy/state.h. */
#ifndef JITCORE_POLICY_CONSTANTS_H
#define JITCORE_POLICY_CONSTANTS_H

/* ---------------------------------------------------------------- a point (policy/point_state.c, frame/point.c) */

#define MAX_MISSES 64          /* misses in a row while closed, then backoff: a loop whose index changes misses in eight entries each time */
#define BACKOFF_VISITS 32      /* visits, of which one asks the entries: what they cost is then a few percent */
#define MAX_DECLINES 1000      /* visits of a point without code, then it is dead: each costs as much as a small Python function */
#define MAX_PENALISED 64       /* visits that ask the guards of a penalised entry, then the point is: they cost as much as entries save */
#define POINT_PENALTY 1000     /* visits: asking again is a tenth of a percent */
#define CLOCK_ALWAYS 16        /* visits that look at the clock, each: a long call is noticed at once; then */
#define CLOCK_SAMPLE 16        /* visits, of which one does: the clock costs as much as a small operation of NumPy's */
#define CLOCK_BACKOFF 15       /* visits without, where the budget makes code wait: it will not be hot for long, */
#define SHORT_ITERATION 50e-6  /* seconds: and iterations are so short that the clock is felt */

/* ---------------------------------------------------------------- an entry (plan/entry_run.c, plan/entry_order.c) */

#define MAX_FAILURES 8         /* runs in a row that failed, then it is dead; and side exits in a row, then it needs a frame */
#define MAX_BALANCE 64000      /* thousandths of a launch lost, then it is penalised; and gained, at most: one long loop outweighs many short ones */
#define ENTRY_PENALTY 1000     /* visits, at first: trying again is a tenth of a percent; */
#define MAX_DOUBLINGS 4        /* times twice as many: what changes is noticed after 16,000 */
#define FAILURE_LOSS 4000      /* thousandths of a launch: CPython repeats a run that failed, and where more than one of five does, */
#define SUCCESS_GAIN 1000      /* on and on, it is no gain */
#define MOST_RECENT_HITS 1024  /* hits that count: what comes first today is not first for ever */
#define PROMOTE_AFTER 64       /* hits past the first entry, then entries are sorted: two that alternate keep their places */
#define SAVES 2.0              /* times its own run that a run is taken to save, where no trial says: less than the benchmarks' mean */
#define TIME_EACH 16           /* runs, each timed to see that, then */
#define TIME_SAMPLE 16         /* runs, of which one is: the clock costs as much as a small kernel */

/* ---------------------------------------------------------------- its trial (policy/trial.c) */

#define TRIAL_RUNS 8           /* runs of a comparison, four each: the best of four is not disturbed */
#define TRIAL_WINNER 200       /* runs of the winner until its second comparison: caches are warm by then */
#define TRIAL_MARGIN 1.1       /* times the baseline's time that the entry may take: what a noisy machine does to the faster one */
#define TRIAL_LEAVING 200e-9   /* seconds more that it may: asking a declined entry costs as much */
#define TRIAL_PENALTY 16       /* frames that are CPython's after the first comparison lost: a disturbed one costs little; */
#define TRIAL_GROWS 4          /* times as many after each further one, */
#define TRIAL_MOST 262144      /* frames, at most: it may be faster one day */
#define TRIAL_SHARE 128        /* and after the second one, frames for each of the baseline's runs that one of the entry's takes longer: 1/32 of the time */

/* ---------------------------------------------------------------- a compiled function (policy/backoff.h, frame/call.c) */

#define BACKOFF_CALLS 64       /* idle calls in a row, then backoff: the frame hook makes Python calls slower; twice as many after each use */
#define BACKOFF_SAMPLE 32      /* calls, of which one has the hook: what turns up later is found */
#define BACKOFF_MOST (1L << 30) /* calls: twice as many fit an int */
#define BACKOFF_FRAMES 512     /* frames of other functions that weigh as much as an idle call: each is slower */
#if defined(__x86_64__)
#define LONG_TICKS 20000       /* cycles of a call that is a long one: entries are of use in it */
#else
#define LONG_TICKS 7000        /* nanoseconds, likewise */
#endif

/* ---------------------------------------------------------------- JITCORE=1: hot code (policy/hotness.c) */

#define HOT_LOOK_EVERY 256         /* units of work of ufuncs between two looks at who calls: one costs as much as a few calls */
#define HOT_UNIT 2048              /* elements that are as much work as a call of a ufunc */
#define HOT_WARM 2                 /* looks that make code worth a C*: one may be chance, */
#define HOT_WARMER 16              /* or so many, where enough has been prepared already, */
#define HOT_OFTEN 256              /* or calls of a function with a loop */
#define HOT_MOST_UP 8              /* frames of libraries between a ufunc's call and the user's code: deeper ones are the library's work */
#define HOT_NEAR 2                 /* of them, where compiling that code may make the ufunc's work less */
#define HOT_MOST_NAMES 64          /* names looked up in a frame's globals: a frame has few that matter */
#define HOT_UNIT_SECONDS 1e-6      /* seconds that a call of a ufunc takes, and that compiling can make less */
#define HOT_PASS_SECONDS 5e-6      /* seconds, likewise, of what CPython does for a call or an iteration */
#define HOT_WORTH 4.0              /* times the work: calls that are no ufuncs', and what stands between them, take time, too */
#define HOT_MOST_WORTH 8.0         /* times the time spent: short iterations gain most */
#define HOT_SURE 4.0               /* worth of iterations of a loop over items: the gain is sure */
#define HOT_FULL 1.0               /* worth: all of the time may become less */
#define HOT_LEAST_WORK 0.05        /* of the time spent: frames that wait for a library have less */
#define HOT_FIRST_PIECE 200.0 /* times as long, for the first piece where there is little work: compiling is then a few percent */
#define HOT_FIRST_PATIENCE 5.0     /* times as long, for the first question: about what loading the compiler takes; */
#define HOT_FIRST_UNSURE 20.0      /* and where the gain is less sure */
#define HOT_FIRST_PROGRAM 160.0    /* times as long that the program has run, where not all may become less: loading is then 3% of it */
#define HOT_ASIDE_SECONDS 0.03     /* seconds of what is not compiling that no program notices, */
#define HOT_ASIDE_SHARE 0.005      /* and of the program's time */

/* ---------------------------------------------------------------- JITCORE=1: the budget (policy/budget.c) */

#define BUDGET_SECONDS 0.15    /* seconds of the processor in vain that a short program does not notice, */
#define BUDGET_SHARE 0.01      /* and of the program's time */
#define BUDGET_PATIENCE 20.0   /* times as long, once that is spent: less before, more after */
#define BUDGET_EARNED 0.5      /* of what compiled code has saved, that may be spent, too: the other half is the user's */
#define BUDGET_PIECE 0.01      /* seconds: where there was nothing to compile it takes less */
#define BUDGET_LOOK 0.01       /* seconds between two questions how long the program has run: each is a system call */
#define BUDGET_SLOWED 4.0      /* times that other programs may slow the wall's clock, at most */
#define COMPILERS_AT_ONCE 8    /* processes, at most: toolchain/parallel_map.py */

/* ---------------------------------------------------------------- JITCORE=1: the hook (policy/hook_lease.c, policy/predict.c) */

#define LEASE_FRAMES 20000           /* frames without use that the hook stays for: some milliseconds of Python calls */
#define LEASE_FRAMES_FOR_ONE 1000    /* frames, where one is about to come that is worth it */
#define LEASE_FRAME_SECONDS 150e-9   /* seconds that a call takes longer meanwhile, as nothing is specialised for it, either */
#define LEASE_WARM_SHARE 0.02        /* of the time in code that is about to be compiled, that the hook may cost */
#define LEASE_MOST_WAITS 50          /* times that the hook stays for functions that may never be called (CPython 3.11) */

#endif
