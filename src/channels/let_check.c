/* Check of named expressions ("let"): also of functions with arguments, and of those that nothing uses. */
#include <string.h>
#include "channels.h"
#include "diag.h"

/* Values that take the place of the arguments of a function: a constant, a number that moves and a vector, none of a known dimension. */
static const char *const ARGUMENTS[] = { "0.7390851332", "(0.7390851332 * t)", "(0.7390851332 * ground.position)" };
enum { KINDS = 3, MOST_ARGUMENTS = 8, MOST_VARIED = 4, MESSAGE = 400 };

/* The number of arguments of "(x, y) -> ...". */
static int count_arguments(const char *text)
{
    int count = 1;
    for (; *text && *text != ')'; text++)
        count += *text == ',';
    return count;
}

/* Compiles a call of the function. choice: which of ARGUMENTS each argument is, a digit of base 3 for each. message: what is
 * wrong with it, empty for nothing, or for a result that is a vector. */
static int try_call(tn_session *s, const tn_force *force, int choice, char message[MESSAGE])
{
    const char *name = force->entity.name, *text = force->expressions[0]->text;
    char call[TN_PATH_SIZE + MOST_ARGUMENTS * 48], what[TN_PATH_SIZE];
    int used = snprintf(call, sizeof call, "%.240s(", name), count = count_arguments(text);
    for (int k = 0; k < count && k < MOST_ARGUMENTS; k++, choice /= KINDS)
        used += snprintf(call + used, sizeof call - (size_t)used, "%s%s", k > 0 ? ", " : "", ARGUMENTS[choice % KINDS]);
    snprintf(call + used, sizeof call - (size_t)used, ")");
    snprintf(what, sizeof what, "let '%.200s'", name);
    tn_channel_formula *compiled = NULL;
    tn_report_mark mark = tn_report_now(s->context);
    int code = tn_channel_formula_get(&compiled, s, &(tn_channel_text){ .name = call, .text = call, .what = what,
                                                                        .span = force->entity.span });
    message[0] = 0;
    size_t count_now = tn_diagnostics_count(s->context);
    if (code < 0 && count_now > mark.count)
        snprintf(message, MESSAGE, "%.390s", tn_diagnostics_get(s->context, count_now - 1)->message);
    tn_report_forget(s->context, mark);
    if (strstr(message, "is a vector; name a component"))
        message[0] = 0;
    return code == TN_ERROR_MODEL ? TN_OK : code;
}

/* A function may be meant for numbers or for vectors, which its text does not say: a mistake is what no choice of them cures. Of
 * functions with more arguments than are tried in all ways, the first ones vary, and a mistake is what all ways have. */
static int check_function(tn_session *s, const tn_force *force)
{
    char first[MESSAGE] = "", message[MESSAGE], unknown[MESSAGE] = "";
    int count = count_arguments(force->expressions[0]->text), ways = 1;
    bool alike = true;
    for (int k = 0; k < count && k < MOST_VARIED; k++)
        ways *= KINDS;
    for (int k = 0; k < ways; k++) {
        int code = try_call(s, force, k, message);
        if (code < 0 || !message[0])
            return code;
        if (k == 0)
            snprintf(first, sizeof first, "%s", message);
        if (strstr(message, "unknown") && !unknown[0])
            snprintf(unknown, sizeof unknown, "%s", message);
        alike = alike && strcmp(message, first) == 0;
    }
    if (count > MOST_VARIED && !alike)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_MODEL, force->entity.span, "%s", unknown[0] ? unknown : first);
}

static int check_let(tn_session *s, const tn_force *force)
{
    tn_probe_list list = { 0 };
    size_t added = 0;
    if (force->expressions && force->expressions[0] && tn_expr_is_function(force->expressions[0]->text))
        return check_function(s, force);
    int code = tn_probes_add(s, &list, s->arena, force->entity.name, &added);
    tn_free(s->context, list.items);
    return code;
}

int tn_lets_check(tn_session *s)
{
    const tn_model *m = s->model;
    int worst = TN_OK;
    for (size_t k = 0; k < m->force_count && worst != TN_ERROR_MEMORY; k++) {
        const tn_force *force = &m->forces[k];
        if (!force->entity.alive || force->entity.disabled || !force->type->named || !tn_path_active(m, force->entity.name))
            continue;
        int code = check_let(s, force);
        worst = code < 0 ? code : worst;
    }
    return worst;
}
