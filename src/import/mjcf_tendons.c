/* Tendons of MJCF: L = sum of coef q over coordinates of joints, or of strands from site to site. Springs, dampers and servos of a
 * tendon are motors on these joints whose values are expressions of the coordinates. */
#include "mjcf_reader.h"

#include "entities.h"
#include "vec.h"

#include <math.h>
#include <stdio.h>

static size_t fixed_terms(const mjcf_reader *r, const tn_xml *tendon, mjcf_term *out)
{
    size_t count = 0;
    for (const tn_xml *t = tn_xml_child(tendon, "joint"); t; t = tn_xml_next(t, "joint")) {
        int index = tn_index_find(r->joint_names, tn_xml_get(t, "joint"));
        if (index < 0 || r->joints[index].joint < 0 || !r->joints[index].coordinate || count == MJCF_TENDON_TERMS)
            return 0;
        out[count].joint = r->joints[index];
        out[count++].coef = tn_attribute_number(r->machine, t, "coef", 1);
    }
    return count;
}

/* A strand between two sites; false: there are too many already. */
static bool add_strand(mjcf_reader *r, mjcf_spatial *spatial, int from, int to, double coef)
{
    tn_machine *machine = r->machine;
    const mjcf_site *s = &r->sites[from], *t = &r->sites[to];
    const char *name = tn_xml_get(spatial->tendon, "name");
    if (s->body == t->body)
        return true;                   /* of constant length */
    if (spatial->count == MJCF_TENDON_TERMS)
        return false;
    int index = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_%zu", name ? name : "tendon", spatial->count + 1), "strand",
                                     s->body, t->body, spatial->tendon->place);
    if (tn_machine_status(machine) < 0)
        return false;
    tn_machine_joint *joint = &machine->joints[index];
    joint->source = "spatial tendon";
    joint->frame1 = s->pose;
    joint->frame2 = t->pose;
    tn_joint_coordinate(joint, "length");
    double length = tn_machine_coordinate_value(machine, joint, "length");
    spatial->terms[spatial->count++] = (mjcf_term){ { .joint = index, .coordinate = "length", .sign = 1, .ref = length }, coef };
    return true;
}

static void make_strands(mjcf_reader *r, mjcf_spatial *spatial)
{
    int last = -1;
    double coef = 1;
    for (const tn_xml *e = spatial->tendon->first; e; e = e->next) {
        if (tn_xml_is(e, "pulley")) {
            coef = 1 / tn_attribute_number(r->machine, e, "divisor", 1);
            last = -1;
        } else if (tn_xml_is(e, "site")) {
            int site = tn_index_find(r->site_names, tn_xml_get(e, "site"));
            if (site < 0 || !isfinite(coef) || (last >= 0 && !add_strand(r, spatial, last, site, coef))) {
                spatial->count = 0;
                return;
            }
            last = site;
        } else {
            tn_machine_leave_out(r->machine, e->place, "wrapping of tendons around geoms (they go straight)");
        }
    }
}

size_t tn_mjcf_tendon_terms(mjcf_reader *r, const tn_xml *tendon, mjcf_term out[MJCF_TENDON_TERMS])
{
    if (!tn_xml_is(tendon, "spatial"))
        return fixed_terms(r, tendon, out);
    size_t at = 0;
    while (at < r->spatial_count && r->spatials[at].tendon != tendon)
        at++;
    if (at == r->spatial_count) {
        if (!tn_mjcf_grow(r, &r->spatials, &r->spatial_capacity, r->spatial_count, sizeof *r->spatials))
            return 0;
        r->spatials[r->spatial_count++] = (mjcf_spatial){ .tendon = tendon };
        make_strands(r, &r->spatials[at]);
    }
    memcpy(out, r->spatials[at].terms, sizeof r->spatials[at].terms);
    return r->spatials[at].count;
}

/* "0.5 * J.position / (1 m) + ..." or the same of rates; J stands for a joint until the model is written. */
static void write_sum(tn_text *text, const mjcf_term *terms, size_t count, bool rate)
{
    for (size_t k = 0; k < count; k++) {
        const mjcf_joint *j = &terms[k].joint;
        const char *unit = j->hinge ? (rate ? "rad/s" : "rad") : rate ? "m/s" : "m";
        tn_text_add(text, "%s%.17g * " TN_JOINT_MARK ".%s%s / (1 %s)", k > 0 ? " + " : "", terms[k].coef * j->sign, j->joint,
                    j->coordinate, rate ? ".rate" : "", unit);
    }
    double shift = 0;
    for (size_t k = 0; k < count; k++)
        shift += terms[k].coef * terms[k].joint.shift;
    if (!rate && shift != 0)
        tn_text_add(text, " + %.17g", shift);
}

