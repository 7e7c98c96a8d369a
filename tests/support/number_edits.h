/* Edits that set numbers, in place and by a recompile. */
#ifndef TEST_NUMBER_EDITS_H
#define TEST_NUMBER_EDITS_H

#include "live_runs.h"

/* Two keys in a command make it an edit like any other: the same numbers, by the other way. */
static inline void apply(const machine *m, const char *what, bool compiled)
{
    char command[300];
    tn_ack ack;
    snprintf(command, sizeof command, "{ %s%s }", what, compiled ? ", closing: refuse" : "");
    machine_must(m, tn_session_apply(&ack, m->session, command));
    assert_true(ack.changed);
}

#endif
