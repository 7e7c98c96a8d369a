/* Models: reading them, and lists of what is in them. */
#include "binding.h"
#include <string.h>

/* ---- models ---- */

static const char *const KIND_NAMES[] = { "", "body", "frame", "joint", "force", "contact", "subsystem" };

void model_dealloc(PyObject *self)
{
    model_object *m = (model_object *)self;
    tn_model_destroy(m->model);
    lane_drop(m->lane);
    free_object(self);
}

/* Parameters from a dict of floats; the names are borrowed from it. */
static tn_setting *take_settings(PyObject *parameters, size_t *count)
{
    Py_ssize_t place = 0;
    PyObject *name, *value;
    Py_ssize_t size = PyDict_Size(parameters);
    tn_setting *settings = PyMem_Calloc((size_t)size + 1, sizeof *settings);
    *count = 0;
    if (settings == NULL)
        PyErr_NoMemory();
    while (settings != NULL && PyDict_Next(parameters, &place, &name, &value)) {
        tn_setting *s = &settings[(*count)++];
        s->name = text_of(name);
        s->value = PyFloat_AsDouble(value);
        if (s->name == NULL || PyErr_Occurred()) {
            PyMem_Free(settings);
            return NULL;
        }
    }
    return settings;
}

static PyObject *wrap_model(state *st, lane *l, tn_model *model)
{
    model_object *m = new_object(st->model);
    if (m == NULL) {
        tn_model_destroy(model);
        lane_drop(l);
        return NULL;
    }
    m->lane = l;
    m->model = model;
    return (PyObject *)m;
}

/* A new lane with functions of Python for expressions. */
static lane *lane_with(PyObject *functions)
{
    lane *l = lane_new();
    if (l != NULL && functions != NULL && !lane_functions(l, functions)) {
        lane_drop(l);
        return NULL;
    }
    return l;
}

/* read(path, parameters[, functions]) */
PyObject *py_read(PyObject *module, PyObject *args)
{
    state *st = PyModule_GetState(module);
    const char *path;
    PyObject *parameters, *functions = NULL;
    if (!PyArg_ParseTuple(args, "sO!|O!", &path, &PyDict_Type, &parameters, &PyDict_Type, &functions))
        return NULL;
    size_t count;
    tn_setting *settings = take_settings(parameters, &count);
    lane *l = settings != NULL ? lane_with(functions) : NULL;
    tn_model *model = NULL;
    if (l == NULL) {
        PyMem_Free(settings);
        return NULL;
    }
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_model_read_with(&model, l->context, path, settings, count);
    Py_END_ALLOW_THREADS
    PyMem_Free(settings);
    if (code == TN_OK)
        return wrap_model(st, l, model);
    fail(st->error, l, code);
    lane_drop(l);
    return NULL;
}

/* parse(text, name, folder, parameters[, functions]) */
PyObject *py_parse(PyObject *module, PyObject *args)
{
    state *st = PyModule_GetState(module);
    tn_model_source source;
    const char *folder;
    Py_ssize_t size;
    PyObject *parameters, *functions = NULL;
    if (!PyArg_ParseTuple(args, "s#ssO!|O!", &source.text, &size, &source.name, &folder, &PyDict_Type, &parameters, &PyDict_Type,
                          &functions))
        return NULL;
    size_t count;
    tn_setting *settings = take_settings(parameters, &count);
    lane *l = settings != NULL ? lane_with(functions) : NULL;
    tn_model *model = NULL;
    if (l == NULL) {
        PyMem_Free(settings);
        return NULL;
    }
    source.size = (size_t)size;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_model_read_text_with(&model, l->context, &source, folder, settings, count);
    Py_END_ALLOW_THREADS
    PyMem_Free(settings);
    if (code == TN_OK)
        return wrap_model(st, l, model);
    fail(st->error, l, code);
    lane_drop(l);
    return NULL;
}

PyObject *model_facts(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    (void)unused;
    tn_solve solve = tn_model_solve(m->model);
    const char *name = tn_model_name(m->model);
    return Py_BuildValue("{s:s,s:i,s:d,s:d,s:s,s:s,s:s,s:d,s:n,s:n,s:n}", "name", name ? name : "", "dimension",
                         tn_model_dimension(m->model), "until", solve.until, "record", solve.record, "scheme",
                         solve.scheme, "integrator", solve.integrator, "solver", solve.solver, "tolerance",
                         solve.tolerance, "bodies", (Py_ssize_t)tn_model_count(m->model, TN_KIND_BODY), "joints",
                         (Py_ssize_t)tn_model_count(m->model, TN_KIND_JOINT), "forces",
                         (Py_ssize_t)tn_model_count(m->model, TN_KIND_FORCE));
}

