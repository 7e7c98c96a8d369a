/* Masses, inertias and sizes of shapes that no body has, which imported machines often have: put right with a note. */
#include "machine.h"

#include "entities.h"
#include "twist.h"
#include "vec.h"

/* A tensor without any moment gets that of a ball of this radius (m). */
static const double ASSUMED_RADIUS = 0.01;
/* How much the largest moment may exceed the sum of the others before the tensor counts as impossible: files are
 * rounded. */
static const double TRIANGLE_SLACK = 1e-9;

static void replace_tensor(tn_machine_body *body, const double moments[3], double Q[3][3])
{
    double I[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            I[i][j] = 0;
            for (int k = 0; k < 3; k++)
                I[i][j] += Q[i][k] * moments[k] * Q[j][k];
        }
    const double all[6] = { I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2] };
    memcpy(body->inertia, all, sizeof all);
}

static void check_tensor(tn_machine *machine, tn_machine_body *body)
{
    double moments[3], Q[3][3], largest = 0, least = INFINITY, sum = 0;
    tn_principal_axes(moments, Q, body->inertia);
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, moments[k]);
        least = fmin(least, moments[k]);
        sum += moments[k];
    }
    if (!(largest > 0)) {
        double moment = 0.4 * body->mass * ASSUMED_RADIUS * ASSUMED_RADIUS;
        const double ball[6] = { moment, moment, moment, 0, 0, 0 };
        memcpy(body->inertia, ball, sizeof ball);
        tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s' has mass but no moment of inertia: that of a "
                            "ball of 1 cm radius is assumed, %.3g kg m^2", body->name, moment);
        return;
    }
    if (least < -0.01 * largest) {
        for (int k = 0; k < 3; k++)
            moments[k] = fabs(moments[k]);
        replace_tensor(body, moments, Q);
        tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s': a principal moment of inertia is negative "
                            "(%.3g kg m^2): its size is taken", body->name, least);
        body->lenient = true;
    } else if (largest - (sum - largest) > TRIANGLE_SLACK * largest || least < 1e-6 * largest) {
        body->lenient = true;
        tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s': no body has these moments of inertia (%.4g, "
                            "%.4g, %.4g kg m^2); they are taken as given, with inertia_check: warn", body->name,
                            moments[0], moments[1], moments[2]);
    }
}

/* Bodies without mass that hang together, and what is next to them. */
typedef struct bare_group {
    int *members;
    size_t count;
    double mass, moment;       /* the least of what is next to them; infinite: ground alone */
    double twists[6][6];       /* orthonormal basis of what their joints leave free */
    int rank;
    bool loose;                /* some motion moves nothing but them */
} bare_group;

/* Adds what a joint leaves free; what others leave free already moves the bodies between alone. */
static void add_freedom(bare_group *g, const tn_machine *machine, const tn_machine_joint *joint, const double origin[3])
{
    double twists[6][6];
    int count = tn_machine_free_twists(twists, machine, joint, origin);
    g->loose = g->loose || count < 0;
    for (int k = 0; k < count; k++) {
        double *t = twists[k], length = 0, rest = 0;
        for (int i = 0; i < 6; i++) {
            t[i] /= i < 3 ? 1 : TN_TWIST_LENGTH;
            length += t[i] * t[i];
        }
        for (int b = 0; b < g->rank; b++) {
            double along = 0;
            for (int i = 0; i < 6; i++)
                along += t[i] * g->twists[b][i];
            for (int i = 0; i < 6; i++)
                t[i] -= along * g->twists[b][i];
        }
        for (int i = 0; i < 6; i++)
            rest += t[i] * t[i];
        if (g->rank == 6 || !(rest > 1e-6 * length)) {
            g->loose = true;
            return;
        }
        for (int i = 0; i < 6; i++)
            g->twists[g->rank][i] = t[i] / sqrt(rest);
        g->rank++;
    }
}

