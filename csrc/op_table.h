/* An X-macro table of instructions as Python sees it: a dict name → (number, operands). */
#ifndef JIT_OP_TABLE_H
#define JIT_OP_TABLE_H

#include "jitcore.h"

typedef struct {
    const char *name, *operands;
} OpRow;

/* 0, or -1 with an exception. */
int op_table_add(PyObject *module, const char *name, const OpRow *rows, int count);

#endif
