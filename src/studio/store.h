/* Data that the studio keeps between two starts: small JSON files in the folder of the journals. */
#ifndef TN_STUDIO_STORE_H
#define TN_STUDIO_STORE_H

#include <cJSON.h>
#include <stdbool.h>

/* An object; empty where there is none yet. */
cJSON *tn_store_read(const char *state, const char *name);
bool tn_store_write(const char *state, const char *name, const cJSON *object);

/* Models of a folder that were opened or saved, by path within it, the latest first. */
void tn_store_add_recent(const char *state, const char *folder, const char *path);
cJSON *tn_store_recent(const char *state, const char *folder);

#endif
