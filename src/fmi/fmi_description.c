/* Reads modelDescription.xml of FMUs, versions 2.0 and 3.0. */
#include "fmi_description.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diag.h"
#include "units.h"
#include "xml.h"

enum { MOST_VARIABLES = 1000000, MOST_DIMENSIONS = 8 };

typedef struct describer {
    tn_fmi_description *out;
    tn_arena *arena;
    tn_context *context;
    const char *file;
    const tn_xml *root, *units, *types;
} describer;

static int refuse(const describer *d, const tn_xml *at, const char *what, const char *name)
{
    return tn_fail(d->context, TN_ERROR_MODEL, at ? at->place : ((tn_span){ d->file, 0, 0 }), what, name);
}

static bool is_true(const tn_xml *element, const char *name)
{
    const char *text = tn_xml_get(element, name);
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

static double number_of(const tn_xml *element, const char *name, double otherwise)
{
    const char *text = tn_xml_get(element, name);
    char *end;
    if (text && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0))
        return text[0] == 't';
    double value = text ? strtod(text, &end) : otherwise;
    return text && end == text ? otherwise : value;
}

/* ---- units ---- */

static const double LARGEST_EXPONENT = 99;

/* The SI unit of exponents as model files spell it: "kg m^2/s^2". NULL: not one of theirs. */
static const char *spell_unit(describer *d, const tn_xml *base)
{
    static const char *const names[] = { "kg", "m", "A", "K", "rad", "s" };
    char text[120] = "";
    size_t used = 0;
    double factor;
    tn_dim dim;
    for (size_t k = 0; k < TN_LENGTH(names); k++)
        if (!(fabs(number_of(base, names[k], 0)) <= LARGEST_EXPONENT))
            return NULL;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < TN_LENGTH(names); k++) {
            int power = (int)number_of(base, names[k], 0), size = abs(power);
            if (power == 0 || (power < 0) != (pass == 1))
                continue;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", pass == 1 ? used > 0 ? "/" : "1/" : used > 0 ? " " : "",
                                     names[k]);
            if (size > 1)
                used += (size_t)snprintf(text + used, sizeof text - used, "^%d", size);
        }
    if (number_of(base, "mol", 0) != 0 || number_of(base, "cd", 0) != 0 || tn_unit_parse(text, used, &factor, &dim) != 0)
        return NULL;
    return tn_arena_strdup(d->arena, text);
}

static void take_unit(describer *d, const char *name, tn_fmi_variable *v)
{
    for (const tn_xml *unit = tn_xml_child(d->units, "Unit"); unit; unit = tn_xml_next(unit, "Unit")) {
        const char *found = tn_xml_get(unit, "name");
        const tn_xml *base = tn_xml_child(unit, "BaseUnit");
        if (!found || strcmp(found, name) != 0 || !base)
            continue;
        v->factor = number_of(base, "factor", 1);
        v->offset = number_of(base, "offset", 0);
        v->unit = spell_unit(d, base);
        if (!(fabs(v->factor) > 0) || !isfinite(v->factor) || !isfinite(v->offset)) {
            v->factor = 1;
            v->offset = 0;
            v->unit = NULL;
        }
    }
}

/* ---- variables ---- */

static tn_fmi_type type_of(const char *name, int version)
{
    static const struct {
        const char *name;
        int version;
        tn_fmi_type type;
    } list[] = {
        { "Real", 2, TN_FMI_FLOAT64 }, { "Integer", 2, TN_FMI_INT32 }, { "Boolean", 2, TN_FMI_BOOLEAN },
        { "Enumeration", 2, TN_FMI_INT32 }, { "Float64", 3, TN_FMI_FLOAT64 }, { "Float32", 3, TN_FMI_FLOAT32 },
        { "Int8", 3, TN_FMI_INT8 }, { "UInt8", 3, TN_FMI_UINT8 }, { "Int16", 3, TN_FMI_INT16 },
        { "UInt16", 3, TN_FMI_UINT16 }, { "Int32", 3, TN_FMI_INT32 }, { "UInt32", 3, TN_FMI_UINT32 },
        { "Int64", 3, TN_FMI_INT64 }, { "UInt64", 3, TN_FMI_UINT64 }, { "Boolean", 3, TN_FMI_BOOLEAN },
        { "Enumeration", 3, TN_FMI_INT64 }, { "Clock", 3, TN_FMI_CLOCK }, { "String", 2, TN_FMI_TEXT }, { "String", 3, TN_FMI_TEXT },
    };
    for (size_t k = 0; k < TN_LENGTH(list); k++)
        if (list[k].version == version && strcmp(list[k].name, name) == 0)
            return list[k].type;
    return TN_FMI_OTHER;
}

