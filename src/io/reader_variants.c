/* Variants: several definitions of an entity under one name, one of which counts.
 *
 *     drive: { at: { p: bus, n: ground }, variant: losses,
 *              variants: { ideal: { type: emf, ... }, losses: { type: dc-motor, ... } } }
 *
 * Before the sections are read, an entry with variants is replaced by the map of its own keys and those of the chosen
 * variant, which come first; the maps "at" and "parameters" of the two are joined. The choice is the parameter
 * NAME.variant of the model: the caller's setting counts first, then what enclosing files give, then the entry's
 * "variant", then the first one. */
#include "reader.h"
#include <math.h>
#include <string.h>

static const int sections[] = { TOP_BODIES, TOP_SUBSYSTEMS, TOP_JOINTS, TOP_DRIVES, TOP_FORCES, TOP_DEVICES };

/* ---- which one ---- */

static int variant_index(const tn_node *variants, const char *word)
{
    for (unsigned i = 0; i < variants->count; i++)
        if (strcmp(variants->as.items[2 * i]->as.text, word) == 0)
            return (int)i;
    return -1;
}

static const char *word_candidate(void *user, size_t index)
{
    const tn_node *variants = user;
    return index < variants->count ? variants->as.items[2 * index]->as.text : NULL;
}

static int find_word(tn_reader *r, const tn_node *variants, const tn_node *word)
{
    char hint[160];
    int index = word->kind == TN_NODE_TEXT ? variant_index(variants, word->as.text) : -1;
    if (index < 0)
        tn_read_error(r, word->span, "there is no variant '%.60s'%s", word->kind == TN_NODE_TEXT ? word->as.text : "",
                      tn_did_you_mean(hint, sizeof hint, word->kind == TN_NODE_TEXT ? word->as.text : "", word_candidate,
                                      (void *)(uintptr_t)variants));
    return index;
}

/* The variant that the entry of a surrounding subsystem gives as "NAME.variant"; the outermost entry decides. NULL: none. */
static const tn_node *given_outside(const tn_reader *r, const char *parameter)
{
    const tn_node *found = NULL;
    for (const tn_reader *at = r; at->outer != NULL; at = at->outer) {
        const char *name = at->prefix != NULL ? parameter + strlen(at->prefix) + 1 : parameter;
        const tn_node *given = at->given_parameters != NULL ? tn_node_get(at->given_parameters, name) : NULL;
        found = given != NULL ? given : found;
    }
    return found;
}

/* Number of the variant that a setting of the caller asks for; -1: none does, -2: there is no such variant. */
static int set_by_caller(tn_reader *r, const tn_node *variants, const char *parameter)
{
    int chosen = -1;
    for (size_t i = 0; i < r->setting_count; i++) {
        if (strcmp(r->settings[i].name, parameter) != 0)
            continue;
        const double value = r->settings[i].value;
        if (r->settings_used != NULL)
            r->settings_used[i] = true;
        chosen = value >= 0 && value < variants->count && value == floor(value) ? (int)value : -2;
        if (chosen < 0)
            r->stop = tn_fail(r->context, TN_ERROR_ARGUMENT, variants->span, "parameter '%s': the variants have numbers from 0 "
                              "to %u", parameter, variants->count - 1);
    }
    return chosen;
}

static int choose(tn_reader *r, const tn_node *entry, const tn_node *variants, const char *parameter)
{
    int chosen = set_by_caller(r, variants, parameter);
    const tn_node *word = given_outside(r, parameter);
    if (chosen != -1)
        return chosen;
    if (word == NULL)
        word = tn_node_get(entry, "variant");
    return word != NULL ? find_word(r, variants, word) : 0;
}

/* ---- the map of the chosen one ---- */

static tn_node *new_map(tn_reader *r, const tn_node *like, unsigned most, const tn_node ***items)
{
    tn_node *map = tn_arena_alloc(r->arena, 1, sizeof *map);
    *items = tn_arena_alloc(r->arena, 2 * (size_t)most, sizeof **items);
    if (map == NULL || *items == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return NULL;
    }
    *map = *like;
    map->as.items = *items;
    map->count = 0;
    return map;
}

static void put_pair(tn_node *map, const tn_node **items, const tn_node *key, const tn_node *value)
{
    for (unsigned i = 0; i < map->count; i++)
        if (strcmp(items[2 * i]->as.text, key->as.text) == 0) {
            items[2 * i] = key;
            items[2 * i + 1] = value;
            return;
        }
    items[2 * map->count] = key;
    items[2 * map->count + 1] = value;
    map->count++;
}

