#include "guards/eval.h"

#include "guards/array_spec.h"
#include "guards/iterators.h"
#include "guards/lookup.h"
#include "guards/ops.h"
#include "guards/same_value.h"
#include "guards/weak_identity.h"
#include "numpy/errstate.h"
#include "plan/op_table.h"

#include <structmember.h>

enum {
#define NUMBER(name, operands) G_##name,
    GUARD_OPS(NUMBER)
#undef NUMBER
};

static const OpRow rows[] = {
#define ROW(name, operands) {#name, operands},
    GUARD_OPS(ROW)
#undef ROW
};

/* With its number and the index of its reason. */
enum {
#define WORDS(name, operands) WORDS_##name = sizeof(operands) + 1,
    GUARD_OPS(WORDS)
#undef WORDS
};

static const unsigned char words_of[] = {
#define WORDS(name, operands) WORDS_##name,
    GUARD_OPS(WORDS)
#undef WORDS
};

/* ---------------------------------------------------------------- loads: a new reference, or NULL without exception */

static PyObject *name_in(PyObject *dict, PyObject *name) {
    PyObject *found = NULL;
    return lookup_name(dict, name, &found) == FOUND ? found : NULL;
}

static PyObject *own_attr(PyObject *obj, PyObject *name) {
    PyObject *found = NULL;
    return lookup_own(obj, name, &found) == FOUND ? found : NULL;
}

/* Its class was checked, and what that has of this name. */
static PyObject *own_attr_at(PyObject *obj, PyObject *name, int *place) {
    PyObject *found = NULL;
    return lookup_own_at(obj, name, place, &found) == FOUND ? found : NULL;
}

static PyObject *cell_content(PyObject *cell) {
    return cell != NULL && PyCell_Check(cell) ? Py_XNewRef(PyCell_GET(cell)) : NULL;
}

static PyObject *function_part(PyObject *obj, int part) {
    if (!PyFunction_Check(obj))
        return NULL;
    PyFunctionObject *f = (PyFunctionObject *)obj;
    PyObject *parts[] = {f->func_code, f->func_globals, f->func_defaults, f->func_kwdefaults,
                         f->func_closure, f->func_builtins};
    return Py_NewRef(parts[part] != NULL ? parts[part] : Py_None);
}

static PyObject *closure_content(PyObject *obj, int index) {
    PyObject *closure = PyFunction_Check(obj) ? ((PyFunctionObject *)obj)->func_closure : NULL;
    if (closure == NULL || index >= PyTuple_GET_SIZE(closure))
        return NULL;
    return cell_content(PyTuple_GET_ITEM(closure, index));
}

static PyObject *sequence_item(PyObject *obj, int index) {
    if (PyTuple_Check(obj))
        return index < PyTuple_GET_SIZE(obj) ? Py_NewRef(PyTuple_GET_ITEM(obj, index)) : NULL;
    if (PyList_CheckExact(obj))
        return index < PyList_GET_SIZE(obj) ? Py_NewRef(PyList_GET_ITEM(obj, index)) : NULL;
    return NULL;
}

/* Of an array; -1: it has no such axis. */
static npy_intp extent_of(PyObject *obj, int axis) {
    if (!PyArray_CheckExact(obj) || axis < 0 || axis >= PyArray_NDIM((PyArrayObject *)obj))
        return -1;
    return PyArray_DIM((PyArrayObject *)obj, axis);
}

static int leaves(npy_intp extent, int divisor, int rest) { return divisor > 0 && extent % divisor == rest; }

static PyObject *extent_number(PyObject *obj, int axis) {
    npy_intp found = extent_of(obj, axis);
    PyObject *number = found < 0 ? NULL : PyLong_FromSsize_t(found);
    if (number == NULL)
        PyErr_Clear();
    return number;
}

