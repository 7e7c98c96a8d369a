/* HTTP and WebSocket, in one thread. Nothing here waits: what takes time is done elsewhere and sent when it is
 * there. */
#include "download.h"
#include "request.h"
#include <errno.h>
#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TN_MESSAGE_ROOM >= LWS_PRE, "messages have too little room in front");

enum { HEADERS = 2048, HOST_SIZE = 300, MOST_CLIENTS = 64 };
static const double STATUS = 0.25;             /* s */

/* Of an HTTP request: what is being sent. */
typedef struct reply {
    tn_download *download;     /* NULL: none */
    const char *body;          /* borrowed; NULL: not yet known */
    size_t size;
} reply;

/* Of a WebSocket. */
typedef struct seat {
    tn_client *client;
    char *text;                /* the message so far */
    size_t size, capacity;
    bool skipping;             /* it is too long: its rest is not kept */
    int nonsense;
} seat;

static tn_studio *studio_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* ---- who comes in ---- */

static const char *header(struct lws *wsi, enum lws_token_indexes which, char buffer[HOST_SIZE])
{
    int length = lws_hdr_copy(wsi, buffer, HOST_SIZE, which);
    return length > 0 ? buffer : NULL;
}

/* A header that is too long is not the right one. */
static bool is_from_here(struct lws *wsi)
{
    const tn_access *access = &studio_of(wsi)->access;
    char buffer[HOST_SIZE];
    if (!tn_access_host_good(access, header(wsi, WSI_TOKEN_HOST, buffer)))
        return false;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0)
        return true;
    const char *origin = header(wsi, WSI_TOKEN_ORIGIN, buffer);
    return origin && tn_access_origin_good(access, origin);
}

static tn_right right_of(struct lws *wsi)
{
    char buffer[HOST_SIZE];
    const char *token = lws_get_urlarg_by_name(wsi, "token=", buffer, sizeof buffer);
    return tn_access_right(&studio_of(wsi)->access, token);
}

/* ---- HTTP ---- */

static int refuse(struct lws *wsi, unsigned status)
{
    lws_return_http_status(wsi, status, NULL);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end) == 0;
}

/* Nothing but this page may be loaded into it, and no other page may have it in a frame. */
static bool add_policy(struct lws *wsi, unsigned char **at, unsigned char *end)
{
    char host[HOST_SIZE], policy[1024];
    snprintf(policy, sizeof policy, "default-src 'self' 'unsafe-inline' data: blob:; connect-src 'self' ws://%s data: "
             "blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
             header(wsi, WSI_TOKEN_HOST, host) ? host : "");
    return add_header(wsi, "content-security-policy:", policy, at, end) &&
           add_header(wsi, "x-content-type-options:", "nosniff", at, end) &&
           add_header(wsi, "referrer-policy:", "no-referrer", at, end) &&
           add_header(wsi, "cache-control:", "no-store", at, end);
}

static int send_headers(struct lws *wsi, const reply *r, const char *type, const char *disposition)
{
    unsigned char room[LWS_PRE + HEADERS], *start = room + LWS_PRE, *at = start, *end = room + sizeof room - 1;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, r->size, &at, end) != 0 || !add_policy(wsi, &at, end) ||
        (disposition && !add_header(wsi, "content-disposition:", disposition, &at, end)) ||
        lws_finalize_write_http_header(wsi, start, &at, end) != 0)
        return -1;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_page(struct lws *wsi, reply *r)
{
    r->body = studio_of(wsi)->options.page;
    r->size = strlen(r->body);
    return send_headers(wsi, r, "text/html; charset=utf-8", NULL);
}

static int begin_download(struct lws *wsi, reply *r, const char *what)
{
    if (right_of(wsi) == TN_RIGHT_NONE)
        return refuse(wsi, HTTP_STATUS_FORBIDDEN);
    r->download = tn_download_begin(studio_of(wsi), what, wsi);
    if (!r->download)
        return refuse(wsi, HTTP_STATUS_NOT_FOUND);
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);       /* the solver may take its time */
    return 0;
}

static int answer_request(struct lws *wsi, reply *r, const char *path)
{
    static const char export[] = "/export/";
    *r = (reply){ 0 };
    if (!is_from_here(wsi))
        return refuse(wsi, HTTP_STATUS_FORBIDDEN);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0)
        return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    if (strcmp(path, "/") == 0 || strcmp(path, "/index.html") == 0)
        return send_page(wsi, r);
    if (strncmp(path, export, sizeof export - 1) == 0)
        return begin_download(wsi, r, path + sizeof export - 1);
    return refuse(wsi, HTTP_STATUS_NOT_FOUND);
}

static int begin_sending(struct lws *wsi, reply *r)
{
    char disposition[400];
    const tn_download *d = r->download;
    if (!d->bytes)
        return refuse(wsi, HTTP_STATUS_INTERNAL_SERVER_ERROR);
    snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", d->name);
    r->body = d->bytes;
    r->size = d->size;
    return send_headers(wsi, r, d->type, disposition);
}

