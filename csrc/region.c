#include "region.h"

#include "asking.h"
#include "budget.h"
#include "code_cache.h"
#include "collector.h"
#include "entries.h"
#include "everywhere.h"
#include "frame_hook.h"
#include "frame_state.h"
#include "meter.h"
#include "record.h"
#include "trial.h"

#include <math.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    int offset, depth;
    char closed;       /* a miss does not ask the compiler any more */
    char patient;      /* nobody is asked before its code is hot */
    unsigned visits;   /* while it was patient */
    unsigned skips;    /* visits at which nobody looks: its code will not be hot for long */
    unsigned long came_in; /* the run that came last meanwhile, */
    double came;           /* and when it came first */
    double looked_at;      /* when somebody looked, while the budget made it wait */
    char barren;       /* no entry computes anything: they say where there is nothing to compile */
    int stays;         /* frames that a barren point has left to CPython */
    int vain;          /* times in a row that a closed point's entries were asked and none held */
    unsigned passed;   /* times that a frame came by again since it was so, asked or not */
    int rest;          /* so often its entries are not asked: they did not pay */
    int late;          /* times that an entry held which was not the first, since they were put in order */
    int idle;          /* times in a row that one of several entries had its guards asked, and rested */
    unsigned long run; /* of the frame that came last */
    unsigned long left; /* the run in which the compiler is not asked any more */
    double later;      /* by budget_clock: it is not asked before */
    PyObject *entries; /* tuple of JitBaseEntry, most useful first */
    long hits, misses;
    MeterSlot *slot;   /* of a report: CPython from here on, where it is dead; NULL: none yet */
} Point;

/* A barren point is asked so often; asking costs as much as a small Python function. */
#define MOST_STAYS 1000

/* A loop whose index or shape changes each time asks eight entries in vain at each of its iterations. After so many in
 * a row a frame that comes by again asks now and then only, until an entry holds. */
#define MOST_VAIN 64
#define VAIN_SAMPLE 32

/* Where there are several entries, one that rests has its guards asked so often, until the point rests with it. */
#define MOST_IDLE 64
#define IDLE_REST 1000

static PyObject *compiler;

/* Where no trial says what a run saves (of loops, and of entries for many sizes, there is none): it would take three times as
 * long, which is less than the benchmarks' mean. */
#define SAVES 2.0
#define EACH 16   /* runs of which each is timed, */
#define SAMPLE 16 /* then one of so many: looking at the clock costs as much as a small kernel */

static void earned(Home *home, double seconds) {
    budget_earn(seconds);
    home->cost = fmax(home->cost - seconds, 0);
}

/* Of JITCORE=1's code: what it earns may be spent on more of it. */
static ExitKind run_earning(JitEntryHead *entry, FrameView *view, Transfer *out, Home *home) {
    double gain = entry->gain;
    int weight = gain != 0 ? 0 : entry->hits < EACH ? 1 : entry->hits % SAMPLE == 0 ? SAMPLE : 0;
    double start = weight ? trial_clock() : 0;
    ExitKind kind = entry->run(entry, view, out);
    if (kind == EXIT_MISS || kind == EXIT_STAY || kind == EXIT_RAISE)
        return kind;
    if (gain > 0 || weight)
        earned(home, gain > 0 ? gain : SAVES * weight * (trial_clock() - start));
    return kind;
}

/* Runs entries until one hits; `gain`: what that saves, as far as it is known. */
static ExitKind run_entries(Point *point, JitFrame *frame, Record *record, double *gain) {
    FrameView view;
    frame_view(frame, point->depth, &view);
    Home *home = map_of(JIT_CODE(frame))->home;
    PyObject *entries = Py_NewRef(point->entries);
    ExitKind kind = EXIT_MISS;
    for (Py_ssize_t i = 0; kind == EXIT_MISS && i < PyTuple_GET_SIZE(entries); i++) {
        JitEntryHead *entry = (JitEntryHead *)PyTuple_GET_ITEM(entries, i);
        Transfer *out = &record->transfer;
        kind = home->measured ? run_earning(entry, &view, out, home) : entry->run(entry, &view, out);
        *gain = entry->gain;
        if (kind != EXIT_MISS && kind != EXIT_RAISE && entries == point->entries)
            entries_answered(&point->entries, i, &point->late);
    }
    Py_DECREF(entries);
    return kind;
}

