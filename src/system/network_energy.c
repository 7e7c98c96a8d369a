/* The energy account of the network: what devices store, what sources and surroundings supply, what is lost, and what goes
 * into the mechanism. The balance of nodes gives (Tellegen)
 *     (sum of stored)' = supplied - lost - mechanical
 * so that its error shows equations of devices that do not fit together, and errors of the integration. A loss that a port
 * puts into a thermal node stays in the network; at ports that are open or at ground, heat and enthalpy come from the
 * surroundings. */
#include "formula_batch.h"
#include "hybrid.h"
#include "shared_tapes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { ACCOUNTS = 3 };

/* A device that takes part. Its formula has the outputs stored, supplied, lost. */
typedef struct tn_account {
    uint32_t source;
    tn_formula *formula;
} tn_account;

struct tn_network_accounts {
    tn_account *devices;
    int count;
    tn_formula_batches *batches;   /* of devices that are alike */
    bool *batched;                 /* of each device: it is in one of them */
    bool open;                     /* a stored energy has a parameter that changes: the balance need not close */
};

/* ---- texts ---- */

/* Whether an expression names something. */
static bool mentions(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; text && (at = strstr(at, name)) != NULL; at += n) {
        bool begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_' && at[-1] != '.');
        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_' && at[n] != '.')
            return true;
    }
    return false;
}

/* Where a loss goes: the flow that puts it into a node; NULL: it leaves the network. */
static const tn_flow_decl *loss_flow(const tn_system *s, const tn_force *device)
{
    const tn_device *d = device->type->device;
    for (int k = 0; k < TN_DEVICE_FLOWS && d->flows[k].port; k++)
        if (mentions(d->flows[k].expression, "loss") &&
            tn_port_node(s, device, tn_device_port_find(device->type, d->flows[k].port)) >= 0)
            return &d->flows[k];
    return NULL;
}

/* Whether a flow brings energy from the surroundings: heat or enthalpy at a port without a node. */
static bool from_surroundings(const tn_system *s, const tn_force *device, const tn_flow_decl *flow)
{
    int port = tn_device_port_find(device->type, flow->port);
    const tn_domain *domain = tn_domain_find(device->type->device->ports[port].domain);
    return domain && domain->energy && strcmp(domain->energy, flow->name) == 0 && tn_port_node(s, device, port) < 0 &&
           !mentions(flow->expression, "loss");
}

/* "(supplied) + (flow) + ...": what sources and surroundings supply. NULL: out of memory. */
static const char *supplied_text(const tn_system *s, const tn_force *device)
{
    const tn_device *d = device->type->device;
    size_t size = 8 + (d->supplied ? strlen(d->supplied) : 0), used = 0;
    for (int k = 0; k < TN_DEVICE_FLOWS && d->flows[k].port; k++)
        size += strlen(d->flows[k].expression) + 8;
    char *text = tn_arena_alloc(s->arena, size, 1);
    if (!text)
        return NULL;
    used += (size_t)snprintf(text, size, "(%s)", d->supplied ? d->supplied : "0 W");
    for (int k = 0; k < TN_DEVICE_FLOWS && d->flows[k].port; k++)
        if (from_surroundings(s, device, &d->flows[k]))
            used += (size_t)snprintf(text + used, size - used, " + (%s)", d->flows[k].expression);
    return text;
}

/* ---- compiling ---- */

static bool takes_part(const tn_system *s, uint32_t slot)
{
    const tn_force *force = &s->model->forces[slot];
    if (!tn_takes_force(s->model, s->selection, slot) || !tn_force_is_device(force) || force->type->device->external)
        return false;
    const tn_device *d = force->type->device;
    bool any = d->stored || d->loss || d->supplied || force->type->effort[0];
    for (int k = 0; k < TN_DEVICE_FLOWS && d->flows[k].port && !any; k++)
        any = from_surroundings(s, force, &d->flows[k]);
    return any;
}

static int compile_account(tn_system *s, tn_account *account)
{
    const tn_force *force = &s->model->forces[account->source];
    const tn_device *d = force->type->device;
    const tn_share share = { TN_SHARE_ACCOUNT, account->source, 0 };
    TN_TRY(tn_shared_take(&account->formula, s, &share, NULL));
    if (account->formula)
        return TN_OK;
    const char *supplied = supplied_text(s, force);
    const char *const texts[] = { d->stored ? d->stored : "0 J", supplied,
                                  d->loss && !loss_flow(s, force) ? d->loss : "0 W" };
    static const char *const names[] = { "stored", "supplied", "loss" }, *const units[] = { "J", "W", "W" };
    if (!supplied)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_formula_create(&account->formula, s, force->entity.name));
    account->formula->acts = true;
    const tn_scope *scope = tn_force_scope_in(account->formula, account->source);
    if (!scope)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < ACCOUNTS; k++) {
        char what[200];
        snprintf(what, sizeof what, "device '%.80s': type '%.60s': '%s'", force->entity.name, force->type->name, names[k]);
        TN_TRY(tn_formula_add(account->formula, texts[k], scope, units[k], force->entity.span, what, NULL));
    }
    TN_TRY(tn_formula_finish(account->formula));
    return tn_shared_offer(s, &share, account->formula);
}

