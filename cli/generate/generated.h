/* Models of any size, written as files. */
#ifndef TN_CLI_GENERATED_H
#define TN_CLI_GENERATED_H

#include <stdio.h>

typedef struct tn_generated {
    const char *kind;
    const char *size_means;    /* "links" */
    int bodies_each;           /* bodies for each of them, at most */
    int dimensions;            /* bits: 1 << 2, 1 << 3 */
    void (*write)(FILE *out, int size, int dimension);
} tn_generated;

/* All kinds; the last has kind NULL. */
extern const tn_generated tn_generated_kinds[];

#endif
