/* The command "linearize": prints the linear system that a model is near a state. */
#include "linear_text.h"
#include "operating_point.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATICS, TIME, INPUTS, OUTPUTS, OUTPUT, LIST, PARAMETER, OPTION_COUNT };

static const tn_option options[] = {
    [STATICS] = { "--statics", TN_OPTION_FLAG, NULL, "about the static equilibrium, not about the start", NULL },
    [TIME] = { "--time", TN_OPTION_NOT_NEGATIVE, "T",
               "about the state after T seconds of motion; with --statics: loads and drives at t = T", NULL },
    [INPUTS] = { "--inputs", TN_OPTION_TEXTS, "A,B", "parameters of forces and drives; not given: drives, and "
                 "parameters that are expressions", NULL },
    [OUTPUTS] = { "--outputs", TN_OPTION_TEXTS, "C,D", "channels, expressions; not given: the model's outputs", NULL },
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write to FILE: .csv, .json, or .m for MATLAB and Octave", "-o" },
    [LIST] = { "--list-inputs", TN_OPTION_FLAG, NULL, "only print what may be an input", NULL },
    [PARAMETER] = TN_OPTION_PARAMETER,
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

enum { MOST_NAMES = 256 };

/* Names from options: the texts cut at commas that stand in no parentheses. */
typedef struct name_list {
    const char *names[MOST_NAMES];
    size_t count;
    char *text;                        /* owned */
} name_list;

typedef struct subject {
    tn_operating_point point;
    name_list inputs, outputs;
    tn_linear_system *system;          /* NULL: could not be had */
} subject;

static int add_name(name_list *list, const char *name, const char *option)
{
    if (list->count == MOST_NAMES) {
        fprintf(stderr, "tenon linearize: %s: at most %d names\n", option, MOST_NAMES);
        return TN_EXIT_USAGE;
    }
    while (*name == ' ')
        name++;
    if (*name)
        list->names[list->count++] = name;
    return TN_EXIT_OK;
}

/* Cuts text, which is changed. */
static int cut(name_list *list, char *text, const char *option)
{
    int depth = 0, status = TN_EXIT_OK;
    char *begin = text;
    for (char *c = text; status == TN_EXIT_OK; c++) {
        depth += (*c == '(') - (*c == ')');
        bool end = *c == '\0';
        if (!end && !(*c == ',' && depth == 0))
            continue;
        *c = '\0';
        status = add_name(list, begin, option);
        begin = c + 1;
        if (end)
            break;
    }
    return status;
}

static int take_names(name_list *list, const tn_option_value *given, const char *option)
{
    size_t size = 1, used = 0;
    int status = TN_EXIT_OK;
    for (size_t k = 0; k < given->text_count; k++)
        size += strlen(given->texts[k]) + 1;
    list->text = malloc(size);
    if (!list->text)
        return tn_out_of_memory();
    for (size_t k = 0; k < given->text_count && status == TN_EXIT_OK; k++) {
        strcpy(list->text + used, given->texts[k]);
        status = cut(list, list->text + used, option);
        used += strlen(given->texts[k]) + 1;
    }
    return status;
}

static void print_json(const subject *s, int status)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", s->point.path);
    if (s->system)
        tn_linear_add_json(s->system, document);
    cJSON_AddItemToObject(document, "diagnostics", s->point.diagnostics);
    tn_json_print(document);
}

static void print_text(const subject *s)
{
    printf("%s: linearised about the %s at t = %g s\n", s->point.path,
           s->point.equilibrium ? "equilibrium" : "state", s->system->time);
    tn_point_print_halted(&s->point, stdout);
    tn_linear_print(s->system, stdout);
}

static void print_inputs(const subject *s)
{
    tn_session *session = s->point.session;
    cJSON *array = s->point.diagnostics ? cJSON_CreateArray() : NULL;
    for (size_t k = 0; k < tn_session_possible_input_count(session); k++) {
        tn_possible_input input = tn_session_possible_input(session, k);
        if (!array) {
            printf("%-32s %-10s%s\n", input.name, input.unit, input.by_expression ? " by default" : "");
            continue;
        }
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", input.name);
        cJSON_AddStringToObject(item, "unit", input.unit);
        cJSON_AddBoolToObject(item, "default", input.by_expression);
        cJSON_AddItemToArray(array, item);
    }
    if (!array)
        return;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", true);
    cJSON_AddStringToObject(document, "file", s->point.path);
    cJSON_AddItemToObject(document, "inputs", array);
    cJSON_AddItemToObject(document, "diagnostics", s->point.diagnostics);
    tn_json_print(document);
}

