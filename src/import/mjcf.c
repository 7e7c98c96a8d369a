/* MJCF, the format of MuJoCo: bodies in bodies, with defaults by class, includes and compiler options. */
#include "mjcf_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"
#include "xml_text.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_INCLUDES = 200, MOST_JOINTS = 8, MOST_COPIES = 200000 };

bool tn_mjcf_grow(mjcf_reader *r, void *array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    size_t more = *capacity ? 2 * *capacity : 16;
    void *fresh = tn_arena_alloc(r->machine->arena, more, size), **place = array;
    if (!fresh) {
        r->machine->status = TN_ERROR_MEMORY;
        return false;
    }
    if (count > 0)
        memcpy(fresh, *place, count * size);
    *place = fresh;
    *capacity = more;
    return true;
}

/* ---- includes ---- */

typedef struct include_chain {
    const char *path;
    const struct include_chain *outer;
} include_chain;

/* Replaces <include file=""/> below the element by the content of the file. */
static int expand_includes(mjcf_reader *r, tn_xml *element, const include_chain *chain, int *count)
{
    for (tn_xml *child = element->first, *before = NULL; child; ) {
        if (!tn_xml_is(child, "include")) {
            TN_TRY(expand_includes(r, child, chain, count));
            before = child;
            child = child->next;
            continue;
        }
        const char *name = tn_xml_get(child, "file");
        const char *path = name ? tn_source_locate(r->files, NULL, name, child->place) : NULL;
        if (!path) {           /* often materials; tn_source_locate has told it */
            tn_machine_note_add(r->machine, TN_WARNING, child->place, "what the file '%s' would include is missing", name ? name
                                : "");
            before = child;
            child = child->next;
            continue;
        }
        for (const include_chain *c = chain; c; c = c->outer)
            if (strcmp(c->path, path) == 0)
                return tn_fail(r->machine->context, TN_ERROR_MODEL, child->place, "'%s' includes itself", name);
        if (++*count > MOST_INCLUDES)
            return tn_fail(r->machine->context, TN_ERROR_MODEL, child->place, "more than %d includes", MOST_INCLUDES);
        char *data = NULL;
        size_t size = 0;
        tn_xml *included = NULL;
        TN_TRY(tn_source_load(&data, &size, r->files, path, child->place));
        int code = tn_xml_parse(&included, r->machine->arena, r->machine->context, path, data, size);
        tn_free(r->machine->context, data);
        TN_TRY(code);
        include_chain here = { path, chain };
        TN_TRY(expand_includes(r, included, &here, count));
        tn_xml *next = child->next, *last = included->last;
        for (tn_xml *e = included->first; e; e = e->next)
            e->parent = element;
        if (last)
            last->next = next;
        tn_xml *start = included->first ? included->first : next;
        if (before)
            before->next = start;
        else
            element->first = start;
        if (!next)
            element->last = last ? last : before;
        before = last ? last : before;
        child = next;
    }
    return TN_OK;
}

/* ---- defaults ---- */

static void read_defaults(mjcf_reader *r, const tn_xml *element, const char *outer)
{
    const char *name = tn_xml_get(element, "class");
    if (!name)
        name = outer ? outer : "main";
    if (tn_mjcf_grow(r, &r->defaults, &r->default_capacity, r->default_count, sizeof *r->defaults)) {
        tn_index_put(r->classes, name, (int)r->default_count);
        r->defaults[r->default_count++] = element;
    }
    for (const tn_xml *child = tn_xml_child(element, "default"); child; child = tn_xml_next(child, "default"))
        read_defaults(r, child, name);
}

/* Takes over the attributes that are missing from what a <default> says about the tag. only: these and no others; NULL: all. */
static void complete_from(mjcf_reader *r, tn_xml *copy, const tn_xml *from, const char *tag, const char *const *only)
{
    for (const tn_xml *d = tn_xml_child(from, tag); d; d = tn_xml_next(d, tag))
        for (const tn_xml_attribute *a = d->attributes; a; a = a->next) {
            bool wanted = !only && strcmp(a->name, "class") != 0;
            for (const char *const *name = only; name && *name; name++)
                wanted = wanted || strcmp(a->name, *name) == 0;
            if (wanted && !tn_xml_get(copy, a->name))
                tn_xml_set(r->machine->arena, copy, a->name, a->value);
        }
}

