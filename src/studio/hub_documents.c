/* Which documents are open, which of them are unsaved, and unsaved ones written to disk as they change. */
#include "hub.h"
#include "recovery.h"
#include <stdlib.h>
#include <string.h>

/* ---- what clients are told ---- */

static void list_document(tn_listed_document *out, const tn_document *document)
{
    out->number = document->number;
    out->unsaved = document->unsaved;
    snprintf(out->name, sizeof out->name, "%s", document->name);
    snprintf(out->title, sizeof out->title, "%s", tn_model_name(tn_session_model(document->session)));
    snprintf(out->file, sizeof out->file, "%s", document->file);
}

static int by_number(const void *a, const void *b)
{
    return ((const tn_listed_document *)a)->number - ((const tn_listed_document *)b)->number;
}

void tn_hub_add_documents(cJSON *json, const tn_published *p)
{
    cJSON_AddNumberToObject(json, "document", p->shown);
    cJSON *list = cJSON_AddArrayToObject(json, "documents");
    for (int k = 0; k < p->document_count; k++) {
        const tn_listed_document *d = &p->documents[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "number", d->number);
        cJSON_AddStringToObject(item, "name", d->name);
        cJSON_AddStringToObject(item, "title", d->title);
        if (d->file[0] != '\0')
            cJSON_AddStringToObject(item, "file", d->file);
        cJSON_AddBoolToObject(item, "unsaved", d->unsaved);
        cJSON_AddItemToArray(list, item);
    }
}

void tn_hub_tell_documents(tn_hub *s)
{
    tn_published *p = &s->published;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "push", "documents");
    pthread_mutex_lock(&s->clients->lock);
    p->shown = s->document.number;
    p->document_count = 0;
    list_document(&p->documents[p->document_count++], &s->document);
    for (int k = 0; k < s->parked_count; k++)
        list_document(&p->documents[p->document_count++], &s->parked[k]);
    qsort(p->documents, (size_t)p->document_count, sizeof p->documents[0], by_number);
    snprintf(p->name, sizeof p->name, "%s", s->document.name);
    tn_hub_add_documents(json, p);
    pthread_mutex_unlock(&s->clients->lock);
    tn_hub_broadcast(s, json);
}

/* ---- unsaved ones ---- */

/* At the worker. */
static void tell_failure(void *user, const char *reason)
{
    tn_hub *s = user;
    pthread_mutex_lock(&s->clients->lock);
    snprintf(s->published.not_kept, sizeof s->published.not_kept, "%s", reason);
    pthread_mutex_unlock(&s->clients->lock);
}

static void write_unsaved(tn_hub *s, const tn_document *document, const char *text)
{
    cJSON *what = cJSON_CreateObject();
    cJSON_AddStringToObject(what, "name", document->name);
    cJSON_AddStringToObject(what, "file", document->file);
    cJSON_AddStringToObject(what, "folder", document->folder);
    cJSON_AddStringToObject(what, "title", tn_model_name(tn_session_model(document->session)));
    cJSON_AddStringToObject(what, "journal", document->journal);
    cJSON_AddStringToObject(what, "text", text);
    if (document->view)
        cJSON_AddItemToObject(what, "view", cJSON_Parse(document->view));
    tn_recovery_write(s->recovery, s->worker, document->number, what, tell_failure, s);
}

/* The text of a document is another than when it was last looked at. */
static void take_text(tn_hub *s, tn_document *document, const char *text, uint64_t hash)
{
    bool first = document->told == 0, unsaved = document->saved != hash;
    if (first && document->saved == 0)
        document->saved = hash, unsaved = false;       /* just opened */
    bool news = unsaved != document->unsaved || first;
    document->told = hash;
    document->unsaved = unsaved;
    tell_failure(s, "");
    if (unsaved)
        write_unsaved(s, document, text);
    else if (news && !first)
        tn_recovery_remove(s->recovery, s->worker, document->number);
    if (news)
        tn_hub_tell_documents(s);
}

/* There is a change that no text of the model can say: it counts as unsaved, and pages tell why it is not kept. */
static void miss_text(tn_hub *s, tn_document *document)
{
    static const uint64_t UNTOLD = 1;                  /* the text, once there is one again, is another one */
    tn_context *context = tn_session_context(document->session);
    size_t count = tn_diagnostics_count(context);
    tell_failure(s, count > 0 ? tn_diagnostics_get(context, count - 1)->message : tn_error_text(TN_ERROR_MEMORY));
    document->told = UNTOLD;
    if (document->unsaved)
        return;
    document->unsaved = true;
    tn_hub_tell_documents(s);
}

void tn_hub_keep(tn_hub *s, bool now)
{
    static const double SOON = 0.02, PART = 0.05;      /* s between two looks; part of the time that they may take */
    tn_document *document = &s->document;
    long revision = tn_session_revision(document->session);
    double wall = tn_clock(), wait = s->keep_cost / PART > SOON ? s->keep_cost / PART : SOON;
    bool due = revision != s->kept, later = due && !now && wall - s->kept_wall < wait;
    pthread_mutex_lock(&s->clients->lock);
    s->published.keep_due = later;
    pthread_mutex_unlock(&s->clients->lock);
    if (!due || later)
        return;
    uint64_t hash = 0;
    char *text = tn_document_now(document, &hash);
    s->kept = revision;
    s->kept_wall = tn_clock();
    s->keep_cost = s->kept_wall - wall;
    if (!text)
        miss_text(s, document);
    else if (hash != document->told)
        take_text(s, document, text, hash);
    tn_text_free(document->context, text);
}

void tn_hub_saved(tn_hub *s, tn_document *document, uint64_t text)
{
    document->saved = document->told = text;
    document->unsaved = false;
    tn_recovery_remove(s->recovery, s->worker, document->number);
    tn_hub_tell_documents(s);
}
