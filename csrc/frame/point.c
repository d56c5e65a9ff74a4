#include "frame/point.h"

#include "frame/activation.h"
#include "frame/ask_python.h"
#include "frame/code_map.h"
#include "frame/frame.h"
#include "frame/hook.h"
#include "host/gc_pause.h"
#include "observe/meter.h"
#include "plan/entry_order.h"
#include "policy/budget.h"
#include "policy/hotness.h"
#include "policy/point_state.h"
#include "policy/trial.h"

#include <math.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    int offset, depth;
    PointState state;
    PyObject *entries;   /* tuple of JitBaseEntry, most useful first */
    int hits_past_first; /* since the entries were sorted */
    long hits, misses;
    MeterSlot *slot;     /* of a report: CPython from here on, where the point is dead; NULL: none yet */
} Point;

static PyObject *compiler;

static void on(Point *point, LifeEvent event) { life_on(&point->state.life, event, PyTuple_GET_SIZE(point->entries) > 0); }

static void note_earned(CodeEntry *code_entry, double seconds) {
    budget_earn(seconds);
    code_entry->cost = fmax(code_entry->cost - seconds, 0);
}

/* Of JITCORE=1's code: what it earns may be spent on more of it. */
static ExitKind run_earning(JitEntryHead *entry, FrameView *view, Transfer *out, CodeEntry *code_entry) {
    double gain = entry->gain;
    int weight = gain != 0 ? 0 : entry->hits < TIME_EACH ? 1 : entry->hits % TIME_SAMPLE == 0 ? TIME_SAMPLE : 0;
    double start = weight ? trial_clock() : 0;
    ExitKind kind = entry->run(entry, view, out);
    if (kind == EXIT_MISS || kind == EXIT_DECLINED || kind == EXIT_RAISE)
        return kind;
    if (gain > 0 || weight)
        note_earned(code_entry, gain > 0 ? gain : SAVES * weight * (trial_clock() - start));
    return kind;
}

/* Runs entries until one hits; `gain`: what that saves, as far as it is known. */
static ExitKind run_entries_on_frame(Point *point, JitFrame *frame, Activation *activation, double *gain) {
    FrameView view;
    frame_view(frame, point->depth, &view);
    CodeEntry *code_entry = offset_map_of(JIT_CODE(frame))->code_entry;
    PyObject *entries = Py_NewRef(point->entries);
    ExitKind kind = EXIT_MISS;
    for (Py_ssize_t i = 0; kind == EXIT_MISS && i < PyTuple_GET_SIZE(entries); i++) {
        JitEntryHead *entry = (JitEntryHead *)PyTuple_GET_ITEM(entries, i);
        Transfer *out = &activation->transfer;
        kind = code_entry->measured ? run_earning(entry, &view, out, code_entry) : entry->run(entry, &view, out);
        *gain = entry->gain;
        if (kind != EXIT_MISS && kind != EXIT_RAISE && entries == point->entries)
            entries_promote(&point->entries, i, &point->hits_past_first);
    }
    Py_DECREF(entries);
    return kind;
}

/* Leaves the frame: the transfer is pending in the activation; a raise carries its exception there. */
static PyObject *exit_frame(Point *point, Activation *activation, ExitKind kind) {
    activation->pending = 1;
    activation->depth = point->depth;
    activation->transfer.kind = kind;
    /* A loop that goes from point to point must let CPython look at signals and other threads: one iteration is then
     * CPython's, with the check in its JUMP_BACKWARD. */
    if (activation->transfer.offset <= point->offset && jit_must_check(PyThreadState_Get()))
        activation->transfer.through_point = 0;
    if (kind == EXIT_RAISE) {
        if (activation->transfer.offset < 0)
            activation->transfer.offset = point->offset;
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyErr_NormalizeException(&type, &value, &traceback);
        if (traceback != NULL)
            PyException_SetTraceback(value, traceback);
        Py_XDECREF(type);
        Py_XDECREF(traceback);
        activation->error = value;
    }
    Py_RETURN_TRUE;
}

