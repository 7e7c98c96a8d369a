/* Evaluates the discrete part of devices (hybrid.h). */
#include "external.h"
#include "hybrid.h"
#include "multiple.h"
#include "delay.h"

#include <math.h>
#include <string.h>

enum { STARTED, SETTLED };

/* Relative to the operands, and absolute in SI units: kinks that are nearer than this are on both sides. */
static const double NOISE = 1e-13, ROUND_OFF = 1e-14;

static const tn_hybrid *hybrid_of(const tn_system *s)
{
    return s->network ? s->network->hybrid : NULL;
}

bool tn_hybrid_settled(const tn_system *s, const double *memory)
{
    return hybrid_of(s) && memory[hybrid_of(s)->flags + SETTLED] != 0;
}

void tn_hybrid_begin_again(const tn_system *s, double *memory)
{
    if (hybrid_of(s))
        memory[hybrid_of(s)->flags + STARTED] = memory[hybrid_of(s)->flags + SETTLED] = 0;
}

void tn_hybrid_unsettle(const tn_system *s, double *memory)
{
    if (hybrid_of(s))
        memory[hybrid_of(s)->flags + SETTLED] = 0;
}

/* ---- starts ---- */

/* The number of the first sample at or after t. */
static double first_sample(double t, double period, double offset)
{
    double k = ceil((t - offset) / period * (1 - 1e-12));
    return !(period > 0) || k < 0 || !isfinite(k) ? 0 : k;
}

static double first_sample_of(tn_eval *e, const tn_sampler *p, double t)
{
    return p->period < 0 ? 0 : first_sample(t, tn_formula_value(p->formula, e, p->period, 0), tn_formula_value(p->formula, e, p->offset, 0));
}

void tn_hybrid_move(tn_eval *e, const tn_system *s, double from, double to, double *memory)
{
    const tn_hybrid *h = hybrid_of(s);
    for (int k = 0; h && k < h->sampler_count; k++) {
        const tn_sampler *p = &h->samplers[k];
        double *mode = memory + p->memory + p->memory_count;
        if (p->external)
            continue;                                  /* FMUs have clocks of their own */
        tn_formula_evaluate(p->formula, e, memory, NULL, 0);
        mode[1] += to - from;
        mode[2] = first_sample_of(e, p, to);
    }
    for (int k = 0; h && k < s->network->delay_count; k++)
        tn_delay_move(&s->network->delays[k], to - from, memory);
}

static void start_sampler(tn_eval *e, const tn_system *s, const tn_sampler *p, double *memory, double *z)
{
    if (p->external) {
        tn_external_start(e, s, p->external, memory, z);
        return;
    }
    tn_formula_evaluate(p->formula, e, memory, NULL, 0);
    for (int k = 0; k < p->memory_count; k++)
        memory[p->memory + k] = tn_formula_value(p->formula, e, p->start + k, 0);
    for (int k = 0; k < p->shift; k++)
        memory[p->shifted + k] = memory[p->memory];
    double *mode = memory + p->memory + p->memory_count;
    mode[0] = p->start_mode >= 0 ? rint(tn_formula_value(p->formula, e, p->start_mode, 0)) : 0;
    mode[1] = e->t;
    mode[2] = first_sample_of(e, p, e->t);
}

void tn_sampler_restart(tn_eval *e, const tn_system *s, int sampler, double *memory)
{
    e->network->current = false;
    start_sampler(e, s, &hybrid_of(s)->samplers[sampler], memory, NULL);
    e->network->current = false;
}

bool tn_hold_wanted(const tn_sampler *p, const double *memory)
{
    return p->hold && memory[p->memory + p->memory_count] == p->hold->mode;
}

/* The next sample lies within a period from now. An edit that changes the period leaves a number that is too large, or too small. */
static void renumber(tn_eval *e, const tn_sampler *p, double *memory)
{
    if (p->external || p->period < 0)
        return;
    tn_formula_evaluate(p->formula, e, memory, NULL, 0);
    const double period = tn_formula_value(p->formula, e, p->period, 0), offset = tn_formula_value(p->formula, e, p->offset, 0);
    const double same = 1e-9 * period + 1e-12 * fabs(e->t);
    double *number = memory + p->memory + p->memory_count + 2;
    const bool late = *number > 0 && offset + tn_multiple(*number - 1, period) > e->t + same;
    if (!(period > 0) || !(late || offset + tn_multiple(*number, period) < e->t - same))
        return;
    *number = first_sample(e->t, period, offset);
    *number += offset + tn_multiple(*number, period) <= e->t + same;
}

