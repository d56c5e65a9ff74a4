#include "policy/state.h"

#include "policy/constants.h"

#define AT(name) (1u << STATE_##name)
#define ASKED_AT (AT(SERVING) | AT(WARM) | AT(COMPILING) | AT(BACKED_OFF) | AT(DECLINED))
#define ANYWHERE ((1u << NSTATES) - 1)

#define TEXT(number) #number
#define NUMBER(number) TEXT(number)

typedef enum { HOLDS_NONE = 1, HOLDS_SOME = 2, EITHER = 3 } Holds; /* entries, of a point; a baseline, of an entry */

typedef struct {
    LifeEvent event;
    unsigned from; /* states */
    Holds holds;
    State to;
} Transition;

static const Transition TRANSITIONS[] = {
    /* a point */
    {EVENT_COLD, AT(WARM) | AT(SERVING), EITHER, STATE_COLD},
    {EVENT_HOT, AT(COLD), HOLDS_NONE, STATE_WARM},
    {EVENT_HOT, AT(COLD), HOLDS_SOME, STATE_SERVING},
    {EVENT_ASKED, AT(WARM) | AT(SERVING) | AT(DECLINED), EITHER, STATE_COMPILING},
    {EVENT_COMPILED, AT(COMPILING), HOLDS_NONE, STATE_WARM},
    {EVENT_COMPILED, AT(COMPILING), HOLDS_SOME, STATE_SERVING},
    {EVENT_ADDED, AT(WARM) | AT(SERVING) | AT(COMPILING) | AT(DECLINED) | AT(DEAD), HOLDS_SOME, STATE_SERVING},
    {EVENT_REOPENED, AT(DEAD), HOLDS_NONE, STATE_WARM},
    {EVENT_LIMIT, ANYWHERE, HOLDS_NONE, STATE_DEAD},
    {EVENT_LIMIT, AT(SERVING) | AT(COMPILING), HOLDS_SOME, STATE_SERVING},
    {EVENT_REPEATS, ANYWHERE, HOLDS_NONE, STATE_DEAD},
    {EVENT_REPEATS, AT(SERVING) | AT(COMPILING), HOLDS_SOME, STATE_SERVING},
    {EVENT_UNPROFITABLE, ANYWHERE, HOLDS_NONE, STATE_DEAD},
    {EVENT_UNPROFITABLE, AT(SERVING) | AT(COMPILING), HOLDS_SOME, STATE_SERVING},
    {EVENT_FORGOTTEN, ANYWHERE, HOLDS_NONE, STATE_DEAD},
    {EVENT_FORGOTTEN, AT(SERVING) | AT(COMPILING), HOLDS_SOME, STATE_SERVING},
    {EVENT_ERROR, ANYWHERE, HOLDS_NONE, STATE_DEAD},
    {EVENT_ERROR, AT(SERVING) | AT(COMPILING), HOLDS_SOME, STATE_SERVING},
    {EVENT_VERIFY, ANYWHERE, HOLDS_NONE, STATE_DEAD},
    {EVENT_THIS_FRAME, AT(WARM) | AT(COMPILING) | AT(DECLINED), HOLDS_NONE, STATE_DECLINED},
    {EVENT_THIS_FRAME, AT(SERVING) | AT(COMPILING), HOLDS_SOME, STATE_SERVING},
    {EVENT_TIME, AT(WARM) | AT(COMPILING) | AT(DECLINED), HOLDS_NONE, STATE_DECLINED},
    {EVENT_TIME, AT(SERVING) | AT(COMPILING), HOLDS_SOME, STATE_SERVING},
    {EVENT_MISSES, AT(WARM) | AT(SERVING) | AT(COMPILING) | AT(DECLINED), EITHER, STATE_BACKED_OFF},
    {EVENT_HIT, AT(BACKED_OFF), HOLDS_NONE, STATE_WARM},
    {EVENT_HIT, AT(BACKED_OFF), HOLDS_SOME, STATE_SERVING},
    {EVENT_CROWD, ASKED_AT, EITHER, STATE_PENALISED},
    {EVENT_DECLINES, ANYWHERE, EITHER, STATE_DEAD},
    {EVENT_KILLED, ANYWHERE, EITHER, STATE_DEAD},
    /* a point, an entry, a function */
    {EVENT_POOR, ASKED_AT | AT(TRIAL), EITHER, STATE_PENALISED},
    {EVENT_PAID, AT(PENALISED), HOLDS_NONE, STATE_SERVING},
    /* an entry */
    {EVENT_PAID, AT(PENALISED), HOLDS_SOME, STATE_TRIAL},
    {EVENT_PENDING, AT(SERVING) | AT(TRIAL), EITHER, STATE_COMPILING},
    {EVENT_TRIED, AT(SERVING) | AT(TRIAL), EITHER, STATE_TRIAL},
    {EVENT_READY, AT(COMPILING), HOLDS_NONE, STATE_SERVING},
    {EVENT_READY, AT(COMPILING), HOLDS_SOME, STATE_TRIAL},
    {EVENT_WON, AT(TRIAL), EITHER, STATE_TRIAL},
    {EVENT_LOST, AT(TRIAL) | AT(PENALISED), EITHER, STATE_DECLINED},
    {EVENT_AGAIN, AT(DECLINED), EITHER, STATE_TRIAL},
    {EVENT_DECIDED, AT(TRIAL), EITHER, STATE_SERVING},
    {EVENT_FAILURES, AT(SERVING) | AT(TRIAL) | AT(PENALISED), EITHER, STATE_DEAD},
    {EVENT_NO_GAIN, ANYWHERE, EITHER, STATE_DECLINED},
    /* a function */
    {EVENT_IDLE, AT(SERVING), EITHER, STATE_BACKED_OFF},
    {EVENT_WORKED, AT(BACKED_OFF), EITHER, STATE_SERVING},
    {EVENT_LONG, AT(PENALISED) | AT(BACKED_OFF), EITHER, STATE_SERVING},
};