/* Leaves a transfer in the record; a raise carries its exception there. */
static PyObject *leave(Point *point, Record *record, ExitKind kind) {
    record->pending = 1;
    record->depth = point->depth;
    record->transfer.kind = kind;
    /* A loop that goes from point to point must let CPython look at signals and other threads: one round is then
     * CPython's, with the check in its JUMP_BACKWARD. */
    if (record->transfer.offset <= point->offset && jit_must_check(PyThreadState_Get()))
        record->transfer.through_point = 0;
    if (kind == EXIT_RAISE) {
        if (record->transfer.offset < 0)
            record->transfer.offset = point->offset;
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyErr_NormalizeException(&type, &value, &traceback);
        if (traceback != NULL)
            PyException_SetTraceback(value, traceback);
        Py_XDECREF(type);
        Py_XDECREF(traceback);
        record->error = value;
    }
    Py_RETURN_TRUE;
}

/* Looking at the clock costs as much as a small operation of NumPy's. */
#define CLOCK_ALWAYS 16
#define CLOCK_SAMPLE 16
#define SKIPS 15          /* of 16 rounds, where the budget makes code wait, */
#define SHORT_ROUND 50e-6 /* and they are so short */

/* Code that is hot because it is called often is compiled where its frames begin, or first pass a point without an entry:
 * not from somewhere in a loop on, unless this frame alone has been in it for long enough. */
static int is_for_another(const Point *point, const Record *record, const Home *home) {
    if (record->waits == NULL || record->waits == point || record->began == 0)
        return 0;
    return !everywhere_hot(home, everywhere_since(home, record->began));
}

static void skip_some(Point *point, Home *home, const JitFrame *frame) {
    double now = budget_clock(), since = now - point->looked_at;
    point->looked_at = now;
    if (since >= SHORT_ROUND) /* one round, or all that were skipped */
        return;
    point->skips = SKIPS;
    everywhere_passed(home, frame, SKIPS);
}

/* Has so much time been spent in its code that compiling it may pay? What a frame has done before it came here first, it has
 * done: a script that reads its data for a second, and then goes three rounds, gains nothing. */
static int hot_enough(Point *point, Record *record) {
    Home *home = map_of(JIT_CODE(record->frame))->home;
    if (home->hot && !point->patient && !is_for_another(point, record, home))
        return 1;
    unsigned visits = ++point->visits;
    everywhere_passed(home, record->frame, 1);
    int comes = point->came_in != record->serial;
    if (comes && !home->hot && record->began > 0) {
        point->came_in = record->serial;
        point->came = budget_clock();
    }
    if (!home->hot && record->began > 0 && (comes || visits < CLOCK_ALWAYS || visits % CLOCK_SAMPLE == 0 || budget_is_spent()))
        home->hot = everywhere_hot(home, home->spent + everywhere_since(home, point->came));
    int once = point->patient && visits == 1 && everywhere_seconds() > 0; /* nothing is gained */
    if (home->hot && !once && !is_for_another(point, record, home)) {
        point->patient = 0;
        return 1;
    }
    if (record->waits == NULL)
        record->waits = point;
    if (point->patient && visits > CLOCK_ALWAYS && budget_is_spent())
        skip_some(point, home, record->frame);
    return 0;
}

/* Another version, or the piece after a break, is made when the code has been hot once more. */
static void cool(Point *point, Home *home, Record *record, double cost) {
    if (!home->measured)
        return;
    home->hot = 0;
    home->spent = home->work = 0;
    home->cost += cost;
    record->began = point->came = home->cooled = budget_clock();
    record->waits = NULL;
    point->came_in = record->serial;
}

