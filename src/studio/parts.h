/* Files that can be used as subsystems. */
#ifndef TN_STUDIO_PARTS_H
#define TN_STUDIO_PARTS_H

#include <cJSON.h>

/* [{ file, ports, parameters }] of those in the folder that have ports and fit into a model of the dimension, as
 * the library reads them. */
cJSON *tn_parts_list(const char *folder, int dimension);

#endif
