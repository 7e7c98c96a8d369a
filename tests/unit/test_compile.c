/* Subsystems compiled to libraries: they answer and move as the open ones, wherever they stand; nothing of what is
 * inside can be read in the file or heard in messages; what cannot be a component is refused. */
#define _XOPEN_SOURCE 700
#include "alloc.h"
#include "mechanisms.h"
#include "tenon/compile.h"
#include "tenon/library.h"
#include "tenon/sys/component.h"
#include <ctype.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 18, STATES = 64, TEXT = 4000 };
static const double SAME = 1e-12;              /* relative */

static char folder[] = "/tmp/tenon-compile-XXXXXX";
static char library_path[sizeof folder + 20], subsystem_path[sizeof folder + 20];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(library_path, sizeof library_path, "%s/part.so", folder);
    snprintf(subsystem_path, sizeof subsystem_path, "%s/part.yaml", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove(library_path);
    remove(subsystem_path);
    return rmdir(folder);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static tn_library *compile(tn_context *context, const char *subsystem, const char *const *open, size_t count)
{
    const tn_compile_options options = { .shell = TENON_SHELL, .open = open, .open_count = count };
    tn_library *library = NULL;
    int code = tn_compile(context, subsystem, library_path, &options);
    if (code == TN_OK)
        code = tn_library_open(&library, context, library_path, NULL, (tn_span){ 0, 0, 0 });
    if (code < 0) {
        tn_diagnostics_print(context, stderr);
        fail_msg("%s", tn_error_text(code));
    }
    return library;
}

/* ---- a host ---- */

typedef struct listener {
    test_alloc alloc;
    char said[300];
} listener;

static void *host_reallocate(void *user, void *pointer, size_t size)
{
    return test_reallocate(&((listener *)user)->alloc, pointer, size);
}

static void host_report(void *user, tn_severity severity, const char *message)
{
    (void)severity;
    snprintf(((listener *)user)->said, sizeof ((listener *)user)->said, "%s", message);
}

static tn_component_host host_of(listener *l)
{
    return (tn_component_host){ sizeof(tn_component_host), l, host_reallocate, host_report };
}

/* Turned about (1, 2, 2) / 3 by an angle. */
static tn_component_setting turned(double x, double y, double z, double angle)
{
    tn_component_setting s = { .size = sizeof s, .p = { x, y, z }, .gravity = { 0.3, -1, -9.81 } };
    const double a[3] = { 1 / 3.0, 2 / 3.0, 2 / 3.0 }, cross[3][3] = { { 0, -a[2], a[1] }, { a[2], 0, -a[0] },
                                                                       { -a[1], a[0], 0 } };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)            /* axes[k][i]: component i of axis k */
            s.axes[k][i] = (i == k) * cos(angle) + (1 - cos(angle)) * a[i] * a[k] + sin(angle) * cross[i][k];
    return s;
}

/* ---- the same as the open one ---- */

static const char *const open_names[] = { "stiffness", "damping" };
static const double open_values[] = { 21000, 1500 };
static const char *const port_paths[] = { "corner.ball", "corner.top_arm", "corner.top_hinge" };

static machine open_corner(void)
{
    machine m = { .context = tn_context_create(NULL) };
    char text[TEXT];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0.3, -1, -9.81]\nsubsystems:\n"
             "  corner: { use: %s/examples/car/suspension.yaml, at: [0.4, -0.2, 0.7],\n"
             "            rotation: { axis: [1, 2, 2], angle: 0.8 },\n"
             "            parameters: { stiffness: 21 kN/m, damping: 1500 } }\n",
             TENON_SOURCE_DIR);
    machine_must(&m, tn_model_read_text(&m.model, m.context, text, strlen(text), "m.yaml", "."));
    return m;
}

