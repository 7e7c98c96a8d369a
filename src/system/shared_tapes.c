/* Tapes that formulas share: which formulas are alike, and formulas made from others.
 *
 * A tape depends on the type of a device, on which of its numbers are compiled as constants, on the kinds of nodes that it sits at,
 * and on which of them are the same node. The first three make the class of a device or node; classes and equal places make the key
 * of a formula. Devices with expressions of the model, connected mechanical ports, memories or modes are left out. */
#include "shared_tapes.h"

#include <string.h>
#include "force_scope.h"
#include "hash.h"

enum { MOST_PLACES = 64, UNKNOWN_CLASS = 0, OWN_CLASS = -1 };

/* Texts of bytes, numbered from 1. */
typedef struct entry {
    const unsigned char *bytes;
    size_t size;
    uint64_t hash;
    tn_formula *formula;           /* of keys */
    uint32_t source;
} entry;

typedef struct table {
    entry *entries;
    int *index;                    /* by hash; 0: free */
    size_t count, capacity, room;
} table;

struct tn_shared_tapes {
    int *class_of;                 /* by slot of a force; UNKNOWN_CLASS: not looked for */
    table classes, keys;
    unsigned char *bytes;          /* of the text being written */
    size_t used, capacity;
};

/* Devices and nodes around one of them: itself, its ports' nodes; of a node, its devices and their nodes. -1: ground. */
typedef struct places {
    int slots[MOST_PLACES], count;
    bool overflow;
} places;

/* ---- texts and their numbers ---- */

static int write_bytes(tn_system *s, const void *data, size_t size)
{
    struct tn_shared_tapes *t = s->shared;
    TN_TRY(tn_grow(s->context, &t->bytes, &t->capacity, t->used + size, 1));
    memcpy(t->bytes + t->used, data, size);
    t->used += size;
    return TN_OK;
}

static int write_number(tn_system *s, int number)
{
    return write_bytes(s, &number, sizeof number);
}

static void enter(table *t, size_t k)
{
    size_t at = (size_t)t->entries[k].hash & (t->room - 1);
    while (t->index[at] != 0)
        at = (at + 1) & (t->room - 1);
    t->index[at] = (int)k + 1;
}

static int make_room(tn_system *s, table *t)
{
    enum { FIRST = 64 };
    if (2 * (t->count + 1) <= t->room)
        return TN_OK;
    const size_t room = t->room > 0 ? 2 * t->room : FIRST;
    int *index = tn_arena_alloc(s->arena, room, sizeof *index);
    if (!index)
        return TN_ERROR_MEMORY;
    t->index = index;
    t->room = room;
    for (size_t k = 0; k < t->count; k++)
        enter(t, k);
    return TN_OK;
}

/* The entry of the text that was written; a new one where add is set. NULL: there is none, or out of memory. */
static entry *find_entry(tn_system *s, table *t, bool add)
{
    const struct tn_shared_tapes *shared = s->shared;
    const uint64_t hash = tn_hash_bytes(TN_HASH_START, shared->bytes, shared->used);
    if (make_room(s, t) < 0)
        return NULL;
    for (size_t at = (size_t)hash & (t->room - 1); t->index[at] != 0; at = (at + 1) & (t->room - 1)) {
        entry *e = &t->entries[t->index[at] - 1];
        if (e->hash == hash && e->size == shared->used && memcmp(e->bytes, shared->bytes, e->size) == 0)
            return e;
    }
    unsigned char *bytes = add ? tn_arena_alloc(s->arena, shared->used, 1) : NULL;
    if (!bytes || tn_grow(s->context, &t->entries, &t->capacity, t->count + 1, sizeof *t->entries) < 0)
        return NULL;
    memcpy(bytes, shared->bytes, shared->used);
    t->entries[t->count] = (entry){ .bytes = bytes, .size = shared->used, .hash = hash };
    enter(t, t->count++);
    return &t->entries[t->count - 1];
}

/* ---- classes ---- */

static bool has_own_tapes(const tn_system *s, const tn_force *force)
{
    const tn_device *d = force->type->device;
    if (!d || d->external || d->medium || d->history || d->period || d->memories[0].name || d->modes[0] || d->hold_mode ||
        (force->unit && force->unit[0]))
        return true;
    for (int k = 0; force->expressions && k < TN_FORCE_PARAMETERS && force->type->parameters[k].name; k++)
        if (force->expressions[k])
            return true;
    for (int k = 0; tn_force_is_device(force) && k < tn_device_port_count(force->type); k++)
        if (tn_port_mechanical(&d->ports[k]) && !tn_port_open(force, k))
            return true;
    return s->force_of[force - s->model->forces] < 0;
}

