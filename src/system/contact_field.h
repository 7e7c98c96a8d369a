/* Forces between shapes that give way (compliant contacts), as a system sees them: a field of forces that depends on the
 * motion of pairs of bodies. The layer that knows shapes makes the field; workspaces of the system evaluate it beside the
 * forces of the model. */
#ifndef TN_SYSTEM_CONTACT_FIELD_H
#define TN_SYSTEM_CONTACT_FIELD_H

typedef struct tn_system tn_system;
typedef struct tn_eval tn_eval;
typedef struct tn_derivatives tn_derivatives;
typedef struct tn_contact_field tn_contact_field;

struct tn_contact_field {
    void (*destroy)(tn_contact_field *field);
    /* Adds the forces at the motion in e to f (over all velocities; NULL: none), their potential (J), and the power (W)
     * that they dissipate. A negative code: out of memory. */
    int (*add)(tn_contact_field *field, const tn_eval *e, const tn_system *s, double *f, double *potential, double *loss);
    /* Pairs of bodies that may touch, -1: ground; a pair has two different bodies. */
    int (*pairs)[2];
    int pair_count;
    /* Derivatives at the motion in e, as a block of each pair: square over the velocities of its first, then of its second
     * body. The blocks follow each other and are zero on entry. */
    int (*differentiate)(tn_contact_field *field, const tn_eval *e, const tn_system *s, double *position, double *velocity);
};

/* Number of velocities of a body of a pair; 0: ground. */
int tn_field_width(const tn_system *s, int body);
/* Number of entries of the field's derivatives; 0: the system has no field. */
int tn_field_entries(const tn_system *s);
/* Writes rows and columns of the entries, from d->count on. */
void tn_field_pattern(tn_derivatives *d, const tn_system *s);
/* Writes the derivatives, from the entry `at` on. */
void tn_field_derivatives(tn_derivatives *d, const tn_eval *e, const tn_system *s, int at);
/* Adds the forces of the field to e->f; does nothing without a field. */
void tn_eval_field(tn_eval *e, const tn_system *s);

#endif
