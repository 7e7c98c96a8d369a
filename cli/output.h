/* Answers of all commands: data on stdout (one JSON document with --json), messages on stderr. */
#ifndef TN_CLI_OUTPUT_H
#define TN_CLI_OUTPUT_H

#include "answers.h"
#include "command.h"
#include <cJSON.h>

/* Exit status for a code of the library. */
int tn_exit_status(int code);
/* How a run came to its end, by the code of tn_session_run: "complete", "stopped" (by an event), "interrupted" or
 * "failed". */
const char *tn_end_text(int code);
/* The first status that is not one of success. */
int tn_first_failure(int status, int later);
/* Says so on stderr; returns the exit status. */
int tn_out_of_memory(void);
/* Zeroed, the caller's to free, never NULL: the program ends when memory runs out. */
void *tn_allocate(size_t count, size_t size);
/* Prints a path without characters that steer terminals. */
void tn_path_print(FILE *out, const char *path);
/* "cannot write 'path'" with the reason of errno on stderr; returns the exit status. */
int tn_file_failed(const char *path);
/* Closes a written file; what did not arrive there is an error. Returns the exit status. */
int tn_file_close(FILE *file, const char *path);
/* Are they one file, by whatever path? */
bool tn_same_file(const char *a, const char *b);
/* The file's name without folders. */
const char *tn_file_name(const char *path);

/* Prints the diagnostics on stderr and forgets them; an error code (negative) never passes without a line. Appends them
 * to array when there is one. Returns the exit status for the code. */
int tn_diagnostics_flush(tn_context *context, int code, cJSON *array);

/* "  joint  before -> after" lines, largest first, at most a screenful; nothing when the start fitted. */
void tn_gaps_print(const tn_model *model, const tn_session *session, FILE *out);

enum { TN_START_VALUES_SHOWN = 12 };   /* by a run */
/* Start values that assembly changed, with old and new, and coordinates it chose for bodies without a pose;
 * of each as many as most says. */
void tn_start_values_print(const tn_model *model, const tn_session *session, FILE *out, size_t most);

/* From here on cJSON ends the program when memory runs out, so its results need no check. */
void tn_json_setup(void);
/* Prints the document on stdout and deletes it. */
void tn_json_print(cJSON *document);

/* Flushes stdout; a status of success becomes TN_EXIT_FILE when what was written did not arrive. */
int tn_output_finish(int status);

#endif
