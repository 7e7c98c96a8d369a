/* Functions of Adams as expressions of Tenon. The result is a plain number in units of the file: lengths, times and speeds
 * are divided by their units where they come in, and the caller gives the result its unit. */
#include "adm_reader.h"

#include "diag.h"
#include "entities.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 40, MOST_ARGUMENTS = 32, LONGEST = 3500 };   /* Tenon's own bound is 4096 characters */

typedef struct adm_scan {
    adm_reader *reader;
    const char *at;
    char *why;                 /* 160 bytes */
    int depth;
    bool failed;
} adm_scan;

static const char *fail(adm_scan *s, const char *format, const char *what)
{
    if (!s->failed)
        snprintf(s->why, 160, format, what);
    s->failed = true;
    return "0";
}

static const char *text_of(adm_scan *s, tn_text *text)
{
    char *out = NULL;
    if (tn_text_take(text, &out) < 0) {
        s->reader->machine->status = TN_ERROR_MEMORY;
        return "0";
    }
    const char *copy = strlen(out) < LONGEST ? tn_arena_strdup(s->reader->machine->arena, out) : NULL;
    tn_free(s->reader->machine->context, out);
    return copy ? copy : fail(s, "its function is too long%s", "");
}

static void skip(adm_scan *s)
{
    s->at += strspn(s->at, " \t\r\n");
}

static const char *sum(adm_scan *s);

/* An argument that may stand beside any operator: sums and products in brackets. */
static const char *argument(adm_scan *s)
{
    const char *text = sum(s);
    return strchr(text, ' ') ? tn_machine_text(s->reader->machine, "(%s)", text) : text;
}

/* "(a, b)" behind the name of a function; how many. */
static int arguments(adm_scan *s, const char **out)
{
    int count = 0;
    skip(s);
    if (*s->at != '(')
        return 0;
    do {
        s->at++;
        if (count == MOST_ARGUMENTS) {
            fail(s, "a function has too many arguments%s", "");
            return 0;
        }
        out[count++] = argument(s);
        skip(s);
    } while ((*s->at == ',' || *s->at == ':') && !s->failed);
    if (*s->at != ')')
        fail(s, "its function is not understood at '%.40s'", s->at);
    else
        s->at++;
    return count;
}

/* The position of a marker as an expression. */
static const char *position(adm_scan *s, const char *id)
{
    adm_reader *r = s->reader;
    adm_marker *m = tn_adm_marker_by_id(r, atoi(id));
    if (!m)
        return fail(s, "there is no marker %s", id);
    if (m->frame < 0)
        m->frame = tn_machine_add_frame(r->machine, m->body, tn_machine_text(r->machine, "marker_%d", m->id), &m->pose);
    return tn_machine_text(r->machine, TN_FRAME_MARK ".position", m->body, m->frame);
}

/* Distances, speeds and angles between markers: DM, VR, DX ... along ground, AZ and WZ of joints. */
static const char *measure(adm_scan *s, const char *name, const char **a, int count)
{
    adm_reader *r = s->reader;
    char kind = name[0], which = name[1];
    bool ground = count < 3;
    if (count == 3) {
        const adm_marker *k = tn_adm_marker_by_id(r, atoi(a[2]));
        ground = k && k->body == TN_GROUND && k->pose.q[0] * k->pose.q[0] > 1 - 1e-15;
    }
    const char *pi = count > 0 ? position(s, a[0]) : "0", *pj = count > 1 ? position(s, a[1]) : NULL;
    const char *d = pj ? tn_machine_text(r->machine, "(%s - %s)", pi, pj) : pi;
    if (s->failed)
        return "0";
    if (which == 'M' && kind == 'D')
        return tn_machine_text(r->machine, "(norm(%s) / (%.17g m))", d, r->length);
    if (which == 'M' && kind == 'V')
        return tn_machine_text(r->machine, "(norm(vel(%s)) / (%.17g m/s))", d, r->length / r->time);
    if (which == 'R' && kind == 'V')
        return tn_machine_text(r->machine, "(vel(norm(%s)) / (%.17g m/s))", d, r->length / r->time);
    bool angle = kind == 'A' || kind == 'W';
    bool along = which == 'Z' && (angle ? count >= 2 : count >= 3 && !ground);     /* not along an axis of ground */
    adm_coordinate c = along ? tn_adm_coordinate(r, atoi(a[0]), atoi(a[1]), angle) : (adm_coordinate){ -1, NULL, 1 };
    if (c.joint >= 0) {
        bool rate = kind == 'V' || kind == 'W';
        double unit = (angle ? 1 : r->length) / (rate ? r->time : 1);
        return tn_machine_text(r->machine, "(%d * " TN_JOINT_MARK ".%s%s / (%.17g %s))", c.sign > 0 ? 1 : -1, c.joint,
                               c.name, rate ? ".rate" : "", unit, angle ? (rate ? "rad/s" : "rad")
                               : rate ? "m/s" : "m");
    }
    if ((kind == 'D' || kind == 'V') && which >= 'X' && which <= 'Z' && ground)
        return tn_machine_text(r->machine, "(%s%s%s.%c / (%.17g %s))", kind == 'V' ? "vel(" : "", d, kind == 'V' ? ")" : "",
                               which - 'X' + 'x', r->length / (kind == 'V' ? r->time : 1), kind == 'V' ? "m/s" : "m");
    return fail(s, "%s of these markers has no counterpart", name);
}

