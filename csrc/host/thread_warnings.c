#include "host/thread_warnings.h"

#include <structmember.h>

typedef struct {
    PyObject_HEAD
    unsigned long thread; /* 0: deaf */
    PyObject *heard;      /* list: text, line, text, line, ... */
    char drops;
} ThreadFilter;

static PyTypeObject ThreadFilter_Type;

static int line_now(void) {
    JitFrame *frame = JIT_CURRENT(PyThreadState_Get());
    while (frame != NULL && JIT_IS_SHIM(frame))
        frame = frame->previous;
    return frame ? PyCode_Addr2Line(JIT_CODE(frame), _PyInterpreterFrame_LASTI(frame) * (int)sizeof(_Py_CODEUNIT)) : 0;
}

static PyObject *match(PyObject *op, PyObject *text) {
    ThreadFilter *self = (ThreadFilter *)op;
    if (self->thread != PyThread_get_thread_ident())
        Py_RETURN_FALSE;
    PyObject *line = PyLong_FromLong(line_now());
    if (line == NULL || PyList_Append(self->heard, text) < 0 || PyList_Append(self->heard, line) < 0)
        PyErr_Clear(); /* short of memory: no concern of who warns */
    Py_XDECREF(line);
    return PyBool_FromLong(self->drops);
}

/* ---------------------------------------------------------------- rows */

enum { ACTION, MESSAGE, CATEGORY, MODULE, LINE, WIDTH };

static ThreadFilter *filter_of(PyObject *row) {
    if (!PyTuple_CheckExact(row) || PyTuple_GET_SIZE(row) != WIDTH || !Py_IS_TYPE(PyTuple_GET_ITEM(row, MESSAGE), &ThreadFilter_Type))
        return NULL;
    return (ThreadFilter *)PyTuple_GET_ITEM(row, MESSAGE);
}

/* A deaf one in front of the program's rows, and of what this thread has there; the last, which leaves room for those
 * that come within. Borrowed. */
static PyObject *find_deaf(PyObject *rows, PyObject *action) {
    PyObject *found = NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); i++) {
        PyObject *row = PyList_GET_ITEM(rows, i);
        ThreadFilter *filter = filter_of(row);
        if (filter == NULL || filter->thread == PyThread_get_thread_ident())
            return found;
        if (filter->thread == 0 && PyUnicode_Compare(PyTuple_GET_ITEM(row, ACTION), action) == 0)
            found = row;
    }
    return found;
}

static PyObject *new_row(PyObject *action) {
    ThreadFilter *filter = PyObject_New(ThreadFilter, &ThreadFilter_Type);
    if (filter == NULL)
        return NULL;
    filter->thread = 0;
    filter->drops = 0;
    filter->heard = NULL;
    return Py_BuildValue("(ONOOi)", action, filter, PyExc_Warning, Py_None, 0);
}

static PyObject *ear_begin(PyObject *self, PyObject *args) {
    PyObject *rows, *action;
    int drops;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!Up", &PyList_Type, &rows, &action, &drops))
        return NULL;
    PyObject *heard = PyList_New(0), *made = heard ? new_row(action) : NULL;
    if (made == NULL) {
        Py_XDECREF(heard);
        return NULL;
    }
    PyObject *row = find_deaf(rows, action); /* from here on no other thread comes in between */
    if (row == NULL && PyList_Insert(rows, 0, made) < 0) {
        Py_DECREF(heard);
        Py_DECREF(made);
        return NULL;
    }
    row = Py_NewRef(row ? row : made);
    ThreadFilter *filter = filter_of(row);
    PyObject *before = filter->heard;
    filter->heard = heard;
    filter->drops = (char)drops;
    filter->thread = PyThread_get_thread_ident();
    Py_XDECREF(before);
    Py_DECREF(made);
    return row;
}

static int is_plain_pattern(PyObject *pattern, PyObject *regex) {
    return pattern == Py_None || PyUnicode_CheckExact(pattern) || Py_IS_TYPE(pattern, &ThreadFilter_Type) ||
           (PyObject *)Py_TYPE(pattern) == regex;
}

