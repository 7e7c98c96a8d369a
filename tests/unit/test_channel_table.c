/* Every row of the table of channels: documented, found by name, worth a number, and known when its level says so. What
 * CONTRIBUTING.md tells about a new channel is enough for all of this. */
#include "channels.h"
#include "live_runs.h"
#include <math.h>

static const char PLANAR[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  ground: { shapes: [ { half_space: { at: [0, -1], normal: [0, 1] } } ] }\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0] }\n"
    "  wheel: { mass: 1, inertia: 0.1, position: [3, 0] }\n"
    "  crank: { mass: 1, inertia: 0.1, position: [5, 0] }\n"
    "  rack: { mass: 1, inertia: 0.1, position: [7, 0] }\n"
    "  ball: { mass: 1, inertia: 0.1, position: [9, -0.9], shapes: [ { disc: { radius: 0.1 } } ] }\n"
    "  dot: { type: particle, mass: 1, position: [11, 0] }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0], limits: { angle: [-2, 2] } }\n"
    "  axle: { type: revolute, between: [ground, wheel], at: [3, 0], ratchet: { pitch: 5 deg } }\n"
    "  hub: { type: revolute, between: [ground, crank], at: [5, 0] }\n"
    "  guide: { type: translational, between: [ground, rack], at: [7, 0], axis: x }\n"
    "  mesh: { type: coupler, terms: { axle.angle: 1, hub.angle: -2 } }\n"
    "drives:\n"
    "  spin: { joint: hub, rate: 1 }\n"
    "  push: { joint: guide, position: 0.1 * t }\n"
    "devices:\n"
    "  V: { type: voltage-source, at: { p: n, n: ground }, value: 1 V }\n"
    "  R: { type: resistor, at: { p: n, n: ground }, resistance: 1 ohm }\n"
    "forces: { s: { type: spring, between: [ground, dot], stiffness: 3, length: 0.5 } }\n"
    "contacts: { floor: { between: [ground, ball] } }\n"
    "events: { early: { when: t - 0.01 s, do: { log: early } } }\n";

