/* The network of the studio: HTTP and WebSocket over connections that are accepted here; private to network.c, http.c
 * and websocket.c. */
#ifndef TN_STUDIO_NETWORK_H
#define TN_STUDIO_NETWORK_H

#include "download.h"
#include <libwebsockets.h>

/* Of an HTTP request: what is being sent. */
typedef struct tn_http_reply {
    tn_download *download;     /* NULL: none */
    unsigned char *inflated;   /* owned; NULL: body is stored elsewhere */
    const char *body;          /* borrowed; NULL: not yet known */
    size_t size;
} tn_http_reply;

/* Of a WebSocket. */
typedef struct tn_socket_state {
    tn_client *client;
    char *text;                /* the message so far */
    size_t size, capacity;
    bool skipping;             /* it is too long: its rest is not kept */
    int invalid;               /* messages that were no requests */
} tn_socket_state;

tn_studio *tn_network_studio(struct lws *wsi);
/* After another thread has woken the network: everything with something to send gets its turn. */
void tn_network_send_pending(struct lws *wsi);
/* Ends a WebSocket whose client has let its queue overflow: it cannot be written to, so nothing else would notice. */
void tn_socket_cut_off(struct lws *wsi);
int tn_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);
int tn_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

#endif
