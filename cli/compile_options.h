/* Options of "tenon compile" and "tenon serve" for making a library: the engine, open parameters, disclosure. */
#ifndef TN_CLI_COMPILE_OPTIONS_H
#define TN_CLI_COMPILE_OPTIONS_H

#include "beside.h"
#include "command.h"

enum { TN_CLI_OPEN = 256 };

typedef struct tn_compile_request {
    tn_compile_options options;
    char shell[TN_CLI_PATH], *memory;
    const char *names[TN_CLI_OPEN];
} tn_compile_request;

/* command: for messages. Returns an exit status; tn_compile_request_end is due in any case. */
int tn_compile_request_take(tn_compile_request *out, const char *command, const tn_option_value *open,
                            const tn_option_value *disclose);
void tn_compile_request_end(tn_compile_request *request);

#endif
