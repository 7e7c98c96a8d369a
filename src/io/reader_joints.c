/* Reads the section joints: attachments, axes, parameters, and couplings of joint coordinates. */
#include <math.h>
#include "components.h"
#include "elementary.h"
#include "reader.h"
#include "type_hint.h"
#include "units.h"
#include "vec.h"

static bool is_declared(const tn_reader *r, const char *name)
{
    static const int sections[] = { TOP_BODIES, TOP_JOINTS, TOP_JOINT_TYPES, TOP_SUBSYSTEMS };
    for (size_t i = 0; i < r->document_count; i++)
        for (size_t s = 0; s < TN_LENGTH(sections); s++)
            if (tn_node_get(r->documents[i].values[sections[s]], name) != NULL)
                return true;
    return false;
}

static void say_missing(tn_reader *r, const tn_node *node, const char *kind, const char *name, const char *hint)
{
    if (r->incomplete || (r->errors > 0 && is_declared(r, name)))
        tn_read_ok(r, TN_ERROR_MODEL);
    else
        tn_read_error(r, node->span, "no %s '%.60s'%s", kind, name, hint);
}

void tn_read_missing(tn_reader *r, const tn_node *node, const char *kind, const char *name, tn_candidates candidates,
                     void *user)
{
    char hint[160];
    say_missing(r, node, kind, name, tn_did_you_mean(hint, sizeof hint, name, candidates, user));
}

static const char *body_candidate(void *user, size_t index)
{
    const tn_model *model = user;
    return index < model->body_count ? model->bodies[index].entity.name : NULL;
}

static const char *joint_candidate(void *user, size_t index)
{
    const tn_model *model = user;
    return index < model->joint_count ? model->joints[index].entity.name : NULL;
}

/* The frames of one body, found one after the other. */
typedef struct frame_list {
    const tn_model *model;
    uint32_t body;
    size_t next;
} frame_list;

static const char *frame_candidate(void *user, size_t index)
{
    frame_list *list = user;
    (void)index;
    while (list->next < list->model->frame_count) {
        const tn_frame *frame = &list->model->frames[list->next++];
        if (frame->body == list->body)
            return frame->entity.name;
    }
    return NULL;
}

static const char *port_candidate(void *user, size_t index)
{
    const tn_subsystem *subsystem = user;
    return index < subsystem->port_count ? subsystem->ports[index].name : NULL;
}

/* The part of a path before its last point; false when there is none or it is too long. */
static bool split_path(const char *path, char *owner, size_t size, const char **last)
{
    const char *point = strrchr(path, '.');
    if (point == NULL || (size_t)(point - path) >= size)
        return false;
    memcpy(owner, path, (size_t)(point - path));
    owner[point - path] = '\0';
    *last = point + 1;
    return true;
}

static void missing_attachment(tn_reader *r, const tn_node *node, const char *path)
{
    char owner[200], hint[160];
    const char *frame;
    if (!split_path(path, owner, sizeof owner, &frame)) {
        tn_read_missing(r, node, "body", path, body_candidate, r->model);
        return;
    }
    tn_id body = tn_read_find(r, owner);
    if (body.kind == TN_KIND_SUBSYSTEM && r->errors > 0) {         /* perhaps one of those in it */
        tn_read_ok(r, TN_ERROR_MODEL);
        return;
    }
    if (body.kind == TN_KIND_SUBSYSTEM) {
        tn_read_error(r, node->span, "no port or body '%.60s' in subsystem '%s'%s", frame, owner,
                      tn_did_you_mean(hint, sizeof hint, frame, port_candidate, &r->model->subsystems[body.index]));
        return;
    }
    if (body.kind != TN_KIND_BODY) {
        tn_read_missing(r, node, "body", owner, body_candidate, r->model);
        return;
    }
    frame_list list = { r->model, body.index, 0 };
    tn_read_error(r, node->span, "no frame '%.60s' on body '%s'%s", frame, owner,
                  tn_did_you_mean(hint, sizeof hint, frame, frame_candidate, &list));
}

