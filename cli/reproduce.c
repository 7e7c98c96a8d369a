/* The command "reproduce": computes published results again and compares. */
#include "options.h"
#include "output.h"
#include "reproduction.h"
#include <math.h>
#include <string.h>

enum { PLOT, OPTION_COUNT, MOST_NAMES = 64 };

static const tn_option options[] = {
    [PLOT] = { "--plot", TN_OPTION_TEXT, "FOLDER", "draw the figures, with gnuplot, into FOLDER", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

struct tn_findings {
    cJSON *rows;               /* NULL: rows are printed as they come */
    const char *folder;        /* of figures; NULL: none */
    const char *source;        /* of reference values; NULL: the values are published */
    bool headed;               /* the head of the columns is printed for this source */
    int agreed, failed, left_out;
};

/* ---- rows ---- */

static bool agrees(double theirs, double ours, double tolerance, tn_agreement agreement)
{
    switch (agreement) {
    case TN_AGREE_RELATIVE: return fabs(ours / theirs - 1) <= tolerance;
    case TN_AGREE_ABSOLUTE: return fabs(ours - theirs) <= tolerance;
    case TN_AGREE_FACTOR: return ours / theirs <= tolerance && theirs / ours <= tolerance;
    case TN_AGREE_AT_MOST: return ours <= tolerance;
    }
    return false;
}

/* Relative tolerances above this are wide: the verdict says what they are. */
static const double WIDE = 0.011;

/* "ok", or what "ok" means where the tolerance is wide. */
enum { VERDICT_TEXT = 64 };
static const char *verdict_text(char text[VERDICT_TEXT], double theirs, double tolerance, tn_agreement agreement)
{
    double share = agreement == TN_AGREE_ABSOLUTE && theirs != 0 ? tolerance / fabs(theirs) : tolerance;
    snprintf(text, VERDICT_TEXT, "ok");
    if (agreement == TN_AGREE_FACTOR)
        snprintf(text, VERDICT_TEXT, "ok within a factor %g", tolerance);
    else if (agreement == TN_AGREE_AT_MOST && theirs != 0 && !(tolerance <= (1 + WIDE) * theirs))
        snprintf(text, VERDICT_TEXT, "ok as a bound only: at most %.3g", tolerance);
    else if (agreement != TN_AGREE_AT_MOST && share > WIDE && (theirs != 0 || agreement == TN_AGREE_RELATIVE))
        snprintf(text, VERDICT_TEXT, "ok within %.2g %%", 100 * share);
    return text;
}

/* A number, or "-" for none. */
enum { NUMBER_TEXT = 32 };
static const char *number_text(char text[NUMBER_TEXT], double x)
{
    if (isnan(x))
        return "-";
    snprintf(text, NUMBER_TEXT, "%.15e", x);
    return text;
}

static void add_row(const tn_findings *f, const char *what, double theirs, double ours, double tolerance,
                    const char *agreement, const char *verdict)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "what", what);
    cJSON_AddNumberToObject(row, f->source ? "reference" : "published", theirs);
    if (f->source)
        cJSON_AddStringToObject(row, "source", f->source);
    cJSON_AddNumberToObject(row, "ours", ours);
    cJSON_AddNumberToObject(row, "difference", ours - theirs);
    cJSON_AddNumberToObject(row, "tolerance", tolerance);
    cJSON_AddStringToObject(row, "agreement", agreement);
    cJSON_AddBoolToObject(row, "ok", verdict[0] == 'o');
    cJSON_AddStringToObject(row, "verdict", verdict);
    cJSON_AddItemToArray(f->rows, row);
}

static void print_head(tn_findings *f)
{
    if (f->headed)
        return;
    if (f->source)
        printf("  reference: %s\n", f->source);
    printf("  %-42s %23s %23s %10s %8s\n", "", f->source ? "reference" : "published", "ours", "difference", "allowed");
    f->headed = true;
}

void tn_compare_with(tn_findings *f, const char *source)
{
    if (source != f->source && (!source || !f->source || strcmp(source, f->source) != 0))
        f->headed = false;
    f->source = source;
}

void tn_found(tn_findings *f, const char *what, double theirs, double ours, double tolerance, tn_agreement agreement)
{
    static const char *const names[] = { "relative", "absolute", "factor", "at most" };
    bool ok = agrees(theirs, ours, tolerance, agreement);
    double difference = agreement == TN_AGREE_RELATIVE ? ours / theirs - 1
                        : agreement == TN_AGREE_FACTOR ? ours / theirs : ours - theirs;
    char given[NUMBER_TEXT], own[NUMBER_TEXT], text[VERDICT_TEXT];
    const char *verdict = ok ? verdict_text(text, theirs, tolerance, agreement) : "FAIL";
    *(ok ? &f->agreed : &f->failed) += 1;
    if (f->rows) {
        add_row(f, what, theirs, ours, tolerance, names[agreement], verdict);
        return;
    }
    print_head(f);
    printf("  %-42s %23s %23s %10.2e %8.2g %-8s  %s\n", what, number_text(given, theirs), number_text(own, ours), difference,
           tolerance, names[agreement], verdict);
}

