/* Requests to a component in a process of its own, or at a server, and its answers. */
#include "isolated_calls.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "link.h"

/* s: from this delay of a link on, computing the rates for all forces at the server costs less than a second request. */
static const double SLOW = 3e-4;

bool tn_isolated_is_link(const tn_isolated *c)
{
    return c->library->address.host[0] != '\0';
}

int tn_isolated_send(tn_isolated *c, int request, const char *name, double limit)
{
    c->x->spoke = false;
    c->remote.length = offsetof(tn_isolated_exchange, numbers) + c->x->used;
    return tn_remote_send(&c->remote, request, name, limit);
}

/* The answer to what was sent; what the component said, or how it ended, is reported to the host. ran: before it was sent. */
static int receive(tn_isolated *c, const char *name, double limit, bool ran)
{
    int code = tn_remote_receive(&c->remote, name, limit);
    if (tn_remote_runs(&c->remote)) {
        tn_isolated_mend_exchange(c->x);
        const tn_severity severity = c->x->severity;   /* the other side may have written any number */
        c->x->said[sizeof c->x->said - 1] = '\0';
        if (c->x->spoke)
            c->host->report(c->host->user, severity == TN_NOTE || severity == TN_WARNING ? severity : TN_ERROR, c->x->said);
        return code > 0 ? TN_ERROR_ARGUMENT : code;
    }
    char why[TN_REMOTE_TEXT + 80];
    snprintf(why, sizeof why, "%s%s", c->remote.trouble,
             !ran ? ", earlier" : tn_isolated_is_link(c) ? "; the run can go on when the server is back" : "; its process has ended");
    c->host->report(c->host->user, TN_ERROR, why);
    return TN_ERROR_ARGUMENT;
}

int tn_isolated_call(tn_isolated *c, int request, const char *name, double limit)
{
    bool ran = tn_remote_runs(&c->remote);
    tn_isolated_send(c, request, name, limit);                     /* receive tells what is wrong */
    return receive(c, name, limit, ran);
}

void tn_isolated_settle(tn_isolated *c)
{
    if (c->under_way)
        tn_remote_receive(&c->remote, "a question", TN_ISOLATED_LIMIT);
    c->under_way = false;
}

int tn_isolated_finish(tn_isolated *c, const char *name)
{
    c->under_way = false;
    return receive(c, name, TN_ISOLATED_LIMIT, true);
}

void tn_isolated_prepare(tn_isolated *c, int request, size_t count, bool foresee)
{
    tn_isolated_exchange *x = c->x;
    tn_foresight *ahead = &c->ahead;
    size_t columns = (size_t)c->library->columns;
    x->pending = -1;
    x->foresee = foresee;
    x->foresee_root = ahead->root;
    x->foresee_rates = foresee && c->remote.link && !ahead->bent && tn_link_delay(c->remote.link) > SLOW;
    if (x->foresee_rates) {
        memcpy(ahead->around, ahead->taken, columns * sizeof(double));
        memcpy(x->numbers + count, ahead->around, columns * sizeof(double));
    }
    count += x->foresee_rates ? columns : 0;
    if (ahead->pending) {
        x->pending = (int)count;
        memcpy(x->numbers + count, ahead->taken, columns * sizeof(double));
        count += columns;
    }
    x->used = count * sizeof(double);
    ahead->pending = false;
    if (foresee || request == TN_ISOLATED_PLACE)
        tn_foresight_forget(ahead);
}

bool tn_isolated_is_begun(const tn_isolated *c, int request, const tn_component_request *r)
{
    const tn_component_request *a = &c->asked_request;
    return c->under_way && c->asked == request && a->question == r->question && a->rule == r->rule && !a->tau == !r->tau &&
           (!r->tau || memcmp(a->tau, r->tau, (size_t)c->library->columns * sizeof(double)) == 0);
}

int tn_isolated_ask(tn_isolated *c, int request, const char *name, size_t count, bool foresee)
{
    tn_isolated_prepare(c, request, count, foresee);
    return tn_isolated_call(c, request, name, TN_ISOLATED_LIMIT);
}

void tn_isolated_give_tau(tn_isolated *c, const double *tau)
{
    c->x->has_tau = tau != NULL;
    if (tau)
        memcpy(c->x->numbers, tau, (size_t)c->library->columns * sizeof *tau);
}
