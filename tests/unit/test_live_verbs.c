/* Every verb of commands on every example: the text agrees with the model, and keeps its comments. */
#include "edited_texts.h"
#include <math.h>

/* How often each verb was carried out. */
enum verb { ADD, REMOVE, REPLACE, SET, ENABLE, DISABLE, GRAVITY, SOLVE, LOCK, UNLOCK, MOVE, STATE, PARAMETERS, TEXT, VERBS };
static const char *const verbs[VERBS] = { "add", "remove", "replace", "set", "enable", "disable", "gravity", "solve",
                                          "lock", "unlock", "move", "state", "parameters", "text" };
static int done[VERBS];

/* A comment of the file, as far as it is on one line; NULL: there are no more. */
static const char *next_comment(const char *from, char out[160])
{
    const char *at = from;
    while ((at = strstr(at, "# ")) != NULL && at != from && at[-1] != '\n' && at[-1] != ' ')
        at++;
    if (at != NULL)
        snprintf(out, 160, "%.*s", (int)strcspn(at, "\n"), at);
    return at != NULL ? at + strcspn(at, "\n") : NULL;
}

static void must_keep_comments(const example *e, const char *text, const char *command)
{
    char comment[160];
    for (const char *at = e->text; (at = next_comment(at, comment)) != NULL;)
        if (!strstr(text, comment))
            fail_msg("%s: '%s' is gone after %s:\n%s", e->path, comment, command, text);
}

/* Carries it out, and takes it back. */
static void try_verb(const example *e, enum verb verb, const char *command)
{
    tn_ack ack;
    char *text = NULL;
    if (tn_session_apply(&ack, e->m.session, command) < 0)
        return;
    if (tn_session_text(&text, e->m.session) < 0) {
        tn_diagnostics_print(e->m.context, stderr);
        fail_msg("%s: no text after %s", e->path, command);
    }
    must_agree(e, text, command);
    if (verb != REMOVE)
        must_keep_comments(e, text, command);
    tn_text_free(e->m.context, text);
    done[verb]++;
    if (ack.changed)
        machine_must(&e->m, tn_session_undo(NULL, e->m.session, false));
}

