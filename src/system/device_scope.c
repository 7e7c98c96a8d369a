/* Finds the meaning of names in the expressions of devices and nodes. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "force_scope.h"
#include "hybrid.h"
#include "delay.h"
#include "units.h"
#include "external.h"

static const tn_symbol UNKNOWN = { .kind = TN_SYMBOL_UNKNOWN };

static const tn_force *force_of(const tn_force_scope *f)
{
    return &f->formula->system->model->forces[f->source];
}

static tn_symbol text_symbol(const char *text, const tn_scope *scope)
{
    return text ? (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = text, .scope = scope, .memory = -1 } : UNKNOWN;
}

/* A text of the system's arena. */
static tn_symbol made_text(const tn_force_scope *f, const char *text, const tn_scope *scope)
{
    char *copy = tn_arena_strdup(f->formula->system->arena, text);
    if (!copy)
        f->formula->code = TN_ERROR_MEMORY;
    return text_symbol(copy, scope);
}

static tn_symbol unknown_slot(tn_formula *formula, int variable, const char *unit)
{
    return variable < 0 ? UNKNOWN : tn_formula_number(formula, (tn_slot){ TN_SLOT_UNKNOWN, variable, 0 }, unit);
}

/* ---- media ---- */

/* A parameter of the medium of a domain, as seen from an entity. */
static tn_symbol medium_symbol(const tn_force_scope *f, const tn_domain *domain, const char *name)
{
    const tn_force_type *type = domain->medium;
    int slot = type ? tn_model_medium(f->formula->system->model, force_of(f)->entity.name, type) : -1;
    if (slot >= 0 && f->formula->system->force_of[slot] >= 0) {
        const tn_scope *scope = tn_force_scope_in(f->formula, (uint32_t)slot);
        return scope ? tn_force_parameter_symbol(scope->user, name) : UNKNOWN;
    }
    for (int k = 0; type && k < TN_FORCE_PARAMETERS && type->parameters[k].name; k++)
        if (strcmp(type->parameters[k].name, name) == 0) {
            double factor;
            tn_symbol symbol = { .kind = TN_SYMBOL_CONSTANT, .value = type->parameters[k].initial };
            const char *unit = type->parameters[k].unit;
            symbol.dim_known = tn_unit_parse(unit, strlen(unit), &factor, &symbol.dim) == 0;
            return symbol;
        }
    return UNKNOWN;
}

/* ---- nodes ---- */

static int across_find(const tn_domain *domain, const char *name)
{
    for (int k = 0; k < TN_DOMAIN_ACROSS && domain->across[k].name; k++)
        if (strcmp(domain->across[k].name, name) == 0)
            return k;
    return -1;
}

static tn_symbol across_symbol(tn_formula *formula, uint32_t node, int k)
{
    const tn_system *s = formula->system;
    const tn_domain *domain = tn_force_domain(&s->model->forces[node]);
    if (tn_node_stores(s, node))
        return tn_force_state_symbol(formula, node, domain->across[k].name);
    return unknown_slot(formula, tn_network_find(s, TN_VARIABLE_NODE, node, k), domain->across[k].unit);
}

static bool is_sum(const tn_domain *domain, const char *name, bool *through)
{
    for (int k = 0; k < TN_DOMAIN_ACROSS && domain->through[k].name; k++)
        if (strcmp(domain->through[k].name, name) == 0)
            return *through = true;
    *through = false;
    for (int k = 0; k < TN_DOMAIN_SUMS && domain->sums[k].name; k++)
        if (strcmp(domain->sums[k].name, name) == 0)
            return true;
    return false;
}

/* The sum of one quantity over all ports at a node, as a text of terms "DEVICE PORT" of its own scope. */
typedef struct sum_scope {
    tn_scope scope;
    tn_formula *formula;
    uint32_t node;
    const char *name;
    bool through;
} sum_scope;

