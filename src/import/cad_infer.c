/* Joints inferred from geometry: where faces of two rigid groups meet, rows of twists; their null space names the joint. Only
 * proposals, each with its evidence and a confidence.
 *
 * Contacts: a shaft in a hole, opposed planes that overlap, a ball in a socket. Fasteners are fixed to all they touch, and a
 * pin (round all over, with holes on one axis only) to the tightest of its partners. */
#include "cad_parts.h"

#include "entities.h"
#include "twist.h"
#include "vec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const double AXIS_ANGLE = 2e-3;         /* rad: axes that count as parallel */
static const double LEAST_OFFSET = 1e-5;       /* m: axes nearer than this always count as one */
static const double LARGEST_PLAY = 0.6e-3;     /* m, or 15 % of the radius */
static const double PLANE_GAP = 0.05e-3;       /* m */
static const double LEAST_WRAP = 2.0;          /* rad (115 deg): less is a fillet */
static const double LEAST_AREA = 1e-4;         /* of the smaller face */
static const double BOX_MARGIN = 1e-3;         /* m */

/* A face of a body in the world; half shells of one cylinder are one. */
typedef struct world_face {
    tn_face_kind kind;
    double point[3], axis[3], radius, low, high, wrap, area;
    double corners[8][3];
    bool inner;
} world_face;

typedef struct world_body {
    const tn_cad_body *cad;
    world_face *faces;
    size_t count;
    double low[3], high[3];
    bool fastener, round;      /* round: all its faces are about one axis */
    double axis[3], point[3];
} world_body;

typedef struct contact {
    int a, b;                  /* bodies, by number in the list */
    const char *type;          /* "cylindrical", "planar", "spherical" */
    tn_pose frame;             /* in the world */
    double play;               /* m: of a shaft in its hole */
    double radius, length;     /* m: as tn_joint_contact */
} contact;

typedef struct inference {
    tn_machine *machine;
    world_body *bodies;
    size_t body_count;
    contact *contacts;
    size_t contact_count, contact_capacity;
    int *group;                /* by body: representative */
} inference;

static int group_of(inference *f, int body)
{
    while (f->group[body] != body)
        body = f->group[body] = f->group[f->group[body]];
    return body;
}

static void join(inference *f, int a, int b)
{
    a = group_of(f, a);
    b = group_of(f, b);
    f->group[a > b ? a : b] = a < b ? a : b;
}

/* ---- faces in the world ---- */

static double axis_distance(const double p[3], const double point[3], const double axis[3])
{
    double d[3];
    tn_sub3(d, p, point);
    tn_axpy3(d, -tn_dot3(d, axis), axis);
    return tn_norm3(d);
}

static bool is_parallel(const double a[3], const double b[3])
{
    double c[3];
    tn_cross3(c, a, b);
    return tn_norm3(c) < AXIS_ANGLE;
}

static void take_face(world_face *out, const tn_cad_face *face, const tn_pose *pose)
{
    *out = (world_face){ .kind = face->kind, .radius = face->radius, .low = face->low, .high = face->high, .wrap = face->wrap,
                         .area = face->area, .inner = face->inner };
    tn_quat_rotate(out->point, pose->q, face->point);
    tn_add3(out->point, out->point, pose->p);
    tn_quat_rotate(out->axis, pose->q, face->axis);
    for (int c = 0; c < 8; c++) {
        const double corner[3] = { face->box[c & 1 ? 3 : 0], face->box[c & 2 ? 4 : 1], face->box[c & 4 ? 5 : 2] };
        tn_quat_rotate(out->corners[c], pose->q, corner);
        tn_add3(out->corners[c], out->corners[c], pose->p);
    }
}

