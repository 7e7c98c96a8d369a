/* Finds independent coordinates (freedoms.h). Columns of G are compared after scaling by column_scale, rows after
 * scaling to length 1. With a QR factorization G' P = Q R by column pivoting, columns of Q behind the rank are an
 * orthonormal basis N of the displacements. Of the candidates with rows J, a pivoted QR factorization of (J N)' chooses
 * the coordinates. With J_c the rows of the coordinates, N (J_c N)^-1 has the displacement for a unit of each. */
#include "freedoms.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diag.h"
#include "elementary.h"

static const double RANK_TOLERANCE = 1e-6;     /* of scaled rows: as in the solvers */
/* A body's coordinate is chosen only if all joint coordinates, scaled alike, are weaker by this factor. */
static const double BODY_WEIGHT = 1e-3;

/* ---- candidates ---- */

static int turns_of(const tn_system *s, int body)
{
    tn_motion_kind motion = s->bodies[body].motion;
    return motion == TN_MOTION_PARTICLE ? 0 : motion == TN_MOTION_PLANAR ? 1 : 3;
}

int tn_freedoms_list(tn_freedom **out, const tn_system *s, tn_arena *arena)
{
    int count = 0;
    size_t most = (size_t)(s->constraint_count * TN_MAX_COORDINATES + s->velocities);
    tn_freedom *list = *out = tn_arena_alloc(arena, most, sizeof *list);
    if (!list)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < s->constraint_count; i++)
        for (int k = 0; k < s->coordinates[i].count; k++)
            list[count++] = (tn_freedom){ TN_FREEDOM_JOINT, i, k };
    for (int b = 0; b < s->body_count; b++) {
        for (int k = 0; k < s->dimension; k++)
            list[count++] = (tn_freedom){ TN_FREEDOM_POINT, b, k };
        for (int k = 0; k < turns_of(s, b); k++)
            list[count++] = (tn_freedom){ TN_FREEDOM_TURN, b, s->dimension == 2 ? 2 : k };
    }
    return count;
}

/* The body's own frame, as the model gives it. */
static tn_sys_frame own_frame(const tn_system *s, int body)
{
    tn_pose identity = tn_pose_identity();
    return tn_system_frame(s, s->bodies[body].source, &identity);
}

static int turn_column(const tn_system *s, const tn_freedom *f)
{
    return s->bodies[f->index].v + s->dimension + (s->dimension == 2 ? 0 : f->component);
}

void tn_freedom_row(const tn_freedom *f, tn_eval *e, const tn_system *s, const double *memory, double *row)
{
    double value, rate, gradient[3 * TN_LEAVES] = { 0 };
    memset(row, 0, (size_t)s->velocities * sizeof(double));
    if (f->kind == TN_FREEDOM_JOINT) {
        tn_eval_coordinate_row(e, s, memory, f->index, f->component, &value, &rate, row);
    } else if (f->kind == TN_FREEDOM_TURN) {
        row[turn_column(s, f)] = 1;
    } else {
        tn_sys_frame frame = own_frame(s, f->index);
        gradient[3 * TN_LEAF_POINT + f->component] = 1;
        tn_add_frame_gradient(e, s, &frame, gradient, row + s->bodies[f->index].v);
    }
}

static double turn_value(const tn_freedom *f, const tn_eval *e, const tn_system *s, int derivative)
{
    const tn_sys_body *body = &s->bodies[f->index];
    if (derivative > 0)
        return derivative == 1 ? e->w[f->index][f->component] : e->a[turn_column(s, f)];
    if (s->dimension == 3)
        return 0;
    tn_pose identity = tn_pose_identity(), own = tn_pose_relative(&body->offset, &identity);
    return e->q[body->q + 2] + 2 * tn_atan2(own.q[3], own.q[0]);
}

static double point_value(const tn_freedom *f, const tn_eval *e, const tn_system *s, int derivative)
{
    tn_sys_frame frame = own_frame(s, f->index);
    tn_frame_motion motion;
    double linear[3], angular[3];
    if (derivative == 2) {
        tn_frame_acceleration_of(e, s, &frame, linear, angular);
        return linear[f->component];
    }
    tn_frame_motion_of(e, s, &frame, &motion);
    return derivative == 1 ? motion.v[f->component] : motion.p[f->component];
}

double tn_freedom_value(const tn_freedom *f, tn_eval *e, const tn_system *s, const double *memory, int derivative)
{
    double values[TN_MAX_COORDINATES];
    if (f->kind == TN_FREEDOM_TURN)
        return turn_value(f, e, s, derivative);
    if (f->kind == TN_FREEDOM_POINT)
        return point_value(f, e, s, derivative);
    tn_eval_coordinates(e, s, memory, f->index, derivative, values);
    return values[f->component];
}

