/* Values of a model file: keys, numbers with units, vectors, axes, texts. */
#include "other_words.h"
#include "reader.h"
#include "units.h"
#include "vec.h"
#include <stdarg.h>
#include <stdlib.h>

/* As many as the context keeps; beyond, reading is given up, so that suggestions for a hopeless file stay cheap. */
enum { ERRORS_MAX = 200 };

static void count_error(tn_reader *r)
{
    if (++r->errors >= ERRORS_MAX && r->stop == TN_OK)
        r->stop = TN_ERROR_MODEL;
}

/* True: the message says that a key is missing which was reported as misspelled. */
static bool is_misspelled(const tn_reader *r, const char *message)
{
    size_t length = r->misspelled != NULL ? strlen(r->misspelled) : 0;
    return length > 0 && message[0] == '\'' && strncmp(message + 1, r->misspelled, length) == 0 &&
           strncmp(message + 1 + length, "' is missing", 12) == 0;
}

void tn_read_error(tn_reader *r, tn_span span, const char *format, ...)
{
    char message[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (is_misspelled(r, message))
        return;
    if (r->what == NULL)
        tn_fail(r->context, TN_ERROR_MODEL, span, "%s", message);
    else if (r->name == NULL)
        tn_fail(r->context, TN_ERROR_MODEL, span, "%s: %s", r->what, message);
    else
        tn_fail(r->context, TN_ERROR_MODEL, span, "%s '%.180s': %s", r->what, r->name, message);
    count_error(r);
}

bool tn_read_ok(tn_reader *r, int code)
{
    if (code >= 0)
        return true;
    if (code == TN_ERROR_MEMORY)
        r->stop = code;
    else
        count_error(r);
    return false;
}

/* Keys that a map may contain: the section's keys, then declared parameters (by group for "value.x"). */
typedef struct key_list {
    const tn_section *section;
    const tn_parameter_decl *declared;
    size_t declared_max;
    tn_arena *arena;           /* for names of groups, which must outlast the search */
    int dimension;             /* of the model */
} key_list;

static const char *key_candidate(void *user, size_t index)
{
    key_list *list = user;
    for (const tn_key *key = list->section->keys; key->name != NULL; key++)
        if ((key->dimension == 0 || key->dimension == list->dimension) && index-- == 0)
            return key->name;
    const char *before = NULL;
    for (size_t k = 0; list->declared != NULL && k < list->declared_max && list->declared[k].name != NULL; k++) {
        const char *name = list->declared[k].name;
        const size_t length = strcspn(name, ".");
        const bool same_group = before != NULL && strncmp(before, name, length) == 0 && before[length] == '.';
        before = name;
        if (!same_group && index-- == 0)
            return tn_arena_strndup(list->arena, name, length);
    }
    return NULL;
}

static int find_key(const tn_section *section, const char *name)
{
    for (int i = 0; section->keys[i].name != NULL; i++)
        if (strcmp(section->keys[i].name, name) == 0)
            return i;
    return -1;
}

/* "value" finds "value.x", the first of its group. */
static int find_declared(const tn_parameter_decl *declared, size_t max, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; declared != NULL && i < max && declared[i].name != NULL; i++)
        if (strncmp(declared[i].name, name, length) == 0 && strchr(".", declared[i].name[length]) != NULL)
            return (int)i;
    return -1;
}

/* The keys that there are, as many as fit. */
enum { KEYS_TEXT = 240 };
static const char *keys_text(char text[KEYS_TEXT], key_list *list)
{
    size_t used = 0;
    const char *name;
    text[0] = '\0';
    for (size_t k = 0; (name = key_candidate(list, k)) != NULL; k++) {
        if (used + strlen(name) + 8 > KEYS_TEXT) {
            snprintf(text + used, KEYS_TEXT - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, KEYS_TEXT - used, "%s%s", k > 0 ? ", " : "", name);
    }
    return text;
}

static bool has_key(key_list *list, const char *name)
{
    const char *candidate;
    for (size_t k = 0; (candidate = key_candidate(list, k)) != NULL; k++)
        if (strcmp(candidate, name) == 0)
            return true;
    return false;
}

/* The row of a word of other programs; NULL: none, or one whose key does not stand here. */
static const tn_other_word *find_other_word(key_list *list, const char *name)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, " %.30s ", name);
    for (const tn_other_word *row = tn_other_words; row->section != NULL; row++)
        if (strcmp(row->section, list->section->name) == 0 && strstr(row->words, wanted) != NULL &&
            (row->key == NULL || has_key(list, row->key)))
            return row;
    return NULL;
}

