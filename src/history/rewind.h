/* The rewind buffer: snapshots, the steps between them and the edits, in a ring of bytes. The oldest are dropped when the
 * ring is full.
 *
 *     snapshot  steps  steps  snapshot  steps  snapshot  edit  snapshot  steps ...
 *
 * "Steps" are a number of steps towards one end time, so that repeating them takes the very same steps. A snapshot stands
 * before and after each edit. To cross an edit backwards, undo or redo takes it back. The buffer begins after an edit that
 * cannot be taken back because undo has dropped it. A pull is part of the snapshots. */
#ifndef TN_REWIND_H
#define TN_REWIND_H

#include "log.h"

typedef enum tn_rewind_kind {
    TN_REWIND_SNAPSHOT, TN_REWIND_STEPS, TN_REWIND_EDIT,
    TN_REWIND_FILLER           /* unused bytes at the end of the ring */
} tn_rewind_kind;

/* The head of every item. */
typedef struct tn_rewind_item {
    tn_rewind_kind kind;
    size_t size;               /* bytes, to the next item */
} tn_rewind_item;

typedef struct tn_rewind_steps {
    tn_rewind_item item;
    double t_end;
    long count;
} tn_rewind_steps;

typedef struct tn_rewind_snapshot {
    tn_rewind_item item;
    tn_snapshot snapshot;      /* its arrays follow */
} tn_rewind_snapshot;

typedef struct tn_rewind_edit {
    tn_rewind_item item;
    tn_entry_kind event;       /* DO, DRAG, UNDO, REDO or SOLVE */
    bool by_event;             /* an event in the preceding step made the edit */
    const tn_solve *before, *after;    /* SOLVE; in the session's arena */
} tn_rewind_edit;

/* A place counts bytes since the ring was created; the byte of place p is bytes[p modulo capacity]. */
struct tn_rewind {
    unsigned char *bytes;
    size_t capacity;
    double interval;           /* s: simulated time between snapshots */
    size_t begin, end;         /* places of the stored items */
    size_t now;                /* place of the item at which the run is, or end */
    long inside;               /* steps of the item at now that the run has taken */
    size_t last_item;          /* place of the last item; not below end: unknown */
    double last;               /* s: time of the last snapshot */
    long undos, depth;         /* of the stored items: UNDO edits; change of the number of edits that can be undone */
    bool owes;                 /* an edit has no snapshot after it yet, because events are still firing */
    bool crossing;             /* seeking undoes or redoes edits that the buffer already has */
};

/* The item at a place, and the place after that item. */
void *tn_rewind_at(const tn_rewind *rewind, size_t place);
size_t tn_rewind_next(const tn_rewind *rewind, size_t place);

#endif
