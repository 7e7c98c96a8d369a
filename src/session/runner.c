/* The runner: a thread that advances a session at a given speed and performs commands and calls from other threads. */
#include "tenon/runner.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "diag.h"
#include "mem.h"

/* A function for the thread to call. It is on the stack of the thread that waits for it, or on the heap when no thread
 * waits. */
typedef struct call {
    tn_runner_function function;
    void *user;
    bool sent;                     /* no thread waits */
    enum { CALL_QUEUED, CALL_RUNNING, CALL_ANSWERED } stage;
    int code;
} call;

/* A command or a call; a withdrawn order has neither. */
typedef struct order {
    long ticket;
    char *command;                 /* from malloc: only the thread uses the context's allocator */
    call *call;
} order;

/* The lock protects all members that several threads use; only the runner's thread uses the session. */
struct tn_runner {
    tn_session *session;
    tn_context *context;           /* of the session */
    double frame;
    tn_reply_callback on_reply;    /* may be NULL */
    void *user;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;           /* the thread has something to do */
    pthread_cond_t answered;
    order queue[TN_RUNNER_QUEUE];  /* a ring */
    size_t queue_first, queue_count;
    tn_reply replies[TN_RUNNER_REPLIES];   /* by ticket, a ring */
    long posted, taken;            /* tickets */
    double speed;
    double until;                  /* s: simulated time at which the motion pauses; INFINITY: none */
    tn_turn_callback on_turn;      /* may be NULL */
    void *turn_user;
    long steps_wanted;             /* single steps still to take */
    bool stopping;
    int waiting;                   /* threads in tn_runner_wait and tn_runner_call */
    tn_runner_status status;
};

