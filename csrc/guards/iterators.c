#include "guards/iterators.h"

#include <limits.h>

#define LARGEST (1LL << 61) /* of a number that items are counted from */

/* Objects/iterobject.c, enumobject.c, listobject.c and so on, Python/bltinmodule.c: alike from 3.11 to 3.13 */
typedef struct {
    PyObject_HEAD
    Py_ssize_t index;
    PyObject *over; /* NULL: it has come to its end */
} Along;            /* of a sequence: iter(), reversed() of an array */

typedef struct {
    PyObject_HEAD
    Py_ssize_t index;
    PyObject *over, *result, *large, *one;
} Numbered;

typedef struct {
    PyObject_HEAD
    Py_ssize_t width;
    PyObject *items, *result;
    int strict;
} Abreast;

static int is(PyObject *it, PyTypeObject *type, size_t size) {
    return Py_IS_TYPE(it, type) && type->tp_basicsize == (Py_ssize_t)size;
}

static PyTypeObject *along[8]; /* of lists, tuples, bytes, strings that are ASCII, others, arrays */
static int nalong;

static int is_along(PyObject *it) {
    for (int i = 0; i < nalong; i++)
        if (Py_IS_TYPE(it, along[i]))
            return ((Along *)it)->over != NULL;
    return 0;
}

static int is_numbered(PyObject *it) {
    return is(it, &PyEnum_Type, sizeof(Numbered)) && ((Numbered *)it)->large == NULL;
}

static int is_abreast(PyObject *it) {
    return is(it, &PyZip_Type, sizeof(Abreast)) && !((Abreast *)it)->strict &&
           Py_REFCNT(((Abreast *)it)->items) == 1 && PyTuple_GET_SIZE(((Abreast *)it)->items) == ((Abreast *)it)->width;
}

static PyObject *number(long long value) {
    PyObject *made = PyLong_FromLongLong(value);
    if (made == NULL)
        PyErr_Clear();
    return made;
}

static PyObject *range_part(PyObject *it, int part) {
    long start, step, count;
    if (!jit_range_left(it, &start, &step, &count))
        return NULL;
    long parts[] = {start, (long)((unsigned long)start + (unsigned long)count * (unsigned long)step), step, count};
    return number(parts[part]);
}

static PyObject *index_of(Py_ssize_t index) {
    return index > LARGEST || index < -LARGEST ? NULL : number(index);
}

PyObject *iterator_part(PyObject *it, int part) {
    if (Py_REFCNT(it) != 2 || part < 0)
        return NULL;
    if (part <= IT_COUNT)
        return range_part(it, part);
    if (is_along(it))
        return part == IT_OVER ? Py_NewRef(((Along *)it)->over) : part == IT_INDEX ? index_of(((Along *)it)->index) : NULL;
    if (is_numbered(it))
        return part == IT_OVER    ? Py_NewRef(((Numbered *)it)->over)
               : part == IT_INDEX ? index_of(((Numbered *)it)->index)
                                  : NULL;
    if (!is_abreast(it) || part < IT_ITEM || part - IT_ITEM >= ((Abreast *)it)->width)
        return NULL;
    return Py_NewRef(PyTuple_GET_ITEM(((Abreast *)it)->items, part - IT_ITEM));
}

Py_ssize_t iterator_width(PyObject *it) { return is_abreast(it) ? ((Abreast *)it)->width : -1; }

static int take_along(Along *it, Py_ssize_t count) {
    int back = Py_IS_TYPE((PyObject *)it, &PyReversed_Type);
    if (count < 0 || count > (back ? it->index + 1 : PY_SSIZE_T_MAX - it->index))
        return 0;
    it->index += back ? -count : count;
    return 1;
}

int iterator_take(PyObject *it, Py_ssize_t count) {
    if (count < 0)
        return 0;
    if (is_along(it))
        return take_along((Along *)it, count);
    if (is_numbered(it)) {
        Numbered *pairs = (Numbered *)it;
        if (pairs->index > LARGEST || count > LARGEST || !iterator_take(pairs->over, count))
            return 0;
        pairs->index += count;
        return 1;
    }
    if (is_abreast(it)) {
        PyObject *items = ((Abreast *)it)->items;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++)
            if (!iterator_take(PyTuple_GET_ITEM(items, i), count))
                return 0;
        return 1;
    }
    return jit_range_take(it, count);
}

/* Of what iter() makes of `made`, which it steals. */
static int add(PyObject *made) {
    PyObject *it = made != NULL ? PyObject_GetIter(made) : NULL;
    Py_XDECREF(made);
    if (it == NULL)
        return -1;
    if (Py_TYPE(it)->tp_basicsize == sizeof(Along))
        along[nalong++] = Py_TYPE(it);
    Py_DECREF(it);
    return 0;
}

int iterators_init(PyObject *module) {
    (void)module;
    nalong = 0;
    if (PySeqIter_Type.tp_basicsize == sizeof(Along))
        along[nalong++] = &PySeqIter_Type;
    if (PyReversed_Type.tp_basicsize == sizeof(Along))
        along[nalong++] = &PyReversed_Type;
    return add(PyList_New(0)) < 0 || add(PyTuple_New(0)) < 0 || add(PyBytes_FromString("")) < 0 ||
                   add(PyByteArray_FromStringAndSize("", 0)) < 0 || add(PyUnicode_FromString("")) < 0 ||
                   add(PyUnicode_FromOrdinal(0x100)) < 0
               ? -1
               : 0;
}
