/* Downloads: made by the runner's thread or at the worker, sent by the network's. */
#ifndef TN_STUDIO_DOWNLOAD_H
#define TN_STUDIO_DOWNLOAD_H

#include "studio_impl.h"

typedef struct tn_download tn_download;
struct tn_download {
    tn_download *next;
    tn_studio *studio;
    void *connection;          /* the network's */
    const char *type;          /* of the content */
    tn_right right;            /* of the client */
    char name[300];            /* for the file */
    char *bytes;               /* by malloc; NULL: it could not be had */
    size_t size;
    char **files;              /* to be packed with it: paths in the folder of the model */
    size_t file_count, folder_length;
    tn_turn turn;
    bool absent;               /* there is no such thing (yet) */
    bool done, gone;           /* guarded by the lock of the clients */
};

/* Begins one; NULL when there is nothing of that name ("model.yaml"), or no memory. */
tn_download *tn_download_begin(tn_studio *studio, const char *what, tn_right right, void *connection);
/* By whoever makes it: bytes are there, or it could not be had. It may be gone afterwards. */
void tn_download_finish(tn_download *download);
bool tn_download_done(tn_download *download);
/* The network needs it no more. */
void tn_download_end(tn_download *download);

#endif
