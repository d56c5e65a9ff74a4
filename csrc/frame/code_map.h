/* Per code object C a code entry: its newest C*, and what is known of its time. Per C* an offset map: where C's instructions went.
 *
 * Kept in co_extra of C (CodeEntry) and of each C* (OffsetMap). C owns its newest C*; a C* knows its CodeEntry, which outlives C.
 */
#ifndef JITCORE_FRAME_CODE_MAP_H
#define JITCORE_FRAME_CODE_MAP_H

#include "jitcore.h"

struct MeterCode;

typedef struct {
    long refs;
    PyCodeObject *code;  /* C, borrowed; NULL when it is gone */
    PyCodeObject *cstar; /* newest, owned; NULL: none */
    int asked;           /* the discover callback has seen C */
    char left_alone;     /* ... and made no C*: not ours, or of no use */
    char looked_at;      /* when a function was made of it (policy/predict.h), */
    char promising;      /* and then it promised work with arrays */
    char hot;            /* so much time was spent in it that compiling it may pay */
    char broken;         /* it has breaks that were no errors when they were met */
    char measured;       /* JITCORE=1 has found it: it can be so again */
    unsigned calls;      /* that the evaluation function has seen before C was asked about; saturates */
    unsigned compiled;   /* times that the compiler was asked for a region of it */
    unsigned heat;       /* times that NumPy was found at work for it */
    double spent;        /* seconds in its frames, their calls included, while it is not hot */
    double cooled;       /* when a piece of it was compiled, by budget_clock */
    double cost;         /* seconds that compiling its pieces took, less what they have saved */
    double work;         /* seconds, about, of NumPy's and of short iterations and calls, among those spent */
    struct MeterCode *meter; /* of a report; NULL: none yet */
} CodeEntry;

typedef struct {
    CodeEntry *code_entry;
    int units;                /* of C */
    int *at_point, *at_instr; /* C's code unit → C*'s: of the point before it, of the instruction itself */
    int return_unit;          /* of a RETURN_VALUE in C* */
} OffsetMap;

CodeEntry *code_entry_of(PyCodeObject *code);   /* NULL: unknown code, no exception */
CodeEntry *code_entry_make(PyCodeObject *code); /* NULL: exception */
OffsetMap *offset_map_of(PyCodeObject *cstar);  /* NULL: not a C*, no exception */
/* A CodeEntry that outlives its code for as long as it is held. */
CodeEntry *code_entry_hold(CodeEntry *code_entry);
void code_entry_release(CodeEntry *code_entry);
int code_map_init(PyObject *module);

#endif
