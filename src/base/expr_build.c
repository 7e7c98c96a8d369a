/* Builds nodes from terms: every operation checks its operands, finds the dimension of its result, folds constants. */
#include "expr_parse.h"
#include "units.h"
#include <math.h>
#include <string.h>

bool tn_term_vector(const tn_parse *p, tn_term a)
{
    return p->tape->traits[a.node].vector;
}

static bool is_constant(const tn_parse *p, int node)
{
    return p->tape->nodes[node].op == TN_OP_CONSTANT;
}

bool tn_term_known(const tn_parse *p, tn_term a, double *value)
{
    *value = p->tape->nodes[a.node].value;
    return is_constant(p, a.node);
}

int tn_term_append(tn_parse *p, int *out, tn_node node)
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
    double value = tn_tape_fold(p->tape, small, 3);
    if (!isfinite(value) && !p->unreached)
        return tn_parse_fail(p, "the value of this operation is not a finite number");
    return tn_term_append(p, out, (tn_node){ .op = TN_OP_CONSTANT, .value = value });
}

int tn_term_emit(tn_parse *p, int *out, tn_op op, int a, int b)
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
    return tn_term_append(p, out, node);
}

const char *tn_dim_words(tn_dim dim, char buffer[TN_DIM_WORDS])
{
    char name[TN_DIM_WORDS / 2 - 2], unit[TN_DIM_WORDS / 2 - 2];
    tn_dim_name(dim, name, sizeof name);
    tn_dim_text(dim, unit, sizeof unit);
    if (tn_dim_equal(dim, TN_DIM_NUMBER))
        snprintf(buffer, TN_DIM_WORDS, "a number");
    else if (strcmp(name, unit) == 0)
        snprintf(buffer, TN_DIM_WORDS, "%s", unit);
    else
        snprintf(buffer, TN_DIM_WORDS, "%s (%s)", name, unit);
    return buffer;
}

bool tn_terms_clash(tn_term a, tn_term b)
{
    return a.dim_known && b.dim_known && !tn_dim_equal(a.dim, b.dim);
}

void tn_term_set_dim(tn_term *term, tn_dim dim, bool known)
{
    term->dim = known ? dim : TN_DIM_NUMBER;
    term->dim_known = known;
}

bool tn_term_plain(tn_term a)
{
    return !a.dim_known || tn_dim_equal(a.dim, TN_DIM_NUMBER);
}

void tn_term_join_dim(tn_term *out, tn_term a, tn_term b)
{
    tn_term_set_dim(out, a.dim_known ? a.dim : b.dim, a.dim_known || b.dim_known);
}

void tn_term_set_product(tn_term *out, tn_term a, tn_term b, int power_of_b)
{
    tn_term_set_dim(out, tn_dim_product(a.dim, b.dim, power_of_b), a.dim_known && b.dim_known);
}

int tn_term_constant(tn_parse *p, tn_term *out, double value, tn_dim dim, bool dim_known)
{
    tn_term_set_dim(out, dim, dim_known);
    return tn_term_append(p, &out->node, (tn_node){ .op = TN_OP_CONSTANT, .value = value });
}

static tn_op leaf_op(const tn_symbol *symbol)
{
    switch (symbol->kind) {
    case TN_SYMBOL_PARAMETER: return TN_OP_PARAMETER;
    case TN_SYMBOL_SCALAR: return symbol->rateless ? TN_OP_VALUE : TN_OP_LEAF;
    case TN_SYMBOL_VECTOR: return symbol->rateless ? TN_OP_VALUE3 : TN_OP_LEAF3;
    default: return TN_OP_RATE_LEAF3;
    }
}

