/* The module _tenon: its functions, types and their tables. */
#include "binding.h"
#include <string.h>

/* ---- functions of the module ---- */

static PyObject *py_format(PyObject *module, PyObject *args)
{
    state *st = PyModule_GetState(module);
    const char *text, *name;
    Py_ssize_t size;
    char *formatted;
    if (!PyArg_ParseTuple(args, "s#s", &text, &size, &name))
        return NULL;
    lane *l = lane_new();
    if (l == NULL)
        return NULL;
    int code = tn_format_text(&formatted, l->context, text, (size_t)size, name);
    PyObject *answer = code < 0 ? fail(st->error, l, code) : PyUnicode_FromString(formatted);
    if (code == TN_OK)
        tn_text_free(l->context, formatted);
    lane_drop(l);
    return answer;
}

/* quantity(text[, unit]): the number in SI; its dimension must be that of the unit */
static PyObject *py_quantity(PyObject *module, PyObject *args)
{
    state *st = PyModule_GetState(module);
    const char *text, *unit = NULL;
    double value = 0;
    if (!PyArg_ParseTuple(args, "s|z", &text, &unit))
        return NULL;
    lane *l = lane_new();
    if (l == NULL)
        return NULL;
    int code = tn_quantity_parse(&value, l->context, text, unit);
    PyObject *answer = code < 0 ? fail(st->error, l, code) : PyFloat_FromDouble(value);
    lane_drop(l);
    return answer;
}

/* read_results(path): (names and units, table by columns, model) */
static PyObject *py_read_results(PyObject *module, PyObject *args)
{
    state *st = PyModule_GetState(module);
    const char *path;
    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    lane *l = lane_new();
    tn_results *results = NULL;
    if (l == NULL)
        return NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = tn_results_read(&results, l->context, path);
    Py_END_ALLOW_THREADS
    PyObject *answer = NULL;
    if (code == TN_OK) {
        size_t rows = tn_results_rows(results), columns = tn_results_columns(results);
        PyObject *table = table_new(st, (Py_ssize_t)columns, (Py_ssize_t)rows), *list = PyList_New(0);
        for (size_t k = 0; table != NULL && list != NULL && k < columns; k++) {
            tn_channel c = tn_results_column(results, k);
            PyObject *item = Py_BuildValue("(ss)", c.name, c.unit ? c.unit : "");
            memcpy(((table_object *)table)->values + k * rows, tn_results_values(results, k), rows * sizeof(double));
            if (item == NULL || PyList_Append(list, item) < 0)
                Py_CLEAR(list);
            Py_XDECREF(item);
        }
        if (table != NULL && list != NULL)
            answer = Py_BuildValue("(OOz)", list, table, tn_results_model(results));
        Py_XDECREF(table);
        Py_XDECREF(list);
        tn_results_destroy(results);
    } else {
        fail(st->error, l, code);
    }
    lane_drop(l);
    return answer;
}

static PyObject *py_set_error(PyObject *module, PyObject *type)
{
    state *st = PyModule_GetState(module);
    PyObject *before = st->error;
    st->error = Py_NewRef(type);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyObject *py_version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(tn_version());
}

/* player(): the page that plays a motion, without its data; "" in a build without it */
static PyObject *py_player(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(tn_player_page);
}

/* ---- tables of methods and types ---- */

