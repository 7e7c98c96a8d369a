/* Builds the mechanisms of the benchmark from joint axes and lengths. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A link: uniform box of 1 m x 0.1 m x 0.1 m and 1 kg along x. */
static const double LINK_COM[3] = { 0.5, 0, 0 }, LINK_INERTIA[3] = { 0.01 / 6, 1.01 / 12, 1.01 / 12 };
static const double Y[3] = { 0, 1, 0 }, Z[3] = { 0, 0, 1 };

/* ---- vectors ---- */

static void cross(double r[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    r[0] = x;
    r[1] = y;
    r[2] = z;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double a[3])
{
    return sqrt(dot(a, a));
}

static void add(double r[3], const double a[3], const double b[3], double factor)
{
    for (int k = 0; k < 3; k++)
        r[k] = a[k] + factor * b[k];
}

/* Body axes to world. */
static void rotate(double r[3], const scene_motion *m, const double a[3])
{
    double b[3] = { a[0], a[1], a[2] };
    for (int k = 0; k < 3; k++)
        r[k] = dot(m->R[k], b);
}

static void rotate_back(double r[3], const scene_motion *m, const double a[3])
{
    double b[3] = { a[0], a[1], a[2] };
    for (int k = 0; k < 3; k++)
        r[k] = m->R[0][k] * b[0] + m->R[1][k] * b[1] + m->R[2][k] * b[2];
}

static void quat_multiply(double r[4], const double a[4], const double b[4])
{
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    double n = 1 / sqrt(w * w + x * x + y * y + z * z);
    r[0] = w * n;
    r[1] = x * n;
    r[2] = y * n;
    r[3] = z * n;
}

static void quat_matrix(double R[3][3], const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double m[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                       { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                       { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    memcpy(R, m, sizeof m);
}

static void quat_about(double q[4], const double axis[3], double angle)
{
    q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++)
        q[k + 1] = sin(angle / 2) * axis[k];
}

/* ---- the mechanisms ---- */

static void link_body(scene_body *b, int parent, double x, const double axis[3])
{
    *b = (scene_body){ .parent = parent, .at = { x, 0, 0 }, .mass = 1 };
    memcpy(b->com, LINK_COM, sizeof b->com);
    memcpy(b->inertia, LINK_INERTIA, sizeof b->inertia);
    memcpy(b->axis, axis, sizeof b->axis);
}

/* Bent and moving without pattern, but with sums along a chain that stay bounded. */
static void bend(scene_body *b, int i)
{
    b->angle = 0.6 * sin(1 + 2.3 * i);
    b->rate = 0.8 * cos(2 + 1.9 * i);
    if (b->joint != SCENE_BALL)
        return;
    double along[3] = { 0.3 * sin(1.3 * i), 0.6 * cos(0.7 * i), 1 }, n = 1 / sqrt(dot(along, along));
    for (int k = 0; k < 3; k++)
        b->axis[k] = along[k] * n;
    for (int k = 0; k < 3; k++)
        b->spin[k] = 0.5 * sin(k + (1.7 + 0.4 * k) * i);
}

static void chain(scene *s, scene_joint joint, int planar)
{
    for (int i = 0; i < s->count; i++) {
        link_body(&s->bodies[i], i - 1, i > 0, planar || i % 2 ? Z : Y);
        s->bodies[i].joint = joint;
        bend(&s->bodies[i], i);
    }
}

static void tree(scene *s)
{
    for (int i = 0; i < s->count; i++) {
        link_body(&s->bodies[i], i > 0 ? (i - 1) / 2 : SCENE_GROUND, i > 0, i % 2 ? Z : Y);
        bend(&s->bodies[i], i);
    }
}

/* A link on the ground that carries all the others at its end. */
static void star(scene *s)
{
    for (int i = 0; i < s->count; i++) {
        link_body(&s->bodies[i], i > 0 ? 0 : SCENE_GROUND, i > 0, i % 2 ? Z : Y);
        bend(&s->bodies[i], i);
    }
}

static void bar(scene_body *b, int parent, const double at[2], double x, double y, double mass)
{
    double across = mass * (x * x + y * y) / 12, along = 0.001 * mass;
    *b = (scene_body){ .parent = parent, .at = { at[0], at[1], 0 }, .axis = { 0, 0, 1 }, .mass = mass,
                       .com = { x / 2, y / 2, 0 } };
    b->inertia[0] = x != 0 ? along : across;
    b->inertia[1] = x != 0 ? across : along;
    b->inertia[2] = across;
}

/* N windows: cranks 0..N on the ground, then bars 1..N, each hanging on the crank to its left. */
static void ladder(scene *s, int n)
{
    static const double top[2] = { 0, 1 };
    for (int i = 0; i <= n; i++) {
        bar(&s->bodies[i], SCENE_GROUND, (double[2]){ i, 0 }, 0, 1, 1);
        s->bodies[i].rate = -1;
    }
    for (int i = 0; i < n; i++) {
        bar(&s->bodies[n + 1 + i], i, top, 1, 0, 1);
        s->bodies[n + 1 + i].rate = 1;
        s->loops[i] = (scene_loop){ n + 1 + i, i + 1, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    }
    s->until = 1;
    s->tracked = 0;
    s->tip[1] = 1;
}

/* Crank 0.2 m, coupler 0.5 m, rocker 0.4 m, pivots 0.5 m apart; crank at 60 degrees with 4 pi rad/s. */
static void four_bar(scene *s)
{
    const double a = 0.2, b = 0.5, c = 0.4, d = 0.5, theta = acos(-1.0) / 3, rate = 4 * acos(-1.0);
    double x = a * cos(theta), y = a * sin(theta), dx = d - x, dy = -y, r2 = dx * dx + dy * dy, r = sqrt(r2);
    double base = atan2(dy, dx), phi = base + acos((b * b + r2 - c * c) / (2 * b * r));
    double ex = x + b * cos(phi), ey = y + b * sin(phi), psi = atan2(ey, ex - d);
    double dphi = a * rate * sin(psi - theta) / (b * sin(phi - psi));
    double dpsi = a * rate * sin(phi - theta) / (c * sin(phi - psi));
    bar(&s->bodies[0], SCENE_GROUND, (double[2]){ 0, 0 }, a, 0, 0.4);
    bar(&s->bodies[1], 0, (double[2]){ a, 0 }, b, 0, 1);
    bar(&s->bodies[2], SCENE_GROUND, (double[2]){ d, 0 }, c, 0, 0.8);
    s->bodies[0].angle = theta;
    s->bodies[0].rate = rate;
    s->bodies[1].angle = phi - theta;
    s->bodies[1].rate = dphi - rate;
    s->bodies[2].angle = psi;
    s->bodies[2].rate = dpsi;
    s->loops[0] = (scene_loop){ 1, 2, { b, 0, 0 }, { c, 0, 0 }, { 0, 0, 1 } };
    s->until = 10;
    s->tracked = 1;
    s->tip[0] = b;
}

/* Two slender rods released from the horizontal. */
static void pendulum(scene *s)
{
    bar(&s->bodies[0], SCENE_GROUND, (double[2]){ 0, 0 }, 1, 0, 1);
    bar(&s->bodies[1], 0, (double[2]){ 1, 0 }, 1, 0, 1);
    s->until = 5;
    s->tracked = 1;
    s->tip[0] = 1;
}

static int fill(scene *s, const char *name, int n)
{
    if (strcmp(name, "chain") == 0)
        chain(s, SCENE_HINGE, 0);
    else if (strcmp(name, "ball") == 0)
        chain(s, SCENE_BALL, 0);
    else if (strncmp(name, "planar", 6) == 0)
        chain(s, SCENE_HINGE, 1);
    else if (strcmp(name, "tree") == 0)
        tree(s);
    else if (strcmp(name, "star") == 0)
        star(s);
    else if (strncmp(name, "ladder", 6) == 0)
        ladder(s, n);
    else if (strncmp(name, "four-bar", 8) == 0)
        four_bar(s);
    else if (strncmp(name, "pendulum", 8) == 0)
        pendulum(s);
    else
        return 0;
    return 1;
}

/* ---- where the bodies start ---- */

static void place(scene *s, scene_body *b)
{
    static const scene_body ground = { .q = { 1, 0, 0, 0 }, .start.R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    const scene_body *parent = b->parent < 0 ? &ground : &s->bodies[b->parent];
    scene_motion *m = &b->start;
    double arm[3], turn[3], spin[3], origin_velocity[3], parent_arm[3];
    quat_about(b->turn, b->axis, b->angle);
    if (b->joint == SCENE_HINGE)
        for (int k = 0; k < 3; k++)
            b->spin[k] = b->rate * b->axis[k];
    quat_multiply(b->q, parent->q, b->turn);
    quat_matrix(m->R, b->q);
    rotate(arm, &parent->start, b->at);
    add(b->p, parent->p, arm, 1);
    rotate(spin, m, b->spin);
    add(m->w, parent->start.w, spin, 1);
    add(parent_arm, b->p, parent->start.c, -1);
    cross(turn, parent->start.w, parent_arm);
    add(origin_velocity, parent->start.v, turn, 1);
    rotate(arm, m, b->com);
    add(m->c, b->p, arm, 1);
    cross(turn, m->w, arm);
    add(m->v, origin_velocity, turn, 1);
}

int scene_create(scene *out, const char *name, int n)
{
    int ladder_like = strncmp(name, "ladder", 6) == 0, bar_like = strncmp(name, "four-bar", 8) == 0;
    size_t length = strlen(name);
    int in_space = length > 3 && strcmp(name + length - 3, "-3d") == 0;
    *out = (scene){ .gravity = { 0, -9.81, 0 } };
    out->count = ladder_like ? 2 * n + 1 : bar_like ? 3 : strncmp(name, "pendulum", 8) == 0 ? 2 : n;
    out->loop_count = ladder_like ? n : bar_like;
    int in_plane = ladder_like || bar_like || strcmp(name, "planar") == 0 || strcmp(name, "pendulum") == 0;
    out->dimension = in_plane && !in_space ? 2 : 3;
    out->bodies = calloc((size_t)out->count + 1, sizeof *out->bodies);
    out->loops = calloc((size_t)out->loop_count + 1, sizeof *out->loops);
    if (n < 1 || !out->bodies || !out->loops || !fill(out, name, n)) {
        scene_destroy(out);
        return 0;
    }
    for (int i = 0; i < out->count; i++)
        place(out, &out->bodies[i]);
    return 1;
}

void scene_destroy(scene *s)
{
    free(s->bodies);
    free(s->loops);
    *s = (scene){ 0 };
}

/* ---- accelerations ---- */

/* Acceleration of the point p of a body that moves with m and has accelerations a. */
static void point_acceleration(const scene_motion *m, const double *a, const double p[3], double out[3])
{
    double arm[3], part[3];
    add(arm, p, m->c, -1);
    cross(part, a + 3, arm);
    add(out, a, part, 1);
    cross(part, m->w, arm);
    cross(part, m->w, part);
    add(out, out, part, 1);
}

void scene_accelerations(const scene *s, const double *joint, double *a)
{
    static const double nothing[6];
    int next = 0;
    for (int i = 0; i < s->count; i++) {
        const scene_body *b = &s->bodies[i], *parent = b->parent < 0 ? NULL : &s->bodies[b->parent];
        const scene_motion *m = &b->start;
        const double *above = parent ? a + 6 * b->parent : nothing;
        double own[3], spin[3], arm[3], part[3], linear[3] = { 0 };
        for (int k = 0; k < 3; k++)
            own[k] = b->joint == SCENE_HINGE ? joint[next] * b->axis[k] : joint[next + k];
        next += b->joint == SCENE_HINGE ? 1 : 3;
        rotate(own, m, own);
        add(spin, m->w, parent ? parent->start.w : nothing, -1);
        cross(part, m->w, spin);                          /* of the axes of spin, which turn with the body */
        add(own, own, part, 1);
        add(a + 6 * i + 3, above + 3, own, 1);
        if (parent)
            point_acceleration(&parent->start, above, b->p, linear);
        add(arm, m->c, b->p, -1);
        cross(part, a + 6 * i + 3, arm);
        add(linear, linear, part, 1);
        cross(part, m->w, arm);
        cross(part, m->w, part);
        add(a + 6 * i, linear, part, 1);
    }
}

/* Force on the body and moment about its centre of mass that its acceleration needs beyond gravity; world. */
static void needed(const scene *s, int i, const double *a, double force[3], double moment[3])
{
    const scene_body *b = &s->bodies[i];
    const scene_motion *m = &b->start;
    double w[3], alpha[3], spin[3], part[3];
    for (int k = 0; k < 3; k++)
        force[k] = b->mass * (a[6 * i + k] - s->gravity[k]);
    rotate_back(w, m, m->w);
    rotate_back(alpha, m, a + 6 * i + 3);
    for (int k = 0; k < 3; k++)
        spin[k] = b->inertia[k] * w[k];
    cross(part, w, spin);
    for (int k = 0; k < 3; k++)
        moment[k] = b->inertia[k] * alpha[k] + part[k];
    rotate(moment, m, moment);
}

/* Passes what joint i carries on to the parent; returns the moment along its freedoms, which nothing applies. */
static double joint_moment(const scene *s, int i, double (*load)[6], double *largest)
{
    const scene_body *b = &s->bodies[i];
    double arm[3], part[3], at_joint[3], axis[3];
    add(arm, b->start.c, b->p, -1);
    cross(part, arm, load[i]);
    add(at_joint, load[i] + 3, part, 1);
    *largest = fmax(*largest, length(at_joint) + length(load[i]));
    if (b->parent >= 0) {
        double *above = load[b->parent];
        add(arm, b->p, s->bodies[b->parent].start.c, -1);
        cross(part, arm, load[i]);
        add(above, above, load[i], 1);
        add(above + 3, above + 3, at_joint, 1);
        add(above + 3, above + 3, part, 1);
    }
    rotate(axis, &b->start, b->axis);
    return b->joint == SCENE_BALL ? length(at_joint) : fabs(dot(at_joint, axis));
}

static double acceleration_gap(const scene *s, const double *a)
{
    double worst = 0, largest = 0;
    for (int i = 0; i < s->count; i++) {
        const scene_body *b = &s->bodies[i];
        double own[3], above[3] = { 0 };
        point_acceleration(&b->start, a + 6 * i, b->p, own);
        if (b->parent >= 0)
            point_acceleration(&s->bodies[b->parent].start, a + 6 * b->parent, b->p, above);
        add(above, above, own, -1);
        worst = length(above) <= worst ? worst : length(above);
        largest = fmax(largest, length(a + 6 * i));
    }
    return worst / largest;
}

scene_residual scene_check(const scene *s, const double *a)
{
    double (*load)[6] = calloc((size_t)s->count, sizeof *load);
    double largest = 0, power = 0, worst = 0, power_size = 0;
    if (!load)
        return (scene_residual){ NAN, NAN, NAN };
    for (int i = 0; i < s->count; i++) {
        const scene_motion *m = &s->bodies[i].start;
        needed(s, i, a, load[i], load[i] + 3);
        power += dot(load[i], m->v) + dot(load[i] + 3, m->w);
        power_size += length(load[i]) * length(m->v) + length(load[i] + 3) * length(m->w);
    }
    for (int i = s->count - 1; i >= 0; i--) {
        double left = joint_moment(s, i, load, &largest);
        worst = left <= worst ? worst : left;
    }
    free(load);
    return (scene_residual){ worst / largest, fabs(power) / power_size, acceleration_gap(s, a) };
}

/* ---- states ---- */

double scene_energy(const scene *s, const scene_motion *m)
{
    double energy = 0;
    for (int i = 0; i < s->count; i++) {
        const scene_body *b = &s->bodies[i];
        double w[3];
        rotate_back(w, &m[i], m[i].w);
        energy += b->mass * (dot(m[i].v, m[i].v) / 2 - dot(s->gravity, m[i].c));
        for (int k = 0; k < 3; k++)
            energy += b->inertia[k] * w[k] * w[k] / 2;
    }
    return energy;
}

static void point_of(const scene *s, const scene_motion *m, int body, const double at[3], double p[3])
{
    double arm[3];
    memcpy(p, at, 3 * sizeof *p);
    if (body < 0)
        return;
    add(arm, at, s->bodies[body].com, -1);
    rotate(arm, &m[body], arm);
    add(p, m[body].c, arm, 1);
}

static double axis_angle(const scene_motion *m, int body1, int body2, const double axis[3])
{
    double a1[3], a2[3], n[3];
    memcpy(a1, axis, sizeof a1);
    if (body1 >= 0)
        rotate(a1, &m[body1], axis);
    rotate(a2, &m[body2], axis);
    cross(n, a1, a2);
    return length(n);
}

static double gap_between(const scene *s, const scene_motion *m, int body1, int body2, const double at1[3],
                          const double at2[3], const double *axis)
{
    double p1[3], p2[3];
    point_of(s, m, body1, at1, p1);
    point_of(s, m, body2, at2, p2);
    add(p1, p1, p2, -1);
    double gap = length(p1), angle = axis ? axis_angle(m, body1, body2, axis) : 0;
    return angle > gap ? angle : gap;
}

double scene_gap(const scene *s, const scene_motion *m)
{
    static const double origin[3];
    double worst = 0;
    for (int i = 0; i < s->count; i++) {
        const scene_body *b = &s->bodies[i];
        double gap = gap_between(s, m, b->parent, i, b->at, origin, b->joint == SCENE_HINGE ? b->axis : NULL);
        worst = gap <= worst ? worst : gap;
    }
    for (int i = 0; i < s->loop_count; i++) {
        const scene_loop *l = &s->loops[i];
        double gap = gap_between(s, m, l->body1, l->body2, l->at1, l->at2, l->axis);
        worst = gap <= worst ? worst : gap;
    }
    return worst;
}

void scene_tip(const scene *s, const scene_motion *m, double tip[3])
{
    point_of(s, m, s->tracked, s->tip, tip);
}
