/* The mechanism of an imported machine: mechanism.yaml, and one file for each sub-assembly that moves in itself. */
#include "writer.h"

#include "entities.h"
#include "vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A file in the making. Everything in it is seen from the part. */
typedef struct part_file {
    tn_machine *machine;
    int part;                  /* -1: the mechanism as a whole */
    tn_text text;
    bool rotors;
} part_file;

static tn_pose part_pose(const tn_machine *machine, int part)
{
    return part < 0 ? tn_pose_identity() : machine->parts[part].pose;
}

/* A pose of the world as seen from the part. */
static tn_pose seen(const part_file *file, const tn_pose *pose)
{
    if (file->part < 0)
        return *pose;
    tn_pose frame = part_pose(file->machine, file->part);
    return tn_pose_relative(&frame, pose);
}

static void write_shape(part_file *file, const tn_machine_shape *shape, const tn_pose *in)
{
    static const char *const kinds[] = { [TN_SHAPE_BOX] = "box", [TN_SHAPE_CYLINDER] = "cylinder",
        [TN_SHAPE_SPHERE] = "sphere", [TN_SHAPE_ROD] = "rod", [TN_SHAPE_CAPSULE] = "capsule", [TN_SHAPE_MESH] = "mesh",
        [TN_SHAPE_HALF_SPACE] = "half_space", [TN_SHAPE_ELLIPSOID] = "ellipsoid", [TN_SHAPE_CONE] = "cone" };
    tn_text *text = &file->text;
    tn_pose pose = tn_pose_compose(in, &shape->pose);
    if (shape->kind == TN_SHAPE_MESH && !shape->mesh_name)
        return;
    tn_text_add(text, "      - { %s: { ", kinds[shape->kind]);
    if (shape->kind == TN_SHAPE_MESH) {
        tn_text_add(text, "file: %s%s", shape->mesh_name, file->machine->options->contacts && shape->collision ? ", touch: hull" : "");
        tn_yaml_pose(text, "at", &pose, false);
    } else if (shape->kind == TN_SHAPE_BOX) {
        tn_text_add(text, "size: ");
        tn_yaml_vector(text, shape->size, 3);
        tn_yaml_pose(text, "at", &pose, false);
    } else if (shape->kind == TN_SHAPE_ELLIPSOID) {
        tn_text_add(text, "half_axes: ");
        tn_yaml_vector(text, shape->size, 3);
        tn_yaml_pose(text, "at", &pose, false);
    } else if (shape->kind == TN_SHAPE_SPHERE) {
        tn_text_add(text, "radius: ");
        tn_yaml_number(text, shape->size[0]);
        tn_text_add(text, ", at: ");
        tn_yaml_vector(text, pose.p, 3);
    } else {
        static const double z[3] = { 0, 0, 1 };
        double axis[3];
        tn_quat_rotate(axis, pose.q, z);
        if (shape->kind == TN_SHAPE_HALF_SPACE) {
            tn_text_add(text, "normal: ");
        } else {
            tn_text_add(text, "radius: ");
            tn_yaml_number(text, shape->size[0]);
            tn_text_add(text, ", length: ");
            tn_yaml_number(text, shape->size[1]);
            tn_text_add(text, ", axis: ");
        }
        tn_yaml_vector(text, axis, 3);
        tn_text_add(text, ", at: ");
        tn_yaml_vector(text, pose.p, 3);
    }
    tn_text_add(text, " } }\n");
}

/* Whether a body, or one that is part of it, has something to show. */
static bool has_shapes(const tn_machine *machine, int body)
{
    for (size_t i = 0; i < machine->body_count; i++)
        if (machine->bodies[i].into == body)
            for (size_t k = 0; k < machine->bodies[i].shape_count; k++)
                if (machine->bodies[i].shapes[k].kind != TN_SHAPE_MESH || machine->bodies[i].shapes[k].mesh_name)
                    return true;
    return false;
}

static void write_shapes(part_file *file, int body, const tn_pose *frame)
{
    const tn_machine *machine = file->machine;
    if (!has_shapes(machine, body))
        return;
    tn_text_add(&file->text, "    shapes:\n");
    for (size_t i = 0; i < machine->body_count; i++) {
        const tn_machine_body *b = &machine->bodies[i];
        if (b->into != body)
            continue;
        tn_pose in = frame ? tn_pose_compose(frame, &b->in) : b->in;
        for (size_t k = 0; k < b->shape_count; k++)
            write_shape(file, &b->shapes[k], &in);
    }
}