void tn_mjcf_effort(mjcf_reader *r, const mjcf_term *terms, size_t count, const char *name, const char *source, tn_span place,
                    const mjcf_law *law)
{
    for (size_t k = 0; k < count; k++) {
        const mjcf_joint *j = &terms[k].joint;
        tn_text text;
        char *value = NULL;
        tn_text_begin(&text, r->machine->context);
        tn_text_add(&text, "\"%.17g %s * ", terms[k].coef * j->sign, j->hinge ? "N m" : "N");
        tn_text_add(&text, law->bounded ? "clamp(%.17g" : "(%.17g", law->constant);
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
        if (law->bounded)
            tn_text_add(&text, ", %.17g, %.17g", law->low, law->high);
        tn_text_add(&text, ")\"");
        if (tn_text_take(&text, &value) < 0) {
            r->machine->status = TN_ERROR_MEMORY;
            return;
        }
        const char *own = count == 1 ? name : tn_machine_text(r->machine, "%s_%zu", name, k + 1);
        tn_machine_load *load = tn_machine_add_load(r->machine, own, "motor", place);
        load->source = source;
        load->joint = j->joint;
        load->coordinate = j->coordinate;
        tn_load_value(r->machine, load, "value", "%s", value);
        tn_free(r->machine->context, value);
    }
}

/* Length of the tendon in the pose of the file. */
static double length_of(const mjcf_term *terms, size_t count)
{
    double length = 0;
    for (size_t k = 0; k < count; k++)
        length += terms[k].coef * terms[k].joint.ref;
    return length;
}

/* One strand with a spring is a spring between its ends. */
static void add_spring(mjcf_reader *r, const tn_xml *tendon, const mjcf_joint *strand, double stiffness, double rest, double damping)
{
    const tn_machine_joint joint = r->machine->joints[strand->joint];
    const char *name = tn_xml_get(tendon, "name");
    tn_machine_load *load = tn_machine_add_load(r->machine, name ? name : "tendon", "spring", tendon->place);
    load->source = "spatial tendon";
    load->body1 = joint.body1;
    load->body2 = joint.body2;
    load->frame1 = joint.frame1;
    load->frame2 = joint.frame2;
    tn_load_value(r->machine, load, "stiffness", "%.17g", stiffness);
    tn_load_value(r->machine, load, "length", "%.17g", rest);
    tn_load_value(r->machine, load, "damping", "%.17g", damping);
}

/* The range of a tendon that is one strand, or one joint, is that of its coordinate. */
static void read_range(mjcf_reader *r, const tn_xml *tendon, const tn_xml *full)
{
    double range[2];
    mjcf_term terms[MJCF_TENDON_TERMS];
    if (!tn_mjcf_range(r, full, "limited", "range", range))
        return;
    size_t count = tn_xml_is(tendon, "spatial") ? tn_mjcf_tendon_terms(r, tendon, terms) : 0;
    bool holds = count == 1 && terms[0].coef == 1 && terms[0].joint.ref >= range[0] && terms[0].joint.ref <= range[1];
    if (!holds) {
        tn_machine_leave_out(r->machine, tendon->place, "limits of tendons");
        return;
    }
    tn_machine_coordinate *c = tn_joint_coordinate(&r->machine->joints[terms[0].joint.joint], "length");
    c->low = range[0];
    c->high = range[1];
}

void tn_mjcf_tendon_spring(mjcf_reader *r, const tn_xml *tendon, const tn_xml *full)
{
    double stiffness = tn_attribute_number(r->machine, full, "stiffness", 0), rest[2] = { -1, -1 };
    double damping = tn_attribute_number(r->machine, full, "damping", 0);
    const char *text = tn_xml_get(full, "springlength"), *name = tn_xml_get(tendon, "name");
    mjcf_term terms[MJCF_TENDON_TERMS];
    read_range(r, tendon, full);
    static const char *const others[] = { "frictionloss", "armature" };
    for (size_t i = 0; i < TN_LENGTH(others); i++)
        if (tn_attribute_number(r->machine, full, others[i], 0) > 0)
            tn_machine_leave_out(r->machine, tendon->place, "%s of tendons", others[i]);
    if (tn_xml_get(full, "actuatorfrcrange"))
        tn_machine_leave_out(r->machine, tendon->place, "actuatorfrcrange of tendons");
    if (stiffness == 0 && damping == 0)
        return;
    size_t count = tn_mjcf_tendon_terms(r, tendon, terms);
    int given = text ? tn_parse_numbers(rest, 2, text) : 0;
    if (given == 2 && rest[1] > rest[0])
        tn_machine_leave_out(r->machine, tendon->place, "dead band of springs of tendons (the middle is taken)");
    double middle = given == 2 ? 0.5 * (rest[0] + rest[1]) : rest[0] >= 0 ? rest[0] : length_of(terms, count);
    if (count == 1 && tn_xml_is(tendon, "spatial") && terms[0].coef == 1) {
        add_spring(r, tendon, &terms[0].joint, stiffness, middle, damping);
        return;
    }
    const mjcf_law law = { .constant = stiffness * middle, .by_length = -stiffness, .by_rate = -damping };
    tn_mjcf_effort(r, terms, count, name ? name : "tendon", tn_xml_is(tendon, "spatial") ? "spatial tendon" : "fixed tendon",
                   tendon->place, &law);
    if (count == 0)
        tn_machine_leave_out(r->machine, tendon->place, "stiffness and damping of tendons of more than %d joints, or of sites that are not there", MJCF_TENDON_TERMS);
}
