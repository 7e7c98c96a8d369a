/* Requests: a message of a client, from its text to its answer. */
#ifndef TN_STUDIO_REQUEST_H
#define TN_STUDIO_REQUEST_H

#include "studio_impl.h"

enum { TN_MESSAGE_LIMIT = 4 << 20, TN_MOST_NONSENSE = 100 };

typedef struct tn_request tn_request;
/* Fills request->answer. A negative code is an error: what tn_request_refuse said, or the diagnostics of the
 * session. TN_ANSWERED_LATER, in the runner's thread: another one has the request now and finishes it. */
enum { TN_ANSWERED_LATER = 1000 };
typedef int (*tn_verb_function)(tn_request *request, tn_session *session);

/* Where a verb is carried out. */
typedef enum tn_verb_place {
    TN_PLACE_HERE,             /* at once, in the network's thread: it never takes long */
    TN_PLACE_DESK,             /* in a thread of its own; session is NULL */
    TN_PLACE_SESSION           /* in the runner's thread, between two steps */
} tn_verb_place;

typedef struct tn_verb {
    const char *name;
    tn_verb_place place;
    bool edits;                /* refused with the token for looking on */
    tn_verb_function run;
} tn_verb;
/* All of them, ending with name NULL. */
extern const tn_verb tn_verbs[];

struct tn_request {
    tn_studio *studio;
    tn_client *client;
    const tn_verb *verb;
    cJSON *message;
    cJSON *answer;
    cJSON *diagnostics;        /* NULL: none */
    const char *word;          /* of an error; NULL: by its code */
    char text[400];            /* of an error */
    bool unanswered;           /* nothing is said when it went well */
};

/* Carries out a message, or has it carried out; its answer goes into the client's queue. False: it made no sense. */
bool tn_request_take(tn_studio *studio, tn_client *client, const char *text, size_t size);
/* An answer without a request: for what cannot be read. */
void tn_request_nonsense(tn_studio *studio, tn_client *client, const char *why);

/* Sends the answer, or the error, and frees the request. */
void tn_request_finish(tn_request *request, int code);

/* For verbs. Refuses with a word for "code" and a message; returns TN_ERROR_ARGUMENT. */
int tn_request_refuse(tn_request *request, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the diagnostics of a context, if there are any. */
void tn_request_blame(tn_request *request, tn_context *context);
/* Parts of the message. NULL or an error when missing, of another kind, or out of range: refused already. */
const char *tn_request_text(tn_request *request, const char *key);
int tn_request_number(tn_request *request, const char *key, double least, double most, double *out);
int tn_request_vector(tn_request *request, const char *key, double out[3]);
/* A list of at most TN_MOST_CHANNELS texts, borrowed; its length, or an error. Missing: 0. */
int tn_request_texts(tn_request *request, const char *key, const char *out[]);
bool tn_request_flag(const tn_request *request, const char *key);
const cJSON *tn_request_part(const tn_request *request, const char *key);

/* What an edit did, into the answer, and to all clients. */
void tn_request_acknowledge(tn_request *request, tn_session *session, const tn_ack *ack);

/* verbs_*.c */
int tn_verb_command(tn_request *request, tn_session *session);
int tn_verb_undo(tn_request *request, tn_session *session);
int tn_verb_redo(tn_request *request, tn_session *session);
int tn_verb_apply_text(tn_request *request, tn_session *session);
int tn_verb_reset(tn_request *request, tn_session *session);
int tn_verb_open(tn_request *request, tn_session *session);
int tn_verb_new(tn_request *request, tn_session *session);
int tn_verb_save(tn_request *request, tn_session *session);
int tn_verb_speed(tn_request *request, tn_session *session);
int tn_verb_step(tn_request *request, tn_session *session);
int tn_verb_seek(tn_request *request, tn_session *session);
int tn_verb_branch(tn_request *request, tn_session *session);
int tn_verb_run_to(tn_request *request, tn_session *session);
int tn_verb_pull(tn_request *request, tn_session *session);
int tn_verb_release(tn_request *request, tn_session *session);
int tn_verb_drag(tn_request *request, tn_session *session);
int tn_verb_subscribe(tn_request *request, tn_session *session);
int tn_verb_channels(tn_request *request, tn_session *session);
int tn_verb_value(tn_request *request, tn_session *session);
int tn_verb_past(tn_request *request, tn_session *session);
int tn_verb_parts(tn_request *request, tn_session *session);
int tn_verb_text(tn_request *request, tn_session *session);
int tn_verb_health(tn_request *request, tn_session *session);
int tn_verb_statics(tn_request *request, tn_session *session);
int tn_verb_assemble(tn_request *request, tn_session *session);
int tn_verb_sweep(tn_request *request, tn_session *session);
int tn_verb_sweep_cancel(tn_request *request, tn_session *session);
int tn_verb_modes(tn_request *request, tn_session *session);
int tn_verb_types(tn_request *request, tn_session *session);
int tn_verb_gallery(tn_request *request, tn_session *session);
int tn_verb_session(tn_request *request, tn_session *session);
int tn_verb_hdf5(tn_request *request, tn_session *session);
int tn_verb_check(tn_request *request, tn_session *session);

#endif
