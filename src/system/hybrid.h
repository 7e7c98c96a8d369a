/* The discrete part of devices: memories that samples and modes set, switches between modes, branches of kinks.
 *
 * All of it lives in the memory of the stepper, so snapshots, undo and saved runs have it: memories by device, mode and the
 * time when it began, the number of the next sample, and one branch for every kink in the expressions of devices. While
 * integrating, expressions take the remembered branches, which continues them smoothly; the session locates the instants
 * at which a kink is on the wrong side of its branch. */
#ifndef TN_SYSTEM_HYBRID_H
#define TN_SYSTEM_HYBRID_H

#include "device_network.h"

/* How a device holds a mechanical port in one of its modes: by a relation of coordinates, or by a rod between two frames. */
typedef struct tn_hold {
    int mode;
    int held;                      /* entry of the memory with the position */
    int rate;                      /* outputs of the formula: rate of the port, */
    int factor;                    /* and first of the factors of the terms */
    struct tn_joint_term *terms;   /* joint and coordinate; the factors are known at a point */
    size_t term_count;             /* 0: a rod */
    uint32_t body1, body2;
    tn_pose frame1, frame2;
} tn_hold;

/* A device with memories, samples or modes. The integers are output numbers of its formula; -1: none. */
typedef struct tn_sampler {
    uint32_t source;
    tn_formula *formula;
    int period, offset;
    int start, next;               /* first of those of the memories; next -1 for a memory without one: see has_next */
    int start_mode, when;          /* when: first of its switches */
    int memory;                    /* first entry of its memories; then mode and since; then the number of the next sample */
    int memory_count, switch_count;
    int shift, shifted;            /* length of its shift register, 0: none; first entry of it, the last one is the place of the oldest */
    bool has_next[TN_DEVICE_MEMORIES];
    signed char from[TN_DEVICE_MEMORIES];      /* a memory that gets what another one was: number of that one; -1: none */
    const struct tn_external *external;        /* an FMU does all of it (external.h); NULL: none */
    tn_hold *hold;                 /* NULL: it holds nothing */
    int *reads;                    /* samplers whose memories it reads */
    int read_count;
} tn_sampler;

/* A formula with kinks, and its part of the branches. */
typedef struct tn_kinked {
    tn_formula *formula;
    int kinks;
    const tn_entity *entity;       /* for messages */
} tn_kinked;

struct tn_hybrid {
    tn_sampler *samplers;
    int sampler_count;
    int *order;                    /* samplers in the order of their reads */
    tn_kinked *kinked;
    int kinked_count, kink_count, switch_count, hold_count;
    int *sampler_of;               /* by slot of a force; -1: none */
    int flags;                     /* entries of the memory: started, settled, events of kinks in a row, when they began */
};
typedef struct tn_hybrid tn_hybrid;

/* Compiling: memory is numbered before expressions are read. */
int tn_hybrid_begin(tn_system *s);
int tn_hybrid_compile(tn_system *s);
/* Keeps the branches of the kinks of a formula, and locates where they change. */
void tn_hybrid_watch(tn_system *s, tn_formula *formula, uint32_t source);
/* Entry of the memory that a name of a device means, with its unit; -1: none. */
int tn_hybrid_memory(const tn_system *s, uint32_t device, const char *name, const char **unit);

/* Compiles what a device holds (hold_compile.c). */
int tn_hold_compile(tn_system *s, tn_sampler *sampler);
/* Whether the device is in the mode in which it holds its port. */
bool tn_hold_wanted(const tn_sampler *sampler, const double *memory);
/* Sets memories and mode of one device to its starts, at the motion of e. */
void tn_sampler_restart(tn_eval *e, const tn_system *s, int sampler, double *memory);

/* At the motion of e: sets memories and modes to their starts, unless they are set; finds the branches of all kinks, unless
 * they are known. z: states of the system; those of FMUs are set, too. */
void tn_hybrid_start(tn_eval *e, const tn_system *s, double *memory, double *z);
/* Memories and modes take their starts at the next start. */
void tn_hybrid_begin_again(const tn_system *s, double *memory);
/* The state has moved from one time to another: the next samples are the first ones from there on, times in modes and the past of
 * signals go on. */
void tn_hybrid_move(tn_eval *e, const tn_system *s, double from, double to, double *memory);
/* Forgets the branches: they are found again at the next start. After numbers of the model have changed. */
void tn_hybrid_unsettle(const tn_system *s, double *memory);
bool tn_hybrid_settled(const tn_system *s, const double *memory);
/* Solves with free branches and remembers the branches. forced: kinks that get a given branch. */
void tn_hybrid_settle(tn_eval *e, const tn_system *s, double *memory, const int *forced, const double *branches, int count);
/* The time of the next sample of a device; INFINITY: it has none. */
double tn_sampler_time(tn_eval *e, const tn_system *s, int sampler, const double *memory);
/* The first part of a sample: memories get what others were. Devices that delay thereby give their outputs before any device of the
 * instant reads them, and read their inputs after all others in tn_sampler_take, also in a loop. */
void tn_sampler_begin(const tn_system *s, int sampler, double *memory);
/* Takes the sample of a device, which has begun, at the motion of e. z: states of the system, which an FMU may change. */
void tn_sampler_take(tn_eval *e, const tn_system *s, int sampler, double *memory, double *z);
/* Value of a switch; it switches where it is positive. -1 while its device is in another mode. */
double tn_switch_value(tn_eval *e, const tn_system *s, int sampler, int index, const double *memory);
/* Enters the mode that a switch leads to. */
void tn_switch_take(tn_eval *e, const tn_system *s, int sampler, int index, double *memory, double *z);
/* Violations of all kinks at the motion of e, with their branches; and the branches that they should have. noise: what counts
 * as round-off of each. Any may be NULL. */
void tn_kinks_evaluate(tn_eval *e, const tn_system *s, const double *memory, double *violations, double *noise,
                       double *branches);
/* The same of one formula with kinks; its first kink is at first. */
double tn_kink_violation(tn_eval *e, const tn_system *s, const double *memory, int kink);
/* The entry of the memory with the branch of a kink; the entity that has it. */
int tn_kink_entry(const tn_system *s, int kink);
const tn_entity *tn_kink_entity(const tn_system *s, int kink);
/* Copies memories, modes and sample numbers of devices that both systems have. */
void tn_hybrid_carry(const tn_system *from, const double *old, const tn_system *to, double *memory);

#endif
