/* An open model with its run: context, model, session, journal. */
#ifndef TN_STUDIO_DOCUMENT_H
#define TN_STUDIO_DOCUMENT_H

#include "folder.h"
#include "tenon/tenon.h"
#include <stdint.h>

enum { TN_REWIND_BYTES = 128 << 20 };    /* memory for the snapshots of a run */

typedef struct tn_document {
    tn_context *context;
    tn_model *model;           /* NULL: the replay has it */
    tn_replay *replay;         /* of a run that was resumed: owns its session */
    tn_session *session;
    char name[256];            /* of its file, without folder */
    char folder[TN_PATH_SIZE]; /* what paths in it are relative to, and the only place it may read from */
    char journal[TN_PATH_SIZE];
    int number;                /* of the documents of this program; the same after going back to the start */
    char file[512];            /* path within the served folder that saving writes; "": it has none yet */
    long long modified;        /* ns since 1970: when that file was last changed, as far as is known here; 0: unknown */
    uint64_t saved, told;      /* hashes of its text: as opened or last saved; as last looked at */
    bool unsaved;              /* its text differs from what is on disk */
    char *view;                /* what a page shows with it, as JSON; NULL: nothing is kept. By malloc */
    int differs;               /* line of the journal from which on resuming gave another run; 0: none */
    long repeated;             /* entries of the journal that were repeated as they are recorded */
    double repeated_to;        /* time after them, s */
} tn_document;

/* The view of a model (plots, layout) is JSON in the file of this name behind the name of the model, of at most this many bytes. */
#define TN_VIEW_END ".studio"
enum { TN_VIEW_LIMIT = 1 << 20 };

/* Each opens a new one; after an error, document->context has the diagnostics and the caller closes it all the same.
 * confined: may the file itself read only within the folder? (Later on nothing else may.) plugins: shared libraries
 * may be loaded. The view beside a file is read, too. */
int tn_document_read(tn_document *out, const char *path, const char *folder, bool confined, bool plugins);
int tn_document_text(tn_document *out, const char *text, const char *name, const char *folder, bool plugins);
/* A journal is gone through again, to its last entry, or that many entries (< 0: all). TN_ERROR_MODEL without a diagnostic when
 * differs is set. */
int tn_document_resume(tn_document *out, const char *journal, long entries, const char *folder, bool plugins);
/* Its text as it is now, owned through tn_text_free; NULL without memory. hash may be NULL. */
char *tn_document_now(tn_document *document, uint64_t *hash);
/* Paths of the files that a text of the document uses, as far as they are in its folder and not hidden: parts, meshes, tables, and
 * what the solution is compared with. The text is read anew, since a running model does not list the files that edits brought.
 * The list and its paths by malloc; NULL without memory. */
char **tn_document_files(size_t *count, const tn_document *document, const char *text, bool plugins);
/* Copies number, file, saved state and view to a document that was opened from the text of another. */
void tn_document_succeed(tn_document *document, tn_document *before);
/* Journal and past from here on. state: folder; number: of the documents of this program. */
int tn_document_record(tn_document *document, const char *state, int number, const tn_journal_options *options);
void tn_document_close(tn_document *document);

#endif
