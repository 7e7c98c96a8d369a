/* Byte streams over TCP, with TLS by OpenSSL. The sockets never block: each wait is a poll with the time that is left. TLS works
 * on memory, so that this file sends and receives all bytes itself, without SIGPIPE. */
#define _GNU_SOURCE                /* accept4, SOCK_NONBLOCK */
#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "mem.h"

enum { RECORD = 16384, BACKLOG = 64 };

struct tn_stream {
    int socket;
    SSL_CTX *settings;
    SSL *tls;                      /* NULL: plain */
    BIO *incoming, *outgoing;      /* memory of tls; owned by it */
};

/* ---- the socket ---- */

/* Waits until the socket is ready. False: the time has passed. */
static bool wait_ready(int socket, short events, double deadline)
{
    for (;;) {
        double left = deadline - tn_clock();
        if (left <= 0)
            return false;
        struct pollfd p = { .fd = socket, .events = events };
        int ready = poll(&p, 1, left > 1e6 ? -1 : (int)ceil(1000 * left));
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

static int send_bytes(int socket, const void *bytes, size_t size, double deadline)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            size -= (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!wait_ready(socket, POLLOUT, deadline))
                return TN_ERROR_FILE;
        } else if (sent == 0 || errno != EINTR) {
            return TN_ERROR_FILE;
        }
    }
    return TN_OK;
}

/* Receives what has arrived, at least one byte. */
static ssize_t receive_some(int socket, void *bytes, size_t room, double deadline)
{
    for (;;) {
        ssize_t got = recv(socket, bytes, room, 0);
        if (got > 0)
            return got;
        if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            return TN_ERROR_FILE;
        if (errno != EINTR && !wait_ready(socket, POLLIN, deadline))
            return TN_ERROR_FILE;
    }
}

static void set_up_socket(int socket)
{
    const int on = 1, idle = 60, interval = 15, probes = 4;            /* s, s: a peer that is gone is noticed in two minutes */
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

/* ---- TLS ---- */

/* Sends what TLS has written into its memory. */
static int flush_tls(tn_stream *s, double deadline)
{
    char record[RECORD];
    for (int size; (size = BIO_read(s->outgoing, record, sizeof record)) > 0;)
        TN_TRY(send_bytes(s->socket, record, (size_t)size, deadline));
    return TN_OK;
}

/* After a TLS function returned a code: does what it waits for. TN_OK: call the function again. */
static int follow_tls(tn_stream *s, int code, double deadline)
{
    int wanted = SSL_get_error(s->tls, code);
    TN_TRY(flush_tls(s, deadline));
    if (wanted == SSL_ERROR_WANT_WRITE)
        return TN_OK;
    if (wanted != SSL_ERROR_WANT_READ)
        return TN_ERROR_FILE;
    char record[RECORD];
    ssize_t got = receive_some(s->socket, record, sizeof record, deadline);
    return got > 0 && BIO_write(s->incoming, record, (int)got) == got ? TN_OK : TN_ERROR_FILE;
}

static int explain_tls(char trouble[TN_STREAM_TEXT], const tn_stream *s, const char *what)
{
    long verdict = s->tls ? SSL_get_verify_result(s->tls) : X509_V_OK;
    unsigned long error = ERR_get_error();
    const char *reason = verdict != X509_V_OK ? X509_verify_cert_error_string(verdict) : ERR_reason_error_string(error);
    ERR_clear_error();
    snprintf(trouble, TN_STREAM_TEXT, "%s: %.120s", what, reason ? reason : "the other side ended the connection");
    return TN_ERROR_FILE;
}

static int shake_hands(tn_stream *s, double deadline, char trouble[TN_STREAM_TEXT])
{
    for (int code; (code = SSL_do_handshake(s->tls)) != 1;)
        if (follow_tls(s, code, deadline) < 0)
            return explain_tls(trouble, s, "TLS cannot be agreed on");
    return flush_tls(s, deadline);
}

static bool load_server(SSL_CTX *settings, const tn_stream_security *security)
{
    return SSL_CTX_use_certificate_chain_file(settings, security->certificate) == 1 &&
           SSL_CTX_use_PrivateKey_file(settings, security->key, SSL_FILETYPE_PEM) == 1 &&
           SSL_CTX_check_private_key(settings) == 1;
}

static bool load_client(SSL_CTX *settings, const tn_stream_security *security)
{
    SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, NULL);
    return security->authority ? SSL_CTX_load_verify_locations(settings, security->authority, NULL) == 1
                               : SSL_CTX_set_default_verify_paths(settings) == 1;
}

