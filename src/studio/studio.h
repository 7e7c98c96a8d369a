/* The studio: one session, served to any number of clients over HTTP and WebSocket (docs/protocol.md). */
#ifndef TN_STUDIO_STUDIO_H
#define TN_STUDIO_STUDIO_H

#include "page.h"
#include "tenon/tenon.h"

typedef struct tn_studio tn_studio;

typedef struct tn_studio_options {
    const char *model;         /* path; NULL: resume, or else an empty model */
    const char *resume;        /* a journal to go on from; NULL: none */
    long resume_entries;       /* of it, at most; < 0: all */
    const char *folder;        /* of models to open and save; NULL: that of the model, or the working one */
    const char *gallery;       /* folder of models to start from; NULL: none */
    const char *state;         /* folder of the journals, which exists */
    const char *host;          /* address or name to listen on; NULL: loopback only, IPv4 and IPv6 */
    int port;                  /* 0: one that is free */
    const char *certificate, *key;     /* PEM files, for TLS; NULL: none */
    const char *shown;         /* "https://studio.example.org", where a proxy shows the studio; NULL: no proxy */
    bool paused;               /* otherwise it runs at once */
    bool plugins;              /* clients that may edit may have shared libraries loaded */
    bool sync;                 /* an edit is acknowledged when the disk has its entry in the journal */
    const tn_page_file *page;  /* the files of the page */
    const char *player;        /* the page that plays motions, without data; "": none */
} tn_studio_options;

/* Opens session and port; what is wrong with model or journal is written to errors. TN_ERROR_FILE without more when
 * folder or port cannot be had: errno says why; EPROTO: certificate and key cannot be used; EDESTADDRREQ: shown is no address. Texts of the options must outlive the studio. */
int tn_studio_open(tn_studio **out, const tn_studio_options *options, FILE *errors);
/* Serves, in the calling thread, until stop says so; it is asked several times a second. */
void tn_studio_serve(tn_studio *studio, bool (*stop)(void));
void tn_studio_close(tn_studio *studio);

/* "http://127.0.0.1:8080/#token=...": for editing, or for looking on. Browsers keep what follows # to themselves. */
const char *tn_studio_url(const tn_studio *studio, bool edits);
/* Where the journal of the run is that the studio was opened with. */
const char *tn_studio_journal(const tn_studio *studio);

#endif
