/* Components in a process of their own, or of another program: what that process does. It loads the library and answers
 * requests. */
#include "elementary.h"
#include "isolated_impl.h"
#include "stop_check.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The component of this process. Static, because a process has one and nothing else. */
static struct {
    const tn_component_type *type;
    void *self;
    int states, columns, stops, given;
    size_t saved;
    tn_isolated_exchange *x;
    bool mute;                     /* what the component reports is not passed on */
    double *around, *tau, *rates;  /* columns, columns, states */
} here;

static bool has_given(const tn_component_type *type)
{
    return TN_COMPONENT_HAS(type, given_count) && TN_COMPONENT_HAS(type, given) && TN_COMPONENT_HAS(type, push);
}

static void *reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    if (size > 0)
        return realloc(pointer, size);
    free(pointer);
    return NULL;
}

static void report(void *user, tn_severity severity, const char *message)
{
    (void)user;
    if (here.mute)
        return;
    here.x->severity = severity;
    snprintf(here.x->said, sizeof here.x->said, "%s", message);
    here.x->spoke = true;
}

static const tn_component_type *load_type(const char *path, char trouble[TN_VERDICT_TEXT])
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        return tn_trial_type(handle, trouble);
    snprintf(trouble, TN_VERDICT_TEXT, "cannot be loaded: %.200s", dlerror());
    return NULL;
}

/* ---- declarations ---- */

static void add_text(tn_isolated_declaration *d, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (d->length + length + 2 > sizeof d->text) {
        d->full = true;
        return;
    }
    d->text[d->length] = text ? 's' : 'n';
    memcpy(d->text + d->length + 1, text ? text : "", length + 1);
    d->length += length + 2;
}

static void describe_parameter(tn_isolated_declaration *d, const tn_parameter_decl *p)
{
    char initial[40];
    snprintf(initial, sizeof initial, "%a", p->initial);
    add_text(d, p->name);
    add_text(d, p->unit);
    add_text(d, p->doc);
    add_text(d, initial);
    add_text(d, p->as_built);
}

static int describe(const char *path, tn_isolated_declaration *d)
{
    const tn_component_type *type = load_type(path, d->trouble);
    if (!type)
        return TN_ERROR_ARGUMENT;
    d->dimension = type->dimension;
    d->disclosure = type->disclosure;
    d->port_count = type->port_count;
    d->parameter_count = type->parameter_count;
    d->has_advance = type->advance != NULL;
    d->has_info = type->info != NULL;
    d->has_root = type->condense_root != NULL;
    d->has_frames = type->port_is_frame != NULL;
    add_text(d, type->name);
    add_text(d, type->doc);
    for (int k = 0; k < type->port_count; k++) {
        add_text(d, type->ports[k].name);
        add_text(d, type->ports[k].doc);
        add_text(d, type->port_is_frame && type->port_is_frame[k] ? "yes" : "no");
    }
    for (int k = 0; k < type->parameter_count; k++)
        describe_parameter(d, &type->parameters[k]);
    return TN_OK;
}

/* ---- the component ---- */

static void tell_point(tn_isolated_exchange *x)
{
    here.type->point(here.self, &x->t, x->numbers);
    tn_port_motion *ports = (tn_port_motion *)(x->numbers + here.states);
    for (int k = 0; k < here.type->port_count; k++)
        here.type->port_motion(here.self, k, &ports[k]);
    x->used = tn_isolated_point_size(here.states, here.type->port_count) * sizeof(double);
}

static int make_vectors(void)
{
    size_t n = (size_t)here.columns, m = (size_t)here.states;
    double *room = calloc(2 * n + m + 1, sizeof *room);
    if (!room)
        return TN_ERROR_MEMORY;
    here.around = room;
    here.tau = here.around + n;
    here.rates = here.tau + n;
    return TN_OK;
}

