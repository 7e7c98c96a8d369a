/* Labels of an imported machine: names that a model file accepts, each once. */
#include "machine.h"

#include "entities.h"
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 60 };         /* characters of a label made from a name of the file */

/* Words that mean something else in a model or an expression. */
static bool is_reserved(const char *label)
{
    static const char *const words[] = { "ground", "energy", "drift", "t", "pi", "all", "time", "x", "y", "z", "yes", "no",
                                         "true", "false", "null", "on", "off", "y", "n", "none", "pull", "step" };
    for (size_t i = 0; i < TN_LENGTH(words); i++)
        if (strcmp(label, words[i]) == 0)
            return true;
    return false;
}

/* Letters, digits, _ and -; other characters become one _. */
void tn_label_make(char *out, const char *name)
{
    size_t used = 0;
    for (const unsigned char *c = (const unsigned char *)name; *c && used < LONGEST; c++) {
        if (isalnum(*c) || *c == '-' || *c == '_')
            out[used++] = (char)*c;
        else if (used > 0 && out[used - 1] != '_')
            out[used++] = '_';
    }
    while (used > 0 && out[used - 1] == '_' && used > 1)
        used--;
    out[used] = 0;
    if (used == 0 || !isalpha((unsigned char)out[0])) {
        char copy[LONGEST + 1];
        memcpy(copy, out, used + 1);
        snprintf(out, LONGEST + 8, "n%s%s", used > 0 && copy[0] != '_' ? "_" : "", copy);
    }
    if (is_reserved(out))
        strcat(out, "_");
}

const char *tn_machine_label(tn_machine *machine, int part, const char *wish)
{
    char base[LONGEST + 8], key[2 * LONGEST];
    tn_label_make(base, wish);
    for (int number = 1; ; number++) {
        int head = snprintf(key, sizeof key, "%d/", part);
        if (number == 1)
            snprintf(key + head, sizeof key - (size_t)head, "%s", base);
        else
            snprintf(key + head, sizeof key - (size_t)head, "%s_%d", base, number);
        if (tn_names_find(machine->names, key).kind != TN_KIND_NONE)
            continue;
        const char *copy = tn_arena_strdup(machine->arena, key);
        if (!copy || tn_names_reserve(machine->names) < 0) {
            machine->status = TN_ERROR_MEMORY;
            return "";
        }
        tn_names_put(machine->names, copy, (tn_id){ .kind = TN_KIND_BODY });
        return copy + head;
    }
}

/* Ten thousand bodies of one name would be numbered in quadratic time; beyond this, names get their index. */
static const char *numbered(tn_machine *machine, int part, const char *name, size_t index, size_t count)
{
    enum { MANY = 3000 };
    return tn_machine_label(machine, part,
                            count > MANY ? tn_machine_text(machine, "%.40s_%zu", name, index) : name);
}

static const char *frame_label(tn_machine *machine, const tn_machine_body *body, size_t index)
{
    char label[LONGEST + 8];
    tn_label_make(label, body->frames[index].name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(body->frames[i].label, label) == 0)
            return tn_machine_text(machine, "%s_%zu", label, index);
    return tn_machine_text(machine, "%s", label);
}

/* The innermost part that holds both. */
static int common_part(const tn_machine *machine, int a, int b)
{
    for (; a >= 0; a = machine->parts[a].parent)
        for (int p = b; p >= 0; p = machine->parts[p].parent)
            if (p == a)
                return a;
    return -1;
}

int tn_joint_part(const tn_machine *machine, const tn_machine_joint *joint)
{
    const tn_machine_body *a = &machine->bodies[machine->bodies[joint->body1].into];
    const tn_machine_body *b = &machine->bodies[machine->bodies[joint->body2].into];
    if (a == machine->bodies)
        return b->part;
    return b == machine->bodies ? a->part : common_part(machine, a->part, b->part);
}

void tn_machine_name(tn_machine *machine)
{
    for (size_t i = 0; i < machine->part_count; i++)
        machine->parts[i].label = tn_machine_label(machine, machine->parts[i].parent, machine->parts[i].name);
    machine->bodies[TN_GROUND].label = "ground";
    for (size_t i = 1; i < machine->body_count; i++)
        if (machine->bodies[i].into == (int)i)
            machine->bodies[i].label = numbered(machine, machine->bodies[i].part, machine->bodies[i].name, i,
                                                machine->body_count);
    for (size_t i = 1; i < machine->body_count; i++) {
        tn_machine_body *body = &machine->bodies[i];
        if (body->into == (int)i)
            continue;
        if (body->hidden) {
            body->label = "ground";
            continue;
        }
        tn_machine_add_frame(machine, body->into, body->name, &body->in);
        for (size_t k = 0; k < body->frame_count; k++) {
            tn_pose pose = tn_pose_compose(&body->in, &body->frames[k].pose);
            body->frames[k].moved = tn_machine_add_frame(machine, body->into, body->frames[k].name, &pose);
        }
        body->label = machine->bodies[body->into].label;
    }
    for (size_t i = 0; i < machine->body_count; i++)
        for (size_t k = 0; k < machine->bodies[i].frame_count; k++)
            machine->bodies[i].frames[k].label = frame_label(machine, &machine->bodies[i], k);
    for (size_t i = 0; i < machine->joint_count; i++) {
        tn_machine_joint *joint = &machine->joints[i];
        joint->label = numbered(machine, tn_joint_part(machine, joint), joint->name, i, machine->joint_count);
    }
    for (size_t i = 0; i < machine->coupling_count; i++)
        machine->couplings[i].label = tn_machine_label(machine, -1, machine->couplings[i].name);
    for (size_t i = 0; i < machine->load_count; i++)
        machine->loads[i].label = tn_machine_label(machine, -1, machine->loads[i].name);
}
