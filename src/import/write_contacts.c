/* Contacts of an imported machine: its shapes for contacts with those of ground, and of bodies that no chain of joints
 * connects. Links of one robot do not touch each other: their shapes overlap at the joints. */
#include "writer.h"

#include "diag.h"

#include <math.h>
#include <string.h>

enum { MOST_PAIRS = 2000 };
static const double ASSUMED_FRICTION = 0.5;    /* where the file has none */

typedef struct touching {
    tn_machine *machine;
    int *chain;                /* by body: a body that stands for all that joints connect it with; ground is none of them */
    bool *held;                /* by body: a joint connects it with ground */
    bool *touches;             /* by body: it has a shape for contacts */
    double *friction;          /* by body: the largest of its shapes; NaN: none given */
    size_t written;
    bool assumed;
} touching;

static int find_chain(int *chain, int body)
{
    while (chain[body] != body)
        body = chain[body] = chain[chain[body]];
    return body;
}

static bool survey(touching *t, tn_machine *machine)
{
    size_t count = machine->body_count;
    *t = (touching){ .machine = machine, .chain = tn_arena_alloc(machine->arena, count, sizeof *t->chain),
                     .held = tn_arena_alloc(machine->arena, count, sizeof *t->held),
                     .touches = tn_arena_alloc(machine->arena, count, sizeof *t->touches),
                     .friction = tn_arena_alloc(machine->arena, count, sizeof *t->friction) };
    if (!t->chain || !t->held || !t->touches || !t->friction)
        return false;
    for (size_t i = 0; i < count; i++) {
        t->chain[i] = (int)i;
        t->friction[i] = NAN;
    }
    for (size_t i = 0; i < machine->joint_count; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        int a = machine->bodies[joint->body1].into, b = machine->bodies[joint->body2].into;
        if (joint->merged || joint->dropped || tn_joint_measures(joint))
            continue;
        if (a == TN_GROUND || b == TN_GROUND)
            t->held[a == TN_GROUND ? b : a] = true;
        else
            t->chain[find_chain(t->chain, a)] = find_chain(t->chain, b);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < machine->bodies[i].shape_count; k++) {
            const tn_machine_shape *shape = &machine->bodies[i].shapes[k];
            int own = machine->bodies[i].into;
            if (!shape->collision || (shape->kind == TN_SHAPE_MESH && !shape->mesh_name))
                continue;
            t->touches[own] = true;
            t->friction[own] = isnan(t->friction[own]) ? shape->friction : fmax(t->friction[own], shape->friction);
        }
    return true;
}

/* MuJoCo takes the larger coefficient of two, others the smaller. */
static double pair_friction(touching *t, int a, int b)
{
    double x = t->friction[a], y = t->friction[b];
    if (isnan(x) && isnan(y)) {
        t->assumed = true;
        return ASSUMED_FRICTION;
    }
    return isnan(x) ? y : isnan(y) ? x : strcmp(t->machine->format, "mjcf") == 0 ? fmax(x, y) : fmin(x, y);
}

static void write_pair(touching *t, tn_text *text, int a, int b)
{
    tn_machine *machine = t->machine;
    const char *one = tn_body_reference(machine, -1, a), *two = tn_body_reference(machine, -1, b);
    if (t->written++ == 0)
        tn_text_add(text, "contacts:\n");
    tn_text_add(text, "  %s: { between: [%s, %s], friction: ", tn_machine_label(machine, -1, tn_machine_text(machine, "%s_on_%s", two,
                                                                                                            one)), one, two);
    tn_yaml_number(text, pair_friction(t, a, b));
    tn_text_add(text, " }\n");
}

/* Whether the file says that the two never touch. */
static bool is_excluded(const tn_machine *machine, int a, int b)
{
    for (size_t i = 0; i < machine->exclusion_count; i++) {
        int one = machine->bodies[machine->exclusions[i].body1].into, two = machine->bodies[machine->exclusions[i].body2].into;
        if ((one == a && two == b) || (one == b && two == a))
            return true;
    }
    return false;
}

void tn_write_contacts(tn_text *text, tn_machine *machine)
{
    touching t;
    if (!machine->options->contacts || !survey(&t, machine))
        return;
    for (int a = 0; a < (int)machine->body_count; a++)
        for (int b = a + 1; b < (int)machine->body_count && t.written < MOST_PAIRS; b++) {
            bool apart = a == TN_GROUND ? !t.held[b] : find_chain(t.chain, a) != find_chain(t.chain, b);
            if (machine->bodies[a].into == a && machine->bodies[b].into == b && t.touches[a] && t.touches[b] && apart &&
                !is_excluded(machine, a, b))
                write_pair(&t, text, a, b);
        }
    if (t.written == MOST_PAIRS)
        tn_machine_note_add(machine, TN_WARNING, TN_NOWHERE, "contacts of the first %d pairs of bodies are written; use 'among' for "
                            "more", MOST_PAIRS);
    if (t.written == 0)
        tn_machine_note_add(machine, TN_NOTE, TN_NOWHERE, "no two bodies have shapes that may touch");
    if (t.assumed)
        tn_machine_note_add(machine, TN_NOTE, TN_NOWHERE, "the file has no friction of some contacts: %g is assumed",
                            ASSUMED_FRICTION);
}
