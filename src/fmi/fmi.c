/* Calls of FMUs at handles: finds the instance in the process, brings it to the state behind the handle, asks. */
#include "fmi_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"

/* States that the process keeps saved: above this number every other one goes. Moments that are remembered. */
enum { MOST_SLOTS = 1024, MOST_SNAPSHOTS = 400000 };

/* ---- users ---- */

tn_fmi *tn_fmi_retain(tn_fmi *fmi)
{
    pthread_mutex_lock(&fmi->lock);
    fmi->users++;
    pthread_mutex_unlock(&fmi->lock);
    return fmi;
}

void tn_fmi_release(tn_fmi *fmi)
{
    if (!fmi)
        return;
    pthread_mutex_lock(&fmi->lock);
    int left = --fmi->users;
    pthread_mutex_unlock(&fmi->lock);
    if (left > 0)
        return;
    tn_context_list_remove(fmi->context, fmi);
    tn_fmi_process_end(fmi);
    tn_fmi_package_remove(fmi);
    for (size_t k = 0; k < fmi->snapshot_count; k++)
        free(fmi->snapshots[k].values);
    free(fmi->snapshots);
    pthread_mutex_destroy(&fmi->lock);
    tn_context *context = fmi->context;
    tn_arena_destroy(fmi->arena);
    tn_free(context, fmi);
}

/* ---- snapshots ---- */

static tn_fmi_snapshot *find_snapshot(const tn_fmi *fmi, double handle)
{
    for (size_t k = fmi->snapshot_count; k-- > 0;)
        if (fmi->snapshots[k].handle == handle)
            return &fmi->snapshots[k];
    return NULL;
}

/* The snapshot before one; usually its neighbour. */
static tn_fmi_snapshot *find_before(const tn_fmi *fmi, const tn_fmi_snapshot *m)
{
    return m > fmi->snapshots && m[-1].handle == m->before ? (tn_fmi_snapshot *)(uintptr_t)(m - 1) : find_snapshot(fmi, m->before);
}

static size_t value_count(const tn_fmi *fmi)
{
    return (size_t)(2 * fmi->facts.inputs + fmi->facts.states);
}

/* A number from all that leads to a snapshot; whole and exact in a double. */
static double handle_of(const tn_fmi *fmi, const tn_fmi_snapshot *m)
{
    const double fixed[] = { m->before, m->t, m->h, (double)m->interpolate };
    uint64_t hash = tn_hash_bytes(TN_HASH_START, fixed, sizeof fixed);
    hash = tn_hash_bytes(hash, m->values, value_count(fmi) * sizeof(double));
    hash = tn_hash_bytes(hash, fmi->description.token, strlen(fmi->description.token));
    return (double)((hash >> 12) | 1);
}

/* Forgets the older half of the snapshots, apart from those from which others can be reached. */
static void forget_old(tn_fmi *fmi)
{
    const size_t half = fmi->snapshot_count / 2;
    size_t kept = 0;
    for (size_t k = 0; k < fmi->snapshot_count; k++) {
        tn_fmi_snapshot *m = &fmi->snapshots[k];
        if (k < half && m->slot < 0 && m->before != 0)
            free(m->values);
        else
            fmi->snapshots[kept++] = *m;
    }
    fmi->snapshot_count = kept;
}

/* Adds a snapshot unless it is there. Its values are copied from the board. NULL: out of memory. */
static tn_fmi_snapshot *add_snapshot(tn_fmi *fmi, tn_fmi_snapshot m)
{
    const size_t n = value_count(fmi), inputs = (size_t)fmi->facts.inputs;
    m.values = calloc(n + 1, sizeof(double));
    if (!m.values)
        return NULL;
    memcpy(m.values, fmi->at.u, inputs * sizeof(double));
    if (m.interpolate || (fmi->facts.iterates && m.before != 0))
        memcpy(m.values + inputs, fmi->at.u_rates, inputs * sizeof(double));
    if (m.before != 0)
        memcpy(m.values + 2 * inputs, fmi->at.x, (size_t)fmi->facts.states * sizeof(double));
    m.handle = handle_of(fmi, &m);
    m.root = m.before == 0 ? m.handle : m.root;
    m.slot = -1;
    tn_fmi_snapshot *known = find_snapshot(fmi, m.handle);
    if (known) {
        free(m.values);
        return known;
    }
    if (fmi->snapshot_count >= MOST_SNAPSHOTS)
        forget_old(fmi);
    if (fmi->snapshot_count == fmi->snapshot_capacity) {
        const size_t more = 2 * fmi->snapshot_capacity + 64;
        tn_fmi_snapshot *snapshots = realloc(fmi->snapshots, more * sizeof *snapshots);
        if (!snapshots) {
            free(m.values);
            return NULL;
        }
        fmi->snapshots = snapshots;
        fmi->snapshot_capacity = more;
    }
    fmi->snapshots[fmi->snapshot_count] = m;
    return &fmi->snapshots[fmi->snapshot_count++];
}

