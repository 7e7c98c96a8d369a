/* The functions of the expression language: their arguments, and the nodes that they become. */
#include "expr_parse.h"
#include "units.h"
#include <string.h>

typedef struct call {
    const tn_function *f;
    const tn_term *a;              /* arguments, as many and of such kinds as the function takes */
    int count;
} call;

struct tn_function {
    const char *name;
    const char *takes;             /* one letter per argument: n number, v vector, a any, c curve */
    const char *more;              /* "*": more arguments like the last; letters: all of these, or none of them */
    uint8_t op;
    int (*apply)(tn_parse *p, tn_term *out, const call *c);
};

/* All arguments from first on have one dimension, as far as it is certain, which goes to out. */
static int join_dims(tn_parse *p, tn_term *out, const call *c, int first, int end)
{
    char da[TN_DIM_WORDS], db[TN_DIM_WORDS];
    tn_term joined = c->a[first];
    for (int i = first + 1; i < end; i++) {
        if (tn_terms_clash(joined, c->a[i]))
            return tn_parse_fail(p, "%s() cannot compare %s with %s", c->f->name, tn_dim_words(joined.dim, da),
                                 tn_dim_words(c->a[i].dim, db));
        tn_term_join_dim(&joined, joined, c->a[i]);
    }
    tn_term_set_dim(out, joined.dim, joined.dim_known);
    return TN_OK;
}

/* Functions of a number that give a number. */
static int apply_plain(tn_parse *p, tn_term *out, const call *c)
{
    char dim[TN_DIM_WORDS];
    if (!tn_term_plain(c->a[0]))
        return tn_parse_fail(p, "%s() needs a number or an angle, not %s%s", c->f->name, tn_dim_words(c->a[0].dim, dim),
                             tn_dim_equal(c->a[0].dim, TN_DIM_TIME) ? ": multiply it by a rate such as 2 rad/s" : "");
    tn_term_set_dim(out, TN_DIM_NUMBER, true);
    return tn_term_emit(p, &out->node, c->f->op, c->a[0].node, 0);
}

static int apply_sqrt(tn_parse *p, tn_term *out, const call *c)
{
    tn_dim dim = c->a[0].dim, half = { (signed char)(dim.m / 2), (signed char)(dim.kg / 2), (signed char)(dim.s / 2),
                                        (signed char)(dim.A / 2), (signed char)(dim.K / 2) };
    tn_term_set_dim(out, half, c->a[0].dim_known && tn_dim_equal(tn_dim_product(half, half, 1), dim));
    return tn_term_emit(p, &out->node, c->f->op, c->a[0].node, 0);
}

/* Functions that keep the dimension: abs, norm. */
static int apply_size(tn_parse *p, tn_term *out, const call *c)
{
    tn_term_set_dim(out, c->a[0].dim, c->a[0].dim_known);
    return tn_term_emit(p, &out->node, c->f->op, c->a[0].node, 0);
}

static int apply_sign(tn_parse *p, tn_term *out, const call *c)
{
    tn_term_set_dim(out, TN_DIM_NUMBER, true);
    return tn_term_emit(p, &out->node, c->f->op, c->a[0].node, 0);
}

/* Functions of two numbers of one dimension, which is the result's: mod. */
static int apply_alike(tn_parse *p, tn_term *out, const call *c)
{
    TN_TRY(join_dims(p, out, c, 0, 2));
    return tn_term_emit(p, &out->node, c->f->op, c->a[0].node, c->a[1].node);
}

static int apply_hypot(tn_parse *p, tn_term *out, const call *c)
{
    int a, b, sum;
    TN_TRY(join_dims(p, out, c, 0, 2));
    TN_TRY(tn_term_emit(p, &a, TN_OP_MUL, c->a[0].node, c->a[0].node));
    TN_TRY(tn_term_emit(p, &b, TN_OP_MUL, c->a[1].node, c->a[1].node));
    TN_TRY(tn_term_emit(p, &sum, TN_OP_ADD, a, b));
    return tn_term_emit(p, &out->node, c->f->op, sum, 0);
}