static const tn_coordinate_decl *declaration(const tn_freedom *f, const tn_system *s)
{
    const tn_joint *joint = tn_constraint_joint(s, f->index);
    return &tn_joint_form_of(s->model, joint->type)->coordinates[f->component];
}

const char *tn_freedom_owner(const tn_freedom *f, const tn_system *s)
{
    return f->kind == TN_FREEDOM_JOINT ? tn_constraint_name(s, f->index)
                                       : s->model->bodies[s->bodies[f->index].source].entity.name;
}

const char *tn_freedom_name(const tn_freedom *f, const tn_system *s, int derivative, tn_arena *arena)
{
    static const char *const axis[] = { ".x", ".y", ".z" };
    bool joint = f->kind == TN_FREEDOM_JOINT, point = f->kind == TN_FREEDOM_POINT;
    char text[512];
    const char *turn = derivative ? "angular_velocity" : s->dimension == 2 ? "angle" : "rotation";
    const char *what = joint ? declaration(f, s)->name : !point ? turn : derivative ? "velocity" : "position";
    const char *tail = joint ? (derivative ? ".rate" : "") : !point && s->dimension == 2 ? "" : axis[f->component];
    snprintf(text, sizeof text, "%s.%s%s", tn_freedom_owner(f, s), what, tail);
    return tn_arena_strdup(arena, text);
}

const char *tn_freedom_unit(const tn_freedom *f, const tn_system *s, int derivative)
{
    bool angle = f->kind == TN_FREEDOM_TURN || (f->kind == TN_FREEDOM_JOINT && declaration(f, s)->unit[0] == 'r');
    return angle ? (derivative ? "rad/s" : "rad") : derivative ? "m/s" : "m";
}

/* ---- null space ---- */

typedef struct chooser {
    const tn_system *s;
    tn_eval *e;
    const double *memory;
    const bool *left_out;
    tn_arena *arena;
    tn_freedom *candidates;
    int candidate_count;
    tn_matrix J;                   /* velocities x candidates: their rows, scaled, of length 1 */
    double *length;                /* divisors that gave the rows length 1 */
} chooser;

static double scale_of(const chooser *c, int column)
{
    double scale = c->s->structure.column_scale[column];
    return scale > 0 ? scale : 1;
}

static double norm(int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

static void normalize(int n, double *x)
{
    double length = norm(n, x);
    for (int k = 0; k < n && length > 0; k++)
        x[k] /= length;
}

/* The scaled rows of G that count as columns of A; returns how many. */
static int gather_rows(const chooser *c, bool velocity_rows, tn_matrix *A)
{
    const tn_structure *st = &c->s->structure;
    double rows[30];
    int count = 0;
    for (int i = 0; i < st->constraints; i++) {
        int first = st->constraint_row[i], height = st->constraint_row[i + 1] - first;
        for (int r = 0; r < height; r++) {
            if ((c->left_out && c->left_out[i]) || (c->s->velocity_row[first + r] && !velocity_rows))
                continue;
            double *column = tn_column(A, count++);
            for (int b = st->block_begin[i]; b < st->block_begin[i + 1]; b++) {
                int begin = st->body_column[st->block_body[b]], w = st->body_column[st->block_body[b] + 1] - begin;
                const double *G = tn_eval_block(c->e, c->s, i, b, rows) + r * w;
                for (int j = 0; j < w; j++)
                    column[begin + j] += G[j] / scale_of(c, begin + j);
            }
            normalize(A->rows, column);
        }
    }
    return count;
}

static int not_finite(const chooser *c, int code)
{
    return code < 0 ? code : tn_fail(c->s->context, TN_ERROR_STEP, TN_NOWHERE, "the joints' equations have no finite "
                                     "derivatives here");
}

/* Orthonormal, in scaled displacements. */
static int null_space(tn_matrix *out, const chooser *c, bool velocity_rows)
{
    int n = c->s->velocities, room = n > c->s->rows ? n : c->s->rows, rank = 0;
    tn_matrix A;
    TN_TRY(tn_matrix_new(&A, c->arena, n, room));
    int m = gather_rows(c, velocity_rows, &A), least = m < n ? m : n;
    lapack_int *pivots = tn_arena_alloc(c->arena, (size_t)m, sizeof *pivots);
    double *tau = tn_numbers(c->arena, n);
    if (!pivots || !tau)
        return TN_ERROR_MEMORY;
    int code = least > 0 ? tn_lapack_code(LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, m, A.at, n, pivots, tau)) : TN_OK;
    if (code != TN_OK)
        return not_finite(c, code);
    while (rank < least && fabs(tn_column(&A, rank)[rank]) > RANK_TOLERANCE)
        rank++;
    if (n > 0)
        TN_TRY(tn_lapack_code(LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, n, least, A.at, n, tau)));
    *out = (tn_matrix){ tn_column(&A, rank), n, n - rank };
    return TN_OK;
}

/* ---- choice ---- */

