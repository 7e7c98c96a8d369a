/* Components that only respond: D tau is the difference of two answers, with tau and without. Both are
 * corrections of velocities: D is the same in all questions, and without forces these corrections are nearly zero, so
 * the difference loses no digits, however small tau is. */
#include "coupling_impl.h"

#include <math.h>

/* tau'D tau below minus this part of its scale is negative by more than round-off. */
static const double INDEFINITE = 1e-7;

static int respond_to_forces(tn_eval *e, const tn_system *s, tn_coupled *component, const double *tau, double *answer)
{
    double sum = 0;
    TN_TRY(tn_coupled_passed(e, s, component,
                             component->type->respond(component->self, TN_ASK_VELOCITIES, tau, answer), "respond"));
    for (int j = 0; j < component->of->columns; j++)
        sum += answer[j] * 0;
    return sum == 0 ? TN_OK : tn_coupled_note(e, s, component, TN_ERROR_STEP, "its response is not finite");
}

int tn_coupled_begin_answers(tn_eval *e, const tn_system *s, tn_coupled *component)
{
    return respond_to_forces(e, s, component, NULL, component->rest);
}

int tn_coupled_answer(tn_eval *e, const tn_system *s, tn_coupled *component, const double *tau, double *answer)
{
    double along = 0, scale = 0;
    TN_TRY(respond_to_forces(e, s, component, tau, answer));
    for (int j = 0; j < component->of->columns; j++) {
        answer[j] -= component->rest[j];
        along += tau[j] * answer[j];
        scale += tau[j] * tau[j] * component->mobility[j];
    }
    if (along < -INDEFINITE * scale)
        return tn_coupled_end_run(e, s, component, TN_ERROR_MODEL, "its response to forces on its ports is indefinite");
    return TN_OK;
}

/* Mean of the diagonal entries of D of one kind, translations or rotations: of one port, or of all (port < 0). */
static double mean_entry(const tn_coupled *component, int port, bool turns)
{
    const int n = component->of->columns, w = component->of->width;
    double sum = 0;
    int count = 0;
    for (int j = 0; j < n; j++)
        if ((port < 0 || j / w == port) && component->of->turns[j] == turns) {
            sum += component->response.D[j + j * n];
            count++;
        }
    return sum / count;
}

/* Traces do not depend on the orientation of ports. Ports that cannot move by themselves get the mean of all ports. */
void tn_coupled_estimate(tn_coupled *component)
{
    for (int j = 0; j < component->of->columns; j++) {
        const bool turns = component->of->turns[j];
        double own = mean_entry(component, j / component->of->width, turns), all = mean_entry(component, -1, turns);
        component->mobility[j] = own > 0 && isfinite(own) ? own : all > 0 && isfinite(all) ? all : 1;
    }
}
