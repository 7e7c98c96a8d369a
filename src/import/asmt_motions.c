/* Motions of Ondsel assemblies, and their functions of time. */
#include "asmt_reader.h"

#include "entities.h"
#include "mem.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

typedef struct asmt_scan {
    asmt_reader *reader;
    const char *at;
    asmt_marker *i, *j;
    tn_text out;
    tn_span place;
    char *why;
} asmt_scan;

static const char *position(asmt_reader *r, asmt_marker *m)
{
    if (m->frame < 0)
        m->frame = tn_machine_add_frame(r->machine, m->body, "force_point", &m->pose);
    return tn_machine_text(r->machine, TN_FRAME_MARK ".position", m->body, m->frame);
}

/* Blanks, marks of line ends ("<n>") and comments in quotation marks. */
static void skip(asmt_scan *s)
{
    for (;;) {
        if (isspace((unsigned char)*s->at))
            s->at++;
        else if (strncmp(s->at, "<n>", 3) == 0)
            s->at += 3;
        else if (*s->at == '"' && strchr(s->at + 1, '"'))
            s->at = strchr(s->at + 1, '"') + 1;
        else
            return;
    }
}

static bool number(asmt_scan *s, double *out)
{
    char *end;
    skip(s);
    *out = strtod(s->at, &end);
    if (end == s->at || !isfinite(*out))
        return false;
    s->at = end + ((*end == 'd' || *end == 'D') && !isalnum((unsigned char)end[1]) ? 1 : 0);
    return true;
}

/* spline(time, degree, x0, y0, x1, y1, ...): a table of the model. */
static bool spline(asmt_scan *s)
{
    tn_machine *machine = s->reader->machine;
    tn_text points;
    char *list = NULL;
    double x, y, before = -INFINITY, degree = 3;
    int count = 0;
    skip(s);
    bool good = *s->at == '(' && (s->at++, skip(s), strncmp(s->at, "time", 4) == 0);
    s->at += good ? 4 : 0;
    skip(s);
    good = good && *s->at == ',' && (s->at++, number(s, &degree));
    tn_text_begin(&points, machine->context);
    for (skip(s); good && *s->at == ','; skip(s)) {
        s->at++;
        good = number(s, &x) && (skip(s), *s->at == ',') && (s->at++, number(s, &y)) && x > before;
        if (!good)
            break;
        tn_text_add(&points, "%s[%.17g, %.17g]", count++ > 0 ? ", " : "", x, y);
        before = x;
    }
    good = good && *s->at == ')' && count > 1;
    s->at += good ? 1 : 0;
    if (tn_text_take(&points, &list) < 0)
        machine->status = TN_ERROR_MEMORY;
    else if (good) {
        int id = ++s->reader->table_count;
        machine->sections = tn_machine_text(machine, "%s  spline_%d: { outside: extend, points: [%s] }\n",
                                            machine->sections ? machine->sections : "tables:\n", id, list);
        tn_text_add(&s->out, "spline_%d(t / (1 s))", id);
        if (degree != 3)       /* a polygon has corners, where a motion would need infinite forces */
            tn_machine_note_add(machine, TN_WARNING, s->place, "a spline of degree %g is a cubic spline through its points here",
                                degree);
    }
    tn_free(machine->context, list);
    return good;
}

