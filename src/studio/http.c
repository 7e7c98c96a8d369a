/* HTTP of the studio: the files of the page, downloads, and the decision whether a WebSocket is let in. */
#include "network.h"
#include <stdlib.h>
#include <string.h>

enum { HEADER_ROOM = 2048, VALUE_SIZE = 512, CLIENT_LIMIT = 64, VIEWER_LIMIT = 48 };

/* ---- who comes in ---- */

/* The value of a header; NULL: absent, or longer than any good one. */
static const char *read_header(struct lws *wsi, enum lws_token_indexes which, char buffer[VALUE_SIZE])
{
    int length = lws_hdr_copy(wsi, buffer, VALUE_SIZE, which);
    return length > 0 ? buffer : NULL;
}

static bool is_host_allowed(struct lws *wsi)
{
    const tn_access *access = &tn_network_studio(wsi)->access;
    char buffer[VALUE_SIZE];
    if (!tn_access_host_good(access, read_header(wsi, WSI_TOKEN_HOST, buffer)))
        return false;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0)
        return true;
    const char *origin = read_header(wsi, WSI_TOKEN_ORIGIN, buffer);
    return origin && tn_access_origin_good(access, origin);
}

/* The token comes in "Authorization: Bearer TOKEN", or for WebSockets of browsers, which can set no such header, as a
 * subprotocol "token.TOKEN". Never in an address: addresses are written to logs. */
static tn_right read_right(struct lws *wsi)
{
    static const char bearer[] = "Bearer ", subprotocol[] = "token.";
    const tn_access *access = &tn_network_studio(wsi)->access;
    char buffer[VALUE_SIZE], token[TN_TOKEN_SIZE + 1];
    const char *given = read_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, buffer);
    if (given) {
        bool named = strncmp(given, bearer, sizeof bearer - 1) == 0;
        return tn_access_right(access, named ? given + sizeof bearer - 1 : NULL);
    }
    given = read_header(wsi, WSI_TOKEN_PROTOCOL, buffer);
    given = given ? strstr(given, subprotocol) : NULL;
    if (!given)
        return TN_RIGHT_NONE;
    given += sizeof subprotocol - 1;
    snprintf(token, sizeof token, "%.*s", (int)strcspn(given, ", "), given);
    return tn_access_right(access, token);
}

/* ---- replies ---- */

static int refuse_request(struct lws *wsi, unsigned status)
{
    tn_connections_set(&tn_network_studio(wsi)->connections, wsi, TN_CONNECTION_WAITING);
    lws_return_http_status(wsi, status, NULL);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end) == 0;
}

/* Do browsers reach the studio by https? */
static bool says_secure(const tn_studio *s)
{
    return s->access.shown[0] != '\0' ? strncmp(s->access.shown, "https", 5) == 0 : s->access.secure;
}

/* Nothing but this page may be loaded into it, and no other page may have it in a frame. */
static bool add_policy(struct lws *wsi, unsigned char **at, unsigned char *end)
{
    char host[VALUE_SIZE], policy[1024];
    snprintf(policy, sizeof policy, "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
             "img-src 'self' data: blob:; connect-src 'self' %s://%s; frame-ancestors 'none'; base-uri 'none'; "
             "form-action 'none'", says_secure(tn_network_studio(wsi)) ? "wss" : "ws",
             read_header(wsi, WSI_TOKEN_HOST, host) ? host : "");
    return add_header(wsi, "content-security-policy:", policy, at, end) &&
           add_header(wsi, "x-content-type-options:", "nosniff", at, end) &&
           add_header(wsi, "referrer-policy:", "no-referrer", at, end);
}

/* Headers beyond the common ones, as name and value; NULL ends them. */
typedef const char *const header_list[][2];

static int send_headers(struct lws *wsi, const tn_http_reply *r, const char *type, header_list more)
{
    unsigned char room[LWS_PRE + HEADER_ROOM], *start = room + LWS_PRE, *at = start, *end = room + sizeof room - 1;
    bool good = lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, r->size, &at, end) == 0 &&
                add_policy(wsi, &at, end);
    for (size_t k = 0; good && more[k][0]; k++)
        good = add_header(wsi, more[k][0], more[k][1], &at, end);
    if (!good || lws_finalize_write_http_header(wsi, start, &at, end) != 0)
        return -1;
    lws_callback_on_writable(wsi);
    return 0;
}

/* Names of assets have a hash of their content, so they may be kept. */
static const char *cache_rule(const tn_page_file *file)
{
    return strcmp(file->path, "/") == 0 ? "no-store" : "private, max-age=31536000, immutable";
}

static int send_page_file(struct lws *wsi, tn_http_reply *r, const tn_page_file *file)
{
    char buffer[VALUE_SIZE];
    bool packed = file->gzip && tn_page_accepts_gzip(read_header(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, buffer));
    r->body = (const char *)file->bytes;
    r->size = file->size;
    if (file->gzip && !packed) {
        r->inflated = tn_page_inflate(&r->size, file);
        r->body = (const char *)r->inflated;
    }
    if (!r->body)
        return refuse_request(wsi, HTTP_STATUS_INTERNAL_SERVER_ERROR);
    header_list headers = { { "cache-control:", cache_rule(file) }, { "vary:", "accept-encoding" },
                            { packed ? "content-encoding:" : NULL, "gzip" }, { NULL, NULL } };
    return send_headers(wsi, r, file->type, headers);
}