/* Adds the name of a section to the text if it has the key. */
static void add_home(char text[KEYS_TEXT], const tn_section *section, const char *called, const char *key)
{
    size_t used = strlen(text);
    if (section != NULL && find_key(section, key) >= 0)
        snprintf(text + used, KEYS_TEXT - used, "%s %s", used > 0 ? "," : " it is a key of", called);
}

/* " it is a key of the model itself, bodies;": where else the key stands; empty: nowhere. */
static const char *other_homes(char text[KEYS_TEXT], const char *key)
{
    text[0] = '\0';
    add_home(text, &tn_section_top, "the model itself", key);
    for (const tn_key *k = tn_section_top.keys; k->name != NULL; k++)
        add_home(text, k->section, k->name, key);
    size_t used = strlen(text);
    if (used > 0)
        snprintf(text + used, KEYS_TEXT - used, ";");
    return text;
}

static void unknown_key(tn_reader *r, const tn_node *key, key_list *list)
{
    const tn_other_word *other = find_other_word(list, key->as.text);
    const char *near = other != NULL ? other->key : tn_nearest(key->as.text, key_candidate, list), *section = list->section->name;
    char keys[KEYS_TEXT], homes[KEYS_TEXT];
    r->misspelled = near != NULL ? near : r->misspelled;
    if (other != NULL && other->key == NULL)
        tn_read_error(r, key->span, "unknown key '%.60s': %s", key->as.text, other->hint);
    else if (near != NULL)
        tn_read_error(r, key->span, "unknown key '%.60s'; did you mean '%s'?", key->as.text, near);
    else if (strpbrk(key->as.text, "()") != NULL)
        tn_read_error(r, key->span, "unknown key '%.60s' in %s %s: an expression with commas within { } or [ ] needs quotes, \"f(x, y)\"",
                      key->as.text, strchr("aeiou", section[0]) ? "an" : "a", section);
    else
        tn_read_error(r, key->span, "unknown key '%.60s' in %s %s;%s there are%s%s", key->as.text, strchr("aeiou", section[0]) ? "an" : "a",
                      section, other_homes(homes, key->as.text), keys_text(keys, list)[0] ? ": " : " none", keys);
}

bool tn_read_is_map(tn_reader *r, const tn_node *node, const char *label)
{
    if (node == NULL || tn_node_empty(node))
        return false;
    if (node->kind != TN_NODE_MAP)
        tn_read_error(r, node->span, "'%s' must be a map { key: value }, not %s", label, tn_node_kind_text(node));
    return node->kind == TN_NODE_MAP;
}

/* A torque in the plane: one number, about z. */
static bool is_planar_torque(int dimension, const tn_parameter_decl *first)
{
    return dimension == 2 && strcmp(first->unit, "N m") == 0 && strstr(first->name, ".x") != NULL;
}

/* Of a group by its first member: a vector, or the diagonal of a matrix over shifts and turns. */
static int list_length(int dimension, const char *first)
{
    return strcmp(strchr(first, '.'), ".x") == 0 ? dimension : dimension == 2 ? 3 : 6;
}

