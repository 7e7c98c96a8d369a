/* An import: the machine that was read, and what became of it. */
#ifndef TN_IMPORT_IMPL_H
#define TN_IMPORT_IMPL_H

#include "machine.h"
#include "source.h"
#include "tenon/analysis.h"

typedef struct tn_moved_body {
    const char *name;
    double distance, angle;    /* m, rad */
} tn_moved_body;

struct tn_import {
    tn_context *context;
    tn_import_options options;
    const tn_importer *importer;
    tn_machine *machine;
    const char *file, *folder; /* folder NULL: not written yet */
    uint64_t hash;             /* of the main file */
    size_t size;
    bool prepared;             /* merged, named */
    bool recalled;             /* decisions of an earlier import were taken up before reading */
    bool update;
    /* Messages of the engine about the model that was written. */
    int assembled;             /* code of opening a session; positive: not tried */
    const char *trouble;       /* why it does not assemble; NULL: it does */
    tn_report counts;          /* without its arrays */
    const char **groups;       /* "a, b, c: 2 more equations than the motion needs" */
    size_t group_count;
    tn_moved_body *moved;      /* by assembly, farthest first */
    size_t moved_count;
    double total_mass;
    const char **changes;      /* against an earlier import: new, moved, vanished */
    size_t change_count, change_capacity;
};

/* Opens the model that was written and keeps what the report tells about it. */
int tn_import_analyse(tn_import *import, const char *folder);
/* Where the machine in the folder closes its loops beyond limits: other starts, nearer to the middle of the ranges in later
 * rounds (0, 1, ...); where it does not close them by its guesses: none. 1: the folder has to be written again; 0: nothing is beyond its limits, or the loops do not close. */
int tn_import_within_limits(tn_import *import, const char *folder, int round);
/* import.yaml as a text. Owned: tn_free. */
int tn_import_record(char **out, tn_import *import);
/* Decisions of an earlier import in the folder; no such folder: none. Before the machine is read. */
int tn_import_recall_decisions(tn_import *import, const char *folder);
/* Compares with an earlier import in the folder: what is new, has moved, has vanished. No such file: nothing. */
int tn_import_recall(tn_import *import, const char *folder);

#endif