/* The medium that the expressions of a device or node in this domain read. */
static int write_medium(tn_system *s, const tn_force *force, const tn_domain *domain)
{
    return write_number(s, domain && domain->medium ? tn_model_medium(s->model, force->entity.name, domain->medium) : -1);
}

static int write_ports(tn_system *s, const tn_force *force)
{
    const int count = tn_force_is_device(force) ? tn_device_port_count(force->type) : 0;
    for (int k = 0; k < count; k++) {
        const tn_device_port *port = &force->type->device->ports[k];
        TN_TRY(write_number(s, tn_port_open(force, k) ? 0 : tn_port_node(s, force, k) < 0 ? 1 : 2));
        TN_TRY(write_medium(s, force, tn_port_mechanical(port) ? NULL : tn_domain_find(port->domain)));
    }
    return TN_OK;
}

/* Numbers that can be set without a recompile are read when a formula is evaluated; others are in its tape. */
static int write_parameters(tn_system *s, const tn_force *force)
{
    const bool *settable = s->forces[s->force_of[force - s->model->forces]].settable;
    const size_t count = tn_force_parameter_count(force->type);
    for (size_t k = 0; k < count; k++) {
        TN_TRY(write_number(s, settable[k]));
        if (!settable[k])
            TN_TRY(write_bytes(s, &force->parameters[k], sizeof force->parameters[k]));
    }
    return TN_OK;
}

static int write_class(tn_system *s, uint32_t slot)
{
    const tn_force *force = &s->model->forces[slot];
    s->shared->used = 0;
    TN_TRY(write_bytes(s, &force->type, sizeof force->type));
    TN_TRY(write_number(s, force->entity.mirrored));
    TN_TRY(write_number(s, tn_force_domain(force) && tn_node_stores(s, slot)));
    TN_TRY(write_medium(s, force, tn_force_domain(force)));
    TN_TRY(write_ports(s, force));
    return write_parameters(s, force);
}

static int begin(tn_system *s)
{
    if (s->shared)
        return TN_OK;
    s->shared = tn_arena_alloc(s->arena, 1, sizeof *s->shared);
    if (!s->shared)
        return TN_ERROR_MEMORY;
    s->shared->class_of = tn_arena_alloc(s->arena, s->model->force_count, sizeof(int));
    return s->shared->class_of ? TN_OK : TN_ERROR_MEMORY;
}

void tn_shared_free(tn_system *s)
{
    if (!s->shared)
        return;
    tn_free(s->context, s->shared->bytes);
    tn_free(s->context, s->shared->classes.entries);
    tn_free(s->context, s->shared->keys.entries);
}

void tn_shared_refuse(tn_system *s, uint32_t source)
{
    if (s->shared)
        s->shared->class_of[source] = OWN_CLASS;
}

/* *out: the class of a device or node; OWN_CLASS: it is like no other. */
static int class_of(tn_system *s, uint32_t slot, int *out)
{
    int *class = &s->shared->class_of[slot];
    if (*class == UNKNOWN_CLASS && has_own_tapes(s, &s->model->forces[slot]))
        *class = OWN_CLASS;
    if (*class == UNKNOWN_CLASS) {
        TN_TRY(write_class(s, slot));
        const entry *e = find_entry(s, &s->shared->classes, true);
        if (!e)
            return TN_ERROR_MEMORY;
        *class = (int)(e - s->shared->classes.entries) + 1;
    }
    *out = *class;
    return TN_OK;
}

/* ---- keys ---- */

static void add_place(places *p, int slot)
{
    p->overflow |= p->count == MOST_PLACES;
    if (!p->overflow)
        p->slots[p->count++] = slot;
}

static void add_device(const tn_system *s, places *p, uint32_t device)
{
    const tn_force *force = &s->model->forces[device];
    const int count = tn_device_port_count(force->type);
    add_place(p, (int)device);
    for (int k = 0; k < count; k++)
        add_place(p, tn_port_node(s, force, k));
}

static void list_places(const tn_system *s, places *p, uint32_t source)
{
    const tn_network *n = s->network;
    p->count = 0;
    p->overflow = false;
    if (tn_force_is_device(&s->model->forces[source])) {
        add_device(s, p, source);
        return;
    }
    add_place(p, (int)source);
    for (int i = n->near_begin[source]; i < n->near_begin[source + 1] && n->near[i] != UINT32_MAX && !p->overflow; i++)
        add_device(s, p, n->near[i]);
}

static int place_find(const places *p, int slot)
{
    int k = 0;
    while (k < p->count && p->slots[k] != slot)
        k++;
    return k < p->count ? k : -1;
}

