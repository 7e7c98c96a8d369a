/* Answers of the library as JSON: diagnostics, assembly, equilibrium, modes, reports. */
#include "answers.h"
#include <math.h>
#include <string.h>
#include "scene.h"

static const double PI = 3.14159265358979323846;

cJSON *tn_json_diagnostic(const tn_diagnostic *d)
{
    static const char *const words[] = { [TN_NOTE] = "note", [TN_WARNING] = "warning", [TN_ERROR] = "error" };
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "severity", words[d->severity]);
    if (d->span.file)
        cJSON_AddStringToObject(item, "file", d->span.file);
    if (d->span.line > 0)
        cJSON_AddNumberToObject(item, "line", d->span.line);
    if (d->span.column > 0)
        cJSON_AddNumberToObject(item, "column", d->span.column);
    cJSON_AddStringToObject(item, "message", d->message);
    return item;
}

void tn_json_add_parts(cJSON *document, const tn_session *session)
{
    size_t count = tn_session_part_count(session);
    cJSON *parts = count > 0 ? cJSON_AddArrayToObject(document, "parts") : NULL;
    for (size_t k = 0; k < count; k++) {
        tn_part_info part = tn_session_part(session, k);
        cJSON *item = cJSON_CreateObject();
        if (part.path)
            cJSON_AddStringToObject(item, "path", part.path);
        cJSON_AddStringToObject(item, "scheme", part.scheme);
        cJSON_AddStringToObject(item, "integrator", part.integrator);
        cJSON_AddStringToObject(item, "solver", part.solver);
        cJSON_AddNumberToObject(item, "bodies", (double)part.bodies);
        cJSON_AddNumberToObject(item, "joints", (double)part.joints);
        cJSON_AddNumberToObject(item, "steps", (double)part.steps);
        cJSON_AddNumberToObject(item, "rejected", (double)part.rejected);
        cJSON_AddNumberToObject(item, "evaluations", (double)part.evaluations);
        cJSON_AddItemToArray(parts, item);
    }
}

/* ---- assembly ---- */

cJSON *tn_json_gaps(const tn_model *model, const tn_session *session)
{
    cJSON *gaps = cJSON_CreateArray();
    for (size_t i = 0; i < tn_session_gap_count(session); i++) {
        tn_gap gap = tn_session_gap(session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "joint", tn_model_entity_name(model, gap.joint));
        cJSON_AddNumberToObject(item, "before", gap.before);
        cJSON_AddNumberToObject(item, "after", gap.after);
        cJSON_AddItemToArray(gaps, item);
    }
    return gaps;
}

static cJSON *json_shifts(const tn_model *model, const tn_session *session)
{
    cJSON *shifts = cJSON_CreateArray();
    for (size_t i = 0; i < tn_session_shift_count(session); i++) {
        tn_shift shift = tn_session_shift(session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "body", tn_model_entity_name(model, shift.body));
        cJSON_AddNumberToObject(item, "distance", shift.distance);
        cJSON_AddNumberToObject(item, "angle", shift.angle);
        cJSON_AddItemToArray(shifts, item);
    }
    return shifts;
}

static cJSON *json_start_values(const tn_model *model, const tn_session *session)
{
    cJSON *values = cJSON_CreateArray();
    for (size_t i = 0; i < tn_session_start_value_count(session); i++) {
        tn_start_value value = tn_session_start_value(session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", tn_model_entity_name(model, value.entity));
        cJSON_AddStringToObject(item, "what", value.what);
        cJSON_AddStringToObject(item, "unit", value.unit);
        if (!isnan(value.given))
            cJSON_AddNumberToObject(item, "given", value.given);
        cJSON_AddNumberToObject(item, "found", value.found);
        cJSON_AddItemToArray(values, item);
    }
    return values;
}

void tn_json_add_assembly(cJSON *document, const tn_model *model, const tn_session *session)
{
    cJSON_AddNumberToObject(document, "steps", tn_session_assembly_steps(session));
    cJSON_AddItemToObject(document, "gaps", tn_json_gaps(model, session));
    cJSON_AddItemToObject(document, "shifts", json_shifts(model, session));
    cJSON_AddItemToObject(document, "start_values", json_start_values(model, session));
}

/* ---- equilibrium and natural motions ---- */

const char *tn_equilibrium_word(tn_equilibrium_kind kind)
{
    static const char *const words[] = { [TN_EQUILIBRIUM_STABLE] = "stable",
                                         [TN_EQUILIBRIUM_INDIFFERENT] = "indifferent",
                                         [TN_EQUILIBRIUM_UNSTABLE] = "unstable" };
    return words[kind];
}

static cJSON *json_shape(const tn_motion_part *parts, size_t count)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t k = 0; k < count; k++) {
        cJSON *part = cJSON_CreateObject();
        cJSON_AddStringToObject(part, "coordinate", parts[k].coordinate);
        cJSON_AddStringToObject(part, "unit", parts[k].unit);
        cJSON_AddNumberToObject(part, "amount", parts[k].amount);
        cJSON_AddNumberToObject(part, "phase", parts[k].phase);
        cJSON_AddItemToArray(array, part);
    }
    return array;
}