static tn_fmi_causality causality_of(const char *text)
{
    static const char *const names[] = { "parameter", "structuralParameter", "input", "output", "local", "independent",
                                         "calculatedParameter" };
    for (size_t k = 0; text && k < TN_LENGTH(names); k++)
        if (strcmp(names[k], text) == 0)
            return (tn_fmi_causality)k;
    return TN_FMI_LOCAL;
}

/* The type that a variable declares; NULL: none. */
static const tn_xml *declared_type(const describer *d, const tn_xml *element)
{
    const char *type = tn_xml_get(element, "declaredType");
    for (const tn_xml *t = type && d->types ? tn_xml_child(d->types, NULL) : NULL; t; t = tn_xml_next(t, NULL)) {
        const char *found = tn_xml_get(t, "name");
        if (found && strcmp(found, type) == 0)
            return d->out->version == 2 ? tn_xml_child(t, NULL) : t;
    }
    return NULL;
}

/* An attribute of a variable or of the type that it declares. */
static const char *attribute(const describer *d, const tn_xml *element, const char *name)
{
    const char *own = tn_xml_get(element, name);
    const tn_xml *type = own ? NULL : declared_type(d, element);
    return type ? tn_xml_get(type, name) : own;
}

/* The names of an enumeration's values. */
static int take_items(describer *d, const tn_xml *element, tn_fmi_variable *v)
{
    const tn_xml *type = declared_type(d, element);
    size_t count = 0;
    for (const tn_xml *i = type ? tn_xml_child(type, "Item") : NULL; i; i = tn_xml_next(i, "Item"))
        count++;
    tn_fmi_item *items = tn_arena_alloc(d->arena, count, sizeof *items);
    if (!items)
        return TN_ERROR_MEMORY;
    for (const tn_xml *i = count > 0 ? tn_xml_child(type, "Item") : NULL; i; i = tn_xml_next(i, "Item")) {
        const char *name = tn_xml_get(i, "name");
        items[v->item_count++] = (tn_fmi_item){ tn_arena_strdup(d->arena, name ? name : ""), number_of(i, "value", 0) };
    }
    v->items = items;
    return tn_arena_status(d->arena);
}

/* ---- arrays ---- */

/* The extent of a dimension: a number, or the start value of a structural parameter. 0: not known. */
static long extent_of(const describer *d, const tn_xml *dimension)
{
    const char *number = tn_xml_get(dimension, "start"), *reference = tn_xml_get(dimension, "valueReference");
    const tn_xml *list = tn_xml_child(d->root, "ModelVariables");
    for (const tn_xml *v = tn_xml_child(list, NULL); v && !number && reference; v = tn_xml_next(v, NULL)) {
        const char *found = tn_xml_get(v, "valueReference");
        if (found && strcmp(found, reference) == 0)
            number = tn_xml_get(v, "start");
    }
    long extent = number ? strtol(number, NULL, 10) : 0;
    return extent > 0 && extent <= MOST_VARIABLES ? extent : 0;
}

/* Extents of an array; returns the number of elements, 1 for a scalar, 0 where that is not known. */
static int shape_of(const describer *d, const tn_xml *element, long extents[MOST_DIMENSIONS], int *dimensions)
{
    long size = 1;
    *dimensions = 0;
    for (const tn_xml *n = d->out->version == 3 ? tn_xml_child(element, "Dimension") : NULL; n; n = tn_xml_next(n, "Dimension")) {
        if (*dimensions == MOST_DIMENSIONS)
            return 0;
        long extent = extents[(*dimensions)++] = extent_of(d, n);
        size = extent > 0 && size <= MOST_VARIABLES / extent ? size * extent : 0;
        if (size == 0)
            return 0;
    }
    return (int)size;
}

static int element_count(const describer *d, const tn_xml *element)
{
    long extents[MOST_DIMENSIONS];
    int dimensions, size = shape_of(d, element, extents, &dimensions);
    return size > 0 ? size : 1;
}

/* The number at a place of a list of numbers; the last one where the list is shorter. */
static double number_in(const char *text, int place, double otherwise)
{
    char *end;
    for (int k = 0; text && *text; k++, text = end) {
        double value = strtod(text, &end);
        if (end == text)
            break;
        otherwise = value;
        if (k == place)
            break;
    }
    return otherwise;
}

