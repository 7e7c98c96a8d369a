/* Functions of Python that expressions of models call: forces, controllers, laws of one's own. */
#include "binding.h"
#include <math.h>

typedef struct callback {
    struct callback *next;
    lane *lane;
    PyObject *function;
    int count;
} callback;

/* What a function raises is kept until the call of the engine has come back; until then it is not called again. */
static double call(void *user, const double *arguments)
{
    callback *c = user;
    double value = NAN;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *list = c->lane->raised == NULL ? PyTuple_New(c->count) : NULL;
    for (int k = 0; list != NULL && k < c->count; k++)
        PyTuple_SetItem(list, k, PyFloat_FromDouble(arguments[k]));
    PyObject *answer = list != NULL ? PyObject_CallObject(c->function, list) : NULL;
    if (answer != NULL)
        value = PyFloat_AsDouble(answer);
    if (PyErr_Occurred()) {
        PyObject *type, *error, *trace;
        PyErr_Fetch(&type, &error, &trace);
        PyErr_NormalizeException(&type, &error, &trace);
        if (trace != NULL)
            PyException_SetTraceback(error, trace);
        Py_CLEAR(c->lane->raised);
        c->lane->raised = error;
        Py_XDECREF(type);
        Py_XDECREF(trace);
        value = NAN;
    }
    Py_XDECREF(answer);
    Py_XDECREF(list);
    PyGILState_Release(gil);
    return value;
}

int lane_raise(lane *l)
{
    if (l->raised == NULL)
        return 0;
    PyErr_SetObject((PyObject *)Py_TYPE(l->raised), l->raised);
    Py_CLEAR(l->raised);
    return 1;
}

static const char *text_or_null(PyObject *object)
{
    return object == NULL || object == Py_None ? NULL : text_of(object);
}

static int add_function(lane *l, const char *name, PyObject *entry)
{
    PyObject *function, *units, *unit;
    tn_user_function def = { .name = name, .call = call };
    if (name == NULL || !PyArg_ParseTuple(entry, "OiOO", &function, &def.argument_count, &units, &unit))
        return 0;
    for (int k = 0; units != Py_None && k < TN_USER_ARGUMENTS && k < PyTuple_Size(units); k++)
        def.argument_units[k] = text_or_null(PyTuple_GetItem(units, k));
    def.unit = text_or_null(unit);
    callback *c = PyErr_Occurred() ? NULL : PyMem_Calloc(1, sizeof *c);
    if (c == NULL)
        return 0;
    *c = (callback){ .next = l->callbacks, .lane = l, .function = Py_NewRef(function), .count = def.argument_count };
    l->callbacks = c;
    def.user = c;
    return tn_context_add_function(l->context, &def) == TN_OK;
}

int lane_functions(lane *l, PyObject *functions)
{
    Py_ssize_t place = 0;
    PyObject *name, *entry;
    while (PyDict_Next(functions, &place, &name, &entry)) {
        if (add_function(l, text_of(name), entry))
            continue;
        const tn_diagnostic *d = tn_diagnostics_get(l->context, 0);
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, d != NULL ? d->message : "a function cannot be used");
        return 0;
    }
    return 1;
}

void lane_functions_free(lane *l)
{
    while (l->callbacks != NULL) {
        callback *c = l->callbacks;
        l->callbacks = c->next;
        Py_XDECREF(c->function);
        PyMem_Free(c);
    }
    Py_CLEAR(l->raised);
}
