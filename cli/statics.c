#include "operating_point.h"
#include <math.h>
#include <string.h>

enum { OUTPUT, TIME, TOLERANCE, NEAREST, PARAMETER, OPTION_COUNT };

static const tn_option options[] = {
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write the equilibrium as a state for models to include", "-o" },
    [TIME] = { "--time", TN_OPTION_NOT_NEGATIVE, "T", "loads and drives as they are at t = T; 0 when not given", NULL },
    [TOLERANCE] = { "--tolerance", TN_OPTION_POSITIVE, "X", "forces that nothing balances, over the largest; 1e-10",
                    NULL },
    [NEAREST] = { "--nearest", TN_OPTION_FLAG, NULL, "the equilibrium next to the start, unstable ones too", NULL },
    [PARAMETER] = TN_OPTION_PARAMETER,
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

enum { MOST_PARTS = 4 };
static const double PI = 3.14159265358979323846;

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Channels that say something about a mechanism at rest: coordinates, reactions, loads. */
static bool is_told(const tn_operating_point *p, const char *channel)
{
    static const char *const not[] = { ".rate", ".acceleration", ".drift", ".power" };
    char owner[256];
    size_t n = strcspn(channel, ".");
    snprintf(owner, sizeof owner, "%.*s", (int)(n < sizeof owner ? n : sizeof owner - 1), channel);
    tn_kind kind = tn_model_find(p->model, owner).kind;
    for (size_t k = 0; k < sizeof not / sizeof not[0]; k++)
        if (ends_with(channel, not[k]))
            return false;
    return (kind == TN_KIND_JOINT || kind == TN_KIND_FORCE) && !strstr(channel, ".reaction_local.");
}

static bool is_recorded(const tn_operating_point *p, const char *channel)
{
    for (size_t k = 1; k < tn_session_recorded_count(p->session); k++)
        if (strcmp(tn_session_recorded(p->session, k).name, channel) == 0)
            return true;
    return false;
}

/* The index-th channel if it is told, with its value; name NULL: it is not. */
static tn_channel told(const tn_operating_point *p, size_t index, double *value)
{
    tn_channel channel = tn_session_channel(p->session, index);
    if (!is_told(p, channel.name) && !is_recorded(p, channel.name))
        return (tn_channel){ NULL, NULL };
    tn_session_value(p->session, channel.name, value);
    return channel;
}

static void print_stability(const tn_equilibrium *e)
{
    if (e->direction_count == 0)
        return;
    if (e->kind == TN_EQUILIBRIUM_STABLE)
        printf("softest motion");
    else
        printf(e->kind == TN_EQUILIBRIUM_INDIFFERENT ? "free to move" : "runs away along");
    printf(": ");
    tn_shape_print(e->direction, e->direction_count, MOST_PARTS, stdout);
    if (e->by_stiffness && e->margin > 0)
        printf(" (%.6g Hz)", sqrt(e->margin) / (2 * PI));
    else if (e->by_stiffness && e->margin < 0)
        printf(" (grows by e in %.6g s)", 1 / sqrt(-e->margin));
    printf("\n");
}

static void print_text(const tn_operating_point *p)
{
    const tn_equilibrium *e = p->equilibrium;
    size_t count = tn_session_channel_count(p->session);
    int width = 0;
    double value = 0, round_off = 1e-13 * fmax(1, e->load);        /* is shown as zero */
    printf("%s: %s equilibrium at t = %g s\n", p->path, tn_equilibrium_word(e->kind), e->time);
    printf("%d %s, %ld steps, %.2g N unbalanced of %.6g N\n", e->freedoms, e->freedoms == 1 ? "freedom" : "freedoms",
           e->iterations, e->residual, e->load);
    print_stability(e);
    printf("\n");
    for (size_t k = 0; k < count; k++) {
        tn_channel channel = tn_session_channel(p->session, k);
        int length = (int)strlen(channel.name);
        width = (is_told(p, channel.name) || is_recorded(p, channel.name)) && length > width ? length : width;
    }
    for (size_t k = 0; k < count; k++) {
        tn_channel channel = told(p, k, &value);
        if (channel.name)
            printf("%-*s  %14.9g %s\n", width, channel.name, fabs(value) <= round_off ? 0 : value, channel.unit);
    }
}

static void print_json(const tn_operating_point *p, int status)
{
    const tn_equilibrium *e = p->equilibrium;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", p->path);
    if (e) {
        cJSON *values = cJSON_AddObjectToObject(document, "values");
        double value = 0;
        cJSON_AddNumberToObject(document, "time", e->time);
        cJSON_AddStringToObject(document, "kind", tn_equilibrium_word(e->kind));
        cJSON_AddNumberToObject(document, "freedoms", e->freedoms);
        cJSON_AddNumberToObject(document, "steps", (double)e->iterations);
        cJSON_AddNumberToObject(document, "residual", e->residual);
        cJSON_AddNumberToObject(document, "load", e->load);
        cJSON_AddNumberToObject(document, "margin", e->margin);
        cJSON_AddBoolToObject(document, "by_stiffness", e->by_stiffness);
        cJSON_AddItemToObject(document, "direction", tn_json_shape(e->direction, e->direction_count));
        for (size_t k = 0; k < tn_session_channel_count(p->session); k++) {
            tn_channel channel = told(p, k, &value);
            if (channel.name)
                cJSON_AddNumberToObject(values, channel.name, value);
        }
    }
    cJSON_AddItemToObject(document, "diagnostics", p->diagnostics);
    tn_json_print(document);
}

static int save_state(const tn_operating_point *p, const tn_option_value *given)
{
    FILE *out = NULL;
    int status = tn_point_file(&out, p, given, "statics");
    if (!out)
        return status;
    status = tn_diagnostics_flush(p->context, tn_session_write_state(p->session, out), p->diagnostics);
    int closed = tn_file_close(out, given->text);
    return status != TN_EXIT_OK ? status : closed;
}

static int run_statics(tn_context *context, const tn_arguments *arguments)
{
    const tn_option_value *given = arguments->options;
    tn_operating_point p = { 0 };
    tn_statics_options wanted = tn_statics_default();
    wanted.nearest = given[NEAREST].given;
    wanted.time = given[TIME].given ? given[TIME].number : wanted.time;
    wanted.tolerance = given[TOLERANCE].given ? given[TOLERANCE].number : wanted.tolerance;
    int status = tn_point_open(&p, context, arguments, "statics", &given[PARAMETER]);
    if (status == TN_EXIT_OK)
        status = tn_point_settle(&p, &wanted);
    if (status == TN_EXIT_OK)
        status = save_state(&p, &given[OUTPUT]);
    if (arguments->json)
        print_json(&p, status);
    else if (p.equilibrium)
        print_text(&p);
    tn_point_close(&p);
    return status;
}

const tn_command tn_command_statics = {
    .name = "statics",
    .summary = "Find the static equilibrium that a model comes to rest in, and whether it is stable.",
    .details = "From the model's start, downhill. Prints coordinates and reactions of joints, loads of forces and the\n"
               "model's outputs there. Drives hold their value at the time of the loads.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_statics,
};
