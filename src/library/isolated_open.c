/* Libraries of components in a process of their own: their declarations, read by another process. */
#include "isolated_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* s: to load a library. */
static const double LIMIT = 30;
/* bytes of an exchange beside D; pages that are not used take no memory. */
static const size_t ROOM = (size_t)256 << 20;
enum { MOST_PORTS = 1000, MOST_PARAMETERS = 1000 };

size_t tn_isolated_point_size(int states, int ports)
{
    return (size_t)states + (size_t)ports * (sizeof(tn_port_motion) / sizeof(double));
}

size_t tn_isolated_foreseen_size(int states, int columns)
{
    size_t n = (size_t)columns;
    return n * n + n + (size_t)states * (n + 1);
}

bool tn_isolated_fits(size_t room, int states, int columns, int ports, size_t saved)
{
    size_t point = tn_isolated_point_size(states, ports) + (size_t)ports * 3;
    size_t numbers = point + tn_isolated_foreseen_size(states, columns) + 3 * (size_t)columns;
    size_t most = numbers * sizeof(double);
    return most <= room && saved <= room && sizeof(tn_isolated_exchange) + (most > saved ? most : saved) <= room;
}

void tn_isolated_mend_bool(bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, 1);
    *value = byte != 0;
}

void tn_isolated_mend_exchange(tn_isolated_exchange *x)
{
    bool *const all[] = { &x->has_tau, &x->wanted, &x->reacts, &x->timed, &x->foresee, &x->foresee_root, &x->foresee_rates, &x->foreseen,
                          &x->foreseen_rates, &x->bent, &x->spoke };
    for (size_t k = 0; k < TN_LENGTH(all); k++)
        tn_isolated_mend_bool(all[k]);
}

int tn_isolated_reach(tn_remote *remote, const tn_isolated_library *l, size_t room, char trouble[TN_VERDICT_TEXT])
{
    tn_link *link = NULL;
    if (l->address.host[0] == '\0') {
        snprintf(trouble, TN_VERDICT_TEXT, "no process can be started for it");
        return tn_remote_start(remote, room, tn_isolated_serve, l->path);
    }
    char reason[TN_STREAM_TEXT] = "";
    int code = tn_link_open(&link, &l->address, l->token, l->authority, reason);
    snprintf(trouble, TN_VERDICT_TEXT, "cannot be reached: %s", reason);
    return code < 0 ? code : tn_remote_join(remote, room, link);
}

/* ---- reading the declarations ---- */

typedef struct scanner {
    const char *next, *end;
    tn_arena *arena;
    bool good;
} scanner;

/* The next text; NULL where the declaration has none, or is broken. */
static const char *take_text(scanner *s)
{
    const char *zero = s->next < s->end ? memchr(s->next, '\0', (size_t)(s->end - s->next)) : NULL;
    if (!zero || (*s->next != 's' && *s->next != 'n')) {
        s->good = false;
        return NULL;
    }
    const char *text = *s->next == 's' ? tn_arena_strdup(s->arena, s->next + 1) : NULL;
    s->next = zero + 1;
    return text;
}

static int take_ports(tn_component_type *type, scanner *s, const tn_isolated_declaration *d)
{
    tn_port_decl *ports = tn_arena_alloc(s->arena, (size_t)d->port_count, sizeof *ports);
    bool *frames = tn_arena_alloc(s->arena, (size_t)d->port_count, sizeof *frames);
    if (!ports || !frames)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < d->port_count; k++) {
        ports[k].name = take_text(s);
        ports[k].doc = take_text(s);
        const char *frame = take_text(s);
        frames[k] = frame && strcmp(frame, "yes") == 0;
    }
    type->ports = ports;
    type->port_count = d->port_count;
    type->port_is_frame = d->has_frames ? frames : NULL;
    return TN_OK;
}

static int take_parameters(tn_component_type *type, scanner *s, const tn_isolated_declaration *d)
{
    tn_parameter_decl *parameters = tn_arena_alloc(s->arena, (size_t)d->parameter_count, sizeof *parameters);
    if (!parameters)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < d->parameter_count; k++) {
        tn_parameter_decl *p = &parameters[k];
        p->name = take_text(s);
        p->unit = take_text(s);
        p->doc = take_text(s);
        const char *initial = take_text(s);
        p->initial = initial ? strtod(initial, NULL) : 0;
        p->as_built = take_text(s);
    }
    type->parameters = parameters;
    type->parameter_count = d->parameter_count;
    return TN_OK;
}

