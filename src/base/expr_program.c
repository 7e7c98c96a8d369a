/* Functions of the program in expressions.
 *
 * A call f(x, y, z) is a chain of nodes, one for each argument, and the call behind them. Each call has a chain of its own, since
 * the derivatives by its arguments are kept there:  df = sum over k  f_k dx_k,  f_k by central differences. */
#include "context_impl.h"
#include "diag.h"
#include "expr_parse.h"
#include "expr_slots.h"
#include "units.h"
#include <math.h>
#include <string.h>

struct tn_program_function {
    tn_program_function *next;
    char *name;
    int count;
    tn_term arguments[TN_USER_ARGUMENTS], value;       /* their dimensions */
    double (*call)(void *user, const double *arguments);
    void *user;
};

/* ---- registration ---- */

static bool is_name(const char *name)
{
    size_t k = 0;
    while (name && (tn_char_letter(name[k]) || (k > 0 && tn_char_digit(name[k]))))
        k++;
    return k > 0 && k < TN_NAME_SIZE && name[k] == '\0';
}

static bool take_unit(tn_term *term, const char *unit)
{
    double factor = 1;
    *term = (tn_term){ .dim_known = unit != NULL };
    return !unit || (tn_unit_parse(unit, strlen(unit), &factor, &term->dim) == 0 && factor == 1);
}

static int check_definition(tn_context *context, tn_program_function *f, const tn_user_function *def)
{
    if (!is_name(def->name) || tn_function_find(def->name, strlen(def->name)))
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a function cannot be called '%s'", def->name ? def->name : "");
    if (!def->call || def->argument_count < 1 || def->argument_count > TN_USER_ARGUMENTS)
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "function '%s' needs a call and 1 to %d arguments", def->name,
                       TN_USER_ARGUMENTS);
    bool known = take_unit(&f->value, def->unit);
    for (int k = 0; k < def->argument_count; k++)
        known = take_unit(&f->arguments[k], def->argument_units[k]) && known;
    return known ? TN_OK : tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "function '%s': its units must be SI units such as "
                                   "N m", def->name);
}

int tn_context_add_function(tn_context *context, const tn_user_function *def)
{
    tn_program_function made = { .count = def->argument_count, .call = def->call, .user = def->user };
    TN_TRY(check_definition(context, &made, def));
    tn_program_function *f = tn_alloc(context, 1, sizeof *f);
    made.name = f ? tn_strdup(context, def->name) : NULL;
    if (!made.name) {
        tn_free(context, f);
        return TN_ERROR_MEMORY;
    }
    *f = made;
    f->next = context->functions;                      /* older ones stay: tapes refer to them */
    context->functions = f;
    return TN_OK;
}

void tn_program_functions_free(tn_context *context)
{
    while (context->functions) {
        tn_program_function *f = context->functions;
        context->functions = f->next;
        tn_free(context, f->name);
        tn_free(context, f);
    }
}

const tn_program_function *tn_program_find(const tn_context *context, const char *name)
{
    const tn_program_function *f = context->functions;
    while (f && strcmp(f->name, name) != 0)
        f = f->next;
    return f;
}

/* ---- calls in texts ---- */

static int check_arguments(tn_parse *p, const tn_program_function *f, const tn_term *arguments, int count)
{
    char wanted[TN_DIM_WORDS], given[TN_DIM_WORDS];
    if (count != f->count)
        return tn_parse_fail(p, "%s() takes %d argument%s, not %d", f->name, f->count, f->count == 1 ? "" : "s", count);
    for (int k = 0; k < count; k++) {
        if (tn_term_vector(p, arguments[k]))
            return tn_parse_fail(p, "argument %d of %s() must be a number, not a vector", k + 1, f->name);
        if (tn_terms_clash(f->arguments[k], arguments[k]))
            return tn_parse_fail(p, "argument %d of %s() is %s, not %s", k + 1, f->name, tn_dim_words(f->arguments[k].dim, wanted),
                                 tn_dim_words(arguments[k].dim, given));
    }
    return TN_OK;
}

