/* Verbs that ask. */
#include "request.h"
#include "answers.h"
#include "frame.h"
#include "parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add_channel(cJSON *list, const char *name, const char *unit)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", name);
    cJSON_AddStringToObject(item, "unit", unit);
    cJSON_AddItemToArray(list, item);
}

static uint32_t frame_parts(const tn_request *r)
{
    static const struct { const char *name; uint32_t flag; } parts[] = {
        { "reactions", TN_FRAME_REACTIONS }, { "velocities", TN_FRAME_VELOCITIES },
        { "accelerations", TN_FRAME_ACCELERATIONS }, { "forces", TN_FRAME_FORCES },
        { "touches", TN_FRAME_TOUCHES },
    };
    uint32_t flags = 0;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        if (tn_request_flag(r, parts[k].name))
            flags |= parts[k].flag;
    return flags;
}

int tn_verb_subscribe(tn_request *r, tn_session *session)
{
    const char *names[TN_MOST_CHANNELS];
    tn_subscription wanted = { .frame_parts = frame_parts(r) };
    int count = tn_request_texts(r, "channels", names);
    int code = count > 0 ? tn_readout_open(&wanted.readout, session, names, (size_t)count) : count;
    if (code < 0)
        return code;
    wanted.names = calloc((size_t)count + 1, sizeof *wanted.names);
    for (; wanted.names && wanted.count < (size_t)count; wanted.count++)
        if (!(wanted.names[wanted.count] = strdup(names[wanted.count])))
            break;
    if (!wanted.names || wanted.count < (size_t)count) {
        tn_subscription_clear(&wanted);
        return TN_ERROR_MEMORY;
    }
    cJSON *list = cJSON_AddArrayToObject(r->answer, "channels");
    for (size_t k = 0; k < wanted.count; k++)
        add_channel(list, wanted.names[k], tn_readout_unit(wanted.readout, k));
    tn_clients_subscribe(&r->studio->clients, r->client, &wanted);
    cJSON_AddNumberToObject(r->answer, "subscription", r->client->subscription.number);
    return TN_OK;
}

int tn_verb_channels(tn_request *r, tn_session *session)
{
    cJSON *list = cJSON_AddArrayToObject(r->answer, "channels");
    for (size_t k = 0; k < tn_session_channel_count(session); k++) {
        tn_channel channel = tn_session_channel(session, k);
        add_channel(list, channel.name, channel.unit);
    }
    return TN_OK;
}

int tn_verb_value(tn_request *r, tn_session *session)
{
    const char *names[TN_MOST_CHANNELS];
    double values[TN_MOST_CHANNELS];
    tn_readout *readout = NULL;
    int count = tn_request_texts(r, "channels", names);
    int code = count < 0 ? count : tn_readout_open(&readout, session, names, (size_t)count);
    if (code >= 0)
        code = tn_readout_values(values, readout);
    tn_readout_close(readout);
    if (code >= 0)
        cJSON_AddItemToObject(r->answer, "values", cJSON_CreateDoubleArray(values, count));
    return code;
}

/* Values at kept snapshots, a row of numbers for each. */
typedef struct rows {
    cJSON *list;
    int channels;
    double until;              /* s of wall time; 0: nothing seen yet */
} rows;

static int add_row(void *user, double time, const double *values)
{
    static const double PATIENCE = 0.03;               /* s that the solver waits; "after" asks for the rest */
    rows *r = user;
    r->until = r->until > 0 ? r->until : tn_clock() + PATIENCE;
    cJSON *row = cJSON_CreateDoubleArray(values, r->channels);
    cJSON_InsertItemInArray(row, 0, cJSON_CreateNumber(time));
    cJSON_AddItemToArray(r->list, row);
    return tn_clock() >= r->until;
}

