/* Access to the studio: tokens, and checks of the origin of requests. */
#ifndef TN_STUDIO_ACCESS_H
#define TN_STUDIO_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

enum { TN_TOKEN_BYTES = 16, TN_TOKEN_SIZE = 2 * TN_TOKEN_BYTES + 1 };

typedef enum tn_right { TN_RIGHT_NONE, TN_RIGHT_VIEW, TN_RIGHT_EDIT } tn_right;

typedef struct tn_access {
    char edit[TN_TOKEN_SIZE], view[TN_TOKEN_SIZE];     /* hexadecimal */
    char host[256];            /* the address that is listened on */
    int port;
    bool secure;               /* with TLS: browsers say https */
    char shown[256];           /* "https://studio.example.org": where browsers see the studio, behind a proxy; "": no proxy */
} tn_access;

/* New tokens, from the system's random numbers. False when it has none. */
bool tn_access_open(tn_access *access, const char *host);
/* The rights of a token; the check takes the same time for wrong and right tokens. NULL: no token. */
tn_right tn_access_right(const tn_access *access, const char *token);
/* Is this what a browser sends that was pointed at this server, by address and not by a name that others control?
 * Loopback servers are called 127.0.0.1, localhost or [::1]; others by their numbers or by the name they were
 * started with; behind a proxy also by the name that it has. */
bool tn_access_host_good(const tn_access *access, const char *host);
/* Where browsers see a studio that a proxy stands before: "http://NAME[:PORT]" or with https, a final "/" allowed. False: it is
 * something else, a path below a name for example. */
bool tn_access_show_at(tn_access *access, const char *address);
/* The same of "http://HOST:PORT", or https; NULL (no browser) is good. */
bool tn_access_origin_good(const tn_access *access, const char *origin);

#endif
