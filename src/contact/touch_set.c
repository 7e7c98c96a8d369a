/* Hash table of touch keys with open addressing. */
#include "touch_set.h"

#include <string.h>

/* Places of the smallest table; places for each key at least. */
enum { SMALLEST = 64, SPARSE = 2 };

static size_t hash_of(const tn_touch_key *k)
{
    const uint32_t numbers[] = { k->body1, k->body2, k->shape1, k->shape2, k->feature1, k->feature2 };
    uint32_t hash = 2166136261u;                       /* Fowler, Noll and Vo */
    for (size_t i = 0; i < TN_LENGTH(numbers); i++)
        hash = (hash ^ numbers[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* Returns the place of the key, or the free one where it belongs. */
static tn_touch_place *find_place(const tn_touch_set *set, const tn_touch_key *key)
{
    size_t at = hash_of(key) & (set->room - 1);
    while (set->places[at].round == set->round && !tn_touch_key_equal(&set->places[at].key, key))
        at = (at + 1) & (set->room - 1);
    return &set->places[at];
}

static int grow_set(tn_touch_set *set, tn_context *context)
{
    tn_touch_set larger = { .room = set->room ? 2 * set->room : SMALLEST, .count = set->count, .round = 1 };
    larger.places = tn_alloc(context, larger.room, sizeof *larger.places);
    if (!larger.places)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < set->room; i++)
        if (set->places[i].round == set->round)
            *find_place(&larger, &set->places[i].key) = (tn_touch_place){ set->places[i].key, larger.round };
    tn_free(context, set->places);
    *set = larger;
    return TN_OK;
}

bool tn_touch_set_has(const tn_touch_set *set, const tn_touch_key *key)
{
    return set->count > 0 && find_place(set, key)->round == set->round;
}

int tn_touch_set_add(tn_touch_set *set, tn_context *context, const tn_touch_key *key, bool *added)
{
    *added = false;
    if (SPARSE * (set->count + 1) > set->room)
        TN_TRY(grow_set(set, context));
    tn_touch_place *place = find_place(set, key);
    *added = place->round != set->round;
    set->count += *added;
    *place = (tn_touch_place){ *key, set->round };
    return TN_OK;
}

void tn_touch_set_clear(tn_touch_set *set)
{
    set->count = 0;
    if (++set->round == 0 && set->places) {            /* after 2^32 rounds */
        memset(set->places, 0, set->room * sizeof *set->places);
        set->round = 1;
    }
}

void tn_touch_set_free(tn_touch_set *set, tn_context *context)
{
    tn_free(context, set->places);
    *set = (tn_touch_set){ 0 };
}
