/* Sliders of an animation: parameters of the model with a row of values each; a run for every combination. */
#ifndef TN_CLI_SLIDERS_H
#define TN_CLI_SLIDERS_H

#include "parameters.h"

enum { TN_SLIDERS_MAX = 3 };

typedef struct tn_slider {
    char name[TN_PARAMETER_NAME];
    char unit[TN_PARAMETER_NAME];      /* "": none */
    double low, high;                  /* SI units */
    size_t count;                      /* values, both ends among them */
    size_t start;                      /* the one nearest to the value that the model has */
} tn_slider;

typedef struct tn_sliders {
    tn_slider items[TN_SLIDERS_MAX];
    size_t count;
    size_t runs;                       /* the product of their counts; 1 without sliders */
} tn_sliders;

/* Reads "NAME=LOW:HIGH:COUNT"; a mistake is explained on stderr. Returns the exit status. */
int tn_sliders_read(tn_sliders *out, tn_context *context, const tn_model *model, const tn_option_value *given);
/* Value of a slider in a run; the first slider changes slowest. */
double tn_slider_value(const tn_sliders *sliders, size_t run, size_t index);
/* [{ "name", "unit", "values", "start" }, ...]. Owned by the caller. */
cJSON *tn_sliders_json(const tn_sliders *sliders);

#endif
