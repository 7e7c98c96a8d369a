/* Devices whose equations are in an FMU (src/fmi). In the network each input is a signal; with model exchange each output and
 * each rate of a state is a signal too, whose value the FMU gives. With co-simulation the outputs are in the memory and change at
 * communication points, which are samples (hybrid.h). With co-simulation that iterates the outputs are signals as in model exchange:
 * at any time after a communication point the FMU makes a step from there, with the inputs of that time, and goes back.
 *
 * Entries of the memory, after those that all samplers begin with: see the enums. */
#ifndef TN_SYSTEM_EXTERNAL_H
#define TN_SYSTEM_EXTERNAL_H

#include "device_network.h"
#include "fmi.h"

/* First entries of the memory of an external device. */
enum { TN_EXTERNAL_HANDLE,                             /* 0: not started */
       TN_EXCHANGE_NEXT, TN_EXCHANGE_SIGNS,            /* time of the next event; on which side each indicator is,
                                                          then the values of discrete inputs that the FMU has */
       TN_SIMULATION_LAST = 1, TN_SIMULATION_FIRST, TN_SIMULATION_VALUES };    /* times; inputs of the last point, outputs */

struct tn_external {
    uint32_t source;
    tn_fmi *fmi;                   /* borrowed from the model */
    const tn_fmi_facts *facts;
    int *inputs;                   /* unknowns of the network */
    int *outputs, *rates;          /* model exchange and iteration: unknowns of the network */
    int memory;                    /* first entry */
};
typedef struct tn_external tn_external;

/* Values of an FMU at a point, kept until another point is asked for. */
struct tn_external_work {
    bool known, differentiated;
    double handle, t;
    double *u, *x, *y, *rates, *indicators, *D;
    char trouble[TN_FMI_TROUBLE];
};

/* The external device of a force of the model; NULL: none. */
tn_external *tn_external_of(const tn_system *s, uint32_t source);
/* Number of memory entries of a type; 0: not external. */
int tn_external_memory(const tn_force_type *type);
/* Compiling: the list of external devices; the unknowns of one; where its memory begins; the equation of an unknown. */
int tn_externals_create(tn_system *s);
int tn_external_add(tn_system *s, uint32_t source);
int tn_external_equation(tn_system *s, int variable, bool *external);
/* Name of the input, output or state that an unknown stands for; NULL: none. */
const char *tn_external_name(const tn_system *s, int variable);
/* "fmu_in_K": expression of an input; "fmu_u_K": its unknown; "fmu_z_K": a state. */
tn_symbol tn_external_symbol(tn_formula *formula, uint32_t source, const char *name, bool *found);
/* Entry of the memory of an output of a co-simulation; -1: none. */
int tn_external_output(const tn_system *s, uint32_t source, const char *name, const char **unit);

int tn_external_work_create(struct tn_network_work *w, const tn_system *s, tn_arena *arena);
/* Value of an unknown that an FMU gives. False: the FMU has failed, with the reason in why. */
bool tn_external_value(tn_eval *e, const tn_system *s, const double *memory, int variable, double *value, const char **why);
int tn_external_evaluate(tn_eval *e, const tn_system *s, const tn_external *x, const double *memory);
struct tn_external_work *tn_external_work_of(const tn_eval *e, const tn_system *s, const tn_external *x);
/* Its derivative by another unknown, or by a state (unknown < 0). */
bool tn_external_derivative(tn_eval *e, const tn_system *s, const double *memory, int variable, int unknown, int state,
                            double *value, const char **why);

/* The discrete part. All set e->failed where the FMU fails. z: states of the system, which events change. */
void tn_external_start(tn_eval *e, const tn_system *s, const tn_external *x, double *memory, double *z);
double tn_external_time(const tn_external *x, const double *memory, double number);
/* The next event or communication point is here. */
void tn_external_take(tn_eval *e, const tn_system *s, const tn_external *x, double *memory, double *z);
double tn_external_indicator(tn_eval *e, const tn_system *s, const tn_external *x, int index, const double *memory);
/* Has a discrete input another value than the FMU has? */
bool tn_external_changed(tn_eval *e, const tn_system *s, const tn_external *x, const double *memory);
/* After an accepted step: marks an event at this time where the FMU wants one. */
void tn_externals_completed(tn_eval *e, const tn_system *s, double *memory);

#endif