int tn_term_symbol(tn_parse *p, tn_term *out, const tn_symbol *symbol)
{
    tn_term_set_dim(out, symbol->dim, symbol->dim_known);
    if (symbol->kind == TN_SYMBOL_CONSTANT)
        return tn_term_append(p, &out->node, (tn_node){ .op = TN_OP_CONSTANT, .value = symbol->value });
    if (symbol->kind == TN_SYMBOL_TIME)
        return tn_term_append(p, &out->node, (tn_node){ .op = TN_OP_TIME });
    if (symbol->index < 0 || symbol->index > UINT16_MAX)
        return tn_parse_fail(p, "there are more than %d quantities of this kind", UINT16_MAX);
    uint8_t op = (uint8_t)leaf_op(symbol);
    return tn_term_append(p, &out->node, (tn_node){ .op = op, .index = (uint16_t)symbol->index });
}

int tn_term_negate(tn_parse *p, tn_term *out, tn_term a)
{
    tn_term_set_dim(out, a.dim, a.dim_known);
    return tn_term_emit(p, &out->node, tn_term_vector(p, a) ? TN_OP_NEG3 : TN_OP_NEG, a.node, 0);
}

int tn_term_sum(tn_parse *p, tn_term *out, char sign, tn_term a, tn_term b)
{
    bool vector = tn_term_vector(p, a);
    char da[TN_DIM_WORDS], db[TN_DIM_WORDS];
    if (vector != tn_term_vector(p, b))
        return tn_parse_fail(p, "'%c' cannot join a vector and a number", sign);
    if (tn_terms_clash(a, b) && sign == '+')
        return tn_parse_fail(p, "cannot add %s to %s", tn_dim_words(a.dim, da), tn_dim_words(b.dim, db));
    if (tn_terms_clash(a, b))
        return tn_parse_fail(p, "cannot subtract %s from %s", tn_dim_words(b.dim, db), tn_dim_words(a.dim, da));
    tn_term_join_dim(out, a, b);
    tn_op op = sign == '+' ? (vector ? TN_OP_ADD3 : TN_OP_ADD) : (vector ? TN_OP_SUB3 : TN_OP_SUB);
    return tn_term_emit(p, &out->node, op, a.node, b.node);
}

int tn_term_dot(tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    if (!tn_term_vector(p, a) || !tn_term_vector(p, b))
        return tn_parse_fail(p, "'.' is the scalar product of two vectors; use * to multiply by a number");
    tn_term_set_product(out, a, b, 1);
    return tn_term_emit(p, &out->node, TN_OP_DOT, a.node, b.node);
}

static int multiply(tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    if (tn_term_vector(p, a) && tn_term_vector(p, b))
        return tn_parse_fail(p, "'*' cannot multiply two vectors; use a . b for the scalar product or cross(a, b)");
    tn_term_set_product(out, a, b, 1);
    if (tn_term_vector(p, a))
        return tn_term_emit(p, &out->node, TN_OP_SCALE3, b.node, a.node);
    return tn_term_emit(p, &out->node, tn_term_vector(p, b) ? TN_OP_SCALE3 : TN_OP_MUL, a.node, b.node);
}

int tn_term_reciprocal(tn_parse *p, int *out, int node)
{
    int one;
    TN_TRY(tn_term_append(p, &one, (tn_node){ .op = TN_OP_CONSTANT, .value = 1 }));
    return tn_term_emit(p, out, TN_OP_DIV, one, node);
}

static int divide(tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    if (tn_term_vector(p, b))
        return tn_parse_fail(p, "cannot divide by a vector; use norm() for its length");
    tn_term_set_product(out, a, b, -1);
    if (!tn_term_vector(p, a))
        return tn_term_emit(p, &out->node, TN_OP_DIV, a.node, b.node);
    int factor;
    TN_TRY(tn_term_reciprocal(p, &factor, b.node));
    return tn_term_emit(p, &out->node, TN_OP_SCALE3, factor, a.node);
}

int tn_term_product(tn_parse *p, tn_term *out, char operator, tn_term a, tn_term b)
{
    switch (operator) {
    case '*': return multiply(p, out, a, b);
    case '/': return divide(p, out, a, b);
    default: return tn_term_dot(p, out, a, b);
    }
}

