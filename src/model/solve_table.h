/* The settings of section `solve`, one row each. A row here and the field of tn_solve (tenon/model.h) give everything else:
 * default, check, key in model files and its schema, comparison, journal, what results record, and which settings a change
 * of the run depends on. Settings that schemes, integrators and solvers declare are not rows: tn_solve_setting. */
#ifndef TN_MODEL_SOLVE_TABLE_H
#define TN_MODEL_SOLVE_TABLE_H

#include "attributes.h"

typedef enum tn_solve_kind { TN_SOLVE_NUMBER, TN_SOLVE_NAME, TN_SOLVE_CHOICE } tn_solve_kind;

enum {
    TN_SOLVE_METHOD = 1,       /* the control of steps depends on it */
    TN_SOLVE_STEPPER = 2,      /* the stepper depends on it: a change makes a new one */
    TN_SOLVE_DRIVEN = 4,       /* means something where drives determine the motion */
    TN_SOLVE_RESULT = 8,       /* result files tell it */
    TN_SOLVE_LATER = 16,       /* journals of the first versions lack it: it then has its default */
    TN_SOLVE_OR_NAN = 32,      /* NaN is legal: the run chooses */
    TN_SOLVE_OR_INFINITE = 64  /* infinity is legal: no bound */
};

/* The words of choices; a word stands for its index. Each list ends in NULL. */
extern const char *const tn_assemble_words[], *const tn_impact_words[], *const tn_contact_words[],
    *const tn_overlap_words[], *const tn_trust_words[], *const tn_start_words[];

/* NUMBER(ID, field, unit, sign, default, flags, description), NAME(ID, field, default, flags, description),
 * CHOICE(ID, field, name, words, flags, description). The order is that of the normal form of model files. */
#define TN_SOLVE_TABLE(NUMBER, NAME, CHOICE) \
    NUMBER(UNTIL, until, "s", TN_POSITIVE, 10, TN_SOLVE_DRIVEN | TN_SOLVE_RESULT, "End of the run.") \
    NUMBER(STEP, step, "s", TN_POSITIVE, NAN, TN_SOLVE_METHOD | TN_SOLVE_STEPPER | TN_SOLVE_RESULT | TN_SOLVE_OR_NAN, \
           "Fixed step, or first step of an adaptive integrator.") \
    NAME(SCHEME, scheme, "projection", TN_SOLVE_METHOD | TN_SOLVE_STEPPER | TN_SOLVE_RESULT, "How constraints are kept.") \
    NAME(INTEGRATOR, integrator, "dopri5", TN_SOLVE_METHOD | TN_SOLVE_STEPPER | TN_SOLVE_RESULT, "How a step is taken.") \
    NAME(SOLVER, solver, "direct", TN_SOLVE_STEPPER | TN_SOLVE_RESULT, "How the equations of motion are solved.") \
    NUMBER(TOLERANCE, tolerance, "", TN_POSITIVE, 1e-8, TN_SOLVE_METHOD | TN_SOLVE_STEPPER | TN_SOLVE_RESULT, \
           "Relative local error of adaptive integrators.") \
    NUMBER(ABSOLUTE_TOLERANCE, absolute_tolerance, "", TN_POSITIVE, 1e-8, \
           TN_SOLVE_METHOD | TN_SOLVE_STEPPER | TN_SOLVE_RESULT, "Absolute local error, in m and rad (per second for rates).") \
    NUMBER(MAX_STEP, max_step, "s", TN_POSITIVE, INFINITY, \
           TN_SOLVE_METHOD | TN_SOLVE_STEPPER | TN_SOLVE_RESULT | TN_SOLVE_OR_INFINITE, \
           "Largest step of an adaptive integrator.") \
    NUMBER(RECORD, record, "s", TN_NOT_NEGATIVE, 0.01, TN_SOLVE_DRIVEN | TN_SOLVE_RESULT, \
           "Time between recorded samples; step, or 0: every step.") \
    CHOICE(ASSEMBLE, assemble, "assemble", tn_assemble_words, TN_SOLVE_DRIVEN, \
           "project (default): close gaps of the start; strict: a gap is an error; none: start as given.") \
    NUMBER(GAP_TOLERANCE, gap_tolerance, "", TN_POSITIVE, 1e-6, TN_SOLVE_DRIVEN, "What strict calls a gap, in m or rad.") \
    CHOICE(IMPACT, impact, "impact", tn_impact_words, TN_SOLVE_STEPPER | TN_SOLVE_DRIVEN, \
           "Simultaneous impacts: sequence (default), one after the other; newton or poisson, all at once.") \
    NUMBER(RESTING_SPEED, resting_speed, "", TN_POSITIVE, NAN, TN_SOLVE_STEPPER | TN_SOLVE_DRIVEN | TN_SOLVE_OR_NAN, \
           "Impacts slower than this, in m/s or rad/s, do not rebound.") \
    CHOICE(CONTACT, contact, "contact", tn_contact_words, TN_SOLVE_STEPPER | TN_SOLVE_DRIVEN | TN_SOLVE_LATER, \
           "Contacts: automatic (default), event-driven with time-stepping where changes crowd and in large heaps; " \
           "event-driven; time-stepping.") \
    NUMBER(CONTACT_STEP, contact_step, "s", TN_POSITIVE, NAN, \
           TN_SOLVE_STEPPER | TN_SOLVE_DRIVEN | TN_SOLVE_LATER | TN_SOLVE_OR_NAN, "Step of time-stepping.") \
    CHOICE(OVERLAPS, resolve_overlaps, "overlaps", tn_overlap_words, TN_SOLVE_STEPPER | TN_SOLVE_LATER, \
           "Shapes that overlap at the start: refuse (default) or resolve, by the least motion.") \
    CHOICE(START, start_steady, "start", tn_start_words, TN_SOLVE_LATER, \
           "given (default): start as given; steady: in the equilibrium that the search for rest finds from there.") \
    CHOICE(TRUST, trust, "trust", tn_trust_words, TN_SOLVE_DRIVEN | TN_SOLVE_LATER, \
           "What doubts about the result do: warn (default), off, or stop the run.") \
    NUMBER(TRUST_ENERGY, trust_energy, "", TN_POSITIVE, 0.05, TN_SOLVE_DRIVEN | TN_SOLVE_LATER, \
           "Largest error of the energy balance, over the energy in motion or exchanged.") \
    NUMBER(TRUST_DRIFT, trust_drift, "", TN_POSITIVE, 1e-3, TN_SOLVE_DRIVEN | TN_SOLVE_LATER, \
           "How far joints may be apart after a step, in m or rad.") \
    NUMBER(TRUST_FORCES, trust_forces, "", TN_POSITIVE, 1e-5, TN_SOLVE_DRIVEN | TN_SOLVE_LATER, \
           "Largest force that does not balance an acceleration, over the largest force.") \
    NUMBER(TRUST_STEP, trust_step, "", TN_POSITIVE, 0.02, TN_SOLVE_DRIVEN | TN_SOLVE_LATER, \
           "Largest difference of a fixed step and two half steps, over a step at full speed.")

