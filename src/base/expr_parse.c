/* Reading expressions: text to terms. */
#include "expr_parse.h"
#include <string.h>

static int parse_expression(tn_parse *p, tn_term *out);

static int deeper(tn_parse *p)
{
    if (++p->depth <= TN_EXPR_DEPTH)
        return TN_OK;
    p->blame = p->at;
    return tn_parse_fail(p, "the expression is nested deeper than %d levels", TN_EXPR_DEPTH);
}

/* The name of a curve, where a function takes one. */
static int parse_curve_name(tn_parse *p, tn_term *out)
{
    char name[TN_NAME_SIZE];
    tn_symbol symbol;
    if (!tn_char_letter(tn_parse_peek(p)))
        return tn_parse_unexpected(p, "the name of a curve");
    TN_TRY(tn_parse_symbol(p, &symbol, name));
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        return tn_parse_unknown(p, name, false);
    if (symbol.kind != TN_SYMBOL_CURVE || symbol.surface)
        return tn_parse_fail(p, "'%s' is not a curve", name);
    return tn_term_curve(p, out, &symbol);
}

/* Arguments behind the opening bracket up to the closing one; those beyond the limit are only counted. f NULL: of the program. */
static int parse_arguments(tn_parse *p, const tn_function *f, tn_term arguments[TN_EXPR_ARGUMENTS + 1], int *count)
{
    *count = 0;
    while (tn_parse_peek(p) != ')' || *count > 0) {
        int i = *count < TN_EXPR_ARGUMENTS ? *count : TN_EXPR_ARGUMENTS;
        bool ignored = f && tn_function_ignores(p, f, arguments, *count);
        p->unreached += ignored;
        if (f && tn_function_takes_curve(f, *count))
            TN_TRY(parse_curve_name(p, &arguments[i]));
        else
            TN_TRY(parse_expression(p, &arguments[i]));
        p->unreached -= ignored;
        ++*count;
        if (tn_parse_peek(p) != ',')
            break;
        p->at++;
    }
    if (tn_parse_peek(p) != ')')
        return tn_parse_unexpected(p, "')' or ','");
    p->at++;
    return TN_OK;
}

static int parse_call(tn_parse *p, tn_term *out, const char *name)
{
    const tn_function *f = tn_function_find(name, strlen(name));
    const tn_program_function *program = f ? NULL : tn_program_find(p->tape->context, name);
    int blame = p->blame, count;
    if (!f && !program)
        return tn_parse_unknown(p, name, true);
    tn_term arguments[TN_EXPR_ARGUMENTS + 1] = { 0 };
    p->at++;
    TN_TRY(deeper(p));
    TN_TRY(parse_arguments(p, f, arguments, &count));
    p->depth--;
    p->blame = blame;
    return f ? tn_function_apply(p, out, f, arguments, count) : tn_program_apply(p, out, program, arguments, count);
}

static int parse_text(tn_parse *p, tn_term *out);

/* Whether the text of a symbol was read before; its term. */
static bool recall(const tn_parse *p, const tn_symbol *symbol, tn_term *out)
{
    for (int k = 0; p->known && k < p->known->count; k++)
        if (p->known->items[k].scope == symbol->scope && p->known->items[k].memory == symbol->memory &&
            strcmp(p->known->items[k].text, symbol->text) == 0) {
            *out = p->known->items[k].term;
            return true;
        }
    return false;
}

static void remember(const tn_parse *p, const tn_symbol *symbol, tn_term term)
{
    if (!p->known || p->known->count == TN_EXPR_KNOWN || p->unreached > 0)
        return;
    p->known->items[p->known->count].text = symbol->text;
    p->known->items[p->known->count].scope = symbol->scope;
    p->known->items[p->known->count].memory = symbol->memory;
    p->known->items[p->known->count++].term = term;
}

