/* Connects the overlay of a session (its pull and its closings) with the system and the workspace. */
#include "session_impl.h"

void tn_overlay_bind(tn_session *s)
{
    s->stepper->eval->pull = s->overlay.pull.active ? &s->overlay.pull.load : NULL;
    tn_system_set_closings(s->system, &s->overlay.closings);
}
