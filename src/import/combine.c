/* Mates between two rigid groups as one joint, by their twist space; and the assembly of files whose mates do not fit. */
#include "combine.h"

#include "diag.h"
#include "entities.h"
#include "tenon/session.h"
#include "twist.h"
#include "vec.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

/* m or rad: mates that fit worse than this are put together by the engine before joints are named */
static const double EXACT = 1e-11;

typedef struct mate_groups {
    tn_machine *machine;
    int *group;                /* by body: its representative, with path halving */
} mate_groups;

static int group_of(mate_groups *g, int body)
{
    while (g->group[body] != body) {
        g->group[body] = g->group[g->group[body]];
        body = g->group[body];
    }
    return body;
}

static void join_groups(mate_groups *g, int a, int b)
{
    a = group_of(g, a);
    b = group_of(g, b);
    g->group[a > b ? a : b] = a < b ? a : b;       /* ground, body 0, stays the representative of its group */
}

static tn_pose frame_in_world(const tn_machine *machine, int body, const tn_pose *frame)
{
    return tn_pose_compose(&machine->bodies[body].pose, frame);
}

static double largest_gap(mate_groups *g)
{
    double gap = 0;
    for (size_t i = 0; i < g->machine->joint_count; i++) {
        const tn_machine_joint *j = &g->machine->joints[i];
        if (!j->mate || group_of(g, j->body1) == group_of(g, j->body2))
            continue;
        tn_pose a = frame_in_world(g->machine, j->body1, &j->frame1), b = frame_in_world(g->machine, j->body2, &j->frame2);
        gap = fmax(gap, tn_twist_gap(j->type, &a, &b));
    }
    return gap;
}

/* ---- assembly by the engine ---- */

static void write_group_end(tn_text *text, mate_groups *g, int body, const tn_pose *frame)
{
    tn_pose world = frame_in_world(g->machine, body, frame);
    int group = group_of(g, body);
    tn_pose end = group == TN_GROUND ? world : tn_pose_relative(&g->machine->bodies[group].pose, &world);
    tn_text_add(text, "{ ");
    if (!tn_yaml_pose(text, "at", &end, true))
        tn_text_add(text, "at: [0, 0, 0]");
    tn_text_add(text, " }");
}

static const char *group_name(mate_groups *g, int body, char name[24])
{
    int group = group_of(g, body);
    if (group == TN_GROUND)
        return "ground";
    snprintf(name, 24, "g%d", group);
    return name;
}

/* The groups as bodies of the same mass, and every mate as a joint. */
static void write_groups(tn_text *text, mate_groups *g)
{
    tn_machine *machine = g->machine;
    tn_text_add(text, "tenon: 1\njoint_types:\n");
    tn_write_joint_types(text);
    tn_text_add(text, "bodies:\n");
    for (int b = 1; b < (int)machine->body_count; b++) {
        if (group_of(g, b) != b)
            continue;
        tn_text_add(text, "  g%d: { mass: 1, inertia: [0.01, 0.01, 0.01], position: ", b);
        tn_yaml_vector(text, machine->bodies[b].pose.p, 3);
        tn_text_add(text, ", rotation: { quaternion: ");
        tn_yaml_vector(text, machine->bodies[b].pose.q, 4);
        tn_text_add(text, " } }\n");
    }
    tn_text_add(text, "joints:\n");
    for (size_t i = 0; i < machine->joint_count; i++) {
        const tn_machine_joint *j = &machine->joints[i];
        char a[24], b[24];
        if (!j->mate || group_of(g, j->body1) == group_of(g, j->body2))
            continue;
        tn_text_add(text, "  j%zu: { type: %s, between: [%s, %s], ends: [", i, j->type, group_name(g, j->body1, a),
                    group_name(g, j->body2, b));
        write_group_end(text, g, j->body1, &j->frame1);
        tn_text_add(text, ", ");
        write_group_end(text, g, j->body2, &j->frame2);
        tn_text_add(text, "]");
        for (size_t k = 0; k < j->setting_count; k++) {
            tn_text_add(text, ", %s: ", j->settings[k].name);
            tn_yaml_number(text, j->settings[k].value);
        }
        tn_text_add(text, " }\n");
    }
}

