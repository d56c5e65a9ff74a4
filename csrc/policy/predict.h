/* JITCORE=1: code that will be worth a C*, as far as one sees before it runs, and the first call of such a function.
 *
 * A frame that runs plain code cannot be moved, so a function that is called once must start as a C*: the evaluation
 * function has to stand when that call comes. From CPython 3.12 on functions are seen when they are made, and one that
 * promises work with arrays calls the evaluation function in when it is first called. Before NumPy is imported, the one
 * frame that is awaited is that of the script.
 */
#ifndef JITCORE_POLICY_PREDICT_H
#define JITCORE_POLICY_PREDICT_H

#include "frame/code_map.h"

int predict_has_loop(PyCodeObject *code);
/* Does it import NumPy, or a part of it? */
int predict_imports_numpy(PyCodeObject *code);

/* NumPy is not there: is this the script, or a function, that imports it and loops? */
int predict_early(PyCodeObject *code, JitFrame *frame);
void predict_met_numpy(void); /* it is there */

/* From now on functions and modules are looked at when they are made; where CPython does not tell, nothing happens. */
int predict_watch(void);
int predict_is_watching(void);
/* Are there functions of the script's that have not been called and promise work? Always no where they are watched. */
int predict_is_pending(void);

int predict_init(PyObject *module);

#endif
