#include "kernel/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "../jitcore/runtime_c/kernel_rt.h"

/* A ticket says all that a thread must know before it takes a part:
 *
 *   | helpers: 16 | parts: 16 | next: 16 |     next < parts: part `next` is to be had, by workers 0 .. helpers - 1
 *
 * Taking a part is a compare-and-swap of next to next + 1. Whoever succeeds holds a part of the job of now, because that
 * job cannot end before the part does: so only then are `fn`, `arg` and `control` read.
 */
#define TICKET(helpers, parts, next) ((u64)(helpers) << 32 | (u64)(parts) << 16 | (u64)(next))
#define HELPERS(ticket) ((int)((ticket) >> 32))
#define PARTS(ticket) ((int)((ticket) >> 16 & 0xffff))
#define NEXT(ticket) ((int)((ticket) & 0xffff))

#define STACK ((size_t)1 << 20)
#define LOOK_OUT 40000 /* ns that a worker looks for work before it sleeps: about what waking it costs */
#define LOOK_BACK 8000 /* ns that a launch looks whether the last parts are done: their worker may want this processor */
#define LATE 20000 /* ns */
#define MOST_ALONE 50

/* What of the floating-point unit a job takes along: rounding, flushing of denormals, traps. */
#if defined(__x86_64__)
typedef struct {
    u32 sse;
    u16 x87;
} Control;

static Control control_now(void) {
    Control now;
    __asm__ __volatile__("stmxcsr %0" : "=m"(now.sse));
    __asm__ __volatile__("fnstcw %0" : "=m"(now.x87));
    return now;
}

static void control_take(Control control) {
    control.sse &= ~(u32)0x3f; /* flags */
    __asm__ __volatile__("ldmxcsr %0" : : "m"(control.sse) : "memory");
    __asm__ __volatile__("fnclex\n\tfldcw %0" : : "m"(control.x87) : "memory");
}

static void relax(void) { __asm__ __volatile__("pause"); }
#else
typedef fenv_t Control;

static Control control_now(void) {
    Control now;
    fegetenv(&now);
    return now;
}

static void control_take(Control control) {
    fesetenv(&control);
    rt_clear();
}

#if defined(__aarch64__)
static void relax(void) { __asm__ __volatile__("isb"); }
#else
static void relax(void) {}
#endif
#endif

static atomic_int limit = 1;    /* threads at work at a time, those of the program included */
static atomic_int launches;     /* under way now */
static atomic_int busy;         /* there is a job */
static atomic_int left, status; /* of the job: parts not done, and what the others say */
static _Atomic(u64) ticket;
static WorkersPart *fn;
static void *arg;
static Control control;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static pthread_cond_t wake[MOST_THREADS]; /* set up when the worker starts */
static atomic_int asleep[MOST_THREADS];
static atomic_int waiting; /* for the last parts */
static atomic_int leaving; /* workers are to end */
static pthread_t workers[MOST_THREADS];
static atomic_int started; /* of them; changed by whoever has made the pool busy */
static int full;           /* the system gives no more: not asked again */
static int watching;       /* forks */
static _Thread_local int ended; /* workers did, for the fork that this thread makes */
static atomic_ullong jobs;
static atomic_int alone;  /* so many launches do without workers */
static atomic_int misses; /* how often workers came late, of late */

/* ---- looking and sleeping ------------------------------------------------------------------- */