/* All kinds of actuators share one default: what a <default> says about one of them counts for the others as far as they have it. */
static void complete_actuator(mjcf_reader *r, tn_xml *copy, const tn_xml *from)
{
    static const char *const kinds[] = { "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion" };
    static const char *const shared[] = { "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited", NULL };
    bool actuator = strcmp(copy->name, "general") == 0;
    for (size_t i = 0; i < TN_LENGTH(kinds); i++)
        actuator = actuator || strcmp(copy->name, kinds[i]) == 0;
    if (!actuator)
        return;
    complete_from(r, copy, from, "general", NULL);
    for (size_t i = 0; i < TN_LENGTH(kinds); i++)
        complete_from(r, copy, from, kinds[i], shared);
}

/* The <default> that counts after this one: the one around it; at the top, where several make one class, the one before it. */
static const tn_xml *next_default(const tn_xml *element)
{
    if (!element->parent || tn_xml_is(element->parent, "default"))
        return element->parent;
    const tn_xml *before = NULL;
    for (const tn_xml *e = tn_xml_child(element->parent, "default"); e && e != element; e = tn_xml_next(e, "default"))
        before = e;
    return before;
}

tn_xml *tn_mjcf_complete(mjcf_reader *r, const tn_xml *element, const char *childclass)
{
    static tn_xml dummy = { .name = "", .space = "", .text = "" };
    tn_xml *copy = tn_arena_alloc(r->machine->arena, 1, sizeof *copy);
    if (!copy)
        return &dummy;
    *copy = *element;
    copy->attributes = NULL;
    for (const tn_xml_attribute *a = element->attributes; a; a = a->next)
        tn_xml_set(r->machine->arena, copy, a->name, a->value);
    const char *name = tn_xml_get(element, "class");
    name = name ? name : childclass ? childclass : "main";
    int index = tn_index_find(r->classes, name);
    if (index < 0 && strcmp(name, "main") != 0) {
        char hint[160];
        MJCF_ERROR(r, element->place, "there is no default class '%s'%s", name,
                   tn_index_hint(r->classes, name, hint, sizeof hint));
    }
    const tn_xml *from = index >= 0 ? r->defaults[index] : NULL;
    if (!from || !tn_xml_is(from->parent, "default"))
        from = r->main_default;
    for (const tn_xml *d = from; d; d = next_default(d)) {
        complete_from(r, copy, d, element->name, NULL);
        complete_actuator(r, copy, d);
    }
    return copy;
}

/* ---- places ---- */

tn_pose tn_mjcf_pose_z(const double p[3], const double axis[3])
{
    double phi[3] = { -axis[1], axis[0], 0 }, length = tn_norm3(phi), angle = atan2(length, axis[2]);
    tn_pose pose = tn_pose_identity();
    tn_copy3(pose.p, p);
    for (int k = 0; k < 3; k++)
        phi[k] = length > 0 ? phi[k] / length * angle : k == 0 ? angle : 0;
    tn_quat_exp(pose.q, phi);
    return pose;
}

