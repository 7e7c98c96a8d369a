/* Finds all touches of a model: searches touches between the pairs of solids whose bounds overlap (broad_phase.h) and that
 * share a contact. */
#include "meet.h"

#include <math.h>
#include <string.h>

#include "broad_phase.h"
#include "check.h"
#include "overlap.h"
#include "surface.h"
#include "tables.h"
#include "vec.h"

typedef struct solid_pair {
    uint32_t first, second;    /* solids, first < second */
    uint32_t contact;
} solid_pair;

typedef struct touch_laws {    /* the contacts of the model, by slot, and the material of every solid */
    tn_contact_def *contacts;
    const char **materials;
} touch_laws;

typedef struct membership {    /* the contacts of a body, ascending */
    uint32_t *contacts;
    size_t count;
} membership;

struct tn_touches {
    tn_context *context;
    tn_arena *arena;
    int dimension;
    tn_solid *solids;          /* by body, then by shape */
    tn_broad_phase broad_phase;
    uint32_t solid_count;
    membership *bodies;        /* by slot */
    touch_laws laws;
    bool compliant;            /* pairs whose law gives way, and no others; else the rigid ones */
    solid_pair *pairs;         /* pairs with overlapping bounds; owned */
    size_t pair_count, pair_capacity;
    const bool *still;         /* by body: pairs of such bodies are left out; NULL: none */
    size_t watched;
    double length;
    double slimmest;           /* m: smallest extent of a shape along an axis of its body, without surfaces */
    tn_touch_list list;
};

/* ---- building ---- */

/* Counts the contacts of every body, and writes them down where there is room for them. */
static void list_members(tn_touches *t, const tn_model *model, uint32_t *room)
{
    for (uint32_t b = 0; b < model->body_count && room; room += t->bodies[b++].count)
        t->bodies[b].contacts = room;
    for (uint32_t b = 0; b < model->body_count; b++)
        t->bodies[b].count = 0;
    for (uint32_t c = 0; c < model->contact_count; c++) {
        const tn_contact *contact = &model->contacts[c];
        if (!tn_contact_active(model, c))
            continue;
        for (size_t k = 0; k < contact->body_count; k++) {
            membership *body = &t->bodies[contact->bodies[k]];
            if (!tn_body_active(model, contact->bodies[k]))
                continue;
            if (room)
                body->contacts[body->count] = c;
            body->count++;
        }
    }
}

static int take_members(tn_touches *t, const tn_model *model)
{
    size_t total = 0;
    t->bodies = tn_arena_alloc(t->arena, model->body_count, sizeof *t->bodies);
    if (!t->bodies)
        return TN_ERROR_MEMORY;
    list_members(t, model, NULL);
    for (uint32_t b = 0; b < model->body_count; b++)
        total += t->bodies[b].count;
    uint32_t *room = tn_arena_alloc(t->arena, total + 1, sizeof *room);
    if (!room)
        return TN_ERROR_MEMORY;
    list_members(t, model, room);
    for (uint32_t b = 0; b < model->body_count; b++)
        for (uint32_t s = 0; s < model->bodies[b].shape_count && t->bodies[b].count > 0; s++)
            t->solid_count += tn_shape_touches(&model->bodies[b].shapes[s], t->dimension);
    return TN_OK;
}

static int take_solids(tn_touches *t, const tn_model *model)
{
    t->solids = tn_arena_alloc(t->arena, t->solid_count, sizeof *t->solids);
    if (!t->solids)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_broad_phase_create(&t->broad_phase, t->arena, t->solid_count));
    uint32_t i = 0;
    for (uint32_t b = 0; b < model->body_count; b++)
        for (uint32_t s = 0; s < model->bodies[b].shape_count && t->bodies[b].count > 0; s++) {
            const tn_shape *shape = &model->bodies[b].shapes[s];
            if (!tn_shape_touches(shape, t->dimension))
                continue;
            t->solids[i] = (tn_solid){ .body = b, .shape = s };
            TN_TRY(tn_solid_build(&t->solids[i++], t->context, t->arena, shape, t->dimension));
        }
    return TN_OK;
}

static int take_laws(tn_touches *t, const tn_model *model)
{
    t->laws.contacts = tn_arena_alloc(t->arena, model->contact_count, sizeof *t->laws.contacts);
    t->laws.materials = tn_arena_alloc(t->arena, t->solid_count, sizeof *t->laws.materials);
    TN_TRY(tn_arena_status(t->arena));
    for (uint32_t c = 0; c < model->contact_count; c++) {
        t->laws.contacts[c] = model->contacts[c].law;
        if (tn_contact_active(model, c))
            TN_TRY(tn_own_materials(t->arena, &t->laws.contacts[c]));
    }
    for (uint32_t i = 0; i < t->solid_count; i++) {
        const char *material = model->bodies[t->solids[i].body].shapes[t->solids[i].shape].material;
        char *copy = tn_arena_alloc(t->arena, strlen(material) + 1, 1);
        if (!copy)
            return TN_ERROR_MEMORY;
        t->laws.materials[i] = strcpy(copy, material);
    }
    return TN_OK;
}

