/* Sessions: opening, advancing, recording, edits. */
#include "binding.h"
#include "scene.h"
#include <stdlib.h>
#include <string.h>

static const double TICK = 0.05;       /* s of wall time between two looks for signals, so that Ctrl-C stops a run */

/* ---- sessions ---- */

static int on_step(void *user, const tn_session *session)
{
    session_object *s = user;
    (void)session;
    double now = tn_clock();
    if (s->full || __atomic_load_n(&s->stop, __ATOMIC_RELAXED))
        return 1;
    if (now < s->next_look)
        return 0;
    s->next_look = now + TICK;
    PyGILState_STATE gil = PyGILState_Ensure();
    int stop = PyErr_CheckSignals() < 0;
    PyGILState_Release(gil);
    return stop;
}

static void on_sample(void *user, const double *values, size_t count)
{
    session_object *s = user;
    if (!s->recording || s->full)
        return;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity > 0 ? 2 * s->capacity : 256;
        double *rows = realloc(s->rows, capacity * count * sizeof *rows);
        if (rows == NULL) {
            s->full = 1;
            return;
        }
        s->rows = rows;
        s->capacity = capacity;
    }
    memcpy(s->rows + s->count++ * count, values, count * sizeof *values);
}

PyObject *wrap_session(state *st, lane *l, model_object *model, tn_session *session)
{
    session_object *s = new_object(st->session);
    if (s == NULL) {
        tn_session_close(session);
        return NULL;
    }
    s->lane = lane_hold(l);
    s->model = model;
    if (model != NULL) {
        Py_INCREF((PyObject *)model);
        model->sessions++;
    }
    s->session = session;
    s->columns = tn_session_recorded_count(session);
    tn_session_on_step(session, on_step, s);
    tn_session_on_sample(session, on_sample, s);
    return (PyObject *)s;
}

static void close_session(session_object *s)
{
    tn_session_close(s->session);
    s->session = NULL;
    if (s->model != NULL) {
        s->model->sessions--;
        Py_CLEAR(s->model);
    }
    free(s->rows);
    s->rows = NULL;
    s->count = s->capacity = 0;
}

/* A readout or snapshot is gone; a session that was closed before goes with the last one. */
void session_released(session_object *s)
{
    s->readouts--;
    if (s->closed && s->readouts == 0)
        close_session(s);
}

void session_dealloc(PyObject *self)
{
    session_object *s = (session_object *)self;
    close_session(s);
    lane_drop(s->lane);
    free_object(self);
}

/* Is the session open and free? Takes its lane. */
int enter(session_object *s)
{
    if (s->session == NULL || s->closed) {
        PyErr_SetString(PyExc_RuntimeError, "the session is closed");
        return 0;
    }
    return lane_take(s->lane);
}

/* Is the setting one of the three methods? */
static int names_method(const char *key)
{
    return strcmp(key, "scheme") == 0 || strcmp(key, "integrator") == 0 || strcmp(key, "solver") == 0;
}

/* Settings of the solution from a dict of texts, which are borrowed from it; methods, or the rest. Python's errors, or a code. */
static int take_solve(tn_solve *solve, tn_context *context, PyObject *settings, int methods)
{
    Py_ssize_t place = 0;
    PyObject *key, *value;
    while (PyDict_Next(settings, &place, &key, &value)) {
        const char *name = text_of(key);
        const char *text = name != NULL ? text_of(value) : NULL;
        int code = text == NULL ? TN_ERROR_ARGUMENT : TN_OK;
        if (text != NULL && names_method(name) == methods)
            code = tn_solve_set_text(solve, context, name, text);
        if (code < 0)
            return code;
        if (text != NULL && methods && names_method(name))
            tn_solve_drop_foreign(solve);
    }
    return TN_OK;
}

