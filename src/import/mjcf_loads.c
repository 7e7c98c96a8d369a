/* Equality constraints, tendons and actuators of MJCF. Constraints are rigid here: solref and solimp have no counterpart. */
#include "mjcf_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <stdlib.h>

/* The joint of the file that an attribute names; NULL with an error. */
static mjcf_joint *joint_by_name(mjcf_reader *r, const tn_xml *e, const char *attribute)
{
    const char *name = tn_xml_get(e, attribute);
    int index = tn_index_find(r->joint_names, name);
    char hint[160];
    if (index >= 0)
        return &r->joints[index];
    MJCF_ERROR(r, e->place, "<%s>: there is no joint '%s'%s", e->name, name ? name : "",
               name ? tn_index_hint(r->joint_names, name, hint, sizeof hint) : "");
    return NULL;
}

/* The body and frame that body1 or site1 names. */
static bool end_by_name(mjcf_reader *r, const tn_xml *e, const char *body, const char *site, int *out, tn_pose *frame)
{
    const char *name = tn_xml_get(e, site);
    char hint[160];
    *frame = tn_pose_identity();
    if (name) {
        int index = tn_index_find(r->site_names, name);
        if (index < 0) {
            MJCF_ERROR(r, e->place, "<%s>: there is no site '%s'%s", e->name, name,
                       tn_index_hint(r->site_names, name, hint, sizeof hint));
            return false;
        }
        *out = r->sites[index].body;
        *frame = r->sites[index].pose;
        return true;
    }
    name = tn_xml_get(e, body);
    *out = !name || strcmp(name, "world") == 0 ? TN_GROUND : tn_index_find(r->body_names, name);
    if (*out >= 0)
        return true;
    MJCF_ERROR(r, e->place, "<%s>: there is no body '%s'%s", e->name, name,
               tn_index_hint(r->body_names, name, hint, sizeof hint));
    return false;
}

/* A place on body 1 as seen from body 2, in the pose of the file. */
static tn_pose seen_from(const tn_machine *machine, int body1, const tn_pose *frame, int body2)
{
    tn_pose world = tn_pose_compose(&machine->bodies[body1].pose, frame);
    return tn_pose_relative(&machine->bodies[body2].pose, &world);
}

static void read_connect(mjcf_reader *r, const tn_xml *e, bool weld)
{
    int body1, body2;
    tn_pose frame1, frame2;
    bool sites = tn_xml_get(e, "site1") != NULL;
    bool turns = !weld || tn_attribute_number(r->machine, e, "torquescale", 1) == 0;
    if (!end_by_name(r, e, "body1", "site1", &body1, &frame1) || !end_by_name(r, e, "body2", "site2", &body2, &frame2))
        return;
    if (!sites && !weld) {
        tn_attribute_numbers(r->machine, frame1.p, 3, e, "anchor");
        frame2 = seen_from(r->machine, body1, &frame1, body2);
    } else if (!sites) {               /* the anchor is a point of body 2; relpose says where body 1 holds that point */
        double relative[7] = { 0, 0, 0, 0, 0, 0, 0 };
        tn_attribute_numbers(r->machine, frame2.p, 3, e, "anchor");
        tn_attribute_numbers(r->machine, relative, 7, e, "relpose");
        if (relative[3] != 0 || relative[4] != 0 || relative[5] != 0 || relative[6] != 0) {
            memcpy(frame1.p, relative, sizeof frame1.p);
            memcpy(frame1.q, relative + 3, sizeof frame1.q);
            tn_quat_normalize(frame1.q);
        } else {
            frame1 = seen_from(r->machine, body2, &frame2, body1);
        }
    }
    const char *name = tn_xml_get(e, "name");
    int index = tn_machine_add_joint(r->machine, name ? name : tn_machine_text(r->machine, "%s_%zu", e->name,
                                                                               r->machine->joint_count),
                                     turns ? "spherical" : "fixed", body1, body2, e->place);
    if (tn_machine_status(r->machine) < 0)
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->source = weld ? "equality weld" : "equality connect";
    joint->keep = true;
    joint->frame1 = frame1;
    joint->frame2 = frame2;
}