/* "k7.2": expression 2 of the flows or stores of device 7. */
static tn_symbol lookup_term(const tn_scope *scope, const char *name)
{
    const sum_scope *sum = scope->user;
    const tn_model *m = sum->formula->system->model;
    unsigned device;
    int k;
    if (sscanf(name, "k%u_%d", &device, &k) != 2 || device >= m->force_count)
        return UNKNOWN;
    const tn_device *d = m->forces[device].type->device;
    const tn_scope *inner = tn_force_scope_in(sum->formula, device);
    return inner ? text_symbol((sum->through ? d->flows : d->stores)[k].expression, inner) : UNKNOWN;
}

/* Appends "+ k7_2" for every flow or store of that name at the node. Returns the length, or 0 without terms. */
static size_t list_terms(const tn_system *s, uint32_t node, const char *name, bool through, char *text, size_t size)
{
    const tn_model *m = s->model;
    const tn_network *n = s->network;
    size_t used = 0;
    for (int i = n->near_begin[node]; i < n->near_begin[node + 1] && n->near[i] != UINT32_MAX; i++) {
        const tn_force *force = &m->forces[n->near[i]];
        const tn_flow_decl *list = through ? force->type->device->flows : force->type->device->stores;
        int most = through ? TN_DEVICE_FLOWS : TN_DEVICE_STORES;
        for (int k = 0; k < most && list[k].port; k++) {
            if (strcmp(list[k].name, name) != 0 ||
                tn_port_node(s, force, tn_device_port_find(force->type, list[k].port)) != (int)node)
                continue;
            used += (size_t)snprintf(text ? text + used : NULL, text ? size - used : 0, "%sk%u_%d", used > 0 ? " + " : "",
                                     n->near[i], k);
        }
    }
    return used;
}

static tn_symbol sum_symbol(const tn_force_scope *f, const tn_domain *domain, const char *name)
{
    tn_system *s = f->formula->system;
    bool through;
    if (!is_sum(domain, name, &through))
        return UNKNOWN;
    size_t length = list_terms(s, f->source, name, through, NULL, 0);
    sum_scope *sum = tn_arena_alloc(s->arena, 1, sizeof *sum);
    char *text = tn_arena_alloc(s->arena, length + 8, 1);
    if (!sum || !text) {
        f->formula->code = TN_ERROR_MEMORY;
        return UNKNOWN;
    }
    if (length == 0)
        return text_symbol("0", &f->names.scope);
    *sum = (sum_scope){ .scope = { .lookup = lookup_term, .user = sum }, .formula = f->formula, .node = f->source,
                        .name = name, .through = through };
    size_t at = through ? (size_t)snprintf(text, length + 8, "-(") : 0;
    list_terms(s, f->source, name, through, text + at, length + 8 - at);
    if (through)
        strcat(text, ")");
    return text_symbol(text, &sum->scope);
}

/* The start of an across variable: as the node says, else as a device at the node says. */
static tn_symbol start_symbol(const tn_force_scope *f, const char *name)
{
    const tn_system *s = f->formula->system;
    const tn_model *m = s->model;
    const tn_force *node = force_of(f);
    for (int k = 0; k < TN_FORCE_PARAMETERS && node->type->parameters[k].name; k++)
        if (strcmp(node->type->parameters[k].name, name) == 0 &&
            (isfinite(node->parameters[k]) || (node->expressions && node->expressions[k])))
            return tn_force_parameter_symbol(f, name);
    const tn_network *n = s->network;
    for (int i = n->near_begin[f->source]; i < n->near_begin[f->source + 1] && n->near[i] != UINT32_MAX; i++) {
        const tn_force *force = &m->forces[n->near[i]];
        const tn_flow_decl *starts = force->type->device->starts;
        for (int k = 0; k < TN_DEVICE_STARTS && starts[k].port; k++) {
            int port = tn_device_port_find(force->type, starts[k].port);
            if (strcmp(starts[k].name, name) != 0 || tn_port_node(s, force, port) != (int)f->source ||
                !tn_device_gives_start(force, starts[k].expression))
                continue;
            const tn_scope *inner = tn_force_scope_in(f->formula, n->near[i]);
            return inner ? text_symbol(starts[k].expression, inner) : UNKNOWN;
        }
    }
    return tn_force_parameter_symbol(f, name);
}

