/* The command "stability": prints what one step makes of small disturbances. */
#include "output.h"
#include "solve_options.h"
#include <math.h>

enum { AT, STEP, INTEGRATOR, SOLVER, SCHEME, SET, OPTION_COUNT };

static const tn_option options[] = {
    [AT] = { "--at", TN_OPTION_NOT_NEGATIVE, "T", "at the state after T seconds of motion, not at the start", NULL },
    [STEP] = TN_OPTION_STEP,
    [INTEGRATOR] = TN_OPTION_INTEGRATOR,
    [SOLVER] = TN_OPTION_SOLVER,
    [SCHEME] = TN_OPTION_SCHEME,
    [SET] = TN_OPTION_SET,
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

/* Eigenvalues this near to each other are printed as one, several times. */
static const double SAME = 1e-5;

static bool same(const tn_eigenvalue *a, const tn_eigenvalue *b)
{
    return hypot(a->re - b->re, fabs(a->im) - fabs(b->im)) < SAME;
}

/* Zero for what would be printed as such, without a sign. */
static double shown(double value)
{
    static const double LAST_DIGIT = 5e-10;
    return fabs(value) < LAST_DIGIT ? 0 : value;
}

/* Conjugates and repeated eigenvalues on one line. */
static void print_part(const char *title, const tn_eigenvalues *part)
{
    if (part->count == 0)
        return;
    printf("\n%s: %zu, radius %.9f\n   times       modulus          real     imaginary\n", title, part->count,
           part->radius);
    for (size_t k = 0, next; k < part->count; k = next) {
        const tn_eigenvalue *e = &part->values[k];
        for (next = k + 1; next < part->count && same(e, &part->values[next]);)
            next++;
        double im = shown(fabs(e->im));
        printf("%8zu %13.9f %13.9f %s%12.9f\n", next - k, hypot(e->re, e->im), shown(e->re), im == 0 ? " " : "±", im);
    }
}

typedef struct subject {
    const char *path;
    tn_model *model;
    tn_session *session;
    tn_spectrum *spectrum;             /* NULL: could not be had */
} subject;

static void print_text(const subject *s)
{
    tn_solve solve = tn_session_solve(s->session);
    printf("%s: one step of %g s at t = %g s, scheme %s, integrator %s, solver %s\n", s->path, s->spectrum->step,
           s->spectrum->time, solve.scheme, solve.integrator, solve.solver);
    printf("spectral radius %.9f\n", s->spectrum->all.radius);
    print_part("motions", &s->spectrum->motion);
    print_part("constraints", &s->spectrum->constraints);
}

static cJSON *json_part(const tn_eigenvalues *part)
{
    cJSON *object = cJSON_CreateObject(), *values = cJSON_CreateArray();
    for (size_t k = 0; k < part->count; k++)
        cJSON_AddItemToArray(values, cJSON_CreateDoubleArray((double[]){ part->values[k].re, part->values[k].im }, 2));
    cJSON_AddNumberToObject(object, "radius", part->radius);
    cJSON_AddItemToObject(object, "eigenvalues", values);
    return object;
}

static void print_json(const subject *s, cJSON *diagnostics)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddBoolToObject(document, "ok", s->spectrum != NULL);
    cJSON_AddStringToObject(document, "file", s->path);
    if (s->spectrum) {
        tn_solve solve = tn_session_solve(s->session);
        cJSON_AddStringToObject(document, "scheme", solve.scheme);
        cJSON_AddStringToObject(document, "integrator", solve.integrator);
        cJSON_AddStringToObject(document, "solver", solve.solver);
        cJSON_AddNumberToObject(document, "time", s->spectrum->time);
        cJSON_AddNumberToObject(document, "step", s->spectrum->step);
        cJSON_AddItemToObject(document, "all", json_part(&s->spectrum->all));
        cJSON_AddItemToObject(document, "motion", json_part(&s->spectrum->motion));
        cJSON_AddItemToObject(document, "constraints", json_part(&s->spectrum->constraints));
    }
    cJSON_AddItemToObject(document, "diagnostics", diagnostics);
    tn_json_print(document);
}

/* A code of the library; *status for a mistake on the command line. */
static int examine(subject *s, tn_context *context, const tn_arguments *arguments, int *status)
{
    tn_solve_choice choice;
    int code = tn_model_read(&s->model, context, s->path);
    if (code < 0)
        return code;
    *status = tn_solve_choose(&choice, s->model, "stability", options, arguments);
    if (*status != TN_EXIT_OK)
        return TN_OK;
    code = tn_session_open(&s->session, s->model, &choice.solve);
    if (code >= 0 && arguments->options[AT].given)
        code = tn_session_advance(s->session, arguments->options[AT].number);
    return code < 0 ? code : tn_session_spectrum(&s->spectrum, s->session);
}

static int run_stability(tn_context *context, const tn_arguments *arguments)
{
    subject s = { .path = arguments->operands[0] };
    cJSON *diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    int usage = TN_EXIT_OK, code = examine(&s, context, arguments, &usage);
    int status = tn_diagnostics_flush(context, code, diagnostics);
    if (arguments->json)
        print_json(&s, diagnostics);
    else if (s.spectrum)
        print_text(&s);
    tn_spectrum_destroy(context, s.spectrum);
    tn_session_close(s.session);
    tn_model_destroy(s.model);
    return usage != TN_EXIT_OK ? usage : status;
}

const tn_command tn_command_stability = {
    .name = "stability",
    .summary = "Print what one step makes of small disturbances: its eigenvalues.",
    .details = "Motions leave the joints closed, constraints are all other disturbances. A modulus above 1 grows from\n"
               "step to step.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_stability,
};
