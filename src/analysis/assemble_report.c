/* Messages of assembly: gaps, start values that cannot be reached, given values that contradict each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "assemble_impl.h"
#include "conflict.h"
#include "diag.h"

static const int MOST_NAMED = 5;               /* gaps or parties named in a message */

static const tn_entity *body_entity(const assembler *as, int body)
{
    return &as->system->model->bodies[as->system->bodies[body].source].entity;
}

void tn_assembly_measure(const assembler *as, double *gaps)
{
    for (int i = 0; i < as->system->constraint_count; i++)
        gaps[i] = tn_eval_gap(as->eval, as->system, i);
}

static int worst_of(const double *gaps, int count, double below)
{
    int worst = -1;
    for (int i = 0; i < count; i++)
        if (gaps[i] < below && (worst < 0 || gaps[i] > gaps[worst]))
            worst = i;
    return worst;
}

/* "'slide' 0.0032, 'elbow' 0.0004" */
static const char *list_gaps(const tn_system *s, const double *gaps, double above, char *text, size_t size)
{
    size_t used = 0;
    double last = INFINITY;
    text[0] = '\0';
    for (int n = 0; n < MOST_NAMED && used < size; n++) {
        int worst = worst_of(gaps, s->constraint_count, last);
        if (worst < 0 || gaps[worst] <= above)
            break;
        last = gaps[worst];
        used += (size_t)snprintf(text + used, size - used, "%s'%s' %.3g", n ? ", " : "", tn_constraint_name(s, worst),
                                 gaps[worst]);
    }
    return text;
}

/* "; fixed: 'pivot' angle; held: 'rocker'" */
static const char *list_fixed(const assembler *as, char *text, size_t size)
{
    const tn_system *s = as->system;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0, n = 0; k < as->extra_count && n < MOST_NAMED && used < size; k++) {
        const extra *start = &as->extras[k];
        if (start->kind != EXTRA_START || isnan(start->value))
            continue;
        const tn_joint *joint = tn_constraint_joint(s, start->index);
        const char *name = tn_joint_form_of(s->model, joint->type)->coordinates[start->coordinate].name;
        used += (size_t)snprintf(text + used, size - used, "%s'%s' %s", n++ == 0 ? "; fixed: " : ", ",
                                 joint->entity.name, name);
    }
    for (int k = 0, n = 0; k < as->extra_count && n < MOST_NAMED && used < size; k++)
        if (as->extras[k].kind == EXTRA_HELD)
            used += (size_t)snprintf(text + used, size - used, "%s'%s'", n++ == 0 ? "; held: " : ", ",
                                     body_entity(as, as->extras[k].index)->name);
    return text;
}

/* The rows of held bodies may be dropped as dependent; then other rows may have moved the body. */
static int check_held(const assembler *as)
{
    const tn_system *s = as->system;
    char fixed[400];
    for (int k = 0; k < as->extra_count; k++) {
        if (as->extras[k].kind != EXTRA_HELD)
            continue;
        const tn_sys_body *body = &s->bodies[as->extras[k].index];
        const tn_entity *entity = body_entity(as, as->extras[k].index);
        int count = body->motion == TN_MOTION_SPATIAL ? 7 : as->extras[k].rows;
        for (int i = 0; i < count; i++)
            if (fabs(as->a->q[body->q + i] - as->given[body->q + i]) > ASSEMBLED)
                return tn_fail(s->context, TN_ERROR_ASSEMBLY, entity->span, "body '%s' cannot be held where it is: the "
                               "joints do not close there%s", entity->name, list_fixed(as, fixed, sizeof fixed));
    }
    return TN_OK;
}

