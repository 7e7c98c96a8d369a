/* Derivatives of forces. A generalised force is the power per unit of a virtual velocity u:
 *     f . u = sum of effort (along)'(u) + force . (N' - M' - w1 x d)(u) + torque . (w2 - w1)(u)
 * Its derivative by a displacement has two parts: efforts, forces and torques change (tangents at the actual motion),
 * and the velocities that u causes at the points change (tangents at the motion u). The tape gives both exactly. The
 * stiffness of joint forces is the second part alone, with the equations in place of "along". */
#include "derivatives.h"

#include "unit_motions.h"
#include "vec.h"

/* ---- tangents of the leaves ---- */

/* Tangents of a frame for a displacement of its body, which has angular velocity w. */
static void displace_frame(const tn_eval *e, const tn_sys_frame *frame, const tn_unit_motion *by, const double w[3],
                           tn_leaf *leaf)
{
    double arm[3];
    tn_mul33(arm, (const double (*)[3])e->R[frame->body], frame->p);
    tn_cross3(leaf[TN_LEAF_POINT].x, by->omega, arm);
    tn_cross3(leaf[TN_LEAF_POINT].dx, w, leaf[TN_LEAF_POINT].x);
    tn_add3(leaf[TN_LEAF_POINT].x, leaf[TN_LEAF_POINT].x, by->linear);
    for (int k = 0; k < 3; k++) {
        tn_leaf *axis = &leaf[TN_LEAF_X + k];
        tn_mul33(arm, (const double (*)[3])e->R[frame->body], frame->axes[k]);
        tn_cross3(axis->x, by->omega, arm);
        tn_cross3(axis->dx, w, axis->x);
    }
}

/* Tangents of a frame for a velocity of its body: dx, and the angular velocity. */
static void push_frame(const tn_eval *e, const tn_sys_frame *frame, const tn_unit_motion *by, tn_leaf *leaf)
{
    double arm[3];
    tn_mul33(arm, (const double (*)[3])e->R[frame->body], frame->p);
    tn_cross3(leaf[TN_LEAF_POINT].dx, by->omega, arm);
    tn_add3(leaf[TN_LEAF_POINT].dx, leaf[TN_LEAF_POINT].dx, by->linear);
    for (int k = 0; k < 3; k++) {
        tn_mul33(arm, (const double (*)[3])e->R[frame->body], frame->axes[k]);
        tn_cross3(leaf[TN_LEAF_X + k].dx, by->omega, arm);
    }
    tn_copy3(leaf[TN_LEAF_W].x, by->omega);
}

/* Tangents of all leaves for a unit displacement. turning NULL: bodies have their actual angular velocity; otherwise
 * only the body of turning rotates. */
static void displace(tn_derivatives *d, const tn_eval *e, const tn_system *s, const tn_slot *slots, int count,
                     const tn_unit_motion *by, const tn_unit_motion *turning)
{
    static const double still[3];
    memset(d->tangents, 0, (size_t)(TN_LEAVES * count) * sizeof(tn_leaf));
    for (int k = 0; k < count; k++) {
        tn_leaf *leaf = d->tangents + TN_LEAVES * k;
        bool input = slots[k].kind == TN_SLOT_INPUT;
        if (((slots[k].kind == TN_SLOT_STATE || input) && by->index == s->velocities + slots[k].index) ||
            (slots[k].kind == TN_SLOT_UNKNOWN && by->index == s->velocities + s->states + slots[k].index))
            leaf->x[0] = 1;
        if (input && by->index == s->velocities + slots[k].index + 1)
            leaf->dx[0] = 1;
        int body = tn_body_of_slot(s, &slots[k]);
        if (body < 0 || body != by->body)
            continue;
        if (slots[k].kind == TN_SLOT_ANGLE)
            leaf->x[0] = by->omega[2];
        else
            displace_frame(e, &s->frames[slots[k].index], by,
                           !turning ? e->w[body] : turning->body == body ? turning->omega : still, leaf);
    }
}

