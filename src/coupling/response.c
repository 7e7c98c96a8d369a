/* The response of components to forces on their ports: finds W with D = weight W W' from D, or from a root of D,
 * as the component returns. */
#include "coupling_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "dense.h"
#include "vec.h"

/* Allowed asymmetry of D and negative pivots, relative to the largest diagonal entries of their kind. */
static const double ASYMMETRY = 1e-7, INDEFINITE = 1e-7;
/* Round-off: pivots of D below PIVOT_FLOOR of their diagonal entry; diagonal entries below DIAGONAL_FLOOR of the
 * largest entry of their kind, or below DIFFERENCE_FLOOR where D is a difference of answers. */
static const double PIVOT_FLOOR = 1e-12, DIAGONAL_FLOOR = 1e-20, DIFFERENCE_FLOOR = 1e-12;
/* Rows of a root are independent when the square of each row exceeds this part of the longest square so far, and the
 * square of its part normal to the rows before it exceeds this part of its own square. */
static const double CLEARLY = 1e-8;

/* ---- D ---- */

/* Finds D of a component that does not show D, as the change of answers by unit forces. */
static int find_D_by_unit_forces(tn_coupled *component)
{
    tn_coupled_response *r = &component->response;
    const int n = component->of->columns;
    TN_TRY(component->type->respond(component->self, TN_ASK_ACCELERATIONS, NULL, component->answer));
    for (int j = 0; j < n; j++) {
        memset(component->tau, 0, (size_t)n * sizeof(double));
        component->tau[j] = 1;
        TN_TRY(component->type->respond(component->self, TN_ASK_ACCELERATIONS, component->tau, r->D + j * n));
        for (int i = 0; i < n; i++)
            r->D[i + j * n] -= component->answer[i];
    }
    return TN_OK;
}

/* Largest diagonal entry of each kind: translations, rotations. */
static void largest_entries(const tn_coupled *component, double most[2])
{
    const tn_coupled_response *r = &component->response;
    most[0] = most[1] = 0;
    for (int j = 0; j < component->of->columns; j++)
        most[component->of->turns[j]] = fmax(most[component->of->turns[j]], fabs(r->D[j + j * component->of->columns]));
}

/* Makes D symmetric; false: its asymmetry is more than round-off. */
static bool symmetrize(const tn_coupled *component, const double most[2])
{
    const tn_coupled_response *r = &component->response;
    const int n = component->of->columns;
    const double unit[2] = { sqrt(most[0]), sqrt(most[1]) };
    double *D = r->D;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double mean = 0.5 * (D[i + j * n] + D[j + i * n]), off = fabs(D[i + j * n] - D[j + i * n]);
            if (off > ASYMMETRY * unit[component->of->turns[i]] * unit[component->of->turns[j]])
                return false;
            D[i + j * n] = D[j + i * n] = mean;
        }
    return true;
}

/* Orders the columns that move by more than round-off first; returns their number. */
static int sort_columns(tn_coupled *component, const double most[2])
{
    tn_coupled_response *r = &component->response;
    const bool shown = component->type->disclosure >= TN_DISCLOSE_CONDENSED;
    const double floor = shown ? DIAGONAL_FLOOR : DIFFERENCE_FLOOR;
    int moving = 0, still = component->of->columns;
    for (int j = 0; j < component->of->columns; j++)
        if (r->D[j + j * component->of->columns] > floor * most[component->of->turns[j]])
            r->order[moving++] = j;
        else
            r->order[--still] = j;
    return moving;
}

/* Brings the column with the largest ratio of pivot to diagonal entry to place k; false: all that remain are
 * round-off. */
static bool take_pivot(const tn_coupled *component, int k, int count, const double *pivot)
{
    const tn_coupled_response *r = &component->response;
    int best = -1;
    double most = PIVOT_FLOOR;
    for (int i = k; i < count; i++) {
        const int j = r->order[i];
        if (pivot[j] > most * r->D[j + j * component->of->columns]) {
            most = pivot[j] / r->D[j + j * component->of->columns];
            best = i;
        }
    }
    if (best < 0)
        return false;
    const int p = r->order[best];
    r->order[best] = r->order[k];
    r->order[k] = p;
    return true;
}

/* Computes the k-th column of W, and updates the pivots of the remaining columns. */
static void eliminate(tn_coupled *component, int k, int count, double *pivot)
{
    tn_coupled_response *r = &component->response;
    const int n = component->of->columns, p = r->order[k];
    double *w = r->W + k * n, *rest = component->tau;
    memcpy(rest, r->D + p * n, (size_t)n * sizeof(double));
    for (int m = 0; m < k; m++) {
        const double *before = r->W + m * n, part = before[p];
        for (int j = 0; j < n; j++)
            rest[j] -= before[j] * part;
    }
    w[p] = sqrt(pivot[p]);
    for (int i = k + 1; i < count; i++) {
        const int j = r->order[i];
        w[j] = rest[j] / w[p];
        pivot[j] -= w[j] * w[j];
    }
}

