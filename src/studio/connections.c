/* The list of connections of the studio, with their peers and phases. */
#include "connections.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tn_connection *find_connection(const tn_connections *c, const void *handle)
{
    tn_connection *connection = c->newest;
    while (connection && connection->handle != handle)
        connection = connection->next;
    return connection;
}

bool tn_connections_add(tn_connections *c, void *handle, const char *peer)
{
    tn_connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return false;
    *connection = (tn_connection){ .next = c->newest, .handle = handle };
    snprintf(connection->peer, sizeof connection->peer, "%s", peer);
    c->newest = connection;
    return true;
}

void tn_connections_remove(tn_connections *c, const void *handle)
{
    for (tn_connection **link = &c->newest; *link; link = &(*link)->next)
        if ((*link)->handle == handle) {
            tn_connection *gone = *link;
            *link = gone->next;
            free(gone);
            return;
        }
}

void tn_connections_clear(tn_connections *c)
{
    while (c->newest)
        tn_connections_remove(c, c->newest->handle);
}

static int count_phase(const tn_connections *c, const char *peer, tn_connection_phase phase)
{
    int count = 0;
    for (const tn_connection *connection = c->newest; connection; connection = connection->next)
        count += connection->phase == phase && (!peer || strcmp(connection->peer, peer) == 0);
    return count;
}

bool tn_connections_set(tn_connections *c, const void *handle, tn_connection_phase phase)
{
    tn_connection *connection = find_connection(c, handle);
    if (!connection || connection->phase == TN_CONNECTION_CLOSING)
        return false;
    if (phase == TN_CONNECTION_BUSY && connection->phase != phase &&
        count_phase(c, connection->peer, TN_CONNECTION_BUSY) >= TN_PEER_BUSY)
        return false;
    connection->phase = phase;
    return true;
}

/* peer NULL: of all. */
static tn_connection *oldest_waiting(const tn_connections *c, const char *peer)
{
    tn_connection *oldest = NULL;
    for (tn_connection *connection = c->newest; connection; connection = connection->next)
        if (connection->phase == TN_CONNECTION_WAITING && (!peer || strcmp(connection->peer, peer) == 0))
            oldest = connection;
    return oldest;
}

void *tn_connections_excess(tn_connections *c, const char *peer)
{
    tn_connection *excess = NULL;
    if (count_phase(c, peer, TN_CONNECTION_WAITING) > TN_PEER_WAITING)
        excess = oldest_waiting(c, peer);
    else if (count_phase(c, NULL, TN_CONNECTION_WAITING) > TN_ALL_WAITING)
        excess = oldest_waiting(c, NULL);
    if (!excess)
        return NULL;
    excess->phase = TN_CONNECTION_CLOSING;
    return excess->handle;
}