bool tn_read_attachment(tn_reader *r, const tn_node *node, const char *label, tn_attachment *out)
{
    const char *path = tn_read_text(r, node, label);
    if (path == NULL)
        return false;
    tn_id id = tn_read_find(r, path);
    *out = (tn_attachment){ .body = id, .frame = tn_pose_identity() };
    if (!tn_read_is_open(r, node, path))
        return false;
    if (id.kind == TN_KIND_BODY) {
        if (id.index == 0)
            tn_read_to_world(r, &out->frame);
        return true;
    }
    if (id.kind == TN_KIND_FRAME) {
        const tn_frame *frame = &r->model->frames[id.index];
        const tn_entity *body = &r->model->bodies[frame->body].entity;
        out->body = (tn_id){ frame->body, body->generation, TN_KIND_BODY, id.owner };
        out->frame = frame->pose;
        out->is_frame = true;
        return true;
    }
    if (id.kind == TN_KIND_NONE)
        missing_attachment(r, node, path);
    else
        tn_read_error(r, node->span, "'%s' is neither a body nor a frame", path);
    return false;
}

bool tn_read_attachments(tn_reader *r, const tn_node *node, const char *label, tn_attachment out[2])
{
    if (node->kind != TN_NODE_LIST || node->count != 2) {
        tn_read_error(r, node->span, "'%s' must be a list of two: [ground, body] or [body.frame, body.frame]", label);
        return false;
    }
    bool first = tn_read_attachment(r, node->as.items[0], label, &out[0]);
    return tn_read_attachment(r, node->as.items[1], label, &out[1]) && first;
}

bool tn_read_ends(tn_reader *r, const tn_node *node, tn_attachment side[2])
{
    if (node == NULL)
        return true;
    if (node->kind != TN_NODE_LIST || node->count != 2) {
        tn_read_error(r, node->span, "'ends' must be a list of two poses, one on each body of 'between'");
        return false;
    }
    bool good = true;
    for (int k = 0; k < 2; k++) {
        side[k].frame = tn_pose_identity();
        side[k].is_frame = false;                          /* of a frame or port, the body counts */
        good = tn_read_frame_pose(r, node->as.items[k], &side[k].frame) && good;
        if (side[k].body.index == 0)
            tn_read_to_world(r, &side[k].frame);
    }
    return good;
}

/* The keys of a file that place a joint. */
typedef struct placement {
    tn_attachment side[2];
    bool as_built;
    const double *at, *axis, *axis2;       /* NULL: not given */
    tn_joint_axis which;
    const double *home;                    /* of the type; NULL: none */
} placement;

static tn_pose oriented(const double p[3], const double *axis, tn_joint_axis which, int dimension)
{
    tn_pose pose = tn_pose_identity();
    tn_copy3(pose.p, p);
    if (axis == NULL)
        return pose;
    if (dimension == 2)
        return tn_pose_planar(p[0], p[1], tn_atan2(axis[1], axis[0]));
    return which == TN_AXIS_X ? tn_pose_x(p, axis) : tn_pose_z(p, axis);
}

/* Axes of a joint whose angles are counted from a home: z1 along axis, x1 along axis2, and frame 2 turned by the home. So
 * both angles are 0 as built. */
static tn_pose home_frame(const tn_pose *point, const placement *place, const double home[4], int side)
{
    double R[3][3], y[3];
    tn_pose pose = *point, turn = tn_pose_identity();
    tn_cross3(y, place->axis, place->axis2);
    for (int k = 0; k < 3; k++) {
        R[k][0] = place->axis2[k];
        R[k][1] = y[k];
        R[k][2] = place->axis[k];
    }
    tn_quat_from_matrix(pose.q, (const double (*)[3])R);
    memcpy(turn.q, home, sizeof turn.q);
    return side == 0 ? pose : tn_pose_compose(&pose, &turn);
}