/* What a member descriptor of `owner` reads `offset` bytes into its instances. */
static PyObject *slot_value(PyObject *obj, PyObject *owner, int offset) {
    if (owner == NULL || offset < 0 || !PyObject_TypeCheck(obj, (PyTypeObject *)owner))
        return NULL;
    return Py_XNewRef(*(PyObject **)((char *)obj + offset));
}

static PyObject *method_part(PyObject *obj, int self) {
    if (!PyMethod_Check(obj))
        return NULL;
    return Py_NewRef(self ? PyMethod_GET_SELF(obj) : PyMethod_GET_FUNCTION(obj));
}

/* Its class was checked: functools.partial, or a dispatcher, whose members are C's. */
static PyObject *member(PyObject *obj, PyObject *name) {
    PyObject *found = PyObject_GetAttr(obj, name);
    if (found == NULL)
        PyErr_Clear();
    return found;
}

/* ---------------------------------------------------------------- checks */

static Py_ssize_t length_of(PyObject *obj) {
    if (PyTuple_Check(obj))
        return PyTuple_GET_SIZE(obj);
    if (PyList_CheckExact(obj))
        return PyList_GET_SIZE(obj);
    return PyDict_CheckExact(obj) ? PyDict_GET_SIZE(obj) : iterator_width(obj);
}

static int no_name(PyObject *dict, PyObject *name) {
    PyObject *found = NULL;
    Lookup result = lookup_name(dict, name, &found);
    Py_XDECREF(found);
    return result == ABSENT;
}

static int no_attr(PyObject *obj, PyObject *name) {
    PyObject *found = NULL;
    Lookup result = lookup_own(obj, name, &found);
    Py_XDECREF(found);
    return result == ABSENT;
}

/* Its keys were checked: exact builtin constants. */
static int no_key(PyObject *dict, PyObject *key) {
    int has = PyDict_CheckExact(dict) ? PyDict_Contains(dict, key) : 1;
    if (has < 0)
        PyErr_Clear();
    return has == 0;
}

/* Version 0 is none at all. */
static int version_is(PyObject *type, PyObject *version) {
    unsigned long wanted = PyLong_AsUnsignedLong(version);
    return type != NULL && wanted != 0 && jit_type_version((PyTypeObject *)type) == wanted;
}

static int errstate_is(int mask, int bufsize) {
    ErrState now;
    if (errstate_now(&now) == 0)
        return now.mask == mask && now.bufsize == bufsize;
    PyErr_Clear();
    return 0;
}

/* ---------------------------------------------------------------- the loop */

#define REG(operand) regs[w[operand]]
#define CONST(operand) consts[w[operand]]
#define HELD(operand) weak_identity_object(CONST(operand))

#define NEXT_IF(words, expr) \
    if (!(expr))             \
        return w;            \
    w += words;              \
    break;
