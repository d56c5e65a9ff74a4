#include "observe/meter.h"

#include "frame/hook.h"
#include "observe/meter_tree.h"
#include "policy/cycles.h"
#include "policy/trial.h"

#include <unistd.h>

#define MOST_EVENTS 4096 /* when there are more, the shorter half of them goes */

typedef struct {
    MeterCode *code;
    unsigned long thread;
    int depth, compiling;
    uint64_t began, ticks;
} Event;

static int on;
static uint64_t seen;
static Event events[MOST_EVENTS];
static int nevents;
static uint64_t shortest, dropped;
static uint64_t ticks_then;
static double clock_then;
static pid_t process_then; /* one that is forked keeps what its parent had measured */

static __thread Meter now;

Meter *meter_here(void) { return &now; }

int meter_is_on(void) { return on; }

MeterSlot *meter_slots(Py_ssize_t count) { return PyMem_RawCalloc((size_t)count + 1, sizeof(MeterSlot)); }

static void move_to(MeterNode *node) {
    now.node = node;
    now.kinds = node->kinds;
}

static int begin_span(MeterSpan *span, MeterCode *code, MeterSlot *slot) {
    span->owner = now.owner;
    span->node = NULL;
    if (code == NULL || (now.spans > 0 && !now.live))
        return 0;
    if (now.node == NULL) {
        MeterNode *root = meter_root();
        if (root == NULL)
            return 0;
        move_to(root);
    }
    if (now.spans++ == 0) {
        span->owner = now.owner = NULL;
        now.weight = now.live = 1;
    }
    span->weight = now.weight;
    span->node = now.node;
    span->began = meter_charge(&now);
    now.owner = slot;
    return 1;
}

void meter_begin_call(MeterSpan *span, MeterCode *code, int weight) {
    if (!begin_span(span, code, code ? &code->begins : NULL))
        return;
    now.weight *= (uint64_t)weight;
    MeterNode *node = meter_called_from(now.node, code);
    node->times += now.weight;
    node->called = 1;
    move_to(node);
}

void meter_begin_frame(MeterSpan *span, MeterCode *code) {
    if (!begin_span(span, code, code ? &code->begins : NULL))
        return;
    code->frames += now.weight;
    code->begins.times += now.weight;
    MeterNode *node = now.node;
    if (node->code == code && node->called) { /* the frame of the compiled call that has begun */
        node->called = 0;
        return;
    }
    node = meter_called_from(node, code);
    node->times += now.weight;
    move_to(node);
}

void meter_begin_compiling(MeterSpan *span, MeterCode *code) {
    if (begin_span(span, code, code ? &code->compiling : NULL))
        code->compiling.times++;
}

void meter_asked(MeterCode *code, unsigned times) {
    if (code != NULL)
        code->asked = times;
}

MeterFrame meter_frame(MeterCode *code) {
    if (code == NULL || code->generator)
        return (MeterFrame){NULL, 0};
    return (MeterFrame){code, code->asked};
}

void meter_frame_ended(const MeterFrame *frame, uint64_t ticks) {
    MeterCode *code = frame->code;
    if (code == NULL || ticks == 0 || code->asked != frame->asked)
        return;
    if (frame->asked == 0) {
        code->before.times++;
        code->before.ticks += ticks;
    } else {
        code->after.times++;
        code->after.ticks += ticks;
    }
}

