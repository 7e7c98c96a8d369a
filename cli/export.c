/* tenon export: a model as an FMU or SSP, for simulators that know FMI 2.0 or 3.0, as URDF, MJCF or Simscape XML, or its motion as glTF. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <strings.h>
#include "beside.h"
#include "fmu_facts.h"
#include "fmu_zip.h"
#include "out_file.h"
#include "output.h"
#include "parameters.h"
#include "robot.h"

enum { OUTPUT, FMI, KIND, CHANNEL, SOURCES, PARAMETER };
static const tn_option options[] = {
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FILE", "the file: .fmu, .ssp, .urdf, .xml (MJCF), .simscape.xml, .gltf or .glb (motion); default: the model's name and .fmu", "-o" },
    [FMI] = { "--fmi", TN_OPTION_TEXT, "VERSION", "2 (default) or 3", NULL },
    [KIND] = { "--kind", TN_OPTION_TEXT, "KINDS",
               "cs (co-simulation), me (model exchange) or cs,me; default: both, where the model allows it", NULL },
    [CHANNEL] = { "--channel", TN_OPTION_TEXTS, "NAME", "an output beyond those of the model; may be repeated", NULL },
    [SOURCES] = { "--sources", TN_OPTION_FLAG, NULL, "put the sources of the library into the FMU, too", NULL },
    [PARAMETER] = TN_OPTION_PARAMETER,
    { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

static int take_version(const tn_option_value *given, fmu_facts *facts)
{
    facts->version = given->given ? atoi(given->text) : 2;
    if (facts->version == 2 || facts->version == 3)
        return TN_EXIT_OK;
    fprintf(stderr, "tenon export: --fmi %s: must be 2 or 3\n", given->text);
    return TN_EXIT_USAGE;
}

static int take_kinds(const tn_option_value *given, fmu_facts *facts)
{
    const char *kinds = given->given ? given->text : "cs,me";
    facts->simulate = strcmp(kinds, "cs") == 0 || strcmp(kinds, "cs,me") == 0 || strcmp(kinds, "me,cs") == 0;
    facts->exchange = strcmp(kinds, "me") == 0 || (facts->simulate && strcmp(kinds, "cs") != 0);
    if (facts->simulate || facts->exchange)
        return TN_EXIT_OK;
    fprintf(stderr, "tenon export: --kind %s: must be cs, me or cs,me\n", kinds);
    return TN_EXIT_USAGE;
}

/* "car/four-bar.yaml" gives "four-bar.fmu" and the identifier "four_bar". */
static void name_files(const char *model, const char *output, char path[TN_CLI_PATH], fmu_facts *facts)
{
    const char *name = tn_file_name(output ? output : model), *dot = strrchr(name, '.');
    int length = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
    if (output)
        snprintf(path, TN_CLI_PATH, "%s", output);
    else
        snprintf(path, TN_CLI_PATH, "%.*s.fmu", length, name);
    snprintf(facts->identifier, sizeof facts->identifier, "%s%.*s", isdigit((unsigned char)name[0]) ? "_" : "",
             length < 100 ? length : 100, name);
    for (char *c = facts->identifier; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '_';
}

static int say_done(const fmu_facts *f, const char *path, cJSON *document, bool exchange_wanted)
{
    if (document) {
        cJSON_AddStringToObject(document, "output", path);
        cJSON_AddNumberToObject(document, "fmi", f->version);
        cJSON_AddBoolToObject(document, "co_simulation", f->simulate);
        cJSON_AddBoolToObject(document, "model_exchange", f->exchange);
        cJSON_AddNumberToObject(document, "inputs", (double)f->input_count);
        cJSON_AddNumberToObject(document, "outputs", (double)f->output_count);
        cJSON_AddNumberToObject(document, "parameters", (double)f->parameter_count);
        cJSON_AddNumberToObject(document, "tunable", (double)tn_fmu_tunable_count(f));
        return TN_EXIT_OK;
    }
    printf("%s: FMI %d.0, %s%s%s; %zu inputs, %zu outputs, %zu parameters (%zu tunable)\n", path, f->version,
           f->simulate ? "co-simulation" : "", f->simulate && f->exchange ? " and " : "",
           f->exchange ? "model exchange" : "", f->input_count, f->output_count, f->parameter_count,
           tn_fmu_tunable_count(f));
    if (exchange_wanted && !f->exchange)
        printf("no model exchange: %s\n", f->why_not);
    if (f->left_out)
        puts("outputs energy.work and energy.error, and those of networks, need co-simulation alone: --kind cs");
    return TN_EXIT_OK;
}

/* The line of a text that an address of a served component stands in, outside of comments; 0: there is none. */
static int line_of_address(const char *text)
{
    int line = 1;
    for (const char *at = text; at && *at; line++) {
        const size_t length = strcspn(at, "\n"), plain = strcspn(at, "#\n");
        const char *found = strstr(at, "tenon://");
        if (found && (size_t)(found - at) < plain)
            return line;
        at += length + (at[length] == '\n');
    }
    return 0;
}

/* The library inside an FMU has neither archives nor a network. */
static int refuse_foreign_parts(const tn_model *model)
{
    int status = TN_EXIT_OK;
    for (size_t k = 0; k < tn_model_file_count(model); k++) {
        tn_model_file file = tn_model_file_at(model, k);
        const size_t length = strlen(file.path);
        const int line = file.text ? line_of_address(file.text) : 0;
        if (length > 4 && strcmp(file.path + length - 4, ".fmu") == 0)
            fprintf(stderr, "%s: error: an FMU cannot contain another one: export the model without it, and connect both in the tool\n", file.path);
        else if (line > 0)
            fprintf(stderr, "%s:%d: error: an FMU cannot use a component that another machine serves\n", file.path, line);
        else
            continue;
        status = TN_EXIT_MODEL;
    }
    return status;
}

/* package: the FMU inside an SSP. */
static int export_model(tn_context *context, const tn_arguments *arguments, bool package, cJSON *document, cJSON *diagnostics)
{
    char library[TN_CLI_PATH], sources[TN_CLI_PATH], path[TN_CLI_PATH];
    const fmu_engine engine = { library, arguments->options[SOURCES].given ? sources : NULL };
    tn_parameter_choice parameters;
    tn_model *model = NULL;
    fmu_facts facts = { 0 };
    if (!tn_find_beside(library, "tenon_fmu.so", TENON_FMU_PLACE)) {
        fputs("tenon export: this build has no tenon_fmu.so, which goes into FMUs\n", stderr);
        return TN_EXIT_FILE;
    }
    if (engine.sources && !tn_find_beside(sources, "tenon_fmu_sources.zip", TENON_FMU_SOURCES_PLACE)) {
        fputs("tenon export: this build has no tenon_fmu_sources.zip, the sources for FMUs\n", stderr);
        return TN_EXIT_FILE;
    }
    int status = take_version(&arguments->options[FMI], &facts);
    if (status == TN_EXIT_OK)
        status = take_kinds(&arguments->options[KIND], &facts);
    if (status == TN_EXIT_OK)
        status = tn_parameters_read(&model, &parameters, context, arguments->operands[0], "export",
                                    &arguments->options[PARAMETER], diagnostics);
    if (status != TN_EXIT_OK)
        return status;
    const bool wanted = facts.exchange;
    status = refuse_foreign_parts(model);
    if (status != TN_EXIT_OK) {
        tn_model_destroy(model);
        return status;
    }
    name_files(arguments->operands[0], arguments->options[OUTPUT].text, path, &facts);
    status = tn_out_check("export", "--output", path, arguments->operands[0], model);
    if (status != TN_EXIT_OK) {
        tn_fmu_facts_free(&facts);
        tn_model_destroy(model);
        return status;
    }
    int code = tn_fmu_facts_find(&facts, context, model, arguments->options[CHANNEL].texts,
                                 arguments->options[CHANNEL].text_count);
    status = tn_diagnostics_flush(context, code, diagnostics);
    if (status == TN_EXIT_OK && !facts.simulate && !facts.exchange) {
        fprintf(stderr, "%s: error: no model exchange: %s; co-simulation has that: --kind cs\n", arguments->operands[0], facts.why_not);
        status = TN_EXIT_MODEL;
    }
    if (status == TN_EXIT_OK)
        status = (package ? tn_ssp_zip_write : tn_fmu_zip_write)(path, &engine, &facts, parameters.items, parameters.count);
    if (status == TN_EXIT_OK)
        status = say_done(&facts, path, document, wanted);
    tn_fmu_facts_free(&facts);
    tn_model_destroy(model);
    return status;
}

/* ---- machines of other programs ---- */

typedef enum machine_format {
    FORMAT_UNKNOWN, FORMAT_FMU, FORMAT_SSP, FORMAT_URDF, FORMAT_MJCF, FORMAT_SIMSCAPE, FORMAT_GLTF, FORMAT_GLB
} machine_format;

static machine_format format_of(const char *path)
{
    static const struct { const char *ending; machine_format format; } endings[] = {
        { ".fmu", FORMAT_FMU }, { ".ssp", FORMAT_SSP }, { ".urdf", FORMAT_URDF }, { ".xml", FORMAT_MJCF }, { ".mjcf", FORMAT_MJCF },
        { ".gltf", FORMAT_GLTF }, { ".glb", FORMAT_GLB },
    };
    static const char simscape[] = ".simscape.xml";
    const char *dot = path ? strrchr(tn_file_name(path), '.') : NULL;
    size_t length = path ? strlen(path) : 0;
    if (length > sizeof simscape && strcasecmp(path + length - sizeof simscape + 1, simscape) == 0)
        return FORMAT_SIMSCAPE;
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i].ending) == 0)
            return endings[i].format;
    return dot ? FORMAT_UNKNOWN : FORMAT_FMU;
}

