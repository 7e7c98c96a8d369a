/* Fuzz target: the payload of a compiled component, bare or behind code. */
#include "fuzz.h"
#include "payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    tn_payload payload;
    if (tn_payload_read(&payload, arena, (const char *)data, size) >= 0)
        for (size_t k = 0; k < payload.file_count; k++)
            if (payload.files[k].size > size)
                __builtin_trap();                      /* a file larger than all of it */
    tn_arena_destroy(arena);
    tn_context_destroy(context);
    return 0;
}