void tn_not_reproducible(tn_findings *f, const char *what, double published, const char *why)
{
    f->left_out++;
    tn_compare_with(f, NULL);
    if (!f->rows) {
        char number[NUMBER_TEXT];
        print_head(f);
        printf("  %-42s %23s %23s  %s\n", what, number_text(number, published), "-", why);
        return;
    }
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "what", what);
    cJSON_AddNumberToObject(row, "published", published);
    cJSON_AddStringToObject(row, "not_reproducible", why);
    cJSON_AddItemToArray(f->rows, row);
}

/* ---- for the results ---- */

const char *tn_findings_folder(const tn_findings *f)
{
    return f->folder;
}

int tn_reproduction_open(tn_session **session, tn_model **model, tn_context *context, const char *text,
                         const tn_solve *solve)
{
    int code = tn_model_read_text(model, context, text, strlen(text), "model", ".");
    return code < 0 ? code : tn_session_open(session, *model, solve);
}

double tn_residual_norm(tn_session *session, const tn_model *model)
{
    enum { MOST_ROWS = 12 };
    tn_row rows[MOST_ROWS];
    double square = 0;
    for (size_t k = 0; k < tn_model_count(model, TN_KIND_JOINT); k++) {
        int count = tn_session_rows(rows, MOST_ROWS, session, tn_model_at(model, TN_KIND_JOINT, k));
        if (count < 0)
            return NAN;
        for (int i = 0; i < count && i < MOST_ROWS; i++)
            square += rows[i].residual * rows[i].residual;
    }
    return sqrt(square);
}

double tn_observed_order(double coarse, double fine)
{
    return log2(fabs(coarse / fine));
}

/* ---- the command ---- */

static int reproduce(const tn_reproduction *r, tn_context *context, tn_findings *total, cJSON *results)
{
    tn_findings f = { .rows = results ? cJSON_CreateArray() : NULL, .folder = total->folder };
    if (!results)
        printf("%s: %s\n%s\n", r->name, r->source, r->reading);
    int status = tn_diagnostics_flush(context, r->run(&f, context), NULL);
    total->agreed += f.agreed;
    total->failed += f.failed;
    total->left_out += f.left_out;
    if (!results) {
        printf("  %d agree, %d differ, %d cannot be reproduced\n\n", f.agreed, f.failed, f.left_out);
        return status;
    }
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "name", r->name);
    cJSON_AddStringToObject(result, "source", r->source);
    cJSON_AddStringToObject(result, "reading", r->reading);
    cJSON_AddItemToObject(result, "rows", f.rows);
    cJSON_AddItemToArray(results, result);
    return status;
}

static int unknown_result(const char *name)
{
    const char *names[64] = { NULL };
    size_t count = 0;
    for (; count < 64 && tn_reproductions[count]; count++)
        names[count] = tn_reproductions[count]->name;
    const char *near = tn_nearest_text(name, names, count);
    fprintf(stderr, "tenon reproduce: there is no result '%s'", name);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputs("\nThere are:", stderr);
    for (size_t k = 0; k < count; k++)
        fprintf(stderr, " %s", names[k]);
    fputc('\n', stderr);
    return TN_EXIT_USAGE;
}

static const tn_reproduction *find_reproduction(const char *name)
{
    for (size_t k = 0; tn_reproductions[k]; k++)
        if (strcmp(name, tn_reproductions[k]->name) == 0)
            return tn_reproductions[k];
    return NULL;
}

static bool is_asked(const tn_arguments *arguments, const tn_reproduction *r)
{
    for (size_t k = 0; k < arguments->operand_count; k++)
        if (strcmp(arguments->operands[k], r->name) == 0)
            return true;
    return arguments->operand_count == 0;
}

static int run_reproduce(tn_context *context, const tn_arguments *arguments)
{
    tn_findings total = { .folder = arguments->options[PLOT].given ? arguments->options[PLOT].text : NULL };
    int status = TN_EXIT_OK;
    for (size_t k = 0; k < arguments->operand_count; k++)
        if (!find_reproduction(arguments->operands[k]))
            return unknown_result(arguments->operands[k]);
    cJSON *results = arguments->json ? cJSON_CreateArray() : NULL;
    for (size_t k = 0; tn_reproductions[k] && status == TN_EXIT_OK; k++)
        if (is_asked(arguments, tn_reproductions[k]))
            status = reproduce(tn_reproductions[k], context, &total, results);
    if (results)
        tn_json_print(results);
    else
        printf("%d values agree, %d differ, %d cannot be reproduced\n", total.agreed, total.failed, total.left_out);
    return status == TN_EXIT_OK && total.failed > 0 ? TN_EXIT_EXPECT : status;
}

const tn_command tn_command_reproduce = {
    .name = "reproduce",
    .summary = "Compute published results again and compare.",
    .details = "Without a name, all of them. Each row shows the published value, or a reference with its source where the\n"
               "paper prints none, ours, the difference and what is allowed; wide tolerances are told in the verdict.",
    .operands = "[RESULT...]",
    .max_operands = MOST_NAMES,
    .options = options,
    .run = run_reproduce,
};
