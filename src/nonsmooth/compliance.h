/* Contacts between shapes that give way: forces that follow from the depth of overlap. They are a field of forces of the
 * system (contact_field.h), no unilateral constraints. */
#ifndef TN_COMPLIANCE_H
#define TN_COMPLIANCE_H

#include "unilaterals.h"

/* Load of a compliant touch on body 2, world axes. */
typedef struct tn_compliant_load {
    double normal;             /* N */
    double friction[3];        /* N */
    double slip[3];            /* m/s, of body 2 against body 1, with the belt */
    double potential;          /* J */
    double loss;               /* W */
} tn_compliant_load;

/* Gives the system a field of its compliant contacts, in place of the one it had; nothing without such contacts. */
int tn_compliance_attach(tn_system *system);
/* Finds the compliant touches of a session with gaps below margin at the motion in stepper->eval; the list is valid until the
 * next call, and empty without compliant contacts. tn_compliance_load: load of one of them. */
int tn_compliance_touches(const tn_touch **list, size_t *count, tn_session *session, double margin);
/* Copies a list of touches for later; add: beside those that were kept before, and once each. */
int tn_compliance_keep(tn_session *session, const tn_touch *list, size_t count, bool add);
void tn_compliance_kept(const tn_session *session, const tn_touch **list, size_t *count);
double tn_compliance_length(const tn_session *session);        /* m: thickness of the slimmest shape */
tn_compliant_load tn_compliance_load(const tn_session *session, const tn_touch *touch);
/* Before a step: limits its length where shapes touch, so that its stages see them. */
int tn_compliance_limit_step(tn_session *session);
/* After a step: finds the first time in the step at which a compliant touch begins or ends; INFINITY: none does. A step that
 * ends there neither passes over a short touch nor integrates across the kink of its force. */
int tn_compliance_find(tn_session *session, double *t);

#endif
