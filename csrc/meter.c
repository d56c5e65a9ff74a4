#include "meter.h"

#include "code_cache.h"
#include "frame_hook.h"
#include "ticks.h"
#include "trial.h"

#include <unistd.h>

#define MOST_NODES 20000
#define DEEPEST 100
#define MOST_EVENTS 4096 /* when there are more, the shorter half of them goes */

struct MeterCode {
    PyObject *filename, *name;
    int line, generator;
    unsigned asked; /* for a region of it */
    uint64_t frames;
    MeterSlot begins, compiling;
    struct {
        uint64_t times, ticks;
    } before, after; /* whole frames, see MeterFrame */
    MeterCode *next;
};

typedef struct Node {
    MeterCode *code; /* NULL: the root */
    struct Node *up, *first, *next;
    int depth, number;
    int called; /* a compiled call that no frame has begun for */
    uint64_t times, ticks;
    uint64_t kinds[METER_NKINDS];
} Node;

typedef struct {
    MeterCode *code;
    unsigned long thread;
    int depth, compiling;
    uint64_t began, ticks;
} Event;

static int on;
static MeterCode *codes;
static Node *roots; /* one a thread */
static int nnodes;
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

MeterCode *meter_code(PyCodeObject *code) {
    Home *home = home_make(code);
    if (home == NULL) {
        PyErr_Clear();
        return NULL;
    }
    if (home->meter != NULL)
        return home->meter;
    MeterCode *made = PyMem_RawCalloc(1, sizeof(MeterCode));
    if (made == NULL)
        return NULL;
    made->filename = Py_NewRef(code->co_filename);
    made->name = Py_NewRef(code->co_qualname);
    made->line = code->co_firstlineno;
    made->asked = home->compiled;
    made->generator = (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    made->compiling.kind = METER_COMPILING;
    made->next = codes;
    codes = made;
    return home->meter = made;
}

/* ---------------------------------------------------------------- who called whom */

static Node *node_make(Node *up, MeterCode *code) {
    Node *node = nnodes < MOST_NODES ? PyMem_RawCalloc(1, sizeof(Node)) : NULL;
    if (node == NULL)
        return NULL;
    node->code = code;
    node->up = up;
    node->depth = up ? up->depth + 1 : 0;
    node->number = nnodes++;
    Node **list = up ? &up->first : &roots;
    node->next = *list;
    return *list = node;
}

/* The thread's place in the tree, one call further; where the tree is large or deep, the place itself. */
static Node *called_from(Node *up, MeterCode *code) {
    for (Node **at = &up->first; *at != NULL; at = &(*at)->next)
        if ((*at)->code == code) {
            Node *found = *at;
            *at = found->next; /* the one that came last is first */
            found->next = up->first;
            return up->first = found;
        }
    Node *made = up->depth < DEEPEST ? node_make(up, code) : NULL;
    return made ? made : up;
}

static void move_to(Node *node) {
    now.node = node;
    now.kinds = node->kinds;
}

static int begin(MeterSpan *span, MeterCode *code, MeterSlot *slot) {
    span->owner = now.owner;
    span->node = NULL;
    if (code == NULL || (now.spans > 0 && !now.live))
        return 0;
    if (now.node == NULL) {
        Node *root = node_make(NULL, NULL);
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
    if (!begin(span, code, code ? &code->begins : NULL))
        return;
    now.weight *= (uint64_t)weight;
    Node *node = called_from(now.node, code);
    node->times += now.weight;
    node->called = 1;
    move_to(node);
}

void meter_begin_frame(MeterSpan *span, MeterCode *code) {
    if (!begin(span, code, code ? &code->begins : NULL))
        return;
    code->frames += now.weight;
    code->begins.times += now.weight;
    Node *node = now.node;
    if (node->code == code && node->called) { /* the frame of the compiled call that has begun */
        node->called = 0;
        return;
    }
    node = called_from(node, code);
    node->times += now.weight;
    move_to(node);
}

void meter_begin_compiling(MeterSpan *span, MeterCode *code) {
    if (begin(span, code, code ? &code->compiling : NULL))
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

static void note(const Event *event) {
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
static void give_back(MeterSlot *owner, uint64_t *kinds, uint64_t ticks) {
    if (owner == NULL)
        return;
    owner->ticks -= ticks;
    kinds[owner->kind] -= ticks;
}

uint64_t meter_end(const MeterSpan *span) {
    if (span->node == NULL)
        return 0;
    Node *node = now.node;
    MeterSlot *owner = now.owner;
    uint64_t ticks = meter_charge(&now) - span->began;
    int compiling = owner != NULL && owner->kind == METER_COMPILING;
    if (node != span->node) {
        node->ticks += ticks * now.weight;
        node->called = 0;
    }
    if (on && node->code != NULL && (node != span->node || compiling))
        note(&(Event){node->code, PyThread_get_thread_ident(), node->depth, compiling, span->began, ticks});
    uint64_t weight = now.weight;
    move_to(span->node);
    now.owner = span->owner;
    now.weight = span->weight;
    if (weight > span->weight)
        give_back(now.owner, now.kinds, ticks * (weight - span->weight));
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

static int append(PyObject *list, PyObject *row) {
    int failed = row == NULL || PyList_Append(list, row) < 0;
    Py_XDECREF(row);
    return failed ? -1 : 0;
}

static PyObject *code_rows(void) {
    PyObject *list = PyList_New(0);
    for (MeterCode *c = codes; list != NULL && c != NULL; c = c->next) {
        PyObject *row = Py_BuildValue("OiOKdKdKdKd", c->filename, c->line, c->name, (unsigned long long)c->frames,
                                      (double)(int64_t)c->begins.ticks * last_rate, (unsigned long long)c->compiling.times,
                                      (double)c->compiling.ticks * last_rate, (unsigned long long)c->before.times,
                                      (double)c->before.ticks * last_rate, (unsigned long long)c->after.times,
                                      (double)c->after.ticks * last_rate);
        if (append(list, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* A row for a node: (number, caller's or -1, file, line, name, times, seconds, seconds of each kind that are its own). */
static PyObject *node_row(const Node *node) {
    PyObject *kinds = PyTuple_New(METER_NKINDS);
    for (int k = 0; kinds != NULL && k < METER_NKINDS; k++)
        PyTuple_SET_ITEM(kinds, k, PyFloat_FromDouble((double)(int64_t)node->kinds[k] * last_rate));
    if (kinds == NULL)
        return NULL;
    const MeterCode *code = node->code;
    return Py_BuildValue("iiOiOKdN", node->number, node->up ? node->up->number : -1, code ? code->filename : Py_None,
                         code ? code->line : 0, code ? code->name : Py_None, (unsigned long long)node->times,
                         (double)node->ticks * last_rate, kinds);
}

/* Rows make the garbage collector come by, which may call what is measured: called_from() puts siblings in another order. */
static const Node **as_they_are(const Node *first, int *count) {
    *count = 0;
    for (const Node *node = first; node != NULL; node = node->next)
        ++*count;
    const Node **nodes = PyMem_RawMalloc((size_t)(*count + 1) * sizeof(Node *));
    for (int i = 0; nodes != NULL && i < *count; i++, first = first->next)
        nodes[i] = first;
    return nodes;
}

/* Each after that of its caller. */
static int node_rows(PyObject *list, const Node *first) {
    int count, failed = 0;
    const Node **nodes = as_they_are(first, &count);
    if (nodes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; !failed && i < count; i++)
        failed = append(list, node_row(nodes[i])) < 0 || node_rows(list, nodes[i]->first) < 0;
    PyMem_RawFree(nodes);
    return failed ? -1 : 0;
}

static PyObject *event_rows(void) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < nevents; i++) {
        Event e = events[i]; /* a copy, for the same reason */
        double began = e.began > ticks_then ? (double)(e.began - ticks_then) * last_rate : 0;
        PyObject *row = Py_BuildValue("OiOkiidd", e.code->filename, e.code->line, e.code->name, e.thread, e.depth,
                                      e.compiling, began, (double)e.ticks * last_rate);
        if (append(list, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *meter_read(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    if (now.live)
        meter_charge(&now);
    last_rate = per_tick();
    PyObject *nodes = PyList_New(0);
    if (nodes == NULL || node_rows(nodes, roots) < 0) {
        Py_XDECREF(nodes);
        return NULL;
    }
    return Py_BuildValue("{sdsKsNsNsNsKsdsi}", "seconds", trial_clock() - clock_then, "frames", (unsigned long long)seen,
                         "codes", code_rows(), "nodes", nodes, "events", event_rows(), "dropped",
                         (unsigned long long)dropped, "shortest", (double)shortest * last_rate, "process", (int)process_then);
}

static void node_clear(Node *node) {
    for (; node != NULL; node = node->next) {
        node->times = node->ticks = 0;
        memset(node->kinds, 0, sizeof(node->kinds));
        node_clear(node->first);
    }
}

static PyObject *meter_clear(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    for (MeterCode *c = codes; c != NULL; c = c->next) {
        c->frames = 0;
        c->begins.ticks = c->begins.times = c->compiling.ticks = c->compiling.times = 0;
        memset(&c->before, 0, sizeof(c->before));
        memset(&c->after, 0, sizeof(c->after));
    }
    node_clear(roots);
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
