/* Reading expressions: text to terms. */
#include "diag.h"
#include "expr_tape.h"
#include "unit_scan.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64, NUMBER_SIZE = 64 };

int tn_parse_fail(const tn_parse *p, const char *format, ...)
{
    const tn_parse *outermost = p;
    while (outermost->outer)
        outermost = outermost->outer;
    tn_expr_error *e = p->error;
    e->offset = outermost->blame;
    size_t used = 0;
    if (p->name)
        used = (size_t)snprintf(e->message, sizeof e->message, "in '%.*s': ", NAME_SIZE, p->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->message + used, sizeof e->message - used, format, arguments);
    va_end(arguments);
    return TN_ERROR_MODEL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static char peek(tn_parse *p)
{
    while (p->text[p->at] && strchr(" \t\r\n", p->text[p->at]))
        p->at++;
    return p->text[p->at];
}

static int word_length(const char *text)
{
    return (int)tn_word_length(text, strlen(text));
}

/* Says what was found where something else was expected. */
static int fail_unexpected(tn_parse *p, const char *expected)
{
    char c = peek(p);
    const char *here = p->text + p->at;
    p->blame = p->at;
    if (!c)
        return tn_parse_fail(p, "the text ends where %s is expected", expected);
    int length = word_length(here);
    if (length == 0 && (c < ' ' || c == 0x7f))
        return tn_parse_fail(p, "unexpected character 0x%02x where %s is expected", (unsigned)c, expected);
    if (length == 0)
        length = 1;
    return tn_parse_fail(p, "unexpected '%.*s' where %s is expected", length < NAME_SIZE ? length : NAME_SIZE, here,
                         expected);
}

static int parse_sum(tn_parse *p, tn_term *out);

static int deeper(tn_parse *p)
{
    if (++p->depth <= TN_EXPR_DEPTH)
        return TN_OK;
    p->blame = p->at;
    return tn_parse_fail(p, "the expression is nested deeper than %d levels", TN_EXPR_DEPTH);
}

/* The digits go to the C library as an integer with exponent, since its decimal point depends on the locale. */
static int read_number(tn_parse *p, double *value)
{
    char digits[NUMBER_SIZE + 16];
    int length = 0;
    long exponent = 0;
    bool fraction = false;
    p->blame = p->at;
    for (char c; is_digit(c = p->text[p->at]) || (c == '.' && !fraction); p->at++) {
        if (c == '.') {
            fraction = true;
            continue;
        }
        if (length == NUMBER_SIZE)
            return tn_parse_fail(p, "a number of more than %d digits", NUMBER_SIZE);
        digits[length++] = c;
        exponent -= fraction;
    }
    const char *e = p->text + p->at;
    bool sign = e[0] && (e[1] == '+' || e[1] == '-');
    if ((e[0] == 'e' || e[0] == 'E') && is_digit(e[sign ? 2 : 1])) {
        char *end;
        long given = strtol(e + 1, &end, 10);
        enum { BEYOND = 100000 };      /* no double reaches it; keeps the sum from overflowing */
        exponent += given > BEYOND ? BEYOND : given < -BEYOND ? -BEYOND : given;
        p->at = (int)(end - p->text);
    }
    snprintf(digits + length, sizeof digits - (size_t)length, "e%ld", exponent);
    *value = strtod(digits, NULL);
    return TN_OK;
}

static bool is_symbol(const tn_parse *p, const char *text, int length)
{
    char name[NAME_SIZE];
    if (!p->scope || length >= NAME_SIZE)
        return false;
    snprintf(name, sizeof name, "%.*s", length, text);
    return p->scope->lookup(p->scope, name).kind != TN_SYMBOL_UNKNOWN;
}

static int fail_unit(tn_parse *p)
{
    char name[NAME_SIZE], hint[NAME_SIZE + 32];
    int length = word_length(p->text + p->at);
    snprintf(name, sizeof name, "%.*s", length, p->text + p->at);
    p->blame = p->at;
    if (is_symbol(p, name, (int)strlen(name)))
        return tn_parse_fail(p, "'%s' is not a unit; write * to multiply by it", name);
    return tn_parse_fail(p, "unknown unit '%s'%s", name,
                         tn_did_you_mean(hint, sizeof hint, name, tn_unit_candidate, NULL));
}

/* After "/" only a unit that is no symbol goes on with the unit. Moves behind the "/" when it is there. */
static bool unit_goes_on(tn_parse *p)
{
    int start = p->at;
    p->at++;
    peek(p);
    const char *word = p->text + p->at;
    int length = word_length(word);
    if (tn_unit_known(word, (size_t)length) && !is_symbol(p, word, length))
        return true;
    p->at = start;
    return false;
}

/* The unit behind a number; leaves the dimension unknown when there is none. */
static int read_unit(tn_parse *p, double *factor, tn_dim *dim, bool *found)
{
    *factor = 1;
    *dim = TN_DIM_NUMBER;
    *found = false;
    for (;;) {
        char c = peek(p);
        int start = p->at;
        bool one = !*found && c == '1';    /* "5 1/s" */
        if (one) {
            p->at++;
            c = peek(p);
        }
        bool per = c == '/' && (one || *found) && unit_goes_on(p);
        bool times = !one && (is_letter(c) || c == '%');
        if (!per && !times) {
            p->at = start;
            return TN_OK;
        }
        double item_factor;
        tn_dim item_dim;
        size_t used = tn_unit_scan(p->text + p->at, strlen(p->text + p->at), &item_factor, &item_dim);
        if (used == 0)
            return fail_unit(p);
        p->at += (int)used;
        *factor = per ? *factor / item_factor : *factor * item_factor;
        *dim = tn_dim_product(*dim, item_dim, per ? -1 : 1);
        *found = true;
    }
}

static int parse_number(tn_parse *p, tn_term *out)
{
    double value = 0, factor;
    tn_dim dim;
    bool found;
    TN_TRY(read_number(p, &value));
    TN_TRY(read_unit(p, &factor, &dim, &found));
    if (!isfinite(value * factor))
        return tn_parse_fail(p, "the number is too large");
    return tn_term_constant(p, out, value * factor, dim, found);
}

typedef struct suggestions {
    const tn_scope *scope;
    size_t scope_count;            /* names of the scope seen so far */
} suggestions;

/* The scope's names, then functions and constants. */
static const char *suggest(void *user, size_t index)
{
    suggestions *s = user;
    if (s->scope && s->scope->candidate && index == s->scope_count) {
        const char *name = s->scope->candidate(s->scope, index);
        if (name) {
            s->scope_count++;
            return name;
        }
    }
    size_t rest = index - s->scope_count;
    if (rest == 0)
        return "pi";
    return tn_function_name(rest - 1);
}

static int fail_name(tn_parse *p, const char *name, bool call)
{
    char hint[NAME_SIZE + 32];
    if (!call && tn_function_find(name, strlen(name)))
        return tn_parse_fail(p, "'%s' is a function; write %s(...)", name, name);
    suggestions s = { p->scope, 0 };
    bool unit = !call && tn_unit_known(name, strlen(name));
    return tn_parse_fail(p, "unknown %s '%s'%s%s", call ? "function" : "name", name,
                         unit ? " (a unit stands directly behind its number)" : "",
                         tn_did_you_mean(hint, sizeof hint, name, suggest, &s));
}

static int parse_call(tn_parse *p, tn_term *out, const char *name)
{
    const tn_function *f = tn_function_find(name, strlen(name));
    int blame = p->blame, count = 0;
    if (!f)
        return fail_name(p, name, true);
    tn_term arguments[TN_FUNCTION_ARGUMENTS + 1] = { 0 };  /* one more, so that too many are counted */
    p->at++;
    TN_TRY(deeper(p));
    while (peek(p) != ')' || count > 0) {
        TN_TRY(parse_sum(p, &arguments[count < TN_FUNCTION_ARGUMENTS ? count : TN_FUNCTION_ARGUMENTS]));
        count++;
        if (peek(p) != ',')
            break;
        p->at++;
    }
    if (peek(p) != ')')
        return fail_unexpected(p, "')' or ','");
    p->at++;
    p->depth--;
    p->blame = blame;
    return tn_function_apply(p, out, f, arguments, count);
}

static int parse_text(tn_parse *p, tn_term *out);

/* A name that stands for another expression. */
static int parse_expansion(tn_parse *p, tn_term *out, const char *name, const tn_symbol *symbol)
{
    for (const tn_parse *o = p; o; o = o->outer)
        if (o->scope == symbol->scope && strcmp(o->text, symbol->text) == 0)
            return tn_parse_fail(p, "'%s' is defined by itself", name);
    tn_parse inner = {
        .tape = p->tape, .error = p->error, .text = symbol->text, .depth = p->depth, .expanded = p->expanded,
        .scope = symbol->scope, .memory = symbol->memory, .name = name, .outer = p
    };
    TN_TRY(deeper(&inner));
    TN_TRY(parse_text(&inner, out));
    if (!out->dim_known && symbol->dim_known) {
        out->dim = symbol->dim;
        out->dim_known = true;
    }
    return TN_OK;
}

static int parse_name(tn_parse *p, tn_term *out)
{
    char name[NAME_SIZE];
    int length = word_length(p->text + p->at);
    p->blame = p->at;
    if (length >= NAME_SIZE)
        return tn_parse_fail(p, "a name of more than %d characters", NAME_SIZE - 1);
    snprintf(name, sizeof name, "%.*s", length, p->text + p->at);
    p->at += length;
    if (peek(p) == '(')
        return parse_call(p, out, name);
    tn_symbol symbol = { .kind = TN_SYMBOL_UNKNOWN };
    if (p->scope)
        symbol = p->scope->lookup(p->scope, name);
    if (symbol.kind == TN_SYMBOL_TEXT)
        return parse_expansion(p, out, name, &symbol);
    if (symbol.kind != TN_SYMBOL_UNKNOWN)
        return tn_term_symbol(p, out, &symbol);
    if (strcmp(name, "pi") == 0)
        return tn_term_constant(p, out, 3.14159265358979323846, TN_DIM_NUMBER, true);
    return fail_name(p, name, false);
}

static int parse_atom(tn_parse *p, tn_term *out)
{
    char c = peek(p);
    if (is_digit(c) || (c == '.' && is_digit(p->text[p->at + 1])))
        return parse_number(p, out);
    if (is_letter(c))
        return parse_name(p, out);
    if (c != '(')
        return fail_unexpected(p, "a number, a name or '('");
    p->at++;
    TN_TRY(deeper(p));
    TN_TRY(parse_sum(p, out));
    if (peek(p) != ')')
        return fail_unexpected(p, "')'");
    p->at++;
    p->depth--;
    return TN_OK;
}

static int parse_unary(tn_parse *p, tn_term *out);

static int parse_power(tn_parse *p, tn_term *out)
{
    TN_TRY(parse_atom(p, out));
    if (peek(p) != '^')
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
    if (peek(p) != '-')
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
    for (char c; (c = peek(p)) == '*' || c == '/' || c == '.';) {
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
    for (char c; (c = peek(p)) == '+' || c == '-';) {
        int operator_at = p->at++;
        tn_term right;
        TN_TRY(parse_product(p, &right));
        p->blame = operator_at;
        TN_TRY(tn_term_sum(p, out, c, *out, right));
    }
    return TN_OK;
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
    if (!peek(p))
        return tn_parse_fail(p, "the expression is empty");
    TN_TRY(parse_sum(p, out));
    return peek(p) ? fail_unexpected(p, "an operator") : TN_OK;
}

static tn_output_info output_info(const tn_tape *tape, tn_term term)
{
    const tn_node_traits *t = &tape->traits[term.node];
    return (tn_output_info){
        .vector = t->vector, .velocity = t->velocity, .timed = t->timed, .constant = !t->moving && !t->timed,
        .dim = term.dim, .dim_known = term.dim_known
    };
}

int tn_tape_add(tn_tape *tape, const char *text, const tn_scope *scope, tn_output_info *info, tn_expr_error *error)
{
    size_t first = tape->count;
    int expanded = 0;
    tn_parse p = { .tape = tape, .error = error, .text = text, .expanded = &expanded, .scope = scope, .memory = -1 };
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
