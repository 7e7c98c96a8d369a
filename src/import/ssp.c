/* SSP 1.0: a system of FMUs that are connected with each other. Each component becomes a device of the model, each connection an
 * input of a device, and the connectors of the system inputs and outputs of the model. Systems inside systems are taken apart. */
#include "source.h"

#include "archive.h"
#include "diag.h"
#include "entities.h"
#include "units.h"
#include "writer.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { SSP_DEEPEST = 30 };
static const size_t SSP_DESCRIPTION_LIMIT = (size_t)64 << 20, SSP_FMU_LIMIT = (size_t)512 << 20;

typedef struct ssp_component {
    const tn_xml *element, *system;    /* itself, and the system around it */
    const char *path, *label, *file;   /* "drive.motor"; of the device; of the FMU in the model folder */
    const char *inputs;                /* of the device, as they are written */
    const char **output_names, **output_labels;    /* variables, and their names in the model */
    size_t output_count, output_capacity;
    bool exchanges, steps;             /* the FMU has model exchange; it says how long its communication steps are */
} ssp_component;

typedef struct ssp_reader {
    tn_machine *machine;
    tn_archive *archive;
    const char *file;
    const tn_xml *root;                /* the outermost system */
    const tn_xml *units;
    ssp_component *components;
    size_t component_count, component_capacity;
    bool failed;
} ssp_reader;

#define SSP_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

static const char *text_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

/* A name for expressions: letters, digits and _. */
static const char *expression_name(tn_machine *machine, const char *name)
{
    char *out = tn_arena_strdup(machine->arena, name[0] ? name : "x");
    if (!out)
        return "x";
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return isalpha((unsigned char)out[0]) ? out : tn_machine_text(machine, "v%s", out);
}

/* ---- components ---- */

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static const tn_xml *element_of(const tn_xml *system, const char *name)
{
    for (const tn_xml *e = tn_xml_child(tn_xml_child(system, "Elements"), NULL); e; e = e->next)
        if (same(tn_xml_get(e, "name"), name))
            return e;
    return NULL;
}

static ssp_component *component_of(ssp_reader *r, const tn_xml *element)
{
    for (size_t k = 0; k < r->component_count; k++)
        if (r->components[k].element == element)
            return &r->components[k];
    return NULL;
}

static bool is_zip(const char *data, size_t size)
{
    return size > 4 && memcmp(data, "PK\x03\x04", 4) == 0;
}

/* What the description of an FMU says about its kinds and steps. */
static void look_into(ssp_reader *r, ssp_component *c, const char *data, size_t size)
{
    tn_machine *machine = r->machine;
    tn_archive *archive = NULL;
    char *text = NULL;
    size_t length = 0;
    tn_xml *root = NULL;
    c->exchanges = c->steps = true;
    if (!is_zip(data, size))                           /* the reader of the file reports it */
        return;
    const char *file = tn_machine_text(machine, "%s/%s", r->file, c->file);
    if (tn_archive_open(&archive, machine->context, file, data, size) < 0 ||
        tn_archive_read(&text, &length, archive, "modelDescription.xml", SSP_DESCRIPTION_LIMIT) < 0 ||
        tn_xml_parse(&root, machine->arena, machine->context, tn_machine_text(machine, "%s/modelDescription.xml", file), text, length) < 0) {
        r->failed = true;
    } else {
        const tn_xml *experiment = tn_xml_child(root, "DefaultExperiment");
        c->exchanges = tn_xml_child(root, "ModelExchange") != NULL;
        c->steps = experiment && tn_attribute_number(machine, experiment, "stepSize", 0) > 0;
    }
    tn_free(machine->context, text);
    if (archive)
        tn_archive_close(archive);
}

/* Takes an FMU out of the archive; components with the same source share it. */
static void take_fmu(ssp_reader *r, const tn_xml *element, const char *label, ssp_component *out)
{
    tn_machine *machine = r->machine;
    const char *source = text_or(tn_xml_get(element, "source"), "");
    for (size_t k = 0; k < r->component_count; k++) {
        const ssp_component *c = &r->components[k];
        if (!same(tn_xml_get(c->element, "source"), source))
            continue;
        out->file = c->file;
        out->exchanges = c->exchanges;
        out->steps = c->steps;
        return;
    }
    char *data = NULL;
    size_t size = 0;
    if (!source[0] || strstr(source, "://") || !tn_archive_has(r->archive, source)) {
        SSP_ERROR(r, element->place, "component '%s': '%.100s' is not in the archive", label, source);
        return;
    }
    if (tn_archive_read(&data, &size, r->archive, source, SSP_FMU_LIMIT) < 0) {
        r->failed = true;
        return;
    }
    out->file = tn_machine_text(machine, "%s.fmu", label);
    tn_machine_attach(machine, out->file, data, size);
    look_into(r, out, data, size);
    tn_free(machine->context, data);
}

