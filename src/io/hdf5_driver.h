/* How HDF5 files reach the disk. */
#ifndef TN_IO_HDF5_DRIVER_H
#define TN_IO_HDF5_DRIVER_H

#include <hdf5.h>

typedef struct tn_hdf5_outcome {
    int error;                 /* errno of the first failure; 0: none */
} tn_hdf5_outcome;

/* Makes files opened with the access properties tell their failures in outcome, which must outlive them. The HDF5
 * library does not survive a write that fails (it crashes later, or at exit), so it is not told: nothing more is
 * written to the disk then, and the file can be closed in peace. */
herr_t tn_hdf5_set_driver(hid_t access, tn_hdf5_outcome *outcome);

#endif
