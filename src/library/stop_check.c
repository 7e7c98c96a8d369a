/* Checks what a component says about joints inside that have limits. */
#include "stop_check.h"

#include <math.h>
#include <string.h>

int tn_stop_count(const tn_component *c)
{
    return TN_COMPONENT_HAS(c->type, stop_count) && TN_COMPONENT_HAS(c->type, stop) ? c->type->stop_count(c->self) : 0;
}

static bool ends(const char *text, size_t room)
{
    return text[0] != '\0' && memchr(text, '\0', room) != NULL;
}

static bool is_pose(const tn_pose *pose)
{
    double sum = 0, size = 0;
    for (int k = 0; k < 3; k++)
        sum += pose->p[k];
    for (int k = 0; k < 4; k++)
        size += pose->q[k] * pose->q[k];
    return isfinite(sum) && fabs(size - 1) < 1e-6;
}

static const char *coordinate_trouble(const tn_stop_coordinate *c)
{
    if (!ends(c->name, sizeof c->name) || !ends(c->unit, sizeof c->unit) || !ends(c->expression, sizeof c->expression))
        return "a coordinate with limits has no name, unit or expression";
    if (!isfinite(c->value))
        return "a coordinate with limits has no finite value";
    if (c->limited && (isnan(c->low) || isnan(c->high) || !(c->low < c->high)))
        return "a lower limit is not below the upper one";
    return NULL;
}

const char *tn_stop_trouble(const tn_component_stop *stop, int port_count)
{
    if (stop->port1 < -1 || stop->port1 >= port_count || stop->port2 < -1 || stop->port2 >= port_count ||
        stop->port1 == stop->port2)
        return "a joint with limits is between ports that do not exist";
    if (!is_pose(&stop->frame1) || !is_pose(&stop->frame2))
        return "a joint with limits has frames that are nowhere";
    if (stop->coordinate_count < 1 || stop->coordinate_count > TN_STOP_COORDINATES || stop->parameter_count < 0 ||
        stop->parameter_count > TN_JOINT_PARAMETERS)
        return "a joint with limits has an impossible number of coordinates or parameters";
    if (stop->way != 0 && (stop->ratchet < 0 || stop->ratchet >= stop->coordinate_count))
        return "a ratchet is along a coordinate that does not exist";
    for (int k = 0; k < stop->parameter_count; k++)
        if (!ends(stop->parameters[k].name, TN_STOP_NAME) || !isfinite(stop->parameters[k].value))
            return "a joint with limits has a parameter without name or value";
    const char *trouble = NULL;
    for (int k = 0; k < stop->coordinate_count && !trouble; k++)
        trouble = coordinate_trouble(&stop->coordinates[k]);
    return trouble;
}
