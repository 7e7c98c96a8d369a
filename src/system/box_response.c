/* How boxes answer to forces on their ports: W with D = weight W W', from D or from a root of it, as their components
 * show it. */
#include "boxes.h"

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
static int ask_units(tn_box *box)
{
    const tn_component *c = &box->instance.component;
    const int n = box->columns;
    TN_TRY(c->type->respond(c->self, TN_ASK_ACCELERATIONS, NULL, box->answer));
    for (int j = 0; j < n; j++) {
        memset(box->tau, 0, (size_t)n * sizeof(double));
        box->tau[j] = 1;
        TN_TRY(c->type->respond(c->self, TN_ASK_ACCELERATIONS, box->tau, box->D + j * n));
        for (int i = 0; i < n; i++)
            box->D[i + j * n] -= box->answer[i];
    }
    return TN_OK;
}

/* Largest diagonal entry of either kind. */
static void largest_entries(const tn_box *box, double most[2])
{
    most[0] = most[1] = 0;
    for (int j = 0; j < box->columns; j++)
        most[box->turns[j]] = fmax(most[box->turns[j]], fabs(box->D[j + j * box->columns]));
}

/* Makes D symmetric; false: it is not, by far. */
static bool symmetrize(const tn_box *box, const double most[2])
{
    const int n = box->columns;
    const double unit[2] = { sqrt(most[0]), sqrt(most[1]) };
    double *D = box->D;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double mean = 0.5 * (D[i + j * n] + D[j + i * n]), off = fabs(D[i + j * n] - D[j + i * n]);
            if (off > ASYMMETRY * unit[box->turns[i]] * unit[box->turns[j]])
                return false;
            D[i + j * n] = D[j + i * n] = mean;
        }
    return true;
}

/* Columns that move at all, more than by round-off, in front; returns how many. */
static int sort_columns(tn_box *box, const double most[2])
{
    const bool shown = box->instance.component.type->disclosure >= TN_DISCLOSE_CONDENSED;
    const double floor = shown ? DIAGONAL_FLOOR : DIFFERENCE_FLOOR;
    int moving = 0, still = box->columns;
    for (int j = 0; j < box->columns; j++)
        if (box->D[j + j * box->columns] > floor * most[box->turns[j]])
            box->order[moving++] = j;
        else
            box->order[--still] = j;
    return moving;
}

/* Brings the column whose pivot is the largest part of its diagonal entry to place k; false: only round-off is left.
 * */
static bool take_pivot(const tn_box *box, int k, int count, const double *pivot)
{
    int best = -1;
    double most = PIVOT_FLOOR;
    for (int i = k; i < count; i++) {
        const int j = box->order[i];
        if (pivot[j] > most * box->D[j + j * box->columns]) {
            most = pivot[j] / box->D[j + j * box->columns];
            best = i;
        }
    }
    if (best < 0)
        return false;
    const int p = box->order[best];
    box->order[best] = box->order[k];
    box->order[k] = p;
    return true;
}

/* The k-th column of W, and what the pivots of the others lose by it. */
static void eliminate(tn_box *box, int k, int count, double *pivot)
{
    const int n = box->columns, p = box->order[k];
    double *w = box->W + k * n, *rest = box->tau;
    memcpy(rest, box->D + p * n, (size_t)n * sizeof(double));
    for (int m = 0; m < k; m++) {
        const double *before = box->W + m * n, part = before[p];
        for (int j = 0; j < n; j++)
            rest[j] -= before[j] * part;
    }
    w[p] = sqrt(pivot[p]);
    for (int i = k + 1; i < count; i++) {
        const int j = box->order[i];
        w[j] = rest[j] / w[p];
        pivot[j] -= w[j] * w[j];
    }
}

static bool is_definite(const tn_box *box, const double *pivot, const double most[2])
{
    for (int j = 0; j < box->columns; j++)
        if (pivot[j] < -INDEFINITE * most[box->turns[j]])
            return false;
    return true;
}