/* Asks the compiler for an entry for this frame. -1: it raised, at the instruction of an offset, -1: here. */
static int compile_here(Point *point, JitFrame *frame, Home *home, int *at) {
    collector_begin();
    PyObject *state = frame_state(frame, home->code, point->offset, point->depth);
    if (state == NULL) {
        collector_end();
        return -1;
    }
    jit_busy_enter();
    MeterSpan span = {0};
    meter_asked(home->meter, ++home->compiled);
    if (meter_is_on())
        meter_begin_compiling(&span, meter_code(home->code));
    PyObject *result = PyObject_CallFunctionObjArgs(compiler, (PyObject *)point, state, NULL);
    meter_end(&span);
    jit_busy_leave();
    if (result == NULL)
        *at = raise_as_the_frames();
    Py_DECREF(state);
    Py_XDECREF(result);
    collector_end();
    return result == NULL ? -1 : 0;
}

/* The frame goes on at the point's own instruction, in a newer C* that has more points. */
static PyObject *move_on(Point *point, Record *record) {
    record->transfer.offset = point->offset;
    record->transfer.through_point = 0;
    record->transfer.nstack = TRANSFER_KEEPS_STATE;
    return leave(point, record, EXIT_JUMP);
}

/* With an exception: that instruction of the frame raises it. */
static PyObject *raise_there(Point *point, Record *record, int offset) {
    record->transfer.offset = offset;
    record->transfer.through_point = 0;
    record->transfer.nstack = TRANSFER_KEEPS_STATE;
    return leave(point, record, EXIT_RAISE);
}

/* Its entries have not held for long, this frame has asked them before, and it is not yet time to ask again. */
static int passes_by(Point *point, const Record *record) {
    int again = point->run == record->serial;
    point->run = record->serial;
    return again && point->vain >= MOST_VAIN && ++point->passed % VAIN_SAMPLE != 0;
}

/* Compiling there took too long for what its code has run. */
static int is_too_soon(Point *point) {
    if (point->later > 0 && budget_clock() >= point->later)
        point->later = 0;
    return point->later > 0;
}

/* What a signal's handler raised may be the error of another function. */
static int is_of(JitFrame *frame, int offset) { return offset >= 0 && offset / 2 < map_of(JIT_CODE(frame))->units; }

static PyObject *missed(Point *point, JitFrame *frame, Record *record) {
    point->misses++;
    int closed = point->closed || point->left == record->serial || is_too_soon(point);
    if (closed && point->vain < MOST_VAIN)
        point->vain++;
    Home *home = map_of(JIT_CODE(frame))->home;
    if (closed || compiler == NULL || home->code == NULL || jit_busy())
        Py_RETURN_FALSE;
    if (!hot_enough(point, record))
        Py_RETURN_FALSE;
    if (home->measured && memory_is_traced())
        Py_RETURN_FALSE;
    if (!can_ask() || jit_must_check(PyThreadState_Get())) /* a signal's handler is to see the user's frame, not the compiler's */
        Py_RETURN_FALSE;
    jit_hook_worked();
    Spending opened = budget_open();
    PyObject *asked = compiler;
    int at = -1;
    int failed = compile_here(point, frame, home, &at) < 0;
    int starts = asked != compiler; /* the first question loads the compiler */
    double cost = budget_charge(opened, starts || !home->measured); /* nor is what was asked for by name */
    if (starts) {
        everywhere_loaded();
        cost = 0;
    }
    if (failed)
        return is_of(frame, at) ? raise_there(point, record, at) : NULL;
    cool(point, home, record, cost);
    double gain = 0;
    ExitKind kind = run_entries(point, frame, record, &gain);
    if (kind != EXIT_MISS && kind != EXIT_STAY)
        return leave(point, record, kind);
    if (home->cstar != NULL && home->cstar != JIT_CODE(frame))
        return move_on(point, record);
    Py_RETURN_FALSE;
}