/* Asks the compiler for an entry for this frame. -1: it raised, at the instruction of an offset, -1: here. */
static int ask_compiler(Point *point, JitFrame *frame, CodeEntry *code_entry, int *at) {
    gc_pause_begin();
    PyObject *state = frame_state(frame, code_entry->code, point->offset, point->depth);
    if (state == NULL) {
        gc_pause_end();
        return -1;
    }
    jit_busy_enter();
    MeterSpan span = {0};
    meter_asked(code_entry->meter, ++code_entry->compiled);
    if (meter_is_on())
        meter_begin_compiling(&span, meter_code(code_entry->code));
    PyObject *result = PyObject_CallFunctionObjArgs(compiler, (PyObject *)point, state, NULL);
    meter_end(&span);
    jit_busy_leave();
    if (result == NULL)
        *at = raise_as_the_frames();
    Py_DECREF(state);
    Py_XDECREF(result);
    gc_pause_end();
    return result == NULL ? -1 : 0;
}

/* The frame goes on at the point's own instruction, in a newer C* that has more points. */
static PyObject *exit_to_newest(Point *point, Activation *activation) {
    activation->transfer.offset = point->offset;
    activation->transfer.through_point = 0;
    activation->transfer.nstack = TRANSFER_KEEPS_STATE;
    return exit_frame(point, activation, EXIT_JUMP);
}

/* With an exception: that instruction of the frame raises it. */
static PyObject *exit_raising(Point *point, Activation *activation, int offset) {
    activation->transfer.offset = offset;
    activation->transfer.through_point = 0;
    activation->transfer.nstack = TRANSFER_KEEPS_STATE;
    return exit_frame(point, activation, EXIT_RAISE);
}

/* What a signal's handler raised may be the error of another function. */
static int is_of(JitFrame *frame, int offset) { return offset >= 0 && offset / 2 < offset_map_of(JIT_CODE(frame))->units; }

/* After a miss: the compiler is asked, where it may be, and what it adds runs at once. */
static PyObject *compile_at_miss(Point *point, JitFrame *frame, Activation *activation) {
    point->misses++;
    int closed = point_state_miss(&point->state, activation);
    CodeEntry *code_entry = offset_map_of(JIT_CODE(frame))->code_entry;
    if (closed || compiler == NULL || code_entry->code == NULL || jit_busy())
        Py_RETURN_FALSE;
    if (!point_state_is_hot(&point->state, activation))
        Py_RETURN_FALSE;
    if (code_entry->measured && memory_is_traced())
        Py_RETURN_FALSE;
    if (!can_ask() || jit_must_check(PyThreadState_Get())) /* a signal's handler is to see the user's frame, not the compiler's */
        Py_RETURN_FALSE;
    jit_hook_worked();
    Spending opened = budget_open();
    PyObject *asked = compiler;
    int at = -1;
    on(point, EVENT_ASKED);
    int failed = ask_compiler(point, frame, code_entry, &at) < 0;
    on(point, EVENT_COMPILED);
    int starts = asked != compiler; /* the first question loads the compiler */
    double cost = budget_charge(opened, starts || !code_entry->measured); /* nor is what was asked for by name */
    if (starts) {
        hotness_loaded();
        cost = 0;
    }
    if (failed)
        return is_of(frame, at) ? exit_raising(point, activation, at) : NULL;
    point_state_cool(&point->state, code_entry, activation, cost);
    double gain = 0;
    ExitKind kind = run_entries_on_frame(point, frame, activation, &gain);
    if (kind != EXIT_MISS && kind != EXIT_DECLINED)
        return exit_frame(point, activation, kind);
    if (code_entry->cstar != NULL && code_entry->cstar != JIT_CODE(frame))
        return exit_to_newest(point, activation);
    Py_RETURN_FALSE;
}

static int drop_entries(Point *point, LifeEvent event) {
    PyObject *none = PyTuple_New(0);
    if (none == NULL)
        return -1;
    point->state.closed = 1;
    Py_SETREF(point->entries, none);
    on(point, event);
    return 0;
}

/* A dead point is entered once in each C*, and then is a jump over itself there. */
static void bury(Point *point, PyCodeObject *cstar) {
    OffsetMap *map = offset_map_of(cstar);
    int unit = point->offset / 2;
    if (map != NULL && unit >= 0 && unit < map->units && map->at_point[unit] >= 0)
        jit_jump_over(cstar, map->at_point[unit], map->at_instr[unit], (PyObject *)point);
}

#define MOST_METERED 1000 /* passes of a dead point of which a report has the time; then it costs nothing any more */

static int meter_dead_point(Point *point) {
    if (point->slot == NULL && (point->slot = meter_slots(1)) == NULL)
        return 0;
    if (point->slot->times >= MOST_METERED)
        return 0;
    meter_enter(meter_here(), point->slot);
    return 1;
}

