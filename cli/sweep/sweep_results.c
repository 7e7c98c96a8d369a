/* The table of a sweep, and how it survives.
 *
 * A row is written to the journal with one write as soon as its run is done, so that the death of the program costs no
 * finished run; once a second the journal is forced to the disk, for the death of the machine. Whole files are only
 * ever replaced by renaming. A line that is not whole (the machine died) is passed over, and its run is done again. */
#include "sweep.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char signature[] = "# tenon sweep ";
static const double sync_interval = 1;     /* s */

/* ---- paths ---- */

static char *path_with(const char *path, const char *suffix)
{
    size_t size = strlen(path) + strlen(suffix) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s", path, suffix);
    return text;
}

typedef int (*part_visitor)(tn_results *results, const char *path);

/* Calls visit for every "path.rankN" that exists. */
static int visit_parts(tn_results *r, part_visitor visit)
{
    const char *name = tn_file_name(r->path);
    size_t folder_length = (size_t)(name - r->path), length = strlen(name);
    char *folder = path_with(r->path, "");
    if (!folder)
        return tn_out_of_memory();
    folder[folder_length] = '\0';
    DIR *dir = opendir(folder_length > 0 ? folder : ".");
    int status = TN_EXIT_OK;
    const struct dirent *entry;
    while (dir && status == TN_EXIT_OK && (entry = readdir(dir))) {
        const char *end = entry->d_name + length;
        if (strncmp(entry->d_name, name, length) != 0 || strncmp(end, ".rank", 5) != 0 ||
            end[5] == '\0' || end[5 + strspn(end + 5, "0123456789")] != '\0')
            continue;
        char *path = path_with(folder, entry->d_name);
        status = path ? visit(r, path) : tn_out_of_memory();
        free(path);
    }
    if (dir)
        closedir(dir);
    free(folder);
    return status;
}

/* ---- reading ---- */

static size_t count_cells(const char *line)
{
    size_t cells = 1;
    bool quoted = false;
    for (; *line && *line != '\n'; line++) {
        quoted ^= *line == '"';
        cells += *line == ',' && !quoted;
    }
    return cells;
}

static bool is_ok(const tn_results *r, const char *row)
{
    for (size_t i = 0; i < r->status_column; i++)
        row = strchr(row, ',') + 1;
    return strncmp(row, "ok,", 3) == 0;
}

static void keep(tn_results *r, size_t run, char *row)
{
    r->rows[run] = row;
    r->done++;
    r->failed += !is_ok(r, row);
}

/* A line as getline gives it. What is not a whole row is passed over. */
static int take_line(tn_results *r, char *line)
{
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n')
        return TN_EXIT_OK;
    line[length - 1] = '\0';
    unsigned long run = strtoul(line, NULL, 10);
    if (run < 1 || run > r->runs || r->rows[run - 1] || count_cells(line) != r->columns)
        return TN_EXIT_OK;
    char *row = strdup(line);
    if (!row)
        return tn_out_of_memory();
    keep(r, run - 1, row);
    return TN_EXIT_OK;
}

/* Is what the file begins with our head? */
static int check_head(const tn_results *r, FILE *in, const char *path)
{
    size_t length = strlen(r->head);
    char *start = calloc(length + 1, 1);
    if (!start)
        return tn_out_of_memory();
    size_t got = fread(start, 1, length, in);
    bool same = got == length && memcmp(start, r->head, length) == 0;
    bool sweep = strncmp(start, signature, sizeof signature - 1) == 0;
    free(start);
    if (same || got == 0)
        return TN_EXIT_OK;
    fprintf(stderr, "tenon sweep: '%s' %s\n", path,
            sweep ? "has the results of another sweep (another model, other parameters or other options);\n"
                    "choose another file with --output, or replace it with --restart"
                  : "exists and is not the table of a sweep; choose another file with --output");
    return TN_EXIT_USAGE;
}

/* The rows of a file; there may be no such file. */
static int load_sweep_results(tn_results *r, const char *path)
{
    FILE *in = fopen(path, "r");
    if (!in)
        return errno == ENOENT ? TN_EXIT_OK : tn_file_failed(path);
    char *line = NULL;
    size_t size = 0;
    int status = check_head(r, in, path);
    while (status == TN_EXIT_OK && getline(&line, &size, in) >= 0)
        status = take_line(r, line);
    free(line);
    fclose(in);
    return status;
}