int tn_program_apply(tn_parse *p, tn_term *out, const tn_program_function *f, const tn_term *arguments, int count)
{
    tn_tape *tape = p->tape;
    const size_t place = tape->function_count;
    int chain = 0;
    TN_TRY(check_arguments(p, f, arguments, count));
    TN_TRY(tn_grow(tape->context, &tape->functions, &tape->function_capacity, place + 1, sizeof *tape->functions));
    tape->functions[tape->function_count++] = f;
    for (int k = 0; k < count; k++) {
        const uint16_t argument = (uint16_t)arguments[k].node;
        tn_node node = { .op = k == 0 ? TN_OP_ARGUMENT : TN_OP_ARGUMENTS, .a = k == 0 ? argument : (uint16_t)chain,
                         .b = k == 0 ? 0 : argument, .value = (double)place };
        TN_TRY(tn_term_append(p, &chain, node));
    }
    *out = f->value;
    return tn_term_append(p, &out->node, (tn_node){ .op = TN_OP_CALL, .a = (uint16_t)chain, .index = (uint16_t)place });
}

/* ---- values ---- */

/* The nodes of the arguments of a call. */
static void list_arguments(const tn_node *nodes, const tn_node *call, int count, uint16_t *list)
{
    uint16_t at = call->a;
    for (int k = count; k-- > 0; at = nodes[at].a)
        list[k] = at;
}

double tn_program_value(const tn_program_function *f, const tn_node *nodes, const tn_node *call, const double *work)
{
    uint16_t list[TN_USER_ARGUMENTS];
    double arguments[TN_USER_ARGUMENTS];
    list_arguments(nodes, call, f->count, list);
    for (int k = 0; k < f->count; k++)
        arguments[k] = work[TN_TAPE_FORWARD * list[k] + X];
    return f->call(f->user, arguments);
}

/* Fourth-order differences. */
static double partial(const tn_program_function *f, double *arguments, int k)
{
    const double at = arguments[k], h = 1e-3 * fmax(1, fabs(at));
    double value[4];
    static const double places[] = { -2, -1, 1, 2 };
    for (int i = 0; i < 4; i++) {
        arguments[k] = at + places[i] * h;
        value[i] = f->call(f->user, arguments);
    }
    arguments[k] = at;
    return (8 * (value[2] - value[1]) - (value[3] - value[0])) / (12 * h);
}

static void find_partials(const tn_tape *tape, const tn_node *call, const double *work, uint16_t *list, double *partials)
{
    const tn_program_function *f = tape->functions[call->index];
    double arguments[TN_USER_ARGUMENTS];
    list_arguments(tape->nodes, call, f->count, list);
    for (int k = 0; k < f->count; k++)
        arguments[k] = work[TN_TAPE_FORWARD * list[k] + X];
    for (int k = 0; k < f->count; k++)
        partials[k] = tape->traits[list[k]].moving ? partial(f, arguments, k) : 0;
}

void tn_program_partials(const tn_tape *tape, const tn_node *call, double *work)
{
    uint16_t list[TN_USER_ARGUMENTS];
    double partials[TN_USER_ARGUMENTS];
    find_partials(tape, call, work, list, partials);
    for (int k = 0; k < tape->functions[call->index]->count; k++)
        work[TN_TAPE_FORWARD * list[k] + (k == 0 ? PARTIAL_A : PARTIAL_B)] = partials[k];
}

double tn_program_change(const tn_tape *tape, const tn_node *call, double *work, const double *tangents)
{
    uint16_t list[TN_USER_ARGUMENTS];
    double partials[TN_USER_ARGUMENTS], change = 0;
    if (!tape->traits[call - tape->nodes].moving)
        return 0;
    find_partials(tape, call, work, list, partials);
    for (int k = 0; k < tape->functions[call->index]->count; k++)
        change += partials[k] * tangents[TN_TAPE_TANGENT * list[k] + X];
    return change;
}