static void add_component(ssp_reader *r, const tn_xml *element, const tn_xml *system, const char *path)
{
    const char *type = tn_xml_get(element, "type");
    if (type && !strstr(type, "fmu")) {
        SSP_ERROR(r, element->place, "component '%s' is of type '%.60s': only FMUs are read", path, type);
        return;
    }
    const char *label = tn_machine_label(r->machine, -1, expression_name(r->machine, path));
    ssp_component c = { .element = element, .system = system, .path = path, .label = label };
    take_fmu(r, element, label, &c);
    if (!c.file || tn_grow(r->machine->context, &r->components, &r->component_capacity, r->component_count + 1,
                         sizeof *r->components) < 0)
        return;
    r->components[r->component_count++] = c;
}

static void add_elements(ssp_reader *r, const tn_xml *system, const char *path, int depth)
{
    if (depth > SSP_DEEPEST) {
        SSP_ERROR(r, system->place, "systems are nested more than %d deep", SSP_DEEPEST);
        return;
    }
    for (const tn_xml *e = tn_xml_child(tn_xml_child(system, "Elements"), NULL); e; e = e->next) {
        const char *name = tn_xml_get(e, "name");
        const char *inner = tn_machine_text(r->machine, "%s%s%s", path, path[0] ? "." : "", text_or(name, ""));
        if (!name)
            SSP_ERROR(r, e->place, "<%s> without a name", e->name);
        else if (tn_xml_is(e, "Component"))
            add_component(r, e, system, inner);
        else if (tn_xml_is(e, "System"))
            add_elements(r, e, inner, depth + 1);
        else
            tn_machine_leave_out(r->machine, e->place, "<%s>", e->name);
    }
}

/* The name that a variable has in expressions, as "motor.tau". */
static const char *output_of(ssp_reader *r, ssp_component *c, const char *variable)
{
    tn_machine *machine = r->machine;
    size_t k = 0;
    while (k < c->output_count && strcmp(c->output_names[k], variable) != 0)
        k++;
    if (k == c->output_count) {
        size_t capacity = c->output_capacity;
        if (tn_grow(machine->context, &c->output_names, &capacity, k + 1, sizeof *c->output_names) < 0 ||
            tn_grow(machine->context, &c->output_labels, &c->output_capacity, k + 1, sizeof *c->output_labels) < 0) {
            machine->status = TN_ERROR_MEMORY;
            return "";
        }
        const char *label = expression_name(machine, variable);
        for (size_t n = 0; n < k; n++)
            if (strcmp(c->output_labels[n], label) == 0)
                label = tn_machine_text(machine, "%s_%zu", label, k + 1);
        c->output_names[k] = variable;
        c->output_labels[k] = label;
        c->output_count++;
    }
    return tn_machine_text(machine, "%s.%s", c->label, c->output_labels[k]);
}

/* ---- connections ---- */

static const tn_xml *connection_to(const tn_xml *system, const char *element, const char *connector)
{
    for (const tn_xml *c = tn_xml_child(tn_xml_child(system, "Connections"), "Connection"); c; c = tn_xml_next(c, "Connection")) {
        const char *end = tn_xml_get(c, "endElement");
        bool here = element ? same(end, element) : !end || !end[0];
        if (here && same(tn_xml_get(c, "endConnector"), connector))
            return c;
    }
    return NULL;
}

static const tn_xml *system_around(const tn_xml *element)
{
    const tn_xml *up = element->parent;
    while (up && !tn_xml_is(up, "System"))
        up = up->parent;
    return up;
}

static const char *input_name(ssp_reader *r, const char *connector)
{
    return expression_name(r->machine, connector);
}

