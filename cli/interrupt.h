/* Ctrl-C and termination as something a command can ask about. */
#ifndef TN_CLI_INTERRUPT_H
#define TN_CLI_INTERRUPT_H

#include <stdbool.h>

/* From here on the first signal is noted; a second one ends the program at once. */
void tn_interrupt_catch(void);
bool tn_interrupted(void);
/* A file that reaches its limit of size (ulimit -f) is an error of the write, not the end of the program. */
void tn_interrupt_ignore_full_files(void);
/* For worker processes: Ctrl-C is their parent's affair, termination ends them. */
void tn_interrupt_leave_to_parent(void);

#endif
