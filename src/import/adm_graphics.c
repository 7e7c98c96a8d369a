/* Pictures of Adams datasets: boxes, cylinders and balls at markers. */
#include "adm_reader.h"

#include "entities.h"

#include <math.h>

void tn_adm_graphics(adm_reader *r, const adm_statement *s)
{
    bool box = tn_adm_has(s, "BOX"), cylinder = tn_adm_has(s, "CYLINDER"), ball = tn_adm_has(s, "ELLIPSOID");
    const char *key = box ? "CORNER" : "CM";
    const adm_marker *marker = (box || cylinder || ball) && tn_adm_get(s, key) ? tn_adm_marker(r, s, key) : NULL;
    if (!marker) {
        tn_machine_leave_out(r->machine, s->place, "GRAPHICS other than BOX, CYLINDER and ELLIPSOID");
        return;
    }
    double size[3];
    for (int k = 0; k < 3; k++) {
        static const char *const edges[3] = { "X", "Y", "Z" }, *const axes[3] = { "XSCALE", "YSCALE", "ZSCALE" };
        size[k] = r->length * tn_adm_number(r, s, box ? edges[k] : axes[k], 0);
    }
    double length = r->length * tn_adm_number(r, s, "LENGTH", 0), radius = r->length * tn_adm_number(r, s, "RADIUS", 0);
    tn_pose shift = tn_pose_identity();
    if (cylinder ? !(fabs(length) > 0 && radius > 0) : !(fabs(size[0]) > 0 && fabs(size[1]) > 0 && fabs(size[2]) > 0))
        return;
    tn_machine_shape *shape = tn_machine_add_shape(r->machine, marker->body, box ? TN_SHAPE_BOX : cylinder ? TN_SHAPE_CYLINDER
                                                   : TN_SHAPE_SPHERE);
    if (box) {
        for (int k = 0; k < 3; k++) {
            shift.p[k] = size[k] / 2;
            shape->size[k] = fabs(size[k]);
        }
    } else if (cylinder) {
        shift.p[2] = length / 2;
        shape->size[0] = radius;
        shape->size[1] = fabs(length);
    } else {
        shape->size[0] = fabs(size[0]) / 2;
    }
    shape->pose = tn_pose_compose(&marker->pose, &shift);
}
