/* The edits of a script while a model runs, and what each of them did. */
#ifndef TN_CLI_EDITS_H
#define TN_CLI_EDITS_H

#include "output.h"

typedef struct tn_edits {
    tn_script *script;         /* NULL: none */
    tn_ack *acks;              /* of those made */
    size_t made;
    void (*told)(void *user, const tn_ack *ack);
    void *user;
} tn_edits;

/* path NULL: no script. Returns the exit status. */
int tn_edits_open(tn_edits *out, tn_context *context, const char *path, cJSON *diagnostics);
void tn_edits_close(tn_edits *edits);
/* Goes to the end of the run and makes the edits on the way; told is called after each. Returns the session's code. */
int tn_edits_run(tn_edits *edits, tn_session *session, void (*told)(void *user, const tn_ack *ack), void *user);

/* A row of the table of edits; with its head when it is the first. */
void tn_edit_print(const tn_ack *ack, bool first, FILE *out);
/* Line of the summary; nothing when there is no script. */
void tn_edits_print(const tn_edits *edits, FILE *out);
cJSON *tn_json_ack(const tn_ack *ack);
cJSON *tn_json_edits(const tn_edits *edits);

#endif
