/* A model put where an analysis is wanted: as given, after a time of motion, or in static equilibrium. */
#ifndef TN_CLI_OPERATING_POINT_H
#define TN_CLI_OPERATING_POINT_H

#include "out_file.h"
#include "parameters.h"

typedef struct tn_operating_point {
    tn_context *context;
    const char *path;
    tn_model *model;
    tn_session *session;
    tn_equilibrium *equilibrium;       /* NULL: it is not one that was looked for */
    cJSON *diagnostics;                /* NULL: the answer is text */
    tn_parameter_choice parameters;
} tn_operating_point;

/* Reads the model (--parameter in given) and opens a session. Returns the exit status; what is wrong is told. */
int tn_point_open(tn_operating_point *point, tn_context *context, const tn_arguments *arguments, const char *command,
                  const tn_option_value *given);
/* Moves for so long. */
int tn_point_advance(tn_operating_point *point, double time);
/* Goes to the equilibrium. */
int tn_point_settle(tn_operating_point *point, const tn_statics_options *options);
void tn_point_close(tn_operating_point *point);

/* A line about the drives that the equilibrium, if there is one, halts; nothing when there are none. */
void tn_point_print_halted(const tn_operating_point *point, FILE *out);

/* "elbow.angle 1, shoulder.angle -0.62" with at most so many parts. */
void tn_shape_print(const tn_motion_part *parts, size_t count, size_t most, FILE *out);

/* Opens the file of an option -o, where it is given. It must not be the model, nor one of the files of the model (NULL: it may be, as
 * for tn_out_check). Returns the exit status. */
int tn_point_file(tn_out_file *out, const tn_operating_point *point, const tn_option_value *given, const char *command, const tn_model *model);

#endif
