/* Masses and inertias that no body has, which imported machines often have: put right with a note. */
#include "machine.h"

#include "entities.h"
#include "vec.h"

/* A tensor without any moment gets that of a ball of this radius (m). */
static const double ASSUMED_RADIUS = 0.01;
/* How much the largest moment may exceed the sum of the others before the tensor counts as impossible: files are
 * rounded. */
static const double TRIANGLE_SLACK = 1e-9;

static void replace_tensor(tn_machine_body *body, const double moments[3], double Q[3][3])
{
    double I[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            I[i][j] = 0;
            for (int k = 0; k < 3; k++)
                I[i][j] += Q[i][k] * moments[k] * Q[j][k];
        }
    const double all[6] = { I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2] };
    memcpy(body->inertia, all, sizeof all);
}

static void check_tensor(tn_machine *machine, tn_machine_body *body)
{
    double moments[3], Q[3][3], largest = 0, least = INFINITY, sum = 0;
    tn_principal_axes(moments, Q, body->inertia);
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, moments[k]);
        least = fmin(least, moments[k]);
        sum += moments[k];
    }
    if (!(largest > 0)) {
        double moment = 0.4 * body->mass * ASSUMED_RADIUS * ASSUMED_RADIUS;
        const double ball[6] = { moment, moment, moment, 0, 0, 0 };
        memcpy(body->inertia, ball, sizeof ball);
        tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s' has mass but no moment of inertia: that of a "
                            "ball of 1 cm radius is assumed, %.3g kg m^2", body->name, moment);
        return;
    }
    if (least < -0.01 * largest) {
        for (int k = 0; k < 3; k++)
            moments[k] = fabs(moments[k]);
        replace_tensor(body, moments, Q);
        tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s': a principal moment of inertia is negative "
                            "(%.3g kg m^2): its size is taken", body->name, least);
        body->lenient = true;
    } else if (largest - (sum - largest) > TRIANGLE_SLACK * largest || least < 1e-6 * largest) {
        body->lenient = true;
        tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s': no body has these moments of inertia (%.4g, "
                            "%.4g, %.4g kg m^2); they are taken as given, with inertia_check: warn", body->name,
                            moments[0], moments[1], moments[2]);
    }
}

void tn_machine_check_masses(tn_machine *machine)
{
    for (size_t i = 1; i < machine->body_count; i++) {
        tn_machine_body *body = &machine->bodies[i];
        if (body->into != (int)i)
            continue;
        if (body->mass > 0) {
            check_tensor(machine, body);
            continue;
        }
        if (body->mass < 0)
            tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s' has a negative mass, %.3g kg: left out",
                                body->name, body->mass);
        body->mass = 0;
        memset(body->inertia, 0, sizeof body->inertia);
        body->lenient = true;
        body->mass_source = "none: 1e-6 kg is assumed";
        tn_machine_note_add(machine, TN_WARNING, body->place, "body '%s' has no mass: 1e-6 kg and 1e-8 kg m^2 are "
                            "assumed (inertia_check: warn); motion that only its own mass determines is fast",
                            body->name);
    }
}

void tn_machine_lift(tn_machine *machine, const char *source)
{
    for (size_t i = 1; i < machine->body_count; i++) {
        const tn_machine_body *body = &machine->bodies[i];
        const double *g = machine->gravity, weight = body->lift * body->mass;
        if (weight == 0 || (g[0] == 0 && g[1] == 0 && g[2] == 0))
            continue;
        tn_machine_load *load = tn_machine_add_load(machine, tn_machine_text(machine, "%s_gravcomp", body->name), "force", body->place);
        tn_pose at = tn_pose_identity();
        memcpy(at.p, body->com, sizeof at.p);
        load->source = source;
        load->body1 = TN_GROUND;
        load->body2 = (int)i;
        load->frame2 = at;
        load->frame1 = tn_pose_compose(&body->pose, &at);
        tn_load_value(machine, load, "value", "[%.17g, %.17g, %.17g]", -weight * g[0], -weight * g[1], -weight * g[2]);
    }
}