/* Tangents of all leaves for a unit change of velocity. */
static void push(tn_derivatives *d, const tn_eval *e, const tn_system *s, const tn_slot *slots, int count,
                 const tn_unit_motion *by)
{
    memset(d->tangents, 0, (size_t)(TN_LEAVES * count) * sizeof(tn_leaf));
    for (int k = 0; k < count; k++) {
        tn_leaf *leaf = d->tangents + TN_LEAVES * k;
        int body = tn_body_of_slot(s, &slots[k]);
        if (body < 0 || body != by->body)
            continue;
        if (slots[k].kind == TN_SLOT_ANGLE)
            leaf->dx[0] = by->omega[2];
        else
            push_frame(e, &s->frames[slots[k].index], by, leaf);
    }
}

/* Sets the velocities of the leaves of e to those of one unit motion (NULL: all at rest). */
static void move_leaves(const tn_eval *e, const tn_system *s, const tn_slot *slots, int count, const tn_unit_motion *by)
{
    for (int k = 0; k < count; k++) {
        tn_leaf *leaf = e->leaves + TN_LEAVES * k;
        int body = tn_body_of_slot(s, &slots[k]);
        for (int n = 0; n < TN_LEAVES; n++)
            tn_zero3(leaf[n].dx);
        if (slots[k].kind == TN_SLOT_FRAME)
            tn_zero3(leaf[TN_LEAF_W].x);
        if (!by || body < 0 || body != by->body)
            continue;
        if (slots[k].kind == TN_SLOT_ANGLE)
            leaf->dx[0] = by->omega[2];
        else
            push_frame(e, &s->frames[slots[k].index], by, leaf);
    }
}

/* ---- forces ---- */

/* The values of a force, or their tangents: efforts, then force and torque, then rates of its states. */
typedef struct parts {
    int count;
    double value[TN_FORCE_EFFORTS + 6 + TN_FORCE_STATES];
} parts;

static parts read_parts(const tn_sys_force *f, const double *work,
                        double (*read)(const tn_tape *, const double *, int, int))
{
    parts p = { .count = 0 };
    const tn_tape *tape = f->formula->tape;
    for (int k = 0; k < f->effort_count; k++)
        p.value[p.count++] = read(tape, work, f->effort + k, 0);
    for (int k = 0; k < 3; k++) {
        p.value[p.count++] = f->force < 0 ? 0 : read(tape, work, f->force, k);
        p.value[p.count++] = f->torque < 0 ? 0 : read(tape, work, f->torque, k);
    }
    for (int k = 0; k < f->state_count; k++)
        p.value[p.count++] = read(tape, work, f->state_rate + k, 0);
    return p;
}

static double value_of(const tn_tape *tape, const double *work, int output, int component)
{
    return tn_tape_value(tape, work, output, component, 0);
}

/* For a unit motion of a body: the relative velocity at N that a force acts on, and the angular velocity that a torque
 * acts on. */
typedef struct action {
    double velocity[3], turning[3];
} action;

static double side_of(const tn_system *s, const tn_sys_force *f, int body)
{
    return body == s->frames[f->frame2].body ? 1 : body == s->frames[f->frame1].body ? -1 : 0;
}

static void origin(const tn_eval *e, const tn_system *s, int body, double r[3])
{
    tn_zero3(r);
    for (int k = 0; k < s->dimension; k++)
        r[k] = e->q[s->bodies[body].q + k];
}

static action action_at(const tn_eval *e, const tn_system *s, const tn_sys_force *f, const double N[3], const tn_unit_motion *by)
{
    action a = { { 0 }, { 0 } };
    double arm[3], sign = side_of(s, f, by->body);
    origin(e, s, by->body, arm);
    tn_sub3(arm, N, arm);
    tn_cross3(a.velocity, by->omega, arm);
    for (int k = 0; k < 3; k++) {
        a.velocity[k] = sign * (a.velocity[k] + by->linear[k]);
        a.turning[k] = sign * by->omega[k];
    }
    return a;
}

/* Change of action_at().velocity: the arm from the moving body's origin to N changes. */
static void change_of_action(const tn_eval *e, const tn_system *s, const tn_sys_force *f, const double N[3],
                             const tn_unit_motion *by, const tn_unit_motion *displaced, double change[3])
{
    double arm[3] = { 0 }, r[3], sign = side_of(s, f, by->body);
    if (displaced->body == s->frames[f->frame2].body) {
        origin(e, s, displaced->body, r);
        tn_sub3(r, N, r);
        tn_cross3(arm, displaced->omega, r);
        if (by->body != displaced->body)
            tn_add3(arm, arm, displaced->linear);
    } else if (displaced->body == by->body) {
        for (int k = 0; k < 3; k++)
            arm[k] = -displaced->linear[k];
    }
    tn_cross3(change, by->omega, arm);
    for (int k = 0; k < 3; k++)
        change[k] *= sign;
}

