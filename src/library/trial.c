/* Tests a library of a component, function by function. */
#include "tenon/library.h"
#include "trial.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dense.h"
#include "open_check.h"
#include "stop_check.h"

/* Relative to the largest entry of D: allowed asymmetry and negative pivots of D; allowed difference of respond from
 * D tau + r. */
static const double D_TOLERANCE = 1e-9, ANSWER_TOLERANCE = 1e-6;
/* s: time of the trial step of a component that has advance. */
static const double ADVANCE = 1e-3;
/* Number and value of the check values after every vector, which the component must not change. */
enum { GUARDS = 16 };
static const double GUARD = 1.2345678e301;
enum { MOST_PORTS = 1000, MOST_STATES = 10000000 };

typedef struct trial {
    tn_verdict verdict;
    tn_verdict_note note;
    void *user;
    const tn_component_type *type;
    void *self;
    int columns, states;
    char said[TN_VERDICT_TEXT];        /* last error message of the component to its host */
} trial;

/* ---- verdicts ---- */

static void stage(trial *t, const char *name)
{
    snprintf(t->verdict.stage, sizeof t->verdict.stage, "%s", name);
    t->note(t->user, &t->verdict);
}

static bool wrong(trial *t, const char *message)
{
    snprintf(t->verdict.trouble, sizeof t->verdict.trouble, "%s", message);
    return false;
}

/* "'condense' fails: (message of the component)" */
static bool call_failed(trial *t, const char *function, int code)
{
    snprintf(t->verdict.trouble, sizeof t->verdict.trouble, "'%s' fails: %.180s", function,
             t->said[0] ? t->said : tn_error_text(code));
    return false;
}

static bool bad_numbers(trial *t, const char *what)
{
    snprintf(t->verdict.trouble, sizeof t->verdict.trouble, "%s: not all numbers are finite", what);
    return false;
}

/* ---- the type ---- */

static const char *missing_function(const tn_component_type *type)
{
    const struct {
        bool there;
        const char *name;
    } needed[] = { { type->create != NULL, "create" },
                   { type->destroy != NULL, "destroy" },
                   { type->state_count != NULL, "state_count" },
                   { type->point != NULL, "point" },
                   { type->place != NULL, "place" },
                   { type->port_motion != NULL, "port_motion" },
                   { type->respond != NULL, "respond" },
                   { type->take != NULL, "take" },
                   { type->disclosure < TN_DISCLOSE_CONDENSED || type->condense, "condense" },
                   { type->disclosure < TN_DISCLOSE_CONDENSED || type->free_answer, "free_answer" },
                   { type->disclosure < TN_DISCLOSE_OPEN || type->open, "open" },
                   { type->disclosure < TN_DISCLOSE_OPEN ||
                         type->take_open, "take_open" },
                   { type->save != NULL, "save" },
                   { type->restore != NULL, "restore" } };
    for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++)
        if (!needed[k].there)
            return needed[k].name;
    return NULL;
}

const char *tn_trial_declaration(const tn_component_type *type)
{
    if (!type->name || !type->name[0])
        return "it has no name";
    if (type->dimension != 2 && type->dimension != 3)
        return "its dimension is neither 2 nor 3";
    if (type->disclosure < TN_DISCLOSE_RESPONSE || type->disclosure > TN_DISCLOSE_OPEN)
        return "its level of disclosure is none of 1, 2 and 3";
    if (type->port_count < 1 || type->port_count > MOST_PORTS || !type->ports)
        return "it has no ports, or too many";
    for (int k = 0; k < type->port_count; k++)
        if (!type->ports[k].name || !type->ports[k].name[0])
            return "a port has no name";
    if (type->parameter_count < 0 || (type->parameter_count > 0 && !type->parameters))
        return "its parameters are not declared";
    for (int k = 0; k < type->parameter_count; k++)
        if (!type->parameters[k].name || !type->parameters[k].name[0])
            return "a parameter has no name";
    return NULL;
}

/* dlsym gives data pointers; functions of shared libraries have the same representation (POSIX). */
static tn_component_entry entry_of(void *handle)
{
    void *symbol = dlsym(handle, TN_COMPONENT_SYMBOL);
    tn_component_entry entry;
    memcpy(&entry, &symbol, sizeof entry);
    return entry;
}

