/* Reads a model with the values that --parameter gives. */
#include "parameters.h"
#include <string.h>

bool tn_assignment_split(const char *text, char name[TN_PARAMETER_NAME], const char **rest)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= TN_PARAMETER_NAME || equals[1] == '\0')
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    *rest = equals + 1;
    return true;
}

tn_parameter_value tn_parameter_find(const tn_model *model, const char *name)
{
    for (size_t i = 0; i < tn_model_parameter_count(model); i++)
        if (strcmp(tn_model_parameter(model, i).name, name) == 0)
            return tn_model_parameter(model, i);
    return (tn_parameter_value){ 0 };
}

/* A name that the model does not know is found when the model is read with it. */
static int take_parameters(tn_parameter_choice *out, tn_context *context, const tn_model *model, const char *command,
                const tn_option_value *given, cJSON *diagnostics)
{
    for (size_t i = 0; i < given->text_count; i++) {
        const char *rest = NULL;
        double value = 0;
        if (!tn_assignment_split(given->texts[i], out->names[i], &rest)) {
            fprintf(stderr, "tenon %s: --parameter: '%s' is not of the form NAME=VALUE\n", command, given->texts[i]);
            return TN_EXIT_USAGE;
        }
        const tn_parameter_value known = tn_parameter_find(model, out->names[i]);
        int code = known.name ? tn_parameter_parse(&value, context, rest, &known) : TN_OK;
        if (code < 0)
            return tn_diagnostics_flush(context, code, diagnostics);
        out->items[out->count++] = (tn_setting){ out->names[i], value };
    }
    return TN_EXIT_OK;
}

/* With parameters the model is read twice: in which units their values are to be understood stands in the model. */
int tn_parameters_read(tn_model **out, tn_parameter_choice *parameters, tn_context *context, const char *path,
                       const char *command, const tn_option_value *given, cJSON *diagnostics)
{
    parameters->count = 0;
    int status = tn_diagnostics_flush(context, tn_model_read(out, context, path), diagnostics);
    if (status != TN_EXIT_OK || given->text_count == 0)
        return status;
    status = take_parameters(parameters, context, *out, command, given, diagnostics);
    tn_model_destroy(*out);
    *out = NULL;
    if (status != TN_EXIT_OK)
        return status;
    int code = tn_model_read_with(out, context, path, parameters->items, parameters->count);
    return tn_diagnostics_flush(context, code, diagnostics);
}
