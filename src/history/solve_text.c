/* Writing all settings as text, and reading them back bit for bit. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "entry.h"

static const char *const assemble_words[] = { "project", "strict", "none" };
static const char *const impact_words[] = { "sequence", "newton", "poisson" };
static const char *const contact_words[] = { "automatic", "event-driven", "time-stepping" };
static const char *const trust_words[] = { "warn", "off", "stop" };

void tn_solve_write(tn_text *out, const tn_solve *s)
{
    tn_text_add(out, "{ scheme: %s, integrator: %s, solver: %s", s->scheme, s->integrator, s->solver);
    tn_text_add(out, ", until: %.17g, step: %.17g, max_step: %.17g, tolerance: %.17g, absolute_tolerance: %.17g",
                s->until, s->step, s->max_step, s->tolerance, s->absolute_tolerance);
    tn_text_add(out, ", record: %.17g, assemble: %s, gap_tolerance: %.17g", s->record, assemble_words[s->assemble],
                s->gap_tolerance);
    tn_text_add(out, ", impact: %s, resting_speed: %.17g", impact_words[s->impact], s->resting_speed);
    tn_text_add(out, ", contact: %s, contact_step: %.17g", contact_words[s->contact], s->contact_step);
    if (s->resolve_overlaps)
        tn_text_add(out, ", overlaps: resolve");
    tn_text_add(out, ", trust: %s, trust_energy: %.17g, trust_drift: %.17g, trust_forces: %.17g, trust_step: %.17g",
                trust_words[s->trust], s->trust_energy, s->trust_drift, s->trust_forces, s->trust_step);
    tn_text_add(out, ", settings: [");
    for (size_t k = 0; k < s->setting_count; k++) {
        tn_text_add(out, "%s{ name: %s, value: %.17g", k ? ", " : "", s->settings[k].name, s->settings[k].value);
        if (s->settings[k].joint) {
            tn_text_add(out, ", joint: ");
            tn_text_add_json(out, s->settings[k].joint);
        }
        tn_text_add(out, " }");
    }
    tn_text_add(out, "] }");
}

static int read_name(const char **out, tn_context *context, const tn_node *map, const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    if (!node || node->kind != TN_NODE_TEXT)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'%s' must be a name", key);
    *out = node->as.text;
    return TN_OK;
}

static int read_settings(tn_solve *out, tn_context *context, const tn_node *map)
{
    const tn_node *list = tn_node_get(map, "settings");
    if (!list || list->kind != TN_NODE_LIST || list->count > TN_MAX_SOLVE_SETTINGS)
        return tn_fail(context, TN_ERROR_MODEL, map->span, "'settings' must be a list of at most %d",
                       TN_MAX_SOLVE_SETTINGS);
    for (unsigned i = 0; i < list->count; i++) {
        tn_solve_setting *setting = &out->settings[out->setting_count++];
        const tn_node *item = list->as.items[i];
        TN_TRY(read_name(&setting->name, context, item, "name"));
        TN_TRY(tn_map_number(&setting->value, context, item, "value"));
        if (tn_node_get(item, "joint"))
            TN_TRY(read_name(&setting->joint, context, item, "joint"));
    }
    return TN_OK;
}

/* Texts of earlier versions have no settings of the judge: it then has its defaults. */
static int read_trust(tn_solve *out, tn_context *context, const tn_node *map)
{
    const tn_solve defaults = tn_solve_default();
    const char *trust = "";
    const struct { const char *key; double *value, otherwise; } numbers[] = {
        { "trust_energy", &out->trust_energy, defaults.trust_energy },
        { "trust_drift", &out->trust_drift, defaults.trust_drift },
        { "trust_forces", &out->trust_forces, defaults.trust_forces },
        { "trust_step", &out->trust_step, defaults.trust_step },
    };
    for (size_t k = 0; k < TN_LENGTH(numbers); k++) {
        *numbers[k].value = numbers[k].otherwise;
        if (tn_node_get(map, numbers[k].key))
            TN_TRY(tn_map_number(numbers[k].value, context, map, numbers[k].key));
    }
    if (tn_node_get(map, "trust"))
        TN_TRY(read_name(&trust, context, map, "trust"));
    for (size_t k = 0; k < TN_LENGTH(trust_words); k++)
        if (strcmp(trust, trust_words[k]) == 0)
            out->trust = (tn_trust_rule)k;
    return TN_OK;
}

int tn_solve_read(tn_solve *out, tn_context *context, const tn_node *map)
{
    const char *assemble = "", *impact = "", *contact = "";
    *out = (tn_solve){ .contact_step = NAN };
    const struct { const char *key; double *value; } numbers[] = {
        { "until", &out->until }, { "step", &out->step }, { "max_step", &out->max_step },
        { "tolerance", &out->tolerance }, { "absolute_tolerance", &out->absolute_tolerance },
        { "record", &out->record }, { "gap_tolerance", &out->gap_tolerance },
        { "resting_speed", &out->resting_speed },
    };
    for (size_t k = 0; k < TN_LENGTH(numbers); k++)
        TN_TRY(tn_map_number(numbers[k].value, context, map, numbers[k].key));
    TN_TRY(read_name(&out->scheme, context, map, "scheme"));
    TN_TRY(read_name(&out->integrator, context, map, "integrator"));
    TN_TRY(read_name(&out->solver, context, map, "solver"));
    TN_TRY(read_name(&assemble, context, map, "assemble"));
    TN_TRY(read_name(&impact, context, map, "impact"));
    if (tn_node_get(map, "contact")) {                 /* journals of earlier versions have no such settings */
        TN_TRY(read_name(&contact, context, map, "contact"));
        TN_TRY(tn_map_number(&out->contact_step, context, map, "contact_step"));
    }
    out->resolve_overlaps = tn_node_get(map, "overlaps") != NULL;
    for (size_t k = 0; k < TN_LENGTH(contact_words); k++)
        if (strcmp(contact, contact_words[k]) == 0)
            out->contact = (tn_contact_method)k;
    for (size_t k = 0; k < TN_LENGTH(impact_words); k++)
        if (strcmp(impact, impact_words[k]) == 0)
            out->impact = (tn_impact_rule)k;
    for (size_t k = 0; k < TN_LENGTH(assemble_words); k++)
        if (strcmp(assemble, assemble_words[k]) == 0)
            out->assemble = (tn_assemble_rule)k;
    TN_TRY(read_trust(out, context, map));
    return read_settings(out, context, map);
}