/* D = W W' by Cholesky's method with pivots; W has a column for each of them. False: D is indefinite. */
static bool factorize(tn_box *box, const double most[2])
{
    const int n = box->columns, count = sort_columns(box, most);
    double *pivot = box->answer;
    memset(box->W, 0, (size_t)(n * n) * sizeof(double));
    for (int j = 0; j < n; j++)
        pivot[j] = box->D[j + j * n];
    for (box->rank = 0; box->rank < count && take_pivot(box, box->rank, count, pivot); box->rank++)
        eliminate(box, box->rank, count, pivot);
    return is_definite(box, pivot, most);
}

/* W by D. Returns what is wrong with D; NULL: nothing. */
static const char *factorize_response(tn_box *box)
{
    double most[2];
    largest_entries(box, most);
    if (!symmetrize(box, most))
        return "its response D to forces on its ports is not symmetric";
    return factorize(box, most) ? NULL : "its response D to forces on its ports is indefinite";
}

/* ---- a root of D ---- */

static bool has_root(const tn_box *box)
{
    return !tn_box_only_responds(box) && box->instance.component.type->condense_root;
}

static int ask_root(tn_box *box, tn_rank_rule rule)
{
    const tn_component *c = &box->instance.component;
    TN_TRY(c->type->condense_root(c->self, rule, &box->root_rows, box->T));
    if (box->root_rows >= 0 && box->root_rows <= box->columns)
        return TN_OK;
    snprintf(box->instance.trouble, sizeof box->instance.trouble, "condense_root gives %d rows for %d columns",
             box->root_rows, box->columns);
    return TN_ERROR_MODEL;
}

static void square_root(const tn_box *box)
{
    const int n = box->columns;
    memset(box->D, 0, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < box->root_rows; k++)
        for (int j = 0; j < n; j++)
            tn_add(n, box->T[j + k * n], box->T + k * n, box->D + j * n);
}

/* Whether the rows of T are independent beyond doubt: none is short, or near those before it. By Cholesky's method for
 * T T', in R. */