/* Nothing stands at it, and nothing ever will. */
static int is_dead(const Point *point) {
    return point->closed && PyTuple_GET_SIZE(point->entries) == 0;
}

static int drop_entries(Point *point) {
    PyObject *none = PyTuple_New(0);
    if (none == NULL)
        return -1;
    point->closed = 1;
    Py_SETREF(point->entries, none);
    return 0;
}

/* A dead point is entered once in each C*, and then is a jump over itself there. */
static void bury(Point *point, PyCodeObject *cstar) {
    Map *map = map_of(cstar);
    int unit = point->offset / 2;
    if (map != NULL && unit >= 0 && unit < map->units && map->at_point[unit] >= 0)
        jit_jump_over(cstar, map->at_point[unit], map->at_instr[unit], (PyObject *)point);
}

#define MOST_METERED 1000 /* passes of a dead point of which a report has the time; then it costs nothing any more */

static int metered(Point *point) {
    if (point->slot == NULL && (point->slot = meter_slots(1)) == NULL)
        return 0;
    if (point->slot->times >= MOST_METERED)
        return 0;
    meter_enter(meter_here(), point->slot);
    return 1;
}

/* Asking it costs as much as what it saves; where there are several, another one may be worth it. */
static void rest_with_entry(Point *point) {
    if (PyTuple_GET_SIZE(point->entries) != 1)
        return;
    JitEntryHead *only = (JitEntryHead *)PyTuple_GET_ITEM(point->entries, 0);
    point->rest = only->rest;
    only->rest = 0;
}

/* One of several does: the others are left out with it for a while. */
static void rest_with_some(Point *point) {
    int resting = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(point->entries); i++)
        resting |= ((JitEntryHead *)PyTuple_GET_ITEM(point->entries, i))->rest > 0;
    if (!resting || ++point->idle < MOST_IDLE)
        return;
    point->idle = 0;
    point->rest = IDLE_REST;
}

static PyObject *point_enter(PyObject *self) {
    Point *point = (Point *)self;
    PyThreadState *ts = PyThreadState_Get();
    JitFrame *frame = JIT_CURRENT(ts);
    if (is_dead(point)) {
        if (meter_is_on() && metered(point))
            Py_RETURN_FALSE;
        bury(point, JIT_CODE(frame));
        Py_RETURN_FALSE;
    }
    if (point->rest > 0) {
        point->rest -= jit_hook_rested();
        Py_RETURN_FALSE;
    }
    if (point->skips > 0) {
        point->skips--;
        Py_RETURN_FALSE;
    }
    Record *record = record_for(frame);
    if (record == NULL || record->pending || jit_watched(ts))
        Py_RETURN_FALSE;
    if (point->patient && !hot_enough(point, record))
        Py_RETURN_FALSE;
    if (passes_by(point, record)) {
        point->misses++;
        Py_RETURN_FALSE;
    }
    double gain = 0;
    ExitKind kind = run_entries(point, frame, record, &gain);
    if (kind == EXIT_MISS)
        return missed(point, frame, record);
    if (kind == EXIT_STAY) {
        if (point->barren && ++point->stays >= MOST_STAYS)
            return drop_entries(point) < 0 ? NULL : Py_NewRef(Py_False);
        rest_with_some(point);
        Py_RETURN_FALSE;
    }
    point->hits++;
    point->vain = point->idle = 0;
    rest_with_entry(point);
    jit_hook_gained(gain);
    return leave(point, record, kind);
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
    PyObject *all = entries_with(point->entries, args);
    if (all == NULL)
        return NULL;
    Py_SETREF(point->entries, all);
    Py_RETURN_NONE;
}

static PyObject *point_close(PyObject *self, PyObject *ignored) {
    (void)ignored;
    ((Point *)self)->closed = 1;
    Py_RETURN_NONE;
}

