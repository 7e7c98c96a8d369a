/* Entries of journals and saved runs: each records one action on a session, as data and as a line of text. */
#ifndef TN_SESSION_ENTRY_H
#define TN_SESSION_ENTRY_H

#include "edit.h"
#include "snapshot.h"
#include "yaml_tree.h"

typedef enum tn_entry_kind {
    TN_ENTRY_ADVANCE,          /* advance by a duration */
    TN_ENTRY_RUN,              /* advance to a time */
    TN_ENTRY_STEP,
    TN_ENTRY_DO,               /* edit by a command */
    TN_ENTRY_UNDO,
    TN_ENTRY_REDO,
    TN_ENTRY_SOLVE,            /* change the solver settings */
    TN_ENTRY_PULL,             /* begin a pull at a point of a body, or move the target of the pull */
    TN_ENTRY_RELEASE,
    TN_ENTRY_DRAG,             /* change the pose by dragging a point of a body */
    TN_ENTRY_INPUTS,           /* set the inputs */
    TN_ENTRY_SNAPSHOT,         /* restore a snapshot; the model stays the same */
    TN_ENTRY_END               /* the session was closed, or the saved run is complete */
} tn_entry_kind;

/* How an ADVANCE, RUN or STEP ended. */
typedef enum tn_ending {
    TN_ENDING_GOOD,
    TN_ENDING_STOPPED,         /* a callback or a file error stopped the run after some steps */
    TN_ENDING_FAILED,          /* a step failed */
    TN_ENDING_UNDER_WAY        /* not ended yet */
} tn_ending;

typedef struct tn_entry {
    tn_entry_kind kind;
    double value;              /* s: ADVANCE, RUN */
    long times;                /* ADVANCE, STEP: repetitions; 0 means 1 */
    tn_ending ending;
    long taken;                /* steps taken, unless ending is GOOD */
    tn_command_text command;   /* DO */
    bool restore;              /* UNDO, REDO */
    const tn_solve *solve;     /* SOLVE */
    tn_pull pull;              /* PULL */
    tn_drag drag;              /* DRAG */
    const char *body;          /* PULL, DRAG: name of the body */
    tn_snapshot snapshot;      /* SNAPSHOT */
    const double *inputs;      /* INPUTS: value and rate of all inputs, in the order of the states */
    size_t input_count;        /* INPUTS: numbers in inputs */
    double time;               /* s: time after the entry; NaN: not recorded */
    bool has_hash;
    uint64_t hash;             /* of the state after the entry */
} tn_entry;

bool tn_entry_goes(const tn_entry *event);             /* is the kind ADVANCE, RUN or STEP? */
/* Writes an entry as one line with its line break: "- { advance: 0.01 s, times: 120 }". */
void tn_entry_write(tn_text *out, const tn_entry *event);
/* Reads an entry from a line. Pointers of the entry lead into the arena or into line. TN_ERROR_MODEL with a diagnostic
 * at place. */
int tn_entry_read(tn_entry *out, tn_arena *arena, tn_context *context, tn_span place, const char *line, size_t size);

/* Write all settings as a flow map, and read them back. */
void tn_solve_write(tn_text *out, const tn_solve *solve);
int tn_solve_read(tn_solve *out, tn_context *context, const tn_node *map);

/* snapshot_text.c: write a snapshot as a flow map, and read it back. */
void tn_snapshot_write(tn_text *out, const tn_snapshot *snapshot);
int tn_snapshot_read(tn_snapshot *out, tn_arena *arena, tn_context *context, const tn_node *map);

/* Writes ", key: [1, 2]". */
void tn_numbers_write(tn_text *out, const char *key, const double *x, size_t count);

/* Read numbers of a map by key. TN_ERROR_MODEL when the key is missing or its value is not a number. */
int tn_map_number(double *out, tn_context *context, const tn_node *map, const char *key);
int tn_map_numbers(double **out, size_t *count, tn_arena *arena, tn_context *context, const tn_node *map,
                   const char *key);
/* As tn_map_numbers; the list must have the wanted number of numbers. */
int tn_map_exactly(double **out, size_t wanted, tn_arena *arena, tn_context *context, const tn_node *map, const char *key);
int tn_map_hash(uint64_t *out, tn_context *context, const tn_node *node);
/* TN_ERROR_MODEL with the diagnostic "'key' must be wanted". */
int tn_map_refuse(tn_context *context, const tn_node *node, const char *key, const char *wanted);

#endif
