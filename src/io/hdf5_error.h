/* The HDF5 library's errors as diagnostics. Its calls stand between H5E_BEGIN_TRY and H5E_END_TRY, so that it prints
 * nothing and a host program that uses it, too, finds its own handler unchanged. */
#ifndef TN_IO_HDF5_ERROR_H
#define TN_IO_HDF5_ERROR_H

#include <hdf5.h>
#include <stdbool.h>

/* Called around every use of the library: it is not thread-safe, so threads take turns. A damaged file leaves the
 * library in a state in which its clean-up at exit prints many errors; by then all our files are closed, so the
 * clean-up is switched off. */
void tn_hdf5_begin(void);
void tn_hdf5_end(void);

typedef struct tn_hdf5_reason {
    char text[160];            /* "" before the first failure */
} tn_hdf5_reason;

/* Did a call succeed that returned result (a herr_t or hid_t)? The first failure's cause is kept: the library forgets
 * it with the next call. */
bool tn_hdf5_ok(tn_hdf5_reason *reason, hid_t result);

#endif
