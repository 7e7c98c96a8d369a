/* Parameters: numbers by name that refer to each other in any order. Each is evaluated when it is first needed. */
#include "reader.h"
#include "units.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_MAX = 100 };                  /* each link is a nested evaluation on the stack */

static tn_symbol lookup(const tn_scope *scope, const char *name);
static const char *candidate(const tn_scope *scope, size_t index);

static const char *chain_text(const tn_parameter *last, const char *first, char *buffer, size_t size)
{
    const tn_parameter *links[CHAIN_MAX + 1];
    size_t count = 0, used = 0;
    for (const tn_parameter *p = last; p != NULL && count <= CHAIN_MAX; p = p->asked_by) {
        links[count++] = p;
        if (strcmp(p->name, first) == 0)
            break;
    }
    buffer[0] = '\0';
    while (count > 0 && used < size)
        used += (size_t)snprintf(buffer + used, size - used, "%.40s -> ", links[--count]->name);
    if (used < size)
        snprintf(buffer + used, size - used, "%.40s", first);
    return buffer;
}

static int chain_length(const tn_parameter *p)
{
    int length = 0;
    for (; p != NULL; p = p->asked_by)
        length++;
    return length;
}

/* YAML's words for infinity and NaN, which quantities must not be. */
static bool is_not_finite(const char *text)
{
    static const char *const words[] = { ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF" };
    text += text[0] == '-' || text[0] == '+';
    for (size_t i = 0; i < TN_LENGTH(words); i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

static int compute(tn_reader *r, const char *text, double *value, tn_output_info *info, tn_expr_error *error)
{
    tn_scope scope = { .lookup = lookup, .candidate = candidate, .user = &r };
    if (!is_not_finite(text))
        return tn_expr_number(r->context, text, &scope, value, info, error);
    *error = (tn_expr_error){ 0, "must be a finite number" };
    return TN_ERROR_MODEL;
}

int tn_read_constant(tn_reader *r, const tn_node *node, double *value, tn_output_info *info)
{
    tn_expr_error error;
    r->poisoned = false;
    int code = compute(r, node->as.text, value, info, &error);
    return r->poisoned ? TN_ERROR_ARGUMENT : code;
}

bool tn_read_expression(tn_reader *r, const tn_node *node, const char *label, double *value, tn_output_info *info)
{
    tn_expr_error error;
    r->poisoned = false;
    r->takes_lets = true;                  /* elsewhere a named expression stays one, so that it can be set */
    int code = compute(r, node->as.text, value, info, &error);
    r->takes_lets = false;
    if (r->poisoned)                       /* reported with the parameter */
        return tn_read_ok(r, TN_ERROR_MODEL);
    if (code != TN_ERROR_MODEL)
        return tn_read_ok(r, code);
    tn_span span = node->span;
    span.column += error.offset + (node->quoted ? 1 : 0);
    if (label != NULL)
        tn_read_error(r, span, "'%s': %s", label, error.message);
    else
        tn_read_error(r, span, "%s", error.message);
    return false;
}

/* A number in what is around the subsystem that is read; a mistake in it is one there. */
static bool read_outside(tn_reader *r, const tn_node *node, const char *label, double *value, tn_output_info *info)
{
    size_t before = r->outer->errors;
    bool good = tn_read_expression(r->outer, node, label, value, info);
    r->errors += r->outer->errors - before;
    r->stop = r->outer->stop < r->stop ? r->outer->stop : r->stop;
    return good;
}

/* A subsystem's parameter that was given another value, in what is around it. */
static bool take_given(tn_reader *r, tn_parameter *p)
{
    const tn_output_info *given = &p->given_info;
    if (p->given == NULL || !given->dim_known)
        return true;
    if (p->dim_known && !tn_dim_equal(p->dim, given->dim)) {
        char is[64], wanted[64];
        tn_read_error(r, p->given->span, "is a %s, must be a %s", tn_dim_name(given->dim, is, sizeof is),
                      tn_dim_name(p->dim, wanted, sizeof wanted));
        return false;
    }
    p->dim = given->dim;
    p->dim_known = true;
    return true;
}

/* The dimension of a parameter is whatever its expression has, also when another value takes its place. */
static bool evaluate_text(tn_reader *r, tn_parameter *p)
{
    tn_output_info info = { 0 };
    bool open = p->node->kind == TN_NODE_TEXT && tn_node_empty(p->node) && r->prefix != NULL;
    if (open && p->instead == NULL) {
        tn_read_error(r, r->given_parameters != NULL ? r->given_parameters->span : p->node->span,
                      "must be given a value: its file has none");
        return false;
    }
    if (!open && (p->node->kind != TN_NODE_TEXT || tn_node_empty(p->node))) {
        tn_read_error(r, p->node->span, "must be a number or an expression");
        return false;
    }
    if (!open && !tn_read_expression(r, p->node, NULL, &p->value, &info))
        return false;
    if (p->instead != NULL)
        p->value = *p->instead;
    p->dim = info.dim;
    p->dim_known = info.dim_known;
    return take_given(r, p);
}

/* Parameters may be evaluated while something else is read: the state of that reading is saved. */
static void evaluate_reader_parameters(tn_reader *r, tn_parameter *p)
{
    const tn_parameter *outer = r->evaluating;
    const char *what = r->what, *name = r->name;
    bool poisoned = r->poisoned;
    p->state = TN_PARAMETER_BUSY;
    p->asked_by = outer;
    r->evaluating = p;
    r->what = "parameter";
    r->name = tn_read_path(r, p->name);
    p->state = r->name != NULL && evaluate_text(r, p) ? TN_PARAMETER_DONE : TN_PARAMETER_WRONG;
    r->evaluating = outer;
    r->what = what;
    r->name = name;
    r->poisoned = poisoned;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(tn_parameter *const *)a)->name, (*(tn_parameter *const *)b)->name);
}

static tn_parameter *find_reader_parameters(const tn_reader *r, const char *name)
{
    tn_parameter wanted = { .name = name }, *key = &wanted;
    if (r->parameter_count == 0 || r->by_name == NULL)
        return NULL;
    tn_parameter **found = bsearch(&key, r->by_name, r->parameter_count, sizeof *r->by_name, by_name);
    return found != NULL ? *found : NULL;
}

const char *tn_read_hidden_unit(const tn_reader *r, const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        char word[40];
        length = strspn(text, letters);
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        const tn_parameter *p = length < sizeof word && tn_unit_known(word, length) ? find_reader_parameters(r, word) : NULL;
        if (p != NULL)
            return p->name;
    }
    return NULL;
}