/* Orientation by whichever attribute is there; false: none. */
static bool read_orientation(mjcf_reader *r, const tn_xml *e, double q[4])
{
    double v[6], R[3][3];
    if (tn_xml_get(e, "quat")) {
        tn_attribute_numbers(r->machine, q, 4, e, "quat");
        if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0)) {
            MJCF_ERROR(r, e->place, "a quaternion of length zero");
            q[0] = 1;
        }
        tn_quat_normalize(q);
        return true;
    }
    if (tn_xml_get(e, "euler")) {
        memset(v, 0, sizeof v);
        tn_attribute_numbers(r->machine, v, 3, e, "euler");
        for (int k = 0; k < 3; k++)
            v[k] *= r->angle;
        tn_euler_quat(q, v, r->eulerseq);
        return true;
    }
    if (tn_xml_get(e, "axisangle")) {
        v[0] = 1, v[1] = v[2] = v[3] = 0;
        tn_attribute_numbers(r->machine, v, 4, e, "axisangle");
        double length = tn_norm3(v), phi[3];
        for (int k = 0; k < 3; k++)
            phi[k] = length > 0 ? v[k] / length * v[3] * r->angle : 0;
        tn_quat_exp(q, phi);
        return true;
    }
    if (tn_xml_get(e, "zaxis")) {
        static const double origin[3] = { 0, 0, 0 };
        v[0] = v[1] = 0, v[2] = 1;
        tn_attribute_numbers(r->machine, v, 3, e, "zaxis");
        if (tn_norm3(v) > 0)
            memcpy(q, tn_mjcf_pose_z(origin, v).q, 4 * sizeof *q);
        return true;
    }
    if (!tn_xml_get(e, "xyaxes"))
        return false;
    v[0] = v[4] = 1, v[1] = v[2] = v[3] = v[5] = 0;
    tn_attribute_numbers(r->machine, v, 6, e, "xyaxes");
    double x[3] = { v[0], v[1], v[2] }, y[3] = { v[3], v[4], v[5] }, z[3], length = tn_norm3(x);
    for (int k = 0; k < 3 && length > 0; k++)
        x[k] /= length;
    tn_axpy3(y, -tn_dot3(x, y), x);
    length = tn_norm3(y);
    for (int k = 0; k < 3 && length > 0; k++)
        y[k] /= length;
    tn_cross3(z, x, y);
    for (int k = 0; k < 3; k++)
        R[k][0] = x[k], R[k][1] = y[k], R[k][2] = z[k];
    if (tn_norm3(z) > 0.5)
        tn_quat_from_matrix(q, (const double (*)[3])R);
    return true;
}

tn_pose tn_mjcf_pose(mjcf_reader *r, const tn_xml *element)
{
    tn_pose pose = tn_pose_identity();
    tn_attribute_numbers(r->machine, pose.p, 3, element, "pos");
    read_orientation(r, element, pose.q);
    return pose;
}

bool tn_mjcf_range(mjcf_reader *r, const tn_xml *element, const char *flag, const char *range, double out[2])
{
    const char *word = tn_xml_get(element, flag), *text = tn_xml_get(element, range);
    bool on = word && strcmp(word, "auto") != 0 ? strcmp(word, "true") == 0 : text && r->autolimits;
    out[0] = out[1] = 0;
    tn_attribute_numbers(r->machine, out, 2, element, range);
    if (on && text && !(out[0] < out[1]) && (out[0] != 0 || out[1] != 0))
        tn_machine_note_add(r->machine, TN_WARNING, element->place, "<%s> %s '%.60s': the first number is not below the second: no bounds",
                            element->name, range, text);
    return on && out[0] < out[1];
}

/* ---- bodies ---- */

static bool wants_geom_mass(const mjcf_reader *r, const tn_xml *body)
{
    return r->from_geoms == 1 || (r->from_geoms == 2 && !tn_xml_child(body, "inertial"));
}

static void read_site(mjcf_reader *r, const tn_xml *site, int body, const tn_pose *in)
{
    const char *name = tn_xml_get(site, "name");
    tn_pose pose = tn_mjcf_pose(r, site);
    if (tn_xml_get(site, "fromto")) {
        double ends[6] = { 0 }, axis[3], centre[3];
        tn_attribute_numbers(r->machine, ends, 6, site, "fromto");
        for (int k = 0; k < 3; k++) {
            axis[k] = ends[k] - ends[k + 3];
            centre[k] = 0.5 * (ends[k] + ends[k + 3]);
        }
        if (tn_norm3(axis) > 0)
            pose = tn_mjcf_pose_z(centre, axis);
    }
    pose = tn_pose_compose(in, &pose);
    if (!name || !tn_mjcf_grow(r, &r->sites, &r->site_capacity, r->site_count, sizeof *r->sites))
        return;
    r->sites[r->site_count] = (mjcf_site){ body, pose };
    tn_index_put(r->site_names, name, (int)r->site_count++);
    tn_machine_add_frame(r->machine, body, name, &pose);
}

