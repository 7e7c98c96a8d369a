/* An FMU that is part of a model, and the board that its process shares with this one; private to src/fmi. */
#ifndef TN_FMI_IMPL_H
#define TN_FMI_IMPL_H

#include <pthread.h>
#include "fmi.h"
#include "fmi_description.h"
#include "remote.h"

typedef enum tn_fmi_call {
    TN_FMI_BEGIN, TN_FMI_READ, TN_FMI_EVALUATE, TN_FMI_DIFFERENTIATE, TN_FMI_EVENT, TN_FMI_COMPLETED, TN_FMI_STEP, TN_FMI_SAVE,
    TN_FMI_RESTORE, TN_FMI_FORGET, TN_FMI_END
} tn_fmi_call;

/* Instances in the process at a time: runs that share the FMU. */
enum { TN_FMI_INSTANCES = 8 };

/* Question and answer, in the room of the remote. Arrays follow the struct. */
typedef struct tn_fmi_board {
    tn_fmi_call call;
    int code;                      /* TN_OK or TN_ERROR_STEP */
    char function[48];             /* of the FMU, being called */
    char message[TN_FMI_TROUBLE];
    double t, h;
    double next;                   /* time of the next event */
    bool event, ends;
    bool interpolate;
    bool lost;                     /* answer: the instance cannot be used any more */
    int instance;
    int slot;                      /* of a saved state */
} tn_fmi_board;

typedef struct tn_fmi_arrays {
    double *u, *u_rates, *x, *y, *rates, *indicators, *D;
} tn_fmi_arrays;

/* A snapshot that a handle stands for: the call that led to it from an older one. */
typedef struct tn_fmi_snapshot {
    double handle, before, root;   /* before: 0: this is a start; root: the start that it goes back to */
    double t, h;
    double next;                   /* time of the next event */
    bool interpolate;
    int slot;                      /* saved state in the process; -1: none */
    double *values;                /* u, u_rates, x: of the call; of a start: x after it */
} tn_fmi_snapshot;

/* An instance in the process. */
typedef struct tn_fmi_live {
    double root, current;          /* handles; 0: none */
    unsigned long used;            /* number of its last use */
} tn_fmi_live;

struct tn_fmi {
    tn_fmi_facts facts;
    tn_fmi_description description;
    const tn_fmi_kind *kind;
    tn_context *context;
    tn_arena *arena;
    char *path, *who;
    uint64_t stamp;                /* hash of the file */
    double limit;
    int *input, *output;           /* variables */
    int *parameter;
    double *parameter_value;       /* SI */
    const char **parameter_text;   /* of parameters that are texts; NULL: a number */
    int parameter_count;
    bool *depends;
    int users;
    pthread_mutex_t lock;          /* of all below */
    char folder[64];               /* where the FMU is unpacked; "": not yet */
    int hold;                      /* descriptor of the folder, locked as long as the program runs; -1: none */
    tn_remote remote;              /* the process; it does not run: not started, or gone */
    char dead[TN_FMI_TROUBLE];     /* why the process is gone for good; "": it is not */
    tn_fmi_board *board;           /* NULL without the process */
    tn_fmi_arrays at;
    tn_fmi_live live[TN_FMI_INSTANCES];
    unsigned long uses;
    tn_fmi_snapshot *snapshots;        /* in the order of their calls */
    size_t snapshot_count, snapshot_capacity;
    int slots_used, slot_stride, next_slot;
};

/* fmi_package.c: description in the archive; unpacking for this platform into a new folder, and removing it. */
int tn_fmi_package_read(tn_fmi *fmi, const tn_fmi_request *request);
int tn_fmi_package_unpack(tn_fmi *fmi, char *trouble);
void tn_fmi_package_remove(tn_fmi *fmi);
/* Path of the library in the unpacked FMU. */
void tn_fmi_library_path(const tn_fmi *fmi, char *path, size_t size);

/* fmi_process.c. begin: starts the process unless it is there. ask: the board has the question and gets the answer. */
int tn_fmi_process_begin(tn_fmi *fmi, char *trouble);
int tn_fmi_ask(tn_fmi *fmi, tn_fmi_call call, char *trouble);
void tn_fmi_process_end(tn_fmi *fmi);
tn_fmi_arrays tn_fmi_arrays_of(const tn_fmi *fmi, tn_fmi_board *board);

#endif