/* ---- saved states ---- */

/* Frees every other saved state. */
static void thin_slots(tn_fmi *fmi)
{
    char ignored[TN_FMI_TROUBLE];
    fmi->slot_stride = fmi->slot_stride > 0 ? 2 * fmi->slot_stride : 2;
    int count = 0;
    for (size_t k = 0; k < fmi->snapshot_count && fmi->board; k++) {
        tn_fmi_snapshot *m = &fmi->snapshots[k];
        if (m->slot < 0 || m->before == 0 || count++ % 2 == 0)
            continue;
        fmi->board->slot = m->slot;
        m->slot = -1;
        fmi->slots_used--;
        tn_fmi_ask(fmi, TN_FMI_FORGET, ignored);
    }
}

static void save_now(tn_fmi *fmi, tn_fmi_snapshot *m, int instance)
{
    char ignored[TN_FMI_TROUBLE];
    fmi->board->instance = instance;
    fmi->board->slot = fmi->next_slot++;
    if (tn_fmi_ask(fmi, TN_FMI_SAVE, ignored) != TN_OK)
        return;
    m->slot = fmi->board->slot;
    if (++fmi->slots_used > MOST_SLOTS)
        thin_slots(fmi);
}

/* Has the process save the state of a snapshot, if the FMU can and it is the snapshot's turn. A failure costs speed only. */
static void save_snapshot(tn_fmi *fmi, tn_fmi_snapshot *m, int instance)
{
    const size_t number = (size_t)(m - fmi->snapshots);
    const bool turn = m->before == 0 || fmi->slot_stride <= 1 || number % (size_t)fmi->slot_stride == 0;
    if (fmi->facts.saves && m->slot < 0 && turn)
        save_now(fmi, m, instance);
}

/* ---- restoring a snapshot ---- */

static void put_snapshot(tn_fmi *fmi, const tn_fmi_snapshot *m)
{
    const size_t inputs = (size_t)fmi->facts.inputs;
    fmi->board->t = m->t;
    fmi->board->h = m->h;
    fmi->board->interpolate = m->interpolate;
    memcpy(fmi->at.u, m->values, inputs * sizeof(double));
    memcpy(fmi->at.u_rates, m->values + inputs, inputs * sizeof(double));
    memcpy(fmi->at.x, m->values + 2 * inputs, (size_t)fmi->facts.states * sizeof(double));
}

/* Makes the call that leads to a snapshot. */
static int make_call(tn_fmi *fmi, const tn_fmi_snapshot *m, int instance, char *trouble)
{
    put_snapshot(fmi, m);
    fmi->board->instance = instance;
    return tn_fmi_ask(fmi, m->before == 0 ? TN_FMI_BEGIN : fmi->facts.exchange ? TN_FMI_EVENT : TN_FMI_STEP, trouble);
}

/* Starts an instance for a root in the place that was not used for longest. */
static int make_instance(tn_fmi *fmi, double root, int *instance, char *trouble)
{
    const tn_fmi_snapshot *m = find_snapshot(fmi, root);
    *instance = 0;
    for (int k = 1; k < TN_FMI_INSTANCES; k++)
        if (fmi->live[k].used < fmi->live[*instance].used)
            *instance = k;
    for (size_t k = 0; k < fmi->snapshot_count; k++)
        if (fmi->snapshots[k].slot >= 0 && fmi->snapshots[k].root == fmi->live[*instance].root) {
            fmi->snapshots[k].slot = -1;
            fmi->slots_used--;
        }
    fmi->live[*instance] = (tn_fmi_live){ 0 };
    if (!m) {
        snprintf(trouble, TN_FMI_TROUBLE, "its start is no longer known");
        return TN_ERROR_STEP;
    }
    TN_TRY(make_call(fmi, m, *instance, trouble));
    tn_fmi_snapshot *start = find_snapshot(fmi, root);
    start->next = fmi->board->next;
    memcpy(start->values + 2 * fmi->facts.inputs, fmi->at.x, (size_t)fmi->facts.states * sizeof(double));
    fmi->live[*instance] = (tn_fmi_live){ .root = root, .current = root };
    return TN_OK;
}

