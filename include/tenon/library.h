/* Components in shared libraries: loaded after a trial in a process of its own. See docs/components.md. */
#ifndef TENON_LIBRARY_H
#define TENON_LIBRARY_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much a component tells the model that it is part of; tenon/sys/component.h has the details. */
typedef enum tn_disclosure { TN_DISCLOSE_RESPONSE = 1, TN_DISCLOSE_CONDENSED = 2, TN_DISCLOSE_OPEN = 3 } tn_disclosure;

/* Both are declared in full in tenon/sys/component.h, for authors of components. */
typedef struct tn_component_type tn_component_type;
typedef struct tn_component_setting tn_component_setting;

/* A library stays loaded while anyone holds it. */
typedef struct tn_library tn_library;

/* Loads a library and takes hold of it. Loading runs its code: before, a process of its own loads it, makes a component
 * and asks it every question once; one that crashes, hangs or answers nonsense there is not loaded here. That trial is
 * made once for a file in a context. TN_ERROR_FILE or TN_ERROR_ARGUMENT with a diagnostic at span, which begins with
 * who ("subsystem 'left'"; NULL: with the path). */
TN_API int tn_library_open(tn_library **out, tn_context *context, const char *path, const char *who, tn_span span);
/* The same trial with other than default values: for components that are to be made so. */
TN_API int tn_library_try(const tn_library *library, const tn_component_setting *setting, const double *parameters,
                          const char *who, tn_span span);
TN_API tn_library *tn_library_hold(tn_library *library);
/* library may be NULL. */
TN_API void tn_library_release(tn_library *library);
TN_API const tn_component_type *tn_library_type(const tn_library *library);
/* Numbers in the state of the component that was made in the trial; -1: with default parameters there is none. */
TN_API int tn_library_states(const tn_library *library);

#ifdef __cplusplus
}
#endif
#endif
