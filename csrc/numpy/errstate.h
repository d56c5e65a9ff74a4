/* NumPy's error state: what np.geterr() and np.getbufsize() say, where NumPy keeps it. */
#ifndef JITCORE_NUMPY_ERRSTATE_H
#define JITCORE_NUMPY_ERRSTATE_H

#include "jitcore.h"

typedef struct {
    int mask;        /* three bits for each kind of error */
    Py_ssize_t bufsize;
} ErrState;

/* That of now. 0, or -1 with an exception. */
int errstate_now(ErrState *state);

/* Another state (a capsule of numpy._core.umath._make_extobj) from now on. The token that puts the old one back: a new
 * reference; NULL with an exception. */
PyObject *errstate_set(PyObject *extobj);

/* Puts it back. Keeps an exception that is set; steals the token. */
void errstate_reset(PyObject *token);

/* The RT_ flags of a kernel (kernel_rt.h) that this mask does not ignore. */
int errstate_flags(int mask);

int errstate_init(PyObject *module);

#endif
