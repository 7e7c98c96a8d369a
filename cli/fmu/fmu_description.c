/* Writes modelDescription.xml of an FMU, for FMI 2.0 and 3.0. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmu_facts.h"
#include "output.h"

/* ---- text ---- */

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    put_escaped(out, text);
    fputc('"', out);
}

static void put_number(FILE *out, const char *name, double value)
{
    fprintf(out, " %s=\"%.17g\"", name, value);
}

/* ---- units ---- */

enum { KG, M, S, A, K, BASES };
static const char *const base_names[BASES] = { "kg", "m", "s", "A", "K" };
static const struct { const char *name; int exponents[BASES]; bool angle; } unit_words[] = {
    { "kg", { 1 }, false }, { "m", { 0, 1 }, false }, { "s", { 0, 0, 1 }, false }, { "A", { 0, 0, 0, 1 }, false },
    { "K", { 0, 0, 0, 0, 1 }, false }, { "rad", { 0 }, true }, { "N", { 1, 1, -2 }, false }, { "J", { 1, 2, -2 }, false },
    { "W", { 1, 2, -3 }, false }, { "Pa", { 1, -1, -2 }, false }, { "Hz", { 0, 0, -1 }, false },
    { "V", { 1, 2, -3, -1 }, false }, { "C", { 0, 0, 1, 1 }, false }, { "1", { 0 }, false },
};

/* The exponents of an SI unit in the engine's words, "kg m^2/s^2"; false: a word is not known. angle: radians to the power. */
static bool parse_unit(const char *text, int exponents[BASES], int *angle)
{
    int side = 1;
    memset(exponents, 0, BASES * sizeof *exponents);
    *angle = 0;
    while (*text) {
        if (*text == ' ' || *text == '/') {
            side = *text == '/' ? -1 : side;
            text++;
            continue;
        }
        char word[16];
        size_t n = strcspn(text, " /^");
        snprintf(word, sizeof word, "%.*s", (int)(n < 15 ? n : 15), text);
        int power = side;
        text += n;
        if (*text == '^') {
            char *end;
            power = side * (int)strtol(text + 1, &end, 10);
            text = end;
        }
        size_t k = 0;
        while (k < sizeof unit_words / sizeof unit_words[0] && strcmp(unit_words[k].name, word) != 0)
            k++;
        if (k == sizeof unit_words / sizeof unit_words[0])
            return false;
        for (int b = 0; b < BASES; b++)
            exponents[b] += power * unit_words[k].exponents[b];
        *angle += unit_words[k].angle ? power : 0;
    }
    return true;
}

/* space: prefix of the element's namespace. */
static void put_unit(FILE *out, const char *unit, const char *space)
{
    int exponents[BASES], angle;
    fprintf(out, "    <%sUnit", space);
    put_attribute(out, "name", unit);
    if (!parse_unit(unit, exponents, &angle)) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, "><%sBaseUnit", space);
    for (int b = 0; b < BASES; b++)
        if (exponents[b] != 0)
            fprintf(out, " %s=\"%d\"", base_names[b], exponents[b]);
    if (angle != 0)
        fprintf(out, " rad=\"%d\"", angle);
    fputs("/>", out);
    if (strcmp(unit, "rad") == 0 && !space[0])
        fputs("<DisplayUnit name=\"deg\" factor=\"57.295779513082323\"/>", out);
    fprintf(out, "</%sUnit>\n", space);
}

