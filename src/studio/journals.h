/* Journals of earlier runs: how many are kept. */
#ifndef TN_STUDIO_JOURNALS_H
#define TN_STUDIO_JOURNALS_H

#include <stdbool.h>
#include <stddef.h>

enum { TN_JOURNALS_KEPT = 20 };    /* of models of one name */

/* STEM-20260131-235959-PID-NUMBER.journal in the folder. False: it does not fit. */
bool tn_journal_path(char *out, size_t size, const char *folder, const char *stem, int number);
/* Removes the oldest of a stem but for so many. Those of programs that still run stay, and count. */
void tn_journals_prune(const char *folder, const char *stem, size_t keep);

#endif
