/* From terms to nodes: every operation checks what it is given, finds the dimension of its result, folds constants. */
#include "expr_tape.h"
#include "units.h"
#include <math.h>
#include <string.h>

static bool is_vector(const tn_parse *p, tn_term a)
{
    return p->tape->traits[a.node].vector;
}

static bool is_constant(const tn_parse *p, int node)
{
    return p->tape->nodes[node].op == TN_OP_CONSTANT;
}

static int append(tn_parse *p, int *out, tn_node node)
{
    int status = tn_tape_node(p->tape, node, out);
    if (status == TN_ERROR_MODEL)
        return tn_parse_fail(p, "the expression is too large: more than %d operations", TN_TAPE_NODES);
    return status;
}

static int fold(tn_parse *p, int *out, tn_node node)
{
    const tn_node *nodes = p->tape->nodes;
    tn_node small[3] = { nodes[node.a], nodes[tn_op_operands(node.op) > 1 ? node.b : node.a], node };
    small[2].a = 0;
    small[2].b = 1;
    double value = tn_tape_fold(small, 3);
    if (!isfinite(value))
        return tn_parse_fail(p, "the value of this operation is not a finite number");
    return append(p, out, (tn_node){ .op = TN_OP_CONSTANT, .value = value });
}

static int emit(tn_parse *p, int *out, tn_op op, int a, int b)
{
    tn_node node = { .op = (uint8_t)op, .a = (uint16_t)a, .b = (uint16_t)b };
    bool two = tn_op_operands(op) > 1;
    if (op != TN_OP_VEL && is_constant(p, a) && (!two || is_constant(p, b)))
        return fold(p, out, node);
    bool commutes = op == TN_OP_ADD || op == TN_OP_ADD3 || op == TN_OP_MUL || op == TN_OP_DOT;
    if (commutes && a > b) {
        node.a = (uint16_t)b;
        node.b = (uint16_t)a;
    }
    return append(p, out, node);
}

enum { DIM_TEXT = 80 };

/* "length (m)", "a number", "m^5" */
static const char *describe(tn_dim dim, char buffer[DIM_TEXT])
{
    char name[DIM_TEXT / 2 - 2], unit[DIM_TEXT / 2 - 2];
    tn_dim_name(dim, name, sizeof name);
    tn_dim_text(dim, unit, sizeof unit);
    if (tn_dim_equal(dim, TN_DIM_NUMBER))
        snprintf(buffer, DIM_TEXT, "a number");
    else if (strcmp(name, unit) == 0)
        snprintf(buffer, DIM_TEXT, "%s", unit);
    else
        snprintf(buffer, DIM_TEXT, "%s (%s)", name, unit);
    return buffer;
}

static bool dims_clash(tn_term a, tn_term b)
{
    return a.dim_known && b.dim_known && !tn_dim_equal(a.dim, b.dim);
}

static void set_dim(tn_term *term, tn_dim dim, bool known)
{
    term->dim = known ? dim : TN_DIM_NUMBER;
    term->dim_known = known;
}

static void set_product_dim(tn_term *out, tn_term a, tn_term b, int power_of_b)
{
    set_dim(out, tn_dim_product(a.dim, b.dim, power_of_b), a.dim_known && b.dim_known);
}

int tn_term_constant(tn_parse *p, tn_term *out, double value, tn_dim dim, bool dim_known)
{
    set_dim(out, dim, dim_known);
    return append(p, &out->node, (tn_node){ .op = TN_OP_CONSTANT, .value = value });
}

int tn_term_symbol(tn_parse *p, tn_term *out, const tn_symbol *symbol)
{
    static const uint8_t ops[] = {
        [TN_SYMBOL_PARAMETER] = TN_OP_PARAMETER, [TN_SYMBOL_SCALAR] = TN_OP_LEAF, [TN_SYMBOL_VECTOR] = TN_OP_LEAF3,
        [TN_SYMBOL_VELOCITY] = TN_OP_RATE_LEAF3
    };
    set_dim(out, symbol->dim, symbol->dim_known);
    if (symbol->kind == TN_SYMBOL_CONSTANT)
        return append(p, &out->node, (tn_node){ .op = TN_OP_CONSTANT, .value = symbol->value });
    if (symbol->kind == TN_SYMBOL_TIME)
        return append(p, &out->node, (tn_node){ .op = TN_OP_TIME });
    if (symbol->index < 0 || symbol->index > UINT16_MAX)
        return tn_parse_fail(p, "there are more than %d quantities of this kind", UINT16_MAX);
    return append(p, &out->node, (tn_node){ .op = ops[symbol->kind], .index = (uint16_t)symbol->index });
}

int tn_term_negate(tn_parse *p, tn_term *out, tn_term a)
{
    set_dim(out, a.dim, a.dim_known);
    return emit(p, &out->node, is_vector(p, a) ? TN_OP_NEG3 : TN_OP_NEG, a.node, 0);
}

