/* Sliders of an animation: reading them. */
#include "sliders.h"
#include <stdlib.h>
#include <string.h>

_Static_assert((int)TN_SLIDER_NAME == (int)TN_PARAMETER_NAME, "names of parameters are names of sliders");

static int refuse(const char *text, const char *why)
{
    fprintf(stderr, "tenon animate: --slider: '%s' %s\n", text, why);
    return TN_EXIT_USAGE;
}

static int refuse_form(const char *text)
{
    return refuse(text, "is not NAME=LOW:HIGH:COUNT, such as r=100mm:300mm:9");
}

/* "LOW:HIGH:COUNT" is cut up in place. */
static int read_range(tn_slider *slider, tn_context *context, const char *whole, char *text, const char *unit)
{
    char *last = strrchr(text, ':'), *end = NULL;
    unsigned long count = last ? strtoul(last + 1, &end, 10) : 0;
    if (!last || end == last + 1 || *end != '\0' || last[1] == '-')
        return refuse_form(whole);
    if (count < 2 || count > TN_SLIDER_VALUES)
        return refuse(whole, "asks for fewer than 2 or more than 101 values");
    *last = '\0';
    char *middle = strchr(text, ':');
    if (!middle)
        return refuse_form(whole);
    *middle = '\0';
    int code = tn_quantity_parse(&slider->low, context, text, unit);
    if (code >= 0)
        code = tn_quantity_parse(&slider->high, context, middle + 1, unit);
    slider->count = count;
    if (code < 0)
        return tn_diagnostics_flush(context, code, NULL);
    return slider->low < slider->high ? TN_EXIT_OK : refuse(whole, "does not go from a lower to a higher value");
}

static int add_slider(tn_sliders *out, tn_context *context, const tn_model *model, const char *whole)
{
    tn_slider *slider = &out->items[out->count];
    const char *rest = NULL;
    if (!tn_assignment_split(whole, slider->name, &rest))
        return refuse_form(whole);
    tn_parameter_value parameter = tn_parameter_find(model, slider->name);
    if (!parameter.name)
        return refuse(whole, "names no parameter of the model; tenon info lists them");
    snprintf(slider->unit, sizeof slider->unit, "%s", parameter.shown ? parameter.shown : "");
    char *text = strdup(rest);
    if (!text)
        return tn_out_of_memory();
    int status = read_range(slider, context, whole, text, parameter.unit);
    free(text);
    if (status != TN_EXIT_OK)
        return status;
    tn_slider_begin_at(slider, parameter.value);
    out->count++;
    out->runs *= slider->count;
    return out->runs <= TN_SLIDER_RUNS ? TN_EXIT_OK : refuse(whole, "makes more than 1000 runs in all");
}

int tn_sliders_read(tn_sliders *out, tn_context *context, const tn_model *model, const tn_option_value *given)
{
    *out = (tn_sliders){ .runs = 1 };
    if (given->text_count > TN_SLIDERS_MAX)
        return refuse(given->texts[TN_SLIDERS_MAX], "is one slider too many: a page has at most 3");
    int status = TN_EXIT_OK;
    for (size_t i = 0; i < given->text_count && status == TN_EXIT_OK; i++)
        status = add_slider(out, context, model, given->texts[i]);
    return status;
}
