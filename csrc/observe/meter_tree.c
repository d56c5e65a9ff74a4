#include "observe/meter_tree.h"

#include "frame/code_map.h"

#define MOST_NODES 20000
#define DEEPEST 100

static MeterCode *codes;
static MeterNode *roots; /* one a thread */
static int nnodes;

MeterCode *meter_code(PyCodeObject *code) {
    CodeEntry *code_entry = code_entry_make(code);
    if (code_entry == NULL) {
        PyErr_Clear();
        return NULL;
    }
    if (code_entry->meter != NULL)
        return code_entry->meter;
    MeterCode *made = PyMem_RawCalloc(1, sizeof(MeterCode));
    if (made == NULL)
        return NULL;
    made->filename = Py_NewRef(code->co_filename);
    made->name = Py_NewRef(code->co_qualname);
    made->line = code->co_firstlineno;
    made->asked = code_entry->compiled;
    made->generator = (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    made->compiling.kind = METER_COMPILING;
    made->next = codes;
    codes = made;
    return code_entry->meter = made;
}

/* ---------------------------------------------------------------- who called whom */

static MeterNode *node_make(MeterNode *up, MeterCode *code) {
    MeterNode *node = nnodes < MOST_NODES ? PyMem_RawCalloc(1, sizeof(MeterNode)) : NULL;
    if (node == NULL)
        return NULL;
    node->code = code;
    node->up = up;
    node->depth = up ? up->depth + 1 : 0;
    node->number = nnodes++;
    MeterNode **list = up ? &up->first : &roots;
    node->next = *list;
    return *list = node;
}

MeterNode *meter_root(void) { return node_make(NULL, NULL); }

/* The thread's place in the tree, one call further; where the tree is large or deep, the place itself. */
MeterNode *meter_called_from(MeterNode *up, MeterCode *code) {
    for (MeterNode **at = &up->first; *at != NULL; at = &(*at)->next)
        if ((*at)->code == code) {
            MeterNode *found = *at;
            *at = found->next; /* the one that came last is first */
            found->next = up->first;
            return up->first = found;
        }
    MeterNode *made = up->depth < DEEPEST ? node_make(up, code) : NULL;
    return made ? made : up;
}

int meter_append(PyObject *list, PyObject *row) {
    int failed = row == NULL || PyList_Append(list, row) < 0;
    Py_XDECREF(row);
    return failed ? -1 : 0;
}

PyObject *meter_code_rows(double rate) {
    PyObject *list = PyList_New(0);
    for (MeterCode *c = codes; list != NULL && c != NULL; c = c->next) {
        PyObject *row = Py_BuildValue("OiOKdKdKdKd", c->filename, c->line, c->name, (unsigned long long)c->frames,
                                      (double)(int64_t)c->begins.ticks * rate, (unsigned long long)c->compiling.times,
                                      (double)c->compiling.ticks * rate, (unsigned long long)c->before.times,
                                      (double)c->before.ticks * rate, (unsigned long long)c->after.times,
                                      (double)c->after.ticks * rate);
        if (meter_append(list, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* A row for a node: (number, caller's or -1, file, line, name, times, seconds, seconds of each kind that are its own). */
static PyObject *node_row(const MeterNode *node, double rate) {
    PyObject *kinds = PyTuple_New(METER_NKINDS);
    for (int k = 0; kinds != NULL && k < METER_NKINDS; k++)
        PyTuple_SET_ITEM(kinds, k, PyFloat_FromDouble((double)(int64_t)node->kinds[k] * rate));
    if (kinds == NULL)
        return NULL;
    const MeterCode *code = node->code;
    return Py_BuildValue("iiOiOKdN", node->number, node->up ? node->up->number : -1, code ? code->filename : Py_None,
                         code ? code->line : 0, code ? code->name : Py_None, (unsigned long long)node->times,
                         (double)node->ticks * rate, kinds);
}

/* Rows make the garbage collector come by, which may call what is measured: meter_called_from() puts siblings in another order. */
static const MeterNode **as_they_are(const MeterNode *first, int *count) {
    *count = 0;
    for (const MeterNode *node = first; node != NULL; node = node->next)
        ++*count;
    const MeterNode **nodes = PyMem_RawMalloc((size_t)(*count + 1) * sizeof(MeterNode *));
    for (int i = 0; nodes != NULL && i < *count; i++, first = first->next)
        nodes[i] = first;
    return nodes;
}

/* Each after that of its caller. */
static int add_nodes(PyObject *list, const MeterNode *first, double rate) {
    int count, failed = 0;
    const MeterNode **nodes = as_they_are(first, &count);
    if (nodes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; !failed && i < count; i++)
        failed = meter_append(list, node_row(nodes[i], rate)) < 0 || add_nodes(list, nodes[i]->first, rate) < 0;
    PyMem_RawFree(nodes);
    return failed ? -1 : 0;
}

static void clear_nodes(MeterNode *node) {
    for (; node != NULL; node = node->next) {
        node->times = node->ticks = 0;
        memset(node->kinds, 0, sizeof(node->kinds));
        clear_nodes(node->first);
    }
}

PyObject *meter_node_rows(double rate) {
    PyObject *list = PyList_New(0);
    if (list != NULL && add_nodes(list, roots, rate) < 0)
        Py_CLEAR(list);
    return list;
}

void meter_tree_clear(void) {
    for (MeterCode *c = codes; c != NULL; c = c->next) {
        c->frames = 0;
        c->begins.ticks = c->begins.times = c->compiling.ticks = c->compiling.times = 0;
        memset(&c->before, 0, sizeof(c->before));
        memset(&c->after, 0, sizeof(c->after));
    }
    clear_nodes(roots);
}
