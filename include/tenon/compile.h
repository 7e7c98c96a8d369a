/* Subsystems as shared libraries: their files, scrambled, with an engine of their own. See docs/components.md. */
#ifndef TENON_COMPILE_H
#define TENON_COMPILE_H

#include "context.h"
#include "library.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_compile_options {
    const char *shell;             /* the engine without a subsystem: the file tenon_shell.so of this version */
    const char *const *open;       /* parameters of the subsystem that may still be given; all others are fixed */
    size_t open_count;
    tn_disclosure disclose;        /* how much it tells the programs that use it; 0: TN_DISCLOSE_OPEN */
} tn_compile_options;

/* Makes a library of a subsystem's file, in place of what is there. What it discloses to who reads
 * it: the name, ports and open parameters. TN_ERROR_MODEL with diagnostics when the subsystem cannot be a component; TN_ERROR_ARGUMENT when it has
 * no such parameter; TN_ERROR_FILE. The library has been tried when this is TN_OK. */
TN_API int tn_compile(tn_context *context, const char *subsystem, const char *library,
                      const tn_compile_options *options);

#ifdef __cplusplus
}
#endif
#endif
