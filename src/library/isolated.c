/* Components in a process of their own: the functions of the type, which ask that process. */
#include "isolated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "isolated_impl.h"
#include "stop_check.h"

/* s: longer than any answer of a component takes; a component that needs longer is taken to hang. */
static const double LIMIT = 5, CREATE_LIMIT = 30;

typedef struct isolated {
    const tn_isolated_library *library;
    const tn_component_host *host;
    tn_remote remote;
    tn_isolated_exchange *x;           /* the room of the remote */
    tn_component_setting setting;
    double *parameters;                /* of a new process after a crash */
    double t, *y;                      /* the point */
    tn_port_motion *ports;             /* at the point */
    double (*centers)[3];
    unsigned char *saved;              /* the last saved or restored state */
    int states;
    size_t saved_size;
    tn_component_stop *stops;
    int stop_count;
    bool reacts;
} isolated;

/* ---- calls ---- */

/* Sends a request; what the component said, or how it ended, is reported to the host. */
static int call(isolated *c, int request, const char *name, double limit)
{
    bool ran = tn_remote_runs(&c->remote);
    c->x->spoke = false;
    int code = tn_remote_call(&c->remote, request, name, limit);
    if (tn_remote_runs(&c->remote)) {
        c->x->said[sizeof c->x->said - 1] = '\0';
        if (c->x->spoke)
            c->host->report(c->host->user, c->x->severity, c->x->said);
        return code > 0 ? TN_ERROR_ARGUMENT : code;
    }
    char why[TN_REMOTE_TEXT + 80];
    snprintf(why, sizeof why, "%s%s", c->remote.trouble, ran ? "; its process has ended" : ", earlier");
    c->host->report(c->host->user, TN_ERROR, why);
    return TN_ERROR_ARGUMENT;
}

static void give_tau(isolated *c, const double *tau)
{
    c->x->has_tau = tau != NULL;
    if (tau)
        memcpy(c->x->numbers, tau, (size_t)c->library->columns * sizeof *tau);
}

/* The point and the motion of the ports there, from an answer. */
static void take_point(isolated *c)
{
    const tn_isolated_exchange *x = c->x;
    size_t states = (size_t)c->states, ports = (size_t)c->library->type.port_count;
    c->t = x->t;
    memcpy(c->y, x->numbers, states * sizeof(double));
    memcpy(c->ports, x->numbers + states, ports * sizeof *c->ports);
}

/* ---- life ---- */

static void *allocate(const tn_component_host *host, size_t count, size_t size)
{
    void *piece = host->reallocate(host->user, NULL, count * size + 1);
    if (piece)
        memset(piece, 0, count * size + 1);
    return piece;
}

static void destroy(void *self)
{
    isolated *c = self;
    if (!c)
        return;
    void *const pieces[] = { c->parameters, c->y, c->ports, c->centers, c->saved, c->stops };
    const tn_component_host *host = c->host;
    tn_remote_stop(&c->remote);
    for (size_t k = 0; k < TN_LENGTH(pieces); k++)
        if (pieces[k])
            host->reallocate(host->user, pieces[k], 0);
    host->reallocate(host->user, c, 0);
}

/* Starts the process and makes the component there. */
static int begin_process(isolated *c)
{
    const tn_isolated_library *l = c->library;
    int code = tn_remote_start(&c->remote, l->room, tn_isolated_serve, (void *)(uintptr_t)l->path);
    if (code < 0) {
        c->host->report(c->host->user, TN_ERROR, "no process can be started for it");
        return code;
    }
    c->x = tn_remote_room(&c->remote);
    c->x->setting = c->setting;
    c->x->room = l->room;
    if (l->type.parameter_count > 0)
        memcpy(c->x->numbers, c->parameters, (size_t)l->type.parameter_count * sizeof(double));
    return call(c, TN_ISOLATED_CREATE, "create", CREATE_LIMIT);
}

static int make_room(isolated *c)
{
    const tn_isolated_exchange *x = c->x;
    size_t ports = (size_t)c->library->type.port_count;
    if (x->states < 0 || !tn_isolated_fits(c->library->room, x->states, c->library->columns, (int)ports, x->saved)) {
        c->host->report(c->host->user, TN_ERROR, "it has too many states for a process of its own");
        return TN_ERROR_ARGUMENT;
    }
    c->states = x->states;
    c->saved_size = x->saved;
    c->y = allocate(c->host, (size_t)c->states, sizeof(double));
    c->ports = allocate(c->host, ports, sizeof *c->ports);
    c->centers = allocate(c->host, ports, sizeof *c->centers);
    c->saved = allocate(c->host, c->saved_size, 1);
    return c->y && c->ports && c->centers && c->saved ? TN_OK : TN_ERROR_MEMORY;
}