/* Points and directions of as built joints are in the frame of what is read; so is, then, the body. */
static tn_pose joint_frame(const tn_reader *r, const placement *place, int side)
{
    const tn_model *model = r->model;
    const tn_attachment *a = &place->side[side];
    tn_pose body = model->bodies[a->body.index].pose;
    tn_read_from_world(r, &body);
    bool second = side == 1 && place->axis2 != NULL;
    const double *axis = second ? place->axis2 : place->axis;
    tn_joint_axis which = second ? TN_AXIS_Z : place->which;
    if (place->as_built) {
        tn_pose world = oriented(place->at != NULL ? place->at : body.p, axis, which, model->dimension);
        if (place->home != NULL && place->axis != NULL && place->axis2 != NULL && model->dimension == 3)
            world = home_frame(&world, place, place->home, side);
        return tn_pose_relative(&body, &world);
    }
    tn_pose base = a->frame, turn = oriented((double[3]){ 0 }, axis, which, model->dimension);
    if (!a->is_frame && place->at != NULL) {
        tn_pose point = tn_pose_identity();
        tn_copy3(point.p, place->at);
        tn_copy3(base.p, tn_pose_relative(&body, &point).p);
    }
    return tn_pose_compose(&base, &turn);
}

static void refuse_keys(tn_reader *r, const tn_joint_type *type, const tn_node *const *values, int first, int last)
{
    for (int k = first; k <= last; k++)
        if (values[k] != NULL)
            tn_read_error(r, values[k]->span, "type %s takes no '%s'", type->name, tn_section_joint.keys[k].name);
}

/* As built, the bodies stand as the joint wants them: one that is not perpendicular there would turn a body. */
static void check_perpendicular(tn_reader *r, const tn_joint_type *type, const tn_node *node, const placement *place)
{
    const double largest = 1e-6;           /* rad: error of input with few digits */
    double cosine = tn_dot3(place->axis, place->axis2), degree = tn_acos(-1) / 180;
    if (fabs(cosine) > largest)
        tn_read_error(r, node->span, "'axis' and 'axis2' of a %s joint must be perpendicular: they are %.6g deg apart",
                      type->name, tn_acos(fmin(1, fmax(-1, cosine))) / degree);
}

static void check_place(tn_reader *r, const tn_joint_type *type, const tn_node *const *values, const placement *place)
{
    bool planar = r->model->dimension == 2;
    if (place->at != NULL && place->side[0].is_frame && place->side[1].is_frame)
        tn_read_error(r, values[JOINT_AT]->span, "'at' has no meaning between two frames");
    if (place->axis != NULL && place->which == TN_AXIS_NONE)
        tn_read_error(r, values[JOINT_AXIS]->span, "type %s has no axis%s", type->name,
                      planar ? " in a planar model" : "");
    else if (place->axis != NULL && planar && place->axis[2] != 0)
        tn_read_error(r, values[JOINT_AXIS]->span, "'axis' must lie in the plane of a planar model");
    if (place->axis2 != NULL && (type->axis2 == NULL || planar))
        tn_read_error(r, values[JOINT_AXIS2]->span, "type %s has no second axis", type->name);
    else if (place->axis2 == NULL && type->axis2 != NULL && place->as_built && !planar)
        tn_read_error(r, values[JOINT_TYPE]->span, "'axis2' is missing: %s", type->axis2);
    else if (place->axis != NULL && place->axis2 != NULL && place->as_built && place->home != NULL)
        check_perpendicular(r, type, values[JOINT_AXIS2], place);
}

static void read_place(tn_reader *r, const tn_node *node, const tn_joint_type *type, const tn_node *const *values,
                       tn_joint_def *def)
{
    const tn_key *keys = tn_section_joint.keys;
    double at[3], axis[3], axis2[3];
    if (values[JOINT_BETWEEN] == NULL) {
        tn_read_error(r, node->span, "'between' is missing: [ground, body] or [body.frame, body.frame]");
        return;
    }
    placement place = { .which = r->model->dimension == 2 ? type->planar_axis : type->spatial_axis,
                        .home = tn_norm3(type->home + 1) > 0 ? type->home : NULL };
    size_t before = r->errors;
    place.at = tn_read_vector(r, values[JOINT_AT], &keys[JOINT_AT], at) ? at : NULL;
    place.axis = tn_read_axis(r, values[JOINT_AXIS], &keys[JOINT_AXIS], axis) ? axis : NULL;
    place.axis2 = tn_read_axis(r, values[JOINT_AXIS2], &keys[JOINT_AXIS2], axis2) ? axis2 : NULL;
    if (!tn_read_attachments(r, values[JOINT_BETWEEN], "between", place.side) ||
        !tn_read_ends(r, values[JOINT_ENDS], place.side) || r->errors != before)
        return;
    for (int k = 0; k < 2; k++)
        place.side[k].is_frame |= tn_port_is_frame(r->model, place.side[k].body.index);
    if (values[JOINT_ENDS] != NULL && (place.at != NULL || place.axis != NULL || place.axis2 != NULL))
        tn_read_error(r, values[JOINT_ENDS]->span, "give either 'ends' or 'at' and axes");
    bool frames = place.side[0].is_frame || place.side[1].is_frame;
    bool in_world = place.at != NULL || place.axis != NULL || place.axis2 != NULL;
    place.as_built = !frames && values[JOINT_ENDS] == NULL && in_world;
    check_place(r, type, values, &place);
    def->body1 = place.side[0].body;
    def->body2 = place.side[1].body;
    def->frame1 = joint_frame(r, &place, 0);
    def->frame2 = joint_frame(r, &place, 1);
}