static int create(const char *path, tn_isolated_exchange *x)
{
    static tn_component_host host = { .size = sizeof host, .reallocate = reallocate, .report = report };
    char trouble[TN_VERDICT_TEXT];
    if (here.self)
        return TN_ERROR_ARGUMENT;                      /* one component a process */
    here.type = load_type(path, trouble);
    if (!here.type) {
        report(NULL, TN_ERROR, trouble);
        return TN_ERROR_ARGUMENT;
    }
    const tn_component_setting setting = x->setting;
    size_t count = (size_t)here.type->parameter_count;
    double *parameters = malloc(count * sizeof(double) + 1);
    if (!parameters)
        return TN_ERROR_MEMORY;
    memcpy(parameters, x->numbers, count * sizeof(double));
    int code = here.type->create(&here.self, &host, &setting, parameters);
    free(parameters);
    TN_TRY(code);
    here.columns = here.type->port_count * (here.type->dimension == 2 ? 3 : 6);
    x->states = here.states = here.type->state_count(here.self);
    x->saved = here.saved = here.type->save(here.self, NULL, 0);
    x->stops = here.stops = tn_stop_count(&(tn_component){ here.type, here.self });
    x->given = here.given = has_given(here.type) ? here.type->given_count(here.self) : 0;
    x->reacts = TN_COMPONENT_HAS(here.type, reacts) && TN_COMPONENT_HAS(here.type, react) && here.type->reacts(here.self);
    x->timed = TN_COMPONENT_HAS(here.type, timed) && TN_COMPONENT_HAS(here.type, missed) && here.type->timed(here.self);
    if (here.states < 0 || !tn_isolated_fits(x->room, here.states, here.columns, here.type->port_count, here.saved))
        return TN_OK;                                  /* the other side refuses it */
    TN_TRY(make_vectors());
    tell_point(x);
    double (*centers)[3] = (double (*)[3])(x->numbers + here.states +
                                           (size_t)here.type->port_count * (sizeof(tn_port_motion) / sizeof(double)));
    memset(centers, 0, (size_t)here.type->port_count * sizeof *centers);
    x->used += (size_t)here.type->port_count * sizeof *centers;
    for (int k = 0; here.type->port_center && k < here.type->port_count; k++)
        here.type->port_center(here.self, k, centers[k]);
    return TN_OK;
}

/* Functions that read a vector and write another get copies where both would stand in the same place. */
static int answer_with_copy(tn_isolated_exchange *x, int request)
{
    const tn_component_type *type = here.type;
    size_t columns = (size_t)here.columns;
    static double *copy;
    if (!copy && !(copy = malloc((2 * columns + 1) * sizeof(double))))
        return TN_ERROR_MEMORY;
    memcpy(copy, x->numbers, (request == TN_ISOLATED_ADVANCE ? 2 : 1) * columns * sizeof(double));
    x->used = (request == TN_ISOLATED_RESPOND ? columns : (size_t)here.states) * sizeof(double);
    if (request == TN_ISOLATED_RESPOND)
        return type->respond(here.self, x->question, x->has_tau ? copy : NULL, x->numbers);
    if (request == TN_ISOLATED_TAKE)
        return type->take(here.self, x->question, x->has_tau ? copy : NULL, x->numbers);
    if (!type->advance)
        return TN_ERROR_ARGUMENT;
    TN_TRY(type->advance(here.self, x->t, copy, copy + columns));
    tell_point(x);
    return TN_OK;
}

static int answer_start(tn_isolated_exchange *x, int request)
{
    x->used = request == TN_ISOLATED_PUSH ? (size_t)here.states * sizeof(double) : 0;
    if (x->given < 0 || x->given >= here.given)
        return TN_ERROR_ARGUMENT;
    return request == TN_ISOLATED_PUSH ? here.type->push(here.self, x->question, x->given, x->amount, x->numbers)
                                       : here.type->given(here.self, x->given, &x->start);
}