/* Tells whether a pair of solids is one of those that are searched, by the law of its contact. */
static bool is_wanted(const tn_touches *t, const tn_solid *a, const tn_solid *b, uint32_t contact)
{
    const char *const *materials = t->laws.materials;
    return tn_contact_gives_way(tn_contact_law(&t->laws.contacts[contact], materials[a - t->solids],
                                               materials[b - t->solids])) == t->compliant;
}

/* Finds the first contact that includes both solids; false: none, or one with a law of the other kind. */
static bool common_contact(const tn_touches *t, const tn_solid *a, const tn_solid *b, uint32_t *contact)
{
    const membership *m = &t->bodies[a->body], *n = &t->bodies[b->body];
    if (a->body == b->body || (a->half_space && b->half_space))
        return false;
    for (size_t i = 0, j = 0; i < m->count && j < n->count;) {
        if (m->contacts[i] == n->contacts[j]) {
            *contact = m->contacts[i];
            return is_wanted(t, a, b, *contact);
        }
        if (m->contacts[i] < n->contacts[j])
            i++;
        else
            j++;
    }
    return false;
}

/* Smallest extent (m) of a solid along the axes of its body, rounding included; INFINITY: it has none of its own. */
static double slimness(const tn_solid *solid, int dimension)
{
    double least = solid->form == TN_FORM_TUBE ? solid->wall : INFINITY;
    for (int k = 0; k < dimension && !solid->half_space && !solid->surface && solid->form != TN_FORM_BOWL; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < solid->vertex_count; i++) {
            low = fmin(low, solid->own_vertices[i][k]);
            high = fmax(high, solid->own_vertices[i][k]);
        }
        least = fmin(least, high - low + 2 * solid->radius);
    }
    return least > 0 ? least : INFINITY;
}

static void measure_touches(tn_touches *t)
{
    t->slimmest = INFINITY;
    uint32_t contact;
    for (uint32_t i = 0; i < t->solid_count; i++) {
        double size = t->solids[i].size;
        t->slimmest = fmin(t->slimmest, slimness(&t->solids[i], t->dimension));
        if (!t->solids[i].half_space && (t->length == 0 || size < t->length))
            t->length = size;
        for (uint32_t j = 0; j < i; j++)
            t->watched += common_contact(t, &t->solids[j], &t->solids[i], &contact);
    }
    if (t->watched == 0)
        t->length = 0;
}

static int create_touches(tn_touches **out, const tn_model *model, bool compliant)
{
    tn_touches *t = tn_alloc(model->context, 1, sizeof *t);
    *out = NULL;
    if (!t)
        return TN_ERROR_MEMORY;
    t->context = t->list.context = model->context;
    t->dimension = t->list.dimension = model->dimension;
    t->compliant = compliant;
    t->arena = tn_arena_create(t->context);
    int code = t->arena ? take_members(t, model) : TN_ERROR_MEMORY;
    if (code >= 0)
        code = take_solids(t, model);
    if (code >= 0)
        code = take_laws(t, model);
    if (code < 0) {
        tn_touches_destroy(t);
        return code;
    }
    measure_touches(t);
    *out = t;
    return TN_OK;
}

int tn_touches_create(tn_touches **out, const tn_model *model)
{
    return create_touches(out, model, false);
}

int tn_touches_create_compliant(tn_touches **out, const tn_model *model)
{
    return create_touches(out, model, true);
}


void tn_touches_destroy(tn_touches *touches)
{
    if (!touches)
        return;
    tn_context *context = touches->context;
    tn_free(context, touches->pairs);
    tn_free(context, touches->list.items);
    tn_touch_set_free(&touches->list.set, context);
    tn_arena_destroy(touches->arena);
    tn_free(context, touches);
}

size_t tn_touches_pair_count(const tn_touches *touches)
{
    return touches->watched;
}

double tn_touches_slimmest(const tn_touches *touches)
{
    return touches->slimmest;
}

double tn_touches_length(const tn_touches *touches)
{
    return touches->length;
}

/* ---- finding ---- */