static void read_body(mjcf_reader *r, const tn_xml *element, int parent, const tn_pose *in, const char *childclass);
static void read_content(mjcf_reader *r, const tn_xml *element, int body, const tn_pose *in, const char *childclass,
                         bool geom_mass);

/* A copy of the tree below an element, with a text behind every name. */
static tn_xml *copy_renamed(mjcf_reader *r, const tn_xml *from, const char *suffix)
{
    tn_xml *copy = tn_arena_alloc(r->machine->arena, 1, sizeof *copy);
    if (!copy || ++r->copies > MOST_COPIES)
        return NULL;
    *copy = *from;
    copy->attributes = NULL;
    copy->first = copy->last = NULL;
    for (const tn_xml_attribute *a = from->attributes; a; a = a->next)
        tn_xml_set(r->machine->arena, copy, a->name, strcmp(a->name, "name") == 0
                   ? tn_machine_text(r->machine, "%s%s", a->value, suffix) : a->value);
    for (const tn_xml *e = from->first; e; e = e->next) {
        tn_xml *inner = copy_renamed(r, e, suffix);
        if (!inner)
            return NULL;
        tn_xml_append(copy, inner);
    }
    return copy;
}

/* <replicate count offset euler sep>: its content several times, each moved on from the one before. */
static void read_replicas(mjcf_reader *r, const tn_xml *element, int body, const tn_pose *in, const char *childclass,
                          bool geom_mass)
{
    double count = tn_attribute_number(r->machine, element, "count", 0);
    const char *separator = tn_xml_get(element, "sep");
    tn_pose step = tn_mjcf_pose(r, element), at = *in;
    tn_attribute_numbers(r->machine, step.p, 3, element, "offset");
    int digits = snprintf(NULL, 0, "%d", (int)fmin(count, MOST_COPIES) - 1);
    for (int i = 0; i < count && !r->failed; i++) {
        const tn_xml *copy = copy_renamed(r, element, tn_machine_text(r->machine, "%s%0*d", separator ? separator : "", digits,
                                                                      i));
        if (!copy) {
            MJCF_ERROR(r, element->place, "<replicate> makes more than %d elements", MOST_COPIES);
            return;
        }
        read_content(r, copy, body, &at, childclass, geom_mass);
        at = tn_pose_compose(&at, &step);
    }
}

/* Children of a body, or of a frame in it; in is the frame's place on the body. */
static void read_content(mjcf_reader *r, const tn_xml *element, int body, const tn_pose *in, const char *childclass,
                         bool geom_mass)
{
    for (const tn_xml *e = element->first; e; e = e->next) {
        const char *inner = tn_xml_get(e, "childclass");
        if (tn_xml_is(e, "geom"))
            tn_mjcf_geom(r, tn_mjcf_complete(r, e, childclass), body, in, geom_mass);
        else if (tn_xml_is(e, "site"))
            read_site(r, tn_mjcf_complete(r, e, childclass), body, in);
        else if (tn_xml_is(e, "body"))
            read_body(r, e, body, in, inner ? inner : childclass);
        else if (tn_xml_is(e, "frame")) {
            tn_pose pose = tn_mjcf_pose(r, e);
            pose = tn_pose_compose(in, &pose);
            read_content(r, e, body, &pose, inner ? inner : childclass, geom_mass);
        } else if (tn_xml_is(e, "inertial")) {
            if (r->from_geoms != 1)
                tn_mjcf_inertial(r, e, body, in);
        } else if (tn_xml_is(e, "replicate")) {
            read_replicas(r, e, body, in, childclass, geom_mass);
        } else if (tn_xml_is(e, "attach")) {
            const char *model = tn_xml_get(e, "model");
            tn_machine_note_add(r->machine, TN_WARNING, e->place, "<attach> of model '%s' is left out, with all its bodies: save the "
                                "compiled model in MuJoCo (mj_saveLastXML) and import that file", model ? model : "");
        } else if (!tn_xml_is(e, "joint") && !tn_xml_is(e, "freejoint")) {
            tn_machine_leave_out(r->machine, e->place, "<%s>", e->name);
        }
    }
}