static bool is_definite(const tn_coupled *component, const double *pivot, const double most[2])
{
    for (int j = 0; j < component->of->columns; j++)
        if (pivot[j] < -INDEFINITE * most[component->of->turns[j]])
            return false;
    return true;
}

/* D = W W' by Cholesky's method with pivoting; W has a column for each pivot. False: D is indefinite. */
static bool factorize(tn_coupled *component, const double most[2])
{
    tn_coupled_response *r = &component->response;
    const int n = component->of->columns, count = sort_columns(component, most);
    double *pivot = component->answer;
    memset(r->W, 0, (size_t)(n * n) * sizeof(double));
    for (int j = 0; j < n; j++)
        pivot[j] = r->D[j + j * n];
    for (r->rank = 0; r->rank < count && take_pivot(component, r->rank, count, pivot); r->rank++)
        eliminate(component, r->rank, count, pivot);
    return is_definite(component, pivot, most);
}

/* Finds W from D. Returns the error in D; NULL: none. */
static const char *factorize_response(tn_coupled *component)
{
    double most[2];
    largest_entries(component, most);
    if (!symmetrize(component, most))
        return "its response D to forces on its ports is not symmetric";
    return factorize(component, most) ? NULL : "its response D to forces on its ports is indefinite";
}

/* ---- a root of D ---- */

static bool has_root(const tn_coupled *component)
{
    return !tn_only_responds(component->of) && component->type->condense_root;
}

static int get_root(tn_coupled *component, tn_rank_rule rule)
{
    tn_coupled_response *r = &component->response;
    TN_TRY(component->type->condense_root(component->self, rule, &r->root_rows, r->T));
    if (r->root_rows >= 0 && r->root_rows <= component->of->columns)
        return TN_OK;
    snprintf(component->instance->trouble, sizeof component->instance->trouble,
             "condense_root gives %d rows for %d columns",
             r->root_rows, component->of->columns);
    return TN_ERROR_MODEL;
}

static void multiply_root(const tn_coupled *component)
{
    const tn_coupled_response *r = &component->response;
    const int n = component->of->columns;
    memset(r->D, 0, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < r->root_rows; k++)
        for (int j = 0; j < n; j++)
            tn_add(n, r->T[j + k * n], r->T + k * n, r->D + j * n);
}

/* The rows of T are clearly independent: none is short, or nearly dependent on the rows before it. By Cholesky's method
 * for T T', in R. */
static bool is_independent(const tn_coupled *component)
{
    const tn_coupled_response *r = &component->response;
    const int n = component->of->columns, m = r->root_rows;
    double *L = r->R, longest = 0;
    for (int i = 0; i < m; i++) {
        const double *row = r->T + i * n;
        double square = tn_dot(n, row, row), left = square;
        longest = fmax(longest, square);
        for (int j = 0; j < i; j++) {
            const double part = tn_dot(n, row, r->T + j * n) - tn_dot(j, L + i * n, L + j * n);
            L[j + i * n] = part / L[j + j * n];
            left -= L[j + i * n] * L[j + i * n];
        }
        if (!(left > CLEARLY * square && square > CLEARLY * longest))
            return false;
        L[i + i * n] = sqrt(left);
    }
    return true;
}

/* Finds W from T: W is T' where the rows of T are independent. */
static const char *take_root(tn_coupled *component)
{
    tn_coupled_response *r = &component->response;
    if (!is_independent(component)) {
        multiply_root(component);
        return factorize_response(component);
    }
    r->rank = r->root_rows;
    memcpy(r->W, r->T, (size_t)(r->rank * component->of->columns) * sizeof(double));
    return NULL;
}

/* ---- W ---- */

/* The function by which a component returns D. */
static const char *function_of(const tn_coupled *component)
{
    return has_root(component) ? "condense_root" : tn_only_responds(component->of) ? "respond" : "condense";
}

static int get_response(tn_coupled *component, tn_rank_rule rule)
{
    tn_coupled_response *r = &component->response;
    return has_root(component) ? get_root(component, rule)
           : tn_only_responds(component->of) ? find_D_by_unit_forces(component)
                                             : component->type->condense(component->self, rule, r->D);
}

static bool is_finite(const tn_coupled *component)
{
    const tn_coupled_response *r = &component->response;
    const int n = component->of->columns;
    return has_root(component) ? tn_finite(r->root_rows * n, r->T) : tn_finite(n * n, r->D);
}