/* list: the element around them. */
static void put_units(FILE *out, const fmu_facts *f, const char *list, const char *space)
{
    const fmu_variable *lists[] = { f->parameters, f->inputs, f->outputs };
    const size_t counts[] = { f->parameter_count, f->input_count, f->output_count };
    const char **seen = tn_allocate(counts[0] + counts[1] + counts[2] + 1, sizeof *seen);
    size_t count = 0;
    for (int l = 0; l < 3; l++)
        for (size_t k = 0; k < counts[l]; k++) {
            size_t i = 0;
            while (i < count && strcmp(seen[i], lists[l][k].unit) != 0)
                i++;
            if (i == count && lists[l][k].unit[0])
                seen[count++] = lists[l][k].unit;
        }
    if (count > 0)
        fprintf(out, "  <%s>\n", list);
    for (size_t k = 0; k < count; k++)
        put_unit(out, seen[k], space);
    if (count > 0)
        fprintf(out, "  </%s>\n", list);
    free(seen);
}

/* ---- variables ---- */

typedef struct role {
    const char *causality, *variability, *initial;
    bool start;
} role;

static const role parameter_role = { "parameter", "fixed", "exact", true };
static const role tunable_role = { "parameter", "tunable", "exact", true };
static const role input_role = { "input", "continuous", NULL, true };
static const role output_role = { "output", "continuous", "calculated", false };
static const role state_role = { "local", "continuous", "calculated", false };     /* they follow from the parameters */
static const role derivative_role = { "local", "continuous", "calculated", false };

static void put_type(FILE *out, const fmu_variable *v, const role *r, long derivative)
{
    if (v->unit[0])
        put_attribute(out, "unit", v->unit);
    if (strcmp(v->unit, "rad") == 0)
        put_attribute(out, "displayUnit", "deg");
    if (isfinite(v->low) && r == &input_role)
        put_number(out, "min", v->low);
    if (isfinite(v->high) && r == &input_role)
        put_number(out, "max", v->high);
    if (r->start)
        put_number(out, "start", v->start);
    if (derivative > 0)
        fprintf(out, " derivative=\"%ld\"", derivative);
}

/* derivative: of FMI 2.0 the index, of 3.0 the value reference of the state; 0: none. */
static void put_variable(FILE *out, int version, const fmu_variable *v, const role *r, long derivative)
{
    fputs(version == 2 ? "    <ScalarVariable" : "    <Float64", out);
    put_attribute(out, "name", v->name);
    fprintf(out, " valueReference=\"%u\" causality=\"%s\" variability=\"%s\"", v->reference, r->causality, r->variability);
    if (r->initial)
        fprintf(out, " initial=\"%s\"", r->initial);
    fputs(version == 2 ? "><Real" : "", out);
    put_type(out, v, r, derivative);
    fputs(version == 2 ? "/></ScalarVariable>\n" : "/>\n", out);
}

static long index_of_state(const fmu_facts *f, size_t k)
{
    return (long)(f->parameter_count + f->input_count + f->output_count + k + 1);
}

static bool is_taken(const fmu_facts *f, const char *name)
{
    const fmu_variable *lists[] = { f->parameters, f->inputs, f->outputs };
    const size_t counts[] = { f->parameter_count, f->input_count, f->output_count };
    for (int l = 0; l < 3; l++)
        for (size_t k = 0; k < counts[l]; k++)
            if (strcmp(lists[l][k].name, name) == 0)
                return true;
    return false;
}

/* The independent variable of FMI 3.0, by a name that no variable of the model has. */
static void put_time(FILE *out, const fmu_facts *f)
{
    char name[32] = "time";
    for (int n = 2; is_taken(f, name); n++)
        snprintf(name, sizeof name, "time_%d", n);
    fprintf(out, "    <Float64 name=\"%s\" valueReference=\"0\" causality=\"independent\" variability=\"continuous\" "
            "description=\"Time\"/>\n", name);
}

