/* Reads the section device_types: devices given by their equations. */
#include <math.h>
#include <string.h>
#include "devices.h"
#include "reader.h"
#include "units.h"

/* Calls read for each entry of a map, with its place in a list of that size. */
typedef void (*entry_reader)(tn_reader *r, const tn_node *name, const tn_node *value, tn_force_type *type,
                             tn_device *device, unsigned k);

static void read_entries(tn_reader *r, const tn_node *map, const char *label, unsigned most, entry_reader read,
                         tn_force_type *type, tn_device *device)
{
    if (map == NULL || !tn_read_is_map(r, map, label))
        return;
    if (map->count > most) {
        tn_read_error(r, map->span, "at most %u %s", most, label);
        return;
    }
    for (unsigned k = 0; k < map->count; k++)
        read(r, map->as.items[2 * k], map->as.items[2 * k + 1], type, device, k);
}

/* A value under a key of an entry, or the entry itself where it is a text. */
static const char *text_of(tn_reader *r, const tn_node *value, const char *key)
{
    const tn_node *node = value->kind == TN_NODE_MAP ? tn_node_get(value, key) : value;
    return node != NULL ? tn_read_text(r, node, key) : NULL;
}

static const char *unit_of(tn_reader *r, const tn_node *name, const tn_node *value)
{
    const char *unit = text_of(r, value, "unit");
    double factor;
    tn_dim dim;
    if (unit == NULL || strcmp(unit, "*") == 0 || strcmp(unit, "number") == 0 || strcmp(unit, TN_UNIT_TABLE) == 0)
        return unit == NULL ? NULL : strcmp(unit, "number") == 0 ? "" : unit;
    if (tn_unit_parse(unit, strlen(unit), &factor, &dim) == 0 && factor == 1)
        return unit;
    tn_read_error(r, value->span, "'%.60s' must be an SI unit such as ohm, 'number', 'table', or '*' for any", name->as.text);
    return NULL;
}

static void refuse_other_keys(tn_reader *r, const tn_node *value, const char *const *keys)
{
    for (unsigned i = 0; value->kind == TN_NODE_MAP && i < value->count; i++) {
        size_t k = 0;
        while (keys[k] != NULL && strcmp(keys[k], value->as.items[2 * i]->as.text) != 0)
            k++;
        if (keys[k] == NULL)
            tn_read_error(r, value->as.items[2 * i]->span, "unknown key '%.60s'", value->as.items[2 * i]->as.text);
    }
}

/* ---- entries ---- */

static void read_port(tn_reader *r, const tn_node *name, const tn_node *value, tn_force_type *type, tn_device *d, unsigned k)
{
    static const char *const keys[] = { "domain", "optional", "doc", NULL };
    static const tn_key optional = { .name = "optional" };
    const char *domain = text_of(r, value, "domain");
    (void)type;
    refuse_other_keys(r, value, keys);
    d->ports[k] = (tn_device_port){ .name = name->as.text, .domain = domain, .doc = "" };
    if (value->kind == TN_NODE_MAP)
        d->ports[k].optional = tn_read_switch(r, tn_node_get(value, "optional"), &optional, false);
    if (domain != NULL && tn_domain_find(domain) == NULL && !tn_port_mechanical(&d->ports[k]))
        tn_read_error(r, value->span, "there is no domain '%.60s': electrical, hydraulic, pneumatic, thermal, rotary or "
                      "translational", domain);
    else if (domain == NULL)
        tn_read_error(r, value->span, "port '%.60s' needs a domain", name->as.text);
}

static void read_parameter(tn_reader *r, const tn_node *name, const tn_node *value, tn_force_type *type, tn_device *d,
                           unsigned k)
{
    static const char *const keys[] = { "unit", "default", "doc", NULL };
    const char *unit = unit_of(r, name, value);
    (void)d;
    refuse_other_keys(r, value, keys);
    type->parameters[k] = (tn_parameter_decl){ .name = name->as.text, .unit = unit != NULL ? unit : "*", .doc = "",
                                               .initial = NAN };
    if (value->kind == TN_NODE_MAP && tn_node_get(value, "default") != NULL)
        type->parameters[k].as_built = tn_read_text(r, tn_node_get(value, "default"), "default");
}

static void read_unknown(tn_reader *r, const tn_node *name, const tn_node *value, tn_force_type *type, tn_device *d,
                         unsigned k)
{
    static const char *const keys[] = { "unit", "guess", "nominal", NULL };
    (void)type;
    refuse_other_keys(r, value, keys);
    d->unknowns[k] = (tn_unknown_decl){ .name = name->as.text, .unit = unit_of(r, name, value) };
    if (value->kind == TN_NODE_MAP) {
        d->unknowns[k].guess = text_of(r, value, "guess");
        tn_read_quantity(r, tn_node_get(value, "nominal"), "nominal", "*", TN_POSITIVE, &d->unknowns[k].nominal);
    }
}

