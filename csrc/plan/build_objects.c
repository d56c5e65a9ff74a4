#include "plan/run.h"

#include "guards/iterators.h"
#include "guards/weak_identity.h"
#include "plan/dynamic_int.h"

PyObject *plan_build_tuple(const PlanRun *run, const int *items, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(get(run, items[i])));
    return tuple;
}

PyObject *plan_build_list(const PlanRun *run, const int *items, int count) {
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++)
        PyList_SET_ITEM(list, i, Py_NewRef(get(run, items[i])));
    return list;
}

PyObject *plan_build_set(const PlanRun *run, const int *items, int count) {
    PyObject *set = PySet_New(NULL);
    for (int i = 0; set && i < count; i++)
        if (PySet_Add(set, get(run, items[i])) < 0)
            Py_CLEAR(set);
    return set;
}

PyObject *plan_build_map(const PlanRun *run, const int *items, int count) {
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < count; i += 2)
        if (PyDict_SetItem(dict, get(run, items[i]), get(run, items[i + 1])) < 0)
            Py_CLEAR(dict);
    return dict;
}

PyObject *plan_make_function(const PlanRun *run, const int *parts) {
    PyFunctionObject *fn =
        (PyFunctionObject *)PyFunction_New(get(run, parts[0]), run->view->globals);
    if (fn == NULL)
        return NULL;
    fn->func_defaults = Py_XNewRef(get(run, parts[1]));
    fn->func_kwdefaults = Py_XNewRef(get(run, parts[2]));
    fn->func_closure = Py_XNewRef(get(run, parts[3]));
    return (PyObject *)fn;
}

PyObject *plan_advance(PyObject *it, PyObject *count) {
    PyObject *done = PyObject_CallMethod(it, "__setstate__", "O", count);
    if (done == NULL)
        return NULL;
    Py_DECREF(done);
    return Py_NewRef(it);
}

PyObject *plan_take_items(PyObject *it, PyObject *count) {
    Py_ssize_t items = PyLong_AsSsize_t(count);
    if (items == -1 && PyErr_Occurred())
        return NULL;
    if (!iterator_take(it, items)) {
        PyErr_SetString(PyExc_SystemError, "jitcore: items of an iterator are gone");
        return NULL;
    }
    return Py_NewRef(it);
}

PyObject *plan_number(const PlanRun *run, PyObject *of, const int *arrays, int count) {
    PyObject *inputs[MOST_VARIABLES];
    for (int i = 0; i < count; i++)
        inputs[i] = get(run, arrays[i]);
    return number_made(of, inputs);
}

PyObject *plan_alive(PyObject *held) {
    PyObject *obj = weak_identity_object(held);
    if (obj == NULL)
        PyErr_SetString(PyExc_ReferenceError, "jitcore: an object of the plan is gone");
    return Py_XNewRef(obj);
}