static i64 nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (i64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int is_done(int worker) {
    (void)worker;
    return atomic_load(&left) == 0;
}

static int is_called(int worker) {
    u64 now = atomic_load(&ticket);
    return (NEXT(now) < PARTS(now) && worker < HELPERS(now)) || atomic_load(&leaving);
}

static int spin(int (*ready)(int), int worker) {
    for (int i = 0; i < 32; i++) {
        if (ready(worker))
            return 1;
        relax();
    }
    return 0;
}

/* Returns when `ready`. Whoever makes it ready looks at `sleeps` afterwards, so one of the two sees the other. */
static void sleep_until(int (*ready)(int), int worker, atomic_int *sleeps, pthread_cond_t *woken) {
    pthread_mutex_lock(&lock);
    atomic_store(sleeps, 1);
    while (!ready(worker))
        pthread_cond_wait(woken, &lock);
    atomic_store(sleeps, 0);
    pthread_mutex_unlock(&lock);
}

static void wake_up(atomic_int *sleeps, pthread_cond_t *woken) {
    if (!atomic_load(sleeps))
        return;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(woken);
    pthread_mutex_unlock(&lock);
}

/* ---- the work ------------------------------------------------------------------------------- */

/* The number of a part that is now this thread's; -1: there is none for it. */
static int take_part(int worker) {
    u64 now = atomic_load(&ticket);
    while (NEXT(now) < PARTS(now) && worker < HELPERS(now))
        if (atomic_compare_exchange_weak(&ticket, &now, now + 1))
            return NEXT(now);
    return -1;
}

static void *work(void *number) {
    int worker = (int)(intptr_t)number;
    while (!atomic_load(&leaving)) {
        i64 until = nanoseconds() + LOOK_OUT;
        int called = spin(is_called, worker);
        while (!called && sched_yield() == 0 && nanoseconds() < until) /* others may need this processor */
            called = spin(is_called, worker);
        if (!called)
            sleep_until(is_called, worker, &asleep[worker], &wake[worker]);
        for (int part; (part = take_part(worker)) >= 0;) {
            control_take(control);
            atomic_fetch_or(&status, fn(arg, part));
            if (atomic_fetch_sub(&left, 1) == 1)
                wake_up(&waiting, &done);
        }
    }
    return NULL;
}

/* ---- starting ------------------------------------------------------------------------------- */

/* Before a fork() workers end: CPython warns of forks in a process with several threads, and would not without us. While a
 * thread of the program launches, it has reason to. */
static void before_fork(void) {
    ended = !atomic_exchange(&busy, 1);
    if (!ended)
        return;
    atomic_store(&leaving, 1);
    for (int i = 0; i < started; i++)
        wake_up(&asleep[i], &wake[i]);
    for (int i = 0; i < started; i++)
        pthread_join(workers[i], NULL);
    atomic_store(&leaving, 0);
    started = full = 0;
}

static void after_fork(void) {
    if (ended)
        atomic_store(&busy, 0);
}

/* In the child there is one thread, and no launch is under way. */
static void begin_anew(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    atomic_store(&ticket, 0);
    atomic_store(&launches, 0);
    atomic_store(&waiting, 0);
    atomic_store(&leaving, 0);
    started = full = 0;
    atomic_store(&alone, 0);
    atomic_store(&misses, 0);
    atomic_store(&busy, 0);
}

static int start(int worker) {
    pthread_attr_t how;
    sigset_t all, before;
    pthread_cond_init(&wake[worker], NULL);
    atomic_store(&asleep[worker], 0);
    if (pthread_attr_init(&how) != 0)
        return -1;
    pthread_attr_setstacksize(&how, STACK);
    sigfillset(&all); /* signals are the program's threads' */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&workers[worker], &how, work, (void *)(intptr_t)worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
    return failed ? -1 : 0;
}

/* How many of so many workers there are, after starting those that are missing. */
static int prepare(int wanted) {
    if (wanted > 0 && !watching)
        watching = pthread_atfork(before_fork, after_fork, begin_anew) == 0;
    while (watching && started < wanted && !full) {
        full = start(started) < 0;
        started += !full;
    }
    return wanted < started ? wanted : started;
}

/* ---- a job ---------------------------------------------------------------------------------- */

/* Where this takes long, a worker has a part but no processor: others use them. The next launches do without, the more
 * of them the more often that happens. */
static void wait_for_others(i64 began) {
    i64 since = nanoseconds(), until = since + LOOK_BACK;
    int found = spin(is_done, -1);
    while (!found && nanoseconds() < until)
        found = spin(is_done, -1);
    if (!found)
        sleep_until(is_done, -1, &waiting, &done);
    if (nanoseconds() - since > LATE + (since - began) / 2)
        alone = misses = misses < MOST_ALONE ? 2 * misses + 1 : misses;
    else
        misses /= 2;
}

int workers_run(WorkersPart *part_fn, void *job, int parts, int *all) {
    if (atomic_exchange(&busy, 1))
        return -1;
    int threads = workers_threads(), helpers = 0;
    if (alone > 0)
        alone--;
    else
        helpers = prepare((threads < parts ? threads : parts) - 1);
    if (helpers < 1) {
        atomic_store(&busy, 0);
        return -1;
    }
    i64 began = nanoseconds();
    jobs++;
    fn = part_fn;
    arg = job;
    control = control_now();
    atomic_store(&status, 0);
    atomic_store(&left, parts);
    atomic_store(&ticket, TICKET(helpers, parts, 0));
    for (int i = 0; i < helpers; i++)
        wake_up(&asleep[i], &wake[i]);
    int own = 0;
    for (int part; (part = take_part(-1)) >= 0;) {
        own |= part_fn(job, part);
        atomic_fetch_sub(&left, 1);
    }
    wait_for_others(began);
    *all |= own | atomic_load(&status);
    atomic_store(&busy, 0);
    return 0;
}

void workers_enter(void) { atomic_fetch_add(&launches, 1); }

void workers_leave(void) { atomic_fetch_sub(&launches, 1); }

int workers_threads(void) {
    int free = atomic_load(&limit) - atomic_load(&launches) + 1;
    return free > 1 ? free : 1;
}

/* ---- for others ----------------------------------------------------------------------------- */

/* By these names threadpoolctl finds and calls them (jitcore/runtime/threadpools.py). */
__attribute__((visibility("default"))) int jitcore_get_num_threads(void) { return atomic_load(&limit); }

__attribute__((visibility("default"))) void jitcore_set_num_threads(int count) {
    atomic_store(&limit, count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : count);
}

static PyObject *threads(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return PyLong_FromLong(jitcore_get_num_threads());
}

static PyObject *set_threads(PyObject *self, PyObject *number) {
    (void)self;
    int overflow;
    long count = PyLong_AsLongAndOverflow(number, &overflow);
    if (count == -1 && PyErr_Occurred())
        return NULL;
    jitcore_set_num_threads(overflow > 0 || count > MOST_THREADS ? MOST_THREADS : (int)count);
    Py_RETURN_NONE;
}

static PyObject *workers_state(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    return Py_BuildValue("iK", atomic_load(&started), atomic_load(&jobs));
}

static PyObject *again(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    atomic_store(&alone, 0);
    atomic_store(&misses, 0);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"threads", threads, METH_NOARGS, "threads(): how many threads one kernel may use."},
    {"set_threads", set_threads, METH_O, "set_threads(count): how many threads one kernel may use."},
    {"threads_state", workers_state, METH_NOARGS, "threads_state(): (workers, launches that they had a share in)."},
    {"threads_again", again, METH_NOARGS, "threads_again(): forget that workers came late; for tests."},
    {NULL, NULL, 0, NULL},
};

int workers_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