static PyMethodDef model_methods[] = {
    { "facts", model_facts, METH_NOARGS, NULL },
    { "parameters", model_parameters, METH_NOARGS, NULL },
    { "parameter_value", model_parameter_value, METH_VARARGS, NULL },
    { "inputs", model_inputs, METH_NOARGS, NULL },
    { "entities", model_entities, METH_NOARGS, NULL },
    { "outputs", model_outputs, METH_NOARGS, NULL },
    { "file_text", model_file_text, METH_NOARGS, NULL },
    { "add_output", model_add_output, METH_VARARGS, NULL },
    { "diagnostics", model_diagnostics, METH_NOARGS, NULL },
    { "check", model_check, METH_NOARGS, NULL },
    { "open", model_open, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyMethodDef session_methods[] = {
    { "advance", session_advance, METH_O, NULL },
    { "advance_to", session_advance_to, METH_O, NULL },
    { "diagnostics", session_diagnostics, METH_NOARGS, NULL },
    { "step", session_step, METH_NOARGS, NULL },
    { "record", session_record, METH_O, NULL },
    { "stop", session_stop, METH_NOARGS, NULL },
    { "scene", session_scene, METH_NOARGS, NULL },
    { "samples", session_samples, METH_NOARGS, NULL },
    { "recorded", session_recorded, METH_NOARGS, NULL },
    { "channels", session_channels, METH_NOARGS, NULL },
    { "time", session_time, METH_NOARGS, NULL },
    { "value", session_value, METH_O, NULL },
    { "input", session_input, METH_VARARGS, NULL },
    { "inputs", session_inputs, METH_VARARGS, NULL },
    { "apply", session_apply, METH_O, NULL },
    { "undo", session_undo, METH_VARARGS, NULL },
    { "redo", session_redo, METH_VARARGS, NULL },
    { "text", session_text, METH_NOARGS, NULL },
    { "hash", session_hash, METH_NOARGS, NULL },
    { "summary", session_summary, METH_NOARGS, NULL },
    { "events", session_events, METH_NOARGS, NULL },
    { "save", session_save, METH_VARARGS, NULL },
    { "branch", session_branch, METH_NOARGS, NULL },
    { "close", session_close, METH_NOARGS, NULL },
    { "closed", session_closed, METH_NOARGS, NULL },
    { "state", session_state, METH_NOARGS, NULL },
    { "set_state", session_set_state, METH_VARARGS, NULL },
    { "rate_at", session_rate_at, METH_VARARGS, NULL },
    { "derivative", session_derivative, METH_VARARGS, NULL },
    { "statics", session_statics, METH_VARARGS, NULL },
    { "modes", session_modes, METH_NOARGS, NULL },
    { "linearize", session_linearize, METH_VARARGS, NULL },
    { "readout", session_readout, METH_O, NULL },
    { "snapshot", session_snapshot, METH_NOARGS, NULL },
    { "restore", session_restore, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static PyMethodDef readout_methods[] = {
    { "into", readout_into, METH_O, NULL },
    { "units", readout_units, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyMethodDef snapshot_methods[] = {
    { "time", snapshot_time, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot model_slots[] = { { Py_tp_dealloc, model_dealloc }, { Py_tp_methods, model_methods }, { 0, NULL } };
static PyType_Slot session_slots[] = { { Py_tp_dealloc, session_dealloc }, { Py_tp_methods, session_methods },
                                       { 0, NULL } };
static PyType_Slot readout_slots[] = { { Py_tp_dealloc, readout_dealloc }, { Py_tp_methods, readout_methods },
                                       { 0, NULL } };
static PyType_Slot snapshot_slots[] = { { Py_tp_dealloc, snapshot_dealloc }, { Py_tp_methods, snapshot_methods }, { 0, NULL } };
static PyType_Slot table_slots[] = { { Py_tp_dealloc, table_dealloc }, { Py_bf_getbuffer, table_buffer }, { 0, NULL } };

enum { FLAGS = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION };
static PyType_Spec model_spec = { "tenon._tenon.Model", sizeof(model_object), 0, FLAGS, model_slots };
static PyType_Spec session_spec = { "tenon._tenon.Session", sizeof(session_object), 0, FLAGS, session_slots };
static PyType_Spec readout_spec = { "tenon._tenon.Readout", sizeof(readout_object), 0, FLAGS, readout_slots };
static PyType_Spec snapshot_spec = { "tenon._tenon.Snapshot", sizeof(snapshot_object), 0, FLAGS, snapshot_slots };
static PyType_Spec table_spec = { "tenon._tenon.Table", sizeof(table_object), 0, FLAGS, table_slots };

static PyMethodDef functions[] = {
    { "read", py_read, METH_VARARGS, NULL },
    { "parse", py_parse, METH_VARARGS, NULL },
    { "load_run", py_load_run, METH_VARARGS, NULL },
    { "format", py_format, METH_VARARGS, NULL },
    { "quantity", py_quantity, METH_VARARGS, NULL },
    { "read_results", py_read_results, METH_VARARGS, NULL },
    { "set_error", py_set_error, METH_O, NULL },
    { "player", py_player, METH_NOARGS, NULL },
    { "version", py_version, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static int execute(PyObject *module)
{
    state *st = PyModule_GetState(module);
    st->model = (PyTypeObject *)PyType_FromModuleAndSpec(module, &model_spec, NULL);
    st->session = (PyTypeObject *)PyType_FromModuleAndSpec(module, &session_spec, NULL);
    st->readout = (PyTypeObject *)PyType_FromModuleAndSpec(module, &readout_spec, NULL);
    st->snapshot = (PyTypeObject *)PyType_FromModuleAndSpec(module, &snapshot_spec, NULL);
    st->table = (PyTypeObject *)PyType_FromModuleAndSpec(module, &table_spec, NULL);
    st->error = Py_NewRef(PyExc_RuntimeError);
    return st->model && st->session && st->readout && st->snapshot && st->table ? 0 : -1;
}

static void free_module(void *module)
{
    state *st = PyModule_GetState(module);
    if (st == NULL)
        return;
    Py_CLEAR(st->model);
    Py_CLEAR(st->session);
    Py_CLEAR(st->readout);
    Py_CLEAR(st->snapshot);
    Py_CLEAR(st->table);
    Py_CLEAR(st->error);
}

static PyModuleDef_Slot module_slots[] = { { Py_mod_exec, execute }, { 0, NULL } };

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_tenon", "The C part of tenon.", sizeof(state), functions, module_slots, NULL, NULL, free_module,
};

PyMODINIT_FUNC PyInit__tenon(void);
PyMODINIT_FUNC PyInit__tenon(void)
{
    return PyModuleDef_Init(&definition);
}
