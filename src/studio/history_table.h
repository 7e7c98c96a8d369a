/* Tables of numbers as HDF5 files: what a client has, and what the session remembers. */
#ifndef TN_STUDIO_HISTORY_TABLE_H
#define TN_STUDIO_HISTORY_TABLE_H

#include "download.h"

/* The bytes of the file, by malloc, made in a folder; NULL: context has the diagnostics. */
char *tn_history_table_bytes(size_t *size, tn_context *context, const tn_results_table *table, const char *folder);

/* A download, for the runner's thread: the outputs of the model (all channels, when it has none) at the kept snapshots
 * since the model last changed. The solver goes on in between. */
int tn_history_table_begin(void *download, tn_session *session);

#endif
