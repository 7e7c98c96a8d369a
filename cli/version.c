/* tenon version: the version, and which optional parts this build has. */
#include "mpi_team.h"
#include "output.h"
#include "player_page.h"

#ifdef TENON_HAS_STUDIO
enum { HAS_STUDIO = true };
#else
enum { HAS_STUDIO = false };
#endif

enum { OWN = 3 };

/* Those of the library, then those of the program. */
static tn_feature feature_at(size_t index)
{
    const tn_feature own[OWN] = {
        { "MPI", "runs shared by processes", tn_mpi_built() },
        { "studio", "tenon studio, by libwebsockets and libzip", HAS_STUDIO },
        { "pages", "the pages of tenon studio and tenon animate", tn_player_page[0] != '\0' },
    };
    size_t count = tn_feature_count();
    return index < count ? tn_feature_at(index) : own[index - count];
}

static void print_features(const char *label, bool built, size_t count)
{
    const char *between = "";
    for (size_t k = 0; k < count; k++) {
        tn_feature feature = feature_at(k);
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
    size_t count = tn_feature_count() + OWN;
    if (arguments->json) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddStringToObject(document, "version", tn_version());
        cJSON *features = cJSON_AddObjectToObject(document, "features");
        for (size_t k = 0; k < count; k++)
            cJSON_AddBoolToObject(features, feature_at(k).name, feature_at(k).built);
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
