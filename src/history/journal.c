/* The journal: each entry is written to the file at once, without a buffer. Only equal ADVANCE and STEP entries in a
 * row are merged, for at most a second. While the file cannot be written, the journal is "behind": steps go on, other
 * changes are refused (or, if so chosen, counted), and the journal catches up as soon as there is room. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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
    int file;                  /* locked while it is written */
    char *path;                /* as it was given, for messages */
    char *place;               /* absolute: the program may go to another folder */
    tn_text text;              /* kept between entries, to avoid allocations while stepping */
    tn_entry waiting;
    bool waits;
    double written;            /* s: wall clock time of the last write or attempt */
    off_t length;              /* bytes of complete entries in the file */
    bool regular;              /* a file that can be cut back and replaced; not a pipe or a device */
    bool whole;                /* the file can only be continued by writing the run anew */
    tn_journal_options options;
    tn_journal_status status;
};

static void free_journal(tn_session *s)
{
    tn_journal *j = s->log->journal;
    if (j->file >= 0)
        close(j->file);
    tn_free(s->context, j->text.data);
    tn_free(s->context, j->path);
    tn_free(s->context, j->place);
    tn_free(s->context, j);
    s->log->journal = NULL;
}

/* ---- the file ---- */

/* Removes what a failed write left behind the last complete entry. Shrinking a file needs no room on the disk. */
static void cut_back(tn_journal *j)
{
    if (!j->regular || ftruncate(j->file, j->length) != 0 || lseek(j->file, j->length, SEEK_SET) != j->length)
        j->whole = true;
}

/* Notes that the file lacks changes from now on. The first failure adds a warning; the status tells it from then on. */
static int fall_behind(tn_session *s, const char *reason)
{
    tn_journal *j = s->log->journal;
    if (!j->status.behind) {
        j->status.behind = true;
        j->status.since = s->stepper->t;
        j->status.unwritten = 0;
        tn_warn(s->context, ((tn_span){ j->path, 0, 0 }), "the journal is not written from t = %.9g s on: %s",
                s->stepper->t, reason);
    }
    snprintf(j->status.reason, sizeof j->status.reason, "%s", reason);
    j->waits = false;
    return TN_ERROR_FILE;
}

/* Writes text to the file, to the disk when sync is asked for. */
static int write_text(tn_session *s, bool sync)
{
    tn_journal *j = s->log->journal;
    size_t length = j->text.length;
    if (j->text.broken)
        return TN_ERROR_MEMORY;
    j->text.length = 0;
    j->written = tn_clock();
    if (!tn_write_all(j->file, j->text.data, length)) {
        const char *reason = strerror(errno);
        cut_back(j);
        return fall_behind(s, reason);
    }
    if (sync && fdatasync(j->file) != 0) {
        j->whole = true;                               /* the system may have dropped what it could not write */
        return fall_behind(s, strerror(errno));
    }
    j->length += (off_t)length;
    return TN_OK;
}

/* Memory that runs out leaves the journal behind as a full disk does. */
static int write_event(tn_session *s, const tn_entry *event)
{
    tn_journal *j = s->log->journal;
    tn_decimal decimal;
    bool sync = j->options.sync && !tn_entry_goes(event) && event->kind != TN_ENTRY_PULL &&
                event->kind != TN_ENTRY_DRAG && event->kind != TN_ENTRY_INPUTS;
    TN_TRY(tn_decimal_begin(&decimal));
    tn_entry_write(&j->text, event);
    tn_decimal_end(&decimal);
    int code = write_text(s, sync);
    if (code != TN_ERROR_MEMORY)
        return code;
    tn_free(s->context, j->text.data);
    tn_text_begin(&j->text, s->context);
    fall_behind(s, "out of memory");
    return code;
}

static int open_locked(tn_session *s, const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "%s", strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(file);
        return tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "another program is writing this journal");
    }
    s->log->journal->file = file;
    return TN_OK;
}

static int write_head(tn_session *s)
{
    tn_journal *j = s->log->journal;
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = tn_run_head_write(&j->text, s);
    if (code == TN_OK)
        code = tn_log_write(&j->text, s);
    tn_decimal_end(&decimal);
    return code == TN_OK && j->text.broken ? TN_ERROR_MEMORY : code;
}

/* ---- what others do to the file ---- */

/* Whether another program is writing the file that stands in the place of the journal's. */
static bool is_taken(const char *path)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return taken;
}

