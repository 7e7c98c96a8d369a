/* Stand-ins: when a model is read for checking, a body, joint, force or contact with a mistake is put into it as far as it is understood,
 * so that mistakes in what depends on it are found in the same go. What is not understood of it becomes something that is right. The
 * model counts as faulty all the same: nothing is assembled. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "elementary.h"
#include "reader.h"

static bool nothing(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)d;
    return false;
}

typedef struct attempt {
    tn_report_mark mark;
    size_t errors;
    bool possible;
} attempt;

/* Begins a try to put an entity whose mistakes were reported: what that reports is left out. */
static attempt begin(const tn_reader *r)
{
    const bool changes = r->replacing || r->replacement != NULL;
    return (attempt){ tn_report_now(r->context), r->errors,
                      r->for_check && !changes && r->stop == TN_OK && tn_model_find(r->model, r->name).kind == TN_KIND_NONE };
}

/* True: the entity is in the model. */
static bool end(tn_reader *r, const attempt *a)
{
    tn_report_filter(r->context, a->mark, nothing, NULL);
    r->errors = a->errors;
    if (r->stop != TN_ERROR_MEMORY)
        r->stop = TN_OK;
    return tn_model_find(r->model, r->name).kind != TN_KIND_NONE;
}

/* ---- bodies ---- */

/* 1 kg, where it was given; a sphere of 1 m when it was to have shapes. */
bool tn_read_stand_in_body(tn_reader *r, const tn_node *name, const tn_body_def *given, bool has_shapes, tn_id *id)
{
    const tn_shape_def shape = { .kind = TN_SHAPE_SPHERE, .pose = tn_pose_identity(), .size = { 1 }, .density = NAN, .mass = NAN };
    const attempt a = begin(r);
    if (!a.possible)
        return false;
    tn_body_def def = tn_body_default();
    def.kind = given->kind;
    def.pose = given->pose;
    def.placed = given->placed;
    def.place_free = given->place_free;
    def.mass = 1;
    for (int k = 0; k < 3 && def.kind == TN_BODY_RIGID; k++)
        def.inertia[k] = 1;
    def.shapes = has_shapes ? &shape : NULL;
    def.shape_count = has_shapes;
    tn_read_put_body(r, name, &def, true, id);
    return end(r, &a);
}

/* ---- joints and forces ---- */

/* Two bodies that differ, where those given are not known. False: the model has no two. */
static bool find_bodies(const tn_reader *r, tn_id *body1, tn_id *body2)
{
    const tn_id ground = tn_model_ground(r->model);
    if (body1->kind != TN_KIND_BODY)
        *body1 = ground;
    for (uint32_t k = 1; k < r->model->body_count && (body2->kind != TN_KIND_BODY || body2->index == body1->index); k++)
        if (r->model->bodies[k].entity.alive)
            *body2 = (tn_id){ k, r->model->bodies[k].entity.generation, TN_KIND_BODY, r->model->owner };
    return body2->kind == TN_KIND_BODY && body2->index != body1->index;
}

/* Gives what must be given, and is not. */
static size_t complete(const tn_parameter_decl *declared, size_t declared_max, tn_setting *settings, size_t count,
                       const tn_expression *expressions, size_t expression_count)
{
    for (size_t i = 0; i < declared_max && declared[i].name != NULL && count < TN_MAX_SETTINGS; i++) {
        bool given = !isnan(declared[i].initial) || declared[i].as_built != NULL;
        for (size_t k = 0; k < count; k++)
            given = given || strcmp(settings[k].name, declared[i].name) == 0;
        for (size_t k = 0; k < expression_count; k++)
            given = given || strcmp(expressions[k].name, declared[i].name) == 0;
        if (!given)
            settings[count++] = (tn_setting){ declared[i].name, 1 };
    }
    return count;
}

void tn_read_stand_in_joint(tn_reader *r, const tn_node *name, const tn_joint_type *type, const tn_joint_draft *given)
{
    const attempt a = begin(r);
    tn_joint_draft draft = *given;
    draft.def.settings = draft.settings;
    draft.def.frame1 = draft.def.frame2 = tn_pose_identity();
    draft.def.setting_count = complete(type->parameters, TN_JOINT_PARAMETERS, draft.settings, given->def.setting_count, NULL, 0);
    bool known = type->joints == 0 ? find_bodies(r, &draft.def.body1, &draft.def.body2) : given->def.term_count > 0;
    for (size_t k = 0; k < draft.def.term_count; k++)
        known = known && draft.terms[k].joint.kind == TN_KIND_JOINT;
    if (!a.possible || !known)
        return;
    tn_read_put_joint(r, name, &draft.def, false, true);
    if (end(r, &a))
        return;
    draft.def.limits = draft.limits;                               /* the numbers of limits may be wrong */
    for (size_t k = 0; k < draft.def.limit_count; k++) {
        draft.limits[k].low = -1;
        draft.limits[k].high = 1;
        draft.limits[k].restitution = 0;
    }
    tn_read_put_joint(r, name, &draft.def, false, true);
    if (end(r, &a))
        return;
    const tn_joint_def plain = tn_joint_default(type->name);       /* its limits, fuse, latch or ratchet may be wrong altogether */
    draft.def.limit_count = 0;
    draft.def.fuse = plain.fuse;
    draft.def.latch = plain.latch;
    draft.def.ratchet = plain.ratchet;
    tn_read_put_joint(r, name, &draft.def, false, true);
    end(r, &a);
    tn_read_unclear(r, r->name);
}

void tn_read_stand_in_drive(tn_reader *r, const tn_node *name, const tn_joint_def *given)
{
    const attempt a = begin(r);
    tn_joint_def def = *given;
    def.motion.text = "0";
    if (!a.possible)
        return;
    tn_read_put_joint(r, name, &def, false, true);
    end(r, &a);
}

void tn_read_stand_in_force(tn_reader *r, const tn_node *name, const tn_force_type *type, const tn_force_draft *given)
{
    const attempt a = begin(r);
    tn_force_draft draft = *given;
    draft.def.settings = draft.settings;
    draft.def.expressions = draft.expressions;
    draft.def.setting_count = complete(type->parameters, TN_FORCE_PARAMETERS, draft.settings, given->def.setting_count, draft.expressions,
                                       given->def.expression_count);
    const bool known = type->place == TN_PLACE_JOINT ? given->def.joint.kind == TN_KIND_JOINT
                                                     : find_bodies(r, &draft.def.body1, &draft.def.body2);
    if (!a.possible || !known)
        return;
    tn_read_put_force(r, name, &draft.def, false, true);
    end(r, &a);
}

void tn_read_stand_in_contact(tn_reader *r, const tn_node *name, const tn_contact_def *given)
{
    const attempt a = begin(r);
    tn_contact_def def = tn_contact_default();
    def.bodies = given->bodies;
    def.body_count = given->body_count;
    if (!a.possible || def.bodies == NULL)
        return;
    tn_read_put_contact(r, name, &def, true);
    end(r, &a);
}