/* Adds two solids whose bounds overlap to the pairs, where they share a contact. */
static int add_pair(void *user, uint32_t one, uint32_t two)
{
    tn_touches *t = user;
    uint32_t contact;
    if (t->still && t->still[t->solids[one].body] && t->still[t->solids[two].body])
        return TN_OK;
    if (!common_contact(t, &t->solids[one], &t->solids[two], &contact))
        return TN_OK;
    TN_TRY(tn_grow(t->context, &t->pairs, &t->pair_capacity, t->pair_count + 1, sizeof *t->pairs));
    t->pairs[t->pair_count++] = (solid_pair){ one < two ? one : two, one < two ? two : one, contact };
    return TN_OK;
}

static bool before(const solid_pair *a, const solid_pair *b)
{
    return a->first < b->first || (a->first == b->first && a->second < b->second);
}

static void sift(solid_pair *heap, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && before(&heap[child], &heap[child + 1]))
            child++;
        if (!before(&heap[root], &heap[child]))
            return;
        solid_pair pair = heap[root];
        heap[root] = heap[child];
        heap[child] = pair;
    }
}

/* Heap sort: the order must not depend on earlier searches, and qsort may allocate. */
static void sort_pairs(solid_pair *pairs, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(pairs, i, count);
    for (size_t end = count; end-- > 1;) {
        solid_pair pair = pairs[0];
        pairs[0] = pairs[end];
        pairs[end] = pair;
        sift(pairs, 0, end);
    }
}

double tn_touches_reach(const tn_touches *touches, uint32_t body)
{
    double reach = 0;
    for (uint32_t i = 0; i < touches->solid_count; i++) {
        const tn_solid *solid = &touches->solids[i];
        if (solid->surface && solid->body == body)
            reach = fmax(reach, tn_surface_reach(solid->surface));
        if (solid->form == TN_FORM_BOWL && solid->body == body)
            reach = fmax(reach, tn_norm3(solid->own_centre) + solid->bore);
        for (int k = 0; k < solid->vertex_count && solid->body == body && !solid->half_space; k++)
            reach = fmax(reach, tn_norm3(solid->own_vertices[k]) + solid->radius);
    }
    return reach;
}

void tn_touches_leave_out(tn_touches *touches, const bool *still)
{
    touches->still = still;
}

/* Places the solids and lists the pairs whose bounds are within margin of each other. */
static int find_pairs(tn_touches *touches, const tn_pose *poses, double margin)
{
    tn_touch_list *found = &touches->list;
    found->count = 0;
    tn_touch_set_clear(&found->set);
    found->poses = poses;
    found->margin = margin;
    for (uint32_t i = 0; i < touches->solid_count; i++)
        tn_solid_place(&touches->solids[i], &poses[touches->solids[i].body]);
    touches->pair_count = 0;
    found->code = tn_broad_phase_search(&touches->broad_phase, touches->solids, touches->solid_count, margin, add_pair,
                                        touches);
    if (found->code >= 0)
        sort_pairs(touches->pairs, touches->pair_count);
    return found->code;
}

int tn_touches_find(const tn_touch **list, size_t *count, tn_touches *touches, const tn_pose *poses, double margin)
{
    tn_touch_list *found = &touches->list;
    find_pairs(touches, poses, margin);
    for (size_t i = 0; i < touches->pair_count && found->code >= 0; i++) {
        const solid_pair *pair = &touches->pairs[i];
        found->contact = pair->contact;
        tn_solids_meet(found, &touches->solids[pair->first], &touches->solids[pair->second]);
    }
    *list = found->items;
    *count = found->code < 0 ? 0 : found->count;
    return found->code;
}

bool tn_touches_can_hide(const tn_touches *touches)
{
    for (uint32_t i = 0; i < touches->solid_count; i++)
        if (touches->solids[i].surface || touches->solids[i].form == TN_FORM_TORUS)
            return true;
    return false;
}

int tn_touches_find_hidden(const tn_touch **list, size_t *count, tn_touches *touches, const tn_pose *poses, double least, bool inside)
{
    tn_touch_list *found = &touches->list;
    *list = NULL;
    *count = 0;
    TN_TRY(find_pairs(touches, poses, 0));
    for (size_t i = 0; i < touches->pair_count; i++) {
        const solid_pair *pair = &touches->pairs[i];
        const tn_solid *one = &touches->solids[pair->first], *two = &touches->solids[pair->second];
        double depth = tn_hidden_overlap(one, two, poses, least, inside);
        if (depth == 0)
            continue;
        TN_TRY(tn_grow(touches->context, &found->items, &found->capacity, found->count + 1, sizeof *found->items));
        found->items[found->count++] = (tn_touch){ .key = { .body1 = one->body, .body2 = two->body }, .contact = pair->contact, .gap = -depth };
    }
    *list = found->items;
    *count = found->count;
    return TN_OK;
}
