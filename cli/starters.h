/* The models of "tenon new": the files KIND-DIMENSION.yaml in starters/ as texts. */
#ifndef TN_CLI_STARTERS_H
#define TN_CLI_STARTERS_H

typedef struct tn_starter {
    const char *kind, *dimension, *text;
} tn_starter;

/* Ending with kind NULL. */
extern const tn_starter tn_starters[];

#endif