static tn_symbol node_symbol(const tn_force_scope *f, const tn_domain *domain, const char *name)
{
    int k = across_find(domain, name);
    if (k >= 0)
        return across_symbol(f->formula, f->source, k);
    if (strncmp(name, "start.", 6) == 0)
        return start_symbol(f, name + 6);
    tn_symbol symbol = sum_symbol(f, domain, name);
    return symbol.kind != TN_SYMBOL_UNKNOWN ? symbol : medium_symbol(f, domain, name);
}

/* ---- ports ---- */

static tn_symbol mechanical_symbol(const tn_force_scope *f, int port, const char *what)
{
    const tn_force *force = force_of(f);
    char text[80];
    if (strcmp(what, "position") == 0)
        return tn_port_open(force, port) ? text_symbol("0", &f->names.scope)
                                         : text_symbol(force->ports[port]->text, &f->names.scope);
    if (strcmp(what, "rate") != 0)
        return UNKNOWN;
    if (tn_port_open(force, port))
        return text_symbol("0", &f->names.scope);
    snprintf(text, sizeof text, "vel(%.60s.position)", force->type->device->ports[port].name);
    return made_text(f, text, &f->scope);
}

/* The sum of all flows of one quantity into a port. */
static tn_symbol flow_symbol(const tn_force_scope *f, int port, const char *name)
{
    const tn_device *d = force_of(f)->type->device;
    char text[2000] = "";
    size_t used = 0;
    for (int k = 0; k < TN_DEVICE_FLOWS && d->flows[k].port; k++)
        if (strcmp(d->flows[k].port, d->ports[port].name) == 0 && strcmp(d->flows[k].name, name) == 0 &&
            used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s(%s)", used > 0 ? " + " : "",
                                     d->flows[k].expression);
    return used == 0 ? text_symbol("0", &f->names.scope)
                     : used < sizeof text ? made_text(f, text, &f->scope) : UNKNOWN;
}

static tn_symbol port_symbol(const tn_force_scope *f, int port, const char *what)
{
    const tn_force *force = force_of(f);
    const tn_device_port *decl = &force->type->device->ports[port];
    if (tn_port_mechanical(decl))
        return mechanical_symbol(f, port, what);
    const tn_domain *domain = tn_domain_find(decl->domain);
    int k = across_find(domain, what), node = tn_port_node(f->formula->system, force, port);
    if (strcmp(what, "connected") == 0)
        return text_symbol(node >= 0 ? "1" : "0", &f->names.scope);
    if (k >= 0 && node >= 0)
        return across_symbol(f->formula, (uint32_t)node, k);
    if (k >= 0) {
        const char *ground = domain->across[k].ground;
        tn_symbol symbol = medium_symbol(f, domain, ground);
        return symbol.kind != TN_SYMBOL_UNKNOWN ? symbol : text_symbol(ground, &f->names.scope);
    }
    for (k = 0; k < TN_DOMAIN_ACROSS && domain->through[k].name; k++)
        if (strcmp(domain->through[k].name, what) == 0 || (k == 0 && strcmp(what, "flow") == 0))
            return flow_symbol(f, port, domain->through[k].name);
    return UNKNOWN;
}

/* ---- devices ---- */

static tn_symbol memory_symbol(tn_formula *formula, uint32_t source, const char *name)
{
    const char *unit = NULL;
    int entry = tn_external_output(formula->system, source, name, &unit);
    if (entry < 0)
        entry = tn_hybrid_memory(formula->system, source, name, &unit);
    return entry < 0 ? UNKNOWN : tn_formula_number(formula, (tn_slot){ TN_SLOT_MEMORY, entry, 0 }, unit);
}

/* The value of its signal a delay ago. */
static tn_symbol delayed_symbol(tn_formula *formula, uint32_t source, const char *name)
{
    if (!formula->system->model->forces[source].type->device->history || strcmp(name, "delayed") != 0)
        return UNKNOWN;
    return tn_formula_number(formula, (tn_slot){ TN_SLOT_DELAYED, tn_delay_of(formula->system, source), 0 }, NULL);
}

