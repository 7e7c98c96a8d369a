/* States of sessions as vectors; statics, modes and linearisation. */
#include "binding.h"

/* ---- states ---- */

PyObject *session_state(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (!enter(s))
        return NULL;
    PyObject *table = table_new(state_of(self), 1, (Py_ssize_t)tn_session_state_size(s->session));
    if (table != NULL)
        tn_session_state(((table_object *)table)->values, s->session);
    lane_done(s->lane);
    return table;
}

/* Takes the arguments (time, state) and enters the session. NULL: an error is set, and the session was left again. Otherwise
 * release the view. */
static const double *take_time_and_state(session_object *s, PyObject *args, double *time, Py_buffer *view)
{
    PyObject *object;
    if (!PyArg_ParseTuple(args, "dO", time, &object) || !enter(s))
        return NULL;
    const double *values = take_doubles(object, view, (Py_ssize_t)tn_session_state_size(s->session), 0);
    if (values == NULL)
        lane_done(s->lane);
    return values;
}

/* set_state(time, state) */
PyObject *session_set_state(PyObject *self, PyObject *args)
{
    session_object *s = (session_object *)self;
    double time;
    Py_buffer view;
    const double *values = take_time_and_state(s, args, &time, &view);
    if (values == NULL)
        return NULL;
    int code = tn_session_set_state(s->session, time, values);
    PyBuffer_Release(&view);
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    Py_RETURN_NONE;
}

/* rate_at(time, state) */
PyObject *session_rate_at(PyObject *self, PyObject *args)
{
    session_object *s = (session_object *)self;
    double time;
    Py_buffer view;
    const double *values = take_time_and_state(s, args, &time, &view);
    if (values == NULL)
        return NULL;
    PyObject *table = table_new(state_of(self), 1, (Py_ssize_t)tn_session_state_size(s->session));
    int code = table != NULL ? tn_session_rate_at(((table_object *)table)->values, s->session, time, values)
                             : TN_ERROR_MEMORY;
    PyBuffer_Release(&view);
    if (code < 0) {
        Py_XDECREF(table);
        return fail(state_of(self)->error, s->lane, code);
    }
    lane_done(s->lane);
    return table;
}

/* The readout whose outputs are meant; NULL: None, or an error is set. */
static readout_object *take_readout(PyObject *self, PyObject *object)
{
    if (object == Py_None)
        return NULL;
    readout_object *r = (readout_object *)object;
    if (!PyObject_TypeCheck(object, state_of(self)->readout) || r->session != (session_object *)self) {
        PyErr_SetString(PyExc_TypeError, "a readout of this session");
        return NULL;
    }
    return r;
}

/* derivative(readout or None, direction of the state, direction of the inputs): changes of the rate and of the outputs */
PyObject *session_derivative(PyObject *self, PyObject *args)
{
    session_object *s = (session_object *)self;
    PyObject *outputs, *states, *inputs;
    if (!PyArg_ParseTuple(args, "OOO", &outputs, &states, &inputs))
        return NULL;
    readout_object *r = take_readout(self, outputs);
    if (PyErr_Occurred() || !enter(s))
        return NULL;
    state *st = state_of(self);
    Py_ssize_t size = (Py_ssize_t)tn_session_state_size(s->session);
    Py_buffer state_view, input_view;
    const double *along = take_doubles(states, &state_view, size, 0);
    const double *input = along != NULL ? take_doubles(inputs, &input_view,
                                                       (Py_ssize_t)tn_model_input_count(tn_session_model(s->session)), 0) : NULL;
    PyObject *rate = input != NULL ? table_new(st, 1, size) : NULL;
    PyObject *change = rate != NULL ? table_new(st, 1, r != NULL ? r->count : 0) : NULL;
    int code = TN_ERROR_MEMORY;
    if (change != NULL)
        code = tn_session_derivative(((table_object *)rate)->values, ((table_object *)change)->values, s->session,
                                     r != NULL ? r->readout : NULL, along, input);
    if (along != NULL)
        PyBuffer_Release(&state_view);
    if (input != NULL)
        PyBuffer_Release(&input_view);
    if (change == NULL || code < 0) {
        Py_XDECREF(rate);
        Py_XDECREF(change);
        return fail(st->error, s->lane, code);
    }
    lane_done(s->lane);
    return Py_BuildValue("(NN)", rate, change);
}