/* Takes over the poses of the groups; bodies move with their group. */
static void take_poses(mate_groups *g, const tn_model *model, const tn_session *session)
{
    tn_machine *machine = g->machine;
    tn_pose *before = tn_arena_alloc(machine->arena, machine->body_count, sizeof *before);
    if (!before)
        return;
    for (size_t b = 0; b < machine->body_count; b++)
        before[b] = machine->bodies[b].pose;
    for (int b = 1; b < (int)machine->body_count; b++) {
        int group = group_of(g, b);
        char name[24];
        tn_pose after;
        snprintf(name, sizeof name, "g%d", group);
        if (group == TN_GROUND || tn_session_pose(&after, session, tn_model_find(model, name)) < 0)
            continue;
        tn_pose in = tn_pose_relative(&before[group], &before[b]);
        machine->bodies[b].pose = tn_pose_compose(&after, &in);
        tn_quat_keep_unit(machine->bodies[b].pose.q);
        tn_pose change = tn_pose_relative(&before[b], &machine->bodies[b].pose);
        machine->bodies[b].moved = tn_norm3(change.p);
        machine->bodies[b].turned = 2 * atan2(tn_norm3(change.q + 1), fabs(change.q[0]));
    }
}

static int assemble_groups(mate_groups *g, double gap)
{
    tn_machine *machine = g->machine;
    tn_report_mark mark = tn_report_now(machine->context);
    tn_text text;
    char *all = NULL;
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_text_begin(&text, machine->context);
    write_groups(&text, g);
    TN_TRY(tn_text_take(&text, &all));
    int code = tn_model_read_text(&model, machine->context, all, strlen(all), "assembly of mates", ".");
    if (code >= 0)
        code = tn_session_open(&session, model, NULL);
    if (code >= 0) {
        take_poses(g, model, session);
    } else {
        size_t count = tn_diagnostics_count(machine->context);
        const tn_diagnostic *last = count > mark.count ? tn_diagnostics_get(machine->context, mark.count) : NULL;
        tn_machine_note_add(machine, TN_WARNING, machine->joints[0].place, "the mates are off by up to %.3g m or rad and cannot "
                            "be put together: %s", gap, last ? last->message : tn_error_text(code));
    }
    tn_report_forget(machine->context, mark);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_free(machine->context, all);
    return code == TN_ERROR_MEMORY ? code : tn_machine_status(machine);
}

/* ---- pairs ---- */

typedef struct mate_pair {
    int a, b, joint;           /* groups, a < b */
} mate_pair;

static int compare_pairs(const void *x, const void *y)
{
    const mate_pair *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return (p->joint > q->joint) - (p->joint < q->joint);
}

/* Mates between different groups, sorted by pairs. */
static size_t list_pairs(mate_pair *pairs, mate_groups *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->machine->joint_count; i++) {
        const tn_machine_joint *j = &g->machine->joints[i];
        int a = group_of(g, j->body1), b = group_of(g, j->body2);
        if (j->mate && a != b)
            pairs[count++] = (mate_pair){ a < b ? a : b, a < b ? b : a, (int)i };
    }
    if (count > 0)
        qsort(pairs, count, sizeof *pairs, compare_pairs);
    return count;
}

static size_t pair_end(const mate_pair *pairs, size_t begin, size_t count)
{
    size_t end = begin + 1;
    while (end < count && pairs[end].a == pairs[begin].a && pairs[end].b == pairs[begin].b)
        end++;
    return end;
}

/* The joint that the mates of a pair are together, with its frame in the world; NULL: none. *used: how many took part. */
static const char *name_pair(mate_groups *g, const mate_pair *pairs, size_t begin, size_t end, tn_pose *frame, size_t *used)
{
    tn_twist_space space;
    double origin[3] = { 0 };
    *used = 0;
    for (size_t i = begin; i < end; i++) {
        const tn_machine_joint *j = &g->machine->joints[pairs[i].joint];
        if (!tn_twist_combines(j->type))
            continue;
        tn_pose world = frame_in_world(g->machine, j->body1, &j->frame1);
        tn_add3(origin, origin, world.p);
        ++*used;
    }
    for (int k = 0; k < 3 && *used > 0; k++)
        origin[k] /= (double)*used;
    tn_twist_begin(&space, origin);
    for (size_t i = begin; i < end; i++) {
        const tn_machine_joint *j = &g->machine->joints[pairs[i].joint];
        tn_pose a = frame_in_world(g->machine, j->body1, &j->frame1), b = frame_in_world(g->machine, j->body2, &j->frame2);
        if (tn_twist_combines(j->type))
            tn_twist_add(&space, j->type, &a, &b);
    }
    tn_twist_solve(&space);
    return tn_twist_name(&space, frame);
}