/* Place and axis of a joint inside a frame, as seen from the body. */
static void move_joint(mjcf_reader *r, tn_xml *joint, const tn_pose *in)
{
    double at[3] = { 0 }, axis[3] = { 0, 0, 1 }, p[3], u[3];
    if (r->global && !tn_xml_get(joint, "pos")) {      /* at the body */
        tn_pose none = tn_pose_identity(), body = tn_pose_relative(in, &none);
        tn_copy3(at, body.p);
    }
    tn_attribute_numbers(r->machine, at, 3, joint, "pos");
    tn_attribute_numbers(r->machine, axis, 3, joint, "axis");
    tn_quat_rotate(p, in->q, at);
    tn_add3(p, p, in->p);
    tn_quat_rotate(u, in->q, axis);
    tn_xml_set(r->machine->arena, joint, "pos", tn_machine_text(r->machine, "%.17g %.17g %.17g", p[0], p[1], p[2]));
    tn_xml_set(r->machine->arena, joint, "axis", tn_machine_text(r->machine, "%.17g %.17g %.17g", u[0], u[1], u[2]));
}

/* Joints of a body in order, also those in frames inside it. in NULL: directly in the body. */
static size_t collect_joints(mjcf_reader *r, const tn_xml *element, tn_xml **list, size_t count, const char *childclass,
                             const tn_pose *in)
{
    for (const tn_xml *e = element->first; e; e = e->next)
        if (tn_xml_is(e, "joint") || tn_xml_is(e, "freejoint")) {
            if (count == MOST_JOINTS) {
                MJCF_ERROR(r, e->place, "more than %d joints in one body", MOST_JOINTS);
                return count;
            }
            list[count++] = tn_mjcf_complete(r, e, childclass);
            if (in)
                move_joint(r, list[count - 1], in);
        } else if (tn_xml_is(e, "frame")) {
            const char *inner = tn_xml_get(e, "childclass");
            tn_pose pose = tn_mjcf_pose(r, e);
            if (in)
                pose = tn_pose_compose(in, &pose);
            count = collect_joints(r, e, list, count, inner ? inner : childclass, &pose);
        }
    return count;
}

static void read_body(mjcf_reader *r, const tn_xml *element, int parent, const tn_pose *in, const char *childclass)
{
    const char *name = tn_xml_get(element, "name"), *own = tn_xml_get(element, "childclass");
    tn_machine *machine = r->machine;
    tn_xml *joints[MOST_JOINTS];
    childclass = own ? own : childclass;
    int body = tn_machine_add_body(machine, name ? name : tn_machine_text(machine, "body_%zu", machine->body_count),
                                   element->place);
    if (name && !tn_index_put(r->body_names, name, body))
        MJCF_ERROR(r, element->place, "body '%s' is there twice", name);
    if (tn_machine_status(machine) < 0)
        return;
    tn_pose pose = tn_mjcf_pose(r, element), inside = tn_pose_identity();
    if (r->global) {
        machine->bodies[body].pose = pose;
        inside = tn_pose_relative(&pose, &inside);
        pose = tn_pose_relative(&machine->bodies[parent].pose, &pose);
    } else {
        pose = tn_pose_compose(in, &pose);
        machine->bodies[body].pose = tn_pose_compose(&machine->bodies[parent].pose, &pose);
    }
    size_t count = collect_joints(r, element, joints, 0, childclass, r->global ? &inside : NULL);
    if (tn_attribute_bool(element, "mocap", false))
        tn_machine_note_add(machine, TN_NOTE, element->place, "the mocap body '%s' is fixed to ground", name ? name : "");
    machine->bodies[body].lift = tn_attribute_number(machine, element, "gravcomp", 0);
    tn_mjcf_joints(r, joints, count, parent, body, &pose);
    read_content(r, element, body, &inside, childclass, wants_geom_mass(r, element));
    tn_machine_body *b = &machine->bodies[body];
    if (b->mass > 0 && b->mass < r->bound_mass)
        b->mass = r->bound_mass;
    for (int k = 0; k < 3; k++)
        b->inertia[k] = fmax(b->inertia[k], r->bound_inertia);
}

