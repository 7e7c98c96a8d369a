/* A run with all that belongs to it: context, model, session, journal. */
#ifndef TN_STUDIO_WORLD_H
#define TN_STUDIO_WORLD_H

#include "folder.h"
#include "tenon/tenon.h"

enum { TN_PAST_BYTES = 128 << 20 };    /* what moments of a run may take */

typedef struct tn_world {
    tn_context *context;
    tn_model *model;           /* NULL: the replay has it */
    tn_replay *replay;         /* of a run that was resumed: owns its session */
    tn_session *session;
    char name[256];            /* of its file, without folder */
    char folder[TN_PATH_SIZE]; /* what paths in it are relative to, and the only place it may read from */
    char journal[TN_PATH_SIZE];
    int differs;               /* line of the journal from which on resuming gave another run; 0: none */
} tn_world;

/* Each opens a new one; after an error, world->context has the diagnostics and the caller closes it all the same.
 * confined: may the file itself read only within the folder? (Later on nothing else may.) no_libraries: libraries are
 * refused. */
int tn_world_read(tn_world *out, const char *path, const char *folder, bool confined, bool no_libraries);
int tn_world_text(tn_world *out, const char *text, const char *name, const char *folder, bool no_libraries);
/* A journal is gone through again, to its last entry. TN_ERROR_MODEL without a diagnostic when differs is set. */
int tn_world_resume(tn_world *out, const char *journal, const char *folder, bool no_libraries);
/* Journal and past from here on. state: folder; number: of the worlds of this program. */
int tn_world_record(tn_world *world, const char *state, int number);
void tn_world_close(tn_world *world);

#endif
