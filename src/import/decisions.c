/* Decisions of a person about an import: which joints count, what is rigid, what things are made of, what stands still. */
#include "machine.h"

#include "diag.h"
#include "entities.h"
#include "source.h"
#include "vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* kg/m^3: usual values of handbooks */
static const tn_import_material materials[] = {
    { "steel", 7850 },        { "stainless-steel", 8000 }, { "cast-iron", 7200 },  { "aluminium", 2700 },
    { "brass", 8500 },        { "bronze", 8800 },          { "copper", 8960 },     { "titanium", 4430 },
    { "magnesium", 1800 },    { "zinc", 7140 },            { "lead", 11340 },      { "tungsten", 19300 },
    { "abs", 1050 },          { "pla", 1240 },             { "nylon", 1150 },      { "pom", 1410 },
    { "ptfe", 2200 },         { "pvc", 1400 },             { "polycarbonate", 1200 }, { "acrylic", 1180 },
    { "polyethylene", 950 },  { "rubber", 1100 },          { "carbon-fibre", 1600 }, { "glass-fibre", 1900 },
    { "glass", 2500 },        { "wood", 700 },             { "concrete", 2400 },   { "water", 1000 },
};
static const double LEAST_DENSITY = 1, LARGEST_DENSITY = 23000;        /* kg/m^3: foam, osmium */

size_t tn_import_material_count(void)
{
    return TN_LENGTH(materials);
}

tn_import_material tn_import_material_at(size_t index)
{
    return index < TN_LENGTH(materials) ? materials[index] : (tn_import_material){ NULL, 0 };
}

/* Puts a decision in the place of an earlier one about the same thing; an empty value takes that one back. */
static void put_decision(tn_machine *machine, const tn_import_decision *d)
{
    bool ground = strcmp(d->about, "ground") == 0;
    size_t kept = 0;
    for (size_t i = 0; i < machine->decision_count; i++) {
        const tn_import_decision *old = &machine->decisions[i];
        if (strcmp(old->about, d->about) == 0 && (ground || strcmp(old->name, d->name) == 0))
            continue;
        machine->decision_used[kept] = machine->decision_used[i];
        machine->decisions[kept++] = *old;
    }
    machine->decision_count = kept;
    if (d->value[0]) {
        machine->decision_used[kept] = false;
        machine->decisions[machine->decision_count++] = (tn_import_decision){
            tn_machine_text(machine, "%s", d->about), tn_machine_text(machine, "%s", d->name),
            tn_machine_text(machine, "%s", d->value) };
    }
}

int tn_machine_decisions_take(tn_machine *machine, const tn_import_decision *list, size_t count)
{
    size_t before = machine->decision_count, total = before + count;
    tn_import_decision *all = tn_arena_alloc(machine->arena, total + 1, sizeof *all);
    bool *used = tn_arena_alloc(machine->arena, total + 1, sizeof *used);
    if (!all || !used)
        return TN_ERROR_MEMORY;
    if (before > 0) {
        memcpy(all, machine->decisions, before * sizeof *all);
        memcpy(used, machine->decision_used, before * sizeof *used);
    }
    machine->decisions = all;
    machine->decision_used = used;
    for (size_t i = 0; i < count; i++)
        put_decision(machine, &list[i]);
    return tn_machine_status(machine);
}

const char *tn_machine_decision(tn_machine *machine, const char *about, const char *name)
{
    for (size_t i = 0; i < machine->decision_count; i++)
        if (strcmp(machine->decisions[i].about, about) == 0 && strcmp(machine->decisions[i].name, name) == 0) {
            machine->decision_used[i] = true;
            return machine->decisions[i].value;
        }
    return NULL;
}

/* ---- joints ---- */

static void make_keys(tn_machine *machine)
{
    tn_name_index *keys = NULL;
    if (tn_index_create(&keys, machine) < 0)
        return;
    for (size_t i = 0; i < machine->joint_count; i++) {
        char label[80];
        tn_label_make(label, machine->joints[i].name);
        const char *key = tn_machine_text(machine, "%s", label);
        for (int number = 2; !tn_index_put(keys, key, (int)i) && tn_machine_status(machine) >= 0; number++)
            key = tn_machine_text(machine, "%s_%d", label, number);
        machine->joints[i].key = key;
    }
}

/* Types that two frames determine, with z as axis or normal. */
static const struct { const char *name, *coordinates[2]; } frame_types[] = {
    { "fixed", { NULL, NULL } },     { "revolute", { "angle", NULL } },  { "prismatic", { "position", NULL } },
    { "cylindrical", { "position", "angle" } }, { "spherical", { NULL, NULL } }, { "planar", { NULL, NULL } },
    { "point-on-line", { NULL, NULL } }, { "point-on-plane", { NULL, NULL } },
};

