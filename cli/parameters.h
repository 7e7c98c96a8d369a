/* Values for the parameters of a model: --parameter NAME=VALUE, for every command that takes it. */
#ifndef TN_CLI_PARAMETERS_H
#define TN_CLI_PARAMETERS_H

#include "output.h"

#define TN_OPTION_PARAMETER { "--parameter", TN_OPTION_TEXTS, "NAME=X", \
                              "value of a parameter of the model: 0.3, '300 mm'; may be repeated", "-p" }

enum { TN_PARAMETER_NAME = 64 };

typedef struct tn_parameter_choice {
    tn_setting items[TN_MAX_TEXTS];                    /* they point into names: do not copy */
    char names[TN_MAX_TEXTS][TN_PARAMETER_NAME];
    size_t count;
} tn_parameter_choice;

/* Splits "NAME=REST": false when there is no name of a sensible length or no rest. */
bool tn_assignment_split(const char *text, char name[TN_PARAMETER_NAME], const char **rest);
/* The parameter of that name; its name is NULL when the model has none. */
tn_parameter_value tn_parameter_find(const tn_model *model, const char *name);

/* Reads the model with the values given, which are kept in parameters. command is for messages. What is wrong is said
 * on stderr and appended to diagnostics when there is such an array; returns the exit status. */
int tn_parameters_read(tn_model **out, tn_parameter_choice *parameters, tn_context *context, const char *path,
                       const char *command, const tn_option_value *given, cJSON *diagnostics);

#endif
