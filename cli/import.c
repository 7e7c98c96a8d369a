/* The command "import": converts files of CAD systems and robot formats to model folders. */
#include "output.h"
#include "filtered_output.h"
#include "text_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT, FORMAT, BASE, KEEP_FIXED, COLLISIONS, CONTACTS, DENSITY, CONFIDENCE, ACCEPT, REJECT, TYPE,
       FLEXIBLE, RIGID, MATERIAL, GROUND, DRIVE, TIME_LIMIT, MEMORY_LIMIT, OPTION_COUNT };
static const tn_option options[] = {
    [OUTPUT] = { "--output", TN_OPTION_TEXT, "FOLDER", "the model folder; by default named after the file", "-o" },
    [FORMAT] = { "--format", TN_OPTION_TEXT, "NAME", "what the file is, where its name does not say it", "-f" },
    [BASE] = { "--base", TN_OPTION_TEXT, "HOW", "fixed or free: what holds a machine that the file leaves loose", NULL },
    [KEEP_FIXED] = { "--keep-fixed", TN_OPTION_FLAG, NULL, "fixed joints stay joints; otherwise they make one body", NULL },
    [COLLISIONS] = { "--collisions", TN_OPTION_FLAG, NULL, "take shapes for contacts in place of those for the eye", NULL },
    [CONTACTS] = { "--contacts", TN_OPTION_FLAG, NULL, "let bodies touch ground and each other, with shapes for contacts", NULL },
    [DENSITY] = { "--density", TN_OPTION_POSITIVE, "RHO", "kg/m^3 of solids without mass", NULL },
    [CONFIDENCE] = { "--confidence", TN_OPTION_NOT_NEGATIVE, "C", "use inferred joints from here on (0.7)", NULL },
    [ACCEPT] = { "--accept", TN_OPTION_TEXTS, "JOINT", "use a proposed joint; may be repeated", NULL },
    [REJECT] = { "--reject", TN_OPTION_TEXTS, "JOINT", "leave a joint out; may be repeated", NULL },
    [TYPE] = { "--type", TN_OPTION_TEXTS, "JOINT=TYPE", "another type for a joint; may be repeated", NULL },
    [FLEXIBLE] = { "--flexible", TN_OPTION_TEXTS, "PATH", "a sub-assembly moves in itself; may be repeated", NULL },
    [RIGID] = { "--rigid", TN_OPTION_TEXTS, "PATH", "a sub-assembly is one body; may be repeated", NULL },
    [MATERIAL] = { "--material", TN_OPTION_TEXTS, "PATH=M", "kg/m^3 or 'steel' of a part or sub-assembly; may be repeated", NULL },
    [GROUND] = { "--ground", TN_OPTION_TEXT, "PATH", "the part that stands still", NULL },
    [DRIVE] = { "--drive", TN_OPTION_TEXTS, "JOINT=LAW", "'crank=rate: 6.28'; may be repeated", NULL },
    [TIME_LIMIT] = { "--time-limit", TN_OPTION_POSITIVE, "S", "seconds that reading solids may take (300)", NULL },
    [MEMORY_LIMIT] = { "--memory-limit", TN_OPTION_POSITIVE, "GB", "memory that reading solids may take (4)", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};
enum { MOST_DECISIONS = 8 * TN_MAX_TEXTS };

/* Decisions of the command line; their names are copies. */
typedef struct decision_list {
    tn_import_decision items[MOST_DECISIONS];
    char *names[MOST_DECISIONS];
    size_t count;
} decision_list;

/* The file's name without folder and ending. */
static char *default_folder(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    char *folder = tn_allocate(length + 7, 1);
    memcpy(folder, name, length);
    char *dot = strrchr(folder, '.');
    if (dot && dot != folder)
        *dot = 0;
    else
        strcat(folder, "-model");
    return folder;
}

static int parse_base(tn_import_options *out, const tn_option_value *value)
{
    if (!value->given)
        return TN_EXIT_OK;
    out->base = strcmp(value->text, "fixed") == 0 ? TN_BASE_FIXED : TN_BASE_FREE;
    if (out->base == TN_BASE_FIXED || strcmp(value->text, "free") == 0)
        return TN_EXIT_OK;
    fprintf(stderr, "tenon import: --base: '%s' is neither fixed nor free\n", value->text);
    return TN_EXIT_USAGE;
}

/* text is "NAME"; with value NULL it is "NAME=VALUE". */
static bool add_decision(decision_list *list, const char *about, const char *text, const char *value)
{
    const char *equals = value ? text + strlen(text) : strrchr(text, '=');
    if (!equals)
        return false;
    char *name = tn_allocate((size_t)(equals - text) + 1, 1);
    memcpy(name, text, (size_t)(equals - text));
    list->names[list->count] = name;
    list->items[list->count++] = (tn_import_decision){ about, name, value ? value : equals + 1 };
    return true;
}

static int collect_decisions(decision_list *list, const tn_arguments *arguments)
{
    static const struct { int option; const char *about, *value; } kinds[] = {
        { ACCEPT, "joint", "accept" },       { REJECT, "joint", "reject" },  { TYPE, "joint", NULL },
        { FLEXIBLE, "assembly", "flexible" }, { RIGID, "assembly", "rigid" }, { MATERIAL, "density", NULL },
        { DRIVE, "drive", NULL },
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const tn_option_value *value = &arguments->options[kinds[k].option];
        for (size_t i = 0; value->given && i < value->text_count; i++)
            if (!add_decision(list, kinds[k].about, value->texts[i], kinds[k].value)) {
                fprintf(stderr, "tenon import: %s: '%s' is not NAME=VALUE\n", options[kinds[k].option].name, value->texts[i]);
                return TN_EXIT_USAGE;
            }
    }
    if (arguments->options[GROUND].given)
        add_decision(list, "ground", arguments->options[GROUND].text, "fixed");
    return TN_EXIT_OK;
}

/* Is called while the helper reads solids: writes the elapsed time to a terminal, and never cancels. */
static bool tell_waiting(void *user)
{
    const double *started = user;
    fprintf(tn_unfiltered_stderr(), "\rreading solids: %.0f s\033[K", tn_clock() - *started);
    fflush(tn_unfiltered_stderr());
    return false;
}

static int import_files(tn_import **out, tn_context *context, const tn_arguments *arguments, const char *folder,
                        const tn_import_options *chosen)
{
    double started = tn_clock();
    tn_import_options told = *chosen;
    bool terminal = isatty(STDERR_FILENO) == 1;
    told.cancelled = terminal ? tell_waiting : NULL;
    told.user = &started;
    int code = tn_import_read(out, context, arguments->operands, arguments->operand_count, &told);
    if (terminal)
        fputs("\r\033[K", tn_unfiltered_stderr());
    return code < 0 ? code : tn_import_write(*out, folder);
}

static int answer(tn_import *import, const tn_arguments *arguments, const char *folder)
{
    char *text = NULL;
    int code = arguments->json ? tn_import_report_json(&text, import) : tn_import_report_text(&text, import);
    if (code < 0)
        return tn_out_of_memory();
    printf("%s\n", text);
    if (!arguments->json)
        printf("%s/model.yaml is the model: tenon run %s/model.yaml\n", folder, folder);
    tn_import_report_free(import, text);
    return TN_EXIT_OK;
}

static int run_import(tn_context *context, const tn_arguments *arguments)
{
    tn_import_options chosen = tn_import_default();
    tn_import *import = NULL;
    const tn_option_value *given = arguments->options;
    decision_list decisions = { .count = 0 };
    int status = parse_base(&chosen, &given[BASE]);
    if (status == TN_EXIT_OK)
        status = collect_decisions(&decisions, arguments);
    if (status != TN_EXIT_OK)
        return status;
    chosen.decisions = decisions.items;
    chosen.decision_count = decisions.count;
    chosen.format = given[FORMAT].given ? given[FORMAT].text : NULL;
    chosen.keep_fixed = given[KEEP_FIXED].given;
    chosen.collisions = given[COLLISIONS].given;
    chosen.contacts = given[CONTACTS].given;
    chosen.density = given[DENSITY].given ? given[DENSITY].number : NAN;
    chosen.helper_time = given[TIME_LIMIT].given ? given[TIME_LIMIT].number : chosen.helper_time;
    chosen.helper_memory = given[MEMORY_LIMIT].given ? 1e9 * given[MEMORY_LIMIT].number : chosen.helper_memory;
    chosen.confidence = given[CONFIDENCE].given ? given[CONFIDENCE].number : chosen.confidence;
    char *name = default_folder(arguments->operands[0]);
    const char *folder = given[OUTPUT].given ? given[OUTPUT].text : name;
    chosen.folder = folder;
    int code = import_files(&import, context, arguments, folder, &chosen);
    cJSON *diagnostics = arguments->json && code < 0 ? cJSON_CreateArray() : NULL;
    status = tn_diagnostics_flush(context, code, diagnostics);
    if (diagnostics) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddBoolToObject(document, "ok", false);
        cJSON_AddItemToObject(document, "diagnostics", diagnostics);
        tn_json_print(document);
    }
    if (status == TN_EXIT_OK)
        status = answer(import, arguments, folder);
    tn_import_destroy(import);
    for (size_t i = 0; i < decisions.count; i++)
        free(decisions.names[i]);
    free(name);
    return status;
}

const tn_command tn_command_import = {
    .name = "import",
    .summary = "Make a model folder from a file of a CAD system or robot format.",
    .details = "The first FILE is the machine; folders of the others are searched for what it refers to. A folder of an\n"
               "earlier import is brought up to date; its model.yaml stays as it is. Formats: see docs/import.md.",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .options = options,
    .run = run_import,
};