static bool is_independent(const tn_box *box)
{
    const int n = box->columns, m = box->root_rows;
    double *L = box->R, longest = 0;
    for (int i = 0; i < m; i++) {
        const double *row = box->T + i * n;
        double square = tn_dot(n, row, row), left = square;
        longest = fmax(longest, square);
        for (int j = 0; j < i; j++) {
            const double part = tn_dot(n, row, box->T + j * n) - tn_dot(j, L + i * n, L + j * n);
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
static const char *take_root(tn_box *box)
{
    if (!is_independent(box)) {
        square_root(box);
        return factorize_response(box);
    }
    box->rank = box->root_rows;
    memcpy(box->W, box->T, (size_t)(box->rank * box->columns) * sizeof(double));
    return NULL;
}

/* ---- W ---- */

/* How a component tells D. */
static const char *function_of(const tn_box *box)
{
    return has_root(box) ? "condense_root" : tn_box_only_responds(box) ? "respond" : "condense";
}

static int ask(tn_box *box, tn_rank_rule rule)
{
    const tn_component *c = &box->instance.component;
    return has_root(box) ? ask_root(box, rule)
           : tn_box_only_responds(box) ? ask_units(box) : c->type->condense(c->self, rule, box->D);
}

static bool is_finite(const tn_box *box)
{
    const int n = box->columns;
    return has_root(box) ? tn_finite(box->root_rows * n, box->T) : tn_finite(n * n, box->D);
}

/* Scales W, so that it compares to one in its translations. Columns that move by round-off only stand still. */
static void weigh(tn_box *box)
{
    const int n = box->columns;
    double *square = box->reach, most[2] = { 0 };
    memset(square, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < box->rank; k++)
        for (int j = 0; j < n; j++)
            square[j] += box->W[j + k * n] * box->W[j + k * n];
    for (int j = 0; j < n; j++)
        most[box->turns[j]] = square[j] > most[box->turns[j]] ? square[j] : most[box->turns[j]];
    box->weight = most[0] > 0 ? most[0] : most[1] > 0 ? most[1] : 1;
    const double scale = 1 / sqrt(box->weight);
    for (int k = 0; k < box->rank * n; k++)
        box->W[k] *= scale;
    for (int j = 0; j < n; j++) {
        const bool still = square[j] <= DIAGONAL_FLOOR * most[box->turns[j]];
        box->reach[j] = still ? 0 : scale * sqrt(square[j]);
        for (int k = 0; k < box->rank && still; k++)
            box->W[j + k * n] = 0;
    }
}

/* W from the answer. Returns what is wrong with it; NULL: nothing. */
static const char *finish(tn_box *box)
{
    const char *wrong = has_root(box) ? take_root(box) : factorize_response(box);
    if (!wrong)
        weigh(box);
    return wrong;
}

static int condense(tn_eval *e, const tn_system *s, tn_box *box, tn_rank_rule rule)
{
    if (box->condensed && (rule == TN_RANK_KEEP || box->decided))
        return TN_OK;
    box->changes++;
    TN_TRY(tn_box_passed(e, s, box, ask(box, rule), function_of(box)));
    if (!is_finite(box))
        return tn_box_note(e, s, box, TN_ERROR_STEP, "its response D is not finite");
    const char *wrong = finish(box);
    if (wrong)
        return tn_box_end_run(e, s, box, TN_ERROR_MODEL, wrong);
    box->condensed = true;
    box->decided = rule == TN_RANK_DECIDE;
    return TN_OK;
}

int tn_boxes_condense_levels(tn_eval *e, const tn_system *s, tn_rank_rule rule, tn_disclosure least,
                             tn_disclosure most)
{
    for (int k = 0; k < s->box_count; k++) {
        const tn_disclosure shown = s->boxes[k].instance.component.type->disclosure;
        TN_TRY(tn_box_place(e, s, &s->boxes[k]));
        if (shown >= least && shown <= most)
            TN_TRY(condense(e, s, &s->boxes[k], rule));
    }
    return TN_OK;
}

int tn_boxes_condense(tn_eval *e, const tn_system *s, tn_rank_rule rule)
{
    return tn_boxes_condense_levels(e, s, rule, TN_DISCLOSE_RESPONSE, TN_DISCLOSE_OPEN);
}

int tn_box_freedoms(tn_box *box)
{
    const bool good = ask(box, TN_RANK_DECIDE) >= 0 && is_finite(box) && !finish(box);
    box->instance.trouble[0] = '\0';
    if (!good)
        return box->columns;
    return box->rank > 0 ? box->rank : 1;
}

/* ---- D tau ---- */

static void respond(const tn_box *box, const double *tau, double *answer)
{
    const int n = box->columns;
    double *sum = box->answer;
    memset(sum, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < box->rank; k++) {
        double along = 0;
        for (int j = 0; j < n; j++)
            along += box->W[j + k * n] * tau[box->column[j]];
        tn_add(n, box->weight * along, box->W + k * n, sum);
    }
    for (int j = 0; j < n; j++)
        answer[box->column[j]] = sum[j];
}

void tn_boxes_respond(const tn_system *s, const double *tau, double *answer)
{
    for (int n = 0; n < s->box_count; n++)
        respond(&s->boxes[n], tau, answer);
}

int tn_boxes_answer(tn_eval *e, const tn_system *s, const double *tau, double *answer)
{
    for (int n = 0; n < s->box_count; n++) {
        tn_box *box = &s->boxes[n];
        if (box->condensed) {
            respond(box, tau, answer);
            continue;
        }
        for (int j = 0; j < box->columns; j++)
            box->tau[j] = tau[box->column[j]];
        TN_TRY(tn_box_answer(e, s, box, box->tau, box->answer));
        for (int j = 0; j < box->columns; j++)
            answer[box->column[j]] = box->answer[j];
    }
    return TN_OK;
}
