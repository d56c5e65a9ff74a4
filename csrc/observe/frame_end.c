#include "observe/frame_end.h"

#include "frame/ask_python.h"
#include "frame/hook.h"

static PyObject *ended_callback;

PyObject *frame_end_report(unsigned long serial, PyObject *result) {
    PyObject *callback = ended_callback;
    if (callback == NULL) /* nobody is told any more */
        return result;
    Py_INCREF(callback); /* it may be replaced while it runs */
    PyObject *type = NULL, *error = NULL, *traceback = NULL;
    PyErr_Fetch(&type, &error, &traceback);
    if (result == NULL) {
        PyErr_NormalizeException(&type, &error, &traceback);
        if (error != NULL && traceback != NULL)
            PyException_SetTraceback(error, traceback);
    }
    jit_busy_enter();
    PyObject *done = PyObject_CallFunction(callback, "kOO", serial, result ? result : jit_null, error ? error : Py_None);
    jit_busy_leave();
    if (done == NULL)
        raise_later(callback);
    Py_XDECREF(done);
    Py_DECREF(callback);
    PyErr_Restore(type, error, traceback);
    return result;
}

static PyObject *set_ended(PyObject *self, PyObject *callback) {
    (void)self;
    PyObject *before = ended_callback ? ended_callback : Py_NewRef(Py_None);
    ended_callback = callback == Py_None ? NULL : Py_NewRef(callback);
    jit_hook_report_ends(ended_callback != NULL);
    return before;
}

static PyMethodDef methods[] = {
    {"set_ended", set_ended, METH_O,
     "set_ended(fn): fn(serial, result, error) is called where a frame of a C* has ended; one of the two is there, the "
     "other NULL or None. Gives the callback before."},
    {NULL, NULL, 0, NULL},
};

int frame_end_init(PyObject *module) { return PyModule_AddFunctions(module, methods); }
