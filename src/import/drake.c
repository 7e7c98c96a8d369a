/* Elements that Drake has added to URDF (<drake:x name="..."/>, value="...") and SDFormat (<drake:x>...</drake:x>): springs
 * and bushings between bodies, and ball constraints, which close loops. */
#include "drake.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <string.h>

typedef struct drake_kind {
    const char *name, *type, *ends[2], *points[2];     /* points NULL: the ends are frames */
} drake_kind;

static const drake_kind kinds[] = {
    { "linear_spring_damper", "spring", { "linear_spring_damper_body_A", "linear_spring_damper_body_B" },
      { "linear_spring_damper_p_AP", "linear_spring_damper_p_BQ" } },
    { "linear_bushing_rpy", "bushing", { "bushing_frameA", "bushing_frameC" }, { NULL } },
    { "ball_constraint", "spherical", { "ball_constraint_body_A", "ball_constraint_body_B" },
      { "ball_constraint_p_AP", "ball_constraint_p_BQ" } },
};

static const drake_kind *kind_of(const tn_xml *element)
{
    for (size_t i = 0; i < TN_LENGTH(kinds) && strcmp(element->space, "drake") == 0; i++)
        if (tn_xml_is(element, kinds[i].name))
            return &kinds[i];
    return NULL;
}

bool tn_drake_knows(const tn_xml *element)
{
    return kind_of(element) != NULL;
}

/* The text of a child, in either format; NULL: there is no such child. */
static const char *text_of(const tn_xml *element, const char *child)
{
    const tn_xml *e = tn_xml_child(element, child);
    const char *name = e ? tn_xml_get(e, "name") : NULL, *value = e ? tn_xml_get(e, "value") : NULL;
    return name ? name : value ? value : e ? e->text : NULL;
}

static void numbers(tn_machine *machine, double *out, int n, const tn_xml *element, const char *child)
{
    const char *text = text_of(element, child);
    if (text)
        tn_source_numbers(machine, out, n, text, tn_machine_text(machine, "<drake:%s>", child), element->place);
}

static void read_values(tn_machine *machine, const tn_xml *element, tn_machine_load *load)
{
    double v[4][3] = { { 0 } };
    if (strcmp(load->type, "spring") == 0) {
        static const char *const keys[][2] = { { "length", "linear_spring_damper_free_length" },
                                               { "stiffness", "linear_spring_damper_stiffness" },
                                               { "damping", "linear_spring_damper_damping" } };
        for (size_t k = 0; k < TN_LENGTH(keys); k++) {
            numbers(machine, v[0], 1, element, keys[k][1]);
            tn_load_value(machine, load, keys[k][0], "%.17g", v[0][0]);
        }
        return;
    }
    static const char *const keys[] = { "bushing_force_stiffness", "bushing_torque_stiffness", "bushing_force_damping",
                                        "bushing_torque_damping" };
    for (size_t k = 0; k < TN_LENGTH(keys); k++)
        numbers(machine, v[k], 3, element, keys[k]);
    for (int k = 0; k < 2; k++)
        tn_load_value(machine, load, k == 0 ? "stiffness" : "damping", "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", v[2 * k][0],
                      v[2 * k][1], v[2 * k][2], v[2 * k + 1][0], v[2 * k + 1][1], v[2 * k + 1][2]);
    tn_machine_note_add(machine, TN_NOTE, element->place, "<drake:linear_bushing_rpy> is a bushing about its first frame: for small turns "
                        "the same");
}

void tn_drake_read(tn_machine *machine, const tn_xml *element, const tn_drake_names *names)
{
    const drake_kind *kind = kind_of(element);
    int bodies[2];
    tn_pose places[2];
    for (int k = 0; k < 2; k++) {
        const char *name = text_of(element, kind->ends[k]);
        tn_pose point = tn_pose_identity();
        if (!names->find(names->user, element, name ? name : "", &bodies[k], &places[k]))
            return;
        if (kind->points[k])
            numbers(machine, point.p, 3, element, kind->points[k]);
        places[k] = tn_pose_compose(&places[k], &point);
    }
    if (strcmp(kind->type, "spherical") == 0) {
        int index = tn_machine_add_joint(machine, kind->name, kind->type, bodies[0], bodies[1], element->place);
        if (tn_machine_status(machine) < 0)
            return;
        machine->joints[index].frame1 = places[0];
        machine->joints[index].frame2 = places[1];
        machine->joints[index].source = kind->name;
        return;
    }
    tn_machine_load *load = tn_machine_add_load(machine, kind->name, kind->type, element->place);
    load->source = kind->name;
    load->body1 = bodies[0];
    load->body2 = bodies[1];
    load->frame1 = places[0];
    load->frame2 = places[1];
    read_values(machine, element, load);
}
