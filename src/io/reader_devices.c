/* Reads the sections devices, nodes and media. */
#include <math.h>
#include <string.h>
#include "check.h"
#include "devices.h"
#include "reader.h"

/* A type of the file that has mistakes of its own, which were reported there. */
static bool is_mistaken_type(const tn_reader *r, const char *name)
{
    for (const tn_mistaken *m = r->model->mistaken; m != NULL; m = m->next) {
        const char *last = strrchr(m->name, '.');
        if (strcmp(last != NULL ? last + 1 : m->name, name) == 0)
            return true;
    }
    return false;
}

static const tn_force_type *read_device_type(tn_reader *r, const tn_node *node)
{
    const tn_node *type = tn_read_type(node);
    const tn_force_type *found = type != NULL ? tn_model_device_type(r->model, r->name, type->as.text) : NULL;
    char hint[160];
    if (type == NULL)
        tn_read_error(r, node->span, "'type' is missing");
    else if (found == NULL && is_mistaken_type(r, type->as.text))
        tn_read_mistaken(r, r->name);
    else if (found == NULL)
        tn_read_error(r, type->span, "no device type '%.60s'%s", type->as.text,
                      tn_did_you_mean(hint, sizeof hint, type->as.text, tn_model_device_type_candidate, r->model));
    return found;
}

/* ---- ports ---- */

/* Names the parts of a text that grows in the reader's arena; false: out of memory, noted. */
static const char *join(tn_reader *r, const char *a, const char *b, const char *c, const char *d)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
    char *text = tn_arena_alloc(r->arena, size, 1);
    if (text == NULL)
        tn_read_ok(r, TN_ERROR_MEMORY);
    else
        snprintf(text, size, "%s%s%s%s", a, b, c, d);
    return text;
}

