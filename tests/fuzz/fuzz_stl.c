/* Fuzz target: a triangle surface in an STL file, binary or text. */
#include "fuzz.h"
#include "in_file.h"
#include "stl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    tn_shape_def shape = { 0 };
    const char *path = input_file(data, size, ".stl");
    tn_stl_read(&shape, arena, context, path, 1, (tn_span){ "fuzz.yaml", 1, 1 });
    unlink(path);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
    return 0;
}
