/* Model files of examples/ that the program has as texts. */
#ifndef TN_CLI_REPRODUCE_EXAMPLES_H
#define TN_CLI_REPRODUCE_EXAMPLES_H

typedef struct tn_example_file {
    const char *folder, *name, *text;
} tn_example_file;

/* Ending with folder NULL. */
extern const tn_example_file tn_example_files[];

#endif
