/* tenon version: the version, and which optional parts this build has. */
#include "build_features.h"
#include "output.h"

static void print_features(const char *label, bool built, size_t count)
{
    const char *between = "";
    for (size_t k = 0; k < count; k++) {
        tn_feature feature = tn_program_feature_at(k);
        if (feature.built == built) {
            printf("%s%s (%s)", *between ? between : label, feature.name, feature.doc);
            between = ", ";
        }
    }
    if (*between)
        putchar('\n');
}

static int run_version(tn_context *context, const tn_arguments *arguments)
{
    (void)context;
    size_t count = tn_program_feature_count();
    if (arguments->json) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddStringToObject(document, "version", tn_version());
        cJSON *features = cJSON_AddObjectToObject(document, "features");
        for (size_t k = 0; k < count; k++)
            cJSON_AddBoolToObject(features, tn_program_feature_at(k).name, tn_program_feature_at(k).built);
        tn_json_print(document);
    } else {
        printf("tenon %s\n", tn_version());
        print_features("with    ", true, count);
        print_features("without ", false, count);
    }
    return TN_EXIT_OK;
}

const tn_command tn_command_version = {
    .name = "version",
    .summary = "Print the version and the optional features of this build.",
    .operands = "",
    .run = run_version,
};
