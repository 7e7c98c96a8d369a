/* JSON Schema (draft 2020-12) of model files, from the tables the reader uses and the types' descriptors. */
#include "keys.h"
#include "mem.h"
#include "tenon/sys/device.h"
#include "tenon/sys/saddle.h"
#include "tenon/sys/stepper.h"
#include <string.h>

enum { SEEN_MAX = 64 };            /* different settings of all methods together */
static const char NUMBER[] = "{\"$ref\": \"#/$defs/number\"}";

static void add_value(tn_text *out, const tn_key *key);

static void add_member(tn_text *out, bool *first, const char *name)
{
    tn_text_add(out, "%s\n", *first ? "" : ",");
    tn_text_add_json(out, name);
    tn_text_add(out, ": ");
    *first = false;
}

static void add_doc(tn_text *out, const char *doc)
{
    tn_text_add(out, "\"description\": ");
    tn_text_add_json(out, doc != NULL ? doc : "");
}

static void add_parameter(tn_text *out, bool *first, const tn_parameter_decl *p, const char *kind)
{
    char doc[300];
    snprintf(doc, sizeof doc, "%s%s%s%s", p->doc != NULL ? p->doc : "", p->unit[0] ? " [" : "", p->unit,
             p->unit[0] ? "]" : "");
    add_member(out, first, p->name);
    tn_text_add(out, "{\"$ref\": \"#/$defs/%s\", ", kind);
    add_doc(out, doc);
    tn_text_add(out, "}");
}

/* "value" for "value.x", "value.y", "value.z"; "stiffness" for "stiffness.11" ... "stiffness.66". */
static void add_group(tn_text *out, bool *first, const tn_parameter_decl *p)
{
    char name[64];
    const char *point = strchr(p->name, '.');
    bool vector = point != NULL && strcmp(point, ".x") == 0, matrix = point != NULL && strcmp(point, ".11") == 0;
    if (!vector && !matrix)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(point - p->name), p->name);
    add_member(out, first, name);
    bool torque = strcmp(p->unit, "N m") == 0;         /* one number in the plane */
    tn_text_add(out, "{\"$ref\": \"#/$defs/%s\"}", matrix ? "matrix" : torque ? "numbers" : "vector");
}

static void add_keys(tn_text *out, bool *first, const tn_section *section, bool with_type)
{
    for (const tn_key *key = section->keys; key->name != NULL; key++) {
        if ((!with_type && strcmp(key->name, "type") == 0) || strncmp(key->name, "variant", 7) == 0)
            continue;
        add_member(out, first, key->name);
        tn_text_add(out, "{");
        add_doc(out, key->doc);
        tn_text_add(out, ", \"allOf\": [");
        add_value(out, key);
        tn_text_add(out, "]}");
    }
}

/* One alternative of a joint or force: its type and what it takes. */
static void add_typed(tn_text *out, const tn_section *section, const char *type, const char *doc,
                      const tn_parameter_decl *declared, size_t max)
{
    bool first = true;
    tn_text_add(out, "{");
    add_doc(out, doc);
    tn_text_add(out, ", \"type\": \"object\", \"required\": [\"type\"], \"properties\": {");
    add_member(out, &first, "type");
    tn_text_add(out, "{\"const\": ");
    tn_text_add_json(out, type);
    tn_text_add(out, "}");
    add_keys(out, &first, section, false);
    for (size_t i = 0; i < max && declared[i].name != NULL; i++) {
        add_parameter(out, &first, &declared[i], strcmp(declared[i].unit, "list") == 0 ? "lists" : "number");
        add_group(out, &first, &declared[i]);
    }
    tn_text_add(out, "}, \"additionalProperties\": false}");
}

/* A type of the file's own may have any parameter. */
static void add_joint_types(tn_text *out)
{
    tn_text_add(out, "{\"anyOf\": [");
    for (size_t i = 0; tn_joint_types[i] != NULL; i++) {
        const tn_joint_type *t = tn_joint_types[i];
        add_typed(out, &tn_section_joint, t->name, t->doc, t->parameters, TN_JOINT_PARAMETERS);
        tn_text_add(out, ",\n");
    }
    tn_text_add(out, "{\"type\": \"object\", \"required\": [\"type\", \"between\"], \"properties\": "
                     "{\"type\": {\"not\": {\"enum\": [");
    for (size_t i = 0; tn_joint_types[i] != NULL; i++) {
        tn_text_add(out, i > 0 ? ", " : "");
        tn_text_add_json(out, tn_joint_types[i]->name);
    }
    tn_text_add(out, "]}}}}]}");
}

static void add_force_types(tn_text *out)
{
    tn_text_add(out, "{\"anyOf\": [");
    for (size_t i = 0; tn_force_types[i] != NULL; i++) {
        const tn_force_type *t = tn_force_types[i];
        tn_text_add(out, i > 0 ? ",\n" : "");
        add_typed(out, &tn_section_force, t->name, t->doc, t->parameters, TN_FORCE_PARAMETERS);
    }
    tn_text_add(out, "]}");
}