static bool change_type(tn_machine_joint *joint, const char *type)
{
    for (size_t t = 0; t < TN_LENGTH(frame_types); t++) {
        if (strcmp(frame_types[t].name, type) != 0)
            continue;
        tn_machine_coordinate kept[TN_MACHINE_COORDINATES];
        size_t count = joint->coordinate_count;
        memcpy(kept, joint->coordinates, sizeof kept);
        joint->coordinate_count = joint->setting_count = 0;
        for (int k = 0; k < 2 && frame_types[t].coordinates[k]; k++) {
            tn_machine_coordinate *c = tn_joint_coordinate(joint, frame_types[t].coordinates[k]);
            for (size_t i = 0; i < count; i++)
                if (strcmp(kept[i].name, c->name) == 0)
                    *c = kept[i];
        }
        joint->type = frame_types[t].name;
        return true;
    }
    return false;
}

static void decide_joint(tn_machine *machine, tn_machine_joint *joint)
{
    const char *value = tn_machine_decision(machine, "joint", joint->key);
    if (!value)
        return;
    joint->decided = true;
    joint->dropped = strcmp(value, "reject") == 0;
    if (!joint->dropped && strcmp(value, "accept") != 0 && !change_type(joint, value))
        (void)tn_fail(machine->context, machine->status = TN_ERROR_ARGUMENT, joint->place, "joint '%s': '%s' is neither accept "
                      "nor reject nor a type that it can have (fixed, revolute, prismatic, cylindrical, spherical, planar, "
                      "point-on-line, point-on-plane)", joint->key, value);
}

/* ---- masses ---- */

static double density_of(const char *text)
{
    char *end;
    for (size_t i = 0; i < TN_LENGTH(materials); i++)
        if (strcmp(materials[i].name, text) == 0)
            return materials[i].density;
    double value = strtod(text, &end);
    return end != text && *end == 0 && value >= LEAST_DENSITY && value <= LARGEST_DENSITY ? value : NAN;
}

static void scale_mass(tn_machine_body *body, double factor)
{
    body->mass *= factor;
    for (int k = 0; k < 6; k++)
        body->inertia[k] *= factor;
}

/* The decision about the body or the nearest thing that it is in. */
static const char *density_decision(tn_machine *machine, const char *path)
{
    char *above = tn_arena_strdup(machine->arena, path);
    for (char *slash; above; *slash = 0) {
        const char *value = tn_machine_decision(machine, "density", above);
        if (value)
            return value;
        if (!(slash = strrchr(above, '/')))
            break;
    }
    return tn_machine_decision(machine, "density", "");
}

static void decide_mass(tn_machine *machine, tn_machine_body *body)
{
    const char *density = body->volume > 0 ? density_decision(machine, body->path) : NULL, *mass = tn_machine_decision(machine, "mass", body->path);
    if (density && body->mass > 0) {
        double value = density_of(density);
        if (isnan(value)) {
            (void)tn_fail(machine->context, machine->status = TN_ERROR_ARGUMENT, body->place, "density of '%s': '%s' is neither "
                          "a material nor a number between %g and %g kg/m^3", body->path, density, LEAST_DENSITY,
                          LARGEST_DENSITY);
            return;
        }
        scale_mass(body, value * body->volume / body->mass);
        body->mass_source = tn_machine_text(machine, "volume, %s", density);
    }
    if (mass) {
        char *end;
        double value = strtod(mass, &end);
        if (end == mass || *end || !(value > 0) || !isfinite(value) || body->mass == 0) {
            (void)tn_fail(machine->context, machine->status = TN_ERROR_ARGUMENT, body->place, "mass of '%s': '%s' %s", body->path,
                          mass, body->mass == 0 ? "has no inertia to go with it in the file" : "is not a number above 0");
            return;
        }
        scale_mass(body, value / body->mass);
        body->mass_source = "decided";
    }
}

/* ---- ground ---- */

/* The body of a path; -1: none. */
static int body_of(const tn_machine *machine, const char *path)
{
    for (int b = 1; b < (int)machine->body_count; b++)
        if (strcmp(machine->bodies[b].path, path) == 0)
            return b;
    size_t length = strlen(path);
    for (int b = 1; b < (int)machine->body_count; b++)       /* the first part of a sub-assembly */
        if (strncmp(machine->bodies[b].path, path, length) == 0 && machine->bodies[b].path[length] == '/')
            return b;
    return -1;
}