/* Repeats the calls from where the instance is to the handle. */
static int repeat_calls(tn_fmi *fmi, int instance, double handle, char *trouble)
{
    const double from = fmi->live[instance].current;
    size_t count = 0;
    const tn_fmi_snapshot *m = find_snapshot(fmi, handle);
    for (; m && m->handle != from; m = m->before != 0 ? find_before(fmi, m) : NULL)
        count++;
    size_t *chain = m ? malloc((count + 1) * sizeof *chain) : NULL;
    if (!chain) {
        snprintf(trouble, TN_FMI_TROUBLE, "its state at an earlier time is no longer known");
        return TN_ERROR_STEP;
    }
    m = find_snapshot(fmi, handle);
    for (size_t k = count; k-- > 0; m = find_before(fmi, m))
        chain[k] = (size_t)(m - fmi->snapshots);
    int code = TN_OK;
    for (size_t k = 0; k < count && code == TN_OK; k++) {
        code = make_call(fmi, &fmi->snapshots[chain[k]], instance, trouble);
        fmi->live[instance].current = code == TN_OK ? fmi->snapshots[chain[k]].handle : 0;
    }
    free(chain);
    return code;
}

/* The nearest snapshot at or before one from which the process can go on: saved, or the start. */
static const tn_fmi_snapshot *anchor_of(const tn_fmi *fmi, const tn_fmi_snapshot *m, double current)
{
    while (m && m->slot < 0 && m->before != 0 && m->handle != current)
        m = find_before(fmi, m);
    return m;
}

/* Brings an instance to the state behind a handle; returns its number or an error. */
static int go_to(tn_fmi *fmi, double handle, char *trouble)
{
    int instance = 0;
    TN_TRY(tn_fmi_process_begin(fmi, trouble));
    const tn_fmi_snapshot *m = find_snapshot(fmi, handle);
    if (!m) {
        snprintf(trouble, TN_FMI_TROUBLE, "its state at this time is not known in this process: start the run again");
        return TN_ERROR_STEP;
    }
    while (instance < TN_FMI_INSTANCES && fmi->live[instance].current != handle)
        instance++;
    if (instance == TN_FMI_INSTANCES && fmi->facts.saves)          /* without saved states: do not send others back */
        for (instance = 0; instance < TN_FMI_INSTANCES && fmi->live[instance].root != m->root;)
            instance++;
    if (instance == TN_FMI_INSTANCES)
        TN_TRY(make_instance(fmi, m->root, &instance, trouble));
    fmi->live[instance].used = ++fmi->uses;
    if (fmi->live[instance].current != handle) {
        const tn_fmi_snapshot *anchor = anchor_of(fmi, m, fmi->live[instance].current);
        if (anchor && anchor->slot >= 0 && anchor->handle != fmi->live[instance].current) {
            fmi->board->instance = instance;
            fmi->board->slot = anchor->slot;
            TN_TRY(tn_fmi_ask(fmi, TN_FMI_RESTORE, trouble));
            fmi->live[instance].current = anchor->handle;
        } else if (anchor && anchor->before == 0 && anchor->handle != fmi->live[instance].current) {
            TN_TRY(make_call(fmi, anchor, instance, trouble));
            fmi->live[instance].current = anchor->handle;
        }
        TN_TRY(repeat_calls(fmi, instance, handle, trouble));
    }
    fmi->board->instance = instance;
    return instance;
}

/* ---- calls ---- */

static void put_point(tn_fmi *fmi, const tn_fmi_point *p)
{
    fmi->board->t = p->t;
    memcpy(fmi->at.u, p->u, (size_t)fmi->facts.inputs * sizeof(double));
    if (fmi->facts.exchange)
        memcpy(fmi->at.x, p->x, (size_t)fmi->facts.states * sizeof(double));
}

static int unlock(tn_fmi *fmi, int code)
{
    pthread_mutex_unlock(&fmi->lock);
    return code < 0 ? TN_ERROR_STEP : TN_OK;
}

static void copy_values(double *to, const double *from, int count)
{
    if (to)
        memcpy(to, from, (size_t)count * sizeof(double));
}

/* Asks at the point; the lock is held on return. */
static int ask_at(tn_fmi *fmi, const tn_fmi_point *point, tn_fmi_call call, char *trouble)
{
    pthread_mutex_lock(&fmi->lock);
    int code = go_to(fmi, point->handle, trouble);
    if (code < 0)
        return code;
    put_point(fmi, point);
    return tn_fmi_ask(fmi, call, trouble);
}

