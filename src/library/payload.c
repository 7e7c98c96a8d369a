/* Writes and reads the payload of a compiled component. */
#include "payload.h"

#include <string.h>
#include "hash.h"

/* The last bytes of the file; not readable as text. */
static const unsigned char MARK[16] = { 0x9e, 0x03, 0xd1, 0x88, 0xf4, 0x1c, 0x05, 0xaa,
                                        0xe7, 0x90, 0x02, 0xcb, 0x16, 0xfd, 0x81, 0x01 };

typedef struct trailer {
    uint64_t hash;                 /* of the content; also the seed of the scrambling */
    uint64_t size;                 /* of the content */
    unsigned char mark[16];
} trailer;

/* Its own inverse: exclusive or with the numbers of splitmix64. */
static void scramble(char *data, size_t size, uint64_t seed)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++, bits >>= 8) {
        if (k % 8 == 0) {
            bits = seed += 0x9e3779b97f4a7c15u;
            bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
            bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
            bits ^= bits >> 31;
        }
        data[k] = (char)((unsigned char)data[k] ^ (unsigned char)bits);
    }
}

/* ---- writing ---- */

typedef struct writer {
    tn_context *context;
    char *data;
    size_t size, capacity;
    int code;
} writer;

static void put_bytes(writer *w, const void *bytes, size_t size)
{
    if (w->code == TN_OK)
        w->code = tn_grow(w->context, &w->data, &w->capacity, w->size + size, 1);
    if (w->code < 0)
        return;
    memcpy(w->data + w->size, bytes, size);
    w->size += size;
}

static void put_number(writer *w, uint64_t number)
{
    put_bytes(w, &number, sizeof number);
}

/* Adds a NUL after the data, which size does not count. */
static void put_block(writer *w, const char *data, size_t size)
{
    put_number(w, size);
    put_bytes(w, data, size);
    put_bytes(w, "", 1);
}

static void put_text(writer *w, const char *text)
{
    put_block(w, text ? text : "", text ? strlen(text) : 0);
}

static void put_content(writer *w, const tn_payload *p)
{
    put_text(w, p->name);
    put_number(w, (uint64_t)p->dimension);
    put_number(w, (uint64_t)p->disclosure);
    put_number(w, (uint64_t)p->port_count);
    for (int k = 0; k < p->port_count; k++)
        put_text(w, p->ports[k].name);
    put_number(w, (uint64_t)p->port_count);
    for (int k = 0; k < p->port_count; k++)
        put_number(w, p->port_is_frame[k]);
    put_number(w, (uint64_t)p->parameter_count);
    for (int k = 0; k < p->parameter_count; k++) {
        put_text(w, p->parameters[k].name);
        put_text(w, p->parameters[k].unit);
        put_bytes(w, &p->parameters[k].initial, sizeof(double));
    }
    put_number(w, p->file_count);
    for (size_t k = 0; k < p->file_count; k++) {
        put_text(w, p->files[k].path);
        put_block(w, p->files[k].data, p->files[k].size);
    }
}

int tn_payload_attach(char **out, size_t *size, tn_context *context, const char *code, size_t code_size,
                      const tn_payload *payload)
{
    writer w = { .context = context };
    put_bytes(&w, code, code_size);
    put_content(&w, payload);
    if (w.code == TN_OK) {
        trailer end = { .size = w.size - code_size };
        memcpy(end.mark, MARK, sizeof MARK);
        end.hash = tn_hash_bytes(TN_HASH_START, w.data + code_size, end.size);
        scramble(w.data + code_size, end.size, end.hash);
        put_bytes(&w, &end, sizeof end);
    }
    if (w.code < 0) {
        tn_free(context, w.data);
        return w.code;
    }
    *out = w.data;
    *size = w.size;
    return TN_OK;
}

/* ---- reading ---- */

typedef struct scanner {
    tn_arena *arena;
    const char *at;
    size_t left;
    int code;
} scanner;

