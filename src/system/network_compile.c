/* Compiles the network of devices: unknowns, their equations, the order in which blocks of them are solved. */
#include "external.h"
#include "formula_batch.h"
#include "hybrid.h"
#include "shared_tapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"

/* ---- nodes ---- */

int tn_port_node(const tn_system *s, const tn_force *device, int port)
{
    return port < 0 ? -1 : s->network->node_of[(device - s->model->forces) * TN_DEVICE_PORTS + port];
}

/* Names are looked up once. */
static int find_nodes(tn_system *s)
{
    const tn_model *m = s->model;
    tn_network *n = s->network;
    n->node_of = tn_arena_alloc(s->arena, (size_t)m->force_count * TN_DEVICE_PORTS, sizeof *n->node_of);
    if (!n->node_of)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0; k < m->force_count; k++) {
        const bool device = m->forces[k].entity.alive && tn_force_is_device(&m->forces[k]);
        const int ports = device ? tn_device_port_count(m->forces[k].type) : 0;
        for (int port = 0; port < TN_DEVICE_PORTS; port++)
            n->node_of[k * TN_DEVICE_PORTS + (uint32_t)port] = port < ports ? tn_device_node(m, &m->forces[k], port) : -1;
    }
    return TN_OK;
}

/* Whether a device has a store of the node's first sum at the node. */
static bool stores_at(const tn_system *s, const tn_force *device, uint32_t node)
{
    const tn_domain *domain = tn_force_domain(&s->model->forces[node]);
    const tn_flow_decl *stores = device->type->device->stores;
    for (int k = 0; k < TN_DEVICE_STORES && stores[k].port; k++)
        if (strcmp(stores[k].name, domain->sums[0].name) == 0 &&
            tn_port_node(s, device, tn_device_port_find(device->type, stores[k].port)) == (int)node)
            return true;
    return false;
}

/* Counts the ports at nodes and finds the nodes that store. */
static void survey_device(const tn_system *s, const tn_force *device)
{
    tn_network *n = s->network;
    int ports = tn_device_port_count(device->type);
    for (int k = 0; k < ports; k++) {
        int node = tn_port_node(s, device, k);
        if (node < 0)
            continue;
        n->ports[node]++;
        n->held[node] |= device->type->device->ports[k].group < 0;
        n->stores[node] |= !n->stores[node] && stores_at(s, device, (uint32_t)node);
    }
}

/* Lists the devices at each node. A device with several ports at a node is there once. */
static int list_devices(tn_system *s)
{
    const tn_model *m = s->model;
    tn_network *n = s->network;
    int *end = tn_arena_alloc(s->arena, m->force_count + 1, sizeof(int)), total = 0;
    n->near_begin = tn_arena_alloc(s->arena, m->force_count + 1, sizeof(int));
    TN_TRY(tn_arena_status(s->arena));
    for (uint32_t k = 0; k < m->force_count; k++) {
        n->near_begin[k] = end[k] = total;
        total += n->ports[k];
    }
    n->near_begin[m->force_count] = total;
    n->near = tn_arena_alloc(s->arena, (size_t)total, sizeof *n->near);
    TN_TRY(tn_arena_status(s->arena));
    for (uint32_t k = 0; k < m->force_count; k++) {
        int ports = tn_takes_force(m, s->selection, k) && tn_force_is_device(&m->forces[k])
                        ? tn_device_port_count(m->forces[k].type) : 0;
        for (int port = 0; port < ports; port++) {
            int node = tn_port_node(s, &m->forces[k], port);
            if (node >= 0 && (end[node] == n->near_begin[node] || n->near[end[node] - 1] != k))
                n->near[end[node]++] = k;
        }
    }
    for (uint32_t k = 0; k < m->force_count; k++)
        for (int i = end[k]; i < n->near_begin[k + 1]; i++)
            n->near[i] = UINT32_MAX;
    return TN_OK;
}

bool tn_node_stores(const tn_system *s, uint32_t node)
{
    return s->network->stores[node];
}

