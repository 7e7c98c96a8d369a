/* The optional parts of the library: which of them this build has. */
#include "tenon/version.h"

#ifdef TENON_HAS_HDF5
enum { HAS_HDF5 = true };
#else
enum { HAS_HDF5 = false };
#endif
#ifdef TENON_HAS_SUNDIALS
enum { HAS_SUNDIALS = true };
#else
enum { HAS_SUNDIALS = false };
#endif
#ifdef TENON_HAS_METIS
enum { HAS_METIS = true };
#else
enum { HAS_METIS = false };
#endif
#ifdef TENON_HAS_IMPORT
enum { HAS_IMPORT = true };
#else
enum { HAS_IMPORT = false };
#endif
#ifdef TENON_HAS_NET
enum { HAS_NET = true };
#else
enum { HAS_NET = false };
#endif

static const tn_feature features[] = {
    { "HDF5", "results as HDF5 files", HAS_HDF5 },
    { "SUNDIALS", "the integrators cvode and ida", HAS_SUNDIALS },
    { "METIS", "suggestions for groups", HAS_METIS },
    { "import", "files in XML and archives of CAD systems and robot formats", HAS_IMPORT },
    { "net", "components that other machines serve, by OpenSSL", HAS_NET },
};

size_t tn_feature_count(void)
{
    return sizeof features / sizeof features[0];
}

tn_feature tn_feature_at(size_t index)
{
    return index < tn_feature_count() ? features[index] : (tn_feature){ 0 };
}