static int gather_candidates(chooser *c)
{
    int n = c->s->velocities;
    c->candidate_count = tn_freedoms_list(&c->candidates, c->s, c->arena);
    TN_TRY(c->candidate_count);
    TN_TRY(tn_matrix_new(&c->J, c->arena, n, c->candidate_count));
    c->length = tn_numbers(c->arena, c->candidate_count);
    if (!c->length)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < c->candidate_count; k++) {
        double *row = tn_column(&c->J, k);
        tn_freedom_row(&c->candidates[k], c->e, c->s, c->memory, row);
        for (int j = 0; j < n; j++)
            row[j] /= scale_of(c, j);
        c->length[k] = norm(n, row);
        if (isfinite(c->length[k]))
            normalize(n, row);
        else
            memset(row, 0, (size_t)n * sizeof(double));    /* no derivative here: the candidate cannot be chosen */
    }
    return TN_OK;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Chooses candidates that span the displacements N. Keeps the candidates that are already in chosen, then adds others
 * as needed, in the order of the model. */
static int choose(int *chosen, const chooser *c, const tn_matrix *N, int taken)
{
    int f = N->columns;
    tn_matrix JN;
    lapack_int *pivots = tn_arena_alloc(c->arena, (size_t)c->candidate_count, sizeof *pivots);
    double *tau = tn_numbers(c->arena, f);
    if (!pivots || !tau)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_multiply_transposed(&JN, c->arena, N, &c->J));
    for (int k = 0; k < c->candidate_count; k++)
        for (int i = 0; i < f && c->candidates[k].kind != TN_FREEDOM_JOINT; i++)
            tn_column(&JN, k)[i] *= BODY_WEIGHT;
    for (int k = 0; k < taken; k++)
        pivots[chosen[k]] = 1;                         /* comes first, whatever its size */
    if (f > 0)
        TN_TRY(tn_lapack_code(LAPACKE_dgeqp3(LAPACK_COL_MAJOR, f, c->candidate_count, JN.at, f, pivots, tau)));
    for (int k = taken; k < f; k++)
        chosen[k] = pivots[k] - 1;
    qsort(chosen + taken, (size_t)(f - taken), sizeof(int), ascending);
    return TN_OK;
}

/* N (J N)^-1 with the rows of the chosen, in the units of the model. */
static int find_basis(tn_matrix *basis, const int *chosen, const chooser *c, const tn_matrix *N)
{
    int f = N->columns;
    tn_matrix rows, square, inverse;
    TN_TRY(tn_matrix_new(&rows, c->arena, N->rows, f));
    TN_TRY(tn_matrix_new(&inverse, c->arena, f, f));
    for (int k = 0; k < f; k++) {
        tn_column(&inverse, k)[k] = 1;
        for (int i = 0; i < N->rows; i++)
            tn_column(&rows, k)[i] = c->length[chosen[k]] * tn_column(&c->J, chosen[k])[i];
    }
    TN_TRY(tn_matrix_multiply_transposed(&square, c->arena, &rows, N));
    TN_TRY(tn_matrix_solve(&square, &inverse, c->arena));
    TN_TRY(tn_matrix_multiply(basis, c->arena, N, &inverse));
    for (int j = 0; j < f; j++)
        for (int i = 0; i < N->rows; i++)
            tn_column(basis, j)[i] /= scale_of(c, i);
    return TN_OK;
}

static int choose_all(tn_freedoms *out, chooser *c)
{
    tn_matrix N;
    int *chosen = tn_arena_alloc(c->arena, (size_t)c->s->velocities, sizeof(int));
    if (!chosen)
        return TN_ERROR_MEMORY;
    TN_TRY(gather_candidates(c));
    TN_TRY(null_space(&N, c, true));
    TN_TRY(choose(chosen, c, &N, 0));
    TN_TRY(find_basis(&out->V, chosen, c, &N));
    out->P = out->V;
    out->count = out->rates = N.columns;
    if (c->s->has_velocity_rows) {
        TN_TRY(null_space(&N, c, false));
        TN_TRY(choose(chosen, c, &N, out->rates));
        TN_TRY(find_basis(&out->P, chosen, c, &N));
        out->count = N.columns;
    }
    out->items = tn_arena_alloc(c->arena, (size_t)out->count, sizeof *out->items);
    for (int k = 0; out->items && k < out->count; k++)
        out->items[k] = c->candidates[chosen[k]];
    return out->items ? TN_OK : TN_ERROR_MEMORY;
}

int tn_freedoms_find(tn_freedoms *out, tn_eval *e, const tn_system *s, const double *memory, const bool *left_out,
                     tn_arena *arena)
{
    chooser c = { .s = s, .e = e, .memory = memory, .left_out = left_out, .arena = arena };
    *out = (tn_freedoms){ 0 };
    return choose_all(out, &c);
}
