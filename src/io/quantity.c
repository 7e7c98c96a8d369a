/* Quantities: a number with a unit, outside of any model. */
#include "decimal.h"
#include "diag.h"
#include "expr.h"
#include "solve_table.h"
#include "tenon/model.h"
#include "units.h"
#include <math.h>
#include <string.h>

static tn_symbol no_symbol(const tn_scope *scope, const char *name)
{
    (void)scope;
    (void)name;
    return (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
}

static int check_dimension(tn_context *context, const char *text, const char *unit, tn_dim dim)
{
    double factor;
    tn_dim expected;
    if (tn_unit_parse(unit, strlen(unit), &factor, &expected) < 0)
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%.60s' is not a unit", unit);
    if (tn_dim_equal(dim, expected))
        return TN_OK;
    char is[64], should[64];
    return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%.60s': %s, where %s%s%s%s is expected", text,
                   tn_dim_name(dim, is, sizeof is), tn_dim_name(expected, should, sizeof should), unit[0] ? " (" : "",
                   unit, unit[0] ? ")" : "");
}

const char *tn_parameter_word(char *buffer, size_t size, const tn_parameter_value *p)
{
    const char *word = p->choices != NULL ? p->choices : "";
    for (int k = (int)p->value; k > 0 && *word != '\0'; k--) {
        word += strcspn(word, "|");
        word += *word == '|';
    }
    snprintf(buffer, size, "%.*s", (int)strcspn(word, "|"), word);
    return buffer;
}

static const char *choice_candidate(void *user, size_t index)
{
    const char *const *words = user;
    return words[index];
}

/* The index of a word in a list that ends in NULL. */
static int find_word(int *out, tn_context *context, const char *name, const char *text, const char *const *words)
{
    char hint[160];
    for (*out = 0; words[*out] != NULL; (*out)++)
        if (strcmp(words[*out], text) == 0)
            return TN_OK;
    return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%.60s' cannot be '%.60s'%s", name, text,
                   tn_did_you_mean(hint, sizeof hint, text, choice_candidate, (void *)(uintptr_t)words));
}

static const tn_solve_row *find_row(const char *name)
{
    for (int k = 0; k < TN_SOLVE_ROWS; k++)
        if (strcmp(tn_solve_rows[k].name, name) == 0)
            return &tn_solve_rows[k];
    return NULL;
}

static const char *row_candidate(void *user, size_t index)
{
    (void)user;
    return index < TN_SOLVE_ROWS ? tn_solve_rows[index].name : NULL;
}

/* A key of none of the fields: settings of methods are numbers. */
static int set_other(tn_solve *solve, tn_context *context, const char *name, const char *text)
{
    char hint[160];
    double number;
    const tn_report_mark mark = tn_report_now(context);
    if (tn_quantity_parse(&number, context, text, NULL) < 0) {
        tn_report_forget(context, mark);               /* the value of a setting that does not exist is no second mistake */
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there is no setting '%.60s' that could be '%.60s'%s", name, text,
                       tn_did_you_mean(hint, sizeof hint, name, row_candidate, NULL));
    }
    if (tn_solve_set(solve, name, number) < 0)
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there are more than %d settings", TN_MAX_SOLVE_SETTINGS);
    return TN_OK;
}

int tn_solve_set_text(tn_solve *solve, tn_context *context, const char *name, const char *text)
{
    const tn_solve_row *row = find_row(name);
    double number;
    int choice;
    if (row != NULL && row->kind == TN_SOLVE_NAME) {
        *tn_solve_name(row, solve) = text;
        return TN_OK;
    }
    if (row != NULL && row->kind == TN_SOLVE_CHOICE) {
        TN_TRY(find_word(&choice, context, name, text, row->words));
        tn_solve_set_choice(row, solve, choice);
        return TN_OK;
    }
    if (row == NULL)
        return set_other(solve, context, name, text);
    TN_TRY(tn_quantity_parse(&number, context, text, row->unit));
    *tn_solve_number(row, solve) = number;
    return TN_OK;
}

static int parse_choice(double *out, tn_context *context, const char *text, const tn_parameter_value *p)
{
    enum { MOST = 64, LENGTH = 64 };
    char words[MOST][LENGTH], hint[160];
    const char *list[MOST + 1] = { NULL };
    for (size_t k = 0; k < MOST; k++) {
        tn_parameter_value one = *p;
        one.value = (double)k;
        if (tn_parameter_word(words[k], LENGTH, &one)[0] == '\0')
            break;
        list[k] = words[k];
        if (strcmp(words[k], text) == 0) {
            *out = (double)k;
            return TN_OK;
        }
    }
    return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' is one of %s, not '%.60s'%s", p->name, p->choices, text,
                   tn_did_you_mean(hint, sizeof hint, text, choice_candidate, list));
}

int tn_parameter_parse(double *out, tn_context *context, const char *text, const tn_parameter_value *parameter)
{
    return parameter->choices != NULL ? parse_choice(out, context, text, parameter)
                                      : tn_quantity_parse(out, context, text, parameter->unit);
}

int tn_quantity_parse(double *out, tn_context *context, const char *text, const char *unit)
{
    const tn_scope scope = { .lookup = no_symbol };
    tn_output_info info = { 0 };
    tn_expr_error error;
    tn_decimal decimal;
    double value;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = tn_expr_number(context, text, &scope, &value, &info, &error);
    tn_decimal_end(&decimal);
    if (code == TN_ERROR_MODEL)
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%.60s': %s", text, error.message);
    if (code >= 0 && !isfinite(value))
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%.60s': must be a finite number", text);
    if (code >= 0 && unit != NULL && info.dim_known)
        code = check_dimension(context, text, unit, info.dim);
    if (code >= 0)
        *out = value;
    return code;
}
