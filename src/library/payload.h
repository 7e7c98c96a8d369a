/* What a compiled component carries behind the code of its library: what it discloses, and the files it is made of.
 *
 *     code | content, scrambled | trailer
 * The content is scrambled so that no text in it can be read by looking at the file. That keeps honest people from
 * reading by accident; it is no encryption: who has the library can run the code that undoes it. */
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
    tn_parameter_decl *parameters;         /* those that stay open, with their values in the files as defaults */
    int parameter_count;
    tn_memory_file *files;                 /* the first is the subsystem's own */
    size_t file_count;
} tn_payload;

/* Behind a copy of the code. *size bytes, owned: tn_free. */
int tn_payload_attach(char **out, size_t *size, tn_context *context, const char *code, size_t code_size,
                      const tn_payload *payload);
/* From the bytes of a library; texts and arrays are in the arena. TN_ERROR_ARGUMENT: there is none, or it is bad. */
int tn_payload_read(tn_payload *out, tn_arena *arena, const char *bytes, size_t size);

#endif
