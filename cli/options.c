/* Parses command lines by the option tables of commands, and prints the help text. */
#include "options.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMMON_JSON, COMMON_NO_PLUGINS, COMMON_HELP, COMMON_COUNT };
enum { HELP_COLUMN = 28 };         /* where the explanation of an option starts */

const tn_option tn_common_options[] = {
    [COMMON_JSON] = { "--json", TN_OPTION_FLAG, NULL, "answer in JSON on standard output", NULL },
    [COMMON_NO_PLUGINS] = { "--no-plugins", TN_OPTION_FLAG, NULL, "refuse models that load libraries", NULL },
    [COMMON_HELP] = { "--help", TN_OPTION_FLAG, NULL, "show this text", "-h" },
    [COMMON_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

typedef struct parser {
    const tn_command *command;
    tn_arguments *out;
    char **words;
    size_t count, next;
} parser;

static int hint(const parser *p)
{
    fprintf(stderr, "See 'tenon help %s'.\n", p->command->name);
    return TN_EXIT_USAGE;
}

/* Does word, of which length counts, name the option? */
static bool names(const tn_option *option, const char *word, size_t length)
{
    if (option->letter && strlen(option->letter) == length && strncmp(word, option->letter, length) == 0)
        return true;
    return strlen(option->name) == length && strncmp(word, option->name, length) == 0;
}

/* The index of the option in a table, or -1. */
static int find_options(const tn_option *options, const char *word, size_t length)
{
    for (int i = 0; options && options[i].name; i++)
        if (names(&options[i], word, length))
            return i;
    return -1;
}

static int unknown_option(const parser *p, const char *word, size_t length)
{
    const char *candidates[TN_MAX_OPTIONS + COMMON_COUNT];
    size_t count = 0;
    for (const tn_option *o = p->command->options; o && o->name; o++)
        candidates[count++] = o->name;
    for (const tn_option *o = tn_common_options; o->name; o++)
        candidates[count++] = o->name;
    const char *near = tn_nearest_text(word, candidates, count);
    fprintf(stderr, "tenon %s: unknown option '%.*s'", p->command->name, (int)length, word);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputc('\n', stderr);
    return hint(p);
}

static const char *number_wanted(tn_option_kind kind)
{
    switch (kind) {
    case TN_OPTION_POSITIVE: return "a number greater than 0";
    case TN_OPTION_INTERVAL: return "a number, 0 or greater, or 'step'";
    default: return "a number, 0 or greater";
    }
}

static int take_number(const parser *p, const tn_option *option, tn_option_value *value)
{
    char *end = NULL;
    if (option->kind == TN_OPTION_INTERVAL && strcmp(value->text, "step") == 0) {
        value->number = 0;
        return TN_EXIT_OK;
    }
    value->number = strtod(value->text, &end);
    bool whole = end != value->text && *end == '\0' && isfinite(value->number);
    if (whole && (value->number > 0 || (value->number >= 0 && option->kind != TN_OPTION_POSITIVE)))
        return TN_EXIT_OK;
    fprintf(stderr, "tenon %s: %s: '%s' is not %s\n", p->command->name, option->name, value->text,
            number_wanted(option->kind));
    return hint(p);
}

static int take_text(const parser *p, const tn_option *option, tn_option_value *value)
{
    if (value->text_count < TN_MAX_TEXTS) {
        value->texts[value->text_count++] = value->text;
        return TN_EXIT_OK;
    }
    fprintf(stderr, "tenon %s: %s is given more than %d times\n", p->command->name, option->name, TN_MAX_TEXTS);
    return hint(p);
}

/* The option's argument is what follows '=', or else the next word. */
static int take_value(parser *p, const tn_option *option, tn_option_value *value, const char *attached)
{
    value->given = true;
    if (option->kind == TN_OPTION_FLAG) {
        if (!attached)
            return TN_EXIT_OK;
        fprintf(stderr, "tenon %s: %s takes no value\n", p->command->name, option->name);
        return hint(p);
    }
    if (!attached && p->next == p->count) {
        fprintf(stderr, "tenon %s: %s needs a value: %s %s\n", p->command->name, option->name, option->name,
                option->argument);
        return hint(p);
    }
    value->text = attached ? attached : p->words[p->next++];
    if (option->kind == TN_OPTION_TEXTS)
        return take_text(p, option, value);
    return option->kind == TN_OPTION_TEXT ? TN_EXIT_OK : take_number(p, option, value);
}

static int parse_option(parser *p, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const char *attached = equals ? equals + 1 : NULL;
    int own = find_options(p->command->options, word, length);
    if (own >= 0)
        return take_value(p, &p->command->options[own], &p->out->options[own], attached);
    int common = find_options(tn_common_options, word, length);
    if (common < 0)
        return unknown_option(p, word, length);
    tn_option_value value = { 0 };
    bool *flags[] = { [COMMON_JSON] = &p->out->json, [COMMON_NO_PLUGINS] = &p->out->no_plugins,
                      [COMMON_HELP] = &p->out->help };
    *flags[common] = true;
    return take_value(p, &tn_common_options[common], &value, attached);
}

static int check_operands(const parser *p)
{
    const tn_command *command = p->command;
    size_t count = p->out->operand_count;
    if (p->out->help || (count >= command->min_operands && count <= command->max_operands))
        return TN_EXIT_OK;
    if (count < command->min_operands)
        fprintf(stderr, "tenon %s: %s is missing\n", command->name, command->operands);
    else
        fprintf(stderr, "tenon %s: '%s' is too much\n", command->name, p->out->operands[command->max_operands]);
    return hint(p);
}

int tn_arguments_parse(tn_arguments *out, const tn_command *command, char **words, size_t count)
{
    *out = (tn_arguments){ .operands = (const char **)words };
    parser p = { command, out, words, count, 0 };
    bool only_operands = false;
    while (p.next < count) {
        char *word = words[p.next++];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || word[1] == '\0') {
            words[out->operand_count++] = word;
        } else {
            int status = parse_option(&p, word);
            if (status != TN_EXIT_OK)
                return status;
        }
    }
    return check_operands(&p);
}

static void print_options(const tn_option *options, FILE *out)
{
    for (const tn_option *o = options; o && o->name; o++) {
        int used = fprintf(out, "  %s%s%s%s%s", o->letter ? o->letter : "  ", o->letter ? ", " : "  ", o->name,
                           o->argument ? " " : "", o->argument ? o->argument : "");
        fprintf(out, "%*s%s\n", used < HELP_COLUMN - 1 ? HELP_COLUMN - used : 2, "", o->help);
    }
}

void tn_usage_print(const tn_command *command, FILE *out)
{
    bool operands = command->operands[0] != '\0';
    fprintf(out, "usage: tenon %s%s%s [OPTION...]\n\n", command->name, operands ? " " : "", command->operands);
    fprintf(out, "%s\n", command->summary);
    if (command->details)
        fprintf(out, "%s\n", command->details);
    fputc('\n', out);
    print_options(command->options, out);
    print_options(tn_common_options, out);
}