/* h0 + (h1 - h0) u^2 (3 - 2 u), u = (x - x0)/(x1 - x0) kept in 0 ... 1 */
static const char *cubic_step(adm_scan *s, const char **a)
{
    const char *u = tn_machine_text(s->reader->machine, "clamp((%s - %s) / (%s - %s), 0, 1)", a[0], a[1], a[3], a[1]);
    tn_text text;
    tn_text_begin(&text, s->reader->machine->context);
    tn_text_add(&text, "(%s + (%s - %s) * %s^2 * (3 - 2 * %s))", a[2], a[4], a[2], u, u);
    return text_of(s, &text);
}

/* POLY(x, x0, a0, a1, ...), SHF(x, x0, a, w, phi, b) and HAVSIN(x, x0, h0, x1, h1) */
static const char *series(adm_scan *s, const char *name, const char **a, int count)
{
    tn_text text;
    tn_text_begin(&text, s->reader->machine->context);
    if (strcmp(name, "POLY") == 0) {
        tn_text_add(&text, "(%s", a[2]);
        for (int k = 3; k < count; k++)
            tn_text_add(&text, " + %s * (%s - %s)^%d", a[k], a[0], a[1], k - 2);
        tn_text_add(&text, ")");
    } else if (strcmp(name, "SHF") == 0) {
        tn_text_add(&text, "(%s * sin(%s * (%s - %s) - %s) + %s)", a[2], a[3], a[0], a[1], count > 4 ? a[4] : "0",
                    count > 5 ? a[5] : "0");
    } else {
        tn_text_add(&text, "(%s + (%s - %s) * (1 - cos(pi * clamp((%s - %s) / (%s - %s), 0, 1))) / 2)", a[2], a[4], a[2], a[0],
                    a[1], a[3], a[1]);
    }
    return text_of(s, &text);
}

static const char *call(adm_scan *s, const char *name, const char **a, int count)
{
    static const struct { const char *name, *ours; int least, most; } same[] = {
        { "SIN", "sin", 1, 1 }, { "COS", "cos", 1, 1 }, { "TAN", "tan", 1, 1 }, { "ASIN", "asin", 1, 1 }, { "ACOS", "acos", 1, 1 },
        { "ATAN", "atan", 1, 1 }, { "ATAN2", "atan2", 2, 2 }, { "SINH", "sinh", 1, 1 }, { "COSH", "cosh", 1, 1 },
        { "TANH", "tanh", 1, 1 }, { "SQRT", "sqrt", 1, 1 }, { "EXP", "exp", 1, 1 }, { "LOG", "log", 1, 1 },
        { "LOG10", "log10", 1, 1 }, { "ABS", "abs", 1, 1 }, { "MIN", "min", 2, 2 }, { "MAX", "max", 2, 2 },
        { "MOD", "mod", 2, 2 },
    };
    tn_machine *machine = s->reader->machine;
    for (size_t i = 0; i < TN_LENGTH(same); i++)
        if (strcmp(name, same[i].name) == 0 && count >= same[i].least && count <= same[i].most) {
            tn_text text;
            tn_text_begin(&text, machine->context);
            tn_text_add(&text, count == 2 ? "%s(%s, %s)" : "%s(%s)", same[i].ours, a[0], count == 2 ? a[1] : "");
            return text_of(s, &text);
        }
    if (strcmp(name, "STEP") == 0 && count == 5)
        return cubic_step(s, a);
    if (strcmp(name, "STEP5") == 0 && count == 5)
        return tn_machine_text(machine, "step(%s, %s, %s, %s, %s)", a[0], a[1], a[3], a[2], a[4]);
    if (strcmp(name, "SIGN") == 0 && count == 2)
        return tn_machine_text(machine, "(abs(%s) * if(%s < 0, -1, 1))", a[0], a[1]);
    if (strcmp(name, "IF") == 0 && count == 4)
        return tn_machine_text(machine, "if(%s < 0, %s, if(%s > 0, %s, %s))", a[0], a[1], a[0], a[3], a[2]);
    if ((strcmp(name, "POLY") == 0 && count >= 3) || (strcmp(name, "SHF") == 0 && count >= 4) ||
        (strcmp(name, "HAVSIN") == 0 && count == 5))
        return series(s, name, a, count);
    if (strlen(name) == 2 && strchr("DVAW", name[0]) && strchr("XYZMR", name[1]) && count >= 1 && count <= 4)
        return measure(s, name, a, count);
    const char *special = tn_adm_call(s->reader, name, a, count, s->why);
    s->failed |= !special;
    return special ? special : "0";
}

