/* JITCORE=1: code that will be worth a C*, as far as one sees before it runs, and the first call of such a function.
 *
 * A frame that runs plain code cannot be moved, so a function that is called once must start as a C*: the evaluation
 * function has to stand when that call comes. From CPython 3.12 on functions are seen when they are made, and one that
 * promises work with arrays calls the evaluation function in when it is first called. Before NumPy is imported, the one
 * frame that is awaited is that of the script.
 */
#ifndef JIT_PROMISE_H
#define JIT_PROMISE_H

#include "code_cache.h"

int promise_has_loop(PyCodeObject *code);
/* Does it import NumPy, or a part of it? */
int promise_imports_numpy(PyCodeObject *code);

/* NumPy is not there: is this the script, or a function, that imports it and loops? */
int promise_early(PyCodeObject *code, JitFrame *frame);
void promise_met(void); /* it is there */

/* From now on functions and modules are looked at when they are made; where CPython does not tell, nothing happens. */
int promise_watch(void);
int promise_is_watched(void);
/* Are there functions of the script's that have not been called and promise work? Always no where they are watched. */
int promise_is_open(void);

int promise_init(PyObject *module);

#endif
