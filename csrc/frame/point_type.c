#include "frame/point.h"

#include "observe/meter.h"
#include "plan/entry_order.h"
#include "policy/budget.h"

#include <structmember.h>

int point_drop_entries(Point *point, LifeEvent event) {
    PyObject *none = PyTuple_New(0);
    if (none == NULL)
        return -1;
    point->state.closed = 1;
    Py_SETREF(point->entries, none);
    point_on(point, event);
    return 0;
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
    point_on(point, EVENT_ADDED);
    Py_RETURN_NONE;
}

static PyObject *point_close(PyObject *self, PyObject *reason) {
    int event = event_named(reason);
    if (event < 0)
        return NULL;
    ((Point *)self)->state.closed = 1;
    point_on((Point *)self, (LifeEvent)event);
    Py_RETURN_NONE;
}

static PyObject *point_reopen(PyObject *self, PyObject *ignored) {
    (void)ignored;
    ((Point *)self)->state.closed = 0;
    point_on((Point *)self, EVENT_REOPENED);
    Py_RETURN_NONE;
}

static PyObject *point_leave_run(PyObject *self, PyObject *ignored) {
    (void)ignored;
    PointState *state = &((Point *)self)->state;
    state->closed_for = state->activation;
    point_on((Point *)self, EVENT_THIS_FRAME);
    Py_RETURN_NONE;
}

static PyObject *point_wait(PyObject *self, PyObject *seconds) {
    double wanted = PyFloat_AsDouble(seconds);
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    ((Point *)self)->state.closed_until = budget_clock() + wanted;
    if (wanted > 0)
        point_on((Point *)self, EVENT_TIME);
    Py_RETURN_NONE;
}

static PyObject *point_end_backoff(PyObject *self, PyObject *ignored) {
    (void)ignored;
    point_state_asked(&((Point *)self)->state, PyTuple_GET_SIZE(((Point *)self)->entries) > 0);
    Py_RETURN_NONE;
}

static PyObject *point_kill(PyObject *self, PyObject *ignored) {
    (void)ignored;
    if (point_drop_entries((Point *)self, EVENT_KILLED) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *is_in(PyObject *self, void *state) { return PyBool_FromLong(((Point *)self)->state.life.now == (State)(intptr_t)state); }

static int set_cold(PyObject *self, PyObject *value, void *ignored) {
    (void)ignored;
    int cold = value ? PyObject_IsTrue(value) : 0;
    if (cold >= 0)
        point_on((Point *)self, cold ? EVENT_COLD : EVENT_HOT);
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

PyTypeObject Point_Type = {
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