static void read_state(tn_reader *r, const tn_node *name, const tn_node *value, tn_force_type *type, tn_device *d, unsigned k)
{
    static const char *const keys[] = { "unit", "start", "rate", NULL };
    (void)d;
    if (!tn_read_is_map(r, value, name->as.text))
        return;
    refuse_other_keys(r, value, keys);
    const char *start = text_of(r, value, "start"), *rate = text_of(r, value, "rate");
    const tn_node *unit = tn_node_get(value, "unit");
    if (rate == NULL)
        tn_read_error(r, value->span, "state '%.60s' needs a 'rate'", name->as.text);
    type->states[k] = (tn_state_decl){ name->as.text, unit != NULL ? unit_of(r, name, value) : NULL,
                                       start != NULL ? start : "0", rate };
}

static void read_channel(tn_reader *r, const tn_node *name, const tn_node *value, tn_force_type *type, tn_device *d,
                         unsigned k)
{
    (void)d;
    type->channels[k] = (tn_channel_decl){ name->as.text, NULL, tn_read_text(r, value, name->as.text) };
    if (type->channels[k].expression == NULL)
        type->channels[k].expression = "0";
}

static void read_memory(tn_reader *r, const tn_node *name, const tn_node *value, tn_force_type *type, tn_device *d,
                        unsigned k)
{
    static const char *const keys[] = { "unit", "start", "next", NULL };
    (void)type;
    if (!tn_read_is_map(r, value, name->as.text))
        return;
    refuse_other_keys(r, value, keys);
    const char *start = text_of(r, value, "start");
    const tn_node *unit = tn_node_get(value, "unit");
    d->memories[k] = (tn_memory_decl){ name->as.text, unit != NULL ? unit_of(r, name, value) : NULL,
                                       start != NULL ? start : "0", text_of(r, value, "next") };
}

/* PORT: expression of the first quantity, or { QUANTITY: expression, ... } */
static void read_sums(tn_reader *r, const tn_node *map, const char *label, tn_device *d, tn_flow_decl *out, unsigned most,
                      bool through)
{
    unsigned count = 0;
    if (map == NULL || !tn_read_is_map(r, map, label))
        return;
    for (unsigned i = 0; i < map->count; i++) {
        const tn_node *port = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        const tn_domain *domain = NULL;
        for (int k = 0; k < TN_DEVICE_PORTS && d->ports[k].name; k++)
            if (strcmp(d->ports[k].name, port->as.text) == 0)
                domain = d->ports[k].domain ? tn_domain_find(d->ports[k].domain) : NULL;
        if (domain == NULL) {
            tn_read_error(r, port->span, "'%s': there is no port '%.60s' that meets a node", label, port->as.text);
            continue;
        }
        unsigned terms = value->kind == TN_NODE_MAP ? value->count : 1;
        for (unsigned k = 0; k < terms && count < most; k++) {
            const char *name = value->kind == TN_NODE_MAP ? value->as.items[2 * k]->as.text
                               : through ? domain->through[0].name : domain->sums[0].name;
            const char *text = tn_read_text(r, value->kind == TN_NODE_MAP ? value->as.items[2 * k + 1] : value, name);
            if (text != NULL)
                out[count++] = (tn_flow_decl){ port->as.text, name, text };
        }
    }
}

static void read_efforts(tn_reader *r, const tn_node *map, tn_force_type *type, const tn_device *d)
{
    if (map == NULL || !tn_read_is_map(r, map, "effort"))
        return;
    for (unsigned i = 0; i < map->count; i++) {
        const tn_node *port = map->as.items[2 * i];
        int effort = 0, found = -1;
        for (int k = 0; k < TN_DEVICE_PORTS && d->ports[k].name; k++) {
            bool mechanical = d->ports[k].domain && tn_port_mechanical(&d->ports[k]);
            if (mechanical && strcmp(d->ports[k].name, port->as.text) == 0)
                found = effort;
            effort += mechanical;
        }
        if (found < 0 || found >= TN_FORCE_EFFORTS)
            tn_read_error(r, port->span, "'effort': there is no rotary or translational port '%.60s'", port->as.text);
        else
            type->effort[found] = tn_read_text(r, map->as.items[2 * i + 1], port->as.text);
    }
}

static void read_equation_list(tn_reader *r, const tn_node *node, const char **out, unsigned most, const char *label)
{
    size_t count;
    const tn_node *const *items = tn_read_list(r, &node, label, &count);
    if (count > most) {
        tn_read_error(r, node->span, "at most %u %s", most, label);
        return;
    }
    for (size_t k = 0; k < count; k++)
        out[k] = tn_read_text(r, items[k], label);
}

