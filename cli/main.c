/* tenon COMMAND: finds the command, parses its arguments and calls it. */
#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "ranks.h"
#include "filtered_output.h"
#include <string.h>

#define TN_COMMAND(name) extern const tn_command tn_command_##name;
#include "list.h"
#undef TN_COMMAND

const tn_command *const tn_commands[] = {
#define TN_COMMAND(name) &tn_command_##name,
#include "list.h"
#undef TN_COMMAND
    NULL
};

enum { COMMAND_COUNT = sizeof tn_commands / sizeof tn_commands[0] - 1 };

static const tn_command *look_up(const char *name)
{
    size_t i = 0;
    while (tn_commands[i] && strcmp(name, tn_commands[i]->name) != 0)
        i++;
    return tn_commands[i];
}

const tn_command *tn_command_find(const char *name)
{
    const char *names[COMMAND_COUNT];
    if (look_up(name))
        return look_up(name);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = tn_commands[i]->name;
    const char *near = tn_nearest_text(name, names, COMMAND_COUNT);
    fprintf(stderr, "tenon: unknown command '%s'", name);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputs("\nSee 'tenon help'.\n", stderr);
    return NULL;
}

/* "tenon --help" and "tenon --version" are what people try first. */
static const char *command_name(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return "help";
    return strcmp(word, "--version") == 0 ? "version" : word;
}

/* Does this process run the command? Of several ranks, rank 0 alone runs most commands. */
static bool takes_part(const char *word)
{
    const tn_command *command = look_up(word);
    tn_rank_use use = command ? command->ranks : TN_RANKS_FIRST;
    if (tn_rank_of_environment().rank == 0 || use == TN_RANKS_APART)
        return true;
    tn_rank_silence();
    return use == TN_RANKS_TOGETHER;
}

int main(int argc, char **argv)
{
    tn_reserve_standard_files();
    tn_filter_output();
    if (argc >= 2 && !takes_part(argv[1]))
        return TN_EXIT_OK;
    if (argc < 2) {
        fputs("usage: tenon COMMAND [OPTION...] [MODEL]\nSee 'tenon help'.\n", stderr);
        return TN_EXIT_USAGE;
    }
    const tn_command *command = tn_command_find(command_name(argv[1]));
    if (!command)
        return TN_EXIT_USAGE;
    tn_arguments arguments;
    int status = tn_arguments_parse(&arguments, command, argv + 2, (size_t)(argc - 2));
    if (status != TN_EXIT_OK)
        return status;
    if (arguments.help) {
        tn_usage_print(command, stdout);
        return tn_output_finish(TN_EXIT_OK);
    }
    tn_interrupt_ignore_full_files();
    tn_json_setup();
    tn_context *context = tn_context_create(NULL);
    if (!context)
        return tn_out_of_memory();
    tn_context_refuse_libraries(context, arguments.no_plugins);
    if (tn_context_credentials_of_environment(context) < 0)
        return tn_out_of_memory();
    status = command->run(context, &arguments);
    tn_context_destroy(context);
    return tn_output_finish(status);
}
