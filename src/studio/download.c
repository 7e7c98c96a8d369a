/* Downloads: the model, its files as a zip archive, the journal, the run. */
#include "download.h"
#include "history_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

enum { FILE_LIMIT = 1 << 29 };

/* ---- life ---- */

static void destroy_download(tn_download *d)
{
    for (size_t k = 0; k < d->file_count; k++)
        free(d->files[k]);
    free(d->files);
    free(d->bytes);
    free(d);
}

static void unlink_download(tn_download *d)
{
    tn_download **link = &d->studio->downloads;
    while (*link != d)
        link = &(*link)->next;
    *link = d->next;
}

void tn_download_finish(tn_download *d)
{
    tn_clients *clients = &d->studio->clients;
    pthread_mutex_lock(&clients->lock);
    d->done = true;
    bool gone = d->gone;
    if (gone)
        unlink_download(d);
    pthread_mutex_unlock(&clients->lock);
    if (gone)
        destroy_download(d);
    else
        clients->wake(clients->user);
}

bool tn_download_done(tn_download *d)
{
    pthread_mutex_lock(&d->studio->clients.lock);
    bool done = d->done;
    pthread_mutex_unlock(&d->studio->clients.lock);
    return done;
}

void tn_download_end(tn_download *d)
{
    pthread_mutex_lock(&d->studio->clients.lock);
    d->gone = true;
    bool done = d->done;
    if (done)
        unlink_download(d);
    pthread_mutex_unlock(&d->studio->clients.lock);
    if (done)
        destroy_download(d);
}

/* ---- contents, in the runner's thread ---- */

static void store_model_text(tn_download *d, tn_session *session)
{
    char *text = NULL;
    if (tn_session_text(&text, session) >= 0 && (d->bytes = strdup(text)))
        d->size = strlen(text);
    tn_text_free(tn_session_context(session), text);
}

static int make_yaml(void *user, tn_session *session)
{
    tn_download *d = user;
    if (session)
        store_model_text(d, session);
    tn_download_finish(d);
    return TN_OK;
}

/* A path up to its last slash, as runs write texts; 0: it has none, or is longer than any. */
static size_t write_folder_of(char *out, size_t size, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    size_t used = 0;
    for (const char *c = path; slash && c <= slash; c++) {
        const char *form = *c == '"' || *c == '\\' ? "\\%c" : (unsigned char)*c < ' ' ? "\\u%04x" : "%c";
        if (used + 7 > size)
            return 0;
        used += (size_t)snprintf(out + used, size - used, form, *c);
    }
    return used;
}

/* Runs name the folder of the model. Clients that look on get them as of a model in the present folder. */
static void hide_folder(tn_download *d, tn_session *session)
{
    char folder[6 * TN_PATH_SIZE];
    const size_t length = write_folder_of(folder, sizeof folder, tn_model_file_at(tn_session_model(session), 0).path);
    size_t used = 0;
    if (!d->bytes || d->right == TN_RIGHT_EDIT || length < 2)
        return;
    for (size_t k = 0; k < d->size;)
        if (d->bytes[k] == '/' && d->size - k >= length && memcmp(d->bytes + k, folder, length) == 0)
            k += length;
        else
            d->bytes[used++] = d->bytes[k++];
    d->size = used;
}

static int make_journal(void *user, tn_session *session)
{
    tn_download *d = user;
    if (session && tn_session_journal_flush(session) >= 0)
        d->bytes = tn_file_load(&d->size, d->studio->hub.document.journal, FILE_LIMIT);
    if (session)
        hide_folder(d, session);
    tn_download_finish(d);
    return TN_OK;
}

static int make_run(void *user, tn_session *session)
{
    tn_download *d = user;
    char path[TN_PATH_SIZE];
    snprintf(path, sizeof path, "%.4000s/download-%ld.tenon", d->studio->options.state, (long)getpid());
    if (session && tn_session_save(session, path) >= 0) {
        d->bytes = tn_file_load(&d->size, path, FILE_LIMIT);
        hide_folder(d, session);
        unlink(path);
    }
    tn_download_finish(d);
    return TN_OK;
}

static int make_page(void *user, tn_session *session)
{
    tn_download *d = user;
    (void)session;
    pthread_mutex_lock(&d->studio->clients.lock);
    const tn_made_page *made = &d->studio->made;
    d->absent = !made->bytes;
    if (made->bytes && (d->bytes = malloc(made->size))) {
        memcpy(d->bytes, made->bytes, made->size);
        d->size = made->size;
    }
    pthread_mutex_unlock(&d->studio->clients.lock);
    tn_download_finish(d);
    return TN_OK;
}

