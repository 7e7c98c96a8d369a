/* Differential test of the ways to solve a mechanism: random mechanisms run with every solver, with schemes and
 * integrators in turn, each with two step lengths, and are compared with an accurate run. A way that stops, that disagrees
 * beyond what its order explains, or that takes ten times the steps of another, fails; the model is then shrunk line by line
 * as long as it fails, and printed.
 *
 * TENON_DIFFERENTIAL_COUNT=N takes N mechanisms in place of 300, and every solver with each of them;
 * TENON_DIFFERENTIAL_FIRST=K begins with mechanism K, TENON_DIFFERENTIAL_KIND=K leaves all other kinds out, TENON_DIFFERENTIAL_SEED=K takes mechanism K only and prints all
 * results. `make differential COUNT=N` sets the first. */
#include "ways.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef TENON_SANITIZED
enum { MECHANISMS = 8 };
#else
enum { MECHANISMS = 300 };     /* make differential takes more */
#endif
enum { MOST_RUNS = 40, SHOWN = 10 };

/* Distances below this (m, rad, part of the fastest velocity) are agreement, whatever the order. */
static const double AGREE = 1e-7;
/* A tight adaptive run may be off by this, or by so many times the change from a looser tolerance to a tighter one. */
static const double ADAPTIVE_AGREE = 1e-6, SENSITIVE = 50;
/* "uzawa" stops at a residual of 1e-10, which change points amplify: driven ladder of seed 200251, off by 1.6e-6, and by 7e-11 with
 * `residual: 1e-13`. */
static const double UZAWA_AT_CHANGE_POINTS = 1e-5;
/* Mechanisms that amplify a tolerance of 1e-10 (in the default run 1e-9) to more than this are chaotic: no way could agree. */
static const double CHAOTIC = 1e-5;
/* Of the solvers with one step length none is worse than the best by more than this factor. */
static const double SOLVERS_ALIKE = 10;
/* Half the step brings the error at least to this part, for a method of order two and more; to this of order one. */
static const double SECOND_ORDER_GAIN = 0.5, FIRST_ORDER_GAIN = 0.8;
/* With "penalty" these steps are still long against the vibration of light joints. */
static const double PENALTY_GAIN = 0.8;
/* Differences between solvers below this are accepted if they fall by the order, at most of 5, with the step. */
static const double SMALL = 1e-5, FASTEST_FALL = 1.0 / 64;
/* A step that leaves a larger error is too long for the orders to show. */
static const double ASYMPTOTIC = 0.02;
/* Implicit integrators with the tolerances here are off by no more than this (a second; in longer runs times their length), unless they warn; the hundredth part of a tolerance
 * brings the error at least to this part. */
static const double IMPLICIT_AGREE = 5e-2, IMPLICIT_GAIN = 0.5;
/* No way takes more steps than this times those of another with the same integrator and tolerance, plus a few. */
static const double MOST_STEPS = 10;
enum { FEW_STEPS = 100 };
enum { FLUNG_STEPS = 5000 };

static const char *const solvers[] = { "direct", "hierarchical", "augmented", "uzawa" };
enum { SOLVERS = 4, REFERENCE_SOLVER = 1, AUGMENTED = 2, UZAWA = 3 };

/* ---- one mechanism ---- */

typedef struct trial {
    const mechanism *m;
    outcome runs[MOST_RUNS];
    int count;
    outcome reference;
    double sensitivity;
    bool every;                /* every solver is tried; false: "direct" and one other */
    int other;                 /* that one */
    bool excluded;             /* refused at the start, or chaotic */
    char wrong[400];           /* what was wrong first; empty: nothing */
} trial;

static void __attribute__((format(printf, 2, 3))) blame(trial *t, const char *format, ...)
{
    va_list list;
    if (t->wrong[0])
        return;
    va_start(list, format);
    vsnprintf(t->wrong, sizeof t->wrong, format, list);
    va_end(list);
}