int tn_network_late(tn_system *s, const char *name, tn_span span)
{
    tn_network *n = s->network;
    for (int k = 0; k < n->late_count; k++)
        if (strcmp(n->lates[k].name, name) == 0)
            return n->lates[k].memory;
    TN_TRY(tn_grow(s->context, &n->lates, &n->late_capacity, (size_t)n->late_count + 1, sizeof *n->lates));
    const char *copy = tn_arena_strdup(s->arena, name);
    if (!copy)
        return TN_ERROR_MEMORY;
    n->lates[n->late_count++] = (tn_late){ .name = copy, .memory = s->memory++, .span = span };
    return n->lates[n->late_count - 1].memory;
}

static int add_variable(tn_system *s, tn_variable variable)
{
    tn_network *n = s->network;
    TN_TRY(tn_grow(s->context, &n->variables, &n->capacity, (size_t)n->count + 1, sizeof *n->variables));
    n->variables[n->count] = variable;
    return n->count++;
}

static int add_variables(tn_system *s, uint32_t source)
{
    const tn_force *force = &s->model->forces[source];
    const tn_domain *domain = tn_force_domain(force);
    s->network->first[source] = s->network->count;
    for (int k = 0; domain && k < TN_DOMAIN_ACROSS && domain->across[k].name; k++)
        if (!s->network->stores[source] && s->network->ports[source] > 0)
            TN_TRY(add_variable(s, (tn_variable){ .kind = TN_VARIABLE_NODE, .source = source, .index = k,
                                                  .nominal = domain->across[k].nominal }));
    const tn_unknown_decl *unknowns = force->type->device->unknowns;
    for (int k = 0; tn_force_is_device(force) && k < TN_DEVICE_UNKNOWNS && unknowns[k].name; k++)
        TN_TRY(add_variable(s, (tn_variable){ .kind = TN_VARIABLE_UNKNOWN, .source = source, .index = k,
                                              .nominal = unknowns[k].nominal > 0 ? unknowns[k].nominal : 1 }));
    return tn_external_add(s, source);
}

/* Nodes of what is disabled take no part: a device there would hang in the air. */
static int check_enabled(const tn_system *s, const tn_force *device)
{
    const int count = tn_device_port_count(device->type);
    for (int k = 0; k < count; k++) {
        const int node = tn_port_node(s, device, k);
        if (node >= 0 && !tn_force_active(s->model, (uint32_t)node))
            return tn_fail(s->context, TN_ERROR_MODEL, device->ports[k]->span.line > 0 ? device->ports[k]->span : device->entity.span,
                           "device '%s': port '%s': node '%s' is disabled, with what it belongs to", device->entity.name,
                           device->type->device->ports[k].name, s->model->forces[node].entity.name);
    }
    return TN_OK;
}

int tn_network_begin(tn_system *s)
{
    const tn_model *m = s->model;
    bool any = false;
    for (uint32_t k = 0; k < m->force_count && !any; k++)
        any = tn_takes_force(m, s->selection, k) && m->forces[k].type->device;
    if (!any)
        return TN_OK;
    tn_network *n = tn_arena_alloc(s->arena, 1, sizeof *n);
    if (!n)
        return TN_ERROR_MEMORY;
    n->stores = tn_arena_alloc(s->arena, m->force_count, sizeof *n->stores);
    n->held = tn_arena_alloc(s->arena, m->force_count, sizeof *n->held);
    n->ports = tn_arena_alloc(s->arena, m->force_count, sizeof *n->ports);
    n->first = tn_arena_alloc(s->arena, m->force_count, sizeof *n->first);
    TN_TRY(tn_arena_status(s->arena));
    s->network = n;
    TN_TRY(find_nodes(s));
    TN_TRY(tn_externals_create(s));
    for (uint32_t k = 0; k < m->force_count; k++)
        if (tn_takes_force(m, s->selection, k) && tn_force_is_device(&m->forces[k])) {
            TN_TRY(check_enabled(s, &m->forces[k]));
            survey_device(s, &m->forces[k]);
        }
    TN_TRY(list_devices(s));
    for (uint32_t k = 0; k < m->force_count; k++)
        if (tn_takes_force(m, s->selection, k) && m->forces[k].type->device)
            TN_TRY(add_variables(s, k));
    return tn_hybrid_begin(s);
}

int tn_network_find(const tn_system *s, tn_variable_kind kind, uint32_t source, int index)
{
    const tn_network *n = s->network;
    int k = n->first[source] + index;
    return k < n->count && n->variables[k].kind == kind && n->variables[k].source == source &&
           n->variables[k].index == index ? k : -1;
}

