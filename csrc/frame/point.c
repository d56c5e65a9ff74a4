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

static PyObject *compiler;

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
    point_on(point, EVENT_ASKED);
    int failed = ask_compiler(point, frame, code_entry, &at) < 0;
    point_on(point, EVENT_COMPILED);
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

PyObject *point_enter(PyObject *self) {
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
        point_on(point, EVENT_HOT);
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
            return point_drop_entries(point, EVENT_DECLINES) < 0 ? NULL : Py_NewRef(Py_False);
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
    return PyModule_AddType(module, &Point_Type) < 0 ? -1 : PyModule_AddFunctions(module, methods);
}
