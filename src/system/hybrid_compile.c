/* Compiles the discrete part of devices: memories, samples, modes, and the formulas that have kinks. */
#include "diag.h"
#include "external.h"
#include "hybrid.h"
#include "delay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int memory_count(const tn_device *d)
{
    int count = 0;
    while (count < TN_DEVICE_MEMORIES && d->memories[count].name)
        count++;
    return count;
}

static bool is_discrete(const tn_system *s, uint32_t slot)
{
    const tn_force *force = &s->model->forces[slot];
    if (!tn_takes_force(s->model, s->selection, slot) || !force->type->device)
        return false;
    const tn_device *d = force->type->device;
    return d->memories[0].name || d->modes[0] || d->period || d->external;
}

int tn_hybrid_begin(tn_system *s)
{
    const tn_model *m = s->model;
    tn_hybrid *h = tn_arena_alloc(s->arena, 1, sizeof *h);
    if (!h)
        return TN_ERROR_MEMORY;
    s->network->hybrid = h;
    h->sampler_of = tn_arena_alloc(s->arena, m->force_count, sizeof(int));
    for (uint32_t k = 0; k < m->force_count; k++)
        h->sampler_count += is_discrete(s, k);
    h->samplers = tn_arena_alloc(s->arena, (size_t)h->sampler_count, sizeof *h->samplers);
    h->order = tn_arena_alloc(s->arena, (size_t)h->sampler_count, sizeof(int));
    TN_TRY(tn_arena_status(s->arena));
    enum { FLAGS = 4 };
    h->flags = s->memory;
    s->memory += FLAGS;
    int count = 0;
    for (uint32_t k = 0; k < m->force_count; k++) {
        h->sampler_of[k] = -1;
        if (!is_discrete(s, k))
            continue;
        tn_sampler *sampler = &h->samplers[count];
        *sampler = (tn_sampler){ .source = k, .period = -1, .offset = -1, .start_mode = -1, .memory = s->memory,
                                 .memory_count = memory_count(m->forces[k].type->device),
                                 .external = tn_external_of(s, k) };
        if (sampler->external) {
            sampler->memory_count = tn_external_memory(m->forces[k].type);
            sampler->switch_count = sampler->external->facts->indicators + sampler->external->facts->discretes;
            tn_external_of(s, k)->memory = sampler->memory;
        }
        s->memory += sampler->memory_count + 3;
        sampler->shift = m->forces[k].type->device->shift;
        sampler->shifted = s->memory;
        s->memory += sampler->shift > 0 ? sampler->shift + 1 : 0;
        h->sampler_of[k] = count++;
    }
    return tn_delays_begin(s);
}

int tn_hybrid_memory(const tn_system *s, uint32_t device, const char *name, const char **unit)
{
    const tn_hybrid *h = s->network->hybrid;
    if (h->sampler_of[device] < 0)
        return -1;
    const tn_sampler *sampler = &h->samplers[h->sampler_of[device]];
    const tn_device *d = s->model->forces[device].type->device;
    for (int k = 0; !sampler->external && k < sampler->memory_count; k++)
        if (strcmp(d->memories[k].name, name) == 0) {
            *unit = d->memories[k].unit;
            return sampler->memory + k;
        }
    *unit = strcmp(name, "since") == 0 ? "s" : "";
    if (!d->modes[0] || (strcmp(name, "mode") != 0 && strcmp(name, "since") != 0))
        return -1;
    return sampler->memory + sampler->memory_count + (strcmp(name, "since") == 0);
}

/* ---- formulas ---- */

static int add_output(tn_system *s, tn_sampler *sampler, const char *text, const char *unit, int *index)
{
    const tn_force *force = &s->model->forces[sampler->source];
    char what[200];
    tn_force_equations(what, sizeof what, force);
    int at = tn_tape_outputs(sampler->formula->tape);
    if (index)
        *index = at;
    const tn_scope *scope = tn_force_scope_in(sampler->formula, sampler->source);
    return scope ? tn_formula_add(sampler->formula, text, scope, unit, force->entity.span, what, NULL) : TN_ERROR_MEMORY;
}