int tn_verb_history(tn_request *r, tn_session *session)
{
    const char *names[TN_MOST_CHANNELS];
    double after = -INFINITY;
    int count = tn_request_texts(r, "channels", names);
    int code = count;
    if (code >= 0 && tn_request_argument(r, "after"))
        code = tn_request_number(r, "after", -1e12, 1e12, &after);
    rows got = { cJSON_AddArrayToObject(r->answer, "rows"), count, 0 };
    tn_looking looking = { nextafter(after, INFINITY), add_row, &got };
    if (code >= 0)
        code = tn_session_look_back(session, names, (size_t)count, &looking);
    cJSON_AddBoolToObject(r->answer, "more", code == TN_NEWS_INTERRUPTED);
    return code;
}

/* By whichever path: that of a subsystem is relative where the program was started with a relative one. */
static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return strcmp(one, other) == 0 ||
           (stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static int answer_part(tn_request *r, const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    cJSON_AddStringToObject(r->answer, "text", text);
    cJSON_AddStringToObject(r->answer, "file", slash ? slash + 1 : path);
    cJSON_AddNumberToObject(r->answer, "revision", r->studio->hub.revision);
    const tn_document *document = &r->studio->hub.document;
    bool own = strcmp(document->folder, r->studio->folder) == 0 && document->file[0] != '\0' && !strchr(document->file, '/');
    cJSON_AddBoolToObject(r->answer, "changeable", own);
    return TN_OK;
}

/* The text of a subsystem's file, as it was read with the model; as it is now where an edit has put it in place. */
static int text_of_part(tn_request *r, const tn_model *model, const char *subsystem)
{
    tn_subsystem_info info;
    if (tn_model_subsystem(&info, model, tn_model_find(model, subsystem)) < 0 || !info.file)
        return tn_request_refuse(r, "argument", "there is no subsystem '%.100s' with a file", subsystem);
    const char *folder = r->studio->hub.document.folder, *slash = strrchr(info.file, '/');
    for (size_t k = 0; k < tn_model_file_count(model); k++) {
        tn_model_file file = tn_model_file_at(model, k);
        bool hidden = tn_folder_hides(folder, file.path);
        if (file.text && !hidden && is_same_file(file.path, info.file))
            return answer_part(r, info.file, file.text);
    }
    char inside[TN_PATH_SIZE];
    char *text = tn_folder_locate(inside, sizeof inside, folder, info.file) ? tn_file_load_text(info.file) : NULL;
    if (text) {
        int code = answer_part(r, info.file, text);
        free(text);
        return code;
    }
    return tn_request_refuse(r, "file", "'%.200s' is no text", slash ? slash + 1 : info.file);
}

int tn_verb_text(tn_request *r, tn_session *session)
{
    char *text = NULL;
    if (tn_request_argument(r, "subsystem")) {
        const char *subsystem = tn_request_text(r, "subsystem");
        return subsystem ? text_of_part(r, tn_session_model(session), subsystem) : TN_ERROR_ARGUMENT;
    }
    int code = tn_session_text(&text, session);
    if (code < 0)
        return code;
    cJSON_AddStringToObject(r->answer, "text", text);
    cJSON_AddStringToObject(r->answer, "file", r->studio->hub.document.name);
    cJSON_AddNumberToObject(r->answer, "revision", r->studio->hub.revision);
    tn_text_free(tn_session_context(session), text);
    return TN_OK;
}

/* ---- analyses ---- */

int tn_verb_statics(tn_request *r, tn_session *session)
{
    tn_equilibrium *equilibrium = NULL;
    tn_runner_set_speed(r->studio->hub.runner, 0);
    int code = tn_session_statics(&equilibrium, session, NULL);
    if (code < 0)
        return code;
    tn_json_add_equilibrium(r->answer, equilibrium, session);
    cJSON_DeleteItemFromObjectCaseSensitive(r->answer, "time");        /* every answer has it */
    tn_equilibrium_destroy(tn_session_context(session), equilibrium);
    return TN_OK;
}

int tn_verb_modes(tn_request *r, tn_session *session)
{
    tn_modes *modes = NULL;
    double shown = 0;
    int code = tn_request_argument(r, "bodies") ? tn_request_number(r, "bodies", 1, 1e6, &shown) : TN_OK;
    if (code >= 0)
        code = tn_session_modes(&modes, session);
    if (code < 0)
        return code;
    tn_json_add_modes(r->answer, modes, modes->count);
    if (shown >= 1 && shown <= (double)modes->count)
        tn_json_add_mode_bodies(r->answer, &modes->items[(size_t)shown - 1]);
    cJSON_DeleteItemFromObjectCaseSensitive(r->answer, "time");
    tn_modes_destroy(tn_session_context(session), modes);
    return TN_OK;
}

int tn_verb_mobility(tn_request *r, tn_session *session)
{
    tn_free_motions *motions = NULL;
    int code = tn_session_free_motions(&motions, session);
    if (code < 0)
        return code;
    tn_json_add_free_motions(r->answer, motions);
    tn_free_motions_destroy(tn_session_context(session), motions);
    return TN_OK;
}

/* Of the model as its text has it; the run is not touched. */
int tn_verb_assemble(tn_request *r, tn_session *session)
{
    char *text = NULL;
    tn_context *context = tn_session_context(session);
    tn_model *model = NULL;
    tn_session *assembled = NULL;
    const tn_document *document = &r->studio->hub.document;
    int code = tn_session_text(&text, session);
    if (code >= 0)
        code = tn_model_read_text(&model, context, text, strlen(text), document->name, document->folder);
    if (code >= 0)
        code = tn_session_open_assembled(&assembled, model, NULL);
    if (code >= 0)
        tn_json_add_assembly(r->answer, model, assembled);
    tn_session_close(assembled);
    tn_model_destroy(model);
    tn_text_free(context, text);
    return code;
}

/* ---- what needs no session ---- */

int tn_verb_types(tn_request *r, tn_session *session)
{
    (void)session;
    cJSON_AddRawToObject(r->answer, "types", r->studio->types);
    return TN_OK;
}

int tn_verb_gallery(tn_request *r, tn_session *session)
{
    (void)session;
    cJSON_AddRawToObject(r->answer, "models", r->studio->gallery_text);
    return TN_OK;
}

int tn_verb_session(tn_request *r, tn_session *session)
{
    (void)session;
    cJSON *hello = tn_studio_hello(r->studio, r->client);
    while (hello->child) {
        cJSON *item = cJSON_DetachItemViaPointer(hello, hello->child);
        cJSON_AddItemToObject(r->answer, item->string, item);
    }
    cJSON_Delete(hello);
    cJSON_DeleteItemFromObjectCaseSensitive(r->answer, "push");
    return TN_OK;
}

/* Where the model's files are, and what it is called. */
static void copy_document_place(tn_studio *studio, char folder[TN_PATH_SIZE], char name[256])
{
    pthread_mutex_lock(&studio->clients.lock);
    snprintf(folder, TN_PATH_SIZE, "%s", studio->hub.published.folder);
    snprintf(name, 256, "%s", studio->hub.published.name);
    pthread_mutex_unlock(&studio->clients.lock);
}

int tn_verb_parts(tn_request *r, tn_session *session)
{
    (void)session;
    char folder[TN_PATH_SIZE], name[256];
    double dimension = 0;
    int code = tn_request_number(r, "dimension", 2, 3, &dimension);
    if (code < 0)
        return code;
    copy_document_place(r->studio, folder, name);
    cJSON_AddItemToObject(r->answer, "parts",
                          tn_parts_list(folder, dimension > 2.5 ? 3 : 2, tn_request_plugins(r)));
    return TN_OK;
}

int tn_verb_check(tn_request *r, tn_session *session)
{
    (void)session;
    char folder[TN_PATH_SIZE], name[256];
    tn_document document = { 0 };
    const char *text = tn_request_text(r, "text");
    if (!text)
        return TN_ERROR_ARGUMENT;
    copy_document_place(r->studio, folder, name);
    r->diagnostics = cJSON_CreateArray();
    int code = tn_document_text(&document, text, name, folder, tn_request_plugins(r));
    tn_request_add_diagnostics(r, document.context);
    tn_document_close(&document);
    cJSON_AddBoolToObject(r->answer, "good", code >= 0);
    return code == TN_ERROR_MEMORY ? code : TN_OK;
}
