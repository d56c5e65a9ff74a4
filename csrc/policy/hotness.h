/* JITCORE=1: which code is worth a C*, found out without looking at most of it.
 *
 * NumPy's ufuncs count, while they are called: whoever makes them work is worth a look. So code without arrays is never
 * looked at, and the evaluation function is out until there is something for it to do:
 *
 *     ufunc call → count → every so often: look at the frame that called → its code gets warmer
 *     warm → the evaluation function stands → the next frame of that code is a C* with points that wait until it is hot
 *     frames without anything to do → the evaluation function goes
 */
#ifndef JITCORE_POLICY_HOTNESS_H
#define JITCORE_POLICY_HOTNESS_H

#include "frame/code_map.h"

/* A first frame of code that nobody has asked about: does it work with arrays, as far as one sees? */
int hotness_is_ripe(PyCodeObject *code, JitFrame *frame);

int hotness_is_on(void);

/* The time that might be gained in code before it is compiled; more where a good deal has been compiled in vain. */
double hotness_seconds(void);
int hotness_reached(const CodeEntry *code_entry, double spent);
/* What compiling might make less, in seconds for each of those in its frames. Above 1: short iterations, which count for more than
 * they take, as they gain most. */
double hotness_worth(const CodeEntry *code_entry, double spent);
/* Seconds since then, or since a piece of the code was compiled, whichever is later. */
double hotness_since(const CodeEntry *code_entry, double then);
/* Not hot yet, and there is something to gain: the evaluation function is to stay until then. */
int hotness_is_warming(const CodeEntry *code_entry);
/* One of its points was passed so often: a call, or an iteration of a loop, each. */
void hotness_passed(CodeEntry *code_entry, const JitFrame *frame, int times);
void hotness_loaded(void); /* the compiler, by the first question */
void hotness_prepared(double cost); /* seconds: looking at a code object, and making its C* */

/* Are there arrays, ufuncs or NumPy itself among the names that it reads? */
int hotness_names_numpy(PyCodeObject *code, PyObject *globals);

/* 1: a module of these names has NumPy among them. */
int hotness_has_numpy(PyObject *globals);

/* The evaluation function has had nothing to do, which has cost so many seconds: may it go? It has found something to do. */
int hotness_lets_hook_go(double stood);
void hotness_used_hook(void);

int hotness_init(PyObject *module);

#endif
