#include "loop/boxing.h"

#include "kernel/kernel.h"
#include "kernel/launch.h"

PyObject *number_box(int kind, int num, const rt_slot *slot) {
    switch (kind) {
    case PYTHON_BOOL:
        return PyBool_FromLong(slot->bytes[0]);
    case PYTHON_INT:
        return PyLong_FromLongLong(slot->i);
    case PYTHON_FLOAT:
        return PyFloat_FromDouble(slot->d);
    case PYTHON_COMPLEX:
        return PyComplex_FromDoubles(slot->z.re, slot->z.im);
    case CHARACTER:
        return PyUnicode_FromOrdinal((int)(slot->i & 0xffffffff));
    case NOTHING:
        return Py_NewRef(Py_None);
    default:
        break;
    }
    PyArray_Descr *descr = PyArray_DescrFromType(num);
    PyObject *scalar = descr != NULL ? PyArray_Scalar((void *)slot->bytes, descr, NULL) : NULL;
    Py_XDECREF(descr);
    return scalar;
}

int items_of(int kind, PyObject *obj, char **p, const i64 **dim, const i64 **step) {
    static const i64 sizes[] = {0, 1, 2, 3, 4};
    const Py_ssize_t *count = &((PyVarObject *)obj)->ob_size;
    *step = sizes;
    if (kind == GROWN && PyList_CheckExact(obj))
        *p = (char *)obj;
    else if (kind == LIST && PyList_CheckExact(obj))
        *p = (char *)((PyListObject *)obj)->ob_item;
    else if (kind == TUPLE && PyTuple_CheckExact(obj))
        *p = (char *)((PyTupleObject *)obj)->ob_item;
    else if (kind == BYTES && PyBytes_CheckExact(obj))
        *p = PyBytes_AS_STRING(obj);
    else if (kind == BYTEARRAY && PyByteArray_CheckExact(obj))
        *p = PyByteArray_AS_STRING(obj);
    else if (kind == TEXT && PyUnicode_CheckExact(obj) && PyUnicode_IS_READY(obj)) {
        *p = (char *)PyUnicode_DATA(obj);
        *step = &sizes[PyUnicode_KIND(obj)];
        count = &((PyASCIIObject *)obj)->length;
    } else
        return 0;
    *dim = (const i64 *)count;
    return 1;
}

int item_whole(const void *obj, i64 *out) {
    PyObject *number = (PyObject *)obj;
    int overflow;
    if (!PyLong_CheckExact(number))
        return 0;
    *out = PyLong_AsLongLongAndOverflow(number, &overflow);
    return !overflow;
}

int item_fits(int kind, int num, void *obj, void *slot) { return scalar_fits(kind, num, obj, slot); }

/* Whose end nobody notices. */
static int ends_quietly(PyObject *obj) {
    return PyFloat_CheckExact(obj) || PyLong_CheckExact(obj) || PyBool_Check(obj) || PyComplex_CheckExact(obj) ||
           obj == Py_None || PyUnicode_CheckExact(obj) || PyBytes_CheckExact(obj) ||
           ((PyArray_IsScalar(obj, Number) || PyArray_IsScalar(obj, Bool)) &&
            !(Py_TYPE(obj)->tp_flags & Py_TPFLAGS_HEAPTYPE));
}

int item_put(void **place, int kind, int num, const rt_slot *slot) {
    PyObject *old = *place, *made = ends_quietly(old) ? number_box(kind, num, slot) : NULL;
    if (made == NULL) {
        PyErr_Clear();
        return 0;
    }
    *place = made;
    Py_DECREF(old);
    return 1;
}

int item_append(void *list, int kind, int num, const rt_slot *slot) {
    PyObject *made = number_box(kind, num, slot);
    int done = made != NULL && PyList_Append((PyObject *)list, made) == 0;
    if (!done)
        PyErr_Clear();
    Py_XDECREF(made);
    return done;
}