static struct timespec in_seconds(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double whole = floor(fmin(fmax(seconds, 0), 1e9));
    t.tv_sec += (time_t)whole;
    t.tv_nsec += (long)(1e9 * (fmin(fmax(seconds, 0), 1e9) - whole));
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* ---- the thread: commands ---- */

static int carry_out(tn_session *session, const char *command, tn_ack *ack)
{
    bool undo = strncmp(command, "undo", 4) == 0, redo = strncmp(command, "redo", 4) == 0;
    bool restore = strcmp(command + (undo || redo ? 4 : 0), " restore") == 0;
    if ((undo || redo) && (restore || command[4] == '\0'))
        return undo ? tn_session_undo(ack, session, restore) : tn_session_redo(ack, session, restore);
    return tn_session_apply(ack, session, command);
}

/* Copies the first diagnostic to message, because other threads cannot read the context while the thread runs. */
static void take_message(tn_context *context, int code, char message[400])
{
    const tn_diagnostic *d = tn_diagnostics_get(context, 0);
    message[0] = '\0';
    if (code < 0 && d && d->span.line > 0)
        snprintf(message, 400, "%s:%d:%d: %s", d->span.file, d->span.line, d->span.column, d->message);
    else if (code < 0)
        snprintf(message, 400, "%s", d ? d->message : tn_error_text(code));
    tn_diagnostics_clear(context);
}

static void answer(tn_runner *r, const char *command, const tn_reply *reply)
{
    if (r->on_reply)
        r->on_reply(r->user, command, reply);
    pthread_mutex_lock(&r->lock);
    r->replies[reply->ticket % TN_RUNNER_REPLIES] = *reply;
    r->taken = reply->ticket;
    r->status.commands++;
    pthread_cond_broadcast(&r->answered);
    pthread_mutex_unlock(&r->lock);
}

static void answer_call(tn_runner *r, call *c, int code)
{
    if (c->sent) {
        free(c);
        return;
    }
    pthread_mutex_lock(&r->lock);
    c->code = code;
    c->stage = CALL_ANSWERED;
    pthread_cond_broadcast(&r->answered);
    pthread_mutex_unlock(&r->lock);
}

/* Takes the next order from the queue, if there is one; the caller holds the lock. */
static bool next_order(tn_runner *r, order *out)
{
    if (r->queue_count == 0)
        return false;
    *out = r->queue[r->queue_first];
    r->queue_first = (r->queue_first + 1) % TN_RUNNER_QUEUE;
    r->queue_count--;
    if (out->call)
        out->call->stage = CALL_RUNNING;
    return true;
}

/* Updates the status after an order. mended: the order may have removed the cause of an error, so the error is
 * cleared. */
static void take_status(tn_runner *r, uint64_t hash, bool mended)
{
    pthread_mutex_lock(&r->lock);
    r->status.hash = hash;
    r->status.time = tn_session_time(r->session);
    if (mended) {
        r->status.code = TN_OK;
        r->status.message[0] = '\0';
    }
    pthread_mutex_unlock(&r->lock);
}

static void perform_command(tn_runner *r, const order *o)
{
    tn_reply reply = { .ticket = o->ticket, .taken = tn_session_time(r->session) };
    reply.code = carry_out(r->session, o->command, &reply.ack);
    take_message(r->context, reply.code, reply.message);
    take_status(r, tn_session_hash(r->session), reply.code >= 0);
    answer(r, o->command, &reply);
    free(o->command);
}

static void perform_call(tn_runner *r, call *c)
{
    const tn_session *session = r->session;
    uint64_t before = tn_session_hash(session);
    long revision = tn_session_revision(session);
    int code = c->function(c->user, r->session);
    tn_diagnostics_clear(r->context);
    uint64_t after = tn_session_hash(r->session);
    take_status(r, after, r->session != session || after != before || tn_session_revision(session) != revision);
    answer_call(r, c, code);
}

static void perform_order(tn_runner *r, const order *o)
{
    if (o->command)
        perform_command(r, o);
    else if (o->call)
        perform_call(r, o->call);
}

/* ---- the thread: motion ---- */

/* The relation of simulated time to the wall clock; starts again after every pause and change of speed. */
typedef struct pacer {
    double speed, wall, time;      /* speed, and the wall and simulated time at its start */
    double mark_wall, mark_time;   /* wall and simulated time since which the pace is measured */
} pacer;

static void report(tn_runner *r, pacer *p, int code)
{
    double wall = tn_clock(), time = tn_session_time(r->session);
    tn_summary summary = tn_session_summary(r->session);
    char message[400];
    take_message(r->context, code, message);
    pthread_mutex_lock(&r->lock);
    r->status.time = time;
    r->status.steps = summary.steps;
    if (wall - p->mark_wall >= 1) {
        r->status.pace = (time - p->mark_time) / (wall - p->mark_wall);
        p->mark_wall = wall;
        p->mark_time = time;
    }
    if (code < 0) {
        r->status.code = code;
        memcpy(r->status.message, message, sizeof message);
        r->steps_wanted = 0;
    }
    if (code == TN_NEWS_STOPPED) {             /* an event stopped the run */
        r->speed = r->status.speed = 0;
        r->steps_wanted = 0;
    }
    pthread_mutex_unlock(&r->lock);
}

static void note_time(tn_runner *r)
{
    const double time = tn_session_time(r->session);
    const long steps = tn_session_summary(r->session).steps;
    pthread_mutex_lock(&r->lock);
    r->status.time = time;
    r->status.steps = steps;
    pthread_mutex_unlock(&r->lock);
}

/* Advances by a duration, but not beyond the time until, at which the motion pauses. The time is written
 * before the speed becomes zero: other threads never read a pause with an older time. */
static int advance_until(tn_runner *r, double duration, double until)
{
    double time = tn_session_time(r->session);
    if (time + duration < until)
        return tn_session_advance(r->session, duration);
    int code = time < until ? tn_session_advance_to(r->session, until) : TN_OK;
    if (code == TN_OK) {
        note_time(r);
        tn_runner_set_speed(r, 0);
    }
    return code;
}

/* Advances the session by the time that is due, at most one frame, so that commands do not wait long. Returns the
 * seconds until the next frame is due. */
static double advance_due_time(tn_runner *r, pacer *p, double speed, long steps, double until)
{
    double wall = tn_clock(), time = tn_session_time(r->session);
    if (steps > 0) {
        report(r, p, tn_session_step(r->session));
        pthread_mutex_lock(&r->lock);
        r->steps_wanted -= r->steps_wanted > 0;
        pthread_mutex_unlock(&r->lock);
        return 0;
    }
    if (isinf(speed)) {
        report(r, p, isinf(until) ? tn_session_step(r->session) : advance_until(r, r->frame, until));
        return 0;
    }
    if (speed != p->speed)
        *p = (pacer){ speed, wall, time, wall, time };
    double due = p->time + speed * (wall - p->wall) - time;
    if (due < speed * r->frame)
        return (speed * r->frame - due) / speed;
    if (due > 4 * speed * r->frame) {          /* too slow for this speed: the lag is dropped */
        p->wall = wall - r->frame;
        p->time = time;
    }
    report(r, p, advance_until(r, speed * r->frame, until));
    return 0;
}

/* When the motion went on last, and how long that took, s by the wall clock. */
typedef struct motion_turn {
    double end, length;
} motion_turn;

/* Motion has its turn between two orders when these have had as much time as it had, a frame at least: no flood of orders
 * stops it. */
static bool is_motion_due(const tn_runner *r, const motion_turn *last)
{
    return tn_clock() - last->end > fmax(r->frame, last->length);
}

/* Waits until the thread has something to do; the caller holds the lock. False: the thread has to end. */
static bool wait_for_work(tn_runner *r, double seconds)
{
    if (!r->stopping && r->queue_count == 0) {
        struct timespec until = in_seconds(seconds);
        bool idle = (r->speed == 0 && r->steps_wanted == 0) || r->status.code < 0;
        if (idle)
            pthread_cond_wait(&r->wake, &r->lock);
        else if (seconds > 0)
            pthread_cond_timedwait(&r->wake, &r->lock, &until);
    }
    return !r->stopping;
}

static void *run_runner(void *user)
{
    tn_runner *r = user;
    pacer p = { .speed = NAN };
    double rest = 0;
    motion_turn last = { .end = tn_clock() };
    for (;;) {
        order o = { 0 };
        pthread_mutex_lock(&r->lock);
        bool goes_on = wait_for_work(r, rest);
        double speed = r->speed, until = r->until;
        long steps = r->steps_wanted;
        tn_turn_callback on_turn = r->on_turn;
        bool moving = (speed > 0 || steps > 0) && r->status.code == TN_OK;
        bool ordered = goes_on && !(moving && is_motion_due(r, &last)) && next_order(r, &o);
        pthread_mutex_unlock(&r->lock);
        if (!goes_on)
            return NULL;
        rest = 0;
        if (ordered) {
            double time = tn_session_time(r->session);
            perform_order(r, &o);
            if (tn_session_time(r->session) != time)   /* the pacer starts again */
                p.speed = NAN;
        } else if (moving) {
            double begin = tn_clock();
            rest = advance_due_time(r, &p, speed, steps, until);
            last.end = tn_clock();
            last.length = last.end - begin;
        } else {
            p.speed = NAN;
        }
        if (on_turn && rest == 0 && (ordered || moving))
            on_turn(r->turn_user, r->session);
    }
}

/* ---- calls from other threads ---- */

static int open_locks(tn_runner *r)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0)
        return TN_ERROR_MEMORY;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    bool good = pthread_mutex_init(&r->lock, NULL) == 0 && pthread_cond_init(&r->wake, &monotonic) == 0 &&
                pthread_cond_init(&r->answered, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    return good ? TN_OK : TN_ERROR_MEMORY;
}