/* The default run, which has little time, takes two solvers with each mechanism. */
static bool takes(const trial *t, int solver)
{
    if (t->m->beyond_augmented && solver == AUGMENTED)
        return false;
    return t->every || solver == 0 || solver == t->other;
}

static outcome *try_way(trial *t, tn_model *model, tn_context *context, way w)
{
    outcome *o = &t->runs[t->count++];
    assert_true(t->count <= MOST_RUNS);
    run_way(o, model, context, w);
    o->error = distance(o, &t->reference);
    return o;
}

/* The accurate run, and how far the mechanism amplifies a tolerance. */
static bool find_reference(trial *t, tn_model *model, tn_context *context)
{
    const way tight = { solvers[REFERENCE_SOLVER], "projection", "dop853", 0, t->every ? 1e-12 : 1e-11 };
    way loose = tight;
    loose.tolerance = t->every ? 1e-10 : 1e-9;
    run_way(&t->reference, model, context, tight);
    if (t->reference.stopped) {
        blame(t, "the reference stops: %s", t->reference.why);
        return false;
    }
    outcome *o = try_way(t, model, context, loose);
    if (o->stopped)
        blame(t, "%s stops: %s", o->label, o->why);
    t->sensitivity = o->error;
    t->excluded = !o->stopped && t->sensitivity > CHAOTIC;
    return !o->stopped && !t->excluded;
}

static void compare_adaptive(trial *t, tn_model *model, tn_context *context)
{
    const outcome *runs[SOLVERS];
    long least = t->runs[0].steps;
    for (int k = 0; k < SOLVERS; k++) {
        if (k != REFERENCE_SOLVER && !takes(t, k)) {
            runs[k] = &t->runs[0];
            continue;
        }
        runs[k] = k == REFERENCE_SOLVER
                      ? &t->runs[0]
                      : try_way(t, model, context, (way){ solvers[k], "projection", "dop853", 0, t->runs[0].tolerance });
        if (!runs[k]->stopped && runs[k]->steps < least)
            least = runs[k]->steps;
    }
    for (int k = 0; k < SOLVERS; k++) {
        if (runs[k]->stopped)
            blame(t, "%s stops: %s", runs[k]->label, runs[k]->why);
        const double agree = k == UZAWA && t->m->change_points ? UZAWA_AT_CHANGE_POINTS : ADAPTIVE_AGREE;
        if (runs[k]->error > fmax(agree, SENSITIVE * t->sensitivity))
            blame(t, "%s is off by %.3g (energy %.2g)", runs[k]->label, runs[k]->error, runs[k]->energy);
        /* With masses 1e9 apart "uzawa" at its residual of 1e-10 leaves noise above a tolerance of 1e-10: seed 300509, 1,585 steps where
         * others take 39, and 40 with a residual of 1e-11. */
        const bool noisy = k == UZAWA && t->m->beyond_augmented;
        if (!noisy && !runs[k]->stopped && (double)runs[k]->steps > MOST_STEPS * (double)least + FEW_STEPS)
            blame(t, "%s takes %ld steps, another way %ld", runs[k]->label, runs[k]->steps, least);
    }
}

/* True: small errors with both steps that fall by the order of a method. A solver that takes its first step across a
 * coincidence is more accurate than the integrator is with the others. */
static bool falls_by_order(const outcome *coarse, const outcome *fine)
{
    return coarse->error < SMALL && fine->error < SECOND_ORDER_GAIN * coarse->error &&
           fine->error > FASTEST_FALL * coarse->error;
}

/* True: with shorter steps the error falls as it should. With the two long ones terms of different order may cancel: an error
 * that changes its sign between them (mechanism 3 of seed 20483: -7.5e-4, 4.8e-4, 2.1e-4, 6.4e-5, 1.7e-5 rad/s with steps halved
 * from 2 ms) does not fall there. */
