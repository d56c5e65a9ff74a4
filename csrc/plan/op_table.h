/* An X-macro table of instructions as Python sees it: a dict name → (number, operands). */
#ifndef JITCORE_PLAN_OP_TABLE_H
#define JITCORE_PLAN_OP_TABLE_H

#include "jitcore.h"

typedef struct {
    const char *name, *operands;
} OpRow;

/* 0, or -1 with an exception. */
int op_table_add(PyObject *module, const char *name, const OpRow *rows, int count);

#endif
