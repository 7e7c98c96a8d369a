/* Composition of USD layers: sub-layers, references, payloads, inherited classes, variants. What a prim says itself counts more than
 * what it inherits, then its variants, its references and its payloads. Text layers only. */
#include "usd_reader.h"

#include "diag.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 200, MOST_ARCS = 50 };

static const usd_attribute *find_in(const usd_attribute *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

static usd_prim *find_child(const usd_prim *prim, const char *name, size_t length)
{
    for (usd_prim *child = prim->first; child; child = child->next)
        if (strlen(child->name) == length && strncmp(child->name, name, length) == 0)
            return child;
    return NULL;
}

/* The prim of a layer with the path; empty: its default prim. NULL: none. */
static usd_prim *find_prim(const usd_layer *layer, const char *path)
{
    const usd_attribute *start = find_in(layer->root->metadata, "defaultPrim");
    usd_prim *prim = layer->root;
    if (!path[0] && (!start || start->text_count == 0))
        return NULL;
    for (const char *at = path[0] ? path : start->texts[0]; prim && *at; ) {
        at += *at == '/';
        size_t length = strcspn(at, "/");
        prim = length > 0 ? find_child(prim, at, length) : prim;
        at += length;
    }
    return prim == layer->root ? NULL : prim;
}

static usd_layer *load_layer(usd_reader *r, const usd_layer *from, const char *name, tn_span place)
{
    const char *path = tn_source_locate(r->files, tn_source_folder(r->files, (tn_span){ from->path, 0, 0 }), name, place);
    char *data = NULL;
    size_t size = 0;
    if (!path)
        return NULL;
    for (usd_layer *l = r->layers; l; l = l->next)
        if (strcmp(l->path, path) == 0)
            return l->root ? l : NULL;
    usd_layer *layer = tn_arena_alloc(r->machine->arena, 1, sizeof *layer);
    if (!layer || tn_source_load(&data, &size, r->files, path, place) < 0) {
        r->failed = true;
        return NULL;
    }
    *layer = (usd_layer){ .path = path, .next = r->layers };
    r->layers = layer;
    tn_machine_add_file(r->machine, path);
    if (strncmp(data, "#usda", 5) != 0)
        tn_machine_note_add(r->machine, TN_WARNING, place, "'%s' is no text layer and is left out: flatten the stage first (usdcat "
                            "--flatten)", name);
    else if (tn_usd_parse(r, layer, data, size) < 0)
        r->failed = true;
    tn_free(r->machine->context, data);
    return layer->root && !r->failed ? layer : NULL;
}

/* ---- copying what a prim says ---- */

typedef struct usd_move {
    const char *from, *to;     /* paths that are renamed, with what is below them */
} usd_move;

static const char *moved_text(usd_reader *r, const usd_move *move, const char *text)
{
    size_t length = strlen(move->from);
    bool below = text[0] == '/' && strncmp(text, move->from, length) == 0 && (text[length] == 0 || strchr("/.", text[length]));
    return below ? tn_machine_text(r->machine, "%s%s", move->to, text + length) : text;
}

/* Adds what the list does not have; applied schemas always. */
static void fill_list(usd_reader *r, usd_attribute **list, const usd_attribute *from, const usd_move *move)
{
    for (const usd_attribute *a = from; a; a = a->next) {
        if (find_in(*list, a->name) && strcmp(a->name, "apiSchemas") != 0)
            continue;
        usd_attribute *copy = tn_arena_alloc(r->machine->arena, 1, sizeof *copy), **tail = list;
        const char **texts = tn_arena_alloc(r->machine->arena, a->text_count + 1, sizeof *texts);
        if (!copy || !texts)
            return;
        *copy = *a;
        copy->next = NULL;
        copy->texts = texts;
        for (size_t i = 0; i < a->text_count; i++)
            texts[i] = moved_text(r, move, a->texts[i]);
        while (*tail)
            tail = &(*tail)->next;
        *tail = copy;
    }
}

/* Adds the statements of another prim and of its children; their references and variants are noted, and count when the children are composed. */
static void fill_prim(usd_reader *r, usd_prim *prim, const usd_prim *from, const usd_move *move, int depth)
{
    if (depth > DEEPEST) {
        USD_ERROR(r, from->place, "prims are nested too deep");
        return;
    }
    if (!prim->type[0])
        prim->type = from->type;
    fill_list(r, &prim->attributes, from->attributes, move);
    if (prim->parent)                  /* what a layer says about the stage counts in the first layer only */
        fill_list(r, &prim->metadata, from->metadata, move);
    bool bare = !prim->first;          /* no child to look for */
    for (const usd_prim *child = from->first; child && !r->failed; child = child->next) {
        usd_prim *own = bare ? NULL : find_child(prim, child->name, strlen(child->name));
        usd_origin *origin = tn_arena_alloc(r->machine->arena, 1, sizeof *origin);
        if (!own) {
            own = tn_usd_new_prim(r, prim->layer, prim, child->type, child->name, child->place);
            if (own)
                own->abstract = child->abstract;
        }
        if (!own || !origin)
            return;
        usd_origin **tail = &own->origins;
        while (*tail)
            tail = &(*tail)->next;
        *origin = (usd_origin){ child, NULL };
        *tail = origin;
        fill_prim(r, own, child, move, depth + 1);
    }
}

static void apply_arcs(usd_reader *r, usd_prim *prim, const usd_prim *from, int count);

static void use_prim(usd_reader *r, usd_prim *prim, const usd_prim *source, int count)
{
    const usd_move move = { source->path, prim->path };
    for (const usd_prim *up = prim; up; up = up->parent)
        if (up == source || count > MOST_ARCS) {
            USD_ERROR(r, prim->place, "'%s' refers to itself", prim->path);
            return;
        }
    fill_prim(r, prim, source, &move, 0);
    apply_arcs(r, prim, source, count + 1);
}

/* "@file@/path", "@file@", "/path" */
static void use_reference(usd_reader *r, usd_prim *prim, const usd_prim *from, const char *reference, const usd_attribute *arc, int count)
{
    const usd_layer *layer = from->layer;
    const char *path = reference;
    if (reference[0] == '@') {
        const char *end = strchr(reference + 1, '@');
        size_t length = end ? (size_t)(end - reference - 1) : 0;
        path = end ? end + 1 : "";
        layer = length > 0 ? load_layer(r, from->layer, tn_machine_text(r->machine, "%.*s", (int)length, reference + 1), arc->place)
                           : from->layer;
    }
    const usd_prim *source = layer ? find_prim(layer, path) : NULL;
    if (source)
        use_prim(r, prim, source, count);
    else if (!r->failed)
        tn_machine_note_add(r->machine, TN_WARNING, arc->place, "'%s' has %s to %.100s, which was not found: left out; 'usdcat --flatten' "
                            "makes one layer of a stage", prim->path, arc->name, reference);
}

static void use_list(usd_reader *r, usd_prim *prim, const usd_prim *from, const char *name, int count)
{
    for (const usd_attribute *a = from->metadata; a; a = a->next)
        for (size_t i = 0; strcmp(a->name, name) == 0 && i < a->text_count && !r->failed; i++)
            use_reference(r, prim, from, a->texts[i], a, count);
}

/* The variant that the strongest opinion chooses; NULL: none. */
static const char *chosen(const usd_prim *prim, const char *set)
{
    for (const usd_attribute *a = prim->metadata; a; a = a->next)
        for (size_t i = 0; strcmp(a->name, "variants") == 0 && i + 1 < a->text_count; i += 2)
            if (strcmp(a->texts[i], set) == 0)
                return a->texts[i + 1];
    return NULL;
}

static void use_variants(usd_reader *r, usd_prim *prim, const usd_prim *from, int count)
{
    for (const usd_variant *v = from->variants; v && !r->failed; v = v->next) {
        const char *choice = chosen(prim, v->set);
        if (choice && strcmp(choice, v->name) == 0)
            use_prim(r, prim, v->content, count);
        else if (!choice)
            tn_machine_leave_out(r->machine, v->content->place, "variants that nothing chooses");
    }
}

static void apply_arcs(usd_reader *r, usd_prim *prim, const usd_prim *from, int count)
{
    use_list(r, prim, from, "inherits", count);
    use_variants(r, prim, from, count);
    use_list(r, prim, from, "references", count);
    use_list(r, prim, from, "payload", count);
    use_list(r, prim, from, "specializes", count);
}

static void compose_prim(usd_reader *r, usd_prim *prim, int depth)
{
    if (depth > DEEPEST) {
        USD_ERROR(r, prim->place, "'%.200s' is nested too deep: does it refer to itself?", prim->path);
        return;
    }
    apply_arcs(r, prim, prim, 0);
    for (const usd_origin *o = prim->origins; o && !r->failed; o = o->next)
        apply_arcs(r, prim, o->from, 0);
    for (usd_prim *child = prim->first; child && !r->failed; child = child->next)
        if (!child->abstract)
            compose_prim(r, child, depth + 1);
}

static void add_sublayers(usd_reader *r, const usd_layer *layer, int depth)
{
    const usd_attribute *list = find_in(layer->root->metadata, "subLayers");
    for (size_t i = 0; list && i < list->text_count && !r->failed; i++) {
        const char *name = list->texts[i];
        const usd_move none = { "/", "/" };
        size_t length = strlen(name);
        usd_layer *sub = length > 2 && name[0] == '@' ? load_layer(r, layer, tn_machine_text(r->machine, "%.*s", (int)length - 2, name + 1),
                                                                   list->place) : NULL;
        if (!sub)
            continue;
        if (depth > MOST_ARCS || sub->root == r->root) {
            USD_ERROR(r, list->place, "the layer '%s' is a sub-layer of itself", name);
            return;
        }
        fill_prim(r, r->root, sub->root, &none, 0);
        add_sublayers(r, sub, depth + 1);
    }
}

/* Prims in an order in which parents come first. */
static void list_prims(usd_reader *r, usd_prim *prim)
{
    if (r->prim_count == r->prim_capacity) {
        size_t more = r->prim_capacity ? 2 * r->prim_capacity : 64;
        usd_prim **list = tn_arena_alloc(r->machine->arena, more, sizeof(usd_prim *));
        if (!list) {
            r->failed = true;
            return;
        }
        if (r->prim_count > 0)
            memcpy(list, r->prims, r->prim_count * sizeof(usd_prim *));
        r->prims = list;
        r->prim_capacity = more;
    }
    tn_index_put(r->paths, prim->path, (int)r->prim_count);
    r->prims[r->prim_count++] = prim;
    for (usd_prim *child = prim->first; child; child = child->next)
        if (!child->abstract)
            list_prims(r, child);
}

int tn_usd_compose(usd_reader *r)
{
    const usd_layer *top = r->root->layer;
    add_sublayers(r, top, 0);
    compose_prim(r, r->root, 0);
    const usd_attribute *own = find_in(r->root->metadata, "metersPerUnit");
    double unit = own && own->number_count > 0 ? own->numbers[0] : 0.01;
    for (const usd_layer *l = r->layers; l && !r->failed; l = l->next) {
        const usd_attribute *its = l->root ? find_in(l->root->metadata, "metersPerUnit") : NULL;
        if (l->root && l != top && fabs((its && its->number_count > 0 ? its->numbers[0] : 0.01) - unit) > 1e-9 * unit)
            tn_machine_note_add(r->machine, TN_WARNING, l->root->place, "this layer has another metersPerUnit than the one that brings it "
                                "in: USD does not convert, and neither does this import");
    }
    if (!r->failed)
        list_prims(r, r->root);
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(r->machine);
}