/* "2 * (x) + 1" where the connection has a linear transformation. */
static const char *transformed(ssp_reader *r, const tn_xml *connection, const char *expression)
{
    const tn_xml *linear = tn_xml_child(connection, "LinearTransformation");
    for (const tn_xml *e = connection->first; e; e = e->next)
        if (strstr(e->name, "Mapping"))
            tn_machine_leave_out(r->machine, e->place, "<%s> of connections", e->name);
    if (!linear || !expression)
        return expression;
    return tn_machine_text(r->machine, "%.17g * (%s) + %.17g", tn_attribute_number(r->machine, linear, "factor", 1), expression,
                           tn_attribute_number(r->machine, linear, "offset", 0));
}

/* The expression that a connection carries: an output of a component, or an input of the model. NULL: nothing leads there. */
static const char *source_of(ssp_reader *r, const tn_xml *system, const tn_xml *connection, int depth)
{
    const char *name = tn_xml_get(connection, "startElement"), *connector = tn_xml_get(connection, "startConnector");
    const char *found = NULL;
    if (depth > SSP_DEEPEST || !connector) {
        SSP_ERROR(r, connection->place, connector ? "connections go in a circle through systems" : "<Connection> without a start");
        return NULL;
    }
    const tn_xml *element = name && name[0] ? element_of(system, name) : NULL;
    if (name && name[0] && !element) {
        SSP_ERROR(r, connection->place, "there is no element '%s'", name);
    } else if (element && tn_xml_is(element, "System")) {
        const tn_xml *inner = connection_to(element, NULL, connector);
        found = inner ? source_of(r, element, inner, depth + 1) : NULL;
    } else if (element) {
        ssp_component *component = component_of(r, element);
        found = component ? output_of(r, component, connector) : NULL;
    } else if (system == r->root) {
        found = input_name(r, connector);
    } else {
        const tn_xml *around = system_around(system);
        const tn_xml *outer = around ? connection_to(around, tn_xml_get(system, "name"), connector) : NULL;
        found = outer ? source_of(r, around, outer, depth + 1) : NULL;
    }
    return transformed(r, connection, found);
}

/* ---- parameters ---- */

/* The number of a <Parameter> or <Connector> child: Real, Float64, Integer, Boolean. False: a text, or nothing. */
static bool value_of(ssp_reader *r, const tn_xml *element, double *out)
{
    const tn_xml *value = tn_xml_child(element, NULL);
    const char *text = value ? tn_xml_get(value, "value") : NULL;
    if (!text || tn_xml_is(value, "String") || tn_xml_is(value, "Enumeration") || tn_xml_is(value, "Binary"))
        return false;
    if (tn_xml_is(value, "Boolean"))
        *out = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    else
        tn_source_numbers(r->machine, out, 1, text, "a parameter", value->place);
    return true;
}

/* The tree of an inline element (<ParameterValues><ParameterSet>), or of the file that `source` names. */
static const tn_xml *part_of_binding(ssp_reader *r, const tn_xml *binding, const char *holder, const char *kind)
{
    const tn_xml *inside = tn_xml_child(tn_xml_child(binding, holder), kind);
    const char *source = tn_xml_get(binding, "source");
    if (inside || !source)
        return inside;
    char *text = NULL;
    size_t size = 0;
    tn_xml *root = NULL;
    if (tn_archive_read(&text, &size, r->archive, source, SSP_DESCRIPTION_LIMIT) < 0 ||
        tn_xml_parse(&root, r->machine->arena, r->machine->context, tn_machine_text(r->machine, "%s/%s", r->file, source),
                     text, size) < 0)
        r->failed = true;
    tn_free(r->machine->context, text);
    return root && tn_xml_is(root, kind) ? root : NULL;
}

/* Where the parameters of bindings go: those of a component, whose path from the owner of the bindings comes first. */
typedef struct parameter_list {
    tn_text *text;
    const char *path;              /* with a dot behind it, or "" */
    size_t written;
} parameter_list;

/* A parameter with its name in the FMU; linear: changes a number, NULL: it stays. */
static void write_parameter(ssp_reader *r, parameter_list *list, const tn_xml *parameter, const char *name, const tn_xml *linear)
{
    const size_t length = strlen(list->path);
    const tn_xml *kind = tn_xml_child(parameter, NULL);
    const bool text = kind && (tn_xml_is(kind, "String") || tn_xml_is(kind, "Enumeration")) && tn_xml_get(kind, "value");
    double value = 0;
    if (!name || strncmp(name, list->path, length) != 0 || name[length] == 0)
        return;
    if (!text && !value_of(r, parameter, &value)) {
        tn_machine_leave_out(r->machine, parameter->place, "parameters that are neither numbers nor texts");
        return;
    }
    tn_text_add(list->text, "%s", list->written++ == 0 ? ", parameters: { " : ", ");
    tn_text_add_json(list->text, name + length);
    tn_text_add(list->text, ": ");
    if (text)
        tn_text_add_json(list->text, tn_xml_get(kind, "value"));
    else
        tn_yaml_number(list->text, linear ? value * tn_attribute_number(r->machine, linear, "factor", 1) +
                                            tn_attribute_number(r->machine, linear, "offset", 0) : value);
}

