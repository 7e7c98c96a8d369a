/* How components answer to forces on their ports: W with D = weight W W', from D or from a root of it, as they tell it.
 * */
#include "coupling_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "dense.h"
#include "vec.h"

/* D may be off symmetry, and its pivots below zero, by this part of the largest diagonal entries of their kind. */
static const double ASYMMETRY = 1e-7, INDEFINITE = 1e-7;
/* Pivots of D below this part of their diagonal entry are round-off; so are diagonal entries below a part of the
 * largest one of their kind, more where D is a difference of answers. */
static const double PIVOT_FLOOR = 1e-12, DIAGONAL_FLOOR = 1e-20, DIFFERENCE_FLOOR = 1e-12;
/* Rows of a root are independent when a row's square is this part of the longest before it, and what is not along those
 * before it this part of its own. */
static const double CLEARLY = 1e-8;

/* ---- D ---- */

/* Of a component that does not show D: what unit forces change. */
static int ask_units(tn_coupled *component)
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

/* Largest diagonal entry of either kind. */
static void largest_entries(const tn_coupled *component, double most[2])
{
    const tn_coupled_response *r = &component->response;
    most[0] = most[1] = 0;
    for (int j = 0; j < component->of->columns; j++)
        most[component->of->turns[j]] = fmax(most[component->of->turns[j]], fabs(r->D[j + j * component->of->columns]));
}

/* Makes D symmetric; false: it is not, by far. */
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

/* Columns that move at all, more than by round-off, in front; returns how many. */
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

/* Brings the column whose pivot is the largest part of its diagonal entry to place k; false: only round-off is left.
 * */
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

/* The k-th column of W, and what the pivots of the others lose by it. */
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

/* D = W W' by Cholesky's method with pivots; W has a column for each of them. False: D is indefinite. */
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

/* W by D. Returns what is wrong with D; NULL: nothing. */
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

static int ask_root(tn_coupled *component, tn_rank_rule rule)
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

static void square_root(const tn_coupled *component)
{
    const tn_coupled_response *r = &component->response;
    const int n = component->of->columns;
    memset(r->D, 0, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < r->root_rows; k++)
        for (int j = 0; j < n; j++)
            tn_add(n, r->T[j + k * n], r->T + k * n, r->D + j * n);
}

/* Whether the rows of T are independent beyond doubt: none is short, or near those before it. By Cholesky's method for
 * T T', in R. */
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

/* W by T: the same where its rows are independent. */
static const char *take_root(tn_coupled *component)
{
    tn_coupled_response *r = &component->response;
    if (!is_independent(component)) {
        square_root(component);
        return factorize_response(component);
    }
    r->rank = r->root_rows;
    memcpy(r->W, r->T, (size_t)(r->rank * component->of->columns) * sizeof(double));
    return NULL;
}

/* ---- W ---- */

/* How a component tells D. */
static const char *function_of(const tn_coupled *component)
{
    return has_root(component) ? "condense_root" : tn_only_responds(component->of) ? "respond" : "condense";
}

static int ask(tn_coupled *component, tn_rank_rule rule)
{
    tn_coupled_response *r = &component->response;
    return has_root(component) ? ask_root(component, rule)
           : tn_only_responds(component->of) ? ask_units(component)
                                             : component->type->condense(component->self, rule, r->D);
}

static bool is_finite(const tn_coupled *component)
{
    const tn_coupled_response *r = &component->response;
    const int n = component->of->columns;
    return has_root(component) ? tn_finite(r->root_rows * n, r->T) : tn_finite(n * n, r->D);
}

/* Scales W, so that it compares to one in its translations. Columns that move by round-off only stand still. */
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

/* W from the answer. Returns what is wrong with it; NULL: nothing. */
static const char *finish(tn_coupled *component)
{
    const char *wrong = has_root(component) ? take_root(component) : factorize_response(component);
    if (!wrong)
        weigh(component);
    return wrong;
}

static int condense(tn_eval *e, const tn_system *s, tn_coupled *component, tn_rank_rule rule)
{
    tn_coupled_response *r = &component->response;
    if (tn_coupled_is_condensed(component) && (rule == TN_RANK_KEEP || r->decided))
        return TN_OK;
    component->coupling->number++;
    TN_TRY(tn_coupled_passed(e, s, component, ask(component, rule), function_of(component)));
    if (!is_finite(component))
        return tn_coupled_note(e, s, component, TN_ERROR_STEP, "its response D is not finite");
    const char *wrong = finish(component);
    if (wrong)
        return tn_coupled_end_run(e, s, component, TN_ERROR_MODEL, wrong);
    r->point = component->at.number;
    r->decided = rule == TN_RANK_DECIDE;
    return TN_OK;
}

int tn_coupling_condense_levels(tn_eval *e, const tn_system *s, tn_rank_rule rule, tn_disclosure least,
                                tn_disclosure most)
{
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        const tn_disclosure shown = s->components[k].type->disclosure;
        TN_TRY(tn_coupled_place(e, s, &e->coupling->items[k]));
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
    const bool good = ask(component, TN_RANK_DECIDE) >= 0 && is_finite(component) && !finish(component);
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
