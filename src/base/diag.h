/* Diagnostics, and suggestions for misspelled names. */
#ifndef TN_BASE_DIAG_H
#define TN_BASE_DIAG_H

#include "tenon/context.h"

/* Adds a diagnostic; always returns code (so that errors can be returned in one line). After a fixed number of errors
 * further ones are only counted, so that a hostile file cannot fill the memory. */
int tn_report_add(tn_context *context, int code, tn_severity severity, tn_span span, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
#define tn_fail(context, code, span, ...) tn_report_add(context, code, TN_ERROR, span, __VA_ARGS__)
#define tn_warn(context, span, ...) tn_report_add(context, TN_OK, TN_WARNING, span, __VA_ARGS__)
/* Bytes of the control character at text (escape, delete, marks of the writing direction); 0: it is none. Messages show control
 * characters as "\x1b". */
size_t tn_control_bytes(const char *text);
/* Drops the diagnostics since the mark: for attempts whose failure need not be reported. */
typedef struct tn_report_mark {
    size_t count, errors, errors_unkept;
} tn_report_mark;
tn_report_mark tn_report_now(const tn_context *context);
void tn_report_forget(tn_context *context, tn_report_mark mark);
/* Keeps those of the diagnostics since the mark for which wanted returns true. */
void tn_report_filter(tn_context *context, tn_report_mark mark, bool (*wanted)(void *user, const tn_diagnostic *d),
                      void *user);
#define TN_NOWHERE ((tn_span){ 0, 0, 0 })

/* The candidate nearest to name by edit distance, or NULL when none is near enough to be meant. next returns the
 * candidates one by one and NULL at the end. */
typedef const char *(*tn_candidates)(void *user, size_t index);
const char *tn_nearest(const char *name, tn_candidates next, void *user);
/* "; did you mean 'x'?" into buffer, or "" when nothing is near; returns buffer. */
const char *tn_did_you_mean(char *buffer, size_t size, const char *name, tn_candidates next, void *user);

#endif