/* Pasted at once: names of CPython's opcodes are macros. */
#define LOAD(name, expr) \
    case G_##name:       \
        NEXT_IF(WORDS_##name, (REG(1) = (expr)) != NULL)
#define CHECK(name, expr) \
    case G_##name:        \
        NEXT_IF(WORDS_##name, expr)

/* The first of these instructions that does not hold; `end`: all do. */
METERED_VARIANT int *first_failing(int *w, const int *end, PyObject *const *consts, const FrameView *view, PyObject **regs) {
    while (w < end) {
        switch (w[0]) {
            LOAD(LOAD_LOCAL, Py_XNewRef(view->locals[w[2]]))
            LOAD(LOAD_CELL_SLOT, cell_content(view->locals[w[2]]))
            LOAD(LOAD_STACK, Py_XNewRef(view->stack[w[2]]))
            LOAD(LOAD_FRAME_GLOBALS, Py_NewRef(view->globals))
            LOAD(LOAD_FRAME_BUILTINS, Py_NewRef(view->builtins))
            LOAD(LOAD_GLOBAL, name_in(view->globals, CONST(2)))
            LOAD(LOAD_BUILTIN, name_in(view->builtins, CONST(2)))
            LOAD(LOAD_CONST, Py_XNewRef(HELD(2)))
            LOAD(LOAD_KEPT, Py_NewRef(CONST(2)))
            LOAD(LOAD_ATTR, own_attr(REG(2), CONST(3)))
            LOAD(LOAD_OWN, own_attr_at(REG(2), CONST(3), &w[4]))
            LOAD(LOAD_SLOT, slot_value(REG(2), HELD(3), w[4]))
            LOAD(LOAD_MODULE_ATTR, PyModule_Check(REG(2)) ? own_attr(REG(2), CONST(3)) : NULL)
            LOAD(LOAD_FUNCTION, function_part(REG(2), w[3]))
            LOAD(LOAD_CLOSURE, closure_content(REG(2), w[3]))
            LOAD(LOAD_METHOD_FUNC, method_part(REG(2), 0))
            LOAD(LOAD_METHOD_SELF, method_part(REG(2), 1))
            LOAD(LOAD_MEMBER, member(REG(2), CONST(3)))
            LOAD(LOAD_ITERATOR, iterator_part(REG(2), w[3]))
            LOAD(LOAD_EXTENT, extent_number(REG(2), w[3]))
            LOAD(LOAD_ITEM, sequence_item(REG(2), w[3]))
            LOAD(LOAD_NAME, name_in(REG(2), CONST(3)))
            LOAD(LOAD_KEY, lookup_key_at(REG(2), CONST(3), &w[4])) /* its keys were checked */
            CHECK(HAS_TYPE, (PyObject *)Py_TYPE(REG(1)) == HELD(2))
            CHECK(IS_OBJECT, REG(1) == HELD(2))
            CHECK(EQUALS, same_constant(REG(1), CONST(2)))
            CHECK(LENGTH, length_of(REG(1)) == w[2])
            CHECK(KEYS, has_keys(REG(1), CONST(2)))
            CHECK(IS_ARRAY, array_spec_holds((ArraySpec *)CONST(2), REG(1)))
            CHECK(NO_LOCAL, view->locals[w[1]] == NULL)
            CHECK(NO_STACK, view->stack[w[1]] == NULL)
            CHECK(NO_GLOBAL, no_name(view->globals, CONST(1)))
            CHECK(NO_ATTR, no_attr(REG(1), CONST(2)))
            CHECK(NO_NAME, no_name(REG(1), CONST(2)))
            CHECK(NO_KEY, no_key(REG(1), CONST(2)))
            CHECK(SAME_OBJECT, (REG(1) == REG(2)) == w[3])
            CHECK(APART, !lookup_same_names(REG(1), REG(2)))
            CHECK(SAME_EXTENT, extent_of(REG(1), w[3]) * w[5] + w[6] == extent_of(REG(2), w[4]))
            CHECK(REMAINDER, leaves(extent_of(REG(1), w[2]), w[3], w[4]))
            CHECK(TYPE_VERSION, version_is(HELD(1), CONST(2)))
            CHECK(ERRSTATE, errstate_is(w[1], w[2]))
        }
    }
    return w;
}

int guards_hold(int *w, Py_ssize_t count, PyObject *const *consts, const FrameView *view,
                PyObject **regs, int *reason) {
    const int *end = w + count, *failing = first_failing(w, end, consts, view, regs);
    if (failing != end)
        *reason = failing[words_of[failing[0]] - 1];
    return failing == end;
}

/* ---------------------------------------------------------------- all that fail */

static int reads_refused(const int *w, const char *refused) {
    const char *kinds = rows[w[0]].operands;
    for (int i = 0; kinds[i]; i++)
        if (kinds[i] == 'r' && refused[w[i + 1]])
            return 1;
    return 0;
}

/* Registers of these kinds of operands. */
static void refuse(const int *w, const char *which, char *refused) {
    const char *kinds = rows[w[0]].operands;
    for (int i = 0; kinds[i]; i++)
        if (strchr(which, kinds[i]) != NULL)
            refused[w[i + 1]] = 1;
}

static PyObject *looked_at(const int *w, PyObject *const *regs) {
    const char *kinds = rows[w[0]].operands;
    PyObject *few[2] = {NULL, NULL};
    int count = 0;
    for (int i = 0; kinds[i] && count < 2; i++)
        if (kinds[i] == 'r')
            few[count++] = regs[w[i + 1]];
    return count == 0 ? PyTuple_New(0) : PyTuple_Pack(count, few[0], few[1]);
}

PyObject *guards_failing(int *w, Py_ssize_t count, PyObject *const *consts, const FrameView *view,
                         PyObject **regs, char *refused) {
    const int *end = w + count;
    PyObject *found = PyList_New(0);
    for (; found != NULL && w < end; w += words_of[w[0]]) {
        if (reads_refused(w, refused)) {
            refuse(w, "d", refused);
            continue;
        }
        if (first_failing(w, w + 1, consts, view, regs) != w)
            continue;
        refuse(w, "dr", refused);
        PyObject *row = Py_BuildValue("iN", w[words_of[w[0]] - 1], looked_at(w, regs));
        if (row == NULL || PyList_Append(found, row) < 0)
            Py_CLEAR(found);
        Py_XDECREF(row);
    }
    return found;
}

/* ---------------------------------------------------------------- what programs are made of */

/* Registers are filled from 0 on, and read once they are. */
static int operand_valid(char kind, int operand, int *filled, Py_ssize_t nconsts) {
    switch (kind) {
    case 'd':
        return operand == (*filled)++;
    case 'r':
        return operand >= 0 && operand < *filled;
    case 'c':
        return operand >= 0 && operand < nconsts;
    default:
        return 1;
    }
}

int guards_valid(const int *w, Py_ssize_t count, int nregs, Py_ssize_t nconsts,
                 Py_ssize_t nreasons) {
    const int *end = w + count;
    int filled = 0;
    while (w < end) {
        if (w[0] < 0 || w[0] >= (int)Py_ARRAY_LENGTH(rows) || end - w < words_of[w[0]])
            return 0;
        const char *kinds = rows[w[0]].operands;
        for (int i = 0; kinds[i]; i++)
            if (!operand_valid(kinds[i], w[i + 1], &filled, nconsts))
                return 0;
        w += words_of[w[0]];
        if (w[-1] < 0 || w[-1] >= nreasons)
            return 0;
    }
    return filled <= nregs;
}

static PyObject *type_version(PyObject *self, PyObject *cls) {
    (void)self;
    if (!PyType_Check(cls)) {
        PyErr_SetString(PyExc_TypeError, "a class is expected");
        return NULL;
    }
    return PyLong_FromUnsignedLong(jit_assign_type_version((PyTypeObject *)cls));
}

static PyObject *slot_offset(PyObject *self, PyObject *descr) {
    (void)self;
    if (!Py_IS_TYPE(descr, &PyMemberDescr_Type)) {
        PyErr_SetString(PyExc_TypeError, "a member descriptor is expected");
        return NULL;
    }
    const PyMemberDef *def = ((PyMemberDescrObject *)descr)->d_member;
    int object = def->type == T_OBJECT_EX || def->type == T_OBJECT;
    return PyLong_FromLong(object ? (long)def->offset : -1);
}

static PyMethodDef methods[] = {
    {"type_version", type_version, METH_O,
     "type_version(cls): changes when the class or a base does; 0: it has none, no guard on it holds."},
    {"slot_offset", slot_offset, METH_O,
     "slot_offset(member_descriptor): where instances keep the object; -1: it is not an object."},
    {NULL, NULL, 0, NULL},
};

int guards_init(PyObject *module) {
    if (op_table_add(module, "GUARD_OPS", rows, Py_ARRAY_LENGTH(rows)) < 0)
        return -1;
    return PyModule_AddFunctions(module, methods);
}
