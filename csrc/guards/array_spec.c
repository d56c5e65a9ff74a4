#include "guards/array_spec.h"

/* numpy/_core/src/multiarray/common.h: a write warns. Results of np.broadcast_arrays have it; specs do not. */
#define WARN_ON_WRITE INT_MIN
#define FLAGS (NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE | WARN_ON_WRITE)

/* Equal byte order, units and fields; metadata only where it is the very same dtype. */
static int same_dtype(PyArray_Descr *a, PyArray_Descr *b) {
    if (a == b)
        return 1;
    return a->type_num == b->type_num && PyDataType_FLAGS(a) == PyDataType_FLAGS(b) &&
           PyDataType_METADATA(a) == NULL && PyDataType_METADATA(b) == NULL &&
           PyArray_EquivTypes(a, b);
}

/* Of arrays with axes that are to have an entry for each extent, by their addresses (jitcore/user/dynamic_axes.py): a bit for each of
 * these axes, above eight bits with the number of all. */
static PyObject *static_axes;

/* Only arrays with weak references have such axes. */
static int wants_its_own(const ArraySpec *spec, PyArrayObject *array) {
    if (((PyArrayObject_fields *)array)->weakreflist == NULL)
        return 0;
    PyObject *key = PyLong_FromVoidPtr(array);
    PyObject *found = key != NULL ? PyDict_GetItemWithError(static_axes, key) : NULL; /* borrowed */
    unsigned long long axes = found != NULL ? PyLong_AsUnsignedLongLongMask(found) : 0;
    Py_XDECREF(key);
    if (key == NULL) /* no memory */
        PyErr_Clear();
    if ((axes & 0xff) != (unsigned)spec->ndim)
        return 0;
    for (int d = 0; d < spec->ndim; d++)
        if (d < 56 && axes >> (8 + d) & 1 && spec->shape[d] != spec_most(spec)[d])
            return 1;
    return 0;
}

#define AS_THEY_ARE 'A'
#define ANY 'K'

/* Extents between two, and strides of C's order, of Fortran's, or as they are to be. */
static int extents_fit(const ArraySpec *spec, PyArrayObject *array) {
    const npy_intp *dims = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    npy_intp step = PyDataType_ELSIZE(spec->descr);
    for (int i = 0; i < spec->ndim; i++) {
        int d = spec->order == 'F' ? i : spec->ndim - 1 - i;
        if (dims[d] < spec->shape[d] || dims[d] > spec_most(spec)[d])
            return 0;
        if (strides[d] != (spec->order == AS_THEY_ARE ? spec_strides(spec)[d] : step))
            return 0;
        step *= dims[d];
    }
    return 1;
}

/* Few numbers: no call. */
static int same_numbers(const npy_intp *a, const npy_intp *b, int count) {
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

int array_spec_holds(const ArraySpec *spec, PyObject *obj) {
    if (!PyArray_CheckExact(obj))
        return 0;
    PyArrayObject *array = (PyArrayObject *)obj;
    if (PyArray_NDIM(array) != spec->ndim || (PyArray_FLAGS(array) & FLAGS) != spec->flags)
        return 0;
    if (spec->order)
        return extents_fit(spec, array) && same_dtype(PyArray_DESCR(array), spec->descr) && !wants_its_own(spec, array);
    if (!same_numbers(PyArray_DIMS(array), spec->shape, spec->ndim) ||
        !same_numbers(PyArray_STRIDES(array), spec_strides(spec), spec->ndim))
        return 0;
    return same_dtype(PyArray_DESCR(array), spec->descr);
}

int array_spec_admits(const ArraySpec *spec, PyObject *obj) {
    if (!PyArray_Check(obj) || PyArray_NDIM((PyArrayObject *)obj) != spec->ndim)
        return 0;
    const npy_intp *dims = PyArray_DIMS((PyArrayObject *)obj);
    for (int i = 0; i < spec->ndim; i++)
        if (dims[i] < spec->shape[i] || dims[i] > spec_most(spec)[i])
            return 0;
    return PyArray_EquivTypes(PyArray_DESCR((PyArrayObject *)obj), spec->descr);
}

static int read_dims(PyObject *tuple, npy_intp *dims) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        dims[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
        if (dims[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static PyObject *spec_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyArray_Descr *descr;
    PyObject *shape, *strides;
    PyObject *most = NULL;
    int aligned, writeable, order = 0;
    static char *names[] = {"dtype", "shape", "strides", "aligned", "writeable", "most", "order", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!O!pp|O!C", names, &PyArrayDescr_Type, &descr,
                                     &PyTuple_Type, &shape, &PyTuple_Type, &strides, &aligned,
                                     &writeable, &PyTuple_Type, &most, &order))
        return NULL;
    Py_ssize_t ndim = PyTuple_GET_SIZE(shape);
    if (ndim != PyTuple_GET_SIZE(strides) || ndim > NPY_MAXDIMS || (most != NULL && ndim != PyTuple_GET_SIZE(most)) ||
        (most != NULL && order != 'C' && order != 'F' && order != AS_THEY_ARE && order != ANY)) {
        PyErr_SetString(PyExc_ValueError, "shape and strides do not fit");
        return NULL;
    }
    ArraySpec *spec = (ArraySpec *)type->tp_alloc(type, 3 * ndim);
    if (spec == NULL)
        return NULL;
    spec->descr = (PyArray_Descr *)Py_NewRef(descr);
    spec->ndim = (int)ndim;
    spec->flags = (aligned ? NPY_ARRAY_ALIGNED : 0) | (writeable ? NPY_ARRAY_WRITEABLE : 0);
    spec->order = most != NULL ? (char)order : 0;
    if (read_dims(shape, spec->shape) < 0 || read_dims(strides, spec->shape + ndim) < 0 ||
        (most != NULL && read_dims(most, spec->shape + 2 * ndim) < 0))
        Py_CLEAR(spec);
    return (PyObject *)spec;
}

static void spec_dealloc(PyObject *self) {
    Py_XDECREF(((ArraySpec *)self)->descr);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject ArraySpec_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitcore._C.ArraySpec",
    .tp_doc = "ArraySpec(dtype, shape, strides, aligned, writeable, most=..., order=...): what a guard demands of an array. With "
              "`most` extents lie between `shape` and it, and strides are those of the order, C or F, or A: as given; K: any, and so are flags.",
    .tp_basicsize = sizeof(ArraySpec),
    .tp_itemsize = sizeof(npy_intp),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = spec_new,
    .tp_dealloc = spec_dealloc,
};

int array_spec_init(PyObject *module) {
    static_axes = PyDict_New();
    if (static_axes == NULL || PyModule_AddObjectRef(module, "static_axes", static_axes) < 0)
        return -1;
    return PyModule_AddType(module, &ArraySpec_Type);
}