static int move(tn_isolated_exchange *x, int request)
{
    if (request == TN_ISOLATED_RESTORE && x->used != here.saved)
        return TN_ERROR_ARGUMENT;
    TN_TRY(request == TN_ISOLATED_PLACE ? here.type->place(here.self, x->t, x->numbers)
                                        : here.type->restore(here.self, x->numbers, here.saved));
    tell_point(x);
    return TN_OK;
}

/* D or its root at the point. */
static int find_matrix(tn_isolated_exchange *x, bool root, tn_rank_rule rule, double *matrix)
{
    const tn_component_type *type = here.type;
    if (!type->condense || (root && !type->condense_root))
        return TN_ERROR_ARGUMENT;
    return root ? type->condense_root(here.self, rule, &x->rows, matrix) : type->condense(here.self, rule, matrix);
}

static int answer(tn_isolated_exchange *x, int request)
{
    const tn_component_type *type = here.type;
    size_t columns = (size_t)here.columns;
    switch (request) {
    case TN_ISOLATED_CONDENSE:
    case TN_ISOLATED_ROOT:
        x->used = columns * columns * sizeof(double);
        return find_matrix(x, request == TN_ISOLATED_ROOT, x->rule, x->numbers);
    case TN_ISOLATED_FREE:
        x->used = columns * sizeof(double);
        return type->free_answer ? type->free_answer(here.self, x->question, x->numbers) : TN_ERROR_ARGUMENT;
    case TN_ISOLATED_SAVE:
        type->save(here.self, x->numbers, here.saved);
        x->used = here.saved;
        return TN_OK;
    case TN_ISOLATED_STOP:
        x->used = sizeof(tn_component_stop);
        if (x->stops < 0 || x->stops >= here.stops)
            return TN_ERROR_ARGUMENT;
        type->stop(here.self, x->stops, (tn_component_stop *)x->numbers);
        return TN_OK;
    case TN_ISOLATED_REACT:
        x->used = 0;
        return TN_COMPONENT_HAS(type, react) ? type->react(here.self, &x->reaction) : TN_ERROR_ARGUMENT;
    case TN_ISOLATED_MISSED:
        x->used = 0;
        x->wanted = TN_COMPONENT_HAS(type, missed) && type->missed(here.self, x->view, x->t, x->t_end, &x->missed);
        return TN_OK;
    case TN_ISOLATED_JUMPS:
        x->used = 0;
        x->wanted = TN_COMPONENT_HAS(type, jumps) && type->jumps(here.self, x->t, x->t_end, &x->jump);
        return TN_OK;
    case TN_ISOLATED_GIVEN:
    case TN_ISOLATED_PUSH:
        return answer_start(x, request);
    case TN_ISOLATED_PLACE:
    case TN_ISOLATED_RESTORE:
        return move(x, request);
    case TN_ISOLATED_RESPOND:
    case TN_ISOLATED_TAKE:
    case TN_ISOLATED_ADVANCE:
        return answer_with_copy(x, request);
    default:
        return TN_ERROR_ARGUMENT;
    }
}

/* ---- what is asked next ---- */

/* Forces that change the rates by more than round-off of those that act, a power of two (N, N m). */
static double probe_force(void)
{
    double largest = 1;
    for (int j = 0; j < here.columns; j++)
        largest = fmax(largest, fabs(here.around[j]));
    return isfinite(largest) ? tn_exp2(ceil(tn_log2(largest))) : 1;
}