/* Does a thread that goes through the rows keep the GIL? */
static int are_plain(PyObject *rows, PyObject *regex) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); i++) {
        PyObject *row = PyList_GET_ITEM(rows, i);
        if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) != WIDTH)
            continue; /* an error is raised there */
        if (!is_plain_pattern(PyTuple_GET_ITEM(row, MESSAGE), regex) || !is_plain_pattern(PyTuple_GET_ITEM(row, MODULE), regex) ||
            !PyType_CheckExact(PyTuple_GET_ITEM(row, CATEGORY)) || !PyLong_CheckExact(PyTuple_GET_ITEM(row, LINE)))
            return 0;
    }
    return 1;
}

/* Compares nothing: rows of the program's may do so in their own way. */
static int remove_row(PyObject *rows, PyObject *row) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); i++)
        if (PyList_GET_ITEM(rows, i) == row)
            return PyList_SetSlice(rows, i, i + 1, NULL);
    return 0;
}

static PyObject *ear_end(PyObject *self, PyObject *args) {
    PyObject *rows, *row, *regex;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!OO", &PyList_Type, &rows, &row, &regex))
        return NULL;
    ThreadFilter *filter = filter_of(row);
    if (filter == NULL) {
        PyErr_SetString(PyExc_TypeError, "a row of ear_begin() is expected");
        return NULL;
    }
    filter->thread = 0;
    if (are_plain(rows, regex) && remove_row(rows, row) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* ---------------------------------------------------------------- what Python sees */

static void filter_dealloc(PyObject *op) {
    Py_XDECREF(((ThreadFilter *)op)->heard);
    Py_TYPE(op)->tp_free(op);
}

/* Other threads may go through the rows meanwhile, make them anew of their patterns' texts, or send them to another process:
 * to them it is a regular expression that matches nothing. */
#define NOTHING "(?!)"

static PyObject *pattern(PyObject *op, void *ignored) {
    (void)op, (void)ignored;
    return PyUnicode_FromString(NOTHING);
}

static PyObject *flags(PyObject *op, void *ignored) {
    (void)op, (void)ignored;
    return PyLong_FromLong(0);
}

static PyObject *reduce(PyObject *op, PyObject *ignored) {
    (void)op, (void)ignored;
    PyObject *re = PyImport_ImportModule("re"), *compile = re ? PyObject_GetAttrString(re, "compile") : NULL;
    PyObject *made = compile ? Py_BuildValue("O(s)", compile, NOTHING) : NULL;
    Py_XDECREF(compile);
    Py_XDECREF(re);
    return made;
}

static PyGetSetDef filter_getset[] = {
    {"pattern", pattern, NULL, "of a regular expression that matches nothing", NULL},
    {"flags", flags, NULL, "of that", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef filter_methods[] = {
    {"match", match, METH_O, "match(text): on its thread, what is heard is noted; is it dropped?"},
    {"__reduce__", reduce, METH_NOARGS, "Copied or pickled it is re.compile() of its pattern."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef filter_members[] = {
    {"heard", T_OBJECT, offsetof(ThreadFilter, heard), READONLY, "text, line, text, line, ..."},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject ThreadFilter_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.Ear",
    .tp_doc = "In a row of warnings.filters: answers for one thread.",
    .tp_basicsize = sizeof(ThreadFilter),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = filter_dealloc,
    .tp_methods = filter_methods,
    .tp_getset = filter_getset,
    .tp_members = filter_members,
};

static PyMethodDef methods[] = {
    {"ear_begin", ear_begin, METH_VARARGS,
     "ear_begin(rows, action, drops): a row with an Ear for this thread, in front of them."},
    {"ear_end", ear_end, METH_VARARGS,
     "ear_end(rows, row, regex): it is deaf, and taken out where no row but those with a `regex` or an Ear has code."},
    {NULL, NULL, 0, NULL},
};

int thread_warnings_init(PyObject *module) {
    return PyModule_AddType(module, &ThreadFilter_Type) < 0 ? -1 : PyModule_AddFunctions(module, methods);
}
