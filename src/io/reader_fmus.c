/* Devices whose equations are in an FMU: "use: motor.fmu". */
#include <math.h>
#include <string.h>
#include "devices.h"
#include "file.h"
#include "fmi.h"
#include "reader.h"

/* s: a call of an FMU that takes longer has hung. */
static const double TIME_LIMIT = 10;

static const tn_parameter_decl period_decl[] = { { "period", "s", "between communication points", NAN, NULL },
                                                 { NULL, NULL, NULL, 0, NULL } };

/* The path of the file, if it may be read. */
static const char *find_fmu(tn_reader *r, const tn_node *use)
{
    const char *file = tn_read_text(r, use, "use");
    const char *path = file != NULL ? tn_path_join(r->arena, r->folder, file) : NULL;
    size_t length = file != NULL ? strlen(file) : 0;
    if (path == NULL) {
        if (file != NULL)
            tn_read_ok(r, TN_ERROR_MEMORY);
        return NULL;
    }
    if (length < 4 || strcmp(file + length - 4, ".fmu") != 0) {
        tn_read_error(r, use->span, "a device uses FMUs only: '%s' does not end in .fmu", file);
        return NULL;
    }
    if (tn_context_in_memory(r->context)) {
        tn_read_error(r, use->span, "'%s': a packed model cannot use FMUs", file);
        return NULL;
    }
    if (tn_context_refuses_libraries(r->context)) {
        tn_read_error(r, use->span, "'%s' has native code, which is refused here", file);
        return NULL;
    }
    if (!tn_context_may_read(r->context, path)) {
        tn_read_error(r, use->span, "'%s' is not there, or not in the folder that FMUs may be loaded from", path);
        return NULL;
    }
    return tn_read_note_file(r, path, use->span) ? path : NULL;
}

/* "outputs: { name: variable }" or "outputs: [variable]"; NULL: not given. */
static const tn_fmi_choice *read_outputs(tn_reader *r, const tn_node *node, size_t *count)
{
    *count = 0;
    if (node == NULL)
        return NULL;
    if (node->kind != TN_NODE_LIST && !tn_read_is_map(r, node, "outputs"))
        return NULL;
    tn_fmi_choice *list = tn_arena_alloc(r->arena, node->count, sizeof *list);
    if (list == NULL) {
        tn_read_ok(r, TN_ERROR_MEMORY);
        return NULL;
    }
    for (unsigned k = 0; k < node->count; k++) {
        const tn_node *value = node->kind == TN_NODE_LIST ? node->as.items[k] : node->as.items[2 * k + 1];
        const char *variable = tn_read_text(r, value, "outputs");
        const char *name = node->kind == TN_NODE_LIST ? variable : node->as.items[2 * k]->as.text;
        if (variable != NULL)
            list[(*count)++] = (tn_fmi_choice){ .variable = variable, .name = name, .span = value->span };
    }
    return list;
}

static const tn_fmi_choice *read_parameters(tn_reader *r, const tn_node *map, size_t *count)
{
    *count = 0;
    if (map == NULL || !tn_read_is_map(r, map, "parameters"))
        return NULL;
    tn_fmi_choice *list = tn_arena_alloc(r->arena, map->count, sizeof *list);
    if (list == NULL) {
        tn_read_ok(r, TN_ERROR_MEMORY);
        return NULL;
    }
    for (unsigned k = 0; k < map->count; k++) {
        const tn_node *name = map->as.items[2 * k], *value = map->as.items[2 * k + 1];
        tn_fmi_choice *choice = &list[*count];
        *choice = (tn_fmi_choice){ .variable = name->as.text, .span = name->span,
                                   .text = value->kind == TN_NODE_TEXT ? value->as.text : NULL };
        (*count)++;
    }
    return list;
}

/* The values of parameters, for the FMU to ask once it knows which are numbers. */
typedef struct parameter_values {
    tn_reader *reader;
    const tn_node *map;
} parameter_values;

static bool read_number(void *user, size_t parameter, const char *unit, double *value)
{
    const parameter_values *p = user;
    return tn_read_quantity(p->reader, p->map->as.items[2 * parameter + 1], p->map->as.items[2 * parameter]->as.text, unit, TN_ANY_SIGN,
                            value);
}

