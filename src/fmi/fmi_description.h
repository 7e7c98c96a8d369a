/* The content of modelDescription.xml of an FMU: FMI 2.0 and 3.0 in one form. Numbers are SI: unit, factor and offset of the FMU are
 * resolved here. */
#ifndef TN_FMI_DESCRIPTION_H
#define TN_FMI_DESCRIPTION_H

#include "mem.h"

typedef enum tn_fmi_type {
    TN_FMI_FLOAT64, TN_FMI_FLOAT32, TN_FMI_INT8, TN_FMI_UINT8, TN_FMI_INT16, TN_FMI_UINT16, TN_FMI_INT32, TN_FMI_UINT32,
    TN_FMI_INT64, TN_FMI_UINT64, TN_FMI_BOOLEAN, TN_FMI_TEXT, TN_FMI_CLOCK, TN_FMI_OTHER
} tn_fmi_type;

typedef enum tn_fmi_causality {
    TN_FMI_PARAMETER, TN_FMI_STRUCTURAL, TN_FMI_INPUT, TN_FMI_OUTPUT, TN_FMI_LOCAL, TN_FMI_INDEPENDENT, TN_FMI_CALCULATED
} tn_fmi_causality;

/* A value of an enumeration. */
typedef struct tn_fmi_item {
    const char *name;
    double value;
} tn_fmi_item;

/* An array of FMI 3.0 is a variable for each element, "u[1]", "A[2,3]", one after the other, all with its reference. */
typedef struct tn_fmi_variable {
    const char *name;
    uint32_t reference;
    tn_fmi_type type;
    tn_fmi_causality causality;
    bool continuous;               /* its variability */
    int element, size;             /* of an array: number from 0, elements in all; a scalar has one */
    bool unsized;                  /* an array of unknown size */
    bool clocked;                  /* changes with clocks only */
    bool has_start;
    double start;                  /* SI */
    const char *unit;              /* SI, as model files spell it; NULL: not known */
    double factor, offset;         /* SI value = factor * value + offset */
    const tn_fmi_item *items;      /* of an enumeration */
    int item_count;
    long derivative_of;            /* 2.0: number from 1, 3.0: reference, of the state; -1: no derivative */
} tn_fmi_variable;

/* An unknown of the model structure: an output or a derivative, with the numbers of the variables that it depends on. */
typedef struct tn_fmi_unknown {
    int variable;
    bool lists;                    /* dependencies are given; else: depends on everything */
    int *on;
    int count;
} tn_fmi_unknown;

/* Capabilities of an FMU as one of its kinds. */
typedef struct tn_fmi_kind {
    bool there, needs_tool;
    bool library;                  /* the archive has it for this platform */
    const char *identifier;        /* of the library */
    bool saves, directional, completed, interpolates, variable_steps;
} tn_fmi_kind;

typedef struct tn_fmi_description {
    int version;                   /* 2 or 3 */
    const char *token, *name, *doc;
    tn_fmi_kind exchange, simulation;
    double step;                   /* s: of the default experiment; 0: none */
    tn_fmi_variable *variables;
    int variable_count;
    tn_fmi_unknown *outputs, *rates;
    int output_count, rate_count;  /* a rate for each continuous state, in the order of the state vector */
    int *states;                   /* variables of the states */
    int indicator_count;
} tn_fmi_description;

/* file: for messages. TN_ERROR_MODEL with a diagnostic. */
int tn_fmi_describe(tn_fmi_description *out, tn_arena *arena, tn_context *context, const char *file, const char *text,
                    size_t size);
/* Whether two variables are the same, or elements of the same array. */
bool tn_fmi_same_variable(const tn_fmi_description *d, int a, int b);
/* Number of the variable; -1: none. */
int tn_fmi_find(const tn_fmi_description *d, const char *name);

#endif
