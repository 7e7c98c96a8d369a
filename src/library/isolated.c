/* Components in a process of their own, or at a server: the functions of the type, which ask that process. */
#include "isolated_calls.h"

#include <string.h>
#include "stop_check.h"

/* s: for starting a component, which may take longer than its answers. */
static const double CREATE_LIMIT = 30;

/* The point and the motion of the ports there, from an answer. */
static void take_point(tn_isolated *c)
{
    const tn_isolated_exchange *x = c->x;
    size_t states = (size_t)c->states, ports = (size_t)c->library->type.port_count;
    c->t = x->t;
    c->there = true;
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
    tn_isolated *c = self;
    if (!c)
        return;
    void *const pieces[] = { c->parameters, c->y, c->asked_y, c->asked_tau, c->ports, c->centers, c->saved, c->stops };
    const tn_component_host *host = c->host;
    tn_remote_stop(&c->remote);
    tn_foresight_close(&c->ahead, host);
    for (size_t k = 0; k < TN_LENGTH(pieces); k++)
        if (pieces[k])
            host->reallocate(host->user, pieces[k], 0);
    host->reallocate(host->user, c, 0);
}

/* Starts the process and makes the component there. */
static int begin_process(tn_isolated *c)
{
    const tn_isolated_library *l = c->library;
    char trouble[TN_VERDICT_TEXT];
    int code = tn_isolated_reach(&c->remote, l, l->room, trouble);
    if (code < 0) {
        c->host->report(c->host->user, TN_ERROR, trouble);
        return code;
    }
    c->x = tn_remote_room(&c->remote);
    c->x->setting = c->setting;
    c->x->room = l->room;
    c->x->used = (size_t)l->type.parameter_count * sizeof(double);
    if (l->type.parameter_count > 0)
        memcpy(c->x->numbers, c->parameters, c->x->used);
    return tn_isolated_call(c, TN_ISOLATED_CREATE, "create", CREATE_LIMIT);
}

static int make_room(tn_isolated *c)
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
    c->asked_y = allocate(c->host, (size_t)c->states, sizeof(double));
    c->asked_tau = allocate(c->host, (size_t)c->library->columns, sizeof(double));
    c->ports = allocate(c->host, ports, sizeof *c->ports);
    c->centers = allocate(c->host, ports, sizeof *c->centers);
    c->saved = allocate(c->host, c->saved_size, 1);
    bool room = c->y && c->asked_y && c->asked_tau && c->ports && c->centers && c->saved;
    return room ? tn_foresight_open(&c->ahead, c->host, c->states, c->library->columns) : TN_ERROR_MEMORY;
}

/* Asks for the limits inside; the model checks what they say. */
static int take_stops(tn_isolated *c, int count)
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
        TN_TRY(tn_isolated_ask(c, TN_ISOLATED_STOP, "stop", 0, false));
        tn_component_stop *stop = &c->stops[c->stop_count];
        memcpy(stop, c->x->numbers, sizeof *stop);
        for (int k = 0; k < TN_STOP_COORDINATES; k++)
            tn_isolated_mend_bool(&stop->coordinates[k].limited);
    }
    return TN_OK;
}

static size_t save(const void *self, void *bytes, size_t room);

static int build_instance(tn_isolated *c, const double *parameters)
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
    c->timed = c->x->timed;
    c->given_count = c->x->given;
    if (c->given_count < 0 || c->given_count > TN_MOST_STOPS) {
        c->host->report(c->host->user, TN_ERROR, "it has an impossible number of start values");
        return TN_ERROR_ARGUMENT;
    }
    save(c, c->saved, c->saved_size);
    return take_stops(c, c->x->stops);
}

int tn_isolated_create(void **self, const tn_isolated_library *library, const tn_component_host *host,
                       const tn_component_setting *setting, const double *parameters)
{
    tn_isolated *c = allocate(host, 1, sizeof *c);
    if (!c)
        return TN_ERROR_MEMORY;
    *c = (tn_isolated){ .library = library, .host = host, .setting = *setting };
    int code = build_instance(c, parameters);
    if (code < 0)
        destroy(c);
    else
        *self = c;
    return code;
}

/* ---- the point ---- */

static int state_count(const void *self)
{
    return ((const tn_isolated *)self)->states;
}

static void point(const void *self, double *t, double *y)
{
    const tn_isolated *c = self;
    if (t)
        *t = c->t;
    memcpy(y, c->y, (size_t)c->states * sizeof(double));
}

static int restore(void *self, const void *bytes, size_t size);

/* A link that was lost is made again, with the last saved state. */
static int reconnect(tn_isolated *c)
{
    return tn_isolated_is_link(c) && !tn_remote_runs(&c->remote) ? restore(c, c->saved, c->saved_size) : TN_OK;
}