/* open(settings, analysis): analysis "" or "kinematics" or "inverse" */
PyObject *model_open(PyObject *self, PyObject *args)
{
    model_object *m = (model_object *)self;
    state *st = state_of(self);
    PyObject *settings;
    const char *analysis = "";
    if (!PyArg_ParseTuple(args, "O!|s", &PyDict_Type, &settings, &analysis))
        return NULL;
    tn_solve solve = tn_model_solve(m->model);
    if (!lane_take(m->lane))
        return NULL;
    tn_session *session = NULL;
    int code = take_solve(&solve, m->lane->context, settings, 1);
    if (code == TN_OK)
        code = take_solve(&solve, m->lane->context, settings, 0);
    if (code < 0)
        return fail(st->error, m->lane, code);
    Py_BEGIN_ALLOW_THREADS
    code = analysis[0] == 'k' ? tn_session_open_kinematics(&session, m->model, &solve)
           : analysis[0] == 'i' ? tn_session_open_inverse(&session, m->model, &solve)
                                : tn_session_open(&session, m->model, &solve);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(st->error, m->lane, code);
    lane_done(m->lane);
    return wrap_session(st, m->lane, m, session);
}

/* load(path): a saved run */
PyObject *py_load_run(PyObject *module, PyObject *args)
{
    state *st = PyModule_GetState(module);
    const char *path;
    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    lane *l = lane_new();
    tn_session *session = NULL;
    if (l == NULL)
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_load(&session, l->context, path);
    Py_END_ALLOW_THREADS
    PyObject *answer = code < 0 ? fail(st->error, l, code) : wrap_session(st, l, NULL, session);
    lane_drop(l);
    return answer;
}

/* A running call ended with a code: 0, or news, as a number; errors raise. */
static PyObject *ended(session_object *s, int code)
{
    if (s->full) {
        lane_done(s->lane);
        return PyErr_NoMemory();
    }
    if (code < 0 || PyErr_Occurred() || s->lane->raised != NULL)
        return fail(state_of((PyObject *)s)->error, s->lane, code);
    lane_done(s->lane);
    return PyLong_FromLong(code);
}

PyObject *session_advance(PyObject *self, PyObject *number)
{
    session_object *s = (session_object *)self;
    double duration = PyFloat_AsDouble(number);
    if (PyErr_Occurred() || !enter(s))
        return NULL;
    s->next_look = tn_clock() + TICK;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_advance(s->session, duration);
    Py_END_ALLOW_THREADS
    return ended(s, code);
}

PyObject *session_advance_to(PyObject *self, PyObject *number)
{
    session_object *s = (session_object *)self;
    double time = PyFloat_AsDouble(number);
    if (PyErr_Occurred() || !enter(s))
        return NULL;
    s->next_look = tn_clock() + TICK;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_advance_to(s->session, time);
    Py_END_ALLOW_THREADS
    return ended(s, code);
}

PyObject *session_diagnostics(PyObject *self, PyObject *unused)
{
    (void)unused;
    return diagnostics_of(((session_object *)self)->lane);
}

PyObject *session_step(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (!enter(s))
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_step(s->session);
    Py_END_ALLOW_THREADS
    return ended(s, code);
}

/* From any thread: a call that is under way ends after its present step, and so does every later one. */
PyObject *session_stop(PyObject *self, PyObject *unused)
{
    (void)unused;
    __atomic_store_n(&((session_object *)self)->stop, 1, __ATOMIC_RELAXED);
    Py_RETURN_NONE;
}

PyObject *session_record(PyObject *self, PyObject *on)
{
    session_object *s = (session_object *)self;
    int yes = PyObject_IsTrue(on);
    if (yes < 0)
        return NULL;
    s->recording = yes;
    s->count = 0;
    Py_RETURN_NONE;
}

/* The samples so far as a table; the session forgets them. */
PyObject *session_samples(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    PyObject *table = table_copy(state_of(self), s->rows, s->count, s->columns);
    if (table != NULL) {
        free(s->rows);
        s->rows = NULL;
        s->count = s->capacity = 0;
    }
    return table;
}

