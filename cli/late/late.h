/* Libraries that the program loads when it first uses them. */
#ifndef TENON_CLI_LATE_H
#define TENON_CLI_LATE_H

#include <stdbool.h>
#include <stdlib.h>

typedef struct tn_late {
    const char *file;              /* its soname */
    const char *what;              /* what needs it, for a message */
    void *handle;
    bool tried;
} tn_late;

/* A function or variable of the library. NULL: it is not there, which is told once. */
void *tn_late_find(tn_late *library, const char *name);

/* C has no conversion from a pointer to an object to one to a function. */
#define TN_LATE_FUNCTION(type, library, name) (((union { void *object; type *function; }){ tn_late_find(library, name) }).function)
#define TN_LATE_TEXT(name) #name
#define TN_LATE_NAME(name) TN_LATE_TEXT(name)

/* Defines a function that passes its arguments on. */
#define TN_LATE(library, type, failed, name, parameters, arguments) \
    type name parameters \
    { \
        typedef type function parameters; \
        static function *_Atomic known; \
        function *forward = known; \
        if (!forward) \
            known = forward = TN_LATE_FUNCTION(function, library, TN_LATE_NAME(name)); \
        return forward ? forward arguments : (failed); \
    }

#endif