static bool word(asmt_scan *s)
{
    static const struct { const char *name, *ours; } same[] = {
        { "sin", "sin" }, { "cos", "cos" }, { "tan", "tan" }, { "abs", "abs" }, { "exp", "exp" }, { "sqrt", "sqrt" },
        { "ln", "log" }, { "log10", "log10" }, { "sign", "sign" }, { "arctan", "atan" }, { "arcsin", "asin" },
        { "arccos", "acos" }, { "asin", "asin" }, { "acos", "acos" }, { "atan", "atan" }, { "arctan2", "atan2" },
        { "atan2", "atan2" }, { "pi", "pi" }, { "time", "(t / (1 s))" },
    };
    size_t n = 0;
    while (isalnum((unsigned char)s->at[n]) || s->at[n] == '_')
        n++;
    const char *name = s->at;
    s->at += n;
    for (size_t k = 0; k < TN_LENGTH(same); k++)
        if (strlen(same[k].name) == n && strncmp(name, same[k].name, n) == 0) {
            tn_text_add(&s->out, "%s", same[k].ours);
            return true;
        }
    bool distance = n == 3 && strncmp(name, "rIJ", 3) == 0, speed = n == 4 && strncmp(name, "vrIJ", 4) == 0;
    if ((distance || speed) && s->i && strncmp(s->at, "(self)", 6) == 0) {
        const char *line = tn_machine_text(s->reader->machine, "norm(%s - %s)", position(s->reader, s->j),
                                           position(s->reader, s->i));
        s->at += 6;
        tn_text_add(&s->out, distance ? "(%s / (1 m))" : "(vel(%s) / (1 m/s))", line);
        return true;
    }
    if (n == 6 && strncmp(name, "spline", 6) == 0 && spline(s))
        return true;
    snprintf(s->why, 160, "'%.*s' in its function has no counterpart", n < 60 ? (int)n : 60, name);
    return false;
}

const char *tn_asmt_expression(asmt_reader *r, const asmt_node *node, asmt_marker *i, asmt_marker *j, char why[160])
{
    asmt_scan s = { .reader = r, .at = node->text, .i = i, .j = j, .place = tn_asmt_place(r, node), .why = why };
    bool good = true;
    char *out = NULL;
    tn_text_begin(&s.out, r->machine->context);
    for (skip(&s); *s.at && good; skip(&s)) {
        double value;
        if (isdigit((unsigned char)*s.at) || (*s.at == '.' && isdigit((unsigned char)s.at[1]))) {
            good = number(&s, &value);
            tn_text_add(&s.out, "%.17g", value);
        } else if (isalpha((unsigned char)*s.at)) {
            good = word(&s);
        } else if (strchr("+-*/^(),", *s.at)) {
            tn_text_add(&s.out, *s.at == '(' || *s.at == ')' || *s.at == '^' ? "%c" : " %c ", *s.at);
            s.at++;
        } else {
            good = false;
            snprintf(why, 160, "its function is not understood at '%.40s'", s.at);
        }
    }
    const char *copy = NULL;
    if (tn_text_take(&s.out, &out) < 0)
        r->machine->status = TN_ERROR_MEMORY;
    else if (good)
        copy = tn_arena_strdup(r->machine->arena, out[0] ? out : "0");
    tn_free(r->machine->context, out);
    return copy;
}

/* ---- motions ---- */

static void add_drive(asmt_reader *r, const asmt_node *e, const char *name, int joint, const char *coordinate, bool turning,
                      double sign, const char *law)
{
    tn_machine_load *drive = tn_machine_add_load(r->machine, name, NULL, tn_asmt_place(r, e));
    drive->source = e->text;
    drive->joint = joint;
    drive->coordinate = coordinate;
    tn_load_value(r->machine, drive, turning ? "angle" : "position", "\"%g %s * (%s)\"", sign, turning ? "rad" : "m", law);
}

static int add_free(asmt_reader *r, const asmt_node *e, const char *name, const asmt_marker *i, const asmt_marker *j)
{
    int index = tn_machine_add_joint(r->machine, name, "free", i->body, j->body, tn_asmt_place(r, e));
    if (tn_machine_status(r->machine) < 0)
        return -1;
    r->machine->joints[index].source = e->text;
    r->machine->joints[index].frame1 = i->pose;
    r->machine->joints[index].frame2 = j->pose;
    return index;
}

/* How the three turns of a motion are turns of a free joint. */
typedef struct asmt_turns {
    bool reversed;             /* of I seen from J */
    const char *coordinates[3];
    double sign;
} asmt_turns;

/* Turns about x, y, z of the moving frame in this order, backwards, are yaw, pitch, roll of the other body; about z, y, x they
 * are these themselves, and so is a single turn in any order. */
