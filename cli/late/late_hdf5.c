/* The HDF5 library for the program, loaded when it is first used: it brings thirty others, and most runs write no HDF5 file.
 *
 * The functions that the library of Tenon calls are defined here and pass their arguments on; names that HDF5 gives a version to
 * (H5Dopen) get it here, too. Where the library cannot be loaded they fail, as HDF5 does. */
#include <hdf5.h>
#include "late.h"

static tn_late late = { .file = TENON_LATE_HDF5, .what = "HDF5 files" };

#define FORWARD(type, name, parameters, arguments) TN_LATE(&late, type, (type)-1, name, parameters, arguments)

/* Numbers of types and classes, which HDF5 sets when it is opened. */
hid_t H5P_CLS_DATASET_ACCESS_ID_g;
hid_t H5P_CLS_DATASET_CREATE_ID_g;
hid_t H5P_CLS_FILE_ACCESS_ID_g;
hid_t H5P_CLS_FILE_CREATE_ID_g;
hid_t H5T_C_S1_g;
hid_t H5T_IEEE_F64LE_g;
hid_t H5T_NATIVE_DOUBLE_g;
hid_t H5T_NATIVE_INT_g;
hid_t H5T_STD_I32LE_g;

static void take_number(hid_t *to, const char *name)
{
    const hid_t *from = tn_late_find(&late, name);
    if (from)
        *to = *from;
}

herr_t H5open(void)
{
    typedef herr_t open_function(void);
    open_function *open = TN_LATE_FUNCTION(open_function, &late, "H5open");
    const herr_t result = open ? open() : -1;
    take_number(&H5P_CLS_DATASET_ACCESS_ID_g, "H5P_CLS_DATASET_ACCESS_ID_g");
    take_number(&H5P_CLS_DATASET_CREATE_ID_g, "H5P_CLS_DATASET_CREATE_ID_g");
    take_number(&H5P_CLS_FILE_ACCESS_ID_g, "H5P_CLS_FILE_ACCESS_ID_g");
    take_number(&H5P_CLS_FILE_CREATE_ID_g, "H5P_CLS_FILE_CREATE_ID_g");
    take_number(&H5T_C_S1_g, "H5T_C_S1_g");
    take_number(&H5T_IEEE_F64LE_g, "H5T_IEEE_F64LE_g");
    take_number(&H5T_NATIVE_DOUBLE_g, "H5T_NATIVE_DOUBLE_g");
    take_number(&H5T_NATIVE_INT_g, "H5T_NATIVE_INT_g");
    take_number(&H5T_STD_I32LE_g, "H5T_STD_I32LE_g");
    return result;
}

FORWARD(herr_t, H5Aclose, (hid_t a), (a))
FORWARD(hid_t, H5Acreate, (hid_t a, const char *b, hid_t c, hid_t d, hid_t e, hid_t f), (a, b, c, d, e, f))
FORWARD(htri_t, H5Aexists, (hid_t a, const char *b), (a, b))
FORWARD(hid_t, H5Aget_space, (hid_t a), (a))
FORWARD(hid_t, H5Aget_type, (hid_t a), (a))
FORWARD(hid_t, H5Aopen, (hid_t a, const char *b, hid_t c), (a, b, c))
FORWARD(herr_t, H5Aread, (hid_t a, hid_t b, void *c), (a, b, c))
FORWARD(herr_t, H5Awrite, (hid_t a, hid_t b, const void *c), (a, b, c))
FORWARD(herr_t, H5Dclose, (hid_t a), (a))
FORWARD(hid_t, H5Dcreate, (hid_t a, const char *b, hid_t c, hid_t d, hid_t e, hid_t f, hid_t g), (a, b, c, d, e, f, g))
FORWARD(hid_t, H5Dget_create_plist, (hid_t a), (a))
FORWARD(hid_t, H5Dget_space, (hid_t a), (a))
FORWARD(hid_t, H5Dget_type, (hid_t a), (a))
FORWARD(hid_t, H5Dopen, (hid_t a, const char *b, hid_t c), (a, b, c))
FORWARD(herr_t, H5Dread, (hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, void *f), (a, b, c, d, e, f))
FORWARD(herr_t, H5Dset_extent, (hid_t a, const hsize_t *b), (a, b))
FORWARD(herr_t, H5Dwrite, (hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, const void *f), (a, b, c, d, e, f))
FORWARD(herr_t, H5Eauto_is_v2, (hid_t a, unsigned *b), (a, b))
FORWARD(herr_t, H5Eget_auto1, (H5E_auto1_t *a, void **b), (a, b))
FORWARD(herr_t, H5Eget_auto2, (hid_t a, H5E_auto2_t *b, void **c), (a, b, c))
FORWARD(herr_t, H5Eset_auto1, (H5E_auto1_t a, void *b), (a, b))
FORWARD(herr_t, H5Eset_auto2, (hid_t a, H5E_auto2_t b, void *c), (a, b, c))
FORWARD(herr_t, H5Ewalk, (hid_t a, H5E_direction_t b, H5E_walk2_t c, void *d), (a, b, c, d))
FORWARD(hid_t, H5FDregister, (const H5FD_class_t *a), (a))
FORWARD(herr_t, H5Fclose, (hid_t a), (a))
FORWARD(hid_t, H5Fcreate, (const char *a, unsigned b, hid_t c, hid_t d), (a, b, c, d))
FORWARD(herr_t, H5Fflush, (hid_t a, H5F_scope_t b), (a, b))
FORWARD(hid_t, H5Fopen, (const char *a, unsigned b, hid_t c), (a, b, c))
FORWARD(herr_t, H5Gclose, (hid_t a), (a))
FORWARD(hid_t, H5Gget_create_plist, (hid_t a), (a))
FORWARD(herr_t, H5Gget_info, (hid_t a, H5G_info_t *b), (a, b))
FORWARD(hid_t, H5Gopen, (hid_t a, const char *b, hid_t c), (a, b, c))
FORWARD(int, H5Idec_ref, (hid_t a), (a))
FORWARD(htri_t, H5Lexists, (hid_t a, const char *b, hid_t c), (a, b, c))
FORWARD(herr_t, H5Lget_info, (hid_t a, const char *b, H5L_info_t *c, hid_t d), (a, b, c, d))
FORWARD(ssize_t, H5Lget_name_by_idx, (hid_t a, const char *b, H5_index_t c, H5_iter_order_t d, hsize_t e, char *f, size_t g, hid_t h), (a,
        b, c, d, e, f, g, h))