bool tn_read_keys(tn_reader *r, const tn_node *node, const tn_section *section, const tn_node **values,
                  const tn_parameter_decl *declared, size_t declared_max, const tn_node **parameter_values)
{
    memset(values, 0, TN_MAX_KEYS * sizeof *values);
    if (declared != NULL)
        memset(parameter_values, 0, declared_max * sizeof *parameter_values);
    if (!tn_read_is_map(r, node, section->name))
        return node != NULL && tn_node_empty(node);
    key_list list = { section, declared, declared_max, r->arena, r->model->dimension };
    r->misspelled = NULL;
    for (unsigned i = 0; i < node->count && r->stop == TN_OK; i++) {
        const tn_node *key = node->as.items[2 * i], *value = node->as.items[2 * i + 1];
        int index = find_key(section, key->as.text), parameter = -1;
        if (index < 0)
            parameter = find_declared(declared, declared_max, key->as.text);
        bool group = parameter >= 0 && strcmp(declared[parameter].name, key->as.text) != 0;
        bool torque = group && is_planar_torque(r->model->dimension, &declared[parameter]);
        if (torque)
            parameter += 2;
        const tn_node **slot = index >= 0 ? &values[index] : parameter >= 0 ? &parameter_values[parameter] : NULL;
        if (slot == NULL)
            unknown_key(r, key, &list);
        else if (group && !torque && value->kind != TN_NODE_LIST)
            tn_read_error(r, value->span, "'%s' must be a list of %d numbers; one of them is written '%s: ...'",
                          key->as.text, list_length(r->model->dimension, declared[parameter].name),
                          declared[parameter].name);
        else if (torque && value->kind == TN_NODE_LIST)
            tn_read_error(r, value->span, "'%s' must be a number: a planar torque is about z", key->as.text);
        else if (*slot == NULL)            /* a duplicate has been reported already */
            *slot = value;
    }
    return true;
}

/* Digits, signs, point, exponent and nothing else: no names, no hexadecimal, no nan. */
bool tn_plain_number(const char *text, double *value)
{
    if (text[strspn(text, "+-.0123456789eE")] != '\0' || strpbrk(text, "0123456789") == NULL)
        return false;
    char *end;
    *value = strtod(text, &end);
    return *end == '\0';
}

static const char *a_or_an(const char *word)
{
    return strchr("aeiou", word[0]) != NULL ? "an" : "a";
}

static bool check_dimension(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_dim dim)
{
    double factor;
    tn_dim expected;
    tn_unit_parse(unit, strlen(unit), &factor, &expected);
    if (tn_dim_equal(dim, expected))
        return true;
    char is[64], should[64];
    tn_dim_name(dim, is, sizeof is);
    tn_dim_name(expected, should, sizeof should);
    if (strcmp(unit, "rad") == 0)
        snprintf(should, sizeof should, "angle");
    const char *hides = tn_read_hidden_unit(r, node->as.text);
    tn_read_error(r, node->span, "'%s': %.60s is %s %s, expected %s %s%s%s%s%s%s%s", label, node->as.text, a_or_an(is), is,
                  a_or_an(should), should, unit[0] ? " (" : "", unit, unit[0] ? ")" : "", hides ? "; '" : "",
                  hides ? hides : "", hides ? "' is a parameter here, not the unit" : "");
    return false;
}

static bool check_sign(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_sign sign, double x)
{
    if (!isfinite(x)) {
        tn_read_error(r, node->span, "'%s': %.60s is not a finite number", label, node->as.text);
        return false;
    }
    if (sign == TN_ANY_SIGN || x > 0 || (sign == TN_NOT_NEGATIVE && x == 0))
        return true;
    tn_read_error(r, node->span, "%s %g%s%s must %s", label, x, unit[0] ? " " : "", unit,
                  sign == TN_POSITIVE ? "be positive" : "not be negative");
    return false;
}

bool tn_check_quantity(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_sign sign,
                       const tn_output_info *info, double value)
{
    if (info->dim_known && strcmp(unit, "*") != 0 && !check_dimension(r, node, label, unit, info->dim))
        return false;
    return check_sign(r, node, label, unit, sign, value);
}

/* A bare number is in rad. Whole and half numbers of more than a turn look like degrees. */
static void doubt_degrees(const tn_reader *r, const tn_node *node, const char *label, double value)
{
    const double turn = 6.283185307179586;
    if (fabs(value) > turn && fabs(value) <= 720 && 2 * value == floor(2 * value))
        tn_warn(r->context, node->span, "'%s': %g without a unit is %g rad: write '%g deg' or '%g rad'", label, value, value, value,
                value);
}

void tn_read_no_turn(tn_reader *r, const tn_node *angle, const tn_node *rotation, const tn_node *rate)
{
    const tn_node *given = angle ? angle : rotation ? rotation : rate;
    if (given != NULL)
        tn_read_error(r, given->span, "a particle has no orientation and does not turn: leave this out, or make the body rigid");
}

