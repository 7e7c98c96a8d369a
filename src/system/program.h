/* Programs: the compiled equations and coordinates of a joint type. Joints of the same type share one. */
#ifndef TN_SYSTEM_PROGRAM_H
#define TN_SYSTEM_PROGRAM_H

#include "entities.h"
#include "expr.h"
#include "tenon/sys/saddle.h"

/* Leaves of every frame slot; a slot of a number uses the first leaf. */
enum { TN_LEAF_POINT, TN_LEAF_X, TN_LEAF_Y, TN_LEAF_Z, TN_LEAF_W, TN_LEAVES };

/* The names visible from an entity: those of its subsystem. */
typedef struct tn_viewpoint {
    const tn_model *model;
    const char *entity;            /* path; NULL, or without a dot: the model itself */
} tn_viewpoint;
/* The names in a joint's expressions: its two frames, its parameters and coordinates; then tables and parameters of the
 * model. */
typedef struct tn_joint_scope {
    tn_scope scope;
    const tn_joint_type *type;
    const tn_joint_form *form;
    int slots[2];
    int parameter, memory;         /* index of the joint's first parameter and memory entry */
    tn_viewpoint from;             /* the type, whose equations may name tables and parameters of its file */
} tn_joint_scope;
void tn_joint_scope_open(tn_joint_scope *scope, const tn_model *model, const tn_joint *joint, int slot1, int slot2,
                         int parameter, int memory);
/* The symbol of t, a parameter or a table; else UNKNOWN. The same as a scope, with the viewpoint as its user. */
tn_symbol tn_constant_symbol(const tn_viewpoint *from, const char *name);
const char *tn_constant_candidate(const tn_viewpoint *from, size_t index);
tn_scope tn_constant_scope(const tn_viewpoint *from);
/* A path as written in that subsystem: without the subsystem's own path. */
const char *tn_name_from(const tn_viewpoint *from, const char *path);
/* The symbol of a frame's leaf by its name in joints ("M", "x1", ..., "w2"); false: no such name. */
bool tn_frame_symbol(tn_symbol *out, const char *name, int slot1, int slot2);

typedef struct tn_program_row {
    int output, component;
    bool velocity;
} tn_program_row;

typedef struct tn_program {
    const tn_joint_type *type;     /* shared by all joints of the type; NULL: belongs to one coupling */
    bool mirrored;                 /* shared by all mirrored joints, or by all others */
    tn_tape *equations;
    tn_tape *coordinates;          /* NULL: none */
    int coordinate_count;
    tn_program_row rows[TN_JOINT_ROWS];
    int row_count;
    int separation;                /* output of the equations: how fast teeth separate; -1: none */
    int slot_count;
    int memory_count;
    bool counts_turns;             /* a coordinate counts turns: it has to be remembered */
    bool timed;                    /* time is in its equations */
    bool has_speed;                /* the last slot is the number "speed" */
    tn_pin_kind pin;               /* the equations are those of a ball or a hinge: the pin kernel evaluates them */
    int pin_axes[3];               /* hinge: axes a, b of frame 1, c of frame 2 in "a . c", "b . c" */
} tn_program;

typedef struct tn_program_list {
    tn_program **items;
    size_t count, capacity;
} tn_program_list;

/* Finds or compiles the program of a joint. Errors are reported at the joint (or its type). */
int tn_program_for(const tn_program **out, tn_program_list *list, const tn_model *model, const tn_joint *joint);
void tn_program_list_destroy(tn_program_list *list, tn_context *context);

/* Evaluates a number of the joint's geometry at the given leaves. parameters and memory as in evaluation. */
int tn_program_measure(const tn_model *model, const tn_joint *joint, const char *text, const tn_tape_input *input,
                       double *value);

#endif
