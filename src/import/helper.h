/* The program tenon-cad, which knows solid geometry: run as a process of its own, with limits of time and memory. */
#ifndef TN_IMPORT_HELPER_H
#define TN_IMPORT_HELPER_H

#include "machine.h"

/* Runs the helper with its arguments (ending in NULL, without the program) and takes what it writes. Owned: tn_free.
 * TN_ERROR_FILE with a diagnostic at place when there is no helper, it fails, takes too long, needs too much memory, or its
 * answer has no end. */
int tn_helper_run(char **answer, tn_machine *machine, const char *const *arguments, tn_span place);

/* A temporary folder for its files; remove takes it away with the files in it. */
int tn_helper_folder(char path[64], tn_machine *machine, tn_span place);
void tn_helper_remove(const char *path);

#endif