static void put_variables(FILE *out, const fmu_facts *f)
{
    fputs("  <ModelVariables>\n", out);
    if (f->version == 3)
        put_time(out, f);
    for (size_t k = 0; k < f->parameter_count; k++)
        put_variable(out, f->version, &f->parameters[k], f->parameters[k].tunable ? &tunable_role : &parameter_role, 0);
    for (size_t k = 0; k < f->input_count; k++)
        put_variable(out, f->version, &f->inputs[k], &input_role, 0);
    for (size_t k = 0; k < f->output_count; k++)
        put_variable(out, f->version, &f->outputs[k], &output_role, 0);
    for (size_t k = 0; k < f->state_count; k++)
        put_variable(out, f->version, &f->states[k], &state_role, 0);
    for (size_t k = 0; k < f->state_count; k++) {
        char name[64];
        fmu_variable rate = f->states[k];
        snprintf(name, sizeof name, "der(%s)", f->states[k].name);
        rate.name = name;
        rate.reference = FMU_DERIVATIVE + (unsigned)k;
        put_variable(out, f->version, &rate, &derivative_role,
                     f->version == 2 ? index_of_state(f, k) : (long)f->states[k].reference);
    }
    for (size_t k = 0; k < f->indicator_count && f->version == 3; k++) {
        char name[64];
        fmu_variable indicator = { .reference = FMU_INDICATOR + (unsigned)k, .name = name, .low = -INFINITY, .high = INFINITY };
        snprintf(name, sizeof name, "indicator[%zu]", k + 1);
        put_variable(out, f->version, &indicator, &derivative_role, 0);
    }
    fputs("  </ModelVariables>\n", out);
}

/* ---- structure ---- */

/* The list of knowns that unknown i depends on: indices (2.0) or value references (3.0). */
static void put_dependencies(FILE *out, const fmu_facts *f, size_t unknown)
{
    size_t knowns = f->input_count + f->state_count;
    const char *space = "";
    fputs(" dependencies=\"", out);
    for (size_t k = 0; k < knowns; k++) {
        bool input = k < f->input_count;
        if (!f->depends[unknown * knowns + k])
            continue;
        long number = f->version == 3 ? (long)(input ? f->inputs[k].reference : f->states[k - f->input_count].reference)
                      : input ? (long)(f->parameter_count + k + 1) : index_of_state(f, k - f->input_count);
        fprintf(out, "%s%ld", space, number);
        space = " ";
    }
    fputc('"', out);
}

static void put_unknown(FILE *out, const fmu_facts *f, const char *element, size_t unknown, bool dependencies)
{
    bool output = unknown < f->output_count;
    size_t k = output ? unknown : unknown - f->output_count;
    if (f->version == 3)
        fprintf(out, "    <%s valueReference=\"%u\"", element, output ? f->outputs[k].reference
                                                                      : FMU_DERIVATIVE + (unsigned)k);
    else
        fprintf(out, "      <Unknown index=\"%ld\"", output ? (long)(f->parameter_count + f->input_count + k + 1)
                                                            : index_of_state(f, f->state_count + k));
    if (dependencies)
        put_dependencies(out, f, unknown);
    fputs("/>\n", out);
}

static void put_group(FILE *out, const fmu_facts *f, const char *group, const char *element, size_t begin, size_t end,
                      bool dependencies)
{
    if (f->version == 2 && begin < end)
        fprintf(out, "    <%s>\n", group);
    for (size_t k = begin; k < end; k++)
        put_unknown(out, f, element, k, dependencies);
    if (f->version == 2 && begin < end)
        fprintf(out, "    </%s>\n", group);
}

/* Outputs, states and derivatives, in the order of their variables. */
static void put_initial_unknowns(FILE *out, const fmu_facts *f)
{
    if (f->version == 2 && f->output_count + f->state_count > 0)
        fputs("    <InitialUnknowns>\n", out);
    for (size_t k = 0; k < f->output_count; k++)
        put_unknown(out, f, "InitialUnknown", k, false);
    for (size_t k = 0; k < f->state_count; k++)
        if (f->version == 3)
            fprintf(out, "    <InitialUnknown valueReference=\"%u\"/>\n", f->states[k].reference);
        else
            fprintf(out, "      <Unknown index=\"%ld\"/>\n", index_of_state(f, k));
    for (size_t k = 0; k < f->state_count; k++)
        put_unknown(out, f, "InitialUnknown", f->output_count + k, false);
    if (f->version == 2 && f->output_count + f->state_count > 0)
        fputs("    </InitialUnknowns>\n", out);
}