/* Adds a cylinder to one of the same axis and radius: half shells become whole. */
static bool merge_cylinder(world_body *body, const world_face *face)
{
    for (size_t i = 0; i < body->count && face->kind == TN_FACE_CYLINDER; i++) {
        world_face *other = &body->faces[i];
        if (other->kind != TN_FACE_CYLINDER || other->inner != face->inner ||
            fabs(other->radius - face->radius) > 1e-6 * face->radius || !is_parallel(other->axis, face->axis) ||
            axis_distance(face->point, other->point, other->axis) > 1e-6)
            continue;
        double d[3], way = tn_dot3(face->axis, other->axis) > 0 ? 1 : -1;
        tn_sub3(d, face->point, other->point);
        double at = tn_dot3(d, other->axis), x = at + way * face->low, y = at + way * face->high;
        double low = fmin(x, y), high = fmax(x, y);
        if (low > other->high + 1e-6 || high < other->low - 1e-6)
            continue;                  /* another piece of the same axis */
        bool beside = fabs(low - other->low) < 1e-3 * face->radius && fabs(high - other->high) < 1e-3 * face->radius;
        other->wrap = beside ? other->wrap + face->wrap : fmax(other->wrap, face->wrap);
        other->low = fmin(other->low, low);
        other->high = fmax(other->high, high);
        other->area += face->area;
        return true;
    }
    return false;
}

static bool is_fastener(const char *name)
{
    static const char *const words[] = { "screw", "bolt", "nut", "washer", "rivet", "schraube", "mutter", "scheibe", "iso 4762",
                                         "iso4762", "din 912", "din912", "iso 4017", "iso 7380", "circlip", "retaining" };
    char lower[128];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof lower; n++)
        lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = 0;
    for (size_t i = 0; i < TN_LENGTH(words); i++)
        if (strstr(lower, words[i]))
            return true;
    return false;
}

/* Round: cylinders on one axis, planes across it, no spheres. */
static void find_axis(world_body *body)
{
    const world_face *first = NULL;
    for (size_t i = 0; i < body->count && !first; i++)
        if (body->faces[i].kind == TN_FACE_CYLINDER && !body->faces[i].inner)
            first = &body->faces[i];
    body->round = first != NULL;
    for (size_t i = 0; i < body->count && body->round; i++) {
        const world_face *face = &body->faces[i];
        body->round = face->kind != TN_FACE_SPHERE && is_parallel(face->axis, first->axis) &&
                      (face->kind == TN_FACE_PLANE || axis_distance(face->point, first->point, first->axis) < LEAST_OFFSET);
    }
    if (first) {
        tn_copy3(body->axis, first->axis);
        tn_copy3(body->point, first->point);
    }
}

static bool take_body(inference *f, world_body *out, const tn_cad_body *cad)
{
    tn_pose pose = f->machine->bodies[cad->body].pose;
    out->cad = cad;
    out->faces = tn_arena_alloc(f->machine->arena, cad->part->face_count + 1, sizeof *out->faces);
    if (!out->faces)
        return false;
    for (int k = 0; k < 3; k++)
        out->low[k] = INFINITY, out->high[k] = -INFINITY;
    for (size_t i = 0; i < cad->part->face_count; i++) {
        world_face face;
        take_face(&face, &cad->part->faces[i], &pose);
        for (int c = 0; c < 8; c++)
            for (int k = 0; k < 3; k++) {
                out->low[k] = fmin(out->low[k], face.corners[c][k]);
                out->high[k] = fmax(out->high[k], face.corners[c][k]);
            }
        if (!merge_cylinder(out, &face))
            out->faces[out->count++] = face;
    }
    out->fastener = is_fastener(cad->name) || is_fastener(cad->part->name);
    find_axis(out);
    return true;
}

/* ---- contacts ---- */

static contact *add_contact(inference *f, int a, int b, const char *type, const double point[3], const double axis[3],
                            double radius)
{
    static contact none;
    if (f->contact_count == f->contact_capacity) {
        size_t more = f->contact_capacity ? 2 * f->contact_capacity : 64;
        contact *list = tn_arena_alloc(f->machine->arena, more, sizeof *list);
        if (!list) {
            f->machine->status = TN_ERROR_MEMORY;
            return &none;
        }
        if (f->contact_count > 0)
            memcpy(list, f->contacts, f->contact_count * sizeof *list);
        f->contacts = list;
        f->contact_capacity = more;
    }
    contact *added = &f->contacts[f->contact_count++];
    *added = (contact){ .a = a, .b = b, .type = type, .frame = tn_pose_z(point, axis), .radius = radius };
    return added;
}

