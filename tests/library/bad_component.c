/* A component that is right, a free particle-like body in space with one port, but for one mistake: the macro that is
 * defined says which. Built once for each (tests/CMakeLists.txt); without any it is good. */
#include "tenon/sys/component.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 6, STATES = 12 };

typedef struct body {
    const tn_component_host *host;
    double t, y[STATES];           /* place and turn, their rates */
} body;

static int create(void **self, const tn_component_host *host, const tn_component_setting *setting,
                  const double *parameters)
{
    (void)parameters;
#ifdef CRASH_IN_CREATE
    *(volatile int *)8 = 1;
#endif
#ifdef ABORT_IN_CREATE
    abort();
#endif
#ifdef EXIT_IN_CREATE
    exit(0);
#endif
#ifdef HANG_IN_CREATE
    for (volatile int k = 0;; k = 1 - k)
        continue;
#endif
#ifdef REFUSE_IN_CREATE
    host->report(host->user, TN_ERROR, "no licence");
    return TN_ERROR_ARGUMENT;
#endif
    body *b = host->reallocate(host->user, NULL, sizeof *b);
    if (!b)
        return TN_ERROR_MEMORY;
    *b = (body){ .host = host };
    memcpy(b->y, setting->p, sizeof setting->p);
    *self = b;
    return TN_OK;
}

static void destroy(void *self)
{
    body *b = self;
    if (b)
        b->host->reallocate(b->host->user, b, 0);
}

static int state_count(const void *self)
{
    (void)self;
#ifdef NEGATIVE_STATES
    return -1;
#endif
#ifdef FEWER_STATES
    return STATES - 1;
#endif
    return STATES;
}

static void point(const void *self, double *t, double *y)
{
    const body *b = self;
    if (t)
        *t = b->t;
    memcpy(y, b->y, sizeof b->y);
}

static int place(void *self, double t, const double *y)
{
    body *b = self;
    b->t = t;
    memcpy(b->y, y, sizeof b->y);
    return TN_OK;
}

static void port_motion(const void *self, int port, tn_port_motion *out)
{
    const body *b = self;
    (void)port;
    memset(out, 0, sizeof *out);
    memcpy(out->p, b->y, sizeof out->p);
    memcpy(out->v, b->y + 6, sizeof out->v);
#ifndef NO_AXES
    for (int k = 0; k < 3; k++)
        out->axes[k][k] = 1;
#endif
}

static void port_center(const void *self, int port, double center[3])
{
    (void)self;
    (void)port;
    center[0] = center[1] = 0;
#ifndef CENTER_NOT_TOLD
    center[2] = 0;
#endif
}

static int condense(void *self, tn_rank_rule rule, double *D)
{
    (void)self;
    (void)rule;
    if (!D)
        return TN_OK;
    memset(D, 0, COLUMNS * COLUMNS * sizeof(double));
    for (int k = 0; k < COLUMNS; k++)
        D[k + k * COLUMNS] = 2;
#ifdef NOT_A_NUMBER
    D[7] = NAN;
#endif
#ifdef NOT_SYMMETRIC
    D[1] = 0.5;
#endif
#ifdef INDEFINITE
    D[1] = D[COLUMNS] = 3;
#endif
#ifdef TOO_MUCH
    D[COLUMNS * COLUMNS] = 1;
#endif
    return TN_OK;
}

#ifdef SHOWS_ROOT
static int condense_root(void *self, tn_rank_rule rule, int *rows, double *T)
{
    (void)self;
    (void)rule;
    *rows = COLUMNS;
    memset(T, 0, COLUMNS * COLUMNS * sizeof(double));
    for (int k = 0; k < COLUMNS; k++)
        T[k + k * COLUMNS] = sqrt(2);
#ifdef ROOT_OTHER
    T[1] = 0.5;
#endif
#ifdef ROOT_TOO_MANY
    *rows = COLUMNS + 1;
#endif
#ifdef ROOT_TOO_MUCH
    T[COLUMNS * COLUMNS] = 1;
#endif
#ifdef ROOT_FAILS
    return TN_ERROR_STEP;
#else
    return TN_OK;
#endif
}
#endif