/* Adds the parameters that no earlier list has: two methods may take the same. seen has room for all. */
static void add_settings(tn_text *out, bool *first, const tn_parameter_decl *declared, const char **seen, size_t *count)
{
    for (size_t i = 0; i < TN_METHOD_PARAMETERS && declared[i].name != NULL; i++) {
        size_t k = 0;
        while (k < *count && strcmp(seen[k], declared[i].name) != 0)
            k++;
        if (k < *count || k == SEEN_MAX)
            continue;
        seen[(*count)++] = declared[i].name;
        add_parameter(out, first, &declared[i], "setting");
    }
}

/* Parameters of all schemes, integrators and solvers. */
static void add_method_settings(tn_text *out, bool *first)
{
    const char *seen[SEEN_MAX];
    size_t count = 0;
    for (size_t i = 0; tn_scheme_types[i] != NULL; i++)
        add_settings(out, first, tn_scheme_types[i]->parameters, seen, &count);
    for (size_t i = 0; tn_integrator_types[i] != NULL; i++)
        add_settings(out, first, tn_integrator_types[i]->parameters, seen, &count);
    for (size_t i = 0; tn_solver_types[i] != NULL; i++)
        add_settings(out, first, tn_solver_types[i]->parameters, seen, &count);
}

/* A type of the file's own may have any parameter. */
static void add_device_types(tn_text *out)
{
    tn_text_add(out, "{\"anyOf\": [");
    for (size_t f = 0; tn_device_families[f] != NULL; f++)
        for (size_t i = 0; tn_device_families[f][i] != NULL; i++) {
            const tn_force_type *t = tn_device_families[f][i];
            add_typed(out, &tn_section_device, t->name, t->doc, t->parameters, TN_FORCE_PARAMETERS);
            tn_text_add(out, ",\n");
        }
    tn_text_add(out, "{\"type\": \"object\", \"required\": [\"type\"], \"properties\": "
                     "{\"type\": {\"not\": {\"enum\": [");
    for (size_t f = 0, n = 0; tn_device_families[f] != NULL; f++)
        for (size_t i = 0; tn_device_families[f][i] != NULL; i++, n++) {
            tn_text_add(out, n > 0 ? ", " : "");
            tn_text_add_json(out, tn_device_families[f][i]->name);
        }
    tn_text_add(out, "]}}}}]}");
}

/* An entry with variants may have its type in them. */
static const char WITH_VARIANTS[] = "{\"anyOf\": [{\"type\": \"object\", \"required\": [\"variants\"], \"properties\": "
    "{\"variant\": {\"type\": [\"string\", \"number\"]}, \"variants\": {\"type\": \"object\"}}},\n";

static void add_plain_section(tn_text *out, const tn_section *section)
{
    if (section->types == TN_FAMILY_JOINT) {
        add_joint_types(out);
    } else if (section->types == TN_FAMILY_FORCE) {
        add_force_types(out);
    } else if (section->types == TN_FAMILY_DEVICE) {
        add_device_types(out);
    } else {
        bool first = true;
        tn_text_add(out, "{\"type\": \"object\", \"properties\": {");
        add_keys(out, &first, section, true);
        if (section == &tn_section_solve)
            add_method_settings(out, &first);
        tn_text_add(out, section->open ? "}, \"additionalProperties\": %s}" : "}, \"additionalProperties\": false}",
                    NUMBER);
    }
}

static void add_section(tn_text *out, const tn_section *section)
{
    bool variants = false;
    for (const tn_key *key = section->keys; key->name != NULL; key++)
        variants |= strcmp(key->name, "variants") == 0;
    if (variants)
        tn_text_add(out, "%s", WITH_VARIANTS);
    add_plain_section(out, section);
    tn_text_add(out, variants ? "]}" : "");
}

static void add_choices(tn_text *out, const char *const *choices)
{
    tn_text_add(out, "{\"enum\": [");
    for (size_t i = 0; choices[i] != NULL; i++) {
        bool digit = choices[i][0] >= '0' && choices[i][0] <= '9';
        tn_text_add(out, i > 0 ? ", " : "");
        if (digit)
            tn_text_add(out, "%s", choices[i]);
        else
            tn_text_add_json(out, choices[i]);
    }
    tn_text_add(out, "]}");
}

/* scheme, integrator and solver complete to the names there are. */
static bool add_method(tn_text *out, const tn_key *key)
{
    const tn_key *keys = tn_section_solve.keys;
    if (key != &keys[TN_SOLVE_ROW_SCHEME] && key != &keys[TN_SOLVE_ROW_INTEGRATOR] && key != &keys[TN_SOLVE_ROW_SOLVER])
        return false;
    tn_text_add(out, "{\"enum\": [");
    for (size_t i = 0;; i++) {
        const char *name = NULL;
        if (key == &keys[TN_SOLVE_ROW_SCHEME] && tn_scheme_types[i] != NULL)
            name = tn_scheme_types[i]->name;
        else if (key == &keys[TN_SOLVE_ROW_INTEGRATOR] && tn_integrator_types[i] != NULL)
            name = tn_integrator_types[i]->name;
        else if (key == &keys[TN_SOLVE_ROW_SOLVER] && tn_solver_types[i] != NULL)
            name = tn_solver_types[i]->name;
        if (name == NULL)
            break;
        tn_text_add(out, i > 0 ? ", " : "");
        tn_text_add_json(out, name);
    }
    tn_text_add(out, "]}");
    return true;
}

