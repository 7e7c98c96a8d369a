/* Reads coefficients of tyres from .tir files. */
#include "tir.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diag.h"
#include "elementary.h"
#include "file.h"

enum { LINE_SIZE = 400, KEY_SIZE = 60 };

/* Keys whose names differ from those of parameters. */
static const struct { const char *key, *parameter; } names[] = {
    { "unloaded_radius", "radius" }, { "vertical_stiffness", "stiffness" }, { "vertical_damping", "damping" },
    { "qsy1", "rolling_resistance" },
};
/* Scales of parameters; those of camber have none here and count as such if they are not 1. LMUX, LMUY, LKX and LKY are parameters. */
enum { SCALED = 4 };
static const struct { const char *key, *parameters[SCALED]; } scales[] = {
    { "lfzo", { "fnomin" } }, { "lcx", { "pcx1" } }, { "lex", { "pex1", "pex2", "pex3" } }, { "lhx", { "phx1", "phx2" } },
    { "lvx", { "pvx1", "pvx2" } }, { "lcy", { "pcy1" } }, { "ley", { "pey1", "pey2" } }, { "lhy", { "phy1", "phy2" } },
    { "lvy", { "pvy1", "pvy2" } }, { "ltr", { "qdz1", "qdz2" } }, { "lres", { "qdz6", "qdz7" } }, { "lxal", { "rbx1" } },
    { "lyka", { "rby1" } }, { "lvyka", { "rvy1", "rvy2", "rvy3" } }, { "ls", { "ssz1", "ssz2", "ssz3", "ssz4" } },
    { "lgax", { NULL } }, { "lgay", { NULL } }, { "lgaz", { NULL } },
};
/* Units that the file may state: others are refused. */
static const struct { const char *key, *word; } units[] = {
    { "length", "meter" }, { "force", "newton" }, { "angle", "radian" }, { "mass", "kg" }, { "time", "sec" },
};

typedef struct tir {
    tn_context *context;
    tn_arena *arena;
    const tn_force_type *type;
    tn_force_draft *draft;
    const char *path;
    int line, taken;
    size_t given;                  /* settings of the model, which come first */
    double radius, ptx1, pty1, pty2;
    double scale[TN_LENGTH(scales)];
    bool later;                    /* it has coefficients of later versions */
} tir;

static tn_span place(const tir *t)
{
    return (tn_span){ t->path, t->line, 1 };
}

/* Splits a line at its equals sign; key in lower case. False: there is none. */
static bool split_line(char *line, char key[KEY_SIZE], char **value)
{
    line[strcspn(line, "$!")] = '\0';
    char *equals = strchr(line, '=');
    size_t n = 0;
    if (!equals)
        return false;
    for (const char *c = line; c < equals && n + 1 < KEY_SIZE; c++)
        if (!isspace((unsigned char)*c))
            key[n++] = (char)tolower((unsigned char)*c);
    key[n] = '\0';
    *value = equals + 1 + strspn(equals + 1, " \t'\"");
    return n > 0;
}

static bool is_given(const tir *t, const char *parameter)
{
    for (size_t k = 0; k < t->given; k++)
        if (strcmp(t->draft->settings[k].name, parameter) == 0)
            return true;
    for (size_t k = 0; k < t->draft->def.expression_count; k++)
        if (strcmp(t->draft->expressions[k].name, parameter) == 0)
            return true;
    return false;
}

static void put_parameter(tir *t, const char *parameter, double value)
{
    for (size_t k = t->given; k < t->draft->def.setting_count; k++)
        if (strcmp(t->draft->settings[k].name, parameter) == 0) {
            t->draft->settings[k].value = value;
            return;
        }
    if (!is_given(t, parameter) && t->draft->def.setting_count < TN_MAX_SETTINGS)
        tn_force_draft_set(t->draft, parameter, value);
}

static int check_unit(const tir *t, const char *key, const char *value)
{
    for (size_t k = 0; k < TN_LENGTH(units); k++) {
        const size_t n = strlen(units[k].word);
        bool same = true;
        for (size_t i = 0; i < n; i++)
            same = same && tolower((unsigned char)value[i]) == units[k].word[i];
        if (strcmp(key, units[k].key) == 0 && !same)
            return tn_fail(t->context, TN_ERROR_MODEL, place(t), "the unit of '%s' must be '%s' (SI), not '%.20s", key,
                           units[k].word, value);
    }
    return TN_OK;
}