/* A name that stands for another expression. */
static int parse_expansion(tn_parse *p, tn_term *out, const char *name, const tn_symbol *symbol)
{
    for (const tn_parse *o = p; o; o = o->outer)
        if (o->scope == symbol->scope && strcmp(o->text, symbol->text) == 0)
            return tn_parse_fail(p, "'%s' is defined by itself", name);
    if (!recall(p, symbol, out)) {
        tn_parse inner = {
            .tape = p->tape, .error = p->error, .text = symbol->text, .depth = p->depth, .unreached = p->unreached,
            .expanded = p->expanded, .known = p->known, .scope = symbol->scope, .memory = symbol->memory, .name = name,
            .outer = p
        };
        TN_TRY(deeper(&inner));
        TN_TRY(parse_text(&inner, out));
        remember(p, symbol, *out);
    }
    if (!out->dim_known && symbol->dim_known) {
        out->dim = symbol->dim;
        out->dim_known = true;
    }
    return TN_OK;
}

/* ---- functions with arguments ---- */

enum { MOST_OWN = 8, OWN_NAME = 40 };

/* "(x, y) -> x * y", taken apart. */
typedef struct own_function {
    char names[MOST_OWN][OWN_NAME];
    int count;
    int body;                      /* where it begins in the text; 0: the text is no function */
} own_function;

static int skip_blanks(const char *text, int at)
{
    while (text[at] == ' ')
        at++;
    return at;
}

/* Reads the names of arguments in brackets. Where anything else stands there, the text declares no function. */
static int own_names(own_function *f, const char *text, int at)
{
    for (;;) {
        int begin = at = skip_blanks(text, at);
        while (tn_char_letter(text[at]) || (at > begin && tn_char_digit(text[at])))
            at++;
        if (at == begin || at - begin >= OWN_NAME || f->count == MOST_OWN)
            return -1;
        snprintf(f->names[f->count++], OWN_NAME, "%.*s", at - begin, text + begin);
        at = skip_blanks(text, at);
        if (text[at] == ')')
            return at + 1;
        if (text[at++] != ',')
            return -1;
    }
}

static own_function own_split(const char *text)
{
    own_function f = { .count = 0 };
    int at = skip_blanks(text, 0);
    if (text[at] != '(')
        return f;
    at = own_names(&f, text, at + 1);
    at = at < 0 ? at : skip_blanks(text, at);
    if (at > 0 && text[at] == '-' && text[at + 1] == '>')
        f.body = at + 2;
    return f;
}

bool tn_expr_is_function(const char *text)
{
    return own_split(text).body > 0;
}

/* Names of arguments come before the names that the text sees. */
typedef struct own_scope {
    tn_scope scope;
    const tn_scope *around;
    const own_function *function;
    const tn_term *arguments;
} own_scope;

static tn_symbol lookup_own(const tn_scope *scope, const char *name)
{
    const own_scope *own = scope->user;
    for (int k = 0; k < own->function->count; k++)
        if (strcmp(own->function->names[k], name) == 0)
            return (tn_symbol){ .kind = TN_SYMBOL_TERM, .index = own->arguments[k].node, .dim = own->arguments[k].dim,
                                .dim_known = own->arguments[k].dim_known };
    return own->around->lookup(own->around, name);
}

/* The arguments of a call, and the text of the function with them. */
static int parse_own_call(tn_parse *p, tn_term *out, const char *name, const tn_symbol *symbol, const own_function *f)
{
    tn_term arguments[MOST_OWN];
    int blame = p->blame, count = 0;
    for (const tn_parse *o = p; o; o = o->outer)
        if (o->text == symbol->text + f->body)
            return tn_parse_fail(p, "'%s' is defined by itself", name);
    if (tn_parse_peek(p) != '(')
        return tn_parse_fail(p, "'%s' is a function; write %s(...)", name, name);
    TN_TRY(deeper(p));
    do {
        tn_term more;
        p->at++;
        TN_TRY(parse_expression(p, count < MOST_OWN ? &arguments[count] : &more));
        count++;
    } while (tn_parse_peek(p) == ',');
    p->depth--;
    if (tn_parse_peek(p) != ')')
        return tn_parse_unexpected(p, "')' or ','");
    p->at++;
    p->blame = blame;
    if (count != f->count)
        return tn_parse_fail(p, "'%s' takes %d argument%s, not %d", name, f->count, f->count == 1 ? "" : "s", count);
    own_scope own = { .scope = { .lookup = lookup_own, .mirrored = symbol->scope->mirrored }, .around = symbol->scope,
                      .function = f, .arguments = arguments };
    own.scope.user = &own;
    tn_parse inner = {
        .tape = p->tape, .error = p->error, .text = symbol->text + f->body, .depth = p->depth, .unreached = p->unreached,
        .expanded = p->expanded, .scope = &own.scope, .memory = -1, .name = name, .outer = p
    };
    TN_TRY(deeper(&inner));
    return parse_text(&inner, out);
}