/* A coordinate, or a map of coordinates with factors, as an expression. */
static const char *coordinate_text(tn_reader *r, const tn_node *node, const char *label)
{
    const char *text = "";
    if (node->kind == TN_NODE_TEXT)
        return tn_read_text(r, node, label);
    if (!tn_read_is_map(r, node, label))
        return NULL;
    for (unsigned i = 0; i < node->count && text != NULL; i++) {
        const char *factor = tn_read_text(r, node->as.items[2 * i + 1], node->as.items[2 * i]->as.text);
        if (factor == NULL)
            return NULL;
        const char *term = join(r, text, i > 0 ? " + (" : "(", factor, ") * ");
        text = term != NULL ? join(r, term, node->as.items[2 * i]->as.text, "", "") : NULL;
    }
    if (text != NULL && text[0] == '\0')
        tn_read_error(r, node->span, "'%s' names no coordinate", label);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* The distance of two frames. */
static const char *line_text(tn_reader *r, const tn_node *node)
{
    if (node->kind != TN_NODE_LIST || node->count != 2 || node->as.items[0]->kind != TN_NODE_TEXT ||
        node->as.items[1]->kind != TN_NODE_TEXT) {
        tn_read_error(r, node->span, "'line' must be a list of two frames: [ground.eye, boom.eye]");
        return NULL;
    }
    const char *first = join(r, "norm(", node->as.items[1]->as.text, ".position - ", node->as.items[0]->as.text);
    return first != NULL ? join(r, first, ".position)", "", "") : NULL;
}

static void put_port(tn_reader *r, const char *port, const char *text, tn_span span, tn_force_draft *draft)
{
    for (size_t k = 0; k < draft->def.port_count; k++)
        if (strcmp(draft->ports[k].name, port) == 0) {
            tn_read_error(r, span, "port '%.60s' is connected twice", port);
            return;
        }
    if (draft->def.port_count == TN_MAX_PORTS)
        tn_read_error(r, span, "more than %d ports", TN_MAX_PORTS);
    else
        draft->ports[draft->def.port_count++] = (tn_expression){ port, text, span };
}

/* The mechanical port that a key of the file means: of that name, or the only one of the kind. */
static const char *mechanical_port(const tn_force_type *type, const char *key)
{
    const char *found = NULL;
    int count = tn_device_port_count(type);
    for (int k = 0; k < count; k++) {
        const tn_device_port *port = &type->device->ports[k];
        if (strcmp(port->name, key) == 0)
            return port->name;
        if (tn_port_mechanical(port) &&
            (strcmp(port->domain, TN_PORT_ROTARY) == 0) == (strcmp(key, "shaft") == 0))
            found = port->name;
    }
    return found;
}

static void read_mechanical(tn_reader *r, const tn_force_type *type, const tn_node *node, const char *key,
                            tn_force_draft *draft)
{
    const char *port = mechanical_port(type, key);
    char names[160];
    if (node == NULL)
        return;
    if (port == NULL) {
        tn_read_error(r, node->span, "type %s has no mechanical port for '%s'%s", type->name, key,
                      tn_device_port_names(names, sizeof names, type, true));
        return;
    }
    const char *text = strcmp(key, "line") == 0 ? line_text(r, node) : coordinate_text(r, node, key);
    if (text != NULL)
        put_port(r, port, text, node->kind == TN_NODE_TEXT ? tn_text_span(node) : node->span, draft);
}

static void read_ports(tn_reader *r, const tn_force_type *type, const tn_node *map, tn_force_draft *draft)
{
    char hint[160];
    if (map == NULL || !tn_read_is_map(r, map, "at"))
        return;
    for (unsigned i = 0; i < map->count; i++) {
        const tn_node *name = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        int port = tn_device_port_find(type, name->as.text);
        if (port < 0) {
            tn_read_error(r, name->span, "type %s has no port '%.60s'%s", type->name, name->as.text,
                          tn_device_port_names(hint, sizeof hint, type, false));
            continue;
        }
        const char *text = tn_port_mechanical(&type->device->ports[port]) ? coordinate_text(r, value, name->as.text)
                                                                          : tn_read_text(r, value, name->as.text);
        if (text != NULL)
            put_port(r, type->device->ports[port].name, text,
                     value->kind == TN_NODE_TEXT ? tn_text_span(value) : value->span, draft);
    }
}

/* What is said of the nodes of a device that is left out follows from its own mistakes. */
static void mistake_nodes(tn_reader *r, const tn_node *at)
{
    for (unsigned i = 0; at != NULL && at->kind == TN_NODE_MAP && i < at->count && r->stop == TN_OK; i++) {
        const tn_node *value = at->as.items[2 * i + 1];
        const char *path = value->kind == TN_NODE_TEXT ? tn_read_path(r, value->as.text) : NULL;
        if (path != NULL && strcmp(value->as.text, "ground") != 0)
            tn_read_mistaken(r, path);
    }
}

/* False: the device is left out. */
static bool read_device(tn_reader *r, const tn_node *name, const tn_node *node)
{
    if (node->kind == TN_NODE_MAP && tn_node_get(node, "use") != NULL) {
        tn_read_fmu(r, name, node);
        return true;
    }
    const tn_force_type *type = read_device_type(r, node);
    if (type == NULL)
        return false;
    const tn_node *values[TN_MAX_KEYS], *parameters[TN_FORCE_PARAMETERS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_device, values, type->parameters, TN_FORCE_PARAMETERS, parameters))
        return false;
    if (type->device->made && (type = tn_read_made_type(r, type, node, parameters)) == NULL)
        return false;
    tn_force_draft draft;
    tn_force_draft_begin(&draft, type->name);
    draft.def.device = true;
    read_ports(r, type, values[DEVICE_AT], &draft);
    read_mechanical(r, type, values[DEVICE_SHAFT], "shaft", &draft);
    read_mechanical(r, type, values[DEVICE_SLIDE], "slide", &draft);
    read_mechanical(r, type, values[DEVICE_LINE], "line", &draft);
    tn_read_force_values(r, type, false, parameters, &draft);
    bool enabled = tn_read_switch(r, values[DEVICE_ENABLED], &tn_section_device.keys[DEVICE_ENABLED], true);
    if (r->errors == before)
        tn_read_put_force(r, name, &draft.def, false, enabled);
    return r->errors == before;
}

