/* The only file that names PY_VERSION_HEX: one spelling for what CPython 3.11, 3.12 and 3.13 spell differently. */
#ifndef JITCORE_COMPAT_H
#define JITCORE_COMPAT_H

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include <Python.h>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#if PY_VERSION_HEX >= 0x030d0000
#include "internal/pycore_ceval.h"
#endif
#include "internal/pycore_code.h"
#include "internal/pycore_dict.h"
#include "internal/pycore_frame.h"
#include "internal/pycore_gc.h"
#include "internal/pycore_interp.h"
#include "opcode.h"

#include "internal/pycore_object.h"
#pragma GCC diagnostic pop

typedef _PyInterpreterFrame JitFrame;

#if PY_VERSION_HEX >= 0x030d0000
#define JIT_CODE(f) ((PyCodeObject *)(f)->f_executable)
#define JIT_SET_CODE(f, c) ((f)->f_executable = (PyObject *)(c))
#define JIT_CURRENT(ts) ((ts)->current_frame)
#define JIT_SET_CURRENT(ts, f) ((ts)->current_frame = (f))
/* instr_ptr is the instruction itself. */
#define JIT_IP(f) ((f)->instr_ptr)
#define JIT_SET_NEXT(f, unit) ((f)->instr_ptr = _PyCode_CODE(JIT_CODE(f)) + (unit))
#define JIT_FRESH(f) ((f)->instr_ptr == _PyCode_CODE(JIT_CODE(f)))
#else
#define JIT_CODE(f) ((f)->f_code)
#define JIT_SET_CODE(f, c) ((f)->f_code = (PyCodeObject *)(c))
#define JIT_CURRENT(ts) ((ts)->cframe->current_frame)
#define JIT_SET_CURRENT(ts, f) ((void)(ts), (void)(f)) /* the evaluation function has put its cframe back */
/* prev_instr is the unit before the next instruction, or that of the running one. */
#define JIT_IP(f) ((f)->prev_instr)
#define JIT_SET_NEXT(f, unit) ((f)->prev_instr = _PyCode_CODE(JIT_CODE(f)) + (unit) - 1)
#define JIT_FRESH(f) ((f)->prev_instr == _PyCode_CODE(JIT_CODE(f)) - 1)
#endif
#if PY_VERSION_HEX >= 0x030c0000
#define JIT_FUNC(f) ((f)->f_funcobj)
#define JIT_IS_SHIM(f) ((f)->owner == FRAME_OWNED_BY_CSTACK) /* stands for a C function */
#else
#define JIT_IS_SHIM(f) ((void)(f), 0)
#define JIT_FUNC(f) ((PyObject *)(f)->f_func)
#endif
/* An exception thrown there finds the handler and the line of this instruction. (3.13 looks for the handler one unit
 * before it: the splicer puts a NOP where that would be another one.) */
#define JIT_SET_RUNNING(f, unit) (JIT_IP(f) = _PyCode_CODE(JIT_CODE(f)) + (unit))

/* The number that changes when a class or a base of it does; 0: none. */
#if PY_VERSION_HEX >= 0x030d0000
static inline unsigned jit_type_version(PyTypeObject *type) { return type->tp_version_tag; }
#else
static inline unsigned jit_type_version(PyTypeObject *type) {
    return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) ? type->tp_version_tag : 0;
}
#endif
static inline unsigned jit_assign_type_version(PyTypeObject *type) {
#if PY_VERSION_HEX >= 0x030c0000
    PyUnstable_Type_AssignVersionTag(type);
#else
    PyObject *name = PyUnicode_InternFromString("__doc__");
    if (name != NULL)
        _PyType_Lookup(type, name); /* a cached lookup assigns it */
    Py_XDECREF(name);
    PyErr_Clear();
#endif
    return jit_type_version(type);
}

#if PY_VERSION_HEX >= 0x030c0000
/* INTERPRETER_EXIT gives the C recursion back, but not the Python one. */
#define JIT_LEFT_RECURSION(ts) ((ts)->py_recursion_remaining++)
/* What one evaluation takes of the C recursion limit (PY_EVAL_C_STACK_UNITS of ceval.c), which CPython does not take for
 * Python calls when no evaluation function is installed. */
