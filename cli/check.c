/* The command "check": reads and assembles models, and reports every mistake. */
#include "output.h"

typedef struct outcome {
    int status;
    size_t bodies, joints;
} outcome;

/* Reads and checks the model with each variant of each entity that is not the chosen one, one at a time. */
static int check_variants(const tn_model *model, tn_context *context, const char *path)
{
    int code = TN_OK;
    for (size_t i = 0; i < tn_model_parameter_count(model); i++) {
        const tn_parameter_value p = tn_model_parameter(model, i);
        tn_parameter_value one = p;
        char word[128];
        for (one.value = 0; tn_parameter_word(word, sizeof word, &one)[0]; one.value++) {
            const tn_setting setting = { p.name, one.value };
            tn_model *other = NULL;
            if (one.value == p.value)
                continue;
            int read = tn_model_read_with(&other, context, path, &setting, 1);
            int checked = other ? tn_model_check(other) : TN_OK;
            code = code < 0 ? code : read < 0 ? read : checked;
            tn_model_destroy(other);
        }
    }
    return code;
}

/* Reads and assembles one model. */
static outcome check_file(tn_context *context, const char *path, cJSON *diagnostics)
{
    outcome result = { 0 };
    tn_model *model = NULL;
    int code = tn_model_read_to_check(&model, context, path);
    if (model) {
        int checked = tn_model_check(model);
        result.bodies = code < 0 ? 0 : tn_model_count(model, TN_KIND_BODY);
        result.joints = code < 0 ? 0 : tn_model_count(model, TN_KIND_JOINT);
        code = code < 0 ? code : checked;
        if (code >= 0)
            code = check_variants(model, context, path);
    }
    result.status = tn_diagnostics_flush(context, code, diagnostics);
    tn_model_destroy(model);
    return result;
}

static int check_as_text(tn_context *context, const char *path)
{
    outcome result = check_file(context, path, NULL);
    if (result.status == TN_EXIT_OK)
        printf("%s: ok (%zu %s, %zu %s)\n", path, result.bodies, result.bodies == 1 ? "body" : "bodies", result.joints,
               result.joints == 1 ? "joint" : "joints");
    return result.status;
}

static int check_as_json(tn_context *context, const char *path, cJSON *models)
{
    cJSON *diagnostics = cJSON_CreateArray(), *item = cJSON_CreateObject();
    outcome result = check_file(context, path, diagnostics);
    cJSON_AddStringToObject(item, "file", path);
    cJSON_AddBoolToObject(item, "ok", result.status == TN_EXIT_OK);
    cJSON_AddNumberToObject(item, "bodies", (double)result.bodies);
    cJSON_AddNumberToObject(item, "joints", (double)result.joints);
    cJSON_AddItemToObject(item, "diagnostics", diagnostics);
    cJSON_AddItemToArray(models, item);
    return result.status;
}

static int run_check(tn_context *context, const tn_arguments *arguments)
{
    cJSON *models = arguments->json ? cJSON_CreateArray() : NULL;
    int status = TN_EXIT_OK;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        const char *path = arguments->operands[i];
        int one = models ? check_as_json(context, path, models) : check_as_text(context, path);
        if (status == TN_EXIT_OK)
            status = one;
    }
    if (models) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
        cJSON_AddItemToObject(document, "models", models);
        tn_json_print(document);
    }
    return status;
}

const tn_command tn_command_check = {
    .name = "check",
    .summary = "Read and assemble models without running them, and report every mistake.",
    .details = "The exit status is that of the first model with a mistake.",
    .operands = "MODEL...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_check,
};