static bool joined(const char *key)
{
    return strcmp(key, "at") == 0 || strcmp(key, "parameters") == 0;
}

/* The pairs of both; those of "over" count where both have a key. */
static const tn_node *join(tn_reader *r, const tn_node *under, const tn_node *over, bool entry)
{
    const tn_node **items;
    tn_node *map = new_map(r, under, under->count + over->count, &items);
    for (unsigned i = 0; map != NULL && i < under->count; i++) {
        const char *key = under->as.items[2 * i]->as.text;
        if (!entry || (strcmp(key, "variant") != 0 && strcmp(key, "variants") != 0))
            put_pair(map, items, under->as.items[2 * i], under->as.items[2 * i + 1]);
    }
    for (unsigned i = 0; map != NULL && i < over->count; i++) {
        const tn_node *key = over->as.items[2 * i], *value = over->as.items[2 * i + 1];
        const tn_node *common = entry && joined(key->as.text) ? tn_node_get(under, key->as.text) : NULL;
        if (common != NULL && common->kind == TN_NODE_MAP && value->kind == TN_NODE_MAP)
            value = join(r, common, value, false);
        if (value != NULL)
            put_pair(map, items, key, value);
    }
    return map;
}

/* ---- checks ---- */

static bool check_variants(tn_reader *r, const tn_node *variants)
{
    static const char *const refused[] = { "variant", "variants", "enabled" };
    if (variants->kind != TN_NODE_MAP || variants->count == 0) {
        tn_read_error(r, variants->span, "'variants' must be a map: word -> keys of that variant");
        return false;
    }
    for (unsigned i = 0; i < variants->count; i++) {
        const tn_node *key = variants->as.items[2 * i], *one = variants->as.items[2 * i + 1];
        const char *word = key->as.text;
        if (word[0] == '\0' || strpbrk(word, " |,=:\t") != NULL) {
            tn_read_error(r, key->span, "a variant is one word, not '%.60s'", word);
            return false;
        }
        if (one->kind != TN_NODE_MAP && !tn_node_empty(one)) {
            tn_read_error(r, one->span, "variant '%.60s' must be a map of keys", word);
            return false;
        }
        for (size_t k = 0; k < TN_LENGTH(refused) && one->kind == TN_NODE_MAP; k++)
            if (tn_node_get(one, refused[k]) != NULL) {
                tn_read_error(r, tn_node_get(one, refused[k])->span, "'%s' stands beside 'variants', not in one of them",
                              refused[k]);
                return false;
            }
    }
    return true;
}

static char *choices_text(tn_reader *r, const tn_node *variants)
{
    size_t size = 1, used = 0;
    for (unsigned i = 0; i < variants->count; i++)
        size += strlen(variants->as.items[2 * i]->as.text) + 1;
    char *text = tn_arena_alloc(r->arena, size, 1);
    for (unsigned i = 0; text != NULL && i < variants->count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? "|" : "", variants->as.items[2 * i]->as.text);
    if (text == NULL)
        r->stop = TN_ERROR_MEMORY;
    return text;
}

/* ---- entries and sections ---- */

static void note_choice(tn_reader *r, const tn_node *variants, const char *parameter, int chosen)
{
    tn_variant_choice *note = tn_arena_alloc(r->arena, 1, sizeof *note);
    char *choices = choices_text(r, variants);
    if (note == NULL || choices == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return;
    }
    const tn_node *given = given_outside(r, parameter);
    *note = (tn_variant_choice){ { parameter, chosen, "", given != NULL && given->kind == TN_NODE_TEXT ? given->as.text : NULL,
                                   choices, NULL, NULL }, variants, r->variants };
    r->variants = note;
}

/* The entry with one of its variants; NULL: something is wrong, and was reported. */
static const tn_node *resolve(tn_reader *r, int section, const tn_node *name, const tn_node *entry, const tn_node *variants)
{
    size_t size = strlen(r->name) + sizeof ".variant";
    char *parameter = tn_arena_alloc(r->arena, size, 1);
    (void)name;
    if (parameter == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return NULL;
    }
    snprintf(parameter, size, "%s.variant", r->name);
    if (!check_variants(r, variants))
        return NULL;
    int chosen = choose(r, entry, variants, parameter);
    if (chosen < 0)
        return NULL;
    note_choice(r, variants, parameter, chosen);
    for (unsigned i = 0; i < variants->count && section == TOP_SUBSYSTEMS && r->stop == TN_OK; i++)
        if ((int)i != chosen)
            tn_load_for_variant(r, tn_node_get(variants->as.items[2 * i + 1], "use"));
    const tn_node *one = variants->as.items[2 * chosen + 1];
    static const tn_node none = { .kind = TN_NODE_MAP };
    return join(r, entry, one->kind == TN_NODE_MAP ? one : &none, true);
}

