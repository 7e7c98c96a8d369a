/* Links to components that another program serves: addresses, the greeting, requests and answers. */
#include "link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isolated_impl.h"

/* s: to connect and greet; to send an answer; between two requests (a client that pauses keeps its component). */
static const double GREETING_LIMIT = 10, ANSWER_LIMIT = 60, IDLE_LIMIT = INFINITY;
/* Increases when a message changes its meaning. */
enum { LINK_VERSION = 1 };
static const char MAGIC[8] = "tenon/c";
static const double BYTE_ORDER_MARK = 0x1.23456789abcdep+100;

typedef struct greeting {
    char magic[8];
    uint32_t version, component_version, exchange, declaration;
    double mark;
    char engine[24], token[TN_LINK_TOKEN], name[128];
} greeting;

typedef struct welcome {
    int32_t code;
    char text[TN_STREAM_TEXT];
} welcome;

typedef struct header {
    int32_t request_or_code;
    uint32_t unused;
    uint64_t length;
} header;

struct tn_link {
    tn_stream *stream;
    double delay;                  /* s: the shortest time that an answer has taken */
    double sent;                   /* when the last request went out */
};

/* ---- addresses ---- */

static const char SECURE[] = "tenon://", PLAIN[] = "tenon+tcp://";

bool tn_link_is_address(const char *text)
{
    return strncmp(text, SECURE, strlen(SECURE)) == 0 || strncmp(text, PLAIN, strlen(PLAIN)) == 0;
}

static bool copy_part(char *out, size_t room, const char *begin, const char *end)
{
    size_t length = (size_t)(end - begin);
    if (end <= begin || length >= room)
        return false;
    memcpy(out, begin, length);
    out[length] = '\0';
    return true;
}

int tn_link_parse(tn_link_address *out, const char *text, char trouble[TN_STREAM_TEXT])
{
    *out = (tn_link_address){ .plain = strncmp(text, PLAIN, strlen(PLAIN)) == 0 };
    const char *host = text + strlen(out->plain ? PLAIN : SECURE), *slash = strchr(host, '/');
    const char *bracket = *host == '[' ? strchr(host, ']') : NULL;
    const char *colon = strchr(bracket ? bracket : host, ':');
    bool good = slash && colon && colon < slash &&
                copy_part(out->host, sizeof out->host, host + (bracket ? 1 : 0), bracket ? bracket : colon) &&
                copy_part(out->port, sizeof out->port, colon + 1, slash) &&
                strspn(out->port, "0123456789") == strlen(out->port) &&
                copy_part(out->name, sizeof out->name, slash + 1, slash + 1 + strlen(slash + 1));
    if (!good) {
        snprintf(trouble, TN_STREAM_TEXT, "is no address; an address is tenon://HOST:PORT/NAME");
        return TN_ERROR_ARGUMENT;
    }
    if (out->plain && !tn_net_is_loopback(out->host)) {
        snprintf(trouble, TN_STREAM_TEXT, "is not on this machine: tenon+tcp:// has no TLS; take tenon://");
        return TN_ERROR_ARGUMENT;
    }
    return TN_OK;
}

/* ---- the greeting ---- */

static greeting make_greeting(const char *token, const char *name)
{
    greeting g = { .version = LINK_VERSION, .component_version = TN_COMPONENT_VERSION, .mark = BYTE_ORDER_MARK,
                   .exchange = sizeof(tn_isolated_exchange), .declaration = sizeof(tn_isolated_declaration) };
    memcpy(g.magic, MAGIC, sizeof g.magic);
    snprintf(g.engine, sizeof g.engine, "%s", tn_version());
    snprintf(g.token, sizeof g.token, "%s", token ? token : "");
    snprintf(g.name, sizeof g.name, "%s", name);
    return g;
}

static int greet(tn_link *l, const tn_link_address *a, const char *token, char trouble[TN_STREAM_TEXT])
{
    const greeting g = make_greeting(token, a->name);
    welcome w;
    double begin = tn_clock();
    if (tn_stream_send(l->stream, &g, sizeof g, GREETING_LIMIT) < 0 ||
        tn_stream_receive(l->stream, &w, sizeof w, GREETING_LIMIT) < 0) {
        snprintf(trouble, TN_STREAM_TEXT, "the server does not answer; is it 'tenon serve', with TLS where the address has it?");
        return TN_ERROR_FILE;
    }
    l->delay = tn_clock() - begin;
    w.text[sizeof w.text - 1] = '\0';
    snprintf(trouble, TN_STREAM_TEXT, "%s", w.text);
    return w.code == TN_OK ? TN_OK : TN_ERROR_ARGUMENT;
}

int tn_link_open(tn_link **out, const tn_link_address *a, const char *token, const char *authority,
                 char trouble[TN_STREAM_TEXT])
{
    const tn_stream_security security = { .plain = a->plain, .authority = authority };
    tn_link *l = calloc(1, sizeof *l);
    if (!l)
        return TN_ERROR_MEMORY;
    int code = tn_stream_connect(&l->stream, a->host, a->port, &security, GREETING_LIMIT, trouble);
    if (code >= 0)
        code = greet(l, a, token, trouble);
    if (code < 0)
        tn_link_close(l);
    else
        *out = l;
    return code;
}

