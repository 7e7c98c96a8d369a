/* Finds contradictions among equations (conflict.h). The rest of a residual r is p = r - A x with the x for which p is
 * smallest, by conjugate gradients for least squares (Hestenes and Stiefel 1952) on A = D G C: rows of unit length (D),
 * rotations as displacements at a distance (C). This needs no rank decision, and p vanishes on rows that have no part
 * in the contradiction. */
#include "conflict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* |A'p| over |p| at which p counts as orthogonal to all motions; iterations over the number of coordinates. */
static const double ORTHOGONAL = 1e-10;
static const int MOST_ROUNDS = 4;
/* The part of the residual, by length, that a rest must be. */
static const double PART = 0.5;
static const int MOST_NAMED = 6;
/* Smaller contradictions are round-off: of accelerations, relative to the prescribed accelerations; of velocities (m/s,
 * rad/s); of positions (m, rad). */
static const double ACCELERATION_FLOOR = 1e-7, VELOCITY_FLOOR = 1e-8, POSITION_FLOOR = 1e-10;

typedef struct fitter {
    const tn_system *s;
    const tn_rest_rows *view;
    int rows, columns;
    double *scale;                 /* D */
    double *p, *along;             /* over rows: rest, A d */
    double *gradient, *d;          /* over columns: A'p, direction */
} fitter;

/* rows = D G C x, or with columns: columns = C G'D rows */
static void multiply(const fitter *f, bool transposed, const double *from, double *to)
{
    const tn_structure *k = f->view->structure;
    double block[30];
    memset(to, 0, (size_t)(transposed ? f->columns : f->rows) * sizeof(double));
    for (int c = 0; c < k->constraints; c++)
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
            int first = k->body_column[k->block_body[b]], w = k->body_column[k->block_body[b] + 1] - first;
            const double *G = f->view->block(f->view->user, c, b, block);
            for (int r = k->constraint_row[c]; r < k->constraint_row[c + 1]; r++, G += w)
                for (int j = first; j < first + w; j++) {
                    double entry = f->scale[r] * G[j - first] / k->column_scale[j];
                    to[transposed ? j : r] += entry * from[transposed ? r : j];
                }
        }
}

/* D: lengths of the rows, inverted. */
static void measure_rows(const fitter *f)
{
    const tn_structure *k = f->view->structure;
    double block[30];
    for (int c = 0; c < k->constraints; c++)
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
            int first = k->body_column[k->block_body[b]], w = k->body_column[k->block_body[b] + 1] - first;
            const double *G = f->view->block(f->view->user, c, b, block);
            for (int r = k->constraint_row[c]; r < k->constraint_row[c + 1]; r++, G += w)
                for (int j = 0; j < w; j++)
                    f->scale[r] += G[j] * G[j] / (k->column_scale[first + j] * k->column_scale[first + j]);
        }
    for (int r = 0; r < f->rows; r++)
        f->scale[r] = f->scale[r] > 0 ? 1 / sqrt(f->scale[r]) : 1;
}

