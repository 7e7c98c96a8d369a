/* Functions of Adams that need more than an expression: splines, which become tables of the model, variables, which stand for their
 * functions, and stops. */
#include "adm_reader.h"

#include "diag.h"
#include "entities.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 20000, DEEPEST_VARIABLE = 20 };

static adm_statement *statement_by_id(const adm_reader *r, const char *keyword, int id)
{
    for (adm_statement *s = r->first; s; s = s->next)
        if (s->id == id && tn_adm_is(s->keyword, keyword))
            return s;
    return NULL;
}

/* AKISPL(x, z, id, order) and CUBSPL: the value of a curve over x. */
static const char *spline_call(adm_reader *r, const char **a, int count, char why[160])
{
    adm_statement *spline = statement_by_id(r, "SPLINE", atoi(a[2]));
    if (!spline || strcmp(a[1], "0") != 0 || (count > 3 && strcmp(a[3], "0") != 0)) {
        snprintf(why, 160, spline ? "surfaces (z) and derivatives of splines have no counterpart" : "there is no SPLINE/%s", a[2]);
        return NULL;
    }
    spline->used = true;
    return tn_machine_text(r->machine, "spline_%d(%s)", spline->id, a[0]);
}

static const char *variable_call(adm_reader *r, const char *id, char why[160])
{
    adm_statement *variable = statement_by_id(r, "VARIABLE", atoi(id));
    const char *law = variable ? tn_adm_get(variable, "FUNCTION") : NULL, *value = NULL;
    if (variable && !law) {
        if (!variable->used)
            tn_machine_note_add(r->machine, TN_WARNING, variable->place, "VARIABLE/%s has no function, so it is an input of a controller: it "
                                "is 0", id);
        variable->used = true;
        return "0";
    }
    if (!law || r->nesting >= DEEPEST_VARIABLE) {
        snprintf(why, 160, law ? "VARIABLE/%s leads to itself" : "there is no VARIABLE/%s with a function", id);
        return NULL;
    }
    variable->used = true;
    r->nesting++;
    value = tn_adm_expression(r, law, why);
    r->nesting--;
    return value ? tn_machine_text(r->machine, "(%s)", value) : NULL;
}

/* k (x1 - x)^e - c x' step(x, x1 - d, 1, x1, 0) where x < x1, and never a pull: one side of a stop. sign: 1 for a floor below, -1
 * for a ceiling above. */
static const char *stop_force(adm_reader *r, const char *x, const char *rate, const char *bound, const char *const *law, int sign)
{
    tn_machine *m = r->machine;
    const char *depth = sign > 0 ? tn_machine_text(m, "(%s - %s)", bound, x) : tn_machine_text(m, "(%s - %s)", x, bound);
    const char *share = tn_machine_text(m, "clamp(%s / %s, 0, 1)", depth, law[3]);
    return tn_machine_text(m, "%sif(%s > 0, max(0, %s * max(%s, 0)^(%s) - %d * %s * %s * %s^2 * (3 - 2 * %s)), 0)", sign > 0 ? "" : "-",
                           depth, law[0], depth, law[1], sign, law[2], rate, share, share);
}

const char *tn_adm_call(adm_reader *r, const char *name, const char **a, int count, char why[160])
{
    if ((strcmp(name, "AKISPL") == 0 || strcmp(name, "CUBSPL") == 0) && count >= 3)
        return spline_call(r, a, count, why);
    if (strcmp(name, "VARVAL") == 0 && count == 1)
        return variable_call(r, a[0], why);
    if (strcmp(name, "IMPACT") == 0 && count == 7)     /* x, x', x1, k, e, c, d */
        return tn_machine_text(r->machine, "(%s)", stop_force(r, a[0], a[1], a[2], a + 3, 1));
    if (strcmp(name, "BISTOP") == 0 && count == 8)     /* x, x', x1, x2, k, e, c, d */
        return tn_machine_text(r->machine, "(%s %s)", stop_force(r, a[0], a[1], a[2], a + 4, 1),
                               stop_force(r, a[0], a[1], a[3], a + 4, -1));
    snprintf(why, 160, "function %s has no counterpart", name);
    return NULL;
}

static void write_spline(adm_reader *r, tn_text *text, const adm_statement *s, double *x, double *y)
{
    int points = tn_adm_numbers(r, s, "X", x, MOST_POINTS), values = tn_adm_numbers(r, s, "Y", y, MOST_POINTS);
    if (points < 2 || points != values) {
        ADM_ERROR(r, s->place, "SPLINE/%d has %d values of X and %d of Y: at least 2, and as many of both, are expected", s->id,
                  points, values);
        return;
    }
    for (int k = 1; k < points; k++)
        if (!(x[k] > x[k - 1])) {
            ADM_ERROR(r, s->place, "SPLINE/%d: the values of X must increase: value %d is %g after %g", s->id, k + 1, x[k], x[k - 1]);
            return;
        }
    tn_text_add(text, "  spline_%d: { outside: extend, points: [", s->id);
    for (int k = 0; k < points; k++) {
        tn_text_add(text, "%s[", k > 0 ? ", " : "");
        tn_yaml_number(text, x[k]);
        tn_text_add(text, ", ");
        tn_yaml_number(text, y[k]);
        tn_text_add(text, "]");
    }
    tn_text_add(text, "] }\n");
    tn_machine_note_add(r->machine, TN_NOTE, s->place, "SPLINE/%d is a natural cubic spline here: between its points it may differ "
                        "from that of Adams", s->id);
}

void tn_adm_tables(adm_reader *r)
{
    tn_machine *machine = r->machine;
    double *numbers = tn_alloc(machine->context, 2 * MOST_POINTS, sizeof *numbers);
    tn_text text;
    char *all = NULL;
    if (!numbers) {
        machine->status = TN_ERROR_MEMORY;
        return;
    }
    tn_text_begin(&text, machine->context);
    for (const adm_statement *s = r->first; s; s = s->next) {
        bool spline = tn_adm_is(s->keyword, "SPLINE");
        if (spline && s->used)
            write_spline(r, &text, s, numbers, numbers + MOST_POINTS);
        else if (!s->used && (spline || tn_adm_is(s->keyword, "VARIABLE")))
            tn_machine_leave_out(machine, s->place, "%s that no function uses", spline ? "SPLINE" : "VARIABLE");
    }
    if (tn_text_take(&text, &all) < 0)
        machine->status = TN_ERROR_MEMORY;
    else if (all[0])
        machine->sections = tn_machine_text(machine, "tables:\n%s", all);
    tn_free(machine->context, all);
    tn_free(machine->context, numbers);
}