/* Is base + map (tau - around) the rate for forces other than those that gave the map? */
static int check_rates(bool *bent, const double *base, const double *map, double step)
{
    static const double TOLERANCE = 1e-9;              /* of the largest rate; round-off is 1e-14 */
    size_t m = (size_t)here.states, n = (size_t)here.columns;
    double worst = 0, largest = 1;
    for (size_t j = 0; j < n; j++)
        here.tau[j] = here.around[j] + (j % 2 == 0 ? 0.75 : -0.5) * step;
    TN_TRY(here.type->take(here.self, TN_ASK_ACCELERATIONS, here.tau, here.rates));
    for (size_t i = 0; i < m; i++) {
        double expected = base[i];
        for (size_t j = 0; j < n; j++)
            expected += map[j * m + i] * (here.tau[j] - here.around[j]);
        worst = fmax(worst, fabs(expected - here.rates[i]));
        largest = fmax(largest, fabs(here.rates[i]));
    }
    *bent = !(worst <= TOLERANCE * largest);
    return TN_OK;
}

/* The rates of y as base + map (tau - around), one column of the map for each force. */
static int find_rates(bool *bent, double *base)
{
    size_t m = (size_t)here.states, n = (size_t)here.columns;
    double *map = base + m, step = probe_force();
    TN_TRY(here.type->take(here.self, TN_ASK_ACCELERATIONS, here.around, base));
    for (size_t j = 0; j < n; j++) {
        double *column = map + j * m;
        memcpy(here.tau, here.around, n * sizeof(double));
        here.tau[j] += step;
        double change = here.tau[j] - here.around[j];
        TN_TRY(here.type->take(here.self, TN_ASK_ACCELERATIONS, here.tau, column));
        for (size_t i = 0; i < m; i++)
            column[i] = (column[i] - base[i]) / change;
    }
    return check_rates(bent, base, map, step);
}

/* Adds D (with PLACE), r and the rates to an answer, as far as they can be found. */
static void foresee(tn_isolated_exchange *x, int request)
{
    size_t n = (size_t)here.columns, m = (size_t)here.states;
    double *matrix = x->numbers;
    if (request == TN_ISOLATED_PLACE) {
        matrix += tn_isolated_point_size(here.states, here.type->port_count);
        if (find_matrix(x, x->foresee_root, TN_RANK_KEEP, matrix) < 0)
            return;
    }
    double *r = matrix + n * n, *rates = r + n;
    if (!here.type->free_answer || here.type->free_answer(here.self, TN_ASK_ACCELERATIONS, r) < 0)
        return;
    x->foreseen = true;
    x->foreseen_rates = x->foresee_rates && find_rates(&x->bent, rates) == TN_OK && !x->bent;
    x->used = (size_t)((x->foreseen_rates ? rates + m * (n + 1) : rates) - x->numbers) * sizeof(double);
}

/* Forces that the model took without telling. index: in the numbers of the request. */
static int take_pending(const tn_isolated_exchange *x)
{
    if ((size_t)x->pending + (size_t)here.columns > (x->room - sizeof *x) / sizeof(double))
        return TN_ERROR_ARGUMENT;
    memcpy(here.tau, x->numbers + x->pending, (size_t)here.columns * sizeof(double));
    return here.type->take(here.self, TN_ASK_ACCELERATIONS, here.tau, here.rates);
}

static int answer_all(tn_isolated_exchange *x, int request)
{
    x->foreseen = x->foreseen_rates = x->bent = false;
    if (!here.self || !here.around)
        return TN_ERROR_ARGUMENT;
    if (x->pending >= 0)
        TN_TRY(take_pending(x));
    if (x->foresee_rates)
        memcpy(here.around, x->numbers + (request == TN_ISOLATED_PLACE ? here.states : 0),
               (size_t)here.columns * sizeof(double));
    TN_TRY(answer(x, request));
    if (x->foresee) {
        here.mute = true;
        foresee(x, request);
        here.mute = false;
    }
    if (here.type->info) {
        here.type->info(here.self, &x->info);
        x->info.trouble = NULL;
    }
    return TN_OK;
}

int tn_isolated_serve(void *user, int request, void *room)
{
    if (request == TN_ISOLATED_DESCRIBE)
        return describe(user, room);
    here.x = room;
    return request == TN_ISOLATED_CREATE ? create(user, room) : answer_all(room, request);
}