static int parse_brackets(tn_parse *p, tn_term *out)
{
    p->at++;
    TN_TRY(deeper(p));
    TN_TRY(parse_expression(p, out));
    if (tn_parse_peek(p) != ')')
        return tn_parse_unexpected(p, "')'");
    p->at++;
    p->depth--;
    return TN_OK;
}

/* "(x, y)" behind the name of a surface. */
static int parse_surface_call(tn_parse *p, tn_term *out, const char *name, const tn_symbol *symbol)
{
    tn_term surface, x, y;
    const int blame = p->blame;
    p->at++;
    TN_TRY(deeper(p));
    TN_TRY(parse_expression(p, &x));
    if (tn_parse_peek(p) != ',')
        return tn_parse_fail(p, "'%s' is a table of two arguments; write %s(x, y)", name, name);
    p->at++;
    TN_TRY(parse_expression(p, &y));
    if (tn_parse_peek(p) != ')')
        return tn_parse_unexpected(p, "')'");
    p->at++;
    p->depth--;
    p->blame = blame;
    TN_TRY(tn_term_curve(p, &surface, symbol));
    return tn_term_surface_at(p, out, name, surface, x, y);
}

/* A curve of the scope called with its argument. */
static int parse_curve_call(tn_parse *p, tn_term *out, const char *name, const tn_symbol *symbol)
{
    tn_term curve, x;
    int blame = p->blame;
    if (tn_parse_peek(p) != '(')
        return tn_parse_fail(p, "'%s' is a curve; write %s(...)", name, name);
    if (symbol->surface)
        return parse_surface_call(p, out, name, symbol);
    TN_TRY(parse_brackets(p, &x));
    p->blame = blame;
    TN_TRY(tn_term_curve(p, &curve, symbol));
    return tn_term_curve_at(p, out, TN_OP_CURVE, name, curve, x);
}

static int parse_name(tn_parse *p, tn_term *out)
{
    char name[TN_NAME_SIZE];
    tn_symbol symbol;
    TN_TRY(tn_parse_symbol(p, &symbol, name));
    if (symbol.kind == TN_SYMBOL_CURVE)
        return parse_curve_call(p, out, name, &symbol);
    const own_function own = symbol.kind == TN_SYMBOL_TEXT ? own_split(symbol.text) : (own_function){ .body = 0 };
    if (own.body > 0)
        return parse_own_call(p, out, name, &symbol, &own);
    if (symbol.kind == TN_SYMBOL_TERM) {
        *out = (tn_term){ symbol.index, symbol.dim, symbol.dim_known };
        return TN_OK;
    }
    int end = p->at;
    bool path = strpbrk(name, ".-") != NULL;
    if (!path && tn_parse_peek(p) == '(')
        return parse_call(p, out, name);
    p->at = end;
    if (symbol.kind == TN_SYMBOL_TEXT)
        return parse_expansion(p, out, name, &symbol);
    if (symbol.kind != TN_SYMBOL_UNKNOWN) {
        TN_TRY(tn_term_symbol(p, out, &symbol));
        return p->scope->mirrored && symbol.kind == TN_SYMBOL_VELOCITY ? tn_term_negate(p, out, *out) : TN_OK;
    }
    if (strcmp(name, "pi") == 0)
        return tn_term_constant(p, out, 3.14159265358979323846, TN_DIM_NUMBER, false);   /* bare, as 3.14 is */
    return tn_parse_unknown(p, name, false);
}

