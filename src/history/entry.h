/* What happens to a session, as data and as a line of text: the words of journals and saved runs. */
#ifndef TN_SESSION_ENTRY_H
#define TN_SESSION_ENTRY_H

#include "edit.h"
#include "snapshot.h"
#include "yaml_tree.h"

typedef enum tn_entry_kind {
    TN_ENTRY_ADVANCE,          /* by a duration */
    TN_ENTRY_RUN,              /* to a time */
    TN_ENTRY_STEP,
    TN_ENTRY_DO,
    TN_ENTRY_UNDO,
    TN_ENTRY_REDO,
    TN_ENTRY_SOLVE,            /* other settings */
    TN_ENTRY_PULL,             /* at a point of a body, or its target moved */
    TN_ENTRY_RELEASE,
    TN_ENTRY_DRAG,             /* a pose by a point of a body */
    TN_ENTRY_SNAPSHOT,           /* to another snapshot of the model it has */
    TN_ENTRY_END               /* the session was closed, or all was saved */
} tn_entry_kind;

/* How going on came out. */
typedef enum tn_ending {
    TN_ENDING_GOOD,
    TN_ENDING_STOPPED,         /* after some steps, by a callback or for want of a file */
    TN_ENDING_FAILED,          /* a step could not be taken */
    TN_ENDING_UNDER_WAY        /* not ended yet */
} tn_ending;

typedef struct tn_entry {
    tn_entry_kind kind;
    double value;              /* s: ADVANCE, RUN */
    long times;                /* ADVANCE, STEP: how often in a row; 0 is 1 */
    tn_ending ending;
    long taken;                /* steps, where it did not end well */
    tn_command_text command;   /* DO */
    bool restore;              /* UNDO, REDO */
    const tn_solve *solve;     /* SOLVE */
    tn_pull pull;              /* PULL; the body by its name */
    tn_drag drag;              /* DRAG; same */
    const char *body;
    tn_snapshot snapshot;          /* MOMENT */
    double time;               /* s: afterwards; NaN: not told */
    bool has_hash;
    uint64_t hash;             /* of the state afterwards */
} tn_entry;

bool tn_entry_goes(const tn_entry *event);             /* ADVANCE, RUN or STEP */
/* "- { advance: 0.01 s, times: 120 }" and a line break. */
void tn_entry_write(tn_text *out, const tn_entry *event);
/* From such a line; what it points at is in the arena, or in line. TN_ERROR_MODEL with a diagnostic at place. */
int tn_entry_read(tn_entry *out, tn_arena *arena, tn_context *context, tn_span place, const char *line, size_t size);

/* Settings as a flow map, every one of them, and back. */
void tn_solve_write(tn_text *out, const tn_solve *solve);
int tn_solve_read(tn_solve *out, tn_context *context, const tn_node *map);

/* pull_text.c: ", pull: { ... }" of a snapshot, nothing when nobody pulls; and back, map NULL: nobody pulls. */
void tn_pulling_write(tn_text *out, const tn_pulling *pull);
int tn_pulling_read(tn_pulling *out, tn_arena *arena, tn_context *context, const tn_node *map);

/* Numbers of a map by their keys: TN_ERROR_MODEL when one is missing or none. */
int tn_map_number(double *out, tn_context *context, const tn_node *map, const char *key);
int tn_map_numbers(double **out, size_t *count, tn_arena *arena, tn_context *context, const tn_node *map,
                   const char *key);
int tn_map_hash(uint64_t *out, tn_context *context, const tn_node *node);

#endif