/* A parameter of a set under the names that the mapping gives it, or under its own. */
static void map_parameter(ssp_reader *r, parameter_list *list, const tn_xml *parameter, const char *name, const tn_xml *mapping)
{
    if (!mapping)
        write_parameter(r, list, parameter, name, NULL);
    for (const tn_xml *m = mapping ? tn_xml_child(mapping, "MappingEntry") : NULL; m; m = tn_xml_next(m, "MappingEntry"))
        if (same(tn_xml_get(m, "source"), name))
            write_parameter(r, list, parameter, tn_xml_get(m, "target"), tn_xml_child(m, "LinearTransformation"));
}

/* Writes the parameters of a list of bindings that are those of the component. */
static void write_bindings(ssp_reader *r, parameter_list *list, const tn_xml *owner)
{
    const tn_xml *b = tn_xml_child(tn_xml_child(owner, "ParameterBindings"), "ParameterBinding");
    for (; b; b = tn_xml_next(b, "ParameterBinding")) {
        const tn_xml *set = part_of_binding(r, b, "ParameterValues", "ParameterSet");
        const tn_xml *holder = tn_xml_child(b, "ParameterMapping");
        const tn_xml *mapping = !holder ? NULL : tn_xml_get(holder, "source")
                                ? part_of_binding(r, holder, "ParameterMapping", "ParameterMapping")
                                : tn_xml_child(holder, "ParameterMapping");
        const tn_xml *p = tn_xml_child(tn_xml_child(set, "Parameters"), "Parameter");
        for (; p; p = tn_xml_next(p, "Parameter"))
            map_parameter(r, list, p, tn_machine_text(r->machine, "%s%s", text_or(tn_xml_get(b, "prefix"), ""),
                                                      text_or(tn_xml_get(p, "name"), "")), mapping);
    }
}

/* Bindings of the component, and of the systems around it, whose parameters have its path in front. */
static void write_parameters(ssp_reader *r, tn_text *text, const ssp_component *c)
{
    parameter_list list = { .text = text, .path = "" };
    const char *path = tn_xml_get(c->element, "name");
    write_bindings(r, &list, c->element);
    for (const tn_xml *system = c->system; system; system = system_around(system)) {
        list.path = tn_machine_text(r->machine, "%s.", path);
        write_bindings(r, &list, system);
        path = tn_machine_text(r->machine, "%s.%s", text_or(tn_xml_get(system, "name"), ""), path);
    }
    if (list.written > 0)
        tn_text_add(text, " }");
}

/* ---- the model ---- */

/* Before devices are written, since connections name outputs of other components. */
static void write_device_inputs(ssp_reader *r, tn_text *text, const ssp_component *c)
{
    const tn_xml *k = tn_xml_child(tn_xml_child(c->system, "Connections"), "Connection");
    size_t written = 0;
    for (; k; k = tn_xml_next(k, "Connection")) {
        const char *connector = tn_xml_get(k, "endConnector");
        if (!connector || !same(tn_xml_get(k, "endElement"), tn_xml_get(c->element, "name")))
            continue;
        const char *source = source_of(r, c->system, k, 0);
        if (!source) {
            tn_machine_leave_out(r->machine, k->place, "connections that begin nowhere");
            continue;
        }
        tn_text_add(text, "%s", written++ == 0 ? ", inputs: { " : ", ");
        tn_text_add_json(text, connector);
        tn_text_add(text, ": ");
        tn_text_add_json(text, source);
    }
    if (written > 0)
        tn_text_add(text, " }");
}

