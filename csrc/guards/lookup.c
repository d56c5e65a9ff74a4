#include "guards/lookup.h"

/* A dict's own table, whatever its class says. */
static Lookup in_table(PyObject *dict, PyObject *name, PyObject **found) {
    if (((PyDictObject *)dict)->ma_keys->dk_kind == DICT_KEYS_GENERAL)
        return UNKNOWN;
    *found = Py_XNewRef(PyDict_GetItemWithError(dict, name));
    return *found != NULL ? FOUND : ABSENT;
}

Lookup lookup_name(PyObject *dict, PyObject *name, PyObject **found) {
    return PyDict_CheckExact(dict) ? in_table(dict, name, found) : UNKNOWN;
}

/* Of two strings that are not one object. */
static int maybe_same(PyObject *key, PyObject *name) {
    return key != NULL && !(PyUnicode_CHECK_INTERNED(key) && PyUnicode_CHECK_INTERNED(name));
}

/* Names are interned nearly always. */
static Py_ssize_t key_index(PyDictKeysObject *keys, PyObject *name) {
    PyDictUnicodeEntry *entries = DK_UNICODE_ENTRIES(keys);
    for (Py_ssize_t i = 0; i < keys->dk_nentries; i++)
        if (entries[i].me_key == name)
            return i;
    for (Py_ssize_t i = 0; i < keys->dk_nentries; i++)
        if (maybe_same(entries[i].me_key, name) && PyUnicode_Compare(entries[i].me_key, name) == 0)
            return i;
    return -1;
}

static Lookup in_values(PyTypeObject *type, PyObject **values, PyObject *name, PyObject **found) {
    PyDictKeysObject *keys = ((PyHeapTypeObject *)type)->ht_cached_keys;
    Py_ssize_t at = key_index(keys, name);
    *found = at >= 0 ? Py_XNewRef(values[at]) : NULL;
    return *found != NULL ? FOUND : ABSENT;
}

/* The class comes first with these. */
static int has_data_descriptor(PyTypeObject *type, PyObject *name) {
    PyObject *descr = _PyType_Lookup(type, name);
    return descr != NULL && Py_TYPE(descr)->tp_descr_set != NULL;
}

Lookup lookup_own(PyObject *obj, PyObject *name, PyObject **found) {
    PyTypeObject *type = Py_TYPE(obj);
    if ((type->tp_getattro != PyObject_GenericGetAttr &&
         type->tp_getattro != PyModule_Type.tp_getattro) ||
        has_data_descriptor(type, name))
        return UNKNOWN;
    PyObject *dict;
    PyObject **values = jit_instance_values(obj, &dict);
    if (values != NULL)
        return in_values(type, values, name, found);
    return dict != NULL ? in_table(dict, name, found) : ABSENT;
}

/* ---------------------------------------------------------------- by the place where it was last */

static PyObject *value_at(PyDictObject *dict, PyObject *key, int place) {
    PyDictKeysObject *keys = dict->ma_keys;
    if (place < 0 || place >= keys->dk_nentries)
        return NULL;
    if (keys->dk_kind == DICT_KEYS_GENERAL)
        return DK_ENTRIES(keys)[place].me_key == key ? DK_ENTRIES(keys)[place].me_value : NULL;
    PyDictUnicodeEntry *entry = &DK_UNICODE_ENTRIES(keys)[place];
    if (entry->me_key != key)
        return NULL;
    return dict->ma_values != NULL ? dict->ma_values->values[place] : entry->me_value;
}

static int place_of(PyDictKeysObject *keys, PyObject *key) {
    for (Py_ssize_t i = 0; i < keys->dk_nentries; i++)
        if (key == (keys->dk_kind == DICT_KEYS_GENERAL ? DK_ENTRIES(keys)[i].me_key : DK_UNICODE_ENTRIES(keys)[i].me_key))
            return (int)i;
    return -1;
}

static PyObject *remembered(PyObject *dict, PyObject *key, int *place) {
    PyObject *found = value_at((PyDictObject *)dict, key, *place);
    if (found != NULL)
        return Py_NewRef(found);
    found = PyDict_GetItemWithError(dict, key);
    if (found != NULL)
        *place = place_of(((PyDictObject *)dict)->ma_keys, key);
    else if (PyErr_Occurred())
        PyErr_Clear();
    return Py_XNewRef(found);
}

PyObject *lookup_key_at(PyObject *dict, PyObject *key, int *place) {
    return PyDict_CheckExact(dict) ? remembered(dict, key, place) : NULL;
}