/* Whether a text, or a channel of the type that it names, names a parameter. */
static bool depends_on(const tn_force_type *type, const char *text, const char *parameter, int depth)
{
    if (!text || mentions(text, parameter))
        return text != NULL;
    for (int k = 0; k < TN_FORCE_CHANNELS && type->channels[k].name && depth > 0; k++)
        if (mentions(text, type->channels[k].name) && depends_on(type, type->channels[k].expression, parameter, depth - 1))
            return true;
    return false;
}

/* Whether the type takes into account what the rate of a parameter does to its store, and this rate is known. */
static bool counts_rate(const tn_account *account, const tn_force_type *type, const char *parameter)
{
    char rate[80];
    double value;
    tn_output_info info = { 0 };
    tn_expr_error error;
    snprintf(rate, sizeof rate, "%.60s.rate", parameter);
    bool counts = mentions(type->device->supplied, rate);
    for (int k = 0; k < TN_FORCE_PARAMETERS && type->parameters[k].name && !counts; k++)
        counts = mentions(type->parameters[k].as_built, rate);
    if (!counts)
        return false;
    tn_expr_number(account->formula->system->context, parameter, tn_force_scope_in(account->formula, account->source), &value, &info, &error);
    return !info.rateless;
}

/* Whether a parameter of what the device stores is an expression that changes while it stores, in a way that the account does not follow. */
static bool store_changes(const tn_account *account, const tn_force *device)
{
    enum { DEPTH = 4 };
    const tn_force_type *type = device->type;
    for (int k = 0; device->expressions && k < TN_FORCE_PARAMETERS && type->parameters[k].name; k++)
        if (device->expressions[k] && strcmp(type->parameters[k].unit, TN_UNIT_TABLE) != 0 &&
            depends_on(type, type->device->stored, type->parameters[k].name, DEPTH) &&
            !counts_rate(account, type, type->parameters[k].name))
            return true;
    return false;
}

/* Accounts of devices that are alike are evaluated together; those of devices with mechanical ports by themselves. */
static int find_batches(tn_system *s, tn_network_accounts *all)
{
    tn_batch_member *members = tn_arena_alloc(s->arena, (size_t)all->count, sizeof *members);
    all->batched = tn_arena_alloc(s->arena, (size_t)all->count, sizeof *all->batched);
    TN_TRY(tn_arena_status(s->arena));
    for (int k = 0; k < all->count; k++) {
        const bool mechanical = s->forces[s->force_of[all->devices[k].source]].effort_count > 0;
        members[k] = (tn_batch_member){ .formula = mechanical ? NULL : all->devices[k].formula, .count = ACCOUNTS, .target = ACCOUNTS * k };
    }
    TN_TRY(tn_formula_batches_create(&all->batches, s->arena, members, all->count));
    for (int k = 0; k < all->count; k++)
        all->batched[k] = members[k].taken;
    return TN_OK;
}

int tn_network_accounts_compile(tn_system *s)
{
    tn_network_accounts *all = tn_arena_alloc(s->arena, 1, sizeof *all);
    int worst = TN_OK;
    if (!all)
        return TN_ERROR_MEMORY;
    for (uint32_t k = 0; k < s->model->force_count; k++)
        all->count += takes_part(s, k);
    all->devices = tn_arena_alloc(s->arena, (size_t)all->count, sizeof *all->devices);
    TN_TRY(tn_arena_status(s->arena));
    for (uint32_t k = 0, at = 0; k < s->model->force_count && worst != TN_ERROR_MEMORY; k++) {
        if (!takes_part(s, k))
            continue;
        all->devices[at] = (tn_account){ .source = k };
        int code = compile_account(s, &all->devices[at++]);
        worst = code < 0 ? code : worst;
        if (code != TN_OK)
            continue;
        tn_hybrid_watch(s, all->devices[at - 1].formula, k);
        all->open |= store_changes(&all->devices[at - 1], &s->model->forces[k]);
    }
    s->network->accounts = all;
    return worst < 0 ? worst : find_batches(s, all);
}

int tn_network_account_values(const tn_system *s)
{
    return tn_network_has_account(s) ? ACCOUNTS * s->network->accounts->count : 0;
}

/* ---- measuring ---- */

bool tn_network_has_account(const tn_system *s)
{
    return s->network && s->network->accounts && s->network->accounts->count > 0;
}

bool tn_network_closes(const tn_system *s)
{
    return tn_network_has_account(s) && !s->network->accounts->open;
}

tn_network_power tn_network_measure(tn_eval *e, const tn_system *s, const double *memory)
{
    tn_network_power sum = { 0 };
    if (!tn_network_has_account(s))
        return sum;
    const tn_network_accounts *all = s->network->accounts;
    double *values = e->network->accounts;
    tn_network_evaluate(e, s, memory);
    tn_formula_batches_run(all->batches, e, memory, values);
    for (int k = 0; k < all->count; k++) {
        const tn_account *account = &all->devices[k];
        const tn_sys_force *force = &s->forces[s->force_of[account->source]];
        double *own = values + ACCOUNTS * k;
        if (!all->batched[k])
            tn_formula_evaluate_values(account->formula, e, memory);
        for (int n = 0; n < ACCOUNTS && !all->batched[k]; n++)
            own[n] = tn_formula_value(account->formula, e, n, 0);
        sum.stored += own[0];
        sum.supplied += own[1];
        sum.lost += own[2];
        if (force->effort_count > 0)
            sum.mechanical += tn_force_power(e, s, force, memory);
    }
    return sum;
}