/* The file may have been removed, moved, replaced or cut by others: what is written to it then would be lost with the program. */
static void look_at_file(tn_session *s)
{
    tn_journal *j = s->log->journal;
    struct stat open_file, named;
    if (!j->regular || fstat(j->file, &open_file) != 0)
        return;
    bool there = stat(j->place, &named) == 0;
    bool same = there && named.st_dev == open_file.st_dev && named.st_ino == open_file.st_ino;
    if (same && named.st_size >= j->length)
        return;
    j->whole = true;
    j->regular = same || !is_taken(j->place);
    fall_behind(s, same ? "its file was cut" : there ? "another file is in its place" : "its file was removed");
}

/* ---- catching up after a failure ---- */

/* A link that others have put in the place of the file may lead to a device, which keeps nothing. */
static void remove_link(const tn_journal *j)
{
    struct stat named;
    if (j->regular && lstat(j->place, &named) == 0 && S_ISLNK(named.st_mode))
        unlink(j->place);
}

/* Puts a file with the whole run so far in the place of the old one, which stays until the new one is complete. */
static int write_anew(tn_session *s)
{
    tn_journal *j = s->log->journal;
    TN_TRY(write_head(s));
    remove_link(j);
    TN_TRY(tn_file_replace(s->context, j->place, j->text.data, j->text.length));
    int old = j->file;
    int code = open_locked(s, j->place);
    if (code < 0)
        return code;
    if (old >= 0)
        close(old);
    j->length = (off_t)j->text.length;
    j->text.length = 0;
    return lseek(j->file, j->length, SEEK_SET) == j->length ? TN_OK : TN_ERROR_FILE;
}

/* Continues a journal that is behind: with a snapshot where only steps are missing, otherwise with the whole run.
 * TN_ERROR_FILE while that is not possible. */
static int catch_up(tn_session *s)
{
    tn_journal *j = s->log->journal;
    tn_report_mark mark = tn_report_now(s->context);
    tn_entry now = { .kind = TN_ENTRY_SNAPSHOT, .snapshot = tn_snapshot_now(s), .time = s->stepper->t, .has_hash = true,
                     .hash = tn_session_hash(s) };
    int code = !j->whole ? write_event(s, &now) : j->regular ? write_anew(s) : TN_ERROR_FILE;
    j->written = tn_clock();
    j->text.length = 0;
    if (code < 0) {
        tn_report_forget(s->context, mark);
        return code;
    }
    j->status = (tn_journal_status){ .kept = true };
    j->whole = false;
    return TN_OK;
}

/* Before a change that is not a step. */
static int make_ready(tn_session *s)
{
    tn_journal *j = s->log->journal;
    look_at_file(s);
    if (!j->status.behind || catch_up(s) == TN_OK || j->options.go_on)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ j->path, 0, 0 }),
                   "nothing was changed, because the journal cannot be written: %s", j->status.reason);
}

/* ---- entries ---- */

/* Writes the waiting entry. with_hash: the session still has the state after that entry. */
static int write_waiting(tn_session *s, bool with_hash)
{
    tn_journal *j = s->log->journal;
    look_at_file(s);                                   /* nothing waits when it is not what it was */
    if (!j->waits)
        return TN_OK;
    j->waits = false;
    j->waiting.has_hash = with_hash;
    j->waiting.hash = with_hash ? tn_session_hash(s) : 0;
    return write_event(s, &j->waiting);
}

int tn_log_flush(tn_session *s)
{
    if (!s->log || !s->log->journal || s->silent)
        return TN_OK;
    write_waiting(s, true);                            /* when it fails, the journal is behind */
    return make_ready(s);
}

static bool can_merge_entries(const tn_entry *a, const tn_entry *b)
{
    return a->kind == b->kind && a->kind != TN_ENTRY_RUN && a->value == b->value && a->ending == TN_ENDING_GOOD &&
           b->ending == TN_ENDING_GOOD;
}

/* Steps go on without a journal: nothing but time is needed to take them again. */
static void note_steps(tn_session *s, const tn_entry *event)
{
    tn_journal *j = s->log->journal;
    bool due = tn_clock() - j->written >= PATIENCE;
    if (j->status.behind) {
        if (due)
            catch_up(s);
        return;
    }
    if (j->waits && can_merge_entries(&j->waiting, event)) {
        j->waiting.times++;
        j->waiting.time = event->time;
    } else {
        if (write_waiting(s, false) < 0)
            return;
        j->waiting = *event;
        j->waits = true;
    }
    if (due)
        write_waiting(s, true);
}

