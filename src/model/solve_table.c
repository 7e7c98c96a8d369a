/* The settings of section `solve` as rows: defaults, checks, comparison. */
#include "solve_table.h"
#include "diag.h"
#include "tables.h"

#include <math.h>
#include <string.h>

const char *const tn_assemble_words[] = { "project", "strict", "none", NULL };
const char *const tn_impact_words[] = { "sequence", "newton", "poisson", NULL };
const char *const tn_contact_words[] = { "automatic", "event-driven", "time-stepping", NULL };
const char *const tn_overlap_words[] = { "refuse", "resolve", NULL };
const char *const tn_start_words[] = { "given", "steady", NULL };
const char *const tn_trust_words[] = { "warn", "off", "stop", NULL };

#define FIELD(field) .offset = offsetof(tn_solve, field), .size = sizeof(((tn_solve *)0)->field)
#define NUMBER_ROW(ID, field, numbers_unit, numbers_sign, first, row_flags, doc) \
    { .name = #field, .kind = TN_SOLVE_NUMBER, .flags = row_flags, .sign = numbers_sign, .initial = first, .unit = numbers_unit, FIELD(field) },
#define NAME_ROW(ID, field, first, row_flags, doc) \
    { .name = #field, .kind = TN_SOLVE_NAME, .flags = row_flags, .text = first, FIELD(field) },
#define CHOICE_ROW(ID, field, key, list, row_flags, doc) \
    { .name = key, .kind = TN_SOLVE_CHOICE, .flags = row_flags, .words = list, FIELD(field) },

const tn_solve_row tn_solve_rows[TN_SOLVE_ROWS] = { TN_SOLVE_TABLE(NUMBER_ROW, NAME_ROW, CHOICE_ROW) };

double *tn_solve_number(const tn_solve_row *row, tn_solve *solve)
{
    return (double *)(void *)((char *)solve + row->offset);
}

const char **tn_solve_name(const tn_solve_row *row, tn_solve *solve)
{
    return (const char **)(void *)((char *)solve + row->offset);
}

static double number_of(const tn_solve_row *row, const tn_solve *solve)
{
    double value;
    memcpy(&value, (const char *)solve + row->offset, sizeof value);
    return value;
}

static const char *name_of(const tn_solve_row *row, const tn_solve *solve)
{
    const char *name;
    memcpy(&name, (const char *)solve + row->offset, sizeof name);
    return name;
}

/* A choice is an enumeration, or a bool where there are two. */
int tn_solve_choice(const tn_solve_row *row, const tn_solve *solve)
{
    if (row->size == sizeof(bool)) {
        bool value;
        memcpy(&value, (const char *)solve + row->offset, sizeof value);
        return value;
    }
    int value;
    memcpy(&value, (const char *)solve + row->offset, sizeof value);
    return value;
}

void tn_solve_set_choice(const tn_solve_row *row, tn_solve *solve, int choice)
{
    const bool flag = choice != 0;
    memcpy((char *)solve + row->offset, row->size == sizeof(bool) ? (const void *)&flag : (const void *)&choice, row->size);
}

void tn_solve_copy(const tn_solve_row *row, tn_solve *to, const tn_solve *from)
{
    memcpy((char *)to + row->offset, (const char *)from + row->offset, row->size);
}

tn_solve tn_solve_default(void)
{
    tn_solve solve = { 0 };
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        const tn_solve_row *row = &tn_solve_rows[k];
        if (row->kind == TN_SOLVE_NUMBER)
            *tn_solve_number(row, &solve) = row->initial;
        else if (row->kind == TN_SOLVE_NAME)
            *tn_solve_name(row, &solve) = row->text;
    }
    return solve;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_row(const tn_solve_row *row, const tn_solve *a, const tn_solve *b)
{
    switch (row->kind) {
    case TN_SOLVE_NUMBER: return same_number(number_of(row, a), number_of(row, b));
    case TN_SOLVE_NAME: return same_text(name_of(row, a), name_of(row, b));
    default: return tn_solve_choice(row, a) == tn_solve_choice(row, b);
    }
}

bool tn_solve_agrees(const tn_solve *a, const tn_solve *b, unsigned flags)
{
    for (int k = 0; k < TN_SOLVE_ROWS; k++)
        if ((tn_solve_rows[k].flags & flags) && !same_row(&tn_solve_rows[k], a, b))
            return false;
    return true;
}

bool tn_solve_settings_agree(const tn_solve *a, const tn_solve *b)
{
    if (a->setting_count != b->setting_count)
        return false;
    for (size_t k = 0; k < a->setting_count; k++)
        if (!same_text(a->settings[k].name, b->settings[k].name) ||
            !same_text(a->settings[k].joint, b->settings[k].joint) ||
            !same_number(a->settings[k].value, b->settings[k].value))
            return false;
    return true;
}

bool tn_solve_same(const tn_solve *a, const tn_solve *b)
{
    for (int k = 0; k < TN_SOLVE_ROWS; k++)
        if (!same_row(&tn_solve_rows[k], a, b))
            return false;
    return tn_solve_settings_agree(a, b);
}

static bool is_legal(const tn_solve_row *row, double value)
{
    if (isnan(value))
        return row->flags & TN_SOLVE_OR_NAN;
    if (!isfinite(value))
        return value > 0 && (row->flags & TN_SOLVE_OR_INFINITE);
    return value > 0 || (value == 0 && row->sign == TN_NOT_NEGATIVE);
}

static int check_row(tn_model *model, const tn_solve_row *row, const tn_solve *solve, tn_span span)
{
    if (row->kind == TN_SOLVE_NUMBER && !is_legal(row, number_of(row, solve)))
        return tn_fail(model->context, TN_ERROR_MODEL, span, "solve: %s %g must be positive%s", row->name,
                       number_of(row, solve), isfinite(number_of(row, solve)) ? "" : " and finite");
    if (row->kind == TN_SOLVE_NAME && (!name_of(row, solve) || !*name_of(row, solve)))
        return tn_fail(model->context, TN_ERROR_MODEL, span, "solve: %s is missing", row->name);
    return TN_OK;
}

int tn_own_solve(tn_arena *arena, tn_solve *solve)
{
    for (int k = 0; k < TN_SOLVE_ROWS; k++)
        if (tn_solve_rows[k].kind == TN_SOLVE_NAME)
            TN_TRY(tn_own_text(arena, tn_solve_name(&tn_solve_rows[k], solve)));
    for (size_t k = 0; k < solve->setting_count; k++) {
        TN_TRY(tn_own_text(arena, &solve->settings[k].name));
        TN_TRY(tn_own_text(arena, &solve->settings[k].joint));
    }
    return TN_OK;
}

int tn_model_set_solve_at(tn_model *model, const tn_solve *solve, tn_span span)
{
    int worst = TN_OK;
    for (int k = 0; k < TN_SOLVE_ROWS; k++) {
        int code = check_row(model, &tn_solve_rows[k], solve, span);
        worst = code < 0 ? code : worst;
    }
    TN_TRY(worst);
    tn_solve copy = *solve;
    TN_TRY(tn_own_solve(model->arena, &copy));
    model->solve = copy;
    model->solve_span = span;
    return TN_OK;
}