static void set_power_dim(const tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    enum { LARGEST = 9 };
    double e = is_constant(p, b.node) ? p->tape->nodes[b.node].value : NAN;
    if (a.dim_known && e == rint(e) && fabs(e) <= LARGEST)
        tn_term_set_dim(out, tn_dim_product(TN_DIM_NUMBER, a.dim, (int)e), true);
    else
        tn_term_set_dim(out, TN_DIM_NUMBER, a.dim_known && tn_dim_equal(a.dim, TN_DIM_NUMBER));
}

int tn_term_power(tn_parse *p, tn_term *out, tn_term a, tn_term b)
{
    char db[TN_DIM_WORDS];
    if (tn_term_vector(p, a) || tn_term_vector(p, b))
        return tn_parse_fail(p, "'^' needs numbers; the square of a vector a is a . a");
    if (!tn_term_plain(b))
        return tn_parse_fail(p, "an exponent must be a number, not %s", tn_dim_words(b.dim, db));
    set_power_dim(p, out, a, b);
    const tn_node_traits *exponent = &p->tape->traits[b.node];
    if (exponent->moving || exponent->timed)
        return tn_term_emit(p, &out->node, TN_OP_POWER_MOVING, a.node, b.node);
    double e = is_constant(p, b.node) ? p->tape->nodes[b.node].value : NAN;
    if (e == 0)
        return tn_term_append(p, &out->node, (tn_node){ .op = TN_OP_CONSTANT, .value = 1 });
    out->node = a.node;
    if (e == 1)
        return TN_OK;
    return tn_term_emit(p, &out->node, e == 2 ? TN_OP_MUL : TN_OP_POWER, a.node, e == 2 ? a.node : b.node);
}

int tn_term_component(tn_parse *p, tn_term *out, tn_term a, int component)
{
    tn_term_set_dim(out, a.dim, a.dim_known);
    tn_node node = { .op = TN_OP_COMPONENT, .a = (uint16_t)a.node, .index = (uint16_t)component };
    return tn_term_append(p, &out->node, node);
}

int tn_term_compare(tn_parse *p, tn_term *out, const char *operator, tn_term a, tn_term b)
{
    char da[TN_DIM_WORDS], db[TN_DIM_WORDS];
    if (tn_term_vector(p, a) || tn_term_vector(p, b))
        return tn_parse_fail(p, "'%s' compares numbers, not vectors; use norm() or a component", operator);
    if (tn_terms_clash(a, b))
        return tn_parse_fail(p, "cannot compare %s with %s", tn_dim_words(a.dim, da), tn_dim_words(b.dim, db));
    tn_term_set_dim(out, TN_DIM_NUMBER, true);
    tn_op op = operator[1] == '=' ? TN_OP_LESS_EQUAL : TN_OP_LESS;
    bool swap = operator[0] == '>';
    return tn_term_emit(p, &out->node, op, swap ? b.node : a.node, swap ? a.node : b.node);
}

static int check_condition(tn_parse *p, const char *word, tn_term a)
{
    char dim[TN_DIM_WORDS];
    if (tn_term_vector(p, a))
        return tn_parse_fail(p, "'%s' needs conditions such as a < b, not a vector", word);
    if (!tn_term_plain(a))
        return tn_parse_fail(p, "'%s' needs conditions such as a < b, not %s", word, tn_dim_words(a.dim, dim));
    return TN_OK;
}

int tn_term_logic(tn_parse *p, tn_term *out, tn_op op, tn_term a, tn_term b)
{
    const char *word = op == TN_OP_AND ? "and" : "or";
    TN_TRY(check_condition(p, word, a));
    TN_TRY(check_condition(p, word, b));
    tn_term_set_dim(out, TN_DIM_NUMBER, true);
    return tn_term_emit(p, &out->node, op, a.node, b.node);
}

int tn_term_not(tn_parse *p, tn_term *out, tn_term a)
{
    TN_TRY(check_condition(p, "not", a));
    tn_term_set_dim(out, TN_DIM_NUMBER, true);
    return tn_term_emit(p, &out->node, TN_OP_NOT, a.node, 0);
}