static int by_ticks(const void *a, const void *b) {
    uint64_t x = ((const Event *)a)->ticks, y = ((const Event *)b)->ticks;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void note_event(const Event *event) {
    if (event->ticks < shortest) {
        dropped++;
        return;
    }
    if (nevents == MOST_EVENTS) {
        qsort(events, MOST_EVENTS, sizeof(Event), by_ticks);
        nevents = MOST_EVENTS / 2;
        shortest = events[nevents].ticks + 1;
        dropped += MOST_EVENTS - nevents;
    }
    events[nevents++] = *event;
}

/* The calls that this one stands for were the outer owner's time, until now. */
static void charge_back(MeterSlot *owner, uint64_t *kinds, uint64_t ticks) {
    if (owner == NULL)
        return;
    owner->ticks -= ticks;
    kinds[owner->kind] -= ticks;
}

uint64_t meter_end(const MeterSpan *span) {
    if (span->node == NULL)
        return 0;
    MeterNode *node = now.node;
    MeterSlot *owner = now.owner;
    uint64_t ticks = meter_charge(&now) - span->began;
    int compiling = owner != NULL && owner->kind == METER_COMPILING;
    if (node != span->node) {
        node->ticks += ticks * now.weight;
        node->called = 0;
    }
    if (on && node->code != NULL && (node != span->node || compiling))
        note_event(&(Event){node->code, PyThread_get_thread_ident(), node->depth, compiling, span->began, ticks});
    uint64_t weight = now.weight;
    move_to(span->node);
    now.owner = span->owner;
    now.weight = span->weight;
    if (weight > span->weight)
        charge_back(now.owner, now.kinds, ticks * (weight - span->weight));
    now.live = --now.spans > 0;
    return ticks;
}

void meter_saw_frame(void) { seen++; }

/* ---------------------------------------------------------------- what Python sees */

static double per_tick(void) {
    uint64_t ticks = ticks_now() - ticks_then;
    double seconds = trial_clock() - clock_then;
    return ticks > 0 ? seconds / (double)ticks : 0;
}

static double last_rate;

PyObject *meter_row(const MeterSlot *slot, PyObject *what) {
    return Py_BuildValue("iOKd", (int)slot->kind, what, (unsigned long long)slot->times,
                         (double)(int64_t)slot->ticks * last_rate);
}

static PyObject *event_rows(void) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < nevents; i++) {
        Event e = events[i]; /* a copy, for the same reason */
        double began = e.began > ticks_then ? (double)(e.began - ticks_then) * last_rate : 0;
        PyObject *row = Py_BuildValue("OiOkiidd", e.code->filename, e.code->line, e.code->name, e.thread, e.depth,
                                      e.compiling, began, (double)e.ticks * last_rate);
        if (meter_append(list, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *meter_read(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    if (now.live)
        meter_charge(&now);
    last_rate = per_tick();
    PyObject *nodes = meter_node_rows(last_rate);
    if (nodes == NULL)
        return NULL;
    return Py_BuildValue("{sdsKsNsNsNsKsdsi}", "seconds", trial_clock() - clock_then, "frames", (unsigned long long)seen,
                         "codes", meter_code_rows(last_rate), "nodes", nodes, "events", event_rows(), "dropped",
                         (unsigned long long)dropped, "shortest", (double)shortest * last_rate, "process", (int)process_then);
}

static PyObject *meter_clear(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    meter_tree_clear();
    if (now.live)
        now.since = ticks_now();
    seen = shortest = dropped = 0;
    nevents = 0;
    ticks_then = ticks_now();
    clock_then = trial_clock();
    process_then = getpid();
    Py_RETURN_NONE;
}

static PyObject *meter(PyObject *self, PyObject *arg) {
    int before = on, wanted = PyObject_IsTrue(arg);
    if (wanted < 0)
        return NULL;
    if (clock_then == 0)
        Py_XDECREF(meter_clear(self, NULL));
    on = wanted;
    jit_hook_meter(on);
    return PyBool_FromLong(before);
}

static PyMethodDef methods[] = {
    {"meter", meter, METH_O, "meter(on): may time be measured? Gives what it was."},
    {"meter_read", meter_read, METH_NOARGS, "What has been measured, in seconds, as a dict."},
    {"meter_clear", meter_clear, METH_NOARGS, "Begin anew; entries keep what they have."},
    {NULL, NULL, 0, NULL},
};

static int add_kinds(PyObject *module) {
    static const char *const names[] = {
#define NAME(name) #name,
        METER_KINDS(NAME)
#undef NAME
    };
    PyObject *tuple = PyTuple_New(METER_NKINDS);
    for (int k = 0; tuple != NULL && k < METER_NKINDS; k++) {
        PyObject *name = PyUnicode_FromString(names[k]);
        if (name == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, k, name);
    }
    int failed = tuple == NULL || PyModule_AddObjectRef(module, "METER_KINDS", tuple) < 0;
    Py_XDECREF(tuple);
    return failed ? -1 : 0;
}

int meter_init(PyObject *module) { return add_kinds(module) < 0 ? -1 : PyModule_AddFunctions(module, methods); }