static int free_answer(void *self, tn_question question, double *r)
{
    (void)self;
    memset(r, 0, COLUMNS * sizeof(double));
    if (question == TN_ASK_ACCELERATIONS)
        r[2] = -9.81;
    return TN_OK;
}

static int respond(void *self, tn_question question, const double *tau, double *answer)
{
    double D[COLUMNS * COLUMNS + 1];
    condense(self, TN_RANK_KEEP, D);
    free_answer(self, question, answer);
    for (int i = 0; i < COLUMNS && tau; i++)
        for (int j = 0; j < COLUMNS; j++)
            answer[i] += D[i + j * COLUMNS] * tau[j];
#ifdef NOT_A_NUMBER
    answer[1] = 0;                 /* so that it is D where it shows */
#endif
#ifdef OTHER_ANSWER
    answer[0] += 1;
#endif
    return TN_OK;
}

static int take(void *self, tn_question question, const double *tau, double *out)
{
    const body *b = self;
    double answer[COLUMNS];
#ifdef CRASH_IN_TAKE
    *(volatile int *)8 = 1;
#endif
#ifdef CRASH_LATER
    if (b->t > 0.05)
        *(volatile int *)8 = 1;
#endif
#ifdef EXIT_LATER
    if (b->t > 0.05)
        exit(3);
#endif
#ifdef HANG_LATER
    while (b->t > 0.05)
        pause();
#endif
    respond(self, question, tau, answer);
    memcpy(out, b->y, sizeof b->y);
    if (question == TN_ASK_ACCELERATIONS) {
        memcpy(out, b->y + 6, 6 * sizeof(double));
        memcpy(out + 6, answer, 6 * sizeof(double));
    }
    return TN_OK;
}

/* ---- level 3: one body, held in a point by a ball on ground ---- */

#ifdef LEVEL_3
#ifdef OPEN_WRONG_COLUMNS
static const int body_column[] = { 0, 5 };
#else
static const int body_column[] = { 0, COLUMNS };
#endif
#ifdef OPEN_WRONG_BLOCK
static const size_t block_offset[] = { 1 };
#else
static const size_t block_offset[] = { 0 };
#endif
#ifdef OPEN_WRONG_BODY
static const int port_body[] = { 1 };
#else
static const int port_body[] = { 0 };
#endif
#ifdef OPEN_WRONG_PIN
static const unsigned char pin_kind[] = { TN_PIN_HINGE };
#else
static const unsigned char pin_kind[] = { TN_PIN_BALL };
#endif
static const tn_pin pins[] = { { .body1 = -1, .body2 = 0 } };
static const size_t mass_offset[] = { 0 };
static const int constraint_row[] = { 0, 3 }, block_begin[] = { 0, 1 }, zero[] = { 0 }, none[] = { -1 };
static const double scale[] = { 1, 1, 1, 1, 1, 1 }, u[] = { 0, 0, 0 };

static const tn_structure structure = {
    .bodies = 1,
    .body_column = body_column,
    .mass_offset = mass_offset,
    .constraints = 1,
#ifndef OPEN_NO_ROWS
    .constraint_row = constraint_row,
#endif
    .block_begin = block_begin,
    .block_body = zero,
    .block_offset = block_offset,
    .pin_kind = pin_kind,
    .pins = pins,
    .column_scale = scale,
    .groups = 1,
    .body_group = zero,
#ifdef OPEN_CIRCLE
    .group_parent = zero,
#else
    .group_parent = none,
#endif
};

static int open_all(void *self, tn_question question, tn_open_extent extent, tn_open_component *out)
{
    static _Thread_local double M[COLUMNS * COLUMNS], G[3 * COLUMNS], f[COLUMNS];
    (void)self;
    (void)extent;
    (void)constraint_row;
    (void)none;
    for (int k = 0; k < COLUMNS; k++)
        M[k * (COLUMNS + 1)] = 0.5;
    for (int k = 0; k < 3; k++)
        G[k * (COLUMNS + 1)] = 1;
    f[2] = question == TN_ASK_ACCELERATIONS ? -9.81 / 2 : 0;
#ifdef OPEN_NOT_A_NUMBER
    f[1] = NAN;
#endif
#ifdef OPEN_NOT_SYMMETRIC
    M[1] = 0.1;
#endif
#ifdef OPEN_NO_MASS
    M[7] = 0;
#endif
    *out = (tn_open_component){ &structure, M, G, f, u, port_body, false };
#ifdef OPEN_NOTHING
    out->f = NULL;
#endif
    return TN_OK;
}