static void add_structure(tn_text *out, const tn_key *key)
{
    if (key->kind == TN_VALUE_SECTIONS)
        tn_text_add(out, "{\"type\": \"array\", \"items\": ");
    else if (key->kind == TN_VALUE_NAMED)
        tn_text_add(out, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": ");
    add_section(out, key->section);
    tn_text_add(out, key->kind == TN_VALUE_SECTION ? "" : "}");
}

static void add_value(tn_text *out, const tn_key *key)
{
    static const char *const fixed[] = {
        [TN_VALUE_NUMBER] = "{\"$ref\": \"#/$defs/number\"}",
        [TN_VALUE_FORMULA] = "{\"$ref\": \"#/$defs/number\"}",
        [TN_VALUE_OUTPUTS] = "{\"$ref\": \"#/$defs/outputs\"}",
        [TN_VALUE_ACTIONS] = "{\"$ref\": \"#/$defs/actions\"}",
        [TN_VALUE_PAIRS] = "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/vector\"}}",
        [TN_VALUE_ROWS] = "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/numbers\"}}",
        [TN_VALUE_NUMBERS] = "{\"$ref\": \"#/$defs/numbers\"}",
        [TN_VALUE_VECTOR] = "{\"$ref\": \"#/$defs/vector\"}",
        [TN_VALUE_SPIN] = "{\"$ref\": \"#/$defs/numbers\"}",
        [TN_VALUE_AXIS] = "{\"$ref\": \"#/$defs/axis\"}",
        [TN_VALUE_TEXT] = "{\"type\": [\"string\", \"number\"]}",
        [TN_VALUE_TEXTS] = "{\"$ref\": \"#/$defs/texts\"}",
        [TN_VALUE_PAIR] = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 2, \"maxItems\": 2}",
        [TN_VALUE_NUMBER_MAP] = "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}",
        [TN_VALUE_LIMITS] = "{\"type\": \"object\", \"properties\": {\"restitution\": "
                            "{\"$ref\": \"#/$defs/number\"}}, \"additionalProperties\": "
                            "{\"$ref\": \"#/$defs/vector\"}}",
        [TN_VALUE_ANY] = "{\"type\": [\"string\", \"array\", \"object\"]}",
        [TN_VALUE_TEXT_MAP] = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}}",
        [TN_VALUE_SWITCH] = "{\"enum\": [true, false, \"yes\", \"no\"]}",
        [TN_VALUE_NAMED] = NULL,
    };
    if (add_method(out, key))
        return;
    if (fixed[key->kind] != NULL)
        tn_text_add(out, "%s", fixed[key->kind]);
    else if (key->kind == TN_VALUE_CHOICE)
        add_choices(out, key->choices);
    else
        add_structure(out, key);
}

int tn_schema_text(char **out, tn_context *context)
{
    tn_text text;
    bool first = true;
    tn_text_begin(&text, context);
    tn_text_add(&text, "{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                       "\"title\": \"Tenon model\",\n\"type\": \"object\",\n\"properties\": {");
    add_keys(&text, &first, &tn_section_top, true);
    tn_text_add(&text, "\n},\n\"additionalProperties\": false,\n\"$defs\": {\n"
                       "\"number\": {\"type\": [\"number\", \"string\"]},\n"
                       "\"numbers\": {\"anyOf\": [%s, {\"type\": \"array\", \"items\": %s}]},\n"
                       "\"setting\": {\"anyOf\": [%s, {\"type\": \"object\", \"additionalProperties\": %s}]},\n"
                       "\"vector\": {\"type\": \"array\", \"items\": %s, \"minItems\": 2, \"maxItems\": 3},\n"
                       "\"lists\": {\"type\": [\"array\", \"object\", \"string\", \"number\"]},\n"
                       "\"matrix\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/numbers\"}},\n"
                       "\"axis\": {\"anyOf\": [{\"enum\": [\"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\"]}, "
                       "{\"$ref\": \"#/$defs/vector\"}]},\n"
                       "\"texts\": {\"anyOf\": [{\"type\": [\"string\", \"null\"]}, {\"type\": \"array\", \"items\": "
                       "{\"type\": \"string\"}}]},\n"
                       "\"outputs\": {\"type\": [\"array\", \"string\", \"null\"], \"items\": "
                       "{\"type\": [\"string\", \"object\"]}},\n"
                       "\"actions\": {\"type\": [\"array\", \"string\", \"object\", \"null\"], \"items\": "
                       "{\"type\": [\"string\", \"object\"]}}\n}\n}\n",
                NUMBER, NUMBER, NUMBER, NUMBER, NUMBER);
    return tn_text_take(&text, out);
}
