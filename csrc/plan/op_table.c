#include "plan/op_table.h"

static int add_op(PyObject *table, const OpRow *row, int number) {
    PyObject *pair = Py_BuildValue("is", number, row->operands);
    int failed = pair == NULL || PyDict_SetItemString(table, row->name, pair) < 0;
    Py_XDECREF(pair);
    return failed ? -1 : 0;
}

int op_table_add(PyObject *module, const char *name, const OpRow *rows, int count) {
    PyObject *table = PyDict_New();
    int failed = table == NULL;
    for (int i = 0; i < count && !failed; i++)
        failed = add_op(table, &rows[i], i) < 0;
    failed = failed || PyModule_AddObjectRef(module, name, table) < 0;
    Py_XDECREF(table);
    return failed ? -1 : 0;
}
