/* Types of FMI 3.0, and what the files with its functions share. */
#ifndef TN_FMU_FMI3_H
#define TN_FMU_FMI3_H

#include "instance.h"

#define EXPORT __attribute__((visibility("default")))

typedef void *instance;
typedef uint32_t reference;
typedef const char *text;
typedef void (*log_message)(void *environment, int status, text category, text message);

enum { ANY = FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS | FMU_STEP | FMU_TERMINATED |
             FMU_CONFIGURATION };

/* Returns an error when the call is not allowed now. */
#define MAY(modes) do { if (!fmu_may(c, (modes), __func__)) return FMU_ERROR; } while (0)

/* An error in the log: this FMU does not have what the function is about. */
fmu_status fmi3_not_offered(instance c, const char *what);

#endif
