/* FMUs as parts of a model: equations in a library of another author, called in a process of its own.
 *
 * Model exchange: the states x of the FMU join those of the engine, which asks for rates and outputs at any (t, x, u).
 * Co-simulation: the FMU goes from one communication point to the next by itself.
 *
 * Whatever else an FMU remembers (discrete states, all of a co-simulation) is behind a handle: a number that follows from all
 * calls that led to it, so the same calls give the same handle. A caller keeps handles with its own state, goes back to an
 * older one at any time, and several callers may share an FMU. An FMU that cannot save its state is started again and the
 * calls are repeated. All functions may be called from several threads. */
#ifndef TN_FMI_H
#define TN_FMI_H

#include "mem.h"

typedef struct tn_fmi tn_fmi;

enum { TN_FMI_TROUBLE = 200 };

typedef struct tn_fmi_signal {
    const char *name;              /* in the model */
    const char *unit;              /* SI; NULL: not known */
    double start;                  /* of inputs */
} tn_fmi_signal;

typedef struct tn_fmi_facts {
    const char *file;              /* path */
    int version;
    bool exchange;                 /* model exchange, else co-simulation */
    bool iterates;                 /* co-simulation whose steps are taken back and repeated: outputs at any time and inputs */
    bool completed;                /* wants to hear of accepted steps */
    bool saves, directional;
    double period;                 /* s: between communication points */
    int inputs, outputs, states, indicators;
    int discretes;                 /* model exchange: inputs that change at events alone */
    const int *discrete;           /* which */
    const tn_fmi_signal *input, *output;
    const char **state_names;
} tn_fmi_facts;

typedef enum tn_fmi_wish { TN_FMI_ANY_KIND, TN_FMI_EXCHANGE, TN_FMI_SIMULATION } tn_fmi_wish;

/* A variable of the FMU, and its name in the model or its value as it was written. */
typedef struct tn_fmi_choice {
    const char *variable, *name;
    const char *text;              /* parameters; NULL: no text */
    tn_span span;
} tn_fmi_choice;

typedef struct tn_fmi_request {
    const char *path, *who;        /* who: "device 'motor'", for messages */
    tn_span span;
    tn_fmi_wish wish;
    bool iterate;                  /* co-simulation: facts.iterates is wanted */
    double period;                 /* s; NaN: the step of the FMU's default experiment */
    double limit;                  /* s: longest time of a call */
    const tn_fmi_choice *outputs;  /* outputs with names of their own; NULL: all outputs, by their names */
    size_t output_count;
    const tn_fmi_choice *parameters;
    size_t parameter_count;
    /* The number in SI that a parameter was given as, of the dimension of a unit ("*": any); false: it is none, which has been
     * reported. */
    bool (*number)(void *user, size_t parameter, const char *unit, double *value);
    void *user;
} tn_fmi_request;

/* Reads the description; no code of the FMU runs yet. Errors are diagnostics. */
int tn_fmi_open(tn_fmi **out, tn_context *context, const tn_fmi_request *request);
tn_fmi *tn_fmi_retain(tn_fmi *fmi);
/* Ends its process and removes its files with the last one. NULL: nothing. */
void tn_fmi_release(tn_fmi *fmi);
const tn_fmi_facts *tn_fmi_facts_of(const tn_fmi *fmi);
/* Whether an unknown (outputs, then rates) depends on a known (inputs, then states). */
bool tn_fmi_depends(const tn_fmi *fmi, int unknown, int known);
/* The value that an FMU gets for an input: integers and booleans are rounded. */
double tn_fmi_sent(const tn_fmi *fmi, int input, double value);
/* Whether an input is a number with a fraction. */
bool tn_fmi_is_real(const tn_fmi *fmi, int input);
/* Same file, kind, names and parameters. */
bool tn_fmi_same(const tn_fmi *a, const tn_fmi *b);

/* A point: behind a handle, at a time, with inputs and, for model exchange, states. */
typedef struct tn_fmi_point {
    double handle, t;
    const double *u, *x;
} tn_fmi_point;

/* The functions below return TN_OK, or TN_ERROR_STEP and the reason in trouble[TN_FMI_TROUBLE]. Arrays of values have the
 * lengths of the facts. */

/* Starts at the time of the point with its inputs; point.handle and point.x are not used. next: the first time event, INFINITY
 * when there is none. x: model exchange only. */
int tn_fmi_begin(tn_fmi *fmi, const tn_fmi_point *point, double *handle, double *x, double *y, double *next, char *trouble);
int tn_fmi_evaluate(tn_fmi *fmi, const tn_fmi_point *point, double *y, double *rates, double *indicators, char *trouble);
/* D: derivatives of outputs, then rates, by inputs, then states, row by row. */
int tn_fmi_differentiate(tn_fmi *fmi, const tn_fmi_point *point, double *D, char *trouble);
/* Carries out an event. x: new states. */
int tn_fmi_event(tn_fmi *fmi, const tn_fmi_point *point, double *handle, double *x, double *next, bool *ends, char *trouble);
/* An accepted step ends here: does the FMU want an event? */
int tn_fmi_completed(tn_fmi *fmi, const tn_fmi_point *point, bool *event, char *trouble);
/* Co-simulation from the time of the point to t_end. rates: of the inputs; used where the FMU interpolates. */
int tn_fmi_step(tn_fmi *fmi, const tn_fmi_point *point, double t_end, const double *rates, double *handle, double *y,
                char *trouble);
/* The same for facts.iterates, and taken back: the outputs at t, where the inputs are u. tn_fmi_differentiate_step: their
 * derivatives by u, row by row. */
int tn_fmi_try_step(tn_fmi *fmi, const tn_fmi_point *point, double t, const double *u, double *y, char *trouble);
int tn_fmi_differentiate_step(tn_fmi *fmi, const tn_fmi_point *point, double t, const double *u, double *D, char *trouble);

#endif
