#include "check.h"
#include "diag.h"
#include "tables.h"

tn_force_def tn_force_default(const char *type)
{
    return (tn_force_def){ .type = type, .frame1 = tn_pose_identity(), .frame2 = tn_pose_identity() };
}

static const tn_force_type *check_type(tn_check *check, const char *name)
{
    if (!name || !*name) {
        tn_complain(check, "type is missing");
        return NULL;
    }
    const tn_force_type *type = tn_model_force_type(name);
    char hint[120];
    if (!type)
        tn_complain(check, "there is no force type '%.80s'%s", name,
                    tn_did_you_mean(hint, sizeof hint, name, tn_model_force_type_candidate, (void *)check->model));
    return type;
}

static void take_ends(tn_check *check, const tn_force_def *def, tn_force *force)
{
    tn_id body1 = def->body1.kind == TN_KIND_NONE ? tn_model_ground(check->model) : def->body1;
    bool good = tn_check_id(check, "body1", body1, TN_KIND_BODY);
    good = tn_check_id(check, "body2", def->body2, TN_KIND_BODY) && good;
    if (good && body1.index == def->body2.index)
        tn_complain(check, "both ends are on '%s': a force acts between two different bodies",
                    tn_model_entity_name(check->model, body1));
    force->body1 = body1.index;
    force->body2 = def->body2.index;
    tn_check_pose(check, "frame1", &force->frame1, check->model->dimension);
    tn_check_pose(check, "frame2", &force->frame2, check->model->dimension);
}

int tn_model_add_force_at(tn_id *out, tn_model *model, const char *name, const tn_force_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "force", name, TN_OK };
    tn_force force = { .frame1 = def->frame1, .frame2 = def->frame2 };
    tn_id id;
    tn_check_name(&check);
    take_ends(&check, def, &force);
    force.type = check_type(&check, def->type);
    if (force.type) {
        char type[140];
        snprintf(type, sizeof type, "force type '%.100s'", force.type->name);
        tn_check_settings(&check, type, force.type->parameters, TN_FORCE_PARAMETERS, def->settings, def->setting_count,
                          force.parameters);
    }
    TN_TRY(check.code);
    TN_TRY(tn_table_add(&id, model, TN_KIND_FORCE, NULL, name, span));
    force.entity = model->forces[id.index].entity;
    model->forces[id.index] = force;
    if (out)
        *out = id;
    return TN_OK;
}

int tn_model_add_force(tn_id *out, tn_model *model, const char *name, const tn_force_def *def)
{
    return tn_model_add_force_at(out, model, name, def, TN_NOWHERE);
}