static void try_cylinders(inference *f, int a, int b, const world_face *p, const world_face *q)
{
    if (p->inner == q->inner || p->wrap < LEAST_WRAP || q->wrap < LEAST_WRAP || !is_parallel(p->axis, q->axis))
        return;
    const world_face *hole = p->inner ? p : q, *shaft = p->inner ? q : p;
    double R = shaft->radius, play = hole->radius - R, offset = axis_distance(shaft->point, hole->point, hole->axis);
    if (play < -0.25 * R || play > fmax(0.15 * R, LARGEST_PLAY) ||
        offset > fmax(LEAST_OFFSET, fmax(0.5 * play, 0.02 * R)))
        return;
    double d[3], way = tn_dot3(shaft->axis, hole->axis) > 0 ? 1 : -1;
    tn_sub3(d, shaft->point, hole->point);
    double at = tn_dot3(d, hole->axis), x = at + way * shaft->low, y = at + way * shaft->high;
    double low = fmax(hole->low, fmin(x, y)), high = fmin(hole->high, fmax(x, y)), point[3];
    if (high - low < 0.05 * R)
        return;
    tn_copy3(point, hole->point);
    tn_axpy3(point, 0.5 * (low + high), hole->axis);
    contact *c = add_contact(f, a, b, "cylindrical", point, hole->axis, R);
    c->play = play;
    c->length = high - low;
}

/* A convex outline in a plane. */
enum { MOST_CORNERS = 24 };
typedef struct outline {
    double at[MOST_CORNERS][2];
    int count;
} outline;

