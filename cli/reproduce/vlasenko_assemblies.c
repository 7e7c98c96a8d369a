/* The two assemblies of the hierarchical method: a steam machine and a car, each within one more level. */
#include "figure.h"
#include "reproduce/examples.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 8 };

static const char steam_text[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "subsystems: { machine: { use: steam-machine.yaml } }\n"
    "solve: { until: 1 s, step: 20 ms, integrator: rk4, record: 200 ms }\n";
static const char car_text[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "subsystems: { car: { use: car.yaml } }\n"
    "solve: { until: 5 s, step: 5 ms, integrator: rk4, record: 100 ms }\n";

/* The model with the files of an example. */
static int open_example(tn_session **session, tn_model **model, tn_context *context, const char *folder,
                        const char *text)
{
    tn_model_source texts[FILES_MAX] = { { "model", text, strlen(text) } };
    size_t count = 1;
    for (const tn_example_file *file = tn_example_files; file->folder && count < FILES_MAX; file++)
        if (strcmp(file->folder, folder) == 0)
            texts[count++] = (tn_model_source){ file->name, file->text, strlen(file->text) };
    int code = tn_model_read_texts(model, context, texts, count, folder);
    return code < 0 ? code : tn_session_open(session, *model, NULL);
}

static int count(tn_findings *findings, tn_session *session, const char *what, int equations, int rank, int freedoms)
{
    tn_report *report = NULL;
    char name[60];
    int code = tn_session_report(&report, session);
    if (code < 0)
        return code;
    const struct { const char *of; int expected, found; } counts[] = {
        { "equations", equations, report->equations },
        { "rank", rank, report->rank },
        { "freedoms", freedoms, report->freedoms },
    };
    tn_compare_with(findings, "the rank of the rows by an independent program");
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        snprintf(name, sizeof name, "%s: %s", what, counts[k].of);
        tn_found(findings, name, counts[k].expected, counts[k].found, 0, TN_AGREE_ABSOLUTE);
    }
    tn_report_destroy(tn_session_context(session), report);
    return code;
}

/* ---- steam machine ---- */

/* Velocity of the left piston at t, in closed form. */
static double piston_velocity(double t)
{
    const double rate = 1.96, r = 0.05, rod = 0.2;
    double sine = sin(rate * t), cosine = cos(rate * t);
    return -rate * (r * sine + r * r * sine * cosine / sqrt(rod * rod - r * r * sine * sine));
}

static int follow_piston(tn_findings *findings, tn_session *session)
{
    enum { POINTS = 50 };
    double worst = 0, t[POINTS], velocity[POINTS] = { 0 }, exact[POINTS];
    int code = TN_OK;
    for (int k = 0; k < POINTS && code >= 0; k++) {
        code = tn_session_advance(session, 0.02);
        if (code >= 0)
            code = tn_session_value(&velocity[k], session, "machine.left.power.piston.velocity.z");
        t[k] = tn_session_time(session);
        exact[k] = piston_velocity(t[k]);
        worst = fmax(worst, fabs(velocity[k] - exact[k]));
    }
    tn_compare_with(findings, "the closed form of a slider-crank");
    tn_found(findings, "steam machine: piston's velocity, error", 0, worst, 1e-10, TN_AGREE_ABSOLUTE);
    tn_compare_with(findings, NULL);
    tn_found(findings, "steam machine: drift", 1e-10, tn_session_summary(session).max_drift, 1e-10, TN_AGREE_AT_MOST);
    const tn_series series[] = { { .name = "steam machine", .count = POINTS, .x = t, .y = velocity },
                                 { .name = "closed form", .count = POINTS, .x = t, .y = exact, .marks = true } };
    return code < 0 ? code : tn_figure_draw(findings, &(tn_figure){
        .name = "vlasenko-figure-6", .published = "Fig. 6, the velocity of the left piston over a second; the paper gives no dimensions.",
         .title = "Velocity of the left piston, dimensions of our own", .x = "t, s", .y = "v, m/s",
        .series = series, .series_count = 2 });
}

static int run_steam_machine(tn_findings *findings, tn_context *context)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = open_example(&session, &model, context, "steam-machine", steam_text);
    if (code >= 0)
        code = count(findings, session, "steam machine, driven", 93, 78, 0);
    if (code >= 0)
        code = follow_piston(findings, session);
    if (code >= 0)
        code = tn_session_apply(NULL, session, "{ remove: machine.steam }");
    if (code >= 0) {
        const tn_model *left = tn_session_model(session);
        tn_compare_with(findings, NULL);
        tn_found(findings, "steam machine: bodies", 13, (double)tn_model_count(left, TN_KIND_BODY), 0,
                 TN_AGREE_ABSOLUTE);
        tn_found(findings, "steam machine: links", 19, (double)tn_model_count(left, TN_KIND_JOINT), 0,
                 TN_AGREE_ABSOLUTE);
        code = count(findings, session, "steam machine", 92, 77, 1);
    }
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

/* ---- car ---- */

static int follow_chassis(tn_findings *findings, tn_session *session)
{
    static const double heights[][2] = {
        { 2.5, 0.55 },        { 2.6, 0.548757357 }, { 2.7, 0.543133008 }, { 2.8, 0.537054814 }, { 2.9, 0.534276523 },
        { 3.0, 0.535194448 }, { 3.5, 0.538765211 }, { 4.0, 0.539088650 }, { 5.0, 0.538746624 },
    };
    enum { POINTS = 100, COMPARED = sizeof heights / sizeof heights[0] };
    char what[60];
    double t[POINTS], z[POINTS] = { 0 };
    int code = TN_OK;
    tn_compare_with(findings, "an independent program; the dimensions of the model are ours");
    for (int k = 0, n = 0; k < POINTS && code >= 0; k++) {
        code = tn_session_advance(session, 0.05 * (k + 1) - tn_session_time(session));
        if (code >= 0)
            code = tn_session_value(&z[k], session, "car.chassis.position.z");
        t[k] = tn_session_time(session);
        if (n == COMPARED || fabs(t[k] - heights[n][0]) > 1e-6)
            continue;
        snprintf(what, sizeof what, "car: height at %.1f s, m", heights[n][0]);
        tn_found(findings, what, heights[n++][1], z[k], 1e-7, TN_AGREE_ABSOLUTE);
    }
    tn_compare_with(findings, NULL);
    tn_found(findings, "car: drift", 1e-10, tn_session_summary(session).max_drift, 1e-10, TN_AGREE_AT_MOST);
    const tn_series series = { .name = "car", .count = POINTS, .x = t, .y = z };
    return code < 0 ? code : tn_figure_draw(findings, &(tn_figure){
        .name = "vlasenko-figure-8", .published = "Fig. 8, the height of the car's body; the passenger's weight comes at 2.5 s (Eq. 86).",
         .title = "Height of the chassis, dimensions of our own", .x = "t, s", .y = "z, m",
        .series = &series, .series_count = 1 });
}

/* How far the chassis has come down when all is at rest again. */
static int settle(tn_findings *findings, tn_session *session)
{
    tn_equilibrium *found = NULL;
    double z = 0;
    int code = tn_session_statics(&found, session, NULL);
    if (code >= 0)
        code = tn_session_value(&z, session, "car.chassis.position.z");
    if (code >= 0)
        tn_compare_with(findings, "an independent program; the dimensions of the model are ours");
    if (code >= 0)
        tn_found(findings, "car: static drop, m", 0.011243790, 0.55 - z, 1e-8, TN_AGREE_ABSOLUTE);
    tn_equilibrium_destroy(tn_session_context(session), found);
    return code;
}

/* ---- how full the matrices of the car's highest level are ---- */

enum { MOST_BORDER = 20, MOST_TOP_JOINTS = 16, MOST_ENTRIES = 9000 };
/* Coordinates of a body: velocities in A (Eq. 15), positions with a quaternion in H (Eq. 79). */
enum { VELOCITIES = 6, POSITIONS = 7 };

typedef struct top_level {
    tn_id border[MOST_BORDER];                 /* bodies at joints of the level */
    char part[MOST_BORDER][64];                /* the subsystem of each, or the body itself */
    size_t bodies, joints, rows;
    int joint_rows[MOST_TOP_JOINTS];
    size_t ends[MOST_TOP_JOINTS][2];           /* into border */
} top_level;

/* Number of dots in a path: how deep it is. */
static int depth(const char *path)
{
    int dots = 0;
    for (; *path; path++)
        dots += *path == '.';
    return dots;
}

static bool same_body(tn_id a, tn_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

static size_t border_of(top_level *top, const tn_model *model, tn_id body)
{
    size_t k = 0;
    while (k < top->bodies && !same_body(top->border[k], body))
        k++;
    if (k < top->bodies || k == MOST_BORDER)
        return k;
    const char *name = tn_model_entity_name(model, body);
    top->border[k] = body;
    snprintf(top->part[k], sizeof top->part[k], "%.63s", name);
    if (depth(name) > 1)                       /* within a subsystem of the car: the first two parts of its path */
        *strchr(strchr(top->part[k], '.') + 1, '.') = '\0';
    top->bodies++;
    return k;
}

static int find_top_level(top_level *top, tn_session *session, const tn_model *model)
{
    for (size_t k = 0; k < tn_model_count(model, TN_KIND_JOINT); k++) {
        tn_row rows[12];
        tn_id joint = tn_model_at(model, TN_KIND_JOINT, k);
        tn_end ends[2];
        if (depth(tn_model_entity_name(model, joint)) != 1 || top->joints == MOST_TOP_JOINTS)
            continue;
        int count = tn_session_rows(rows, 12, session, joint), code = tn_model_ends(ends, model, joint);
        if (count < 0 || code < 0)
            return count < 0 ? count : code;
        for (int e = 0; e < 2; e++)
            top->ends[top->joints][e] = border_of(top, model, ends[e].body);
        top->joint_rows[top->joints++] = count;
        top->rows += (size_t)count;
    }
    return TN_OK;
}

/* Entries of a matrix with a row for each equation and columns for the border bodies. wide: a joint touches all border
 * bodies of a subsystem that it is on, as U' couples them (Eq. 79); otherwise the two bodies. */
static size_t fill(const top_level *top, bool wide, int width, double x[MOST_ENTRIES], double y[MOST_ENTRIES])
{
    size_t count = 0, row = 0;
    for (size_t j = 0; j < top->joints; row += (size_t)top->joint_rows[j++])
        for (size_t b = 0; b < top->bodies; b++) {
            bool touched = b == top->ends[j][0] || b == top->ends[j][1];
            for (int e = 0; wide && e < 2; e++)
                touched = touched || strcmp(top->part[b], top->part[top->ends[j][e]]) == 0;
            for (int i = 0; touched && i < top->joint_rows[j] * width && count < MOST_ENTRIES; i++, count++) {
                x[count] = (double)(b * (size_t)width + (size_t)(i % width));
                y[count] = (double)(row + (size_t)(i / width));
            }
        }
    return count;
}

static int compare_density(tn_findings *findings, const top_level *top, const char *name, bool wide, int width, double published)
{
    static double x[MOST_ENTRIES], y[MOST_ENTRIES];
    char what[60], file[40], title[80], said[120];
    size_t entries = fill(top, wide, width, x, y);
    double share = 100.0 * (double)entries / (double)(top->rows * top->bodies * (size_t)width);
    snprintf(what, sizeof what, "car: density of %s, %%", name);
    tn_found(findings, what, published, share, 0.02, TN_AGREE_RELATIVE);
    snprintf(file, sizeof file, "vlasenko-density-%s", name);
    snprintf(title, sizeof title, "Car, highest level: entries of %s", name);
    snprintf(said, sizeof said, "no figure: the density of %s is printed as %g %%.", name, published);
    const tn_series series = { .name = name, .count = entries, .x = x, .y = y, .dots = true };
    return tn_figure_draw(findings, &(tn_figure){ .name = file, .title = title, .x = "columns, by bodies", .y = "equations",
                                                  .published = said, .square = true, .downwards = true, .series = &series,
                                                  .series_count = 1 });
}

static int compare_densities(tn_findings *findings, tn_session *session, const tn_model *model)
{
    top_level top = { .bodies = 0 };
    int code = find_top_level(&top, session, model);
    if (code < 0)
        return code;
    tn_compare_with(findings, NULL);
    tn_found(findings, "car: joints of the highest level", 12, (double)top.joints, 0, TN_AGREE_ABSOLUTE);
    tn_found(findings, "car: bodies that they connect", 13, (double)top.bodies, 0, TN_AGREE_ABSOLUTE);
    code = compare_density(findings, &top, "A", false, VELOCITIES, 15.6);
    return code < 0 ? code : compare_density(findings, &top, "H", true, POSITIONS, 20.4);
}

static int run_car(tn_findings *findings, tn_context *context)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = open_example(&session, &model, context, "car", car_text);
    if (code >= 0) {
        tn_compare_with(findings, NULL);
        tn_found(findings, "car: bodies", 17, (double)tn_model_count(model, TN_KIND_BODY), 0, TN_AGREE_ABSOLUTE);
        tn_found(findings, "car: joints", 20, (double)tn_model_count(model, TN_KIND_JOINT), 0, TN_AGREE_ABSOLUTE);
        code = count(findings, session, "car", 94, 88, 14);
    }
    if (code >= 0)
        code = compare_densities(findings, session, model);
    if (code >= 0)
        code = follow_chassis(findings, session);
    if (code >= 0)
        code = settle(findings, session);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static int run_vlasenko_assemblies(tn_findings *findings, tn_context *context)
{
    int code = run_steam_machine(findings, context);
    return code < 0 ? code : run_car(findings, context);
}

const tn_reproduction tn_reproduction_vlasenko_assemblies = {
    .name = "vlasenko-assemblies",
    .source = "Vlasenko, Kasper 2007 (DETC2007/VIB-35065): three-cylinder steam machine and car, as nested subsystems",
    .reading = "  The paper gives the numbers of bodies and joints, the speed of the shaft, the force of the\n"
               "  passenger (Eq. 86, here downwards on a seat) and a drift of 1e-10; dimensions and masses are our\n"
               "  own (examples/steam-machine, examples/car). Equations and ranks are those of the singular values,\n"
               "  the piston's velocity is its closed form, the heights are those of an independent program with\n"
               "  dense matrices (RK4, 5 ms). How densities are counted is not said: here by blocks, of a joint's rows\n"
               "  with its two bodies (A), and with all bodies at the border of their subsystems (H).",
    .run = run_vlasenko_assemblies,
};
