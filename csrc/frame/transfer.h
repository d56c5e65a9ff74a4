/* The seam between the frame machinery and entries.
 *
 * A region point hands an entry a FrameView; the entry leaves a Transfer, which says how the frame goes on.
 */
#ifndef JITCORE_FRAME_TRANSFER_H
#define JITCORE_FRAME_TRANSFER_H

#include "policy/state.h"

typedef struct {
    PyObject **locals;            /* localsplus of the frame, or the bound argument vector; borrowed */
    PyObject **stack;             /* borrowed */
    int depth;
    PyObject *globals, *builtins; /* borrowed */
    JitFrame *frame;              /* NULL: no frame */
} FrameView;

typedef enum {
    EXIT_MISS,
    EXIT_RETURN,
    EXIT_JUMP,
    EXIT_RAISE,
    EXIT_DECLINED /* not a miss: the guards hold, and the frame goes on in CPython; the transfer is empty */
} ExitKind;

#define TRANSFER_KEEPS_STATE (-1)

typedef struct {
    ExitKind kind;
    int offset;        /* byte offset in C where CPython goes on (JUMP), or of the instruction that raises */
    int through_point; /* JUMP: land on the region point before it, if one stands there */
    PyObject *value;   /* RETURN; owned */
    int nstack;        /* TRANSFER_KEEPS_STATE: stack and locals stay as they are */
    PyObject **stack;  /* owned, PyMem; NULL entries are CPython's NULLs */
    int nlocals;
    int *local_index;        /* PyMem */
    PyObject **local_value;  /* owned, PyMem; NULL: unbound */
} Transfer;

/* Releases what the transfer owns and makes it empty. */
void transfer_clear(Transfer *t);

/* Every entry object begins so. `run` never leaves an exception set, but for EXIT_RAISE. */
typedef struct JitEntryHead {
    PyObject_HEAD
    ExitKind (*run)(struct JitEntryHead *self, FrameView *view, Transfer *out);
    long hits, failures;
    Life life;       /* its penalty: runs that it declines, since it did not pay */
    int recent_hits; /* halved now and then, see entries_promote() */
    float gain;      /* seconds that a run saved in its trial; 0: none was decided */
} JitEntryHead;

extern PyTypeObject JitBaseEntry_Type; /* _C.BaseEntry */

#endif
