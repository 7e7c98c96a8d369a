/* Finds starts of loops within the limits of their joints. Assembly knows no limits: it closes loops near the guesses that it receives. */
#include "import_impl.h"

#include "diag.h"
#include "entities.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

static const double MARGIN = 0.03;             /* of the range of a coordinate */

static bool counts(const tn_machine_joint *joint)
{
    return joint->in_loop && !joint->merged && !joint->dropped;
}

/* The value within the limits, at the distance of a share of their range from them. */
static double kept_within(const tn_machine_coordinate *c, double value, double share)
{
    double range = isfinite(c->low) && isfinite(c->high) ? c->high - c->low : 1;
    if (value < c->low)
        return c->low + share * range;
    return value > c->high ? c->high - share * range : value;
}

/* Takes the coordinates of the assembled machine as starts. Brings those beyond their limits within them, and returns how many these were. */
static size_t take_coordinates(tn_machine *machine, tn_session *session, double share)
{
    static const double SMALL = 1e-9;          /* m or rad */
    size_t beyond = 0;
    for (size_t i = 0; i < machine->joint_count; i++) {
        tn_machine_joint *joint = &machine->joints[i];
        for (size_t k = 0; k < joint->coordinate_count && counts(joint); k++) {
            tn_machine_coordinate *c = &joint->coordinates[k];
            char name[512];
            double value;
            snprintf(name, sizeof name, "%s.%s", joint->label, c->name);
            if (tn_session_value(&value, session, name) < 0)
                continue;
            beyond += value < c->low - SMALL || value > c->high + SMALL;
            c->start = kept_within(c, value, share);
        }
    }
    return beyond;
}

/* Releases the starts of coordinates without limits, or of all. Returns how many were released. */
static size_t release(tn_machine *machine, bool all)
{
    size_t released = 0;
    for (size_t i = 0; i < machine->joint_count; i++)
        for (size_t k = 0; k < machine->joints[i].coordinate_count && counts(&machine->joints[i]); k++) {
            tn_machine_coordinate *c = &machine->joints[i].coordinates[k];
            if (isnan(c->start) || (!all && (isfinite(c->low) || isfinite(c->high))))
                continue;
            c->start = NAN;
            released++;
        }
    return released;
}

static int open_without_limits(tn_session **session, tn_model **model, tn_context *context, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    TN_TRY(tn_model_read(model, context, path));
    (*model)->limit_count = 0;
    return tn_session_open(session, *model, NULL);
}

int tn_import_within_limits(tn_import *import, const char *folder, int round)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_report_mark mark = tn_report_now(import->context);
    size_t beyond = 0;
    tn_machine_place(import->machine);
    TN_TRY(tn_machine_status(import->machine));
    int code = open_without_limits(&session, &model, import->context, folder);
    if (code >= 0)
        beyond = take_coordinates(import->machine, session, MARGIN * (1 << round));
    tn_report_forget(import->context, mark);
    tn_session_close(session);
    tn_model_destroy(model);
    if (code == TN_ERROR_ASSEMBLY)             /* perhaps the loops do not close because of the guesses */
        return release(import->machine, true) > 0;
    if (beyond == 0)
        return TN_OK;
    if (round == 0)
        tn_machine_note_add(import->machine, TN_NOTE, TN_NOWHERE, "loops close beyond limits of joints near the poses of the file: their joints "
                            "start elsewhere, within the limits");
    tn_machine_place(import->machine);
    release(import->machine, false);
    TN_TRY(tn_machine_status(import->machine));
    return 1;
}
