/* Serving components to models on other machines: a process accepts connections, and each client gets a process with a component
 * of its own. */
#define _GNU_SOURCE                /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "tenon/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "diag.h"
#include "isolated_impl.h"
#include "mem.h"
#include "probe.h"

enum { MOST_CLIENTS = 64, MOST_SERVED = 256, SHORTEST_TOKEN = 8, WAIT = 200 /* ms between two looks at stop */ };
/* s: from this age on, a connection without a greeting makes room for another one. */
static const double PATIENCE = 1;
/* bytes of an exchange; pages that are not used take no memory. */
static const size_t ROOM = (size_t)64 << 20;

/* A process of a client; shared with it. */
typedef struct place {
    pid_t process;                 /* 0: free */
    double since;                  /* s */
    atomic_bool greeted;
} place;

typedef struct server {
    tn_context *context;
    const tn_serve_options *options;
    const tn_served *served;
    size_t count;
    const char *names[MOST_SERVED];
    tn_stream_security security;
    unsigned char key[TN_SEAL_KEY];
    int sockets[TN_STREAM_SOCKETS], socket_count;
    place *clients;                /* MOST_CLIENTS */
} server;

tn_serve_options tn_serve_default(void)
{
    return (tn_serve_options){ .host = "localhost", .port = "0", .most_clients = 16 };
}

static int refuse(const server *s, const char *text)
{
    return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "%s", text);
}

/* ---- the process of a client ---- */

static void tell_client(const server *s, pid_t client, const char *what)
{
    char line[120];
    snprintf(line, sizeof line, "client %ld %s", (long)client, what);
    if (s->options->say)
        s->options->say(s->options->user, line);
}

/* A request must not lead out of the exchange, whatever a client writes into it. */
static bool is_sound(const tn_isolated_exchange *x, size_t length)
{
    const size_t start = offsetof(tn_isolated_exchange, numbers);
    return length >= start && x->used == length - start && x->question >= TN_ASK_ACCELERATIONS &&
           x->question <= TN_ASK_VELOCITIES && (x->rule == TN_RANK_DECIDE || x->rule == TN_RANK_KEEP) &&
           x->setting.size == sizeof x->setting;
}

/* Saved states travel sealed. buffer: as large as the room. */
static int seal_state(const server *s, tn_isolated_exchange *x, unsigned char *buffer)
{
    TN_TRY(tn_seal(buffer, s->key, x->numbers, x->used));
    x->used += TN_SEAL_SIZE;
    memcpy(x->numbers, buffer, x->used);
    return TN_OK;
}

static int unseal_state(const server *s, tn_isolated_exchange *x, unsigned char *buffer)
{
    if (x->used < TN_SEAL_SIZE || tn_unseal(buffer, s->key, (unsigned char *)x->numbers, x->used) < 0) {
        x->spoke = true;
        x->severity = TN_ERROR;
        snprintf(x->said, sizeof x->said, "its server does not know the saved state: another server, or another run of it, saved it");
        return TN_ERROR_ARGUMENT;
    }
    x->used -= TN_SEAL_SIZE;
    memcpy(x->numbers, buffer, x->used);
    return TN_OK;
}

static int answer_exchange(const server *s, size_t index, int request, tn_isolated_exchange *x, size_t *length, unsigned char *buffer)
{
    if (!is_sound(x, *length))
        return TN_ERROR_ARGUMENT;
    tn_isolated_mend_exchange(x);
    x->room = ROOM - 4096;                             /* sealing and forces that are pending need some more */
    int code = request == TN_ISOLATED_RESTORE ? unseal_state(s, x, buffer) : TN_OK;
    if (code >= 0)
        code = tn_isolated_serve((void *)(uintptr_t)s->served[index].library, request, x);
    if (code >= 0 && request == TN_ISOLATED_SAVE)
        code = seal_state(s, x, buffer);
    if (code >= 0 && request == TN_ISOLATED_CREATE)
        x->saved += TN_SEAL_SIZE;
    if (code < 0)
        x->used = 0;
    *length = offsetof(tn_isolated_exchange, numbers) + x->used;
    return code;
}