#define JIT_GIVE_C_RECURSION(ts, times) ((ts)->c_recursion_remaining += 2 * (times))
#define JIT_SET_EXTRA PyUnstable_Code_SetExtra
#define JIT_NEW_EXTRA_INDEX PyUnstable_Eval_RequestCodeExtraIndex
/* Is any byte set? Asked at each call. */
static inline int jit_any(const uint8_t *bytes, size_t count) {
    uint64_t word, all = 0;
    for (; count >= sizeof(word); count -= sizeof(word), bytes += sizeof(word)) {
        memcpy(&word, bytes, sizeof(word));
        all |= word;
    }
    while (count-- > 0)
        all |= *bytes++;
    return all != 0;
}
/* sys.monitoring.set_local_events() */
static inline int jit_code_monitored(PyCodeObject *code) {
    return code->_co_monitoring != NULL && jit_any(code->_co_monitoring->local_monitors.tools,
                                                   sizeof(code->_co_monitoring->local_monitors.tools));
}
static inline int jit_monitored(PyThreadState *ts) {
    return jit_any(ts->interp->monitors.tools, sizeof(ts->interp->monitors.tools));
}
#else
#define JIT_LEFT_RECURSION(ts) ((void)(ts)) /* RETURN_VALUE gave it back */
#define JIT_GIVE_C_RECURSION(ts, times) ((void)(ts), (void)(times)) /* one limit for all, which counts the same */
#define JIT_SET_EXTRA _PyCode_SetExtra
#define JIT_NEW_EXTRA_INDEX _PyEval_RequestCodeExtraIndex
static inline int jit_monitored(PyThreadState *ts) {
    (void)ts;
    return 0;
}
static inline int jit_code_monitored(PyCodeObject *code) {
    (void)code;
    return 0;
}
#endif

/* Objects/codeobject.c: what co_extra points to. The functions of all indices below ce_size are called when the code dies,
 * also where nothing was put. */
typedef struct {
    Py_ssize_t ce_size;
    void *ce_extras[1];
} JitExtras;
/* After something was put at `index`: who has the indices behind it is not called for what it did not put there. */
static inline void jit_trim_extras(PyCodeObject *code, Py_ssize_t index) {
    JitExtras *extras = (JitExtras *)code->co_extra;
    while (extras != NULL && extras->ce_size > index + 1 && extras->ce_extras[extras->ce_size - 1] == NULL)
        extras->ce_size--;
}

#if PY_VERSION_HEX >= 0x030c0000
#define JIT_WATCHES_FUNCTIONS /* PyFunction_AddWatcher(), and calls that mind a function's own vectorcall */
#endif

/* The items that are left of an iterator over a range: 0, if it is none. */
#if PY_VERSION_HEX >= 0x030c0000
#include "internal/pycore_range.h"
typedef _PyRangeIterObject JitRangeIter;
#define JIT_RANGE_AT(it) 0
#define JIT_RANGE_TAKE(it, n) ((it)->start += (n) * (it)->step, (it)->len -= (n))
#else
typedef struct {
    PyObject_HEAD
    long index, start, step, len;
} JitRangeIter;
#define JIT_RANGE_AT(it) ((it)->index)
#define JIT_RANGE_TAKE(it, n) ((it)->index += (n))
#endif
static inline int jit_is_range_iter(PyObject *obj) {
    return Py_IS_TYPE(obj, &PyRangeIter_Type) && Py_TYPE(obj)->tp_basicsize == sizeof(JitRangeIter);
}
static inline int jit_range_left(PyObject *obj, long *start, long *step, long *count) {
    JitRangeIter *it = (JitRangeIter *)obj;
    if (!jit_is_range_iter(obj))
        return 0;
    *step = it->step;
    *start = it->start + JIT_RANGE_AT(it) * it->step;
    *count = it->len - JIT_RANGE_AT(it);
    return 1;
}
/* Takes so many items from it. */
static inline int jit_range_take(PyObject *obj, long count) {
    long start, step, left;
    if (!jit_range_left(obj, &start, &step, &left) || count < 0 || count > left)
        return 0;
    JIT_RANGE_TAKE((JitRangeIter *)obj, count);
    return 1;
}

/* Where the evaluation loop's next check finds that a signal, another thread, ... waits: these bits of this word. */
#if PY_VERSION_HEX >= 0x030d0000
#define JIT_BREAKER(ts) ((const volatile unsigned *)&(ts)->eval_breaker + (PY_BIG_ENDIAN && sizeof(uintptr_t) > 4))
#define JIT_BREAKER_BITS ((unsigned)_PY_EVAL_EVENTS_MASK)
#else
#define JIT_BREAKER(ts) ((const volatile unsigned *)&(ts)->interp->ceval.eval_breaker)
#define JIT_BREAKER_BITS (~0u)
#endif

