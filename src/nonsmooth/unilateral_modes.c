/* Decides which of the unilateral constraints that touch are in force.
 *
 * Complementarity of forces and accelerations decides which constraints with zero gap and zero rate press, stick and
 * slide. Where their rows are linearly dependent, there are many solutions; constraints are left out (mode RESTS) until
 * the remaining ones have a unique solution, in which all of them press. */
#include "unilateral_modes.h"
#include <math.h>
#include <string.h>
#include "dense.h"

/* Velocities count as zero below this part of the fastest relative velocity of the contacts, below this part of the
 * fastest velocity of the mechanism (round-off of the projection), and below this in m/s or rad/s. */
static const double STILL = 1e-9, STILL_IN_ALL = 1e-12, STILL_AT_ALL = 1e-14;
/* A column depends on others when orthogonalization leaves less than this share of its norm. */
static const double DEPENDENT = 1e-9;
/* A resting constraint approaches when its approach acceleration exceeds this share of the largest term. */
static const double RESTING = 1e-6;
/* Friction above this share of its limit tells the direction of a slip that begins. */
static const double RUBS = 0.5;
/* Where the search for changes has found that a contact breaks away, its acceleration is that of NOTHING, give or take round-off: the
 * decision then takes this share of it for a motion. */
static const double SURELY_BREAKS = 0.01;
/* Normal forces with torques against turning are found by iteration: largest number of rounds, share of the largest
 * force below which a change ends them. */
enum { MOST_TURN_ROUNDS = 40 };
static const double TURN_ACCURACY = 1e-12;

/* ---- selection of independent constraints ---- */

/* QR factorization, column by column: each column is the response of the rows in force to one force. orthogonal holds
 * Q, upper holds R. */
typedef struct columns {
    const tn_cone_problem *problem;
    const tn_unilateral_mode *modes;
    double *orthogonal, *upper;    /* rows x rows */
    int *contact;                  /* the sliding contact of each column; -1: a sticking one */
    int count;
} columns;

static bool is_in_force(const columns *all, int contact, int row)
{
    tn_unilateral_mode mode = all->modes[contact];
    return mode == TN_UNILATERAL_STICKS || (mode == TN_UNILATERAL_SLIDES && row == all->problem->contacts[contact].row);
}

/* out = response of the rows in force to a force along a row; a sliding contact adds friction to its normal force. */
static void column_of(const columns *all, const tn_cone_contact *c, int row, bool slides, double *out)
{
    const tn_cone_problem *k = all->problem;
    for (int j = 0; j < k->contact_count; j++)
        for (int i = k->contacts[j].row; i <= k->contacts[j].row + k->contacts[j].tangents; i++) {
            out[i] = is_in_force(all, j, i) ? k->W[i + row * k->rows] : 0;
            for (int t = 0; t < c->tangents && slides && is_in_force(all, j, i); t++)
                out[i] -= c->mu * c->slip[t] * k->W[i + (c->row + 1 + t) * k->rows];
        }
}

/* Adds a column. False: it is a linear combination of the columns before it, with the factors in parts. */
static bool add_column(columns *all, int contact, int row, double *parts)
{
    const tn_cone_problem *k = all->problem;
    bool slides = all->modes[contact] == TN_UNILATERAL_SLIDES;
    int n = all->count, ld = k->rows;
    double *v = all->orthogonal + n * k->rows;
    column_of(all, &k->contacts[contact], row, slides, v);
    double whole = tn_norm2(k->rows, v);
    for (int j = 0; j < n; j++) {
        double part = 0;
        for (int i = 0; i < k->rows; i++)
            part += all->orthogonal[i + j * k->rows] * v[i];
        for (int i = 0; i < k->rows; i++)
            v[i] -= part * all->orthogonal[i + j * k->rows];
        parts[j] = all->upper[j + n * ld] = part;
    }
    double left = tn_norm2(k->rows, v);
    if (left <= DEPENDENT * whole) {
        tn_upper_solve(n, all->upper, ld, parts);
        return false;
    }
    for (int i = 0; i < k->rows; i++)
        v[i] /= left;
    all->upper[n + n * ld] = left;
    all->contact[all->count++] = slides ? contact : -1;
    return true;
}

/* Moves the load of contact `last` to the contacts whose columns it depends on, until the first force of a sliding
 * contact becomes zero; returns that contact. */
static int shift_load(const columns *all, int last, const double *parts, double *p)
{
    const tn_cone_contact *contacts = all->problem->contacts;
    double step = p[contacts[last].row];
    int empty = last;
    for (int j = 0; j < all->count; j++) {
        double load = all->contact[j] >= 0 ? p[contacts[all->contact[j]].row] : INFINITY;
        if (parts[j] < 0 && load < -parts[j] * step) {
            step = load / -parts[j];
            empty = all->contact[j];
        }
    }
    p[contacts[last].row] -= step;
    for (int j = 0; j < all->count; j++)
        if (all->contact[j] >= 0)
            p[contacts[all->contact[j]].row] += parts[j] * step;
    p[contacts[empty].row] = 0;
    return empty;
}

