/* Components in a process of their own, or at a server: a type whose functions ask a library that another process has loaded.
 * Such a component discloses D and r of its ports at most, also where the library would show bodies and rows. */
#ifndef TN_LIBRARY_ISOLATED_H
#define TN_LIBRARY_ISOLATED_H

#include "mem.h"
#include "tenon/sys/component.h"
#include "trial.h"

typedef struct tn_isolated_library tn_isolated_library;

/* The token that a server asks for, and the authority that its certificate is checked with; texts may be NULL. */
typedef struct tn_isolated_server {
    const char *token, *authority;
} tn_isolated_server;

/* Reads the declarations of a library in another process; this one does not load it. path is absolute, or with a server its
 * address. TN_ERROR_ARGUMENT or TN_ERROR_FILE with the reason in trouble. */
int tn_isolated_open(tn_isolated_library **out, tn_context *context, const char *path, const tn_isolated_server *server,
                     char trouble[TN_VERDICT_TEXT]);
void tn_isolated_close(tn_isolated_library *library);
const tn_component_type *tn_isolated_type(const tn_isolated_library *library);
/* Like create of a type. The library must outlive the component. */
int tn_isolated_create(void **self, const tn_isolated_library *library, const tn_component_host *host,
                       const tn_component_setting *setting, const double *parameters);

#endif