/* The parts first: they go away only after the table has what was in them. */
int tn_results_look(tn_results *r)
{
    int status = visit_parts(r, load_sweep_results);
    return status == TN_EXIT_OK ? load_sweep_results(r, r->path) : status;
}

/* ---- writing ---- */

/* The head and all rows in order, in place of whatever the file was. */
static int rewrite(const tn_results *r, const char *path)
{
    char *temporary = path_with(path, ".new");
    if (!temporary)
        return tn_out_of_memory();
    FILE *out = fopen(temporary, "w");
    int status = out ? TN_EXIT_OK : tn_file_failed(temporary);
    if (out) {
        fputs(r->head, out);
        for (size_t i = 0; i < r->runs; i++)
            if (r->rows[i])
                fprintf(out, "%s\n", r->rows[i]);
        bool lost = fflush(out) != 0 || fsync(fileno(out)) != 0;
        if (fclose(out) != 0 || lost || rename(temporary, path) != 0)
            status = tn_file_failed(path);
        if (status != TN_EXIT_OK)
            unlink(temporary);
    }
    free(temporary);
    return status;
}

static int forget_part(tn_results *r, const char *path)
{
    (void)r;
    return unlink(path) == 0 || errno == ENOENT ? TN_EXIT_OK : tn_file_failed(path);
}

static int open_journal(tn_results *r)
{
    int status = rewrite(r, r->journal);
    if (status != TN_EXIT_OK)
        return status;
    r->file = open(r->journal, O_WRONLY | O_APPEND | O_CLOEXEC);
    return r->file >= 0 ? TN_EXIT_OK : tn_file_failed(r->journal);
}

static int prepare(tn_results *r, const char *columns, uint64_t definition)
{
    char suffix[32] = "";
    size_t size = strlen(columns) + sizeof signature + 32;
    if (r->rank.size > 1)
        snprintf(suffix, sizeof suffix, ".rank%zu", r->rank.rank);
    r->columns = count_cells(columns);
    r->journal = path_with(r->path, suffix);
    r->rows = calloc(r->runs, sizeof *r->rows);
    r->head = malloc(size);
    if (!r->journal || !r->rows || !r->head)
        return tn_out_of_memory();
    snprintf(r->head, size, "%s%016" PRIx64 "\n%s\n", signature, definition, columns);
    return TN_EXIT_OK;
}

int tn_results_open(tn_results *out, const char *path, const char *columns, uint64_t definition, size_t runs,
                    size_t status_column, tn_rank rank, bool fresh)
{
    *out = (tn_results){ .path = path, .runs = runs, .status_column = status_column, .rank = rank, .file = -1 };
    int status = prepare(out, columns, definition);
    if (status == TN_EXIT_OK)
        status = fresh ? visit_parts(out, forget_part) : tn_results_look(out);
    if (status == TN_EXIT_OK && out->done < runs)
        status = open_journal(out);
    return status;
}

static int append_sweep_results(tn_results *r, const char *line, size_t length)
{
    while (length > 0) {
        ssize_t written = write(r->file, line, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return tn_file_failed(r->journal);
        line += written;
        length -= (size_t)written;
    }
    double now = tn_clock();
    if (now - r->synced < sync_interval)
        return TN_EXIT_OK;
    r->synced = now;
    return fdatasync(r->file) == 0 ? TN_EXIT_OK : tn_file_failed(r->journal);
}

int tn_results_add(tn_results *r, size_t run, char *row)
{
    size_t length = strlen(row);
    row[length] = '\n';                    /* its own end, for one write */
    int status = append_sweep_results(r, row, length + 1);
    row[length] = '\0';
    keep(r, run, row);
    return status;
}

int tn_results_finish(tn_results *r)
{
    int status = rewrite(r, r->path);
    return status == TN_EXIT_OK ? visit_parts(r, forget_part) : status;
}

void tn_results_close(tn_results *r)
{
    if (r->file >= 0)
        close(r->file);
    for (size_t i = 0; r->rows && i < r->runs; i++)
        free(r->rows[i]);
    free(r->rows);
    free(r->head);
    free(r->journal);
}
