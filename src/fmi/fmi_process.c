/* The process of an FMU (remote.h), and the board with its questions and answers. A call that does not come back, and a process that
 * ends, become messages. */
#include "fmi_guest.h"

#include <stdio.h>
#include <string.h>

static size_t value_count(const tn_fmi *fmi)
{
    const tn_fmi_facts *f = &fmi->facts;
    const size_t unknowns = (size_t)(f->outputs + f->states), knowns = (size_t)(f->inputs + f->states);
    return (size_t)(2 * f->inputs + 2 * f->states + f->outputs + f->indicators) + unknowns * knowns;
}

tn_fmi_arrays tn_fmi_arrays_of(const tn_fmi *fmi, tn_fmi_board *board)
{
    const tn_fmi_facts *f = &fmi->facts;
    tn_fmi_arrays a = { .u = (double *)(void *)(board + 1) };
    a.u_rates = a.u + f->inputs;
    a.x = a.u_rates + f->inputs;
    a.rates = a.x + f->states;
    a.y = a.rates + f->states;
    a.indicators = a.y + f->outputs;
    a.D = a.indicators + f->indicators;
    return a;
}

static int start_process(tn_fmi *fmi, char *trouble)
{
    tn_guest guest = { .fmi = fmi };                   /* the process has a copy of it */
    TN_TRY(tn_fmi_package_unpack(fmi, trouble));
    const size_t room = sizeof(tn_fmi_board) + value_count(fmi) * sizeof(double);
    const int code = tn_remote_start(&fmi->remote, room, tn_guest_serve, &guest);
    if (code < 0) {
        snprintf(trouble, TN_FMI_TROUBLE, "%s for '%.100s'", code == TN_ERROR_MEMORY ? "no memory for a process" : "no process can be started", fmi->path);
        return TN_ERROR_STEP;
    }
    fmi->board = tn_remote_room(&fmi->remote);
    fmi->at = tn_fmi_arrays_of(fmi, fmi->board);
    snprintf(fmi->board->function, sizeof fmi->board->function, "loading");
    return TN_OK;
}

/* Nothing in the process is left. */
static void end_process(tn_fmi *fmi)
{
    memset(fmi->live, 0, sizeof fmi->live);
    for (size_t k = 0; k < fmi->snapshot_count; k++)
        fmi->snapshots[k].slot = -1;
    fmi->slots_used = 0;
    fmi->board = NULL;
    tn_remote_stop(&fmi->remote);
}

/* Returns what the process answers, or TN_ERROR_STEP with the reason: no answer in time, or the process has ended. */
static int call_process(tn_fmi *fmi, tn_fmi_call call, double limit, char *trouble)
{
    const int code = tn_remote_call(&fmi->remote, (int)call, fmi->board->function, limit);
    if (tn_remote_runs(&fmi->remote))
        return code;
    snprintf(trouble, TN_FMI_TROUBLE, "%s", fmi->remote.trouble);
    memcpy(fmi->dead, trouble, sizeof fmi->dead);
    end_process(fmi);
    return TN_ERROR_STEP;
}

int tn_fmi_ask(tn_fmi *fmi, tn_fmi_call call, char *trouble)
{
    if (!fmi->board)
        return TN_ERROR_STEP;
    fmi->board->code = TN_OK;
    fmi->board->lost = false;
    fmi->board->message[0] = '\0';
    const int code = call_process(fmi, call, fmi->limit, trouble);
    if (!fmi->board)
        return code;
    if (fmi->board->lost)
        fmi->live[fmi->board->instance] = (tn_fmi_live){ 0 };
    if (code < 0)
        snprintf(trouble, TN_FMI_TROUBLE, "%.*s", (int)sizeof fmi->board->message - 1, fmi->board->message);
    return code;
}

int tn_fmi_process_begin(tn_fmi *fmi, char *trouble)
{
    if (fmi->dead[0]) {
        snprintf(trouble, TN_FMI_TROUBLE, "%s", fmi->dead);
        return TN_ERROR_STEP;
    }
    return fmi->board ? TN_OK : start_process(fmi, trouble);
}

void tn_fmi_process_end(tn_fmi *fmi)
{
    static const double patience = 2;                  /* s: for an FMU that is told to end */
    char trouble[TN_FMI_TROUBLE];
    if (!fmi->board)
        return;
    call_process(fmi, TN_FMI_END, patience < fmi->limit ? patience : fmi->limit, trouble);
    if (fmi->board)
        end_process(fmi);
}