static bool in_word(char c)
{
    return tn_char_letter(c) || tn_char_digit(c);
}

/* ".x", ".y" or ".z" directly behind a vector */
static int parse_component(tn_parse *p, tn_term *out)
{
    const char *here = p->text + p->at;
    bool component = here[0] == '.' && here[1] >= 'x' && here[1] <= 'z' && !in_word(here[2]);
    if (!component || !tn_term_vector(p, *out))
        return TN_OK;
    if (p->name_end == p->at)
        p->name_end += 2;
    p->at += 2;
    return tn_term_component(p, out, *out, here[1] - 'x');
}

static int parse_atom(tn_parse *p, tn_term *out)
{
    char c = tn_parse_peek(p);
    if (tn_char_digit(c) || (c == '.' && tn_char_digit(p->text[p->at + 1])))
        return tn_parse_number(p, out);
    if (tn_char_letter(c))
        TN_TRY(parse_name(p, out));
    else if (c == '(')
        TN_TRY(parse_brackets(p, out));
    else
        return tn_parse_unexpected(p, "a number, a name or '('");
    return parse_component(p, out);
}

static int parse_unary(tn_parse *p, tn_term *out);

static int parse_power(tn_parse *p, tn_term *out)
{
    TN_TRY(parse_atom(p, out));
    if (tn_parse_peek(p) != '^')
        return TN_OK;
    int operator_at = p->at++;
    tn_term exponent;
    TN_TRY(deeper(p));
    TN_TRY(parse_unary(p, &exponent));
    p->depth--;
    p->blame = operator_at;
    return tn_term_power(p, out, *out, exponent);
}

static int parse_unary(tn_parse *p, tn_term *out)
{
    if (tn_parse_peek(p) != '-')
        return parse_power(p, out);
    int operator_at = p->at++;
    TN_TRY(deeper(p));
    TN_TRY(parse_unary(p, out));
    p->depth--;
    p->blame = operator_at;
    return tn_term_negate(p, out, *out);
}

static int parse_product(tn_parse *p, tn_term *out)
{
    TN_TRY(parse_unary(p, out));
    for (char c; (c = tn_parse_peek(p)) == '*' || c == '/' || c == '.';) {
        int operator_at = p->at++;
        tn_term right;
        TN_TRY(parse_unary(p, &right));
        p->blame = operator_at;
        TN_TRY(tn_term_product(p, out, c, *out, right));
    }
    return TN_OK;
}

static int parse_sum(tn_parse *p, tn_term *out)
{
    TN_TRY(parse_product(p, out));
    for (char c; (c = tn_parse_peek(p)) == '+' || c == '-';) {
        int operator_at = p->at++;
        tn_term right;
        TN_TRY(parse_product(p, &right));
        p->blame = operator_at;
        TN_TRY(tn_term_sum(p, out, c, *out, right));
    }
    return TN_OK;
}

static int parse_comparison(tn_parse *p, tn_term *out)
{
    static const char *const operators[] = { "<=", ">=", "<", ">" };
    TN_TRY(parse_sum(p, out));
    for (bool first = true; strchr("<>", tn_parse_peek(p)) && p->text[p->at]; first = false) {
        size_t i = 0;
        while (strncmp(p->text + p->at, operators[i], strlen(operators[i])) != 0)
            i++;
        int operator_at = p->blame = p->at;
        if (!first)
            return tn_parse_fail(p, "comparisons do not chain; write a < b and b < c");
        p->at += (int)strlen(operators[i]);
        tn_term right;
        TN_TRY(parse_sum(p, &right));
        p->blame = operator_at;
        TN_TRY(tn_term_compare(p, out, operators[i], *out, right));
    }
    return TN_OK;
}