/* NULL: fewer bytes are left. */
static const char *take_bytes(scanner *s, size_t size)
{
    if (s->code == TN_OK && s->left < size)
        s->code = TN_ERROR_ARGUMENT;
    if (s->code < 0)
        return NULL;
    const char *bytes = s->at;
    s->at += size;
    s->left -= size;
    return bytes;
}

static uint64_t take_number(scanner *s)
{
    uint64_t number = 0;
    const char *bytes = take_bytes(s, sizeof number);
    if (bytes)
        memcpy(&number, bytes, sizeof number);
    return number;
}

static const char *take_block(scanner *s, size_t *size)
{
    *size = take_number(s);
    if (*size >= s->left)                      /* the NUL must fit as well */
        s->code = s->code < 0 ? s->code : TN_ERROR_ARGUMENT;
    return take_bytes(s, *size + 1);
}

static const char *take_text(scanner *s)
{
    size_t size;
    return take_block(s, &size);
}

/* Reads a count and allocates zeroed memory for the items. Each item takes at least one number. */
static void *take_array(scanner *s, size_t size, size_t *count)
{
    *count = take_number(s);
    if (*count > s->left / sizeof(uint64_t))
        s->code = s->code < 0 ? s->code : TN_ERROR_ARGUMENT;
    void *array = s->code == TN_OK ? tn_arena_alloc(s->arena, *count, size) : NULL;
    if (!array) {
        *count = 0;
        s->code = s->code < 0 ? s->code : TN_ERROR_MEMORY;
    }
    return array;
}

static int take_content(scanner *s, tn_payload *out)
{
    size_t count;
    out->name = take_text(s);
    out->dimension = (int)take_number(s);
    out->disclosure = (tn_disclosure)take_number(s);
    out->ports = take_array(s, sizeof *out->ports, &count);
    out->port_count = (int)count;
    for (size_t k = 0; k < count; k++)
        out->ports[k] = (tn_port_decl){ take_text(s), "" };
    out->port_is_frame = take_array(s, sizeof *out->port_is_frame, &count);
    for (size_t k = 0; k < count; k++)
        out->port_is_frame[k] = take_number(s) != 0;
    if (s->code == TN_OK && count != (size_t)out->port_count)
        s->code = TN_ERROR_ARGUMENT;
    out->parameters = take_array(s, sizeof *out->parameters, &count);
    out->parameter_count = (int)count;
    for (size_t k = 0; k < count; k++) {
        const char *name = take_text(s), *unit = take_text(s), *initial = take_bytes(s, sizeof(double));
        out->parameters[k] = (tn_parameter_decl){ .name = name, .unit = unit, .doc = "" };
        if (initial)
            memcpy(&out->parameters[k].initial, initial, sizeof(double));
    }
    out->files = take_array(s, sizeof *out->files, &out->file_count);
    for (size_t k = 0; k < out->file_count; k++) {
        out->files[k].path = take_text(s);
        out->files[k].data = take_block(s, &out->files[k].size);
    }
    if (s->code == TN_OK && (s->left > 0 || out->file_count == 0))
        s->code = TN_ERROR_ARGUMENT;
    return s->code;
}

int tn_payload_read(tn_payload *out, tn_arena *arena, const char *bytes, size_t size)
{
    trailer end;
    *out = (tn_payload){ 0 };
    if (size < sizeof end)
        return TN_ERROR_ARGUMENT;
    size -= sizeof end;
    memcpy(&end, bytes + size, sizeof end);
    if (memcmp(end.mark, MARK, sizeof MARK) != 0 || end.size > size)
        return TN_ERROR_ARGUMENT;
    char *content = tn_arena_alloc(arena, end.size, 1);
    if (!content)
        return TN_ERROR_MEMORY;
    memcpy(content, bytes + size - end.size, end.size);
    scramble(content, end.size, end.hash);
    if (tn_hash_bytes(TN_HASH_START, content, end.size) != end.hash)
        return TN_ERROR_ARGUMENT;
    scanner s = { .arena = arena, .at = content, .left = end.size };
    return take_content(&s, out);
}
