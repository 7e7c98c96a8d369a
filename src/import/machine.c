/* The neutral form of an imported machine: growing arrays, messages, mass properties. */
#include "machine.h"

#include "diag.h"
#include "names.h"
#include "vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes room for one more entry in an array of the arena. False: out of memory, and the array is unchanged. */
static bool machine_grow(tn_machine *machine, void *array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    size_t more = *capacity ? 2 * *capacity : 8;
    void *fresh = tn_arena_alloc(machine->arena, more, size);
    if (!fresh) {
        machine->status = TN_ERROR_MEMORY;
        return false;
    }
    void **place = array;
    if (count > 0)
        memcpy(fresh, *place, count * size);
    *place = fresh;
    *capacity = more;
    return true;
}

#define GROW(machine, array, count, capacity) \
    machine_grow(machine, &(array), &(capacity), count, sizeof *(array))

int tn_machine_create(tn_machine **out, tn_context *context, const tn_import_options *options)
{
    tn_arena *arena = tn_arena_create(context);
    tn_machine *machine = arena ? tn_arena_alloc(arena, 1, sizeof *machine) : NULL;
    if (!machine) {
        tn_arena_destroy(arena);
        return TN_ERROR_MEMORY;
    }
    machine->context = context;
    machine->arena = arena;
    machine->options = options;
    machine->name = "machine";
    machine->until = NAN;
    int ground = tn_machine_add_body(machine, "ground", TN_NOWHERE);
    if (machine->status < 0 || tn_names_create(&machine->names, context) < 0) {
        tn_machine_destroy(machine);
        return TN_ERROR_MEMORY;
    }
    machine->bodies[ground].weighed = true;
    *out = machine;
    return TN_OK;
}

void tn_machine_destroy(tn_machine *machine)
{
    if (!machine)
        return;
    tn_names_destroy(machine->names);
    tn_arena_destroy(machine->arena);
}

int tn_machine_status(const tn_machine *machine)
{
    return machine->status < 0 ? machine->status : tn_arena_status(machine->arena);
}

