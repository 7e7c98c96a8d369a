/* Diagnostics: the list of messages in a context, and suggestions for misspelled names. */
#include "diag.h"
#include "tenon/sys/control_characters.h"
#include "tenon/sys/utf8.h"
#include "context_impl.h"
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

enum {
    DIAGNOSTICS_KEPT = 200,        /* errors; notes and warnings share the same room but never crowd out errors */
    MESSAGE_SIZE = 1000,
    NAME_COMPARED = 128            /* longer names get no suggestions */
};

size_t tn_diagnostics_count(const tn_context *context)
{
    return context->count;
}

const tn_diagnostic *tn_diagnostics_get(const tn_context *context, size_t index)
{
    return index < context->count ? &context->diagnostics[index] : NULL;
}

void tn_diagnostics_clear(tn_context *context)
{
    tn_arena_destroy(context->texts);
    context->texts = NULL;
    context->count = context->errors = context->errors_unkept = 0;
}

int tn_diagnostics_print(const tn_context *context, FILE *out)
{
    static const char *const words[] = { [TN_NOTE] = "note", [TN_WARNING] = "warning", [TN_ERROR] = "error" };
    for (size_t i = 0; i < context->count; i++) {
        const tn_diagnostic *d = &context->diagnostics[i];
        if (d->span.file)
            fprintf(out, "%s:", d->span.file);
        if (d->span.line > 0)
            fprintf(out, "%d:", d->span.line);
        if (d->span.line > 0 && d->span.column > 0)
            fprintf(out, "%d:", d->span.column);
        fprintf(out, "%s%s: %s\n", d->span.file || d->span.line > 0 ? " " : "", words[d->severity], d->message);
    }
    if (context->errors_unkept > 0)
        fprintf(out, "error: %zu more errors are not shown\n", context->errors_unkept);
    return context->errors > INT32_MAX ? INT32_MAX : (int)context->errors;
}

