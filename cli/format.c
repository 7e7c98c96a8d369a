/* The command "format": brings model files into normal form. */
#include "output.h"
#include "text_file.h"
#include <stdlib.h>
#include <string.h>

enum { CHECK, OUTPUT, IN_PLACE };
static const tn_option options[] = {
    [CHECK] = { "--check", TN_OPTION_FLAG, NULL, "only name the files that are not in normal form", NULL },
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write to FILE, not to standard output", "-o" },
    [IN_PLACE] = { "--in-place", TN_OPTION_FLAG, NULL, "write back to the files themselves", "-i" },
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

typedef struct job {
    tn_context *context;
    const tn_arguments *arguments;
    cJSON *files;              /* NULL: answer as text */
} job;

static bool given(const job *j, int option)
{
    return j->arguments->options[option].given;
}

/* Refuses options that exclude each other, and one output for several models. */
static int check_usage(const job *j)
{
    const char *mistake = NULL;
    bool several = j->arguments->operand_count > 1, prints = !given(j, CHECK) && !given(j, IN_PLACE);
    if (given(j, CHECK) + given(j, OUTPUT) + given(j, IN_PLACE) > 1)
        mistake = "--check, --output and --in-place exclude each other";
    else if (several && given(j, OUTPUT))
        mistake = "--output takes the text of one file";
    else if (several && prints && !j->files)
        mistake = "several files need --check or --in-place";
    for (size_t i = 0; i < j->arguments->operand_count && given(j, IN_PLACE); i++)
        if (strcmp(j->arguments->operands[i], "-") == 0)
            mistake = "standard input cannot be written back to";
    if (mistake)
        fprintf(stderr, "tenon format: %s\nSee 'tenon help format'.\n", mistake);
    return mistake ? TN_EXIT_USAGE : TN_EXIT_OK;
}

/* Destinations of a formatted text. */
static int deliver(const job *j, const char *path, const char *text, bool normal)
{
    if (given(j, CHECK)) {
        if (!normal && !j->files)
            puts(path);
        return normal ? TN_EXIT_OK : TN_EXIT_MODEL;
    }
    if (given(j, OUTPUT))
        return tn_text_file_replace(j->arguments->options[OUTPUT].text, text);
    if (given(j, IN_PLACE)) {
        if (!normal && !j->files)
            fprintf(stderr, "%s: formatted\n", path);
        return normal ? TN_EXIT_OK : tn_text_file_replace(path, text);
    }
    if (!j->files)
        fputs(text, stdout);
    return TN_EXIT_OK;
}

static void add_answer(const job *j, const char *path, int status, const char *formatted, bool normal,
                       cJSON *diagnostics)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "file", path);
    cJSON_AddBoolToObject(item, "ok", status == TN_EXIT_OK);
    cJSON_AddBoolToObject(item, "normal", normal);
    if (formatted && !given(j, CHECK) && !given(j, OUTPUT) && !given(j, IN_PLACE))
        cJSON_AddStringToObject(item, "text", formatted);
    cJSON_AddItemToObject(item, "diagnostics", diagnostics);
    cJSON_AddItemToArray(j->files, item);
}

static int format_file(const job *j, const char *path)
{
    char *text, *formatted = NULL;
    size_t size;
    bool normal = false;
    cJSON *diagnostics = j->files ? cJSON_CreateArray() : NULL;
    int status = tn_text_file_read(&text, &size, path);
    if (status == TN_EXIT_OK) {
        int code = tn_format_text(&formatted, j->context, text, size, path);
        status = tn_diagnostics_flush(j->context, code, diagnostics);
    }
    if (status == TN_EXIT_OK) {
        normal = strlen(formatted) == size && memcmp(formatted, text, size) == 0;
        status = deliver(j, path, formatted, normal);
    }
    if (j->files)
        add_answer(j, path, status, formatted, normal, diagnostics);
    tn_text_free(j->context, formatted);
    free(text);
    return status;
}

static int run_format(tn_context *context, const tn_arguments *arguments)
{
    job j = { context, arguments, arguments->json ? cJSON_CreateArray() : NULL };
    int status = check_usage(&j);
    if (status != TN_EXIT_OK) {
        cJSON_Delete(j.files);
        return status;
    }
    for (size_t i = 0; i < arguments->operand_count; i++) {
        int one = format_file(&j, arguments->operands[i]);
        status = status != TN_EXIT_OK ? status : one;
    }
    if (j.files) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
        cJSON_AddItemToObject(document, "files", j.files);
        tn_json_print(document);
    }
    return status;
}

const tn_command tn_command_format = {
    .name = "format",
    .summary = "Bring model files into normal form, with their comments; '-' is standard input.",
    .details = "The meaning stays: the result is read again and compared before it goes anywhere.\n"
               "With --check the exit status is 1 when a file is not in normal form.",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .options = options,
    .run = run_format,
};
