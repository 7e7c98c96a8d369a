/* Files that a STEP file refers to (DOCUMENT_FILE). */
#ifndef TN_IMPORT_STEP_REFERENCES_H
#define TN_IMPORT_STEP_REFERENCES_H

#include "source.h"

/* Notes the files that a STEP text and those files refer to, and adds their contents to the machine's hash. An error: one of them
 * exists outside the folders that may be read. */
int tn_step_references(tn_machine *machine, const tn_source_files *files, const char *data);

#endif
