/* Compilation of a subsystem into a shared library that contains its scrambled files and an engine of its own. See
 * docs/components.md. */
#ifndef TENON_COMPILE_H
#define TENON_COMPILE_H

#include "context.h"
#include "library.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_compile_options {
    const char *shell;             /* the engine without a subsystem: the file tenon_shell.so of this version */
    const char *const *open;       /* parameters of the subsystem that users may still set; all others are fixed */
    size_t open_count;
    tn_disclosure disclose;        /* how much the library discloses to programs that use it; 0: TN_DISCLOSE_OPEN */
} tn_compile_options;

/* Makes a library from a subsystem's file and replaces the file library. Readers of the library only see the name, the
 * ports and the open parameters. TN_ERROR_MODEL with diagnostics when the subsystem cannot be a component;
 * TN_ERROR_ARGUMENT when it lacks one of the open parameters; TN_ERROR_FILE. Before TN_OK is returned, the library has
 * been tested in a trial process. */
TN_API int tn_compile(tn_context *context, const char *subsystem, const char *library,
                      const tn_compile_options *options);

#ifdef __cplusplus
}
#endif
#endif
