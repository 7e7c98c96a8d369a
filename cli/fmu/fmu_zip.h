/* Packs an FMU: description, library, and the files of the model. */
#ifndef TN_CLI_FMU_ZIP_H
#define TN_CLI_FMU_ZIP_H

#include "fmu_facts.h"

/* Contents of the FMU beside the model. */
typedef struct fmu_engine {
    const char *library;
    const char *sources;           /* archive of the sources of the library; NULL: they stay out */
} fmu_engine;

/* Replaces the file path. given: parameters that differ from those of the files. Explains on stderr what goes wrong;
 * returns the exit status. */
int tn_fmu_zip_write(const char *path, const fmu_engine *engine, fmu_facts *facts, const tn_setting *given, size_t given_count);
/* Writes a system (SSP 1.0) with the FMU as its component. */
int tn_ssp_zip_write(const char *path, const fmu_engine *engine, fmu_facts *facts, const tn_setting *given, size_t given_count);

#endif