/* Gives the elements of an array, of which the first is there, their names and start values. */
static int spread_array(describer *d, const tn_xml *element, tn_fmi_variable *first, const long *extents, int dimensions)
{
    const char *start = tn_xml_get(element, "start"), *name = first->name;
    for (int k = 0; k < first->size; k++) {
        tn_fmi_variable *v = first + k;
        char text[400];
        size_t used = (size_t)snprintf(text, sizeof text, "%.200s[", name);
        long behind = first->size;
        *v = *first;
        v->element = k;
        for (int i = 0; i < dimensions; i++) {
            behind /= extents[i];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%ld", i > 0 ? "," : "", k / behind % extents[i] + 1);
        }
        snprintf(text + used, sizeof text - used, "]");
        v->start = v->factor * number_in(start, k, 0) + v->offset;
        v->name = tn_arena_strdup(d->arena, text);
        if (!v->name)
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

/* A number, or numbers with blanks between them; booleans are numbers. */
static bool are_numbers(const char *text)
{
    static const char blanks[] = " \t\r\n";
    int count = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks), count++) {
        char *end = NULL;
        const size_t length = strcspn(text, blanks);
        const bool word = (length == 4 && strncmp(text, "true", 4) == 0) || (length == 5 && strncmp(text, "false", 5) == 0);
        if (!word && (strtod(text, &end), end != text + length))
            return false;
        text += length;
    }
    return count > 0;
}

/* Numbers of the standards are unsigned, of 32 bits. */
static bool is_reference(const char *text)
{
    return text[0] && strspn(text, "0123456789") == strlen(text) && strtoull(text, NULL, 10) <= UINT32_MAX;
}

/* v: place for all elements. */
static int take_variable(describer *d, const tn_xml *element, tn_fmi_variable *v)
{
    const tn_xml *type = d->out->version == 2 ? tn_xml_child(element, NULL) : element;
    const char *variability = tn_xml_get(element, "variability"), *name = tn_xml_get(element, "name");
    const char *reference = tn_xml_get(element, "valueReference");
    *v = (tn_fmi_variable){ .factor = 1, .derivative_of = -1 };
    if (!name || !reference || !type)
        return refuse(d, element, "a variable lacks its %s", !name ? "name" : !reference ? "valueReference" : "type");
    if (!is_reference(reference))
        return refuse(d, element, "the valueReference '%.40s' is no number of 32 bits", reference);
    v->name = tn_arena_strdup(d->arena, name);
    v->reference = (uint32_t)strtoul(reference, NULL, 10);
    v->type = type_of(type->name, d->out->version);
    v->causality = causality_of(tn_xml_get(element, "causality"));
    bool real = v->type == TN_FMI_FLOAT64 || v->type == TN_FMI_FLOAT32;
    v->continuous = variability ? strcmp(variability, "continuous") == 0 : real && v->causality != TN_FMI_PARAMETER;
    long extents[MOST_DIMENSIONS];
    int dimensions;
    v->size = shape_of(d, element, extents, &dimensions);
    v->unsized = v->size == 0;
    v->size += v->unsized;
    v->clocked = d->out->version == 3 && tn_xml_get(element, "clocks");
    const char *unit = real ? attribute(d, type, "unit") : NULL, *start = tn_xml_get(type, "start");
    const char *relative = real ? attribute(d, type, "relativeQuantity") : NULL;
    if (unit)
        take_unit(d, unit, v);
    if (relative && (strcmp(relative, "true") == 0 || strcmp(relative, "1") == 0))
        v->offset = 0;                                 /* a difference: 10 degC are 10 K */
    if (tn_xml_is(type, "Enumeration"))
        TN_TRY(take_items(d, type, v));
    if (start && v->type < TN_FMI_TEXT && !are_numbers(start))
        return refuse(d, element, "the start value '%.40s' is no number", start);
    v->has_start = start != NULL;
    v->start = v->factor * number_of(type, "start", 0) + v->offset;
    if (tn_xml_get(type, "derivative"))
        v->derivative_of = strtol(tn_xml_get(type, "derivative"), NULL, 10);
    if (!v->name)
        return TN_ERROR_MEMORY;
    return dimensions > 0 && !v->unsized ? spread_array(d, element, v, extents, dimensions) : TN_OK;
}