/* Tangents of the parts for all columns: first of displacements, then of velocities. */
static void differentiate_parts(tn_derivatives *d, tn_eval *e, const tn_system *s, const tn_sys_force *f,
                                const tn_unit_motions *columns, int size)
{
    const tn_formula *formula = f->formula;
    for (int j = 0; j < columns->count; j++) {
        parts p;
        displace(d, e, s, formula->slots, formula->slot_count, &columns->items[j], NULL);
        tn_tape_tangent(formula->tape, d->tangents, e->work);
        p = read_parts(f, e->work, tn_tape_tangent_value);
        memcpy(d->changes + 2 * j * size, p.value, (size_t)size * sizeof(double));
        push(d, e, s, formula->slots, formula->slot_count, &columns->items[j]);
        tn_tape_tangent(formula->tape, d->tangents, e->work);
        p = read_parts(f, e->work, tn_tape_tangent_value);
        memcpy(d->changes + (2 * j + 1) * size, p.value, (size_t)size * sizeof(double));
    }
}

/* Writes the row of a unit motion: the parts change, and the velocities that they act on change. */
static void write_row(tn_derivatives *d, tn_eval *e, const tn_system *s, const tn_sys_force *f, const parts *now,
                      const double N[3], const tn_unit_motion *by, const tn_unit_motions *columns, double *position,
                      double *velocity)
{
    const tn_formula *formula = f->formula;
    tn_tape_input input = { .t = e->t, .leaves = e->leaves, .parameters = formula->parameters,
                            .memory = e->memory_work };
    double rate[TN_FORCE_EFFORTS];
    bool wrench = f->force >= 0 || f->torque >= 0;
    action a = wrench ? action_at(e, s, f, N, by) : (action){ { 0 }, { 0 } };
    if (f->effort_count > 0) {
        move_leaves(e, s, formula->slots, formula->slot_count, by);
        tn_tape_forward(formula->tape, &input, 1, e->work);
    }
    for (int k = 0; k < f->effort_count; k++)
        rate[k] = tn_tape_value(formula->tape, e->work, f->along + k, 0, 1);
    for (int j = 0; j < columns->count; j++) {
        const double *dx = d->changes + 2 * j * now->count, *dv = dx + now->count;
        double change[3] = { 0 };
        position[j] = velocity[j] = 0;
        if (f->effort_count > 0 && columns->items[j].body >= 0) {
            displace(d, e, s, formula->slots, formula->slot_count, &columns->items[j], by);
            tn_tape_tangent(formula->tape, d->tangents, e->work);
        }
        for (int k = 0; k < f->effort_count; k++) {
            double turn = columns->items[j].body < 0 ? 0
                              : tn_tape_tangent_rate(formula->tape, e->work, f->along + k, 0);
            position[j] += dx[k] * rate[k] + now->value[k] * turn;
            velocity[j] += dv[k] * rate[k];
        }
        if (wrench && columns->items[j].body >= 0)
            change_of_action(e, s, f, N, by, &columns->items[j], change);
        for (int k = 0; wrench && k < 3; k++) {
            int at = f->effort_count + 2 * k;
            position[j] += dx[at] * a.velocity[k] + dx[at + 1] * a.turning[k] + now->value[at] * change[k];
            velocity[j] += dv[at] * a.velocity[k] + dv[at + 1] * a.turning[k];
        }
    }
}

/* Each rate is its unknown. */
static int differentiate_external(tn_derivatives *d, const tn_sys_force *f, int at)
{
    for (int i = 0; i < f->state_count; i++)
        for (int j = 0; j < f->state_count; j++, at++) {
            d->position[at] = i == j;
            d->velocity[at] = 0;
        }
    return at;
}

/* Derivatives of an output of an affine formula: the factors of what it reads. */
static int write_factors(tn_derivatives *d, const tn_formula *f, int output, double sign, int at)
{
    for (int k = 0; k < f->slot_count; k++)
        if (f->slots[k].kind != TN_SLOT_MEMORY) {
            d->position[at] = sign * f->affine[output * (1 + f->slot_count) + 1 + k];
            d->velocity[at++] = 0;
        }
    return at;
}

