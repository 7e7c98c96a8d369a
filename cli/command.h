/* The descriptor of a command of the program. One file a command, one line a command in list.h. */
#ifndef TN_CLI_COMMAND_H
#define TN_CLI_COMMAND_H

#include "tenon/tenon.h"

/* Exit statuses, as documented in the manual page. */
enum {
    TN_EXIT_OK = 0,
    TN_EXIT_MODEL = 1,
    TN_EXIT_DIFFERENT = 1,     /* of diff alone, as other programs of that name have it */
    TN_EXIT_USAGE = 2,
    TN_EXIT_FILE = 3,
    TN_EXIT_ASSEMBLY = 4,
    TN_EXIT_STEP = 5,
    TN_EXIT_EXPECT = 6,
    TN_EXIT_MEMORY = 7,
    TN_EXIT_RANKS = 8,
    TN_EXIT_INTERRUPTED = 130
};

typedef enum tn_option_kind {
    TN_OPTION_FLAG,
    TN_OPTION_TEXT,
    TN_OPTION_TEXTS,           /* may be given several times */
    TN_OPTION_POSITIVE,        /* a number > 0 */
    TN_OPTION_NOT_NEGATIVE,    /* a number >= 0 */
    TN_OPTION_INTERVAL         /* the same, or "step" for 0 */
} tn_option_kind;

typedef struct tn_option {
    const char *name;          /* "--until" */
    tn_option_kind kind;
    const char *argument;      /* what stands for it in the help: "T"; NULL for flags */
    const char *help;
    const char *letter;        /* "-o"; NULL: none */
} tn_option;

enum { TN_MAX_OPTIONS = 24, TN_MAX_TEXTS = 16 };

typedef struct tn_option_value {
    bool given;
    double number;
    const char *text;                          /* the last one */
    const char *texts[TN_MAX_TEXTS];           /* TN_OPTION_TEXTS: all, in order */
    size_t text_count;
} tn_option_value;

/* A command line, parsed. Options that every command takes have fields of their own. */
typedef struct tn_arguments {
    bool json, help, no_plugins;
    tn_option_value options[TN_MAX_OPTIONS];   /* in the order of the command's table */
    const char **operands;                     /* the words that are not options */
    size_t operand_count;
} tn_arguments;

/* The work of the processes that mpirun has started from one command line. */
typedef enum tn_rank_use {
    TN_RANKS_FIRST,            /* rank 0 does all, the others nothing */
    TN_RANKS_APART,            /* each for itself */
    TN_RANKS_TOGETHER          /* all as one, and rank 0 speaks */
} tn_rank_use;

typedef struct tn_command {
    const char *name;
    const char *summary;       /* one line, for "tenon help" */
    const char *operands;      /* for the usage line: "MODEL...", "[NAME]"; "" for none */
    size_t min_operands, max_operands;
    const tn_option *options;  /* its own, ending with name NULL; NULL: none */
    tn_rank_use ranks;
    const char *details;       /* further lines of its help; NULL: none */
    int (*run)(tn_context *context, const tn_arguments *arguments);    /* returns the exit status */
} tn_command;

/* All commands, ending in NULL. */
extern const tn_command *const tn_commands[];
/* NULL, and a message with the nearest name, when there is no such command. */
const tn_command *tn_command_find(const char *name);

#endif