/* ---- the zip file ---- */

/* Takes the bytes. */
static bool pack_file(zip_t *zip, const char *name, char *bytes, size_t size)
{
    zip_source_t *source = zip_source_buffer(zip, bytes, size, 1);
    if (!source)
        free(bytes);
    if (source && zip_file_add(zip, name, source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8) >= 0)
        return true;
    zip_source_free(source);
    return false;
}

static bool pack_files(tn_download *d, zip_t *zip)
{
    size_t size = 0;
    bool good = pack_file(zip, d->name, d->bytes, d->size);
    d->bytes = NULL;
    for (size_t k = 0; k < d->file_count && good; k++) {
        char *bytes = tn_file_load(&size, d->files[k], FILE_LIMIT);
        good = bytes && pack_file(zip, d->files[k] + d->folder_length + 1, bytes, size);
    }
    return good;
}

static void read_zip_bytes(tn_download *d, zip_source_t *packed)
{
    zip_stat_t stat;
    if (zip_source_stat(packed, &stat) < 0 || zip_source_open(packed) < 0)
        return;
    d->bytes = malloc(stat.size + 1);
    if (d->bytes && zip_source_read(packed, d->bytes, stat.size) == (zip_int64_t)stat.size) {
        d->size = stat.size;
    } else {
        free(d->bytes);
        d->bytes = NULL;
    }
    zip_source_close(packed);
}

/* At the worker: compressing takes its time. */
static void make_zip(void *user)
{
    tn_download *d = user;
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *packed = zip_source_buffer_create(NULL, 0, 0, &error);
    zip_t *zip = packed ? zip_open_from_source(packed, ZIP_TRUNCATE, &error) : NULL;
    if (packed)
        zip_source_keep(packed);                       /* the archive frees its own */
    bool good = zip && pack_files(d, zip);
    if (zip && good)
        good = zip_close(zip) == 0;
    else if (zip)
        zip_discard(zip);
    if (good)
        read_zip_bytes(d, packed);
    zip_source_free(packed);
    zip_error_fini(&error);
    snprintf(d->name, sizeof d->name, "model.zip");
    tn_download_finish(d);
}

static int begin_zip(void *user, tn_session *session)
{
    tn_download *d = user;
    if (session) {
        const tn_document *document = &d->studio->hub.document;
        store_model_text(d, session);
        if (d->bytes)
            d->files = tn_document_files(&d->file_count, document, d->bytes, false);
        d->folder_length = strlen(document->folder);   /* another model may be shown before the worker has its turn */
        snprintf(d->name, sizeof d->name, "%s", document->name);
    }
    if (!d->bytes || !tn_worker_submit(&d->studio->worker, make_zip, d))
        tn_download_finish(d);
    return TN_OK;
}

/* ---- by name ---- */

/* There are no bytes then: an error for the client. */
static void refuse_download(void *user)
{
    tn_download_finish(user);
}

tn_download *tn_download_begin(tn_studio *studio, const char *what, tn_right right, void *connection)
{
    static const struct { const char *name, *type; tn_runner_function make; } kinds[] = {
        { "model.zip", "application/zip", begin_zip },
        { "model.yaml", "application/yaml", make_yaml },
        { "journal", "text/plain; charset=utf-8", make_journal },
        { "run.tenon", "text/plain; charset=utf-8", make_run },
        { "page.html", "text/html; charset=utf-8", make_page },
        { "run.h5", "application/x-hdf5", tn_history_table_begin },
    };
    size_t k = 0, count = sizeof kinds / sizeof kinds[0];
    while (k < count && strcmp(kinds[k].name, what) != 0)
        k++;
    tn_download *d = k < count ? calloc(1, sizeof *d) : NULL;
    if (!d)
        return NULL;
    *d = (tn_download){ .studio = studio, .connection = connection, .type = kinds[k].type, .right = right };
    snprintf(d->name, sizeof d->name, "%s", what);
    pthread_mutex_lock(&studio->clients.lock);
    d->next = studio->downloads;
    studio->downloads = d;
    pthread_mutex_unlock(&studio->clients.lock);
    d->turn = (tn_turn){ .run = kinds[k].make, .refuse = refuse_download, .user = d };
    tn_studio_send(studio, &studio->downloads_line[right], right, &d->turn);
    return d;
}
