/* A call of what jitcore.compile returns: whole-function entries are run on the arguments, and the function otherwise. */
#ifndef JITCORE_FRAME_CALL_H
#define JITCORE_FRAME_CALL_H

#include "frame/transfer.h"
#include "policy/backoff.h"

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *wrapped;  /* a function */
    PyObject *original; /* the user's: that one, or the one that it is a copy of, for other options */
    PyObject *copied;   /* what the original ran when the copy was made */
    PyObject *code;     /* what the function ran when the first entry was made */
    PyObject *entries;  /* tuple of entries that need no frame, for `code` */
    PyObject *signature; /* tuple, for the first parameters: None, a class, an ArraySpec; NULL: nothing is asked */
    PyObject *wanted;    /* the same in Python's words */
    PyObject *controls; /* has functions of a dispatcher, by the names of its methods */
    PyObject *options;  /* str: a caller that is compiled with such may have the function in its own graphs; NULL: none */
    PyObject *config;   /* what it was asked to be compiled with; NULL: nothing was said */
    PyObject *carrier;  /* a function that goes into pickles for it; NULL: none was needed */
    PyObject *dict, *weakrefs;
    long hits, calls;
    Backoff backoff;
    int hits_past_first; /* since the entries were sorted */
    char off;           /* plain calls */
    int unmeasured;     /* so many calls, for which the one after them stands in a report, */
    int stands_for;     /* and for itself */
} CompiledFunction;

/* The vectorcall of a dispatcher; while a report is wanted, the other one. */
PyObject *function_call(PyObject *op, PyObject *const *args, size_t nargsf, PyObject *names);
PyObject *function_call_metered(PyObject *op, PyObject *const *args, size_t nargsf, PyObject *names);

#endif