/* Checks that start values of joints and conditions hold; reports the first one that does not. */
static int check_extras(const assembler *as, bool velocities)
{
    const tn_system *s = as->system;
    for (int k = 0; k < as->extra_count; k++) {
        const extra *e = &as->extras[k];
        double target = velocities ? e->rate : e->value, off = fabs(as->residual[tn_extra_row(as, k)]);
        if (isnan(target) || off <= ASSEMBLED * (velocities ? fmax(1, fabs(target)) : 1))
            continue;
        if (e->kind == EXTRA_CONDITION)
            return tn_fail(s->context, TN_ERROR_ASSEMBLY, as->a->conditions[e->index].span,
                           "'%s' cannot start at %.6g %s: what was found is %.3g away from it",
                           as->a->conditions[e->index].name, target, as->a->conditions[e->index].unit, off);
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, e->index),
                       velocities ? "joint '%s' cannot start with rate %.6g: the mechanism moves at a rate %.3g away "
                                    "from it"
                                  : "joint '%s' cannot start at %.6g: the mechanism assembles %.3g away from it",
                       tn_constraint_name(s, e->index), target, off);
    }
    return TN_OK;
}

int tn_assembly_check_positions(const assembler *as)
{
    const tn_system *s = as->system;
    char list[400], fixed[400], conflict[TN_CONFLICT_TEXT];
    tn_span span;
    int worst = worst_of(as->a->after, s->constraint_count, INFINITY);
    bool apart = worst >= 0 && as->a->after[worst] > ASSEMBLED;
    int found = apart && s->works ? tn_conflict_find(s, as->eval, as->eval->g, ASSEMBLED, conflict, &span) : 0;
    TN_TRY(found);
    if (found == TN_CONFLICT_OF_DRIVES)
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, span, "the mechanism does not assemble: %s (largest gaps: %s)",
                       conflict, list_gaps(s, as->a->after, ASSEMBLED, list, sizeof list));
    if (apart)
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, worst),
                       "the mechanism does not assemble: joint '%s' is %.3g (m or rad) apart after %d step%s "
                       "(largest gaps: %s%s)", tn_constraint_name(s, worst), as->a->after[worst], as->a->steps,
                       as->a->steps == 1 ? "" : "s",
                       list_gaps(s, as->a->after, ASSEMBLED, list, sizeof list),
                       list_fixed(as, fixed, sizeof fixed));
    TN_TRY(check_held(as));
    return check_extras(as, false);
}

int tn_assembly_check_velocities(const assembler *as)
{
    const tn_system *s = as->system;
    char conflict[TN_CONFLICT_TEXT];
    tn_span span;
    int found = s->works ? tn_conflict_find(s, as->eval, as->eval->gdot, ASSEMBLED, conflict, &span) : 0;
    TN_TRY(found);
    if (found == TN_CONFLICT_OF_DRIVES)
        return tn_fail(s->context, TN_ERROR_ASSEMBLY, span, "no velocities at the start: %s: over-driven", conflict);
    return check_extras(as, true);
}

int tn_assembly_check_strict(const assembler *as, double tolerance)
{
    const tn_system *s = as->system;
    char list[400];
    int worst = worst_of(as->a->before, s->constraint_count, INFINITY);
    if (worst < 0 || as->a->before[worst] <= tolerance)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_ASSEMBLY, tn_constraint_span(s, worst),
                   "joint '%s' is %.3g (m or rad) apart at the given start and assemble is strict (gaps: %s)",
                   tn_constraint_name(s, worst), as->a->before[worst],
                   list_gaps(s, as->a->before, tolerance, list, sizeof list));
}

/* ---- values that contradict each other ---- */

/* A rest above this part of the residual, by length, counts as a contradiction: many parties may share it. */
static const double LEAST_PART = 0.01;

typedef struct party_list {
    const assembler *as;
    const double *rest, *scale;    /* by row */
    double least;                  /* entry of the rest above which a row is a party */
    char text[TN_CONFLICT_TEXT];
    size_t used;
    int named, count;
} party_list;

static const double *assembly_block(const void *user, int constraint, int block, double rows[30])
{
    const assembler *as = user;
    if (constraint < as->system->structure.constraints && as->eval->lazy && as->system->pin_kind[constraint] != 0)
        return tn_eval_block(as->eval, as->system, constraint, block, rows);
    return as->G + as->structure.block_offset[block];
}

/* The row of a constraint of the structure that has the largest entry in the rest. */
static int leading_row(const party_list *p, int constraint)
{
    const int *row = p->as->structure.constraint_row;
    int lead = row[constraint];
    for (int r = lead + 1; r < row[constraint + 1]; r++)
        if (fabs(p->rest[r]) > fabs(p->rest[lead]))
            lead = r;
    return lead;
}