Lookup lookup_own_at(PyObject *obj, PyObject *name, int *place, PyObject **found) {
    PyTypeObject *type = Py_TYPE(obj);
    if (type->tp_getattro != PyObject_GenericGetAttr)
        return UNKNOWN;
    PyObject *dict;
    PyObject **values = jit_instance_values(obj, &dict);
    if (values != NULL) {
        PyDictKeysObject *keys = ((PyHeapTypeObject *)type)->ht_cached_keys;
        if (*place < 0 || *place >= keys->dk_nentries || DK_UNICODE_ENTRIES(keys)[*place].me_key != name)
            *place = (int)key_index(keys, name);
        *found = *place >= 0 ? Py_XNewRef(values[*place]) : NULL;
    } else if (dict == NULL)
        *found = NULL;
    else if (((PyDictObject *)dict)->ma_keys->dk_kind == DICT_KEYS_GENERAL)
        return UNKNOWN;
    else
        *found = remembered(dict, name, place);
    return *found != NULL ? FOUND : ABSENT;
}

/* ---------------------------------------------------------------- classes */

static int has_plain_keys(PyObject *dict) {
    return dict != NULL && PyDict_CheckExact(dict) && ((PyDictObject *)dict)->ma_keys->dk_kind != DICT_KEYS_GENERAL;
}

static int bases_have_plain_keys(PyTypeObject *type) {
    PyObject *mro = type->tp_mro; /* NULL, while the class is being made */
    if (mro == NULL)
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if ((base->tp_flags & Py_TPFLAGS_HEAPTYPE) && !has_plain_keys(base->tp_dict))
            return 0;
    }
    return 1;
}

/* What classes say of themselves, a metaclass may say in another way. */
static const char *const of_classes[] = {"__dict__", "__mro__", "__flags__", "__dictoffset__", "__name__", "__qualname__"};

static int tells_as_type(PyTypeObject *meta) {
    if (meta == &PyType_Type)
        return 1;
    if (meta->tp_getattro != PyType_Type.tp_getattro || !bases_have_plain_keys(meta))
        return 0;
    for (size_t i = 0; i < Py_ARRAY_LENGTH(of_classes); i++) {
        PyObject *name = PyUnicode_InternFromString(of_classes[i]);
        int same = name != NULL && _PyType_Lookup(meta, name) == _PyType_Lookup(&PyType_Type, name);
        Py_XDECREF(name);
        if (!same) {
            PyErr_Clear();
            return 0;
        }
    }
    return 1;
}

/* Are all keys of the dicts of this class and its bases exact str, and does a class like it answer as type does? Then what is
 * looked up in them runs nothing of the user's. */
static PyObject *is_plain_class(PyObject *self, PyObject *type) {
    (void)self;
    return PyBool_FromLong(PyType_Check(type) && tells_as_type(Py_TYPE(type)) && bases_have_plain_keys((PyTypeObject *)type));
}

static PyObject *keys_are_plain(PyObject *self, PyObject *obj) {
    (void)self;
    PyObject *dict;
    PyObject **values = jit_instance_values(obj, &dict);
    return PyBool_FromLong(values != NULL || dict == NULL || has_plain_keys(dict));
}

/* Those that have a value, as a dict of ours: the object gets none that it does not have. */
static PyObject *copied(PyDictKeysObject *keys, PyObject **values) {
    PyObject *made = PyDict_New();
    PyDictUnicodeEntry *entries = DK_UNICODE_ENTRIES(keys);
    for (Py_ssize_t i = 0; made != NULL && i < keys->dk_nentries; i++)
        if (values[i] != NULL && PyDict_SetItem(made, entries[i].me_key, values[i]) < 0)
            Py_CLEAR(made);
    return made;
}

static PyObject *own_attributes(PyObject *self, PyObject *obj) {
    (void)self;
    PyTypeObject *type = Py_TYPE(obj);
    if (type->tp_dictoffset == 0 && !PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT))
        Py_RETURN_NONE;
    PyObject *dict;
    PyObject **values = jit_instance_values(obj, &dict);
    if (values != NULL)
        return copied(((PyHeapTypeObject *)type)->ht_cached_keys, values);
    return dict != NULL ? Py_NewRef(dict) : PyDict_New();
}

/* Where no dict has been made they are in the object itself. */
static PyObject *names_of(PyObject *obj) {
    PyObject *dict = PyDict_Check(obj) ? obj : jit_instance_dict(obj);
    return dict != NULL ? dict : obj;
}

int lookup_same_names(PyObject *a, PyObject *b) { return names_of(a) == names_of(b); }

static PyObject *same_names(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "OO", &a, &b))
        return NULL;
    return PyBool_FromLong(lookup_same_names(a, b));
}

static PyMethodDef methods[] = {
    {"own_attributes", own_attributes, METH_O,
     "What it has in its __dict__, to be read: that dict, or another if it has not been made yet; None: it has none."},
    {"same_names", same_names, METH_VARARGS,
     "same_names(a, b): are the names of both in one place, a dict or what has it for a __dict__?"},
    {"is_plain_class", is_plain_class, METH_O,
     "Can names be looked up in this class and its bases without running code of theirs, or of their names'?"},
    {"keys_are_plain", keys_are_plain, METH_O, "Are the names of all attributes that it has of its own exact str?"},
    {NULL, NULL, 0, NULL},
};

int lookup_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