static int send_body(struct lws *wsi, const reply *r)
{
    unsigned char *copy = malloc(LWS_PRE + r->size);
    if (!copy)
        return -1;
    memcpy(copy + LWS_PRE, r->body, r->size);
    int written = lws_write(wsi, copy + LWS_PRE, r->size, LWS_WRITE_HTTP_FINAL);
    free(copy);
    return written < 0 || lws_http_transaction_completed(wsi) ? -1 : 0;
}

static void end_reply(reply *r)
{
    if (r && r->download)
        tn_download_end(r->download);
    if (r)
        *r = (reply){ 0 };
}

static int on_writable(struct lws *wsi, reply *r)
{
    if (r->body) {
        reply last = *r;                               /* the end of a transaction may free r */
        *r = (reply){ 0 };
        int code = send_body(wsi, &last);
        end_reply(&last);
        return code;
    }
    return r->download && tn_download_done(r->download) ? begin_sending(wsi, r) : 0;
}

/* Another thread said that there is something to send. */
static void send_what_is_there(tn_studio *s, struct lws *wsi)
{
    pthread_mutex_lock(&s->clients.lock);
    for (tn_download *d = s->downloads; d; d = d->next)
        if (d->done && !d->gone)
            lws_callback_on_writable(d->connection);
    pthread_mutex_unlock(&s->clients.lock);
    lws_callback_on_writable_all_protocol(lws_get_context(wsi), lws_get_protocol(wsi) + 1);
}

/* > 0: refused, with an answer. */
static int confirm_upgrade(struct lws *wsi)
{
    char path[HOST_SIZE], protocol[HOST_SIZE];
    tn_right right = right_of(wsi);
    const char *given = header(wsi, WSI_TOKEN_GET_URI, path), *offered = header(wsi, WSI_TOKEN_PROTOCOL, protocol);
    unsigned status = 0;
    if (!is_from_here(wsi) || right == TN_RIGHT_NONE)
        status = HTTP_STATUS_FORBIDDEN;
    else if (!given || strcmp(given, "/session") != 0)
        status = HTTP_STATUS_NOT_FOUND;
    else if (!offered || !strstr(offered, "tenon.1"))
        status = HTTP_STATUS_BAD_REQUEST;
    else if (studio_of(wsi)->clients.count >= MOST_CLIENTS)
        status = HTTP_STATUS_SERVICE_UNAVAILABLE;
    if (status == 0) {
        lws_set_opaque_user_data(wsi, (void *)(intptr_t)right);
        return 0;
    }
    lws_return_http_status(wsi, status, NULL);
    return 1;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer_request(wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_writable(wsi, user);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        end_reply(user);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        send_what_is_there(studio_of(wsi), wsi);
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

/* ---- WebSocket ---- */

static int show_frame(void *user, tn_session *session)
{
    tn_studio *s = user;
    if (session)
        s->stage.frame_due = true;
    return TN_OK;
}

static int enter(struct lws *wsi, seat *place)
{
    tn_studio *s = studio_of(wsi);
    *place = (seat){ .client = tn_client_create(&s->clients, (tn_right)(intptr_t)lws_get_opaque_user_data(wsi)) };
    if (!place->client)
        return -1;
    cJSON *hello = tn_studio_hello(s, place->client);
    tn_message *message = tn_message_take(cJSON_PrintUnformatted(hello));
    cJSON_Delete(hello);
    if (message) {
        tn_client_send(&s->clients, place->client, message);
        tn_message_drop(&s->clients, message);
    }
    tn_client_join(&s->clients, place->client, &s->stage.bulletin.scene);
    tn_runner_send(s->stage.runner, show_frame, s);
    return 0;
}

static void leave(struct lws *wsi, seat *place)
{
    if (place->client)
        tn_client_leave(&studio_of(wsi)->clients, place->client);
    free(place->text);
    *place = (seat){ 0 };
}

static bool keep(seat *place, const void *bytes, size_t size)
{
    if (place->size + size > TN_MESSAGE_LIMIT)
        return false;
    if (place->size + size > place->capacity) {
        size_t capacity = 2 * place->capacity > place->size + size ? 2 * place->capacity : place->size + size;
        char *grown = realloc(place->text, capacity);
        if (!grown)
            return false;
        place->text = grown;
        place->capacity = capacity;
    }
    if (size > 0)
        memcpy(place->text + place->size, bytes, size);
    place->size += size;
    return true;
}

/* A whole message is there. A client that goes on sending nonsense is cut off. */
static int take_message(struct lws *wsi, seat *place)
{
    tn_studio *s = studio_of(wsi);
    const char *wrong = place->skipping ? "a message is longer than 4 MiB" : lws_frame_is_binary(wsi)
                        ? "messages to the studio are text" : NULL;
    bool sense = false;
    if (wrong)
        tn_request_nonsense(s, place->client, wrong);
    else
        sense = tn_request_take(s, place->client, place->text ? place->text : "", place->size);
    place->size = 0;
    place->skipping = false;
    if (place->capacity > 1 << 16) {                   /* not kept for the next, which will be short */
        free(place->text);
        place->text = NULL;
        place->capacity = 0;
    }
    place->nonsense += !sense;
    return place->nonsense > TN_MOST_NONSENSE ? -1 : 0;
}

static int receive(struct lws *wsi, seat *place, const void *bytes, size_t size)
{
    if (!place->skipping && !keep(place, bytes, size))
        place->skipping = true;
    if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi))
        return 0;
    return take_message(wsi, place);
}