/* Writes the key of a formula. *shared is false where it is like no other. */
static int write_key(tn_system *s, const tn_share *share, places *p, bool *shared)
{
    int classes[MOST_PLACES];
    *shared = false;
    TN_TRY(begin(s));
    list_places(s, p, share->source);
    if (p->overflow)
        return TN_OK;
    for (int k = 0; k < p->count; k++) {
        classes[k] = UNKNOWN_CLASS;
        if (p->slots[k] >= 0)
            TN_TRY(class_of(s, (uint32_t)p->slots[k], &classes[k]));
        if (classes[k] == OWN_CLASS)
            return TN_OK;
    }
    s->shared->used = 0;
    TN_TRY(write_number(s, (int)share->role));
    TN_TRY(write_number(s, share->index));
    for (int k = 0; k < p->count; k++) {
        TN_TRY(write_number(s, classes[k]));
        TN_TRY(write_number(s, place_find(p, p->slots[k])));
    }
    *shared = true;
    return TN_OK;
}

/* ---- formulas ---- */

/* The device or node to which a slot belongs; -1: a formula with this slot is not shared. */
static int slot_source(const tn_system *s, const tn_slot *slot)
{
    if (slot->kind == TN_SLOT_STATE && s->state[slot->index].decl >= 0)
        return (int)s->state[slot->index].source;
    if (slot->kind == TN_SLOT_UNKNOWN && s->network->variables[slot->index].kind != TN_VARIABLE_SIGNAL)
        return (int)s->network->variables[slot->index].source;
    return -1;
}

/* The same quantity of another device or node. */
static tn_slot slot_of(const tn_system *s, const tn_slot *like, uint32_t source)
{
    tn_slot slot = *like;
    if (like->kind == TN_SLOT_STATE)
        slot.index = s->forces[s->force_of[source]].state + s->state[like->index].decl;
    else
        slot.index = s->network->first[source] + (like->index - s->network->first[s->network->variables[like->index].source]);
    return slot;
}

/* A medium is the same for all. */
static bool is_medium(const tn_system *s, uint32_t source)
{
    const tn_device *d = s->model->forces[source].type->device;
    return d && d->medium;
}

static bool can_be_shared(const tn_system *s, const tn_formula *f, const places *p)
{
    bool can = f->memory_count == 0 && f->joint_count == 0 && !f->free_force && !f->samples;
    for (int k = 0; can && k < f->slot_count; k++) {
        const int source = slot_source(s, &f->slots[k]);
        can = source >= 0 && place_find(p, source) >= 0;
    }
    for (int k = 0; can && k < f->force_count; k++)
        can = is_medium(s, f->forces[k]->source) || place_find(p, (int)f->forces[k]->source) >= 0;
    return can;
}

int tn_shared_offer(tn_system *s, const tn_share *share, tn_formula *formula)
{
    places p;
    bool shared;
    if (!s->network)
        return TN_OK;
    TN_TRY(write_key(s, share, &p, &shared));
    if (!shared || !can_be_shared(s, formula, &p))
        return TN_OK;
    entry *e = find_entry(s, &s->shared->keys, true);
    if (!e)
        return TN_ERROR_MEMORY;
    if (!e->formula) {
        e->formula = formula;
        e->source = share->source;
    }
    return TN_OK;
}

static int make_from(tn_formula **out, tn_system *s, const entry *e, const places *there, uint32_t source)
{
    places here;
    const tn_formula *like = e->formula;
    list_places(s, &here, e->source);
    TN_TRY(tn_formula_create_like(out, like, s->model->forces[source].entity.name));
    for (int k = 0; k < like->force_count; k++) {
        const int at = place_find(&here, (int)like->forces[k]->source);
        if (!tn_force_scope_in(*out, at < 0 ? like->forces[k]->source : (uint32_t)there->slots[at]))
            return TN_ERROR_MEMORY;
    }
    for (int k = 0; k < like->slot_count; k++) {
        const int at = place_find(&here, slot_source(s, &like->slots[k]));
        const int slot = tn_formula_slot(*out, slot_of(s, &like->slots[k], (uint32_t)there->slots[at]));
        if (slot < 0)
            return slot;
    }
    return tn_formula_finish(*out);
}

int tn_shared_take(tn_formula **out, tn_system *s, const tn_share *share, uint32_t *like)
{
    places p;
    bool shared;
    *out = NULL;
    if (!s->network)
        return TN_OK;
    TN_TRY(write_key(s, share, &p, &shared));
    const entry *e = shared ? find_entry(s, &s->shared->keys, false) : NULL;
    if (!e || !e->formula)
        return TN_OK;
    if (like)
        *like = e->source;
    return make_from(out, s, e, &p, share->source);
}
