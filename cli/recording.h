/* Recorded channels in memory: read from a file of results, or made by running a model. */
#ifndef TN_CLI_RECORDING_H
#define TN_CLI_RECORDING_H

#include "output.h"

typedef struct tn_recording {
    const char *path;                  /* as given */
    size_t rows, columns;
    tn_channel *channels;
    const double **values;             /* of each channel */
    size_t time;                       /* the column "t"; the first one where none has that name */
    /* The objects that the recording reads from. */
    tn_results *results;
    tn_model *model;
    tn_session *session;
    double *samples;
} tn_recording;

/* Whether the ending of the name is that of a model, or of a table of results. */
bool tn_path_is_model(const char *path);
bool tn_path_is_results(const char *path);

/* Reads the results, or reads and runs the model (by the file's ending): until 0 means to the model's own end, and
 * progress shows a bar. What is wrong is said on stderr and appended to diagnostics when there is such an array;
 * returns the exit status. The recording is to be closed also after a failure. */
int tn_recording_open(tn_recording *out, tn_context *context, const char *path, double until, bool progress,
                      cJSON *diagnostics);
void tn_recording_close(tn_recording *recording);
/* Index of the channel, -1 when it was not recorded. */
int tn_recording_find(const tn_recording *recording, const char *name);

#endif