/* With q = sign * machine + shift for both:  Y = sign1 (ref1 - shift1 + P(sign2 X + shift2 - ref2)), where P is not linear. */
static void curve_coupling(tn_machine_coupling *coupling, const double c[5], const mjcf_joint *y, const mjcf_joint *x)
{
    double p[5] = { 0 };
    for (int k = 4; k >= 0; k--) {             /* Horner: p = p (sign2 X + shift2 - ref2) + c[k] */
        for (int i = 4; i > 0; i--)
            p[i] = p[i] * (x->shift - x->ref) + p[i - 1] * x->sign;
        p[0] = p[0] * (x->shift - x->ref) + c[k];
    }
    p[0] += y->ref - y->shift;
    for (int k = 0; k < 5; k++)
        coupling->polynomial[k] = y->sign * p[k];
    coupling->curved = c[2] != 0 || c[3] != 0 || c[4] != 0;
}

/* y = ref1 + polycoef(x - ref2), of the file's coordinates, as a coupling of the machine's. */
static void read_joint_equality(mjcf_reader *r, const tn_xml *e)
{
    const mjcf_joint *y = joint_by_name(r, e, "joint1"), *x = NULL;
    double c[5] = { 0, 1, 0, 0, 0 };
    const char *text = tn_xml_get(e, "polycoef"), *name = tn_xml_get(e, "name");
    if (tn_xml_get(e, "joint2"))
        x = joint_by_name(r, e, "joint2");
    if (!y || (tn_xml_get(e, "joint2") && !x))
        return;
    if (text && tn_parse_numbers(c, 5, text) < 1)      /* numbers that are not given stay 0 1 0 0 0 */
        MJCF_ERROR(r, e->place, "<joint> polycoef '%.60s': expected one to five finite numbers", text);
    if (y->joint < 0 || !y->coordinate || (x && (x->joint < 0 || !x->coordinate))) {
        tn_machine_leave_out(r->machine, e->place, "equality of joints without a coordinate of their own");
        return;
    }
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, name ? name : "joint_equality", e->place);
    coupling->source = "equality joint";
    /* q = sign * machine + shift */
    coupling->offset = y->ref + c[0] - y->shift;
    tn_coupling_term_add(coupling, y->joint, y->coordinate, y->sign);
    if (x) {
        tn_coupling_term_add(coupling, x->joint, x->coordinate, -c[1] * x->sign);
        coupling->offset += c[1] * (x->shift - x->ref);
        curve_coupling(coupling, c, y, x);
    }
}

/* Terms of a tendon times a factor. */
static bool add_tendon_terms(mjcf_reader *r, tn_machine_coupling *coupling, const tn_xml *tendon, double factor)
{
    mjcf_term terms[MJCF_TENDON_TERMS];
    size_t count = tn_mjcf_tendon_terms(r, tendon, terms);
    for (size_t k = 0; k < count; k++) {
        if (coupling->term_count >= TN_MACHINE_TERMS)
            return false;
        tn_coupling_term_add(coupling, terms[k].joint.joint, terms[k].joint.coordinate,
                             factor * terms[k].coef * terms[k].joint.sign);
    }
    return count > 0;
}

static const tn_xml *tendon_by_name(const mjcf_reader *r, const char *name)
{
    int index = tn_index_find(r->tendon_names, name);
    return index >= 0 ? r->tendons[index] : NULL;
}

/* The length of a tendon, or of the difference of two, stays as it is in the pose of the file. */
static void read_tendon_equality(mjcf_reader *r, const tn_xml *e)
{
    const char *second = tn_xml_get(e, "tendon2"), *name = tn_xml_get(e, "name");
    const tn_xml *a = tendon_by_name(r, tn_xml_get(e, "tendon1")), *b = second ? tendon_by_name(r, second) : NULL;
    double c[5] = { 0, 1, 0, 0, 0 };
    const char *text = tn_xml_get(e, "polycoef");
    if (text)
        tn_parse_numbers(c, 5, text);
    if (!a || (second && !b) || c[0] != 0) {
        tn_machine_leave_out(r->machine, e->place, "equality of shifted tendons, or of tendons that are not there");
        return;
    }
    size_t before = r->machine->coupling_count;
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, name ? name : "tendon_equality", e->place);
    coupling->source = "equality tendon";
    if (!add_tendon_terms(r, coupling, a, 1) || (b && !add_tendon_terms(r, coupling, b, -c[1]))) {
        r->machine->coupling_count = before;
        tn_machine_leave_out(r->machine, e->place, "equality of tendons with too many or nameless joints");
    }
}