static PyObject *point_leave_run(PyObject *self, PyObject *ignored) {
    (void)ignored;
    ((Point *)self)->left = ((Point *)self)->run;
    Py_RETURN_NONE;
}

static PyObject *point_wait(PyObject *self, PyObject *seconds) {
    double wanted = PyFloat_AsDouble(seconds);
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    ((Point *)self)->later = budget_clock() + wanted;
    Py_RETURN_NONE;
}

static PyObject *get_dead(PyObject *self, void *ignored) {
    (void)ignored;
    return PyBool_FromLong(is_dead((Point *)self));
}

static PyGetSetDef point_getset[] = {
    {"dead", get_dead, NULL, "closed, and without entries", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *point_kill(PyObject *self, PyObject *ignored) {
    (void)ignored;
    if (drop_entries((Point *)self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *point_metered(PyObject *self, PyObject *ignored) {
    (void)ignored;
    MeterSlot *slot = ((Point *)self)->slot;
    return slot ? meter_row(slot, Py_None) : Py_NewRef(Py_None);
}

static PyMethodDef point_methods[] = {
    {"metered", point_metered, METH_NOARGS,
     "The row (kind, None, times, seconds) of CPython's time from a dead point on, or None. After meter_read()."},
    {"add", point_add, METH_VARARGS, "add(entry, first=False): tried after the entries that are there, or before."},
    {"close", point_close, METH_NOARGS, "A miss does not ask the compiler any more."},
    {"leave_run", point_leave_run, METH_NOARGS, "As close, for as long as the frame runs that came last."},
    {"wait", point_wait, METH_O, "wait(seconds): as close, for so long; compiling does not count."},
    {"kill", point_kill, METH_NOARGS, "Drop the entries; always a miss from now on."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef point_members[] = {
    {"rest", T_INT, offsetof(Point, rest), READONLY, "so often its entries are not asked: they did not pay"},
    {"offset", T_INT, offsetof(Point, offset), READONLY, "byte offset in C"},
    {"depth", T_INT, offsetof(Point, depth), READONLY, "values on the stack there"},
    {"entries", T_OBJECT, offsetof(Point, entries), READONLY, NULL},
    {"hits", T_LONG, offsetof(Point, hits), READONLY, NULL},
    {"misses", T_LONG, offsetof(Point, misses), READONLY, NULL},
    {"closed", T_BOOL, offsetof(Point, closed), 0, NULL},
    {"run", T_ULONG, offsetof(Point, run), READONLY, "of the frame that came last: a number of its own"},
    {"vain", T_INT, offsetof(Point, vain), 0, "times in a row that its entries were asked and none held"},
    {"barren", T_BOOL, offsetof(Point, barren), 0, "no entry computes anything"},
    {"patient", T_BOOL, offsetof(Point, patient), 0, "nobody is asked before its code is hot"},
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

static PyMemberDef entry_members[] = {
    {"hits", T_LONG, offsetof(JitEntryHead, hits), READONLY, "times it ran to an exit"},
    {"rest", T_INT, offsetof(JitEntryHead, rest), READONLY, "runs for which the frame stays in CPython"},
    {"failures", T_LONG, offsetof(JitEntryHead, failures), READONLY,
     "times a step failed and CPython repeated the work"},
    {"gain", T_FLOAT, offsetof(JitEntryHead, gain), READONLY, "seconds that a run saved in its trial; 0: none was decided"},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject JitBaseEntry_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.BaseEntry",
    .tp_doc = "What a region point can run.",
    .tp_basicsize = sizeof(JitEntryHead),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_members = entry_members,
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

int region_init(PyObject *module) {
    if (PyModule_AddType(module, &Point_Type) < 0 || PyModule_AddType(module, &JitBaseEntry_Type) < 0)
        return -1;
    return PyModule_AddFunctions(module, methods);
}