const tn_component_type *tn_trial_type(void *handle, char trouble[TN_VERDICT_TEXT])
{
    tn_component_entry entry = entry_of(handle);
    const tn_component_type *type = entry ? entry() : NULL;
    const char *missing;
    trouble[0] = '\0';
    if (!entry)
        snprintf(trouble, TN_VERDICT_TEXT, "is no component: it exports no function " TN_COMPONENT_SYMBOL);
    else if (!type)
        snprintf(trouble, TN_VERDICT_TEXT, "is damaged, or no component: it does not tell its type");
    else if (type->version != TN_COMPONENT_VERSION)
        snprintf(trouble, TN_VERDICT_TEXT, "was made for version %u of the component interface; this program has %d",
                 type->version, TN_COMPONENT_VERSION);
    else if (type->size < TN_COMPONENT_LEAST_SIZE)
        snprintf(trouble, TN_VERDICT_TEXT, "has a type of %u bytes where version %d of the interface has %zu",
                 type->size, TN_COMPONENT_VERSION, (size_t)TN_COMPONENT_LEAST_SIZE);
    else if ((missing = tn_trial_declaration(type)) != NULL)
        snprintf(trouble, TN_VERDICT_TEXT, "is no component: %s", missing);
    else if ((missing = missing_function(type)) != NULL)
        snprintf(trouble, TN_VERDICT_TEXT, "lacks the function '%s' that level %d needs", missing,
                 (int)type->disclosure);
    return trouble[0] ? NULL : type;
}

/* ---- vectors with check values at the end ---- */

static double *vector(int n)
{
    double *x = calloc((size_t)n + GUARDS, sizeof *x);
    for (int k = 0; x && k < GUARDS; k++)
        x[n + k] = GUARD;
    return x;
}

/* Reports numbers that are not finite, and writes beyond the end of the vector. */
static bool check_vector(trial *t, const char *function, const double *x, int n)
{
    char what[60];
    for (int k = 0; k < GUARDS; k++)
        if (memcmp(&x[n + k], &GUARD, sizeof GUARD) != 0) {
            snprintf(t->verdict.trouble, sizeof t->verdict.trouble, "'%s' writes more than %d numbers", function, n);
            return false;
        }
    snprintf(what, sizeof what, "'%s'", function);
    for (int k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return bad_numbers(t, what);
    return true;
}

/* ---- questions ---- */

static bool check_port(trial *t, int port)
{
    tn_port_motion m;
    memset(&m, 0xff, sizeof m);                    /* NaN until the component writes numbers */
    t->type->port_motion(t->self, port, &m);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = 0;
            for (int k = 0; k < 3; k++)
                dot += m.axes[i][k] * m.axes[j][k];
            if (!(fabs(dot - (i == j)) < ANSWER_TOLERANCE))
                return wrong(t, "'port_motion': the axes of a port are not perpendicular and of unit length");
        }
    for (int k = 0; k < 3; k++)
        if (!isfinite(m.p[k] + m.v[k] + m.w[k]))
            return bad_numbers(t, "'port_motion'");
    return true;
}

static bool check_center(trial *t, int port)
{
    double center[3] = { NAN, NAN, NAN };
    t->type->port_center(t->self, port, center);
    for (int k = 0; k < 3; k++)
        if (!isfinite(center[k]))
            return bad_numbers(t, "'port_center'");
    return true;
}

static bool check_point(trial *t, double *y)
{
    double time = NAN;
    stage(t, "point");
    t->type->point(t->self, &time, y);
    if (!check_vector(t, "point", y, t->states))
        return false;
    if (!isfinite(time))
        return bad_numbers(t, "'point': time");
    stage(t, "place");
    int code = t->type->place(t->self, time, y);
    if (code < 0)
        return call_failed(t, "place", code);
    stage(t, "port_motion");
    for (int k = 0; k < t->type->port_count; k++)
        if (!check_port(t, k))
            return false;
    stage(t, "port_center");
    for (int k = 0; k < t->type->port_count && t->type->port_center; k++)
        if (!check_center(t, k))
            return false;
    return true;
}

/* Compares the root with D from condense. */
static bool check_root(trial *t, const double *D, double *T)
{
    const int n = t->columns;
    int rows = 0;
    double largest = 0;
    stage(t, "condense_root");
    int code = t->type->condense_root(t->self, TN_RANK_DECIDE, &rows, T);
    if (code < 0)
        return call_failed(t, "condense_root", code);
    if (rows < 0 || rows > n)
        return wrong(t, "'condense_root' gives more rows than there are columns");
    memset(T + rows * n, 0, (size_t)((n - rows) * n) * sizeof(double));
    if (!check_vector(t, "condense_root", T, n * n))
        return false;
    for (int k = 0; k < n * n; k++)
        largest = fmax(largest, fabs(D[k]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < rows; k++)
                sum += T[i + k * n] * T[j + k * n];
            if (!(fabs(sum - D[i + j * n]) <= D_TOLERANCE * largest))
                return wrong(t, "'condense_root' gives another D than 'condense'");
        }
    return true;
}