static const char SPATIAL[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: { top: { mass: 1, inertia: [1, 1, 2], position: [0, 0, 1], angular_velocity: [1, 2, 30], frames: { tip: "
    "{ at: [0.1, 0, 0] } } } }\n"
    "joints: { foot: { type: spherical, between: [ground, top], at: [0, 0, 0] } }\n";

enum { MACHINES = 2 };

static void open_machines(machine m[MACHINES])
{
    m[0] = start(PLANAR, NULL);
    m[1] = start(SPATIAL, NULL);
    for (int k = 0; k < MACHINES; k++) {
        tn_pull pull = { .body = tn_model_find(m[k].model, k == 0 ? "a" : "top"), .target = { 1, 1, 1 } };
        machine_must(&m[k], tn_session_advance(m[k].session, 0.02));
        machine_must(&m[k], tn_session_pull(m[k].session, &pull));
        assert_true(tn_session_channel_count(m[k].session) > 0);
    }
}

static size_t row_count(void)
{
    size_t count = 0;
    while (tn_channel_table[count].value)
        count++;
    return count;
}

static void test_every_row_has_a_value(void **state)
{
    (void)state;
    bool seen[200] = { false };
    machine m[MACHINES];
    open_machines(m);
    assert_true(row_count() < TN_LENGTH(seen));
    for (int k = 0; k < MACHINES; k++) {
        tn_session *s = m[k].session;
        for (size_t i = 0; i < s->channels->all.count; i++) {
            const tn_probe *p = &s->channels->all.items[i];
            double found;
            machine_must(&m[k], tn_session_value(&found, s, p->name));
            if (!isfinite(found))
                print_error("%s is not finite\n", p->name);
            assert_true(isfinite(found));
            assert_non_null(p->unit);
            if (p->row)
                seen[p->row - tn_channel_table] = true;
        }
    }
    for (size_t row = 0; row < row_count(); row++) {
        double about;
        if (tn_channel_table[row].owner == TN_OF_POINT) {      /* found by name only: there is one for every point */
            machine_must(&m[0], tn_session_value(&about, m[0].session, "pivot.reaction_about.wheel.torque"));
            assert_true(isfinite(about));
            seen[row] = true;
        }
        if (!seen[row])
            print_error("no channel '%s' in the models of this test\n", tn_channel_table[row].name);
        assert_true(seen[row]);
    }
    for (int k = 0; k < MACHINES; k++)
        machine_close(&m[k]);
}

/* A channel that claims to need the motion only must not look at anything else. */
static void test_levels(void **state)
{
    (void)state;
    machine m[MACHINES];
    open_machines(m);
    for (int k = 0; k < MACHINES; k++) {
        tn_session *s = m[k].session;
        tn_eval *e = s->stepper->eval;
        const tn_system *sys = s->system;
        double *kept = calloc(s->channels->all.count, sizeof *kept);
        machine_must(&m[k], tn_session_evaluate(s));
        for (size_t i = 0; i < s->channels->all.count; i++)
            kept[i] = tn_probe_value(s, &s->channels->all.items[i]);
        tn_eval_motion(e, sys, s->stepper->t, s->stepper->y, s->stepper->y + sys->positions);
        for (int j = 0; j < sys->velocities; j++)
            e->a[j] = e->f[j] = NAN;
        for (int j = 0; j < sys->rows; j++)
            e->lambda[j] = e->g[j] = NAN;
        for (size_t i = 0; i < s->channels->all.count; i++) {
            const tn_probe *p = &s->channels->all.items[i];
            if (!tn_probe_solves(p))
                assert_near(tn_probe_value(s, p), kept[i], 1e-12 * (1 + fabs(kept[i])));
            if (p->row && !tn_probe_solves(p))
                assert_true(p->row->level == TN_LEVEL_MOTION || p->row->level == TN_LEVEL_DYNAMICS);
        }
        s->eval_current = false;
        free(kept);
        machine_close(&m[k]);
    }
}

/* "m/s^2" as the documents write it. */
static void pretty(char *out, size_t size, const char *unit)
{
    out[0] = '\0';
    for (; *unit; unit++) {
        size_t used = strlen(out);
        bool square = unit[0] == '^' && unit[1] == '2';
        snprintf(out + used, size - used, "%s", square ? "²" : (char[]){ *unit, '\0' });
        unit += square;
    }
}

static char *read_document(const char *path)
{
    enum { MOST = 1 << 16 };
    char *text = calloc(1, MOST);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, MOST - 1, file) > 0 && feof(file));
    fclose(file);
    return text;
}

static void test_every_row_is_documented(void **state)
{
    (void)state;
    char *document = read_document(TENON_SOURCE_DIR "/docs/channels.md");
    for (size_t k = 0; k < tn_channel_kind_count(); k++) {
        tn_channel_kind kind = tn_channel_kind_at(k);
        char name[120], unit[40], angle[40], line[400];
        tn_channel_kind_name(k, name, sizeof name);
        char *more = strstr(name, " ...");
        if (more)
            *more = '\0';
        pretty(unit, sizeof unit, kind.unit);
        pretty(angle, sizeof angle, kind.angle_unit ? kind.angle_unit : "");
        snprintf(line, sizeof line, "| `%s`%s | %s%s%s | %s |\n", name, more ? " ..." : "", unit,
                 kind.angle_unit ? " or " : "", angle, kind.doc);
        if (!strstr(document, line))
            print_error("docs/channels.md lacks the line %s", line);
        assert_non_null(strstr(document, line));
        assert_non_null(kind.group);
    }
    assert_null(tn_channel_kind_at(tn_channel_kind_count()).group);
    free(document);
}

/* Names are unique within an owner, and no row follows the one that ends the table. */
static void test_names_are_unique(void **state)
{
    (void)state;
    machine m[MACHINES];
    open_machines(m);
    for (int k = 0; k < MACHINES; k++) {
        const tn_probe_list *all = &m[k].session->channels->all;
        for (size_t i = 0; i < all->count; i++)
            for (size_t j = i + 1; j < all->count; j++)
                assert_string_not_equal(all->items[i].name, all->items[j].name);
        machine_close(&m[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_has_a_value),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_every_row_is_documented),
        cmocka_unit_test(test_names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