/* Indices of the rows: TN_SOLVE_ROW_UNTIL, ... */
#define TN_SOLVE_INDEX_NUMBER(ID, field, unit, sign, initial, flags, doc) TN_SOLVE_ROW_##ID,
#define TN_SOLVE_INDEX_NAME(ID, field, initial, flags, doc) TN_SOLVE_ROW_##ID,
#define TN_SOLVE_INDEX_CHOICE(ID, field, name, words, flags, doc) TN_SOLVE_ROW_##ID,
enum { TN_SOLVE_TABLE(TN_SOLVE_INDEX_NUMBER, TN_SOLVE_INDEX_NAME, TN_SOLVE_INDEX_CHOICE) TN_SOLVE_ROWS };

typedef struct tn_solve_row {
    const char *name;
    tn_solve_kind kind;
    unsigned flags;
    tn_sign sign;              /* numbers */
    double initial;            /* numbers; choices begin with their first word */
    const char *text;          /* names: the default */
    const char *unit;          /* numbers */
    const char *const *words;  /* choices */
    size_t offset, size;       /* of the field in tn_solve */
} tn_solve_row;
extern const tn_solve_row tn_solve_rows[TN_SOLVE_ROWS];

/* The field of a row of that kind. */
double *tn_solve_number(const tn_solve_row *row, tn_solve *solve);
const char **tn_solve_name(const tn_solve_row *row, tn_solve *solve);
int tn_solve_choice(const tn_solve_row *row, const tn_solve *solve);
void tn_solve_set_choice(const tn_solve_row *row, tn_solve *solve, int choice);
void tn_solve_copy(const tn_solve_row *row, tn_solve *to, const tn_solve *from);
/* The rows that have one of the flags say the same; NaN is equal to NaN. */
bool tn_solve_agrees(const tn_solve *a, const tn_solve *b, unsigned flags);
/* The settings of schemes, integrators and solvers are the same, in the same order. */
bool tn_solve_settings_agree(const tn_solve *a, const tn_solve *b);

#endif