static void put_structure(FILE *out, const fmu_facts *f)
{
    size_t all = f->output_count + f->state_count;
    fputs("  <ModelStructure>\n", out);
    put_group(out, f, "Outputs", "Output", 0, f->output_count, true);
    put_group(out, f, "Derivatives", "ContinuousStateDerivative", f->output_count, all, true);
    put_initial_unknowns(out, f);
    for (size_t k = 0; k < f->indicator_count && f->version == 3; k++)
        fprintf(out, "    <EventIndicator valueReference=\"%u\"/>\n", FMU_INDICATOR + (unsigned)k);
    fputs("  </ModelStructure>\n", out);
}

/* ---- the whole ---- */

/* Ends the element of a kind; in FMI 2.0 it lists the sources. */
static void end_kind(FILE *out, const fmu_facts *f, const char *kind)
{
    if (f->version != 2 || f->source_count == 0) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n    <SourceFiles>\n", out);
    for (size_t k = 0; k < f->source_count; k++)
        fprintf(out, "      <File name=\"%s\"/>\n", f->sources[k]);
    fprintf(out, "    </SourceFiles>\n  </%s>\n", kind);
}

static void put_kinds(FILE *out, const fmu_facts *f)
{
    const bool two = f->version == 2;
    const char *common = two ? " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                               "providesDirectionalDerivative=\"true\""
                             : " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                               "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"";
    if (f->exchange) {
        fprintf(out, "  <ModelExchange modelIdentifier=\"%s\"%s%s", f->identifier, common,
                two ? "" : " needsCompletedIntegratorStep=\"true\"");
        end_kind(out, f, "ModelExchange");
    }
    if (!f->simulate)
        return;
    fprintf(out, "  <CoSimulation modelIdentifier=\"%s\"%s canHandleVariableCommunicationStepSize=\"true\"%s%s", f->identifier, common,
            f->derivable ? " maxOutputDerivativeOrder=\"1\"" : "",
            two ? " canInterpolateInputs=\"true\""
                : " hasEventMode=\"true\" mightReturnEarlyFromDoStep=\"true\" providesIntermediateUpdate=\"true\""
                  " canReturnEarlyAfterIntermediateUpdate=\"true\"");
    end_kind(out, f, "CoSimulation");
}

static void put_experiment(FILE *out, const tn_model *model)
{
    tn_solve solve = tn_model_solve(model);
    fputs("  <DefaultExperiment", out);
    put_number(out, "startTime", 0);
    put_number(out, "stopTime", solve.until);
    put_number(out, "tolerance", solve.tolerance);
    if (solve.record > 0)
        put_number(out, "stepSize", solve.record);
    fputs("/>\n", out);
}

char *tn_fmu_description(const fmu_facts *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *name = tn_model_name(f->model);
    if (!out)
        return NULL;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription", out);
    fprintf(out, " fmiVersion=\"%d.0\"", f->version);
    put_attribute(out, "modelName", name && name[0] ? name : f->identifier);
    put_attribute(out, f->version == 2 ? "guid" : "instantiationToken", f->token);
    fprintf(out, " generationTool=\"Tenon %s\" variableNamingConvention=\"flat\"", tn_version());
    if (f->version == 2)
        fprintf(out, " numberOfEventIndicators=\"%zu\"", f->indicator_count);
    fputs(">\n", out);
    put_kinds(out, f);
    put_units(out, f, "UnitDefinitions", "");
    fputs("  <LogCategories>\n    <Category name=\"logStatusError\" description=\"Calls that are refused\"/>\n"
          "    <Category name=\"logStatusDiscard\" description=\"Steps that cannot be taken\"/>\n"
          "    <Category name=\"logStatusWarning\" description=\"Warnings of the engine\"/>\n"
          "    <Category name=\"logEvents\" description=\"Events of the model\"/>\n  </LogCategories>\n", out);
    put_experiment(out, f->model);
    put_variables(out, f);
    put_structure(out, f);
    fputs("</fmiModelDescription>\n", out);
    return fclose(out) == 0 ? text : NULL;
}

