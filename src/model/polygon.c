/* Convex polygons: check, area, centre and second moments. */
#include "polygon.h"

#include "elementary.h"
#include "vec.h"

static const double pi = 3.14159265358979323846;

static const double *corner(const tn_shape_def *polygon, size_t index)
{
    return &polygon->vertices[3 * (index % polygon->vertex_count)];
}

/* The turn at a corner, positive to the left; NaN where two corners coincide. */
static double turn_at(const tn_shape_def *polygon, size_t index)
{
    const double *a = corner(polygon, index), *b = corner(polygon, index + 1), *c = corner(polygon, index + 2);
    double u[2] = { b[0] - a[0], b[1] - a[1] }, v[2] = { c[0] - b[0], c[1] - b[1] };
    if (tn_hypot(u[0], u[1]) == 0 || tn_hypot(v[0], v[1]) == 0)
        return NAN;
    return tn_atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]);
}

bool tn_polygon_check_corners(tn_check *check, size_t number, const tn_shape_def *polygon)
{
    char role[60];
    if (polygon->vertex_count < 3) {
        tn_complain(check, "shape %zu: a polygon needs three corners or more, not %zu", number, polygon->vertex_count);
        return false;
    }
    snprintf(role, sizeof role, "shape %zu: every corner of the polygon", number);
    return tn_check_finite(check, role, polygon->vertices, 3 * polygon->vertex_count);
}

bool tn_polygon_check(tn_check *check, size_t number, const tn_shape_def *polygon)
{
    const double straight = 1e-9;      /* rad: corners that turn less are no corners */
    if (!tn_polygon_check_corners(check, number, polygon))
        return false;
    double total = 0, side = turn_at(polygon, 0) > 0 ? 1 : -1;
    for (size_t i = 0; i < polygon->vertex_count; i++) {
        double turn = side * turn_at(polygon, i);
        if (!(turn > straight)) {
            tn_complain(check, "shape %zu: the polygon is not convex at corner %zu: split it into convex shapes",
                        number, (i + 1) % polygon->vertex_count + 1);
            return false;
        }
        total += turn;
    }
    if (total > 3 * pi) {
        tn_complain(check, "shape %zu: the polygon goes round more than once", number);
        return false;
    }
    return true;
}

/* Sums over the triangles between corner 0 and the sides (coordinates from corner 0, which keeps precision):
 *     area A = sum cross / 2,  centre = sum cross (a + b) / 6 / A,  second moments = sum cross (aa + ab + bb) / 12. */
void tn_polygon_moments(tn_moments *out, const tn_shape_def *polygon)
{
    const double *origin = corner(polygon, 0);
    double area = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0, depth = polygon->size[0];
    for (size_t i = 1; i + 1 < polygon->vertex_count; i++) {
        double a[2], b[2];
        for (int k = 0; k < 2; k++) {
            a[k] = corner(polygon, i)[k] - origin[k];
            b[k] = corner(polygon, i + 1)[k] - origin[k];
        }
        double cross = a[0] * b[1] - a[1] * b[0];
        area += cross / 2;
        x += cross * (a[0] + b[0]) / 6;
        y += cross * (a[1] + b[1]) / 6;
        xx += cross * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) / 12;
        yy += cross * (a[1] * a[1] + a[1] * b[1] + b[1] * b[1]) / 12;
        xy += cross * (2 * a[0] * a[1] + a[0] * b[1] + a[1] * b[0] + 2 * b[0] * b[1]) / 24;
    }
    x /= area;
    y /= area;
    xx = xx / area - x * x;
    yy = yy / area - y * y;
    xy = xy / area - x * y;
    double along = depth * depth / 12;
    *out = (tn_moments){ fabs(area) * depth, { origin[0] + x, origin[1] + y, 0 },
                         { yy + along, xx + along, xx + yy, -xy, 0, 0 } };
}
