/* tenon completion: scripts with which bash, zsh and fish complete commands and options, made of the command tables. */
#include "options.h"
#include "output.h"
#include <string.h>

/* For each option of a command and for those of every command. */
typedef void (*option_printer)(const tn_command *command, const tn_option *option);

static void each_option(const tn_command *command, option_printer print)
{
    for (const tn_option *o = command->options; o && o->name; o++)
        print(command, o);
    for (const tn_option *o = tn_common_options; o->name; o++)
        print(command, o);
}

/* A text within single quotes of a shell, where special says which further characters get a backslash. */
static void print_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/* ---- bash ---- */

static void bash_option(const tn_command *command, const tn_option *o)
{
    (void)command;
    printf(" %s", o->name);
    if (o->letter)
        printf(" %s", o->letter);
}

static void print_bash(void)
{
    puts("# Completion of tenon for bash; written by 'tenon completion bash'.\n_tenon()\n{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} words\n    COMPREPLY=()");
    fputs("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '", stdout);
    for (size_t i = 0; tn_commands[i]; i++)
        printf("%s%s", i ? " " : "", tn_commands[i]->name);
    puts("' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; tn_commands[i]; i++) {
        printf("    %s) words='", tn_commands[i]->name);
        each_option(tn_commands[i], bash_option);
        puts("' ;;");
    }
    puts("    *) return ;;\n    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\ncomplete -o filenames -F _tenon tenon");
}

/* ---- zsh ---- */

static void zsh_one(const char *name, const tn_option *o)
{
    printf(" \\\n            '%s%s[", o->kind == TN_OPTION_TEXTS ? "*" : "", name);
    print_quoted(o->help, "[]:\\");
    putchar(']');
    if (o->argument) {
        putchar(':');
        print_quoted(o->argument, "[]:\\");
        fputs(":_files", stdout);
    }
    putchar('\'');
}

static void zsh_option(const tn_command *command, const tn_option *o)
{
    (void)command;
    zsh_one(o->name, o);
    if (o->letter)
        zsh_one(o->letter, o);
}

static void print_zsh(void)
{
    puts("#compdef tenon\n# Completion of tenon for zsh; written by 'tenon completion zsh'.\n_tenon()\n{\n"
         "    local -a commands\n    commands=(");
    for (size_t i = 0; tn_commands[i]; i++) {
        printf("        '%s:", tn_commands[i]->name);
        print_quoted(tn_commands[i]->summary, ":\\");
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in");
    for (size_t i = 0; tn_commands[i]; i++) {
        printf("    %s)\n        _arguments -s", tn_commands[i]->name);
        each_option(tn_commands[i], zsh_option);
        puts(" \\\n            '*:file:_files' ;;");
    }
    puts("    esac\n}\nif [ \"$funcstack[1]\" = _tenon ]; then _tenon \"$@\"; else compdef _tenon tenon; fi");
}

/* ---- fish ---- */

static void fish_option(const tn_command *command, const tn_option *o)
{
    printf("complete -c tenon -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name + 2);
    if (o->letter)
        printf(" -s %s", o->letter + 1);
    fputs(o->argument ? " -r -d '" : " -d '", stdout);
    for (const char *c = o->help; *c; c++)
        printf(*c == '\'' || *c == '\\' ? "\\%c" : "%c", *c);
    puts("'");
}

static void print_fish(void)
{
    puts("# Completion of tenon for fish; written by 'tenon completion fish'.");
    for (size_t i = 0; tn_commands[i]; i++) {
        printf("complete -c tenon -f -n __fish_use_subcommand -a %s -d '", tn_commands[i]->name);
        for (const char *c = tn_commands[i]->summary; *c; c++)
            printf(*c == '\'' || *c == '\\' ? "\\%c" : "%c", *c);
        puts("'");
    }
    for (size_t i = 0; tn_commands[i]; i++)
        each_option(tn_commands[i], fish_option);
}

static int run_completion(tn_context *context, const tn_arguments *arguments)
{
    (void)context;
    static const struct { const char *name; void (*print)(void); } shells[] = {
        { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish },
    };
    for (size_t k = 0; k < sizeof shells / sizeof shells[0]; k++)
        if (strcmp(arguments->operands[0], shells[k].name) == 0) {
            shells[k].print();
            return TN_EXIT_OK;
        }
    fprintf(stderr, "tenon completion: there are bash, zsh and fish, no '%s'\n", arguments->operands[0]);
    return TN_EXIT_USAGE;
}

const tn_command tn_command_completion = {
    .name = "completion",
    .summary = "Print a script with which a shell completes commands and options.",
    .details = "  source <(tenon completion bash)            in ~/.bashrc\n"
               "  source <(tenon completion zsh)             in ~/.zshrc, after compinit\n"
               "  tenon completion fish | source             in ~/.config/fish/config.fish",
    .operands = "bash|zsh|fish",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_completion,
};
