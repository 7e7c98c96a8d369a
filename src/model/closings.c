/* Joints that are being drawn together. */
#include <string.h>
#include "tables.h"

/* From (gap, rate) at the beginning to nothing, with no acceleration at either end; and its first two derivatives. */
static void draw_position(const tn_closing *c, int row, double s, double out[3])
{
    const double g = c->gap[row], v = c->rate[row] * c->duration, T = c->duration;
    const double s2 = s * s, s3 = s2 * s;
    out[0] = g * (1 - s3 * (10 - 15 * s + 6 * s2)) + v * (s - s3 * (6 - 8 * s + 3 * s2));
    out[1] = (g * -30 * s2 * (1 - 2 * s + s2) + v * (1 - s2 * (18 - 32 * s + 15 * s2))) / T;
    out[2] = (g * -60 * s * (1 - 3 * s + 2 * s2) + v * (-36 * s + 96 * s2 - 60 * s3)) / (T * T);
}

static void draw_velocity(const tn_closing *c, int row, double s, double out[3])
{
    out[0] = 0;
    out[1] = c->rate[row] * (1 - s * s * (3 - 2 * s));
    out[2] = c->rate[row] * -6 * s * (1 - s) / c->duration;
}

bool tn_closing_offset(const tn_closing *c, int row, bool velocity, double t, double out[3])
{
    double s = (t - c->begin) / c->duration;
    if (!(s < 1))
        return false;
    s = s > 0 ? s : 0;
    if (velocity)
        draw_velocity(c, row, s, out);
    else
        draw_position(c, row, s, out);
    return true;
}

static size_t find_closings(const tn_model *model, uint32_t joint)
{
    size_t k = 0;
    while (k < model->closing_count && model->closings[k].joint != joint)
        k++;
    return k;
}

const tn_closing *tn_model_closing(const tn_model *model, uint32_t joint)
{
    size_t k = find_closings(model, joint);
    return k < model->closing_count ? &model->closings[k] : NULL;
}

int tn_closing_put(tn_model *model, const tn_closing *closing)
{
    tn_closing_drop(model, closing->joint);
    TN_TRY(tn_grow(model->context, &model->closings, &model->closing_capacity, model->closing_count + 1,
                   sizeof *model->closings));
    model->closings[model->closing_count++] = *closing;
    return TN_OK;
}

static void drop(tn_model *model, size_t k)
{
    model->closing_count--;
    memmove(model->closings + k, model->closings + k + 1, (model->closing_count - k) * sizeof *model->closings);
}

void tn_closing_drop(tn_model *model, uint32_t joint)
{
    size_t k = find_closings(model, joint);
    if (k < model->closing_count)
        drop(model, k);
}

void tn_closings_expire(tn_model *model, double t)
{
    for (size_t k = model->closing_count; k > 0; k--)
        if (t > model->closings[k - 1].begin + model->closings[k - 1].duration)
            drop(model, k - 1);
}
