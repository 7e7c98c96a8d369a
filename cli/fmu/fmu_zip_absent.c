/* Stands for fmu_zip.c in a build without libzip or without the static libraries that go into an FMU. */
#include <stdio.h>
#include "command.h"
#include "fmu_zip.h"

int tn_fmu_zip_write(const char *path, const fmu_engine *engine, fmu_facts *facts, const tn_setting *given, size_t given_count)
{
    (void)path;
    (void)engine;
    (void)facts;
    (void)given;
    (void)given_count;
    fputs("tenon export: this build makes no FMUs\n", stderr);
    return TN_EXIT_FILE;
}

int tn_ssp_zip_write(const char *path, const fmu_engine *engine, fmu_facts *facts, const tn_setting *given, size_t given_count)
{
    return tn_fmu_zip_write(path, engine, facts, given, given_count);
}
