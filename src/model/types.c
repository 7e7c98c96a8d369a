/* Types of joints and forces: the built-in ones and the model's own. */
#include "check.h"
#include "tenon/sys/device.h"
#include "diag.h"
#include "tables.h"

#include <string.h>

const tn_joint_form *tn_joint_form_of(const tn_model *model, const tn_joint_type *type)
{
    return model->dimension == 2 ? &type->planar : &type->spatial;
}

bool tn_joint_type_exists(const tn_model *model, const tn_joint_type *type)
{
    const tn_joint_form *form = tn_joint_form_of(model, type);
    return form->equations[0] || form->velocity_equations[0] || form->coordinates[0].name;
}

int tn_joint_coordinate_count(const tn_joint_form *form)
{
    int count = 0;
    while (count < TN_MAX_COORDINATES && form->coordinates[count].name)
        count++;
    return count;
}

int tn_joint_coordinate_find(const tn_joint_form *form, const char *name)
{
    int count = tn_joint_coordinate_count(form);
    for (int k = 0; k < count; k++)
        if (!name || strcmp(form->coordinates[k].name, name) == 0)
            return k;
    return -1;
}

static const tn_joint_type *built_in(const char *name)
{
    for (const tn_joint_type *const *type = tn_joint_types; *type; type++)
        if (strcmp((*type)->name, name) == 0)
            return *type;
    return NULL;
}

const tn_joint_type *tn_model_joint_type(const tn_model *model, const char *name)
{
    for (size_t i = 0; i < model->own_type_count; i++)
        if (strcmp(model->own_types[i]->name, name) == 0)
            return model->own_types[i];
    return built_in(name);
}

const tn_force_type *tn_model_force_type(const char *name)
{
    for (const tn_force_type *const *type = tn_force_types; *type; type++)
        if (strcmp((*type)->name, name) == 0)
            return *type;
    return NULL;
}

size_t tn_force_parameter_count(const tn_force_type *type)
{
    size_t count = 0;
    while (count < TN_FORCE_PARAMETERS && type->parameters[count].name)
        count++;
    return count;
}

bool tn_force_parameter_listed(const tn_force_type *type, size_t index)
{
    return type->device && type->device->from_lists && !type->parameters[index].doc[0];
}

int tn_own_text(tn_arena *arena, const char **text)
{
    if (!*text)
        return TN_OK;
    *text = tn_arena_strdup(arena, *text);
    return *text ? TN_OK : TN_ERROR_MEMORY;
}

static int own_form(tn_arena *arena, tn_joint_form *form)
{
    for (size_t i = 0; i < TN_JOINT_EQUATIONS; i++) {
        TN_TRY(tn_own_text(arena, &form->equations[i]));
        TN_TRY(tn_own_text(arena, &form->velocity_equations[i]));
    }
    for (size_t i = 0; i < TN_MAX_COORDINATES; i++) {
        TN_TRY(tn_own_text(arena, &form->coordinates[i].name));
        TN_TRY(tn_own_text(arena, &form->coordinates[i].unit));
        TN_TRY(tn_own_text(arena, &form->coordinates[i].expression));
    }
    return TN_OK;
}

static int own_texts(tn_arena *arena, tn_joint_type *type)
{
    TN_TRY(tn_own_text(arena, &type->name));
    TN_TRY(tn_own_text(arena, &type->doc));
    TN_TRY(tn_own_text(arena, &type->axis2));
    TN_TRY(tn_own_text(arena, &type->glyph));
    TN_TRY(own_form(arena, &type->planar));
    TN_TRY(own_form(arena, &type->spatial));
    for (size_t i = 0; i < TN_JOINT_PARAMETERS; i++) {
        TN_TRY(tn_own_text(arena, &type->parameters[i].name));
        TN_TRY(tn_own_text(arena, &type->parameters[i].unit));
        TN_TRY(tn_own_text(arena, &type->parameters[i].doc));
        TN_TRY(tn_own_text(arena, &type->parameters[i].as_built));
    }
    return TN_OK;
}

const tn_joint_type *tn_joint_type_copy(tn_arena *arena, const tn_joint_type *type)
{
    tn_joint_type *copy = tn_arena_alloc(arena, 1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *type;
    return own_texts(arena, copy) < 0 ? NULL : copy;
}

/* coupling: of a type that couples joints. */
static bool is_language(const char *name, bool coupling)
{
    static const char *const words[] = { "M", "N", "d", "x1", "y1", "z1", "x2", "y2", "z2", "w1", "w2", "t", "pi" };
    for (size_t i = 0; i < TN_LENGTH(words); i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    bool coordinate = name[0] == 'q' && name[1] >= '1' && name[1] <= '9' && name[2] == '\0';
    return coupling && (coordinate || strcmp(name, "sum") == 0);
}

static void check_parameters(tn_check *check, const tn_joint_type *type)
{
    const tn_parameter_decl *parameters = type->parameters;
    for (size_t i = 0; i < TN_JOINT_PARAMETERS && parameters[i].name; i++) {
        if (is_language(parameters[i].name, type->joints != 0))
            tn_complain(check, "parameter '%s' has the name of a symbol of the equations: choose another",
                        parameters[i].name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(parameters[i].name, parameters[k].name) == 0)
                tn_complain(check, "parameter '%s' is declared twice", parameters[i].name);
    }
}

static int check_type(const tn_model *model, const tn_joint_type *type, tn_span span)
{
    tn_check check = { model, model->context, span, "joint type", type->name, TN_OK };
    if (tn_check_spelling(&check) && tn_model_joint_type(model, type->name))
        tn_complain(&check, "%s: choose another name",
                    built_in(type->name) ? "this is a built-in type" : "the type is defined already");
    if (!type->planar.equations[0] && !type->planar.velocity_equations[0] && !type->spatial.equations[0] &&
        !type->spatial.velocity_equations[0] && !type->planar.coordinates[0].name && !type->spatial.coordinates[0].name)
        tn_complain(&check, "there are neither equations nor coordinates: give at least one");
    check_parameters(&check, type);
    return check.code;
}

int tn_model_add_joint_type_at(tn_model *model, const tn_joint_type *type, tn_span span)
{
    TN_TRY(check_type(model, type, span));
    const tn_joint_type *copy = tn_joint_type_copy(model->arena, type);
    if (!copy)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_grow(model->context, &model->own_types, &model->own_type_capacity, model->own_type_count + 1,
                   sizeof *model->own_types));
    model->own_types[model->own_type_count++] = copy;
    return TN_OK;
}

int tn_model_add_joint_type(tn_model *model, const tn_joint_type *type)
{
    return tn_model_add_joint_type_at(model, type, TN_NOWHERE);
}

bool tn_joint_uses_speed(const tn_joint_form *form)
{
    for (int k = 0; k < TN_JOINT_EQUATIONS && form->velocity_equations[k]; k++)
        if (strstr(form->velocity_equations[k], "speed"))
            return true;
    return false;
}

bool tn_force_along_angle(const tn_model *model, const tn_force *force)
{
    if (force->type->place != TN_PLACE_JOINT)
        return false;
    const tn_joint_form *form = tn_joint_form_of(model, model->joints[force->joint].type);
    return strcmp(form->coordinates[force->coordinate].unit, "rad") == 0;
}

const char *tn_unit_for(const char *unit, bool angle, char *buffer, size_t size)
{
    const char *bar = unit ? strchr(unit, '|') : NULL;
    if (!bar)
        return unit;
    if (angle)
        return bar + 1;
    snprintf(buffer, size, "%.*s", (int)(bar - unit), unit);
    return buffer;
}
