/* The spectrum of a session's step: the stability of its scheme at the present state. */
#include "diag.h"
#include "session_parts.h"
#include "stability.h"

int tn_session_spectrum(tn_spectrum **out, const tn_session *s)
{
    if (s->kinematics)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "a session that follows its drives takes no steps "
                       "of a scheme");
    return tn_stability(out, s->stepper);
}