static void write_frames(part_file *file, const tn_machine_body *body)
{
    tn_text *text = &file->text;
    if (body->frame_count == 0)
        return;
    tn_text_add(text, "    frames:\n");
    for (size_t k = 0; k < body->frame_count; k++) {
        tn_text_add(text, "      %s: { ", body->frames[k].label);
        if (!tn_yaml_pose(text, "at", &body->frames[k].pose, true))
            tn_text_add(text, "at: [0, 0, 0]");
        tn_text_add(text, " }\n");
    }
}

static void write_body(part_file *file, int index)
{
    const tn_machine_body *body = &file->machine->bodies[index];
    tn_text *text = &file->text;
    tn_pose pose = seen(file, &body->pose);
    tn_text_add(text, "  %s:\n    mass: ", body->label);
    tn_yaml_number(text, body->mass);
    tn_text_add(text, "\n    com: ");
    tn_yaml_vector(text, body->com, 3);
    tn_text_add(text, "\n    inertia: ");
    bool diagonal = body->inertia[3] == 0 && body->inertia[4] == 0 && body->inertia[5] == 0;
    tn_yaml_vector(text, body->inertia, diagonal ? 3 : 6);
    if (body->lenient)
        tn_text_add(text, "\n    inertia_check: warn");
    tn_text_add(text, "\n    position: ");
    tn_yaml_vector(text, pose.p, 3);
    tn_text_add(text, "\n    rotation: { quaternion: ");
    tn_yaml_vector(text, pose.q, 4);
    tn_text_add(text, " }\n");
    if (body->moving) {
        tn_text_add(text, "    velocity: ");
        tn_yaml_vector(text, body->velocity, 3);
        tn_text_add(text, "\n    angular_velocity: ");
        tn_yaml_vector(text, body->angular_velocity, 3);
        tn_text_add(text, "\n    guess: yes\n");
    }
    write_shapes(file, index, NULL);
    write_frames(file, body);
}

static const char *rotor_name(const part_file *file, const tn_machine_joint *joint, const tn_machine_coordinate *c)
{
    bool only = joint->coordinate_count == 1;
    return tn_machine_text(file->machine, "%s%s%s_rotor", joint->label, only ? "" : "_", only ? "" : c->name);
}

static bool belongs(const part_file *file, const tn_machine_joint *joint)
{
    return !joint->merged && !joint->dropped && tn_joint_part(file->machine, joint) == file->part;
}

/* A rotor or slider in the world that moves as the coordinate does: kinetic energy J q'^2 / 2. */
static void write_rotor_bodies(part_file *file)
{
    for (size_t i = 0; i < file->machine->joint_count; i++) {
        const tn_machine_joint *joint = &file->machine->joints[i];
        for (size_t k = 0; k < joint->coordinate_count && belongs(file, joint); k++) {
            const tn_machine_coordinate *c = &joint->coordinates[k];
            if (!(c->armature > 0))
                continue;
            bool angle = strncmp(c->name, "angle", 5) == 0;
            tn_text_add(&file->text, "  %s: { type: %s: ", rotor_name(file, joint, c), angle ? "rotor, inertia" : "slider, mass");
            tn_yaml_number(&file->text, c->armature);
            tn_text_add(&file->text, " }   # rotor inertia (armature) of %s\n", joint->label);
            file->rotors = true;
        }
    }
}

static void write_bodies(part_file *file)
{
    const tn_machine *machine = file->machine;
    tn_text_add(&file->text, "bodies:\n");
    const tn_machine_body *ground = &machine->bodies[TN_GROUND];
    if (file->part < 0 && (has_shapes(machine, TN_GROUND) || ground->frame_count > 0)) {
        tn_text_add(&file->text, "  ground:\n");
        write_shapes(file, TN_GROUND, NULL);
        write_frames(file, ground);
    }
    size_t written = 0;
    for (size_t i = 1; i < machine->body_count; i++)
        if (machine->bodies[i].into == (int)i && machine->bodies[i].part == file->part) {
            write_body(file, (int)i);
            written++;
        }
    write_rotor_bodies(file);
    if (written == 0 && !file->rotors && (file->part >= 0 || !(has_shapes(machine, TN_GROUND) || ground->frame_count > 0)))
        tn_text_add(&file->text, "  {}\n");
}