static bool check_response(trial *t, double *D)
{
    const int n = t->columns;
    double largest = 0;
    for (int k = 0; k < n * n; k++)
        largest = fmax(largest, fabs(D[k]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(D[i + j * n] - D[j + i * n]) > D_TOLERANCE * largest)
                return wrong(t, "'condense': D is not symmetric");
    return tn_is_semidefinite(n, D, D_TOLERANCE * largest) || wrong(t, "'condense': D is not positive semidefinite");
}

/* Compares the answer of respond to tau with D tau + r. */
static bool check_answer(trial *t, const double *D, const double *r, const double *tau, const double *answer)
{
    const int n = t->columns;
    for (int i = 0; i < n; i++) {
        double expected = r[i], scale = fabs(r[i]);
        for (int j = 0; j < n; j++) {
            expected += D[i + j * n] * tau[j];
            scale += fabs(D[i + j * n] * tau[j]);
        }
        if (!(fabs(answer[i] - expected) <= ANSWER_TOLERANCE * (scale + 1e-9)))
            return wrong(t, "'respond' gives another answer than D and r of 'condense' and 'free_answer'");
    }
    return true;
}

typedef struct room {
    double *y, *out, *D, *T, *r, *tau, *answer;
} room;

static bool check_condensed(trial *t, const room *x, tn_question question)
{
    stage(t, "condense");
    int code = t->type->condense(t->self, TN_RANK_DECIDE, x->D);
    if (code < 0)
        return call_failed(t, "condense", code);
    if (!check_vector(t, "condense", x->D, t->columns * t->columns))
        return false;
    stage(t, "free_answer");
    code = t->type->free_answer(t->self, question, x->r);
    if (code < 0)
        return call_failed(t, "free_answer", code);
    return check_vector(t, "free_answer", x->r, t->columns) && check_answer(t, x->D, x->r, x->tau, x->answer) &&
           (!t->type->condense_root || check_root(t, x->D, x->T)) && check_response(t, x->D);
}

static bool check_question(trial *t, const room *x, tn_question question)
{
    for (int k = 0; k < t->columns; k++)
        x->tau[k] = 0.5 + 0.25 * (k % 3);          /* arbitrary values */
    stage(t, "respond");
    int code = t->type->respond(t->self, question, x->tau, x->answer);
    if (code < 0)
        return call_failed(t, "respond", code);
    if (!check_vector(t, "respond", x->answer, t->columns))
        return false;
    if (t->type->disclosure >= TN_DISCLOSE_CONDENSED && !check_condensed(t, x, question))
        return false;
    stage(t, "take");
    code = t->type->take(t->self, question, x->tau, x->out);
    return code < 0 ? call_failed(t, "take", code) : check_vector(t, "take", x->out, t->states);
}

/* Checks M and G in memory given to the component, and gives it back its own memory. */
static bool check_written(trial *t, tn_question question, double *M, double *G, const tn_structure *structure)
{
    tn_open_component open = { 0 };
    stage(t, "write_to");
    t->type->write_to(t->self, M, G);
    int code = t->type->open(t->self, question, TN_OPEN_ROWS, &open);
    t->type->write_to(t->self, NULL, NULL);
    if (code < 0)
        return call_failed(t, "open", code);
    if (open.M != M || open.G != G)
        return wrong(t, "'write_to': M and G are not where they shall be");
    const char *trouble = tn_open_numbers_trouble(&open);
    return trouble ? wrong(t, trouble)
                   : check_vector(t, "write_to", M, (int)tn_open_mass_size(structure)) &&
                     check_vector(t, "write_to", G, (int)tn_open_rows_size(structure));
}

static bool check_writing(trial *t, tn_question question, const tn_structure *structure)
{
    double *M = vector((int)tn_open_mass_size(structure)), *G = vector((int)tn_open_rows_size(structure));
    bool good = M && G ? check_written(t, question, M, G, structure)
                       : wrong(t, "there is not enough memory for its matrices");
    free(M);
    free(G);
    return good;
}

static bool check_open(trial *t, tn_question question, const room *x)
{
    tn_open_component open = { 0 };
    stage(t, "open");
    int code = t->type->open(t->self, question, TN_OPEN_ROWS, &open);
    if (code < 0)
        return call_failed(t, "open", code);
    const char *trouble = tn_open_structure_trouble(&open, t->type);
    if (!trouble)
        trouble = tn_open_numbers_trouble(&open);
    if (trouble)
        return wrong(t, trouble);
    if (t->type->write_to && !check_writing(t, question, open.structure))
        return false;
    const int columns = open.structure->body_column[open.structure->bodies];
    double *still = vector(columns + open.structure->constraint_row[open.structure->constraints]), power = 0;
    if (!still)
        return wrong(t, "there is not enough memory for its bodies");
    stage(t, "take_open");
    code = t->type->take_open(t->self, question, still, still + columns, x->out, &power);
    free(still);
    if (code < 0)
        return call_failed(t, "take_open", code);
    return check_vector(t, "take_open", x->out, t->states) && (isfinite(power) || bad_numbers(t, "'take_open': power"));
}

static bool check_snapshot(trial *t)
{
    stage(t, "save");
    size_t size = t->type->save(t->self, NULL, 0);
    void *bytes = malloc(size > 0 ? size : 1);
    if (!bytes)
        return wrong(t, "'save' asks for more memory than there is");
    t->type->save(t->self, bytes, size);
    stage(t, "restore");
    int code = t->type->restore(t->self, bytes, size);
    free(bytes);
    return code < 0 ? call_failed(t, "restore", code) : true;
}

static bool check_advance(trial *t, const room *x)
{
    double time;
    if (!t->type->advance)
        return true;
    stage(t, "advance");
    t->type->point(t->self, &time, x->y);
    memset(x->tau, 0, (size_t)t->columns * sizeof(double));
    int code = t->type->advance(t->self, time + ADVANCE, x->tau, x->tau);
    if (code < 0)
        return call_failed(t, "advance", code);
    t->type->point(t->self, &time, x->y);
    return check_vector(t, "advance", x->y, t->states);
}

static bool check_stops(trial *t)
{
    stage(t, "stop_count");
    const int count = tn_stop_count(&(tn_component){ t->type, t->self });
    if (count < 0 || count > TN_MOST_STOPS)
        return wrong(t, "'stop_count' gives no number of joints with limits");
    stage(t, "stop");
    for (int k = 0; k < count; k++) {
        tn_component_stop stop;
        memset(&stop, 0xff, sizeof stop);              /* neither numbers nor texts until the component writes them */
        t->type->stop(t->self, k, &stop);
        const char *trouble = tn_stop_trouble(&stop, t->type->port_count);
        if (trouble)
            return wrong(t, trouble);
    }
    return true;
}

static bool check_reaction(trial *t, const room *x)
{
    if (!TN_COMPONENT_HAS(t->type, reacts) || !TN_COMPONENT_HAS(t->type, react) || !t->type->reacts(t->self))
        return true;
    tn_component_reaction found = { 0 };
    memset(x->tau, 0, (size_t)t->columns * sizeof(double));
    stage(t, "take");
    int code = t->type->take(t->self, TN_ASK_ACCELERATIONS, x->tau, x->out);
    if (code < 0)
        return call_failed(t, "take", code);
    stage(t, "react");
    code = t->type->react(t->self, &found);
    if (code < 0)
        return call_failed(t, "react", code);
    return isfinite(found.change + found.force + found.row) || bad_numbers(t, "'react'");
}

static bool check_time(trial *t)
{
    if (!TN_COMPONENT_HAS(t->type, timed) || !TN_COMPONENT_HAS(t->type, missed) || !t->type->timed(t->self))
        return true;
    tn_component_missed found;
    tn_component_jump jump;
    stage(t, "jumps");
    if (TN_COMPONENT_HAS(t->type, jumps) && t->type->jumps(t->self, 0, 1, &jump) &&
        !(jump.before >= 0 && jump.before < jump.behind && jump.behind <= 1))
        return bad_numbers(t, "'jumps'");
    stage(t, "missed");
    if (!t->type->missed(t->self, TN_VIEW_ENDS, 0, 1, &found))
        return true;
    return (found.from >= 0 && found.from <= found.at && found.at > 0 && found.at < 1) || bad_numbers(t, "'missed'");
}

static bool check_given(trial *t, const room *x)
{
    if (!TN_COMPONENT_HAS(t->type, given_count) || !TN_COMPONENT_HAS(t->type, given) || !TN_COMPONENT_HAS(t->type, push))
        return true;
    stage(t, "given_count");
    const int count = t->type->given_count(t->self);
    if (count < 0 || count > TN_MOST_STOPS)
        return wrong(t, "'given_count' gives no number of start values");
    for (int k = 0; k < count; k++) {
        tn_component_given found;
        stage(t, "given");
        int code = t->type->given(t->self, k, &found);
        if (code < 0)
            return call_failed(t, "given", code);
        if (!isfinite(found.value_now + found.rate_now))
            return bad_numbers(t, "'given'");
        stage(t, "push");
        code = t->type->push(t->self, TN_ASK_VELOCITIES, k, 1, x->y);
        if (code < 0)
            return call_failed(t, "push", code);
        if (!check_vector(t, "push", x->y, t->states))
            return false;
    }
    return true;
}

static bool check_component(trial *t)
{
    stage(t, "state_count");
    t->states = t->type->state_count(t->self);
    if (t->states < 0 || t->states > MOST_STATES)
        return wrong(t, "'state_count' gives no number of states");
    const int n = t->columns;
    const room x = { vector(t->states), vector(t->states), vector(n * n), vector(n * n), vector(n),
                     vector(n), vector(n) };
    if (!x.y || !x.out || !x.D || !x.T || !x.r || !x.tau || !x.answer)
        return wrong(t, "there is not enough memory for its states");
    t->verdict.states = t->states;
    bool good = check_point(t, x.y);
    for (int question = TN_ASK_ACCELERATIONS; good && question <= TN_ASK_VELOCITIES; question++)
        good = check_question(t, &x, (tn_question)question) &&
               (t->type->disclosure < TN_DISCLOSE_OPEN || check_open(t, (tn_question)question, &x));
    good = good && check_snapshot(t) && check_advance(t, &x) && check_stops(t) && check_reaction(t, &x) && check_time(t) && check_given(t, &x);
    free(x.y);
    free(x.out);
    free(x.D);
    free(x.T);
    free(x.r);
    free(x.tau);
    free(x.answer);
    return good;
}

/* ---- the component ---- */

static void *reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    if (size > 0)
        return realloc(pointer, size);
    free(pointer);
    return NULL;
}