/* The force or torque by which a device holds its port, in formulas that are evaluated after the solution. */
static tn_symbol hold_symbol(tn_formula *formula, uint32_t source, const char *name)
{
    const tn_force *force = &formula->system->model->forces[source];
    const tn_device *d = force->type->device;
    if (!d->hold_mode || strcmp(name, "hold") != 0)
        return UNKNOWN;
    if (!formula->knows_holds && !formula->late) {
        snprintf(formula->needs_solution, sizeof formula->needs_solution, "%.60s.hold", force->entity.name);
        return UNKNOWN;
    }
    const int port = tn_device_port_find(force->type, d->hold_port);
    const bool angle = strcmp(d->ports[port].domain, TN_PORT_ROTARY) == 0;
    return tn_formula_number(formula, (tn_slot){ TN_SLOT_HOLD, formula->system->network->hybrid->sampler_of[source], 0 },
                             angle ? "N m" : "N");
}

static tn_symbol unknown_symbol(tn_formula *formula, uint32_t source, const char *name)
{
    const tn_device *d = formula->system->model->forces[source].type->device;
    for (int k = 0; k < TN_DEVICE_UNKNOWNS && d->unknowns[k].name; k++)
        if (strcmp(d->unknowns[k].name, name) == 0)
            return unknown_slot(formula, tn_network_find(formula->system, TN_VARIABLE_UNKNOWN, source, k),
                                d->unknowns[k].unit);
    return UNKNOWN;
}

static tn_symbol account_symbol(const tn_force_scope *f, const char *name)
{
    const tn_device *d = force_of(f)->type->device;
    const char *text = strcmp(name, "loss") == 0 ? d->loss : strcmp(name, "stored") == 0 ? d->stored
                       : strcmp(name, "supplied") == 0 ? d->supplied : NULL;
    return text_symbol(text, &f->scope);
}

/* Ports come first, since "a.pressure" must not be read as a channel "a". */
static tn_symbol own_port_symbol(const tn_force_scope *f, const char *name)
{
    const tn_force_type *type = force_of(f)->type;
    int count = tn_device_port_count(type);
    for (int k = 0; k < count; k++) {
        size_t n = strlen(type->device->ports[k].name);
        if (strncmp(name, type->device->ports[k].name, n) == 0 && name[n] == '.')
            return port_symbol(f, k, name + n + 1);
    }
    return UNKNOWN;
}

/* A parameter that is a number: neither an expression, nor left to an expression of the type. */
static bool is_number(const tn_force *force, const char *parameter)
{
    for (int k = 0; k < TN_FORCE_PARAMETERS && force->type->parameters[k].name; k++)
        if (strcmp(force->type->parameters[k].name, parameter) == 0)
            return !(force->expressions && force->expressions[k]) && !(force->type->parameters[k].as_built && isnan(force->parameters[k]));
    return false;
}

/* "NAME.rate" of a parameter that is an expression: its rate by time and by the motion; "NAME.moves": 1 where it has one. What depends on values
 * of the network alone counts as 0: a store whose size is a function of its own value is a differential one. */
static tn_symbol parameter_rate_symbol(const tn_force_scope *f, const char *name)
{
    const char *dot = strchr(name, '.');
    char parameter[64], text[80];
    tn_output_info info = { 0 };
    tn_expr_error error;
    double value;
    const bool rate = dot && strcmp(dot, ".rate") == 0;
    if (!dot || (!rate && strcmp(dot, ".moves") != 0) || dot - name >= (ptrdiff_t)sizeof parameter)
        return UNKNOWN;
    snprintf(parameter, sizeof parameter, "%.*s", (int)(dot - name), name);
    if (tn_force_parameter_symbol(f, parameter).kind == TN_SYMBOL_UNKNOWN)
        return UNKNOWN;
    if (is_number(force_of(f), parameter))
        return text_symbol("0", &f->names.scope);
    if (tn_expr_number(f->formula->system->context, parameter, &f->scope, &value, &info, &error) == TN_ERROR_MEMORY) {
        f->formula->code = TN_ERROR_MEMORY;
        return UNKNOWN;
    }
    if (!rate || !info.rated)
        return text_symbol(info.rated ? "1" : "0", &f->names.scope);
    if (info.rateless || info.velocity)
        snprintf(f->formula->no_rate, sizeof f->formula->no_rate, "%s", parameter);
    snprintf(text, sizeof text, "vel(%s)", parameter);
    return made_text(f, text, &f->scope);
}

