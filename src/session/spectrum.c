#include "session_impl.h"
#include "stability.h"

int tn_session_spectrum(tn_spectrum **out, const tn_session *s)
{
    return tn_stability(out, s->stepper);
}