static void gather_bare(bare_group *g, tn_machine *machine, const tn_joint_links *links, bool *seen, int from)
{
    const double *origin = machine->bodies[from].pose.p;
    g->count = 0;
    g->rank = 0;
    g->loose = false;
    g->mass = g->moment = INFINITY;
    g->members[g->count++] = from;
    seen[from] = true;
    for (size_t n = 0; n < g->count; n++) {
        int joints = 0;
        for (int l = links->first[g->members[n]]; l >= 0; l = links->next[l], joints++) {
            const tn_machine_joint *joint = &machine->joints[l / 2];
            int other = machine->bodies[l % 2 == 0 ? joint->body2 : joint->body1].into;
            const tn_machine_body *body = &machine->bodies[other];
            bool bare = other != TN_GROUND && !(body->mass > 0);
            if (!bare || l % 2 == 0)           /* a joint between two of them counts once */
                add_freedom(g, machine, joint, origin);
            if (!bare && other != TN_GROUND) {
                g->mass = fmin(g->mass, body->mass);
                g->moment = fmin(g->moment, (body->inertia[0] + body->inertia[1] + body->inertia[2]) / 3);
            } else if (bare && !seen[other]) {
                seen[other] = true;
                g->members[g->count++] = other;
            }
        }
        g->loose = g->loose || joints < 2;
    }
}

/* Bodies without mass between others, whose joints carry all their motion on, get so little that it does not count. */
static void fill_bare_bodies(tn_machine *machine)
{
    static const double share = 1e-10, least_mass = 1e-14, least_moment = 2e-15;   /* kg, kg m^2: above what others take for nothing */
    bare_group g = { .members = tn_arena_alloc(machine->arena, machine->body_count, sizeof *g.members) };
    bool *seen = tn_arena_alloc(machine->arena, machine->body_count, sizeof *seen);
    tn_joint_links links;
    if (!g.members || !seen || !tn_machine_link_joints(&links, machine))
        return;
    for (size_t i = 1; i < machine->body_count; i++) {
        if (machine->bodies[i].into != (int)i || machine->bodies[i].mass != 0 || seen[i])
            continue;
        gather_bare(&g, machine, &links, seen, (int)i);
        for (size_t k = 0; k < g.count && !g.loose && isfinite(g.mass); k++) {
            tn_machine_body *body = &machine->bodies[g.members[k]];
            const double moment = fmax(share * g.moment, least_moment), ball[6] = { moment, moment, moment, 0, 0, 0 };
            body->mass = fmax(share * g.mass, least_mass);
            memcpy(body->inertia, ball, sizeof ball);
            body->mass_source = "none: 1e-10 of what is next to it";
            tn_machine_note_add(machine, TN_NOTE, body->place, "body '%s' has no mass and only passes motion on: it gets 1e-10 of what "
                                "is next to it", body->name);
        }
    }
}

void tn_machine_check_masses(tn_machine *machine)
{
    fill_bare_bodies(machine);
    for (size_t i = 1; i < machine->body_count; i++) {
        tn_machine_body *body = &machine->bodies[i];
        if (body->into != (int)i)
            continue;
        if (body->mass > 0) {
            check_tensor(machine, body);
            continue;
        }
        if (body->mass < 0)
            tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s' has a negative mass, %.3g kg: left out",
                                body->name, body->mass);
        body->mass = 0;
        memset(body->inertia, 0, sizeof body->inertia);
        body->lenient = true;
        body->mass_source = "none: 1e-6 kg is assumed";
        tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s' has no mass: 1e-6 kg and 1e-8 kg m^2 are "
                            "assumed (inertia_check: warn); motion that only its own mass determines is fast",
                            body->name);
    }
}

static int size_count(tn_shape_kind kind)
{
    switch (kind) {
    case TN_SHAPE_BOX:
    case TN_SHAPE_ELLIPSOID:
        return 3;
    case TN_SHAPE_SPHERE:
        return 1;
    case TN_SHAPE_CYLINDER:
    case TN_SHAPE_CAPSULE:
    case TN_SHAPE_CONE:
    case TN_SHAPE_ROD:
        return 2;
    default:
        return 0;
    }
}

static bool is_shape_good(tn_machine_shape *shape)
{
    if (shape->kind == TN_SHAPE_CAPSULE && shape->size[1] == 0)
        shape->kind = TN_SHAPE_SPHERE;
    bool good = true;
    for (int k = 0; k < size_count(shape->kind); k++)
        good = good && shape->size[k] > 0 && isfinite(shape->size[k]);
    return good;
}