static void read_equalities(mjcf_reader *r)
{
    bool told = false;
    for (const tn_xml *list = tn_xml_child(r->root, "equality"); list; list = tn_xml_next(list, "equality"))
        for (const tn_xml *e = list->first; e; e = e->next) {
            if (!tn_attribute_bool(tn_mjcf_complete(r, e, NULL), "active", true)) {
                tn_machine_leave_out(r->machine, e->place, "equality that is not active");
                continue;
            }
            if (tn_xml_is(e, "connect") || tn_xml_is(e, "weld"))
                read_connect(r, e, tn_xml_is(e, "weld"));
            else if (tn_xml_is(e, "joint"))
                read_joint_equality(r, e);
            else if (tn_xml_is(e, "tendon"))
                read_tendon_equality(r, e);
            else
                tn_machine_leave_out(r->machine, e->place, "equality <%s>", e->name);
            if (!told)
                tn_machine_note_add(r->machine, TN_NOTE, e->place, "equality constraints are soft in MuJoCo (solref, solimp) "
                                    "and rigid here");
            told = true;
        }
}

/* ---- tendons ---- */

static void read_tendons(mjcf_reader *r)
{
    for (const tn_xml *list = tn_xml_child(r->root, "tendon"); list; list = tn_xml_next(list, "tendon"))
        for (const tn_xml *t = list->first; t; t = t->next) {
            const char *name = tn_xml_get(t, "name");
            const tn_xml *full = tn_mjcf_complete(r, t, NULL);
            if (name && tn_mjcf_grow(r, &r->tendons, &r->tendon_capacity, r->tendon_count, sizeof *r->tendons)) {
                tn_index_put(r->tendon_names, name, (int)r->tendon_count);
                r->tendons[r->tendon_count++] = t;
            }
            tn_mjcf_tendon_spring(r, t, full);
        }
}

/* ---- actuators ---- */

/* effort = gain * control + bias + by_length * length + by_rate * rate, along gear * q */
typedef struct actuator_law {
    double gain, bias, by_length, by_rate, gear;
    double ratio;              /* damping as a share of the critical one; 0: by_rate says it */
    bool bounded;
    double low, high;          /* of the effort, before the gear */
} actuator_law;

static bool read_law(mjcf_reader *r, const tn_xml *e, actuator_law *law)
{
    double gear[6] = { 1, 0, 0, 0, 0, 0 }, prm[10] = { 1, 0 }, range[2];
    const char *text = tn_xml_get(e, "gear"), *bias = tn_xml_get(e, "biastype"), *gain = tn_xml_get(e, "gaintype");
    if (text && tn_parse_numbers(gear, 6, text) < 1)
        MJCF_ERROR(r, e->place, "<%s> gear '%.60s': expected finite numbers", e->name, text);
    *law = (actuator_law){ .gain = 1, .gear = gear[0] };
    law->bounded = tn_mjcf_range(r, e, "forcelimited", "forcerange", range);
    law->low = range[0];
    law->high = range[1];
    if (tn_attribute_number(r->machine, e, "timeconst", 0) > 0)
        tn_machine_leave_out(r->machine, e->place, "activation dynamics of actuators (timeconst)");
    if (tn_xml_is(e, "position") || tn_xml_is(e, "velocity")) {
        double kp = tn_attribute_number(r->machine, e, "kp", 1), kv = tn_attribute_number(r->machine, e, "kv",
                                                                    tn_xml_is(e, "velocity") ? 1 : 0);
        law->gain = tn_xml_is(e, "velocity") ? kv : kp;
        law->by_length = tn_xml_is(e, "velocity") ? 0 : -kp;
        law->by_rate = -kv;
        law->ratio = tn_xml_is(e, "position") ? tn_attribute_number(r->machine, e, "dampratio", 0) : 0;
        return true;
    }
    if (tn_xml_is(e, "motor"))
        return true;
    if (tn_xml_is(e, "damper")) {
        law->gain = 0;
        return true;
    }
    if (!tn_xml_is(e, "general") || (gain && strcmp(gain, "fixed") != 0) ||
        (bias && strcmp(bias, "none") != 0 && strcmp(bias, "affine") != 0))
        return false;
    if (tn_xml_get(e, "gainprm"))
        tn_parse_numbers(prm, 10, tn_xml_get(e, "gainprm"));
    law->gain = prm[0];
    if (bias && strcmp(bias, "affine") == 0 && tn_xml_get(e, "biasprm")) {
        double b[10] = { 0 };
        tn_parse_numbers(b, 10, tn_xml_get(e, "biasprm"));
        law->bias = b[0];
        law->by_length = b[1];
        law->by_rate = b[2];
        if (b[2] > 0 && b[1] == -prm[0]) {     /* MuJoCo takes it for a dampratio */
            law->by_rate = 0;
            law->ratio = b[2];
        }
    }
    return true;
}