int tn_term_sum(tn_parse *p, tn_term *out, char sign, tn_term a, tn_term b)
{
    bool vector = is_vector(p, a);
    char da[DIM_TEXT], db[DIM_TEXT];
    if (vector != is_vector(p, b))
        return tn_parse_fail(p, "'%c' cannot join a vector and a number", sign);
    if (dims_clash(a, b) && sign == '+')
        return tn_parse_fail(p, "cannot add %s to %s", describe(a.dim, da), describe(b.dim, db));
    if (dims_clash(a, b))
        return tn_parse_fail(p, "cannot subtract %s from %s", describe(b.dim, db), describe(a.dim, da));
    set_dim(out, a.dim_known ? a.dim : b.dim, a.dim_known || b.dim_known);
    tn_op op = sign == '+' ? (vector ? TN_OP_ADD3 : TN_OP_ADD) : (vector ? TN_OP_SUB3 : TN_OP_SUB);
    return emit(p, &out->node, op, a.node, b.node);
}

static int scalar_product(tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    if (!is_vector(p, a) || !is_vector(p, b))
        return tn_parse_fail(p, "'.' is the scalar product of two vectors; use * to multiply by a number");
    set_product_dim(out, a, b, 1);
    return emit(p, &out->node, TN_OP_DOT, a.node, b.node);
}

static int multiply(tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    if (is_vector(p, a) && is_vector(p, b))
        return tn_parse_fail(p, "'*' cannot multiply two vectors; use a . b for the scalar product or cross(a, b)");
    set_product_dim(out, a, b, 1);
    if (is_vector(p, a))
        return emit(p, &out->node, TN_OP_SCALE3, b.node, a.node);
    return emit(p, &out->node, is_vector(p, b) ? TN_OP_SCALE3 : TN_OP_MUL, a.node, b.node);
}

static int reciprocal(tn_parse *p, int *out, int node)
{
    int one;
    TN_TRY(append(p, &one, (tn_node){ .op = TN_OP_CONSTANT, .value = 1 }));
    return emit(p, out, TN_OP_DIV, one, node);
}

static int divide(tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    if (is_vector(p, b))
        return tn_parse_fail(p, "cannot divide by a vector; use norm() for its length");
    set_product_dim(out, a, b, -1);
    if (!is_vector(p, a))
        return emit(p, &out->node, TN_OP_DIV, a.node, b.node);
    int factor;
    TN_TRY(reciprocal(p, &factor, b.node));
    return emit(p, &out->node, TN_OP_SCALE3, factor, a.node);
}

int tn_term_product(tn_parse *p, tn_term *out, char operator, tn_term a, tn_term b)
{
    switch (operator) {
    case '*': return multiply(p, out, a, b);
    case '/': return divide(p, out, a, b);
    default: return scalar_product(p, out, a, b);
    }
}

static void set_power_dim(const tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    enum { LARGEST = 9 };
    double e = is_constant(p, b.node) ? p->tape->nodes[b.node].value : NAN;
    if (a.dim_known && e == rint(e) && fabs(e) <= LARGEST)
        set_dim(out, tn_dim_product(TN_DIM_NUMBER, a.dim, (int)e), true);
    else
        set_dim(out, TN_DIM_NUMBER, a.dim_known && tn_dim_equal(a.dim, TN_DIM_NUMBER));
}

int tn_term_power(tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    char db[DIM_TEXT];
    if (is_vector(p, a) || is_vector(p, b))
        return tn_parse_fail(p, "'^' needs numbers; the square of a vector a is a . a");
    if (b.dim_known && !tn_dim_equal(b.dim, TN_DIM_NUMBER))
        return tn_parse_fail(p, "an exponent must be a number, not %s", describe(b.dim, db));
    set_power_dim(p, out, a, b);
    const tn_node_traits *exponent = &p->tape->traits[b.node];
    if (exponent->moving || exponent->timed)
        return emit(p, &out->node, TN_OP_POWER_MOVING, a.node, b.node);
    double e = is_constant(p, b.node) ? p->tape->nodes[b.node].value : NAN;
    if (e == 0)
        return append(p, &out->node, (tn_node){ .op = TN_OP_CONSTANT, .value = 1 });
    out->node = a.node;
    if (e == 1)
        return TN_OK;
    return emit(p, &out->node, e == 2 ? TN_OP_MUL : TN_OP_POWER, a.node, e == 2 ? a.node : b.node);
}

struct tn_function {
    const char *name;
    const char *takes;             /* a letter an argument: n number, v vector, a any */
    uint8_t op;
    int (*apply)(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *arguments);
};

/* Functions of a number that give a number. */
static int apply_plain(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *a)
{
    char dim[DIM_TEXT];
    if (a->dim_known && !tn_dim_equal(a->dim, TN_DIM_NUMBER))
        return tn_parse_fail(p, "%s() needs a number or an angle, not %s", f->name, describe(a->dim, dim));
    set_dim(out, TN_DIM_NUMBER, true);
    return emit(p, &out->node, f->op, a->node, 0);
}

