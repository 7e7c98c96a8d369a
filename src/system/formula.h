/* Formulas: expressions over the motion of the whole system, compiled once.
 *
 * A name in a formula is t, a parameter or table of the model, or a channel: "crank.tip.velocity.x", "pivot.angle",
 * "pivot.rate", "tank.level". In a subsystem its own names come first; of other subsystems only channels are
 * visible. A slot is one thing that the formula reads from the system. Slots are found during compilation; each slot
 * fills TN_LEAVES leaves of the tape. */
#ifndef TN_SYSTEM_FORMULA_H
#define TN_SYSTEM_FORMULA_H

#include "entities.h"
#include "expr.h"
#include "program.h"

typedef struct tn_system tn_system;
typedef struct tn_eval tn_eval;

typedef enum tn_slot_kind {
    TN_SLOT_FRAME,             /* index: frame of the system; its point, axes and angular velocity */
    TN_SLOT_ANGLE,             /* index: planar body; its angle + offset */
    TN_SLOT_STATE,             /* index: state of the system */
    TN_SLOT_INPUT,             /* index: state of the system that is the value of an input; the next one is its rate */
    TN_SLOT_UNKNOWN,           /* index: unknown of the network (device_network.h) */
    TN_SLOT_MEMORY,            /* index: entry of the memory that samples and modes set */
    TN_SLOT_DELAYED,              /* index: past of a signal (delay.h) */
    TN_SLOT_HOLD,              /* index: device of the discrete part; what it holds its port with (hybrid.h) */
    TN_SLOT_REACTION,          /* index: constraint; magnitude of its force, 0 while unknown */
    TN_SLOT_LATE               /* index: a channel that needs the solution; the owner of the formula loads it */
} tn_slot_kind;

typedef struct tn_slot {
    tn_slot_kind kind;
    int index;
    double offset;
} tn_slot;

/* Finds a channel that needs the solution: returns index >= 0 and its unit, or -1. */
typedef int (*tn_late_channel)(void *user, const char *name, const char **unit);

/* A joint whose expressions a formula uses. */
typedef struct tn_formula_joint {
    int constraint;
    int parameters;            /* index of its first parameter among those of the formula */
    tn_joint_scope *scope;
} tn_formula_joint;

/* The names of the model: constants and channels. */
typedef struct tn_name_scope {
    tn_scope scope;
    struct tn_formula *formula;
    tn_viewpoint from;
} tn_name_scope;

typedef struct tn_formula {
    tn_system *system;
    tn_tape *tape;
    tn_slot *slots;
    int slot_count;
    size_t slot_capacity;
    int *memory;               /* entries of the coordinate memory */
    int memory_count;
    size_t memory_capacity;
    tn_formula_joint *joints;
    int joint_count;
    size_t joint_capacity;
    struct tn_force_scope **forces;    /* scopes of forces whose expressions it uses; in the arena */
    int force_count;
    size_t force_capacity;
    double *parameters;        /* the free parameter, if any; numbers of each joint and force. They are not compiled,
                                  so they can be set without a recompile */
    int parameter_count;
    double *affine;            /* every output is affine in the slots: of each output its constant, then the factor of each slot.
                                  NULL: it is not, or it was not looked for (formula_affine.c) */
    bool constants;            /* while requirements are checked: numbers of forces are constants */
    const tn_force *free_force;            /* the owner sets a parameter of this force; NULL: none */
    int free_parameter;        /* its index by declaration */
    int branch;                /* entry of the memory with the branches of its kinks; -1: they are free */
    bool uses_network;         /* it reads unknowns of the network */
    int order;                 /* of time derivatives that values need: 1 when velocities occur */
    tn_name_scope names;       /* as seen from the entity that the formula belongs to */
    tn_late_channel late;      /* NULL: channels that need the solution are refused */
    void *late_user;
    bool samples;              /* of a sampled device: accelerations and reactions are those at the last sample (device_network.h) */
    uint32_t sampler;          /* that device */
    bool knows_holds;          /* it is evaluated after the solution where it reads what devices hold with */
    bool inlines;              /* names of outputs stand for their expressions */
    int inlined;               /* number of outputs inlined so far */
    tn_id inactive;            /* inactive entity that the last output names; kind NONE: none */
    bool acts;                 /* the motion depends on it: in a mirrored subsystem it reads unmirrored values */
    bool quaternion;           /* the last output names a component of a quaternion */
    char needs_solution[80];   /* channel of the last output that forces determine; "": none */
    char no_rate[64];          /* parameter of a device whose rate the last output needs, and which has none; "": none */
    bool changed;              /* the last output names a channel without meaning in a mirrored subsystem */
    int code;                  /* TN_ERROR_MEMORY when a lookup ran out of memory */
} tn_formula;

