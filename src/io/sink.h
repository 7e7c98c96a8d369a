/* Sinks: the receivers of a run's samples, one type for every file format. */
#ifndef TN_IO_SINK_H
#define TN_IO_SINK_H

#include "mem.h"
#include "tenon/session.h"

typedef struct tn_sink tn_sink;

typedef struct tn_sink_type {
    /* Takes a sample, one value for each channel, and allocates no memory. TN_ERROR_FILE with a diagnostic. */
    int (*row)(tn_sink *sink, const double *values);
    /* Writes the buffers and frees the sink, even when writing fails: TN_ERROR_FILE with a diagnostic. */
    int (*close)(tn_sink *sink);
} tn_sink_type;

/* The beginning of every sink. */
struct tn_sink {
    const tn_sink_type *type;
    tn_context *context;
    size_t count;              /* channels */
    tn_sink *next;             /* for the owner's list */
};

/* The description of a run in its file. Borrowed while the sink is opened. */
typedef struct tn_sink_header {
    const tn_channel *channels;
    size_t count;
    const char *model;
    int dimension;
    const tn_solve *solve;     /* NULL: unknown */
} tn_sink_header;

/* "t [s],crank.position.x [m]", then rows in full precision, to a stream that stays the caller's. */
int tn_sink_open_csv(tn_sink **out, tn_context *context, FILE *stream, const tn_sink_header *header);
/* Layout: docs/results.md. A channel that the header has twice is written once. */
int tn_sink_open_hdf5(tn_sink **out, tn_context *context, const char *path, const tn_sink_header *header);

#endif
