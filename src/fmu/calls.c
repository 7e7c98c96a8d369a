/* Code that the functions of FMI 2.0 and 3.0 share: the order of calls, lists of values, states that the importer keeps. */
#include <stdlib.h>
#include <string.h>
#include "instance.h"

bool fmu_may(fmu *f, int modes, const char *function)
{
    if (!f)
        return false;
    if ((modes & FMU_ONLY_EXCHANGE && !f->exchange) || (modes & FMU_ONLY_SIMULATION && f->exchange)) {
        fmu_say(f, FMU_ERROR, "logStatusError", "%s belongs to %s", function, f->exchange ? "co-simulation" : "model exchange");
        return false;
    }
    if (f->mode & (unsigned)modes)
        return true;
    fmu_say(f, FMU_ERROR, "logStatusError", "%s is not allowed now", function);
    return false;
}

fmu_status fmu_initialized(fmu *f)
{
    const bool events = f->exchange || f->event_mode;
    bool stopped;
    fmu_status status = fmu_ready(f);
    if (status == FMU_OK && !events)
        status = fmu_handle_events(f, &stopped);
    if (status == FMU_OK)
        f->mode = events ? FMU_EVENT : FMU_STEP;
    f->values_known = f->rates_known = false;
    return status;
}

/* ---- lists of values ---- */

fmu_status fmu_get_list(fmu *f, const uint32_t *references, size_t count, double *values)
{
    fmu_status worst = FMU_OK;
    for (size_t k = 0; k < count; k++) {
        fmu_status status = fmu_get(f, references[k], &values[k]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

fmu_status fmu_set_list(fmu *f, const uint32_t *references, size_t count, const double *values)
{
    fmu_status worst = FMU_OK;
    for (size_t k = 0; k < count; k++) {
        fmu_status status = fmu_set(f, references[k], values[k]);
        worst = status > worst ? status : worst;
    }
    fmu_status tuned = fmu_tune(f);
    return tuned > worst ? tuned : worst;
}

/* ---- continuous states ---- */

static fmu_status check_length(fmu *f, size_t count)
{
    return count == f->state_count ? FMU_OK : fmu_say(f, FMU_ERROR, "logStatusError", "there are %zu continuous states, not "
                                                      "%zu", f->state_count, count);
}

fmu_status fmu_put_states(fmu *f, const double *states, size_t count)
{
    return check_length(f, count) == FMU_OK ? fmu_set_states(f, states) : FMU_ERROR;
}

fmu_status fmu_get_states(fmu *f, double *states, size_t count)
{
    if (fmu_ready(f) != FMU_OK || check_length(f, count) != FMU_OK)
        return FMU_ERROR;
    memcpy(states, f->y, count * sizeof *states);
    return FMU_OK;
}

fmu_status fmu_get_rates(fmu *f, double *rates, size_t count)
{
    if (fmu_ready(f) != FMU_OK || check_length(f, count) != FMU_OK)
        return FMU_ERROR;
    fmu_status status = fmu_rates(f);
    if (status == FMU_OK)
        memcpy(rates, f->rate, count * sizeof *rates);
    return status;
}

fmu_status fmu_get_nominals(fmu *f, double *nominals, size_t count)
{
    if (fmu_ready(f) != FMU_OK || check_length(f, count) != FMU_OK)
        return FMU_ERROR;
    for (size_t k = 0; k < count; k++)
        nominals[k] = 1;
    return FMU_OK;
}

/* ---- saved states ---- */

/* Hands a state over; the one before it, whose place is used again, goes. */
static void replace_state(void **state, fmu_saved *saved)
{
    fmu_saved_free(*state);
    *state = saved;
}

fmu_status fmu_keep_state(fmu *f, void **state)
{
    fmu_saved *saved = fmu_save(f);
    if (!saved)
        return fmu_say(f, FMU_ERROR, "logStatusError", "the state cannot be saved");
    replace_state(state, saved);
    return FMU_OK;
}

fmu_status fmu_use_state(fmu *f, const void *state)
{
    if (!state)
        return fmu_say(f, FMU_ERROR, "logStatusError", "there is no state");
    fmu_status status = fmu_restore(f, state);
    if (status != FMU_OK && !f->session && !(f->mode & (FMU_INSTANTIATED | FMU_INITIALIZATION)))
        f->mode = FMU_FAILED;                          /* the state before is gone, too */
    return status;
}

fmu_status fmu_free_state(void **state)
{
    if (state)
        replace_state(state, NULL);
    return FMU_OK;
}

fmu_status fmu_state_size(const void *state, size_t *size)
{
    char *bytes = state ? fmu_saved_write(state) : NULL;
    *size = bytes ? strlen(bytes) : 0;
    free(bytes);
    return bytes ? FMU_OK : FMU_ERROR;
}

fmu_status fmu_serialize_state(fmu *f, const void *state, void *bytes, size_t size)
{
    char *written = state ? fmu_saved_write(state) : NULL;
    bool good = written && strlen(written) <= size;
    if (good)
        memcpy(bytes, written, strlen(written));
    free(written);
    return good ? FMU_OK : fmu_say(f, FMU_ERROR, "logStatusError", "there is not enough room for the state");
}

fmu_status fmu_deserialize_state(fmu *f, const void *bytes, size_t size, void **state)
{
    fmu_saved *saved = fmu_saved_read(f, bytes, size);
    if (!saved)
        return FMU_ERROR;
    replace_state(state, saved);
    return FMU_OK;
}
