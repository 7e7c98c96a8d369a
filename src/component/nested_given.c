/* Start values of joints inside a nested model that are given exactly. The model around holds them while it assembles: it pushes
 * along their coordinates until all of them hold. */
#include "nested.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "dense.h"
#include "mem.h"

static const double HELD = 1e-9;               /* cosine below which a push does not move the coordinate */

static double given_value(const tn_joint *joint, int k)
{
    return joint->guess ? NAN : joint->start[k];
}

/* Lists the coordinates, or counts them only. */
static int list_given(const tn_system *s, tn_nested_start *out)
{
    int count = 0;
    for (int i = 0; i < s->own_constraints; i++) {
        const tn_joint *joint = &s->model->joints[s->constraints[i].source];
        for (int k = 0; k < s->coordinates[i].count; k++) {
            if (isnan(given_value(joint, k)) && isnan(joint->start_rate[k]))
                continue;
            if (out)
                out[count] = (tn_nested_start){ i, k };
            count++;
        }
    }
    return count;
}

int tn_nested_find_given(tn_nested *n)
{
    n->given_count = list_given(n->system, NULL);
    n->given = tn_arena_alloc(n->arena, (size_t)n->given_count, sizeof *n->given);
    n->row = tn_arena_alloc(n->arena, (size_t)n->system->velocities, sizeof(double));
    TN_TRY(tn_arena_status(n->arena));
    list_given(n->system, n->given);
    return TN_OK;
}

int tn_nested_given_count(const void *self)
{
    return ((const tn_nested *)self)->given_count;
}

/* A compiled model does not tell the names of its joints. */
static void write_name(char *out, size_t size, const tn_nested *n, const tn_joint *joint, const char *coordinate)
{
    if (n->host)
        snprintf(out, size, "'%s' of a joint inside", coordinate);
    else
        snprintf(out, size, "'%s' of joint '%.60s'", coordinate, joint->entity.name);
}

int tn_nested_given(void *self, int index, tn_component_given *out)
{
    tn_nested *n = self;
    const tn_system *s = n->system;
    const tn_nested_start *g = &n->given[index];
    const tn_joint *joint = &s->model->joints[s->constraints[g->constraint].source];
    const tn_joint_form *form = tn_joint_form_of(s->model, joint->type);
    double values[TN_MAX_COORDINATES], rates[TN_MAX_COORDINATES];
    tn_eval_coordinates(n->at.e, s, n->memory, g->constraint, 0, values);
    tn_eval_coordinates(n->at.e, s, n->memory, g->constraint, 1, rates);
    *out = (tn_component_given){ .value = given_value(joint, g->coordinate), .rate = joint->start_rate[g->coordinate],
                                 .value_now = values[g->coordinate], .rate_now = rates[g->coordinate] };
    write_name(out->name, sizeof out->name, n, joint, form->coordinates[g->coordinate].name);
    snprintf(out->unit, sizeof out->unit, "%s", form->coordinates[g->coordinate].unit);
    return TN_OK;
}

/* a = P M^-1 c' for the gradient c of the coordinate, where P keeps the joints inside. */
int tn_nested_push(void *self, tn_question question, int index, double amount, double *out)
{
    tn_nested *n = self;
    const tn_system *s = n->system;
    const tn_nested_start *g = &n->given[index];
    double value, rate;
    TN_TRY(tn_nested_factor_once(n));
    memset(n->row, 0, (size_t)s->velocities * sizeof(double));
    memset(n->u, 0, (size_t)s->rows * sizeof(double));
    tn_eval_coordinate_row(n->at.e, s, n->memory, g->constraint, g->coordinate, &value, &rate, n->row);
    n->solved = -1;
    TN_TRY(tn_condenser_free(n->r, n->condenser, n->row, n->u));
    TN_TRY(tn_condenser_back_substitute(n->a, n->at.e->lambda, n->condenser, NULL));
    /* gain = |c| |a| cos of the angle between them; round-off where something inside holds the coordinate */
    const double gain = tn_dot(s->velocities, n->row, n->a);
    const double most = sqrt(tn_dot(s->velocities, n->row, n->row) * tn_dot(s->velocities, n->a, n->a));
    const double part = gain > HELD * most ? amount / gain : 0;
    for (int j = 0; j < s->velocities; j++)
        n->a[j] *= part;
    tn_nested_move(n, question, n->a, out);
    return TN_OK;
}