static void refuse_chain(tn_reader *r, const tn_parameter *p)
{
    char chain[400];
    const char *name = r->name;
    r->name = p->name;
    if (p->state == TN_PARAMETER_BUSY)
        tn_read_error(r, p->node->span, "depends on itself: %s",
                      chain_text(r->evaluating, p->name, chain, sizeof chain));
    else
        tn_read_error(r, p->node->span, "parameters refer to each other more than %d deep", CHAIN_MAX);
    r->name = name;
}

static const tn_node *find_in_section(const tn_reader *r, int section, const char *name)
{
    const tn_node *found = NULL;
    for (size_t i = 0; found == NULL && i < r->document_count; i++) {
        const tn_node *map = r->documents[i].values[section];
        found = map != NULL && map->kind == TN_NODE_MAP ? tn_node_get(map, name) : NULL;
    }
    return found;
}

/* Time, and names of expressions, states and inputs: no numbers, also where a unit has the same name. */
static bool is_of_the_motion(const tn_reader *r, const char *name)
{
    return strcmp(name, "t") == 0 || find_in_section(r, TOP_LET, name) != NULL || find_in_section(r, TOP_STATES, name) != NULL ||
           find_in_section(r, TOP_INPUTS, name) != NULL || (r->model != NULL && tn_read_find(r, name).kind == TN_KIND_FORCE);
}