/* Where nobody is asked. 0: it is cold, and the clock is to be looked at. */
static int pass_unasked(Point *point, JitFrame *frame) {
    PointState *state = &point->state;
    if (state->life.now == STATE_PENALISED)
        point_state_pay(state, jit_hook_penalised());
    else if (state->life.now == STATE_DEAD) {
        if (!meter_is_on() || !meter_dead_point(point))
            bury(point, JIT_CODE(frame));
    } else {
        if (state->visits_until_clock == 0)
            return 0;
        state->visits_until_clock--;
    }
    return 1;
}

static PyObject *point_enter(PyObject *self) {
    Point *point = (Point *)self;
    PyThreadState *ts = PyThreadState_Get();
    JitFrame *frame = JIT_CURRENT(ts);
    int unasked = point->state.life.now >= STATE_PENALISED;
    if (unasked && pass_unasked(point, frame))
        Py_RETURN_FALSE;
    Activation *activation = activation_of(frame);
    if (activation == NULL || activation->pending || jit_watched(ts))
        Py_RETURN_FALSE;
    if (unasked) {
        if (!point_state_is_hot(&point->state, activation))
            Py_RETURN_FALSE;
        on(point, EVENT_HOT);
    }
    if (point_state_is_backed_off(&point->state, activation)) {
        point->misses++;
        Py_RETURN_FALSE;
    }
    double gain = 0;
    ExitKind kind = run_entries_on_frame(point, frame, activation, &gain);
    if (kind == EXIT_MISS)
        return compile_at_miss(point, frame, activation);
    if (kind == EXIT_DECLINED) {
        if (point->state.always_declines && ++point->state.declines >= MAX_DECLINES)
            return drop_entries(point, EVENT_DECLINES) < 0 ? NULL : Py_NewRef(Py_False);
        if (entries_any_penalised(point->entries))
            point_state_note_penalised(&point->state);
        Py_RETURN_FALSE;
    }
    point->hits++;
    point_state_hit(&point->state);
    entries_take_penalty(point->entries, &point->state.life);
    jit_hook_gained(gain);
    return exit_frame(point, activation, kind);
}

static PyObject *point_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"offset", "depth", NULL};
    int offset, depth;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "ii", names, &offset, &depth))
        return NULL;
    Point *point = (Point *)type->tp_alloc(type, 0);
    if (point == NULL)
        return NULL;
    point->offset = offset;
    point->depth = depth;
    point->state.life.now = STATE_WARM;
    point->entries = PyTuple_New(0);
    if (point->entries == NULL)
        Py_CLEAR(point);
    return (PyObject *)point;
}