bool tn_read_quantity(tn_reader *r, const tn_node *node, const char *label, const char *unit, tn_sign sign, double *out)
{
    if (node == NULL)
        return false;
    if (node->kind != TN_NODE_TEXT || tn_node_empty(node)) {
        tn_read_error(r, node->span, "'%s' must be a number, not %s", label,
                      node->kind == TN_NODE_TEXT ? "empty" : tn_node_kind_text(node));
        return false;
    }
    double value;
    tn_output_info info = { 0 };
    bool plain = tn_plain_number(node->as.text, &value);
    if (!plain && !tn_read_expression(r, node, label, &value, &info))
        return false;
    if (!tn_check_quantity(r, node, label, unit, sign, &info, value))
        return false;
    if (plain && strcmp(unit, "rad") == 0)
        doubt_degrees(r, node, label, value);
    *out = value;
    return true;
}

bool tn_read_number(tn_reader *r, const tn_node *node, const tn_key *key, double *out)
{
    return tn_read_quantity(r, node, key->name, key->unit, key->sign, out);
}

size_t tn_read_numbers(tn_reader *r, const tn_node *node, const tn_key *key, size_t min, size_t max, double *out)
{
    size_t count;
    const tn_node *const *items = tn_read_list(r, &node, key->name, &count);
    if (items == NULL)
        return 0;
    if (count < min || count > max) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, min == max ? "%zu" : "%zu to %zu", min, max);
        tn_read_error(r, node->span, "'%s' needs %s numbers, not %zu%s", key->name, wanted, count,
                      r->model->dimension == 3 && min == 3 && max == 3 && count == 2 ? "; a model in the plane says 'dimension: 2'" : "");
        return 0;
    }
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good = tn_read_number(r, items[i], key, &out[i]) && good;
    return good ? count : 0;
}

bool tn_read_vector(tn_reader *r, const tn_node *node, const tn_key *key, double out[3])
{
    double v[3] = { 0 };
    if (node == NULL)
        return false;
    size_t n = (size_t)r->model->dimension;
    if (node->kind != TN_NODE_LIST) {
        tn_read_error(r, node->span, "'%s' must be a list of %zu numbers", key->name, n);
        return false;
    }
    if (tn_read_numbers(r, node, key, n, n, v) == 0)
        return false;
    tn_copy3(out, v);
    return true;
}

bool tn_read_spin(tn_reader *r, const tn_node *node, const tn_key *key, double out[3])
{
    if (r->model->dimension == 3)
        return tn_read_vector(r, node, key, out);
    return tn_read_number(r, node, key, &out[2]);
}

static bool named_axis(const char *text, double out[3])
{
    bool negative = text[0] == '-';
    const char *letter = text + negative;
    if (letter[0] < 'x' || letter[0] > 'z' || letter[1] != '\0')
        return false;
    tn_zero3(out);
    out[letter[0] - 'x'] = negative ? -1 : 1;
    return true;
}

bool tn_read_axis(tn_reader *r, const tn_node *node, const tn_key *key, double out[3])
{
    if (node == NULL)
        return false;
    if (node->kind == TN_NODE_TEXT && named_axis(node->as.text, out))
        return true;
    if (node->kind != TN_NODE_LIST) {
        tn_read_error(r, node->span, "'%s' must be x, y, z, -x, -y, -z or a list of %d numbers", key->name,
                      r->model->dimension);
        return false;
    }
    tn_key direction = { .name = key->name, .kind = TN_VALUE_VECTOR, .unit = "" };
    double v[3];
    if (!tn_read_vector(r, node, &direction, v))
        return false;
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (largest == 0) {
        tn_read_error(r, node->span, "'%s' must not be zero", key->name);
        return false;
    }
    for (int k = 0; k < 3; k++)
        v[k] /= largest;                   /* so that squares neither overflow nor vanish */
    for (int k = 0; k < 3; k++)
        out[k] = v[k] / tn_norm3(v);
    return true;
}

const char *tn_read_text(tn_reader *r, const tn_node *node, const char *label)
{
    if (node == NULL)
        return NULL;
    if (node->kind == TN_NODE_TEXT && !tn_node_empty(node))
        return node->as.text;
    tn_read_error(r, node->span, "'%s' must be a text, not %s", label,
                  node->kind == TN_NODE_TEXT ? "empty" : tn_node_kind_text(node));
    return NULL;
}

static const char *choice_candidate(void *user, size_t index)
{
    return ((const char *const *)user)[index];
}