/* Asks for the limits inside; the model checks what they say. */
static int take_stops(isolated *c, int count)
{
    if (count < 0 || count > TN_MOST_STOPS) {
        c->host->report(c->host->user, TN_ERROR, "it has an impossible number of joints with limits");
        return TN_ERROR_ARGUMENT;
    }
    c->stops = allocate(c->host, (size_t)count, sizeof *c->stops);
    if (!c->stops)
        return TN_ERROR_MEMORY;
    for (; c->stop_count < count; c->stop_count++) {
        c->x->stops = c->stop_count;
        TN_TRY(call(c, TN_ISOLATED_STOP, "stop", LIMIT));
        c->stops[c->stop_count] = c->x->stop;
    }
    return TN_OK;
}

static size_t save(const void *self, void *bytes, size_t room);

static int build(isolated *c, const double *parameters)
{
    size_t count = (size_t)c->library->type.parameter_count, ports = (size_t)c->library->type.port_count;
    c->parameters = allocate(c->host, count, sizeof(double));
    if (!c->parameters)
        return TN_ERROR_MEMORY;
    if (count > 0)
        memcpy(c->parameters, parameters, count * sizeof(double));
    TN_TRY(begin_process(c));
    TN_TRY(make_room(c));
    take_point(c);
    memcpy(c->centers, c->x->numbers + c->states + ports * (sizeof(tn_port_motion) / sizeof(double)),
           ports * sizeof *c->centers);
    c->reacts = c->x->reacts;
    save(c, c->saved, c->saved_size);
    return take_stops(c, c->x->stops);
}

int tn_isolated_create(void **self, const tn_isolated_library *library, const tn_component_host *host,
                       const tn_component_setting *setting, const double *parameters)
{
    isolated *c = allocate(host, 1, sizeof *c);
    if (!c)
        return TN_ERROR_MEMORY;
    *c = (isolated){ .library = library, .host = host, .setting = *setting };
    int code = build(c, parameters);
    if (code < 0)
        destroy(c);
    else
        *self = c;
    return code;
}

/* ---- the point ---- */

static int state_count(const void *self)
{
    return ((const isolated *)self)->states;
}

static void point(const void *self, double *t, double *y)
{
    const isolated *c = self;
    if (t)
        *t = c->t;
    memcpy(y, c->y, (size_t)c->states * sizeof(double));
}

static int place(void *self, double t, const double *y)
{
    isolated *c = self;
    c->x->t = t;
    memcpy(c->x->numbers, y, (size_t)c->states * sizeof(double));
    TN_TRY(call(c, TN_ISOLATED_PLACE, "place", LIMIT));
    take_point(c);
    return TN_OK;
}

static void port_motion(const void *self, int port, tn_port_motion *out)
{
    *out = ((const isolated *)self)->ports[port];
}

static void port_center(const void *self, int port, double center[3])
{
    memcpy(center, ((const isolated *)self)->centers[port], 3 * sizeof(double));
}

/* ---- questions ---- */

static int respond(void *self, tn_question question, const double *tau, double *answer)
{
    isolated *c = self;
    c->x->question = question;
    give_tau(c, tau);
    TN_TRY(call(c, TN_ISOLATED_RESPOND, "respond", LIMIT));
    memcpy(answer, c->x->numbers, (size_t)c->library->columns * sizeof(double));
    return TN_OK;
}

static int take(void *self, tn_question question, const double *tau, double *out)
{
    isolated *c = self;
    c->x->question = question;
    give_tau(c, tau);
    TN_TRY(call(c, TN_ISOLATED_TAKE, "take", LIMIT));
    memcpy(out, c->x->numbers, (size_t)c->states * sizeof(double));
    return TN_OK;
}

static int condense(void *self, tn_rank_rule rule, double *D)
{
    isolated *c = self;
    size_t n = (size_t)c->library->columns;
    c->x->rule = rule;
    c->x->wanted = D != NULL;
    TN_TRY(call(c, TN_ISOLATED_CONDENSE, "condense", LIMIT));
    if (D)
        memcpy(D, c->x->numbers, n * n * sizeof(double));
    return TN_OK;
}

static int condense_root(void *self, tn_rank_rule rule, int *rows, double *T)
{
    isolated *c = self;
    c->x->rule = rule;
    TN_TRY(call(c, TN_ISOLATED_ROOT, "condense_root", LIMIT));
    int found = c->x->rows, n = c->library->columns;
    *rows = found < 0 ? 0 : found > n ? n : found;
    memcpy(T, c->x->numbers, (size_t)(*rows * n) * sizeof(double));
    return TN_OK;
}