size_t tn_control_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if ((c[0] < ' ' && c[0] != '\0' && c[0] != '\n' && c[0] != '\t') || c[0] == 0x7f)
        return 1;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)                       /* U+0080 to U+009F */
        return 2;
    bool turns = c[0] == 0xe2 && ((c[1] == 0x80 && ((c[2] >= 0x8e && c[2] <= 0x8f) || (c[2] >= 0xaa && c[2] <= 0xae))) ||
                                  (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
    return turns ? 3 : 0;                              /* U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069 */
}

void tn_write_escaped(FILE *out, const char *bytes, size_t length)
{
    for (size_t k = 0; k < length;) {
        char begin[4] = { 0 };                         /* no zero ends the bytes */
        memcpy(begin, bytes + k, length - k < 3 ? length - k : 3);
        size_t control = tn_control_bytes(begin);
        if (control == 0)
            fputc(bytes[k++], out);
        for (; control > 0; control--)
            fprintf(out, "\\x%02x", (unsigned char)bytes[k++]);
    }
}

/* Copies text with control characters as "\xNN". Line breaks and tabs stay. NULL: out of memory. */
static const char *escape_control_bytes(tn_arena *arena, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(text), used = 0;
    char *out = tn_arena_alloc(arena, 4 * length + 1, 1);
    for (size_t k = 0; out && k < length;) {
        size_t bytes = tn_control_bytes(text + k);
        for (size_t i = 0; i < bytes; i++, k++) {
            unsigned char c = (unsigned char)text[k];
            const char escaped[4] = { '\\', 'x', digits[c >> 4], digits[c & 15] };
            memcpy(out + used, escaped, sizeof escaped);
            used += sizeof escaped;
        }
        if (bytes == 0)
            out[used++] = text[k++];
    }
    return out;
}

static const char *keep_text(tn_context *context, const char *text)
{
    for (const char *c = text; *c; c++)
        if (tn_control_bytes(c) > 0)
            return escape_control_bytes(context->texts, text);
    return tn_arena_strdup(context->texts, text);
}

/* The file name must outlive the model it came from; most diagnostics of a run share it. */
static const char *keep_file(tn_context *context, const char *file)
{
    const char *last = context->count > 0 ? context->diagnostics[context->count - 1].span.file : NULL;
    if (!file || (last && strcmp(last, file) == 0))
        return file ? last : NULL;
    return keep_text(context, file);
}

/* The same text at the same place of a file: a section that is read twice. Commands are no file: each is a text of its own, and the
 * same mistake in the next one is told again. */
static bool is_repeated(const tn_context *context, tn_severity severity, tn_span span, const char *message)
{
    const bool file = span.file && strcmp(span.file, "command") != 0;
    for (size_t k = 0; file && k < context->count; k++) {
        const tn_diagnostic *d = &context->diagnostics[k];
        if (d->severity == severity && d->span.line == span.line && d->span.column == span.column && d->span.file &&
            strcmp(d->span.file, span.file) == 0 && strcmp(d->message, message) == 0)
            return true;
    }
    return false;
}

static bool keep(tn_context *context, tn_severity severity, tn_span span, const char *message)
{
    size_t rivals = severity == TN_ERROR ? context->errors - context->errors_unkept : context->count;
    if (rivals >= DIAGNOSTICS_KEPT)
        return false;
    if (!context->texts && !(context->texts = tn_arena_create(context)))
        return false;
    size_t size = sizeof *context->diagnostics;
    if (tn_grow(context, &context->diagnostics, &context->capacity, context->count + 1, size) < 0)
        return false;
    span.file = keep_file(context, span.file);
    message = keep_text(context, message);
    if (!message)
        return false;
    context->diagnostics[context->count++] = (tn_diagnostic){ severity, span, message };
    return true;
}

int tn_report_add(tn_context *context, int code, tn_severity severity, tn_span span, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    tn_utf8_mend(message);                             /* a long name may be cut within a character */
    if (severity == TN_ERROR && is_repeated(context, severity, span, message))
        return code;
    bool kept = length >= 0 && keep(context, severity, span, message);
    if (severity == TN_ERROR) {
        context->errors++;
        context->errors_unkept += !kept;
    }
    return code;
}

tn_report_mark tn_report_now(const tn_context *context)
{
    return (tn_report_mark){ context->count, context->errors, context->errors_unkept };
}

void tn_report_forget(tn_context *context, tn_report_mark mark)
{
    context->count = mark.count;
    context->errors = mark.errors;
    context->errors_unkept = mark.errors_unkept;
}

void tn_report_filter(tn_context *context, tn_report_mark mark, bool (*wanted)(void *user, const tn_diagnostic *d),
                      void *user)
{
    size_t kept = mark.count;
    for (size_t k = mark.count; k < context->count; k++) {
        tn_diagnostic d = context->diagnostics[k];
        if (wanted(user, &d))
            context->diagnostics[kept++] = d;
        else
            context->errors -= d.severity == TN_ERROR;
    }
    context->count = kept;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edits that turn a into b: insert, delete, replace a letter, swap two neighbours; case is free. */
static int edit_distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][NAME_COMPARED + 1];
    for (int j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (int i = 1; i <= a_length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int replace = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            row[j] = smaller(replace, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                row[j] = smaller(row[j], above2[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *tn_nearest(const char *name, tn_candidates next, void *user)
{
    size_t length = strlen(name);
    if (length == 0 || length > NAME_COMPARED)
        return NULL;
    const char *best = NULL, *candidate;
    int best_distance = NAME_COMPARED + 1;
    for (size_t i = 0; (candidate = next(user, i)) != NULL; i++) {
        size_t candidate_length = strlen(candidate);
        if (candidate_length > NAME_COMPARED || strcmp(candidate, name) == 0)
            continue;
        /* One slip in two letters, two in five, three in eight: more is another word. */
        int allowed = ((int)(length > candidate_length ? length : candidate_length) + 1) / 3;
        int distance = edit_distance(name, (int)length, candidate, (int)candidate_length);
        if (distance <= allowed && distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

typedef struct word_list {
    const char *const *words;
    size_t count;
} word_list;

static const char *next_word(void *user, size_t index)
{
    const word_list *list = user;
    return index < list->count ? list->words[index] : NULL;
}

const char *tn_nearest_text(const char *word, const char *const *candidates, size_t count)
{
    word_list list = { candidates, count };
    return tn_nearest(word, next_word, &list);
}

const char *tn_did_you_mean(char *buffer, size_t size, const char *name, tn_candidates next, void *user)
{
    const char *near = tn_nearest(name, next, user);
    if (near)
        snprintf(buffer, size, "; did you mean '%s'?", near);
    else if (size > 0)
        buffer[0] = '\0';
    return buffer;
}