/* A named expression counts as what it stands for where the reader takes it for a number. */
static tn_symbol lookup_motion(const tn_reader *r, const tn_scope *scope, const char *name)
{
    const tn_node *let = r->takes_lets ? find_in_section(r, TOP_LET, name) : NULL;
    if (let != NULL && let->kind == TN_NODE_TEXT)
        return (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = let->as.text, .scope = scope, .memory = -1 };
    return (tn_symbol){ .kind = is_of_the_motion(r, name) ? TN_SYMBOL_TIME : TN_SYMBOL_UNKNOWN };
}

static tn_symbol lookup(const tn_scope *scope, const char *name)
{
    tn_reader *r = *(tn_reader *const *)scope->user;
    tn_parameter *p = find_reader_parameters(r, name);
    if (p == NULL)
        return lookup_motion(r, scope, name);
    if (p->state == TN_PARAMETER_NEW && chain_length(r->evaluating) < CHAIN_MAX)
        evaluate_reader_parameters(r, p);
    else if (p->state == TN_PARAMETER_NEW || p->state == TN_PARAMETER_BUSY)
        refuse_chain(r, p);
    if (p->state != TN_PARAMETER_DONE) {
        r->poisoned = true;
        return (tn_symbol){ .kind = TN_SYMBOL_CONSTANT, .value = 1 };
    }
    return (tn_symbol){ .kind = TN_SYMBOL_CONSTANT, .dim = p->dim, .dim_known = p->dim_known, .value = p->value };
}

static const char *parameter_name(void *user, size_t index)
{
    const tn_reader *r = user;
    return index < r->parameter_count ? r->parameters[index].name : NULL;
}

static const char *candidate(const tn_scope *scope, size_t index)
{
    return parameter_name(*(tn_reader *const *)scope->user, index);
}

static bool is_identifier(const char *name)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", *digits = "0123456789";
    if (name[0] == '\0' || strchr(letters, name[0]) == NULL)
        return false;
    while (*name != '\0' && (strchr(letters, *name) != NULL || strchr(digits, *name) != NULL))
        name++;
    return *name == '\0';
}

static void collect(tn_reader *r, const tn_node *map)
{
    if (!tn_read_is_map(r, map, "parameters"))
        return;
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *name = map->as.items[2 * i];
        if (!is_identifier(name->as.text)) {
            tn_read_error(r, name->span, "parameter '%.60s': use a letter, then letters, digits and '_'",
                          name->as.text);
            continue;
        }
        if (!tn_read_ok(r, tn_grow(r->context, &r->parameters, &r->parameter_capacity, r->parameter_count + 1,
                                   sizeof *r->parameters)))
            return;
        r->parameters[r->parameter_count++] = (tn_parameter){ .name = name->as.text, .node = map->as.items[2 * i + 1] };
    }
}

/* Twice in one file has been reported as a duplicate key. */
static bool from_two_files(const tn_parameter *a, const tn_parameter *b)
{
    return a->node != NULL && b->node != NULL && a->node->span.file != b->node->span.file;
}

static void sort(tn_reader *r)
{
    r->by_name = tn_arena_alloc(r->arena, r->parameter_count, sizeof *r->by_name);
    if (r->by_name == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return;
    }
    for (size_t i = 0; i < r->parameter_count; i++)
        r->by_name[i] = &r->parameters[i];
    qsort(r->by_name, r->parameter_count, sizeof *r->by_name, by_name);
    for (size_t i = 1; i < r->parameter_count; i++)
        if (by_name(&r->by_name[i - 1], &r->by_name[i]) == 0 && from_two_files(r->by_name[i - 1], r->by_name[i]))
            tn_read_error(r, r->by_name[i]->node->span, "parameter '%s' is also given in %s", r->by_name[i]->name,
                          r->by_name[i - 1]->node->span.file);
}

/* The name of a parameter in what is read, by its path; NULL: it is of something else. */
static const char *name_here(const tn_reader *r, const char *path)
{
    size_t n = r->prefix != NULL ? strlen(r->prefix) : 0;
    if (n > 0 && (strncmp(path, r->prefix, n) != 0 || path[n] != '.'))
        return NULL;
    const char *name = n > 0 ? path + n + 1 : path;
    return strchr(name, '.') == NULL ? name : NULL;
}