/* min and max */
static int apply_extreme(tn_parse *p, tn_term *out, const call *c)
{
    TN_TRY(join_dims(p, out, c, 0, c->count));
    out->node = c->a[0].node;
    for (int i = 1; i < c->count; i++)
        TN_TRY(tn_term_emit(p, &out->node, c->f->op, out->node, c->a[i].node));
    return TN_OK;
}

/* clamp(x, low, high) */
static int apply_clamp(tn_parse *p, tn_term *out, const call *c)
{
    double low, high;
    int above;
    TN_TRY(join_dims(p, out, c, 0, 3));
    const bool known = tn_term_known(p, c->a[1], &low) && tn_term_known(p, c->a[2], &high);
    if (known && low > high && !p->unreached)
        return tn_parse_fail(p, "clamp() needs its bounds in order: clamp(x, low, high)");
    if (known && low == high) {                        /* no kink, where a width of zero means that there is none */
        out->node = c->a[2].node;
        return TN_OK;
    }
    TN_TRY(tn_term_emit(p, &above, TN_OP_MAX, c->a[0].node, c->a[1].node));
    return tn_term_emit(p, &out->node, TN_OP_MIN, above, c->a[2].node);
}

/* step(x, x0, x1), step(x, x0, x1, y0, y1):  y0 + (y1 - y0) ramp((x - x0) / (x1 - x0)) */
static int apply_step(tn_parse *p, tn_term *out, const call *c)
{
    double x0, x1;
    int from, length, part;
    TN_TRY(join_dims(p, out, c, 0, 3));
    if (tn_term_known(p, c->a[1], &x0) && tn_term_known(p, c->a[2], &x1) && x0 == x1 && !p->unreached)
        return tn_parse_fail(p, "step() needs two places that differ: step(x, x0, x1)");
    TN_TRY(tn_term_emit(p, &from, TN_OP_SUB, c->a[0].node, c->a[1].node));
    TN_TRY(tn_term_emit(p, &length, TN_OP_SUB, c->a[2].node, c->a[1].node));
    TN_TRY(tn_term_emit(p, &part, TN_OP_DIV, from, length));
    TN_TRY(tn_term_emit(p, &part, c->f->op, part, 0));
    tn_term_set_dim(out, TN_DIM_NUMBER, true);
    out->node = part;
    if (c->count == 3)
        return TN_OK;
    int rise;
    TN_TRY(join_dims(p, out, c, 3, 5));
    TN_TRY(tn_term_emit(p, &rise, TN_OP_SUB, c->a[4].node, c->a[3].node));
    TN_TRY(tn_term_emit(p, &rise, TN_OP_MUL, rise, part));
    return tn_term_emit(p, &out->node, TN_OP_ADD, c->a[3].node, rise);
}

/* if(condition, a, b) */
static int apply_if(tn_parse *p, tn_term *out, const call *c)
{
    char da[TN_DIM_WORDS], db[TN_DIM_WORDS];
    const tn_term condition = c->a[0], a = c->a[1], b = c->a[2];
    double value;
    if (!tn_term_plain(condition))
        return tn_parse_fail(p, "if() needs a condition such as a < b first, not %s", tn_dim_words(condition.dim, da));
    if (tn_terms_clash(a, b))
        return tn_parse_fail(p, "if() cannot give %s or %s", tn_dim_words(a.dim, da), tn_dim_words(b.dim, db));
    tn_term_join_dim(out, a, b);
    if (tn_term_known(p, condition, &value)) {
        out->node = value != 0 ? a.node : b.node;
        return TN_OK;
    }
    tn_node node = { .op = c->f->op, .a = (uint16_t)a.node, .b = (uint16_t)b.node, .index = (uint16_t)condition.node };
    return tn_term_append(p, &out->node, node);
}

