/* Texts of YAML for imported machines: numbers, vectors, poses, references. */
#include "writer.h"

#include "vec.h"

#include <stdio.h>
#include <stdlib.h>

/* The shortest text that reads back as the same number. */
void tn_yaml_number(tn_text *text, double value)
{
    char buffer[40];
    if (value == 0)
        value = 0;             /* no -0 */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    tn_text_add(text, "%s", buffer);
}

void tn_yaml_vector(tn_text *text, const double *values, int n)
{
    for (int k = 0; k < n; k++) {
        tn_text_add(text, k == 0 ? "[" : ", ");
        tn_yaml_number(text, values[k]);
    }
    tn_text_add(text, "]");
}

bool tn_yaml_pose(tn_text *text, const char *key, const tn_pose *given, bool first)
{
    static const double ROUND_OFF = 2e-16;     /* m, and of quaternions: noise of computed places */
    tn_pose clean = *given;
    const tn_pose *pose = &clean;
    for (int k = 0; k < 3; k++)
        clean.p[k] = fabs(clean.p[k]) < ROUND_OFF ? 0 : clean.p[k];
    for (int k = 0; k < 4; k++)
        clean.q[k] = fabs(clean.q[k]) < ROUND_OFF ? 0 : clean.q[k];
    bool moved = pose->p[0] != 0 || pose->p[1] != 0 || pose->p[2] != 0;
    bool turned = pose->q[1] != 0 || pose->q[2] != 0 || pose->q[3] != 0;
    if (moved) {
        tn_text_add(text, "%s%s: ", first ? "" : ", ", key);
        tn_yaml_vector(text, pose->p, 3);
    }
    if (turned) {
        double q[4], sign = pose->q[0] < 0 ? -1 : 1;
        for (int k = 0; k < 4; k++)
            q[k] = sign * pose->q[k];
        tn_text_add(text, "%srotation: { quaternion: ", first && !moved ? "" : ", ");
        tn_yaml_vector(text, q, 4);
        tn_text_add(text, " }");
    }
    return moved || turned;
}

/* Appends the labels of the parts between outer (not included) and part. */
static void add_path(tn_text *text, const tn_machine *machine, int outer, int part)
{
    if (part < 0 || part == outer)
        return;
    add_path(text, machine, outer, machine->parts[part].parent);
    tn_text_add(text, "%s.", machine->parts[part].label);
}

static const char *reference(tn_machine *machine, int outer, int part, const char *label)
{
    tn_text text;
    char *out = NULL;
    tn_text_begin(&text, machine->context);
    add_path(&text, machine, outer, part);
    tn_text_add(&text, "%s", label);
    if (tn_text_take(&text, &out) < 0) {
        machine->status = TN_ERROR_MEMORY;
        return "";
    }
    const char *copy = tn_arena_strdup(machine->arena, out);
    tn_free(machine->context, out);
    return copy ? copy : "";
}

const char *tn_body_reference(tn_machine *machine, int part, int body)
{
    int into = machine->bodies[body].into;
    return into == TN_GROUND ? "ground" : reference(machine, part, machine->bodies[into].part, machine->bodies[into].label);
}

const char *tn_joint_reference(tn_machine *machine, int part, int joint)
{
    const tn_machine_joint *j = &machine->joints[joint];
    return reference(machine, part, tn_joint_part(machine, j), j->label);
}
