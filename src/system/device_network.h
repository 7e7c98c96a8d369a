/* The network of devices: unknowns x that follow from the state at every point, n(t, q, v, z, x) = 0.
 *
 * x has the across variables of nodes that store nothing, the unknowns of devices, and channels of devices that other
 * entities read (signals). Every unknown has an equation: the balance of its node, an equation of its device, or the
 * expression of the signal. A maximum matching and the strongly connected components of the incidence give blocks, which
 * are solved one after the other: a signal that does not depend on itself is an assignment, all other blocks are solved
 * by Newton's method with exact derivatives. The unknowns depend on nothing that the saddle problem finds: network first,
 * then forces, then accelerations.
 *
 * Memory (tn_stepper.memory) keeps what must survive a step: the last accepted x as guess, the values that samples and
 * modes set. */
#ifndef TN_SYSTEM_DEVICE_NETWORK_H
#define TN_SYSTEM_DEVICE_NETWORK_H

#include "devices.h"
#include "system.h"

typedef enum tn_variable_kind { TN_VARIABLE_NODE, TN_VARIABLE_UNKNOWN, TN_VARIABLE_SIGNAL } tn_variable_kind;

/* A channel that needs the solution, which sampled devices read: an entry of the memory that gets its value before a sample. */
typedef struct tn_late {
    const char *name;              /* in the arena */
    int memory;
    tn_span span;                  /* of a device that reads it */
} tn_late;

typedef struct tn_variable {
    tn_variable_kind kind;
    uint32_t source;               /* node or device */
    int index;                     /* across variable, unknown, or as what says */
    const char *what;              /* SIGNAL: name of the channel; in the arena */
    double nominal, guess;
    bool external;                 /* an FMU gives its value; the formula only says what it depends on */
    tn_formula *formula;           /* its equation: output 0, zero when it holds; a signal's expression */
} tn_variable;

/* Block k has the variables order[begin[k]] ... and the equations rows[begin[k]] ... */
typedef struct tn_network_blocks {
    int count, largest;
    int *begin, *columns, *rows;
    bool *assigned;                /* block of one signal that does not read itself */
    bool *affine;                  /* block whose equations are affine in its unknowns, with constant factors */
} tn_network_blocks;

struct tn_network {
    int count;                     /* of x */
    tn_variable *variables;
    size_t capacity;
    int memory;                    /* where its part of the memory begins: 1 when x is known, then x, then the rest */
    int memory_count;
    bool frozen;                   /* compiled: there are no new variables */
    tn_network_blocks blocks;
    int *begin, *rows;             /* incidence by columns: equations that read a variable */
    int *block_of, *place_of;      /* of each variable: its block, its place there */
    int *row_block, *row_place;    /* the same of each equation */
    bool *stores;                  /* by slot of a force: the node stores */
    bool *held;                    /* by slot: a source holds the node */
    int *ports;                    /* by slot: number of ports at the node */
    int *node_of;                  /* by slot of a device and port: the node; -1: none (tn_port_node) */
    int *first;                    /* by slot: its first unknown */
    int *near_begin;               /* by slot of a node: the devices there, each once, in order: near[near_begin[node]] ... */
    uint32_t *near;
    struct tn_hybrid *hybrid;      /* hybrid.h */
    tn_late *lates;
    int late_count;
    size_t late_capacity;
    struct tn_delay *delays;         /* signals whose past is kept (delay.h) */
    int delay_count;
    struct tn_network_accounts *accounts;      /* network_energy.c */
    struct tn_formula_batches *rates;          /* of devices that are alike and have states only; NULL: not found yet */
    bool *rated;                   /* by force: it is in one of these, or has nothing to evaluate */
    struct tn_external *externals; /* devices whose equations are in FMUs (external.h) */
    int external_count;
};
typedef struct tn_network tn_network;

/* Workspace of an evaluation. */
struct tn_network_work {
    bool current;                  /* x is that of the motion */
    bool busy;                     /* the equations are being evaluated */
    bool failed;
    double accuracy;               /* of x, relative to the sizes of unknowns; 0: up to round-off */
    double *x;
    tn_leaf *leaves, *tangents;
    double *work, *memory_work;
    double *residual, *matrix, *change, *scale;        /* of a block: equations, derivatives, Newton step, sizes of rows */
    double *before, *scale_x;                          /* x before the step, sizes of unknowns */
    struct tn_network_sparse *sparse;                  /* of blocks that are too large for dense matrices, in order */
    int sparse_count;
    double *record;                /* where the next evaluation writes the branches of its kinks; NULL: nowhere */
    double *violations;            /* of the kinks of one formula */
    double *accounts;              /* of each device in the energy account: its numbers (network_energy.c) */
    struct tn_external_work *externals;
};

/* Compiling (network_compile.c). begin: before forces are compiled; nodes that store are known afterwards. */
int tn_network_begin(tn_system *s);
int tn_network_compile(tn_system *s);
/* Its stages: checks of nodes and islands (network_check.c); order of the blocks (network_order.c). */
int tn_network_check(tn_system *s);
int tn_network_order(tn_system *s);
/* The last stage of the discrete part, once all variables are known (hybrid_compile.c). */
int tn_hybrid_finish(tn_system *s);
/* The unknown of a node or device; -1: it has none of that name. */
int tn_network_find(const tn_system *s, tn_variable_kind kind, uint32_t source, int index);
/* Finds or adds the signal of a device's channel; -1: out of memory, or the network is compiled and has no such signal. */
int tn_network_signal(tn_system *s, uint32_t device, const char *what);
/* The entry of the memory of a late channel, which is made where it is new; negative: out of memory. */
int tn_network_late(tn_system *s, const char *name, tn_span span);
/* Slot of the node at a port of a device; -1: ground, open or mechanical. */
int tn_port_node(const tn_system *s, const tn_force *device, int port);
/* Whether a node stores. */
bool tn_node_stores(const tn_system *s, uint32_t node);

void tn_network_free(tn_system *s);

/* Evaluation (network.c). */
int tn_network_work_create(tn_eval *e, const tn_system *s, tn_arena *arena);
/* Solves for x at the motion of e, unless that is done. Sets e->failed where there is no solution. */
void tn_network_evaluate(tn_eval *e, const tn_system *s, const double *memory);
/* Keeps x of the accepted state as the guess of the next steps. */
void tn_network_remember(const tn_eval *e, const tn_system *s, double *memory);

/* Energy account (network_energy.c): what is stored (J), and powers (W). lost: dissipated, and not put into a node;
 * mechanical: into the mechanism. */
typedef struct tn_network_power {
    double stored, supplied, lost, mechanical;
} tn_network_power;
typedef struct tn_network_accounts tn_network_accounts;
int tn_network_accounts_compile(tn_system *s);
bool tn_network_has_account(const tn_system *s);
/* Numbers that measuring needs room for. */
int tn_network_account_values(const tn_system *s);
/* False: a store has parameters that change, which the account does not follow. */
bool tn_network_closes(const tn_system *s);
/* At the motion of e. */
tn_network_power tn_network_measure(tn_eval *e, const tn_system *s, const double *memory);

/* Name of an unknown: "bus.voltage". In buffer. */
const char *tn_variable_name(const tn_system *s, int variable, char *buffer, size_t size);

#endif
