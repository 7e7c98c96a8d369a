/* Finds the amplitudes of evenly sampled signals over frequency. */
#include "amplitudes.h"
#include "fourier.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
/* Largest deviation from even spacing, in intervals: times written with few digits pass, and the amplitude of the
 * fastest sine there is, two samples a period, is off by less than pi times this. */
static const double uneven = 1e-3;

static bool has_small_factors(size_t n)
{
    for (size_t p = 2; p <= TN_FOURIER_FACTOR; p++)
        while (n % p == 0)
            n /= p;
    return n == 1;
}

static bool evenly_spaced(const double *t, size_t count)
{
    double interval = (t[count - 1] - t[0]) / (double)(count - 1);
    if (!(interval > 0) || !isfinite(interval))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(t[i] - (t[0] + (double)i * interval)) <= uneven * interval))
            return false;
    return true;
}

static bool all_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Mean removed, windowed, as complex numbers; returns the sum of the window. */
static double prepare(double *out, const double *values, size_t n, tn_window window)
{
    double mean = 0, weight = 0;
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double w = window == TN_WINDOW_HANN ? 0.5 - 0.5 * cos(2 * pi * (double)i / (double)n) : 1;
        weight += w;
        out[2 * i] = w * (values[i] - mean);
        out[2 * i + 1] = 0;
    }
    return weight;
}

/* All but the ends of the frequencies stand for two halves of a sine's amplitude. */
static void take_amplitudes(tn_amplitudes *out, const double *transform, double weight, double duration)
{
    for (size_t k = 0; k < out->count; k++) {
        bool alone = k == 0 || 2 * k == out->samples;
        out->frequency[k] = (double)k / duration;
        out->amplitude[k] = (alone ? 1 : 2) * hypot(transform[2 * k], transform[2 * k + 1]) / weight;
    }
}

tn_amplitudes_end tn_amplitudes_make(tn_amplitudes *out, const double *t, const double *values, size_t count,
                                 tn_window window)
{
    *out = (tn_amplitudes){ 0 };
    if (count < TN_AMPLITUDES_LEAST)
        return TN_AMPLITUDES_SHORT;
    if (!evenly_spaced(t, count))
        return TN_AMPLITUDES_UNEVEN;
    if (!all_finite(values, count))
        return TN_AMPLITUDES_NOT_FINITE;
    size_t n = count - 1;
    while (!has_small_factors(n))
        n--;
    out->samples = n;
    out->count = n / 2 + 1;
    out->frequency = calloc(out->count, sizeof *out->frequency);
    out->amplitude = calloc(out->count, sizeof *out->amplitude);
    double *work = calloc(4 * n, sizeof *work);
    tn_amplitudes_end end = TN_AMPLITUDES_MEMORY;
    if (out->frequency && out->amplitude && work) {
        double weight = prepare(work, values, n, window);
        if (tn_fourier(work + 2 * n, work, n) == 0) {
            take_amplitudes(out, work + 2 * n, weight, (t[count - 1] - t[0]) * (double)n / (double)(count - 1));
            end = TN_AMPLITUDES_DONE;
        }
    }
    free(work);
    return end;
}

void tn_amplitudes_free(tn_amplitudes *spectrum)
{
    free(spectrum->frequency);
    free(spectrum->amplitude);
    *spectrum = (tn_amplitudes){ 0 };
}

void tn_amplitudes_intervals(double *shortest, double *longest, const double *t, size_t count)
{
    *shortest = *longest = t[1] - t[0];
    for (size_t i = 1; i + 1 < count; i++) {
        *shortest = fmin(*shortest, t[i + 1] - t[i]);
        *longest = fmax(*longest, t[i + 1] - t[i]);
    }
}
