/* Files beside the sources of an FMU: lists for importers that compile, and a Makefile for people whose importer does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmu_facts.h"

/* The libraries that the importer has to have, in the order of linking. */
static const char *const libraries[] = { "yaml", "klu", "btf", "colamd", "amd", "suitesparseconfig", "lapacke", "lapack", "blas", "m",
                                         "pthread", "dl" };
static const char *const sundials[] = { "sundials_cvode", "sundials_ida", "sundials_nvecserial" };
enum { LIBRARIES = sizeof libraries / sizeof *libraries, SUNDIALS = sizeof sundials / sizeof *sundials };

static bool needs_sundials(const fmu_facts *f)
{
    const char *integrator = tn_model_solve(f->model).integrator;
    return strcmp(integrator, "cvode") == 0 || strcmp(integrator, "ida") == 0;
}

char *tn_fmu_build_description(const fmu_facts *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
                 "  <BuildConfiguration modelIdentifier=\"%s\" description=\"A shared library for POSIX systems\">\n"
                 "    <SourceFileSet language=\"C17\" compilerOptions=\"-std=gnu17 -O2 -fPIC -fvisibility=hidden -ffp-contract=off\">\n",
            f->identifier);
    for (size_t k = 0; k < f->source_count; k++)
        fprintf(out, "      <SourceFile name=\"%s\"/>\n", f->sources[k]);
    fputs("    </SourceFileSet>\n", out);
    for (size_t k = 0; k < LIBRARIES; k++)
        fprintf(out, "    <Library name=\"%s\" external=\"true\"/>\n", libraries[k]);
    for (size_t k = 0; k < SUNDIALS && needs_sundials(f); k++)
        fprintf(out, "    <Library name=\"%s\" external=\"true\"/>\n", sundials[k]);
    fputs("  </BuildConfiguration>\n</fmiBuildDescription>\n", out);
    return fclose(out) == 0 ? text : NULL;
}

char *tn_fmu_settings_header(const fmu_facts *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("/* Settings of all sources of this FMU. */\n#ifndef FMU_SETTINGS_H\n#define FMU_SETTINGS_H\n"
          "#define _POSIX_C_SOURCE 200809L\n", out);
    if (needs_sundials(f))
        fputs("#define TENON_HAS_SUNDIALS\n", out);
    fputs("#endif\n", out);
    return fclose(out) == 0 ? text : NULL;
}

char *tn_fmu_makefile(const fmu_facts *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "# Compiles the library of this FMU: make -j4 in this folder. Needs GNU make, gcc or clang, and the libraries below (Debian:\n"
                 "# libyaml-dev libsuitesparse-dev liblapacke-dev%s).\nNAME = %s\n",
            needs_sundials(f) ? " libsundials-dev" : "", f->identifier);
    fprintf(out, f->version == 2 ? "PLATFORM ?= linux64\n" : "PLATFORM ?= $(shell uname -m)-linux\n");
    fputs("CFLAGS ?= -O2\nLIBS =", out);
    for (size_t k = 0; k < SUNDIALS && needs_sundials(f); k++)
        fprintf(out, " -l%s", sundials[k]);
    for (size_t k = 0; k < LIBRARIES; k++)
        fprintf(out, " -l%s", libraries[k]);
    fputs("\nOBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))\nLIBRARY = ../binaries/$(PLATFORM)/$(NAME).so\n\n"
          "$(LIBRARY): $(OBJECTS)\n\tmkdir -p $(@D)\n\t$(CC) -shared -o $@ $(OBJECTS) $(LDFLAGS) $(LIBS)\n\n"
          "%.o: %.c\n\t$(CC) -std=gnu17 $(CFLAGS) -fPIC -fvisibility=hidden -ffp-contract=off -c -o $@ $<\n\n"
          "clean:\n\trm -f $(OBJECTS)\n.PHONY: clean\n", out);
    return fclose(out) == 0 ? text : NULL;
}