/* ---- a system with the FMU as its component ---- */

static void put_connectors(FILE *out, const char *indent, const fmu_facts *f, bool parameters)
{
    const fmu_variable *lists[] = { f->inputs, f->outputs, f->parameters };
    const size_t counts[] = { f->input_count, f->output_count, parameters ? f->parameter_count : 0 };
    static const char *const kinds[] = { "input", "output", "parameter" };
    fprintf(out, "%s<ssd:Connectors>\n", indent);
    for (int l = 0; l < 3; l++)
        for (size_t k = 0; k < counts[l]; k++) {
            fprintf(out, "%s  <ssd:Connector", indent);
            put_attribute(out, "name", lists[l][k].name);
            put_attribute(out, "kind", kinds[l]);
            fputs("><ssc:Real", out);
            if (lists[l][k].unit[0])
                put_attribute(out, "unit", lists[l][k].unit);
            fputs("/></ssd:Connector>\n", out);
        }
    fprintf(out, "%s</ssd:Connectors>\n", indent);
}

static void put_connection(FILE *out, const char *element, const char *name, bool into)
{
    fputs("      <ssd:Connection", out);
    if (!into)
        put_attribute(out, "startElement", element);
    put_attribute(out, "startConnector", name);
    if (into)
        put_attribute(out, "endElement", element);
    put_attribute(out, "endConnector", name);
    fputs("/>\n", out);
}

char *tn_ssp_description(const fmu_facts *f, const char *fmu)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ssd:SystemStructureDescription version=\"1.0\"", out);
    put_attribute(out, "xmlns:ssd", "http://ssp-standard.org/SSP1/SystemStructureDescription");
    put_attribute(out, "xmlns:ssc", "http://ssp-standard.org/SSP1/SystemStructureCommon");
    put_attribute(out, "name", f->identifier);
    put_attribute(out, "generationTool", "Tenon");
    fputs(">\n  <ssd:System", out);
    put_attribute(out, "name", "system");
    fputs(">\n", out);
    put_connectors(out, "    ", f, false);
    fputs("    <ssd:Elements>\n      <ssd:Component", out);
    put_attribute(out, "name", f->identifier);
    put_attribute(out, "type", "application/x-fmu-sharedlibrary");
    put_attribute(out, "source", fmu);
    put_attribute(out, "implementation", f->simulate && f->exchange ? "any" : f->simulate ? "CoSimulation" : "ModelExchange");
    fputs(">\n", out);
    put_connectors(out, "        ", f, true);
    fputs("      </ssd:Component>\n    </ssd:Elements>\n", out);
    if (f->input_count + f->output_count > 0)
        fputs("    <ssd:Connections>\n", out);
    for (size_t k = 0; k < f->input_count; k++)
        put_connection(out, f->identifier, f->inputs[k].name, true);
    for (size_t k = 0; k < f->output_count; k++)
        put_connection(out, f->identifier, f->outputs[k].name, false);
    if (f->input_count + f->output_count > 0)
        fputs("    </ssd:Connections>\n", out);
    fputs("  </ssd:System>\n", out);
    put_units(out, f, "ssd:Units", "ssc:");
    fprintf(out, "  <ssd:DefaultExperiment startTime=\"0\" stopTime=\"%.17g\"/>\n</ssd:SystemStructureDescription>\n",
            tn_model_solve(f->model).until);
    return fclose(out) == 0 ? text : NULL;
}
