/* The network thread of the studio: listening sockets, accepted connections with their budget, timers, and the loop. */
#include "network.h"
#include <errno.h>

_Static_assert(TN_MESSAGE_ROOM >= LWS_PRE, "messages have too little room in front");

enum {
    OPEN_FILES = 512,          /* connections, listening sockets and the library's own */
    HANDSHAKE_SECONDS = 10,    /* until a request must be complete */
    IDLE_SECONDS = 10          /* between two requests of a connection */
};
static const double STATUS = 0.25;             /* s */

tn_studio *tn_network_studio(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* ---- connections ---- */

/* Closes connections beyond the budget, the oldest first: a new client always gets in. */
static void close_excess(tn_studio *s, const char *peer)
{
    for (struct lws *excess; (excess = tn_connections_excess(&s->connections, peer));)
        lws_set_timeout(excess, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

static void accept_connections(struct lws *listening)
{
    tn_studio *s = tn_network_studio(listening);
    char peer[TN_PEER_SIZE];
    for (int fd; (fd = tn_listener_accept(lws_get_socket_fd(listening), peer)) >= 0;) {
        struct lws *wsi = lws_adopt_socket_vhost(lws_get_vhost(listening), fd);
        if (!wsi)
            continue;                                  /* the library has closed it */
        if (!tn_connections_add(&s->connections, wsi, peer))
            lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
        close_excess(s, peer);
    }
}

static int listen_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    (void)user;
    (void)in;
    (void)size;
    if (reason == LWS_CALLBACK_RAW_RX_FILE)
        accept_connections(wsi);
    return 0;
}

void tn_network_send_pending(struct lws *wsi)
{
    tn_studio *s = tn_network_studio(wsi);
    pthread_mutex_lock(&s->clients.lock);
    for (tn_download *d = s->downloads; d; d = d->next)
        if (d->done && !d->gone)
            lws_callback_on_writable(d->connection);
    pthread_mutex_unlock(&s->clients.lock);
    lws_callback_on_writable_all_protocol(lws_get_context(wsi), lws_get_protocol(wsi) + 1);
}

/* ---- life ---- */

typedef struct ticker {
    lws_sorted_usec_list_t timer;
    tn_studio *studio;
} ticker;

static const struct lws_protocols protocols[] = {
    { .name = "http", .callback = tn_http_callback, .per_session_data_size = sizeof(tn_http_reply) },
    { .name = "tenon.1", .callback = tn_socket_callback, .per_session_data_size = sizeof(tn_socket_state),
      .rx_buffer_size = 1 << 16 },
    { .name = "listen", .callback = listen_callback },
    { .name = NULL },
};
/* s: a client that answers no ping is gone. */
static const lws_retry_bo_t patience = { .secs_since_valid_ping = 20, .secs_since_valid_hangup = 60 };

/* The library gets the listening sockets, and closes them in the end. */
static bool adopt_listener(tn_listener *listener, struct lws_vhost *host)
{
    for (; listener->count > 0; listener->count--) {
        lws_sock_file_fd_type fd = { .filefd = listener->sockets[listener->count - 1] };
        if (!lws_adopt_descriptor_vhost(host, LWS_ADOPT_RAW_FILE_DESC, fd, "listen", NULL))
            return false;
    }
    return true;
}

int tn_network_open(tn_studio *s)
{
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER, .protocols = protocols, .user = s, .gid = -1, .uid = -1,
        .timeout_secs = HANDSHAKE_SECONDS, .keepalive_timeout = IDLE_SECONDS, .retry_and_idle_policy = &patience,
        .fd_limit_per_thread = OPEN_FILES, .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
    };
    if (s->options.certificate) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = s->options.certificate;
        info.ssl_private_key_filepath = s->options.key;
        info.alpn = "http/1.1";
        s->access.secure = true;
    }
    tn_listener listener;
    if (!tn_listener_open(&listener, s->options.host, s->options.port))
        return TN_ERROR_FILE;
    s->access.port = listener.port;
    lws_set_log_level(0, NULL);
    s->network = lws_create_context(&info);
    struct lws_vhost *host = s->network ? lws_create_vhost(s->network, &info) : NULL;
    bool good = host && adopt_listener(&listener, host);
    tn_listener_close(&listener);
    errno = s->options.certificate && s->network && !host ? EPROTO : ENOMEM;
    return good ? TN_OK : TN_ERROR_FILE;
}

void tn_network_wake(void *user)
{
    tn_studio *s = user;
    if (s->network)
        lws_cancel_service(s->network);
}

static void broadcast_status(lws_sorted_usec_list_t *timer)
{
    tn_studio *s = lws_container_of(timer, ticker, timer)->studio;
    tn_studio_tell_status(s);
    for (const tn_connection *c = s->connections.newest; c; c = c->next)
        if (c->phase == TN_CONNECTION_UPGRADED)
            tn_socket_cut_off(c->handle);
    lws_sul_schedule(s->network, 0, timer, broadcast_status, (lws_usec_t)(STATUS * LWS_US_PER_SEC));
}

void tn_network_serve(tn_studio *s, bool (*stop)(void))
{
    ticker t = { .studio = s };
    lws_sul_schedule(s->network, 0, &t.timer, broadcast_status, 1);
    while (!stop() && lws_service(s->network, 0) >= 0)
        ;
    lws_sul_schedule(s->network, 0, &t.timer, broadcast_status, LWS_SET_TIMER_USEC_CANCEL);
}

void tn_network_close(tn_studio *s)
{
    if (s->network)
        lws_context_destroy(s->network);
    s->network = NULL;
    tn_connections_clear(&s->connections);
}