/* The text of any length, in the arena. */
static const char *format_text(tn_machine *machine, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = length >= 0 ? tn_arena_alloc(machine->arena, (size_t)length + 1, 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

const char *tn_machine_text(tn_machine *machine, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *text = format_text(machine, format, list);
    va_end(list);
    return text ? text : "";
}

int tn_machine_add_body(tn_machine *machine, const char *name, tn_span place)
{
    if (!GROW(machine, machine->bodies, machine->body_count, machine->body_capacity))
        return 0;
    int index = (int)machine->body_count++;
    tn_machine_body *body = &machine->bodies[index];
    memset(body, 0, sizeof *body);
    body->name = body->path = name;
    body->place = place;
    body->part = -1;
    body->pose = body->in = tn_pose_identity();
    body->mass_source = "none";
    body->into = index;
    return index;
}

int tn_machine_add_joint(tn_machine *machine, const char *name, const char *type, int body1, int body2, tn_span place)
{
    if (!GROW(machine, machine->joints, machine->joint_count, machine->joint_capacity))
        return 0;
    int index = (int)machine->joint_count++;
    tn_machine_joint *joint = &machine->joints[index];
    memset(joint, 0, sizeof *joint);
    joint->name = name;
    joint->type = joint->source = type;
    joint->place = place;
    joint->body1 = body1;
    joint->body2 = body2;
    joint->frame1 = joint->frame2 = tn_pose_identity();
    joint->confidence = 1;
    return index;
}

bool tn_joint_measures(const tn_machine_joint *joint)
{
    return strcmp(joint->type, "strand") == 0 || strcmp(joint->type, "free") == 0;
}

tn_machine_coordinate *tn_joint_coordinate(tn_machine_joint *joint, const char *name)
{
    for (size_t i = 0; i < joint->coordinate_count; i++)
        if (strcmp(joint->coordinates[i].name, name) == 0)
            return &joint->coordinates[i];
    size_t at = joint->coordinate_count < TN_MACHINE_COORDINATES ? joint->coordinate_count++
                                                                 : TN_MACHINE_COORDINATES - 1;
    joint->coordinates[at] = (tn_machine_coordinate){ .name = name, .low = -INFINITY, .high = INFINITY, .start = NAN,
                                                      .rate = NAN };
    return &joint->coordinates[at];
}

void tn_joint_setting(tn_machine_joint *joint, const char *name, double value)
{
    if (joint->setting_count < TN_MACHINE_SETTINGS)
        joint->settings[joint->setting_count++] = (tn_setting){ name, value };
}

tn_machine_coupling *tn_machine_add_coupling(tn_machine *machine, const char *name, tn_span place)
{
    static tn_machine_coupling dummy;
    if (!GROW(machine, machine->couplings, machine->coupling_count, machine->coupling_capacity))
        return &dummy;
    tn_machine_coupling *coupling = &machine->couplings[machine->coupling_count++];
    *coupling = (tn_machine_coupling){ .name = name, .source = "coupling", .place = place, .offset = NAN };
    return coupling;
}

void tn_coupling_term_add(tn_machine_coupling *coupling, int joint, const char *coordinate, double factor)
{
    if (coupling->term_count >= TN_MACHINE_TERMS)
        return;
    coupling->terms[coupling->term_count].joint = joint;
    coupling->terms[coupling->term_count].coordinate = coordinate;
    coupling->terms[coupling->term_count++].factor = factor;
}

tn_machine_load *tn_machine_add_load(tn_machine *machine, const char *name, const char *type, tn_span place)
{
    static tn_machine_load dummy;
    if (!GROW(machine, machine->loads, machine->load_count, machine->load_capacity))
        return &dummy;
    tn_machine_load *load = &machine->loads[machine->load_count++];
    *load = (tn_machine_load){ .name = name, .source = type ? type : "drive", .place = place, .type = type, .joint = -1,
                               .frame1 = tn_pose_identity(), .frame2 = tn_pose_identity() };
    return load;
}

void tn_load_value(tn_machine *machine, tn_machine_load *load, const char *key, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *text = format_text(machine, format, list);
    va_end(list);
    if (!text || load->value_count >= TN_LENGTH(load->values))
        return;
    load->values[load->value_count].key = key;
    load->values[load->value_count++].text = text;
}

int tn_machine_add_part(tn_machine *machine, const char *name, int parent, const tn_pose *pose)
{
    if (!GROW(machine, machine->parts, machine->part_count, machine->part_capacity))
        return -1;
    machine->parts[machine->part_count] = (tn_machine_part){ .name = name, .parent = parent, .pose = *pose };
    return (int)machine->part_count++;
}

void tn_machine_exclude(tn_machine *machine, int body1, int body2)
{
    if (GROW(machine, machine->exclusions, machine->exclusion_count, machine->exclusion_capacity))
        machine->exclusions[machine->exclusion_count++] = (tn_machine_exclusion){ body1, body2 };
}

bool tn_machine_add_assembly(tn_machine *machine, const char *path, const char *name, bool rigid)
{
    const char *decision = tn_machine_decision(machine, "assembly", path);
    if (decision && strcmp(decision, "rigid") != 0 && strcmp(decision, "flexible") != 0)
        (void)tn_fail(machine->context, machine->status = TN_ERROR_ARGUMENT, TN_NOWHERE, "sub-assembly '%s': '%s' is neither rigid "
                      "nor flexible", path, decision);
    if (decision)
        rigid = strcmp(decision, "rigid") == 0;
    if (GROW(machine, machine->assemblies, machine->assembly_count, machine->assembly_capacity))
        machine->assemblies[machine->assembly_count++] = (tn_machine_assembly){ path, name, rigid, decision != NULL, -1 };
    return rigid;
}

tn_machine_shape *tn_machine_add_shape(tn_machine *machine, int body, tn_shape_kind kind)
{
    static tn_machine_shape dummy;
    tn_machine_body *b = &machine->bodies[body];
    if (!GROW(machine, b->shapes, b->shape_count, b->shape_capacity))
        return &dummy;
    tn_machine_shape *shape = &b->shapes[b->shape_count++];
    *shape = (tn_machine_shape){ .kind = kind, .pose = tn_pose_identity(), .scale = { 1, 1, 1 }, .friction = NAN };
    return shape;
}

int tn_machine_add_frame(tn_machine *machine, int body, const char *name, const tn_pose *pose)
{
    tn_machine_body *b = &machine->bodies[body];
    if (!GROW(machine, b->frames, b->frame_count, b->frame_capacity))
        return 0;
    b->frames[b->frame_count] = (tn_machine_frame){ .name = name, .pose = *pose };
    return (int)b->frame_count++;
}

void tn_machine_add_series(tn_machine *machine, int body, int axis, const double *times, const double *values, size_t count)
{
    if (!GROW(machine, machine->series, machine->series_count, machine->series_capacity))
        return;
    machine->series[machine->series_count++] = (tn_machine_series){ body, axis, values };
    machine->times = times;
    machine->time_count = count;
}

void tn_machine_add_file(tn_machine *machine, const char *path)
{
    for (size_t i = 0; i < machine->file_count; i++)
        if (strcmp(machine->files[i], path) == 0)
            return;
    char *copy = tn_arena_strdup(machine->arena, path);
    if (copy && GROW(machine, machine->files, machine->file_count, machine->file_capacity))
        machine->files[machine->file_count++] = copy;
}

void tn_machine_attach(tn_machine *machine, const char *name, const char *data, size_t size)
{
    char *copy = tn_arena_alloc(machine->arena, size + 1, 1);
    if (!copy || !GROW(machine, machine->attachments, machine->attachment_count, machine->attachment_capacity))
        return;
    memcpy(copy, data, size);
    machine->attachments[machine->attachment_count++] = (tn_machine_attachment){ name, copy, size };
}

/* I += m (r.r 1 - r r') */
static void add_point(double inertia[6], double mass, const double r[3])
{
    inertia[0] += mass * (r[1] * r[1] + r[2] * r[2]);
    inertia[1] += mass * (r[0] * r[0] + r[2] * r[2]);
    inertia[2] += mass * (r[0] * r[0] + r[1] * r[1]);
    inertia[3] -= mass * r[0] * r[1];
    inertia[4] -= mass * r[0] * r[2];
    inertia[5] -= mass * r[1] * r[2];
}

/* out = R inertia R' */
static void turn_inertia(double out[6], const double q[4], const double inertia[6])
{
    double R[3][3], A[3][3], B[3][3];
    const double I[3][3] = { { inertia[0], inertia[3], inertia[4] },
                             { inertia[3], inertia[1], inertia[5] },
                             { inertia[4], inertia[5], inertia[2] } };
    tn_quat_matrix(R, q);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] = R[i][0] * I[0][j] + R[i][1] * I[1][j] + R[i][2] * I[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[i][j] = A[i][0] * R[j][0] + A[i][1] * R[j][1] + A[i][2] * R[j][2];
    const double all[6] = { B[0][0], B[1][1], B[2][2], B[0][1], B[0][2], B[1][2] };
    memcpy(out, all, sizeof all);
}

void tn_body_add_mass(tn_machine_body *body, double mass, const tn_pose *pose, const double com[3],
                      const double inertia[6])
{
    double at[3], added[6], sum = body->mass + mass, centre[3], r[3];
    tn_quat_rotate(at, pose->q, com);
    tn_add3(at, at, pose->p);
    if (tn_quat_is_unit(pose->q) && pose->q[0] == 1)
        memcpy(added, inertia, sizeof added);
    else
        turn_inertia(added, pose->q, inertia);
    body->weighed = true;
    if (body->mass == 0 || sum == 0) {
        if (mass != 0 || body->mass == 0)
            tn_copy3(body->com, at);
        body->mass = sum;
        for (int k = 0; k < 6; k++)
            body->inertia[k] += added[k];
        return;
    }
    for (int k = 0; k < 3; k++)
        centre[k] = (body->mass * body->com[k] + mass * at[k]) / sum;
    tn_sub3(r, body->com, centre);
    add_point(body->inertia, body->mass, r);
    tn_sub3(r, at, centre);
    add_point(body->inertia, mass, r);
    for (int k = 0; k < 6; k++)
        body->inertia[k] += added[k];
    body->mass = sum;
    tn_copy3(body->com, centre);
}

void tn_machine_note_add(tn_machine *machine, tn_severity severity, tn_span place, const char *format, ...)
{
    enum { MOST_NOTES = 2000 };        /* a hostile file cannot fill the memory with notes */
    char buffer[1024];
    if (machine->note_count >= MOST_NOTES)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    const char *text = tn_arena_strdup(machine->arena, buffer);
    if (text && GROW(machine, machine->notes, machine->note_count, machine->note_capacity))
        machine->notes[machine->note_count++] = (tn_machine_note){ severity, place, text };
}

void tn_machine_leave_out(tn_machine *machine, tn_span place, const char *format, ...)
{
    enum { MOST_KINDS = 500 };
    char buffer[256];
    va_list list;
    va_start(list, format);
    vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    for (size_t i = 0; i < machine->left_out_count; i++)
        if (strcmp(machine->left_out[i].what, buffer) == 0) {
            machine->left_out[i].count++;
            return;
        }
    const char *what = tn_arena_strdup(machine->arena, buffer);
    if (what && machine->left_out_count < MOST_KINDS &&
        GROW(machine, machine->left_out, machine->left_out_count, machine->left_out_capacity))
        machine->left_out[machine->left_out_count++] = (tn_machine_left_out){ what, place, 1 };
}