/* One piece at a time: answers and news first, then the latest frame. */
static int send_next(struct lws *wsi, seat *place)
{
    tn_clients *clients = &studio_of(wsi)->clients;
    tn_client *client = place->client;
    int written = 0;
    pthread_mutex_lock(&clients->lock);
    bool overflown = client->overflown, more = client->count + client->fresh > 1;
    pthread_mutex_unlock(&clients->lock);
    if (overflown)
        return -1;
    tn_message *message = tn_client_next(clients, client);
    if (message) {
        written = lws_write(wsi, message->bytes, message->size, LWS_WRITE_TEXT);
        tn_message_drop(clients, message);
    } else if (tn_client_take_frame(clients, client)) {
        written = lws_write(wsi, client->front.room + TN_MESSAGE_ROOM, client->front.size, LWS_WRITE_BINARY);
    }
    if (more)
        lws_callback_on_writable(wsi);
    return written < 0 ? -1 : 0;
}

/* Where nothing can be written, nobody would notice that the queue is full. */
static void cut_off(struct lws *wsi, const seat *place)
{
    tn_clients *clients = &studio_of(wsi)->clients;
    pthread_mutex_lock(&clients->lock);
    bool overflown = place->client && place->client->overflown;
    pthread_mutex_unlock(&clients->lock);
    if (overflown)
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

static int on_session(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        return enter(wsi, user);
    case LWS_CALLBACK_RECEIVE:
        return receive(wsi, user, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_next(wsi, user);
    case LWS_CALLBACK_CLOSED:
        leave(wsi, user);
        return 0;
    case LWS_CALLBACK_USER:
        cut_off(wsi, user);
        return 0;
    default:
        return 0;
    }
}

/* ---- life ---- */

typedef struct ticker {
    lws_sorted_usec_list_t timer;
    tn_studio *studio;
} ticker;

static const struct lws_protocols protocols[] = {
    { .name = "http", .callback = on_http, .per_session_data_size = sizeof(reply) },
    { .name = "tenon.1", .callback = on_session, .per_session_data_size = sizeof(seat), .rx_buffer_size = 1 << 16 },
    { .name = NULL },
};
/* s: those who answer no ping are gone. */
static const lws_retry_bo_t patience = { .secs_since_valid_ping = 20, .secs_since_valid_hangup = 60 };

int tn_network_open(tn_studio *s)
{
    struct lws_context_creation_info info = {
        .port = s->options.port, .iface = s->access.host, .protocols = protocols, .user = s, .gid = -1,
        .uid = -1, .timeout_secs = 10, .keepalive_timeout = 10, .retry_and_idle_policy = &patience,
        .fd_limit_per_thread = 4 * MOST_CLIENTS, .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                                                            LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
    };
    lws_set_log_level(0, NULL);
    s->network = lws_create_context(&info);
    errno = EADDRINUSE;
    struct lws_vhost *host = s->network ? lws_create_vhost(s->network, &info) : NULL;
    s->access.port = host ? lws_get_vhost_listen_port(host) : 0;
    return host && s->access.port > 0 ? TN_OK : TN_ERROR_FILE;
}

void tn_network_wake(void *user)
{
    tn_studio *s = user;
    if (s->network)
        lws_cancel_service(s->network);
}

static void tell_status(lws_sorted_usec_list_t *timer)
{
    tn_studio *s = lws_container_of(timer, ticker, timer)->studio;
    tn_studio_tell_status(s);
    lws_callback_all_protocol(s->network, &protocols[1], LWS_CALLBACK_USER);
    lws_sul_schedule(s->network, 0, timer, tell_status, (lws_usec_t)(STATUS * LWS_US_PER_SEC));
}

void tn_network_serve(tn_studio *s, bool (*stop)(void))
{
    ticker t = { .studio = s };
    lws_sul_schedule(s->network, 0, &t.timer, tell_status, 1);
    while (!stop() && lws_service(s->network, 0) >= 0)
        ;
    lws_sul_schedule(s->network, 0, &t.timer, tell_status, LWS_SET_TIMER_USEC_CANCEL);
}

void tn_network_close(tn_studio *s)
{
    if (s->network)
        lws_context_destroy(s->network);
    s->network = NULL;
}