/* The system owns the formula. entity: path of its entity, whose names come first; NULL: the model. Borrowed. */
int tn_formula_create(tn_formula **out, tn_system *system, const char *entity);
/* With the tape of a finished formula; slots and numbers are still to be given (shared_tapes.h). */
int tn_formula_create_like(tn_formula **out, const tn_formula *like, const char *entity);
/* Names as seen from another entity, for the formula. */
tn_name_scope tn_formula_names(tn_formula *formula, const char *entity);
void tn_formula_destroy(tn_formula *formula);
/* Destroys the formulas made since formula_count was count. */
void tn_formula_drop(tn_system *system, size_t count);
/* The symbol of a number in a slot; unit NULL: its dimension is unknown. */
tn_symbol tn_formula_number(tn_formula *formula, tn_slot slot, const char *unit);
/* Reports an error unless the text is the name of a table. */
int tn_table_check(const tn_viewpoint *from, const tn_expression *name, const char *what);
/* A channel of a force, and the scope of its expressions in this formula (force_scope.c). NULL: out of memory. */
tn_symbol tn_force_channel_symbol(tn_formula *formula, uint32_t force, const char *what);
const tn_scope *tn_force_scope_in(tn_formula *formula, uint32_t force);
/* Selects the alternative of a type's expression: "A|B" is A along a length and B along an angle. NULL: out of
 * memory. */
const char *tn_force_text(tn_system *system, const tn_force *force, const char *text);

/* Compiles text as the next output, read in the given scope (NULL: the names of the model). unit NULL: any. Errors are
 * reported at span, the place of the text in the file. what: its name in messages, "force 'load': value.x". */
int tn_formula_add(tn_formula *formula, const char *text, const tn_scope *scope, const char *unit, tn_span span,
                   const char *what, tn_output_info *info);
/* Finds or adds a slot. Negative: out of memory. */
int tn_formula_slot(tn_formula *formula, tn_slot slot);
/* The scope of a joint's expressions (M, N, d, coordinates, parameters) in this formula; NULL: out of memory. */
const tn_scope *tn_formula_joint_scope(tn_formula *formula, int constraint);
/* After all outputs: allocates the parameters of joints, and copies the values that are known. */
int tn_formula_finish(tn_formula *formula);
/* Copies the values again, once all are known. */
void tn_formula_take_joint_parameters(tn_formula *formula);
/* Copies the current numbers of a force from the model, where the formula uses the force (force_scope.c). */
void tn_formula_take_force_parameters(tn_formula *formula, uint32_t force);
void tn_formula_take_all_forces(tn_formula *formula);

/* Finds the factors where all outputs are affine in states, unknowns of the network and memories; after tn_formula_finish. */
int tn_formula_find_affine(tn_formula *formula);
/* Output 0 of an affine formula as a sum with factors: quicker than the tape, with round-off of the largest term. */
double tn_formula_affine_value(const tn_formula *formula, const tn_eval *e, const double *memory);
/* Finds the factors again, after parameters have changed. */
void tn_formula_take_affine(tn_formula *formula);

/* Fills the leaves from the point in e and runs the tape with at least `order` time derivatives; read the values with
 * tn_formula_value. late: values of LATE slots by index. */
void tn_formula_evaluate(const tn_formula *formula, tn_eval *e, const double *memory, const double *late,
                         int order);
/* The same values alone: gradients and tangents need tn_formula_evaluate. */
void tn_formula_evaluate_values(const tn_formula *formula, tn_eval *e, const double *memory);
double tn_formula_value(const tn_formula *formula, const tn_eval *e, int output, int derivative);
/* The body whose motion a slot reads; -1: none, or ground. */
int tn_formula_slot_body(const tn_formula *formula, int slot);
/* Adds factor times the gradient of an output (evaluated last) over all velocities to row. */
void tn_formula_add_gradient(const tn_formula *formula, tn_eval *e, int output, double factor, double *row);
/* Same over the velocities of one body, which is not ground. */
void tn_formula_add_body_gradient(const tn_formula *formula, tn_eval *e, int output, double factor, int body,
                                  double row[6]);

#endif