static void write_device(ssp_reader *r, tn_text *text, ssp_component *c)
{
    const char *kind = tn_xml_get(c->element, "implementation");
    tn_text_add(text, "  %s: { use: ", c->label);
    tn_text_add_json(text, c->file);
    if (same(kind, "CoSimulation") || same(kind, "ModelExchange"))
        tn_text_add(text, ", kind: %s", same(kind, "CoSimulation") ? "cs" : "me");
    if (!c->steps && (same(kind, "CoSimulation") || !c->exchanges)) {
        const double period = isfinite(r->machine->until) && r->machine->until > 0 ? r->machine->until / 1000 : 0.01;
        tn_text_add(text, ", period: ");
        tn_yaml_number(text, period);
        tn_machine_note_add(r->machine, TN_WARNING, c->element->place, "component '%s' does not say how often values are exchanged: "
                            "a period of %g s is taken", c->path, period);
    }
    tn_text_add(text, "%s", c->inputs);
    write_parameters(r, text, c);
    for (size_t k = 0; k < c->output_count; k++) {
        tn_text_add(text, "%s%s: ", k == 0 ? ", outputs: { " : ", ", c->output_labels[k]);
        tn_text_add_json(text, c->output_names[k]);
    }
    tn_text_add(text, "%s }\n", c->output_count > 0 ? " }" : "");
}

/* The unit of a connector in SI; "": a number, or not known. */
static const char *unit_of(ssp_reader *r, const tn_xml *connector)
{
    static const char *const bases[] = { "m", "kg", "s", "A", "K" };
    const tn_xml *type = tn_xml_child(connector, NULL), *unit = tn_xml_child(r->units, "Unit");
    const char *name = type ? tn_xml_get(type, "unit") : NULL;
    double factor, exponents[5];
    tn_dim dim;
    char buffer[64];
    if (!name || !name[0])
        return "";
    while (unit && !same(tn_xml_get(unit, "name"), name))
        unit = tn_xml_next(unit, "Unit");
    const tn_xml *base = tn_xml_child(unit, "BaseUnit");
    for (int k = 0; base && k < 5; k++)
        exponents[k] = tn_attribute_number(r->machine, base, bases[k], 0);
    if (base)
        dim = (tn_dim){ (signed char)exponents[0], (signed char)exponents[1], (signed char)exponents[2],
                        (signed char)exponents[3], (signed char)exponents[4] };
    else if (tn_unit_parse(name, strlen(name), &factor, &dim) < 0) {
        tn_machine_note_add(r->machine, TN_WARNING, connector->place, "unit '%.40s' is not known: '%s' is taken as a number",
                            name, text_or(tn_xml_get(connector, "name"), ""));
        return "";
    }
    bool number = dim.m == 0 && dim.kg == 0 && dim.s == 0 && dim.A == 0 && dim.K == 0;
    return number ? "" : tn_machine_text(r->machine, "%s", tn_dim_text(dim, buffer, sizeof buffer));
}

static void write_connectors(ssp_reader *r, tn_text *sections, tn_text *outputs)
{
    size_t inputs = 0;
    for (const tn_xml *c = tn_xml_child(tn_xml_child(r->root, "Connectors"), "Connector"); c; c = tn_xml_next(c, "Connector")) {
        const char *name = tn_xml_get(c, "name"), *kind = text_or(tn_xml_get(c, "kind"), "");
        if (!name)
            SSP_ERROR(r, c->place, "<Connector> without a name");
        else if (strcmp(kind, "input") == 0) {
            const char *unit = unit_of(r, c);
            tn_text_add(sections, "%s  %s: { ", inputs++ == 0 ? "inputs:\n" : "", input_name(r, name));
            if (unit[0]) {
                tn_text_add(sections, "unit: ");
                tn_text_add_json(sections, unit);
            }
            tn_text_add(sections, " }\n");
        } else if (strcmp(kind, "output") == 0) {
            const tn_xml *connection = connection_to(r->root, NULL, name);
            const char *source = connection ? source_of(r, r->root, connection, 0) : NULL;
            if (source)
                tn_text_add(outputs, "%s: %s, ", expression_name(r->machine, name), source);
            else
                tn_machine_leave_out(r->machine, c->place, "outputs of the system that nothing leads to");
        } else
            tn_machine_leave_out(r->machine, c->place, "connectors of kind %s", kind);
    }
}

/* Outputs that the description lists, so that they can be plotted although nothing is connected to them. */
static void list_outputs(ssp_reader *r, ssp_component *c)
{
    const tn_xml *k = tn_xml_child(tn_xml_child(c->element, "Connectors"), "Connector");
    for (; k; k = tn_xml_next(k, "Connector"))
        if (same(tn_xml_get(k, "kind"), "output") && tn_xml_get(k, "name"))
            output_of(r, c, tn_xml_get(k, "name"));
}

