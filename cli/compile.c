#include "library_text.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT, OPEN, DISCLOSE };
static const tn_option options[] = {
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "the library; the subsystem's name and .so when not given", "-o" },
    [OPEN] = { "--open", TN_OPTION_TEXTS, "NAME,...", "parameters that may still be given; others are fixed", NULL },
    [DISCLOSE] = { "--disclose", TN_OPTION_TEXT, "LEVEL",
                   "how much it tells the program that uses it: respond, condense or open (default)", NULL },
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

enum { PATH_SIZE = 4096, MOST_OPEN = 256 };

/* The engine that goes into every library: beside the program where it was built, or where it is installed. */
static bool find_shell(char path[PATH_SIZE])
{
    static const char *const places[] = { "tenon_shell.so", TENON_SHELL_PLACE };
    char program[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        int size = snprintf(path, PATH_SIZE, "%s/%s", program, places[k]);
        if (size < PATH_SIZE && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* "a,b" as names; the text is cut up. Returns how many, or SIZE_MAX when there are too many. */
static size_t split(char *text, const char **names, size_t count)
{
    for (char *rest = text, *name; (name = strtok_r(rest, ", ", &rest)) != NULL;) {
        if (count == MOST_OPEN)
            return SIZE_MAX;
        names[count++] = name;
    }
    return count;
}

/* Fills names from all --open options; their texts are in memory, owned. */
static int take_open(const tn_option_value *option, char **memory, const char **names, size_t *count)
{
    size_t size = 1;
    for (size_t k = 0; k < option->text_count; k++)
        size += strlen(option->texts[k]) + 1;
    char *at = *memory = tn_allocate(size, 1);
    for (size_t k = 0; k < option->text_count && *count != SIZE_MAX; k++) {
        strcpy(at, option->texts[k]);
        char *next = at + strlen(at) + 1;
        *count = split(at, names, *count);
        at = next;
    }
    if (*count != SIZE_MAX)
        return TN_EXIT_OK;
    fprintf(stderr, "tenon compile: --open names more than %d parameters\n", MOST_OPEN);
    return TN_EXIT_USAGE;
}

static int take_level(const tn_option_value *option, tn_disclosure *out)
{
    static const char *const names[] = { "respond", "condense", "open" };
    if (!option->text)
        return TN_EXIT_OK;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(option->text, names[k]) == 0) {
            *out = (tn_disclosure)(TN_DISCLOSE_RESPONSE + k);
            return TN_EXIT_OK;
        }
    fprintf(stderr, "tenon compile: --disclose %s: must be respond, condense or open\n", option->text);
    return TN_EXIT_USAGE;
}

/* "car/suspension.yaml" gives "car/suspension.so". */
static bool default_output(char path[PATH_SIZE], const char *subsystem)
{
    const char *name = tn_file_name(subsystem), *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - subsystem) : strlen(subsystem);
    return snprintf(path, PATH_SIZE, "%.*s.so", (int)length, subsystem) < PATH_SIZE;
}

static int run_compile(tn_context *context, const tn_arguments *arguments)
{
    const char *subsystem = arguments->operands[0], *output = arguments->options[OUTPUT].text;
    const char *names[MOST_OPEN];
    char shell[PATH_SIZE], beside[PATH_SIZE], *memory = NULL;
    tn_compile_options compile = { .shell = shell, .open = names };
    if (!find_shell(shell)) {
        fputs("tenon compile: tenon_shell.so is missing; it is installed with the program\n", stderr);
        return TN_EXIT_FILE;
    }
    if (!output && !default_output(beside, subsystem)) {
        fputs("tenon compile: the path is too long\n", stderr);
        return TN_EXIT_USAGE;
    }
    output = output ? output : beside;
    cJSON *document = arguments->json ? cJSON_CreateObject() : NULL;
    cJSON *diagnostics = document ? cJSON_CreateArray() : NULL;
    int status = take_open(&arguments->options[OPEN], &memory, names, &compile.open_count);
    if (status == TN_EXIT_OK)
        status = take_level(&arguments->options[DISCLOSE], &compile.disclose);
    if (status == TN_EXIT_OK)
        status = tn_diagnostics_flush(context, tn_compile(context, subsystem, output, &compile), diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_library_describe(context, output, document, diagnostics);
    if (document) {
        cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
        cJSON_AddItemToObject(document, "diagnostics", diagnostics);
        tn_json_print(document);
    }
    free(memory);
    return status;
}

const tn_command tn_command_compile = {
    .name = "compile",
    .summary = "Make a library of a subsystem: usable in models, but not readable.",
    .details = "The library is self-contained and shows its name, its ports and the parameters given with --open.\n"
               "'tenon info LIBRARY' says what a library discloses. See docs/components.md.",
    .operands = "SUBSYSTEM",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_compile,
};