static int apply_sqrt(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *a)
{
    tn_dim half = { (signed char)(a->dim.m / 2), (signed char)(a->dim.kg / 2), (signed char)(a->dim.s / 2) };
    set_dim(out, half, a->dim_known && tn_dim_equal(tn_dim_product(half, half, 1), a->dim));
    return emit(p, &out->node, f->op, a->node, 0);
}

/* Functions that keep the dimension: abs, norm. */
static int apply_size(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *a)
{
    set_dim(out, a->dim, a->dim_known);
    return emit(p, &out->node, f->op, a->node, 0);
}

static int apply_unit(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *a)
{
    int norm, factor;
    (void)f;
    set_dim(out, TN_DIM_NUMBER, true);
    TN_TRY(emit(p, &norm, TN_OP_NORM, a->node, 0));
    TN_TRY(reciprocal(p, &factor, norm));
    return emit(p, &out->node, TN_OP_SCALE3, factor, a->node);
}

static int apply_cross(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *a)
{
    set_product_dim(out, a[0], a[1], 1);
    return emit(p, &out->node, f->op, a[0].node, a[1].node);
}

static int apply_atan2(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *a)
{
    char d0[DIM_TEXT], d1[DIM_TEXT];
    if (dims_clash(a[0], a[1]))
        return tn_parse_fail(p, "atan2() cannot compare %s with %s", describe(a[0].dim, d0), describe(a[1].dim, d1));
    set_dim(out, TN_DIM_ANGLE, true);
    return emit(p, &out->node, f->op, a[0].node, a[1].node);
}

static int apply_vel(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *a)
{
    (void)f;
    if (p->tape->traits[a->node].velocity)
        return tn_parse_fail(p, "vel() of something that is a velocity already");
    set_dim(out, tn_dim_product(a->dim, TN_DIM_TIME, -1), a->dim_known);
    return emit(p, &out->node, is_vector(p, *a) ? TN_OP_VEL3 : TN_OP_VEL, a->node, 0);
}

/* turn(a, b, c): the angle from a towards b of c, plus the turns that memory has counted. */
static int apply_turn(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *a)
{
    tn_term along, across, angle;
    if (p->memory < 0)
        return tn_parse_fail(p, "turn() counts turns and is allowed in coordinates of joints only");
    TN_TRY(scalar_product(p, &across, a[2], a[1]));
    TN_TRY(scalar_product(p, &along, a[2], a[0]));
    const tn_term both[] = { across, along };
    TN_TRY(apply_atan2(p, &angle, &(tn_function){ .op = TN_OP_ATAN2 }, both));
    for (size_t i = 0; i < p->tape->count; i++) {
        const tn_node *n = &p->tape->nodes[i];
        if (n->op == f->op && n->index == p->memory && n->a != angle.node)
            return tn_parse_fail(p, "only one turn() is allowed in a coordinate");
    }
    set_dim(out, TN_DIM_ANGLE, true);
    return append(p, &out->node, (tn_node){ .op = f->op, .a = (uint16_t)angle.node, .index = (uint16_t)p->memory });
}

static const tn_function functions[] = {
    { "sin", "n", TN_OP_SIN, apply_plain },
    { "cos", "n", TN_OP_COS, apply_plain },
    { "tan", "n", TN_OP_TAN, apply_plain },
    { "asin", "n", TN_OP_ASIN, apply_plain },
    { "acos", "n", TN_OP_ACOS, apply_plain },
    { "atan", "n", TN_OP_ATAN, apply_plain },
    { "atan2", "nn", TN_OP_ATAN2, apply_atan2 },
    { "sqrt", "n", TN_OP_SQRT, apply_sqrt },
    { "exp", "n", TN_OP_EXP, apply_plain },
    { "log", "n", TN_OP_LOG, apply_plain },
    { "abs", "n", TN_OP_ABS, apply_size },
    { "norm", "v", TN_OP_NORM, apply_size },
    { "unit", "v", TN_OP_NORM, apply_unit },
    { "cross", "vv", TN_OP_CROSS, apply_cross },
    { "vel", "a", TN_OP_VEL, apply_vel },
    { "turn", "vvv", TN_OP_UNWRAP, apply_turn },
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

int tn_function_apply(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *arguments, int count)
{
    int wanted = (int)strlen(f->takes);
    if (count != wanted)
        return tn_parse_fail(p, "%s() takes %d argument%s, not %d", f->name, wanted, wanted == 1 ? "" : "s", count);
    for (int i = 0; i < count; i++) {
        bool vector = is_vector(p, arguments[i]);
        if (f->takes[i] == (vector ? 'n' : 'v'))
            return tn_parse_fail(p, "argument %d of %s() must be a %s, not a %s", i + 1, f->name,
                                 vector ? "number" : "vector", vector ? "vector" : "number");
    }
    return f->apply(p, out, f, arguments);
}
