/* The C part of the Python package: shared declarations.
 *
 * CPython's stable ABI (3.11). A context belongs to one thread at a time: all objects that share a context also share a
 * lane, which is taken for the time of a call; a second thread gets an exception instead of a data race. The GIL is
 * released while the engine works. */
#ifndef TENON_PYTHON_BINDING_H
#define TENON_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <tenon/tenon.h>

#pragma GCC diagnostic ignored "-Wpedantic"        /* CPython's tables hold functions as void pointers */

typedef struct state {
    PyTypeObject *model, *session, *readout, *snapshot, *table;
    PyObject *error;                   /* tenon.Error */
} state;

/* A context and who uses it. */
typedef struct lane {
    tn_context *context;
    long users;                        /* objects */
    int busy;
    struct callback *callbacks;        /* functions of Python in expressions */
    PyObject *raised;                  /* by one of them, in the present call */
} lane;

typedef struct model_object {
    PyObject_HEAD
    lane *lane;
    tn_model *model;
    long sessions;                     /* open ones */
} model_object;

typedef struct session_object {
    PyObject_HEAD
    lane *lane;
    model_object *model;               /* NULL: the session owns its model (loaded, branched) */
    tn_session *session;
    long readouts, generation;         /* readouts: and snapshots, which keep the session in memory */
    int closed;
    double next_look;
    double *rows;                      /* samples: columns numbers each */
    size_t columns, count, capacity;
    int full;                          /* out of memory while recording */
    int recording;
    int stop;                          /* another thread has asked for the end of the run */
} session_object;

typedef struct readout_object {
    PyObject_HEAD
    session_object *session;
    tn_readout *readout;
    Py_ssize_t count;
} readout_object;

typedef struct snapshot_object {
    PyObject_HEAD
    session_object *session;
    tn_state_snapshot *snapshot;
} snapshot_object;

typedef struct table_object {
    PyObject_HEAD
    double *values;
    Py_ssize_t shape[2], strides[2];
} table_object;

/* The page of the player (cli/player_page.h). */
extern const char tn_player_page[];

/* lane.c: contexts, errors, objects. fail raises tenon.Error, releases the lane and returns NULL. take_texts borrows the
 * texts of a list; NULL for None. text_of borrows that of an object; NULL with an exception: it is none, or has a zero byte. */
const char *text_of(PyObject *object);
state *state_of(PyObject *self);
lane *lane_new(void);
/* functions.c: gives the context functions from a dict of name -> (function, argument count, argument units or None, unit or None);
 * 0 with an exception. Frees them with the lane. Raises what one of them has raised in this call; 0: none has. */
int lane_functions(lane *l, PyObject *functions);
void lane_functions_free(lane *l);
int lane_raise(lane *l);
lane *lane_hold(lane *l);
void lane_drop(lane *l);
int lane_take(lane *l);
void lane_done(lane *l);
PyObject *diagnostics_of(lane *l);
PyObject *fail(PyObject *error, lane *l, int code);
void free_object(PyObject *self);
void *new_object(PyTypeObject *type);
int take_texts(const char ***out, size_t *count, PyObject *list);

/* table.c: memory with the buffer protocol. */
PyObject *table_new(state *st, Py_ssize_t rows, Py_ssize_t columns);
PyObject *table_copy(state *st, const double *values, size_t rows, size_t columns);
void table_dealloc(PyObject *self);
/* The numbers of an object with a buffer of exactly count doubles; NULL with an exception. Release the view. */
double *take_doubles(PyObject *object, Py_buffer *view, Py_ssize_t count, int writable);
int table_buffer(PyObject *self, Py_buffer *view, int flags);

/* model.c */
void model_dealloc(PyObject *self);
PyObject *py_read(PyObject *module, PyObject *args);
PyObject *py_parse(PyObject *module, PyObject *args);
PyObject *model_facts(PyObject *self, PyObject *unused);
PyObject *model_parameters(PyObject *self, PyObject *unused);
PyObject *model_parameter_value(PyObject *self, PyObject *args);
PyObject *model_inputs(PyObject *self, PyObject *unused);
PyObject *model_entities(PyObject *self, PyObject *unused);
PyObject *model_outputs(PyObject *self, PyObject *unused);
PyObject *model_file_text(PyObject *self, PyObject *unused);
PyObject *model_add_output(PyObject *self, PyObject *args);
PyObject *model_diagnostics(PyObject *self, PyObject *unused);
PyObject *model_check(PyObject *self, PyObject *unused);

/* session.c. enter takes the lane of an open session; 0 with an exception otherwise. */
void session_dealloc(PyObject *self);
void session_released(session_object *s);
int enter(session_object *s);
PyObject *wrap_session(state *st, lane *l, model_object *model, tn_session *session);
PyObject *model_open(PyObject *self, PyObject *args);
PyObject *py_load_run(PyObject *module, PyObject *args);
PyObject *session_advance(PyObject *self, PyObject *number);
PyObject *session_advance_to(PyObject *self, PyObject *number);
PyObject *session_diagnostics(PyObject *self, PyObject *unused);
PyObject *session_step(PyObject *self, PyObject *unused);
PyObject *session_record(PyObject *self, PyObject *on);
PyObject *session_stop(PyObject *self, PyObject *unused);
PyObject *session_scene(PyObject *self, PyObject *unused);
PyObject *session_samples(PyObject *self, PyObject *unused);
PyObject *session_recorded(PyObject *self, PyObject *unused);
PyObject *session_channels(PyObject *self, PyObject *unused);
PyObject *session_time(PyObject *self, PyObject *unused);
PyObject *session_value(PyObject *self, PyObject *name);
PyObject *session_input(PyObject *self, PyObject *args);
PyObject *session_inputs(PyObject *self, PyObject *args);
PyObject *session_apply(PyObject *self, PyObject *command);
PyObject *session_undo(PyObject *self, PyObject *args);
PyObject *session_redo(PyObject *self, PyObject *args);
PyObject *session_text(PyObject *self, PyObject *unused);
PyObject *session_hash(PyObject *self, PyObject *unused);
PyObject *session_summary(PyObject *self, PyObject *unused);
PyObject *session_events(PyObject *self, PyObject *unused);
PyObject *session_save(PyObject *self, PyObject *args);
PyObject *session_branch(PyObject *self, PyObject *unused);
PyObject *session_close(PyObject *self, PyObject *unused);
PyObject *session_closed(PyObject *self, PyObject *unused);

/* analyses.c */
PyObject *session_state(PyObject *self, PyObject *unused);
PyObject *session_set_state(PyObject *self, PyObject *args);
PyObject *session_rate_at(PyObject *self, PyObject *args);
PyObject *session_derivative(PyObject *self, PyObject *args);
PyObject *session_statics(PyObject *self, PyObject *args);
PyObject *session_modes(PyObject *self, PyObject *unused);
PyObject *session_linearize(PyObject *self, PyObject *args);

/* readout.c: readouts and snapshots. */
void readout_dealloc(PyObject *self);
void snapshot_dealloc(PyObject *self);
PyObject *session_readout(PyObject *self, PyObject *list);
PyObject *readout_into(PyObject *self, PyObject *object);
PyObject *readout_units(PyObject *self, PyObject *unused);
PyObject *session_snapshot(PyObject *self, PyObject *unused);
PyObject *session_restore(PyObject *self, PyObject *object);
PyObject *snapshot_time(PyObject *self, PyObject *unused);

#endif