static void write_end(part_file *file, int body, tn_pose frame)
{
    if (tn_machine_resolve(file->machine, body, &frame) == TN_GROUND)
        frame = seen(file, &frame);
    tn_text_add(&file->text, "{ ");
    if (!tn_yaml_pose(&file->text, "at", &frame, true))
        tn_text_add(&file->text, "at: [0, 0, 0]");
    tn_text_add(&file->text, " }");
}

static void write_between(part_file *file, int body1, int body2, const tn_pose *frame1, const tn_pose *frame2)
{
    tn_text_add(&file->text, "between: [%s, %s], ends: [", tn_body_reference(file->machine, file->part, body1),
                tn_body_reference(file->machine, file->part, body2));
    write_end(file, body1, *frame1);
    tn_text_add(&file->text, ", ");
    write_end(file, body2, *frame2);
    tn_text_add(&file->text, "]");
}

/* Angles of more than a turn are written with their unit: a reader might take bare numbers for degrees. */
static void write_limit(tn_text *text, const char *coordinate, double value)
{
    static const double turn = 6.283185307179586;
    if (isfinite(value))
        tn_yaml_number(text, value);
    else
        tn_text_add(text, "none");
    if (isfinite(value) && fabs(value) > turn && strncmp(coordinate, "angle", 5) == 0)
        tn_text_add(text, " rad");
}

static void write_limits(tn_text *text, const tn_machine_joint *joint)
{
    size_t written = 0;
    for (size_t k = 0; k < joint->coordinate_count; k++) {
        const tn_machine_coordinate *c = &joint->coordinates[k];
        if (!isfinite(c->low) && !isfinite(c->high))
            continue;
        tn_text_add(text, "%s%s: [", written++ == 0 ? ", limits: { " : ", ", c->name);
        write_limit(text, c->name, c->low);
        tn_text_add(text, ", ");
        write_limit(text, c->name, c->high);
        tn_text_add(text, "]");
    }
    if (written > 0)
        tn_text_add(text, " }");
}

static void write_joint(part_file *file, const tn_machine_joint *joint)
{
    tn_text *text = &file->text;
    tn_text_add(text, "  %s: { type: %s, ", joint->label, joint->type);
    write_between(file, joint->body1, joint->body2, &joint->frame1, &joint->frame2);
    write_limits(text, joint);
    for (size_t k = 0; k < joint->setting_count; k++) {
        tn_text_add(text, ", %s: ", joint->settings[k].name);
        tn_yaml_number(text, joint->settings[k].value);
    }
    tn_text_add(text, " }\n");
}

static void write_rotor_joints(part_file *file, const tn_machine_joint *joint)
{
    for (size_t k = 0; k < joint->coordinate_count; k++) {
        const tn_machine_coordinate *c = &joint->coordinates[k];
        const char *rotor = rotor_name(file, joint, c);
        if (!(c->armature > 0))
            continue;
        tn_text_add(&file->text, "  %s_gear: { type: coupler, terms: { %s.%s: 1, %s.%s: -1 } }\n", rotor, joint->label, c->name,
                    rotor, strncmp(c->name, "angle", 5) == 0 ? "angle" : "position");
    }
}

static void write_polynomial(part_file *file, const tn_machine_coupling *coupling)
{
    tn_text_add(&file->text, "  %s: { type: polynomial, joints: [", coupling->label);
    for (size_t k = 0; k < 2; k++)
        tn_text_add(&file->text, "%s%s.%s", k > 0 ? ", " : "", tn_joint_reference(file->machine, -1, coupling->terms[k].joint),
                    coupling->terms[k].coordinate);
    tn_text_add(&file->text, "]");
    for (int k = 0; k < 5; k++) {
        tn_text_add(&file->text, ", a%d: ", k);
        tn_yaml_number(&file->text, coupling->polynomial[k]);
    }
    tn_text_add(&file->text, " }\n");
}

