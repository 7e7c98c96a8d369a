/* Serving components to models on other machines: "use: tenon://HOST:PORT/NAME". See docs/components.md. */
#ifndef TENON_SERVE_H
#define TENON_SERVE_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A library of a component (tn_compile), and the name in its address. */
typedef struct tn_served {
    const char *name, *library;
} tn_served;

typedef struct tn_serve_options {
    const char *host, *port;       /* address to listen on; "localhost" and "0", a free port, by default */
    const char *token;             /* clients must give it; at least 8 characters */
    const char *certificate, *key; /* files in PEM format; NULL: no TLS, which is allowed at loopback addresses only */
    const char *state_key;         /* file of the key that seals saved states, made when it does not exist; NULL: a key that
                                    * is lost when the server ends */
    int most_clients;              /* components at a time */
    /* Called when the server listens, and for each client that comes or goes. May be NULL. */
    void (*say)(void *user, const char *line);
    /* Asked several times a second; true ends the server. */
    bool (*stop)(void *user);
    void *user;
} tn_serve_options;

TN_API tn_serve_options tn_serve_default(void);
/* Serves until stop is true. Each client gets a component of its own in a process of its own. What travels are motions, forces
 * and answers of ports, and the numbers of the state without their names; the library does not, and saved states are sealed.
 * TN_ERROR_ARGUMENT or TN_ERROR_FILE with a diagnostic. */
TN_API int tn_serve(tn_context *context, const tn_served *served, size_t count, const tn_serve_options *options);

#ifdef __cplusplus
}
#endif
#endif