/* Samples are counted: they are at offset + k period. */
static int add_period(tn_system *s, tn_sampler *sampler, const char *key, const char *text, int *index)
{
    const tn_force *force = &s->model->forces[sampler->source];
    char what[200];
    tn_output_info info = { .constant = false };
    tn_force_equations(what, sizeof what, force);
    *index = tn_tape_outputs(sampler->formula->tape);
    const tn_scope *scope = tn_force_scope_in(sampler->formula, sampler->source);
    if (!scope)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_formula_add(sampler->formula, text, scope, "s", force->entity.span, what, &info));
    return info.constant ? TN_OK
                         : tn_fail(s->context, TN_ERROR_MODEL, force->entity.span, "%s: '%s' must be a number, or an expression of "
                                   "parameters: samples are at offset + k period", what, key);
}

/* The memory, after number k, that an expression names and nothing else; -1: none. */
static int memory_named(const tn_device *d, int count, int k, const char *text)
{
    for (int n = k + 1; text && n < count; n++)
        if (strcmp(d->memories[n].name, text) == 0)
            return n;
    return -1;
}

static int compile_sampler(tn_system *s, tn_sampler *sampler)
{
    const tn_device *d = s->model->forces[sampler->source].type->device;
    if (sampler->external)
        return TN_OK;
    TN_TRY(tn_formula_create(&sampler->formula, s, s->model->forces[sampler->source].entity.name));
    sampler->formula->acts = sampler->formula->knows_holds = true;
    sampler->formula->samples = d->period != NULL;
    sampler->formula->sampler = sampler->source;
    if (d->period) {
        TN_TRY(add_period(s, sampler, "period", d->period, &sampler->period));
        TN_TRY(add_period(s, sampler, "offset", d->offset ? d->offset : "0", &sampler->offset));
    }
    sampler->start = tn_tape_outputs(sampler->formula->tape);
    for (int k = 0; k < sampler->memory_count; k++)
        TN_TRY(add_output(s, sampler, d->memories[k].start, d->memories[k].unit, NULL));
    sampler->next = tn_tape_outputs(sampler->formula->tape);
    for (int k = 0; k < sampler->memory_count; k++) {
        sampler->has_next[k] = d->memories[k].next != NULL;
        sampler->from[k] = (signed char)(d->period ? memory_named(d, sampler->memory_count, k, d->memories[k].next) : -1);
        TN_TRY(add_output(s, sampler, d->memories[k].next ? d->memories[k].next : "0", NULL, NULL));
    }
    if (d->modes[0])
        TN_TRY(add_output(s, sampler, d->start_mode ? d->start_mode : "0", NULL, &sampler->start_mode));
    if (d->hold_mode)
        TN_TRY(tn_hold_compile(s, sampler));
    sampler->when = tn_tape_outputs(sampler->formula->tape);
    for (; sampler->switch_count < TN_DEVICE_SWITCHES && d->switches[sampler->switch_count].when; sampler->switch_count++)
        TN_TRY(add_output(s, sampler, d->switches[sampler->switch_count].when, NULL, NULL));
    return tn_formula_finish(sampler->formula);
}

/* ---- order ---- */

/* Whether an entry of the memory is set by the sample itself, not by its first part. */
static bool is_sampled(const tn_sampler *p, int entry)
{
    const int k = entry - p->memory;
    return k >= 0 && k < p->memory_count && (p->external || (p->from[k] < 0 && !(p->shift > 0 && k == 0)));
}

/* Marks the samplers whose memories a formula reads, also through signals of the network. */
static void mark_reads(const tn_system *s, const tn_formula *f, bool *marked, bool *visited)
{
    const tn_hybrid *h = s->network->hybrid;
    for (int k = 0; k < f->slot_count; k++) {
        if (f->slots[k].kind == TN_SLOT_MEMORY)
            for (int n = 0; n < h->sampler_count; n++)
                marked[n] |= is_sampled(&h->samplers[n], f->slots[k].index);
        if (f->slots[k].kind != TN_SLOT_UNKNOWN || visited[f->slots[k].index])
            continue;
        visited[f->slots[k].index] = true;
        mark_reads(s, s->network->variables[f->slots[k].index].formula, marked, visited);
    }
}

