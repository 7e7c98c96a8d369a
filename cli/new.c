/* The command "new": writes a model to start from. */
#include "output.h"
#include "starters.h"
#include "text_file.h"
#include <errno.h>
#include <string.h>

enum { KIND, DIMENSION, FORCE };
static const tn_option options[] = {
    [KIND] = { "--kind", TN_OPTION_TEXT, "KIND", "pendulum (default), four-bar, slider-crank or empty", "-k" },
    [DIMENSION] = { "--dimension", TN_OPTION_TEXT, "D", "2: planar (default); 3: spatial", "-d" },
    [FORCE] = { "--force", TN_OPTION_FLAG, NULL, "replace a file that exists", "-f" },
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};
enum { MAX_KINDS = 32 };           /* kinds among which a suggestion is searched */

static int no_such(const char *option, const char *word, const char *near)
{
    fprintf(stderr, "tenon new: %s: there is no '%s'", option, word);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputs("\nSee 'tenon help new'.\n", stderr);
    return TN_EXIT_USAGE;
}

static int choose(const tn_starter **out, const tn_arguments *arguments)
{
    const char *kind = arguments->options[KIND].given ? arguments->options[KIND].text : "pendulum";
    const char *dimension = arguments->options[DIMENSION].given ? arguments->options[DIMENSION].text : "2";
    const char *kinds[MAX_KINDS];
    size_t count = 0;
    bool known = false;
    for (const tn_starter *s = tn_starters; s->kind; s++) {
        bool same = strcmp(kind, s->kind) == 0;
        known = known || same;
        *out = s;
        if (same && strcmp(dimension, s->dimension) == 0)
            return TN_EXIT_OK;
        if (count < MAX_KINDS)
            kinds[count++] = s->kind;
    }
    if (known)
        return no_such("--dimension", dimension, NULL);
    return no_such("--kind", kind, tn_nearest_text(kind, kinds, count));
}

static int write_file(const char *path, const char *text, bool force)
{
    if (force)
        return tn_text_file_replace(path, text);
    FILE *out = fopen(path, "wx");
    if (out) {
        fputs(text, out);
        return tn_file_close(out, path);
    }
    if (errno != EEXIST)
        return tn_file_failed(path);
    fprintf(stderr, "tenon new: '%s' exists; --force replaces it\n", path);
    return TN_EXIT_FILE;
}

static void answer_json(const tn_starter *s, const char *path)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "kind", s->kind);
    cJSON_AddStringToObject(document, "dimension", s->dimension);
    if (path)
        cJSON_AddStringToObject(document, "file", path);
    else
        cJSON_AddStringToObject(document, "text", s->text);
    tn_json_print(document);
}

static int run_new(tn_context *context, const tn_arguments *arguments)
{
    (void)context;
    const tn_starter *s = NULL;
    const char *path = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    int status = choose(&s, arguments);
    if (status == TN_EXIT_OK && path)
        status = write_file(path, s->text, arguments->options[FORCE].given);
    if (status != TN_EXIT_OK)
        return status;
    if (arguments->json)
        answer_json(s, path);
    else if (path)
        fprintf(stderr, "%s is written. Next:\n"
                        "  tenon run %s --output table.csv    simulate it\n"
                        "  tenon info %s                      count its freedoms\n"
                        "  tenon check %s                     after every change\n", path, path, path, path);
    else
        fputs(s->text, stdout);
    return TN_EXIT_OK;
}

const tn_command tn_command_new = {
    .name = "new",
    .summary = "Write a model to start from, with comments that explain the format.",
    .details = "Without FILE the model goes to standard output. A file that exists is left alone.",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .run = run_new,
};