static PyObject *channel_list(tn_session *session, size_t count, tn_channel (*get)(const tn_session *, size_t))
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < count; k++) {
        tn_channel c = get(session, k);
        PyObject *item = Py_BuildValue("(ss)", c.name, c.unit ? c.unit : "");
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyObject *session_recorded(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (!enter(s))
        return NULL;
    PyObject *list = channel_list(s->session, tn_session_recorded_count(s->session), tn_session_recorded);
    lane_done(s->lane);
    return list;
}

PyObject *session_channels(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (!enter(s))
        return NULL;
    PyObject *list = channel_list(s->session, tn_session_channel_count(s->session), tn_session_channel);
    lane_done(s->lane);
    return list;
}

PyObject *session_time(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (s->session == NULL || s->closed) {
        PyErr_SetString(PyExc_RuntimeError, "the session is closed");
        return NULL;
    }
    return PyFloat_FromDouble(tn_session_time(s->session));
}

PyObject *session_value(PyObject *self, PyObject *name)
{
    session_object *s = (session_object *)self;
    double value;
    const char *text = PyUnicode_Check(name) ? text_of(name) : NULL;
    if (text == NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "a channel is named by a text, such as s[\"pivot.angle\"]; s.readout([...]) reads several");
    if (text == NULL || !enter(s))
        return NULL;
    int code = tn_session_value(&value, s->session, text);
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    return PyFloat_FromDouble(value);
}

static bool is_parameter(const session_object *s, const char *name)
{
    const tn_model *model = tn_session_model(s->session);
    for (size_t k = 0; k < tn_model_parameter_count(model); k++)
        if (strcmp(tn_model_parameter(model, k).name, name) == 0)
            return true;
    return false;
}

/* The id of an input; 0 with an exception that names it. */
static int find_input(tn_id *out, const session_object *s, const char *name)
{
    *out = tn_model_find(tn_session_model(s->session), name);
    for (size_t k = 0; k < tn_model_input_count(tn_session_model(s->session)); k++)
        if (strcmp(tn_model_input_at(tn_session_model(s->session), k).name, name) == 0)
            return 1;
    char text[256];
    snprintf(text, sizeof text, "error: the model has no input '%.100s'%s", name, is_parameter(s, name)
             ? ": it is a parameter, which an edit changes: s.apply({\"parameters\": {...}})" : "");
    PyObject *arguments = Py_BuildValue("(is[])", TN_ERROR_ARGUMENT, text);
    if (arguments != NULL)
        PyErr_SetObject(state_of((PyObject *)(uintptr_t)s)->error, arguments);
    Py_XDECREF(arguments);
    return 0;
}

/* input(name, value, rate, within) */
PyObject *session_input(PyObject *self, PyObject *args)
{
    session_object *s = (session_object *)self;
    const char *name;
    double value, rate = 0, within = 0;
    if (!PyArg_ParseTuple(args, "sd|dd", &name, &value, &rate, &within) || !enter(s))
        return NULL;
    tn_id input;
    if (!find_input(&input, s, name)) {
        lane_done(s->lane);
        return NULL;
    }
    int code = within == 0 ? tn_session_input_ramp(s->session, input, value, rate)
                           : tn_session_input_reach(s->session, input, value, rate, within);
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    Py_RETURN_NONE;
}

/* inputs(names, values): a tuple of names, an object with a buffer of doubles */
PyObject *session_inputs(PyObject *self, PyObject *args)
{
    enum { MOST = 256 };
    session_object *s = (session_object *)self;
    PyObject *names, *buffer;
    Py_buffer view;
    tn_id ids[MOST];
    if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &names, &buffer))
        return NULL;
    Py_ssize_t count = PyTuple_Size(names);
    if (count > MOST) {
        PyErr_SetString(PyExc_ValueError, "too many inputs at a time");
        return NULL;
    }
    const double *values = take_doubles(buffer, &view, count, 0);
    if (values == NULL)
        return NULL;
    if (!enter(s)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    for (Py_ssize_t k = 0; k < count && !PyErr_Occurred(); k++) {
        const char *name = text_of(PyTuple_GetItem(names, k));
        if (name != NULL)
            find_input(&ids[k], s, name);
    }
    int code = PyErr_Occurred() ? TN_ERROR_ARGUMENT : tn_session_inputs(s->session, ids, values, NULL, (size_t)count);
    PyBuffer_Release(&view);
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    Py_RETURN_NONE;
}

static PyObject *ack_dict(const tn_ack *a)
{
    return Py_BuildValue("{s:d,s:N,s:d,s:d,s:s}", "time", a->time, "changed", PyBool_FromLong(a->changed),
                         "energy_change", a->energy_change, "displacement", a->displacement, "text", a->text);
}

