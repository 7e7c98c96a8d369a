/* Efforts along fixed tendons of MJCF: L = sum of coef q over joints. Springs, dampers and servos of a tendon are motors on
 * its joints whose values are expressions of the joints' coordinates. */
#include "mjcf_reader.h"

#include "entities.h"

#include <stdio.h>

typedef struct tendon_term {
    const mjcf_joint *joint;
    double coef;
} tendon_term;

enum { MOST_TERMS = 8 };

/* The joints of a tendon; 0: one of them has no coordinate of its own, or there are too many. */
static size_t collect_terms(const mjcf_reader *r, const tn_xml *tendon, tendon_term *out)
{
    size_t count = 0;
    for (const tn_xml *t = tn_xml_child(tendon, "joint"); t; t = tn_xml_next(t, "joint")) {
        int index = tn_index_find(r->joint_names, tn_xml_get(t, "joint"));
        if (index < 0 || r->joints[index].joint < 0 || !r->joints[index].coordinate || count == MOST_TERMS)
            return 0;
        out[count].joint = &r->joints[index];
        out[count++].coef = tn_attribute_number(r->machine, t, "coef", 1);
    }
    return count;
}

/* "0.5 * J.position / (1 m) + ..." or the same of rates; J stands for a joint until the model is written. */
static void write_sum(tn_text *text, const tendon_term *terms, size_t count, bool rate)
{
    for (size_t k = 0; k < count; k++) {
        const mjcf_joint *j = terms[k].joint;
        const char *unit = j->hinge ? (rate ? "rad/s" : "rad") : rate ? "m/s" : "m";
        tn_text_add(text, "%s%.17g * " TN_JOINT_MARK ".%s%s / (1 %s)", k > 0 ? " + " : "", terms[k].coef * j->sign, j->joint,
                    j->coordinate, rate ? ".rate" : "", unit);
    }
    double shift = 0;
    for (size_t k = 0; k < count; k++)
        shift += terms[k].coef * terms[k].joint->shift;
    if (!rate && shift != 0)
        tn_text_add(text, " + %.17g", shift);
}

bool tn_mjcf_tendon_effort(mjcf_reader *r, const tn_xml *tendon, const char *name, const char *source, tn_span place,
                           const mjcf_tendon_law *law)
{
    tendon_term terms[MOST_TERMS];
    size_t count = collect_terms(r, tendon, terms);
    for (size_t k = 0; k < count; k++) {
        const mjcf_joint *j = terms[k].joint;
        tn_text text;
        char *value = NULL;
        tn_text_begin(&text, r->machine->context);
        tn_text_add(&text, "\"%.17g %s * ", terms[k].coef * j->sign, j->hinge ? "N m" : "N");
        tn_text_add(&text, law->limit > 0 ? "clamp(%.17g" : "(%.17g", law->constant);
        if (law->by_length != 0) {
            tn_text_add(&text, " + %.17g * (", law->by_length);
            write_sum(&text, terms, count, false);
            tn_text_add(&text, ")");
        }
        if (law->by_rate != 0) {
            tn_text_add(&text, " + %.17g * (", law->by_rate);
            write_sum(&text, terms, count, true);
            tn_text_add(&text, ")");
        }
        if (law->limit > 0)
            tn_text_add(&text, ", %.17g, %.17g", -law->limit, law->limit);
        tn_text_add(&text, ")\"");
        if (tn_text_take(&text, &value) < 0) {
            r->machine->status = TN_ERROR_MEMORY;
            return true;
        }
        const char *own = count == 1 ? name : tn_machine_text(r->machine, "%s_%zu", name, k + 1);
        tn_machine_load *load = tn_machine_add_load(r->machine, own, "motor", place);
        load->source = source;
        load->joint = j->joint;
        load->coordinate = j->coordinate;
        tn_load_value(r->machine, load, "value", "%s", value);
        tn_free(r->machine->context, value);
    }
    return count > 0;
}

/* Length of the tendon in the pose of the file. */
static double length_of(const tendon_term *terms, size_t count)
{
    double length = 0;
    for (size_t k = 0; k < count; k++)
        length += terms[k].coef * terms[k].joint->ref;
    return length;
}

void tn_mjcf_tendon_spring(mjcf_reader *r, const tn_xml *tendon, const tn_xml *full)
{
    double stiffness = tn_attribute_number(r->machine, full, "stiffness", 0), rest[2] = { -1, -1 };
    double damping = tn_attribute_number(r->machine, full, "damping", 0);
    const char *text = tn_xml_get(full, "springlength"), *name = tn_xml_get(tendon, "name");
    tendon_term terms[MOST_TERMS];
    size_t count = collect_terms(r, tendon, terms);
    if (tn_attribute_number(r->machine, full, "frictionloss", 0) > 0)
        tn_machine_leave_out(r->machine, tendon->place, "frictionloss of tendons");
    if (stiffness == 0 && damping == 0)
        return;
    int given = text ? tn_parse_numbers(rest, 2, text) : 0;
    if (given == 2 && rest[1] > rest[0])
        tn_machine_leave_out(r->machine, tendon->place, "dead band of springs of tendons (the middle is taken)");
    double middle = given == 2 ? 0.5 * (rest[0] + rest[1]) : rest[0] >= 0 ? rest[0] : length_of(terms, count);
    const mjcf_tendon_law law = { .constant = stiffness * middle, .by_length = -stiffness, .by_rate = -damping };
    if (!tn_mjcf_tendon_effort(r, tendon, name ? name : "tendon", "fixed tendon", tendon->place, &law))
        tn_machine_leave_out(r->machine, tendon->place, "stiffness and damping of tendons of more than %d joints", MOST_TERMS);
}
