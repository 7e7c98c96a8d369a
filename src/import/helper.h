/* The program tenon-cad, which knows solid geometry: run as a process of its own, with limits of time and memory. */
#ifndef TN_IMPORT_HELPER_H
#define TN_IMPORT_HELPER_H

#include "machine.h"

#include <limits.h>

/* Runs the helper with its arguments (ending in NULL, without the program) and takes what it writes. Owned: tn_free.
 * TN_ERROR_FILE with a diagnostic at place when there is no helper, it fails, takes too long, needs too much memory, or its
 * answer has no end. */
int tn_helper_run(char **answer, tn_machine *machine, const char *const *arguments, tn_span place);

/* Asks the helper ("step") about a file; meshes are in the folder. With a cache in the options both stay there, by the hash
 * of the main file, and a later import of the same file does not run the helper. answered: after the folder was read. */
int tn_helper_ask(char **answer, char folder[PATH_MAX], tn_machine *machine, const char *word, const char *file, tn_span place);
void tn_helper_answered(const tn_machine *machine, const char *folder);

/* A temporary folder for its files; remove takes it away with the files in it. */
int tn_helper_folder(char path[64], tn_machine *machine, tn_span place);
void tn_helper_remove(const char *path);

#endif