static double turn_of(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The hull of the corners of a face's box, seen along the normal: anticlockwise, by gift wrapping. */
static void face_outline(outline *out, const world_face *face, const double u[3], const double v[3])
{
    double p[8][2];
    int start = 0;
    for (int c = 0; c < 8; c++) {
        p[c][0] = tn_dot3(face->corners[c], u);
        p[c][1] = tn_dot3(face->corners[c], v);
        if (p[c][0] < p[start][0] || (p[c][0] == p[start][0] && p[c][1] < p[start][1]))
            start = c;
    }
    out->count = 0;
    for (int at = start, next; out->count < 8; at = next) {
        memcpy(out->at[out->count++], p[at], sizeof p[at]);
        next = -1;
        for (int c = 0; c < 8; c++) {
            double far = hypot(p[c][0] - p[at][0], p[c][1] - p[at][1]);
            if (far < 1e-12)
                continue;
            double turn = next < 0 ? -1 : turn_of(p[at], p[next], p[c]);
            if (next < 0 || turn < -1e-12 * far ||
                (fabs(turn) <= 1e-12 * far && far > hypot(p[next][0] - p[at][0], p[next][1] - p[at][1])))
                next = c;
        }
        if (next < 0 || hypot(p[next][0] - p[start][0], p[next][1] - p[start][1]) < 1e-12)
            return;
    }
}

/* Cuts away what is right of the line from a to b. */
static void cut_outline(outline *shape, const double a[2], const double b[2])
{
    outline rest = { .count = 0 };
    for (int i = 0; i < shape->count; i++) {
        const double *p = shape->at[i], *q = shape->at[(i + 1) % shape->count];
        double x = turn_of(a, b, p), y = turn_of(a, b, q);
        if (x >= 0 && rest.count < MOST_CORNERS)
            memcpy(rest.at[rest.count++], p, 2 * sizeof *p);
        if ((x < 0) != (y < 0) && rest.count < MOST_CORNERS) {
            for (int k = 0; k < 2; k++)
                rest.at[rest.count][k] = p[k] + x / (x - y) * (q[k] - p[k]);
            rest.count++;
        }
    }
    *shape = rest;
}

/* The area in which two faces overlap, by the boxes that they have in the coordinates of their parts; its middle as
 * coordinates along u and v. */
static double overlap(double middle[2], const world_face *p, const world_face *q, const double u[3], const double v[3])
{
    outline a, b;
    double area = 0;
    middle[0] = middle[1] = 0;
    face_outline(&a, p, u, v);
    face_outline(&b, q, u, v);
    for (int i = 0; i < b.count && a.count > 0; i++)
        cut_outline(&a, b.at[i], b.at[(i + 1) % b.count]);
    for (int i = 1; i + 1 < a.count; i++) {
        double part = 0.5 * turn_of(a.at[0], a.at[i], a.at[i + 1]);
        for (int k = 0; k < 2; k++)
            middle[k] += part * (a.at[0][k] + a.at[i][k] + a.at[i + 1][k]) / 3;
        area += part;
    }
    for (int k = 0; k < 2 && area > 0; k++)
        middle[k] /= area;
    return area;
}

static void try_planes(inference *f, int a, int b, const world_face *p, const world_face *q)
{
    double d[3], R[3][3];
    if (tn_dot3(p->axis, q->axis) > 0 || !is_parallel(p->axis, q->axis))
        return;
    tn_sub3(d, q->point, p->point);
    if (fabs(tn_dot3(d, p->axis)) > PLANE_GAP)
        return;
    tn_pose frame = tn_pose_z(p->point, p->axis);
    tn_quat_matrix(R, frame.q);
    const double u[3] = { R[0][0], R[1][0], R[2][0] }, v[3] = { R[0][1], R[1][1], R[2][1] };
    double middle[2], point[3], met = overlap(middle, p, q, u, v), smaller = fmin(p->area, q->area);
    if (met <= LEAST_AREA * smaller)
        return;
    for (int k = 0; k < 3; k++)
        point[k] = middle[0] * u[k] + middle[1] * v[k] + tn_dot3(p->point, p->axis) * p->axis[k];
    add_contact(f, a, b, "planar", point, p->axis, sqrt(fmin(met, smaller) / acos(-1.0)));
}

static void try_spheres(inference *f, int a, int b, const world_face *p, const world_face *q)
{
    double d[3];
    if (p->inner == q->inner)
        return;
    const world_face *socket = p->inner ? p : q, *ball = p->inner ? q : p;
    double play = socket->radius - ball->radius;
    tn_sub3(d, p->point, q->point);
    if (play > -0.02 * ball->radius && play < fmax(0.15 * ball->radius, LARGEST_PLAY) &&
        tn_norm3(d) < fmax(LEAST_OFFSET, 0.02 * ball->radius))
        add_contact(f, a, b, "spherical", socket->point, socket->axis, ball->radius)->play = play;
}

static void find_contacts(inference *f, int a, int b)
{
    const world_body *x = &f->bodies[a], *y = &f->bodies[b];
    for (int k = 0; k < 3; k++)
        if (x->low[k] > y->high[k] + BOX_MARGIN || y->low[k] > x->high[k] + BOX_MARGIN)
            return;
    for (size_t i = 0; i < x->count; i++)
        for (size_t k = 0; k < y->count; k++) {
            const world_face *p = &x->faces[i], *q = &y->faces[k];
            if (p->kind != q->kind)
                continue;
            if (p->kind == TN_FACE_CYLINDER)
                try_cylinders(f, a, b, p, q);
            else if (p->kind == TN_FACE_PLANE)
                try_planes(f, a, b, p, q);
            else
                try_spheres(f, a, b, p, q);
        }
}

/* ---- fasteners and pins ---- */

/* Contacts as people may be shown them. */
static void show_contacts(inference *f, tn_machine_joint *joint, const contact *const *list, size_t count)
{
    static const double z[3] = { 0, 0, 1 };
    tn_joint_contact *shown = tn_arena_alloc(f->machine->arena, count + 1, sizeof *shown);
    for (size_t i = 0; shown && i < count; i++) {
        shown[i] = (tn_joint_contact){ .kind = list[i]->type, .radius = list[i]->radius, .length = list[i]->length };
        tn_copy3(shown[i].point, list[i]->frame.p);
        tn_quat_rotate(shown[i].axis, list[i]->frame.q, z);
    }
    joint->contacts = shown;
    joint->contact_count = shown ? count : 0;
}

static tn_machine_joint *propose(inference *f, int a, int b, const char *type, const tn_pose *frame, double confidence,
                                 const char *evidence)
{
    tn_machine *machine = f->machine;
    int body1 = f->bodies[a].cad->body, body2 = f->bodies[b].cad->body;
    int index = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_%s", machine->bodies[body1].name,
                                                              machine->bodies[body2].name), type, body1, body2,
                                     machine->bodies[body1].place);
    static tn_machine_joint none;
    if (tn_machine_status(machine) < 0)
        return &none;
    tn_machine_joint *joint = &machine->joints[index];
    joint->source = "geometry";
    joint->confidence = confidence;
    joint->evidence = evidence;
    joint->frame1 = tn_pose_relative(&machine->bodies[body1].pose, frame);
    joint->frame2 = tn_pose_relative(&machine->bodies[body2].pose, frame);
    if (strcmp(type, "revolute") == 0 || strcmp(type, "cylindrical") == 0)
        tn_joint_coordinate(joint, "angle");
    if (strcmp(type, "prismatic") == 0 || strcmp(type, "cylindrical") == 0)
        tn_joint_coordinate(joint, "position");
    return joint;
}

