/* The journal: each entry is written to the file at once, without a buffer. Only equal ADVANCE and STEP entries in a
 * row are merged, for at most a second. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "decimal.h"
#include "diag.h"
#include "file.h"
#include "log.h"
#include "run_file.h"
#include "tenon/history.h"

/* s: longest time that an entry waits to be merged before it is written. */
static const double PATIENCE = 1;

struct tn_journal {
    int file;
    char *path;
    tn_text text;              /* kept between entries, to avoid allocations while stepping */
    tn_entry waiting;
    bool waits;
    double written;            /* s: wall clock time of the last write */
};

static void free_journal(tn_session *s)
{
    tn_journal *j = s->log->journal;
    if (j->file >= 0)
        close(j->file);
    tn_free(s->context, j->text.data);
    tn_free(s->context, j->path);
    tn_free(s->context, j);
    s->log->journal = NULL;
}

/* Writes text to the file. After an error the journal ends: entries after a missing one could not be replayed. */
static int write_text(tn_session *s)
{
    tn_journal *j = s->log->journal;
    int code = j->text.broken ? TN_ERROR_MEMORY : TN_OK;
    if (code == TN_OK && !tn_write_all(j->file, j->text.data, j->text.length))
        code = tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ j->path, 0, 0 }), "the journal ends here: %s",
                       strerror(errno));
    j->text.length = 0;
    j->written = tn_clock();
    if (code < 0)
        free_journal(s);
    return code;
}

static int write_event(tn_session *s, const tn_entry *event)
{
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    tn_entry_write(&s->log->journal->text, event);
    tn_decimal_end(&decimal);
    return write_text(s);
}

/* Writes the waiting entry. with_hash: the session still has the state after that entry. */
static int write_waiting(tn_session *s, bool with_hash)
{
    tn_journal *j = s->log->journal;
    if (!j->waits)
        return TN_OK;
    j->waits = false;
    j->waiting.has_hash = with_hash;
    j->waiting.hash = with_hash ? tn_session_hash(s) : 0;
    return write_event(s, &j->waiting);
}

int tn_log_flush(tn_session *s)
{
    return s->log && s->log->journal && !s->silent ? write_waiting(s, true) : TN_OK;
}

static bool can_merge_entries(const tn_entry *a, const tn_entry *b)
{
    return a->kind == b->kind && a->kind != TN_ENTRY_RUN && a->value == b->value && a->ending == TN_ENDING_GOOD &&
           b->ending == TN_ENDING_GOOD;
}

int tn_journal_note(tn_session *s, const tn_entry *event)
{
    tn_journal *j = s->log->journal;
    if (!j || s->silent)
        return TN_OK;
    if (!tn_entry_goes(event))
        return write_event(s, event);
    if (j->waits && can_merge_entries(&j->waiting, event)) {
        j->waiting.times++;
        j->waiting.time = event->time;
    } else {
        TN_TRY(write_waiting(s, false));
        j->waiting = *event;
        j->waits = true;
    }
    return tn_clock() - j->written >= PATIENCE ? write_waiting(s, true) : TN_OK;
}

int tn_journal_under_way(tn_session *s, const tn_entry *going, long taken)
{
    tn_journal *j = s->log->journal;
    tn_entry mark = *going;
    if (tn_clock() - j->written < PATIENCE)
        return TN_OK;
    TN_TRY(write_waiting(s, false));
    mark.ending = TN_ENDING_UNDER_WAY;
    mark.taken = taken;
    mark.time = s->stepper->t;
    mark.hash = tn_session_hash(s);
    mark.has_hash = true;
    return write_event(s, &mark);
}

void tn_journal_close(tn_session *s)
{
    if (!s->log->journal)
        return;
    tn_entry end = { .kind = TN_ENTRY_END, .time = s->stepper->t, .has_hash = true, .hash = tn_session_hash(s) };
    if (write_waiting(s, true) == TN_OK && write_event(s, &end) == TN_OK)
        free_journal(s);
}

static int write_head(tn_session *s)
{
    tn_journal *j = s->log->journal;
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = tn_run_head_write(&j->text, s);
    if (code == TN_OK)
        tn_log_write(&j->text, s);
    tn_decimal_end(&decimal);
    return code;
}

/* Opens the file only after the head is complete, so that an error keeps the old file. */
static int begin_journal(tn_session *s, const char *path)
{
    tn_journal *j = s->log->journal;
    j->path = tn_strdup(s->context, path);
    if (!j->path)
        return TN_ERROR_MEMORY;
    TN_TRY(write_head(s));
    j->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (j->file < 0)
        return tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "%s", strerror(errno));
    return TN_OK;
}

int tn_session_journal(tn_session *s, const char *path)
{
    tn_log *log = tn_log_of(s);
    if (!log)
        return TN_ERROR_MEMORY;
    tn_journal_close(s);
    log->journal = tn_alloc(s->context, 1, sizeof *log->journal);
    if (!log->journal)
        return TN_ERROR_MEMORY;
    log->journal->file = -1;
    tn_text_begin(&log->journal->text, s->context);
    int code = begin_journal(s, path);
    if (code < 0) {
        free_journal(s);
        return code;
    }
    return write_text(s);
}

int tn_session_journal_flush(tn_session *s)
{
    return tn_log_flush(s);
}
