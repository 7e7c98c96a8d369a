/* Files that are installed with the program. */
#ifndef TN_CLI_BESIDE_H
#define TN_CLI_BESIDE_H

#include <stdbool.h>

enum { TN_CLI_PATH = 4096 };

/* A file beside the program where it was built, or where it is installed, seen from the program's folder. */
bool tn_find_beside(char path[TN_CLI_PATH], const char *built, const char *installed);

#endif
