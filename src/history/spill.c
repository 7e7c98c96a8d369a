/* The older edits of the log in a temporary file. */
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "decimal.h"
#include "diag.h"
#include "file.h"
#include "undo.h"

struct tn_spill {
    int file;
    off_t length;              /* bytes of complete entries in the file */
};

/* The log may take this part of the memory for undo, but not less than a minimum, so that files are rarely written. */
static const size_t SHARE = 8, LEAST = (size_t)256 << 10;

static size_t budget_of(const tn_session *s)
{
    size_t share = tn_history_budget(s) / SHARE;
    return share > LEAST ? share : LEAST;
}

/* Approximate bytes of an edit. */
static size_t bytes_of(const tn_logged *edit)
{
    const tn_snapshot *m = &edit->before;
    return sizeof *edit + edit->event.command.size + (2 * m->size + m->memory_size) * sizeof(double) +
           m->events.count * sizeof *m->events.watches + m->unilaterals.count * sizeof *m->unilaterals.items;
}

/* A file without a name in TMPDIR, or in /var/tmp, which is on a disk where /tmp may be in memory. */
static int open_nameless(void)
{
    const char *folders[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
    char path[4096];
    for (size_t k = 0; k < TN_LENGTH(folders); k++) {
        if (!folders[k] || snprintf(path, sizeof path, "%s/tenon-XXXXXX", folders[k]) >= (int)sizeof path)
            continue;
        int file = mkstemp(path);
        if (file >= 0) {
            fcntl(file, F_SETFD, FD_CLOEXEC);
            unlink(path);
            return file;
        }
    }
    return -1;
}

static bool open_spill(tn_session *s)
{
    tn_log *log = s->log;
    if (log->spill)
        return true;
    int file = open_nameless();
    tn_spill *spill = file >= 0 ? tn_alloc(s->context, 1, sizeof *spill) : NULL;
    if (spill)
        *spill = (tn_spill){ .file = file };
    else if (file >= 0)
        close(file);
    log->spill = spill;
    return spill != NULL;
}

static bool write_lines(tn_session *s, tn_text *text, size_t count)
{
    tn_log *log = s->log;
    tn_decimal decimal;
    if (tn_decimal_begin(&decimal) < 0)
        return false;
    for (size_t k = 0; k < count; k++)
        tn_logged_write(text, &log->edits[k]);
    tn_decimal_end(&decimal);
    if (text->broken || lseek(log->spill->file, log->spill->length, SEEK_SET) != log->spill->length ||
        !tn_write_all(log->spill->file, text->data, text->length))
        return false;
    log->spill->length += (off_t)text->length;
    return true;
}

static bool move_edits(tn_session *s, size_t count)
{
    tn_log *log = s->log;
    tn_text text;
    tn_text_begin(&text, s->context);
    bool moved = open_spill(s) && write_lines(s, &text, count);
    tn_free(s->context, text.data);
    if (!moved)
        return false;
    for (size_t k = 0; k < count; k++) {
        log->bytes -= bytes_of(&log->edits[k]);
        tn_logged_free(s, &log->edits[k]);
    }
    log->count -= count;
    memmove(log->edits, log->edits + count, log->count * sizeof *log->edits);
    memset(log->edits + log->count, 0, count * sizeof *log->edits);
    return true;
}

void tn_spill_keep_budget(tn_session *s)
{
    tn_log *log = s->log;
    size_t budget = budget_of(s);
    log->bytes += bytes_of(&log->edits[log->count - 1]);
    if (log->bytes <= budget || log->bytes <= log->spill_again || log->count < 2)
        return;
    log->spill_again = move_edits(s, log->count - log->count / 2) ? 0 : 2 * log->bytes;
}

int tn_spill_write(tn_text *out, const tn_session *s)
{
    const tn_spill *spill = s->log ? s->log->spill : NULL;
    off_t length = spill ? spill->length : 0;
    char lines[1 << 14];
    for (off_t done = 0; done < length;) {
        size_t rest = (size_t)(length - done);
        ssize_t count = pread(spill->file, lines, rest < sizeof lines ? rest : sizeof lines, done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return tn_fail(s->context, TN_ERROR_FILE, TN_NOWHERE,
                           "the temporary file with earlier edits of the session cannot be read: %s",
                           count < 0 ? strerror(errno) : "it is too short");
        tn_text_add(out, "%.*s", (int)count, lines);
        done += count;
    }
    return TN_OK;
}

void tn_spill_close(tn_session *s)
{
    if (!s->log->spill)
        return;
    close(s->log->spill->file);
    tn_free(s->context, s->log->spill);
    s->log->spill = NULL;
}