/* A signal, another thread that wants the GIL, … waits for the evaluation loop's next check. */
#if PY_VERSION_HEX >= 0x030d0000
static inline int jit_must_check(PyThreadState *ts) {
    return (_Py_atomic_load_uintptr_relaxed(&ts->eval_breaker) & _PY_EVAL_EVENTS_MASK) != 0;
}
#else
static inline int jit_must_check(PyThreadState *ts) {
    return _Py_atomic_load_relaxed(&ts->interp->ceval.eval_breaker) != 0;
}
#endif

/* A number that changes when another thread has had the GIL. */
#if PY_VERSION_HEX >= 0x030c0000
static inline unsigned long jit_switches(PyThreadState *ts) { return ts->interp->ceval.gil->switch_number; }
#else
#include "internal/pycore_runtime.h"
static inline unsigned long jit_switches(PyThreadState *ts) {
    (void)ts;
    return _PyRuntime.ceval.gil.switch_number;
}
#endif

/* The units [from, to) of C*, which load `point` first, become one jump over the rest. Left alone where CPython has put
 * something else there (instrumentation), or it does not fit. */
static inline void jit_jump_over(PyCodeObject *cstar, int from, int to, PyObject *point) {
    unsigned char *unit = (unsigned char *)(_PyCode_CODE(cstar) + from);
    int distance = to - from - 1, at = 0, arg = 0;
    for (; unit[2 * at] == EXTENDED_ARG; at++)
        arg = (arg | unit[2 * at + 1]) << 8;
    arg |= unit[2 * at + 1];
    if (unit[2 * at] != LOAD_CONST || arg >= PyTuple_GET_SIZE(cstar->co_consts) ||
        PyTuple_GET_ITEM(cstar->co_consts, arg) != point || distance < 1 || distance > 255)
        return;
#ifdef LOAD_FAST__LOAD_CONST
    if (from > 0 && unit[-2] == LOAD_FAST__LOAD_CONST) /* it runs our first unit as its second half */
        unit[-2] = LOAD_FAST;
#endif
    unit[0] = JUMP_FORWARD;
    unit[1] = (unsigned char)distance;
}

/* Frames that the recursion limit leaves. */
#if PY_VERSION_HEX >= 0x030c0000
#define JIT_RECURSION_LEFT(ts) ((ts)->py_recursion_remaining)
#else
#define JIT_RECURSION_LEFT(ts) ((ts)->recursion_remaining)
#endif
#if PY_VERSION_HEX >= 0x030d0000
#define JIT_IS_FINALIZING() Py_IsFinalizing()
#else
#define JIT_IS_FINALIZING() _Py_IsFinalizing()
#endif

/* Something watches the thread: then everything is CPython's. */
static inline int jit_watched(PyThreadState *ts) {
    return ts->c_tracefunc != NULL || ts->c_profilefunc != NULL || jit_monitored(ts);
}

/* Where a plain instance keeps its attributes: the values of its class's shared keys (returned, borrowed), or a dict
 * (*dict, borrowed, NULL if it has none). Makes nothing. */
static inline PyObject **jit_instance_values(PyObject *obj, PyObject **dict) {
    *dict = NULL;
    if (!PyType_HasFeature(Py_TYPE(obj), Py_TPFLAGS_MANAGED_DICT)) {
        PyObject **slot = _PyObject_GetDictPtr(obj);
        *dict = slot != NULL ? *slot : NULL;
        return NULL;
    }
#if PY_VERSION_HEX >= 0x030d0000
    if (PyType_HasFeature(Py_TYPE(obj), Py_TPFLAGS_INLINE_VALUES) && _PyObject_InlineValues(obj)->valid)
        return _PyObject_InlineValues(obj)->values;
    *dict = (PyObject *)_PyObject_GetManagedDict(obj);
#elif PY_VERSION_HEX >= 0x030c0000
    PyDictOrValues either = *_PyObject_DictOrValuesPointer(obj);
    if (_PyDictOrValues_IsValues(either))
        return _PyDictOrValues_GetValues(either)->values;
    *dict = _PyDictOrValues_GetDict(either);
#else
    if (*_PyObject_ValuesPointer(obj) != NULL)
        return (*_PyObject_ValuesPointer(obj))->values;
    *dict = *_PyObject_ManagedDictPointer(obj);
#endif
    return NULL;
}

/* Its own dict, borrowed; NULL: it has none, or none has been made. (3.13: it may be there beside the values.) */
static inline PyObject *jit_instance_dict(PyObject *obj) {
#if PY_VERSION_HEX >= 0x030d0000
    if (PyType_HasFeature(Py_TYPE(obj), Py_TPFLAGS_MANAGED_DICT))
        return (PyObject *)_PyObject_GetManagedDict(obj);
#endif
    PyObject *dict;
    jit_instance_values(obj, &dict);
    return dict;
}

#endif