void tn_machine_check_shapes(tn_machine *machine)
{
    for (size_t i = 0; i < machine->body_count; i++) {
        tn_machine_body *body = &machine->bodies[i];
        size_t kept = 0;
        for (size_t k = 0; k < body->shape_count; k++) {
            if (is_shape_good(&body->shapes[k]))
                body->shapes[kept++] = body->shapes[k];
            else
                tn_machine_leave_out(machine, body->place, "shapes with a size that is not positive");
        }
        body->shape_count = kept;
    }
}

static const tn_joint_type *find_type(const char *name)
{
    for (const tn_joint_type *const *type = tn_joint_types; *type; type++)
        if (strcmp((*type)->name, name) == 0)
            return *type;
    return NULL;
}

/* The setting that the joint's type refuses; NULL: none. */
static const tn_setting *refused_setting(const tn_machine_joint *joint)
{
    const tn_joint_type *type = find_type(joint->type);
    for (size_t k = 0; type && k < joint->setting_count; k++) {
        const tn_setting *setting = &joint->settings[k];
        bool zero = type->nonzero && strcmp(type->nonzero, setting->name) == 0 && setting->value == 0;
        bool low = type->positive && strcmp(type->positive, setting->name) == 0 && !(setting->value > 0);
        if (zero || low || isinf(setting->value))
            return setting;
    }
    return NULL;
}

void tn_machine_check_settings(tn_machine *machine)
{
    for (size_t i = 0; i < machine->joint_count; i++) {
        tn_machine_joint *joint = &machine->joints[i];
        const tn_setting *setting = joint->dropped ? NULL : refused_setting(joint);
        if (!setting)
            continue;
        joint->dropped = true;
        tn_machine_note_add(machine, TN_WARNING, joint->place, "joint '%s' (%s) with a %s of %g holds nothing: left out", joint->name,
                            joint->type, setting->name, setting->value);
    }
}

/* Negative losses and springs are taken, since a machine may have been measured like that; negative sizes are none. */
static void check_coordinate(tn_machine *machine, const tn_machine_joint *joint, tn_machine_coordinate *c)
{
    const struct { const char *name; double *value; bool taken; } sizes[] = {
        { "damping", &c->damping, true }, { "stiffness", &c->stiffness, true },
        { "friction", &c->friction, false }, { "armature", &c->armature, false },
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (*sizes[i].value < 0) {
            tn_machine_note_add(machine, TN_WARNING, joint->place, "joint '%s': its %s is negative, %.6g: %s", joint->name, sizes[i].name,
                                *sizes[i].value, sizes[i].taken ? "taken as given, it feeds the motion" : "left out");
            if (!sizes[i].taken)
                *sizes[i].value = 0;
        }
}

void tn_machine_check_coordinates(tn_machine *machine)
{
    for (size_t i = 0; i < machine->joint_count; i++)
        for (size_t k = 0; k < machine->joints[i].coordinate_count; k++)
            check_coordinate(machine, &machine->joints[i], &machine->joints[i].coordinates[k]);
}

void tn_machine_lift(tn_machine *machine, const char *source)
{
    for (size_t i = 1; i < machine->body_count; i++) {
        const tn_machine_body *body = &machine->bodies[i];
        const double *g = machine->gravity, weight = body->lift * body->mass;
        if (weight == 0 || (g[0] == 0 && g[1] == 0 && g[2] == 0))
            continue;
        tn_machine_load *load = tn_machine_add_load(machine, tn_machine_text(machine, "%s_gravcomp", body->name), "force", body->place);
        tn_pose at = tn_pose_identity();
        memcpy(at.p, body->com, sizeof at.p);
        load->source = source;
        load->body1 = TN_GROUND;
        load->body2 = (int)i;
        load->frame2 = at;
        load->frame1 = tn_pose_compose(&body->pose, &at);
        tn_load_value(machine, load, "value", "[%.17g, %.17g, %.17g]", -weight * g[0], -weight * g[1], -weight * g[2]);
    }
}
