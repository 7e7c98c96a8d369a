/* The contents that a library discloses, as text and as JSON. */
#ifndef TN_CLI_LIBRARY_TEXT_H
#define TN_CLI_LIBRARY_TEXT_H

#include "output.h"

/* Does the path name a library? */
bool tn_is_library(const char *path);
/* Loads it and says what it is, on stdout, or into the document unless that is NULL. Returns the exit status. */
int tn_library_describe(tn_context *context, const char *path, cJSON *document, cJSON *diagnostics);

#endif
