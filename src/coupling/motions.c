/* Finds the forces on ports that cause a given motion of the ports. With D = w W W' and W = Q R, Q'Q = 1,
 *     tau = Q R'^-1 R^-1 Q'x / w
 * is the smallest tau with D tau = x; the difference to any other solution causes no motion. */
#include "coupling_impl.h"

#include <string.h>
#include "dense.h"

/* Q and R by the Gram-Schmidt method; the columns of W are independent. */
static void orthogonalize(const tn_coupled *component)
{
    const tn_coupled_response *response = &component->response;
    const int n = component->of->columns;
    memcpy(response->Q, response->W, (size_t)(n * response->rank) * sizeof(double));
    for (int c = 0; c < response->rank; c++) {
        double *q = response->Q + c * n, *r = response->R + c * n;
        for (int d = 0; d < c; d++) {
            r[d] = tn_dot(n, response->Q + d * n, q);
            for (int j = 0; j < n; j++)
                q[j] -= r[d] * response->Q[j + d * n];
        }
        r[c] = tn_norm2(n, q);
        for (int j = 0; j < n; j++)
            q[j] /= r[c];
    }
}

static void weigh(const tn_coupled *component, const double *x, double *out)
{
    const tn_coupled_response *response = &component->response;
    const int n = component->of->columns;
    double *part = component->answer, *own = component->tau;
    orthogonalize(component);
    for (int j = 0; j < n; j++)
        own[j] = x[component->of->column[j]];
    for (int c = 0; c < response->rank; c++)
        part[c] = tn_dot(n, response->Q + c * n, own);
    tn_upper_solve(response->rank, response->R, n, part);
    tn_upper_solve_transposed(response->rank, response->R, n, part);
    memset(own, 0, (size_t)n * sizeof(double));
    for (int c = 0; c < response->rank; c++)
        for (int j = 0; j < n; j++)
            own[j] += response->Q[j + c * n] * part[c] / response->weight;
    for (int j = 0; j < n; j++)
        out[component->of->column[j]] = own[j];
}

void tn_coupling_weigh(const tn_eval *e, const tn_system *s, const double *x, double *out)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++)
        weigh(&e->coupling->items[k], x, out);
}

int tn_coupling_follow(tn_eval *e, const tn_system *s, tn_question question, const double *x, double *z)
{
    tn_coupling_weigh(e, s, x, e->tau);
    return tn_coupling_take(e, s, question, e->tau, z, NULL);
}

int tn_coupling_move(tn_eval *e, const tn_system *s, double t, const double *from, const double *motion, double *to)
{
    if (s->component_count == 0)
        return TN_OK;
    tn_eval_motion(e, s, t, from, from + s->positions);
    TN_TRY(e->component_code);
    TN_TRY(tn_coupling_condense(e, s, TN_RANK_KEEP));
    return tn_coupling_follow(e, s, TN_ASK_POSITIONS, motion, to + s->positions + s->velocities);
}

double tn_coupling_strike(const tn_system *s, const double *tau, const double *v, const double *dv, double *z)
{
    double sum = 0;
    for (int k = 0; k < s->component_count; k++) {
        const tn_sys_component *component = &s->components[k];
        const int *column = component->column;
        double work = 0;
        for (int j = 0; j < component->columns; j++)
            work += tau[column[j]] * (v[column[j]] + 0.5 * dv[column[j]]);
        z[component->work] += work;
        sum += work;
    }
    return sum;
}