static bool falls_later(trial *t, tn_model *model, tn_context *context, way w, double gain, double floor)
{
    double last = INFINITY;
    for (int k = 0; k < 3; k++) {
        w.step /= 2;
        const outcome *o = try_way(t, model, context, w);
        if (o->stopped || o->error > gain * last + floor)
            return false;
        last = o->error;
    }
    return true;
}

/* Two step lengths, several solvers; gain: what half the step must at least bring. Where all solvers stop, the step is too
 * long for the mechanism, and the run has said so; a solver may stop, too, where the best of the others is far off (seed 300397). */
static void compare_fixed(trial *t, tn_model *model, tn_context *context, const char *scheme, const char *integrator,
                          double step, double gain, int solver_count)
{
    const outcome *runs[2][SOLVERS] = { { 0 } };
    const double floor = AGREE + SENSITIVE * t->sensitivity;
    double best[2] = { INFINITY, INFINITY };
    for (int h = 0; h < 2; h++)
        for (int k = 0; k < solver_count; k++) {
            if (!takes(t, k))
                continue;
            runs[h][k] = try_way(t, model, context, (way){ solvers[k], scheme, integrator, step / (1 + h), 0 });
            best[h] = fmin(best[h], runs[h][k]->error);
        }
    for (int h = 0; h < 2; h++)
        for (int k = 0; k < solver_count; k++)
            if (!runs[h][k])
                continue;
            else if (runs[h][k]->stopped && best[h] < ASYMPTOTIC)
                blame(t, "%s stops: %s", runs[h][k]->label, runs[h][k]->why);
            else if (!runs[h][k]->stopped && runs[h][k]->error > SOLVERS_ALIKE * best[h] + floor && !falls_by_order(runs[0][k], runs[1][k]))
                blame(t, "%s is off by %.3g (energy %.2g), another solver by %.3g", runs[h][k]->label, runs[h][k]->error,
                      runs[h][k]->energy, best[h]);
    if (best[0] < ASYMPTOTIC && best[1] > gain * best[0] + floor &&
        !falls_later(t, model, context, (way){ solvers[0], scheme, integrator, step / 2, 0 }, gain, floor))
        blame(t, "%s: off by %.3g, with twice the step by %.3g", runs[1][0]->label, best[1], best[0]);
}

/* The local errors of all steps, as far as the mechanism amplifies them: seed 300239, 2 s with 2,881 steps at 1e-5, off by 0.19. */
static double local_errors(const trial *t, const outcome *o)
{
    return (double)o->steps * o->tolerance * fmax(1, t->sensitivity / t->runs[0].tolerance);
}

/* True: a hundredth of the tight tolerance brings the error down, which is no more than local errors there. Errors that change their
 * sign with the tolerance are small by chance at one: seed 904173 with "generalized-alpha", off by 7e-6, 8e-5, 8e-5, 6e-5, 2e-5,
 * 1e-5, 5e-6 with 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8. */
static bool falls_later_still(trial *t, tn_model *model, tn_context *context, const outcome *tight, const char *integrator,
                              double floor)
{
    const outcome *tighter = try_way(t, model, context, (way){ "direct", "projection", integrator, 0, tight->tolerance / 100 });
    return tight->error <= local_errors(t, tight) && !tighter->stopped && tighter->error <= IMPLICIT_GAIN * tight->error + floor;
}

/* An integrator that controls its step, with two tolerances. Not where a light body is flung about between heavy ones: seed 400141, links of 2 g
 * and 19 g that 171 t pull straight again and again, takes "dop853" 9,864 steps for 0.3 s; "cvode" at 1e-9 ends there and says so. */