tn_symbol tn_device_symbol(const tn_force_scope *f, const char *name)
{
    const tn_force *force = force_of(f);
    const tn_domain *domain = tn_force_domain(force);
    if (domain)
        return node_symbol(f, domain, name);
    bool external = false;
    tn_symbol given = force->type->device->external ? tn_external_symbol(f->formula, f->source, name, &external) : UNKNOWN;
    if (external)
        return given;
    tn_symbol symbol = own_port_symbol(f, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = tn_force_parameter_symbol(f, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = parameter_rate_symbol(f, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = tn_force_state_symbol(f->formula, f->source, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = unknown_symbol(f->formula, f->source, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = memory_symbol(f->formula, f->source, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = hold_symbol(f->formula, f->source, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = delayed_symbol(f->formula, f->source, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = tn_force_channel_text(f, name);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = account_symbol(f, name);
    int count = tn_device_port_count(force->type);
    for (int k = 0; k < count && symbol.kind == TN_SYMBOL_UNKNOWN; k++)
        if (!tn_port_mechanical(&force->type->device->ports[k]))
            symbol = medium_symbol(f, tn_domain_find(force->type->device->ports[k].domain), name);
    return symbol;
}

/* The unit of a channel of the type, other than its states and unknowns; *known is false where the type has no such channel. */
static const char *signal_unit(const tn_force *force, const char *what, bool *known)
{
    const tn_force_type *type = force->type;
    *known = true;
    for (int k = 0; k < TN_FORCE_CHANNELS && type->channels[k].name; k++)
        if (strcmp(type->channels[k].name, what) == 0)
            return type->channels[k].unit;
    for (int k = 0; k < TN_DEVICE_PORTS && type->device->ports[k].name; k++) {
        size_t n = strlen(type->device->ports[k].name);
        if (strncmp(what, type->device->ports[k].name, n) == 0 && what[n] == '.')
            return NULL;
    }
    const char *const accounts[] = { "loss", "stored", "supplied" };
    const char *const texts[] = { type->device->loss, type->device->stored, type->device->supplied };
    for (int k = 0; k < 3; k++)
        if (strcmp(accounts[k], what) == 0 && texts[k])
            return k == 1 ? "J" : "W";
    *known = false;
    return NULL;
}

tn_symbol tn_device_channel_symbol(tn_formula *formula, uint32_t source, const char *what)
{
    const tn_force *force = &formula->system->model->forces[source];
    const tn_domain *domain = tn_force_domain(force);
    const tn_scope *scope = tn_force_scope_in(formula, source);
    bool known;
    if (!scope)
        return UNKNOWN;
    if (domain)
        return across_find(domain, what) >= 0 ? across_symbol(formula, source, across_find(domain, what)) : UNKNOWN;
    bool external = false;
    tn_symbol given = force->type->device->external ? tn_external_symbol(formula, source, what, &external) : UNKNOWN;
    if (external)
        return given;
    tn_symbol symbol = tn_force_state_symbol(formula, source, what);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = unknown_symbol(formula, source, what);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = memory_symbol(formula, source, what);
    if (symbol.kind == TN_SYMBOL_UNKNOWN)
        symbol = hold_symbol(formula, source, what);
    if (symbol.kind != TN_SYMBOL_UNKNOWN)
        return symbol;
    const char *unit = signal_unit(force, what, &known);
    if (!known)
        return tn_force_parameter_symbol(scope->user, what);
    int signal = tn_network_signal(formula->system, source, what);
    return signal >= 0 ? unknown_slot(formula, signal, unit) : tn_device_symbol(scope->user, what);
}
