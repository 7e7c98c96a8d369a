/* Channels: the quantities that can be measured, the samples of them, and the files and tables they go to. */
#ifndef TN_CHANNELS_H
#define TN_CHANNELS_H

#include "channel_table.h"
#include "session_impl.h"
#include "sink.h"
#include "tenon/results.h"
#include "unilaterals.h"

typedef struct tn_channel_formula tn_channel_formula;

typedef struct tn_probe_list {
    tn_probe *items;
    size_t count, capacity;
} tn_probe_list;

/* Channels that somebody reads often; a list by next. */
struct tn_readout {
    tn_session *session;
    tn_probe_list probes;
    tn_arena *arena;               /* of the names */
    tn_readout *next;
};

/* Comparison with a reference table. */
typedef struct tn_reference {
    tn_results *table;
    int time_column;
    size_t next_row, compared;
    struct tn_reference_column { int column; tn_probe probe; double error; } *columns;
    size_t column_count;
} tn_reference;

/* The channels of a session. */
struct tn_channels {
    tn_probe_list recorded, all;
    tn_channel_formula **formulas; /* in the arena */
    size_t formula_count, formula_capacity;
    double *values;                /* one recorded sample */
    bool *told;                    /* of each recorded channel: a value that is not finite was reported */
    const double *sampled;         /* positions of the sample that a callback is looking at; NULL: no callback is */
    tn_reference reference;
    tn_sample_callback on_sample;
    void *sample_user;
    tn_readout *readouts;          /* the latest first */
    tn_sink *sinks;                /* files the samples go to, the latest first */
};

/* The channels that the model's outputs name. */
int tn_outputs_open(tn_session *session);
void tn_channels_close(tn_session *session);

/* Adds the probes whose name is the given one or lies below it ("crank", "crank.position", "all"); 0 added: unknown.
 * Their names live in the arena. */
int tn_probes_add(tn_session *session, tn_probe_list *list, tn_arena *arena, const char *name, size_t *added);
/* A channel, a group of them, or an expression; a diagnostic when it is none. */
int tn_probes_add_output(tn_session *session, tn_probe_list *list, tn_arena *arena, const char *text);
/* Value at the state in stepper->eval. */
double tn_probe_value(tn_session *session, const tn_probe *probe);
/* Channels by name again, after the system has become another; those that are gone are worth NaN. */
int tn_channels_rebind(tn_session *session);
int tn_readouts_rebind(tn_session *session);
/* Whether it means nothing where only the motion is known. */
bool tn_probe_needs_forces(const tn_probe *probe);
/* Does it need accelerations, reactions or constraints? Without, the motion in stepper->eval is enough. */
bool tn_probe_solves(const tn_probe *probe);
bool tn_probe_is_time(const tn_probe *probe);
/* Diagnostic for a name that is no channel, with the nearest one. */
int tn_probe_unknown(tn_session *session, const char *name, tn_span span);

/* The channel of that name, which stands for the expression; compiled when it is new. from: path of the entity whose
 * names come first in it; NULL: the model. acts: the motion depends on it, as on the condition of an event. unit NULL:
 * that of the expression. */
int tn_channel_formula_get(tn_channel_formula **out, tn_session *session, const char *name, const char *text,
                           const char *from, bool acts, const char *unit, tn_span span);
bool tn_channel_formula_needs_forces(const tn_channel_formula *channel);
const char *tn_channel_formula_unit(const tn_channel_formula *channel);
double tn_channel_formula_value(tn_channel_formula *channel);
/* As for probes. */
bool tn_channel_formula_solves(const tn_channel_formula *channel);
/* Has it an exact rate, as expressions of positions and time have? */
bool tn_channel_formula_has_rate(const tn_channel_formula *channel);
double tn_channel_formula_rate(tn_channel_formula *channel);
void tn_channel_formulas_close(tn_session *session);

/* Number of the first sample after the accepted time, when samples are record apart. */
long tn_session_sample_after(const tn_session *session, double record);

/* The model's reference table, if it has one. */
int tn_reference_open(tn_session *session);
void tn_reference_close(tn_session *session);
void tn_reference_compare(tn_session *session, double t);

/* The sample in values to all files. Each gets it, whatever becomes of another; the first error is returned. */
int tn_record_row(tn_session *session);

/* The samples that the last step has passed. */
int tn_samples_take(tn_session *session);
/* Only those up to a time within it; none when every step gives one. */
int tn_samples_take_until(tn_session *session, double until);

#endif
