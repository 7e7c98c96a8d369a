/* The descriptors of all force types, and the manual page that tells of them. */
#include "near.h"
#include "tenon/sys/force.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer expressions (the matrices of a mount) are told in words. */
enum { LONGEST_TOLD = 200, LIMIT = 1 << 17 };

/* The page with every run of spaces and line ends as one space. */
static char *read_manual(void)
{
    FILE *file = fopen(TENON_SOURCE_DIR "/docs/forces.md", "r");
    assert_non_null(file);
    char *text = calloc(LIMIT, 1);
    assert_non_null(text);
    size_t n = 0;
    for (int c; (c = fgetc(file)) != EOF && n + 1 < LIMIT;)
        if (!isspace(c) || (n > 0 && text[n - 1] != ' '))
            text[n++] = (char)(isspace(c) ? ' ' : c);
    fclose(file);
    return text;
}

/* The text must stand between the heading of its type and the next one. */
static void check_told(const char *section, const char *type, const char *before, const char *text, const char *after)
{
    char wanted[LONGEST_TOLD + 100];
    snprintf(wanted, sizeof wanted, "%s%s%s", before, text, after);
    const char *end = strstr(section + 1, " ### "), *found = strstr(section, wanted);
    if (!found || (end && found > end))
        fail_msg("docs/forces.md, section '%s' lacks '%s'", type, wanted);
}

/* Both cases of "A|B". */
static void check_cases(const char *section, const char *type, const char *name, const char *text)
{
    char before[100], length[LONGEST_TOLD];
    if (!text || strlen(text) >= LONGEST_TOLD)
        return;
    snprintf(before, sizeof before, " %.80s ", name);
    const char *bar = strchr(text, '|');
    if (bar)
        snprintf(length, sizeof length, "%.*s", (int)(bar - text), text);
    check_told(section, type, before, bar ? length : text, " ");
    if (bar)
        check_told(section, type, before, bar + 1, " ");
}

static void check_equations(const char *section, const tn_force_type *t)
{
    char name[80];
    for (int k = 0; k < TN_FORCE_EFFORTS && t->effort[k]; k++)
        check_told(section, t->name, " along ", t->place == TN_PLACE_JOINT ? "q" : t->along[k], " ");
    check_cases(section, t->name, "force", t->force);
    check_cases(section, t->name, "torque", t->torque);
    check_cases(section, t->name, "potential", t->potential);
    check_cases(section, t->name, "loss", t->loss);
    for (int k = 0; k < TN_FORCE_STATES && t->states[k].name; k++) {
        snprintf(name, sizeof name, "%s' =", t->states[k].name);
        check_cases(section, t->name, name, t->states[k].rate);
        check_told(section, t->name, "at the start `", t->states[k].start, "`");
    }
    for (int k = 0; k < TN_FORCE_CHANNELS && t->channels[k].name; k++) {
        snprintf(name, sizeof name, "%s =", t->channels[k].name);
        check_told(section, t->name, "`", t->channels[k].name, "`");
        check_cases(section, t->name, name, t->channels[k].expression);
    }
}

static void check_parameters(const char *section, const tn_force_type *t)
{
    for (int k = 0; k < TN_FORCE_PARAMETERS && t->parameters[k].name; k++) {
        char group[80];
        snprintf(group, sizeof group, "%s", t->parameters[k].name);
        group[strcspn(group, ".")] = '\0';
        check_told(section, t->name, "| `", group, "` |");
    }
}

static void test_manual_is_up_to_date(void **state)
{
    (void)state;
    char *manual = read_manual();
    for (int k = 0; tn_force_types[k]; k++) {
        const tn_force_type *type = tn_force_types[k];
        char heading[80];
        snprintf(heading, sizeof heading, " ### %s ", type->name);
        const char *section = strstr(manual, heading);
        if (!section)
            fail_msg("docs/forces.md lacks the force '%s'", type->name);
        check_told(section, type->name, " ", type->doc, " ");
        check_parameters(section, type);
        check_equations(section, type);
    }
    free(manual);
}

/* A name means one thing in a type's expressions, but for channels named like what they show ("length" of a spring:
 * the parameter is meant). */
static void test_names_are_clear(void **state)
{
    (void)state;
    static const char *const taken[] = { "M", "N", "d", "x1", "y1", "z1", "x2", "y2", "z2", "w1", "w2", "X", "Y", "Z",
                                         "t", "q", "q1", "q2", "q3", "q4", "q5", "q6", "reaction", "pi" };
    for (int k = 0; tn_force_types[k]; k++) {
        const tn_force_type *type = tn_force_types[k];
        for (size_t n = 0; n < sizeof taken / sizeof taken[0]; n++) {
            for (int i = 0; i < TN_FORCE_PARAMETERS && type->parameters[i].name; i++)
                assert_string_not_equal(type->parameters[i].name, taken[n]);
            for (int i = 0; i < TN_FORCE_STATES && type->states[i].name; i++)
                assert_string_not_equal(type->states[i].name, taken[n]);
            for (int i = 0; i < TN_FORCE_CHANNELS && type->channels[i].name; i++)
                assert_string_not_equal(type->channels[i].name, taken[n]);
        }
        for (int i = 0; i < TN_FORCE_STATES && type->states[i].name; i++)
            for (int j = 0; j < TN_FORCE_PARAMETERS && type->parameters[j].name; j++)
                assert_string_not_equal(type->states[i].name, type->parameters[j].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manual_is_up_to_date),
        cmocka_unit_test(test_names_are_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