static void fix_fasteners(inference *f)
{
    for (size_t i = 0; i < f->contact_count; i++) {
        const contact *c = &f->contacts[i];
        if ((!f->bodies[c->a].fastener && !f->bodies[c->b].fastener) || group_of(f, c->a) == group_of(f, c->b) ||
            strcmp(c->type, "cylindrical") != 0)           /* what lies on a head is not held by it */
            continue;
        show_contacts(f, propose(f, c->a, c->b, "fixed", &c->frame, 0.85, "fastener by its name"), &c, 1);
        join(f, c->a, c->b);
    }
}

/* A pin: round, and every hole it is in is on its axis. Fixed to the partner with the least play. */
static void fix_pins(inference *f)
{
    for (int b = 0; b < (int)f->body_count; b++) {
        const contact *tightest = NULL;
        int holes = 0;
        bool alone = true;
        for (int k = 0; k < (int)f->body_count; k++)
            alone = alone && (k == b || group_of(f, k) != group_of(f, b));
        for (size_t i = 0; i < f->contact_count && f->bodies[b].round && alone; i++) {
            const contact *c = &f->contacts[i];
            if ((c->a != b && c->b != b) || strcmp(c->type, "cylindrical") != 0 || group_of(f, c->a) == group_of(f, c->b))
                continue;
            holes++;
            if (!tightest || c->play < tightest->play)
                tightest = c;
        }
        if (holes < 2 || !tightest)
            continue;
        show_contacts(f, propose(f, tightest->a, tightest->b, "fixed", &tightest->frame, 0.8,
                                 "a pin, fixed to the partner with the least play"), &tightest, 1);
        join(f, tightest->a, tightest->b);
    }
}

/* ---- pairs of groups ---- */

typedef struct group_pair {
    int a, b;
    size_t contact;
} group_pair;

static int compare_pairs(const void *x, const void *y)
{
    const group_pair *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return (p->contact > q->contact) - (p->contact < q->contact);
}

typedef struct pair_counts {
    int cylinders, planes, balls;
    bool up, down;             /* planes across the axis, facing both ways */
} pair_counts;

static pair_counts count_contacts(const inference *f, const group_pair *pairs, size_t begin, size_t end, const tn_pose *frame)
{
    pair_counts n = { 0 };
    double axis[3], normal[3];
    static const double z[3] = { 0, 0, 1 };
    tn_quat_rotate(axis, frame->q, z);
    for (size_t i = begin; i < end; i++) {
        const contact *c = &f->contacts[pairs[i].contact];
        n.cylinders += strcmp(c->type, "cylindrical") == 0;
        n.balls += strcmp(c->type, "spherical") == 0;
        if (strcmp(c->type, "planar") != 0)
            continue;
        n.planes++;
        tn_quat_rotate(normal, c->frame.q, z);
        bool same = (f->group[c->a] == pairs[i].a) == (tn_dot3(normal, axis) > 0);
        if (is_parallel(normal, axis)) {
            n.up = n.up || same;
            n.down = n.down || !same;
        }
    }
    return n;
}