static bool names_mode(const tn_device *d, const char *name)
{
    for (int k = 0; name && k < TN_DEVICE_MODES && d->modes[k]; k++)
        if (strcmp(d->modes[k], name) == 0)
            return true;
    return false;
}

static void read_switches(tn_reader *r, const tn_node *node, tn_device *d)
{
    static const char *const keys[] = { "from", "to", "when", NULL };
    if (node == NULL)
        return;
    if (node->kind != TN_NODE_LIST || node->count > TN_DEVICE_SWITCHES) {
        tn_read_error(r, node->span, "'switches' must be a list of at most %d maps: { from: ..., to: ..., when: ... }",
                      TN_DEVICE_SWITCHES);
        return;
    }
    for (unsigned k = 0; k < node->count; k++) {
        const tn_node *item = node->as.items[k];
        if (!tn_read_is_map(r, item, "switches"))
            continue;
        refuse_other_keys(r, item, keys);
        d->switches[k] = (tn_switch_decl){ text_of(r, item, "from"), text_of(r, item, "to"), text_of(r, item, "when") };
        if (!names_mode(d, d->switches[k].from) || !names_mode(d, d->switches[k].to) || !d->switches[k].when)
            tn_read_error(r, item->span, "a switch needs 'from' and 'to', which are modes of the type, and 'when'");
    }
}

static void read_requirements(tn_reader *r, const tn_node *map, tn_force_type *type)
{
    if (map == NULL || !tn_read_is_map(r, map, "requirements"))
        return;
    for (unsigned k = 0; k < map->count && k < TN_FORCE_REQUIREMENTS; k++) {
        type->requirements[k].condition = map->as.items[2 * k]->as.text;
        type->requirements[k].message = tn_read_text(r, map->as.items[2 * k + 1], "requirements");
    }
}

void tn_read_own_device_type(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_device_type, values, NULL, 0, NULL))
        return;
    tn_force_type *type = tn_arena_alloc(r->arena, 1, sizeof *type);
    tn_device *d = tn_arena_alloc(r->arena, 1, sizeof *d);
    if (type == NULL || d == NULL) {
        tn_read_ok(r, TN_ERROR_MEMORY);
        return;
    }
    const char *doc = tn_read_text(r, values[OWN_DEVICE_DOC], "doc");
    *type = (tn_force_type){ .name = r->name, .doc = doc != NULL ? doc : "", .place = TN_PLACE_NONE, .device = d };
    *d = (tn_device){ .family = "own" };
    read_entries(r, values[OWN_DEVICE_PORTS], "ports", TN_DEVICE_PORTS, read_port, type, d);
    read_entries(r, values[OWN_DEVICE_PARAMETERS], "parameters", TN_FORCE_PARAMETERS - 1, read_parameter, type, d);
    read_entries(r, values[OWN_DEVICE_UNKNOWNS], "unknowns", TN_DEVICE_UNKNOWNS, read_unknown, type, d);
    read_entries(r, values[OWN_DEVICE_STATES], "states", TN_FORCE_STATES, read_state, type, d);
    read_entries(r, values[OWN_DEVICE_CHANNELS], "channels", TN_FORCE_CHANNELS, read_channel, type, d);
    read_entries(r, values[OWN_DEVICE_MEMORIES], "memories", TN_DEVICE_MEMORIES, read_memory, type, d);
    read_equation_list(r, values[OWN_DEVICE_EQUATIONS], d->equations, TN_DEVICE_UNKNOWNS, "equations");
    read_equation_list(r, values[OWN_DEVICE_MODES], d->modes, TN_DEVICE_MODES, "modes");
    read_sums(r, values[OWN_DEVICE_FLOWS], "flows", d, d->flows, TN_DEVICE_FLOWS, true);
    read_sums(r, values[OWN_DEVICE_STORES], "stores", d, d->stores, TN_DEVICE_STORES, false);
    read_efforts(r, values[OWN_DEVICE_EFFORT], type, d);
    read_switches(r, values[OWN_DEVICE_SWITCHES], d);
    read_requirements(r, values[OWN_DEVICE_REQUIREMENTS], type);
    d->period = tn_read_text(r, values[OWN_DEVICE_PERIOD], "period");
    d->offset = tn_read_text(r, values[OWN_DEVICE_OFFSET], "offset");
    d->start_mode = tn_read_text(r, values[OWN_DEVICE_START_MODE], "start_mode");
    d->stored = tn_read_text(r, values[OWN_DEVICE_STORED], "stored");
    d->loss = tn_read_text(r, values[OWN_DEVICE_LOSS], "loss");
    d->supplied = tn_read_text(r, values[OWN_DEVICE_SUPPLIED], "supplied");
    if (r->errors == before)
        tn_read_ok(r, tn_model_add_device_type_at(r->model, type, name->span));
}