/* Scales W so that the largest row of its translations is 1. Rows of W that are round-off become zero. */
static void weigh(tn_coupled *component)
{
    tn_coupled_response *r = &component->response;
    const int n = component->of->columns;
    const bool *turns = component->of->turns;
    double *square = r->reach, most[2] = { 0 };
    memset(square, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < r->rank; k++)
        for (int j = 0; j < n; j++)
            square[j] += r->W[j + k * n] * r->W[j + k * n];
    for (int j = 0; j < n; j++)
        most[turns[j]] = square[j] > most[turns[j]] ? square[j] : most[turns[j]];
    r->weight = most[0] > 0 ? most[0] : most[1] > 0 ? most[1] : 1;
    const double scale = 1 / sqrt(r->weight);
    for (int k = 0; k < r->rank * n; k++)
        r->W[k] *= scale;
    for (int j = 0; j < n; j++) {
        const bool still = square[j] <= DIAGONAL_FLOOR * most[turns[j]];
        r->reach[j] = still ? 0 : scale * sqrt(square[j]);
        for (int k = 0; k < r->rank && still; k++)
            r->W[j + k * n] = 0;
    }
}

/* Finds W from D or its root. Returns the error in it; NULL: none. */
static const char *find_W(tn_coupled *component)
{
    const char *wrong = has_root(component) ? take_root(component) : factorize_response(component);
    if (!wrong)
        weigh(component);
    return wrong;
}

static bool has_response(const tn_coupled *component, tn_rank_rule rule)
{
    return tn_coupled_is_condensed(component) && (rule == TN_RANK_KEEP || component->response.decided);
}

static int condense(tn_eval *e, const tn_system *s, tn_coupled *component, tn_rank_rule rule)
{
    tn_coupled_response *r = &component->response;
    if (has_response(component, rule))
        return TN_OK;
    component->coupling->number++;
    TN_TRY(tn_coupled_passed(e, s, component, get_response(component, rule), function_of(component)));
    if (!is_finite(component))
        return tn_coupled_note(e, s, component, TN_ERROR_STEP, "its response D is not finite");
    const char *wrong = find_W(component);
    if (wrong)
        return tn_coupled_end_run(e, s, component, TN_ERROR_MODEL, wrong);
    r->point = component->at.number;
    r->decided = rule == TN_RANK_DECIDE;
    return TN_OK;
}

int tn_coupling_condense_levels(tn_eval *e, const tn_system *s, tn_rank_rule rule, tn_disclosure least,
                                tn_disclosure most)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++)
        TN_TRY(tn_coupled_place(e, s, &e->coupling->items[k]));
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        const tn_coupled *component = &e->coupling->items[k];
        const tn_disclosure shown = s->components[k].type->disclosure;
        if (shown >= least && shown <= most && !has_response(component, rule) && !tn_only_responds(component->of))
            tn_coupled_begin(component, &(tn_component_request){
                                            .call = has_root(component) ? TN_CALL_CONDENSE_ROOT : TN_CALL_CONDENSE, .rule = rule });
    }
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        const tn_disclosure shown = s->components[k].type->disclosure;
        if (shown >= least && shown <= most)
            TN_TRY(condense(e, s, &e->coupling->items[k], rule));
    }
    return TN_OK;
}

int tn_coupling_condense(tn_eval *e, const tn_system *s, tn_rank_rule rule)
{
    return tn_coupling_condense_levels(e, s, rule, TN_DISCLOSE_RESPONSE, TN_DISCLOSE_OPEN);
}

int tn_coupled_find_freedoms(tn_coupled *component)
{
    tn_coupled_response *r = &component->response;
    const bool good = get_response(component, TN_RANK_DECIDE) >= 0 && is_finite(component) && !find_W(component);
    component->instance->trouble[0] = '\0';
    if (!good)
        return component->of->columns;
    return r->rank > 0 ? r->rank : 1;
}

/* ---- D tau ---- */

static void respond(const tn_coupled *component, const double *tau, double *answer)
{
    const tn_coupled_response *r = &component->response;
    const int n = component->of->columns;
    double *sum = component->answer;
    memset(sum, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < r->rank; k++) {
        double along = 0;
        for (int j = 0; j < n; j++)
            along += r->W[j + k * n] * tau[component->of->column[j]];
        tn_add(n, r->weight * along, r->W + k * n, sum);
    }
    for (int j = 0; j < n; j++)
        answer[component->of->column[j]] = sum[j];
}

void tn_coupling_respond(const tn_eval *e, const tn_system *s, const double *tau, double *answer)
{
    for (int n = 0; n < tn_coupled_count(e, s); n++)
        respond(&e->coupling->items[n], tau, answer);
}

int tn_coupling_answer(tn_eval *e, const tn_system *s, const double *tau, double *answer)
{
    for (int n = 0; n < tn_coupled_count(e, s); n++) {
        tn_coupled *component = &e->coupling->items[n];
        if (tn_coupled_is_condensed(component)) {
            respond(component, tau, answer);
            continue;
        }
        for (int j = 0; j < component->of->columns; j++)
            component->tau[j] = tau[component->of->column[j]];
        TN_TRY(tn_coupled_answer(e, s, component, component->tau, component->answer));
        for (int j = 0; j < component->of->columns; j++)
            answer[component->of->column[j]] = component->answer[j];
    }
    return TN_OK;
}
