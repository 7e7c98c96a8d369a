/* Contexts of the Python package, their errors, and small helpers for its objects. */
#include "binding.h"

#include <string.h>

state *state_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

/* ---- lanes: a context and who uses it ---- */

lane *lane_new(void)
{
    lane *l = PyMem_Calloc(1, sizeof *l);
    if (l != NULL)
        l->context = tn_context_create(NULL);
    if (l == NULL || l->context == NULL || tn_context_credentials_of_environment(l->context) < 0) {
        if (l != NULL)
            tn_context_destroy(l->context);
        PyMem_Free(l);
        PyErr_NoMemory();
        return NULL;
    }
    l->users = 1;
    return l;
}

lane *lane_hold(lane *l)
{
    l->users++;
    return l;
}

void lane_drop(lane *l)
{
    if (l != NULL && --l->users == 0) {
        tn_context_destroy(l->context);
        lane_functions_free(l);
        PyMem_Free(l);
    }
}

/* With the GIL held. */
int lane_take(lane *l)
{
    if (l->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this model is in use by another thread: load it once for each thread");
        return 0;
    }
    l->busy = 1;
    Py_CLEAR(l->raised);
    return 1;
}

PyObject *diagnostics_of(lane *l)
{
    static const char *const words[] = { "note", "warning", "error" };
    size_t count = tn_diagnostics_count(l->context);
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < count; k++) {
        const tn_diagnostic *d = tn_diagnostics_get(l->context, k);
        /* a message may end a long name in the middle of a character */
        PyObject *text = PyUnicode_DecodeUTF8(d->message, (Py_ssize_t)strlen(d->message), "replace");
        PyObject *item = text == NULL ? NULL : Py_BuildValue("(sziiN)", words[d->severity], d->span.file, d->span.line,
                                                             d->span.column, text);
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    tn_diagnostics_clear(l->context);
    return list;
}

/* Raises tenon.Error(code, text, diagnostics); always returns NULL. Releases the lane. */
PyObject *fail(PyObject *error, lane *l, int code)
{
    l->busy = 0;
    if (lane_raise(l) || PyErr_Occurred()) {   /* a signal handler or callback raised */
        tn_diagnostics_clear(l->context);
        return NULL;
    }
    if (code == TN_ERROR_MEMORY)
        return PyErr_NoMemory();
    PyObject *list = diagnostics_of(l);
    PyObject *arguments = list != NULL ? Py_BuildValue("(isN)", code, tn_error_text(code), list) : NULL;
    if (arguments != NULL)
        PyErr_SetObject(error, arguments);
    Py_XDECREF(arguments);
    return NULL;
}

void lane_done(lane *l)
{
    l->busy = 0;
}

void free_object(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

void *new_object(PyTypeObject *type)
{
    allocfunc allocate = PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

const char *text_of(PyObject *object)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == NULL || strlen(text) == (size_t)size)
        return text;
    PyErr_SetString(PyExc_ValueError, "embedded null character");
    return NULL;
}

/* A list of texts as an array, borrowed from the list; *out NULL for None. */
int take_texts(const char ***out, size_t *count, PyObject *list)
{
    *out = NULL;
    *count = 0;
    if (list == Py_None)
        return 1;
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "a list of texts is needed");
        return 0;
    }
    Py_ssize_t size = PyList_Size(list);
    *out = size < 0 ? NULL : PyMem_Calloc((size_t)size + 1, sizeof **out);
    for (Py_ssize_t k = 0; *out != NULL && k < size; k++)
        if (((*out)[(*count)++] = text_of(PyList_GetItem(list, k))) == NULL)
            break;
    if (*out == NULL && !PyErr_Occurred())
        PyErr_NoMemory();
    if (PyErr_Occurred()) {
        PyMem_Free(*out);
        *out = NULL;
        return 0;
    }
    return 1;
}

