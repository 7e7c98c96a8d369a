/* Mates of CAD systems as joints: which pair of features under which name is which joint. */
#include "combine.h"

#include "entities.h"
#include "twist.h"
#include "vec.h"

#include <ctype.h>

/* One rule: mate, kinds of the two features in the order of their letters (P point, L line, C circle, N plane), joint. Frame 1
 * of the joint is that of the first feature of the rule. */
typedef struct mate_rule {
    const char *mate, *kinds, *type;
} mate_rule;

static const mate_rule rules[] = {
    { "concentric", "LL", "cylindrical" },   { "concentric", "CL", "cylindrical" },   { "concentric", "CC", "cylindrical" },
    { "concentric", "PP", "spherical" },     { "concentric", "LP", "point-on-line" }, { "concentric", "CP", "point-on-line" },
    { "coincident", "NN", "planar" },        { "coincident", "NP", "point-on-plane" },{ "coincident", "NL", "line-in-plane" },
    { "coincident", "NC", "planar" },        { "coincident", "LL", "cylindrical" },   { "coincident", "LP", "point-on-line" },
    { "coincident", "CC", "revolute" },      { "coincident", "CL", "cylindrical" },   { "coincident", "PP", "spherical" },
    { "coincident", "CP", "spherical" },
    { "distance", "NN", "planar" },          { "distance", "NP", "touch-plane" },
    { "distance", "NL", "line-at-distance-of-plane" }, { "distance", "NC", "planar" },
    { "distance", "LL", "parallel-at-distance" }, { "distance", "CL", "parallel-at-distance" },
    { "distance", "CC", "parallel-at-distance" }, { "distance", "PP", "rod" }, { "distance", "LP", "touch-line" },
    { "distance", "CP", "touch-line" },
    { "parallel", "NN", "parallel" },        { "parallel", "LL", "parallel" },        { "parallel", "NL", "perpendicular" },
    { "parallel", "CC", "parallel" },        { "parallel", "CL", "parallel" },        { "parallel", "NC", "parallel" },
    { "perpendicular", "NN", "perpendicular" }, { "perpendicular", "LL", "perpendicular" },
    { "perpendicular", "NL", "parallel" },   { "perpendicular", "CL", "perpendicular" },
    { "angle", "NN", "axis-angle" },         { "angle", "LL", "axis-angle" },         { "angle", "NL", "axis-angle" },
    { "angle", "CL", "axis-angle" },         { "angle", "CC", "axis-angle" },
    { "tangent", "NL", "line-at-distance-of-plane" }, { "tangent", "NP", "touch-plane" },
    { "tangent", "LL", "parallel-at-distance" }, { "tangent", "LP", "touch-line" },
    { "lock", "", "fixed" },
};

static const char letters[] = { [TN_FEATURE_POINT] = 'P', [TN_FEATURE_LINE] = 'L', [TN_FEATURE_CIRCLE] = 'C',
                                [TN_FEATURE_PLANE] = 'N' };

static bool same_word(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == *b)
        a++, b++;
    return *a == 0 && *b == 0;
}

static const mate_rule *find_rule(const char *mate, const tn_mate_feature *a, const tn_mate_feature *b, bool *swap)
{
    for (size_t i = 0; i < TN_LENGTH(rules); i++) {
        if (!same_word(mate, rules[i].mate))
            continue;
        *swap = false;
        if (rules[i].kinds[0] == 0)
            return &rules[i];
        char x = letters[a->kind], y = letters[b->kind];
        if (rules[i].kinds[0] == x && rules[i].kinds[1] == y)
            return &rules[i];
        *swap = true;
        if (rules[i].kinds[0] == y && rules[i].kinds[1] == x)
            return &rules[i];
    }
    return NULL;
}

/* Settings and frames that follow from how the parts stand in the file. */
static void as_built(tn_machine *machine, tn_machine_joint *joint, bool distance)
{
    tn_pose w1 = tn_pose_compose(&machine->bodies[joint->body1].pose, &joint->frame1);
    tn_pose w2 = tn_pose_compose(&machine->bodies[joint->body2].pose, &joint->frame2);
    double d[3], z1[3], z2[3];
    static const double z[3] = { 0, 0, 1 };
    tn_sub3(d, w2.p, w1.p);
    tn_quat_rotate(z1, w1.q, z);
    tn_quat_rotate(z2, w2.q, z);
    double along = tn_dot3(d, z1), across[3] = { d[0], d[1], d[2] };
    tn_axpy3(across, -along, z1);
    if (strcmp(joint->type, "planar") == 0 && distance) {
        tn_axpy3(w2.p, -along, z1);
        joint->frame2 = tn_pose_relative(&machine->bodies[joint->body2].pose, &w2);
    } else if (strcmp(joint->type, "touch-plane") == 0) {
        tn_joint_setting(joint, "radius", along);
    } else if (strcmp(joint->type, "line-at-distance-of-plane") == 0) {
        tn_joint_setting(joint, "distance", along);
    } else if (strcmp(joint->type, "parallel-at-distance") == 0) {
        double gap = tn_norm3(across);
        tn_joint_setting(joint, "distance", gap);
        if (gap < 1e-9) {              /* the axes are one */
            joint->type = "cylindrical";
            joint->setting_count = 0;
        }
    } else if (strcmp(joint->type, "touch-line") == 0) {
        tn_joint_setting(joint, "radius", tn_norm3(across));
        if (tn_norm3(across) < 1e-9) {
            joint->type = "point-on-line";
            joint->setting_count = 0;
        }
    } else if (strcmp(joint->type, "rod") == 0 && tn_norm3(d) < 1e-9) {
        joint->type = "spherical";
    } else if (strcmp(joint->type, "axis-angle") == 0) {
        double cosine = tn_dot3(z1, z2);
        tn_joint_setting(joint, "cosine", cosine);
        if (fabs(cosine) > 1 - 1e-9) {
            joint->type = "parallel";
            joint->setting_count = 0;
        }
    } else if (strcmp(joint->type, "fixed") == 0) {
        joint->frame1 = tn_pose_identity();
        joint->frame2 = tn_pose_relative(&machine->bodies[joint->body2].pose, &machine->bodies[joint->body1].pose);
    }
}

bool tn_machine_add_mate(tn_machine *machine, const char *mate, const char *name, const tn_mate_feature *a,
                         const tn_mate_feature *b, tn_span place)
{
    bool swap = false;
    const mate_rule *rule = find_rule(mate, a, b, &swap);
    if (!rule)
        return false;
    const tn_mate_feature *first = swap ? b : a, *second = swap ? a : b;
    int index = tn_machine_add_joint(machine, name, rule->type, first->body, second->body, place);
    if (tn_machine_status(machine) < 0)
        return true;
    tn_machine_joint *joint = &machine->joints[index];
    joint->source = tn_machine_text(machine, "%s %s", mate, name);
    joint->mate = true;
    joint->frame1 = first->frame;
    joint->frame2 = second->frame;
    as_built(machine, joint, same_word(mate, "distance"));
    return true;
}
