/* A file driver for HDF5 that records write failures. */
#ifndef TN_IO_HDF5_DRIVER_H
#define TN_IO_HDF5_DRIVER_H

#include <hdf5.h>

typedef struct tn_hdf5_outcome {
    int error;                 /* errno of the first failure; 0: none */
} tn_hdf5_outcome;

/* Files opened with these access properties record their failures in outcome, which must outlive them. The HDF5 library
 * cannot handle a failed write (it crashes later, or at exit). Therefore the driver hides the failure from the library:
 * it writes nothing more to the disk, and the file can be closed safely. */
herr_t tn_hdf5_set_driver(hid_t access, tn_hdf5_outcome *outcome);

#endif