static int apply_unit(tn_parse *p, tn_term *out, const call *c)
{
    int norm, factor;
    tn_term_set_dim(out, TN_DIM_NUMBER, true);
    TN_TRY(tn_term_emit(p, &norm, c->f->op, c->a[0].node, 0));
    TN_TRY(tn_term_reciprocal(p, &factor, norm));
    return tn_term_emit(p, &out->node, TN_OP_SCALE3, factor, c->a[0].node);
}

static int apply_cross(tn_parse *p, tn_term *out, const call *c)
{
    tn_term_set_product(out, c->a[0], c->a[1], 1);
    TN_TRY(tn_term_emit(p, &out->node, c->f->op, c->a[0].node, c->a[1].node));
    return p->scope->mirrored ? tn_term_negate(p, out, *out) : TN_OK;
}

static int apply_atan2(tn_parse *p, tn_term *out, const call *c)
{
    TN_TRY(join_dims(p, out, c, 0, 2));
    tn_term_set_dim(out, TN_DIM_ANGLE, true);
    return tn_term_emit(p, &out->node, c->f->op, c->a[0].node, c->a[1].node);
}

static int apply_vel(tn_parse *p, tn_term *out, const call *c)
{
    const tn_node_traits *t = &p->tape->traits[c->a[0].node];
    bool has_rate = !t->velocity && !t->rateless;
    if (!has_rate && !p->unreached)
        return tn_parse_fail(p, t->velocity ? "vel() of something that is a velocity already; accelerations are channels of their own"
                                            : "vel() of something whose rate is not known");
    tn_term_set_dim(out, tn_dim_product(c->a[0].dim, TN_DIM_TIME, -1), c->a[0].dim_known);
    if (!has_rate) {
        out->node = c->a[0].node;      /* never evaluated: any node of the right shape will do */
        return TN_OK;
    }
    return tn_term_emit(p, &out->node, t->vector ? TN_OP_VEL3 : TN_OP_VEL, c->a[0].node, 0);
}

/* turn(a, b, c): the angle from a towards b of c, plus the turns that memory has counted. */
static int apply_turn(tn_parse *p, tn_term *out, const call *c)
{
    tn_term along, across;
    int angle;
    if (p->memory < 0)
        return tn_parse_fail(p, "turn() counts turns and is allowed in coordinates of joints only");
    TN_TRY(tn_term_dot(p, &across, c->a[2], c->a[1]));
    TN_TRY(tn_term_dot(p, &along, c->a[2], c->a[0]));
    if (tn_terms_clash(across, along))
        return tn_parse_fail(p, "turn() needs two axes of one dimension");
    TN_TRY(tn_term_emit(p, &angle, TN_OP_ATAN2, across.node, along.node));
    for (size_t i = 0; i < p->tape->count; i++) {
        const tn_node *n = &p->tape->nodes[i];
        if (n->op == c->f->op && n->index == p->memory && n->a != angle)
            return tn_parse_fail(p, "only one turn() is allowed in a coordinate");
    }
    tn_term_set_dim(out, TN_DIM_ANGLE, true);
    tn_node node = { .op = c->f->op, .a = (uint16_t)angle, .index = (uint16_t)p->memory };
    return tn_term_append(p, &out->node, node);
}

/* integral(curve, x) */
static int apply_integral(tn_parse *p, tn_term *out, const call *c)
{
    return tn_term_curve_at(p, out, c->f->op, c->f->name, c->a[0], c->a[1]);
}