static cJSON *json_mode(const tn_mode *mode)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "frequency", mode->frequency);
    cJSON_AddNumberToObject(object, "omega", 2 * PI * mode->frequency);
    cJSON_AddNumberToObject(object, "damping", mode->damping + 0.0);
    cJSON_AddItemToObject(object, "eigenvalue",
                          cJSON_CreateDoubleArray((double[]){ mode->value.re, mode->value.im }, 2));
    cJSON_AddItemToObject(object, "shape", json_shape(mode->shape, mode->shape_count));
    return object;
}

static void add_body_motions(cJSON *document, const tn_body_motion *motions, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(document, "bodies");
    for (size_t k = 0; k < count; k++) {
        const tn_body_motion *motion = &motions[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", motion->body);
        cJSON_AddItemToObject(item, "re", cJSON_CreateDoubleArray(motion->re, 6));
        cJSON_AddItemToObject(item, "im", cJSON_CreateDoubleArray(motion->im, 6));
        cJSON_AddItemToArray(array, item);
    }
}

void tn_json_add_mode_bodies(cJSON *document, const tn_mode *mode)
{
    add_body_motions(document, mode->bodies, mode->body_count);
}

void tn_json_add_free_motions(cJSON *document, const tn_free_motions *motions)
{
    cJSON *array = cJSON_AddArrayToObject(document, "motions");
    for (size_t k = 0; k < motions->count; k++) {
        const tn_free_motion *motion = &motions->items[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "coordinate", motion->coordinate);
        cJSON_AddStringToObject(item, "unit", motion->unit);
        cJSON_AddItemToObject(item, "shape", json_shape(motion->shape, motion->shape_count));
        add_body_motions(item, motion->bodies, motion->body_count);
        cJSON_AddItemToArray(array, item);
    }
}

void tn_json_add_modes(cJSON *document, const tn_modes *modes, size_t count)
{
    cJSON *items = cJSON_AddArrayToObject(document, "modes");
    cJSON_AddNumberToObject(document, "time", modes->time);
    cJSON_AddNumberToObject(document, "freedoms", modes->freedoms);
    cJSON_AddBoolToObject(document, "undamped", modes->undamped);
    for (size_t k = 0; k < count && k < modes->count; k++)
        cJSON_AddItemToArray(items, json_mode(&modes->items[k]));
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Channels that say something about a mechanism at rest: coordinates, reactions, loads. */
static bool is_told(const tn_session *session, const char *channel)
{
    static const char *const not[] = { ".rate", ".acceleration", ".drift", ".power" };
    char owner[256];
    size_t n = strcspn(channel, ".");
    snprintf(owner, sizeof owner, "%.*s", (int)(n < sizeof owner ? n : sizeof owner - 1), channel);
    tn_kind kind = tn_model_find(tn_session_model(session), owner).kind;
    for (size_t k = 0; k < sizeof not / sizeof not[0]; k++)
        if (ends_with(channel, not[k]))
            return false;
    return (kind == TN_KIND_JOINT || kind == TN_KIND_FORCE) && !strstr(channel, ".reaction_local.") &&
           !strstr(channel, ".reaction1.") && !strstr(channel, ".end1.") && !strstr(channel, ".end2.");
}

static bool is_recorded(const tn_session *session, const char *channel)
{
    for (size_t k = 1; k < tn_session_recorded_count(session); k++)
        if (strcmp(tn_session_recorded(session, k).name, channel) == 0)
            return true;
    return false;
}

tn_channel tn_channel_at_rest(tn_session *session, size_t index, double *value)
{
    tn_channel channel = tn_session_channel(session, index);
    if (!is_told(session, channel.name) && !is_recorded(session, channel.name))
        return (tn_channel){ NULL, NULL };
    tn_session_value(value, session, channel.name);
    return channel;
}

void tn_json_add_equilibrium(cJSON *document, const tn_equilibrium *e, tn_session *session)
{
    cJSON *values = cJSON_AddObjectToObject(document, "values");
    double value = 0;
    cJSON_AddNumberToObject(document, "time", e->time);
    cJSON_AddStringToObject(document, "kind", tn_equilibrium_word(e->kind));
    cJSON_AddNumberToObject(document, "freedoms", e->freedoms);
    cJSON_AddNumberToObject(document, "steps", (double)e->iterations);
    cJSON_AddNumberToObject(document, "residual", e->residual);
    cJSON_AddNumberToObject(document, "load", e->load);
    cJSON_AddNumberToObject(document, "margin", e->margin);
    cJSON_AddBoolToObject(document, "by_stiffness", e->by_stiffness);
    cJSON_AddItemToObject(document, "direction", json_shape(e->direction, e->direction_count));
    cJSON *supports = cJSON_AddArrayToObject(document, "supports");
    for (size_t k = 0; k < e->support_count; k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", e->supports[k].name);
        cJSON_AddNumberToObject(item, "points", e->supports[k].points);
        cJSON_AddNumberToObject(item, "force", e->supports[k].force);
        cJSON_AddNumberToObject(item, "friction", e->supports[k].friction);
        cJSON_AddBoolToObject(item, "sticks", e->supports[k].sticks);
        cJSON_AddItemToArray(supports, item);
    }
    cJSON *halted = cJSON_AddObjectToObject(document, "halted");
    for (size_t k = 0; k < e->halted_count; k++)
        cJSON_AddNumberToObject(halted, e->halted[k].name, e->halted[k].rate);
    for (size_t k = 0; k < tn_session_channel_count(session); k++) {
        tn_channel channel = tn_channel_at_rest(session, k, &value);
        if (channel.name)
            cJSON_AddNumberToObject(values, channel.name, value);
    }
}

/* ---- freedoms and redundancy ---- */

static const tn_reaction_part planar_parts[] = { { "Fx", 0, 0 }, { "Fy", 0, 1 }, { "Tz", 1, 2 }, { NULL, 0, 0 } };
static const tn_reaction_part spatial_parts[] = { { "Fx", 0, 0 }, { "Fy", 0, 1 }, { "Fz", 0, 2 },
                                      { "Tx", 1, 0 }, { "Ty", 1, 1 }, { "Tz", 1, 2 }, { NULL, 0, 0 } };

const tn_reaction_part *tn_reaction_parts(const tn_model *model)
{
    return tn_model_dimension(model) == 2 ? planar_parts : spatial_parts;
}

bool tn_reaction_is_unique(const tn_reaction_uniqueness *reaction, const tn_reaction_part *p)
{
    return p->torque ? reaction->torque[p->axis] : reaction->force[p->axis];
}

static cJSON *json_masses(const tn_model *model)
{
    cJSON *bodies = cJSON_CreateArray();
    for (size_t i = 0; i < tn_model_count(model, TN_KIND_BODY); i++) {
        tn_id body = tn_model_at(model, TN_KIND_BODY, i);
        double mass = 0, com[3], inertia[6];
        tn_model_body_mass(&mass, com, inertia, model, body);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", tn_model_entity_name(model, body));
        cJSON_AddStringToObject(item, "type", tn_model_entity_type(model, body));
        cJSON_AddNumberToObject(item, "mass", mass);
        cJSON_AddItemToArray(bodies, item);
    }
    return bodies;
}

static cJSON *json_uniqueness(const tn_model *model, const tn_report *report)
{
    cJSON *joints = cJSON_CreateArray();
    for (size_t i = 0; i < report->reaction_count; i++) {
        const tn_reaction_uniqueness *reaction = &report->reactions[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", tn_model_entity_name(model, reaction->joint));
        cJSON_AddStringToObject(item, "type", tn_model_entity_type(model, reaction->joint));
        cJSON *unique = cJSON_AddObjectToObject(item, "unique");
        for (const tn_reaction_part *p = tn_reaction_parts(model); p->label; p++)
            cJSON_AddBoolToObject(unique, p->label, tn_reaction_is_unique(reaction, p));
        cJSON_AddItemToArray(joints, item);
    }
    return joints;
}

bool tn_joint_has_trigger(const tn_model *model, tn_id joint, tn_fuse *fuse, tn_latch *latch)
{
    *fuse = tn_model_fuse(model, joint);
    *latch = tn_model_latch(model, joint);
    return !isnan(fuse->force) || !isnan(fuse->torque) || latch->when.text;
}

static cJSON *json_contact(const tn_model *model, tn_id contact)
{
    cJSON *item = cJSON_CreateObject();
    tn_property property;
    int count = tn_model_contact_bodies(NULL, 0, model, contact);
    tn_id *bodies = cJSON_malloc((size_t)count * sizeof *bodies);
    tn_model_contact_bodies(bodies, (size_t)count, model, contact);
    cJSON_AddStringToObject(item, "name", tn_model_entity_name(model, contact));
    for (size_t k = 0; k < tn_model_property_count(model, contact); k++)
        if (tn_model_property(&property, model, contact, k) == TN_OK)
            cJSON_AddNumberToObject(item, property.name, property.value);
    cJSON *names = cJSON_AddArrayToObject(item, "bodies");
    for (int k = 0; k < count; k++)
        cJSON_AddItemToArray(names, cJSON_CreateString(tn_model_entity_name(model, bodies[k])));
    cJSON_free(bodies);
    return item;
}

static cJSON *json_contacts(const tn_model *model)
{
    cJSON *contacts = cJSON_CreateArray();
    for (size_t i = 0; i < tn_model_count(model, TN_KIND_CONTACT); i++)
        cJSON_AddItemToArray(contacts, json_contact(model, tn_model_at(model, TN_KIND_CONTACT, i)));
    return contacts;
}

static cJSON *json_triggers(const tn_model *model)
{
    cJSON *triggers = cJSON_CreateArray();
    tn_fuse fuse;
    tn_latch latch;
    for (size_t i = 0; i < tn_model_count(model, TN_KIND_JOINT); i++) {
        tn_id joint = tn_model_at(model, TN_KIND_JOINT, i);
        if (!tn_joint_has_trigger(model, joint, &fuse, &latch))
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "joint", tn_model_entity_name(model, joint));
        if (!isnan(fuse.force))
            cJSON_AddNumberToObject(item, "force", fuse.force);
        if (!isnan(fuse.torque))
            cJSON_AddNumberToObject(item, "torque", fuse.torque);
        if (latch.when.text)
            cJSON_AddStringToObject(item, "latch", latch.when.text);
        cJSON_AddItemToArray(triggers, item);
    }
    return triggers;
}

static cJSON *json_groups(const tn_model *model, const tn_report *report)
{
    cJSON *groups = cJSON_CreateArray();
    for (size_t i = 0; i < report->group_count; i++) {
        const tn_redundancy_group *group = &report->groups[i];
        cJSON *item = cJSON_CreateObject();
        cJSON *joints = cJSON_AddArrayToObject(item, "joints");
        for (size_t k = 0; k < group->joint_count; k++)
            cJSON_AddItemToArray(joints, cJSON_CreateString(tn_model_entity_name(model, group->joints[k])));
        cJSON_AddNumberToObject(item, "excess", group->excess);
        cJSON_AddItemToArray(groups, item);
    }
    return groups;
}

void tn_json_add_report(cJSON *document, const tn_model *model, const tn_report *r)
{
    const struct { const char *name; double value; } numbers[] = {
        { "dimension", tn_model_dimension(model) }, { "coordinates", r->coordinates },
        { "equations", r->equations }, { "rank", r->rank }, { "freedoms", r->freedoms }, { "gruebler", r->gruebler },
        { "smallest_kept", r->smallest_kept }, { "largest_dropped", r->largest_dropped },
    };
    cJSON_AddStringToObject(document, "name", tn_model_name(model));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cJSON_AddNumberToObject(document, numbers[i].name, numbers[i].value);
    cJSON_AddItemToObject(document, "subsystems", tn_json_subsystems(model));
    cJSON_AddItemToObject(document, "bodies", json_masses(model));
    cJSON_AddItemToObject(document, "joints", json_uniqueness(model, r));
    cJSON_AddItemToObject(document, "contacts", json_contacts(model));
    cJSON_AddItemToObject(document, "triggers", json_triggers(model));
    cJSON_AddItemToObject(document, "groups", json_groups(model, r));
}
