#include "policy/trial.h"

#include "policy/constants.h"

int trials_held;

void trial_begin(Trial *trial, PyObject *baseline) {
    Py_XSETREF(trial->baseline, (JitEntryHead *)Py_NewRef(baseline));
    trial->runs = trial->won = trial->lost = trial->runs_until_comparison = 0;
}

static int is_lost(const Trial *trial) { return trial->best[0] > trial->best[1] * TRIAL_MARGIN + TRIAL_LEAVING; }

/* A comparison costs four runs of the slower one: 1/32 of the time until then, at most. */
static int penalty_of_loser(const Trial *trial) {
    double penalty = TRIAL_PENALTY;
    for (int i = 1; i < trial->lost && penalty < TRIAL_MOST; i++)
        penalty *= TRIAL_GROWS;
    double worth = TRIAL_SHARE * (trial->best[0] / trial->best[1] - 1);
    if (trial->lost > 1 && worth > penalty)
        penalty = worth;
    return penalty < TRIAL_MOST ? (int)penalty : TRIAL_MOST;
}

Verdict trial_note(Trial *trial, double seconds) {
    double *best = &trial->best[trial_turn(trial)];
    if (trial->runs < 2 || seconds < *best)
        *best = seconds;
    if (++trial->runs < TRIAL_RUNS)
        return TRIAL_GOES_ON;
    trial->runs = 0;
    if (is_lost(trial)) {
        trial->won = 0;
        trial->lost += trial->lost < INT_MAX;
        trial->runs_until_comparison = penalty_of_loser(trial);
        return TRIAL_LOST;
    }
    trial->runs_until_comparison = TRIAL_WINNER;
    return ++trial->won > 1 ? TRIAL_DECIDED : TRIAL_WON;
}

/* ---- for tests ------------------------------------------------------------------------------- */

/* What runs, frame by frame: the entry, its baseline, or CPython. */
static char frame_of(Trial *trial, PyObject *clock, int *retired, int *decided) {
    if (*decided || trial->runs_until_comparison > 0) {
        trial->runs_until_comparison -= trial->runs_until_comparison > 0;
        return *retired ? 'c' : 'e';
    }
    int turn = trial_turn(trial);
    *retired = 0;
    PyObject *seconds = PyObject_CallFunction(clock, "i", turn);
    double took = seconds ? PyFloat_AsDouble(seconds) : -1;
    Py_XDECREF(seconds);
    if (PyErr_Occurred())
        return 0;
    Verdict verdict = trial_note(trial, took);
    *retired = verdict == TRIAL_LOST;
    *decided = verdict == TRIAL_DECIDED;
    return turn ? 'b' : 'e';
}

static PyObject *judged(PyObject *self, PyObject *args) {
    PyObject *clock, *made;
    int frames, retired = 0, decided = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &clock, &frames))
        return NULL;
    if (frames < 0 || (made = PyBytes_FromStringAndSize(NULL, frames)) == NULL)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "frames: 0 or more");
    Trial trial = {0};
    for (int i = 0; made != NULL && i < frames; i++) {
        char ran = frame_of(&trial, clock, &retired, &decided);
        PyBytes_AS_STRING(made)[i] = ran;
        if (ran == 0)
            Py_CLEAR(made);
    }
    return made;
}

static PyObject *hold_trials(PyObject *self, PyObject *arg) {
    int on = PyObject_IsTrue(arg);
    (void)self;
    if (on < 0)
        return NULL;
    trials_held += on ? 1 : -1;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"hold_trials", hold_trials, METH_O, "hold_trials(on): baselines have no turn until as many calls with False have come."},
    {"judged", judged, METH_VARARGS,
     "judged(clock, frames): for tests: what runs in so many frames where clock(0) is what the entry takes, clock(1) its "
     "baseline: of each frame e (the entry), b (the baseline) or c (CPython)."},
    {NULL, NULL, 0, NULL},
};

int trial_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