FORWARD(herr_t, H5Pclose, (hid_t a), (a))
FORWARD(hid_t, H5Pcreate, (hid_t a), (a))
FORWARD(int, H5Pget_chunk, (hid_t a, int b, hsize_t *c), (a, b, c))
TN_LATE(&late, const void *, NULL, H5Pget_driver_info, (hid_t a), (a))
FORWARD(int, H5Pget_external_count, (hid_t a), (a))
FORWARD(H5D_layout_t, H5Pget_layout, (hid_t a), (a))
FORWARD(herr_t, H5Pget_link_creation_order, (hid_t a, unsigned *b), (a, b))
FORWARD(herr_t, H5Pset_chunk, (hid_t a, int b, const hsize_t *c), (a, b, c))
FORWARD(herr_t, H5Pset_chunk_cache, (hid_t a, size_t b, size_t c, double d), (a, b, c, d))
FORWARD(herr_t, H5Pset_deflate, (hid_t a, unsigned b), (a, b))
FORWARD(herr_t, H5Pset_driver, (hid_t a, hid_t b, const void *c), (a, b, c))
FORWARD(herr_t, H5Pset_libver_bounds, (hid_t a, H5F_libver_t b, H5F_libver_t c), (a, b, c))
FORWARD(herr_t, H5Pset_link_creation_order, (hid_t a, unsigned b), (a, b))
FORWARD(herr_t, H5Pset_obj_track_times, (hid_t a, hbool_t b), (a, b))
FORWARD(herr_t, H5Pset_shuffle, (hid_t a), (a))
FORWARD(herr_t, H5Sclose, (hid_t a), (a))
FORWARD(hid_t, H5Screate, (H5S_class_t a), (a))
FORWARD(hid_t, H5Screate_simple, (int a, const hsize_t *b, const hsize_t *c), (a, b, c))
FORWARD(int, H5Sget_simple_extent_dims, (hid_t a, hsize_t *b, hsize_t *c), (a, b, c))
FORWARD(int, H5Sget_simple_extent_ndims, (hid_t a), (a))
FORWARD(hssize_t, H5Sget_simple_extent_npoints, (hid_t a), (a))
FORWARD(herr_t, H5Sselect_hyperslab, (hid_t a, H5S_seloper_t b, const hsize_t *c, const hsize_t *d, const hsize_t *e, const hsize_t *f),
        (a, b, c, d, e, f))
FORWARD(herr_t, H5Tclose, (hid_t a), (a))
FORWARD(hid_t, H5Tcopy, (hid_t a), (a))
FORWARD(H5T_class_t, H5Tget_class, (hid_t a), (a))
FORWARD(H5T_cset_t, H5Tget_cset, (hid_t a), (a))
FORWARD(size_t, H5Tget_size, (hid_t a), (a))
FORWARD(htri_t, H5Tis_variable_str, (hid_t a), (a))
FORWARD(herr_t, H5Tset_cset, (hid_t a, H5T_cset_t b), (a, b))
FORWARD(herr_t, H5Tset_size, (hid_t a, size_t b), (a, b))
FORWARD(herr_t, H5check_version, (unsigned a, unsigned b, unsigned c), (a, b, c))
FORWARD(herr_t, H5dont_atexit, (void), ())