static int differentiate_force(tn_derivatives *d, tn_eval *e, const tn_system *s, const tn_sys_force *f,
                               const double *memory, int at)
{
    if (tn_force_external(s, f))
        return differentiate_external(d, f, at);
    if (f->formula->affine && f->effort_count == 0 && f->force < 0 && f->torque < 0) {
        for (int k = 0; k < f->state_count; k++)
            at = write_factors(d, f->formula, f->state_rate + k, 1, at);
        return at;
    }
    tn_unit_motions rows, columns;
    double N[3] = { 0 };
    tn_motions_of_force(&rows, s, f);
    tn_motions_read_by(&columns, s, f->formula);
    tn_formula_evaluate(f->formula, e, memory, NULL, 1);
    parts now = read_parts(f, e->work, value_of);
    differentiate_parts(d, e, s, f, &columns, now.count);
    if (f->type->place == TN_PLACE_FRAMES)
        tn_copy3(N, e->leaves[TN_LEAVES + TN_LEAF_POINT].x);
    for (int i = 0; i < rows.count; i++, at += columns.count) {
        if (rows.items[i].body >= 0) {
            write_row(d, e, s, f, &now, N, &rows.items[i], &columns, d->position + at, d->velocity + at);
            continue;
        }
        int part = now.count - f->state_count + (rows.items[i].index - s->velocities - f->state);
        for (int j = 0; j < columns.count; j++) {
            d->position[at + j] = d->changes[2 * j * now.count + part];
            d->velocity[at + j] = d->changes[(2 * j + 1) * now.count + part];
        }
    }
    return at;
}

/* Differentiates - w x J w, where J = R I R' rotates with the body: dJ = [x] J - J [x]. */
static int differentiate_spin(tn_derivatives *d, const tn_eval *e, const tn_system *s, int b, int at)
{
    const double *J = e->M + s->structure.mass_offset[b] + 6 * 3 + 3, *w = e->w[b];
    double spin[3];
    tn_spin(e, s, b, spin);
    for (int j = 0; j < 3; j++) {
        double axis[3] = { j == 0, j == 1, j == 2 }, Jw[3], turned[3], part[3], moved[3];
        /* displacement: dJ w = axis x J w - J (axis x w) */
        tn_cross3(moved, axis, w);
        tn_cross3(turned, axis, spin);
        for (int k = 0; k < 3; k++) {
            turned[k] -= tn_dot3(J + 6 * k, moved);
            Jw[k] = J[6 * k + j];
        }
        tn_cross3(part, w, turned);
        for (int k = 0; k < 3; k++)
            d->position[at + 3 * k + j] = -part[k];
        tn_cross3(part, axis, spin);
        tn_cross3(moved, w, Jw);
        for (int k = 0; k < 3; k++)
            d->velocity[at + 3 * k + j] = -part[k] - moved[k];
    }
    return at + 9;
}

/* Differentiates an equation whose value an FMU gives: x - value. */
static int differentiate_guest(tn_derivatives *d, tn_eval *e, const tn_system *s, int k, const double *memory, int at)
{
    tn_unit_motions columns;
    const int unknowns = s->velocities + s->states;
    tn_motions_read_by(&columns, s, s->network->variables[k].formula);
    for (int j = 0; j < columns.count; j++, at++) {
        const int index = columns.items[j].index;
        const char *why;
        double value;
        tn_external_derivative(e, s, memory, k, index >= unknowns ? index - unknowns : -1, index - s->velocities, &value, &why);
        d->position[at] = -value;
        d->velocity[at] = 0;
    }
    d->position[at] = 1;
    d->velocity[at] = 0;
    return at + 1;
}

