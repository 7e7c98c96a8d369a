/* The FMU as its own process sees it: an instance, and the functions of one version of the standard over it. */
#ifndef TN_FMI_GUEST_H
#define TN_FMI_GUEST_H

#include "fmi_impl.h"

/* The values of the standards' enumerations. */
enum { GUEST_OK, GUEST_WARNING, GUEST_DISCARD, GUEST_ERROR, GUEST_FATAL };

typedef struct tn_guest tn_guest;

/* Each returns a status of the standard. */
typedef struct tn_guest_calls {
    bool (*load)(tn_guest *g);                         /* false: a function is missing, named in why */
    bool (*instantiate)(tn_guest *g, const char *resources);
    void (*destroy)(tn_guest *g);
    int (*enter_initialization)(tn_guest *g, double t);
    int (*exit_initialization)(tn_guest *g);
    int (*terminate)(tn_guest *g);
    int (*set)(tn_guest *g, const tn_fmi_variable *variable, const double *values);    /* all elements, in units of the FMU */
    int (*get)(tn_guest *g, const tn_fmi_variable *variable, double *values);
    int (*set_text)(tn_guest *g, const tn_fmi_variable *variable, const char *text);
    int (*set_reals)(tn_guest *g, const uint32_t *references, size_t count, const double *values);
    int (*get_reals)(tn_guest *g, const uint32_t *references, size_t count, double *values);
    int (*set_time)(tn_guest *g, double t);
    int (*set_states)(tn_guest *g, const double *x, size_t n);
    int (*get_states)(tn_guest *g, double *x, size_t n);
    int (*get_rates)(tn_guest *g, double *x, size_t n);
    int (*get_indicators)(tn_guest *g, double *x, size_t n);
    int (*enter_event)(tn_guest *g);
    int (*update)(tn_guest *g, bool *again, bool *ends, double *next);
    int (*enter_continuous)(tn_guest *g);
    int (*completed)(tn_guest *g, bool *event, bool *ends);
    int (*set_input_rates)(tn_guest *g, const uint32_t *references, size_t count, const double *rates);
    int (*step)(tn_guest *g, double t, double h, bool *ends, double *reached);
    int (*save)(tn_guest *g, void **state);
    int (*restore)(tn_guest *g, void *state);
    int (*forget)(tn_guest *g, void **state);
    int (*directional)(tn_guest *g, const uint32_t *unknowns, size_t n, uint32_t known, double *change);
} tn_guest_calls;

struct tn_guest {
    const tn_fmi *fmi;
    tn_fmi_board *board;
    tn_fmi_arrays at;
    const tn_guest_calls *calls;
    void *library;
    void *instances[TN_FMI_INSTANCES], *instance;      /* the present one */
    void **functions;              /* by the numbers of fmi_guest2.c or fmi_guest3.c */
    void *more;                    /* kept by them: callbacks */
    struct tn_guest_state {
        void *state;
        int instance;
    } *saved;                      /* by slot */
    int saved_count;
    uint32_t *input_references, *output_references, *rate_references, *state_references;
    bool real_inputs, real_outputs;        /* all are single numbers of type Float64 */
    double *array;                 /* scratch: the longest array */
    void *bytes;                   /* as long, in the type of the FMU */
    double *values;                /* scratch: the longest list */
    bool ready;                    /* the library is loaded */
    char why[TN_FMI_TROUBLE];      /* why it cannot be used */
};

extern const tn_guest_calls tn_guest_calls_2, tn_guest_calls_3;

/* In the process of the FMU: answers a call on the board, in the room. user: a guest that begins with its FMU alone. */
int tn_guest_serve(void *user, int call, void *room);

/* Notes which function of the FMU is being called. */
void tn_guest_stage(tn_guest *g, const char *function);
/* Keeps the first message of the FMU that says what is wrong. */
void tn_guest_say(tn_guest *g, int status, const char *message);
/* Looks functions up by name, prefix fmi2 or fmi3. False: the name of one that is missing is in why. */
bool tn_guest_look_up(tn_guest *g, const char *prefix, const char *const *names, size_t count, size_t needed);

#endif