int tn_network_signal(tn_system *s, uint32_t device, const char *what)
{
    tn_network *n = s->network;
    for (int k = 0; k < n->count; k++)
        if (n->variables[k].kind == TN_VARIABLE_SIGNAL && n->variables[k].source == device &&
            strcmp(n->variables[k].what, what) == 0)
            return k;
    const char *copy = n->frozen ? NULL : tn_arena_strdup(s->arena, what);
    return copy ? add_variable(s, (tn_variable){ .kind = TN_VARIABLE_SIGNAL, .source = device, .what = copy,
                                                 .nominal = 1 }) : -1;
}

const char *tn_variable_name(const tn_system *s, int variable, char *buffer, size_t size)
{
    const tn_variable *v = &s->network->variables[variable];
    const tn_force *force = &s->model->forces[v->source];
    const char *external = v->kind == TN_VARIABLE_SIGNAL ? tn_external_name(s, variable) : NULL;
    snprintf(buffer, size, "%.120s.%.60s", force->entity.name,
             external ? external
             : v->kind == TN_VARIABLE_SIGNAL ? v->what
             : v->kind == TN_VARIABLE_NODE ? tn_force_domain(force)->across[v->index].name
                                           : force->type->device->unknowns[v->index].name);
    return buffer;
}

/* ---- equations ---- */

static const char *equation_text(const tn_system *s, const tn_variable *v)
{
    const tn_force *force = &s->model->forces[v->source];
    return v->kind == TN_VARIABLE_SIGNAL ? v->what
           : v->kind == TN_VARIABLE_NODE ? tn_force_domain(force)->through[v->index].name
                                         : force->type->device->equations[v->index];
}

static int compile_equation(tn_system *s, int k)
{
    const tn_variable v = s->network->variables[k];
    const tn_force *force = &s->model->forces[v.source];
    char what[200];
    tn_formula *formula;
    bool external;
    TN_TRY(tn_external_equation(s, k, &external));
    if (external)
        return TN_OK;
    const tn_share share = { TN_SHARE_EQUATION, v.source, v.index };
    if (v.kind != TN_VARIABLE_SIGNAL)
        TN_TRY(tn_shared_take(&s->network->variables[k].formula, s, &share, NULL));
    if (s->network->variables[k].formula)
        return tn_formula_find_affine(s->network->variables[k].formula);
    tn_force_equations(what, sizeof what, force);
    TN_TRY(tn_formula_create(&formula, s, force->entity.name));
    formula->acts = true;
    const tn_scope *scope = tn_force_scope_in(formula, v.source);
    if (!scope)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_formula_add(formula, equation_text(s, &v), scope, NULL, force->entity.span, what, NULL));
    TN_TRY(tn_formula_finish(formula));
    s->network->variables[k].formula = formula;
    if (v.kind != TN_VARIABLE_SIGNAL)
        TN_TRY(tn_shared_offer(s, &share, formula));
    return tn_formula_find_affine(formula);
}

/* The number that an expression of parameters has; 0 where it changes. */
static double constant_value(tn_system *s, const tn_variable *v, const char *text)
{
    double value = 0;
    tn_output_info info;
    tn_expr_error error;
    v->formula->constants = true;
    const tn_scope *scope = tn_force_scope_in(v->formula, v->source);
    int code = scope ? tn_expr_number(s->context, text, scope, &value, &info, &error) : TN_ERROR_MEMORY;
    v->formula->constants = false;
    return code == TN_OK && isfinite(value) ? value : 0;
}

static void guess_variable(tn_system *s, tn_variable *v)
{
    const tn_force *force = &s->model->forces[v->source];
    char text[80];
    if (v->kind == TN_VARIABLE_NODE) {
        snprintf(text, sizeof text, "start.%s", tn_force_domain(force)->across[v->index].name);
        v->guess = constant_value(s, v, text);
    } else if (v->kind == TN_VARIABLE_UNKNOWN && force->type->device->unknowns[v->index].guess) {
        v->guess = constant_value(s, v, force->type->device->unknowns[v->index].guess);
    }
}

/* ---- incidence ---- */

static bool reads(const tn_network *n, int equation, int slot)
{
    const tn_formula *f = n->variables[equation].formula;
    return f->slots[slot].kind == TN_SLOT_UNKNOWN && tn_tape_reads(f->tape, TN_LEAVES * slot);
}