/* The type of a joint; reported when it is unknown, but only once: the node is read for joints, then for couplings. */
static const tn_joint_type *read_type(tn_reader *r, const tn_node *node, bool quiet)
{
    const tn_node *type = tn_read_type(node);
    const char *path = type != NULL ? tn_read_path(r, type->as.text) : NULL;
    const tn_joint_type *found = path != NULL ? tn_model_joint_type(r->model, path) : NULL;
    if (path != NULL && found == NULL && strchr(type->as.text, '.') == NULL)
        found = tn_model_joint_type(r->model, type->as.text);
    if (found != NULL || quiet)
        return found;
    char hint[160];
    if (type == NULL)
        tn_read_error(r, node->span, "'type' is missing");
    else
        say_missing(r, type, "joint type", type->as.text, tn_joint_type_hint(hint, sizeof hint, r->model, type->as.text));
    return NULL;
}

/* A joint with a latch waits for it, unless the file says otherwise. */
static void add_joint(tn_reader *r, const tn_node *name, const tn_node *const *values, size_t errors_before,
                      const tn_joint_type *type, const tn_joint_draft *draft)
{
    bool enabled = tn_read_switch(r, values[JOINT_ENABLED], &tn_section_joint.keys[JOINT_ENABLED],
                                  draft->def.latch.when.text == NULL);
    if (r->errors == errors_before)
        tn_read_put_joint(r, name, &draft->def, values[JOINT_ENDS] != NULL, enabled);
    if (r->errors > errors_before)
        tn_read_stand_in_joint(r, name, type, draft);
}

void tn_read_joint(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_joint_type *type = read_type(r, node, false);
    if (type == NULL || type->joints != 0)
        return;
    const tn_node *values[TN_MAX_KEYS], *parameters[TN_JOINT_PARAMETERS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_joint, values, type->parameters, TN_JOINT_PARAMETERS, parameters))
        return;
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, type->name);
    read_place(r, node, type, values, &draft.def);
    refuse_keys(r, type, values, JOINT_JOINTS, JOINT_TERMS);
    for (int rule = JOINT_FUSE; rule <= JOINT_RATCHET; rule++)
        if (values[rule] != NULL)
            tn_read_joint_rule(r, type, rule, values[rule], &draft);
    draft.def.setting_count = tn_read_settings(r, type->parameters, TN_JOINT_PARAMETERS, parameters, draft.settings);
    add_joint(r, name, values, before, type, &draft);
}

bool tn_read_term(tn_reader *r, const tn_node *node, const char *label, tn_coupling_term *term)
{
    const char *path = tn_read_text(r, node, label), *coordinate = NULL;
    char owner[200];
    if (path == NULL)
        return false;
    term->joint = tn_read_find(r, path);
    if (term->joint.kind != TN_KIND_JOINT && split_path(path, owner, sizeof owner, &coordinate)) {
        term->joint = tn_read_find(r, owner);
        path = owner;
    }
    if (tn_model_axis(r->model, term->joint).kind == TN_KIND_JOINT)
        term->joint = tn_model_axis(r->model, term->joint);
    term->coordinate = coordinate;
    if (term->joint.kind != TN_KIND_JOINT)
        tn_read_missing(r, node, "joint", path, joint_candidate, r->model);
    return term->joint.kind == TN_KIND_JOINT && tn_read_is_open(r, node, path);
}

