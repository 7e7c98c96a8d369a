/* The command "partition": suggests subsystems. */
#define _POSIX_C_SOURCE 200809L    /* open_memstream */
#include "out_file.h"
#include "text_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS, BALANCE, OUTPUT };
static const tn_option options[] = {
    [PARTS] = { "--parts", TN_OPTION_POSITIVE, "N", "how many parts; one for 8 bodies, 2 to 16, when not given", "-n" },
    [BALANCE] = { "--balance", TN_OPTION_FLAG, NULL, "nearly equal parts, even if more joints lie between them", NULL },
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write the model with these groups to FILE", "-o" },
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

enum { FEWEST_PARTS = 2, MOST_PARTS = 16, BODIES_EACH = 8, LINE = 120, NAME_SIZE = 32 };

typedef struct subject {
    const char *path;
    tn_context *context;
    const tn_model *model;
    const tn_partition *partition;
} subject;

static const char *name_of(const subject *s, tn_id id)
{
    return tn_model_entity_name(s->model, id);
}

/* The name of part k: "part3"; underscores are added when the model has a body of that name. */
static void part_name(const subject *s, size_t k, char name[NAME_SIZE])
{
    size_t length = (size_t)snprintf(name, NAME_SIZE, "part%zu", k + 1);
    while (tn_model_find(s->model, name).kind != TN_KIND_NONE && length + 1 < NAME_SIZE) {
        name[length++] = '_';
        name[length] = '\0';
    }
}

/* ---- as text ---- */

/* Names in lines that begin with the indent and end before the margin. */
static void print_names(const subject *s, const char *indent, const tn_id *ids, size_t count, FILE *out)
{
    size_t used = 0;
    for (size_t k = 0; k < count; k++) {
        const char *name = name_of(s, ids[k]), *end = k + 1 < count ? "," : "";
        size_t length = strlen(name) + strlen(end);
        bool fresh = used == 0 || used + 1 + length > LINE;
        fprintf(out, "%s%s%s%s", fresh && used > 0 ? "\n" : "", fresh ? indent : " ", name, end);
        used = fresh ? strlen(indent) + length : used + 1 + length;
    }
    fputs(count > 0 ? "\n" : "", out);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void print_parts(const subject *s)
{
    const tn_partition *p = s->partition;
    double largest = 0;
    printf("%-8s %7s %7s %6s %6s\n", "part", "bodies", "joints", "ports", "work");
    for (size_t k = 0; k < p->part_count; k++) {
        char name[NAME_SIZE];
        part_name(s, k, name);
        printf("%-8s %7zu %7zu %6zu %5.1f%%\n", name, p->parts[k].body_count, p->parts[k].joint_count,
               p->parts[k].port_count, 100 * share(p->parts[k].work, p->work));
        largest = fmax(largest, p->parts[k].work);
    }
    printf("%-8s %7s %7zu %6s %5.1f%%\n\n", "between", "", p->cut_count, "", 100 * share(p->work_between, p->work));
    if (p->work_whole > 0)
        printf("Work is %.2f of that without groups; with a processor for each part %.2f at best.\n",
               p->work / p->work_whole, (largest + p->work_between) / p->work_whole);
}

static void print_members(const subject *s)
{
    const tn_partition *p = s->partition;
    for (size_t k = 0; k < p->part_count; k++) {
        char name[NAME_SIZE];
        part_name(s, k, name);
        printf("\n%s\n", name);
        print_names(s, "  ", p->parts[k].bodies, p->parts[k].body_count, stdout);
    }
    printf("\njoints between parts%s\n", p->cut_count == 0 ? ": none" : "");
    print_names(s, "  ", p->cut, p->cut_count, stdout);
}

/* ---- as a model ---- */

static void write_groups(const subject *s, FILE *out)
{
    const tn_partition *p = s->partition;
    fputs("\ngroups:\n", out);
    for (size_t k = 0; k < p->part_count; k++) {
        char name[NAME_SIZE];
        part_name(s, k, name);
        fprintf(out, "  %s: { members: [", name);
        for (size_t n = 0; n < p->parts[k].body_count; n++)
            fprintf(out, "%s%s", n > 0 ? ", " : "", name_of(s, p->parts[k].bodies[n]));
        fputs("] }\n", out);
    }
}

/* The text of the model's file and the groups, unformatted. Owned: free. NULL: out of memory. */
static char *with_groups(const subject *s, const char *text, size_t size, size_t *length)
{
    char *joined = NULL;
    FILE *out = open_memstream(&joined, length);
    if (!out)
        return NULL;
    fwrite(text, 1, size, out);
    write_groups(s, out);
    if (fclose(out) == 0)
        return joined;
    free(joined);
    return NULL;
}

static int write_model(const subject *s, const char *path, cJSON *diagnostics)
{
    char *text = NULL, *formatted = NULL;
    size_t size, length;
    int status = tn_out_check("partition", "--output", path, NULL, s->model);     /* the model itself may get its groups */
    if (status == TN_EXIT_OK)
        status = tn_text_file_read(&text, &size, s->path);
    char *joined = status == TN_EXIT_OK ? with_groups(s, text, size, &length) : NULL;
    if (status == TN_EXIT_OK && !joined)
        status = tn_out_of_memory();
    if (status == TN_EXIT_OK)
        status = tn_diagnostics_flush(s->context, tn_format_text(&formatted, s->context, joined, length, path),
                                      diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_text_file_replace(path, formatted);
    tn_text_free(s->context, formatted);
    free(joined);
    free(text);
    return status;
}

/* ---- as JSON ---- */

static cJSON *json_names(const subject *s, const tn_id *ids, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t k = 0; k < count; k++)
        cJSON_AddItemToArray(list, cJSON_CreateString(name_of(s, ids[k])));
    return list;
}

static void add_partition(cJSON *document, const subject *s)
{
    const tn_partition *p = s->partition;
    cJSON *parts = cJSON_AddArrayToObject(document, "parts");
    for (size_t k = 0; k < p->part_count; k++) {
        char name[NAME_SIZE];
        cJSON *part = cJSON_CreateObject();
        part_name(s, k, name);
        cJSON_AddStringToObject(part, "name", name);
        cJSON_AddItemToObject(part, "bodies", json_names(s, p->parts[k].bodies, p->parts[k].body_count));
        cJSON_AddNumberToObject(part, "joints", (double)p->parts[k].joint_count);
        cJSON_AddNumberToObject(part, "ports", (double)p->parts[k].port_count);
        cJSON_AddNumberToObject(part, "work", p->parts[k].work);
        cJSON_AddItemToArray(parts, part);
    }
    cJSON_AddItemToObject(document, "cut", json_names(s, p->cut, p->cut_count));
    cJSON_AddNumberToObject(document, "work", p->work);
    cJSON_AddNumberToObject(document, "work_between", p->work_between);
    cJSON_AddNumberToObject(document, "work_whole", p->work_whole);
}

/* ---- the command ---- */

static int choose_parts(size_t *parts, const tn_arguments *arguments, const tn_model *model)
{
    const tn_option_value *option = &arguments->options[PARTS];
    size_t usual = tn_model_count(model, TN_KIND_BODY) / BODIES_EACH;
    *parts = usual < FEWEST_PARTS ? FEWEST_PARTS : usual > MOST_PARTS ? MOST_PARTS : usual;
    if (!option->given)
        return TN_EXIT_OK;
    if (option->number != floor(option->number) || option->number > 1e6) {
        fprintf(stderr, "tenon partition: --parts %g must be a whole number\nSee 'tenon help partition'.\n",
                option->number);
        return TN_EXIT_USAGE;
    }
    *parts = (size_t)option->number;
    return TN_EXIT_OK;
}

static int answer(const subject *s, const tn_arguments *arguments, cJSON *document, cJSON *diagnostics)
{
    const tn_option_value *output = &arguments->options[OUTPUT];
    if (output->given && tn_model_group_count(s->model) > 0) {
        fprintf(stderr, "%s: error: the model has groups already; remove them first\n", s->path);
        return TN_EXIT_MODEL;
    }
    if (document)
        add_partition(document, s);
    else
        print_parts(s);
    if (output->given)
        return write_model(s, output->text, diagnostics);
    if (!document)
        print_members(s);
    return TN_EXIT_OK;
}

static int run_partition(tn_context *context, const tn_arguments *arguments)
{
    subject s = { .path = arguments->operands[0], .context = context };
    tn_model *model = NULL;
    tn_partition *partition = NULL;
    cJSON *document = arguments->json ? cJSON_CreateObject() : NULL;
    cJSON *diagnostics = document ? cJSON_CreateArray() : NULL;
    size_t parts = 0;
    int status = tn_diagnostics_flush(context, tn_model_read(&model, context, s.path), diagnostics);
    if (status == TN_EXIT_OK)
        status = choose_parts(&parts, arguments, model);
    if (status == TN_EXIT_OK) {
        int code = tn_model_partition(&partition, model, parts, arguments->options[BALANCE].given);
        status = tn_diagnostics_flush(context, code, diagnostics);
    }
    s.model = model;
    s.partition = partition;
    if (status == TN_EXIT_OK)
        status = answer(&s, arguments, document, diagnostics);
    if (document) {
        cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
        cJSON_AddItemToObject(document, "diagnostics", diagnostics);
        tn_json_print(document);
    }
    tn_partition_destroy(context, partition);
    tn_model_destroy(model);
    return status;
}

const tn_command tn_command_partition = {
    .name = "partition",
    .summary = "Suggest subsystems: parts of a model with few joint equations between them.",
    .details = "The solver 'hierarchical' takes the groups of a model as subsystems.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_partition,
};
