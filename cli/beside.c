/* Finds files that are installed with the program. */
#include "beside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tn_find_beside(char path[TN_CLI_PATH], const char *built, const char *installed)
{
    const char *const places[] = { built, installed };
    char program[TN_CLI_PATH];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        int size = snprintf(path, TN_CLI_PATH, "%s/%s", program, places[k]);
        if (size < TN_CLI_PATH && access(path, R_OK) == 0)
            return true;
    }
    return false;
}
