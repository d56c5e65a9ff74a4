/* JITCORE=1: which code is worth a C*, found out without looking at most of it.
 *
 * NumPy's ufuncs count, while they are called: whoever makes them work is worth a look. So code without arrays is never
 * looked at, and the evaluation function is out until there is something for it to do:
 *
 *     ufunc call → count → every so often: look at the frame that called → its code gets warmer
 *     warm → the evaluation function stands → the next frame of that code is a C* with points that wait until it is hot
 *     frames without anything to do → the evaluation function goes
 */
#ifndef JIT_EVERYWHERE_H
#define JIT_EVERYWHERE_H

#include "code_cache.h"

/* A first frame of code that nobody has asked about: does it work with arrays, as far as one sees? */
int everywhere_ripe(PyCodeObject *code, JitFrame *frame);

int everywhere_is_on(void);

/* The time that might be gained in code before it is compiled; more where a good deal has been compiled in vain. */
double everywhere_seconds(void);
int everywhere_hot(const Home *home, double spent);
/* What compiling might make less, in seconds for each of those in its frames. Above 1: short rounds, which count for more than
 * they take, as they gain most. */
double everywhere_worth(const Home *home, double spent);
/* Seconds since then, or since a piece of the code was compiled, whichever is later. */
double everywhere_since(const Home *home, double then);
/* Not hot yet, and there is something to gain: the evaluation function is to stay until then. */
int everywhere_warms(const Home *home);
/* One of its points was passed so often: a call, or a round of a loop, each. */
void everywhere_passed(Home *home, const JitFrame *frame, int times);
void everywhere_loaded(void); /* the compiler, by the first question */
void everywhere_prepared(double cost); /* seconds: looking at a code object, and making its C* */

/* Are there arrays, ufuncs or NumPy itself among the names that it reads? */
int everywhere_names_numpy(PyCodeObject *code, PyObject *globals);

/* 1: a module of these names has NumPy among them. */
int everywhere_has_numpy(PyObject *globals);

/* The evaluation function has had nothing to do, which has cost so many seconds: may it go? It has found something to do. */
int everywhere_rests(double stood);
void everywhere_worked(void);

int everywhere_init(PyObject *module);

#endif
