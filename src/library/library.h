/* Components in shared libraries. A library stays loaded while anyone holds it. */
#ifndef TN_LIBRARY_H
#define TN_LIBRARY_H

#include "tenon/sys/component.h"

typedef struct tn_library tn_library;

/* Loads a library and takes hold of it. TN_ERROR_FILE or TN_ERROR_ARGUMENT with a diagnostic at span. */
int tn_library_open(tn_library **out, tn_context *context, const char *path, tn_span span);
tn_library *tn_library_hold(tn_library *library);
/* library may be NULL. */
void tn_library_release(tn_library *library);
const tn_component_type *tn_library_type(const tn_library *library);

#endif
