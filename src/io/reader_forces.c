/* Reads the section forces. */
#include "check.h"
#include "file.h"
#include "reader.h"
#include "tir.h"
#include "type_hint.h"
#include <string.h>

static const tn_force_type *read_type(tn_reader *r, const tn_node *node)
{
    const tn_node *type = tn_read_type(node);
    const tn_force_type *found = type != NULL ? tn_model_force_type(type->as.text) : NULL;
    char hint[160];
    if (type == NULL)
        tn_read_error(r, node->span, "'type' is missing");
    else if (found == NULL)
        tn_read_error(r, type->span, "no force type '%.60s'%s", type->as.text,
                      tn_force_type_hint(hint, sizeof hint, r->model, type->as.text));
    return found;
}

static void refuse(tn_reader *r, const tn_force_type *type, const tn_node *const *values, int key)
{
    if (values[key] != NULL)
        tn_read_error(r, values[key]->span, "type %s takes no '%s'", type->name, tn_section_force.keys[key].name);
}

static bool read_sides(tn_reader *r, const tn_node *node, const tn_force_type *type, const tn_node *const *values,
                       tn_force_def *def)
{
    tn_attachment side[2] = { { .body = tn_model_ground(r->model), .frame = tn_pose_identity() } };
    bool good = true;
    refuse(r, type, values, FORCE_JOINT);
    if (values[FORCE_BETWEEN] != NULL && (values[FORCE_ON] != NULL || values[FORCE_FROM] != NULL)) {
        tn_read_error(r, values[FORCE_BETWEEN]->span, "give either 'between' or 'on' and 'from'");
        return false;
    }
    if (values[FORCE_ENDS] != NULL && values[FORCE_BETWEEN] == NULL)
        tn_read_error(r, values[FORCE_ENDS]->span, "'ends' are those of 'between', which is missing");
    if (values[FORCE_BETWEEN] != NULL) {
        good = tn_read_attachments(r, values[FORCE_BETWEEN], "between", side) &&
               tn_read_ends(r, values[FORCE_ENDS], side);
    } else if (values[FORCE_ON] != NULL) {
        good = values[FORCE_FROM] == NULL || tn_read_attachment(r, values[FORCE_FROM], "from", &side[0]);
        good = tn_read_attachment(r, values[FORCE_ON], "on", &side[1]) && good;
    } else {
        tn_read_error(r, node->span, "'on' or 'between' is missing: what does the force act on?");
        return false;
    }
    def->body1 = side[0].body;
    def->frame1 = side[0].frame;
    def->body2 = side[1].body;
    def->frame2 = side[1].frame;
    return good;
}

static bool read_joint(tn_reader *r, const tn_node *node, const tn_force_type *type, const tn_node *const *values,
                       tn_force_def *def)
{
    tn_coupling_term term = { 0 };
    for (int key = FORCE_ON; key <= FORCE_ENDS; key++)
        refuse(r, type, values, key);
    if (values[FORCE_JOINT] == NULL) {
        tn_read_error(r, node->span, "'joint' is missing: along which joint does the force act?");
        return false;
    }
    if (!tn_read_term(r, values[FORCE_JOINT], "joint", &term))
        return false;
    tn_check check = { r->model, r->context, values[FORCE_JOINT]->span, "force", r->name, TN_OK };
    if (tn_check_coordinate(&check, r->model->joints[term.joint.index].type, term.coordinate) < 0)
        return tn_read_ok(r, check.code);
    def->joint = term.joint;
    def->coordinate = term.coordinate;
    return true;
}

static bool acts_along_angle(const tn_model *model, const tn_force_def *def)
{
    if (def->joint.kind != TN_KIND_JOINT)
        return false;
    const tn_joint_form *form = tn_joint_form_of(model, model->joints[def->joint.index].type);
    return strcmp(form->coordinates[tn_joint_coordinate_find(form, def->coordinate)].unit, "rad") == 0;
}

/* Parameters of a tyre that its file gives. */
static bool read_tir(tn_reader *r, const tn_force_type *type, const tn_node *file, tn_force_draft *draft)
{
    if (file == NULL)
        return true;
    if (strncmp(type->name, "tyre-", 5) != 0) {
        tn_read_error(r, file->span, "type %s takes no 'tir'", type->name);
        return false;
    }
    const char *name = tn_read_text(r, file, "tir");
    const char *path = name != NULL ? tn_path_join(r->arena, r->folder, name) : NULL;
    return path != NULL && tn_read_note_file(r, path, file->span) &&
           tn_read_ok(r, tn_tir_read(draft, r->context, r->arena, type, path, file->span));
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
    tn_force_draft draft;
    tn_force_draft_begin(&draft, type->name);
    bool good = type->place == TN_PLACE_JOINT ? read_joint(r, node, type, values, &draft.def)
                                              : read_sides(r, node, type, values, &draft.def);
    if (good || type->place != TN_PLACE_JOINT)         /* units depend on the joint, where there is one */
        tn_read_force_values(r, type, good && acts_along_angle(r->model, &draft.def), parameters, &draft);
    good = good && read_tir(r, type, values[FORCE_TIR], &draft);
    bool enabled = tn_read_switch(r, values[FORCE_ENABLED], &tn_section_force.keys[FORCE_ENABLED], true);
    if (good && r->errors == before)
        tn_read_put_force(r, name, &draft.def, values[FORCE_ENDS] != NULL, enabled);
    if (r->errors > before)
        tn_read_stand_in_force(r, name, type, &draft);
}
