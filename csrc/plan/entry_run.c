#include "plan/entry_run.h"

#include "guards/eval.h"
#include "policy/constants.h"

#define FEW_REGISTERS 64

static void penalise(Entry *self) {
    self->balance = -MAX_BALANCE / 2;
    life_penalise(&self->head.life, EVENT_POOR, ENTRY_PENALTY << self->penalties);
    self->penalties += self->penalties < MAX_DOUBLINGS;
}

/* One long loop outweighs many short ones. */
static inline void penalise_if_poor(Entry *self, int gain) {
    self->balance += gain;
    if (self->balance > 0)
        self->penalties = 0;
    if (self->balance > MAX_BALANCE)
        self->balance = MAX_BALANCE;
    if (self->balance <= -MAX_BALANCE)
        penalise(self);
}

METERED_VARIANT ExitKind run_guarded(Entry *self, FrameView *view, PyObject **regs, Transfer *out, Meter *meter, int *exit_taken) {
    PyObject *const *consts = ((PyTupleObject *)self->guard_consts)->ob_item;
    if (!guards_hold(self->guards, self->nguards, consts, view, regs, &self->last_miss))
        return EXIT_MISS;
    Life *life = &self->head.life;
    if (life->now == STATE_DECLINED || life->now == STATE_DEAD)
        return EXIT_DECLINED;
    if (life->penalty > 0) {
        if (--life->penalty == 0)
            life_on(life, EVENT_PAID, self->trial.baseline != NULL);
        return EXIT_DECLINED;
    }
    int failed, gain;
    ExitKind kind = meter ? plan_run_metered(&self->plan, view, regs, out, &failed, &gain, meter, slots_of_words(self), exit_taken)
                          : plan_run(&self->plan, view, regs, out, &failed, &gain);
    if (kind == EXIT_MISS && !failed) { /* a loop that was left: with a frame CPython goes on from there */
        self->needs_frame = ++self->side_exits_in_a_row >= MAX_FAILURES;
        return EXIT_MISS;
    }
    self->side_exits_in_a_row = 0;
    if (!failed) {
        self->head.hits++;
        self->failures_in_a_row = 0;
        penalise_if_poor(self, gain == 0 && self->balance < 0 ? SUCCESS_GAIN : gain);
        return kind;
    }
    self->head.failures++;
    if (++self->failures_in_a_row >= MAX_FAILURES)
        life_on(life, EVENT_FAILURES, 0);
    penalise_if_poor(self, -FAILURE_LOSS);
    return kind == EXIT_MISS ? EXIT_DECLINED : kind; /* another entry for these facts would fail, too */
}

METERED_VARIANT ExitKind run_entry(Entry *self, FrameView *view, Transfer *out, Meter *meter, int *exit_taken) {
    PyObject *few[FEW_REGISTERS], **regs = few;
    size_t bytes = self->nregs * sizeof(PyObject *);
    if (self->nregs > FEW_REGISTERS && (regs = PyMem_Malloc(bytes)) == NULL)
        return EXIT_MISS;
    memset(regs, 0, bytes);
    Py_INCREF(self);
    ExitKind kind = run_guarded(self, view, regs, out, meter, exit_taken);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback); /* releasing may run finalizers */
    for (int i = 0; i < self->nregs; i++)
        Py_XDECREF(regs[i]);
    PyErr_Restore(type, value, traceback);
    if (regs != few)
        PyMem_Free(regs);
    Py_DECREF(self);
    return kind;
}

static void note_verdict(Entry *self, Verdict verdict, const Meter *meter) {
    if (verdict == TRIAL_GOES_ON)
        return;
    life_on(&self->head.life, verdict == TRIAL_LOST ? EVENT_LOST : verdict == TRIAL_WON ? EVENT_WON : EVENT_DECIDED, 0);
    self->head.gain = (float)(self->trial.best[1] - self->trial.best[0]);
    if (verdict != TRIAL_DECIDED || self->trial.baseline == NULL)
        return;
    if (meter != NULL)
        Py_XSETREF(self->former, (JitEntryHead *)Py_NewRef(self->trial.baseline));
    Py_CLEAR(self->trial.baseline);
}

/* A run of the entry or of its baseline, timed. Errors and misses say nothing about speed. */
METERED_VARIANT ExitKind run_trial(Entry *self, FrameView *view, Transfer *out, Meter *meter, int *exit_taken) {
    Trial *trial = &self->trial;
    int baselines_turn = trial_turn(trial), runs = trial->runs;
    if (self->head.life.now == STATE_DECLINED)
        life_on(&self->head.life, EVENT_AGAIN, 1);
    Py_INCREF(self);
    JitEntryHead *baseline = (JitEntryHead *)Py_NewRef(trial->baseline);
    double start = trial_clock();
    ExitKind kind = baselines_turn ? baseline->run(baseline, view, out) : run_entry(self, view, out, meter, exit_taken);
    double seconds = trial_clock() - start;
    if (baselines_turn && kind != EXIT_MISS && kind != EXIT_DECLINED)
        self->head.hits++;
    if ((kind == EXIT_RETURN || kind == EXIT_JUMP) && trial->runs == runs) /* it may run inside itself */
        note_verdict(self, trial_note(trial, seconds), meter);
    Py_DECREF(baseline);
    Py_DECREF(self);
    return kind;
}

/* The baseline alone, untimed: what one of them does is no trial. */
static ExitKind run_baseline(Entry *self, FrameView *view, Transfer *out) {
    Py_INCREF(self);
    JitEntryHead *baseline = (JitEntryHead *)Py_NewRef(self->trial.baseline);
    ExitKind kind = baseline->run(baseline, view, out);
    if (kind != EXIT_MISS && kind != EXIT_DECLINED)
        self->head.hits++;
    Py_DECREF(baseline);
    Py_DECREF(self);
    return kind;
}

METERED_VARIANT ExitKind run_turn(Entry *self, FrameView *view, Transfer *out, Meter *meter, int *exit_taken) {
    if (self->needs_frame && view->frame == NULL)
        return EXIT_MISS;
    if (self->kernels_pending && self->trial.baseline)
        return run_baseline(self, view, out);
    if (trial_is_between_comparisons(&self->trial))
        return run_entry(self, view, out, meter, exit_taken);
    return run_trial(self, view, out, meter, exit_taken);
}

ExitKind entry_run(JitEntryHead *head, FrameView *view, Transfer *out) {
    return run_turn((Entry *)head, view, out, NULL, NULL);
}

#define OF_BASELINE (-1) /* the baseline has said itself whose the time is from here on */

ExitKind entry_run_metered(JitEntryHead *head, FrameView *view, Transfer *out) {
    Entry *self = (Entry *)head;
    MeterSlot *slots = self->slots; /* which outlive it */
    int exit_taken = OF_BASELINE;
    Meter *meter = meter_here();
    if (!meter->live) /* another call stands for this one */
        return entry_run(head, view, out);
    MeterSlot *before = meter_pass(meter, &slots[ENTRY_SLOT]);
    Py_INCREF(self);
    ExitKind kind = run_turn(self, view, out, meter, &exit_taken);
    if (kind == EXIT_MISS || view->frame == NULL)
        meter_pass(meter, before);
    else if (kind == EXIT_DECLINED)
        meter_enter(meter, &slots[DECLINED_SLOT]);
    else if (exit_taken != OF_BASELINE)
        meter_enter(meter, slot_after_exit(self, exit_taken));
    if (kind != EXIT_MISS && kind != EXIT_DECLINED)
        slots[ENTRY_SLOT].times += meter->weight;
    Py_DECREF(self);
    return kind;
}
