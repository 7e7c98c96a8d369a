/* A program outside the source tree: reads a pendulum, lets it swing, and fails when that does not work. */
#include <math.h>
#include <string.h>
#include <tenon/tenon.h>

static const char pendulum[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  bob: { mass: 1 kg, inertia: 0.1 kg m^2, position: [1, 0] }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, bob], at: [0, 0] }\n"
    "solve: { until: 1 s, step: 1 ms }\n";

static int swing(tn_context *context, double *angle)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = tn_model_read_text(&model, context, pendulum, strlen(pendulum), "pendulum", ".");
    if (code >= 0)
        code = tn_session_open(&session, model, NULL);
    if (code >= 0)
        code = tn_session_advance(session, 0.5);
    if (code >= 0)
        code = tn_session_value(angle, session, "pivot.angle");
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

int main(void)
{
    tn_context *context = tn_context_create(NULL);
    double angle = 0;
    int code = swing(context, &angle);
    tn_diagnostics_print(context, stderr);
    tn_context_destroy(context);
    printf("tenon %s: the pendulum is at %.6f rad after 0.5 s\n", tn_version(), angle);
    return code >= 0 && fabs(angle) > 0.1 ? 0 : 1;
}