PyObject *model_parameters(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    PyObject *list = PyList_New(0);
    (void)unused;
    for (size_t k = 0; list != NULL && k < tn_model_parameter_count(m->model); k++) {
        tn_parameter_value p = tn_model_parameter(m->model, k);
        PyObject *item = Py_BuildValue("(sdz)", p.name, p.value, p.unit);
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* parameter_value(name, text): the number in SI, with the dimension of the parameter, or the number of one of its choices. A name that
 * the model does not have is left to the reader, which says so. */
PyObject *model_parameter_value(PyObject *self, PyObject *args)
{
    model_object *m = (model_object *)self;
    const char *name, *text;
    tn_parameter_value known = { .name = NULL };
    double value = 0;
    if (!PyArg_ParseTuple(args, "ss", &name, &text) || !lane_take(m->lane))
        return NULL;
    for (size_t k = 0; k < tn_model_parameter_count(m->model) && known.name == NULL; k++)
        if (strcmp(tn_model_parameter(m->model, k).name, name) == 0)
            known = tn_model_parameter(m->model, k);
    int code = known.name != NULL ? tn_parameter_parse(&value, m->lane->context, text, &known) : TN_OK;
    if (code < 0)
        return fail(state_of(self)->error, m->lane, code);
    lane_done(m->lane);
    return PyFloat_FromDouble(value);
}

PyObject *model_inputs(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    PyObject *list = PyList_New(0);
    (void)unused;
    for (size_t k = 0; list != NULL && k < tn_model_input_count(m->model); k++) {
        tn_input i = tn_model_input_at(m->model, k);
        PyObject *item = Py_BuildValue("(ssddd)", i.name, i.unit, i.initial, i.low, i.high);
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyObject *model_entities(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    PyObject *list = PyList_New(0);
    (void)unused;
    for (int kind = TN_KIND_BODY; kind <= TN_KIND_SUBSYSTEM; kind++)
        for (size_t k = 0; list != NULL && k < tn_model_count(m->model, (tn_kind)kind); k++) {
            tn_id id = tn_model_at(m->model, (tn_kind)kind, k);
            PyObject *item = Py_BuildValue("(szz)", KIND_NAMES[kind], tn_model_entity_name(m->model, id),
                                           tn_model_entity_type(m->model, id));
            if (item == NULL || PyList_Append(list, item) < 0)
                Py_CLEAR(list);
            Py_XDECREF(item);
        }
    return list;
}

PyObject *model_outputs(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    PyObject *list = PyList_New(0);
    (void)unused;
    for (size_t k = 0; list != NULL && k < tn_model_output_count(m->model); k++) {
        PyObject *item = PyUnicode_FromString(tn_model_output(m->model, k));
        if (item == NULL || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyObject *model_file_text(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    (void)unused;
    tn_model_file file = tn_model_file_at(m->model, 0);
    return Py_BuildValue("(zz)", file.path, file.text);
}

/* Adds outputs: a channel, a group, "all", or an expression. */
PyObject *model_add_output(PyObject *self, PyObject *args)
{
    model_object *m = (model_object *)self;
    const char *name, *expression = NULL;
    if (!PyArg_ParseTuple(args, "s|z", &name, &expression))
        return NULL;
    if (m->sessions > 0) {
        PyErr_SetString(PyExc_RuntimeError, "a model does not change while a session is open");
        return NULL;
    }
    if (!lane_take(m->lane))
        return NULL;
    int code = expression ? tn_model_add_output_expression(m->model, name, expression)
                          : tn_model_add_output(m->model, name);
    if (code < 0)
        return fail(state_of(self)->error, m->lane, code);
    lane_done(m->lane);
    Py_RETURN_NONE;
}

PyObject *model_diagnostics(PyObject *self, PyObject *unused)
{
    (void)unused;
    return diagnostics_of(((model_object *)self)->lane);
}

PyObject *model_check(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    (void)unused;
    if (!lane_take(m->lane))
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_model_check(m->model);
    Py_END_ALLOW_THREADS
    if (code < 0)
        return fail(state_of(self)->error, m->lane, code);
    lane_done(m->lane);
    return diagnostics_of(m->lane);
}

