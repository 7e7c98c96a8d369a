/* A scope of every kind of symbol, leaves to put in, and a tape to try them on. */
#ifndef TEST_EXPR_WORLD_H
#define TEST_EXPR_WORLD_H

#include "expr.h"
#include "near.h"
#include "random.h"
#include <string.h>

enum { LEAVES = 9, MEMORY = 2 };
enum { VELOCITY_LEAF = 5, VALUE_LEAF = 7, VALUE_LEAF3 = 8 };
#define PI 3.14159265358979323846

/* Two worlds of the same names: in the loose one dimensions adapt, in the strict one they are certain. */
typedef struct world_entry {
    const char *name;
    tn_symbol symbol;
} world_entry;

static const tn_scope loose, strict;

#define TEXT(content, slot) { .kind = TN_SYMBOL_TEXT, .text = content, .scope = &strict, .memory = slot }
static const world_entry world[] = {
    { "q", { .kind = TN_SYMBOL_SCALAR, .index = 0, .dim_known = true } },
    { "s1", { .kind = TN_SYMBOL_SCALAR, .index = 1, .dim = { 1, 0, 0, 0, 0 }, .dim_known = true } },
    { "M", { .kind = TN_SYMBOL_VECTOR, .index = 2, .dim = { 1, 0, 0, 0, 0 }, .dim_known = true } },
    { "N", { .kind = TN_SYMBOL_VECTOR, .index = 3, .dim = { 1, 0, 0, 0, 0 }, .dim_known = true } },
    { "x1", { .kind = TN_SYMBOL_VECTOR, .index = 4, .dim_known = true } },
    { "w1", { .kind = TN_SYMBOL_VELOCITY, .index = 5, .dim = { 0, 0, -1, 0, 0 }, .dim_known = true } },
    { "y1", { .kind = TN_SYMBOL_VECTOR, .index = 6, .dim_known = true } },
    { "F", { .kind = TN_SYMBOL_SCALAR, .index = 7, .dim = { 1, 1, -2, 0, 0 }, .dim_known = true, .rateless = true } },
    { "R", { .kind = TN_SYMBOL_VECTOR, .index = 8, .dim = { 1, 1, -2, 0, 0 }, .dim_known = true, .rateless = true } },
    { "pin-a.angle", { .kind = TN_SYMBOL_SCALAR, .index = 0, .dim_known = true } },
    { "crank.tip", { .kind = TN_SYMBOL_VECTOR, .index = 2, .dim = { 1, 0, 0, 0, 0 }, .dim_known = true } },
    { "crank.tip.position.x", { .kind = TN_SYMBOL_SCALAR, .index = 1, .dim = { 1, 0, 0, 0, 0 }, .dim_known = true } },
    { "crank.tip.velocity", TEXT("vel(crank.tip)", -1) },
    { "m.angle", { .kind = TN_SYMBOL_CONSTANT, .value = 4, .dim_known = true } },
    { "seven", { .kind = TN_SYMBOL_CONSTANT, .value = 7, .dim_known = true } },
    { "seven-two", { .kind = TN_SYMBOL_CONSTANT, .value = 11, .dim_known = true } },
    { "zero", { .kind = TN_SYMBOL_CONSTANT, .value = 0, .dim_known = true } },
    { "law", { .kind = TN_SYMBOL_CURVE, .dim_in = { 1, 0, 0, 0, 0 }, .dim_in_known = true, .dim = { 1, 1, -2, 0, 0 },
               .dim_known = true } },
    { "L", { .kind = TN_SYMBOL_PARAMETER, .index = 0, .dim = { 1, 0, 0, 0, 0 }, .dim_known = true } },
    { "n", { .kind = TN_SYMBOL_PARAMETER, .index = 1, .dim_known = true } },
    { "two", { .kind = TN_SYMBOL_CONSTANT, .value = 2, .dim_known = true } },
    { "h", { .kind = TN_SYMBOL_CONSTANT, .value = 3, .dim_known = true } },
    { "t", { .kind = TN_SYMBOL_TIME, .dim = { 0, 0, 1, 0, 0 }, .dim_known = true } },
    { "d", TEXT("N - M", -1) },
    { "angle", TEXT("turn(x1, y1, N)", 0) },
    { "angle2", TEXT("turn(x1, y1, N)", 1) },
    { "twice", TEXT("turn(x1, y1, N) + turn(x1, y1, M)", 0) },
    { "broken", TEXT("2 * tpyo", -1) },
    { "loop", TEXT("1 + pool", -1) },
    { "pool", TEXT("loop * 2", -1) },
    { "b1", TEXT("b2+b2+b2+b2+b2+b2+b2+b2+b2+b2+b2+b2+b2+b2+b2+b2", -1) },
    { "b2", TEXT("b3+b3+b3+b3+b3+b3+b3+b3+b3+b3+b3+b3+b3+b3+b3+b3", -1) },
    { "b3", TEXT("b4+b4+b4+b4+b4+b4+b4+b4+b4+b4+b4+b4+b4+b4+b4+b4", -1) },
    { "b4", TEXT("b5+b5+b5+b5+b5+b5+b5+b5+b5+b5+b5+b5+b5+b5+b5+b5", -1) },
    { "b5", TEXT("s1+s1+s1+s1+s1+s1+s1+s1+s1+s1+s1+s1+s1+s1+s1+s1", -1) },
};