/* Number of entries of an equation; lists them when columns is not NULL. The unknown of a signal is in its equation. */
static int entries_of(const tn_network *n, int equation, int *columns)
{
    const tn_variable *v = &n->variables[equation];
    int count = 0;
    bool own = false;
    for (int k = 0; k < v->formula->slot_count; k++) {
        if (!reads(n, equation, k))
            continue;
        own = own || v->formula->slots[k].index == equation;
        if (columns)
            columns[count] = v->formula->slots[k].index;
        count++;
    }
    if (v->kind == TN_VARIABLE_SIGNAL && !own) {
        if (columns)
            columns[count] = equation;
        count++;
    }
    return count;
}

/* Compressed columns of the incidence. */
static int find_incidence(tn_system *s)
{
    tn_network *n = s->network;
    int total = 0, most = 0;
    for (int i = 0; i < n->count; i++) {
        int count = entries_of(n, i, NULL);
        total += count;
        most = count > most ? count : most;
    }
    n->begin = tn_arena_alloc(s->arena, (size_t)n->count + 1, sizeof(int));
    n->rows = tn_arena_alloc(s->arena, (size_t)total, sizeof(int));
    int *columns = tn_arena_alloc(s->arena, (size_t)most, sizeof(int));
    int *next = tn_arena_alloc(s->arena, (size_t)n->count + 1, sizeof(int));
    TN_TRY(tn_arena_status(s->arena));
    for (int i = 0; i < n->count; i++)
        for (int k = entries_of(n, i, columns); k-- > 0;)
            n->begin[columns[k] + 1]++;
    for (int j = 0; j < n->count; j++)
        n->begin[j + 1] += n->begin[j];
    memcpy(next, n->begin, (size_t)(n->count + 1) * sizeof(int));
    for (int i = 0; i < n->count; i++)
        for (int k = entries_of(n, i, columns), j = 0; j < k; j++)
            n->rows[next[columns[j]]++] = i;
    return TN_OK;
}

/* Devices and nodes that have states only, or nothing. */
static int find_rates(tn_system *s)
{
    tn_network *n = s->network;
    tn_batch_member *members = tn_arena_alloc(s->arena, (size_t)s->force_count, sizeof *members);
    bool *rated = tn_arena_alloc(s->arena, (size_t)s->force_count, sizeof *rated);
    TN_TRY(tn_arena_status(s->arena));
    for (int k = 0; k < s->force_count; k++) {
        const tn_sys_force *f = &s->forces[k];
        const bool plain = f->type->device && !f->type->device->external && f->effort_count == 0 && f->force < 0 && f->torque < 0;
        rated[k] = plain && f->state_count == 0 && f->formula->branch < 0;
        members[k] = (tn_batch_member){ .formula = plain ? f->formula : NULL, .first = f->state_rate, .count = f->state_count,
                                        .target = f->state };
    }
    TN_TRY(tn_formula_batches_create(&n->rates, s->arena, members, s->force_count));
    for (int k = 0; k < s->force_count; k++)
        rated[k] |= members[k].taken;
    n->rated = rated;
    return TN_OK;
}

int tn_network_compile(tn_system *s)
{
    tn_network *n = s->network;
    if (!n)
        return TN_OK;
    int worst = tn_network_check(s);
    if (worst == TN_OK)
        worst = tn_hybrid_compile(s);
    for (int k = 0; k < n->count && worst != TN_ERROR_MEMORY; k++) {       /* signals may be added in the loop */
        int code = compile_equation(s, k);
        worst = code < 0 ? code : worst;
    }
    TN_TRY(worst);
    n->frozen = true;
    for (int k = 0; k < n->count; k++)
        guess_variable(s, &n->variables[k]);
    TN_TRY(find_incidence(s));
    TN_TRY(tn_network_order(s));
    TN_TRY(tn_hybrid_finish(s));
    n->memory = s->memory;
    n->memory_count = 1 + n->count;
    s->memory += n->memory_count;
    TN_TRY(find_rates(s));
    return tn_network_accounts_compile(s);
}

void tn_network_free(tn_system *s)
{
    if (s->network) {
        tn_free(s->context, s->network->variables);
        tn_free(s->context, s->network->lates);
    }
}