static const char *primary(adm_scan *s)
{
    tn_machine *machine = s->reader->machine;
    double value;
    const char *end;
    skip(s);
    if (++s->depth > DEEPEST)
        fail(s, "its function has too many brackets%s", "");
    const char *result = "0";
    if (s->failed) {
        result = "0";
    } else if (*s->at == '(') {
        s->at++;
        result = tn_machine_text(machine, "(%s)", sum(s));
        skip(s);
        if (*s->at != ')')
            fail(s, "its function is not understood at '%.40s'", s->at);
        else
            s->at++;
    } else if (isalpha((unsigned char)*s->at)) {
        char name[32] = "";
        const char *a[MOST_ARGUMENTS];
        size_t n = 0;
        while (isalnum((unsigned char)*s->at) || *s->at == '_') {
            if (n < sizeof name - 1)
                name[n++] = (char)toupper((unsigned char)*s->at);
            s->at++;
        }
        if (strcmp(name, "TIME") == 0)
            result = tn_machine_text(machine, "(t / (%.17g s))", s->reader->time);
        else if (strcmp(name, "PI") == 0)
            result = "pi";
        else if (strcmp(name, "DTOR") == 0)
            result = "0.017453292519943295";
        else if (strcmp(name, "RTOD") == 0)
            result = "57.29577951308232";
        else {
            int count = arguments(s, a);
            result = s->failed ? "0" : call(s, name, a, count);
        }
    } else if (*s->at != '-' && *s->at != '+' && (end = tn_adm_scan(s->at, &value)) != NULL) {
        s->at = end;
        result = tn_machine_text(machine, "%.17g", value);
    } else {
        fail(s, *s->at ? "its function is not understood at '%.40s'" : "its function ends too soon%s", s->at);
    }
    s->depth--;
    return strlen(result) < LONGEST ? result : fail(s, "its function is too long%s", "");
}

/* a ** b binds before the sign and to the right. */
static const char *power(adm_scan *s)
{
    skip(s);
    if (*s->at == '-' || *s->at == '+') {
        bool minus = *s->at++ == '-';
        if (++s->depth > DEEPEST)
            return fail(s, "its function has too many signs%s", "");
        const char *operand = power(s);
        s->depth--;
        return minus ? tn_machine_text(s->reader->machine, "(-%s)", operand) : operand;
    }
    const char *base = primary(s);
    skip(s);
    if (strncmp(s->at, "**", 2) != 0 && *s->at != '^')
        return base;
    s->at += *s->at == '^' ? 1 : 2;
    const char *exponent = power(s);
    return tn_machine_text(s->reader->machine, "%s^(%s)", base, exponent);
}

static const char *chain(adm_scan *s, const char *operators, const char *(*operand)(adm_scan *s))
{
    tn_text text;
    tn_text_begin(&text, s->reader->machine->context);
    tn_text_add(&text, "%s", operand(s));
    for (skip(s); *s->at && strchr(operators, *s->at) && strncmp(s->at, "**", 2) != 0 && !s->failed; skip(s)) {
        char sign = *s->at++;
        tn_text_add(&text, " %c %s", sign, operand(s));
    }
    return text_of(s, &text);
}

static const char *product(adm_scan *s)
{
    return chain(s, "*/", power);
}

static const char *sum(adm_scan *s)
{
    return chain(s, "+-", product);
}

const char *tn_adm_expression(adm_reader *r, const char *text, char why[160])
{
    adm_scan s = { .reader = r, .at = text, .why = why };
    const char *out = sum(&s);
    skip(&s);
    if (!s.failed && *s.at)
        fail(&s, "its function is not understood at '%.40s'", s.at);
    return s.failed ? NULL : out;
}
