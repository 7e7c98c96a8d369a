/* Files that can be used as subsystems. */
#ifndef TN_STUDIO_PARTS_H
#define TN_STUDIO_PARTS_H

#include <cJSON.h>
#include <stdbool.h>

/* [{ file, ports, parameters }] of those in the folder that have ports and fit into a model of the dimension, as
 * the library reads them. plugins: compiled ones are loaded and listed, too. */
cJSON *tn_parts_list(const char *folder, int dimension, bool plugins);

#endif