static int take_number(tir *t, const char *key, const char *value)
{
    char *end;
    const double number = strtod(value, &end);
    const char *parameter = key;
    for (size_t k = 0; k < TN_LENGTH(names); k++)
        if (strcmp(key, names[k].key) == 0)
            parameter = names[k].parameter;
    t->ptx1 = strcmp(key, "ptx1") == 0 ? number : t->ptx1;
    t->pty1 = strcmp(key, "pty1") == 0 ? number : t->pty1;
    t->pty2 = strcmp(key, "pty2") == 0 ? number : t->pty2;
    for (size_t k = 0; k < TN_LENGTH(scales); k++)
        t->scale[k] = strcmp(key, scales[k].key) != 0 ? t->scale[k] : end == value ? NAN : number;
    t->later = t->later || strcmp(key, "ppx1") == 0 || strcmp(key, "pky4") == 0;
    for (int k = 0; k < TN_FORCE_PARAMETERS && t->type->parameters[k].name; k++) {
        if (strcmp(t->type->parameters[k].name, parameter) != 0)
            continue;
        if (end == value || !isfinite(number))
            return tn_fail(t->context, TN_ERROR_MODEL, place(t), "'%s' must be a number, not '%.20s'", key, value);
        t->radius = strcmp(parameter, "radius") == 0 ? number : t->radius;
        put_parameter(t, t->type->parameters[k].name, number);
        t->taken++;
    }
    return TN_OK;
}

/* Multiplies what the file gives; what the model gives stays. */
static int apply_scales(const tir *t)
{
    for (size_t k = 0; k < TN_LENGTH(scales); k++) {
        if (!isfinite(t->scale[k]) || (t->scale[k] != 1 && !scales[k].parameters[0]))
            return tn_fail(t->context, TN_ERROR_MODEL, (tn_span){ t->path, 1, 1 }, "the scale '%s' must be %s", scales[k].key,
                           scales[k].parameters[0] ? "a number" : "1: camber has no scale here");
        for (int i = 0; i < SCALED && scales[k].parameters[i]; i++)
            for (size_t j = t->given; j < t->draft->def.setting_count; j++)
                if (strcmp(t->draft->settings[j].name, scales[k].parameters[i]) == 0)
                    t->draft->settings[j].value *= t->scale[k];
    }
    return TN_OK;
}

/* Relaxation lengths of the nominal load. */
static void put_relaxation(tir *t)
{
    if (t->ptx1 > 0)
        put_parameter(t, "relaxation_x", t->ptx1 * t->radius);
    if (t->pty1 > 0 && t->pty2 > 0)
        put_parameter(t, "relaxation_y", t->pty1 * tn_sin(2 * tn_atan(1 / t->pty2)) * t->radius);
}

static int read_lines(tir *t, const char *text)
{
    char line[LINE_SIZE], key[KEY_SIZE], *value, section[KEY_SIZE] = "";
    while (*text) {
        size_t n = strcspn(text, "\n"), used = n < LINE_SIZE - 1 ? n : LINE_SIZE - 1;
        memcpy(line, text, used);
        line[used] = '\0';
        t->line++;
        if (line[strspn(line, " \t")] == '[') {
            size_t length = strcspn(strchr(line, '[') + 1, "]");
            snprintf(section, sizeof section, "%.*s", (int)(length < KEY_SIZE ? length : KEY_SIZE - 1), strchr(line, '[') + 1);
        } else if (split_line(line, key, &value)) {
            TN_TRY(strcmp(section, "UNITS") == 0 ? check_unit(t, key, value) : take_number(t, key, value));
        }
        text += n + (text[n] == '\n');
    }
    return TN_OK;
}

int tn_tir_read(tn_force_draft *draft, tn_context *context, tn_arena *arena, const tn_force_type *type, const char *path,
                tn_span where)
{
    char *text;
    size_t size;
    tir t = { .context = context, .arena = arena, .type = type, .draft = draft, .path = tn_arena_strdup(arena, path),
              .given = draft->def.setting_count };
    if (!t.path)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < TN_LENGTH(scales); k++)
        t.scale[k] = 1;
    TN_TRY(tn_file_read(&text, &size, context, path, where, "tir", TN_FILE_LIMIT));
    int code = read_lines(&t, text);
    tn_free(context, text);
    TN_TRY(code);
    if (t.taken == 0)
        return tn_fail(context, TN_ERROR_MODEL, where, "'%.100s' has no coefficient that type '%s' knows", path, type->name);
    TN_TRY(apply_scales(&t));
    put_relaxation(&t);
    if (t.later)
        return tn_warn(context, where, "'%.100s' has coefficients of a later Magic Formula: those that 5.2 does not have are left "
                       "out", path);
    return TN_OK;
}