static double confidence_of(const char *type, const pair_counts *n)
{
    if (strcmp(type, "revolute") == 0)
        return n->balls > 0 ? 0.6 : n->up && n->down ? 0.9 : 0.75;
    if (strcmp(type, "cylindrical") == 0)
        return 0.6;
    if (strcmp(type, "spherical") == 0)
        return 0.9;
    if (strcmp(type, "prismatic") == 0)
        return n->planes >= 3 ? 0.8 : 0.6;
    if (strcmp(type, "fixed") == 0)
        return n->cylinders >= 2 || n->planes >= 3 ? 0.75 : 0.6;
    return 0.3;
}

static void name_pair(inference *f, const group_pair *pairs, size_t begin, size_t end)
{
    tn_twist_space space;
    double origin[3] = { 0 };
    tn_pose frame;
    for (size_t i = begin; i < end; i++)
        tn_axpy3(origin, 1.0 / (double)(end - begin), f->contacts[pairs[i].contact].frame.p);
    tn_twist_begin(&space, origin);
    for (size_t i = begin; i < end; i++) {
        const contact *c = &f->contacts[pairs[i].contact];
        tn_twist_add(&space, c->type, &c->frame, &c->frame);
    }
    tn_twist_solve(&space);
    const char *type = tn_twist_name(&space, &frame);
    const contact *first = &f->contacts[pairs[begin].contact];
    if (!type || strcmp(type, "free") == 0)
        return;
    pair_counts n = count_contacts(f, pairs, begin, end, &frame);
    tn_machine_joint *joint = propose(f, first->a, first->b, type, &frame, confidence_of(type, &n),
            tn_machine_text(f->machine, "%d shaft%s in holes, %d plane%s, %d ball%s", n.cylinders, n.cylinders == 1 ? "" : "s",
                            n.planes, n.planes == 1 ? "" : "s", n.balls, n.balls == 1 ? "" : "s"));
    const contact **list = tn_arena_alloc(f->machine->arena, end - begin, sizeof *list);
    for (size_t i = begin; list && i < end; i++)
        list[i - begin] = &f->contacts[pairs[i].contact];
    if (list)
        show_contacts(f, joint, list, end - begin);
}

static int name_pairs(inference *f)
{
    group_pair *pairs = tn_arena_alloc(f->machine->arena, f->contact_count + 1, sizeof *pairs);
    size_t count = 0;
    if (!pairs)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < (int)f->body_count; b++)
        f->group[b] = group_of(f, b);
    for (size_t i = 0; i < f->contact_count; i++) {
        int a = group_of(f, f->contacts[i].a), b = group_of(f, f->contacts[i].b);
        if (a != b)
            pairs[count++] = (group_pair){ a < b ? a : b, a < b ? b : a, i };
    }
    if (count > 0)
        qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && pairs[end].a == pairs[begin].a && pairs[end].b == pairs[begin].b; )
            end++;
        name_pair(f, pairs, begin, end);
    }
    return tn_machine_status(f->machine);
}

int tn_cad_infer(tn_machine *machine, const tn_cad_body *bodies, size_t count)
{
    inference f = { .machine = machine, .body_count = count };
    f.bodies = tn_arena_alloc(machine->arena, count + 1, sizeof *f.bodies);
    f.group = tn_arena_alloc(machine->arena, count + 1, sizeof *f.group);
    if (!f.bodies || !f.group)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        if (!take_body(&f, &f.bodies[i], &bodies[i]))
            return TN_ERROR_MEMORY;
        f.group[i] = (int)i;
        for (size_t k = 0; k < i; k++)
            if (bodies[k].group == bodies[i].group) {
                f.group[i] = (int)k;
                break;
            }
    }
    for (int a = 0; a < (int)count; a++)
        for (int b = a + 1; b < (int)count; b++)
            if (group_of(&f, a) != group_of(&f, b))
                find_contacts(&f, a, b);
    fix_fasteners(&f);
    fix_pins(&f);
    return name_pairs(&f);
}
