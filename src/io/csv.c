/* Tables of numbers as CSV. */
#include "decimal.h"
#include "diag.h"
#include "file.h"
#include "results_impl.h"
#include "shortest.h"
#include "sink.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

typedef struct csv_sink {
    tn_sink base;
    FILE *out;
    locale_t locale;           /* numbers have a decimal point */
} csv_sink;

static int check_stream(const csv_sink *sink)
{
    if (!ferror(sink->out))
        return TN_OK;
    return tn_fail(sink->base.context, TN_ERROR_FILE, TN_NOWHERE, "cannot write the table: %s", strerror(errno));
}

static int write_row(tn_sink *base, const double *values)
{
    csv_sink *sink = (csv_sink *)base;
    locale_t before = uselocale(sink->locale);
    for (size_t k = 0; k < base->count; k++) {
        char text[TN_SHORTEST_SIZE];
        if (k > 0)
            fputc(',', sink->out);
        fputs(tn_short_or_full(text, values[k]), sink->out);
    }
    fputc('\n', sink->out);
    uselocale(before);
    return check_stream(sink);
}

static int close_sink(tn_sink *base)
{
    csv_sink *sink = (csv_sink *)base;
    if (sink->locale != (locale_t)0)
        freelocale(sink->locale);
    tn_free(base->context, sink);
    return TN_OK;
}

static int write_header(const csv_sink *sink, const tn_channel *channels)
{
    for (size_t k = 0; k < sink->base.count; k++) {
        const char *unit = channels[k].unit;
        fprintf(sink->out, "%s%s%s%s%s", k > 0 ? "," : "", channels[k].name, unit[0] ? " [" : "", unit,
                unit[0] ? "]" : "");
    }
    fputc('\n', sink->out);
    return check_stream(sink);
}

int tn_sink_open_csv(tn_sink **out, tn_context *context, FILE *stream, const tn_sink_header *header)
{
    static const tn_sink_type type = { .row = write_row, .close = close_sink };
    csv_sink *sink = tn_alloc(context, 1, sizeof *sink);
    if (sink == NULL)
        return TN_ERROR_MEMORY;
    sink->base = (tn_sink){ .type = &type, .context = context, .count = header->count };
    sink->out = stream;
    sink->locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    int code = sink->locale != (locale_t)0 ? write_header(sink, header->channels) : TN_ERROR_MEMORY;
    if (code < 0)
        close_sink(&sink->base);
    else
        *out = &sink->base;
    return code;
}

/* ---- reading ---- */

typedef struct csv_reader {
    tn_results *results;
    int line;
} csv_reader;

static int refuse(const csv_reader *c, const char *where, const char *line, const char *reason)
{
    tn_span span = { c->results->path, c->line, (int)(where - line) + 1 };
    return tn_fail(c->results->context, TN_ERROR_FILE, span, "%s", reason);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The text without quotes and white space around it. */
static char *trimmed(tn_arena *arena, const char *text, const char *end)
{
    while (text < end && (is_space(*text) || *text == '"'))
        text++;
    while (end > text && (is_space(end[-1]) || end[-1] == '"'))
        end--;
    return tn_arena_strndup(arena, text, (size_t)(end - text));
}

/* name [unit] */
static int read_channel(tn_channel *out, tn_arena *arena, const char *text, size_t length)
{
    const char *end = text + length, *open = memchr(text, '[', length);
    const char *close = open != NULL ? memchr(open, ']', (size_t)(end - open)) : NULL;
    out->name = trimmed(arena, text, open != NULL ? open : end);
    out->unit = open != NULL ? trimmed(arena, open + 1, close != NULL ? close : end) : "";
    return out->name != NULL && out->unit != NULL ? TN_OK : TN_ERROR_MEMORY;
}

/* Binary rubbish is not taken for names. */
static const char *name_fault(const char *name)
{
    if (name[0] == '\0')
        return "a column without a name";
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || tn_control_bytes(name) > 0)
            return "a control character in a column's name: this is not a table";
    return NULL;
}

static int read_header(csv_reader *c, const char *line)
{
    tn_results *r = c->results;
    size_t columns = 1;
    for (const char *comma = line; (comma = strchr(comma, ',')) != NULL; comma++)
        columns++;
    r->channels = tn_arena_alloc(r->arena, columns, sizeof *r->channels);
    if (r->channels == NULL)
        return TN_ERROR_MEMORY;
    for (const char *at = line; r->columns < columns; r->columns++) {
        size_t length = strcspn(at, ",");
        TN_TRY(read_channel(&r->channels[r->columns], r->arena, at, length));
        const char *fault = name_fault(r->channels[r->columns].name);
        if (fault != NULL)
            return refuse(c, at, line, fault);
        at += length + 1;
    }
    return TN_OK;
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; (text = strchr(text, '\n')) != NULL; text++)
        lines++;
    return lines;
}

/* Room for the rows of text: as many as there are lines, but no more than can have a digit and a comma in every
 * column, so that memory is bounded by the file's size; and one more, where a bad row is noticed. */
static int make_room(csv_reader *c, const char *text)
{
    tn_results *r = c->results;
    size_t lines = count_lines(text), longest = strlen(text) / (2 * r->columns) + 1;
    r->stride = (lines < longest ? lines : longest) + 1;
    r->values = tn_alloc(r->context, r->stride * r->columns, sizeof *r->values);
    return r->values != NULL ? TN_OK : TN_ERROR_MEMORY;
}

static int read_row(csv_reader *c, const char *line)
{
    tn_results *r = c->results;
    const char *at = line;
    for (size_t k = 0; k < r->columns; k++) {
        char *end;
        r->values[k * r->stride + r->rows] = strtod(at, &end);
        if (end == at)
            return refuse(c, at, line, "a number is missing here");
        while (is_space(*end))
            end++;
        bool last = k + 1 == r->columns;
        if (*end != (last ? '\0' : ','))
            return refuse(c, end, line, last ? "more than the header has columns" : "not a number, or a row too short");
        at = end + !last;
    }
    r->rows++;
    return TN_OK;
}

static int read_lines(csv_reader *c, char *text)
{
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        c->line++;
        size_t content = strspn(line, " \t\r");
        if (line[content] == '\0' || line[content] == '#')
            continue;
        if (c->results->columns > 0) {
            TN_TRY(read_row(c, line));
            continue;
        }
        TN_TRY(read_header(c, line));
        TN_TRY(make_room(c, next != NULL ? next : ""));
    }
    if (c->results->columns == 0)
        return tn_fail(c->results->context, TN_ERROR_FILE, ((tn_span){ c->results->path, 0, 0 }),
                       "the table has no header");
    return TN_OK;
}

static int read_text(tn_results *results, char *text, size_t size)
{
    csv_reader c = { .results = results };
    tn_decimal decimal;
    if (strlen(text) != size)
        return tn_fail(results->context, TN_ERROR_FILE, ((tn_span){ results->path, 0, 0 }),
                       "this is neither a text nor an HDF5 file");
    TN_TRY(tn_decimal_begin(&decimal));
    int code = read_lines(&c, text);
    tn_decimal_end(&decimal);
    return code;
}

int tn_csv_read(tn_results *results)
{
    char *text;
    size_t size;
    TN_TRY(tn_file_read(&text, &size, results->context, results->path, TN_NOWHERE, NULL, TN_TABLE_LIMIT));
    int code = read_text(results, text, size);
    tn_free(results->context, text);
    return code;
}