/* ---- files ---- */

typedef enum file_kind { FILE_CSV, FILE_JSON, FILE_MATLAB, FILE_UNKNOWN } file_kind;

static file_kind kind_of(const char *path)
{
    static const char *const endings[] = { [FILE_CSV] = ".csv", [FILE_JSON] = ".json", [FILE_MATLAB] = ".m" };
    const char *ending = strrchr(tn_file_name(path), '.');
    for (int k = 0; ending && k < FILE_UNKNOWN; k++)
        if (strcmp(ending, endings[k]) == 0)
            return (file_kind)k;
    return FILE_UNKNOWN;
}

static void write_json(const subject *s, FILE *out)
{
    cJSON *document = cJSON_CreateObject();
    tn_linear_add_json(s->system, document);
    char *text = cJSON_Print(document);
    fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(document);
}

static int write_file(const subject *s, const tn_option_value *given)
{
    tn_out_file file = { 0 };
    int status = tn_point_file(&file, &s->point, given, "linearize", s->point.model);
    FILE *out = file.stream;
    if (!out)
        return status;
    switch (kind_of(given->text)) {
    case FILE_JSON:
        write_json(s, out);
        break;
    case FILE_MATLAB:
        tn_linear_print_matlab(s->system, tn_file_name(s->point.path), out);
        break;
    default:
        tn_linear_print_csv(s->system, out);
    }
    return tn_out_finish(&file);
}

/* ---- the command ---- */

static int check_options(subject *s, const tn_option_value *given)
{
    if (given[OUTPUT].given && kind_of(given[OUTPUT].text) == FILE_UNKNOWN) {
        fprintf(stderr, "tenon linearize: --output: '%s' does not end in .csv, .json or .m\n", given[OUTPUT].text);
        return TN_EXIT_USAGE;
    }
    int status = take_names(&s->inputs, &given[INPUTS], "--inputs");
    return status != TN_EXIT_OK ? status : take_names(&s->outputs, &given[OUTPUTS], "--outputs");
}

static int place_linearize(subject *s, const tn_option_value *given)
{
    tn_statics_options statics = tn_statics_default();
    statics.time = given[TIME].given ? given[TIME].number : statics.time;
    if (given[STATICS].given)
        return tn_point_settle(&s->point, &statics);
    return given[TIME].given ? tn_point_advance(&s->point, given[TIME].number) : TN_EXIT_OK;
}

static int linearize(subject *s, const tn_option_value *given)
{
    tn_linear_request request = { .inputs = given[INPUTS].given ? s->inputs.names : NULL,
                                  .input_count = s->inputs.count,
                                  .outputs = given[OUTPUTS].given ? s->outputs.names : NULL,
                                  .output_count = s->outputs.count };
    int status = place_linearize(s, given);
    if (status != TN_EXIT_OK)
        return status;
    int code = tn_session_linearize(&s->system, s->point.session, &request);
    status = tn_diagnostics_flush(s->point.context, code, s->point.diagnostics);
    return s->system ? write_file(s, &given[OUTPUT]) : status;
}

static int run_linearize(tn_context *context, const tn_arguments *arguments)
{
    const tn_option_value *given = arguments->options;
    subject s = { .point.context = context };
    int status = check_options(&s, given);
    if (status == TN_EXIT_OK) {
        status = tn_point_open(&s.point, context, arguments, "linearize", &given[PARAMETER]);
        bool list = status == TN_EXIT_OK && given[LIST].given;
        if (status == TN_EXIT_OK && !list)
            status = linearize(&s, given);
        if (list)
            print_inputs(&s);
        else if (arguments->json)
            print_json(&s, status);
        else if (s.system && !given[OUTPUT].given)
            print_text(&s);
    }
    tn_linear_system_destroy(context, s.system);
    tn_point_close(&s.point);
    free(s.inputs.text);
    free(s.outputs.text);
    return status;
}

const tn_command tn_command_linearize = {
    .name = "linearize",
    .summary = "Print the linear system x' = A x + B u, y = C x + D u that a model is near a state.",
    .details = "States are independent coordinates, their rates, and states of forces. An input is a change of a\n"
               "parameter of a force, or an acceleration on top of a drive's motion.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_linearize,
};