static void read_coupled(tn_reader *r, const tn_node *node, const tn_joint_type *type, const tn_node *list,
                         tn_joint_draft *draft)
{
    size_t count;
    const tn_node *const *items = tn_read_list(r, &list, "joints", &count);
    if (count != (size_t)type->joints) {
        tn_read_error(r, list != NULL ? list->span : node->span, "'joints' must name %d joints", type->joints);
        return;
    }
    for (size_t i = 0; i < count; i++)
        tn_read_term(r, items[i], "joints", &draft->terms[i]);
    draft->def.term_count = count;
}

/* The dimension of factor * coordinate; false: the factor is a bare number, which fits any. */
static bool term_dimension(const tn_reader *r, const tn_coupling_term *term, const tn_output_info *factor, tn_dim *dim)
{
    double scale;
    if (!factor->dim_known || term->joint.kind != TN_KIND_JOINT)
        return false;
    const tn_joint_form *form = tn_joint_form_of(r->model, r->model->joints[term->joint.index].type);
    const int k = term->coordinate != NULL ? tn_joint_coordinate_find(form, term->coordinate) : 0;
    if (k < 0 || form->coordinates[k].name == NULL || form->coordinates[k].unit == NULL ||
        tn_unit_parse(form->coordinates[k].unit, strlen(form->coordinates[k].unit), &scale, dim) < 0)
        return false;
    *dim = tn_dim_product(factor->dim, *dim, 1);
    return true;
}

/* Factors with units make a sum of one kind: { wheel.angle: 40 mm, rack.position: -1 }. */
static void read_factor(tn_reader *r, const tn_node *value, tn_coupling_term *term, tn_dim *sum, bool *known)
{
    char is[64], should[64];
    tn_output_info info = { 0 };
    tn_dim dim;
    if (!tn_read_quantity(r, value, "terms", "*", TN_ANY_SIGN, &term->factor) ||
        !tn_read_expression(r, value, "terms", &term->factor, &info) || !term_dimension(r, term, &info, &dim))
        return;
    if (*known && !tn_dim_equal(dim, *sum))
        tn_read_error(r, value->span, "'terms': %.60s times its coordinate is %s, and another term is %s: they cannot be added", value->as.text,
                      tn_dim_name(dim, is, sizeof is), tn_dim_name(*sum, should, sizeof should));
    *sum = dim;
    *known = true;
}

static void read_terms(tn_reader *r, const tn_node *node, const tn_node *map, tn_joint_draft *draft)
{
    tn_dim sum = TN_DIM_NUMBER;
    bool known = false;
    if (map == NULL || map->kind != TN_NODE_MAP || map->count == 0 || map->count > TN_MAX_COUPLED) {
        tn_read_error(r, map != NULL ? map->span : node->span,
                      "'terms' must be a map of 1 to %d factors: { joint.coordinate: factor }", TN_MAX_COUPLED);
        return;
    }
    for (unsigned i = 0; i < map->count; i++) {
        tn_coupling_term *term = &draft->terms[i];
        tn_read_term(r, map->as.items[2 * i], "terms", term);
        read_factor(r, map->as.items[2 * i + 1], term, &sum, &known);
    }
    draft->def.term_count = map->count;
}

void tn_read_coupling(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_joint_type *type = read_type(r, node, true);
    if (type == NULL || type->joints == 0)
        return;
    const tn_node *values[TN_MAX_KEYS], *parameters[TN_JOINT_PARAMETERS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_joint, values, type->parameters, TN_JOINT_PARAMETERS, parameters))
        return;
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, type->name);
    refuse_keys(r, type, values, JOINT_BETWEEN, JOINT_RATCHET);
    bool by_terms = type->joints < 0;
    refuse_keys(r, type, values, by_terms ? JOINT_JOINTS : JOINT_TERMS, by_terms ? JOINT_JOINTS : JOINT_TERMS);
    if (by_terms)
        read_terms(r, node, values[JOINT_TERMS], &draft);
    else
        read_coupled(r, node, type, values[JOINT_JOINTS], &draft);
    draft.def.setting_count = tn_read_settings(r, type->parameters, TN_JOINT_PARAMETERS, parameters, draft.settings);
    add_joint(r, name, values, before, type, &draft);
}