/* ---- the file ---- */

static void read_compiler(mjcf_reader *r)
{
    r->angle = acos(-1.0) / 180;
    strcpy(r->eulerseq, "xyz");
    r->autolimits = true;
    r->from_geoms = 2;
    r->total_mass = -1;
    r->groups[1] = 5;
    for (const tn_xml *c = tn_xml_child(r->root, "compiler"); c; c = tn_xml_next(c, "compiler")) {
        const char *angle = tn_xml_get(c, "angle"), *sequence = tn_xml_get(c, "eulerseq");
        const char *geoms = tn_xml_get(c, "inertiafromgeom"), *folder = tn_xml_get(c, "meshdir");
        if (angle)
            r->angle = strcmp(angle, "radian") == 0 ? 1 : acos(-1.0) / 180;
        if (sequence && strlen(sequence) == 3 && strspn(sequence, "xyzXYZ") == 3)
            strcpy(r->eulerseq, sequence);
        else if (sequence)
            MJCF_ERROR(r, c->place, "eulerseq '%s' is not three of x, y, z, X, Y, Z", sequence);
        if (geoms)
            r->from_geoms = strcmp(geoms, "auto") == 0 ? 2 : strcmp(geoms, "true") == 0;
        if (tn_xml_get(c, "coordinate") && strcmp(tn_xml_get(c, "coordinate"), "global") == 0)
            r->global = true;
        r->autolimits = tn_attribute_bool(c, "autolimits", r->autolimits);
        double groups[2] = { r->groups[0], r->groups[1] };
        tn_attribute_numbers(r->machine, groups, 2, c, "inertiagrouprange");
        for (int k = 0; k < 2; k++)
            r->groups[k] = (int)fmin(fmax(groups[k], -1), 1000);
        r->bound_mass = tn_attribute_number(r->machine, c, "boundmass", r->bound_mass);
        r->bound_inertia = tn_attribute_number(r->machine, c, "boundinertia", r->bound_inertia);
        r->total_mass = tn_attribute_number(r->machine, c, "settotalmass", r->total_mass);
        if (!folder)
            folder = tn_xml_get(c, "assetdir");
        if (folder)
            r->mesh_folder = folder;
    }
}

/* Attributes of elements that have no counterpart in rigid dynamics, counted once each. */
static void count_left_out(mjcf_reader *r)
{
    static const char *const known[] = { "compiler", "option", "default", "worldbody", "asset", "equality", "tendon",
                                         "actuator", "visual", "statistic", "size", "custom" };
    for (const tn_xml *e = r->root->first; e; e = e->next) {
        bool fine = false;
        for (size_t i = 0; i < TN_LENGTH(known); i++)
            fine = fine || tn_xml_is(e, known[i]);
        for (const tn_xml *child = e->first; !fine && child; child = child->next)
            if (!tn_xml_is(child, "exclude"))
                tn_machine_leave_out(r->machine, child->place, "<%s> <%s>", e->name, child->name);
    }
}

static void scale_masses(mjcf_reader *r)
{
    double sum = 0;
    for (size_t i = 1; i < r->machine->body_count; i++)
        sum += r->machine->bodies[i].mass;
    for (size_t i = 1; r->total_mass > 0 && sum > 0 && i < r->machine->body_count; i++) {
        tn_machine_body *body = &r->machine->bodies[i];
        body->mass *= r->total_mass / sum;
        for (int k = 0; k < 6; k++)
            body->inertia[k] *= r->total_mass / sum;
    }
}

