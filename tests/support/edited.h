/* Sessions that are edited. */
#ifndef TEST_EDITED_H
#define TEST_EDITED_H

#include "mechanisms.h"

static inline machine start(const char *text)
{
    machine m = machine_text(text);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

static inline tn_ack must_apply(const machine *m, const char *command)
{
    tn_ack ack;
    machine_must(m, tn_session_apply(&ack, m->session, command));
    return ack;
}

#endif