static tn_fmi *open_fmu(tn_reader *r, const char *path, const tn_node *const *values, const tn_node *period)
{
    char who[TN_PATH_SIZE + 16];
    snprintf(who, sizeof who, "device '%s'", r->name);
    tn_fmi_request request = { .path = path, .who = who, .span = values[DEVICE_USE]->span, .period = NAN, .limit = TIME_LIMIT };
    tn_fmi *fmi = NULL;
    request.wish = (tn_fmi_wish)(tn_read_choice(r, values[DEVICE_KIND], &tn_section_device.keys[DEVICE_KIND], -1) + 1);
    request.iterate = tn_read_choice(r, values[DEVICE_COUPLING], &tn_section_device.keys[DEVICE_COUPLING], 0) == 1;
    if (request.iterate && request.wish == TN_FMI_EXCHANGE)
        tn_read_error(r, values[DEVICE_COUPLING]->span, "'coupling' is for co-simulation: model exchange needs none");
    tn_read_quantity(r, period, "period", "s", TN_POSITIVE, &request.period);
    tn_read_quantity(r, values[DEVICE_LIMIT], "time_limit", "s", TN_POSITIVE, &request.limit);
    request.outputs = read_outputs(r, values[DEVICE_OUTPUTS], &request.output_count);
    request.parameters = read_parameters(r, values[DEVICE_PARAMETERS], &request.parameter_count);
    parameter_values given = { r, values[DEVICE_PARAMETERS] };
    request.number = read_number;
    request.user = &given;
    return tn_read_ok(r, tn_fmi_open(&fmi, r->context, &request)) ? fmi : NULL;
}

tn_fmi *tn_read_open_fmu(tn_reader *r, const tn_node *use, const tn_node *parameters, const tn_fmi_choice *outputs, size_t count)
{
    char who[TN_PATH_SIZE + 16];
    const char *path = find_fmu(r, use);
    const size_t before = r->errors;
    parameter_values given = { r, parameters };
    tn_fmi *fmi = NULL;
    if (path == NULL)
        return NULL;
    snprintf(who, sizeof who, "subsystem '%s'", r->name);
    tn_fmi_request request = { .path = path, .who = who, .span = use->span, .wish = TN_FMI_EXCHANGE, .period = NAN, .limit = TIME_LIMIT,
                               .outputs = outputs, .output_count = count, .number = read_number, .user = &given };
    request.parameters = read_parameters(r, parameters, &request.parameter_count);
    return r->errors == before && tn_read_ok(r, tn_fmi_open(&fmi, r->context, &request)) ? fmi : NULL;
}

/* A device type of its own: the inputs are its parameters. */
static const tn_force_type *make_type(tn_reader *r, tn_fmi *fmi, const char *path, const tn_node *use)
{
    const tn_fmi_facts *facts = tn_fmi_facts_of(fmi);
    tn_force_type *type = tn_arena_alloc(r->arena, 1, sizeof *type);
    tn_device *device = tn_arena_alloc(r->arena, 1, sizeof *device);
    size_t size = strlen(path) + 8;
    char *name = tn_arena_alloc(r->arena, size, 1);
    if (type == NULL || device == NULL || name == NULL) {
        tn_read_ok(r, TN_ERROR_MEMORY);
        return NULL;
    }
    if (facts->inputs >= TN_FORCE_PARAMETERS) {
        tn_read_error(r, use->span, "the FMU has %d inputs; at most %d are possible", facts->inputs, TN_FORCE_PARAMETERS - 1);
        return NULL;
    }
    snprintf(name, size, "%s.fmu", path);
    *device = (tn_device){ .family = "fmu", .external = fmi };
    *type = (tn_force_type){ .name = name, .doc = "Equations in an FMU.", .place = TN_PLACE_NONE, .device = device };
    for (int k = 0; k < facts->inputs; k++)
        type->parameters[k] = (tn_parameter_decl){ facts->input[k].name, facts->input[k].unit ? facts->input[k].unit : "*",
                                                   "input", facts->input[k].start, NULL };
    return type;
}

static const char *input_candidate(void *user, size_t index)
{
    const tn_force_type *type = user;
    return index < TN_FORCE_PARAMETERS ? type->parameters[index].name : NULL;
}

/* Number of an input; -1: none, with an error at the place of its name. */
static int find_input(tn_reader *r, const tn_force_type *type, const char *name, tn_span span)
{
    char hint[160];
    for (int k = 0; k < TN_FORCE_PARAMETERS && type->parameters[k].name != NULL; k++)
        if (strcmp(type->parameters[k].name, name) == 0)
            return k;
    tn_read_error(r, span, "the FMU has no input '%.60s'%s", name,
                  tn_did_you_mean(hint, sizeof hint, name, input_candidate, (void *)(uintptr_t)type));
    return -1;
}

/* "inputs: { u: expression }"; an input may also be a key of the device itself, as with parameters of other devices. */
static void read_inputs(tn_reader *r, const tn_force_type *type, const tn_node *map, const tn_node **given)
{
    if (map == NULL || !tn_read_is_map(r, map, "inputs"))
        return;
    for (unsigned i = 0; i < map->count; i++) {
        const tn_node *name = map->as.items[2 * i];
        int k = find_input(r, type, name->as.text, name->span);
        if (k >= 0 && given[k] == NULL)
            given[k] = map->as.items[2 * i + 1];
    }
}

/* ---- connections ---- */

