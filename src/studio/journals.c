/* Journals of runs: their file names, and removal of the oldest. */
#include "journals.h"
#include "folder.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char ENDING[] = ".journal";

bool tn_journal_path(char *out, size_t size, const char *folder, const char *stem, int number)
{
    char when[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts))
        strftime(when, sizeof when, "%Y%m%d-%H%M%S", &parts);
    int length = snprintf(out, size, "%s/%s-%s-%ld-%d%s", folder, stem, when, (long)getpid(), number, ENDING);
    return length > 0 && (size_t)length < size;
}

/* "-20260131-235959-": behind the stem, before the number of the process. */
static bool is_date(const char *text)
{
    static const char form[] = "-########-######-";
    for (size_t k = 0; form[k]; k++)
        if (form[k] == '#' ? !isdigit((unsigned char)text[k]) : text[k] != form[k])
            return false;
    return true;
}

/* The process that writes or wrote a journal of the stem; 0: it is something else. */
static long writer_of(const char *name, const char *stem)
{
    size_t n = strlen(stem), length = strlen(name), end = sizeof ENDING - 1;
    if (strncmp(name, stem, n) != 0 || !is_date(name + n) || strcmp(name + length - end, ENDING) != 0)
        return 0;
    return strtol(name + n + strlen("-20260131-235959-"), NULL, 10);
}

static bool is_running(long process)
{
    return kill((pid_t)process, 0) == 0 || errno == EPERM;
}

/* Names that begin alike are in the order of their dates. */
void tn_journals_prune(const char *folder, const char *stem, size_t keep)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    size_t seen = 0;
    for (int k = count - 1; k >= 0; k--) {
        char path[TN_PATH_SIZE];
        long process = writer_of(entries[k]->d_name, stem);
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
        if (process > 0 && ++seen > keep && !is_running(process) && length > 0 && (size_t)length < sizeof path)
            unlink(path);                              /* one that cannot be removed stays */
        free(entries[k]);
    }
    free(entries);
}