static bool name_turns(asmt_turns *out, const double order[3], const char *const laws[3])
{
    static const char *const names[4] = { "", "roll", "pitch", "yaw" };
    int turning = 0;
    for (int k = 0; k < 3; k++)
        turning += strcmp(laws[k], "0") != 0;
    bool forward = order[0] == 3 && order[1] == 2 && order[2] == 1, permutation = order[0] + order[1] + order[2] == 6 &&
                   order[0] * order[1] * order[2] == 6;
    bool backward = order[0] == 1 && order[1] == 2 && order[2] == 3;
    if (!permutation || !(forward || backward || turning < 2))
        return false;
    *out = (asmt_turns){ .reversed = backward, .sign = backward ? -1 : 1 };
    for (int k = 0; k < 3; k++)
        out->coordinates[k] = names[(int)order[k]];
    return true;
}

/* A pose as function of time: a free joint whose six coordinates are driven. */
static void read_general(asmt_reader *r, const asmt_node *e, const char *name)
{
    static const char *const keys[6] = { "rIJI1", "rIJI2", "rIJI3", "angIJJ1", "angIJJ2", "angIJJ3" };
    static const char *const places[3] = { "x", "y", "z" };
    const char *laws[6];
    char why[160] = "its turns are in an order that has no counterpart";
    double order[3] = { 1, 2, 3 };
    asmt_turns turns;
    const asmt_node *given = tn_asmt_child(e, "RotationOrder");
    const asmt_marker *i = tn_asmt_marker(r, e, "MarkerI"), *j = tn_asmt_marker(r, e, "MarkerJ");
    bool good = i && j;
    if (given && given->first)
        tn_source_numbers(r->machine, order, 3, given->first->text, "RotationOrder", tn_asmt_place(r, given));
    for (int k = 0; k < 6 && good; k++) {
        const asmt_node *law = tn_asmt_child(e, keys[k]);
        laws[k] = law && law->first ? tn_asmt_expression(r, law->first, NULL, NULL, why) : "0";
        good = laws[k] != NULL;
    }
    if (!good || !name_turns(&turns, order, laws + 3)) {
        tn_machine_note_add(r->machine, TN_WARNING, tn_asmt_place(r, e), "motion '%s' (%s) is left out: %s", name, e->text, why);
        return;
    }
    int place = add_free(r, e, name, i, j), turn = place;
    if (place >= 0 && turns.reversed)
        turn = add_free(r, e, tn_machine_text(r->machine, "%s_turns", name), j, i);
    for (int k = 0; k < 6 && turn >= 0; k++)
        add_drive(r, e, tn_machine_text(r->machine, "%s_%s", name, k < 3 ? places[k] : turns.coordinates[k - 3]),
                  k < 3 ? place : turn, k < 3 ? places[k] : turns.coordinates[k - 3], k >= 3, k < 3 ? 1 : turns.sign, laws[k]);
}

void tn_asmt_motion(asmt_reader *r, const asmt_node *e)
{
    bool turning = strcmp(e->text, "RotationalMotion") == 0;
    char why[160] = "its kind has no counterpart";
    const char *name = tn_asmt_value(e, "Name"), *path = tn_asmt_value(e, "MotionJoint"), *coordinate = NULL;
    const asmt_node *law = tn_asmt_child(e, turning ? "RotationZ" : "TranslationZ");
    name = name ? name : "motion";
    if (strcmp(e->text, "GeneralMotion") == 0) {
        read_general(r, e, name);
        return;
    }
    if (strcmp(e->text, "AllowRotation") == 0) {
        tn_machine_leave_out(r->machine, tn_asmt_place(r, e), "AllowRotation (it holds an angle while the file is assembled)");
        return;
    }
    int joint = tn_index_find(r->joints, path);
    const char *wanted = turning ? "angle" : "position";
    for (size_t k = 0; joint >= 0 && k < r->machine->joints[joint].coordinate_count; k++)
        if (strcmp(r->machine->joints[joint].coordinates[k].name, wanted) == 0)
            coordinate = wanted;
    if (law && !coordinate)
        snprintf(why, sizeof why, "joint '%.100s' has no %s", path ? path : "", wanted);
    const char *expression = law && law->first && coordinate ? tn_asmt_expression(r, law->first, NULL, NULL, why) : NULL;
    if (expression)
        add_drive(r, e, name, joint, coordinate, turning, 1, expression);
    else
        tn_machine_note_add(r->machine, TN_WARNING, tn_asmt_place(r, e), "motion '%s' (%s) is left out: %s", name, e->text, why);
}
