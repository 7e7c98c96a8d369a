/* The memory of what leads into the present system: each recompile begins it anew. */
#include "session_impl.h"

int tn_binding_renew(tn_session *s)
{
    TN_TRY(tn_grow(s->context, &s->retired, &s->retired_capacity, s->retired_count + 1, sizeof *s->retired));
    tn_arena *new = tn_arena_create(s->context);
    if (!new)
        return TN_ERROR_MEMORY;
    s->retired[s->retired_count++] = s->binding;
    s->binding = new;
    s->rebinding = true;
    return TN_OK;
}

void tn_binding_release(tn_session *s)
{
    while (s->retired_count > 0 && !s->rebinding)
        tn_arena_destroy(s->retired[--s->retired_count]);
}

void tn_binding_close(tn_session *s)
{
    s->rebinding = false;
    tn_binding_release(s);
    tn_free(s->context, s->retired);
    if (s->binding)
        tn_arena_destroy(s->binding);
}
