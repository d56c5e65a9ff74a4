/* The table of plan steps: name, operands. Exported to Python as _C.PLAN_OPS: name → (number, operands).
 *
 * `d` a register that is written, `r` an operand that is read: >= 0 a register, < 0 the constant ~x, PLAN_NULL is CPython's
 * NULL; `i` a plain number, `n` how many operands follow; `*` they follow, of KERNEL first those read, then those written; of
 * ROUTINE (a native loop) then the exits of its side exits.
 */
#ifndef JITCORE_PLAN_OPS_H
#define JITCORE_PLAN_OPS_H

#include <limits.h>

#define PLAN_NULL INT_MIN

#define PLAN_OPS(X)             \
    X(CALL, "drn*")             \
    X(CALL_KW, "drrn*")         \
    X(BUILD_TUPLE, "dn*")       \
    X(BUILD_LIST, "dn*")        \
    X(BUILD_SET, "dn*")         \
    X(BUILD_MAP, "dn*")         \
    X(BUILD_SLICE, "drrr")      \
    X(METHOD, "drr")            \
    X(FUNCTION, "drrrr")        \
    X(ADVANCE, "drr")           \
    X(TAKE, "drr")              \
    X(CELL_NEW, "dr")           \
    X(CELL_SET, "rr")           \
    X(GLOBAL_SET, "rr")         \
    X(GLOBAL_DEL, "r")          \
    X(ALIVE, "dr")              \
    X(NUMBER, "drn*")           \
    X(FREE, "d")                \
    X(KERNEL, "rnn*")           \
    X(ROUTINE, "rnnn*")         \
    X(WINDOW, "i")              \
    X(QUIET, "r")               \
    X(LOUD, "iri")              \
    X(EXIT, "i")

enum {
#define NUMBER(name, operands) P_##name,
    PLAN_OPS(NUMBER)
#undef NUMBER
};

#endif