static void keep_message(void *user, tn_severity severity, const char *message)
{
    trial *t = user;
    if (severity == TN_ERROR)
        snprintf(t->said, sizeof t->said, "%s", message);
}

static const tn_component_setting *usual_setting(tn_component_setting *setting, int dimension)
{
    *setting = (tn_component_setting){ .size = sizeof *setting, .axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    setting->gravity[dimension - 1] = -9.81;
    return setting;
}

/* Default values, or 1 for a parameter without default; false: there was such a parameter. *values NULL: no memory. */
static bool usual_values(double **values, const tn_component_type *type)
{
    bool complete = true;
    *values = calloc((size_t)type->parameter_count + 1, sizeof **values);
    for (int k = 0; *values && k < type->parameter_count; k++) {
        double initial = type->parameters[k].initial;
        (*values)[k] = isnan(initial) ? 1 : initial;
        complete &= !isnan(initial);
    }
    return complete;
}

static bool make_component(trial *t, const tn_component_setting *setting, const double *parameters)
{
    tn_component_host host = { sizeof host, t, reallocate, keep_message };
    tn_component_setting usual;
    double *values = NULL;
    bool certain = usual_values(&values, t->type) || parameters;
    if (!values)
        return wrong(t, "there is not enough memory for its parameters");
    stage(t, "create");
    int code = t->type->create(&t->self, &host, setting ? setting : usual_setting(&usual, t->type->dimension),
                               parameters ? parameters : values);
    free(values);
    if (code < 0)
        return certain ? call_failed(t, "create", code) : true;
    if (!t->self)
        return wrong(t, "'create' makes nothing");
    if (!check_component(t))
        return false;                              /* a component with wrong answers is not called again */
    stage(t, "destroy");
    t->type->destroy(t->self);
    return true;
}

static void run_trial(trial *t, const char *path, const tn_component_setting *setting, const double *parameters)
{
    stage(t, "loading");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(t->verdict.trouble, sizeof t->verdict.trouble, "cannot be loaded: %.200s", dlerror());
        return;
    }
    stage(t, TN_COMPONENT_SYMBOL);
    t->type = tn_trial_type(handle, t->verdict.trouble);
    if (!t->type)
        return;
    t->columns = t->type->port_count * (t->type->dimension == 2 ? 3 : 6);
    make_component(t, setting, parameters);
}

void tn_trial(const char *path, const tn_component_setting *setting, const double *parameters, tn_verdict_note note,
              void *user)
{
    trial t = { .verdict = { .states = -1 }, .note = note, .user = user };
    run_trial(&t, path, setting, parameters);
    t.verdict.done = true;
    note(user, &t.verdict);
}