/* Begins with the columns of all sticking contacts. Dependent columns among them are skipped without harm, because no
 * force of a sticking contact follows from another force. */
static void begin_columns(columns *all, double *parts)
{
    const tn_cone_problem *k = all->problem;
    all->count = 0;
    for (int i = 0; i < k->contact_count; i++)
        for (int r = 0; r <= k->contacts[i].tangents && all->modes[i] == TN_UNILATERAL_STICKS; r++)
            (void)add_column(all, i, k->contacts[i].row + r, parts);
}

/* Keeps sliding contacts with independent columns; the mode of the other sliding contacts becomes RESTS. */
static int keep_independent(const tn_cone_problem *k, double *p, tn_unilateral_mode *modes, tn_arena *scratch)
{
    size_t rows = (size_t)k->rows;
    columns all = { .problem = k, .modes = modes, .orthogonal = tn_arena_alloc(scratch, rows * rows, sizeof(double)),
                    .upper = tn_arena_alloc(scratch, rows * rows, sizeof(double)),
                    .contact = tn_arena_alloc(scratch, rows, sizeof(int)) };
    double *parts = tn_arena_alloc(scratch, rows, sizeof(double));
    TN_TRY(tn_arena_status(scratch));
    begin_columns(&all, parts);
    for (int i = 0; i < k->contact_count; i++) {
        if (modes[i] != TN_UNILATERAL_SLIDES || add_column(&all, i, k->contacts[i].row, parts))
            continue;
        int empty = shift_load(&all, i, parts, p);
        modes[empty] = TN_UNILATERAL_RESTS;
        if (empty != i) {                              /* an earlier contact: begin again without it */
            begin_columns(&all, parts);
            i = -1;
        }
    }
    return TN_OK;
}

/* ---- complementarity ---- */

double tn_delassus_still(const tn_delassus *b, const double *w)
{
    const tn_system *s = b->session->system;
    double fastest = 0, of_all = 0;
    for (int i = 0; i < b->rows; i++)
        fastest = fmax(fastest, fabs(w[i]));
    for (int i = 0; i < s->velocities; i++)
        of_all = fmax(of_all, fabs(b->y[s->positions + i]));
    return fmax(fmax(STILL * fastest, STILL_IN_ALL * of_all), STILL_AT_ALL);
}

/* Chooses the unilateral constraints that do not separate, and sets the slip directions of the sliding ones. w:
 * velocities. A constraint whose equation is in force is always chosen: its normal velocity is round-off, however
 * large. */
static int choose(tn_delassus *b, const double *w)
{
    double still = tn_delassus_still(b, w);
    int count = 0;
    for (int k = 0; k < b->count; k++) {
        const tn_cone_contact *c = &b->contacts[k];
        tn_delassus_set_friction(b, k, w, still);
        if (w[c->row] <= still || (b->in_force && tn_unilateral_closed(b->unilaterals[k])))
            b->chosen[count++] = k;
    }
    return count;
}

static tn_unilateral_mode mode_of(const tn_cone_problem *problem, int k, const double *p, const double *w, double tolerance)
{
    tn_cone_mode mode = tn_cone_mode_of(problem, k, p, w, tolerance);
    if (mode == TN_CONE_OPEN)
        return TN_UNILATERAL_OPEN;
    return mode == TN_CONE_SLIDES || problem->contacts[k].tangents == 0 ? TN_UNILATERAL_SLIDES : TN_UNILATERAL_STICKS;
}

/* A contact that begins to slide slides along its tangential acceleration, against its friction. Where sticking has just ended the
 * acceleration is round-off: the friction tells the direction. */
static void begin_slip(tn_cone_contact *contact, const double *acceleration, const double *force)
{
    double friction = tn_norm2(contact->tangents, force + 1), size = tn_norm2(contact->tangents, acceleration);
    bool rubs = friction > 0 && friction > RUBS * contact->mu * force[0];
    contact->slides = true;
    for (int t = 0; t < contact->tangents; t++)
        contact->slip[t] = rubs ? -force[1 + t] / friction : size > 0 ? acceleration[t] / size : t == 0;
}

/* Copies the forces of the chosen constraints from the whole to the subproblem (to_part) or back. */
static void carry_forces(tn_delassus *b, int count, bool to_part)
{
    for (int k = 0; k < count; k++) {
        double *whole = b->forces + b->contacts[b->chosen[k]].row, *part = b->part_p + b->part[k].row;
        size_t size = (size_t)(1 + b->part[k].tangents) * sizeof(double);
        memcpy(to_part ? part : whole, to_part ? whole : part, size);
    }
}