static const tn_function functions[] = {
    { "sin", "n", NULL, TN_OP_SIN, apply_plain },
    { "cos", "n", NULL, TN_OP_COS, apply_plain },
    { "tan", "n", NULL, TN_OP_TAN, apply_plain },
    { "asin", "n", NULL, TN_OP_ASIN, apply_plain },
    { "acos", "n", NULL, TN_OP_ACOS, apply_plain },
    { "atan", "n", NULL, TN_OP_ATAN, apply_plain },
    { "atan2", "nn", NULL, TN_OP_ATAN2, apply_atan2 },
    { "sinh", "n", NULL, TN_OP_SINH, apply_plain },
    { "cosh", "n", NULL, TN_OP_COSH, apply_plain },
    { "tanh", "n", NULL, TN_OP_TANH, apply_plain },
    { "sqrt", "n", NULL, TN_OP_SQRT, apply_sqrt },
    { "hypot", "nn", NULL, TN_OP_SQRT, apply_hypot },
    { "exp", "n", NULL, TN_OP_EXP, apply_plain },
    { "log", "n", NULL, TN_OP_LOG, apply_plain },
    { "log10", "n", NULL, TN_OP_LOG10, apply_plain },
    { "abs", "n", NULL, TN_OP_ABS, apply_size },
    { "sign", "n", NULL, TN_OP_SIGN, apply_sign },
    { "floor", "n", NULL, TN_OP_FLOOR, apply_plain },
    { "mod", "nn", NULL, TN_OP_MOD, apply_alike },
    { "min", "nn", "*", TN_OP_MIN, apply_extreme },
    { "max", "nn", "*", TN_OP_MAX, apply_extreme },
    { "clamp", "nnn", NULL, TN_OP_MIN, apply_clamp },
    { "step", "nnn", "nn", TN_OP_RAMP, apply_step },
    { "if", "nnn", NULL, TN_OP_SELECT, apply_if },
    { "norm", "v", NULL, TN_OP_NORM, apply_size },
    { "unit", "v", NULL, TN_OP_NORM, apply_unit },
    { "cross", "vv", NULL, TN_OP_CROSS, apply_cross },
    { "vel", "a", NULL, TN_OP_VEL, apply_vel },
    { "turn", "vvv", NULL, TN_OP_UNWRAP, apply_turn },
    { "integral", "cn", NULL, TN_OP_CURVE_INTEGRAL, apply_integral },
};

const tn_function *tn_function_find(const char *name, size_t length)
{
    for (size_t i = 0; i < TN_LENGTH(functions); i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
            return &functions[i];
    return NULL;
}

const char *tn_function_name(size_t index)
{
    return index < TN_LENGTH(functions) ? functions[index].name : NULL;
}

bool tn_function_takes_curve(const tn_function *f, int argument)
{
    return argument < (int)strlen(f->takes) && f->takes[argument] == 'c';
}

bool tn_function_ignores(const tn_parse *p, const tn_function *f, const tn_term *arguments, int argument)
{
    double condition;
    return f->op == TN_OP_SELECT && argument > 0 && tn_term_known(p, arguments[0], &condition)
        && argument == (condition != 0 ? 2 : 1);
}

static int check_count(tn_parse *p, const tn_function *f, int count)
{
    int least = (int)strlen(f->takes), most = least + (f->more ? (int)strlen(f->more) : 0);
    if (f->more && f->more[0] == '*') {
        if (count < least)
            return tn_parse_fail(p, "%s() takes %d or more arguments, not %d", f->name, least, count);
        if (count > TN_EXPR_ARGUMENTS)
            return tn_parse_fail(p, "%s() takes at most %d arguments, not %d", f->name, TN_EXPR_ARGUMENTS, count);
        return TN_OK;
    }
    if (count == least || count == most)
        return TN_OK;
    if (f->more)
        return tn_parse_fail(p, "%s() takes %d or %d arguments, not %d", f->name, least, most, count);
    return tn_parse_fail(p, "%s() takes %d argument%s, not %d", f->name, least, least == 1 ? "" : "s", count);
}

int tn_function_apply(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *arguments, int count)
{
    TN_TRY(check_count(p, f, count));
    int least = (int)strlen(f->takes);
    for (int i = 0; i < count; i++) {
        char kind = i < least ? f->takes[i] : f->more[0] == '*' ? f->takes[least - 1] : f->more[i - least];
        bool vector = kind != 'c' && tn_term_vector(p, arguments[i]);
        if (kind == (vector ? 'n' : 'v'))
            return tn_parse_fail(p, "argument %d of %s() must be a %s, not a %s", i + 1, f->name,
                                 vector ? "number" : "vector", vector ? "vector" : "number");
    }
    return f->apply(p, out, &(call){ f, arguments, count });
}