static bool stands_at(const tn_isolated *c, double t, const double *y)
{
    return tn_remote_runs(&c->remote) && c->there && t == c->t && memcmp(y, c->y, (size_t)c->states * sizeof(double)) == 0;
}

/* Writes the request to go to a point. */
static int prepare_place(tn_isolated *c, double t, const double *y)
{
    tn_isolated_settle(c);
    TN_TRY(reconnect(c));
    bool foresee = tn_foresight_place(&c->ahead) && c->library->type.condense;
    c->there = false;
    c->x->t = t;
    memcpy(c->x->numbers, y, (size_t)c->states * sizeof(double));
    tn_isolated_prepare(c, TN_ISOLATED_PLACE, (size_t)c->states, foresee);
    return TN_OK;
}

static void begin_place(void *self, double t, const double *y)
{
    tn_isolated *c = self;
    if (c->under_way || !tn_remote_runs(&c->remote) || stands_at(c, t, y) || prepare_place(c, t, y) < 0)
        return;
    c->asked_t = t;
    memcpy(c->asked_y, y, (size_t)c->states * sizeof(double));
    tn_isolated_send(c, TN_ISOLATED_PLACE, "place", TN_ISOLATED_LIMIT);        /* place tells what is wrong */
    c->under_way = true;
    c->asked = TN_ISOLATED_PLACE;
}

static int place(void *self, double t, const double *y)
{
    tn_isolated *c = self;
    bool begun = c->under_way && c->asked == TN_ISOLATED_PLACE && t == c->asked_t && memcmp(y, c->asked_y, (size_t)c->states * sizeof(double)) == 0;
    if (!c->under_way && stands_at(c, t, y))
        return TN_OK;
    if (begun) {
        TN_TRY(tn_isolated_finish(c, "place"));
    } else {
        TN_TRY(prepare_place(c, t, y));
        TN_TRY(tn_isolated_call(c, TN_ISOLATED_PLACE, "place", TN_ISOLATED_LIMIT));
    }
    take_point(c);
    tn_foresight_take(&c->ahead, c->x, tn_isolated_point_size(c->states, c->library->type.port_count), false);
    return TN_OK;
}

static void port_motion(const void *self, int port, tn_port_motion *out)
{
    *out = ((const tn_isolated *)self)->ports[port];
}

static void port_center(const void *self, int port, double center[3])
{
    memcpy(center, ((const tn_isolated *)self)->centers[port], 3 * sizeof(double));
}

/* ---- questions ---- */

static int respond(void *self, tn_question question, const double *tau, double *answer)
{
    tn_isolated *c = self;
    size_t columns = (size_t)c->library->columns;
    tn_isolated_settle(c);
    c->x->question = question;
    tn_isolated_give_tau(c, tau);
    TN_TRY(tn_isolated_ask(c, TN_ISOLATED_RESPOND, "respond", tau ? columns : 0, false));
    memcpy(answer, c->x->numbers, columns * sizeof(double));
    return TN_OK;
}

/* Writes a request; the answer of condense has what is asked next. */
static void prepare_request(tn_isolated *c, int request, const tn_component_request *r)
{
    c->x->question = r->question;
    c->x->rule = r->rule;
    c->x->wanted = true;
    if (request == TN_ISOLATED_TAKE)
        tn_isolated_give_tau(c, r->tau);
    const bool matrix = request == TN_ISOLATED_ROOT || request == TN_ISOLATED_CONDENSE;
    if (matrix)
        c->ahead.root = request == TN_ISOLATED_ROOT;
    tn_isolated_prepare(c, request, r->tau ? (size_t)c->library->columns : 0, matrix);
}

/* Asks, or waits for the answer where that was begun. */
static int ask_request(tn_isolated *c, int request, const tn_component_request *r, const char *name)
{
    if (tn_isolated_is_begun(c, request, r))
        return tn_isolated_finish(c, name);
    tn_isolated_settle(c);
    prepare_request(c, request, r);
    return tn_isolated_call(c, request, name, TN_ISOLATED_LIMIT);
}

/* Is the answer here already? */
static bool is_foreseen(const tn_isolated *c, const tn_component_request *r)
{
    const tn_foresight *ahead = &c->ahead;
    return r->call == TN_CALL_TAKE          ? r->question == TN_ASK_ACCELERATIONS && ahead->has_rates
           : r->call == TN_CALL_FREE_ANSWER ? r->question == TN_ASK_ACCELERATIONS && ahead->has_answer
                                            : tn_foresight_has_matrix(ahead, r->rule, r->call == TN_CALL_CONDENSE_ROOT);
}