static int begin_call(tn_fmi *fmi, const tn_fmi_point *point, double *handle, double *x, double *y, double *next, char *trouble)
{
    TN_TRY(tn_fmi_process_begin(fmi, trouble));
    fmi->board->t = point->t;
    memcpy(fmi->at.u, point->u, (size_t)fmi->facts.inputs * sizeof(double));
    tn_fmi_snapshot *m = add_snapshot(fmi, (tn_fmi_snapshot){ .t = point->t, .next = INFINITY });
    if (!m)
        return TN_ERROR_MEMORY;
    *handle = m->handle;
    int instance = go_to(fmi, *handle, trouble);
    TN_TRY(instance);
    save_snapshot(fmi, m, instance);
    *next = m->next;
    fmi->board->instance = instance;
    if (fmi->facts.exchange)                           /* another run may have been elsewhere since */
        put_snapshot(fmi, m);
    TN_TRY(tn_fmi_ask(fmi, fmi->facts.exchange ? TN_FMI_EVALUATE : TN_FMI_READ, trouble));
    copy_values(x, m->values + 2 * fmi->facts.inputs, fmi->facts.states);
    copy_values(y, fmi->at.y, fmi->facts.outputs);
    return TN_OK;
}

int tn_fmi_begin(tn_fmi *fmi, const tn_fmi_point *point, double *handle, double *x, double *y, double *next, char *trouble)
{
    pthread_mutex_lock(&fmi->lock);
    return unlock(fmi, begin_call(fmi, point, handle, x, y, next, trouble));
}

int tn_fmi_evaluate(tn_fmi *fmi, const tn_fmi_point *point, double *y, double *rates, double *indicators, char *trouble)
{
    int code = ask_at(fmi, point, TN_FMI_EVALUATE, trouble);
    if (code == TN_OK) {
        copy_values(y, fmi->at.y, fmi->facts.outputs);
        copy_values(rates, fmi->at.rates, fmi->facts.states);
        copy_values(indicators, fmi->at.indicators, fmi->facts.indicators);
    }
    return unlock(fmi, code);
}

int tn_fmi_differentiate(tn_fmi *fmi, const tn_fmi_point *point, double *D, char *trouble)
{
    const tn_fmi_facts *f = &fmi->facts;
    int code = ask_at(fmi, point, TN_FMI_DIFFERENTIATE, trouble);
    if (code == TN_OK)
        copy_values(D, fmi->at.D, (f->outputs + f->states) * (f->inputs + f->states));
    return unlock(fmi, code);
}

int tn_fmi_completed(tn_fmi *fmi, const tn_fmi_point *point, bool *event, char *trouble)
{
    int code = ask_at(fmi, point, TN_FMI_COMPLETED, trouble);
    *event = code == TN_OK && fmi->board->event;
    return unlock(fmi, code);
}

/* Makes a call that leads to a new snapshot, which becomes the current one. The lock is held. */
static int go_on(tn_fmi *fmi, const tn_fmi_snapshot *to, double *handle, char *trouble)
{
    const int instance = fmi->board->instance;
    tn_fmi_snapshot *m = add_snapshot(fmi, *to);           /* takes the values from the board */
    if (!m)
        return TN_ERROR_MEMORY;
    *handle = m->handle;
    fmi->live[instance].current = 0;                   /* until the call has succeeded */
    int code = tn_fmi_ask(fmi, fmi->facts.exchange ? TN_FMI_EVENT : TN_FMI_STEP, trouble);
    m = find_snapshot(fmi, *handle);
    if (code < 0) {
        fmi->live[instance].root = 0;                  /* start it again when it is asked again */
        return code;
    }
    fmi->live[instance].current = *handle;
    m->next = fmi->board->next;
    return TN_OK;
}

int tn_fmi_event(tn_fmi *fmi, const tn_fmi_point *point, double *handle, double *x, double *next, bool *ends, char *trouble)
{
    pthread_mutex_lock(&fmi->lock);
    int code = go_to(fmi, point->handle, trouble);
    if (code < 0)
        return unlock(fmi, code);
    put_point(fmi, point);
    const tn_fmi_snapshot to = { .before = point->handle, .root = find_snapshot(fmi, point->handle)->root, .t = point->t };
    code = go_on(fmi, &to, handle, trouble);
    if (code == TN_OK) {
        copy_values(x, fmi->at.x, fmi->facts.states);
        *next = fmi->board->next;
        *ends = fmi->board->ends;
        save_snapshot(fmi, find_snapshot(fmi, *handle), fmi->board->instance);
    }
    return unlock(fmi, code);
}

