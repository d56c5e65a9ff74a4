/* The region point: guards → launch → transfer. A `_C.Point` is a constant of C*, entered by UNARY_INVERT (point.c); what else
 * Python does with one is in point_type.c.
 */
#ifndef JITCORE_FRAME_POINT_H
#define JITCORE_FRAME_POINT_H

#include "observe/meter.h"
#include "policy/point_state.h"

typedef struct {
    PyObject_HEAD
    int offset, depth;
    PointState state;
    PyObject *entries;   /* tuple of JitBaseEntry, most useful first */
    int hits_past_first; /* since the entries were sorted */
    long hits, misses;
    MeterSlot *slot;     /* of a report: CPython from here on, where the point is dead; NULL: none yet */
} Point;

extern PyTypeObject Point_Type;

static inline void point_on(Point *point, LifeEvent event) {
    life_on(&point->state.life, event, PyTuple_GET_SIZE(point->entries) > 0);
}

/* Nothing is asked there any more. 0, or -1 with an exception. */
int point_drop_entries(Point *point, LifeEvent event);

/* True: a transfer is pending, leave the frame. False: a miss. NULL only when the compiler callback raises. */
PyObject *point_enter(PyObject *self);

int point_init(PyObject *module);

#endif