int tn_journal_note(tn_session *s, const tn_entry *event)
{
    tn_journal *j = s->log->journal;
    if (!j || s->silent)
        return TN_OK;
    if (tn_entry_goes(event)) {
        note_steps(s, event);
        return TN_OK;
    }
    int code = j->status.behind ? TN_ERROR_FILE : write_event(s, event);
    if (code == TN_OK || event->kind == TN_ENTRY_SNAPSHOT || event->kind == TN_ENTRY_INPUTS)
        return TN_OK;                                  /* catching up writes the present snapshot, inputs included */
    if (j->options.go_on) {
        j->status.unwritten++;
        j->whole = true;
        return TN_OK;
    }
    return tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ j->path, 0, 0 }),
                   "nothing was changed, because the journal cannot be written: %s", j->status.reason);
}

int tn_journal_under_way(tn_session *s, const tn_entry *advance, long taken)
{
    tn_journal *j = s->log->journal;
    tn_entry mark = *advance;
    if (tn_clock() - j->written < PATIENCE || j->status.behind)
        return TN_OK;
    if (write_waiting(s, false) < 0)
        return TN_OK;
    mark.ending = TN_ENDING_UNDER_WAY;
    mark.taken = taken;
    mark.time = s->stepper->t;
    mark.hash = tn_session_hash(s);
    mark.has_hash = true;
    write_event(s, &mark);
    return TN_OK;
}

/* ---- begin and end ---- */

void tn_journal_close(tn_session *s)
{
    if (!s->log->journal)
        return;
    tn_entry end = { .kind = TN_ENTRY_END, .time = s->stepper->t, .has_hash = true, .hash = tn_session_hash(s) };
    write_waiting(s, true);
    if (!s->log->journal->status.behind || catch_up(s) == TN_OK)
        write_event(s, &end);
    free_journal(s);
}

static int keep_path(tn_journal *j, tn_context *context, const char *path)
{
    tn_arena *scratch = tn_arena_create(context);
    const char *place = scratch ? tn_path_absolute(scratch, path) : NULL;
    j->path = tn_strdup(context, path);
    j->place = place ? tn_strdup(context, place) : NULL;
    if (scratch)
        tn_arena_destroy(scratch);
    return j->path && j->place ? TN_OK : TN_ERROR_MEMORY;
}

/* Changes the file only after the head is complete, so that an error keeps the old file. */
static int begin_journal(tn_session *s, const char *path)
{
    tn_journal *j = s->log->journal;
    TN_TRY(keep_path(j, s->context, path));
    TN_TRY(write_head(s));
    TN_TRY(open_locked(s, path));
    struct stat is;
    j->regular = fstat(j->file, &is) == 0 && S_ISREG(is.st_mode);
    if ((j->regular && ftruncate(j->file, 0) != 0) || !tn_write_all(j->file, j->text.data, j->text.length) ||
        (j->options.sync && fdatasync(j->file) != 0))
        return tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ path, 0, 0 }), "%s", strerror(errno));
    j->length = (off_t)j->text.length;
    j->text.length = 0;
    j->written = tn_clock();
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
    log->journal->options = log->journal_options;
    log->journal->status.kept = true;
    tn_text_begin(&log->journal->text, s->context);
    int code = begin_journal(s, path);
    if (code < 0)
        free_journal(s);
    return code;
}

int tn_session_journal_options(tn_session *s, const tn_journal_options *options)
{
    tn_log *log = tn_log_of(s);
    if (!log)
        return TN_ERROR_MEMORY;
    log->journal_options = *options;
    if (log->journal)
        log->journal->options = *options;
    return TN_OK;
}

tn_journal_status tn_session_journal_status(const tn_session *s)
{
    return s->log && s->log->journal ? s->log->journal->status : (tn_journal_status){ .kept = false };
}

int tn_session_journal_flush(tn_session *s)
{
    int code = tn_log_flush(s);
    tn_journal_status status = tn_session_journal_status(s);
    if (code == TN_OK && status.behind)
        return tn_fail(s->context, TN_ERROR_FILE, ((tn_span){ s->log->journal->path, 0, 0 }),
                       "the journal cannot be written: %s", status.reason);
    return code;
}