static double square(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Replaces p by its rest. Returns false as soon as the rest is below this part of p: iterating down to round-off would
 * follow directions that are round-off, and p would diverge. */
static bool minimize_rest(const fitter *f, double part)
{
    int rows = f->rows, n = f->columns;
    double rest = square(rows, f->p), least = part * part * rest;
    multiply(f, true, f->p, f->gradient);
    memcpy(f->d, f->gradient, (size_t)n * sizeof(double));
    double slope = square(n, f->gradient);
    for (int i = 0; i < MOST_ROUNDS * n && rest > least && slope > ORTHOGONAL * ORTHOGONAL * rest; i++) {
        multiply(f, false, f->d, f->along);
        double length = slope / square(rows, f->along);
        for (int r = 0; r < rows; r++)
            f->p[r] -= length * f->along[r];
        rest = square(rows, f->p);
        multiply(f, true, f->p, f->gradient);
        double next = square(n, f->gradient);
        for (int j = 0; j < n; j++)
            f->d[j] = f->gradient[j] + next / slope * f->d[j];
        slope = next;
    }
    return rest > least && isfinite(rest);
}

static double part_of(const fitter *f, int constraint)
{
    const tn_constraint *c = &f->s->constraints[constraint];
    double most = 0;
    for (int r = c->row; r < c->row + c->rows; r++)
        most = fmax(most, fabs(f->p[r]));
    return most;
}

static bool is_drive(const fitter *f, int constraint)
{
    return tn_joint_motion(tn_constraint_joint(f->s, constraint)) != NULL;
}

/* The party to blame: the last drive among the parties, or without drives the last party. */
static int find_blamed(const fitter *f, double least)
{
    int blamed = -1;
    for (int c = 0; c < f->s->constraint_count; c++)
        if (part_of(f, c) > least && (blamed < 0 || is_drive(f, c) || !is_drive(f, blamed)))
            blamed = c;
    return blamed;
}

/* "drive 'a' and joint 'slide'": drives first. */
static int list_others(const fitter *f, double least, int blamed, char *text, size_t size)
{
    int count = 0, named = 0;
    size_t used = 0;
    for (int c = 0; c < f->s->constraint_count; c++)
        count += c != blamed && part_of(f, c) > least;
    text[0] = '\0';
    for (int drives = 1; drives >= 0; drives--)
        for (int c = 0; c < f->s->constraint_count && named < MOST_NAMED && used < size; c++) {
            if (c == blamed || is_drive(f, c) != drives || part_of(f, c) <= least)
                continue;
            const char *link = named == 0 ? "" : named == count - 1 ? " and " : ", ";
            used += (size_t)snprintf(text + used, size - used, "%s%s '%.60s'", link, drives ? "drive" : "joint",
                                     tn_constraint_name(f->s, c));
            named++;
        }
    if (named < count && used < size)
        snprintf(text + used, size - used, " and %d more", count - named);
    return count;
}

static int describe(const fitter *f, double largest, char text[TN_CONFLICT_TEXT], tn_span *span)
{
    char others[TN_CONFLICT_TEXT - 120];
    double least = TN_REST_INVOLVED * largest;
    int blamed = find_blamed(f, least), count = list_others(f, least, blamed, others, sizeof others);
    const char *kind = is_drive(f, blamed) ? "drive" : "joint", *name = tn_constraint_name(f->s, blamed);
    *span = tn_constraint_span(f->s, blamed);
    if (count == 0)
        snprintf(text, TN_CONFLICT_TEXT, "%s '%.60s' asks for something that cannot be", kind, name);
    else
        snprintf(text, TN_CONFLICT_TEXT, "%s '%.60s' asks for something that %s do%s not allow", kind, name,
                 others, count == 1 ? "es" : "");
    return is_drive(f, blamed) ? TN_CONFLICT_OF_DRIVES : TN_CONFLICT_OF_JOINTS;
}

static bool prepare(fitter *f, tn_arena *arena)
{
    size_t rows = (size_t)f->rows, n = (size_t)f->columns;
    f->along = tn_arena_alloc(arena, rows, sizeof(double));
    f->gradient = tn_arena_alloc(arena, n, sizeof(double));
    f->d = tn_arena_alloc(arena, n, sizeof(double));
    return f->along && f->gradient && f->d;
}

static double largest_of(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static bool split_residual(const fitter *f, const double *residual, double floor, double part)
{
    memset(f->scale, 0, (size_t)f->rows * sizeof(double));
    measure_rows(f);
    for (int r = 0; r < f->rows; r++)
        f->p[r] = f->scale[r] * residual[r];
    return square(f->rows, f->p) > floor * floor && minimize_rest(f, part) && largest_of(f->rows, f->p) > floor;
}

int tn_rest_find(bool *found, const tn_rest_rows *view, tn_context *context, const double *residual, double floor,
                 double part, double *rest, double *scale)
{
    fitter f = { .view = view, .rows = view->structure->constraint_row[view->structure->constraints],
                 .columns = view->columns, .p = rest, .scale = scale };
    tn_arena *arena = tn_arena_create(context);
    bool ready = arena && prepare(&f, arena);
    *found = ready && split_residual(&f, residual, floor, part);
    tn_arena_destroy(arena);
    return ready ? TN_OK : TN_ERROR_MEMORY;
}

typedef struct system_rows {
    const tn_system *s;
    const tn_eval *e;
} system_rows;

static const double *system_block(const void *user, int constraint, int block, double rows[30])
{
    const system_rows *from = user;
    return tn_eval_block(from->e, from->s, constraint, block, rows);
}

int tn_conflict_find(const tn_system *s, const tn_eval *e, const double *residual, double floor,
                     char text[TN_CONFLICT_TEXT], tn_span *span)
{
    const system_rows from = { s, e };
    const tn_rest_rows view = { &s->structure, s->velocities, system_block, &from };
    tn_arena *arena = tn_arena_create(s->context);
    double *rest = arena ? tn_arena_alloc(arena, (size_t)s->rows, sizeof(double)) : NULL;
    double *scale = arena ? tn_arena_alloc(arena, (size_t)s->rows, sizeof(double)) : NULL;
    fitter f = { .s = s, .rows = s->rows, .p = rest, .scale = scale };
    bool conflict = false;
    int found = rest && scale ? tn_rest_find(&conflict, &view, s->context, residual, floor, PART, rest, scale)
                              : TN_ERROR_MEMORY;
    if (found == TN_OK)
        found = conflict ? describe(&f, largest_of(s->rows, rest), text, span) : TN_CONFLICT_NONE;
    tn_arena_destroy(arena);
    return found;
}

int tn_conflict_here(tn_stepper *st, char text[TN_CONFLICT_TEXT], tn_span *span)
{
    const tn_system *s = st->system;
    const tn_eval *e = st->eval;
    double asked = 1;
    tn_jacobian_times(st, e->a, st->u);
    for (int r = 0; r < s->rows; r++) {
        asked = fmax(asked, fabs(e->bias[r]));
        st->u[r] -= e->bias[r];
        if (!isfinite(st->u[r]))
            return TN_CONFLICT_NONE;
    }
    int found = tn_conflict_find(s, e, st->u, ACCELERATION_FLOOR * asked, text, span);
    if (found == TN_CONFLICT_NONE)
        found = tn_conflict_find(s, e, e->gdot, VELOCITY_FLOOR, text, span);
    return found != TN_CONFLICT_NONE ? found : tn_conflict_find(s, e, e->g, POSITION_FLOOR, text, span);
}