static bool is_variable(const describer *d, const tn_xml *element)
{
    return d->out->version == 3 || tn_xml_is(element, "ScalarVariable");
}

static int take_variables(describer *d)
{
    const tn_xml *list = tn_xml_child(d->root, "ModelVariables");
    int count = 0;
    for (const tn_xml *v = tn_xml_child(list, NULL); v && count <= MOST_VARIABLES; v = tn_xml_next(v, NULL))
        count += is_variable(d, v) ? element_count(d, v) : 0;
    if (count == 0 || count > MOST_VARIABLES)
        return refuse(d, list ? list : d->root, "there are no variables%s", count > 0 ? ", or too many" : "");
    d->out->variables = tn_arena_alloc(d->arena, (size_t)count, sizeof *d->out->variables);
    if (!d->out->variables)
        return TN_ERROR_MEMORY;
    for (const tn_xml *v = tn_xml_child(list, NULL); v; v = tn_xml_next(v, NULL))
        if (is_variable(d, v)) {
            tn_fmi_variable *first = &d->out->variables[d->out->variable_count];
            TN_TRY(take_variable(d, v, first));
            d->out->variable_count += first->size;
        }
    return TN_OK;
}

bool tn_fmi_same_variable(const tn_fmi_description *d, int a, int b)
{
    return a == b || (d->version == 3 && d->variables[a].reference == d->variables[b].reference);
}

int tn_fmi_find(const tn_fmi_description *d, const char *name)
{
    for (int k = 0; k < d->variable_count; k++)
        if (strcmp(d->variables[k].name, name) == 0)
            return k;
    return -1;
}

/* ---- model structure ---- */

/* 2.0 numbers variables from 1, 3.0 names them by reference. -1: there is none. */
static int variable_at(const tn_fmi_description *d, long number)
{
    if (d->version == 2)
        return number >= 1 && number <= d->variable_count ? (int)number - 1 : -1;
    for (int k = 0; k < d->variable_count; k++)
        if (d->variables[k].reference == (uint32_t)number)
            return k;
    return -1;
}

static int take_unknown(describer *d, const tn_xml *element, tn_fmi_unknown *out)
{
    const char *number = tn_xml_get(element, d->out->version == 2 ? "index" : "valueReference");
    const char *text = tn_xml_get(element, "dependencies");
    *out = (tn_fmi_unknown){ .variable = number ? variable_at(d->out, strtol(number, NULL, 10)) : -1, .lists = text != NULL };
    if (out->variable < 0)
        return refuse(d, element, "the model structure names a variable '%s' that there is not", number ? number : "");
    out->on = tn_arena_alloc(d->arena, text ? strlen(text) : 0, sizeof *out->on);
    if (!out->on)
        return TN_ERROR_MEMORY;
    for (char *end; text && *text; text = end) {
        long on = strtol(text, &end, 10);
        if (end == text)
            break;
        int variable = variable_at(d->out, on);
        if (variable >= 0)
            out->on[out->count++] = variable;
    }
    return TN_OK;
}

/* The unknowns with the given element name under a list. */
static int take_unknowns(describer *d, const tn_xml *list, const char *name, tn_fmi_unknown **out, int *count)
{
    size_t most = 0;
    tn_fmi_unknown unknown;
    for (const tn_xml *u = tn_xml_child(list, name); u; u = tn_xml_next(u, name)) {
        TN_TRY(take_unknown(d, u, &unknown));
        most += (size_t)d->out->variables[unknown.variable].size;
    }
    *out = tn_arena_alloc(d->arena, most, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    for (const tn_xml *u = tn_xml_child(list, name); u; u = tn_xml_next(u, name)) {
        TN_TRY(take_unknown(d, u, &unknown));
        for (int k = d->out->variables[unknown.variable].size; k > 0; k--, unknown.variable++)
            (*out)[(*count)++] = unknown;
    }
    return TN_OK;
}

static int take_structure(describer *d)
{
    tn_fmi_description *f = d->out;
    const tn_xml *structure = tn_xml_child(d->root, "ModelStructure");
    const bool old = f->version == 2;
    TN_TRY(take_unknowns(d, old ? tn_xml_child(structure, "Outputs") : structure, old ? "Unknown" : "Output", &f->outputs,
                         &f->output_count));
    TN_TRY(take_unknowns(d, old ? tn_xml_child(structure, "Derivatives") : structure,
                         old ? "Unknown" : "ContinuousStateDerivative", &f->rates, &f->rate_count));
    f->states = tn_arena_alloc(d->arena, (size_t)f->rate_count, sizeof *f->states);
    if (!f->states)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < f->rate_count; k++) {
        const tn_fmi_variable *rate = &f->variables[f->rates[k].variable];
        f->states[k] = rate->derivative_of < 0 ? -1 : variable_at(f, rate->derivative_of);
        if (f->states[k] < 0)
            return refuse(d, structure, "the variable '%s' is listed as a derivative, but it does not say of which state", rate->name);
        if (rate->unsized || f->variables[f->states[k]].size != rate->size)
            return refuse(d, structure, "the state derivative '%s' has not as many elements as its state", rate->name);
        f->states[k] += rate->element;
    }
    const double told = old ? number_of(d->root, "numberOfEventIndicators", 0) : 0;
    f->indicator_count = told >= 0 && told <= MOST_VARIABLES ? (int)told : -1;
    tn_fmi_unknown *indicators;
    if (!old)
        TN_TRY(take_unknowns(d, structure, "EventIndicator", &indicators, &f->indicator_count));
    return f->indicator_count >= 0 && f->indicator_count <= MOST_VARIABLES ? TN_OK
           : refuse(d, d->root, "the number of event indicators is wrong%s", "");
}

