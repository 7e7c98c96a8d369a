/* Components in a process of their own: what that process does. It loads the library and answers requests. */
#include "isolated_impl.h"
#include "stop_check.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The component of this process. Static, because a process has one and nothing else. */
static struct {
    const tn_component_type *type;
    void *self;
    int states;
    size_t saved;
    tn_isolated_exchange *x;
} here;

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
}

static int create(const char *path, tn_isolated_exchange *x)
{
    static tn_component_host host = { .size = sizeof host, .reallocate = reallocate, .report = report };
    char trouble[TN_VERDICT_TEXT];
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
    int columns = here.type->port_count * (here.type->dimension == 2 ? 3 : 6);
    x->states = here.states = here.type->state_count(here.self);
    x->saved = here.saved = here.type->save(here.self, NULL, 0);
    x->stops = tn_stop_count(&(tn_component){ here.type, here.self });
    x->reacts = TN_COMPONENT_HAS(here.type, reacts) && TN_COMPONENT_HAS(here.type, react) && here.type->reacts(here.self);
    if (here.states < 0 || !tn_isolated_fits(x->room, here.states, columns, here.type->port_count, here.saved))
        return TN_OK;                                  /* the other side refuses it */
    tell_point(x);
    double (*centers)[3] = (double (*)[3])(x->numbers + here.states +
                                           (size_t)here.type->port_count * (sizeof(tn_port_motion) / sizeof(double)));
    memset(centers, 0, (size_t)here.type->port_count * sizeof *centers);
    for (int k = 0; here.type->port_center && k < here.type->port_count; k++)
        here.type->port_center(here.self, k, centers[k]);
    return TN_OK;
}

/* Functions that read a vector and write another get copies where both would stand in the same place. */
static int answer_with_copy(tn_isolated_exchange *x, int request)
{
    const tn_component_type *type = here.type;
    size_t columns = (size_t)type->port_count * (type->dimension == 2 ? 3 : 6);
    static double *copy;
    if (!copy && !(copy = malloc((2 * columns + 1) * sizeof(double))))
        return TN_ERROR_MEMORY;
    memcpy(copy, x->numbers, (request == TN_ISOLATED_ADVANCE ? 2 : 1) * columns * sizeof(double));
    if (request == TN_ISOLATED_RESPOND)
        return type->respond(here.self, x->question, x->has_tau ? copy : NULL, x->numbers);
    if (request == TN_ISOLATED_TAKE)
        return type->take(here.self, x->question, x->has_tau ? copy : NULL, x->numbers);
    TN_TRY(type->advance(here.self, x->t, copy, copy + columns));
    tell_point(x);
    return TN_OK;
}

static int move(tn_isolated_exchange *x, int request)
{
    TN_TRY(request == TN_ISOLATED_PLACE ? here.type->place(here.self, x->t, x->numbers)
                                        : here.type->restore(here.self, x->numbers, here.saved));
    tell_point(x);
    return TN_OK;
}

static int answer(tn_isolated_exchange *x, int request)
{
    const tn_component_type *type = here.type;
    switch (request) {
    case TN_ISOLATED_CONDENSE:
        return type->condense(here.self, x->rule, x->wanted ? x->numbers : NULL);
    case TN_ISOLATED_ROOT:
        return type->condense_root(here.self, x->rule, &x->rows, x->numbers);
    case TN_ISOLATED_FREE:
        return type->free_answer(here.self, x->question, x->numbers);
    case TN_ISOLATED_SAVE:
        type->save(here.self, x->numbers, here.saved);
        return TN_OK;
    case TN_ISOLATED_INFO:
        type->info(here.self, &x->info);
        return TN_OK;
    case TN_ISOLATED_STOP:
        type->stop(here.self, x->stops, &x->stop);
        return TN_OK;
    case TN_ISOLATED_REACT:
        return type->react(here.self, &x->reaction);
    case TN_ISOLATED_PLACE:
    case TN_ISOLATED_RESTORE:
        return move(x, request);
    default:
        return answer_with_copy(x, request);
    }
}

int tn_isolated_serve(void *user, int request, void *room)
{
    if (request == TN_ISOLATED_DESCRIBE)
        return describe(user, room);
    here.x = room;
    return request == TN_ISOLATED_CREATE ? create(user, room) : answer(room, request);
}
