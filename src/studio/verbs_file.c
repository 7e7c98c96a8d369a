/* Verbs that make files of what a client has. */
#include "base64.h"
#include "request.h"
#include "history_table.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1 << 20 };

/* Columns of a message. */
typedef struct sheet {
    tn_channel *channels;      /* texts of the message */
    double **columns;
    size_t count, rows;
} sheet;

static void clear_sheet(sheet *s)
{
    for (size_t k = 0; k < s->count; k++)
        free(s->columns[k]);
    free(s->channels);
    free(s->columns);
}

static double little_endian(const unsigned char *bytes)
{
    uint64_t bits = 0;
    double number;
    for (int k = 7; k >= 0; k--)
        bits = bits << 8 | bytes[k];
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* NULL when the text is not so many numbers, or without memory. */
static double *decode_numbers(const char *text, size_t rows)
{
    unsigned char *bytes = malloc(8 * rows + 1);
    double *numbers = malloc((rows + 1) * sizeof *numbers);
    if (bytes && numbers && tn_base64_bytes(bytes, 8 * rows, text)) {
        for (size_t k = 0; k < rows; k++)
            numbers[k] = little_endian(bytes + 8 * k);
    } else {
        free(numbers);
        numbers = NULL;
    }
    free(bytes);
    return numbers;
}

static int read_column(tn_request *r, sheet *s, const cJSON *column)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(column, "name");
    const cJSON *unit = cJSON_GetObjectItemCaseSensitive(column, "unit");
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(column, "values");
    if (!cJSON_IsString(name) || !cJSON_IsString(unit) || !cJSON_IsString(values))
        return tn_request_refuse(r, "argument", "a column is an object with 'name', 'unit' and 'values', all texts");
    if (name->valuestring[0] == '\0' || strcspn(name->valuestring, "/.") == 0 || strchr(name->valuestring, '/'))
        return tn_request_refuse(r, "argument", "'%.60s' cannot be the name of a column", name->valuestring);
    s->channels[s->count] = (tn_channel){ name->valuestring, unit->valuestring };
    s->columns[s->count] = decode_numbers(values->valuestring, s->rows);
    if (!s->columns[s->count])
        return tn_request_refuse(r, "argument", "column '%.60s' has not %zu numbers", name->valuestring, s->rows);
    s->count++;
    return TN_OK;
}

static int read_sheet(tn_request *r, sheet *s)
{
    const cJSON *columns = tn_request_argument(r, "columns"), *column;
    double rows = 0;
    int code = tn_request_number(r, "rows", 0, MOST_ROWS, &rows), count = cJSON_GetArraySize(columns);
    if (code < 0)
        return code;
    if (!cJSON_IsArray(columns) || count < 1 || count > TN_MOST_CHANNELS)
        return tn_request_refuse(r, "argument", "'columns' must be a list of 1 to %d", TN_MOST_CHANNELS);
    s->rows = (size_t)rows;
    s->channels = calloc((size_t)count, sizeof *s->channels);
    s->columns = calloc((size_t)count, sizeof *s->columns);
    if (!s->channels || !s->columns)
        return TN_ERROR_MEMORY;
    cJSON_ArrayForEach(column, columns) {
        code = read_column(r, s, column);
        if (code < 0)
            return code;
    }
    return TN_OK;
}

/* The text is the answer's. */
static int add_file(tn_request *r, const char *bytes, size_t size)
{
    char *text = malloc(tn_base64_length(size) + 1);
    if (!text)
        return TN_ERROR_MEMORY;
    tn_base64_text(text, (const unsigned char *)bytes, size);
    cJSON_AddStringToObject(r->answer, "file", text);
    free(text);
    return TN_OK;
}

int tn_verb_hdf5(tn_request *r, tn_session *session)
{
    (void)session;
    sheet s = { 0 };
    size_t size = 0;
    const char *model = tn_request_text(r, "model");
    tn_context *context = tn_context_create(NULL);
    double dimension = 0;
    int code = !model ? TN_ERROR_ARGUMENT : context ? TN_OK : TN_ERROR_MEMORY;
    if (code >= 0)
        code = tn_request_number(r, "dimension", 2, 3, &dimension);
    if (code >= 0)
        code = read_sheet(r, &s);
    if (code >= 0) {
        const double *const *columns = (const double *const *)s.columns;
        const tn_results_table table = { model, dimension > 2.5 ? 3 : 2, s.channels, columns, s.count, s.rows };
        char *bytes = tn_history_table_bytes(&size, context, &table, r->studio->options.state);
        code = bytes ? add_file(r, bytes, size) : TN_ERROR_FILE;
        tn_request_add_diagnostics(r, context);
        free(bytes);
    }
    clear_sheet(&s);
    tn_context_destroy(context);
    return code;
}
