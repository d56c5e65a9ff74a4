/* Per code object: C's newest C*, and per C* where C's instructions went.
 *
 * Kept in co_extra of C (Home) and of each C* (Map). C owns its newest C*; a C* knows its Home, which outlives C.
 */
#ifndef JIT_CODE_CACHE_H
#define JIT_CODE_CACHE_H

#include "jitcore.h"

struct MeterCode;

typedef struct {
    long refs;
    PyCodeObject *code;  /* C, borrowed; NULL when it is gone */
    PyCodeObject *cstar; /* newest, owned; NULL: none */
    int asked;           /* the discover callback has seen C */
    char left;           /* ... and made no C*: not ours, or of no use */
    char looked_at, promises; /* when a function was made of it */
    char hot;            /* so much time was spent in it that compiling it may pay */
    char broken;         /* it has breaks that were no errors when they were met */
    char measured;       /* JITCORE=1 has found it: it can be so again */
    unsigned calls;      /* that the evaluation function has seen before C was asked about; saturates */
    unsigned compiled;   /* times that the compiler was asked for a region of it */
    unsigned heat;       /* times that NumPy was found at work for it */
    double spent;        /* seconds in its frames, their calls included, while it is not hot */
    double cooled;       /* when a piece of it was compiled, by budget_clock */
    double cost;         /* seconds that compiling its pieces took, less what they have saved */
    double work;         /* seconds, about, of NumPy's and of short rounds and calls, among those spent */
    struct MeterCode *meter; /* of a report; NULL: none yet */
} Home;

typedef struct {
    Home *home;
    int units;               /* of C */
    int *at_point, *at_instr; /* C's code unit → C*'s */
    int return_unit;         /* of a RETURN_VALUE in C* */
} Map;

Home *home_of(PyCodeObject *code);                /* NULL: unknown code, no exception */
Home *home_make(PyCodeObject *code);              /* NULL: exception */
Map *map_of(PyCodeObject *cstar);                 /* NULL: not a C*, no exception */
/* A Home that outlives its code for as long as it is held. */
Home *home_hold(Home *home);
void home_release(Home *home);
int code_cache_init(PyObject *module);

#endif