static double largest(int n, const double *x)
{
    double most = 1e-6;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void assert_same(int n, const double *a, const double *b)
{
    const double scale = largest(n, a);
    for (int i = 0; i < n; i++)
        assert_near(b[i], a[i], SAME * scale);
}

static void push(double t, double *tau)
{
    for (int k = 0; k < COLUMNS; k++)
        tau[k] = 300 * sin(7 * t + k);
}

static void rate(tn_component *c, double t, const double *y, double *dy)
{
    double tau[COLUMNS];
    push(t, tau);
    assert_int_equal(c->type->place(c->self, t, y), TN_OK);
    assert_int_equal(c->type->take(c->self, TN_ASK_ACCELERATIONS, tau, dy), TN_OK);
}

/* A step of the classical method of fourth order. */
static void step(tn_component *c, double t, double h, double *y)
{
    const int n = c->type->state_count(c->self);
    double k1[STATES], k2[STATES], k3[STATES], k4[STATES], at[STATES];
    rate(c, t, y, k1);
    for (int i = 0; i < n; i++)
        at[i] = y[i] + h / 2 * k1[i];
    rate(c, t + h / 2, at, k2);
    for (int i = 0; i < n; i++)
        at[i] = y[i] + h / 2 * k2[i];
    rate(c, t + h / 2, at, k3);
    for (int i = 0; i < n; i++)
        at[i] = y[i] + h * k3[i];
    rate(c, t + h, at, k4);
    for (int i = 0; i < n; i++)
        y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

static void compare_answers(tn_component *a, tn_component *b)
{
    double tau[COLUMNS], one[COLUMNS * COLUMNS], other[COLUMNS * COLUMNS];
    push(1, tau);
    assert_int_equal(a->type->condense(a->self, TN_RANK_DECIDE, one), TN_OK);
    assert_int_equal(b->type->condense(b->self, TN_RANK_DECIDE, other), TN_OK);
    assert_same(COLUMNS * COLUMNS, one, other);
    for (int question = TN_ASK_ACCELERATIONS; question <= TN_ASK_VELOCITIES; question++) {
        assert_int_equal(a->type->respond(a->self, (tn_question)question, tau, one), TN_OK);
        assert_int_equal(b->type->respond(b->self, (tn_question)question, tau, other), TN_OK);
        assert_same(COLUMNS, one, other);
    }
    for (int port = 0; port < 3; port++) {
        tn_port_motion p, q;
        a->type->port_motion(a->self, port, &p);
        b->type->port_motion(b->self, port, &q);
        assert_same((int)(sizeof p / sizeof(double)), (const double *)&p, (const double *)&q);
    }
}

static void test_moves_as_the_open_one(void **state)
{
    (void)state;
    const char *subsystem = TENON_SOURCE_DIR "/examples/car/suspension.yaml";
    machine m = open_corner();
    listener l = { 0 };
    const tn_component_host host = host_of(&l);
    const tn_component_setting setting = turned(0.4, -0.2, 0.7, 0.8);
    tn_library *library = compile(m.context, subsystem, open_names, 2);
    tn_component open, closed = { .type = tn_library_type(library) };
    assert_string_equal(closed.type->name, "Suspension");
    assert_int_equal(closed.type->port_count, 3);
    assert_string_equal(closed.type->ports[1].name, "top_arm");
    assert_int_equal(closed.type->parameter_count, 2);
    assert_near(closed.type->parameters[0].initial, 26000, 0);
    machine_must(&m, tn_component_from_model(&open, m.model, port_paths, 3));
    assert_int_equal(closed.type->create(&closed.self, &host, &setting, open_values), TN_OK);
    assert_int_equal(open.type->state_count(open.self), closed.type->state_count(closed.self));
    const int n = closed.type->state_count(closed.self);
    double y[STATES], z[STATES];
    open.type->point(open.self, NULL, y);
    closed.type->point(closed.self, NULL, z);
    for (int k = 0; k < 200; k++) {
        step(&open, k * 1e-3, 1e-3, y);
        step(&closed, k * 1e-3, 1e-3, z);
    }
    assert_same(n, y, z);
    assert_true(fabs(y[n - 1]) > 0.1);         /* it does move */
    compare_answers(&open, &closed);
    tn_component_destroy(&open);
    tn_component_destroy(&closed);
    assert_int_equal(l.alloc.alive, 0);
    tn_library_release(library);
    machine_close(&m);
}

/* ---- nothing to be read ---- */

static char *read_bytes(const char *path, size_t *size)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    *size = (size_t)status.st_size;
    char *bytes = malloc(*size);
    FILE *file = fopen(path, "rb");
    assert_true(bytes && file && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

/* width 1: as it is; 2: with a zero after each character. */
static bool contains(const char *bytes, size_t size, const char *word, size_t width)
{
    const size_t length = strlen(word);
    for (size_t at = 0; at + width * length <= size; at++) {
        size_t k = 0;
        while (k < length && bytes[at + width * k] == word[k] && (width == 1 || bytes[at + width * k + 1] == 0))
            k++;
        if (k == length)
            return true;
    }
    return false;
}

/* Every word and number of a file, of four characters and more. */
static void check_words(const char *path, const char *bytes, size_t size)
{
    size_t length, checked = 0;
    char *text = read_bytes(path, &length), word[80];
    for (size_t at = 0; at < length;) {
        size_t n = 0;
        while (at + n < length && n + 1 < sizeof word &&
               (isalnum((unsigned char)text[at + n]) || strchr("._", text[at + n])))
            n++;
        snprintf(word, sizeof word, "%.*s", (int)n, text + at);
        for (size_t width = 1; width <= 2 && n >= 4; width++, checked++)
            if (contains(bytes, size, word, width))
                fail_msg("'%s' can be read in the library", word);
        at += n + 1;
    }
    assert_true(checked > 100);
    free(text);
}

static void test_nothing_can_be_read(void **state)
{
    (void)state;
    static const char *const nowhere[] = { "knuckle", "strut_load", "tyre_load", "suspension.yaml", "3133.081290",
                                           "examples/car",
#ifdef TENON_SHELL_IS_STRIPPED             /* for debugging and sanitizers the places in the sources are needed */
                                           "/home/", "/tmp/", TENON_SOURCE_DIR, TENON_BUILD_DIR
#endif
                                         };
    tn_context *context = tn_context_create(NULL);
    tn_library *library = compile(context, TENON_SOURCE_DIR "/examples/car/suspension.yaml", NULL, 0);
    size_t size, shell_size;
    char *bytes = read_bytes(library_path, &size);
    free(read_bytes(TENON_SHELL, &shell_size));
    assert_true(size > shell_size + 1000);
    check_words(TENON_SOURCE_DIR "/examples/car/suspension.yaml", bytes + shell_size, size - shell_size);
    check_words(TENON_SOURCE_DIR "/examples/car/hub.yaml", bytes + shell_size, size - shell_size);
    for (size_t k = 0; k < sizeof nowhere / sizeof nowhere[0]; k++)
        for (size_t width = 1; width <= 2; width++)
            if (contains(bytes, size, nowhere[k], width))
                fail_msg("'%s' can be read in the library", nowhere[k]);
    assert_true(contains(bytes, size, "tenon_component", 1));      /* the search does find things */
    free(bytes);
    assert_int_equal(tn_library_type(library)->parameter_count, 0);
    tn_library_release(library);
    tn_context_destroy(context);
}

/* The loader would give the old one again. */
static void test_another_in_the_place_of_one_in_use(void **state)
{
    (void)state;
    const char *subsystem = TENON_SOURCE_DIR "/examples/car/suspension.yaml";
    const tn_compile_options options = { .shell = TENON_SHELL };
    tn_context *context = tn_context_create(NULL);
    tn_library *old = compile(context, TENON_SOURCE_DIR "/examples/car/hub.yaml", NULL, 0), *other = NULL;
    assert_int_equal(tn_compile(context, subsystem, library_path, &options), TN_OK);
    assert_int_equal(tn_library_open(&other, context, library_path, NULL, (tn_span){ 0, 0, 0 }), TN_ERROR_FILE);
    assert_non_null(strstr(tn_diagnostics_get(context, 0)->message, "an earlier version of it is still in use"));
    tn_library_release(old);
    assert_int_equal(tn_library_open(&other, context, library_path, NULL, (tn_span){ 0, 0, 0 }), TN_OK);
    assert_string_equal(tn_library_type(other)->name, "Suspension");
    tn_library_release(other);
    tn_context_destroy(context);
}

static void test_damaged_files(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_library_release(compile(context, TENON_SOURCE_DIR "/examples/car/suspension.yaml", NULL, 0));
    size_t size;
    char *bytes = read_bytes(library_path, &size);
    for (int kind = 0; kind < 2; kind++) {                         /* a bit turned; cut short */
        tn_library *library = NULL;
        FILE *file = fopen(library_path, "wb");
        bytes[size - 100] = (char)(bytes[size - 100] ^ (kind == 0 ? 4 : 0));
        assert_true(file && fwrite(bytes, 1, kind == 0 ? size : size - 50, file) > 0);
        fclose(file);
        assert_true(tn_library_open(&library, context, library_path, NULL, (tn_span){ 0, 0, 0 }) < 0);
        assert_non_null(strstr(tn_diagnostics_get(context, 0)->message, "is damaged, or no component"));
        tn_diagnostics_clear(context);
        bytes[size - 100] = (char)(bytes[size - 100] ^ (kind == 0 ? 4 : 0));
    }
    free(bytes);
    tn_context_destroy(context);
}

/* ---- self-contained ---- */

/* Files that it included, used and read are gone when the library is loaded. */
static void test_files_are_carried_along(void **state)
{
    (void)state;
    static const char inner[] = "tenon: 1\ndimension: 2\nparameters: { m: 1 }\n"
                                "bodies: { b: { mass: m, inertia: 2, position: [0, 0] } }\nports: { b: b }\n";
    static const char *const names[] = { "common.yaml", "curve.csv", "inner.yaml" };
    static const char *const texts[] = { "parameters: { heavy: 4 kg }\n", "t [s],M [N m]\n0,3\n1,3\n", inner };
    char paths[3][sizeof folder + 20];
    for (int k = 0; k < 3; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%s", folder, names[k]);
        write_text(paths[k], texts[k]);
    }
    write_text(subsystem_path, "tenon: 1\ndimension: 2\ninclude: common.yaml\ntables: { curve: { file: curve.csv } }\n"
               "subsystems: { in: { use: inner.yaml, parameters: { m: heavy } } }\nports: { p: in.b }\n"
               "forces: { f: { type: torque, on: in.b, value: curve(t) } }\n");
    tn_context *context = tn_context_create(NULL);
    tn_library *library = compile(context, subsystem_path, NULL, 0);
    for (int k = 0; k < 3; k++)
        assert_int_equal(remove(paths[k]), 0);
    assert_int_equal(remove(subsystem_path), 0);
    listener l = { 0 };
    const tn_component_host host = host_of(&l);
    tn_component_setting setting = { .size = sizeof setting, .axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    tn_component c = { .type = tn_library_type(library) };
    double r[3], D[9];
    setting.gravity[1] = -9.81;
    assert_int_equal(c.type->create(&c.self, &host, &setting, NULL), TN_OK);
    assert_int_equal(c.type->condense(c.self, TN_RANK_DECIDE, D), TN_OK);
    assert_int_equal(c.type->free_answer(c.self, TN_ASK_ACCELERATIONS, r), TN_OK);
    assert_near(D[0], 1 / 4.0, 1e-15);
    assert_near(r[1], -9.81, 1e-14);
    assert_near(r[2], 3 / 2.0, 1e-15);
    tn_component_destroy(&c);
    tn_library_release(library);
    tn_context_destroy(context);
}

/* ---- messages without names ---- */

static const char pendulum[] =
    "tenon: 1\ndimension: 2\nparameters: { heavy: 2 kg }\n"
    "bodies:\n  secret: { mass: heavy, inertia: 0.1, position: [0.5, 0], frames: { end: { at: [0.5, 0] } } }\n"
    "ports: { tip: secret.end }\n"
    "joints:\n  hinge: { type: revolute, between: [ground, secret], at: [0, 0] }\n"
    "forces:\n  hidden: { type: torque, on: secret, value: \"1 / (1 - t)\" }\n"
    "solve: { integrator: rk4, step: 1 ms }\n";

static void test_messages(void **state)
{
    (void)state;
    static const char *const open[] = { "heavy" };
    tn_context *context = tn_context_create(NULL);
    listener l = { 0 };
    const tn_component_host host = host_of(&l);
    const tn_component_setting setting = { .size = sizeof setting, .axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    void *self = NULL;
    double y[STATES], answer[6];
    write_text(subsystem_path, pendulum);
    tn_library *library = compile(context, subsystem_path, open, 1);
    const tn_component_type *type = tn_library_type(library);
    assert_string_equal(type->name, "part");
    assert_int_equal(type->create(&self, &host, &setting, (double[]){ -1 }), TN_ERROR_MODEL);
    assert_string_equal(l.said, "these parameters make no model");
    assert_int_equal(type->create(&self, &host, &setting, (double[]){ NAN }), TN_ERROR_MODEL);
    assert_int_equal(type->create(&self, &host, &setting, (double[]){ 3 }), TN_OK);
    type->point(self, NULL, y);
    assert_int_equal(type->place(self, 1, y), TN_OK);
    assert_int_equal(type->respond(self, TN_ASK_VELOCITIES, NULL, answer), TN_OK);
    assert_int_equal(type->respond(self, TN_ASK_ACCELERATIONS, NULL, answer), TN_ERROR_STEP);
    assert_string_equal(l.said, "something inside gives no finite number at t = 1 s");
    assert_int_equal(type->place(self, 0.9995, y), TN_OK);
    assert_int_equal(type->advance(self, 1.5, NULL, NULL), TN_ERROR_STEP);
    assert_string_equal(l.said, "a step inside cannot be taken at t = 0.9995 s");
    type->destroy(self);
    assert_int_equal(l.alloc.alive, 0);
    tn_library_release(library);
    tn_context_destroy(context);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    const tn_component_setting setting = { .size = sizeof setting, .axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    write_text(subsystem_path, pendulum);
    tn_library *library = compile(context, subsystem_path, NULL, 0);
    const tn_component_type *type = tn_library_type(library);
    int code = TN_ERROR_MEMORY;
    for (long failing = 1; code == TN_ERROR_MEMORY; failing++) {
        listener l = { .alloc = { .fail_at = failing } };
        const tn_component_host host = host_of(&l);
        void *self = NULL;
        code = type->create(&self, &host, &setting, NULL);
        if (code == TN_OK)
            type->destroy(self);
        assert_int_equal(l.alloc.alive, 0);
        assert_true(failing < 10000);
    }
    assert_int_equal(code, TN_OK);
    tn_library_release(library);
    tn_context_destroy(context);
}

/* ---- a step of its own ---- */

/* The same forces at the centre of mass as expressions of the model itself, and the same steps. */
static void test_own_step(void **state)
{
    (void)state;
    static const double begin[3] = { 1, 2, 0.5 }, end[3] = { 4, -3, 1 };
    tn_context *context = tn_context_create(NULL);
    listener l = { 0 };
    const tn_component_host host = host_of(&l);
    const tn_component_setting setting = { .size = sizeof setting, .axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    char text[TEXT];
    double y[STATES], z[STATES], t;
    unsigned char bytes[2000];
    write_text(subsystem_path, pendulum);
    tn_library *library = compile(context, subsystem_path, NULL, 0);
    tn_component c = { .type = tn_library_type(library) };
    assert_int_equal(c.type->create(&c.self, &host, &setting, NULL), TN_OK);
    assert_int_equal(c.type->advance(c.self, 0.25, begin, end), TN_OK);
    size_t size = c.type->save(c.self, bytes, sizeof bytes);
    assert_true(size <= sizeof bytes);
    c.type->point(c.self, &t, y);
    assert_near(t, 0.25, 1e-15);
    const char *solve = strstr(pendulum, "solve:");
    snprintf(text, sizeof text, "%.*s  ramp: { type: force, on: secret, value: [1 + 12 * t, 2 - 20 * t] }\n"
             "  twist: { type: torque, on: secret, value: 0.5 + 2 * t }\n%s", (int)(solve - pendulum), pendulum, solve);
    machine m = machine_text(text);
    machine_run(&m, fixed_steps("rk4", 1e-3, 0.25));
    assert_near(value(&m, "secret.angle"), y[2], 1e-12);
    assert_true(fabs(y[2]) > 0.01);
    assert_int_equal(c.type->advance(c.self, 0.5, begin, end), TN_OK);
    c.type->point(c.self, NULL, y);
    assert_int_equal(c.type->restore(c.self, bytes, size), TN_OK);
    assert_int_equal(c.type->advance(c.self, 0.5, begin, end), TN_OK);
    c.type->point(c.self, NULL, z);
    assert_memory_equal(y, z, (size_t)c.type->state_count(c.self) * sizeof(double));
    machine_close(&m);
    tn_component_destroy(&c);
    tn_library_release(library);
    tn_context_destroy(context);
}

/* ---- refusals ---- */

#define BODY "tenon: 1\ndimension: 2\nbodies:\n  a: { mass: 1, inertia: 1, position: [0, 0], " \
             "shapes: [ { sphere: { radius: 0.1 } } ] }\n"
#define PORTS "ports: { p: a }\n"
#define HINGE "joints:\n  h: { type: revolute, between: [ground, a], at: [0, 0]"

typedef struct refusal {
    const char *text, *words;
    int line;
} refusal;
static const refusal refusals[] = {
    { BODY, "the subsystem has no ports", 0 },
    { BODY "  ground: { frames: { f: { at: [1, 1] } } }\nports: { p: ground.f }\n", "port 'p' is on ground", 6 },
    { BODY PORTS HINGE ", fuse: { force: 10 } }\n", "fuse or latch of joint 'h'", 7 },
    { BODY PORTS "events:\n  e: { when: t - 1, do: stop }\n", "event 'e'", 7 },
    { BODY "  b: { mass: 1, inertia: 1, position: [1, 0], shapes: [ { sphere: { radius: 0.1 } } ] }\n" PORTS
           "contacts:\n  c: { between: [a, b] }\n", "contact 'c'", 8 },
    { BODY PORTS "joints: { h: { type: revolut } }\n", "revolut", 6 },
    { BODY PORTS "subsystems:\n  s: { use: \"" FREE_BODY "\" }\n", "library as subsystem 's': a component cannot", 7 },
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        const tn_compile_options options = { .shell = TENON_SHELL };
        tn_context *context = tn_context_create(NULL);
        write_text(subsystem_path, refusals[k].text);
        write_text(library_path, "old");
        assert_int_equal(tn_compile(context, subsystem_path, library_path, &options), TN_ERROR_MODEL);
        const tn_diagnostic *d = tn_diagnostics_get(context, 0);
        assert_non_null(d);
        if (!strstr(d->message, refusals[k].words) || d->span.line != refusals[k].line)
            fail_msg("%d: %s", d->span.line, d->message);
        assert_string_equal(d->span.file, subsystem_path);
        size_t size;
        char *bytes = read_bytes(library_path, &size);
        assert_true(size == 3 && memcmp(bytes, "old", 3) == 0);
        free(bytes);
        tn_context_destroy(context);
    }
}

static void test_other_mistakes(void **state)
{
    (void)state;
    static const char *const wrong[] = { "heavi" };
    tn_context *context = tn_context_create(NULL);
    write_text(subsystem_path, pendulum);
    const tn_compile_options open = { .shell = TENON_SHELL, .open = wrong, .open_count = 1 }, no_shell = { .shell = "/nowhere/shell.so" };
    assert_int_equal(tn_compile(context, subsystem_path, library_path, &open), TN_ERROR_ARGUMENT);
    assert_non_null(strstr(tn_diagnostics_get(context, 0)->message, "no parameter 'heavi' to stay open; did you mean "
                                                                    "'heavy'?"));
    assert_int_equal(tn_compile(context, subsystem_path, library_path, &no_shell), TN_ERROR_FILE);
    const tn_compile_options good = { .shell = TENON_SHELL };
    assert_int_equal(tn_compile(context, subsystem_path, "/nowhere/part.so", &good), TN_ERROR_FILE);
    assert_int_equal(tn_compile(context, "/nowhere/part.yaml", library_path, &good), TN_ERROR_FILE);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_as_the_open_one),
        cmocka_unit_test(test_nothing_can_be_read),
        cmocka_unit_test(test_another_in_the_place_of_one_in_use),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_files_are_carried_along),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_own_step),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