/* Joins groups that mates hold rigidly, until there are no more. */
static void join_rigid(mate_groups *g, mate_pair *pairs)
{
    for (bool found = true; found; ) {
        size_t count = list_pairs(pairs, g);
        found = false;
        for (size_t begin = 0, end; begin < count; begin = end) {
            tn_pose frame;
            size_t used;
            end = pair_end(pairs, begin, count);
            const char *name = name_pair(g, pairs, begin, end, &frame, &used);
            if (!name || strcmp(name, "fixed") != 0 || used == 0)
                continue;
            const tn_machine_joint *first = &g->machine->joints[pairs[begin].joint];
            int body1 = first->body1, body2 = first->body2;
            const char *source = tn_machine_text(g->machine, "%zu mates: %s%s", end - begin, first->source,
                                                 end - begin > 1 ? " ..." : "");
            int index = tn_machine_add_joint(g->machine, tn_machine_text(g->machine, "%s_%s", g->machine->bodies[body1].name,
                                             g->machine->bodies[body2].name), "fixed", body1, body2, first->place);
            if (tn_machine_status(g->machine) < 0)
                return;
            g->machine->joints[index].source = source;
            g->machine->joints[index].frame1 = tn_pose_relative(&g->machine->bodies[body1].pose,
                                                                &g->machine->bodies[body2].pose);
            join_groups(g, body1, body2);
            found = true;
        }
    }
}

/* Names of the mates: "Concentric3 + Coincident5". */
static const char *list_sources(mate_groups *g, const mate_pair *pairs, size_t begin, size_t end)
{
    char text[300] = "";
    for (size_t i = begin; i < end; i++) {
        size_t length = strlen(text);
        if (length > 200) {
            snprintf(text + length, sizeof text - length, " and %zu more", end - i);
            break;
        }
        snprintf(text + length, sizeof text - length, "%s%s", i > begin ? " + " : "",
                 g->machine->joints[pairs[i].joint].name);
    }
    return tn_machine_text(g->machine, "%s", text);
}

static void give_coordinates(tn_machine_joint *joint)
{
    if (strcmp(joint->type, "revolute") == 0 || strcmp(joint->type, "cylindrical") == 0)
        tn_joint_coordinate(joint, "angle");
    if (strcmp(joint->type, "prismatic") == 0 || strcmp(joint->type, "cylindrical") == 0)
        tn_joint_coordinate(joint, "position");
}

/* Replaces the mates of a pair that combine by one joint; single mates and nameless combinations stay joints. */
static void combine_pair(mate_groups *g, const mate_pair *pairs, size_t begin, size_t end)
{
    tn_machine *machine = g->machine;
    tn_pose frame;
    size_t used;
    const char *name = name_pair(g, pairs, begin, end, &frame, &used);
    if (!name || used < 2 || strcmp(name, "free") == 0) {
        for (size_t i = begin; i < end; i++)
            give_coordinates(&machine->joints[pairs[i].joint]);
        return;
    }
    const tn_machine_joint *first = &machine->joints[pairs[begin].joint];
    int body1 = first->body1, body2 = first->body2;
    const char *source = list_sources(g, pairs, begin, end);
    tn_span place = first->place;
    for (size_t i = begin; i < end; i++)
        if (tn_twist_combines(machine->joints[pairs[i].joint].type))
            machine->joints[pairs[i].joint].absorbed = true;
    int index = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_%s", machine->bodies[body1].name,
                                                              machine->bodies[body2].name), name, body1, body2, place);
    if (tn_machine_status(machine) < 0)
        return;
    tn_machine_joint *joint = &machine->joints[index];
    joint->source = source;
    joint->frame1 = tn_pose_relative(&machine->bodies[body1].pose, &frame);
    joint->frame2 = tn_pose_relative(&machine->bodies[body2].pose, &frame);
    give_coordinates(joint);
}

/* Drops mates that became part of something else. */
static void compact_joints(mate_groups *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->machine->joint_count; i++) {
        tn_machine_joint *j = &g->machine->joints[i];
        bool inside = j->mate && group_of(g, j->body1) == group_of(g, j->body2);
        if (j->absorbed || inside)
            continue;
        j->mate = false;
        g->machine->joints[kept++] = *j;
    }
    g->machine->joint_count = kept;
}

int tn_machine_combine(tn_machine *machine)
{
    mate_groups g = { .machine = machine };
    g.group = tn_arena_alloc(machine->arena, machine->body_count, sizeof *g.group);
    mate_pair *pairs = tn_arena_alloc(machine->arena, machine->joint_count + 1, sizeof *pairs);
    if (!g.group || !pairs)
        return TN_ERROR_MEMORY;
    for (size_t b = 0; b < machine->body_count; b++)
        g.group[b] = (int)b;
    for (size_t i = 0; i < machine->joint_count; i++)
        if (!machine->joints[i].mate && !machine->joints[i].keep && strcmp(machine->joints[i].type, "fixed") == 0)
            join_groups(&g, machine->joints[i].body1, machine->joints[i].body2);
    double gap = largest_gap(&g);
    if (gap > EXACT)
        TN_TRY(assemble_groups(&g, gap));
    join_rigid(&g, pairs);
    TN_TRY(tn_machine_status(machine));
    size_t count = list_pairs(pairs, &g);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = pair_end(pairs, begin, count);
        combine_pair(&g, pairs, begin, end);
    }
    compact_joints(&g);
    return tn_machine_status(machine);
}
