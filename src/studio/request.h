/* Requests: a message of a client, from its text to its answer. */
#ifndef TN_STUDIO_REQUEST_H
#define TN_STUDIO_REQUEST_H

#include "protocol.h"
#include "studio_impl.h"

enum { TN_MESSAGE_LIMIT = 4 << 20, TN_INVALID_LIMIT = 100 };

typedef struct tn_request tn_request;
/* Fills request->answer. A negative code is an error: what tn_request_refuse said, or the diagnostics of the
 * session. TN_ANSWERED_LATER, in the runner's thread: another one has the request now and finishes it. */
enum { TN_ANSWERED_LATER = 1000 };
typedef int (*tn_verb_function)(tn_request *request, tn_session *session);

struct tn_request {
    tn_studio *studio;
    tn_client *client;
    const tn_verb_info *verb;
    cJSON *message;
    cJSON *answer;
    cJSON *diagnostics;        /* NULL: none */
    const char *word;          /* of an error; NULL: by its code */
    char text[400];            /* of an error */
    tn_turn turn;
    bool unanswered;           /* nothing is said when it went well */
};

/* Carries out a message, or has it carried out; its answer goes into the client's queue. False: it made no sense. */
bool tn_request_handle(tn_studio *studio, tn_client *client, const char *text, size_t size);
/* An answer without a request: for what cannot be read. */
void tn_request_reject_invalid(tn_studio *studio, tn_client *client, const char *why);

/* Sends the answer, or the error, and frees the request. */
void tn_request_finish(tn_request *request, int code);

/* For verbs. Refuses with a word for "code" and a message; returns TN_ERROR_ARGUMENT. */
int tn_request_refuse(tn_request *request, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the diagnostics of a context, if there are any. */
void tn_request_add_diagnostics(tn_request *request, tn_context *context);
/* Parts of the message. NULL or an error when missing, of another kind, or out of range: refused already. */
const char *tn_request_text(tn_request *request, const char *key);
int tn_request_number(tn_request *request, const char *key, double least, double most, double *out);
int tn_request_vector(tn_request *request, const char *key, double out[3]);
/* A list of at most TN_MOST_CHANNELS texts, borrowed; its length, or an error. Missing: 0. */
int tn_request_texts(tn_request *request, const char *key, const char *out[]);
bool tn_request_flag(const tn_request *request, const char *key);
const cJSON *tn_request_argument(const tn_request *request, const char *key);

/* Whether this request may have shared libraries loaded: the server was started for it and the client may edit. */
bool tn_request_plugins(const tn_request *request);

/* Writes the effect of an edit into the answer and sends it to all clients. */
void tn_request_acknowledge(tn_request *request, tn_session *session, const tn_ack *ack);

/* The functions of the verbs: verbs_*.c, health.c, sweeper.c. */
#define TN_RECORD(name, base, fields, meaning)
#define TN_PUSH(name, base, fields, meaning)
#define TN_VERB(name, place, access, arguments, base, fields, meaning) \
    int tn_verb_##name(tn_request *request, tn_session *session);
#include "protocol_list.h"
#undef TN_RECORD
#undef TN_PUSH
#undef TN_VERB

#endif
