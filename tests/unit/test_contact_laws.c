/* Random models with contacts, and the laws that hold at every step of every one of them: nothing pulls, nothing
 * overlaps, friction stays within its cone, energy falls, and the run ends. Only what channels tell is looked at.
 *
 * TENON_CONTACT_MODELS=N takes N models in place of 2000, TENON_CONTACT_SEED=K only the model K, which is printed. */
#include "contact_models.h"
#include "event_runs.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MODELS = 60 };
#else
enum { MODELS = 2000 };
#endif
enum { MOST_CONTACTS = 16, SHOWN = 10 };

/* Part of the largest force of the run so far: less is round-off of what presses. */
static const double FORCE_NOISE = 1e-7;
/* m: the exact method stays below 1e-8, the first-order one for crowded changes puts overlaps right. */
static const double MOST_OVERLAP = 1e-7;
/* Part of the largest energy that an exact step may add: integrators have a tolerance of 1e-8. */
static const double ENERGY_NOISE = 1e-6;

typedef struct watch {
    const contact_model *model;
    tn_session *session;
    tn_readout *readout;
    int count, width;          /* contacts; numbers of each: normal, gap, closed, force */
    double energy, largest_energy, largest_force;
    char wrong[240];           /* what was wrong first; empty: nothing */
} watch;

static void note(watch *w, int contact, const char *what, double is, double bound)
{
    if (!w->wrong[0])
        snprintf(w->wrong, sizeof w->wrong, "c%d at t = %.9g s: %s: %.6g, bound %.6g", contact,
                 tn_session_time(w->session), what, is, bound);
}

static void check_contact(watch *w, int contact, const double *x)
{
    int dimension = w->width - 3;
    double normal = x[0], gap = x[1], square = 0, room;
    for (int k = 0; k < dimension; k++)
        square += x[3 + k] * x[3 + k];
    w->largest_force = fmax(w->largest_force, fmax(fabs(normal), sqrt(square)));
    room = FORCE_NOISE * w->largest_force;
    if (!isfinite(normal) || !isfinite(square))
        note(w, contact, "force is not finite", normal, 0);
    if (normal < -room)
        note(w, contact, "pulls (N)", normal, -room);
    if (x[2] == 0 && normal != 0)
        note(w, contact, "presses though it is open (N)", normal, 0);
    if (gap < -MOST_OVERLAP)
        note(w, contact, "overlap (m)", gap, -MOST_OVERLAP);
    if (x[2] > 0 && gap > MOST_OVERLAP)
        note(w, contact, "is closed at a distance (m)", gap, MOST_OVERLAP);
    if (!w->model->one_plane)
        return;
    double tangential = sqrt(fmax(square - normal * normal, 0)), most = w->model->friction * normal;
    if (tangential > most + sqrt(FORCE_NOISE) * fabs(normal) + room)
        note(w, contact, "friction outside of its cone (N)", tangential, most);
}

static void check_energy(watch *w)
{
    tn_summary s = tn_session_summary(w->session);
    w->largest_energy = fmax(w->largest_energy, fmax(fabs(s.energy_end), s.energy_peak));
    double room = ENERGY_NOISE * w->largest_energy;
    if (!w->model->driven && s.energy_end > w->energy + room)
        note(w, -1, "energy rises (J)", s.energy_end - w->energy, room);
    if (s.energy_error > 100 * room)
        note(w, -1, "energy that nobody accounts for (J)", s.energy_error, 100 * room);
    w->energy = s.energy_end;
}

static int look(void *user, const tn_session *session)
{
    watch *w = user;
    double values[MOST_CONTACTS * 6];
    (void)session;
    if (tn_readout_values(values, w->readout) < 0) {
        note(w, -1, "no values", 0, 0);
        return 1;
    }
    for (int k = 0; k < w->count; k++)
        check_contact(w, k, values + k * w->width);
    check_energy(w);
    return w->wrong[0] != 0;
}

static void open_readout(watch *w, int dimension)
{
    static const char *const ends[] = { "normal", "gap", "closed", "force.x", "force.y", "force.z" };
    char names[MOST_CONTACTS * 6][24];
    const char *list[MOST_CONTACTS * 6];
    w->width = 3 + dimension;
    assert_true(w->count <= MOST_CONTACTS);
    for (int k = 0; k < w->count * w->width; k++) {
        snprintf(names[k], sizeof names[k], "c%d.%s", k / w->width, ends[k % w->width]);
        list[k] = names[k];
    }
    assert_int_equal(tn_readout_open(&w->readout, w->session, list, (size_t)(w->count * w->width)), TN_OK);
}

static void take_message(watch *w, tn_context *context)
{
    size_t count = tn_diagnostics_count(context);
    if (!w->wrong[0])
        snprintf(w->wrong, sizeof w->wrong, "%.230s", count ? tn_diagnostics_get(context, count - 1)->message
                                                            : "failed without a word");
}

/* Of all runs. */
typedef struct tally {
    long models, failed, held, unsolved, shown;
    long by_kind[CONTACT_KINDS];
} tally;

static void run_model(tally *all, uint32_t seed, bool print)
{
    static contact_model m;
    contact_model_make(&m, seed);
    if (print)
        puts(m.text);
    assert_true(m.length < CONTACT_TEXT);
    run x = { .r = accepted(m.text) };
    watch w = { .model = &m, .count = m.contacts };
    int code = tn_session_open(&x.session, x.r.model, NULL);
    if (code == TN_OK) {
        w.session = x.session;
        w.energy = tn_session_summary(x.session).energy_start;
        open_readout(&w, strstr(m.text, "dimension: 2") ? 2 : 3);
        tn_session_on_step(x.session, look, &w);
        code = tn_session_run(x.session);
        all->held += tn_session_summary(x.session).holds > 0;
        all->unsolved += tn_session_summary(x.session).unsolved > 0;
    }
    if (code < 0)
        take_message(&w, x.r.context);
    all->models++;
    if (w.wrong[0]) {
        all->failed++;
        all->by_kind[seed % CONTACT_KINDS]++;
        if (all->shown++ < SHOWN || print)
            print_error("model %u (%s, friction %.3g, restitution %.3g): %s\n", seed, m.kind, m.friction,
                        m.restitution, w.wrong);
    }
    if (x.session)
        tn_session_close(x.session);
    done(&x.r);
}

static void test_random_models(void **state)
{
    (void)state;
    const char *count = getenv("TENON_CONTACT_MODELS"), *only = getenv("TENON_CONTACT_SEED");
    uint32_t models = count ? (uint32_t)strtoul(count, NULL, 10) : MODELS;
    tally all = { 0 };
    if (only)
        run_model(&all, (uint32_t)strtoul(only, NULL, 10), true);
    for (uint32_t seed = 0; seed < models && !only; seed++)
        run_model(&all, seed, false);
    print_message("%ld models: %ld failed, %ld with changes that crowd, %ld with forces found only nearly\n", all.models,
                  all.failed, all.held, all.unsolved);
    for (int k = 0; k < CONTACT_KINDS && all.failed > 0; k++)
        print_message("  kind %d: %ld failed\n", k, all.by_kind[k]);
    assert_int_equal(all.failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
