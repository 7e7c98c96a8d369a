/* The version of these headers, and the export of symbols. tn_version() returns the version of the library that a
 * program runs with. */
#ifndef TENON_VERSION_H
#define TENON_VERSION_H

#include <stdbool.h>
#include <stddef.h>

/* The build reads the version from here; see docs/embedding.md for what a change of each number promises. */
#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0

/* TENON_VERSION_NUMBER >= TENON_VERSION_AT(0, 2, 0) is true from 0.2.0 on. */
#define TENON_VERSION_AT(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))
#define TENON_VERSION_NUMBER TENON_VERSION_AT(TENON_VERSION_MAJOR, TENON_VERSION_MINOR, TENON_VERSION_PATCH)

#define TENON_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define TENON_VERSION_TEXT_OF_(major, minor, patch) TENON_VERSION_TEXT_(major, minor, patch)
/* "major.minor.patch" */
#define TENON_VERSION TENON_VERSION_TEXT_OF_(TENON_VERSION_MAJOR, TENON_VERSION_MINOR, TENON_VERSION_PATCH)

/* Marks the symbols that the library exports. All other symbols are hidden. */
#if defined(__GNUC__)
#define TN_API __attribute__((visibility("default")))
#else
#define TN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library that is linked: "major.minor.patch", and as TENON_VERSION_NUMBER. */
TN_API const char *tn_version(void);
TN_API int tn_version_number(void);

/* Optional parts of the library, which a build may lack. Functions that need an absent part fail with a diagnostic. */
typedef struct tn_feature {
    const char *name;          /* "HDF5"; NULL: out of range */
    const char *doc;           /* what it is for */
    bool built;
} tn_feature;
TN_API size_t tn_feature_count(void);
TN_API tn_feature tn_feature_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