/* Solves again without given slip directions. That problem has a solution, which tells at least which contacts
 * press. */
static void forget_slips(tn_delassus *b, const tn_cone_problem *problem)
{
    for (int k = 0; k < problem->contact_count; k++) {
        b->part[k].slides = false;
        b->part[k].mu = b->contacts[b->chosen[k]].mu;
    }
    memset(b->part_p, 0, (size_t)problem->rows * sizeof(double));
    (void)tn_cone_solve(b->part_p, b->part_w, problem, b->work, b->numbers);
    for (int k = 0; k < problem->contact_count; k++)
        b->part[k].slides = b->contacts[b->chosen[k]].slides;
}

/* Looks ahead at slow slips in space: extrapolates each slip over the time in which the largest acceleration would stop
 * a slip of TN_SLIDE_CREEP. The solution then tells whether friction ends the slip, and otherwise its direction. */
static void look_ahead(tn_delassus *b, const tn_cone_problem *problem)
{
    double most = 0;
    for (int i = 0; i < problem->rows; i++)
        most = fmax(most, fabs(b->part_b[i]));
    for (int k = 0; k < problem->contact_count; k++) {
        const tn_cone_contact *c = &b->part[k];
        const double *slip = b->eval->gdot + b->first + b->contacts[b->chosen[k]].row + 1;
        for (int t = 0; t < c->tangents && c->tangents == 2 && !c->slides; t++)
            b->part_b[c->row + 1 + t] += slip[t] * most / TN_SLIDE_CREEP;
    }
}

/* Sets the forces of the constraints that are not chosen to zero. */
static void forget_others(tn_delassus *b, int count)
{
    for (int k = 0, next = 0; k < b->count; k++)
        if (next < count && b->chosen[next] == k)
            next++;
        else
            memset(b->forces + b->contacts[k].row, 0, (size_t)(1 + b->contacts[k].tangents) * sizeof(double));
}

/* Where sliding rubs less than sticking: contacts that break away slide on with the lower coefficient, which changes all
 * forces, so that others may break away. False: not solved exactly. */
static bool break_away(tn_delassus *b, const tn_cone_problem *problem)
{
    double moves = b->in_force ? TN_UNILATERAL_NOTHING : SURELY_BREAKS * TN_UNILATERAL_NOTHING;
    bool any = true;
    for (int round = 0; round < problem->contact_count && any; round++) {
        any = false;
        for (int k = 0; k < problem->contact_count; k++) {
            const tn_slide_law *law = &b->unilaterals[b->chosen[k]]->law;
            tn_cone_contact *c = &b->part[k];
            double sliding = c->tangents > 0 ? tn_slide_coefficient(law, 0, 0) : 0;
            if (c->tangents == 0 || c->slides || sliding >= c->mu ||
                mode_of(problem, k, b->part_p, b->part_w, moves) != TN_UNILATERAL_SLIDES)
                continue;
            begin_slip(c, b->part_w + c->row + 1, b->part_p + c->row);
            c->mu = sliding;
            any = true;
        }
        if (any && tn_cone_solve(b->part_p, b->part_w, problem, b->work, b->numbers) < 0)
            return false;
    }
    return true;
}

/* Finds the forces of the chosen constraints, and their modes into found. False: not solved exactly. */
static bool find_modes(tn_delassus *b, const tn_cone_problem *problem, tn_unilateral_mode *found)
{
    int count = problem->contact_count;
    carry_forces(b, count, true);
    bool solved = tn_cone_solve(b->part_p, b->part_w, problem, b->work, b->numbers) == 0 && break_away(b, problem);
    if (!solved)
        forget_slips(b, problem);
    carry_forces(b, count, false);
    for (int k = 0; k < count; k++) {
        found[k] = mode_of(problem, k, b->part_p, b->part_w, TN_UNILATERAL_NOTHING);
        if (b->contacts[b->chosen[k]].slides && found[k] == TN_UNILATERAL_STICKS)
            found[k] = TN_UNILATERAL_SLIDES;
        if (found[k] == TN_UNILATERAL_SLIDES && !b->part[k].slides)
            begin_slip(&b->part[k], b->part_w + b->part[k].row + 1, b->part_p + b->part[k].row);
    }
    return solved;
}

/* Removes the constraints with mode RESTS from the chosen ones; returns how many remain. */
static int leave_out(tn_delassus *b, int count, const tn_unilateral_mode *found, tn_unilateral_mode *modes)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        int unilateral = b->chosen[k];
        modes[unilateral] = found[k];
        if (found[k] != TN_UNILATERAL_RESTS)
            b->chosen[kept++] = unilateral;
    }
    forget_others(b, kept);
    return kept;
}

