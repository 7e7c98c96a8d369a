/* Published results that the program computes again. One file a result in reproduce/, one line in its list.h. */
#ifndef TN_CLI_REPRODUCTION_H
#define TN_CLI_REPRODUCTION_H

#include "command.h"

/* The rows of a result, as they are found. */
typedef struct tn_findings tn_findings;

typedef enum tn_agreement {
    TN_AGREE_RELATIVE,         /* |ours / theirs - 1| <= tolerance */
    TN_AGREE_ABSOLUTE,         /* |ours - theirs| <= tolerance */
    TN_AGREE_FACTOR,           /* neither more than tolerance times the other */
    TN_AGREE_AT_MOST           /* an error that differs from program to program: ours <= tolerance */
} tn_agreement;

void tn_found(tn_findings *findings, const char *what, double theirs, double ours, double tolerance,
              tn_agreement agreement);
/* The rows that follow compare with published values (NULL, as at the start), or with reference values of this source: an
 * independent program, a closed form. */
void tn_compare_with(tn_findings *findings, const char *source);
/* A published value that cannot be had, and why. */
void tn_not_reproducible(tn_findings *findings, const char *what, double published, const char *why);

/* Where figures go; NULL: none are wanted. Figures: see reproduce/figure.h. */
const char *tn_findings_folder(const tn_findings *findings);

typedef struct tn_reproduction {
    const char *name;          /* "welch-table-1" */
    const char *source;
    const char *reading;       /* how what the paper leaves open is read; lines */
    int (*run)(tn_findings *findings, tn_context *context);    /* a code of the library */
} tn_reproduction;

/* All results, ending in NULL. */
extern const tn_reproduction *const tn_reproductions[];

/* Reads the model and opens a session on it. */
int tn_reproduction_open(tn_session **session, tn_model **model, tn_context *context, const char *text,
                         const tn_solve *solve);
/* 2-norm of all residuals; NaN when they cannot be had. */
double tn_residual_norm(tn_session *session, const tn_model *model);
/* log2 of the ratio of two errors, or of two differences. */
double tn_observed_order(double coarse, double fine);

#endif
