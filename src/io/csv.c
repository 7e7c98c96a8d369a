#include "csv.h"
#include "diag.h"
#include "file.h"
#include <stdlib.h>
#include <string.h>

int tn_csv_header(FILE *out, const tn_channel *channels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *unit = channels[i].unit != NULL ? channels[i].unit : "";
        fprintf(out, "%s%s%s%s%s", i > 0 ? "," : "", channels[i].name, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
    }
    return fputc('\n', out) == EOF || ferror(out) ? TN_ERROR_FILE : TN_OK;
}

int tn_csv_row(FILE *out, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, i > 0 ? ",%.17g" : "%.17g", values[i]);
    return fputc('\n', out) == EOF || ferror(out) ? TN_ERROR_FILE : TN_OK;
}

typedef struct csv_reader {
    tn_context *context;
    const char *path;
    int line;
    tn_table *table;
    size_t value_capacity;
} csv_reader;

static int refuse(const csv_reader *c, const char *where, const char *line, const char *reason)
{
    tn_span span = { c->path, c->line, (int)(where - line) + 1 };
    return tn_fail(c->context, TN_ERROR_FILE, span, "%s", reason);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The column's name without quotes, unit and white space around it. */
static char *column_name(tn_context *context, const char *text, size_t length)
{
    const char *end = text + length, *bracket = memchr(text, '[', length);
    if (bracket != NULL)
        end = bracket;
    while (text < end && (is_space(*text) || *text == '"'))
        text++;
    while (end > text && (is_space(end[-1]) || end[-1] == '"'))
        end--;
    char *name = tn_alloc(context, (size_t)(end - text) + 1, 1);
    if (name != NULL)
        memcpy(name, text, (size_t)(end - text));
    return name;
}

static int read_header(csv_reader *c, const char *line)
{
    tn_table *t = c->table;
    size_t capacity = 0;
    for (const char *at = line;; at++) {
        size_t length = strcspn(at, ",");
        TN_TRY(tn_grow(c->context, &t->names, &capacity, t->columns + 1, sizeof *t->names));
        char *name = column_name(c->context, at, length);
        if (name == NULL)
            return TN_ERROR_MEMORY;
        t->names[t->columns++] = name;
        if (name[0] == '\0')
            return refuse(c, at, line, "a column without a name");
        at += length;
        if (*at == '\0')
            return TN_OK;
    }
}

static int read_row(csv_reader *c, const char *line)
{
    tn_table *t = c->table;
    TN_TRY(tn_grow(c->context, &t->values, &c->value_capacity, (t->rows + 1) * t->columns, sizeof *t->values));
    double *row = t->values + t->rows * t->columns;
    const char *at = line;
    for (size_t i = 0; i < t->columns; i++) {
        char *end;
        row[i] = strtod(at, &end);
        if (end == at)
            return refuse(c, at, line, "a number is missing here");
        while (is_space(*end))
            end++;
        bool last = i + 1 == t->columns;
        if (*end != (last ? '\0' : ','))
            return refuse(c, end, line, last ? "more than the header has columns" : "not a number, or a row too short");
        at = end + !last;
    }
    t->rows++;
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
        TN_TRY(c->table->columns == 0 ? read_header(c, line) : read_row(c, line));
    }
    if (c->table->columns == 0)
        return tn_fail(c->context, TN_ERROR_FILE, ((tn_span){ c->path, 0, 0 }), "the table has no header");
    return TN_OK;
}

int tn_table_read(tn_table **out, tn_context *context, const char *path)
{
    char *text;
    size_t size;
    *out = NULL;
    TN_TRY(tn_file_read(&text, &size, context, path, TN_NOWHERE));
    csv_reader c = { .context = context, .path = path, .table = tn_alloc(context, 1, sizeof *c.table) };
    int code = TN_ERROR_MEMORY;
    if (c.table != NULL)
        code = strlen(text) == size ? read_lines(&c, text) : refuse(&c, text, text, "this is not a text file");
    tn_free(context, text);
    if (code < 0)
        tn_table_destroy(context, c.table);
    else
        *out = c.table;
    return code;
}

void tn_table_destroy(tn_context *context, tn_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->columns; i++)
        tn_free(context, table->names[i]);
    tn_free(context, table->names);
    tn_free(context, table->values);
    tn_free(context, table);
}

int tn_table_column(const tn_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(table->names[i], name) == 0)
            return (int)i;
    return -1;
}