/* inheritrange: the share of the joint's range, about its middle, that the control has. */
static bool inherited_range(mjcf_reader *r, const tn_xml *e, const mjcf_joint *j, double range[2])
{
    double share = tn_attribute_number(r->machine, e, "inheritrange", 0);
    if (!(share > 0) || tn_xml_get(e, "ctrlrange") || !j || j->joint < 0 || !j->coordinate)
        return false;
    const tn_machine_coordinate *c = tn_joint_coordinate(&r->machine->joints[j->joint], j->coordinate);
    double a = j->sign * c->low + j->shift, b = j->sign * c->high + j->shift;
    range[0] = (a + b) / 2 - share * fabs(b - a) / 2;
    range[1] = (a + b) / 2 + share * fabs(b - a) / 2;
    return isfinite(a) && isfinite(b);
}

/* The control is 0, or the nearest value that its range allows. j: the joint it acts on; NULL: none. */
static double control_value(mjcf_reader *r, const tn_xml *e, const mjcf_joint *j)
{
    double range[2];
    if (!inherited_range(r, e, j, range) && !tn_mjcf_range(r, e, "ctrllimited", "ctrlrange", range))
        return 0;
    return range[0] > 0 ? range[0] : range[1] < 0 ? range[1] : 0;
}

/* Bounds of an actuator's effort by those of the joint that it acts on. */
static void bound_by_joint(mjcf_reader *r, const tn_xml *e, actuator_law *law, mjcf_joint *j, double factor)
{
    double low = fmin(j->efforts[0] / factor, j->efforts[1] / factor), high = fmax(j->efforts[0] / factor, j->efforts[1] / factor);
    if (j->efforts[0] == j->efforts[1])
        return;
    if (j->driven)
        tn_machine_leave_out(r->machine, e->place, "actuatorfrcrange of the sum of several actuators (each is bounded by itself)");
    law->low = law->bounded ? fmax(law->low, low) : low;
    law->high = law->bounded ? fmin(law->high, high) : high;
    law->bounded = true;
    j->driven = true;
}

/* The parent of every body by the joints of the tree; -1: none. */
static int *find_parents(mjcf_reader *r)
{
    int *parents = tn_arena_alloc(r->machine->arena, r->machine->body_count, sizeof *parents);
    if (!parents)
        return NULL;
    for (size_t b = 0; b < r->machine->body_count; b++)
        parents[b] = -1;
    for (size_t k = 0; k < r->machine->joint_count; k++) {
        const tn_machine_joint *joint = &r->machine->joints[k];
        if (parents[joint->body2] < 0 && !joint->keep && strcmp(joint->type, "strand") != 0)
            parents[joint->body2] = joint->body1;
    }
    return parents;
}

/* Mass or inertia along a joint of everything that hangs on it, in the pose of the file, and its armature. */
static double carried_inertia(mjcf_reader *r, const mjcf_joint *j)
{
    const tn_machine_joint *joint = &r->machine->joints[j->joint];
    const tn_pose *at = &r->machine->bodies[j->body].pose;
    double sum = 0, anchor[3], axis[3];
    if (!r->parents)
        r->parents = find_parents(r);
    for (size_t k = 0; k < joint->coordinate_count; k++)
        if (strcmp(joint->coordinates[k].name, j->coordinate) == 0)
            sum = joint->coordinates[k].armature;
    tn_quat_rotate(axis, at->q, j->axis);
    tn_quat_rotate(anchor, at->q, j->anchor);
    tn_add3(anchor, anchor, at->p);
    for (int b = 1; r->parents && b < (int)r->machine->body_count; b++) {
        const tn_machine_body *body = &r->machine->bodies[b];
        double u[3], c[3], arm[3], cross[3], back[4];
        int up = b;
        while (up > 0 && up != j->body)
            up = r->parents[up];
        if (up != j->body)
            continue;
        tn_quat_conj(back, body->pose.q);
        tn_quat_rotate(u, back, axis);
        tn_quat_rotate(c, body->pose.q, body->com);
        tn_add3(c, c, body->pose.p);
        tn_sub3(arm, c, anchor);
        tn_cross3(cross, axis, arm);
        const double *i = body->inertia;
        double own = i[0] * u[0] * u[0] + i[1] * u[1] * u[1] + i[2] * u[2] * u[2] + 2 * (i[3] * u[0] * u[1] + i[4] * u[0] * u[2] +
                                                                                        i[5] * u[1] * u[2]);
        sum += j->hinge ? own + body->mass * tn_dot3(cross, cross) : body->mass;
    }
    return sum;
}

