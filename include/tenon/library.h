/* Components in shared libraries: each is tested in a separate process before it is loaded. See docs/components.md. */
#ifndef TENON_LIBRARY_H
#define TENON_LIBRARY_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much a component discloses to the model that contains it; tenon/sys/component.h has the details. */
typedef enum tn_disclosure { TN_DISCLOSE_RESPONSE = 1, TN_DISCLOSE_CONDENSED = 2, TN_DISCLOSE_OPEN = 3 } tn_disclosure;

/* Both are declared in full in tenon/sys/component.h, for authors of components. */
typedef struct tn_component_type tn_component_type;
typedef struct tn_component_setting tn_component_setting;

/* A loaded library, with a reference count: it stays loaded while the count is positive. */
typedef struct tn_library tn_library;

/* Loads a library and takes a reference. Loading runs code of the library: therefore a separate process first loads it,
 * makes a component and calls each of its questions once. A library that crashes, hangs or returns nonsense there is
 * not loaded here. This trial runs once for each file in a context. TN_ERROR_FILE or TN_ERROR_ARGUMENT with a
 * diagnostic at span; its text begins with who ("subsystem 'left'"; NULL: with the path).
 * A path "tenon://HOST:PORT/NAME" is the address of a component that another machine serves (tenon/serve.h): nothing is loaded
 * here, and the functions of its type ask the server. */
TN_API int tn_library_open(tn_library **out, tn_context *context, const char *path, const char *who, tn_span span);
TN_API bool tn_library_is_address(const char *path);
/* The same, but the code of the library never runs in this process: each component gets a process of its own, and functions of
 * its type ask that process. A component that crashes there, or does not answer within 5 s, ends the run with a message; this
 * process goes on. Such a component discloses D and r of its ports at most. See docs/components.md. */
TN_API int tn_library_open_isolated(tn_library **out, tn_context *context, const char *path, const char *who, tn_span span);
/* The same trial with these parameter values, for components that will be created with them. */
TN_API int tn_library_try(const tn_library *library, const tn_component_setting *setting, const double *parameters,
                          const char *who, tn_span span);
TN_API tn_library *tn_library_hold(tn_library *library);
/* library may be NULL. */
TN_API void tn_library_release(tn_library *library);
TN_API const tn_component_type *tn_library_type(const tn_library *library);
/* Length of the state of the component that the trial made; -1: default parameters do not make a component. */
TN_API int tn_library_states(const tn_library *library);

#ifdef __cplusplus
}
#endif
#endif