static int begin_download(struct lws *wsi, tn_http_reply *r, const char *what)
{
    tn_right right = read_right(wsi);
    if (right == TN_RIGHT_NONE)
        return refuse_request(wsi, HTTP_STATUS_FORBIDDEN);
    r->download = tn_download_begin(tn_network_studio(wsi), what, right, wsi);
    if (!r->download)
        return refuse_request(wsi, HTTP_STATUS_NOT_FOUND);
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);       /* the solver may take its time */
    return 0;
}

static int answer_request(struct lws *wsi, tn_http_reply *r, const char *path)
{
    static const char export[] = "/export/";
    tn_studio *studio = tn_network_studio(wsi);
    *r = (tn_http_reply){ 0 };
    if (!tn_connections_set(&studio->connections, wsi, TN_CONNECTION_BUSY))
        return refuse_request(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE);
    if (!is_host_allowed(wsi))
        return refuse_request(wsi, HTTP_STATUS_FORBIDDEN);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0)
        return refuse_request(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    const tn_page_file *file = tn_page_find(studio->options.page, path);
    if (file)
        return send_page_file(wsi, r, file);
    if (strncmp(path, export, sizeof export - 1) == 0)
        return begin_download(wsi, r, path + sizeof export - 1);
    return refuse_request(wsi, HTTP_STATUS_NOT_FOUND);
}

static int begin_sending(struct lws *wsi, tn_http_reply *r)
{
    char disposition[400];
    const tn_download *d = r->download;
    if (!d->bytes)
        return refuse_request(wsi, d->absent ? HTTP_STATUS_NOT_FOUND : HTTP_STATUS_INTERNAL_SERVER_ERROR);
    snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", d->name);
    r->body = d->bytes;
    r->size = d->size;
    header_list headers = { { "cache-control:", "no-store" }, { "content-disposition:", disposition }, { NULL, NULL } };
    return send_headers(wsi, r, d->type, headers);
}

static int send_body(struct lws *wsi, const tn_http_reply *r)
{
    unsigned char *copy = malloc(LWS_PRE + r->size);
    if (!copy)
        return -1;
    memcpy(copy + LWS_PRE, r->body, r->size);
    int written = lws_write(wsi, copy + LWS_PRE, r->size, LWS_WRITE_HTTP_FINAL);
    free(copy);
    tn_connections_set(&tn_network_studio(wsi)->connections, wsi, TN_CONNECTION_WAITING);
    return written < 0 || lws_http_transaction_completed(wsi) ? -1 : 0;
}

static void end_reply(tn_http_reply *r)
{
    if (!r)
        return;
    if (r->download)
        tn_download_end(r->download);
    free(r->inflated);
    *r = (tn_http_reply){ 0 };
}

static int continue_reply(struct lws *wsi, tn_http_reply *r)
{
    if (r->body) {
        tn_http_reply last = *r;                       /* the end of a transaction may free r */
        *r = (tn_http_reply){ 0 };
        int code = send_body(wsi, &last);
        end_reply(&last);
        return code;
    }
    return r->download && tn_download_done(r->download) ? begin_sending(wsi, r) : 0;
}

/* ---- upgrades ---- */

/* 0: let in. */
static unsigned upgrade_refusal(struct lws *wsi, tn_right right)
{
    char path[VALUE_SIZE], protocol[VALUE_SIZE];
    const char *given = read_header(wsi, WSI_TOKEN_GET_URI, path);
    const char *offered = read_header(wsi, WSI_TOKEN_PROTOCOL, protocol);
    if (!is_host_allowed(wsi) || right == TN_RIGHT_NONE)
        return HTTP_STATUS_FORBIDDEN;
    if (!given || strcmp(given, "/session") != 0)
        return HTTP_STATUS_NOT_FOUND;
    if (!offered || !strstr(offered, "tenon.1"))
        return HTTP_STATUS_BAD_REQUEST;
    const tn_clients *clients = &tn_network_studio(wsi)->clients;
    bool full = right == TN_RIGHT_VIEW ? clients->viewers >= VIEWER_LIMIT : clients->count >= CLIENT_LIMIT;
    return full ? HTTP_STATUS_SERVICE_UNAVAILABLE : 0;
}

/* > 0: refused, with an answer. */
static int confirm_upgrade(struct lws *wsi)
{
    tn_right right = read_right(wsi);
    unsigned status = upgrade_refusal(wsi, right);
    if (status == 0) {
        lws_set_opaque_user_data(wsi, (void *)(intptr_t)right);
        tn_connections_set(&tn_network_studio(wsi)->connections, wsi, TN_CONNECTION_UPGRADED);
        return 0;
    }
    lws_return_http_status(wsi, status, NULL);
    return 1;
}

int tn_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer_request(wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return continue_reply(wsi, user);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        end_reply(user);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        tn_connections_remove(&tn_network_studio(wsi)->connections, wsi);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        tn_network_send_pending(wsi);
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}
