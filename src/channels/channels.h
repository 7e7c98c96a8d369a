/* Channels: the quantities of a session that can be measured, their samples, and the files that record the samples. */
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

/* A set of channels that a caller reads repeatedly; an item of a linked list. */
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
    bool *told;                    /* for each recorded channel: a value that is not finite was reported */
    const double *sampled;         /* positions of the sample while a sample callback runs; otherwise NULL */
    tn_reference reference;
    tn_sample_callback on_sample;
    void *sample_user;
    tn_readout *readouts;          /* the latest first */
    tn_sink *sinks;                /* files that record the samples, the latest first */
};

/* Opens the channels that the model's outputs name, as recorded channels. */
int tn_outputs_open(tn_session *session);
/* Compiles the named expressions (let) that nothing uses, too: reports all mistakes in them. */
int tn_lets_check(tn_session *session);
void tn_channels_close(tn_session *session);

/* Adds the probes of the channel or group of that name ("crank", "crank.position", "all"). added 0: the name is
 * unknown. The names of the probes live in the arena. */
int tn_probes_add(tn_session *session, tn_probe_list *list, tn_arena *arena, const char *name, size_t *added);
/* Adds a channel, a group of channels, or an expression; a diagnostic when the text is none of these. */
int tn_probes_add_output(tn_session *session, tn_probe_list *list, tn_arena *arena, const char *text);
/* Value of a channel at the state in stepper->eval. */
double tn_probe_value(tn_session *session, const tn_probe *probe);
/* After a recompile: look up all channels by name again. Channels that the model no longer has get the value NaN. */
int tn_channels_rebind(tn_session *session);
int tn_readouts_rebind(tn_session *session);
/* Does the channel need masses and forces, so that kinematics does not have it? */
bool tn_probe_needs_forces(const tn_probe *probe);
/* Does the channel need accelerations, reactions or constraints? If not, the motion in stepper->eval is enough. */
bool tn_probe_solves(const tn_probe *probe);
bool tn_probe_is_time(const tn_probe *probe);
/* Reports that no channel has this name, and suggests the most similar name. */
int tn_probe_unknown(tn_session *session, const char *name, tn_span span);

/* An expression that has a channel. */
typedef struct tn_channel_text {
    const char *name, *text;
    const char *from;              /* path of the entity in which names are looked up first; NULL: the model */
    const char *what;              /* subject of messages: "event 'late'"; NULL: the channel */
    const char *unit;              /* NULL: the unit of the expression */
    bool acts;                     /* the motion depends on the expression, as on the condition of an event */
    tn_span span;
} tn_channel_text;
/* Returns the channel of that name for an expression; compiles the expression on first use. */
int tn_channel_formula_get(tn_channel_formula **out, tn_session *session, const tn_channel_text *text);
bool tn_channel_formula_needs_forces(const tn_channel_formula *channel);
const char *tn_channel_formula_unit(const tn_channel_formula *channel);
double tn_channel_formula_value(tn_channel_formula *channel);
/* The channels of the solved system (reactions, accelerations, energies) that the expression uses. */
const tn_probe_list *tn_channel_formula_late(const tn_channel_formula *channel);
/* As tn_probe_solves. */
bool tn_channel_formula_solves(const tn_channel_formula *channel);
/* Does the expression have an exact rate? Expressions of positions and time do. */
bool tn_channel_formula_has_rate(const tn_channel_formula *channel);
double tn_channel_formula_rate(tn_channel_formula *channel);
void tn_channel_formulas_close(tn_session *session);

/* Number of the first sample after the accepted time; record is the time between samples, s. */
long tn_session_sample_after(const tn_session *session, double record);

/* Opens the model's reference table, if the model has one. */
int tn_reference_open(tn_session *session);
void tn_reference_close(tn_session *session);
/* Compares the state in stepper->eval with the row of the table at time t, if there is one. Rows before t are left out. */
void tn_reference_compare(tn_session *session, double t);
/* Time of the next row to compare; infinite: there is none. */
double tn_reference_next(const tn_session *session);
/* True: that row lies before t. */
bool tn_reference_is_due(const tn_session *session, double t);
void tn_reference_skip(tn_session *session);

/* Writes the sample in values to all files, also after an error of one file; returns the first error. */
int tn_record_row(tn_session *session);

/* Takes the samples that fall into the last step. */
int tn_samples_take(tn_session *session);
/* Takes only the samples up to a time within the last step; none when each step end is a sample. */
int tn_samples_take_until(tn_session *session, double until);

#endif