static void begin_isolated(void *self, const tn_component_request *r)
{
    static const int requests[] = { [TN_CALL_TAKE] = TN_ISOLATED_TAKE, [TN_CALL_FREE_ANSWER] = TN_ISOLATED_FREE,
                                    [TN_CALL_CONDENSE] = TN_ISOLATED_CONDENSE, [TN_CALL_CONDENSE_ROOT] = TN_ISOLATED_ROOT };
    tn_isolated *c = self;
    if (c->under_way || !tn_remote_runs(&c->remote) || is_foreseen(c, r))
        return;
    const int request = requests[r->call];
    c->asked_request = *r;
    if (r->tau)
        memcpy(c->asked_tau, r->tau, (size_t)c->library->columns * sizeof(double));
    c->asked_request.tau = r->tau ? c->asked_tau : NULL;
    prepare_request(c, request, r);
    tn_isolated_send(c, request, "begin", TN_ISOLATED_LIMIT);                  /* the question tells what is wrong */
    c->under_way = true;
    c->asked = request;
}

static int take_answer(void *self, tn_question question, const double *tau, double *out)
{
    tn_isolated *c = self;
    const tn_component_request r = { .call = TN_CALL_TAKE, .question = question, .tau = tau };
    if (question == TN_ASK_ACCELERATIONS && tn_foresight_rates(&c->ahead, tau, out)) {
        tn_isolated_settle(c);
        return TN_OK;
    }
    TN_TRY(ask_request(c, TN_ISOLATED_TAKE, &r, "take"));
    memcpy(out, c->x->numbers, (size_t)c->states * sizeof(double));
    return TN_OK;
}

/* Finds D or its root, which ahead then has. */
static int find_matrix(tn_isolated *c, tn_rank_rule rule, bool root, const char *name)
{
    const tn_component_request r = { .call = root ? TN_CALL_CONDENSE_ROOT : TN_CALL_CONDENSE, .rule = rule };
    if (is_foreseen(c, &r)) {
        tn_isolated_settle(c);
        return TN_OK;
    }
    TN_TRY(ask_request(c, root ? TN_ISOLATED_ROOT : TN_ISOLATED_CONDENSE, &r, name));
    tn_foresight_take(&c->ahead, c->x, 0, true);
    c->ahead.decided_here = rule == TN_RANK_DECIDE;
    return TN_OK;
}

static int condense(void *self, tn_rank_rule rule, double *D)
{
    tn_isolated *c = self;
    size_t n = (size_t)c->library->columns;
    TN_TRY(find_matrix(c, rule, false, "condense"));
    tn_foresight_used(&c->ahead, rule);
    if (D)
        memcpy(D, c->ahead.matrix, n * n * sizeof(double));
    return TN_OK;
}

static int condense_root(void *self, tn_rank_rule rule, int *rows, double *T)
{
    tn_isolated *c = self;
    int n = c->library->columns;
    TN_TRY(find_matrix(c, rule, true, "condense_root"));
    tn_foresight_used(&c->ahead, rule);
    *rows = c->ahead.rows < 0 ? 0 : c->ahead.rows > n ? n : c->ahead.rows;
    memcpy(T, c->ahead.matrix, (size_t)(*rows * n) * sizeof(double));
    return TN_OK;
}

static int free_answer(void *self, tn_question question, double *r)
{
    tn_isolated *c = self;
    const tn_component_request request = { .call = TN_CALL_FREE_ANSWER, .question = question };
    if (question == TN_ASK_ACCELERATIONS && tn_foresight_answer(&c->ahead, r)) {
        tn_isolated_settle(c);
        return TN_OK;
    }
    TN_TRY(ask_request(c, TN_ISOLATED_FREE, &request, "free_answer"));
    memcpy(r, c->x->numbers, (size_t)c->library->columns * sizeof(double));
    return TN_OK;
}

static int advance(void *self, double t_end, const double *tau_begin, const double *tau_end)
{
    tn_isolated *c = self;
    size_t n = (size_t)c->library->columns;
    tn_isolated_settle(c);
    c->x->t = t_end;
    memcpy(c->x->numbers, tau_begin, n * sizeof(double));
    memcpy(c->x->numbers + n, tau_end, n * sizeof(double));
    TN_TRY(tn_isolated_ask(c, TN_ISOLATED_ADVANCE, "advance", 2 * n, false));
    tn_foresight_forget(&c->ahead);
    take_point(c);
    return TN_OK;
}

/* Every answer has it. */
static void info(const void *self, tn_saddle_info *out)
{
    const tn_isolated *c = self;
    *out = (tn_saddle_info){ .rank = -1 };
    if (tn_remote_runs(&c->remote))
        *out = c->x->info;
    out->trouble = NULL;                               /* a text of the other process */
}

/* ---- snapshots ---- */

