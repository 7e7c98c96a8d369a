/* The studio's parts; private to this layer. */
#ifndef TN_STUDIO_IMPL_H
#define TN_STUDIO_IMPL_H

#include "worker.h"
#include "connections.h"
#include "gallery.h"
#include "hub.h"
#include "importer.h"
#include "motion_maker.h"
#include "studio.h"
#include "sweeper.h"

struct lws_context;
struct tn_download;

struct tn_studio {
    tn_studio_options options;
    char folder[TN_PATH_SIZE]; /* of models to open and save */
    tn_access access;
    tn_clients clients;
    tn_hub hub;
    tn_worker worker;
    tn_recovery recovery;
    tn_turns session_turns, worker_turns;
    tn_line downloads_line[TN_RIGHT_EDIT + 1];     /* all of a right wait in one line for the session */
    tn_sweeper sweeper;
    tn_made_page made;
    tn_importer_thread importer;
    cJSON *gallery;            /* never changes */
    char *gallery_folder;      /* without links and "..": paths of files in it begin with it */
    char *gallery_text, *types;        /* JSON, written down once: clients may ask for it as often as they like */
    char urls[2][512];         /* for looking on, for editing */
    char journal[TN_PATH_SIZE];
    char broken[256];          /* the model that it was started with and that has mistakes; empty: none */
    double first_pause;        /* s simulated: where the first run pauses */
    struct lws_context *network;
    tn_connections connections;        /* the network thread's */
    struct tn_download *downloads;     /* guarded by the lock of the clients */
};

/* Requests that wait for the runner's thread, or are refused. */
void tn_studio_send(tn_studio *studio, tn_line *line, tn_right right, tn_turn *turn);
/* The hello message for a client; deleted by the caller. */
cJSON *tn_studio_hello(tn_studio *studio, const tn_client *client);
/* Several times a second: the status to all. */
void tn_studio_tell_status(tn_studio *studio);

/* network.c */
int tn_network_open(tn_studio *studio);
/* From any thread: there is something to send. user is the studio. */
void tn_network_wake(void *user);
void tn_network_serve(tn_studio *studio, bool (*stop)(void));
void tn_network_close(tn_studio *studio);

#endif