static int answer_request(const server *s, size_t index, int request, void *room, size_t *length, unsigned char *buffer)
{
    if (request != TN_ISOLATED_DESCRIBE)
        return answer_exchange(s, index, request, room, length, buffer);
    tn_isolated_declaration *d = room;
    memset(d, 0, sizeof *d);
    int code = tn_isolated_serve((void *)(uintptr_t)s->served[index].library, request, d);
    *length = offsetof(tn_isolated_declaration, text) + d->length;
    return code;
}

/* An incoming connection. */
typedef struct visitor {
    const server *server;
    place *own;
} visitor;

/* Takes a place among the clients that have greeted; false: there are as many as are allowed. */
static bool enter(void *user)
{
    const visitor *v = user;
    int count = 0;
    v->own->greeted = true;
    for (int k = 0; k < MOST_CLIENTS; k++)
        count += v->server->clients[k].process != 0 && v->server->clients[k].greeted;
    return count <= v->server->options->most_clients;
}

/* Saved states of one component are no states of another one, and none of the same name with another size. */
static void serve_client(server *s, place *own, int socket)
{
    size_t index, length;
    int request;
    tn_link *link = NULL;
    visitor guest = { s, own };
    const tn_link_offer offer = { s->options->token, s->names, s->count, enter, &guest, s->options->most_clients };
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, flags, -1, 0);
    void *buffer = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (room == MAP_FAILED || buffer == MAP_FAILED ||
        tn_link_accept(&link, socket, &s->security, &offer, &index) < 0 ||
        tn_seal_derive(s->key, s->key, s->names[index]) < 0)
        return;
    tell_client(s, getpid(), "connects");
    while (tn_link_receive(link, &request, room, &length, ROOM) >= 0) {
        int code = answer_request(s, index, request, room, &length, buffer);
        if (tn_link_answer(link, code, room, length) < 0)
            break;
    }
    tn_link_close(link);
}

static _Noreturn void run_client(server *s, place *own, int socket)
{
    const struct rlimit no_core = { 0, 0 };
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGINT, SIG_IGN);                           /* the parent ends its clients */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    for (int k = 0; k < s->socket_count; k++)
        close(s->sockets[k]);
    own->process = getpid();
    serve_client(s, own, socket);
    _exit(0);
}

/* ---- the process that accepts ---- */