static int free_answer(void *self, tn_question question, double *r)
{
    isolated *c = self;
    c->x->question = question;
    TN_TRY(call(c, TN_ISOLATED_FREE, "free_answer", LIMIT));
    memcpy(r, c->x->numbers, (size_t)c->library->columns * sizeof(double));
    return TN_OK;
}

static int advance(void *self, double t_end, const double *tau_begin, const double *tau_end)
{
    isolated *c = self;
    size_t n = (size_t)c->library->columns;
    c->x->t = t_end;
    memcpy(c->x->numbers, tau_begin, n * sizeof(double));
    memcpy(c->x->numbers + n, tau_end, n * sizeof(double));
    TN_TRY(call(c, TN_ISOLATED_ADVANCE, "advance", CREATE_LIMIT));
    take_point(c);
    return TN_OK;
}

static void info(const void *self, tn_saddle_info *out)
{
    isolated *c = (isolated *)(uintptr_t)self;
    *out = (tn_saddle_info){ .rank = -1 };
    if (tn_remote_runs(&c->remote) && call(c, TN_ISOLATED_INFO, "info", LIMIT) == TN_OK)
        *out = c->x->info;
    out->trouble = NULL;                               /* a text of the other process */
}

/* ---- snapshots ---- */

/* After a crash: the last state that was saved or restored. */
static size_t save(const void *self, void *bytes, size_t room)
{
    isolated *c = (isolated *)(uintptr_t)self;
    if (!bytes || room < c->saved_size)
        return c->saved_size;
    if (tn_remote_runs(&c->remote) && call(c, TN_ISOLATED_SAVE, "save", LIMIT) == TN_OK)
        memcpy(c->saved, c->x->numbers, c->saved_size);
    if (bytes != c->saved)
        memcpy(bytes, c->saved, c->saved_size);
    return c->saved_size;
}

/* After a crash a new process takes the place of the old one. */
static int restore(void *self, const void *bytes, size_t size)
{
    isolated *c = self;
    if (size != c->saved_size)
        return TN_ERROR_ARGUMENT;
    if (!tn_remote_runs(&c->remote)) {
        tn_remote_stop(&c->remote);
        TN_TRY(begin_process(c));
        if (c->x->states != c->states || c->x->saved != c->saved_size)
            return TN_ERROR_ARGUMENT;
    }
    memcpy(c->x->numbers, bytes, size);
    TN_TRY(call(c, TN_ISOLATED_RESTORE, "restore", LIMIT));
    take_point(c);
    memcpy(c->saved, bytes, size);
    return TN_OK;
}

/* ---- limits and reactions inside ---- */

static int stop_count(const void *self)
{
    return ((const isolated *)self)->stop_count;
}

static void stop(const void *self, int index, tn_component_stop *out)
{
    *out = ((const isolated *)self)->stops[index];
}

static bool reacts(const void *self)
{
    return ((const isolated *)self)->reacts;
}

static int react(void *self, tn_component_reaction *out)
{
    isolated *c = self;
    TN_TRY(call(c, TN_ISOLATED_REACT, "react", LIMIT));
    *out = c->x->reaction;
    return TN_OK;
}

/* A type is created through its library, which knows the file. */
static int create_without_library(void **self, const tn_component_host *host, const tn_component_setting *setting,
                                  const double *parameters)
{
    (void)self;
    (void)setting;
    (void)parameters;
    host->report(host->user, TN_ERROR, "a component in a process of its own is made by its library only");
    return TN_ERROR_ARGUMENT;
}

void tn_isolated_fill_type(tn_component_type *type, const tn_isolated_declaration *d)
{
    type->create = create_without_library;
    type->destroy = destroy;
    type->state_count = state_count;
    type->point = point;
    type->place = place;
    type->port_motion = port_motion;
    type->port_center = port_center;
    type->respond = respond;
    type->take = take;
    type->condense = d->disclosure >= TN_DISCLOSE_CONDENSED ? condense : NULL;
    type->condense_root = d->has_root ? condense_root : NULL;
    type->free_answer = d->disclosure >= TN_DISCLOSE_CONDENSED ? free_answer : NULL;
    type->save = save;
    type->restore = restore;
    type->advance = d->has_advance ? advance : NULL;
    type->info = d->has_info ? info : NULL;
    type->stop_count = stop_count;
    type->stop = stop;
    type->reacts = reacts;
    type->react = react;
}
