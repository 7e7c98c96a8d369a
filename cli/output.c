/* Writes answers, diagnostics and exit codes in the form that all commands share. */
#include "output.h"
#include "tenon/sys/utf8.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GAPS_SHOWN = 10 };

int tn_exit_status(int code)
{
    switch (code) {
    case TN_NEWS_INTERRUPTED: return TN_EXIT_INTERRUPTED;
    case TN_ERROR_MEMORY: return TN_EXIT_MEMORY;
    case TN_ERROR_FILE: return TN_EXIT_FILE;
    case TN_ERROR_MODEL: return TN_EXIT_MODEL;
    case TN_ERROR_ASSEMBLY: return TN_EXIT_ASSEMBLY;
    case TN_ERROR_STEP: return TN_EXIT_STEP;
    case TN_ERROR_TEAM: return TN_EXIT_RANKS;
    default: return code < 0 ? TN_EXIT_USAGE : TN_EXIT_OK;
    }
}

const char *tn_end_text(int code)
{
    switch (code) {
    case TN_NEWS_INTERRUPTED: return "interrupted";
    case TN_NEWS_STOPPED: return "stopped";
    default: return code < 0 ? "failed" : "complete";
    }
}

int tn_first_failure(int status, int later)
{
    return status != TN_EXIT_OK ? status : later;
}

int tn_out_of_memory(void)
{
    fprintf(stderr, "tenon: error: %s\n", tn_error_text(TN_ERROR_MEMORY));
    return TN_EXIT_MEMORY;
}

void tn_path_print(FILE *out, const char *path)
{
    for (; *path; path++)
        fputc((unsigned char)*path < ' ' || *path == 0x7f ? '?' : *path, out);
}

int tn_file_failed(const char *path)
{
    const char *reason = errno != 0 ? strerror(errno) : "not all of it could be written";
    fputs("tenon: error: cannot write '", stderr);
    tn_path_print(stderr, path);
    fprintf(stderr, "': %s\n", reason);
    return TN_EXIT_FILE;
}

int tn_file_close(FILE *file, const char *path)
{
    bool lost = ferror(file) != 0;
    errno = 0;
    return fclose(file) == 0 && !lost ? TN_EXIT_OK : tn_file_failed(path);
}

bool tn_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

const char *tn_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int tn_diagnostics_flush(tn_context *context, int code, cJSON *array)
{
    for (size_t i = 0; array && i < tn_diagnostics_count(context); i++)
        cJSON_AddItemToArray(array, tn_json_diagnostic(tn_diagnostics_get(context, i)));
    int errors = tn_diagnostics_print(context, stderr);
    tn_diagnostics_clear(context);
    if (code < 0 && errors == 0) {
        tn_diagnostic plain = { .severity = TN_ERROR, .message = tn_error_text(code) };
        fprintf(stderr, "tenon: error: %s\n", plain.message);
        if (array)
            cJSON_AddItemToArray(array, tn_json_diagnostic(&plain));
    }
    return tn_exit_status(code);
}

void tn_gaps_print(const tn_model *model, const tn_session *session, FILE *out)
{
    size_t count = tn_session_gap_count(session);
    if (count == 0)
        return;
    fputs("The given start was put together; joints were off by (m or rad):\n", out);
    for (size_t i = 0; i < count && i < GAPS_SHOWN; i++) {
        tn_gap gap = tn_session_gap(session, i);
        fprintf(out, "  %-20s %9.3g, now %.2g\n", tn_model_entity_name(model, gap.joint), gap.before, gap.after);
    }
    if (count > GAPS_SHOWN)
        fprintf(out, "  and %zu more\n", count - GAPS_SHOWN);
}

/* "crank.angle  0.5 rad, now 0.52" */
static void print_start_value(const tn_model *model, const tn_start_value *value, FILE *out)
{
    char name[160];
    snprintf(name, sizeof name, "%s.%s", tn_model_entity_name(model, value->entity), value->what);
    if (isnan(value->given))
        fprintf(out, "  %-28s %.6g %s\n", name, value->found, value->unit);
    else
        fprintf(out, "  %-28s %.6g, now %.6g %s\n", name, value->given, value->found, value->unit);
}

void tn_start_values_print(const tn_model *model, const tn_session *session, FILE *out, size_t most)
{
    static const char *const titles[] = { "Start values that were changed (given, now):",
                                          "Bodies without a pose were put where their joints want them:" };
    for (int chosen = 0; chosen < 2; chosen++) {
        size_t count = 0;
        for (size_t i = 0; i < tn_session_start_value_count(session); i++) {
            tn_start_value value = tn_session_start_value(session, i);
            if ((isnan(value.given) != 0) != chosen)
                continue;
            if (count++ == 0)
                fprintf(out, "%s\n", titles[chosen]);
            if (count <= most)
                print_start_value(model, &value, out);
        }
        if (count > most)
            fprintf(out, "  and %zu more; 'tenon assemble' lists them\n", count - most);
    }
}

static void *allocate_or_exit(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        exit(tn_out_of_memory());
    return memory;
}

void *tn_allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        exit(tn_out_of_memory());
    return memory;
}

void tn_json_setup(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){ allocate_or_exit, free });
}

void tn_json_print(cJSON *document)
{
    char *text = cJSON_Print(document);
    tn_utf8_mend(text);                                /* names of files are any bytes */
    puts(text);
    cJSON_free(text);
    cJSON_Delete(document);
}

int tn_output_finish(int status)
{
    bool lost = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !lost)
        return status;
    fprintf(stderr, "tenon: error: cannot write to standard output\n");
    return status == TN_EXIT_OK ? TN_EXIT_FILE : status;
}
