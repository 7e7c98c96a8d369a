/* The hub: the open document in the runner's thread, its frames, and broadcasts to all clients. */
#ifndef TN_STUDIO_HUB_H
#define TN_STUDIO_HUB_H

#include "client.h"
#include "document.h"
#include "frame.h"
#include "recovery.h"
#include "worker.h"
#include <cJSON.h>

enum { TN_MOST_DOCUMENTS = 16 };       /* that are open at a time */

/* The data of an open document that clients receive. */
typedef struct tn_listed_document {
    int number;
    bool unsaved;
    char name[256], title[128], file[512];
} tn_listed_document;

/* State that the network thread may read while the solver is busy. Guarded by the lock of the clients. */
typedef struct tn_published {
    uint32_t revision;
    char name[256], folder[TN_PATH_SIZE], journal[TN_PATH_SIZE];
    tn_message *scene;         /* the latest; NULL: none yet */
    double rewind_begin, rewind_end;
    long steps, rejected;      /* of the session */
    struct {
        double time, step;     /* s; step 0: none */
        char why[200];
    } refused;                 /* the last rejected step */
    int branch;
    char journal_trouble[80];  /* "": the journal is written */
    long unwritten;            /* edits that are in no file */
    tn_listed_document documents[TN_MOST_DOCUMENTS];       /* by number */
    int document_count, shown;
    bool keep_due;             /* its text is to be looked at again soon */
    char not_kept[400];        /* why an unsaved model could not be written; empty: it was */
} tn_published;

typedef struct tn_id_list {
    tn_id *items;
    size_t count;
} tn_id_list;

enum { TN_STEPS_KEPT = 4096 }; /* steps that can be gone back one by one */

typedef struct tn_hub {
    tn_clients *clients;
    tn_runner *runner;
    tn_worker *worker;
    const tn_recovery *recovery;       /* and the folder of journals */
    tn_document document;      /* the one that is shown */
    tn_document parked[TN_MOST_DOCUMENTS];     /* the others: they stand still */
    int parked_count;
    long kept;                 /* revision of the session at which its text was last looked at */
    double kept_wall, keep_cost;       /* s: when that was, and how long it took */
    tn_published published;
    uint32_t revision, frame;  /* of the scene; of frames */
    long seen;                 /* revision of the session that revision stands for */
    bool scene_due, frame_due;
    double frame_wall;         /* s: when the last frame was made */
    tn_id_list bodies, joints, forces;     /* in the order of the scene */
    uint8_t *full_frame;       /* a frame with all parts */
    tn_contact_touch touches[TN_FRAME_MOST_TOUCHES];       /* room for those of a frame */
    size_t fired, logged;      /* events and log lines that were sent */
    double step_times[TN_STEPS_KEPT];      /* s: times of the last steps, a ring by step_end */
    size_t step_count, step_end;
    double furthest;           /* s: how far the past can be sought */
    tn_readout *until;         /* expression whose zero crossing ends the run; NULL: none */
    double until_last;
    tn_readout *pull_force;    /* NULL: nobody pulls */
    tn_pull pull;
    int branch, documents, records;    /* documents: the last number; records: journals begun */
    tn_journal_options journal_options;
    struct tn_health {         /* the last report */
        cJSON *answer;         /* NULL: none yet */
        uint32_t revision;
        double wall, cost;     /* s: when it was made, and how long that took */
    } health;
} tn_hub;

/* Takes the document, which is recorded from here on with the hub's journal_options, and starts its runner. */
int tn_hub_open(tn_hub *hub, tn_clients *clients, tn_worker *worker, tn_document *document, const tn_recovery *recovery);
/* Stops the runner: requests under way are called with session NULL. */
void tn_hub_stop(tn_hub *hub);
void tn_hub_close(tn_hub *hub);
/* From within a call: another document in place of the present one, paused. The present one is parked, or else
 * closed. On an error the present one stays and the other is still the caller's. */
int tn_hub_exchange(tn_hub *hub, tn_document *document, bool park);
/* The same with a document that is parked. False: there is no such one. */
bool tn_hub_show(tn_hub *hub, int number);
/* Closes a parked document. */
void tn_hub_drop(tn_hub *hub, int number);
/* By number, the shown one or a parked one; NULL: none. */
tn_document *tn_hub_find(tn_hub *hub, int number);

/* hub_documents.c. Looks at the text of the shown document when it may have changed: unsaved or not, and to disk.
 * now: without waiting for a while since the last time. */
void tn_hub_keep(tn_hub *hub, bool now);
/* The document is as it is on disk: nothing of it has to be kept elsewhere. */
void tn_hub_saved(tn_hub *hub, tn_document *document, uint64_t text);
/* Sends the list of open documents to all clients; adds the list to a message. */
void tn_hub_tell_documents(tn_hub *hub);
void tn_hub_add_documents(cJSON *json, const tn_published *published);

/* To be called after anything that may have changed the model: increments the revision and schedules the scene. quiet:
 * the scene is the same for clients. */
void tn_hub_check_revision(tn_hub *hub, bool quiet);
/* The session was set to a time: later steps are forgotten. */
void tn_hub_truncate_steps(tn_hub *hub, double time);
/* The time so many steps ago; NaN when that is not known. */
double tn_hub_time_back(const tn_hub *hub, size_t steps);
/* Sends a message to all clients and deletes the document. */
void tn_hub_broadcast(tn_hub *hub, cJSON *json);

#endif
