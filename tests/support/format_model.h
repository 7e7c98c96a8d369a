/* Formatting texts in tests. */
#ifndef TEST_FORMAT_MODEL_H
#define TEST_FORMAT_MODEL_H

#include "read_model.h"

typedef struct formatted {
    tn_context *context;
    char *text;                /* NULL: refused */
    int code;
} formatted;

static inline formatted format_bytes(const char *text, size_t size)
{
    formatted f = { .context = tn_context_create(NULL) };
    assert_non_null(f.context);
    f.code = tn_format_text(&f.text, f.context, text, size, "model.yaml");
    assert_int_equal(f.code < 0, f.text == NULL);
    assert_true(f.code >= 0 || tn_diagnostics_count(f.context) > 0);
    return f;
}

static inline void drop(formatted *f)
{
    tn_text_free(f->context, f->text);
    tn_context_destroy(f->context);
}

static inline void must_become(const char *text, size_t size, const char *expected)
{
    formatted f = format_bytes(text, size);
    if (f.code < 0 || strcmp(f.text, expected) != 0) {
        fprintf(stderr, "--- given\n%.*s\n--- became\n%s\n--- expected\n%s\n", (int)size, text,
                f.text ? f.text : "(refused)", expected);
        tn_diagnostics_print(f.context, stderr);
        fail();
    }
    drop(&f);
}

/* The text becomes what is expected, and that is a normal form. */
static inline void becomes(const char *text, const char *expected)
{
    must_become(text, strlen(text), expected);
    must_become(expected, strlen(expected), expected);
}

/* Refused, or accepted with a result that is in normal form. */
static inline bool answers(const char *text, size_t size)
{
    formatted f = format_bytes(text, size);
    bool accepted = f.code >= 0;
    if (accepted)
        must_become(f.text, strlen(f.text), f.text);
    drop(&f);
    return accepted;
}

#endif
