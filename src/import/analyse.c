/* Analysis of an imported model by the engine: assembly, moving parts, rank, freedoms, redundant equations. */
#include "import_impl.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"
#include "writer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* m or rad: smaller changes by assembly are rounding of the file */
static const double NOT_MOVED = 1e-7;

static int compare_moved(const void *a, const void *b)
{
    const tn_moved_body *p = a, *q = b;
    double x = p->distance + p->angle, y = q->distance + q->angle;
    return (x < y) - (x > y);
}

static void add_moved(tn_import *import, const char *name, double distance, double angle)
{
    if ((distance > NOT_MOVED || angle > NOT_MOVED) && name)
        import->moved[import->moved_count++] = (tn_moved_body){ name, distance, angle };
}

/* Bodies that assembly has moved: while mates were combined, and when the model was opened. */
static void list_moved(tn_import *import, const tn_model *model, tn_session *session)
{
    tn_machine *machine = import->machine;
    size_t count = tn_model_count(model, TN_KIND_BODY);
    import->moved = tn_arena_alloc(machine->arena, count + machine->body_count + 1, sizeof *import->moved);
    if (!import->moved)
        return;
    for (size_t i = 0; i < count; i++) {
        tn_id id = tn_model_at(model, TN_KIND_BODY, i);
        const tn_body *body = &model->bodies[id.index];
        tn_pose after;
        double mass, com[3], inertia[6];
        bool rotor = (body->given & TN_GIVEN_AXIS) != 0;       /* armature of a joint: no part of the machine */
        if (!body->placed || rotor || tn_session_pose(&after, session, id) < 0)
            continue;
        tn_pose change = tn_pose_relative(&body->pose, &after);
        if (tn_model_body_mass(&mass, com, inertia, model, id) >= 0 && isfinite(mass))
            import->total_mass += mass;
        add_moved(import, tn_arena_strdup(machine->arena, tn_model_entity_name(model, id)), tn_norm3(change.p),
                  2 * atan2(tn_norm3(change.q + 1), fabs(change.q[0])));
    }
    for (int b = 1; b < (int)machine->body_count; b++)
        if (machine->bodies[b].into == b)
            add_moved(import, tn_body_reference(machine, -1, b), machine->bodies[b].moved, machine->bodies[b].turned);
    if (import->moved_count > 0)
        qsort(import->moved, import->moved_count, sizeof *import->moved, compare_moved);
}

static void list_groups(tn_import *import, const tn_model *model, const tn_report *report)
{
    tn_machine *machine = import->machine;
    import->groups = tn_arena_alloc(machine->arena, report->group_count + 1, sizeof *import->groups);
    for (size_t i = 0; import->groups && i < report->group_count; i++) {
        const tn_redundancy_group *group = &report->groups[i];
        char names[700] = "";
        for (size_t k = 0; k < group->joint_count; k++) {
            size_t used = strlen(names);
            if (used > 600) {
                snprintf(names + used, sizeof names - used, " and %zu more", group->joint_count - k);
                break;
            }
            snprintf(names + used, sizeof names - used, "%s%s", k > 0 ? ", " : "",
                     tn_model_entity_name(model, group->joints[k]));
        }
        import->groups[import->group_count++] = tn_machine_text(machine, "%s: %d redundant", names, group->excess);
    }
}

/* The message of the first error since the mark, and all of them off the list of the context: the import has succeeded. */
static void keep_trouble(tn_import *import, tn_report_mark mark)
{
    tn_context *context = import->context;
    for (size_t i = mark.count; i < tn_diagnostics_count(context); i++) {
        const tn_diagnostic *d = tn_diagnostics_get(context, i);
        if (d->severity == TN_ERROR && !import->trouble)
            import->trouble = tn_machine_text(import->machine, "%s", d->message);
        else if (d->severity == TN_ERROR)
            tn_machine_note_add(import->machine, TN_WARNING, TN_NOWHERE, "%s", d->message);
    }
    if (import->assembled < 0 && !import->trouble)
        import->trouble = tn_error_text(import->assembled);
    tn_report_forget(context, mark);
}

/* Whether a joint starts at one of its limits, or has dry friction that may hold it. */
static bool may_be_held(const tn_machine *machine)
{
    static const double AT = 1e-9;             /* m or rad */
    for (size_t i = 0; i < machine->joint_count; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        for (size_t k = 0; k < joint->coordinate_count && !joint->merged && !joint->dropped; k++) {
            const tn_machine_coordinate *c = &joint->coordinates[k];
            if (c->friction > 0)
                return true;
            double value = isnan(c->start) ? tn_machine_coordinate_value(machine, joint, c->name) : c->start;
            if (fabs(value - c->low) < AT || fabs(value - c->high) < AT)
                return true;
        }
    }
    return false;
}

/* The model without contacts and brakes of dry friction. */
static int remove_holds(tn_model *model)
{
    for (size_t i = tn_model_count(model, TN_KIND_CONTACT); i-- > 0;)
        TN_TRY(tn_model_remove(model, tn_model_at(model, TN_KIND_CONTACT, i)));
    for (size_t i = tn_model_count(model, TN_KIND_FORCE); i-- > 0;) {
        tn_id id = tn_model_at(model, TN_KIND_FORCE, i);
        const char *type = model->forces[id.index].type->name;
        if (strcmp(type, "clutch") == 0 || strcmp(type, "slide-brake") == 0)
            TN_TRY(tn_model_remove(model, id));
    }
    return TN_OK;
}

/* Counts of a machine that rests on limits or a floor or is held by friction: without them, since none takes a freedom away. */
static void count_without_stops(tn_import *import, const char *path)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_report *report = NULL;
    tn_report_mark mark = tn_report_now(import->context);
    int code = tn_model_read(&model, import->context, path);
    if (code >= 0) {
        model->limit_count = 0;
        code = remove_holds(model);
    }
    if (code >= 0)
        code = tn_session_open(&session, model, NULL);
    if (code >= 0)
        code = tn_session_report(&report, session);
    if (code >= 0) {
        import->counts = *report;
        import->group_count = 0;
        list_groups(import, model, report);
    }
    tn_report_forget(import->context, mark);
    tn_report_destroy(import->context, report);
    tn_session_close(session);
    tn_model_destroy(model);
}

int tn_import_analyse(tn_import *import, const char *folder)
{
    char path[PATH_MAX];
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_report *report = NULL;
    tn_report_mark mark = tn_report_now(import->context);
    import->total_mass = 0;
    import->moved_count = import->group_count = 0;
    import->trouble = NULL;
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    int code = tn_model_read(&model, import->context, path);
    if (code >= 0)
        code = tn_session_open(&session, model, NULL);
    if (code >= 0)
        code = tn_session_report(&report, session);
    import->assembled = code < 0 ? code : TN_OK;
    if (code >= 0) {
        import->counts = *report;
        list_moved(import, model, session);
        list_groups(import, model, report);
    }
    keep_trouble(import, mark);
    tn_report_destroy(import->context, report);
    tn_session_close(session);
    tn_model_destroy(model);
    if (code >= 0 && (import->machine->options->contacts || may_be_held(import->machine)))
        count_without_stops(import, path);
    return code == TN_ERROR_MEMORY ? code : tn_machine_status(import->machine);
}