/* Efforts that change along the way and are bounded in a way that no single number says. */
static bool wants_expression(const actuator_law *law)
{
    bool even = law->low == -law->high;
    return law->bounded && (law->by_length != 0 ? !even : law->by_rate != 0);
}

/* The force of an actuator along a joint whose coordinate enters its length with the factor. */
static void add_actuator(mjcf_reader *r, const tn_xml *e, const actuator_law *law, const mjcf_joint *j, double factor)
{
    const char *given = tn_xml_get(e, "name");
    const char *name = given ? given : tn_machine_text(r->machine, "%s_%zu", e->name, r->machine->load_count + 1);
    double control = control_value(r, e, j), g = factor * j->sign, constant = law->gain * control + law->bias;
    bool servo = law->by_length != 0;
    if (wants_expression(law)) {
        const mjcf_term term = { *j, factor };
        const mjcf_law whole = { constant, law->by_length, law->by_rate, true, law->low, law->high };
        tn_mjcf_effort(r, &term, 1, name, e->name, e->place, &whole);
        return;
    }
    tn_machine_load *load = tn_machine_add_load(r->machine, name, servo ? "pid" : law->by_rate != 0 ? "torsion-spring" : "motor",
                                                e->place);
    load->source = e->name;
    load->joint = j->joint;
    load->coordinate = j->coordinate;
    if (servo) {
        double length = -constant / law->by_length;        /* where the effort is zero; length = factor * q */
        double q = length / factor - j->shift;
        tn_load_value(r->machine, load, "target", "%.17g %s", j->sign * q, j->hinge ? "rad" : "m");
        tn_load_value(r->machine, load, "kp", "%.17g", -law->by_length * factor * factor);
        tn_load_value(r->machine, load, "kd", "%.17g", -law->by_rate * factor * factor);
    } else if (law->by_rate != 0) {
        tn_load_value(r->machine, load, "damping", "%.17g", -law->by_rate * factor * factor);
        tn_load_value(r->machine, load, "preload", "%.17g", -constant * g);
        return;
    } else {
        double effort = law->bounded ? fmin(fmax(constant, law->low), law->high) : constant;
        tn_load_value(r->machine, load, "value", "%.17g", effort * g);
    }
    if (law->bounded)
        tn_load_value(r->machine, load, "limit", "%.17g", fabs(factor) * fmax(fabs(law->low), fabs(law->high)));
}

/* A force and a torque on a body in the axes of a site, gear times the effort. False: it is none of a control alone. */
static bool add_thrust(mjcf_reader *r, const tn_xml *e, const actuator_law *law)
{
    const char *site = tn_xml_get(e, "site"), *given = tn_xml_get(e, "name");
    double gear[6] = { 1, 0, 0, 0, 0, 0 };
    int index = site ? tn_index_find(r->site_names, site) : -1;
    if (index < 0 || tn_xml_get(e, "refsite") || law->by_length != 0 || law->by_rate != 0 || law->ratio != 0)
        return false;
    if (tn_xml_get(e, "gear"))
        tn_parse_numbers(gear, 6, tn_xml_get(e, "gear"));
    const char *name = given ? given : tn_machine_text(r->machine, "%s_%zu", e->name, r->machine->load_count + 1);
    double effort = law->gain * control_value(r, e, NULL) + law->bias;
    if (law->bounded)
        effort = fmin(fmax(effort, law->low), law->high);
    for (int turning = 0; turning < 2; turning++) {
        const double *g = gear + 3 * turning;
        if (g[0] == 0 && g[1] == 0 && g[2] == 0)
            continue;
        bool both = turning && (gear[0] != 0 || gear[1] != 0 || gear[2] != 0);
        tn_machine_load *load = tn_machine_add_load(r->machine, both ? tn_machine_text(r->machine, "%s_torque", name) : name,
                                                    turning ? "follower-torque" : "follower-force", e->place);
        load->source = e->name;
        load->body1 = TN_GROUND;
        load->body2 = r->sites[index].body;
        load->frame2 = r->sites[index].pose;
        load->frame1 = tn_pose_compose(&r->machine->bodies[load->body2].pose, &load->frame2);
        const char *parts[3];
        for (int k = 0; k < 3; k++)
            parts[k] = g[k] != 0 ? tn_machine_text(r->machine, "\"%.17g * %.17g\"", g[k], effort) : "0";
        tn_load_value(r->machine, load, "value", "[%s, %s, %s]", parts[0], parts[1], parts[2]);
    }
    return true;
}

