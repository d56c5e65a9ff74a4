#include "guards/same_value.h"

static PyObject *range_parts[3]; /* the names "start", "stop", "step" */

static int same_double(double a, double b) { return memcmp(&a, &b, sizeof(a)) == 0; }

static int same_complex(PyObject *a, PyObject *b) {
    Py_complex x = PyComplex_AsCComplex(a), y = PyComplex_AsCComplex(b);
    return same_double(x.real, y.real) && same_double(x.imag, y.imag);
}

static int same_slice(PyObject *a, PyObject *b) {
    PySliceObject *x = (PySliceObject *)a, *y = (PySliceObject *)b;
    return same_constant(x->start, y->start) && same_constant(x->stop, y->stop) &&
           same_constant(x->step, y->step);
}

static int same_tuple(PyObject *a, PyObject *b) {
    Py_ssize_t n = PyTuple_GET_SIZE(a);
    if (n != PyTuple_GET_SIZE(b))
        return 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!same_constant(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)))
            return 0;
    return 1;
}

/* range(0) == range(5, 5), but they have other starts. */
static int same_range(PyObject *a, PyObject *b) {
    int same = 1;
    for (int i = 0; same && i < 3; i++) {
        PyObject *x = PyObject_GetAttr(a, range_parts[i]), *y = PyObject_GetAttr(b, range_parts[i]);
        same = x != NULL && y != NULL && same_constant(x, y);
        Py_XDECREF(x);
        Py_XDECREF(y);
    }
    if (PyErr_Occurred())
        PyErr_Clear();
    return same;
}

static int same_plain(PyObject *a, PyObject *b) {
    int same = PyObject_RichCompareBool(a, b, Py_EQ);
    if (same < 0)
        PyErr_Clear();
    return same == 1;
}

int same_constant(PyObject *a, PyObject *b) {
    if (a == b)
        return 1;
    if (Py_TYPE(a) != Py_TYPE(b))
        return 0;
    if (PyFloat_CheckExact(a))
        return same_double(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
    if (PyLong_CheckExact(a) || PyUnicode_CheckExact(a) || PyBytes_CheckExact(a))
        return same_plain(a, b);
    if (PyTuple_CheckExact(a))
        return same_tuple(a, b);
    if (PyComplex_CheckExact(a))
        return same_complex(a, b);
    if (PySlice_Check(a))
        return same_slice(a, b);
    return Py_TYPE(a) == &PyRange_Type && same_range(a, b);
}

int has_keys(PyObject *dict, PyObject *keys) {
    if (!PyDict_CheckExact(dict) || PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(keys))
        return 0;
    Py_ssize_t at = 0, i = 0;
    PyObject *key, *value;
    while (PyDict_Next(dict, &at, &key, &value))
        if (!same_constant(key, PyTuple_GET_ITEM(keys, i++)))
            return 0;
    return 1;
}

int same_value_init(PyObject *module) {
    (void)module;
    static const char *names[] = {"start", "stop", "step"};
    for (int i = 0; i < 3; i++)
        if ((range_parts[i] = PyUnicode_InternFromString(names[i])) == NULL)
            return -1;
    return 0;
}