int tn_fmi_step(tn_fmi *fmi, const tn_fmi_point *point, double t_end, const double *rates, double *handle, double *y,
                char *trouble)
{
    pthread_mutex_lock(&fmi->lock);
    int code = go_to(fmi, point->handle, trouble);
    if (code < 0)
        return unlock(fmi, code);
    put_point(fmi, point);
    const bool interpolate = fmi->kind->interpolates && rates;
    if (rates && (interpolate || fmi->facts.iterates))
        memcpy(fmi->at.u_rates, rates, (size_t)fmi->facts.inputs * sizeof(double));
    fmi->board->h = t_end - point->t;
    fmi->board->interpolate = interpolate;
    const tn_fmi_snapshot to = { .before = point->handle, .root = find_snapshot(fmi, point->handle)->root, .t = point->t,
                               .h = t_end - point->t, .interpolate = interpolate };
    code = go_on(fmi, &to, handle, trouble);
    if (code == TN_OK) {
        copy_values(y, fmi->at.y, fmi->facts.outputs);
        save_snapshot(fmi, find_snapshot(fmi, *handle), fmi->board->instance);
    }
    return unlock(fmi, code);
}

/* ---- steps that are taken back ---- */

/* Share of a period below which a step has no length: the inputs change, the state does not. */
static const double NO_STEP = 1e-9;
/* Relative to the size of a value: step of differences. FMUs integrate to a tolerance of their own. */
static const double DIFFERENCE = 1e-4;

/* Goes from the point to t and reads the outputs; the next question restores the state of the point. The lock is held. */
static int try_step(tn_fmi *fmi, const tn_fmi_point *point, double t, const double *u, double *y, char *trouble)
{
    const int instance = go_to(fmi, point->handle, trouble);
    TN_TRY(instance);
    tn_fmi_snapshot *m = find_snapshot(fmi, point->handle);
    if (m->slot < 0)
        save_now(fmi, m, instance);
    if (m->slot < 0) {
        snprintf(trouble, TN_FMI_TROUBLE, "its state cannot be saved, which 'coupling: iterate' needs");
        return TN_ERROR_STEP;
    }
    const bool moves = t - point->t > NO_STEP * fmi->facts.period;
    const double h = moves ? t - point->t : 0;
    fmi->board->instance = instance;
    fmi->board->t = point->t;
    fmi->board->h = h;
    fmi->board->interpolate = fmi->kind->interpolates;
    for (int k = 0; k < fmi->facts.inputs; k++) {
        fmi->at.u[k] = moves ? point->u[k] : u[k];
        fmi->at.u_rates[k] = moves ? (u[k] - point->u[k]) / h : 0;
    }
    fmi->live[instance].current = 0;
    TN_TRY(tn_fmi_ask(fmi, TN_FMI_STEP, trouble));
    copy_values(y, fmi->at.y, fmi->facts.outputs);
    return TN_OK;
}

int tn_fmi_try_step(tn_fmi *fmi, const tn_fmi_point *point, double t, const double *u, double *y, char *trouble)
{
    pthread_mutex_lock(&fmi->lock);
    return unlock(fmi, try_step(fmi, point, t, u, y, trouble));
}

/* work: inputs, then outputs twice. */
static int differentiate_step(tn_fmi *fmi, const tn_fmi_point *point, double t, const double *u, double *D, double *work, char *trouble)
{
    const int inputs = fmi->facts.inputs, outputs = fmi->facts.outputs;
    double *moved = work, *low = work + inputs, *high = low + outputs;
    memcpy(moved, u, (size_t)inputs * sizeof *moved);
    for (int k = 0; k < inputs; k++) {
        const double h = DIFFERENCE * fmax(1, fabs(u[k]));
        moved[k] = u[k] - h;
        TN_TRY(try_step(fmi, point, t, moved, low, trouble));
        moved[k] = u[k] + h;
        TN_TRY(try_step(fmi, point, t, moved, high, trouble));
        moved[k] = u[k];
        for (int i = 0; i < outputs; i++)
            D[i * inputs + k] = (high[i] - low[i]) / (2 * h);
    }
    return TN_OK;
}

int tn_fmi_differentiate_step(tn_fmi *fmi, const tn_fmi_point *point, double t, const double *u, double *D, char *trouble)
{
    double *work = calloc((size_t)(fmi->facts.inputs + 2 * fmi->facts.outputs) + 1, sizeof *work);
    if (!work) {
        snprintf(trouble, TN_FMI_TROUBLE, "there is no memory for its derivatives");
        return TN_ERROR_STEP;
    }
    pthread_mutex_lock(&fmi->lock);
    int code = unlock(fmi, differentiate_step(fmi, point, t, u, D, work, trouble));
    free(work);
    return code;
}