/* <flag gravity="disable"/> and others that change the motion. */
static void read_flags(mjcf_reader *r, const tn_xml *flag)
{
    for (const tn_xml_attribute *a = flag->attributes; a; a = a->next) {
        if (strcmp(a->value, "disable") != 0)
            continue;
        if (strcmp(a->name, "gravity") == 0)
            memset(r->machine->gravity, 0, sizeof r->machine->gravity);
        else if (strcmp(a->name, "limit") == 0)
            r->no_limits = true;
        else if (strcmp(a->name, "actuation") == 0)
            r->no_actuators = true;
        else if (strcmp(a->name, "equality") == 0)
            r->no_equalities = true;
        else if (strcmp(a->name, "constraint") == 0)
            r->no_equalities = r->no_limits = true;
        else if (strcmp(a->name, "contact") != 0 && strcmp(a->name, "warmstart") != 0 && strcmp(a->name, "eulerdamp") != 0 &&
                 strcmp(a->name, "island") != 0 && strcmp(a->name, "filterparent") != 0)
            tn_machine_leave_out(r->machine, flag->place, "<flag> %s=\"disable\"", a->name);
    }
}

static int read_model(mjcf_reader *r)
{
    tn_machine *machine = r->machine;
    tn_name_index **const indices[] = { &r->classes, &r->body_names, &r->joint_names, &r->mesh_names, &r->site_names,
                                        &r->tendon_names };
    for (size_t i = 0; i < TN_LENGTH(indices); i++)
        TN_TRY(tn_index_create(indices[i], machine));
    const char *name = tn_xml_get(r->root, "model");
    machine->name = name && name[0] ? name : "MuJoCo model";
    machine->gravity[2] = -9.81;
    for (const tn_xml *o = tn_xml_child(r->root, "option"); o; o = tn_xml_next(o, "option")) {
        tn_attribute_numbers(machine, machine->gravity, 3, o, "gravity");
        if (tn_attribute_number(machine, o, "density", 0) > 0 || tn_attribute_number(machine, o, "viscosity", 0) > 0)
            tn_machine_leave_out(machine, o->place, "density and viscosity of the medium");
        for (const tn_xml *flag = tn_xml_child(o, "flag"); flag; flag = tn_xml_next(flag, "flag"))
            read_flags(r, flag);
    }
    read_compiler(r);
    for (const tn_xml *d = tn_xml_child(r->root, "default"); d; d = tn_xml_next(d, "default")) {
        read_defaults(r, d, NULL);
        r->main_default = d;
    }
    tn_mjcf_meshes(r);
    tn_pose none = tn_pose_identity();
    for (const tn_xml *w = tn_xml_child(r->root, "worldbody"); w; w = tn_xml_next(w, "worldbody"))
        read_content(r, w, TN_GROUND, &none, tn_xml_get(w, "childclass"), false);
    if (machine->body_count == 1)
        return tn_fail(machine->context, TN_ERROR_MODEL, r->root->place, "the model has no bodies");
    scale_masses(r);
    tn_machine_lift(machine, "gravcomp");
    tn_mjcf_loads(r);
    tn_mjcf_excludes(r);
    count_left_out(r);
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static int read_mjcf(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    mjcf_reader r = { .machine = machine, .files = files };
    int includes = 0;
    TN_TRY(tn_xml_parse(&r.root, machine->arena, machine->context, files->main, data, size));
    if (tn_xml_is(r.root, "mujocoinclude"))
        return tn_fail(machine->context, TN_ERROR_MODEL, r.root->place, "this file is a part that others include: import the "
                       "file with <mujoco>");
    if (!tn_xml_is(r.root, "mujoco"))
        return tn_fail(machine->context, TN_ERROR_MODEL, r.root->place, "the root element is <%s>, not <mujoco>",
                       r.root->name);
    const char *slash = strrchr(files->main, '/');
    const char *own = tn_machine_text(machine, "%s/%s", files->folder, slash ? slash + 1 : files->main);
    include_chain chain = { own, NULL };
    TN_TRY(expand_includes(&r, r.root, &chain, &includes));
    return read_model(&r);
}

static bool is_mjcf(const char *data, size_t size)
{
    (void)size;
    return strstr(data, "<mujoco") != NULL;
}

const tn_importer tn_importer_mjcf = {
    .name = "mjcf",
    .endings = ".xml .mjcf",
    .doc = "MJCF (MuJoCo)",
    .recognises = is_mjcf,
    .read = read_mjcf,
};
