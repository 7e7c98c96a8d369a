/* Reads the file of a component as the one subsystem of a model. */
#include "wrapper.h"

#include <math.h>
#include <string.h>
#include "decimal.h"
#include "diag.h"
#include "elementary.h"
#include "mem.h"
#include "vec.h"

/* The name of the subsystem in the model; no message shows it. */
#define NAME "component"

static void add_numbers(tn_text *text, const char *key, const double *numbers, int count)
{
    tn_text_add(text, "\"%s\": [", key);
    for (int k = 0; k < count; k++)
        tn_text_add(text, "%s%.17g", k > 0 ? ", " : "", numbers[k]);
    tn_text_add(text, "]");
}

static void add_pose(tn_text *text, const tn_component_setting *setting, int dimension)
{
    double R[3][3], q[4];
    tn_text_add(text, ", ");
    add_numbers(text, "at", setting->p, dimension);
    if (dimension == 2) {
        tn_text_add(text, ", \"angle\": %.17g", tn_atan2(setting->axes[0][1], setting->axes[0][0]));
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[i][k] = setting->axes[k][i];
    tn_quat_from_matrix(q, (const double (*)[3])R);
    tn_text_add(text, ", \"rotation\": {");
    add_numbers(text, "quaternion", q, 4);
    tn_text_add(text, "}");
}

static void write_wrapper(tn_text *text, const tn_wrapper *w)
{
    static const double no_gravity[3] = { 0 };
    tn_text_add(text, "{\"tenon\": 1, \"dimension\": %d, ", w->dimension);
    add_numbers(text, "gravity", w->setting ? w->setting->gravity : no_gravity, w->dimension);
    tn_text_add(text, ", \"subsystems\": {\"" NAME "\": {\"use\": ");
    tn_text_add_json(text, w->file);
    if (w->setting)
        add_pose(text, w->setting, w->dimension);
    for (int k = 0; k < w->parameter_count; k++)
        tn_text_add(text, "%s\"%s\": %.17g", k > 0 ? ", " : ", \"parameters\": {", w->parameters[k].name, w->values[k]);
    tn_text_add(text, w->parameter_count > 0 ? "}}}}" : "}}}");
}

int tn_wrapper_read(tn_model **out, tn_context *context, const tn_wrapper *wrapper)
{
    tn_text text;
    char *whole = NULL;
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    tn_text_begin(&text, context);
    write_wrapper(&text, wrapper);
    int code = tn_text_take(&text, &whole);
    tn_decimal_end(&decimal);
    if (code >= 0)
        code = tn_model_read_text(out, context, whole, strlen(whole), NAME, wrapper->folder);
    tn_free(context, whole);
    return code;
}

const tn_subsystem *tn_wrapped(const tn_model *model)
{
    return &model->subsystems[tn_model_find(model, NAME).index];
}

static const char *add_port_name(tn_model *model, const char *port)
{
    const size_t size = sizeof NAME + 1 + strlen(port);
    char *name = tn_arena_alloc(model->arena, size, 1);
    if (name)
        snprintf(name, size, NAME ".%s", port);
    return name;
}

static bool carries_port(const tn_model *model, const char *const *names, int count, uint32_t body)
{
    for (int k = 0; k < count; k++) {
        const tn_id id = tn_model_find(model, names[k]);
        if (body == (id.kind == TN_KIND_FRAME ? model->frames[id.index].body : id.index))
            return true;
    }
    return false;
}

int tn_wrapped_ports(const char *const **out, int *count, tn_model *model)
{
    const tn_subsystem *subsystem = tn_wrapped(model);
    const char **names = tn_arena_alloc(model->arena, subsystem->port_count + 2 * model->limit_count, sizeof *names);
    *count = 0;
    for (size_t k = 0; names && k < subsystem->port_count; k++)
        if (!(names[(*count)++] = add_port_name(model, subsystem->ports[k].name)))
            return TN_ERROR_MEMORY;
    for (size_t k = 0; names && k < model->limit_count; k++) {
        const tn_joint *joint = &model->joints[model->limits[k].joint];
        const uint32_t bodies[] = { joint->body1, joint->body2 };
        for (int side = 0; side < 2; side++)
            if (bodies[side] != 0 && !carries_port(model, names, *count, bodies[side]))
                names[(*count)++] = model->bodies[bodies[side]].entity.name;
    }
    *out = names;
    return names ? TN_OK : TN_ERROR_MEMORY;
}
