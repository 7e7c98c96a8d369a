/* Command lines: parsing by a command's option table, and the help text from the same table. */
#ifndef TN_CLI_OPTIONS_H
#define TN_CLI_OPTIONS_H

#include "command.h"

/* The options that every command takes, ending with name NULL. */
extern const tn_option tn_common_options[];

/* The operands are moved to the front of words, which must outlive the arguments. A mistake is explained on stderr and
 * is TN_EXIT_USAGE. */
int tn_arguments_parse(tn_arguments *out, const tn_command *command, char **words, size_t count);

void tn_usage_print(const tn_command *command, FILE *out);

#endif