int tn_runner_start(tn_runner **out, tn_session *session, double frame, tn_reply_callback on_reply, void *user)
{
    tn_context *context = tn_session_context(session);
    if (!(frame > 0) || !isfinite(frame))
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a runner cannot look every %g s", frame);
    tn_runner *r = calloc(1, sizeof *r);
    if (!r)
        return TN_ERROR_MEMORY;
    r->session = session;
    r->context = context;
    r->frame = frame;
    r->on_reply = on_reply;
    r->user = user;
    r->until = INFINITY;
    r->status.time = tn_session_time(session);
    r->status.hash = tn_session_hash(session);
    tn_diagnostics_clear(context);
    if (open_locks(r) < 0 || pthread_create(&r->thread, NULL, run_runner, r) != 0) {
        free(r);
        return TN_ERROR_MEMORY;
    }
    *out = r;
    return TN_OK;
}

static void refuse_call(tn_runner *r, call *c)
{
    if (c->sent)
        c->function(c->user, NULL);
    answer_call(r, c, TN_ERROR_ARGUMENT);
}

/* Answers the orders that the thread has not performed. */
static void refuse_orders(tn_runner *r)
{
    order left;
    for (;;) {
        pthread_mutex_lock(&r->lock);
        bool some = next_order(r, &left);
        pthread_mutex_unlock(&r->lock);
        if (!some)
            return;
        tn_reply reply = { .ticket = left.ticket, .code = TN_ERROR_ARGUMENT, .message = "the runner has stopped" };
        if (left.command)
            answer(r, left.command, &reply);
        else if (left.call)
            refuse_call(r, left.call);
        free(left.command);
    }
}