/* Sampled devices read each other: one of them takes a value from before the instant. */
static void warn_of_circle(const tn_system *s, int reader, int read)
{
    const tn_sampler *p = &s->network->hybrid->samplers[reader], *q = &s->network->hybrid->samplers[read];
    const tn_entity *a = &s->model->forces[p->source].entity, *b = &s->model->forces[q->source].entity;
    if (p->period < 0 || q->period < 0)
        return;
    tn_warn(s->context, a->span, "devices '%s' and '%s' read each other at one sample: '%s' takes the value that '%s' had before; "
            "a unit-delay in the loop says where the delay is", a->name, b->name, a->name, b->name);
}

static void place_sampler(const tn_system *s, int k, unsigned char *state, int *count)
{
    enum { NEW, BEGUN, PLACED };
    tn_hybrid *h = s->network->hybrid;
    if (state[k] != NEW)
        return;
    state[k] = BEGUN;
    for (int n = 0; n < h->samplers[k].read_count; n++) {
        if (state[h->samplers[k].reads[n]] == BEGUN)
            warn_of_circle(s, k, h->samplers[k].reads[n]);
        place_sampler(s, h->samplers[k].reads[n], state, count);
    }
    h->order[(*count)++] = k;
    state[k] = PLACED;
}

/* Samplers come after those whose memories they read; in a circle the order of the file decides. */
static int order_samplers(tn_system *s)
{
    tn_hybrid *h = s->network->hybrid;
    const size_t n = (size_t)h->sampler_count, x = (size_t)s->network->count;
    bool *marked = tn_arena_alloc(s->arena, n, sizeof *marked), *visited = tn_arena_alloc(s->arena, x, sizeof *visited);
    unsigned char *state = tn_arena_alloc(s->arena, n, sizeof *state);
    int count = 0;
    TN_TRY(tn_arena_status(s->arena));
    for (int k = 0; k < h->sampler_count; k++) {
        memset(marked, 0, n * sizeof *marked);
        memset(visited, 0, x * sizeof *visited);
        const tn_external *external = h->samplers[k].external;
        for (int n_in = 0; external && n_in < external->facts->inputs; n_in++)
            mark_reads(s, s->network->variables[external->inputs[n_in]].formula, marked, visited);
        if (!external)
            mark_reads(s, h->samplers[k].formula, marked, visited);
        h->samplers[k].reads = tn_arena_alloc(s->arena, n, sizeof(int));
        if (!h->samplers[k].reads)
            return TN_ERROR_MEMORY;
        for (int i = 0; i < h->sampler_count; i++)
            if (marked[i] && i != k)
                h->samplers[k].reads[h->samplers[k].read_count++] = i;
    }
    for (int k = 0; k < h->sampler_count; k++)
        place_sampler(s, k, state, &count);
    return TN_OK;
}

/* ---- kinks ---- */

void tn_hybrid_watch(tn_system *s, tn_formula *formula, uint32_t source)
{
    tn_hybrid *h = s->network->hybrid;
    int kinks = formula ? tn_tape_kinks(formula->tape) : 0;
    if (kinks == 0)
        return;
    formula->branch = s->memory;
    s->memory += kinks;
    h->kinked[h->kinked_count++] = (tn_kinked){ formula, kinks, &s->model->forces[source].entity };
    h->kink_count += kinks;
}

int tn_hybrid_compile(tn_system *s)
{
    tn_hybrid *h = s->network->hybrid;
    for (int k = 0; k < h->sampler_count; k++)
        TN_TRY(compile_sampler(s, &h->samplers[k]));
    TN_TRY(tn_delays_compile(s));
    h->kinked = tn_arena_alloc(s->arena, (size_t)(3 * s->force_count + s->network->count), sizeof *h->kinked);
    if (!h->kinked)
        return TN_ERROR_MEMORY;
    return TN_OK;
}

int tn_hybrid_finish(tn_system *s)
{
    for (int k = 0; k < s->force_count; k++)
        if (s->forces[k].type->device)
            tn_hybrid_watch(s, s->forces[k].formula, s->forces[k].source);
    for (int k = 0; k < s->network->count; k++)
        tn_hybrid_watch(s, s->network->variables[k].formula, s->network->variables[k].source);
    for (int k = 0; k < s->network->delay_count; k++)
        tn_hybrid_watch(s, s->network->delays[k].formula, s->network->delays[k].source);
    for (int k = 0; k < s->network->hybrid->sampler_count; k++)
        s->network->hybrid->switch_count += s->network->hybrid->samplers[k].switch_count;
    return order_samplers(s);
}