/* ---- the whole ---- */

static tn_fmi_kind kind_of(describer *d, const char *name)
{
    const tn_xml *e = tn_xml_child(d->root, name);
    const bool old = d->out->version == 2;
    if (!e)
        return (tn_fmi_kind){ .there = false };
    const char *identifier = tn_xml_get(e, "modelIdentifier");
    return (tn_fmi_kind){ .there = identifier != NULL, .identifier = tn_arena_strdup(d->arena, identifier ? identifier : ""),
                          .needs_tool = is_true(e, "needsExecutionTool"),
                          .saves = is_true(e, old ? "canGetAndSetFMUstate" : "canGetAndSetFMUState"),
                          .directional = is_true(e, old ? "providesDirectionalDerivative" : "providesDirectionalDerivatives"),
                          .completed = old ? !is_true(e, "completedIntegratorStepNotNeeded")
                                           : is_true(e, "needsCompletedIntegratorStep"),
                          .interpolates = old && is_true(e, "canInterpolateInputs"),
                          .variable_steps = is_true(e, "canHandleVariableCommunicationStepSize") };
}

/* A file name of its own: nothing that leads elsewhere. */
static bool is_identifier(const char *text)
{
    return text && text[0] && strlen(text) < 200 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(text);
}

int tn_fmi_describe(tn_fmi_description *out, tn_arena *arena, tn_context *context, const char *file, const char *text,
                    size_t size)
{
    describer d = { .out = out, .arena = arena, .context = context, .file = file };
    tn_xml *root;
    *out = (tn_fmi_description){ 0 };
    TN_TRY(tn_xml_parse(&root, arena, context, file, text, size));
    d.root = root;
    const char *version = tn_xml_get(root, "fmiVersion");
    if (!tn_xml_is(root, "fmiModelDescription") || !version || (version[0] != '2' && version[0] != '3') || version[1] != '.')
        return refuse(&d, root, "is not a description of FMI 2.0 or 3.0%s", "");
    out->version = version[0] - '0';
    d.units = tn_xml_child(root, "UnitDefinitions");
    d.types = tn_xml_child(root, "TypeDefinitions");
    const char *token = tn_xml_get(root, out->version == 2 ? "guid" : "instantiationToken"), *name = tn_xml_get(root, "modelName");
    out->token = tn_arena_strdup(arena, token ? token : "");
    out->name = tn_arena_strdup(arena, name ? name : "");
    out->exchange = kind_of(&d, "ModelExchange");
    out->simulation = kind_of(&d, "CoSimulation");
    TN_TRY(tn_arena_status(arena));
    const tn_fmi_kind *kinds[] = { &out->exchange, &out->simulation };
    for (int k = 0; k < 2; k++)
        if (kinds[k]->there && !is_identifier(kinds[k]->identifier))
            return refuse(&d, root, "the modelIdentifier '%.80s' is no identifier", kinds[k]->identifier);
    if (!out->exchange.there && !out->simulation.there)
        return refuse(&d, root, "offers neither model exchange nor co-simulation%s", "");
    out->step = number_of(tn_xml_child(root, "DefaultExperiment"), "stepSize", 0);
    TN_TRY(take_variables(&d));
    return take_structure(&d);
}
