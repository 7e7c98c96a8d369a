/* Budget of connections: how many a peer may keep without having asked for anything, and how many it may keep busy. */
#ifndef TN_STUDIO_CONNECTIONS_H
#define TN_STUDIO_CONNECTIONS_H

#include "listener.h"

enum { TN_PEER_WAITING = 32, TN_ALL_WAITING = 128, TN_PEER_BUSY = 32 };

typedef enum tn_connection_phase {
    TN_CONNECTION_WAITING,     /* no whole request yet, or between two requests */
    TN_CONNECTION_BUSY,        /* a request is being answered */
    TN_CONNECTION_UPGRADED,    /* a WebSocket: counted by the list of clients */
    TN_CONNECTION_CLOSING
} tn_connection_phase;

typedef struct tn_connection {
    struct tn_connection *next;    /* older */
    void *handle;              /* the network library's */
    char peer[TN_PEER_SIZE];
    tn_connection_phase phase;
} tn_connection;

/* Belongs to the network thread. */
typedef struct tn_connections {
    tn_connection *newest;
} tn_connections;

/* False: out of memory. */
bool tn_connections_add(tn_connections *connections, void *handle, const char *peer);
void tn_connections_remove(tn_connections *connections, const void *handle);
void tn_connections_clear(tn_connections *connections);
/* The connection's phase; TN_CONNECTION_BUSY only within the budget of its peer: false otherwise. */
bool tn_connections_set(tn_connections *connections, const void *handle, tn_connection_phase phase);
/* After one was added: the handle of the oldest waiting connection that is beyond the budget of its peer or of all, to
 * be closed; NULL: none. Each is returned once. The newest always stays, so that new clients get in. */
void *tn_connections_excess(tn_connections *connections, const char *peer);

#endif