static void point_dealloc(PyObject *self) {
    Py_XDECREF(((Point *)self)->entries);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *point_add(PyObject *self, PyObject *args) {
    Point *point = (Point *)self;
    PyObject *all = entries_added(point->entries, args);
    if (all == NULL)
        return NULL;
    Py_SETREF(point->entries, all);
    on(point, EVENT_ADDED);
    Py_RETURN_NONE;
}

static PyObject *point_close(PyObject *self, PyObject *reason) {
    int event = event_named(reason);
    if (event < 0)
        return NULL;
    ((Point *)self)->state.closed = 1;
    on((Point *)self, (LifeEvent)event);
    Py_RETURN_NONE;
}

static PyObject *point_reopen(PyObject *self, PyObject *ignored) {
    (void)ignored;
    ((Point *)self)->state.closed = 0;
    on((Point *)self, EVENT_REOPENED);
    Py_RETURN_NONE;
}

static PyObject *point_leave_run(PyObject *self, PyObject *ignored) {
    (void)ignored;
    PointState *state = &((Point *)self)->state;
    state->closed_for = state->activation;
    on((Point *)self, EVENT_THIS_FRAME);
    Py_RETURN_NONE;
}

static PyObject *point_wait(PyObject *self, PyObject *seconds) {
    double wanted = PyFloat_AsDouble(seconds);
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    ((Point *)self)->state.closed_until = budget_clock() + wanted;
    if (wanted > 0)
        on((Point *)self, EVENT_TIME);
    Py_RETURN_NONE;
}

static PyObject *point_end_backoff(PyObject *self, PyObject *ignored) {
    (void)ignored;
    point_state_asked(&((Point *)self)->state, PyTuple_GET_SIZE(((Point *)self)->entries) > 0);
    Py_RETURN_NONE;
}

static PyObject *point_kill(PyObject *self, PyObject *ignored) {
    (void)ignored;
    if (drop_entries((Point *)self, EVENT_KILLED) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *is_in(PyObject *self, void *state) { return PyBool_FromLong(((Point *)self)->state.life.now == (State)(intptr_t)state); }

static int set_cold(PyObject *self, PyObject *value, void *ignored) {
    (void)ignored;
    int cold = value ? PyObject_IsTrue(value) : 0;
    if (cold >= 0)
        on((Point *)self, cold ? EVENT_COLD : EVENT_HOT);
    return cold < 0 ? -1 : 0;
}

static PyObject *get_life(PyObject *self, void *ignored) {
    (void)ignored;
    const PointState *state = &((Point *)self)->state;
    return life_told(&state->life, point_state_again(state));
}

static PyGetSetDef point_getset[] = {
    {"dead", is_in, NULL, "closed, and without entries", (void *)(intptr_t)STATE_DEAD},
    {"cold", is_in, set_cold, "nobody is asked before its code is hot", (void *)(intptr_t)STATE_COLD},
    {"life", get_life, NULL, "(state, why, looked at again: an int of visits, a float of seconds, None)", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *point_metered(PyObject *self, PyObject *ignored) {
    (void)ignored;
    MeterSlot *slot = ((Point *)self)->slot;
    return slot ? meter_row(slot, Py_None) : Py_NewRef(Py_None);
}

static PyMethodDef point_methods[] = {
    {"metered", point_metered, METH_NOARGS,
     "The row (kind, None, times, seconds) of CPython's time from a dead point on, or None. After meter_read()."},
    {"add", point_add, METH_VARARGS, "add(entry, first=False): tried after the entries that are there, or before."},
    {"close", point_close, METH_O, "close(why): a miss does not ask the compiler any more."},
    {"reopen", point_reopen, METH_NOARGS, "It does once more."},
    {"end_backoff", point_end_backoff, METH_NOARGS, "The entries are asked at the next visit."},
    {"leave_run", point_leave_run, METH_NOARGS, "As close, for as long as the frame runs that came last."},
    {"wait", point_wait, METH_O, "wait(seconds): as close, for so long; compiling does not count."},
    {"kill", point_kill, METH_NOARGS, "Drop the entries; always a miss from now on."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef point_members[] = {
    {"penalty", T_INT, offsetof(Point, state.life.penalty), READONLY, "so often its entries are not asked: they did not pay"},
    {"offset", T_INT, offsetof(Point, offset), READONLY, "byte offset in C"},
    {"depth", T_INT, offsetof(Point, depth), READONLY, "values on the stack there"},
    {"entries", T_OBJECT, offsetof(Point, entries), READONLY, NULL},
    {"hits", T_LONG, offsetof(Point, hits), READONLY, NULL},
    {"misses", T_LONG, offsetof(Point, misses), READONLY, NULL},
    {"closed", T_BOOL, offsetof(Point, state.closed), READONLY, NULL},
    {"activation", T_ULONG, offsetof(Point, state.activation), READONLY, "of the frame that came last: a number of its own"},
    {"misses_in_a_row", T_INT, offsetof(Point, state.misses_in_a_row), READONLY, "times in a row that its entries were asked and none held"},
    {"always_declines", T_BOOL, offsetof(Point, state.always_declines), 0, "no entry computes anything"},
    {NULL, 0, 0, 0, NULL},
};

static PyNumberMethods point_number = {.nb_invert = point_enter};

static PyTypeObject Point_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Point",
    .tp_doc = "Point(offset, depth): a region point, a constant of C*.",
    .tp_basicsize = sizeof(Point),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = point_new,
    .tp_dealloc = point_dealloc,
    .tp_methods = point_methods,
    .tp_members = point_members,
    .tp_getset = point_getset,
    .tp_as_number = &point_number,
};

static PyObject *set_compiler(PyObject *self, PyObject *callback) {
    (void)self;
    PyObject *before = compiler ? compiler : Py_NewRef(Py_None);
    compiler = callback == Py_None ? NULL : Py_NewRef(callback);
    return before;
}

static PyMethodDef methods[] = {
    {"set_compiler", set_compiler, METH_O,
     "set_compiler(fn): fn(point, FrameState) is called at a miss; what it raises is raised there. "
     "Gives the callback before."},
    {NULL, NULL, 0, NULL},
};

int point_init(PyObject *module) {
    if (PyModule_AddType(module, &Point_Type) < 0)
        return -1;
    return PyModule_AddFunctions(module, methods);
}
