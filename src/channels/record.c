/* Recording samples in files. */
#include "channels.h"

int tn_record_row(tn_session *s)
{
    int worst = TN_OK;
    for (tn_sink *sink = s->channels->sinks; sink; sink = sink->next) {
        int code = sink->type->row(sink, s->channels->values);
        worst = worst < 0 ? worst : code;
    }
    return worst;
}

static int make_header(tn_sink_header *out, const tn_session *s)
{
    tn_channel *channels = tn_alloc(s->context, s->channels->recorded.count, sizeof *channels);
    if (!channels)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < s->channels->recorded.count; k++)
        channels[k] = tn_session_recorded(s, k);
    *out = (tn_sink_header){ .channels = channels, .count = s->channels->recorded.count, .model = tn_model_name(s->model),
                             .dimension = tn_model_dimension(s->model), .solve = &s->solve };
    return TN_OK;
}

/* Adds a sink: CSV to the stream, or HDF5 to the file at path when stream is NULL. */
static int add_sink(tn_session *s, FILE *stream, const char *path)
{
    tn_sink_header header;
    tn_sink *sink;
    TN_TRY(make_header(&header, s));
    int code = stream ? tn_sink_open_csv(&sink, s->context, stream, &header)
                      : tn_sink_open_hdf5(&sink, s->context, path, &header);
    tn_free(s->context, (void *)header.channels);
    TN_TRY(code);
    sink->next = s->channels->sinks;
    s->channels->sinks = sink;
    return TN_OK;
}

int tn_session_record_csv(tn_session *s, FILE *out)
{
    return add_sink(s, out, NULL);
}

int tn_session_record_hdf5(tn_session *s, const char *path)
{
    return add_sink(s, NULL, path);
}

int tn_session_record_end(tn_session *s)
{
    int worst = TN_OK;
    while (s->channels->sinks) {
        tn_sink *sink = s->channels->sinks;
        s->channels->sinks = sink->next;
        int code = sink->type->close(sink);
        worst = worst < 0 ? worst : code;
    }
    return worst;
}
