/* The formats that are imported, one line each: TN_IMPORTER(name) stands for NAME.c in this folder and its
 * tn_importer_NAME. The order is that of lists that people read, and of recognition. */
TN_IMPORTER(urdf)
TN_IMPORTER(mjcf)
TN_IMPORTER(sdf)
TN_IMPORTER(simscape)
TN_IMPORTER(fcstd)
TN_IMPORTER(asmt)
TN_IMPORTER(ssp)
TN_IMPORTER(adm)
TN_IMPORTER(usd)
TN_IMPORTER(step)
TN_IMPORTER(mesh)