static int parse_not(tn_parse *p, tn_term *out)
{
    if (!tn_parse_at_word(p, "not"))
        return parse_comparison(p, out);
    int operator_at = p->at;
    p->at += (int)strlen("not");
    TN_TRY(deeper(p));
    TN_TRY(parse_not(p, out));
    p->depth--;
    p->blame = operator_at;
    return tn_term_not(p, out, *out);
}

/* op is TN_OP_OR, whose operands are joined by and, or TN_OP_AND, whose operands are comparisons. */
static int parse_logic(tn_parse *p, tn_term *out, tn_op op)
{
    const char *word = op == TN_OP_OR ? "or" : "and";
    TN_TRY(op == TN_OP_OR ? parse_logic(p, out, TN_OP_AND) : parse_not(p, out));
    while (tn_parse_at_word(p, word)) {
        int operator_at = p->at;
        double left;
        bool decided = tn_term_known(p, *out, &left) && (left != 0) == (op == TN_OP_OR);
        tn_term right;
        p->at += (int)strlen(word);
        p->unreached += decided;
        TN_TRY(op == TN_OP_OR ? parse_logic(p, &right, TN_OP_AND) : parse_not(p, &right));
        p->unreached -= decided;
        p->blame = operator_at;
        TN_TRY(tn_term_logic(p, out, op, *out, right));
    }
    return TN_OK;
}

static int parse_expression(tn_parse *p, tn_term *out)
{
    return parse_logic(p, out, TN_OP_OR);
}

/* A whole text. */
static int parse_text(tn_parse *p, tn_term *out)
{
    size_t length = strlen(p->text);
    if (length > TN_EXPR_LENGTH)
        return tn_parse_fail(p, "the expression is longer than %d characters", TN_EXPR_LENGTH);
    *p->expanded += (int)length;
    if (*p->expanded > TN_EXPR_EXPANDED)
        return tn_parse_fail(p, "the expression is too large when its names are expanded");
    if (!tn_parse_peek(p))
        return tn_parse_fail(p, "the expression is empty");
    TN_TRY(parse_expression(p, out));
    return tn_parse_peek(p) ? tn_parse_unexpected(p, "an operator") : TN_OK;
}

static tn_output_info output_info(const tn_tape *tape, tn_term term)
{
    const tn_node_traits *t = &tape->traits[term.node];
    return (tn_output_info){
        .vector = t->vector, .velocity = t->velocity, .timed = t->timed, .constant = !t->moving && !t->timed,
        .rateless = t->rateless, .rated = t->rated,
        .dim = term.dim, .dim_known = term.dim_known
    };
}

int tn_tape_add(tn_tape *tape, const char *text, const tn_scope *scope, tn_output_info *info, tn_expr_error *error)
{
    size_t first = tape->count;
    int expanded = 0;
    tn_expansions known = { .count = 0 };
    tn_parse p = { .tape = tape, .error = error, .text = text, .expanded = &expanded, .known = &known, .scope = scope,
                   .memory = -1 };
    tn_term term;
    *error = (tn_expr_error){ 0 };
    int status = parse_text(&p, &term);
    if (status >= 0) {
        *info = output_info(tape, term);
        status = tn_tape_finish(tape, term.node, first, *info);
    }
    if (status < 0)
        tape->count = first;
    return status;
}

int tn_expr_number(tn_context *context, const char *text, const tn_scope *scope, double *value, tn_output_info *info,
                   tn_expr_error *error)
{
    tn_tape *tape;
    TN_TRY(tn_tape_create(&tape, context));
    int status = tn_tape_add(tape, text, scope, info, error);
    if (status >= 0) {
        const tn_node *node = &tape->nodes[tape->outputs[0].node];
        *value = node->value;
        if (node->op != TN_OP_CONSTANT) {
            snprintf(error->message, sizeof error->message, "the value must be a number that does not change");
            status = TN_ERROR_MODEL;
        }
    }
    tn_tape_destroy(tape);
    return status;
}
