/* Writes terminalsAndIcons.xml of an FMU (FMI 3.0): the picture, and a terminal for each component of the model whose channels are
 * outputs, so that a tool connects them as one bus. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmu_facts.h"
#include "output.h"

/* Length of the longest name of a component of the model that a channel begins with; 0: there is none. */
static size_t component_of(const tn_model *model, const char *channel)
{
    char name[512];
    if (strlen(channel) >= sizeof name)
        return 0;
    for (size_t n = strlen(channel); n > 0; n--) {
        if (channel[n] != '.')
            continue;
        memcpy(name, channel, n);
        name[n] = '\0';
        if (tn_model_find(model, name).kind != TN_KIND_NONE)
            return n;
    }
    return 0;
}

static bool same_component(const fmu_facts *f, size_t k, const char *name, size_t length)
{
    const char *channel = f->outputs[k].name;
    return component_of(f->model, channel) == length && strncmp(channel, name, length) == 0;
}

static void put_terminal(FILE *out, const fmu_facts *f, const char *name, size_t length)
{
    fprintf(out, "    <Terminal name=\"%.*s\" matchingRule=\"bus\">\n", (int)length, name);
    for (size_t k = 0; k < f->output_count; k++)
        if (same_component(f, k, name, length))
            fprintf(out, "      <TerminalMemberVariable variableName=\"%s\" memberName=\"%s\" variableKind=\"signal\"/>\n",
                    f->outputs[k].name, f->outputs[k].name + length + 1);
    fputs("    </Terminal>\n", out);
}

static void put_terminals(FILE *out, const fmu_facts *f)
{
    bool any = false;
    for (size_t k = 0; k < f->output_count; k++) {
        const size_t length = component_of(f->model, f->outputs[k].name);
        bool told = length == 0;
        for (size_t j = 0; j < k && !told; j++)
            told = same_component(f, j, f->outputs[k].name, length);
        if (told)
            continue;
        if (!any)
            fputs("  <Terminals>\n", out);
        any = true;
        put_terminal(out, f, f->outputs[k].name, length);
    }
    if (any)
        fputs("  </Terminals>\n", out);
}

char *tn_fmu_terminals(const fmu_facts *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <GraphicalRepresentation>\n"
          "    <CoordinateSystem x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\"/>\n"
          "    <Icon x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\"/>\n  </GraphicalRepresentation>\n", out);
    put_terminals(out, f);
    fputs("</fmiTerminalsAndIcons>\n", out);
    return fclose(out) == 0 ? text : NULL;
}