PyObject *session_apply(PyObject *self, PyObject *command)
{
    session_object *s = (session_object *)self;
    tn_ack ack = { 0 };
    const char *text = text_of(command);
    if (text == NULL || !enter(s))
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_apply(&ack, s->session, text);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    return ack_dict(&ack);
}

static PyObject *undo_or_redo(PyObject *self, PyObject *args, int (*call)(tn_ack *, tn_session *, bool))
{
    session_object *s = (session_object *)self;
    tn_ack ack = { 0 };
    int restore;
    if (!PyArg_ParseTuple(args, "p", &restore) || !enter(s))
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = call(&ack, s->session, restore != 0);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    return ack_dict(&ack);
}

PyObject *session_undo(PyObject *self, PyObject *args)
{
    return undo_or_redo(self, args, tn_session_undo);
}

PyObject *session_redo(PyObject *self, PyObject *args)
{
    return undo_or_redo(self, args, tn_session_redo);
}

PyObject *session_text(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    char *text;
    (void)unused;
    if (!enter(s))
        return NULL;
    int code = tn_session_text(&text, s->session);
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    PyObject *answer = PyUnicode_FromString(text);
    tn_text_free(s->lane->context, text);
    lane_done(s->lane);
    return answer;
}

/* The present model as viewers see it, JSON (docs/animate.md). */
PyObject *session_scene(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (!enter(s))
        return NULL;
    cJSON *scene = tn_json_scene(tn_session_model(s->session));
    char *text = cJSON_PrintUnformatted(scene);
    cJSON_Delete(scene);
    lane_done(s->lane);
    PyObject *answer = text != NULL ? PyUnicode_FromString(text) : PyErr_NoMemory();
    cJSON_free(text);
    return answer;
}

PyObject *session_hash(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (!enter(s))
        return NULL;
    unsigned long long hash = tn_session_hash(s->session);
    lane_done(s->lane);
    return PyLong_FromUnsignedLongLong(hash);
}

PyObject *session_summary(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (!enter(s))
        return NULL;
    tn_summary m = tn_session_summary(s->session);
    lane_done(s->lane);
    return Py_BuildValue("{s:d,s:d,s:l,s:l,s:l,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:l,s:l,s:z}", "time", m.time, "wall", m.wall,
                         "steps", m.steps, "rejected", m.rejected, "evaluations", m.evaluations, "drift", m.max_drift,
                         "velocity_drift", m.max_velocity_drift, "energy_start", m.energy_start, "energy_end",
                         m.energy_end, "energy_work", m.energy_work, "energy_error", m.energy_error, "energy_peak",
                         m.energy_peak, "events", m.events, "impacts", m.impacts, "stopped_by", m.stopped_by);
}

PyObject *session_events(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (!enter(s))
        return NULL;
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < tn_session_fired_count(s->session); k++) {
        tn_fired f = tn_session_fired(s->session, k);
        PyObject *item = Py_BuildValue("(ds)", f.time, f.event);
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    lane_done(s->lane);
    return list;
}

PyObject *session_save(PyObject *self, PyObject *args)
{
    session_object *s = (session_object *)self;
    const char *path;
    if (!PyArg_ParseTuple(args, "s", &path) || !enter(s))
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_save(s->session, path);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    Py_RETURN_NONE;
}

PyObject *session_branch(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    tn_session *branch = NULL;
    (void)unused;
    if (!enter(s))
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_session_branch(&branch, s->session);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(state_of(self)->error, s->lane, code);
    lane_done(s->lane);
    return wrap_session(state_of(self), s->lane, NULL, branch);
}

PyObject *session_closed(PyObject *self, PyObject *unused)
{
    const session_object *s = (session_object *)self;
    (void)unused;
    return PyBool_FromLong(s->session == NULL || s->closed);
}

PyObject *session_close(PyObject *self, PyObject *unused)
{
    session_object *s = (session_object *)self;
    (void)unused;
    if (s->session == NULL || s->closed)
        Py_RETURN_NONE;
    if (!lane_take(s->lane))
        return NULL;
    s->closed = 1;
    if (s->readouts == 0)
        close_session(s);
    lane_done(s->lane);
    Py_RETURN_NONE;
}

