/* Checks of a network before its equations are compiled: ports, islands without reference, starts that differ. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "device_network.h"

/* Names of the other nodes. */
typedef struct node_names {
    const tn_model *model;
    uint32_t except;
} node_names;

static const char *node_candidate(void *user, size_t index)
{
    const node_names *names = user;
    const tn_model *m = names->model;
    if (index >= m->force_count)
        return NULL;
    const tn_force *force = &m->forces[index];
    return index != names->except && force->entity.alive && tn_force_domain(force) ? force->entity.name : "";
}

/* A node that devices name once only is a slip of the pen, unless the file declares it. */
static int check_ports(const tn_system *s, uint32_t node)
{
    const tn_force *force = &s->model->forces[node];
    char hint[160];
    node_names names = { s->model, node };
    if (s->network->ports[node] != 1 || !force->implied)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_MODEL, force->entity.span,
                   "node '%s' has one port only%s; if that is meant, declare it: nodes: { %s: { end: yes } }",
                   force->entity.name, tn_did_you_mean(hint, sizeof hint, force->entity.name, node_candidate, &names), force->entity.name);
}

static int check_storage(const tn_system *s, uint32_t node)
{
    const tn_force *force = &s->model->forces[node];
    if (!tn_force_domain(force)->needs_storage || s->network->stores[node] || s->network->held[node] ||
        s->network->ports[node] == 0)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_MODEL, force->entity.span,
                   "node '%s': gas needs a volume here: add a chamber, or the volume of the line", force->entity.name);
}

/* The start that the file gives for a node itself; NaN: none. */
static double start_of_node(const tn_force *node, const char *across)
{
    for (int k = 0; k < TN_FORCE_PARAMETERS && node->type->parameters[k].name; k++)
        if (strcmp(node->type->parameters[k].name, across) == 0)
            return node->parameters[k];
    return NAN;
}

/* Devices at a node that start with different values, or with another one than the node. */
static int check_starts(const tn_system *s, uint32_t node)
{
    const tn_model *m = s->model;
    const tn_network *n = s->network;
    const tn_domain *domain = tn_force_domain(&m->forces[node]);
    for (int a = 0; a < TN_DOMAIN_ACROSS && domain->across[a].name; a++) {
        double value = start_of_node(&m->forces[node], domain->across[a].name);
        const tn_force *first = isfinite(value) ? &m->forces[node] : NULL;
        for (int i = n->near_begin[node]; i < n->near_begin[node + 1] && n->near[i] != UINT32_MAX; i++) {
            const tn_force *force = &m->forces[n->near[i]];
            const tn_flow_decl *starts = force->type->device->starts;
            for (int k = 0; k < TN_DEVICE_STARTS && starts[k].port; k++) {
                int parameter = 0;
                if (strcmp(starts[k].name, domain->across[a].name) != 0 ||
                    tn_port_node(s, force, tn_device_port_find(force->type, starts[k].port)) != (int)node)
                    continue;
                while (strcmp(force->type->parameters[parameter].name, starts[k].expression) != 0)
                    parameter++;
                double given = force->parameters[parameter];
                if (first && isfinite(given) && given != value)
                    return tn_fail(s->context, TN_ERROR_MODEL, force->entity.span,
                                   "%s '%s' and device '%s' at node '%s' start with different values of %s: %.9g and "
                                   "%.9g %s", tn_force_word(first), first->entity.name, force->entity.name, m->forces[node].entity.name,
                                   domain->across[a].name, value, given, domain->across[a].unit);
                if (isfinite(given)) {
                    first = force;
                    value = given;
                }
            }
        }
    }
    return TN_OK;
}

/* ---- islands ---- */

/* Union-find over slots of forces; the entry after the last is ground. */
static int root_of(int *parent, int k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

static void unite(int *parent, int a, int b)
{
    parent[root_of(parent, a)] = root_of(parent, b);
}

/* Ports of a device in one group and one domain conduct to each other. */
static void unite_device(const tn_system *s, const tn_force *force, int *parent)
{
    const tn_device_port *ports = force->type->device->ports;
    const int count = tn_device_port_count(force->type), ground = (int)s->model->force_count;
    for (int k = 0; k < count; k++) {
        if (tn_port_mechanical(&ports[k]) || tn_port_open(force, k))
            continue;
        int node = tn_port_node(s, force, k), here = node < 0 ? ground : node;
        if (ports[k].group < 0 || (node >= 0 && s->network->stores[node]))
            unite(parent, here, ground);
        for (int other = 0; other < k; other++)
            if (!tn_port_open(force, other) && ports[other].group == ports[k].group &&
                strcmp(ports[other].domain, ports[k].domain) == 0) {
                int there = tn_port_node(s, force, other);
                unite(parent, here, there < 0 ? ground : there);
            }
    }
}

static int report_island(const tn_system *s, int *parent, int root)
{
    enum { MOST = 4 };
    char names[400] = "";
    size_t used = 0;
    int count = 0;
    const tn_force *first = NULL;
    for (uint32_t k = 0; k < s->model->force_count; k++)
        if (s->network->ports[k] > 0 && root_of(parent, (int)k) == root && count++ < MOST) {
            first = first ? first : &s->model->forces[k];
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'", used > 0 ? ", " : "",
                                     s->model->forces[k].entity.name);
        }
    return tn_fail(s->context, TN_ERROR_MODEL, first->entity.span,
                   "nothing of %s%s is connected to ground: its %s is not determined", names, count > MOST ? ", ..." : "",
                   tn_force_domain(first)->across[0].name);
}

static int check_islands(const tn_system *s)
{
    const int count = (int)s->model->force_count;
    int *parent = tn_arena_alloc(s->arena, (size_t)count + 1, sizeof(int)), worst = TN_OK;
    bool *told = tn_arena_alloc(s->arena, (size_t)count + 1, sizeof(bool));
    if (!parent || !told)
        return TN_ERROR_MEMORY;
    for (int k = 0; k <= count; k++)
        parent[k] = k;
    for (int i = 0; i < s->force_count; i++)
        if (tn_force_is_device(&s->model->forces[s->forces[i].source]))
            unite_device(s, &s->model->forces[s->forces[i].source], parent);
    for (int k = 0; k < count; k++) {
        int root = root_of(parent, k);
        if (s->network->ports[k] == 0 || root == root_of(parent, count) || told[root])
            continue;
        told[root] = true;
        worst = report_island(s, parent, root);
    }
    return worst;
}

int tn_network_check(tn_system *s)
{
    int worst = TN_OK;
    for (int i = 0; i < s->force_count; i++) {
        uint32_t node = s->forces[i].source;
        if (!tn_force_domain(&s->model->forces[node]))
            continue;
        int (*const checks[])(const tn_system *, uint32_t) = { check_ports, check_storage, check_starts };
        for (size_t k = 0; k < sizeof checks / sizeof checks[0]; k++) {
            int code = checks[k](s, node);
            worst = code < 0 ? code : worst;
        }
    }
    if (worst < 0)
        return worst;
    return check_islands(s);
}