static int refuse_setting(const tn_reader *r, const char *path, tn_candidates candidates, void *user)
{
    char hint[160];
    return tn_fail(r->context, TN_ERROR_ARGUMENT, ((tn_span){ r->file, 0, 0 }), "no parameter '%.180s'%s", path,
                   tn_did_you_mean(hint, sizeof hint, path, candidates, user));
}

/* Reports all wrong settings; then reading ends, because the caller wants a different model. */
static void take_settings(tn_reader *r)
{
    int code = TN_OK;
    for (size_t i = 0; i < r->setting_count; i++) {
        const tn_setting *s = &r->settings[i];
        const char *name = name_here(r, s->name);
        tn_parameter *p = name != NULL ? find_reader_parameters(r, name) : NULL;
        if (name == NULL)
            continue;
        r->settings_used[i] = true;
        if (p == NULL)
            code = refuse_setting(r, s->name, parameter_name, r);
        else if (!isfinite(s->value))
            code = tn_fail(r->context, TN_ERROR_ARGUMENT, ((tn_span){ r->file, 0, 0 }),
                           "parameter '%s': must be a finite number", s->name);
        else
            p->instead = &s->value;
        if (p != NULL)
            p->given = NULL;
    }
    r->stop = code;
}

/* A value among settings, in the place of one that is there. */
static void put_setting(tn_setting *settings, size_t *count, const char *name, double value)
{
    size_t k = 0;
    while (k < *count && strcmp(settings[k].name, name) != 0)
        k++;
    settings[k] = (tn_setting){ name, value };
    *count += k == *count;
}

size_t tn_read_settings_instead(tn_reader *r, const char *path, const tn_parameter_decl *declared, size_t declared_count,
                                const tn_node **nodes, tn_setting *settings, size_t count)
{
    const size_t n = strlen(path);
    for (size_t i = 0; i < r->setting_count; i++) {
        const tn_setting *s = &r->settings[i];
        for (size_t k = 0; k < declared_count; k++) {
            if (strncmp(s->name, path, n) != 0 || s->name[n] != '.' || strcmp(s->name + n + 1, declared[k].name) != 0)
                continue;
            r->settings_used[i] = true;
            nodes[k] = NULL;
            put_setting(settings, &count, declared[k].name, s->value);
        }
    }
    return count;
}

static const char *published_name(void *user, size_t index)
{
    const tn_model *model = user;
    return index < model->parameter_count ? model->parameters[index].name : NULL;
}

void tn_read_settings_used(tn_reader *r)
{
    for (size_t i = 0; i < r->setting_count && r->settings_used != NULL && r->stop >= 0; i++)
        if (!r->settings_used[i])
            r->stop = refuse_setting(r, r->settings[i].name, published_name, r->model);
}

/* Reads the parameters given to a subsystem, with the names of the enclosing file. */
static void take_given_parameters(tn_reader *r)
{
    const tn_node *map = r->given_parameters;
    if (map == NULL || !tn_read_is_map(r, map, "parameters"))
        return;
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *name = map->as.items[2 * i], *node = map->as.items[2 * i + 1];
        if (strchr(name->as.text, '.') != NULL)        /* the choice of a variant: reader_variants.c */
            continue;
        tn_parameter *p = find_reader_parameters(r, name->as.text);
        double *value = tn_arena_alloc(r->arena, 1, sizeof *value);
        char hint[160];
        if (value == NULL) {
            r->stop = TN_ERROR_MEMORY;
        } else if (p == NULL) {
            tn_read_error(r, name->span, "no parameter '%.60s'%s", name->as.text,
                          tn_did_you_mean(hint, sizeof hint, name->as.text, parameter_name, r));
        } else if (node->kind != TN_NODE_TEXT || tn_node_empty(node)) {
            tn_read_error(r, node->span, "'%s' must be a number or an expression", p->name);
        } else if (read_outside(r, node, p->name, value, &p->given_info)) {
            p->instead = value;
            p->given = node;
        }
    }
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The first unit of angles in a text, or NULL: a unit is right after a number, "300 rpm"; a parameter that is called "rad" is
 * after an operator. */
