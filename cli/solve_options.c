/* Takes the options that stand for settings of a model. */
#include "solve_options.h"
#include <stdlib.h>
#include <string.h>

/* "alpha=5", or for one joint "rho.elbow=0.4", into the settings; name holds the part before '='. */
static int take_setting(tn_solve *solve, const char *command, const char *text, char name[TN_SETTING_NAME])
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    double value = equals ? strtod(equals + 1, &end) : 0;
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= TN_SETTING_NAME || end == equals + 1 || *end != '\0') {
        fprintf(stderr, "tenon %s: --set: '%s' is not of the form NAME=NUMBER\n", command, text);
        return TN_EXIT_USAGE;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    char *joint = strchr(name, '.');
    if (joint)
        *joint++ = '\0';
    if (tn_solve_set_for(solve, name, joint, value) == TN_OK)
        return TN_EXIT_OK;
    fprintf(stderr, "tenon %s: --set: more than %d settings\n", command, TN_MAX_SOLVE_SETTINGS);
    return TN_EXIT_USAGE;
}

const tn_option_value *tn_option_value_of(const tn_option *options, const tn_arguments *arguments, const char *name)
{
    for (int k = 0; options[k].name; k++)
        if (strcmp(options[k].name, name) == 0)
            return &arguments->options[k];
    return NULL;
}

/* Returns whether there was any. */
static bool take_values(tn_solve *solve, const tn_option *options, const tn_arguments *arguments)
{
    bool any = false;
    const struct { const char *name; double *number; const char **text; } places[] = {
        { "--until", &solve->until, NULL },
        { "--step", &solve->step, NULL },
        { "--record", &solve->record, NULL },
        { "--tolerance", &solve->tolerance, NULL },
        { "--tolerance", &solve->absolute_tolerance, NULL },
        { "--integrator", NULL, &solve->integrator },
        { "--solver", NULL, &solve->solver },
        { "--scheme", NULL, &solve->scheme },
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const tn_option_value *value = tn_option_value_of(options, arguments, places[i].name);
        any |= value && value->given;
        if (value && value->given && places[i].number)
            *places[i].number = value->number;
        else if (value && value->given)
            *places[i].text = value->text;
    }
    return any;
}

bool tn_solve_is_chosen(const tn_option *options, const tn_arguments *arguments)
{
    tn_solve ignored = tn_solve_default();
    const tn_option_value *set = tn_option_value_of(options, arguments, "--set");
    return take_values(&ignored, options, arguments) || (set && set->given);
}

int tn_solve_choose(tn_solve_choice *out, const tn_model *model, const char *command, const tn_option *options,
                    const tn_arguments *arguments)
{
    tn_solve base = tn_model_solve(model);
    return tn_solve_choose_from(out, &base, command, options, arguments);
}

int tn_solve_choose_from(tn_solve_choice *out, const tn_solve *base, const char *command, const tn_option *options,
                         const tn_arguments *arguments)
{
    const tn_option_value *set = tn_option_value_of(options, arguments, "--set");
    int status = TN_EXIT_OK;
    out->solve = *base;
    take_values(&out->solve, options, arguments);
    tn_solve_drop_foreign(&out->solve);
    for (size_t i = 0; set && i < set->text_count && status == TN_EXIT_OK; i++)
        status = take_setting(&out->solve, command, set->texts[i], out->names[i]);
    return status;
}
