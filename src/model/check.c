/* Checks that all definitions share: names, finite values, poses, ids, settings. */
#include "check.h"

#include "devices.h"
#include "diag.h"
#include "tables.h"
#include "vec.h"

#include <stdarg.h>
#include <string.h>

/* The codes are ordered: memory before stale before model. */
void tn_check_note(tn_check *check, int code)
{
    if (code != TN_OK && (check->code == TN_OK || code > check->code))
        check->code = code;
}

void tn_check_fail(tn_check *check, int code, const char *format, ...)
{
    char message[480];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    tn_check_note(check, code);
    tn_fail(check->context, code, check->span, "%s '%.180s': %s", check->what, check->name ? check->name : "", message);
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static const char *subsystem_candidate(void *user, size_t index)
{
    const tn_model *model = user;
    return index < model->subsystem_count ? model->subsystems[index].entity.name : NULL;
}

/* The part of a name before its last point. */
static bool is_subsystem(tn_check *check, const char *name, size_t length)
{
    char owner[TN_PATH_SIZE] = "", hint[160];
    if (length < sizeof owner)
        snprintf(owner, sizeof owner, "%.*s", (int)length, name);
    if (tn_model_find(check->model, owner).kind == TN_KIND_SUBSYSTEM)
        return true;
    if (tn_model_count(check->model, TN_KIND_SUBSYSTEM) == 0)
        tn_complain(check, "'.' is reserved for paths such as body.frame: use '_' or '-' in names");
    else
        tn_complain(check, "there is no subsystem '%.80s'%s", owner,
                    tn_did_you_mean(hint, sizeof hint, owner, subsystem_candidate, (void *)(uintptr_t)check->model));
    return false;
}

bool tn_check_spelling(tn_check *check)
{
    enum { MAX_NAME = 120, MAX_PATH = 180 };   /* keep messages and column titles readable */
    const char *name = check->name, *dot = name ? strrchr(name, '.') : NULL;
    if (dot && !is_subsystem(check, name, (size_t)(dot - name)))
        return false;
    if (dot && strlen(name) > MAX_PATH) {
        tn_complain(check, "the path is longer than %d characters", MAX_PATH);
        return false;
    }
    name = dot ? dot + 1 : name;
    if (!name || !*name) {
        tn_complain(check, "the name is empty: give every %s a name", check->what);
        return false;
    }
    if (strlen(name) > MAX_NAME) {
        tn_complain(check, "the name is longer than %d characters", MAX_NAME);
        return false;
    }
    for (const char *c = name; *c; c++)
        if (!is_name_character(*c)) {
            tn_complain(check, "use only letters, digits, '_' and '-' in names");
            return false;
        }
    return true;
}

static bool is_reserved(const char *name)
{
    static const char *const reserved[] = { "ground", "t", "energy", "momentum", "drift", "all" };
    for (size_t i = 0; i < TN_LENGTH(reserved); i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

void tn_check_name(tn_check *check)
{
    if (!tn_check_spelling(check))
        return;
    const char *dot = strrchr(check->name, '.');
    if (is_reserved(dot ? dot + 1 : check->name)) {
        tn_complain(check, "the name is reserved: choose another");
        return;
    }
    if (tn_model_event(check->model, check->name))
        tn_complain(check, "the name is already taken by an event: choose another");
    tn_id taken = tn_model_find(check->model, check->name);
    if (taken.kind == TN_KIND_NONE)
        return;
    tn_span span = tn_model_entity_span(check->model, taken);
    char where[32] = "";
    if (span.line > 0)
        snprintf(where, sizeof where, " (line %d)", span.line);
    const char *kind = taken.kind == TN_KIND_FORCE ? tn_force_word(&check->model->forces[taken.index]) : tn_kind_text(taken.kind);
    tn_complain(check, "the name is already taken by a %s%s: choose another", kind, where);
}

bool tn_check_finite(tn_check *check, const char *role, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            tn_complain(check, "%s must be finite, is %g", role, values[i]);
            return false;
        }
    return true;
}

void tn_check_pose(tn_check *check, const char *role, tn_pose *pose, int dimension)
{
    const double unit_tolerance = 1e-6;     /* deviation of a quaternion written with seven digits */
    const double tilt_tolerance = 1e-9;     /* round-off of a rotation about z that was computed */
    char what[80];
    snprintf(what, sizeof what, "position of %s", role);
    tn_check_finite(check, what, pose->p, 3);
    snprintf(what, sizeof what, "orientation of %s", role);
    if (!tn_check_finite(check, what, pose->q, 4))
        return;
    const double *q = pose->q;
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (length == 0) {
        tn_complain(check, "%s is zero: give a unit quaternion, or an axis that is not zero", what);
    } else if (fabs(length - 1) > unit_tolerance) {
        tn_complain(check, "%s has length %g: a quaternion of length 1 is needed", what, length);
    } else if (dimension == 2 && fabs(q[1]) + fabs(q[2]) > tilt_tolerance) {
        tn_complain(check, "%s leaves the plane: a planar model turns about z only", what);
    } else {
        tn_quat_normalize(pose->q);
    }
    if (dimension == 2)
        pose->p[2] = 0;
}

bool tn_check_id(tn_check *check, const char *role, tn_id id, tn_kind kind)
{
    if (id.kind == TN_KIND_NONE) {
        tn_complain(check, "%s is not set", role);
        return false;
    }
    if (!tn_model_entity(check->model, id)) {
        tn_check_fail(check, TN_ERROR_STALE, "%s is gone: it was removed, or belongs to another model", role);
        return false;
    }
    if (id.kind != kind) {
        tn_complain(check, "%s must be a %s, '%s' is a %s", role, tn_kind_text(kind),
                    tn_model_entity_name(check->model, id), tn_kind_text(id.kind));
        return false;
    }
    return true;
}

typedef struct declaration_list {
    const tn_parameter_decl *declared;
    size_t count;
} declaration_list;

static const char *parameter_candidate(void *user, size_t index)
{
    const declaration_list *list = user;
    return index < list->count ? list->declared[index].name : NULL;
}

/* Index of the declared parameter, or -1 after an error; a second value for a parameter is an error, too. */
static int find_parameter(tn_check *check, const char *type, declaration_list list, const char *name, bool *given)
{
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.declared[i].name, name) != 0)
            continue;
        if (given[i])
            tn_complain(check, "parameter '%s' is given twice", name);
        given[i] = true;
        return (int)i;
    }
    char hint[120];
    tn_complain(check, "%s has no parameter '%.80s'%s", type, name,
                tn_did_you_mean(hint, sizeof hint, name, parameter_candidate, &list));
    return -1;
}