/* The curve called law; one piece between -2 and 2. */
static tn_curve *world_law;

static inline void world_open(tn_context *context)
{
    static const double x[] = { -2, 2, 5 }, y[] = { 1, -1, 4 };
    const tn_curve_def def = { .x = x, .y = y, .count = 3 };
    tn_curve_error error;
    assert_int_equal(tn_curve_create(&world_law, context, &def, &error), TN_OK);
}

static inline tn_symbol lookup(const tn_scope *scope, const char *name)
{
    for (size_t i = 0; i < TN_LENGTH(world); i++)
        if (strcmp(world[i].name, name) == 0) {
            tn_symbol symbol = world[i].symbol;
            if (symbol.kind == TN_SYMBOL_CURVE)
                symbol.curve = world_law;
            if (scope == &loose) {
                symbol.dim_known = symbol.dim_in_known = false;
                symbol.scope = symbol.scope ? &loose : NULL;
            }
            return symbol;
        }
    return (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
}

static inline const char *candidate(const tn_scope *scope, size_t index)
{
    (void)scope;
    return index < TN_LENGTH(world) ? world[index].name : NULL;
}

static const tn_scope loose = { .lookup = lookup, .candidate = candidate };
static const tn_scope strict = { .lookup = lookup, .candidate = candidate };
static const double parameters[] = { 0.7, 3 };

typedef struct bench {
    tn_context *context;
    tn_tape *tape;
    tn_output_info info;
    tn_leaf leaves[LEAVES];
    double memory[MEMORY];
    double *work;
    tn_tape_input input;
} bench;

static inline void bench_open(bench *b, const char *text, const tn_scope *scope)
{
    tn_expr_error error;
    memset(b, 0, sizeof *b);
    b->context = tn_context_create(NULL);
    world_open(b->context);
    assert_int_equal(tn_tape_create(&b->tape, b->context), TN_OK);
    if (tn_tape_add(b->tape, text, scope, &b->info, &error) < 0)
        fail_msg("%s: %s", text, error.message);
    b->work = tn_alloc(b->context, tn_tape_work(b->tape), sizeof(double));
    b->input = (tn_tape_input){ .leaves = b->leaves, .parameters = parameters, .memory = b->memory };
}

static inline void bench_close(bench *b)
{
    tn_free(b->context, b->work);
    tn_tape_destroy(b->tape);
    tn_curve_destroy(world_law);
    tn_context_destroy(b->context);
}

static inline double bench_value(bench *b, int order, int component, int derivative)
{
    tn_tape_forward(b->tape, &b->input, order, b->work);
    return tn_tape_value(b->tape, b->work, 0, component, derivative);
}

/* Refused in the strict scope, with that message at that character. */
static inline void expect_error_at(const char *text, int offset, const char *message)
{
    tn_context *context = tn_context_create(NULL);
    tn_tape *tape;
    tn_expr_error error;
    tn_output_info info;
    assert_int_equal(tn_tape_create(&tape, context), TN_OK);
    assert_int_equal(tn_tape_add(tape, text, &strict, &info, &error), TN_ERROR_MODEL);
    assert_string_equal(error.message, message);
    assert_int_equal(error.offset, offset);
    tn_tape_destroy(tape);
    tn_context_destroy(context);
}

/* Refused as a number. */
static inline void expect_error(const char *text, const char *message)
{
    tn_context *context = tn_context_create(NULL);
    tn_expr_error error;
    tn_output_info info;
    double value;
    assert_int_equal(tn_expr_number(context, text, &strict, &value, &info, &error), TN_ERROR_MODEL);
    assert_string_equal(error.message, message);
    tn_context_destroy(context);
}

#endif