static void write_coupling(part_file *file, const tn_machine_coupling *coupling)
{
    tn_text *text = &file->text;
    if (coupling->curved) {
        write_polynomial(file, coupling);
        return;
    }
    tn_text_add(text, "  %s: { type: coupler, terms: { ", coupling->label);
    for (size_t k = 0; k < coupling->term_count; k++) {
        tn_text_add(text, "%s%s.%s: ", k > 0 ? ", " : "", tn_joint_reference(file->machine, -1, coupling->terms[k].joint),
                    coupling->terms[k].coordinate);
        tn_yaml_number(text, coupling->terms[k].factor);
    }
    tn_text_add(text, " }");
    if (!isnan(coupling->offset)) {
        tn_text_add(text, ", offset: ");
        tn_yaml_number(text, coupling->offset);
    }
    tn_text_add(text, " }\n");
}

static bool coupling_counts(const tn_machine *machine, const tn_machine_coupling *coupling)
{
    for (size_t k = 0; k < coupling->term_count; k++) {
        const tn_machine_joint *joint = &machine->joints[coupling->terms[k].joint];
        if (joint->dropped || joint->merged)
            return false;
    }
    return coupling->term_count > 0;
}

static void write_joints(part_file *file)
{
    const tn_machine *machine = file->machine;
    size_t start = file->text.length;
    tn_text_add(&file->text, "joints:\n");
    size_t empty = file->text.length;
    for (size_t i = 0; i < machine->joint_count; i++)
        if (belongs(file, &machine->joints[i]))
            write_joint(file, &machine->joints[i]);
    for (size_t i = 0; file->rotors && i < machine->joint_count; i++)
        if (belongs(file, &machine->joints[i]))
            write_rotor_joints(file, &machine->joints[i]);
    for (size_t i = 0; file->part < 0 && i < machine->coupling_count; i++)
        if (coupling_counts(machine, &machine->couplings[i]))
            write_coupling(file, &machine->couplings[i]);
    if (file->text.length == empty)
        file->text.length = start;
}

/* Springs and dampers along coordinates. */
static void write_losses(part_file *file, const tn_machine_joint *joint)
{
    tn_text *text = &file->text;
    for (size_t k = 0; k < joint->coordinate_count; k++) {
        const tn_machine_coordinate *c = &joint->coordinates[k];
        if (c->damping != 0 || c->stiffness != 0) {
            const char *wish = tn_machine_text(file->machine, "%s_%s", joint->label,
                                               c->stiffness != 0 ? "spring" : "damper");
            tn_text_add(text, "  %s: { type: torsion-spring, joint: %s.%s",
                        tn_machine_label(file->machine, file->part, wish), joint->label, c->name);
            if (c->stiffness != 0) {
                tn_text_add(text, ", stiffness: ");
                tn_yaml_number(text, c->stiffness);
                tn_text_add(text, ", rest: ");
                tn_yaml_number(text, c->rest);
            }
            tn_text_add(text, ", damping: ");
            tn_yaml_number(text, c->damping);
            tn_text_add(text, " }\n");
        }
    }
}

/* Dry friction of a given size along coordinates: brakes, which slide and stick. */
static void write_brakes(part_file *file)
{
    tn_machine *machine = file->machine;
    size_t start = file->text.length;
    tn_text_add(&file->text, "devices:\n");
    size_t empty = file->text.length;
    for (size_t i = 0; file->part < 0 && i < machine->joint_count; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        for (size_t k = 0; k < joint->coordinate_count && !joint->merged && !joint->dropped; k++) {
            const tn_machine_coordinate *c = &joint->coordinates[k];
            bool angle = strncmp(c->name, "angle", 5) == 0, only = joint->coordinate_count == 1;
            if (!(c->friction > 0))
                continue;
            const char *wish = tn_machine_text(machine, "%s%s%s_friction", joint->label, only ? "" : "_",
                                               only ? "" : c->name);
            tn_text_add(&file->text, "  %s: { type: %s, %s: %s.%s, capacity: ", tn_machine_label(machine, -1, wish),
                        angle ? "clutch" : "slide-brake", angle ? "shaft" : "slide", tn_joint_reference(machine, -1, (int)i),
                        c->name);
            tn_yaml_number(&file->text, c->friction);
            tn_text_add(&file->text, " }\n");
        }
    }
    if (file->text.length == empty)
        file->text.length = start;
}

