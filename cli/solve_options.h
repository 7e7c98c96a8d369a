/* Options that stand for settings of a model: --step, --scheme, --set and so on, for every command that takes them. */
#ifndef TN_CLI_SOLVE_OPTIONS_H
#define TN_CLI_SOLVE_OPTIONS_H

#include "command.h"

/* Entries of a command's option table. */
#define TN_OPTION_STEP { "--step", TN_OPTION_POSITIVE, "H", \
                         "fixed step, or first step of an adaptive integrator, s", NULL }
#define TN_OPTION_TOLERANCE { "--tolerance", TN_OPTION_POSITIVE, "X", \
                              "local error of adaptive integrators: relative, and in m or rad", NULL }
#define TN_OPTION_RECORD { "--record", TN_OPTION_INTERVAL, "DT", \
                           "time between samples, s; 'step': every step of the integrator", NULL }
#define TN_OPTION_INTEGRATOR { "--integrator", TN_OPTION_TEXT, "NAME", \
                               "integrator; 'tenon describe' lists them", NULL }
#define TN_OPTION_SOLVER { "--solver", TN_OPTION_TEXT, "NAME", "solver of the constrained equations", NULL }
#define TN_OPTION_SCHEME { "--scheme", TN_OPTION_TEXT, "NAME", "how a step keeps the joints closed", NULL }
#define TN_OPTION_SET { "--set", TN_OPTION_TEXTS, "NAME=X", \
                        "setting of scheme, integrator or solver, in SI units; may be repeated", NULL }

/* The value that was given for the option of that name; NULL: the table has no such option. */
const tn_option_value *tn_option_value_of(const tn_option *options, const tn_arguments *arguments, const char *name);

enum { TN_SETTING_NAME = 64 };

typedef struct tn_solve_choice {
    tn_solve solve;                                    /* its settings may point into names: do not copy */
    char names[TN_MAX_TEXTS][TN_SETTING_NAME];
} tn_solve_choice;

/* The model's settings with what the command line says instead. Options are known by their names, so that a command
 * takes those that stand in its table. command is its name, for messages: a mistake is explained on stderr and is
 * TN_EXIT_USAGE. */
int tn_solve_choose(tn_solve_choice *out, const tn_model *model, const char *command, const tn_option *options,
                    const tn_arguments *arguments);
/* The same on top of other settings than the model's. */
int tn_solve_choose_from(tn_solve_choice *out, const tn_solve *base, const char *command, const tn_option *options,
                         const tn_arguments *arguments);
/* Does the command line say anything about how to solve? */
bool tn_solve_is_chosen(const tn_option *options, const tn_arguments *arguments);

#endif
