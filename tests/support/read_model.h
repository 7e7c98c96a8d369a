/* Reading model texts in tests: a context, the model when there is one, and what was said about it. */
#ifndef TEST_READ_MODEL_H
#define TEST_READ_MODEL_H

#include "near.h"
#include "tenon/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct reading {
    tn_context *context;
    tn_model *model;
    int code;
} reading;

static inline reading read_bytes(const char *text, size_t size)
{
    reading r = { .context = tn_context_create(NULL) };
    assert_non_null(r.context);
    r.code = tn_model_read_text(&r.model, r.context, text, size, "model.yaml", "/tmp");
    return r;
}

static inline reading read_string(const char *text)
{
    return read_bytes(text, strlen(text));
}

static inline reading read_path(const char *path)
{
    reading r = { .context = tn_context_create(NULL) };
    assert_non_null(r.context);
    r.code = tn_model_read(&r.model, r.context, path);
    return r;
}

static inline void done(reading *r)
{
    tn_model_destroy(r->model);
    tn_context_destroy(r->context);
}

/* True when some diagnostic, printed as "line:column: message", contains the text. */
static inline bool says(const reading *r, const char *text)
{
    for (size_t i = 0; i < tn_diagnostics_count(r->context); i++) {
        const tn_diagnostic *d = tn_diagnostics_get(r->context, i);
        char line[1200];
        snprintf(line, sizeof line, "%d:%d: %s", d->span.line, d->span.column, d->message);
        if (strstr(line, text) != NULL)
            return true;
    }
    return false;
}

static inline void must_say(const reading *r, const char *text)
{
    if (says(r, text))
        return;
    print_error("not said: %s\n", text);
    tn_diagnostics_print(r->context, stderr);
    fail();
}

/* The text must be refused with these words. */
static inline void refused(const char *text, const char *words)
{
    reading r = read_string(text);
    must_say(&r, words);
    assert_true(r.code < 0);
    assert_null(r.model);
    done(&r);
}

static inline reading accepted(const char *text)
{
    reading r = read_string(text);
    if (r.code != TN_OK) {
        tn_diagnostics_print(r.context, stderr);
        fail();
    }
    return r;
}

/* A folder of its own for the files of a test, in the folder where the test runs. */
static inline char *temporary_folder(char *buffer, size_t size)
{
    snprintf(buffer, size, "test-files-XXXXXX");
    assert_non_null(mkdtemp(buffer));
    return buffer;
}

static inline void write_file(const char *folder, const char *name, const void *data, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    fclose(out);
}

static inline void write_text(const char *folder, const char *name, const char *text)
{
    write_file(folder, name, text, strlen(text));
}

static inline reading read_in(const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_path(path);
}

#endif
