/* The command "statics": finds the static equilibrium that a model comes to rest in. */
#include "operating_point.h"
#include "run_report.h"
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

static void print_supports(const tn_equilibrium *e)
{
    static const double NO_FRICTION = 1e-9;            /* of the normal force */
    for (size_t k = 0; k < e->support_count; k++) {
        const tn_support *support = &e->supports[k];
        printf("%s %s", k > 0 ? "," : "rests on", support->name);
        if (support->points > 1)
            printf(" at %d points", support->points);
        printf(" with %.6g N%s", support->force, support->rotation ? " m" : "");
        if (support->friction > NO_FRICTION * support->force)
            printf(" and %.6g N of friction", support->friction);
    }
    if (e->support_count > 0)
        printf("\n");
}

typedef struct unit_size {
    const char *unit;
    double most;                   /* largest value (SI) of all channels in the unit */
} unit_size;

enum { UNITS = 32 };

/* The entry of a unit; NULL: there is no room for another one. */
static unit_size *size_of(unit_size sizes[UNITS], const char *unit)
{
    for (int k = 0; k < UNITS; k++) {
        if (!sizes[k].unit)
            sizes[k].unit = unit;
        if (strcmp(sizes[k].unit, unit) == 0)
            return &sizes[k];
    }
    return NULL;
}

/* Values below this are shown as zero: round-off of the largest load, or of the largest value in the unit. */
static double round_off(const unit_size *size, double load)
{
    static const double PART = 1e-13, NOTHING = 1e-12;
    static const char *const loads[] = { "N", "N m", "J" };
    if (!size)
        return 0;
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++)
        if (strcmp(size->unit, loads[k]) == 0)
            return PART * load;
    return PART * (strcmp(size->unit, "rad") == 0 || size->most < NOTHING ? 1 : size->most);
}

static void print_text(const tn_operating_point *p)
{
    const tn_equilibrium *e = p->equilibrium;
    size_t count = tn_session_channel_count(p->session);
    int width = 0;
    double value = 0;
    unit_size sizes[UNITS] = { 0 };
    printf("%s: %s equilibrium at t = %g s\n", p->path, tn_equilibrium_word(e->kind), e->time);
    printf("%d %s, %ld steps, %.2g N unbalanced of %.6g N\n", e->freedoms, e->freedoms == 1 ? "freedom" : "freedoms",
           e->iterations, e->residual, e->load);
    print_stability(e);
    print_supports(e);
    tn_point_print_halted(p, stdout);
    tn_not_unique_print(p->context, p->session, true, stdout);
    printf("\n");
    for (size_t k = 0; k < count; k++) {
        tn_channel channel = tn_channel_at_rest(p->session, k, &value);
        int length = channel.name ? (int)strlen(channel.name) : 0;
        width = length > width ? length : width;
        unit_size *size = channel.name ? size_of(sizes, channel.unit) : NULL;
        if (size && isfinite(value))
            size->most = fmax(size->most, fabs(value));
    }
    for (size_t k = 0; k < count; k++) {
        tn_channel channel = tn_channel_at_rest(p->session, k, &value);
        if (channel.name)
            printf("%-*s  %14.9g %s\n", width, channel.name, fabs(value) <= round_off(size_of(sizes, channel.unit), e->load) ? 0 : value, channel.unit);
    }
}

static void print_json(const tn_operating_point *p, int status)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", p->path);
    if (p->equilibrium) {
        tn_json_add_equilibrium(document, p->equilibrium, p->session);
        cJSON_AddItemToObject(document, "not_unique", tn_json_not_unique(p->context, p->session, true));
    }
    cJSON_AddItemToObject(document, "diagnostics", p->diagnostics);
    tn_json_print(document);
}

static int save_state(const tn_operating_point *p, const tn_option_value *given)
{
    tn_out_file file = { 0 };
    int status = tn_point_file(&file, p, given, "statics", NULL);
    if (!file.stream)
        return status;
    return tn_state_write(&file, p->context, p->session, p->diagnostics);
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