void tn_runner_stop(tn_runner *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->stopping = true;
    pthread_cond_broadcast(&r->wake);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    refuse_orders(r);
    pthread_mutex_lock(&r->lock);
    while (r->waiting > 0)
        pthread_cond_wait(&r->answered, &r->lock);
    pthread_mutex_unlock(&r->lock);
    pthread_cond_destroy(&r->answered);
    pthread_cond_destroy(&r->wake);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

void tn_runner_set_speed(tn_runner *r, double speed)
{
    pthread_mutex_lock(&r->lock);
    r->speed = r->status.speed = speed > 0 ? speed : 0;        /* NaN pauses, too */
    r->until = INFINITY;
    r->steps_wanted = 0;
    pthread_cond_broadcast(&r->wake);
    pthread_mutex_unlock(&r->lock);
}

void tn_runner_run_to(tn_runner *r, double time, double speed)
{
    pthread_mutex_lock(&r->lock);
    r->speed = r->status.speed = speed > 0 ? speed : r->speed > 0 ? r->speed : 1;
    r->until = time;
    r->steps_wanted = 0;
    pthread_cond_broadcast(&r->wake);
    pthread_mutex_unlock(&r->lock);
}

void tn_runner_on_turn(tn_runner *r, tn_turn_callback callback, void *user)
{
    pthread_mutex_lock(&r->lock);
    r->on_turn = callback;
    r->turn_user = user;
    pthread_mutex_unlock(&r->lock);
}

void tn_runner_step(tn_runner *r, long steps)
{
    pthread_mutex_lock(&r->lock);
    r->speed = r->status.speed = 0;
    r->until = INFINITY;
    r->steps_wanted += steps > 0 ? steps : 0;
    pthread_cond_broadcast(&r->wake);
    pthread_mutex_unlock(&r->lock);
}

/* Adds an order at the end of the queue, which has room; the caller holds the lock. */
static void enqueue(tn_runner *r, order o)
{
    r->queue[(r->queue_first + r->queue_count++) % TN_RUNNER_QUEUE] = o;
    pthread_cond_broadcast(&r->wake);
}

long tn_runner_post(tn_runner *r, const char *command)
{
    size_t size = strnlen(command, TN_RUNNER_COMMAND);
    char *copy = size < TN_RUNNER_COMMAND ? malloc(size + 1) : NULL;
    if (!copy)
        return size < TN_RUNNER_COMMAND ? TN_ERROR_MEMORY : TN_ERROR_ARGUMENT;
    memcpy(copy, command, size + 1);
    pthread_mutex_lock(&r->lock);
    long ticket = r->queue_count < TN_RUNNER_QUEUE ? ++r->posted : TN_ERROR_ARGUMENT;
    if (ticket > 0)
        enqueue(r, (order){ .ticket = ticket, .command = copy });
    pthread_mutex_unlock(&r->lock);
    if (ticket < 0)
        free(copy);
    return ticket;
}

/* Ends the waiting of a thread, and wakes a thread that stops the runner and waits for this; the caller holds the
 * lock. */
static void end_waiting(tn_runner *r)
{
    r->waiting--;
    if (r->stopping)
        pthread_cond_broadcast(&r->answered);
}

int tn_runner_wait(tn_reply *reply, tn_runner *r, long ticket, double seconds)
{
    struct timespec until = in_seconds(seconds);
    int code = TN_OK;
    pthread_mutex_lock(&r->lock);
    if (ticket < 1 || ticket > r->posted)
        code = TN_ERROR_ARGUMENT;
    r->waiting++;
    while (code == TN_OK && r->taken < ticket)
        if (pthread_cond_timedwait(&r->answered, &r->lock, &until) == ETIMEDOUT && r->taken < ticket)
            code = TN_NEWS_INTERRUPTED;
    end_waiting(r);
    if (code == TN_OK && r->replies[ticket % TN_RUNNER_REPLIES].ticket != ticket)
        code = TN_ERROR_ARGUMENT;
    if (code == TN_OK)
        *reply = r->replies[ticket % TN_RUNNER_REPLIES];
    pthread_mutex_unlock(&r->lock);
    return code;
}

/* Empties the order of a call in the queue; the caller holds the lock. */
static void withdraw_call(tn_runner *r, const call *c)
{
    for (size_t k = 0; k < r->queue_count; k++) {
        order *o = &r->queue[(r->queue_first + k) % TN_RUNNER_QUEUE];
        if (o->call == c)
            *o = (order){ 0 };
    }
}

/* Waits until the call is answered. A call that has not begun after seconds is withdrawn. The caller holds the lock. */
static int wait_for_call(tn_runner *r, call *c, double seconds)
{
    struct timespec until = in_seconds(seconds);
    while (c->stage == CALL_QUEUED)
        if (pthread_cond_timedwait(&r->answered, &r->lock, &until) == ETIMEDOUT && c->stage == CALL_QUEUED) {
            withdraw_call(r, c);
            return TN_NEWS_INTERRUPTED;
        }
    while (c->stage != CALL_ANSWERED)
        pthread_cond_wait(&r->answered, &r->lock);
    return c->code;
}

int tn_runner_call(tn_runner *r, tn_runner_function function, void *user, double seconds)
{
    call c = { .function = function, .user = user };
    int code = TN_ERROR_ARGUMENT;
    if (pthread_equal(pthread_self(), r->thread))      /* the thread would wait for itself */
        return code;
    pthread_mutex_lock(&r->lock);
    if (r->queue_count < TN_RUNNER_QUEUE && !r->stopping) {
        enqueue(r, (order){ .call = &c });
        r->waiting++;
        code = wait_for_call(r, &c, seconds);
        end_waiting(r);
    }
    pthread_mutex_unlock(&r->lock);
    return code;
}

int tn_runner_send(tn_runner *r, tn_runner_function function, void *user)
{
    call *c = malloc(sizeof *c);
    if (!c)
        return TN_ERROR_MEMORY;
    *c = (call){ .function = function, .user = user, .sent = true };
    pthread_mutex_lock(&r->lock);
    bool room = r->queue_count < TN_RUNNER_QUEUE && !r->stopping;
    if (room)
        enqueue(r, (order){ .call = c });
    pthread_mutex_unlock(&r->lock);
    if (!room)
        free(c);
    return room ? TN_OK : TN_ERROR_ARGUMENT;
}

void tn_runner_exchange(tn_runner *r, tn_session *session)
{
    tn_runner_set_speed(r, 0);
    r->session = session;
    r->context = tn_session_context(session);
}

tn_runner_status tn_runner_now(tn_runner *r)
{
    pthread_mutex_lock(&r->lock);
    tn_runner_status status = r->status;
    status.queued = (long)r->queue_count;
    pthread_mutex_unlock(&r->lock);
    return status;
}
