/* Readouts of channels, and snapshots kept in memory. */
#include "binding.h"

/* ---- readouts ---- */

PyObject *session_readout(PyObject *self, PyObject *list)
{
    session_object *s = (session_object *)self;
    const char **names;
    size_t count;
    if (!take_texts(&names, &count, list))
        return NULL;
    tn_readout *readout = NULL;
    int entered = enter(s);
    int code = entered ? tn_readout_open(&readout, s->session, names, count) : 0;
    PyMem_Free(names);
    if (!entered)
        return NULL;
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    readout_object *r = new_object(state_of(self)->readout);
    if (r == NULL) {
        tn_readout_close(readout);
        return NULL;
    }
    Py_INCREF(self);
    r->session = s;
    r->readout = readout;
    r->count = (Py_ssize_t)count;
    s->readouts++;
    return (PyObject *)r;
}

void readout_dealloc(PyObject *self)
{
    readout_object *r = (readout_object *)self;
    if (r->session != NULL) {
        tn_readout_close(r->readout);
        session_released(r->session);
        Py_CLEAR(r->session);
    }
    free_object(self);
}

/* into(buffer): writes the present values */
PyObject *readout_into(PyObject *self, PyObject *object)
{
    readout_object *r = (readout_object *)self;
    Py_buffer view;
    double *values = take_doubles(object, &view, r->count, 1);
    if (values == NULL)
        return NULL;
    if (!enter(r->session)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    int code = tn_readout_values(values, r->readout);
    PyBuffer_Release(&view);
    if (code < 0)
        return fail(state_of(self)->error, r->session->lane, code);
    lane_done(r->session->lane);
    Py_RETURN_NONE;
}

PyObject *readout_units(PyObject *self, PyObject *unused)
{
    readout_object *r = (readout_object *)self;
    PyObject *list = PyList_New(0);
    (void)unused;
    for (Py_ssize_t k = 0; list != NULL && k < r->count; k++) {
        const char *unit = tn_readout_unit(r->readout, (size_t)k);
        PyObject *item = PyUnicode_FromString(unit ? unit : "");
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* ---- snapshots ---- */

PyObject *session_snapshot(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    tn_state_snapshot *snapshot = NULL;
    (void)unused;
    if (!enter(s))
        return NULL;
    int code = tn_session_take_snapshot(&snapshot, s->session);
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    snapshot_object *m = new_object(state_of(self)->snapshot);
    if (m == NULL) {
        tn_state_snapshot_destroy(snapshot);
        return NULL;
    }
    Py_INCREF(self);
    m->session = s;
    m->snapshot = snapshot;
    s->readouts++;
    return (PyObject *)m;
}

PyObject *session_restore(PyObject *self, PyObject *object)
{
    session_object *s = (session_object *)self;
    state *st = state_of(self);
    if (!PyObject_TypeCheck(object, st->snapshot)) {
        PyErr_SetString(PyExc_TypeError, "a snapshot of this session");
        return NULL;
    }
    snapshot_object *m = (snapshot_object *)object;
    if (m->session != s) {
        PyErr_SetString(PyExc_ValueError, "the snapshot belongs to another session");
        return NULL;
    }
    if (!enter(s))
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_restore(s->session, m->snapshot);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(st->error, s->lane, code);
    lane_done(s->lane);
    Py_RETURN_NONE;
}

void snapshot_dealloc(PyObject *self)
{
    snapshot_object *m = (snapshot_object *)self;
    if (m->session != NULL) {
        tn_state_snapshot_destroy(m->snapshot);
        session_released(m->session);
        Py_CLEAR(m->session);
    }
    free_object(self);
}

PyObject *snapshot_time(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyFloat_FromDouble(tn_state_snapshot_time(((snapshot_object *)self)->snapshot));
}