static void try_format(const example *e, enum verb verb, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void try_format(const example *e, enum verb verb, const char *format, ...)
{
    char command[1000];
    va_list list;
    va_start(list, format);
    assert_true(vsnprintf(command, sizeof command, format, list) < (int)sizeof command);
    va_end(list);
    try_verb(e, verb, command);
}

/* ---- verbs that name something ---- */

static void try_properties(const example *e, tn_id id, const char *name)
{
    for (size_t k = 0; k < tn_model_property_count(tn_session_model(e->m.session), id); k++) {
        tn_property p;
        machine_must(&e->m, tn_model_property(&p, tn_session_model(e->m.session), id, k));
        if (p.fixed || isnan(p.value))
            continue;
        try_format(e, SET, "{ set: { %s.%s: %.6g } }", name, p.name, 0.97 * p.value + (p.value == 0 ? 0.01 : 0));
        try_format(e, SET, "{ set: { %s.%s: 0.5 + %.17g } }", name, p.name, p.value);
        if (k == 2)
            return;                                        /* of each entity a few: there are many */
    }
}

static void try_entity(const example *e, tn_id id)
{
    const tn_model *model = tn_session_model(e->m.session);
    char name[TN_PATH_SIZE];
    snprintf(name, sizeof name, "%s", tn_model_entity_name(model, id));
    if (strchr(name, '.') || id.index == 0)
        return;
    try_format(e, DISABLE, "{ disable: %s }", name);
    try_format(e, ENABLE, "{ enable: %s }", name);
    try_format(e, REMOVE, "{ remove: [%s] }", name);
    try_properties(e, id, name);
    if (id.kind != TN_KIND_JOINT)
        return;
    bool planar = model->dimension == 2;
    try_format(e, MOVE, "{ move: { %s: { at: [0.1, 0.2%s] } }, closing: snap }", name, planar ? "" : ", 0.3");
    try_format(e, LOCK, "{ lock: %s }", name);
    try_format(e, UNLOCK, "{ lock: %s, unlock: [%s] }", name, name);
    try_format(e, STATE, "{ state: { %s: { rate: 0.1 } } }", name);
    try_format(e, SET, "{ set: { %s.limits: { angle: [-100 deg, none] } } }", name);
    try_format(e, SET, "{ set: { %s.fuse.force: 1e9 N } }", name);
    try_format(e, REPLACE, "{ replace: { joints: { %s: { type: fixed, between: [ground, %s], at: [0.1, 0.2%s] } } } }",
               name, tn_model_entity_name(model, tn_table_id(model, TN_KIND_BODY, 1)), planar ? "" : ", 0");
}

/* The first three of a kind: there are examples with hundreds. */
static void try_kind(const example *e, tn_kind kind)
{
    const tn_model *model = tn_session_model(e->m.session);
    size_t count = tn_table_count(model, kind);
    for (size_t k = kind == TN_KIND_BODY, tried = 0; k < count && tried < 3; k++) {
        if (!tn_table_entity(tn_session_model(e->m.session), kind, k)->alive)
            continue;
        try_entity(e, tn_table_id(tn_session_model(e->m.session), kind, k));
        tried++;
    }
}

/* ---- the others ---- */

static void try_additions(const example *e)
{
    bool planar = tn_session_model(e->m.session)->dimension == 2;
    const char *z = planar ? "" : ", 0.3", *inertia = planar ? "0.1" : "[0.1, 0.2, 0.3]";
    const char *body = tn_model_entity_name(tn_session_model(e->m.session),
                                            tn_table_id(tn_session_model(e->m.session), TN_KIND_BODY, 1));
    try_format(e, ADD, "{ add: { bodies: { added: { mass: 0.5 kg, inertia: %s, position: [7, 8%s],\n"
               "  frames: { tip: { at: [1, 0%s] } } } }, outputs: [added.position] } }", inertia, z, z);
    try_format(e, ADD, "{ add: { bodies: { added: { mass: 0.5, inertia: %s, position: [7, 8%s] } },\n"
               "  joints: { hinge: { type: revolute, between: [%s, added], at: [3, 4%s] } } } }", inertia, z, body, z);
    try_format(e, ADD, "{ add: { forces: { pulls: { type: spring, between: [ground, %s], stiffness: 2 N/cm, length: 1 } },"
               "  states: { heat: { rate: 2 } }, tables: { line: { x: [0, 1], y: [0, 2] } } } }", body);
    if (!strchr(body, '.'))
        try_format(e, REPLACE, "{ replace: { bodies: { %s: { mass: 2 kg, inertia: %s, position: [0, 1%s] } } }, closing: snap }",
                   body, inertia, z);
    try_format(e, GRAVITY, "{ gravity: [0, -1.62%s] }", z);
    try_format(e, SOLVE, "{ solve: { integrator: rk4, step: 1 ms } }");
    try_format(e, SOLVE, "{ solve: { until: 0.5 s } }");
}

static void try_parameters(const example *e)
{
    for (size_t k = 0; k < tn_session_model(e->m.session)->parameter_count && k < 3; k++) {
        const tn_parameter_value p = tn_session_model(e->m.session)->parameters[k];
        if (!strchr(p.name, '.'))
            try_format(e, PARAMETERS, "{ parameters: { %s: %.6g %s }, closing: snap }", p.name, 1.01 * p.value,
                       p.unit ? p.unit : "");
    }
}

/* Another comment: another text of the same model. */
static void try_text(const example *e)
{
    tn_text text;
    char *other = NULL, *now = NULL;
    tn_text_begin(&text, e->m.context);
    tn_text_add(&text, "# another comment\n%s", e->text);
    machine_must(&e->m, tn_text_take(&text, &other));
    machine_must(&e->m, tn_session_set_text(NULL, e->m.session, other));
    machine_must(&e->m, tn_session_text(&now, e->m.session));
    assert_string_equal(now, other);
    done[TEXT]++;
    tn_text_free(e->m.context, now);
    tn_free(e->m.context, other);
}

static int try_example(const char *path)
{
    example e = open_example(path, 0.004);
    if (!e.m.session)
        return 0;
    for (int kind = TN_KIND_BODY; kind <= TN_KIND_SUBSYSTEM; kind++)
        if (kind != TN_KIND_FRAME)
            try_kind(&e, (tn_kind)kind);
    try_additions(&e);
    try_parameters(&e);
    try_text(&e);
    machine_close(&e.m);
    return 1;
}

static void test_every_verb_on_every_example(void **state)
{
    (void)state;
    static const char *const patterns[] = { TENON_SOURCE_DIR "/examples/*.yaml", TENON_SOURCE_DIR "/examples/*/*.yaml" };
    int opened = 0;
    for (size_t p = 0; p < TN_LENGTH(patterns); p++) {
        glob_t found;
        assert_int_equal(glob(patterns[p], 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++)
            opened += try_example(found.gl_pathv[k]);
        globfree(&found);
    }
    if (opened < 30)
        fail_msg("only %d examples could be opened", opened);
    for (int v = 0; v < VERBS; v++)
        if (done[v] < 10)
            fail_msg("'%s' was carried out %d times only", verbs[v], done[v]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_verb_on_every_example) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