static void write_frame_reference(part_file *file, int body, int frame)
{
    const tn_machine_body *b = &file->machine->bodies[body], *into = &file->machine->bodies[b->into];
    int at = b->into == body ? frame : b->frames[frame].moved;
    tn_text_add(&file->text, "%s.%s", tn_body_reference(file->machine, -1, body), into->frames[at].label);
}

/* A value of a load, with the names of joints and frames in place of their numbers. */
static void write_load_value(part_file *file, const char *value)
{
    for (const char *at = value; *at; ) {
        size_t plain = strcspn(at, "\001\003");
        tn_text_add(&file->text, "%.*s", (int)plain, at);
        at += plain;
        if (!*at)
            return;
        char *end;
        long number = strtol(at + 1, &end, 10);
        if (*at == 1)
            tn_text_add(&file->text, "%s", tn_joint_reference(file->machine, -1, (int)number));
        else
            write_frame_reference(file, (int)number, (int)strtol(end + 1, &end, 10));
        at = *end ? end + 1 : end;
    }
}

static void write_load(part_file *file, const tn_machine_load *load)
{
    tn_text *text = &file->text;
    tn_text_add(text, "  %s: { ", load->label);
    if (load->type)
        tn_text_add(text, "type: %s, ", load->type);
    if (load->joint >= 0)
        tn_text_add(text, "joint: %s.%s", tn_joint_reference(file->machine, -1, load->joint), load->coordinate);
    else
        write_between(file, load->body1, load->body2, &load->frame1, &load->frame2);
    for (size_t k = 0; k < load->value_count; k++) {
        tn_text_add(text, ", %s: ", load->values[k].key);
        write_load_value(file, load->values[k].text);
    }
    tn_text_add(text, " }\n");
}

static bool load_counts(const tn_machine *machine, const tn_machine_load *load, bool drive)
{
    if ((load->type == NULL) != drive)
        return false;
    if (load->joint < 0)
        return machine->bodies[load->body1].into != machine->bodies[load->body2].into;
    return !(machine->joints[load->joint].dropped || machine->joints[load->joint].merged);
}

static void write_loads(part_file *file, bool drives)
{
    const tn_machine *machine = file->machine;
    size_t start = file->text.length;
    tn_text_add(&file->text, drives ? "drives:\n" : "forces:\n");
    size_t empty = file->text.length;
    for (size_t i = 0; !drives && i < machine->joint_count; i++)
        if (belongs(file, &machine->joints[i]))
            write_losses(file, &machine->joints[i]);
    for (size_t i = 0; file->part < 0 && i < machine->load_count; i++)
        if (load_counts(machine, &machine->loads[i], drives))
            write_load(file, &machine->loads[i]);
    if (file->text.length == empty)
        file->text.length = start;
}

static void write_starts(part_file *file)
{
    const tn_machine *machine = file->machine;
    size_t written = 0;
    for (size_t i = 0; i < machine->joint_count; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        bool open = false;
        for (size_t k = 0; k < joint->coordinate_count && belongs(file, joint); k++) {
            const tn_machine_coordinate *c = &joint->coordinates[k];
            if (isnan(c->start) && isnan(c->rate))
                continue;
            if (!open)
                tn_text_add(&file->text, "%s  %s: { ", written++ == 0 ? "initial:\n" : "", joint->label);
            if (!isnan(c->start)) {
                tn_text_add(&file->text, "%s%s: ", open ? ", " : "", c->name);
                tn_yaml_number(&file->text, c->start);
            }
            if (!isnan(c->rate)) {
                tn_text_add(&file->text, "%s%s_rate: ", open || !isnan(c->start) ? ", " : "", c->name);
                tn_yaml_number(&file->text, c->rate);
            }
            open = true;
        }
        if (open)
            tn_text_add(&file->text, "%s }\n", machine->coupling_count > 0 || joint->in_loop ? ", guess: yes" : "");
    }
}