/* The certificate must name the host, which may be an address. */
static bool expect_host(SSL *tls, const char *host)
{
    unsigned char address[16];
    bool numeric = inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
    if (numeric)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host) == 1;
    return SSL_set1_host(tls, host) == 1 && SSL_set_tlsext_host_name(tls, host) == 1;
}

/* host: of the server that is connected to; NULL: this side is the server. */
static int begin_tls(tn_stream *s, const char *host, const tn_stream_security *security, double deadline,
                     char trouble[TN_STREAM_TEXT])
{
    s->settings = SSL_CTX_new(host ? TLS_client_method() : TLS_server_method());
    if (!s->settings || SSL_CTX_set_min_proto_version(s->settings, TLS1_2_VERSION) != 1 ||
        !(host ? load_client(s->settings, security) : load_server(s->settings, security)))
        return explain_tls(trouble, s, "the certificate or key cannot be used");
    s->tls = SSL_new(s->settings);
    s->incoming = BIO_new(BIO_s_mem());
    s->outgoing = BIO_new(BIO_s_mem());
    if (!s->tls || !s->incoming || !s->outgoing) {
        BIO_free(s->incoming);
        BIO_free(s->outgoing);
        return TN_ERROR_MEMORY;
    }
    SSL_set_bio(s->tls, s->incoming, s->outgoing);
    if (host && !expect_host(s->tls, host))
        return explain_tls(trouble, s, "the host's name cannot be checked");
    if (host)
        SSL_set_connect_state(s->tls);
    else
        SSL_set_accept_state(s->tls);
    return shake_hands(s, deadline, trouble);
}

/* ---- streams ---- */

/* Takes over the socket, also when it fails. */
static int open_stream(tn_stream **out, int socket, const char *host, const tn_stream_security *security, double deadline,
                       char trouble[TN_STREAM_TEXT])
{
    tn_stream *s = calloc(1, sizeof *s);
    if (!s) {
        close(socket);
        return TN_ERROR_MEMORY;
    }
    s->socket = socket;
    set_up_socket(socket);
    int code = security->plain ? TN_OK : begin_tls(s, host, security, deadline, trouble);
    if (code < 0)
        tn_stream_close(s);
    else
        *out = s;
    return code;
}

int tn_stream_accept(tn_stream **out, int socket, const tn_stream_security *security, double limit, char trouble[TN_STREAM_TEXT])
{
    return open_stream(out, socket, NULL, security, tn_clock() + limit, trouble);
}

/* A connected socket, or -1 with errno. */
static int connect_to(const struct addrinfo *a, double deadline)
{
    int s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol), error = 0;
    socklen_t size = sizeof error;
    if (s < 0)
        return -1;
    if (connect(s, a->ai_addr, a->ai_addrlen) == 0)
        return s;
    error = errno;
    if (error == EINPROGRESS) {
        bool ready = wait_ready(s, POLLOUT, deadline);
        if (!ready || getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
            error = ETIMEDOUT;
    }
    if (error == 0)
        return s;
    close(s);
    errno = error;
    return -1;
}

static int find_addresses(struct addrinfo **list, const char *host, const char *port, int flags, char trouble[TN_STREAM_TEXT])
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags };
    int code = getaddrinfo(host, port, &hints, list);
    if (code == 0)
        return TN_OK;
    snprintf(trouble, TN_STREAM_TEXT, "%.80s: %s", host, gai_strerror(code));
    return TN_ERROR_FILE;
}