void tn_hybrid_start(tn_eval *e, const tn_system *s, double *memory, double *z)
{
    const tn_hybrid *h = hybrid_of(s);
    if (!h)
        return;
    for (int k = 0; k < h->sampler_count; k++) {
        const tn_sampler *p = &h->samplers[h->order[k]];
        if (memory[h->flags + STARTED] != 0 && !isnan(memory[p->memory + p->memory_count + 2]))
            continue;
        e->network->current = false;
        start_sampler(e, s, p, memory, z);
    }
    memory[h->flags + STARTED] = 1;
    for (int k = 0; k < h->sampler_count && memory[h->flags + SETTLED] == 0; k++)
        renumber(e, &h->samplers[k], memory);
    if (memory[h->flags + SETTLED] == 0)
        tn_hybrid_settle(e, s, memory, NULL, NULL, 0);
}

void tn_hybrid_settle(tn_eval *e, const tn_system *s, double *memory, const int *forced, const double *branches, int count)
{
    const tn_hybrid *h = hybrid_of(s);
    for (int k = 0; k < h->kinked_count; k++)
        for (int n = 0; n < h->kinked[k].kinks; n++)
            memory[h->kinked[k].formula->branch + n] = NAN;        /* free */
    for (int k = 0; k < count; k++)
        memory[tn_kink_entry(s, forced[k])] = branches[k];
    memory[h->flags + SETTLED] = 1;
    e->network->current = false;
    for (int k = 0; k < s->network->delay_count; k++)
        tn_delay_take_numbers(e, s, &s->network->delays[k], memory);
    e->network->current = false;
    tn_network_evaluate(e, s, memory);
    for (int k = 0; k < h->kinked_count; k++) {
        const tn_formula *f = h->kinked[k].formula;
        e->network->record = memory + f->branch;
        tn_formula_evaluate(f, e, memory, NULL, 0);
        e->network->record = NULL;
    }
    tn_network_remember(e, s, memory);
    e->network->current = false;
}

/* ---- samples ---- */

double tn_sampler_time(tn_eval *e, const tn_system *s, int sampler, const double *memory)
{
    const tn_sampler *p = &hybrid_of(s)->samplers[sampler];
    if (p->external)
        return tn_external_time(p->external, memory, memory[p->memory + p->memory_count + 2]);
    if (p->period < 0)
        return INFINITY;
    tn_formula_evaluate(p->formula, e, memory, NULL, 0);
    double period = tn_formula_value(p->formula, e, p->period, 0), offset = tn_formula_value(p->formula, e, p->offset, 0);
    return period > 0 ? offset + tn_multiple(memory[p->memory + p->memory_count + 2], period) : INFINITY;
}

void tn_sampler_begin(const tn_system *s, int sampler, double *memory)
{
    const tn_sampler *p = &hybrid_of(s)->samplers[sampler];
    double *values = memory + p->memory;
    if (p->external)
        return;
    if (p->shift > 0)
        values[0] = memory[p->shifted + (int)memory[p->shifted + p->shift]];
    for (int k = 0; k < p->memory_count; k++)
        if (p->from[k] >= 0)
            values[k] = values[p->from[k]];
}

static void take_nexts(tn_eval *e, const tn_sampler *p, double *memory)
{
    double next[TN_DEVICE_MEMORIES];
    tn_formula_evaluate(p->formula, e, memory, NULL, 1);
    for (int k = 0; k < p->memory_count; k++)
        next[k] = p->has_next[k] && p->from[k] < 0 ? tn_formula_value(p->formula, e, p->next + k, 0) : memory[p->memory + k];
    if (p->shift > 0) {
        double *place = &memory[p->shifted + p->shift], *oldest = &memory[p->shifted + (int)*place];
        next[0] = memory[p->memory];
        *oldest = next[1];
        *place = (int)(*place + 1) % p->shift;
    }
    memcpy(memory + p->memory, next, (size_t)p->memory_count * sizeof(double));
    e->network->current = false;
}

void tn_sampler_take(tn_eval *e, const tn_system *s, int sampler, double *memory, double *z)
{
    const tn_sampler *p = &hybrid_of(s)->samplers[sampler];
    if (p->external)
        tn_external_take(e, s, p->external, memory, z);
    else
        take_nexts(e, p, memory);
    memory[p->memory + p->memory_count + 2]++;
}

/* ---- modes ---- */

static int mode_number(const tn_device *d, const char *name)
{
    for (int k = 0; k < TN_DEVICE_MODES && d->modes[k]; k++)
        if (strcmp(d->modes[k], name) == 0)
            return k;
    return -1;
}

double tn_switch_value(tn_eval *e, const tn_system *s, int sampler, int index, const double *memory)
{
    const tn_sampler *p = &hybrid_of(s)->samplers[sampler];
    const tn_device *d = s->model->forces[p->source].type->device;
    if (p->external)
        return tn_external_indicator(e, s, p->external, index, memory);
    if (memory[p->memory + p->memory_count] != mode_number(d, d->switches[index].from))
        return -1;
    tn_formula_evaluate(p->formula, e, memory, NULL, 1);
    return tn_formula_value(p->formula, e, p->when + index, 0);
}

