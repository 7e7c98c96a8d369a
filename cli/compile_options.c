/* Options of "tenon compile" and "tenon serve" for making a library. */
#include "compile_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "output.h"

/* "a,b" as names; the text is cut up. Returns how many, or SIZE_MAX when there are too many. */
static size_t split(char *text, const char **names, size_t count)
{
    for (char *rest = text, *name; (name = strtok_r(rest, ", ", &rest)) != NULL;) {
        if (count == TN_CLI_OPEN)
            return SIZE_MAX;
        names[count++] = name;
    }
    return count;
}

/* Fills names from all --open options; their texts are in memory, owned. */
static int take_open(const char *command, const tn_option_value *option, char **memory, const char **names, size_t *count)
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
    fprintf(stderr, "tenon %s: --open names more than %d parameters\n", command, TN_CLI_OPEN);
    return TN_EXIT_USAGE;
}

static int take_level(const char *command, const tn_option_value *option, tn_disclosure *out)
{
    static const char *const names[] = { "respond", "condense", "open" };
    if (!option->text)
        return TN_EXIT_OK;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(option->text, names[k]) == 0) {
            *out = (tn_disclosure)(TN_DISCLOSE_RESPONSE + k);
            return TN_EXIT_OK;
        }
    fprintf(stderr, "tenon %s: --disclose %s: must be respond, condense or open\n", command, option->text);
    return TN_EXIT_USAGE;
}

int tn_compile_request_take(tn_compile_request *out, const char *command, const tn_option_value *open,
                            const tn_option_value *disclose)
{
    *out = (tn_compile_request){ .memory = NULL };
    out->options = (tn_compile_options){ .shell = out->shell, .open = out->names };
    if (!tn_find_beside(out->shell, "tenon_shell.so", TENON_SHELL_PLACE)) {
        fprintf(stderr, "tenon %s: tenon_shell.so is missing; it is installed with the program\n", command);
        return TN_EXIT_FILE;
    }
    int status = take_open(command, open, &out->memory, out->names, &out->options.open_count);
    return status == TN_EXIT_OK ? take_level(command, disclose, &out->options.disclose) : status;
}

void tn_compile_request_end(tn_compile_request *request)
{
    free(request->memory);
}
