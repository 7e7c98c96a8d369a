/* Facts about a model for its FMU: variables, units, and which variables depend on which. */
#ifndef TN_CLI_FMU_FACTS_H
#define TN_CLI_FMU_FACTS_H

#include "tenon/tenon.h"

/* Value references, as in src/fmu/instance.h: the kind in the upper bits. */
enum { FMU_PARAMETER = 1 << 20, FMU_INPUT = 2 << 20, FMU_OUTPUT = 3 << 20, FMU_STATE = 4 << 20, FMU_DERIVATIVE = 5 << 20,
       FMU_INDICATOR = 6 << 20 };

typedef struct fmu_variable {
    unsigned reference;
    char *name;
    char unit[48];                 /* "": none */
    double start;                  /* parameters, inputs, states */
    double low, high;              /* inputs; infinite: none */
    bool tunable;                  /* parameters: they can change while the model runs */
} fmu_variable;

typedef struct fmu_facts {
    const tn_model *model;
    char identifier[128];          /* of C */
    char token[64];
    int version;                   /* 2 or 3 */
    bool exchange;                 /* model exchange is possible, and wanted */
    bool simulate;                 /* co-simulation is wanted */
    bool left_out;                 /* outputs that only co-simulation has are not there, for model exchange */
    bool derivable;                /* outputs have derivatives by time: the model has rates at any state */
    const char *why_not;           /* why model exchange is not possible; NULL: it is */
    fmu_variable *parameters, *inputs, *outputs, *states;
    size_t parameter_count, input_count, output_count, state_count;
    size_t indicator_count;        /* of events, in model exchange */
    /* [unknown * knowns + known]: unknowns are outputs, then derivatives; knowns are inputs, then states. */
    bool *depends;
    char *picture;                 /* PNG of the model at its start */
    size_t picture_size;
    char **sources;                /* names of the C files of an FMU with sources; NULL: it has none */
    size_t source_count;
} fmu_facts;

/* Opens a session, lists its variables and tries who depends on whom. TN_OK or an error with diagnostics. */
int tn_fmu_facts_find(fmu_facts *facts, tn_context *context, tn_model *model, const char *const *outputs,
                      size_t output_count);
void tn_fmu_facts_free(fmu_facts *facts);

/* Tries which parameters can change in a running session without a jump of its state, and marks them. */
void tn_fmu_find_tunable(fmu_facts *facts, tn_context *context, tn_model *model);
size_t tn_fmu_tunable_count(const fmu_facts *facts);

/* modelDescription.xml; the caller frees it. */
char *tn_fmu_description(const fmu_facts *facts);
/* Of an FMU with sources: buildDescription.xml of FMI 3.0, the header that all sources include first, and a Makefile; the caller
 * frees them. */
char *tn_fmu_build_description(const fmu_facts *facts);
char *tn_fmu_settings_header(const fmu_facts *facts);
char *tn_fmu_makefile(const fmu_facts *facts);
/* terminalsAndIcons.xml of FMI 3.0; the caller frees it. */
char *tn_fmu_terminals(const fmu_facts *facts);
/* A picture of the model at the session's state, as a PNG; the caller frees it. NULL: there is not enough memory. */
char *tn_fmu_picture(size_t *size, const tn_session *session, const tn_model *model);
/* SystemStructure.ssd of a system whose component is the FMU, a file of the archive; the caller frees it. */
char *tn_ssp_description(const fmu_facts *facts, const char *fmu);

#endif
