/* The command "generate": writes a model of any size. */
#define _POSIX_C_SOURCE 200809L    /* open_memstream */
#include "generated.h"
#include "output.h"
#include "text_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE, DIMENSION, OUTPUT };
static const tn_option options[] = {
    [SIZE] = { "--size", TN_OPTION_POSITIVE, "N", "how many links, windows or cars; 10 when not given", "-n" },
    [DIMENSION] = { "--dimension", TN_OPTION_TEXT, "D", "2: planar; 3: spatial (default)", "-d" },
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write to FILE, not to standard output", "-o" },
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

enum { MAX_KINDS = 16, USUAL_SIZE = 10, MAX_BODIES = 200000 };     /* more would not fit into a file of 64 MiB */

static int see_help(int status)
{
    fputs("See 'tenon help generate'.\n", stderr);
    return status;
}

static const tn_generated *find_kind(const char *word)
{
    const char *names[MAX_KINDS];
    size_t count = 0;
    for (const tn_generated *g = tn_generated_kinds; g->kind; g++) {
        if (strcmp(g->kind, word) == 0)
            return g;
        if (count < MAX_KINDS)
            names[count++] = g->kind;
    }
    const char *near = tn_nearest_text(word, names, count);
    fprintf(stderr, "tenon generate: there is no kind '%s'", word);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputc('\n', stderr);
    return NULL;
}

static int choose_size(int *size, const tn_generated *kind, const tn_option_value *option)
{
    double wanted = option->given ? option->number : USUAL_SIZE;
    int most = MAX_BODIES / kind->bodies_each;
    if (wanted != floor(wanted) || wanted > most) {
        fprintf(stderr, "tenon generate: --size %g must be a whole number of %s up to %d\n", wanted, kind->size_means,
                most);
        return see_help(TN_EXIT_USAGE);
    }
    *size = (int)wanted;
    return TN_EXIT_OK;
}

static int choose_dimension(int *dimension, const tn_generated *kind, const tn_option_value *option)
{
    const char *text = option->given ? option->text : "3";
    *dimension = strlen(text) == 1 ? text[0] - '0' : 0;
    if ((*dimension == 2 || *dimension == 3) && (kind->dimensions & 1 << *dimension))
        return TN_EXIT_OK;
    fprintf(stderr, "tenon generate: there is no %s of dimension '%s'\n", kind->kind, text);
    return see_help(TN_EXIT_USAGE);
}

/* Owned: free. */
static char *text_of(const tn_generated *kind, int size, int dimension)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    kind->write(out, size, dimension);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void answer_json(const tn_generated *kind, int size, int dimension, const char *path, const char *text)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "kind", kind->kind);
    cJSON_AddNumberToObject(document, "size", size);
    cJSON_AddNumberToObject(document, "dimension", dimension);
    cJSON_AddStringToObject(document, path ? "file" : "text", path ? path : text);
    tn_json_print(document);
}

static int run_generate(tn_context *context, const tn_arguments *arguments)
{
    (void)context;
    const char *path = arguments->options[OUTPUT].given ? arguments->options[OUTPUT].text : NULL;
    const tn_generated *kind = find_kind(arguments->operands[0]);
    int size, dimension, status = kind ? TN_EXIT_OK : see_help(TN_EXIT_USAGE);
    if (status == TN_EXIT_OK)
        status = choose_size(&size, kind, &arguments->options[SIZE]);
    if (status == TN_EXIT_OK)
        status = choose_dimension(&dimension, kind, &arguments->options[DIMENSION]);
    if (status != TN_EXIT_OK)
        return status;
    char *text = text_of(kind, size, dimension);
    if (!text)
        return tn_out_of_memory();
    if (path)
        status = tn_text_file_replace(path, text);
    if (status == TN_EXIT_OK && arguments->json)
        answer_json(kind, size, dimension, path, text);
    else if (status == TN_EXIT_OK && !path)
        fputs(text, stdout);
    free(text);
    return status;
}

const tn_command tn_command_generate = {
    .name = "generate",
    .summary = "Write a model of any size: a chain, a tree, a ladder of four-bars or a fleet of cars.",
    .details = "KIND is chain, tree, ladder or fleet. A file that exists is replaced.",
    .operands = "KIND",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_generate,
};
