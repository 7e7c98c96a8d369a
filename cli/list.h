/* The commands, one line each: TN_COMMAND(name) stands for NAME.c in this folder and its tn_command_NAME. The order
 * here is the order in "tenon help". */
TN_COMMAND(run)
TN_COMMAND(sweep)
TN_COMMAND(diff)
TN_COMMAND(plot)
TN_COMMAND(check)
TN_COMMAND(info)
TN_COMMAND(stability)
TN_COMMAND(schema)
TN_COMMAND(describe)
TN_COMMAND(reproduce)
TN_COMMAND(version)
TN_COMMAND(help)