static void say_machine(const robot *r, const char *path, cJSON *document)
{
    size_t loops = 0;
    for (size_t i = 0; i < r->joint_count; i++)
        loops += !r->joints[i].tree;
    if (document) {
        cJSON_AddStringToObject(document, "output", path);
        cJSON_AddNumberToObject(document, "bodies", (double)r->body_count - 1);
        cJSON_AddNumberToObject(document, "joints", (double)r->joint_count);
        cJSON_AddNumberToObject(document, "loops", (double)loops);
        cJSON *notes = cJSON_AddArrayToObject(document, "notes");
        for (size_t i = 0; i < r->note_count; i++)
            cJSON_AddItemToArray(notes, cJSON_CreateString(r->notes[i]));
        return;
    }
    printf("%s: %zu bodies, %zu joints, %zu of them beyond the tree\n", path, r->body_count - 1, r->joint_count, loops);
    for (size_t i = 0; i < r->note_count; i++)
        printf("note: %s\n", r->notes[i]);
}

static int export_machine(tn_context *context, const tn_arguments *arguments, machine_format format, cJSON *document,
                          cJSON *diagnostics)
{
    const char *path = arguments->options[OUTPUT].text;
    tn_parameter_choice parameters;
    tn_model *model = NULL;
    tn_out_file out = { .stream = NULL };
    robot r = { .model = NULL };
    int status = tn_parameters_read(&model, &parameters, context, arguments->operands[0], "export",
                                    &arguments->options[PARAMETER], diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_out_check("export", "--output", path, arguments->operands[0], model);
    if (status == TN_EXIT_OK)
        status = tn_robot_make(&r, context, model, diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_out_open(&out, path);
    if (status == TN_EXIT_OK && format == FORMAT_URDF)
        tn_robot_urdf(&r, out.stream);
    else if (status == TN_EXIT_OK && format == FORMAT_MJCF)
        tn_robot_mjcf(&r, out.stream);
    else if (status == TN_EXIT_OK && format == FORMAT_SIMSCAPE)
        tn_robot_simscape(&r, out.stream);
    else if (status == TN_EXIT_OK)
        status = tn_robot_gltf(&r, out.stream, format == FORMAT_GLB, context, diagnostics);
    if (status == TN_EXIT_OK)
        status = tn_out_finish(&out);
    else
        tn_out_abandon(&out, false);
    if (status == TN_EXIT_OK)
        say_machine(&r, path, document);
    tn_robot_destroy(&r);
    tn_model_destroy(model);
    return status;
}

static int run_export(tn_context *context, const tn_arguments *arguments)
{
    cJSON *document = arguments->json ? cJSON_CreateObject() : NULL;
    cJSON *diagnostics = document ? cJSON_CreateArray() : NULL;
    machine_format format = format_of(arguments->options[OUTPUT].text);
    if (format == FORMAT_UNKNOWN) {
        fprintf(stderr, "tenon export: --output: '%s' does not end in .fmu, .ssp, .urdf, .xml, .simscape.xml, .gltf or .glb\n",
                arguments->options[OUTPUT].text);
        return TN_EXIT_USAGE;
    }
    bool fmu = format == FORMAT_FMU || format == FORMAT_SSP;
    int status = fmu ? export_model(context, arguments, format == FORMAT_SSP, document, diagnostics)
                     : export_machine(context, arguments, format, document, diagnostics);
    if (document) {
        cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
        cJSON_AddItemToObject(document, "diagnostics", diagnostics);
        tn_json_print(document);
    }
    return status;
}

const tn_command tn_command_export = {
    .name = "export",
    .summary = "Make an FMU, a robot file or an animation of a model, for other programs.",
    .details = "The FMU (FMI 2.0 and 3.0) holds the model's files and the engine in one library that needs nothing else.\n"
               "Inputs of the model are its inputs, outputs its outputs, parameters its parameters. A file that ends in .ssp\n"
               "is a system (SSP 1.0) with this FMU as its component. See docs/fmi.md.\n"
               "Files that end in .urdf and .xml (MJCF) are the machine as a tree, with notes about what has no counterpart\n"
               "there; .gltf and .glb are the motion of a run. See docs/import.md.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run_export,
};