void tn_switch_take(tn_eval *e, const tn_system *s, int sampler, int index, double *memory, double *z)
{
    const tn_sampler *p = &hybrid_of(s)->samplers[sampler];
    const tn_device *d = s->model->forces[p->source].type->device;
    double *mode = memory + p->memory + p->memory_count;
    if (p->external) {
        tn_external_take(e, s, p->external, memory, z);
        mode[1] = e->t;
        e->network->current = false;
        return;
    }
    if (p->period < 0 && p->memory_count > 0)
        take_nexts(e, p, memory);
    mode[0] = mode_number(d, d->switches[index].to);
    mode[1] = e->t;
    e->network->current = false;
}

/* ---- kinks ---- */

void tn_kinks_evaluate(tn_eval *e, const tn_system *s, const double *memory, double *violations, double *noise,
                       double *branches)
{
    const tn_hybrid *h = hybrid_of(s);
    for (int k = 0, at = 0; k < h->kinked_count; at += h->kinked[k].kinks, k++) {
        const tn_formula *f = h->kinked[k].formula;
        tn_formula_evaluate(f, e, memory, NULL, 0);
        if (violations)
            tn_tape_violations(f->tape, e->work, memory + f->branch, violations + at);
        if (noise)
            tn_tape_kink_sizes(f->tape, e->work, noise + at);
        for (int n = 0; noise && n < h->kinked[k].kinks; n++)
            noise[at + n] = ROUND_OFF + NOISE * noise[at + n];
        if (branches)
            tn_tape_branches(f->tape, e->work, branches + at);
    }
}

/* The formula that has a kink; *kink becomes its number there. */
static const tn_kinked *owner_of(const tn_system *s, int *kink)
{
    const tn_kinked *owner = hybrid_of(s)->kinked;
    for (; *kink >= owner->kinks; owner++)
        *kink -= owner->kinks;
    return owner;
}

double tn_kink_violation(tn_eval *e, const tn_system *s, const double *memory, int kink)
{
    const tn_kinked *owner = owner_of(s, &kink);
    double *violations = e->network->violations;
    tn_formula_evaluate(owner->formula, e, memory, NULL, 0);
    tn_tape_violations(owner->formula->tape, e->work, memory + owner->formula->branch, violations);
    return violations[kink];
}

int tn_kink_entry(const tn_system *s, int kink)
{
    const tn_kinked *owner = owner_of(s, &kink);
    return owner->formula->branch + kink;
}

const tn_entity *tn_kink_entity(const tn_system *s, int kink)
{
    return owner_of(s, &kink)->entity;
}

/* ---- edits ---- */

/* Whether the memories of q are those of p, the same device after an edit. */
static bool goes_on(const tn_system *from, const tn_sampler *q, const tn_system *to, const tn_sampler *p, const double *old)
{
    if (q->source != p->source || q->memory_count != p->memory_count || q->shift != p->shift)
        return false;
    const tn_force *was = &from->model->forces[q->source], *is = &to->model->forces[p->source];
    if (!tn_entity_same(&was->entity, &is->entity) || strcmp(was->type->name, is->type->name) != 0)
        return false;
    if (p->external || q->external)
        return p->external && q->external && p->external->fmi == q->external->fmi;
    const char *const *modes = is->type->device->modes;
    int count = 0;
    while (count < TN_DEVICE_MODES && modes[count])
        count++;
    return old[q->memory + q->memory_count] < fmax(count, 1);
}

void tn_hybrid_carry(const tn_system *from, const double *old, const tn_system *to, double *memory)
{
    const tn_hybrid *was = hybrid_of(from), *now = hybrid_of(to);
    tn_delays_carry(from, old, to, memory);
    if (!was || !now || old[was->flags + STARTED] == 0)
        return;
    for (int k = 0; k < now->sampler_count; k++) {
        const tn_sampler *p = &now->samplers[k];
        const tn_sampler *q = NULL;
        memory[p->memory + p->memory_count + 2] = NAN;         /* a new one starts by itself */
        for (int n = 0; n < was->sampler_count && !q; n++)
            if (goes_on(from, &was->samplers[n], to, p, old))
                q = &was->samplers[n];
        if (q)
            memcpy(memory + p->memory, old + q->memory, (size_t)(p->memory_count + 3) * sizeof(double));
        if (q && p->shift > 0)
            memcpy(memory + p->shifted, old + q->shifted, (size_t)(p->shift + 1) * sizeof(double));
    }
    memory[now->flags + STARTED] = 1;
}
