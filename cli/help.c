/* The command "help": lists the commands, or explains one and its options. */
#include "options.h"
#include "output.h"

static void list_commands(void)
{
    puts("usage: tenon COMMAND [OPTION...] [MODEL]\n\nDynamics of mechanisms described in a file.\n");
    for (size_t i = 0; tn_commands[i]; i++)
        printf("  %-11s%s\n", tn_commands[i]->name, tn_commands[i]->summary);
    puts("\n'tenon help COMMAND' shows the options of a command; 'man tenon' tells more.");
}

static void add_options(cJSON *array, const tn_option *options)
{
    for (const tn_option *o = options; o && o->name; o++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", o->name);
        if (o->letter)
            cJSON_AddStringToObject(item, "letter", o->letter);
        if (o->argument)
            cJSON_AddStringToObject(item, "argument", o->argument);
        cJSON_AddStringToObject(item, "help", o->help);
        cJSON_AddItemToArray(array, item);
    }
}

static cJSON *json_command(const tn_command *command)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", command->name);
    cJSON_AddStringToObject(item, "summary", command->summary);
    cJSON_AddStringToObject(item, "operands", command->operands);
    cJSON *options = cJSON_AddArrayToObject(item, "options");
    add_options(options, command->options);
    add_options(options, tn_common_options);
    return item;
}

static cJSON *json_commands(void)
{
    cJSON *document = cJSON_CreateObject();
    cJSON *array = cJSON_AddArrayToObject(document, "commands");
    for (size_t i = 0; tn_commands[i]; i++)
        cJSON_AddItemToArray(array, json_command(tn_commands[i]));
    return document;
}

static int run_help(tn_context *context, const tn_arguments *arguments)
{
    (void)context;
    const tn_command *command = NULL;
    if (arguments->operand_count > 0 && !(command = tn_command_find(arguments->operands[0])))
        return TN_EXIT_USAGE;
    if (arguments->json)
        tn_json_print(command ? json_command(command) : json_commands());
    else if (command)
        tn_usage_print(command, stdout);
    else
        list_commands();
    return TN_EXIT_OK;
}

const tn_command tn_command_help = {
    .name = "help",
    .summary = "List the commands, or explain one and its options.",
    .operands = "[COMMAND]",
    .max_operands = 1,
    .run = run_help,
};