int tn_read_choice(tn_reader *r, const tn_node *node, const tn_key *key, int otherwise)
{
    const char *text = tn_read_text(r, node, key->name);
    if (text == NULL)
        return otherwise;
    char all[160] = "", hint[160];
    for (int i = 0; key->choices[i] != NULL; i++) {
        if (strcmp(key->choices[i], text) == 0)
            return i;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? " or " : "", key->choices[i]);
    }
    tn_did_you_mean(hint, sizeof hint, text, choice_candidate, (void *)key->choices);
    tn_read_error(r, node->span, "'%s' is %.60s, must be %s%s", key->name, text, all, hint);
    return otherwise;
}

bool tn_read_switch(tn_reader *r, const tn_node *node, const tn_key *key, bool otherwise)
{
    const char *text = tn_read_text(r, node, key->name);
    if (text == NULL)
        return otherwise;
    bool on = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
    if (!on && strcmp(text, "no") != 0 && strcmp(text, "false") != 0)
        tn_read_error(r, node->span, "'%s' is %.60s, must be yes or no", key->name, text);
    return on;
}

const tn_node *const *tn_read_list(tn_reader *r, const tn_node *const *node, const char *label, size_t *count)
{
    *count = 0;
    if (*node == NULL || tn_node_empty(*node))
        return NULL;
    if ((*node)->kind == TN_NODE_MAP) {
        tn_read_error(r, (*node)->span, "'%s' must be a list, not a map", label);
        return NULL;
    }
    bool is_list = (*node)->kind == TN_NODE_LIST;
    *count = is_list ? (*node)->count : 1;
    return is_list ? (*node)->as.items : node;
}

/* Devices and nodes depend on each other in ways that are found later. */
static bool stands_in(const tn_model *model, tn_id id)
{
    return id.kind == TN_KIND_BODY || id.kind == TN_KIND_JOINT || id.kind == TN_KIND_CONTACT ||
           (id.kind == TN_KIND_FORCE && model->forces[id.index].type->device == NULL);
}

static void add_mistaken(tn_reader *r, const char *name, bool has_stand_in)
{
    tn_mistaken *item = tn_arena_alloc(r->model->arena, 1, sizeof *item);
    char *copy = tn_arena_strdup(r->model->arena, name);
    if (item == NULL || copy == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return;
    }
    *item = (tn_mistaken){ copy, r->model->mistaken, has_stand_in };
    r->model->mistaken = item;
}

void tn_read_mistaken(tn_reader *r, const char *name)
{
    add_mistaken(r, name, stands_in(r->model, tn_model_find(r->model, name)));
}

void tn_read_unclear(tn_reader *r, const char *name)
{
    add_mistaken(r, name, false);
}

static bool is_repeated(const tn_node *map, unsigned pair)
{
    for (unsigned i = 0; i < pair; i++)
        if (strcmp(map->as.items[2 * i]->as.text, map->as.items[2 * pair]->as.text) == 0)
            return true;
    return false;
}

/* That a key is there twice has been reported. */
static bool is_no_repetition(void *user, const tn_diagnostic *d)
{
    (void)user;
    return strstr(d->message, ": the name is already taken by a") == NULL;
}

void tn_read_pairs(tn_reader *r, const tn_node *node, const tn_key *key, tn_pair_reader read)
{
    if (!tn_read_is_map(r, node, key->name))
        return;
    for (unsigned i = 0; i < node->count && r->stop == TN_OK; i++) {
        const tn_node *name = node->as.items[2 * i];
        r->what = key->section->name;
        r->name = tn_read_path(r, name->as.text);
        if (r->name == NULL)
            return;
        size_t before = r->errors;
        const char *path = r->name;
        const tn_report_mark mark = tn_report_now(r->context);
        read(r, name, node->as.items[2 * i + 1]);
        if (r->errors > before && is_repeated(node, i))
            tn_report_filter(r->context, mark, is_no_repetition, NULL);
        if (r->errors > before)
            tn_read_mistaken(r, path);
        r->what = r->name = NULL;
    }
}

const tn_node *tn_read_type(const tn_node *node)
{
    const tn_node *type = tn_node_get(node, "type");
    return type != NULL && type->kind == TN_NODE_TEXT ? type : NULL;
}

tn_span tn_text_span(const tn_node *node)
{
    tn_span span = node->span;
    span.column += node->quoted ? 1 : 0;
    return span;
}