/* After a crash: the last state that was saved or restored. */
static size_t save(const void *self, void *bytes, size_t room)
{
    tn_isolated *c = (tn_isolated *)(uintptr_t)self;
    if (!bytes || room < c->saved_size)
        return c->saved_size;
    tn_isolated_settle(c);
    if (tn_remote_runs(&c->remote) && tn_isolated_ask(c, TN_ISOLATED_SAVE, "save", 0, false) == TN_OK)
        memcpy(c->saved, c->x->numbers, c->saved_size);
    if (bytes != c->saved)
        memcpy(bytes, c->saved, c->saved_size);
    return c->saved_size;
}

/* After a crash a new process takes the place of the old one; after a lost connection, another one. */
static int restore(void *self, const void *bytes, size_t size)
{
    tn_isolated *c = self;
    if (size != c->saved_size)
        return TN_ERROR_ARGUMENT;
    tn_isolated_settle(c);
    if (!tn_remote_runs(&c->remote)) {
        tn_remote_stop(&c->remote);
        TN_TRY(begin_process(c));
        if (c->x->states != c->states || c->x->saved != c->saved_size)
            return TN_ERROR_ARGUMENT;
    }
    memmove(c->saved, bytes, size);
    memcpy(c->x->numbers, bytes, size);
    c->x->used = size;
    c->x->pending = -1;
    c->x->foresee = false;
    tn_foresight_forget(&c->ahead);
    c->ahead.pending = c->ahead.decided = false;
    TN_TRY(tn_isolated_call(c, TN_ISOLATED_RESTORE, "restore", TN_ISOLATED_LIMIT));
    take_point(c);
    return TN_OK;
}

/* ---- limits and reactions inside ---- */

static int stop_count(const void *self)
{
    return ((const tn_isolated *)self)->stop_count;
}

static void stop(const void *self, int index, tn_component_stop *out)
{
    *out = ((const tn_isolated *)self)->stops[index];
}

static bool reacts(const void *self)
{
    return ((const tn_isolated *)self)->reacts;
}

static int react(void *self, tn_component_reaction *out)
{
    tn_isolated *c = self;
    tn_isolated_settle(c);
    TN_TRY(tn_isolated_ask(c, TN_ISOLATED_REACT, "react", 0, false));
    c->ahead.has_answer = c->ahead.has_rates = false;      /* forces have changed */
    *out = c->x->reaction;
    return TN_OK;
}

static bool timed(const void *self)
{
    return ((const tn_isolated *)self)->timed;
}

/* Where the process has ended, nothing is missed: the next question of the step says that it has ended. */
static bool missed(void *self, tn_step_view view, double t0, double t1, tn_component_missed *out)
{
    tn_isolated *c = self;
    tn_isolated_settle(c);
    c->x->view = view;
    c->x->t = t0;
    c->x->t_end = t1;
    if (tn_isolated_ask(c, TN_ISOLATED_MISSED, "missed", 0, false) < 0)
        return false;
    *out = c->x->missed;
    return c->x->wanted;
}

static bool jumps(void *self, double t0, double t1, tn_component_jump *out)
{
    tn_isolated *c = self;
    tn_isolated_settle(c);
    c->x->t = t0;
    c->x->t_end = t1;
    if (tn_isolated_ask(c, TN_ISOLATED_JUMPS, "jumps", 0, false) < 0)
        return false;
    *out = c->x->jump;
    return c->x->wanted;
}

/* ---- start values that are given inside ---- */

static int given_count(const void *self)
{
    return ((const tn_isolated *)self)->given_count;
}

static int given(void *self, int index, tn_component_given *out)
{
    tn_isolated *c = self;
    tn_isolated_settle(c);
    c->x->given = index;
    TN_TRY(tn_isolated_ask(c, TN_ISOLATED_GIVEN, "given", 0, false));
    *out = c->x->start;
    out->name[sizeof out->name - 1] = out->unit[sizeof out->unit - 1] = '\0';
    return TN_OK;
}

static int push(void *self, tn_question question, int index, double amount, double *out)
{
    tn_isolated *c = self;
    tn_isolated_settle(c);
    c->x->given = index;
    c->x->question = question;
    c->x->amount = amount;
    TN_TRY(tn_isolated_ask(c, TN_ISOLATED_PUSH, "push", 0, false));
    memcpy(out, c->x->numbers, (size_t)c->states * sizeof(double));
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
    type->begin_place = begin_place;
    type->begin = begin_isolated;
    type->port_motion = port_motion;
    type->port_center = port_center;
    type->respond = respond;
    type->take = take_answer;
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
    type->timed = timed;
    type->missed = missed;
    type->given_count = given_count;
    type->given = given;
    type->push = push;
    type->jumps = jumps;
}
