/* forces: what acts on bodies. */
#include "reader.h"

static const tn_force_type *read_type(tn_reader *r, const tn_node *node)
{
    const tn_node *type = tn_read_type(node);
    const tn_force_type *found = type != NULL ? tn_model_force_type(type->as.text) : NULL;
    char hint[160];
    if (type == NULL)
        tn_read_error(r, node->span, "'type' is missing");
    else if (found == NULL)
        tn_read_error(r, type->span, "no force type '%.60s'%s", type->as.text,
                      tn_did_you_mean(hint, sizeof hint, type->as.text, tn_model_force_type_candidate, r->model));
    return found;
}

static bool read_sides(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_attachment side[2])
{
    side[0] = (tn_attachment){ .body = tn_model_ground(r->model), .frame = tn_pose_identity() };
    if (values[FORCE_BETWEEN] != NULL && (values[FORCE_ON] != NULL || values[FORCE_FROM] != NULL)) {
        tn_read_error(r, values[FORCE_BETWEEN]->span, "give either 'between' or 'on' and 'from'");
        return false;
    }
    if (values[FORCE_BETWEEN] != NULL)
        return tn_read_attachments(r, values[FORCE_BETWEEN], "between", side);
    if (values[FORCE_ON] == NULL) {
        tn_read_error(r, node->span, "'on' or 'between' is missing: what does the force act on?");
        return false;
    }
    bool good = values[FORCE_FROM] == NULL || tn_read_attachment(r, values[FORCE_FROM], "from", &side[0]);
    return tn_read_attachment(r, values[FORCE_ON], "on", &side[1]) && good;
}

void tn_read_force(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_force_type *type = read_type(r, node);
    if (type == NULL)
        return;
    const tn_node *values[TN_MAX_KEYS], *parameters[TN_FORCE_PARAMETERS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_force, values, type->parameters, TN_FORCE_PARAMETERS, parameters))
        return;
    tn_force_def def = tn_force_default(type->name);
    tn_attachment side[2];
    bool good = read_sides(r, node, values, side);
    def.setting_count = tn_read_settings(r, type->parameters, TN_FORCE_PARAMETERS, parameters, def.settings);
    if (!good || r->errors != before)
        return;
    def.body1 = side[0].body;
    def.frame1 = side[0].frame;
    def.body2 = side[1].body;
    def.frame2 = side[1].frame;
    tn_id id;
    tn_read_ok(r, tn_model_add_force_at(&id, r->model, r->name, &def, name->span));
}