static void read_actuator(mjcf_reader *r, const tn_xml *element)
{
    const tn_xml *e = tn_mjcf_complete(r, element, NULL);
    const char *joint = tn_xml_get(e, "joint") ? "joint" : tn_xml_get(e, "jointinparent") ? "jointinparent" : NULL;
    const tn_xml *tendon = tn_xml_get(e, "tendon") ? tendon_by_name(r, tn_xml_get(e, "tendon")) : NULL;
    const char *dynamics = tn_xml_get(e, "dyntype");
    actuator_law law;
    bool known = read_law(r, e, &law);
    if (known && !joint && !tendon && add_thrust(r, e, &law))
        return;
    if ((!joint && !tendon) || !known) {
        tn_machine_leave_out(r->machine, e->place, "actuators <%s>%s", e->name, joint || tendon ? "" :
                             " on sites, bodies or cranks");
        return;
    }
    if (dynamics && strcmp(dynamics, "none") != 0)
        tn_machine_leave_out(r->machine, e->place, "activation dynamics of actuators (%s)", dynamics);
    if (joint) {
        mjcf_joint *j = joint_by_name(r, e, joint);
        if (j && j->joint >= 0 && j->coordinate && law.gear != 0) {
            bound_by_joint(r, e, &law, j, law.gear);
            if (law.ratio > 0)
                law.by_rate = -2 * law.ratio * sqrt(fmax(0, -law.by_length * carried_inertia(r, j))) / fabs(law.gear);
            add_actuator(r, e, &law, j, law.gear);
        }
        else if (j)
            tn_machine_leave_out(r->machine, e->place, "actuators of ball and free joints");
        return;
    }
    mjcf_term terms[MJCF_TENDON_TERMS];
    size_t count = tn_mjcf_tendon_terms(r, tendon, terms);
    if (law.ratio > 0)
        tn_machine_leave_out(r->machine, e->place, "dampratio of actuators of tendons");
    for (size_t k = 0; k < count; k++)
        if (terms[k].joint.efforts[0] != terms[k].joint.efforts[1])
            tn_machine_leave_out(r->machine, e->place, "actuatorfrcrange of joints that tendons move");
    if (count > 0 && (law.by_length != 0 || law.by_rate != 0)) {
        double g = law.gear;
        const mjcf_law whole = { g * (law.gain * control_value(r, e, NULL) + law.bias), g * g * law.by_length, g * g * law.by_rate,
                                 law.bounded, fmin(g * law.low, g * law.high), fmax(g * law.low, g * law.high) };
        const char *name = tn_xml_get(e, "name");
        tn_mjcf_effort(r, terms, count, name ? name : e->name, e->name, e->place, &whole);
        return;
    }
    for (size_t k = 0; k < count; k++)
        add_actuator(r, e, &law, &terms[k].joint, law.gear * terms[k].coef);
    if (count == 0)
        tn_machine_leave_out(r->machine, e->place, "actuators on tendons of ball joints, of more than 8 parts, or of sites that are "
                             "not there");
}

void tn_mjcf_loads(mjcf_reader *r)
{
    read_tendons(r);
    if (!r->no_equalities)
        read_equalities(r);
    for (const tn_xml *list = tn_xml_child(r->root, "actuator"); list; list = tn_xml_next(list, "actuator"))
        for (const tn_xml *e = list->first; e && !r->no_actuators; e = e->next)
            read_actuator(r, e);
    if (r->machine->load_count > 0)
        tn_machine_note_add(r->machine, TN_NOTE, tn_xml_child(r->root, "actuator")
                            ? tn_xml_child(r->root, "actuator")->place : r->root->place,
                            "controls of actuators are 0, or the nearest value their range allows; set 'value' or 'target' "
                            "of the forces");
}
