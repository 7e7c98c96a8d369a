/* The appearance of entities and their attachment to bodies, for viewers. */
#include "diag.h"
#include "tables.h"
#include "vec.h"

static const tn_body *body_of(const tn_model *model, tn_id id)
{
    return id.kind == TN_KIND_BODY && tn_model_entity(model, id) ? &model->bodies[id.index] : NULL;
}

size_t tn_model_shape_count(const tn_model *model, tn_id body)
{
    const tn_body *b = body_of(model, body);
    return b ? b->shape_count : 0;
}

static tn_shape_def def_of(const tn_shape *shape)
{
    tn_shape_def def = {
        .kind = shape->kind,
        .pose = shape->pose,
        .density = shape->density,
        .mass = shape->mass,
        .vertices = shape->vertices,
        .triangles = shape->triangles,
        .vertex_count = shape->vertex_count,
        .triangle_count = shape->triangle_count,
        .touch = shape->touch,
        .material = shape->material[0] ? shape->material : NULL,
        .finish = shape->finish ? shape->finish->name : NULL,
        .colour = shape->colour,
    };
    tn_copy3(def.size, shape->size);
    return def;
}

tn_shape_def tn_model_shape(const tn_model *model, tn_id body, size_t index)
{
    return def_of(&model->bodies[body.index].shapes[index]);
}

size_t tn_model_look_count(const tn_model *model, tn_id body)
{
    const tn_body *b = body_of(model, body);
    return b ? b->look_count : 0;
}

tn_shape_def tn_model_look(const tn_model *model, tn_id body, size_t index)
{
    return def_of(&model->bodies[body.index].looks[index]);
}

static tn_end end_on(const tn_model *model, uint32_t body, const tn_pose *pose)
{
    return (tn_end){ tn_table_id(model, TN_KIND_BODY, body), *pose };
}

int tn_model_ends(tn_end ends[2], const tn_model *model, tn_id id)
{
    if (!tn_model_entity(model, id))
        return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "ends of something that is gone");
    if (id.kind == TN_KIND_FRAME) {
        const tn_frame *frame = &model->frames[id.index];
        ends[0] = end_on(model, frame->body, &frame->pose);
        return 1;
    }
    if (id.kind == TN_KIND_FORCE) {
        const tn_force *force = &model->forces[id.index];
        ends[0] = end_on(model, force->body1, &force->frame1);
        ends[1] = end_on(model, force->body2, &force->frame2);
        return 2;
    }
    if (id.kind != TN_KIND_JOINT || model->joints[id.index].type->joints != 0)
        return 0;
    const tn_joint *joint = &model->joints[id.index];
    ends[0] = end_on(model, joint->body1, &joint->frame1);
    ends[1] = end_on(model, joint->body2, &joint->frame2);
    return 2;
}

const char *tn_model_joint_glyph(const tn_model *model, tn_id joint)
{
    return joint.kind == TN_KIND_JOINT && tn_model_entity(model, joint) ? model->joints[joint.index].type->glyph : NULL;
}