static const char *angle_in(const char *text)
{
    static const char *const units[] = { "deg", "rad", "mrad", "rev", "rpm", "\xC2\xB0" };
    for (const char *at = text, *end; *at != '\0'; at = end) {
        for (end = at + 1; in_word(*at) && in_word(*end);)
            end++;
        const char *unit = at + strspn(at, "0123456789"), *before = at;         /* "20deg" */
        while (before > text && before[-1] == ' ')
            before--;
        bool after_value = unit > at || (before > text && (in_word(before[-1]) || strchr(").", before[-1])));
        for (size_t k = 0; after_value && unit < end && k < sizeof units / sizeof units[0]; k++)
            if (strlen(units[k]) == (size_t)(end - unit) && memcmp(units[k], unit, (size_t)(end - unit)) == 0)
                return units[k];
    }
    return NULL;
}

/* How people read a parameter whose text has an angle. */
static void take_angle(tn_parameter_value *out, const tn_parameter *p)
{
    static const char *const units[] = { "rad", "rad/s", "rad/s^2" };
    const tn_node *node = p->given ? p->given : p->node;
    const char *written = p->dim_known && node && node->kind == TN_NODE_TEXT ? angle_in(node->as.text) : NULL;
    for (int power = 0; written && power < 3; power++)
        if (tn_dim_equal(p->dim, (tn_dim){ .s = (signed char)-power })) {
            out->written = written;
            out->shown = units[power];
        }
}

/* Adds the parameters to the model's list. */
static void publish(tn_reader *r)
{
    for (size_t i = 0; i < r->parameter_count && r->stop == TN_OK; i++) {
        const tn_parameter *p = &r->parameters[i];
        const char *path = tn_read_path(r, p->name);
        char unit[64] = "";
        if (!tn_dim_equal(p->dim, (tn_dim){ 0 }))
            tn_dim_text(p->dim, unit, sizeof unit);
        tn_parameter_value value = { path, p->value, p->dim_known ? unit : NULL, p->given ? p->given->as.text : NULL, NULL, NULL, NULL };
        take_angle(&value, p);
        if (path != NULL)
            tn_read_ok(r, tn_model_add_parameter(r->model, &value));
    }
}

void tn_read_known_parameters(tn_reader *r)
{
    for (size_t i = 0; i < r->model->parameter_count; i++) {
        const tn_parameter_value *known = &r->model->parameters[i];
        const char *name = name_here(r, known->name);
        double factor;
        if (name == NULL)
            continue;
        if (!tn_read_ok(r, tn_grow(r->context, &r->parameters, &r->parameter_capacity, r->parameter_count + 1,
                                   sizeof *r->parameters)))
            return;
        tn_parameter *p = &r->parameters[r->parameter_count++];
        *p = (tn_parameter){ .name = name, .value = known->value, .state = TN_PARAMETER_DONE };
        p->dim_known = known->unit != NULL && tn_unit_parse(known->unit, strlen(known->unit), &factor, &p->dim) == 0;
    }
    sort(r);
}

void tn_read_parameters(tn_reader *r)
{
    for (size_t i = 0; i < r->document_count && r->stop == TN_OK; i++)
        collect(r, r->documents[i].values[TOP_PARAMETERS]);
    if (r->stop == TN_OK)
        sort(r);
    if (r->settings_used == NULL && r->stop == TN_OK) {
        r->settings_used = tn_arena_alloc(r->arena, r->setting_count, sizeof *r->settings_used);
        r->stop = r->settings_used != NULL ? TN_OK : TN_ERROR_MEMORY;
    }
    if (r->stop == TN_OK)
        take_given_parameters(r);
    if (r->stop == TN_OK)
        take_settings(r);
    for (size_t i = 0; i < r->parameter_count && r->stop == TN_OK; i++)
        if (r->parameters[i].state == TN_PARAMETER_NEW)
            evaluate_reader_parameters(r, &r->parameters[i]);
    if (r->stop == TN_OK)
        publish(r);
}
