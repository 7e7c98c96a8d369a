/* The command "modes": prints natural frequencies, damping and mode shapes. */
#include "operating_point.h"
#include <math.h>
#include <string.h>

enum { COUNT, AS_GIVEN, TIME, OUTPUT, PARAMETER, OPTION_COUNT };

static const tn_option options[] = {
    [COUNT] = { "--count", TN_OPTION_POSITIVE, "N", "the N slowest; all when not given", NULL },
    [AS_GIVEN] = { "--as-given", TN_OPTION_FLAG, NULL, "about the start, not about the equilibrium", NULL },
    [TIME] = { "--time", TN_OPTION_NOT_NEGATIVE, "T",
               "loads and drives at t = T; with --as-given: about the state after T seconds of motion", NULL },
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "write all modes with all coordinates as a CSV table", "-o" },
    [PARAMETER] = TN_OPTION_PARAMETER,
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

enum { MOST_PARTS = 4 };
static const double PI = 3.14159265358979323846;

typedef struct subject {
    tn_operating_point point;
    tn_modes *modes;                   /* NULL: not available */
    size_t count;                      /* modes that are printed */
} subject;

static void print_text(const subject *s)
{
    const tn_modes *m = s->modes;
    printf("%s: %zu %s about the %s at t = %g s\n", s->point.path, m->count, m->count == 1 ? "mode" : "modes",
           s->point.equilibrium ? "equilibrium" : "state", m->time);
    tn_point_print_halted(&s->point, stdout);
    printf("\n");
    printf("  mode  frequency, Hz         rad/s      damping  shape\n");
    for (size_t k = 0; k < s->count; k++) {
        const tn_mode *mode = &m->items[k];
        bool oscillates = mode->value.im != 0, still = !oscillates && mode->value.re == 0;
        printf("%6zu %14.7g %13.7g ", k + 1, mode->frequency, 2 * PI * mode->frequency);
        if (oscillates)
            printf("%12.6g  ", mode->damping + 0.0);
        else
            printf("%12s  ", still ? "-" : mode->value.re > 0 ? "grows" : "fades");
        if (!oscillates && !still)
            printf("by e in %.4g s: ", 1 / fabs(mode->value.re));
        tn_shape_print(mode->shape, mode->shape_count, MOST_PARTS, stdout);
        printf("%s\n", mode->shape_count == 0 ? "states of forces or components alone" : "");
    }
}

static void print_json(const subject *s, int status)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
    cJSON_AddStringToObject(document, "file", s->point.path);
    if (s->modes) {
        tn_json_add_modes(document, s->modes, s->count);
        if (s->point.equilibrium)
            cJSON_AddStringToObject(document, "equilibrium", tn_equilibrium_word(s->point.equilibrium->kind));
    }
    cJSON_AddItemToObject(document, "diagnostics", s->point.diagnostics);
    tn_json_print(document);
}

/* One row for every coordinate that a mode moves. */
static int write_table(const subject *s, const tn_option_value *given)
{
    tn_out_file file = { 0 };
    int status = tn_point_file(&file, &s->point, given, "modes", s->point.model);
    FILE *out = file.stream;
    if (!out)
        return status;
    fprintf(out, "mode,frequency [Hz],damping,re [1/s],im [1/s],coordinate,unit,amount,phase [rad]\n");
    for (size_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < s->modes->items[k].shape_count; i++) {
            const tn_mode *mode = &s->modes->items[k];
            const tn_motion_part *part = &mode->shape[i];
            fprintf(out, "%zu,%.17g,%.17g,%.17g,%.17g,%s,%s,%.17g,%.17g\n", k + 1, mode->frequency, mode->damping + 0.0,
                    mode->value.re, mode->value.im, part->coordinate, part->unit, part->amount, part->phase);
        }
    return tn_out_finish(&file);
}

static int examine(subject *s, const tn_option_value *given)
{
    tn_statics_options statics = tn_statics_default();
    statics.time = given[TIME].given ? given[TIME].number : statics.time;
    int status = TN_EXIT_OK;
    if (!given[AS_GIVEN].given)
        status = tn_point_settle(&s->point, &statics);
    else if (given[TIME].given)
        status = tn_point_advance(&s->point, given[TIME].number);
    if (status != TN_EXIT_OK)
        return status;
    int code = tn_session_modes(&s->modes, s->point.session);
    status = tn_diagnostics_flush(s->point.context, code, s->point.diagnostics);
    if (!s->modes)
        return status;
    bool fewer = given[COUNT].given && given[COUNT].number < (double)s->modes->count;
    s->count = fewer ? (size_t)given[COUNT].number : s->modes->count;
    return write_table(s, &given[OUTPUT]);
}

static int run_modes(tn_context *context, const tn_arguments *arguments)
{
    subject s = { 0 };
    int status = tn_point_open(&s.point, context, arguments, "modes", &arguments->options[PARAMETER]);
    if (status == TN_EXIT_OK)
        status = examine(&s, arguments->options);
    if (arguments->json)
        print_json(&s, status);
    else if (s.modes)
        print_text(&s);
    tn_modes_destroy(context, s.modes);
    tn_point_close(&s.point);
    return status;
}

const tn_command tn_command_modes = {
    .name = "modes",
    .summary = "Print natural frequencies, damping and mode shapes about the static equilibrium.",
    .details = "Motions without stiffness have 0 Hz. A shape is the parts that coordinates have of a motion, the\n"
               "largest being 1; a phase stands with those that are not in step with it.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_modes,
};
