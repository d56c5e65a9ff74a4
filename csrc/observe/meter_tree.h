/* What the meter knows by code object, and by who called whom; as rows for Python.
 *
 *     code objects   one list, the newest first: frames, the time before and after compiling
 *     call tree      a root for each thread; a node for each code object that its caller's node has called
 *
 * Both are made once and never freed. A tree that is large or deep grows no more: calls are then charged to their caller's node.
 */
#ifndef JITCORE_OBSERVE_METER_TREE_H
#define JITCORE_OBSERVE_METER_TREE_H

#include "observe/meter.h"

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

typedef struct MeterNode {
    MeterCode *code; /* NULL: the root */
    struct MeterNode *up, *first, *next;
    int depth, number;
    int called; /* a compiled call that no frame has begun for */
    uint64_t times, ticks;
    uint64_t kinds[METER_NKINDS];
} MeterNode;

/* A new thread's root; NULL: memory ran out, no exception. */
MeterNode *meter_root(void);

/* One call further; where the tree is large or deep, `up` itself. */
MeterNode *meter_called_from(MeterNode *up, MeterCode *code);

/* New lists of rows, seconds at so many a tick; NULL with an exception. */
PyObject *meter_code_rows(double rate);
PyObject *meter_node_rows(double rate);

/* Appends a row, which it steals. -1 with an exception: the row is NULL, or memory ran out. */
int meter_append(PyObject *list, PyObject *row);

/* All times are 0. */
void meter_tree_clear(void);

#endif