#ifdef OPEN_NOT_WRITTEN
static void write_to(void *self, double *M, double *G)
{
    (void)self;
    (void)M;
    (void)G;
}
#endif

static int take_open(void *self, tn_question question, const double *a, const double *lambda, double *out, double *power)
{
    const body *b = self;
    (void)lambda;
    memcpy(out, b->y, sizeof b->y);
    if (question == TN_ASK_ACCELERATIONS) {
        memcpy(out, b->y + 6, 6 * sizeof(double));
        memcpy(out + 6, a, 6 * sizeof(double));
        *power = 0;
    }
#ifdef OPEN_TOO_MUCH
    out[STATES] = 1;
#endif
#ifdef OPEN_BAD_POWER
    *power = INFINITY;
#endif
    return TN_OK;
}
#endif

/* Time and states; not the host, which is another one where the state is restored. */
enum { SAVED = (1 + STATES) * sizeof(double) };

static size_t save(const void *self, void *bytes, size_t room)
{
    const body *b = self;
    if (room >= SAVED) {
        memcpy(bytes, &b->t, sizeof b->t);
        memcpy((char *)bytes + sizeof b->t, b->y, sizeof b->y);
    }
    return SAVED;
}

static int restore(void *self, const void *bytes, size_t size)
{
    body *b = self;
    if (size != SAVED)
        return TN_ERROR_ARGUMENT;
    memcpy(&b->t, bytes, sizeof b->t);
    memcpy(b->y, (const char *)bytes + sizeof b->t, sizeof b->y);
    return TN_OK;
}

static const tn_port_decl ports[] = { { "middle", "" } };

#ifdef WRONG_VERSION
enum { VERSION = TN_COMPONENT_VERSION + 1 };
#else
enum { VERSION = TN_COMPONENT_VERSION };
#endif
#ifdef WRONG_SIZE
enum { SIZE = sizeof(tn_component_type) / 2 };
#else
enum { SIZE = sizeof(tn_component_type) };
#endif
#ifdef NO_PORTS
enum { PORTS = 0 };
#else
enum { PORTS = 1 };
#endif

static const tn_component_type type = {
    .version = VERSION,
    .size = SIZE,
    .name = "free body",
    .doc = "A body without inertia coupling, for tests.",
    .dimension = 3,
#ifdef LEVEL_3
    .disclosure = TN_DISCLOSE_OPEN,
    .open = open_all,
#ifdef OPEN_NOT_WRITTEN
    .write_to = write_to,
#endif
#ifndef OPEN_MISSING
    .take_open = take_open,
#endif
#else
    .disclosure = TN_DISCLOSE_CONDENSED,
#endif
    .ports = ports,
    .port_count = PORTS,
    .create = create,
    .destroy = destroy,
    .state_count = state_count,
    .point = point,
    .place = place,
    .port_motion = port_motion,
    .port_center = port_center,
    .respond = respond,
    .take = take,
#ifndef NO_CONDENSE
    .condense = condense,
#endif
    .free_answer = free_answer,
#ifdef SHOWS_ROOT
    .condense_root = condense_root,
#endif
    .save = save,
    .restore = restore,
};

#ifdef CRASH_AT_LOADING
__attribute__((constructor)) static void begin(void)
{
    *(volatile int *)8 = 1;
}
#endif

#ifdef NO_ENTRY
const tn_component_type *another_name(void);
const tn_component_type *another_name(void)
#else
TN_API const tn_component_type *tenon_component(void);
const tn_component_type *tenon_component(void)
#endif
{
#ifdef NO_TYPE
    return NULL;
#endif
    return &type;
}