static bool has_variants(const tn_node *map)
{
    for (unsigned i = 0; map != NULL && map->kind == TN_NODE_MAP && i < map->count; i++)
        if (map->as.items[2 * i + 1]->kind == TN_NODE_MAP && tn_node_get(map->as.items[2 * i + 1], "variants") != NULL)
            return true;
    return false;
}

static const tn_node *resolve_section(tn_reader *r, int section, const tn_node *map)
{
    const tn_node **items;
    tn_node *made = new_map(r, map, map->count, &items);
    for (unsigned i = 0; made != NULL && i < map->count && r->stop == TN_OK; i++) {
        const tn_node *name = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        const tn_node *variants = value->kind == TN_NODE_MAP ? tn_node_get(value, "variants") : NULL;
        r->what = tn_section_top.keys[section].section->name;
        r->name = tn_read_path(r, name->as.text);
        if (variants != NULL && r->name != NULL) {
            value = resolve(r, section, name, value, variants);
            if (value == NULL && r->stop == TN_OK)
                tn_read_mistaken(r, r->name);
        }
        if (value != NULL)
            put_pair(made, items, name, value);
    }
    r->what = r->name = NULL;
    return made;
}

/* Definitions that are replaced lose the variants of the old ones. */
static void forget_replaced(tn_reader *r, const tn_node *map)
{
    for (unsigned i = 0; map != NULL && map->kind == TN_NODE_MAP && i < map->count; i++) {
        const char *path = tn_read_path(r, map->as.items[2 * i]->as.text);
        if (path != NULL)
            tn_model_forget_variant(r->model, path);
    }
}

void tn_read_variants(tn_reader *r)
{
    for (size_t i = 0; i < r->document_count && r->stop == TN_OK; i++)
        for (size_t k = 0; k < TN_LENGTH(sections) && r->stop == TN_OK; k++) {
            const tn_node **map = &r->documents[i].values[sections[k]];
            if (r->replacing)
                forget_replaced(r, *map);
            r->folder = r->documents[i].folder;
            if (has_variants(*map))
                *map = resolve_section(r, sections[k], *map);
        }
}

void tn_read_publish_variants(tn_reader *r)
{
    tn_variant_choice *first = NULL;
    while (r->variants != NULL) {                  /* back into the order of the file */
        tn_variant_choice *next = r->variants->before;
        r->variants->before = first;
        first = r->variants;
        r->variants = next;
    }
    for (; first != NULL && r->stop == TN_OK; first = first->before)
        tn_read_ok(r, tn_model_add_parameter(r->model, &first->value));
}

/* Is a name under "parameters" of a subsystem the choice of a variant inside? */
void tn_read_check_given_variants(tn_reader *r)
{
    const tn_node *map = r->given_parameters;
    for (unsigned i = 0; map != NULL && map->kind == TN_NODE_MAP && i < map->count && r->stop == TN_OK; i++) {
        const tn_node *key = map->as.items[2 * i];
        const char *path = strchr(key->as.text, '.') != NULL ? tn_read_path(r, key->as.text) : NULL;
        bool known = path == NULL;
        for (size_t k = 0; k < r->model->parameter_count && !known; k++)
            known = strcmp(r->model->parameters[k].name, path) == 0 && r->model->parameters[k].choices != NULL;
        if (!known)
            tn_read_error(r, key->span, "no parameter '%.60s', and no entity with variants that it could choose from", key->as.text);
    }
}

/* Does a variant that was not chosen name the node? */
bool tn_read_node_of_variant(const tn_reader *r, const char *node)
{
    for (const tn_variant_choice *c = r->variants; c != NULL; c = c->before)
        for (unsigned i = 0; i < c->variants->count; i++) {
            const tn_node *at = tn_node_get(c->variants->as.items[2 * i + 1], "at");
            for (unsigned k = 0; at != NULL && at->kind == TN_NODE_MAP && k < at->count; k++)
                if (at->as.items[2 * k + 1]->kind == TN_NODE_TEXT && strcmp(at->as.items[2 * k + 1]->as.text, node) == 0)
                    return true;
        }
    return false;
}