static void compare_implicit(trial *t, tn_model *model, tn_context *context, const char *integrator, double tolerance)
{
    if (t->m->beyond_augmented && t->runs[0].steps > FLUNG_STEPS)
        return;
    const outcome *loose = try_way(t, model, context, (way){ "direct", "projection", integrator, 0, tolerance });
    const outcome *tight = try_way(t, model, context, (way){ "direct", "projection", integrator, 0, tolerance / 100 });
    const double floor = ADAPTIVE_AGREE + SENSITIVE * t->sensitivity;
    for (int k = 0; k < 2; k++) {
        const outcome *o = k ? tight : loose;
        if (o->stopped)
            blame(t, "%s stops: %s", o->label, o->why);
        else if (o->error > fmax(IMPLICIT_AGREE * fmax(1, t->m->until), local_errors(t, o)) && !o->why[0])
            blame(t, "%s is off by %.3g (energy %.2g)", o->label, o->error, o->energy);
    }
    if (tight->error > IMPLICIT_GAIN * loose->error + floor && !tight->why[0] && !falls_later_still(t, model, context, tight, integrator, floor))
        blame(t, "%s: off by %.3g, with a hundred times the tolerance by %.3g", tight->label, tight->error, loose->error);
}

/* Schemes and integrators that take turns. */
static void compare_another(trial *t, tn_model *model, tn_context *context, uint32_t turn)
{
    const double h = t->m->step;
    if (t->m->change_points && (turn % 9 < 2 || turn % 9 == 3 || turn % 9 == 5))
        return;                            /* schemes without projection do not pass change points, and say so */
    switch (turn % 9) {
    case 0:
        compare_fixed(t, model, context, "taylor2", "rk4", h / 2, SECOND_ORDER_GAIN, 2);
        break;
    case 1:
        compare_fixed(t, model, context, "baumgarte", "rk4", h / 2, FIRST_ORDER_GAIN, 2);
        break;
    case 2:
        compare_fixed(t, model, context, "projection", "heun", h / 2, SECOND_ORDER_GAIN, 2);
        break;
    case 3:
        compare_fixed(t, model, context, "taylor1", "rk4", h / 4, FIRST_ORDER_GAIN, 2);
        break;
    case 4:
        compare_fixed(t, model, context, "projection", "newmark-iterated", h / 2, SECOND_ORDER_GAIN, 2);
        break;
    case 5:
        compare_fixed(t, model, context, "penalty", "rk4", h / 4, PENALTY_GAIN, 1);
        break;
    case 6:
        compare_implicit(t, model, context, "cvode", 1e-7);
        break;
    case 7:
        compare_implicit(t, model, context, "ida", 1e-7);
        break;
    default:
        compare_implicit(t, model, context, "generalized-alpha", 1e-5);
    }
}

/* A file beside the model, in a folder of the test. */
static char folder[] = "/tmp/tenon-differential-XXXXXX";

static void write_part(const mechanism *m)
{
    char path[80];
    if (!m->part[0])
        return;
    snprintf(path, sizeof path, "%s/%s", folder, MECHANISM_PART);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(m->part, file);
    fclose(file);
}

static void try_mechanism(trial *t, const mechanism *m, const char *text, uint32_t turn, bool every)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    memset(t, 0, sizeof *t);
    t->m = m;
    t->every = every;
    t->other = (int[]){ 1, 2, 1, 2, 3 }[turn % 5];
    write_part(m);
    int code = tn_model_read_text(&model, context, text, strlen(text), "model.yaml", folder);
    if (code >= 0) {
        tn_session *session = NULL;
        code = tn_session_open(&session, model, NULL);
        tn_session_close(session);
    }
    if (code < 0) {
        outcome refused;
        note_stop(&refused, context);
        snprintf(t->wrong, sizeof t->wrong, "refused: %s", refused.why);
        t->excluded = true;
    } else if (find_reference(t, model, context)) {
        /* the default run, which has little time, takes turns: ten mechanisms one for each kind, the next ten the other */
        if (every || turn % 2 == 0)
            compare_adaptive(t, model, context);
        if (every || turn % 2 == 1)
            compare_fixed(t, model, context, "projection", "rk4", m->step, SECOND_ORDER_GAIN, SOLVERS);
        if (every || turn % 3 == 0)
            compare_another(t, model, context, turn);
    }
    tn_model_destroy(model);
    tn_context_destroy(context);
}