static void take_setting(tn_check *check, const char *type, declaration_list list, const tn_setting *setting,
                         double *values, bool *given)
{
    int i = find_parameter(check, type, list, setting->name ? setting->name : "", given);
    if (i < 0)
        return;
    if (!isfinite(setting->value))
        tn_complain(check, "parameter '%s' must be finite, is %g", setting->name, setting->value);
    values[i] = setting->value;
}

const tn_expression *tn_expression_copy(tn_arena *arena, const tn_expression *expression)
{
    tn_expression *copy = tn_arena_alloc(arena, 1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *expression;
    copy->name = expression->name ? tn_arena_strdup(arena, expression->name) : NULL;
    copy->text = tn_arena_strdup(arena, expression->text);
    return copy->text && !copy->name == !expression->name ? copy : NULL;
}

bool tn_check_list(tn_check *check, const char *role, const void *items, size_t count)
{
    if (items || count == 0)
        return true;
    tn_check_fail(check, TN_ERROR_ARGUMENT, "'%s' is NULL, but its count is %zu", role, count);
    return false;
}

static void take_expression(tn_check *check, const char *type, declaration_list list, const tn_expression *expression,
                            double *values, const tn_expression **texts, bool *given)
{
    int i = find_parameter(check, type, list, expression->name ? expression->name : "", given);
    if (i < 0)
        return;
    values[i] = NAN;
    texts[i] = tn_expression_copy(check->model->arena, expression);
    if (!texts[i])
        tn_check_note(check, TN_ERROR_MEMORY);
}

void tn_check_settings(tn_check *check, const char *type, const tn_parameter_decl *declared, size_t max_declared,
                       const tn_setting *settings, size_t count, double *values, const tn_expression *expressions,
                       size_t expression_count, const tn_expression **texts)
{
    bool given[TN_MAX_SETTINGS] = { false };
    declaration_list list = { declared, 0 };
    while (list.count < max_declared && declared[list.count].name) {
        values[list.count] = declared[list.count].initial;
        list.count++;
    }
    if (count > TN_MAX_SETTINGS || expression_count > TN_MAX_EXPRESSIONS) {
        tn_complain(check, "more than %d parameters, or more than %d expressions", TN_MAX_SETTINGS, TN_MAX_EXPRESSIONS);
        return;
    }
    for (size_t i = 0; i < count; i++)
        take_setting(check, type, list, &settings[i], values, given);
    for (size_t i = 0; i < expression_count; i++)
        take_expression(check, type, list, &expressions[i], values, texts, given);
    for (size_t i = 0; i < list.count; i++) {
        const tn_parameter_decl *p = &declared[i];
        if (!given[i] && isnan(p->initial) && !p->as_built)
            tn_complain(check, "parameter '%s' of %s is missing%s%s", p->name, type, p->doc ? ": " : "",
                        p->doc ? p->doc : "");
    }
}

int tn_model_check_masses(const tn_model *model)
{
    int worst = TN_OK;
    for (uint32_t k = 1; k < model->body_count; k++) {
        const tn_body *body = &model->bodies[k];
        if (tn_body_active(model, k) && body->missing)
            worst = tn_fail(model->context, TN_ERROR_MODEL, body->entity.span, "body '%s': %s; only 'tenon kinematics' "
                            "needs none", body->entity.name, tn_missing_text(model, body));
    }
    return worst;
}
