/* Edits of the log that no longer fit into memory: their lines, in a temporary file that has no name and goes with the
 * session. Private to this layer. */
#ifndef TN_SPILL_H
#define TN_SPILL_H

#include "log.h"

/* Moves the older half of the edits into the file when all of them take more than their share of the memory for undo.
 * When the file cannot be written, they stay in memory until they take twice as much. */
void tn_spill_keep_budget(tn_session *session);
/* Appends the lines in the file. TN_ERROR_FILE with a diagnostic. */
int tn_spill_write(tn_text *out, const tn_session *session);
void tn_spill_close(tn_session *session);

/* log.c: frees an edit; writes an edit after the snapshot before it. */
void tn_logged_free(tn_session *session, tn_logged *edit);
void tn_logged_write(tn_text *out, const tn_logged *edit);

#endif