/* ---- analyses ---- */

static PyObject *shape_list(const tn_motion_part *parts, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < count; k++) {
        PyObject *item = Py_BuildValue("(sdd)", parts[k].coordinate, parts[k].amount, parts[k].phase);
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* A dict: rates of the drives that the equilibrium halts. */
static PyObject *halted_rates(const tn_equilibrium *e)
{
    PyObject *rates = PyDict_New();
    for (size_t k = 0; rates != NULL && k < e->halted_count; k++) {
        PyObject *rate = PyFloat_FromDouble(e->halted[k].rate);
        if (rate == NULL || PyDict_SetItemString(rates, e->halted[k].name, rate) < 0)
            Py_CLEAR(rates);
        Py_XDECREF(rate);
    }
    return rates;
}

/* statics(time, nearest); the session is then at the equilibrium */
PyObject *session_statics(PyObject *self, PyObject *args)
{
    static const char *const kinds[] = { "stable", "indifferent", "unstable" };
    session_object *s = (session_object *)self;
    tn_statics_options options = tn_statics_default();
    tn_equilibrium *e;
    int nearest;
    if (!PyArg_ParseTuple(args, "dp", &options.time, &nearest) || !enter(s))
        return NULL;
    options.nearest = nearest != 0;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_statics(&e, s->session, &options);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    PyObject *answer = Py_BuildValue("{s:d,s:i,s:d,s:d,s:s,s:d,s:N,s:N}", "time", e->time, "freedoms", e->freedoms,
                                     "residual", e->residual, "load", e->load, "kind", kinds[e->kind], "margin",
                                     e->margin, "direction", shape_list(e->direction, e->direction_count), "halted", halted_rates(e));
    tn_equilibrium_destroy(s->lane->context, e);
    lane_done(s->lane);
    return answer;
}

PyObject *session_modes(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    tn_modes *m;
    (void)unused;
    if (!enter(s))
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_modes(&m, s->session);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < m->count; k++) {
        const tn_mode *mode = &m->items[k];
        PyObject *item = Py_BuildValue("{s:d,s:d,s:d,s:d,s:N}", "re", mode->value.re, "im", mode->value.im, "frequency",
                                       mode->frequency, "damping", mode->damping, "shape",
                                       shape_list(mode->shape, mode->shape_count));
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    tn_modes_destroy(s->lane->context, m);
    lane_done(s->lane);
    return list;
}

static PyObject *variable_list(const tn_linear_variable *v, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < count; k++) {
        PyObject *item = Py_BuildValue("(ssd)", v[k].name, v[k].unit ? v[k].unit : "", v[k].value);
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* linearize(inputs, outputs): lists or None */
PyObject *session_linearize(PyObject *self, PyObject *args)
{
    session_object *s = (session_object *)self;
    state *st = state_of(self);
    PyObject *inputs, *outputs;
    const char **in, **out;
    tn_linear_request request = { 0 };
    if (!PyArg_ParseTuple(args, "OO", &inputs, &outputs) || !take_texts(&in, &request.input_count, inputs))
        return NULL;
    if (!take_texts(&out, &request.output_count, outputs)) {
        PyMem_Free(in);
        return NULL;
    }
    request.inputs = in;
    request.outputs = out;
    tn_linear_system *l = NULL;
    int code = TN_OK, entered = enter(s);
    if (entered) {
        Py_BEGIN_ALLOW_THREADS
        code = tn_session_linearize(&l, s->session, &request);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(in);
    PyMem_Free(out);
    if (!entered)
        return NULL;
    if (code < 0)
        return fail(st->error, s->lane, code);
    size_t n = l->state_count, m = l->input_count, p = l->output_count;
    PyObject *answer = Py_BuildValue("{s:d,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "time", l->time, "states",
                                     variable_list(l->states, n), "inputs", variable_list(l->inputs, m), "outputs",
                                     variable_list(l->outputs, p), "A", table_copy(st, l->A, n, n), "B",
                                     table_copy(st, l->B, n, m), "C", table_copy(st, l->C, p, n), "D",
                                     table_copy(st, l->D, p, m));
    tn_linear_system_destroy(s->lane->context, l);
    lane_done(s->lane);
    return answer;
}

