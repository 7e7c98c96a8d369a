/* The command "assemble": closes the joints of a model, with wishes for poses and coordinates. */
#include "out_file.h"
#include "parameters.h"
#include "solve_options.h"
#include <math.h>
#include <string.h>

enum { FIX, WEIGHT, HOLD, OUTPUT, PARAMETER, OPTION_COUNT };

static const tn_option options[] = {
    [FIX] = { "--fix", TN_OPTION_TEXTS, "JOINT=X", "value of a joint's coordinate: pivot=30deg, slide.position=0.2",
              NULL },
    [WEIGHT] = { "--weight", TN_OPTION_TEXTS, "BODY=X", "the body resists like X times its mass", NULL },
    [HOLD] = { "--hold", TN_OPTION_TEXTS, "BODY", "the body stays where it is", NULL },
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write the assembled state to FILE, for use with include", "-o" },
    [PARAMETER] = TN_OPTION_PARAMETER,
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

typedef struct job {
    tn_context *context;
    const tn_arguments *arguments;
    const char *path;
    tn_model *model;
    tn_session *session;
    cJSON *diagnostics;            /* NULL: the answer is text */
    tn_fixed_coordinate fixed[TN_MAX_TEXTS];
    char coordinates[TN_MAX_TEXTS][TN_PARAMETER_NAME];
    tn_body_weight weights[TN_MAX_TEXTS];
    tn_id held[TN_MAX_TEXTS];
} job;

static int complain(const char *option, const char *text, const char *what)
{
    fprintf(stderr, "tenon assemble: %s: '%s' %s\n", option, text, what);
    return TN_EXIT_USAGE;
}

/* The joint or body of that name; kind TN_KIND_NONE after a complaint with the nearest name. */
static tn_id find_assemble(const job *j, const char *option, const char *name, tn_kind kind)
{
    const char *names[64];
    size_t count = 0;
    tn_id id = tn_model_find(j->model, name);
    if ((tn_kind)id.kind == kind && !(kind == TN_KIND_BODY && id.index == 0))
        return id;
    for (size_t i = 0; i < tn_model_count(j->model, kind) && count < 64; i++)
        names[count++] = tn_model_entity_name(j->model, tn_model_at(j->model, kind, i));
    const char *near = tn_nearest_text(name, names, count);
    fprintf(stderr, "tenon assemble: %s: there is no %s '%s'%s%s%s\n", option,
            kind == TN_KIND_BODY ? "moving body" : "joint", name, near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "");
    return (tn_id){ 0 };
}

static int take_fixed(job *j, size_t i, const char *text)
{
    const char *value;
    char *name = j->coordinates[i];
    if (!tn_assignment_split(text, name, &value))
        return complain("--fix", text, "is not of the form JOINT=VALUE or JOINT.COORDINATE=VALUE");
    char *dot = strchr(name, '.');
    if (dot)
        *dot++ = '\0';
    tn_fixed_coordinate *fixed = &j->fixed[i];
    *fixed = (tn_fixed_coordinate){ find_assemble(j, "--fix", name, TN_KIND_JOINT), dot, NAN };
    if (fixed->joint.kind == TN_KIND_NONE)
        return TN_EXIT_USAGE;
    const char *unit = tn_model_coordinate_unit(j->model, fixed->joint, dot);
    if (!unit)
        return complain("--fix", text, "names no coordinate of the joint");
    return tn_diagnostics_flush(j->context, tn_quantity_parse(&fixed->value, j->context, value, unit), j->diagnostics);
}

static int take_weight(job *j, size_t i, const char *text)
{
    char name[TN_PARAMETER_NAME];
    const char *value;
    if (!tn_assignment_split(text, name, &value))
        return complain("--weight", text, "is not of the form BODY=NUMBER");
    j->weights[i].body = find_assemble(j, "--weight", name, TN_KIND_BODY);
    if (j->weights[i].body.kind == TN_KIND_NONE)
        return TN_EXIT_USAGE;
    int status = tn_diagnostics_flush(j->context, tn_quantity_parse(&j->weights[i].factor, j->context, value, ""),
                                      j->diagnostics);
    if (status == TN_EXIT_OK && !(j->weights[i].factor > 0))
        return complain("--weight", text, "is not greater than 0");
    return status;
}

static int take_held(job *j, size_t i, const char *text)
{
    j->held[i] = find_assemble(j, "--hold", text, TN_KIND_BODY);
    return j->held[i].kind == TN_KIND_NONE ? TN_EXIT_USAGE : TN_EXIT_OK;
}

static int take_options(job *j)
{
    static int (*const take[])(job *, size_t, const char *) = { [FIX] = take_fixed, [WEIGHT] = take_weight,
                                                                [HOLD] = take_held };
    int status = TN_EXIT_OK;
    for (int option = FIX; option <= HOLD; option++) {
        const tn_option_value *given = &j->arguments->options[option];
        for (size_t i = 0; i < given->text_count && status == TN_EXIT_OK; i++)
            status = take[option](j, i, given->texts[i]);
    }
    return status;
}

static int open_session(job *j)
{
    tn_parameter_choice parameters;
    const tn_option_value *given = j->arguments->options;
    int status = tn_parameters_read(&j->model, &parameters, j->context, j->path, "assemble", &given[PARAMETER],
                                    j->diagnostics);
    if (status == TN_EXIT_OK)
        status = take_options(j);
    if (status != TN_EXIT_OK)
        return status;
    tn_assembly_options wishes = { j->fixed, given[FIX].text_count, j->weights, given[WEIGHT].text_count, j->held,
                                   given[HOLD].text_count };
    return tn_diagnostics_flush(j->context, tn_session_open_assembled(&j->session, j->model, &wishes), j->diagnostics);
}

static int save(const job *j)
{
    const char *path = j->arguments->options[OUTPUT].text;
    if (!path)
        return TN_EXIT_OK;
    tn_out_file file;
    int status = tn_out_check("assemble", "--output", path, j->path, NULL);
    if (status == TN_EXIT_OK)
        status = tn_out_open(&file, path);
    return status == TN_EXIT_OK ? tn_state_write(&file, j->context, j->session, j->diagnostics) : status;
}

static void print_text(const job *j)
{
    printf("%s: assembled in %d step%s\n", j->path, tn_session_assembly_steps(j->session),
           tn_session_assembly_steps(j->session) == 1 ? "" : "s");
    if (tn_session_gap_count(j->session) > 0)
        puts("\njoint                 gap before, m or rad        after");
    for (size_t i = 0; i < tn_session_gap_count(j->session); i++) {
        tn_gap gap = tn_session_gap(j->session, i);
        printf("%-20s %21.6g %12.2g\n", tn_model_entity_name(j->model, gap.joint), gap.before, gap.after);
    }
    if (tn_session_shift_count(j->session) > 0)
        puts("\nbody                          moved by, m  turned by, deg");
    for (size_t i = 0; i < tn_session_shift_count(j->session); i++) {
        tn_shift shift = tn_session_shift(j->session, i);
        printf("%-20s %20.6g %15.6g\n", tn_model_entity_name(j->model, shift.body), shift.distance,
               shift.angle * 45 / atan(1));
    }
    if (tn_session_start_value_count(j->session) > 0)
        putchar('\n');
    tn_start_values_print(j->model, j->session, stdout, SIZE_MAX);
}

static void print_json(const job *j, int status)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", j->path);
    if (j->session)
        tn_json_add_assembly(document, j->model, j->session);
    cJSON_AddItemToObject(document, "diagnostics", j->diagnostics);
    tn_json_print(document);
}

static int run_assemble(tn_context *context, const tn_arguments *arguments)
{
    job j = { .context = context, .arguments = arguments, .path = arguments->operands[0] };
    j.diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    int status = open_session(&j);
    if (status == TN_EXIT_OK)
        status = save(&j);
    if (j.diagnostics)
        print_json(&j, status);
    else if (j.session)
        print_text(&j);
    tn_session_close(j.session);
    tn_model_destroy(j.model);
    return status;
}

const tn_command tn_command_assemble = {
    .name = "assemble",
    .summary = "Close the joints of a model by the least change, with wishes; write the assembled start.",
    .details = "Heavy bodies move less. Coordinates that the model's initial section gives are fixed, too.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_assemble,
};