/* Tells whether the forces keep the resting constraints from approaching. With friction, the problem without the
 * resting constraints may have another solution than the one in which their forces are zero. */
static bool rest_holds(const tn_delassus *b, const tn_unilateral_mode *modes)
{
    double most = 0, least = 0;
    for (int k = 0; k < b->count; k++) {
        int row = b->contacts[k].row;
        double w = b->b[row];
        most = fmax(most, fabs(w));
        for (int j = 0; j < b->rows; j++) {
            w += b->W[j + row * b->rows] * b->forces[j];
            most = fmax(most, fabs(b->W[j + row * b->rows] * b->forces[j]));
        }
        if (modes[k] == TN_UNILATERAL_RESTS)
            least = fmin(least, w);
    }
    return least >= -RESTING * most;
}

/* Decides modes of the first `count` chosen constraints, from the accelerations b. */
static int decide_chosen(tn_delassus *b, int count, tn_unilateral_mode *modes, tn_unilateral_mode *found, bool *solved)
{
    int before;
    *solved = true;
    do {                                               /* until no further constraint is left out */
        before = b->decided = count;
        tn_cone_problem problem = tn_delassus_part(b, count);
        tn_delassus_add_adhesion(b, &problem, b->part_b);
        look_ahead(b, &problem);
        *solved = find_modes(b, &problem, found) && *solved;
        TN_TRY(keep_independent(&problem, b->part_p, found, b->arena));
        count = leave_out(b, count, found, modes);
    } while (count < before);
    tn_delassus_add_pulls(b, count);
    *solved = *solved && rest_holds(b, modes);
    for (int k = 0; k < count; k++)
        memcpy(b->contacts[b->chosen[k]].slip, b->part[k].slip, sizeof b->part[k].slip);
    return TN_OK;
}

/* b = free + the accelerations by torques against turning, with the present normal forces. */
static void add_turn_loads(tn_delassus *b, const double *loads, const double *free)
{
    memcpy(b->b, free, (size_t)b->rows * sizeof(double));
    for (int k = 0; k < b->count; k++)
        for (int i = 0; i < b->rows; i++)
            b->b[i] += b->forces[b->contacts[k].row] * loads[k * b->rows + i];
}

static double largest_change(const tn_delassus *b, const double *before)
{
    double change = 0, most = 0;
    for (int k = 0; k < b->count; k++) {
        double now = b->forces[b->contacts[k].row];
        change = fmax(change, fabs(now - before[k]));
        most = fmax(most, now);
    }
    return most > 0 ? change / most : 0;
}

/* As decide_chosen, with torques against turning, which depend on the normal forces: by iteration. */
static int decide_turning(tn_delassus *b, int count, const double *loads, tn_unilateral_mode *modes,
                          tn_unilateral_mode *found, bool *solved)
{
    size_t rows = (size_t)b->rows, n = (size_t)b->count;
    double *free = tn_arena_alloc(b->arena, rows, sizeof(double)), *normal = tn_arena_alloc(b->arena, n, sizeof(double));
    int *chosen = tn_arena_alloc(b->arena, n, sizeof(int));
    if (!free || !normal || !chosen)
        return TN_ERROR_MEMORY;
    memcpy(free, b->b, rows * sizeof(double));
    memcpy(chosen, b->chosen, n * sizeof(int));
    double change = INFINITY;
    for (int round = 0; round < MOST_TURN_ROUNDS && change > TURN_ACCURACY; round++) {
        add_turn_loads(b, loads, free);
        memcpy(b->chosen, chosen, n * sizeof(int));
        for (int k = 0; k < b->count; k++) {
            normal[k] = b->forces[b->contacts[k].row];
            modes[k] = TN_UNILATERAL_OPEN;
        }
        TN_TRY(decide_chosen(b, count, modes, found, solved));
        change = largest_change(b, normal);
    }
    return TN_OK;
}

int tn_unilaterals_decide(tn_delassus *b, tn_unilateral_mode *modes, bool *solved)
{
    int count = choose(b, b->b);
    double *loads;
    tn_unilateral_mode *found = tn_arena_alloc(b->arena, (size_t)b->count, sizeof *found);
    if (!found)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < b->count; k++)
        modes[k] = TN_UNILATERAL_OPEN;
    forget_others(b, count);
    b->decided = 0;
    *solved = true;
    if (count == 0)
        return TN_OK;
    TN_TRY(tn_delassus_accelerations(b));
    TN_TRY(tn_delassus_turn_loads(b, &loads));
    return loads ? decide_turning(b, count, loads, modes, found, solved) : decide_chosen(b, count, modes, found, solved);
}
