/* The payload that follows the code in the library of a compiled component: its public description and its files.
 *
 *     code | content, scrambled | trailer
 * The content is scrambled so that no text in it can be read by looking at the file. That prevents reading by
 * accident; it is no encryption: the library contains the code that reverses it. */
#ifndef TN_LIBRARY_PAYLOAD_H
#define TN_LIBRARY_PAYLOAD_H

#include "mem.h"
#include "tenon/sys/component.h"

typedef struct tn_payload {
    const char *name;
    int dimension;
    tn_disclosure disclosure;
    tn_port_decl *ports;
    bool *port_is_frame;
    int port_count;
    tn_parameter_decl *parameters;         /* parameters that can be set, with their values in the files as defaults */
    int parameter_count;
    tn_memory_file *files;                 /* the first file is the subsystem */
    size_t file_count;
} tn_payload;

/* Writes a copy of the code, followed by the payload: *size bytes, to be freed with tn_free. */
int tn_payload_attach(char **out, size_t *size, tn_context *context, const char *code, size_t code_size,
                      const tn_payload *payload);
/* Reads the payload from the bytes of a library, into the arena. TN_ERROR_ARGUMENT: it is missing or damaged. */
int tn_payload_read(tn_payload *out, tn_arena *arena, const char *bytes, size_t size);

#endif