static bool is_party(const party_list *p, int constraint)
{
    const int *row = p->as->structure.constraint_row;
    return row[constraint] < row[constraint + 1] && fabs(p->rest[leading_row(p, constraint)]) > p->least;
}

/* "body 'crank' angular_velocity 5 rad/s", "body 'ball' position [1, 2] m", "held body 'crank'" */
static const char *body_text(const assembler *as, const extra *e, bool velocities, char *text, size_t size)
{
    const given_motion *given = &as->given_motion[e->index];
    const char *name = body_entity(as, e->index)->name;
    const bool turn = e->kind == EXTRA_TURN, planar = as->system->dimension == 2;
    const char *unit = velocities ? (turn ? "rad/s" : "m/s") : turn ? "rad" : "m";
    const double *x = velocities ? (turn ? given->w : given->v) : given->p;
    if (e->kind == EXTRA_HELD)
        snprintf(text, size, "held body '%.60s'", name);
    else if (turn && planar)
        snprintf(text, size, "body '%.60s' %s %.6g %s", name, velocities ? "angular_velocity" : "angle",
                 velocities ? given->w[2] : given->q[0], unit);
    else if (turn && !velocities)
        snprintf(text, size, "body '%.60s' rotation", name);
    else if (planar)
        snprintf(text, size, "body '%.60s' %s [%.6g, %.6g] %s", name, velocities ? "velocity" : "position", x[0], x[1],
                 unit);
    else
        snprintf(text, size, "body '%.60s' %s [%.6g, %.6g, %.6g] %s", name,
                 turn ? "angular_velocity" : velocities ? "velocity" : "position", x[0], x[1], x[2], unit);
    return unit;
}

/* "joint 'pivot' angle 0.3 rad", "'lean' 0.1 rad"; returns the unit of its rows. */
static const char *extra_text(const assembler *as, const extra *e, char *text, size_t size)
{
    const tn_system *s = as->system;
    const bool velocities = as->velocities;
    if (e->kind == EXTRA_CONDITION) {
        const tn_start_condition *c = &as->a->conditions[e->index];
        snprintf(text, size, "'%.80s' %.6g %s", c->name, c->value, c->unit);
        return c->unit;
    }
    if (e->kind == EXTRA_START) {
        const tn_joint *joint = tn_constraint_joint(s, e->index);
        const tn_coordinate_decl *c = &tn_joint_form_of(s->model, joint->type)->coordinates[e->coordinate];
        bool angle = strcmp(c->unit, "rad") == 0;
        const char *unit = velocities ? (angle ? "rad/s" : "m/s") : angle ? "rad" : "m";
        snprintf(text, size, "joint '%.60s' %s%s %.6g %s", joint->entity.name, c->name, velocities ? " rate" : "",
                 velocities ? e->rate : e->value, unit);
        return unit;
    }
    return body_text(as, e, velocities, text, size);
}

static void name_party(party_list *p, const char *what)
{
    p->named++;
    if (p->named > MOST_NAMED || p->used >= sizeof p->text)
        return;
    p->used += (size_t)snprintf(p->text + p->used, sizeof p->text - p->used, "%s%s",
                                p->named == 1 ? "" : p->named == p->count ? " and " : ", ", what);
}

/* Given values first, then drives, then joints. */
static void name_parties(party_list *p)
{
    const assembler *as = p->as;
    const tn_system *s = as->system;
    char what[160];
    for (int c = 0; c < as->structure.constraints; c++)
        p->count += is_party(p, c);
    for (int k = 0; k < as->extra_count; k++)
        if (is_party(p, s->structure.constraints + k)) {
            extra_text(as, &as->extras[k], what, sizeof what);
            name_party(p, what);
        }
    for (int drives = 1; drives >= 0; drives--)
        for (int c = 0; c < s->constraint_count; c++)
            if (is_party(p, c) && (tn_joint_motion(tn_constraint_joint(s, c)) != NULL) == drives) {
                snprintf(what, sizeof what, "%s '%.60s'", drives ? "drive" : "joint", tn_constraint_name(s, c));
                name_party(p, what);
            }
    if (p->named > MOST_NAMED && p->used < sizeof p->text)
        snprintf(p->text + p->used, sizeof p->text - p->used, " and %d more", p->named - MOST_NAMED);
}