static void decide_ground(tn_machine *machine)
{
    const tn_import_decision *d = NULL;
    for (size_t i = 0; i < machine->decision_count; i++)
        if (strcmp(machine->decisions[i].about, "ground") == 0)
            d = &machine->decisions[i];
    int body = d && d->name[0] ? body_of(machine, d->name) : -1;
    if (!d || (d->name[0] && body < 0))
        return;                        /* a lost one is told later */
    tn_machine_decision(machine, "ground", d->name);
    for (size_t i = 0; i < machine->joint_count; i++) {
        tn_machine_joint *joint = &machine->joints[i];
        if (joint->body1 == TN_GROUND && strcmp(joint->type, "fixed") == 0 &&
            (strcmp(joint->source, "base") == 0 || strcmp(joint->source, "grounded") == 0))
            joint->dropped = joint->decided = true;
    }
    if (body < 0)
        return;
    int index = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_ground", machine->bodies[body].name), "fixed", TN_GROUND,
                                     body, machine->bodies[body].place);
    if (tn_machine_status(machine) < 0)
        return;
    machine->joints[index].source = "ground, decided";
    machine->joints[index].key = "ground";
    machine->joints[index].frame1 = machine->bodies[body].pose;
}

/* ---- drives ---- */

static bool add_drive(tn_machine *machine, int index, const char *coordinate, const char *value)
{
    const tn_machine_joint *joint = &machine->joints[index];
    static const char *const laws[] = { "rate", "acceleration", "angle", "position" };
    size_t length = strcspn(value, ":");
    const char *law = NULL, *formula = value[length] ? value + length + 1 : value;
    for (size_t i = 0; i < TN_LENGTH(laws); i++)
        if (strlen(laws[i]) == length && strncmp(laws[i], value, length) == 0)
            law = laws[i];
    if (!coordinate && joint->coordinate_count > 0)
        coordinate = joint->coordinates[0].name;
    bool there = false;
    for (size_t k = 0; coordinate && k < joint->coordinate_count; k++)
        there = there || strcmp(joint->coordinates[k].name, coordinate) == 0;
    formula += strspn(formula, " ");
    if (!law || !there || !formula[0] || strpbrk(formula, "\"\n\r\\") ||
        (strcmp(law, "angle") == 0 && strcmp(coordinate, "angle") != 0) ||
        (strcmp(law, "position") == 0 && strcmp(coordinate, "position") != 0))
        return false;
    tn_machine_load *drive = tn_machine_add_load(machine, tn_machine_text(machine, "%s_drive", joint->key), NULL, joint->place);
    drive->source = "decided";
    drive->joint = index;
    drive->coordinate = coordinate;
    tn_load_value(machine, drive, law, "\"%s\"", formula);
    return true;
}

static void decide_drives(tn_machine *machine)
{
    for (size_t d = 0; d < machine->decision_count; d++) {
        const tn_import_decision *decision = &machine->decisions[d];
        for (size_t i = 0; strcmp(decision->about, "drive") == 0 && i < machine->joint_count; i++) {
            size_t length = strlen(machine->joints[i].key);
            if (strncmp(decision->name, machine->joints[i].key, length) != 0 ||
                (decision->name[length] != 0 && decision->name[length] != '.'))
                continue;
            machine->decision_used[d] = true;
            if (!add_drive(machine, (int)i, decision->name[length] ? decision->name + length + 1 : NULL, decision->value))
                (void)tn_fail(machine->context, machine->status = TN_ERROR_ARGUMENT, machine->joints[i].place, "drive of '%s': '%s' "
                              "is not 'rate: FORMULA', 'angle: FORMULA' or 'position: FORMULA' of a coordinate that the joint "
                              "has", decision->name, decision->value);
        }
    }
}

/* A decision of this import that matches no entity is an error; a decision of an earlier import may have lost its entity. */
static void refuse_unused(tn_machine *machine)
{
    const tn_import_options *options = machine->options;
    for (size_t i = 0; i < machine->decision_count; i++)
        for (size_t k = 0; !machine->decision_used[i] && k < options->decision_count; k++) {
            const tn_import_decision *d = &options->decisions[k];
            if (strcmp(machine->decisions[i].about, d->about) != 0 || strcmp(machine->decisions[i].name, d->name) != 0)
                continue;
            (void)tn_fail(machine->context, machine->status = TN_ERROR_ARGUMENT, TN_NOWHERE, "there is no %s '%s'%s",
                          strcmp(d->about, "drive") == 0 ? "joint" : strcmp(d->about, "assembly") == 0 ? "sub-assembly"
                          : strcmp(d->about, "joint") == 0 ? "joint" : "body", d->name,
                          strcmp(d->about, "density") == 0 ? " whose volume the file has" : "");
            break;
        }
}

void tn_machine_decide(tn_machine *machine)
{
    make_keys(machine);
    for (size_t i = 0; i < machine->joint_count && tn_machine_status(machine) >= 0; i++)
        decide_joint(machine, &machine->joints[i]);
    for (size_t b = 1; b < machine->body_count && machine->decision_count > 0 && tn_machine_status(machine) >= 0; b++)
        decide_mass(machine, &machine->bodies[b]);
    if (tn_machine_status(machine) >= 0)
        decide_ground(machine);
    if (tn_machine_status(machine) >= 0)
        decide_drives(machine);
    if (tn_machine_status(machine) >= 0)
        refuse_unused(machine);
}