typedef struct {
    const char *name, *text;
} Reason;

#define AS_REASON(name, code, text) {code, text},
static const Reason REASONS[] = {EVENTS(AS_REASON)};

#define AS_NAME(name, text) text,
static const char *const NAMES[] = {STATES(AS_NAME)};

void life_on(Life *life, LifeEvent event, int holds) {
    for (const Transition *row = TRANSITIONS; row < TRANSITIONS + Py_ARRAY_LENGTH(TRANSITIONS); row++)
        if (row->event == event && row->from >> life->now & 1 && row->holds & (holds ? HOLDS_SOME : HOLDS_NONE)) {
            life->now = row->to;
            life->why = event;
            return;
        }
}

PyObject *life_told(const Life *life, PyObject *again) {
    return again ? Py_BuildValue("ssN", NAMES[life->now], REASONS[life->why].name, again) : NULL;
}

int event_named(PyObject *name) {
    for (int event = EVENT_LIMIT; PyUnicode_Check(name) && event <= EVENT_VERIFY; event++)
        if (PyUnicode_CompareWithASCIIString(name, REASONS[event].name) == 0)
            return event;
    PyErr_Format(PyExc_ValueError, "%R is no reason to close a point", name);
    return -1;
}

/* ---------------------------------------------------------------- for Python */

static PyObject *states_in(unsigned set) {
    PyObject *found = PyList_New(0);
    for (int state = 0; found != NULL && state < NSTATES; state++) {
        PyObject *name = set >> state & 1 ? PyUnicode_FromString(NAMES[state]) : NULL;
        if (name != NULL && PyList_Append(found, name) < 0)
            Py_CLEAR(found);
        Py_XDECREF(name);
    }
    return found;
}

static PyObject *transitions(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    PyObject *rows = PyList_New(0);
    for (size_t i = 0; rows != NULL && i < Py_ARRAY_LENGTH(TRANSITIONS); i++) {
        const Transition *t = &TRANSITIONS[i];
        PyObject *from = states_in(t->from);
        PyObject *row = from ? Py_BuildValue("Nssi", from, REASONS[t->event].name, NAMES[t->to], (int)t->holds) : NULL;
        if (row == NULL || PyList_Append(rows, row) < 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

static PyObject *reasons(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    PyObject *found = PyDict_New();
    for (int event = 0; found != NULL && event < NEVENTS; event++) {
        PyObject *text = PyUnicode_FromString(REASONS[event].text);
        if (text == NULL || PyDict_SetItemString(found, REASONS[event].name, text) < 0)
            Py_CLEAR(found);
        Py_XDECREF(text);
    }
    return found;
}

static PyMethodDef methods[] = {
    {"transitions", transitions, METH_NOARGS,
     "[([states], reason, state, 1: without, 2: with entries or a baseline, 3: either)]: the life of points, entries, functions."},
    {"reasons", reasons, METH_NOARGS, "{reason: what it says after \"since\"}."},
    {NULL, NULL, 0, NULL},
};

int state_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
