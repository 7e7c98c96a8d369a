/* Listening sockets at exactly the addresses that were asked for. */
#ifndef TN_STUDIO_LISTENER_H
#define TN_STUDIO_LISTENER_H

#include <stdbool.h>

enum { TN_LISTENER_LIMIT = 8 };

typedef struct tn_listener {
    int sockets[TN_LISTENER_LIMIT];
    int count;
    int port;                  /* the same for all */
} tn_listener;

/* host NULL or "localhost": 127.0.0.1 and ::1, as far as the machine has them. Otherwise an address, or a name with all
 * its addresses. port 0: one that is free at all of them. False: errno says why, nothing is open. */
bool tn_listener_open(tn_listener *out, const char *host, int port);
void tn_listener_close(tn_listener *listener);
/* The next connection of one of the sockets, ready for non-blocking use; -1: none is waiting. peer gets the address of
 * the other side as text. */
enum { TN_PEER_SIZE = 64 };
int tn_listener_accept(int listening, char peer[TN_PEER_SIZE]);

#endif
