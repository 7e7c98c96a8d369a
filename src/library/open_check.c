/* Checks what an open component shows of itself. */
#include "open_check.h"

#include <math.h>

/* Limit on the numbers of bodies, constraints and groups. */
enum { MOST = 1000000 };
/* Allowed asymmetry of M, relative to its diagonal. */
static const double ASYMMETRY = 1e-9;

static int width_of(const tn_structure *st, int body)
{
    return st->body_column[body + 1] - st->body_column[body];
}

static int rows_of(const tn_structure *st, int constraint)
{
    return st->constraint_row[constraint + 1] - st->constraint_row[constraint];
}

size_t tn_open_mass_size(const tn_structure *st)
{
    size_t size = 0;
    for (int b = 0; b < st->bodies; b++)
        size += (size_t)(width_of(st, b) * width_of(st, b));
    return size;
}

size_t tn_open_rows_size(const tn_structure *st)
{
    size_t size = 0;
    for (int c = 0; c < st->constraints; c++)
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++)
            size += (size_t)(rows_of(st, c) * width_of(st, st->block_body[b]));
    return size;
}

/* ---- structure ---- */

static bool has_all(const tn_structure *st)
{
    return st->body_column && st->mass_offset && st->constraint_row && st->block_begin && st->block_body &&
           st->block_offset && st->column_scale && (st->groups == 0 || (st->body_group && st->group_parent)) &&
           (!st->pin_kind || st->pins);
}

static bool good_counts(const tn_structure *st)
{
    return st->bodies >= 1 && st->bodies <= MOST && st->constraints >= 0 && st->constraints <= MOST &&
           st->groups >= 0 && st->groups <= MOST;
}

static bool good_columns(const tn_structure *st, int dimension)
{
    const int full = dimension == 2 ? 3 : 6;
    if (st->body_column[0] != 0)
        return false;
    for (int b = 0; b < st->bodies; b++)
        if (width_of(st, b) != full && width_of(st, b) != dimension)
            return false;
    const size_t size = tn_open_mass_size(st);
    for (int b = 0; b < st->bodies; b++)
        if (st->mass_offset[b] + (size_t)(width_of(st, b) * width_of(st, b)) > size)
            return false;
    return true;
}

/* Blocks of a constraint are on existing, different bodies. */
static bool good_blocks(const tn_structure *st, int constraint)
{
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++) {
        if (st->block_body[b] < 0 || st->block_body[b] >= st->bodies)
            return false;
        for (int other = st->block_begin[constraint]; other < b; other++)
            if (st->block_body[other] == st->block_body[b])
                return false;
    }
    return true;
}

static bool good_rows(const tn_structure *st)
{
    if (st->constraint_row[0] != 0 || st->block_begin[0] != 0)
        return false;
    for (int c = 0; c < st->constraints; c++)
        if (rows_of(st, c) < 0 || rows_of(st, c) > MOST || st->block_begin[c + 1] < st->block_begin[c] ||
            st->block_begin[c + 1] - st->block_begin[c] > st->bodies || !good_blocks(st, c))
            return false;
    const size_t size = tn_open_rows_size(st);
    for (int c = 0; c < st->constraints; c++)
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++)
            if (st->block_offset[b] + (size_t)(rows_of(st, c) * width_of(st, st->block_body[b])) > size)
                return false;
    return true;
}

static bool on_body(const tn_structure *st, int body, int dimension)
{
    return body == -1 || (body >= 0 && body < st->bodies && width_of(st, body) == (dimension == 2 ? 3 : 6));
}

static bool good_pins(const tn_structure *st, int dimension)
{
    for (int c = 0; st->pin_kind && c < st->constraints; c++) {
        const tn_pin *pin = &st->pins[c];
        const int kind = st->pin_kind[c], rows = dimension == 2 ? 2 : kind == TN_PIN_HINGE ? 5 : 3;
        if (kind == TN_PIN_NONE)
            continue;
        if (kind > (dimension == 2 ? TN_PIN_BALL : TN_PIN_HINGE) || rows_of(st, c) != rows ||
            !on_body(st, pin->body1, dimension) || !on_body(st, pin->body2, dimension) || pin->body1 == pin->body2)
            return false;
        if (st->block_begin[c + 1] - st->block_begin[c] != (pin->body1 >= 0) + (pin->body2 >= 0))
            return false;
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++)
            if (st->block_body[b] != pin->body1 && st->block_body[b] != pin->body2)
                return false;
    }
    return true;
}

/* Groups form a tree: every chain of parents ends. */
static bool good_groups(const tn_structure *st)
{
    for (int g = 0; g < st->groups; g++)
        if (st->group_parent[g] < -1 || st->group_parent[g] >= st->groups)
            return false;
    for (int g = 0; g < st->groups; g++) {
        int up = st->group_parent[g], steps = 0;
        while (up >= 0 && steps++ <= st->groups)
            up = st->group_parent[up];
        if (up >= 0)
            return false;
    }
    for (int b = 0; b < st->bodies && st->groups > 0; b++)
        if (st->body_group[b] < -1 || st->body_group[b] >= st->groups)
            return false;
    return true;
}

const char *tn_open_structure_trouble(const tn_open_component *open, const tn_component_type *type)
{
    const tn_structure *st = open->structure;
    if (!st || !open->port_body || !open->f || !open->u)
        return "'open' leaves something out";
    if (!good_counts(st) || !has_all(st))
        return "'open': the structure is incomplete";
    if (!good_columns(st, type->dimension))
        return "'open': the columns or mass blocks of a body are not in place";
    if (!good_rows(st))
        return "'open': the rows or blocks of a constraint are not in place";
    if (!good_pins(st, type->dimension))
        return "'open': a pin does not fit its constraint";
    if (!good_groups(st))
        return "'open': the groups are no tree";
    for (int p = 0; p < type->port_count; p++)
        if (open->port_body[p] < -1 || open->port_body[p] >= st->bodies)
            return "'open': a port is on a body that does not exist";
    return NULL;
}

/* ---- numbers ---- */

static bool finite(const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

static bool good_mass(const double *M, int w)
{
    for (int i = 0; i < w; i++)
        if (!(M[i * (w + 1)] > 0))
            return false;
    for (int i = 0; i < w; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(M[i * w + j] - M[j * w + i]) <= ASYMMETRY * sqrt(M[i * (w + 1)] * M[j * (w + 1)])))
                return false;
    return true;
}

const char *tn_open_numbers_trouble(const tn_open_component *open)
{
    const tn_structure *st = open->structure;
    if (!open->M || !open->G)
        return "'open' leaves something out";
    if (!finite(open->M, tn_open_mass_size(st)) || !finite(open->G, tn_open_rows_size(st)) ||
        !finite(open->f, (size_t)st->body_column[st->bodies]) ||
        !finite(open->u, (size_t)st->constraint_row[st->constraints]))
        return "'open': not all numbers are finite";
    for (int j = 0; j < st->body_column[st->bodies]; j++)
        if (!(st->column_scale[j] > 0) || !isfinite(st->column_scale[j]))
            return "'open': the scale of a column is no length";
    for (int b = 0; b < st->bodies; b++)
        if (!good_mass(open->M + st->mass_offset[b], width_of(st, b)))
            return "'open': a mass block is not symmetric, or has no positive diagonal";
    return NULL;
}