/* Compares in a time that does not depend on where the texts differ. */
static bool same_token(const char given[TN_LINK_TOKEN], const char *wanted)
{
    char padded[TN_LINK_TOKEN] = "";
    unsigned difference = 0;
    snprintf(padded, sizeof padded, "%s", wanted);
    for (size_t k = 0; k < sizeof padded; k++)
        difference |= (unsigned char)(given[k] ^ padded[k]);
    return difference == 0;
}

static int judge_greeting(welcome *w, const greeting *g, const tn_link_offer *o, size_t *index)
{
    const greeting own = make_greeting("", "");
    w->code = TN_ERROR_ARGUMENT;
    if (memcmp(g->magic, MAGIC, sizeof g->magic) != 0)
        return TN_ERROR_ARGUMENT;
    if (g->version != own.version || g->component_version != own.component_version || g->exchange != own.exchange ||
        g->declaration != own.declaration || g->mark != own.mark || strncmp(g->engine, own.engine, sizeof own.engine) != 0) {
        snprintf(w->text, sizeof w->text, "the server is Tenon %s and this program is Tenon %.20s: both must be the same",
                 own.engine, g->engine);
        return TN_ERROR_ARGUMENT;
    }
    if (!same_token(g->token, o->token)) {
        snprintf(w->text, sizeof w->text, "the server does not accept the token; TENON_TOKEN gives it");
        return TN_ERROR_ARGUMENT;
    }
    for (*index = 0; *index < o->count && strncmp(g->name, o->served[*index], sizeof g->name) != 0;)
        ++*index;
    if (*index == o->count) {
        const char *near = tn_nearest_text(g->name, o->served, o->count);
        snprintf(w->text, sizeof w->text, "the server has no component '%.60s'%s%.60s%s", g->name, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
    } else if (!o->enter(o->user)) {
        snprintf(w->text, sizeof w->text, "the server has no room: %d components at a time (its option --clients)", o->most);
    } else {
        w->code = TN_OK;
    }
    return w->code;
}

int tn_link_accept(tn_link **out, int socket, const tn_stream_security *security, const tn_link_offer *offer, size_t *index)
{
    char trouble[TN_STREAM_TEXT];
    greeting g;
    welcome w = { 0 };
    tn_link *l = calloc(1, sizeof *l);
    if (!l)
        return TN_ERROR_MEMORY;
    int code = tn_stream_accept(&l->stream, socket, security, GREETING_LIMIT, trouble);
    if (code >= 0)
        code = tn_stream_receive(l->stream, &g, sizeof g, GREETING_LIMIT);
    if (code >= 0) {
        g.engine[sizeof g.engine - 1] = g.token[sizeof g.token - 1] = g.name[sizeof g.name - 1] = '\0';
        code = judge_greeting(&w, &g, offer, index);
        int sent = tn_stream_send(l->stream, &w, sizeof w, GREETING_LIMIT);
        code = code < 0 ? code : sent;
    }
    if (code < 0)
        tn_link_close(l);
    else
        *out = l;
    return code;
}

/* ---- messages ---- */

static int send_message(tn_link *l, int number, const void *room, size_t length, double limit)
{
    const header h = { .request_or_code = number, .length = length };
    TN_TRY(tn_stream_send(l->stream, &h, sizeof h, limit));
    return tn_stream_send(l->stream, room, length, limit);
}

static int receive_message(tn_link *l, int *number, void *room, size_t *length, size_t most, double wait, double limit)
{
    header h;
    TN_TRY(tn_stream_receive(l->stream, &h, sizeof h, wait));
    if (h.length > most)
        return TN_ERROR_ARGUMENT;
    *number = h.request_or_code;
    *length = (size_t)h.length;
    return tn_stream_receive(l->stream, room, *length, limit);
}

int tn_link_send(tn_link *l, int request, const void *room, size_t length, double limit)
{
    l->sent = tn_clock();
    return send_message(l, request, room, length, limit) < 0 ? TN_ERROR_FILE : TN_OK;
}

int tn_link_wait(tn_link *l, void *room, size_t *length, size_t most, double limit)
{
    int code = TN_OK;
    if (receive_message(l, &code, room, length, most, limit, limit) < 0)
        return TN_ERROR_FILE;
    l->delay = fmin(l->delay, tn_clock() - l->sent);
    return code == TN_ERROR_FILE ? TN_ERROR_ARGUMENT : code;
}

int tn_link_call(tn_link *l, int request, void *room, size_t *length, size_t most, double limit)
{
    TN_TRY(tn_link_send(l, request, room, *length, limit));
    return tn_link_wait(l, room, length, most, limit);
}

int tn_link_receive(tn_link *l, int *request, void *room, size_t *length, size_t most)
{
    return receive_message(l, request, room, length, most, IDLE_LIMIT, ANSWER_LIMIT);
}

int tn_link_answer(tn_link *l, int code, const void *room, size_t length)
{
    return send_message(l, code, room, length, ANSWER_LIMIT);
}

double tn_link_delay(const tn_link *l)
{
    return l->delay;
}

void tn_link_close(tn_link *l)
{
    if (!l)
        return;
    tn_stream_close(l->stream);
    free(l);
}