/* The text in the arena; "" with the machine's status when there is no memory. */
static const char *keep_text(tn_machine *machine, tn_text *text)
{
    char *all = NULL;
    int code = tn_text_take(text, &all);
    const char *kept = code >= 0 ? tn_arena_strdup(machine->arena, all) : NULL;
    tn_free(machine->context, all);
    if (!kept)
        machine->status = TN_ERROR_MEMORY;
    return text_or(kept, "");
}

/* Inputs of the system keep their names; a component of the same name gets a number. */
static void reserve_inputs(ssp_reader *r)
{
    for (const tn_xml *c = tn_xml_child(tn_xml_child(r->root, "Connectors"), "Connector"); c; c = tn_xml_next(c, "Connector"))
        if (same(tn_xml_get(c, "kind"), "input") && tn_xml_get(c, "name"))
            tn_machine_label(r->machine, -1, input_name(r, tn_xml_get(c, "name")));
}

static int read_system(ssp_reader *r)
{
    tn_machine *machine = r->machine;
    tn_text sections, outputs, devices;
    const char *parts[3] = { NULL };
    machine->name = text_or(tn_xml_get(r->root->parent, "name"), "system");
    memset(machine->gravity, 0, sizeof machine->gravity);
    reserve_inputs(r);
    add_elements(r, r->root, "", 0);
    if (r->failed)
        return TN_ERROR_MODEL;
    if (r->component_count == 0)
        return tn_fail(machine->context, TN_ERROR_MODEL, r->root->place, "the system has no components");
    tn_text_begin(&sections, machine->context);
    tn_text_begin(&outputs, machine->context);
    tn_text_begin(&devices, machine->context);
    for (size_t k = 0; k < r->component_count; k++)
        list_outputs(r, &r->components[k]);
    write_connectors(r, &sections, &outputs);
    tn_text_add(&devices, "devices:\n");
    for (size_t k = 0; k < r->component_count; k++) {
        tn_text inputs;
        tn_text_begin(&inputs, machine->context);
        write_device_inputs(r, &inputs, &r->components[k]);
        r->components[k].inputs = keep_text(machine, &inputs);
    }
    for (size_t k = 0; k < r->component_count; k++)
        write_device(r, &devices, &r->components[k]);
    parts[0] = keep_text(machine, &sections);
    parts[1] = keep_text(machine, &devices);
    parts[2] = keep_text(machine, &outputs);
    if (r->failed || tn_machine_status(machine) < 0)
        return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
    machine->sections = tn_machine_text(machine, "%s%s", parts[0], parts[1]);
    machine->outputs = parts[2];
    return tn_machine_status(machine);
}

static void free_components(ssp_reader *r)
{
    for (size_t k = 0; k < r->component_count; k++) {
        tn_free(r->machine->context, r->components[k].output_names);
        tn_free(r->machine->context, r->components[k].output_labels);
    }
    tn_free(r->machine->context, r->components);
}

static int read_ssp(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    ssp_reader r = { .machine = machine, .file = files->main };
    char *text = NULL;
    size_t length = 0;
    tn_xml *root = NULL;
    TN_TRY(tn_archive_open(&r.archive, machine->context, files->main, data, size));
    int code = tn_archive_read(&text, &length, r.archive, "SystemStructure.ssd", SSP_DESCRIPTION_LIMIT);
    if (code >= 0)
        code = tn_xml_parse(&root, machine->arena, machine->context,
                            tn_machine_text(machine, "%s/SystemStructure.ssd", files->main), text, length);
    r.root = tn_xml_child(root, "System");
    r.units = tn_xml_child(root, "Units");
    if (code >= 0 && (!tn_xml_is(root, "SystemStructureDescription") || !r.root))
        code = tn_fail(machine->context, TN_ERROR_MODEL, root->place, "SystemStructure.ssd has no system");
    if (code >= 0) {
        const tn_xml *experiment = tn_xml_child(root, "DefaultExperiment");
        machine->until = experiment ? tn_attribute_number(machine, experiment, "stopTime", NAN) : NAN;
        code = read_system(&r);
    }
    tn_free(machine->context, text);
    free_components(&r);
    tn_archive_close(r.archive);
    return code;
}

const tn_importer tn_importer_ssp = {
    .name = "ssp",
    .endings = ".ssp",
    .doc = "System Structure and Parameterization: FMUs that are connected",
    .recognises = is_zip,
    .read = read_ssp,
};
