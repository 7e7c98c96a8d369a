/* Channels by expression: outputs of forces, and outputs that the model defines ("outputs: { NAME: expression }"). Each
 * expression is compiled once, on first use, and keeps its workspace. */
#include <string.h>
#include "diag.h"
#include "channels.h"
#include "units.h"

struct tn_channel_formula {
    tn_session *session;
    char *name;
    const char *unit;
    tn_formula *formula;           /* owned by the system */
    tn_probe_list late;            /* channels of the solved system that the expression uses */
    bool needs_forces;             /* some of these channels need masses and forces */
    double *late_values;
    tn_leaf *leaves;
    double *work, *memory;
    bool compiled;
};

/* Finds a channel that only the solved system has. Returns its index in late; -1: there is no such channel. */
static int find_late(void *user, const char *name, const char **unit)
{
    tn_channel_formula *c = user;
    tn_session *s = c->session;
    tn_probe_list found = { 0 };
    size_t added = 0;
    int index = -1;
    for (size_t k = 0; k < c->late.count; k++)
        if (strcmp(c->late.items[k].name, name) == 0) {
            *unit = c->late.items[k].unit;
            return (int)k;
        }
    int code = tn_probes_add(s, &found, s->binding, name, &added);
    if (code == TN_OK)
        code = tn_grow(s->context, &c->late.items, &c->late.capacity, c->late.count + 1, sizeof *c->late.items);
    if (code < 0)
        c->formula->code = code;
    if (code == TN_OK && added == 1) {
        index = (int)c->late.count++;
        c->late.items[index] = found.items[0];
        c->needs_forces |= tn_probe_needs_forces(&found.items[0]);
        *unit = found.items[0].unit;
    }
    tn_free(s->context, found.items);
    return index;
}

static int make_room(tn_channel_formula *c)
{
    tn_arena *arena = c->session->binding;
    c->leaves = tn_arena_alloc(arena, (size_t)c->formula->slot_count * TN_LEAVES, sizeof(tn_leaf));
    c->work = tn_arena_alloc(arena, tn_tape_work(c->formula->tape), sizeof(double));
    c->memory = tn_arena_alloc(arena, (size_t)c->formula->memory_count, sizeof(double));
    c->late_values = tn_arena_alloc(arena, c->late.count, sizeof(double));
    return c->leaves && c->work && c->memory && c->late_values ? TN_OK : TN_ERROR_MEMORY;
}

static int compile_formulas(tn_channel_formula *c, const tn_channel_text *t)
{
    char what[240], dim[64] = "";
    tn_output_info info;
    if (t->what)
        snprintf(what, sizeof what, "%.230s", t->what);
    else
        snprintf(what, sizeof what, "channel '%.200s'", c->name);
    TN_TRY(tn_formula_create(&c->formula, c->session->system, t->from));
    c->formula->late = find_late;
    c->formula->late_user = c;
    c->formula->acts = t->acts;
    TN_TRY(tn_formula_add(c->formula, t->text, NULL, NULL, t->span, what, &info));
    if (info.vector)
        return tn_fail(c->session->context, TN_ERROR_MODEL, t->span, "%s: is a vector; name a component, .x for example",
                       what);
    if (!t->unit && info.dim_known && !tn_dim_equal(info.dim, TN_DIM_NUMBER))
        tn_dim_text(info.dim, dim, sizeof dim);
    c->unit = tn_unilaterals_name(c->session, t->unit ? t->unit : dim);      /* recorded channels keep it */
    if (!c->unit)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_formula_finish(c->formula));
    return make_room(c);
}

static void drop_from(tn_session *s, size_t first)
{
    while (s->channels->formula_count > first)
        tn_free(s->context, s->channels->formulas[--s->channels->formula_count]->late.items);
}

int tn_channel_formula_get(tn_channel_formula **out, tn_session *s, const tn_channel_text *text)
{
    for (size_t k = 0; k < s->channels->formula_count; k++) {
        if (strcmp(s->channels->formulas[k]->name, text->name) != 0)
            continue;
        *out = s->channels->formulas[k];
        if (!(*out)->compiled)
            return tn_fail(s->context, TN_ERROR_MODEL, text->span, "channel '%s' is defined by itself", text->name);
        return TN_OK;
    }
    TN_TRY(tn_grow(s->context, &s->channels->formulas, &s->channels->formula_capacity, s->channels->formula_count + 1, sizeof *s->channels->formulas));
    tn_channel_formula *c = tn_arena_alloc(s->binding, 1, sizeof *c);
    if (!c || !(c->name = tn_arena_strdup(s->binding, text->name)))
        return TN_ERROR_MEMORY;
    c->session = s;
    size_t place = s->channels->formula_count;
    s->channels->formulas[s->channels->formula_count++] = c;
    int code = compile_formulas(c, text);
    if (code < 0) {
        drop_from(s, place);                           /* also formulas compiled for this one */
        return code;
    }
    c->compiled = true;
    *out = c;
    return TN_OK;
}

bool tn_channel_formula_needs_forces(const tn_channel_formula *c)
{
    return c->needs_forces;
}

const char *tn_channel_formula_unit(const tn_channel_formula *c)
{
    return c->unit;
}

const tn_probe_list *tn_channel_formula_late(const tn_channel_formula *c)
{
    return &c->late;
}

bool tn_channel_formula_solves(const tn_channel_formula *c)
{
    bool solves = false;
    for (size_t k = 0; k < c->late.count; k++)
        solves = solves || tn_probe_solves(&c->late.items[k]);
    for (int k = 0; k < c->formula->slot_count; k++)
        solves = solves || c->formula->slots[k].kind == TN_SLOT_REACTION || c->formula->slots[k].kind == TN_SLOT_HOLD;
    return solves;
}

bool tn_channel_formula_has_rate(const tn_channel_formula *c)
{
    bool moves = c->formula->order == 0;
    for (int k = 0; k < c->formula->slot_count; k++)
        moves = moves && (c->formula->slots[k].kind == TN_SLOT_FRAME || c->formula->slots[k].kind == TN_SLOT_ANGLE);
    return moves;
}

/* Evaluates the value (derivative 0) or the rate (derivative 1) of an expression. */
static double evaluate_formulas(tn_channel_formula *c, int derivative)
{
    tn_session *s = c->session;
    for (size_t k = 0; k < c->late.count; k++)
        c->late_values[k] = tn_probe_value(s, &c->late.items[k]);
    tn_eval here = *s->stepper->eval;                  /* the same state, with the formula's workspace */
    here.leaves = c->leaves;
    here.work = c->work;
    here.memory_work = c->memory;
    tn_formula_evaluate(c->formula, &here, s->stepper->memory, c->late_values, derivative);
    return tn_formula_value(c->formula, &here, 0, derivative);
}

double tn_channel_formula_value(tn_channel_formula *c)
{
    return evaluate_formulas(c, 0);
}

double tn_channel_formula_rate(tn_channel_formula *c)
{
    return evaluate_formulas(c, 1);
}

void tn_channel_formulas_close(tn_session *s)
{
    drop_from(s, 0);
    tn_free(s->context, s->channels->formulas);
    s->channels->formulas = NULL;
    s->channels->formula_capacity = 0;
}
