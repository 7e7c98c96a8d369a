/* Commands for existing joints: lock, unlock, move. */
#include "edit_impl.h"
#include <string.h>
#include "vec.h"

enum { LOCK_SIZE = TN_PATH_SIZE + 80, COMMAND_SIZE = 3 * LOCK_SIZE };       /* three names */

static bool is_joint(tn_editor *e, const tn_node *name, tn_id id)
{
    bool good = id.kind == TN_KIND_JOINT && e->r->model->joints[id.index].type->joints == 0;
    if (!good)
        tn_read_error(e->r, name->span, "'%s' is no joint between two bodies", name->as.text);
    return good;
}

/* A path in the names that the command uses. */
static const char *as_seen(const tn_reader *r, const char *path)
{
    return r->prefix != NULL && tn_path_inside(path, r->prefix) ? path + strlen(r->prefix) + 1 : path;
}

/* ---- lock, unlock ---- */

/* A lock is a drive that keeps a coordinate where it is: NAME_lock, or NAME_lock_COORDINATE when there are several. */
static void lock_name(char *out, size_t size, const tn_model *model, const tn_joint *joint, int coordinate)
{
    const tn_joint_form *form = tn_joint_form_of(model, joint->type);
    bool several = tn_joint_coordinate_count(form) > 1;
    snprintf(out, size, "%s_lock%s%s", joint->entity.name, several ? "_" : "",
             several ? form->coordinates[coordinate].name : "");
}

/* The active drive of a coordinate; NULL: none. */
static const tn_joint *drive_of(const tn_model *model, uint32_t joint, int coordinate)
{
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const tn_joint *drive = &model->joints[k];
        if (tn_joint_active(model, k) && tn_joint_motion(drive) != NULL && drive->terms[0].joint == joint &&
            drive->terms[0].coordinate == coordinate)
            return drive;
    }
    return NULL;
}

static void lock_coordinate(tn_editor *e, const tn_node *name, tn_id id, int coordinate)
{
    const tn_model *model = e->r->model;
    const tn_joint *joint = &model->joints[id.index], *drive = drive_of(model, id.index, coordinate);
    const char *what = tn_joint_form_of(model, joint->type)->coordinates[coordinate].name;
    char lock[LOCK_SIZE], command[COMMAND_SIZE];
    lock_name(lock, sizeof lock, model, joint, coordinate);
    if (drive != NULL && strcmp(drive->entity.name, lock) == 0)
        return;
    if (drive != NULL) {
        tn_read_error(e->r, name->span, "'%s' drives '%s.%s': disable it to lock the joint", drive->entity.name,
                      name->as.text, what);
        return;
    }
    snprintf(command, sizeof command, "{ add: { drives: { \"%s\": { joint: \"%s.%s\", rate: 0 } } } }",
             as_seen(e->r, lock), as_seen(e->r, joint->entity.name), what);
    tn_edit_also(e, name->span, command);
}

void tn_edit_lock(tn_editor *e, const tn_node *name, tn_id id)
{
    if (!is_joint(e, name, id))
        return;
    int count = tn_joint_coordinate_count(tn_joint_form_of(e->r->model, e->r->model->joints[id.index].type));
    if (count == 0)
        tn_read_error(e->r, name->span, "'%s' has no coordinates to lock", name->as.text);
    for (int k = 0; k < count && e->r->stop == TN_OK; k++)
        lock_coordinate(e, name, id, k);
    if (e->r->errors == 0)
        tn_edit_tell(e, "locked %s", name->as.text);
}

void tn_edit_unlock(tn_editor *e, const tn_node *name, tn_id id)
{
    const tn_model *model = e->r->model;
    if (!is_joint(e, name, id))
        return;
    int count = tn_joint_coordinate_count(tn_joint_form_of(model, model->joints[id.index].type));
    for (int k = 0; k < count && e->r->stop == TN_OK; k++) {
        char lock[LOCK_SIZE], command[COMMAND_SIZE];
        lock_name(lock, sizeof lock, model, &model->joints[id.index], k);
        snprintf(command, sizeof command, "{ remove: \"%s\" }", as_seen(e->r, lock));
        if (tn_model_find(model, lock).kind == TN_KIND_JOINT)
            tn_edit_also(e, name->span, command);
    }
    if (e->r->errors == 0)
        tn_edit_tell(e, "unlocked %s", name->as.text);
}

/* ---- move ---- */

/* Keeps the joint at its place, but connects it to other bodies, as built. */
static bool attach(tn_editor *e, const tn_node *node, tn_end ends[2])
{
    const tn_model *model = e->r->model;
    tn_attachment side[2];
    if (node == NULL)
        return true;
    if (!tn_read_attachments(e->r, node, "between", side))
        return false;
    for (int k = 0; k < 2; k++) {
        if (side[k].is_frame) {
            tn_read_error(e->r, node->span, "a joint that moves stays where it is in the world: name bodies, not frames");
            return false;
        }
        tn_pose world = tn_pose_compose(&model->bodies[ends[k].body.index].pose, &ends[k].pose);
        if (side[k].body.index != ends[k].body.index)
            ends[k].pose = tn_pose_relative(&model->bodies[side[k].body.index].pose, &world);
        ends[k].body = side[k].body;
    }
    return true;
}

static bool place_edit_joints(tn_editor *e, const tn_node *node, tn_end ends[2])
{
    const tn_model *model = e->r->model;
    tn_pose world = tn_pose_identity();
    if (node == NULL)
        return true;
    if (!tn_read_vector(e->r, node, &tn_section_move.keys[MOVE_AT], world.p))
        return false;
    tn_read_to_world(e->r, &world);
    for (int k = 0; k < 2; k++)
        tn_copy3(ends[k].pose.p, tn_pose_relative(&model->bodies[ends[k].body.index].pose, &world).p);
    return true;
}

static void move_one(tn_reader *r, tn_editor *e, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    tn_id id = tn_edit_find(e, name);
    tn_end ends[2];
    if (id.kind == TN_KIND_NONE || !is_joint(e, name, id) ||
        !tn_read_keys(r, node, &tn_section_move, values, NULL, 0, NULL))
        return;
    tn_model_ends(ends, r->model, id);
    if (attach(e, values[MOVE_BETWEEN], ends) && place_edit_joints(e, values[MOVE_AT], ends) &&
        tn_read_ok(r, tn_model_move_joint(r->model, id, ends, name->span)))
        tn_edit_tell(e, "moved %s", name->as.text);
}

void tn_edit_move(tn_editor *e, const tn_node *map)
{
    if (!tn_read_is_map(e->r, map, "move"))
        return;
    for (unsigned i = 0; i < map->count && e->r->stop == TN_OK; i++)
        move_one(e->r, e, map->as.items[2 * i], map->as.items[2 * i + 1]);
}