static void end_client(place *c)
{
    kill(c->process, SIGKILL);
    while (waitpid(c->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    c->process = 0;
}

/* A free place, or that of the oldest connection that does not greet; NULL: none. */
static place *find_place(server *s)
{
    place *oldest = NULL;
    for (int k = 0; k < MOST_CLIENTS; k++) {
        place *c = &s->clients[k];
        if (c->process == 0)
            return c;
        if (!c->greeted && (!oldest || c->since < oldest->since))
            oldest = c;
    }
    if (!oldest || tn_clock() - oldest->since < PATIENCE)
        return NULL;
    end_client(oldest);
    return oldest;
}

static void accept_client(server *s, int listening)
{
    int socket = accept(listening, NULL, NULL);
    place *c = find_place(s);
    if (socket < 0)
        return;
    if (c) {
        c->greeted = false;
        c->since = tn_clock();
        tn_loader_lock();
        pid_t process = fork();
        tn_loader_unlock();
        if (process == 0)
            run_client(s, c, socket);
        c->process = process > 0 ? process : 0;
    }
    close(socket);
}

static void look_after_clients(server *s)
{
    for (int k = 0; k < MOST_CLIENTS; k++) {
        place *c = &s->clients[k];
        int status;
        if (c->process == 0 || waitpid(c->process, &status, WNOHANG) != c->process)
            continue;
        if (c->greeted)
            tell_client(s, c->process, WIFSIGNALED(status) ? "ends: its component crashed" : "leaves");
        c->process = 0;
    }
}

static void end_clients(server *s)
{
    for (int k = 0; k < MOST_CLIENTS; k++)
        if (s->clients[k].process != 0)
            end_client(&s->clients[k]);
    for (int k = 0; k < s->socket_count; k++)
        close(s->sockets[k]);
}

static void accept_clients(server *s)
{
    while (!s->options->stop || !s->options->stop(s->options->user)) {
        struct pollfd ready[TN_STREAM_SOCKETS];
        for (int k = 0; k < s->socket_count; k++)
            ready[k] = (struct pollfd){ .fd = s->sockets[k], .events = POLLIN };
        int count = poll(ready, (nfds_t)s->socket_count, WAIT);
        for (int k = 0; count > 0 && k < s->socket_count; k++)
            if (ready[k].revents & POLLIN)
                accept_client(s, s->sockets[k]);
        look_after_clients(s);
    }
}

/* ---- options ---- */

static int check_options(server *s)
{
    const tn_serve_options *o = s->options;
    if (s->count == 0 || s->count > MOST_SERVED)
        return refuse(s, "a server has 1 to 256 components");
    if (!o->token || strlen(o->token) < SHORTEST_TOKEN || strlen(o->token) >= TN_LINK_TOKEN || strpbrk(o->token, ",="))
        return refuse(s, "the token must have 8 to 127 characters, without ',' and '='");
    if ((o->certificate == NULL) != (o->key == NULL))
        return refuse(s, "a certificate needs its key, and a key its certificate");
    if (!o->certificate && !tn_net_is_loopback(o->host))
        return refuse(s, "an address that other machines reach needs TLS: a certificate and a key");
    for (size_t k = 0; k < s->count; k++)
        for (size_t j = 0; j < k; j++)
            if (strcmp(s->served[k].name, s->served[j].name) == 0)
                return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "two components are called '%.100s'", s->served[k].name);
    return TN_OK;
}

/* The key of an earlier run, or a new one. */
static int find_key(server *s)
{
    const char *path = s->options->state_key;
    if (tn_seal_key(s->key) < 0)
        return tn_fail(s->context, TN_ERROR_FILE, TN_NOWHERE, "this build has no OpenSSL, or OpenSSL has no random numbers; "
                       "a server needs both");
    if (!path)
        return TN_OK;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool made = file < 0 && errno == ENOENT;
    if (made)
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    ssize_t size = file < 0 ? -1 : made ? write(file, s->key, sizeof s->key) : read(file, s->key, sizeof s->key);
    int reason = size < 0 ? errno : EINVAL;
    if (file >= 0)
        close(file);
    if (size == (ssize_t)sizeof s->key)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "the key of saved states: %s", strerror(reason));
}

static int try_libraries(const server *s)
{
    for (size_t k = 0; k < s->count; k++) {
        char trouble[TN_VERDICT_TEXT];
        int states;
        int code = tn_probe(&states, trouble, s->served[k].library, NULL, NULL);
        if (code < 0)
            return tn_fail(s->context, code, ((tn_span){ s->served[k].library, 0, 0 }), "%s", trouble);
    }
    return TN_OK;
}

static int start_listening(server *s)
{
    char trouble[TN_STREAM_TEXT], line[120 + TN_STREAM_TEXT];
    int count = tn_stream_listen(s->sockets, s->options->host, s->options->port, trouble);
    if (count < 0)
        return tn_fail(s->context, count, TN_NOWHERE, "cannot listen at %.100s, port %.20s: %s", s->options->host,
                       s->options->port, trouble);
    s->socket_count = count;
    for (size_t k = 0; s->options->say && k < s->count; k++) {
        snprintf(line, sizeof line, "%s%.100s:%d/%.100s", s->security.plain ? "tenon+tcp://" : "tenon://", s->options->host,
                 tn_stream_port(s->sockets[0]), s->served[k].name);
        s->options->say(s->options->user, line);
    }
    return TN_OK;
}

int tn_serve(tn_context *context, const tn_served *served, size_t count, const tn_serve_options *options)
{
    server s = { .context = context, .options = options, .served = served, .count = count,
                 .security = { .plain = !options->certificate, .certificate = options->certificate, .key = options->key } };
    TN_TRY(check_options(&s));
    for (size_t k = 0; k < count; k++)
        s.names[k] = served[k].name;
    TN_TRY(find_key(&s));
    TN_TRY(try_libraries(&s));
    s.clients = mmap(NULL, MOST_CLIENTS * sizeof *s.clients, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s.clients == MAP_FAILED)
        return TN_ERROR_MEMORY;
    int code = start_listening(&s);
    if (code >= 0) {
        accept_clients(&s);
        end_clients(&s);
    }
    munmap(s.clients, MOST_CLIENTS * sizeof *s.clients);
    return code;
}