/* Differentiates an equation of the network; the equation of a signal is x - expression. */
static int differentiate_equation(tn_derivatives *d, tn_eval *e, const tn_system *s, int k, const double *memory, int at)
{
    const tn_variable *variable = &s->network->variables[k];
    const tn_formula *f = variable->formula;
    const bool signal = variable->kind == TN_VARIABLE_SIGNAL;
    const double sign = signal ? -1 : 1;
    if (variable->external) {
        tn_network_evaluate(e, s, memory);
        return differentiate_guest(d, e, s, k, memory, at);
    }
    tn_unit_motions columns;
    columns.count = 0;
    if (f->affine) {
        at = write_factors(d, f, 0, sign, at);
    } else {
        tn_motions_read_by(&columns, s, f);
        tn_formula_evaluate(f, e, memory, NULL, 1);
    }
    for (int j = 0; j < columns.count; j++, at++) {
        displace(d, e, s, f->slots, f->slot_count, &columns.items[j], NULL);
        tn_tape_tangent(f->tape, d->tangents, e->work);
        d->position[at] = sign * tn_tape_tangent_value(f->tape, e->work, 0, 0);
        push(d, e, s, f->slots, f->slot_count, &columns.items[j]);
        tn_tape_tangent(f->tape, d->tangents, e->work);
        d->velocity[at] = sign * tn_tape_tangent_value(f->tape, e->work, 0, 0);
    }
    d->position[at] = signal;
    d->velocity[at] = 0;
    return at + 1;
}

void tn_open_derivatives(tn_derivatives *d, tn_eval *e, const tn_system *s, const double *memory)
{
    int at = 0;
    for (int b = 0; b < s->body_count; b++)
        if (s->bodies[b].motion == TN_MOTION_SPATIAL)
            at = differentiate_spin(d, e, s, b, at);
    for (int k = 0; k < s->force_count; k++)
        at = differentiate_force(d, e, s, &s->forces[k], memory, at);
    tn_field_derivatives(d, e, s, at);
    at += tn_field_entries(s);
    for (int k = 0; s->network && k < s->network->count; k++)
        at = differentiate_equation(d, e, s, k, memory, at);
}

/* ---- joints ---- */

static double pull_of_rows(const tn_eval *e, const tn_constraint *c)
{
    const tn_program *p = c->program;
    double sum = 0;
    for (int r = 0; r < c->rows; r++) {
        const tn_program_row *row = &p->rows[r];
        sum += e->lambda[c->row + r] *
               (row->velocity ? tn_tape_tangent_value(p->equations, e->work, row->output, row->component)
                              : tn_tape_tangent_rate(p->equations, e->work, row->output, row->component));
    }
    if (c->separation >= 0)
        sum += fabs(e->lambda[c->row]) * tn_tape_tangent_value(p->equations, e->work, p->separation, 0);
    return sum;
}

/* Derivatives of lambda times the rows' velocities at a unit motion (NULL: of their explicit rate in time). */
static void differentiate_rows(tn_derivatives *d, tn_eval *e, const tn_system *s, const tn_constraint *c,
                               const tn_slot *slots, const tn_tape_input *input, const tn_unit_motion *by,
                               const tn_unit_motions *columns, double *out)
{
    move_leaves(e, s, slots, c->slot_count, by);
    tn_tape_forward(c->program->equations, input, 1, e->work);
    for (int j = 0; j < columns->count; j++) {
        static const tn_unit_motion nothing = { .body = -1 };
        displace(d, e, s, slots, c->slot_count, &columns->items[j], by ? by : &nothing);
        tn_tape_tangent(c->program->equations, d->tangents, e->work);
        out[j] = pull_of_rows(e, c);
    }
}

void tn_joint_derivatives(tn_derivatives *d, tn_eval *e, const tn_system *s, const double *memory)
{
    int at = 0;
    for (int i = 0; i < s->constraint_count; i++) {
        const tn_constraint *c = &s->constraints[i];
        tn_unit_motions w;
        tn_motions_of_constraint(&w, s, i);
        tn_slot slots[2 * TN_MAX_COUPLED + 1];
        for (int k = 0; k < c->slot_count; k++)
            slots[k] = c->frames[k] >= 0 ? (tn_slot){ TN_SLOT_FRAME, c->frames[k], 0 }
                                         : (tn_slot){ TN_SLOT_STATE, -1 - c->frames[k], 0 };
        tn_tape_input input = tn_eval_constraint_input(e, s, i, memory);
        double *still = d->changes;
        memset(still, 0, (size_t)w.count * sizeof(double));
        if (c->program->timed)
            differentiate_rows(d, e, s, c, slots, &input, NULL, &w, still);
        for (int n = 0; n < w.count; n++, at += w.count) {
            differentiate_rows(d, e, s, c, slots, &input, &w.items[n], &w, d->position + at);
            for (int j = 0; j < w.count; j++)
                d->position[at + j] -= still[j];
        }
    }
}