void tn_read_device(tn_reader *r, const tn_node *name, const tn_node *node)
{
    if (!read_device(r, name, node))
        mistake_nodes(r, tn_node_get(node, "at"));
}

/* ---- nodes and media ---- */

static const char *node_key_candidate(void *user, size_t index)
{
    const tn_force_type *type = user;
    return index < TN_FORCE_PARAMETERS ? type->parameters[index].name : NULL;
}

static const char *node_candidate(void *user, size_t index)
{
    const tn_model *m = user;
    if (index >= m->force_count)
        return NULL;
    return m->forces[index].entity.alive && tn_force_domain(&m->forces[index]) ? m->forces[index].entity.name : "";
}

/* Values of a node or medium, by the names of its parameters. */
static void read_values(tn_reader *r, tn_force *force, const tn_node *map)
{
    static const tn_key end = { .name = "end" };
    char hint[160];
    for (unsigned i = 0; i < map->count && r->stop == TN_OK; i++) {
        const tn_node *key = map->as.items[2 * i], *value = map->as.items[2 * i + 1];
        const tn_parameter_decl *declared = force->type->parameters;
        int k = 0;
        while (k < TN_FORCE_PARAMETERS && declared[k].name != NULL && strcmp(declared[k].name, key->as.text) != 0)
            k++;
        if (k == TN_FORCE_PARAMETERS || declared[k].name == NULL)
            tn_read_error(r, key->span, "a %s has no '%.60s'%s", force->type->name, key->as.text,
                          tn_did_you_mean(hint, sizeof hint, key->as.text, node_key_candidate,
                                          (void *)(uintptr_t)force->type));
        else if (strcmp(declared[k].name, "end") == 0)
            force->parameters[k] = tn_read_switch(r, value, &end, false);
        else
            tn_read_quantity(r, value, declared[k].name, declared[k].unit, TN_ANY_SIGN, &force->parameters[k]);
    }
}

void tn_read_node(tn_reader *r, const tn_node *name, const tn_node *node)
{
    tn_id id = tn_read_find(r, name->as.text);
    char hint[160];
    if (id.kind == TN_KIND_NONE && tn_read_node_of_variant(r, name->as.text))
        return;
    if (id.kind != TN_KIND_FORCE || tn_force_domain(&r->model->forces[id.index]) == NULL) {
        tn_read_error(r, name->span, "no device is at node '%.60s'%s", name->as.text,
                      tn_did_you_mean(hint, sizeof hint, name->as.text, node_candidate, r->model));
        return;
    }
    tn_force *force = &r->model->forces[id.index];
    force->implied = false;
    force->entity.span = name->span;
    if (tn_node_empty(node) || tn_read_is_map(r, node, name->as.text))
        read_values(r, force, node);
}

void tn_read_medium(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_domain *domain = tn_domain_find(name->as.text);
    if (domain == NULL || domain->medium == NULL) {
        tn_read_error(r, name->span, "there is no medium '%.60s': media are hydraulic, pneumatic and thermal",
                      name->as.text);
        return;
    }
    if (!tn_read_is_map(r, node, name->as.text))
        return;
    const char *path = tn_read_path(r, domain->medium->name);
    tn_id id;
    if (path == NULL)
        return;
    id = tn_model_find(r->model, path);
    tn_force_def def = { .type = domain->medium->name, .device = true };
    if (id.kind == TN_KIND_NONE && !tn_read_ok(r, tn_model_add_force_at(&id, r->model, path, &def, name->span)))
        return;
    if (id.kind == TN_KIND_FORCE && r->model->forces[id.index].type == domain->medium)
        read_values(r, &r->model->forces[id.index], node);
}