/* ---- shrinking ---- */

/* True: the line speaks of the name, which stands between characters that are no letters and no digits. */
static bool mentions(const char *line, size_t length, const char *name, size_t name_length)
{
    for (size_t k = 0; k + name_length <= length; k++) {
        bool begins = k == 0 || !strchr("abcdefghijklmnopqrstuvwxyz0123456789.", line[k - 1]);
        bool ends = k + name_length == length || !strchr("abcdefghijklmnopqrstuvwxyz0123456789", line[k + name_length]);
        if (begins && ends && strncmp(line + k, name, name_length) == 0)
            return true;
    }
    return false;
}

/* The text without the entity that stands in a line, and without the lines that speak of it. False: the line has none. */
static bool without(char *out, const char *text, int line)
{
    const char *at = text;
    for (int k = 0; k < line && at; k++)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (!at || strncmp(at, "  ", 2) != 0)
        return false;
    const char *name = at + 2;
    size_t name_length = strcspn(name, ":"), used = 0;
    for (const char *l = text; *l;) {
        size_t length = strcspn(l, "\n");
        if (strncmp(l, "  ", 2) != 0 || !mentions(l, length, name, name_length)) {
            memcpy(out + used, l, length + 1);
            used += length + 1;
        }
        l += length + (l[length] == '\n');
    }
    out[used] = 0;
    return true;
}

/* Takes entities out as long as the mechanism fails in the same way: "is off", "stops", "takes". */
static void shrink(mechanism *m, trial *t, uint32_t turn)
{
    static char less[MECHANISM_TEXT];
    for (int line = 0; line < 60; line++) {
        if (!without(less, m->text, line))
            continue;
        static trial other;
        try_mechanism(&other, m, less, turn, t->every);
        if (other.wrong[0] && !other.excluded) {
            strcpy(m->text, less);
            *t = other;
            line--;
        }
    }
}

/* ---- all of them ---- */

typedef struct tally {
    long tried, excluded, failed, by_kind[ALL_KINDS];
    bool every;                /* every solver is tried */
} tally;

static void print_runs(const trial *t)
{
    print_message("  sensitivity %.3g, step %.17g\n", t->sensitivity, t->m->step);
    for (int k = 0; k < t->count; k++)
        print_message("  %-48s error %-10.3g energy %-10.3g steps %ld %s\n", t->runs[k].label, t->runs[k].error,
                      t->runs[k].energy, t->runs[k].steps, t->runs[k].why);
}

/* turn: which ways are tried beside those that always are. */
static void take_mechanism(tally *all, uint32_t seed, uint32_t kind, uint32_t turn, bool print)
{
    static mechanism m;
    static trial t;
    mechanism_make_kind(&m, seed, kind);
    assert_true(m.length < MECHANISM_TEXT);
    try_mechanism(&t, &m, m.text, turn, all->every);
    all->tried++;
    all->excluded += t.excluded;
    if (print) {
        printf("%s%s%s\n", m.text, m.part[0] ? "with " MECHANISM_PART ":\n" : "", m.part);
        print_runs(&t);
    }
    if (t.excluded || !t.wrong[0]) {
        if (t.excluded && getenv("TENON_DIFFERENTIAL_EXCLUDED"))
            print_message("mechanism %u (%s) excluded: %s, sensitivity %.2g\n", seed, m.kind, t.wrong, t.sensitivity);
        return;
    }
    all->by_kind[kind]++;
    print_error("mechanism %u (%s): %s\n", seed, m.kind, t.wrong);
    if (all->failed++ < SHOWN) {
        shrink(&m, &t, turn);
        fprintf(stderr, "shrunk: %s\n%s%s%s", t.wrong, m.text, m.part[0] ? "with " MECHANISM_PART ":\n" : "", m.part);
    }
}