static bool same_curve(const tn_tape_curve *c, const tn_symbol *s)
{
    return c->curve == s->curve && c->surface == s->surface && c->dim_known == s->dim_known && c->dim_in_known == s->dim_in_known
        && c->dim_in2_known == s->dim_in2_known && tn_dim_equal(c->dim, s->dim) && tn_dim_equal(c->dim_in, s->dim_in)
        && tn_dim_equal(c->dim_in2, s->dim_in2);
}

int tn_term_curve(tn_parse *p, tn_term *out, const tn_symbol *symbol)
{
    tn_tape *tape = p->tape;
    size_t i = 0;
    while (i < tape->curve_count && !same_curve(&tape->curves[i], symbol))
        i++;
    if (i > UINT16_MAX)
        return tn_parse_fail(p, "there are more than %d curves", UINT16_MAX);
    if (i == tape->curve_count) {
        TN_TRY(tn_grow(tape->context, &tape->curves, &tape->curve_capacity, i + 1, sizeof *tape->curves));
        tape->curves[tape->curve_count++] = (tn_tape_curve){
            .curve = symbol->curve, .surface = symbol->surface, .dim_in = symbol->dim_in, .dim_in_known = symbol->dim_in_known,
            .dim_in2 = symbol->dim_in2, .dim_in2_known = symbol->dim_in2_known, .dim = symbol->dim,
            .dim_known = symbol->dim_known
        };
    }
    *out = (tn_term){ .node = (int)i };
    return TN_OK;
}

int tn_term_curve_at(tn_parse *p, tn_term *out, tn_op op, const char *name, tn_term curve, tn_term x)
{
    char wanted[TN_DIM_WORDS], given[TN_DIM_WORDS];
    const tn_tape_curve *c = &p->tape->curves[curve.node];
    const tn_term in = { .dim = c->dim_in, .dim_known = c->dim_in_known }, value = { 0, c->dim, c->dim_known };
    if (tn_term_vector(p, x))
        return tn_parse_fail(p, "the argument of %s() must be a number, not a vector", name);
    if (tn_terms_clash(in, x))
        return tn_parse_fail(p, "%s() is a curve over %s, not over %s", name, tn_dim_words(in.dim, wanted),
                             tn_dim_words(x.dim, given));
    if (op == TN_OP_CURVE)
        tn_term_set_dim(out, value.dim, value.dim_known);
    else
        tn_term_set_product(out, value, in, 1);
    tn_node node = { .op = (uint8_t)op, .a = (uint16_t)x.node, .index = (uint16_t)curve.node };
    return is_constant(p, x.node) ? fold(p, &out->node, node) : tn_term_append(p, &out->node, node);
}

static int check_argument(tn_parse *p, const char *name, const char *which, tn_term wanted, tn_term x)
{
    char over[TN_DIM_WORDS], given[TN_DIM_WORDS];
    if (tn_term_vector(p, x))
        return tn_parse_fail(p, "the %s argument of %s() must be a number, not a vector", which, name);
    if (tn_terms_clash(wanted, x))
        return tn_parse_fail(p, "the %s argument of %s() is %s, not %s", which, name, tn_dim_words(wanted.dim, over),
                             tn_dim_words(x.dim, given));
    return TN_OK;
}

int tn_term_surface_at(tn_parse *p, tn_term *out, const char *name, tn_term surface, tn_term x, tn_term y)
{
    const tn_tape_curve c = p->tape->curves[surface.node];
    TN_TRY(check_argument(p, name, "first", (tn_term){ .dim = c.dim_in, .dim_known = c.dim_in_known }, x));
    TN_TRY(check_argument(p, name, "second", (tn_term){ .dim = c.dim_in2, .dim_known = c.dim_in2_known }, y));
    tn_term_set_dim(out, c.dim, c.dim_known);
    tn_node node = { .op = TN_OP_SURFACE, .a = (uint16_t)x.node, .b = (uint16_t)y.node, .index = (uint16_t)surface.node };
    return is_constant(p, x.node) && is_constant(p, y.node) ? fold(p, &out->node, node) : tn_term_append(p, &out->node, node);
}