int tn_stream_connect(tn_stream **out, const char *host, const char *port, const tn_stream_security *security, double limit,
                      char trouble[TN_STREAM_TEXT])
{
    struct addrinfo *list;
    double deadline = tn_clock() + limit;
    int s = -1;
    TN_TRY(find_addresses(&list, host, port, 0, trouble));
    for (const struct addrinfo *a = list; a && s < 0; a = a->ai_next)
        s = connect_to(a, deadline);
    if (s < 0)
        snprintf(trouble, TN_STREAM_TEXT, "%s", strerror(errno));
    freeaddrinfo(list);
    return s < 0 ? TN_ERROR_FILE : open_stream(out, s, host, security, deadline, trouble);
}

int tn_stream_listen(int sockets[TN_STREAM_SOCKETS], const char *host, const char *port, char trouble[TN_STREAM_TEXT])
{
    struct addrinfo *list;
    const int on = 1;
    int count = 0;
    TN_TRY(find_addresses(&list, host, port, AI_PASSIVE, trouble));
    for (const struct addrinfo *a = list; a && count < TN_STREAM_SOCKETS; a = a->ai_next) {
        int s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
        if (s < 0)
            continue;
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (a->ai_family == AF_INET6)
            setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
        if (bind(s, a->ai_addr, a->ai_addrlen) == 0 && listen(s, BACKLOG) == 0) {
            sockets[count++] = s;
            continue;
        }
        snprintf(trouble, TN_STREAM_TEXT, "%s", strerror(errno));
        close(s);
    }
    freeaddrinfo(list);
    return count > 0 ? count : TN_ERROR_FILE;
}

int tn_stream_port(int socket)
{
    struct sockaddr_storage a;
    socklen_t size = sizeof a;
    if (getsockname(socket, (struct sockaddr *)&a, &size) < 0)
        return -1;
    return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port : ((struct sockaddr_in *)&a)->sin_port);
}

int tn_stream_send(tn_stream *s, const void *bytes, size_t size, double limit)
{
    double deadline = tn_clock() + limit;
    if (!s->tls)
        return send_bytes(s->socket, bytes, size, deadline);
    for (const char *at = bytes; size > 0;) {
        size_t sent;
        int code = SSL_write_ex(s->tls, at, size < RECORD ? size : RECORD, &sent);
        if (code != 1) {
            TN_TRY(follow_tls(s, code, deadline));
            continue;
        }
        at += sent;
        size -= sent;
        TN_TRY(flush_tls(s, deadline));
    }
    return TN_OK;
}

int tn_stream_receive(tn_stream *s, void *bytes, size_t size, double limit)
{
    double deadline = tn_clock() + limit;
    for (char *at = bytes; size > 0;) {
        size_t got = 0;
        if (s->tls) {
            int code = SSL_read_ex(s->tls, at, size, &got);
            if (code != 1)
                TN_TRY(follow_tls(s, code, deadline));
        } else {
            ssize_t some = receive_some(s->socket, at, size, deadline);
            if (some < 0)
                return TN_ERROR_FILE;
            got = (size_t)some;
        }
        at += got;
        size -= got;
    }
    return TN_OK;
}

void tn_stream_close(tn_stream *s)
{
    if (!s)
        return;
    if (s->tls && SSL_is_init_finished(s->tls) && SSL_shutdown(s->tls) >= 0)
        flush_tls(s, tn_clock() + 1);
    SSL_free(s->tls);
    SSL_CTX_free(s->settings);
    ERR_clear_error();
    close(s->socket);
    free(s);
}

static bool is_loopback_address(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
    return a->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

bool tn_net_is_loopback(const char *host)
{
    struct addrinfo *list;
    char trouble[TN_STREAM_TEXT];
    if (find_addresses(&list, host, NULL, 0, trouble) < 0)
        return false;
    bool all = true;
    for (const struct addrinfo *a = list; a; a = a->ai_next)
        all = all && is_loopback_address(a->ai_addr);
    freeaddrinfo(list);
    return all;
}