static tn_span extra_span(const assembler *as, const extra *e)
{
    return e->kind == EXTRA_CONDITION ? as->a->conditions[e->index].span
           : e->kind == EXTRA_START   ? tn_constraint_span(as->system, e->index)
                                      : body_entity(as, e->index)->span;
}

/* The kinds of parties that occur: given motions of bodies, conditions, drives. first: the first extra. */
typedef struct party_kinds {
    int first;                     /* the first extra among the parties; -1: none */
    bool motions, conditions, drives;
} party_kinds;

static party_kinds sort_parties(const party_list *p)
{
    const assembler *as = p->as;
    const tn_system *s = as->system;
    party_kinds kinds = { .first = -1 };
    for (int k = 0; k < as->extra_count; k++) {
        if (!is_party(p, s->structure.constraints + k))
            continue;
        kinds.first = kinds.first < 0 ? k : kinds.first;
        kinds.motions |= as->extras[k].kind == EXTRA_PLACE || as->extras[k].kind == EXTRA_TURN;
        kinds.conditions |= as->extras[k].kind == EXTRA_CONDITION;
    }
    for (int c = 0; c < s->constraint_count; c++)
        kinds.drives |= is_party(p, c) && tn_joint_motion(tn_constraint_joint(s, c)) != NULL;
    return kinds;
}

/* The least change of a constraint's rows e that removes the contradiction while all other rows hold. With x the
 * residual in rows of unit length, no motion changes p . x = |p|^2; so |x_e| = |p|^2 / |p_e|. */
static double off_by(const party_list *p, int constraint)
{
    const int *row = p->as->structure.constraint_row;
    double all = 0, own = 0;
    for (int r = 0; r < p->as->rows; r++)
        all += p->rest[r] * p->rest[r];
    for (int r = row[constraint]; r < row[constraint + 1]; r++)
        own += p->rest[r] * p->scale[r] * p->rest[r] * p->scale[r];
    return all / sqrt(own);
}

static int judge_rest(party_list *p, double tolerance, double *size)
{
    const assembler *as = p->as;
    party_kinds kinds = sort_parties(p);
    /* Positions of joints alone may also be out of reach from here; rows of velocities are linear and leave no doubt. */
    if (kinds.first < 0 || !(kinds.motions || kinds.conditions || kinds.drives || as->velocities))
        return TN_OK;
    char what[160];
    const extra *first = &as->extras[kinds.first];
    double off = off_by(p, as->system->structure.constraints + kinds.first);
    if (kinds.motions && off <= tolerance) {
        *size = off;
        return TN_OK;
    }
    name_parties(p);
    const char *unit = extra_text(as, first, what, sizeof what);
    return tn_fail(as->system->context, TN_ERROR_ASSEMBLY, extra_span(as, first),
                   "the start contradicts itself: %s do%s not %s, off by %.6g %s%s", p->text, p->count == 1 ? "es" : "",
                   p->count == 1 ? "fit the others" : "fit together", off, unit,
                   kinds.motions ? "; leave one of them out, or correct it" : "");
}

int tn_assembly_check_given(const assembler *as, double tolerance, double *size)
{
    const tn_rest_rows view = { &as->structure, as->system->velocities, assembly_block, as };
    tn_arena *arena = tn_arena_create(as->system->context);
    double *rest = arena ? tn_arena_alloc(arena, (size_t)as->rows, sizeof(double)) : NULL;
    double *scale = arena ? tn_arena_alloc(arena, (size_t)as->rows, sizeof(double)) : NULL;
    party_list parties = { .as = as, .rest = rest, .scale = scale };
    bool found = false;
    *size = 0;
    int code = rest && scale ? tn_rest_find(&found, &view, as->system->context, as->residual, ASSEMBLED, LEAST_PART,
                                            rest, scale)
                             : TN_ERROR_MEMORY;
    for (int r = 0; found && r < as->rows; r++)
        parties.least = fmax(parties.least, TN_REST_INVOLVED * fabs(rest[r]));
    if (code == TN_OK && found)
        code = judge_rest(&parties, tolerance, size);
    tn_arena_destroy(arena);
    return code;
}