/* The types that joints of the file use and Tenon does not have. */
static void write_joint_types(part_file *file)
{
    size_t written = 0;
    for (size_t t = 0; tn_extra_type(t).name; t++)
        for (size_t i = 0; i < file->machine->joint_count; i++)
            if (belongs(file, &file->machine->joints[i]) &&
                strcmp(file->machine->joints[i].type, tn_extra_type(t).name) == 0) {
                tn_text_add(&file->text, "%s  %s: { %s }\n", written++ == 0 ? "joint_types:\n" : "", tn_extra_type(t).name,
                            tn_extra_type(t).text);
                break;
            }
}

static const char *part_file_name(tn_machine *machine, int part)
{
    const char *name = machine->parts[part].label;
    for (int p = machine->parts[part].parent; p >= 0; p = machine->parts[p].parent)
        name = tn_machine_text(machine, "%s-%s", machine->parts[p].label, name);
    return tn_machine_text(machine, "part-%s.yaml", name);
}

static void write_subsystems(part_file *file)
{
    size_t written = 0;
    for (size_t i = 0; i < file->machine->part_count; i++) {
        const tn_machine_part *part = &file->machine->parts[i];
        if (part->parent != file->part)
            continue;
        tn_pose pose = seen(file, &part->pose);
        tn_text_add(&file->text, "%s  %s: { use: %s", written++ == 0 ? "subsystems:\n" : "", part->label,
                    part_file_name(file->machine, (int)i));
        tn_yaml_pose(&file->text, "at", &pose, false);
        tn_text_add(&file->text, " }\n");
    }
}

int tn_folder_put_text(tn_folder *folder, tn_text *text, const char *name)
{
    char *raw = NULL, *nice = NULL;
    tn_context *context = folder->machine->context;
    TN_TRY(tn_text_take(text, &raw));
    int code = tn_format_text(&nice, context, raw, strlen(raw), name);
    if (code >= 0)
        code = tn_folder_put(folder, name, nice, strlen(nice));
    tn_free(context, nice);
    tn_free(context, raw);
    return code;
}

/* Coordinates of the first joints and the energy. */
static void write_outputs(tn_text *text, tn_machine *machine)
{
    enum { SHOWN = 24 };
    size_t shown = 0;
    tn_text_add(text, "outputs: [%s", machine->outputs ? machine->outputs : "");
    for (size_t i = 0; i < machine->joint_count && shown < SHOWN; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        if (joint->merged || joint->dropped)
            continue;
        shown += joint->coordinate_count;
        for (size_t k = 0; k < joint->coordinate_count; k++)
            tn_text_add(text, "%s.%s, ", tn_joint_reference(machine, -1, (int)i), joint->coordinates[k].name);
    }
    tn_text_add(text, "energy.total]\n");
}

static int write_part(tn_folder *folder, int part)
{
    tn_machine *machine = folder->machine;
    part_file file = { .machine = machine, .part = part };
    tn_text_begin(&file.text, machine->context);
    tn_text_add(&file.text, "# Written by tenon import, and anew by every import: changes belong into model.yaml.\n\n");
    tn_text_add(&file.text, "tenon: 1\n");
    if (part < 0) {
        tn_text_add(&file.text, "gravity: ");
        tn_yaml_vector(&file.text, machine->gravity, 3);
        tn_text_add(&file.text, "\n");
    }
    write_bodies(&file);
    write_subsystems(&file);
    write_joint_types(&file);
    write_joints(&file);
    write_loads(&file, true);
    write_loads(&file, false);
    write_brakes(&file);
    write_starts(&file);
    if (part < 0)
        tn_write_contacts(&file.text, machine);
    if (part < 0 && machine->sections)
        tn_text_add(&file.text, "%s", machine->sections);
    if (part < 0)
        write_outputs(&file.text, machine);
    return tn_folder_put_text(folder, &file.text, part < 0 ? "mechanism.yaml" : part_file_name(machine, part));
}

int tn_write_model(tn_folder *folder)
{
    for (int part = -1; part < (int)folder->machine->part_count; part++)
        TN_TRY(write_part(folder, part));
    for (size_t k = 0; k < folder->machine->attachment_count; k++) {
        const tn_machine_attachment *a = &folder->machine->attachments[k];
        TN_TRY(tn_folder_put(folder, a->name, a->data, a->size));
    }
    TN_TRY(tn_write_main(folder));
    return tn_machine_status(folder->machine);
}