/* The entries of section connect that lead to the device. */
static void read_connections(tn_reader *r, const tn_force_type *type, const char *device, const tn_node **given)
{
    const size_t length = strlen(device);
    for (size_t d = 0; d < r->document_count; d++) {
        const tn_node *list = r->documents[d].values[TOP_CONNECT];
        for (unsigned i = 0; list != NULL && list->kind == TN_NODE_LIST && i < list->count; i++) {
            const tn_node *from = tn_node_get(list->as.items[i], "from"), *to = tn_node_get(list->as.items[i], "to");
            if (from == NULL || to == NULL || to->kind != TN_NODE_TEXT || strncmp(to->as.text, device, length) != 0 ||
                to->as.text[length] != '.')
                continue;
            int k = find_input(r, type, to->as.text + length + 1, to->span);
            if (k >= 0 && given[k] != NULL)
                tn_read_error(r, to->span, "input '%.80s' is given twice", to->as.text);
            else if (k >= 0)
                given[k] = from;
        }
    }
}

/* Is there a device with 'use' of which a name of an input speaks? */
static bool leads_to_fmu(const tn_reader *r, const char *to)
{
    for (size_t d = 0; d < r->document_count; d++) {
        const tn_node *devices = r->documents[d].values[TOP_DEVICES];
        for (unsigned i = 0; devices != NULL && devices->kind == TN_NODE_MAP && i < devices->count; i++) {
            const char *name = devices->as.items[2 * i]->as.text;
            if (strncmp(to, name, strlen(name)) == 0 && to[strlen(name)] == '.' &&
                tn_node_get(devices->as.items[2 * i + 1], "use") != NULL)
                return true;
        }
    }
    return false;
}

void tn_read_connect(tn_reader *r, const tn_node *node)
{
    if (node == NULL)
        return;
    if (node->kind != TN_NODE_LIST) {
        tn_read_error(r, node->span, "'connect' must be a list of { from: expression, to: device.input }");
        return;
    }
    for (unsigned i = 0; i < node->count; i++) {
        const tn_node *values[TN_MAX_KEYS];
        if (!tn_read_keys(r, node->as.items[i], &tn_section_connection, values, NULL, 0, NULL))
            continue;
        const char *to = tn_read_text(r, values[CONNECTION_TO], "to");
        if (values[CONNECTION_FROM] == NULL || to == NULL)
            tn_read_error(r, node->as.items[i]->span, "a connection needs 'from' and 'to'");
        else if (!leads_to_fmu(r, to))
            tn_read_error(r, values[CONNECTION_TO]->span, "'%.80s' is not DEVICE.INPUT of a device with 'use'", to);
    }
}

static void put_device(tn_reader *r, const tn_node *name, const tn_force_type *type, const tn_node *const *values,
                       const tn_node *const *inputs)
{
    tn_force_draft draft;
    tn_force_draft_begin(&draft, type->name);
    size_t before = r->errors;
    draft.def.device = true;
    tn_read_force_values(r, type, false, inputs, &draft);
    bool enabled = tn_read_switch(r, values[DEVICE_ENABLED], &tn_section_device.keys[DEVICE_ENABLED], true);
    if (r->errors == before)
        tn_read_put_force(r, name, &draft.def, false, enabled);
}

void tn_read_fmu(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS], *use = tn_node_get(node, "use"), *inputs[TN_FORCE_PARAMETERS] = { NULL };
    const char *file = find_fmu(r, use), *path = file != NULL ? tn_read_path(r, name->as.text) : NULL;
    static const int others[] = { DEVICE_TYPE, DEVICE_AT, DEVICE_SHAFT, DEVICE_SLIDE, DEVICE_LINE };
    if (path == NULL)
        return;
    for (size_t k = 0; k < TN_LENGTH(others); k++) {
        const tn_node *other = tn_node_get(node, tn_section_device.keys[others[k]].name);
        if (other != NULL) {
            tn_read_error(r, other->span, "a device with 'use' takes no '%s'", tn_section_device.keys[others[k]].name);
            return;
        }
    }
    for (int k = 0; k < TN_MAX_KEYS; k++)
        values[k] = tn_section_device.keys[k].name != NULL ? tn_node_get(node, tn_section_device.keys[k].name) : NULL;
    tn_fmi *fmi = open_fmu(r, file, values, tn_node_get(node, period_decl[0].name));
    if (fmi == NULL)
        return;
    const tn_force_type *type = make_type(r, fmi, path, use);
    tn_parameter_decl known[TN_FORCE_PARAMETERS + 1];
    const tn_node *given[TN_FORCE_PARAMETERS + 1] = { NULL };
    if (type == NULL || !tn_read_ok(r, tn_model_add_fmu(r->model, type))) {
        tn_fmi_release(fmi);
        return;
    }
    known[0] = period_decl[0];
    memcpy(known + 1, type->parameters, sizeof type->parameters);
    if (tn_read_keys(r, node, &tn_section_device, values, known, TN_FORCE_PARAMETERS, given)) {
        memcpy(inputs, given + 1, (TN_FORCE_PARAMETERS - 1) * sizeof *inputs);
        read_inputs(r, type, values[DEVICE_INPUTS], inputs);
        read_connections(r, type, name->as.text, inputs);
        put_device(r, name, type, values, inputs);
    }
    tn_fmi_release(fmi);
}