/* Mechanisms that were wrong once, with every solver: a singular start with fast motion; windows of few points; a difference
 * between solvers that is the integrator's; a structure at rest, where newmark-iterated waited for round-off to converge;
 * a light chain with steps too long, which one solver shortened and went on with 40 % of the energy lost; errors of two orders that
 * cancel; a pivot that becomes zero within a step; passes of newmark-iterated that diverge after they have converged, next to a
 * change point; wheels on an axle, where a row of a joint was left out for one of rolling, and the joint drifted; a heavy body
 * that "direct" eliminated into a light one; a driven rate, of whose angle step control took no notice; links of
 * grams that 21 t pull straight, where round-off of velocities counted as error of the step; wheels on an axle again, where the
 * matrix of "generalized-alpha" closed redundant rows that were found off the constraints; an error of "generalized-alpha" that changes its
 * sign with the tolerance; redundant rows that "ida" held softly, and ladders whose independent rows it followed alone. */
static void test_found_mechanisms(void **state)
{
    (void)state;
    static const struct { uint32_t seed, kind, turn; } found[] = {
        { 206, 6, 2 }, { 259, 9, 1 }, { 489, 9, 0 }, { 20141, 1, 4 }, { 20503, 3, 4 }, { 20483, 3, 2 }, { 30162, 2, 4 },
        { 100009, 9, 4 }, { 100014, 14, 4 }, { 100062, 14, 7 }, { 300045, 13, 2 }, { 400027, 11, 8 }, { 610414, 14, 30520 },
        { 500333, 13, 31270 }, { 710638, 14, 44414 }, { 710926, 14, 44432 }, { 904173, 13, 56510 }, { 1100419, 3, 68776 },
        { 1102293, 5, 68893 }, { 1103162, 10, 68947 }, { 1105462, 6, 69091 },
    };
    tally all = { .every = true };
    if (getenv("TENON_DIFFERENTIAL_COUNT") || getenv("TENON_DIFFERENTIAL_SEED"))
        skip();
    for (size_t k = 0; k < sizeof found / sizeof *found; k++)
        take_mechanism(&all, found[k].seed, found[k].kind, found[k].turn, false);
    assert_int_equal(all.failed, 0);
}

static void test_random_mechanisms(void **state)
{
    (void)state;
    const char *count = getenv("TENON_DIFFERENTIAL_COUNT"), *only = getenv("TENON_DIFFERENTIAL_SEED");
    const char *from = getenv("TENON_DIFFERENTIAL_FIRST");
    uint32_t first = from ? (uint32_t)strtoul(from, NULL, 10) : 0;
    uint32_t mechanisms = count ? (uint32_t)strtoul(count, NULL, 10) : MECHANISMS;
    tally all = { .every = count || only };
    if (only)
        first = (uint32_t)strtoul(only, NULL, 10), mechanisms = 1;
    const char *kind = getenv("TENON_DIFFERENTIAL_KIND");
    for (uint32_t k = first; k < first + mechanisms; k++)
        if (!kind || k % ALL_KINDS == strtoul(kind, NULL, 10))
            take_mechanism(&all, k, k % ALL_KINDS, k / ALL_KINDS, only != NULL);
    print_message("%ld mechanisms, %ld excluded, %ld failed\n", all.tried, all.excluded, all.failed);
    for (int k = 0; k < ALL_KINDS; k++)
        if (all.by_kind[k])
            print_message("  kind %d: %ld\n", k, all.by_kind[k]);
    assert_int_equal(all.failed, 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[80];
    (void)state;
    snprintf(path, sizeof path, "%s/%s", folder, MECHANISM_PART);
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_mechanisms),
        cmocka_unit_test(test_random_mechanisms),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
