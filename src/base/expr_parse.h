/* The parser of expressions, from text to nodes; private to this layer.
 *
 * expr_words.c reads numbers, units and names, expr_parse.c the grammar, expr_build.c makes the nodes of operators and
 * expr_functions.c those of functions. */
#ifndef TN_BASE_EXPR_PARSE_H
#define TN_BASE_EXPR_PARSE_H

#include "expr_tape.h"

enum {
    TN_EXPR_LENGTH = 32768,        /* characters of one text */
    TN_EXPR_EXPANDED = 1 << 16,    /* characters of one output with all its names expanded */
    TN_EXPR_DEPTH = 64,
    TN_EXPR_ARGUMENTS = 32,        /* of one function */
    TN_NAME_SIZE = 256,            /* characters of a name or path, with the end */
    TN_EXPR_KNOWN = 64             /* expansions of one output that are remembered */
};

/* A part of an expression, with its dimension as far as it is certain. */
typedef struct tn_term {
    int node;
    tn_dim dim;
    bool dim_known;
} tn_term;

/* Expansions of names in one output: a text that was read in a scope is not read again. */
typedef struct tn_expansions {
    struct { const char *text; const tn_scope *scope; int memory; tn_term term; } items[TN_EXPR_KNOWN];
    int count;
} tn_expansions;

/* One text being read; texts that names stand for are read inside each other. */
typedef struct tn_parse {
    tn_tape *tape;
    tn_expr_error *error;
    const char *text;
    int at;                        /* next character */
    int blame;                     /* character that errors point at */
    int name_at, name_end;         /* where the last known name stood */
    int depth;
    int unreached;                 /* > 0: in a branch that is never taken, where values need not be finite */
    int *expanded;                 /* characters read so far, over all texts */
    tn_expansions *known;          /* NULL: nothing is remembered, as in functions, whose arguments differ */
    const tn_scope *scope;
    int memory;                    /* slot for turn(), or -1 */
    const char *name;              /* what the text is called; NULL: the outermost */
    const struct tn_parse *outer;
} tn_parse;

/* Fills the error and returns TN_ERROR_MODEL. */
int tn_parse_fail(const tn_parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports the text that was found where something else was expected. */
int tn_parse_unexpected(tn_parse *p, const char *expected);

/* The next character that is not white space; goes there. */
char tn_parse_peek(tn_parse *p);
/* Whether the word comes next. */
bool tn_parse_at_word(tn_parse *p, const char *word);
bool tn_char_digit(char c);
bool tn_char_letter(char c);
/* The number that stands next, with its unit. */
int tn_parse_number(tn_parse *p, tn_term *out);
/* The longest name that stands next and that the scope knows, or the next word and kind UNKNOWN; goes behind it. */
int tn_parse_symbol(tn_parse *p, tn_symbol *symbol, char name[TN_NAME_SIZE]);
/* The word at blame is not known; call: as a function. */
int tn_parse_unknown(tn_parse *p, const char *word, bool call);

int tn_term_constant(tn_parse *p, tn_term *out, double value, tn_dim dim, bool dim_known);
/* A symbol that is neither unknown nor a text nor a curve. */
int tn_term_symbol(tn_parse *p, tn_term *out, const tn_symbol *symbol);
int tn_term_negate(tn_parse *p, tn_term *out, tn_term a);
int tn_term_sum(tn_parse *p, tn_term *out, char sign, tn_term a, tn_term b);
/* operator is one of * / . */
int tn_term_product(tn_parse *p, tn_term *out, char operator, tn_term a, tn_term b);
int tn_term_power(tn_parse *p, tn_term *out, tn_term a, tn_term b);
int tn_term_dot(tn_parse *p, tn_term *out, tn_term a, tn_term b);
int tn_term_reciprocal(tn_parse *p, int *out, int node);
int tn_term_component(tn_parse *p, tn_term *out, tn_term a, int component);
/* operator is "<", "<=", ">" or ">=" */
int tn_term_compare(tn_parse *p, tn_term *out, const char *operator, tn_term a, tn_term b);
/* op is TN_OP_AND or TN_OP_OR */
int tn_term_logic(tn_parse *p, tn_term *out, tn_op op, tn_term a, tn_term b);
int tn_term_not(tn_parse *p, tn_term *out, tn_term a);
bool tn_term_vector(const tn_parse *p, tn_term a);
/* The value when it is known now. */
bool tn_term_known(const tn_parse *p, tn_term a, double *value);

/* For functions that build terms: a node of op, folded when its operands are constants. */
int tn_term_emit(tn_parse *p, int *out, tn_op op, int a, int b);
int tn_term_append(tn_parse *p, int *out, tn_node node);
void tn_term_set_dim(tn_term *term, tn_dim dim, bool known);
bool tn_term_plain(tn_term a);                 /* a number or an angle, or free to be one */
bool tn_terms_clash(tn_term a, tn_term b);     /* their dimensions differ for certain */
/* The dimension of a b^power. */
void tn_term_set_product(tn_term *out, tn_term a, tn_term b, int power_of_b);
/* The dimension of two terms that do not clash. */
void tn_term_join_dim(tn_term *out, tn_term a, tn_term b);
enum { TN_DIM_WORDS = 80 };
/* "length (m)", "a number", "m^5" */
const char *tn_dim_words(tn_dim dim, char buffer[TN_DIM_WORDS]);

/* A curve with its dimensions; the term's node is its place in the tape's table. */
int tn_term_curve(tn_parse *p, tn_term *out, const tn_symbol *symbol);
/* The value of a surface. */
int tn_term_surface_at(tn_parse *p, tn_term *out, const char *name, tn_term surface, tn_term x, tn_term y);
/* op is TN_OP_CURVE or TN_OP_CURVE_INTEGRAL; name for messages. */
int tn_term_curve_at(tn_parse *p, tn_term *out, tn_op op, const char *name, tn_term curve, tn_term x);

/* A function of the program by its name, NULL: there is none; and its call. */
const tn_program_function *tn_program_find(const tn_context *context, const char *name);
int tn_program_apply(tn_parse *p, tn_term *out, const tn_program_function *f, const tn_term *arguments, int count);

typedef struct tn_function tn_function;
const tn_function *tn_function_find(const char *name, size_t length);
const char *tn_function_name(size_t index);    /* NULL at the end */
/* The argument is the name of a curve, not an expression. */
bool tn_function_takes_curve(const tn_function *f, int argument);
/* Given the arguments before it, this one will not be used. */
bool tn_function_ignores(const tn_parse *p, const tn_function *f, const tn_term *arguments, int argument);
int tn_function_apply(tn_parse *p, tn_term *out, const tn_function *f, const tn_term *arguments, int count);

#endif