static int take_declaration(tn_isolated_library *l, const tn_isolated_declaration *d)
{
    tn_component_type *type = &l->type;
    bool counts = d->port_count > 0 && d->port_count <= MOST_PORTS && d->parameter_count >= 0 &&
                  d->parameter_count <= MOST_PARAMETERS && d->length <= sizeof d->text && !d->full &&
                  (d->dimension == 2 || d->dimension == 3);
    if (!counts)
        return TN_ERROR_ARGUMENT;
    scanner s = { d->text, d->text + d->length, l->arena, true };
    *type = (tn_component_type){ .version = TN_COMPONENT_VERSION, .size = sizeof *type, .dimension = d->dimension };
    type->disclosure = d->disclosure < TN_DISCLOSE_CONDENSED ? TN_DISCLOSE_RESPONSE : TN_DISCLOSE_CONDENSED;
    type->name = take_text(&s);
    type->doc = take_text(&s);
    TN_TRY(take_ports(type, &s, d));
    TN_TRY(take_parameters(type, &s, d));
    tn_isolated_fill_type(type, d);
    l->columns = d->port_count * (d->dimension == 2 ? 3 : 6);
    l->room = ROOM + (size_t)l->columns * (size_t)l->columns * sizeof(double);
    TN_TRY(tn_arena_status(l->arena));
    return s.good && !tn_trial_declaration(type) ? TN_OK : TN_ERROR_ARGUMENT;
}

static void mend_declaration(tn_isolated_declaration *d)
{
    bool *const all[] = { &d->has_advance, &d->has_info, &d->has_root, &d->has_frames, &d->full };
    for (size_t k = 0; k < TN_LENGTH(all); k++)
        tn_isolated_mend_bool(all[k]);
}

static int describe(tn_isolated_library *l, char trouble[TN_VERDICT_TEXT])
{
    tn_remote remote;
    TN_TRY(tn_isolated_reach(&remote, l, sizeof(tn_isolated_declaration), trouble));
    tn_isolated_declaration *d = tn_remote_room(&remote);
    int code = tn_remote_call(&remote, TN_ISOLATED_DESCRIBE, "load", LIMIT);
    d->trouble[sizeof d->trouble - 1] = '\0';
    mend_declaration(d);
    if (code < 0)
        snprintf(trouble, TN_VERDICT_TEXT, "%s", tn_remote_runs(&remote) ? d->trouble : remote.trouble);
    else
        code = take_declaration(l, d);
    if (code == TN_ERROR_ARGUMENT && tn_remote_runs(&remote) && d->trouble[0] == '\0')
        snprintf(trouble, TN_VERDICT_TEXT, "has declarations that are wrong or too long");
    tn_remote_stop(&remote);
    return code;
}

static char *copy_text(tn_arena *arena, const char *text)
{
    return text ? tn_arena_strdup(arena, text) : NULL;
}

int tn_isolated_open(tn_isolated_library **out, tn_context *context, const char *path, const tn_isolated_server *server,
                     char trouble[TN_VERDICT_TEXT])
{
    tn_arena *arena = tn_arena_create(context);
    tn_isolated_library *l = *out = arena ? tn_arena_alloc(arena, 1, sizeof *l) : NULL;
    if (!l) {
        tn_arena_destroy(arena);
        return TN_ERROR_MEMORY;
    }
    l->arena = arena;
    l->path = tn_arena_strdup(arena, path);
    int code = TN_OK;
    if (server) {
        code = tn_link_parse(&l->address, path, trouble);
        l->token = copy_text(arena, server->token);
        l->authority = copy_text(arena, server->authority);
    }
    if (code >= 0)
        code = tn_arena_status(arena);
    if (code >= 0)
        code = describe(l, trouble);
    if (code < 0) {
        tn_arena_destroy(arena);
        *out = NULL;
    }
    return code;
}

void tn_isolated_close(tn_isolated_library *library)
{
    if (library)
        tn_arena_destroy(library->arena);
}

const tn_component_type *tn_isolated_type(const tn_isolated_library *library)
{
    return &library->type;
}
