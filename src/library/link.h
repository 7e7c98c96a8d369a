/* Links to components that another program serves: one connection for each component, requests and answers one after the other.
 * Both programs must be of the same version and the same kind of machine; the greeting checks this. */
#ifndef TN_LIBRARY_LINK_H
#define TN_LIBRARY_LINK_H

#include "net.h"
#include "tenon/context.h"

typedef struct tn_link tn_link;

/* "tenon://host:port/name", in parts. */
typedef struct tn_link_address {
    bool plain;                    /* "tenon+tcp://": without TLS, on this machine only */
    char host[256], port[8], name[128];
} tn_link_address;

bool tn_link_is_address(const char *text);
/* TN_ERROR_ARGUMENT with the reason in trouble. */
int tn_link_parse(tn_link_address *out, const char *text, char trouble[TN_STREAM_TEXT]);

/* ---- the client ---- */

/* Connects and greets. token: NULL: none. authority: see tn_stream_security. */
int tn_link_open(tn_link **out, const tn_link_address *address, const char *token, const char *authority,
                 char trouble[TN_STREAM_TEXT]);
/* Sends a request with the first bytes of room and waits for the answer, which replaces them. Returns the code of the answer;
 * TN_ERROR_FILE: the link is lost. */
int tn_link_call(tn_link *link, int request, void *room, size_t *length, size_t most, double limit);
/* The two halves of a call. */
int tn_link_send(tn_link *link, int request, const void *room, size_t length, double limit);
int tn_link_wait(tn_link *link, void *room, size_t *length, size_t most, double limit);
/* s: the shortest time that an answer has taken. */
double tn_link_delay(const tn_link *link);
void tn_link_close(tn_link *link);

/* ---- the server ---- */

enum { TN_LINK_TOKEN = 128 };

/* What a server offers, and to whom. */
typedef struct tn_link_offer {
    const char *token;
    const char *const *served;     /* names */
    size_t count;
    /* Is there room for one more client? Otherwise most is what the client is told. */
    bool (*enter)(void *user);
    void *user;
    int most;
} tn_link_offer;

/* Accepts a greeting. index: of the name that the client asks for. */
int tn_link_accept(tn_link **out, int socket, const tn_stream_security *security, const tn_link_offer *offer, size_t *index);
/* Waits for a request, for any time. TN_ERROR_FILE: the client is gone; TN_ERROR_ARGUMENT: the request is too long. */
int tn_link_receive(tn_link *link, int *request, void *room, size_t *length, size_t most);
int tn_link_answer(tn_link *link, int code, const void *room, size_t length);

#endif
