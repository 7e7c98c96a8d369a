/* Shapes of bodies: checks, copies, and mass properties. */
#include "polygon.h"
#include "tables.h"
#include "vec.h"

static const double pi = 3.14159265358979323846;

tn_shape_def tn_shape_default(tn_shape_kind kind)
{
    return (tn_shape_def){
        .kind = kind,
        .pose = tn_pose_identity(),
        .size = { NAN, NAN, NAN },
        .density = NAN,
        .mass = NAN,
        .colour = TN_NO_COLOUR,
    };
}

/* Which entries of size a kind of shape has. */
typedef struct shape_info {
    const char *name;
    struct { const char *name; bool may_be_zero; } sizes[3];
} shape_info;

static const shape_info shape_infos[] = {
    [TN_SHAPE_BOX] = { "box", { { "size x", false }, { "size y", false }, { "size z", false } } },
    [TN_SHAPE_CYLINDER] = { "cylinder", { { "radius", false }, { "length", false } } },
    [TN_SHAPE_SPHERE] = { "sphere", { { "radius", false } } },
    [TN_SHAPE_ROD] = { "rod", { { "radius", true }, { "length", false } } },
    [TN_SHAPE_CAPSULE] = { "capsule", { { "radius", false }, { "length", true } } },
    [TN_SHAPE_MESH] = { "mesh", { { NULL, false } } },
    [TN_SHAPE_POLYGON] = { "polygon", { { "thickness", false } } },
    [TN_SHAPE_HALF_SPACE] = { "half-space", { { NULL, false } } },
    [TN_SHAPE_CONE] = { "cone", { { "radius", false }, { "length", false } } },
    [TN_SHAPE_TORUS] = { "torus", { { "radius", false }, { "tube", false } } },
    [TN_SHAPE_ELLIPSOID] = { "ellipsoid", { { "half axis x", false }, { "half axis y", false }, { "half axis z", false } } },
    [TN_SHAPE_TUBE] = { "tube", { { "radius", false }, { "length", false }, { "inner", false } } },
    [TN_SHAPE_BOWL] = { "bowl", { { "radius", false }, { "depth", false } } },
    [TN_SHAPE_NONE] = { "look", { { NULL, false } } },
};

static bool has_mass(const tn_shape_def *shape)
{
    return !isnan(shape->density) || !isnan(shape->mass);
}

static void check_sizes(tn_check *check, size_t number, const tn_shape_def *shape)
{
    const shape_info *info = &shape_infos[shape->kind];
    for (size_t k = 0; k < 3 && info->sizes[k].name; k++) {
        double size = shape->size[k];
        bool zero_ok = info->sizes[k].may_be_zero;
        if (isnan(size))
            tn_complain(check, "shape %zu: %s of the %s is missing", number, info->sizes[k].name, info->name);
        else if (!isfinite(size) || size < 0 || (size == 0 && !zero_ok))
            tn_complain(check, "shape %zu: %s %g m of the %s must be %s", number, info->sizes[k].name, size, info->name,
                        zero_ok ? "zero or positive" : "positive");
    }
}

static void check_quantity(tn_check *check, size_t number, const tn_shape_def *shape)
{
    if (shape->material && strlen(shape->material) >= TN_MATERIAL_SIZE)
        tn_complain(check, "shape %zu: the name of the material '%.40s...' has more than %d letters", number, shape->material,
                    TN_MATERIAL_SIZE - 1);
    if (!isnan(shape->density) && !isnan(shape->mass))
        tn_complain(check, "shape %zu: density and mass are both given: leave one out", number);
    if (!isnan(shape->density) && !(shape->density > 0 && isfinite(shape->density)))
        tn_complain(check, "shape %zu: density %g kg/m^3 must be positive", number, shape->density);
    if (!isnan(shape->mass) && !(shape->mass > 0 && isfinite(shape->mass)))
        tn_complain(check, "shape %zu: mass %g kg must be positive", number, shape->mass);
    if (has_mass(shape) && shape->kind == TN_SHAPE_HALF_SPACE)
        tn_complain(check, "shape %zu: a half-space has no end, and so no mass or density", number);
    if (has_mass(shape) && shape->kind == TN_SHAPE_BOWL)
        tn_complain(check, "shape %zu: a bowl is a surface without mass or density: give mass and inertia of the body", number);
    if (shape->kind == TN_SHAPE_BOWL && shape->size[1] > 2 * shape->size[0])
        tn_complain(check, "shape %zu: depth %g m of the bowl must not be larger than its diameter, %g m", number,
                    shape->size[1], 2 * shape->size[0]);
    if (shape->kind == TN_SHAPE_TORUS && shape->size[1] >= shape->size[0])
        tn_complain(check, "shape %zu: tube %g m of the torus must be smaller than its radius, %g m", number, shape->size[1],
                    shape->size[0]);
    if (shape->kind == TN_SHAPE_TUBE && shape->size[2] >= shape->size[0])
        tn_complain(check, "shape %zu: inner radius %g m of the tube must be smaller than its radius, %g m", number,
                    shape->size[2], shape->size[0]);
    if (!isnan(shape->density) && shape->kind == TN_SHAPE_ROD && shape->size[0] == 0)
        tn_complain(check, "shape %zu: a slender rod (radius 0) has no volume: give its mass instead of a density",
                    number);
}

/* Kind, pose and sizes; the pose is brought to unit length. */
static bool check_solid(tn_check *check, size_t number, const tn_shape_def *shape, tn_pose *pose)
{
    if ((size_t)shape->kind >= TN_LENGTH(shape_infos)) {
        tn_complain(check, "shape %zu: there is no kind %d of shape", number, (int)shape->kind);
        return false;
    }
    char role[40];
    snprintf(role, sizeof role, "shape %zu", number);
    *pose = shape->pose;
    tn_check_pose(check, role, pose, 3);
    check_sizes(check, number, shape);
    check_quantity(check, number, shape);
    return true;
}

static void check_shape(tn_check *check, size_t number, const tn_shape_def *shape, tn_pose *pose)
{
    if (!check_solid(check, number, shape, pose))
        return;
    if (shape->kind == TN_SHAPE_NONE)
        tn_complain(check, "shape %zu: only a look may be without a shape", number);
    if (shape->kind == TN_SHAPE_MESH && tn_mesh_check(check, number, shape))
        tn_mesh_check_touch(check, number, shape);
    else if (shape->kind == TN_SHAPE_POLYGON)
        tn_polygon_check(check, number, shape);
}

static void check_look(tn_check *check, size_t number, const tn_shape_def *look)
{
    tn_pose pose;
    if (!check_solid(check, number, look, &pose))
        return;
    if (has_mass(look) || look->touch != TN_TOUCH_NOTHING || look->material)
        tn_complain(check, "shape %zu: a look has no mass, density, touch or material of contacts", number);
    if (look->finish && !tn_finish_find(look->finish))
        tn_complain(check, "shape %zu: there is no finish '%.40s'", number, look->finish);
    if (look->colour < TN_NO_COLOUR || look->colour > 0xffffff)
        tn_complain(check, "shape %zu: the colour must be 0xrrggbb", number);
    if (look->kind == TN_SHAPE_MESH)
        tn_mesh_check(check, number, look);
    else if (look->kind == TN_SHAPE_POLYGON)
        tn_polygon_check_corners(check, number, look);
}

int tn_looks_check(tn_context *context, tn_span span, const char *body_name, const tn_shape_def *looks, size_t count)
{
    tn_check check = { .context = context, .span = span, .what = "look of body", .name = body_name };
    for (size_t i = 0; i < count; i++)
        check_look(&check, i + 1, &looks[i]);
    return check.code;
}

static void round_moments(tn_moments *out, double volume, double across, double along)
{
    *out = (tn_moments){ volume, { 0, 0, 0 }, { across, across, along, 0, 0, 0 } };
}

/* A cylinder between two half spheres, weighted by volume. */
static void capsule_moments(tn_moments *out, double r, double l)
{
    double cylinder = pi * r * r * l, ball = 4.0 / 3 * pi * r * r * r, volume = cylinder + ball;
    double c = cylinder / volume, b = ball / volume;
    round_moments(out, volume, c * (r * r / 4 + l * l / 12) + b * (2 * r * r / 5 + l * l / 4 + 3 * l * r / 8),
                  c * r * r / 2 + b * 2 * r * r / 5);
}

static bool shape_moments(tn_check *check, size_t number, const tn_shape_def *shape, tn_moments *out)
{
    double a = shape->size[0], b = shape->size[1], c = shape->size[2];
    switch (shape->kind) {
    case TN_SHAPE_BOX:
        *out = (tn_moments){ a * b * c, { 0, 0, 0 },
                             { (b * b + c * c) / 12, (c * c + a * a) / 12, (a * a + b * b) / 12, 0, 0, 0 } };
        return true;
    case TN_SHAPE_CYLINDER:
    case TN_SHAPE_ROD:
        round_moments(out, pi * a * a * b, a * a / 4 + b * b / 12, a * a / 2);
        return true;
    case TN_SHAPE_SPHERE:
        round_moments(out, 4.0 / 3 * pi * a * a * a, 2 * a * a / 5, 2 * a * a / 5);
        return true;
    case TN_SHAPE_CAPSULE:
        capsule_moments(out, a, b);
        return true;
    case TN_SHAPE_MESH:
        return tn_mesh_moments(check, number, shape, out);
    case TN_SHAPE_POLYGON:
        tn_polygon_moments(out, shape);
        return true;
    case TN_SHAPE_CONE:
        round_moments(out, pi * a * a * b / 3, 3.0 / 80 * (4 * a * a + b * b), 0.3 * a * a);
        out->com[2] = -b / 4;
        return true;
    case TN_SHAPE_TORUS:
        round_moments(out, 2 * pi * pi * a * b * b, a * a / 2 + 5.0 / 8 * b * b, a * a + 3.0 / 4 * b * b);
        return true;
    case TN_SHAPE_ELLIPSOID:
        *out = (tn_moments){ 4.0 / 3 * pi * a * b * c, { 0, 0, 0 },
                             { (b * b + c * c) / 5, (c * c + a * a) / 5, (a * a + b * b) / 5, 0, 0, 0 } };
        return true;
    case TN_SHAPE_TUBE:
        round_moments(out, pi * (a * a - c * c) * b, (3 * (a * a + c * c) + b * b) / 12, (a * a + c * c) / 2);
        return true;
    case TN_SHAPE_HALF_SPACE:
    case TN_SHAPE_BOWL:
    case TN_SHAPE_NONE:
        break;
    }
    return false;
}

/* r = R J R' */
static void rotate_tensor(double r[6], const double R[3][3], const double J[6])
{
    const double A[3][3] = { { J[0], J[3], J[4] }, { J[3], J[1], J[5] }, { J[4], J[5], J[2] } };
    static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int k = 0; k < 6; k++) {
        double Aj[3];
        tn_mul33(Aj, A, R[column[k]]);
        r[k] = tn_dot3(R[row[k]], Aj);
    }
}

/* Joins a part to what is there already, with the reduced mass of the two:
 *     I = I1 + I2 + m1 m2 / (m1 + m2) (d . d 1 - d d'),   d between the centres of mass. */
static void add_part(double *mass, double com[3], double inertia[6], double m, const double c[3], const double J[6])
{
    double total = *mass + m, reduced = *mass * m / total, d[3];
    tn_sub3(d, c, com);
    double dd = tn_dot3(d, d);
    for (int k = 0; k < 6; k++)
        inertia[k] += J[k];
    for (int k = 0; k < 3; k++)
        inertia[k] += reduced * (dd - d[k] * d[k]);
    inertia[3] -= reduced * d[0] * d[1];
    inertia[4] -= reduced * d[0] * d[2];
    inertia[5] -= reduced * d[1] * d[2];
    tn_axpy3(com, m / total, d);
    *mass = total;
}

static void add_shape(double *mass, double com[3], double inertia[6], const tn_shape_def *shape, const tn_pose *pose,
                      const tn_moments *moments)
{
    double m = isnan(shape->mass) ? shape->density * moments->volume : shape->mass;
    double R[3][3], c[3], J[6];
    tn_quat_matrix(R, pose->q);
    tn_mul33(c, (const double (*)[3])R, moments->com);
    tn_add3(c, c, pose->p);
    rotate_tensor(J, (const double (*)[3])R, moments->inertia);
    for (int k = 0; k < 6; k++)
        J[k] *= m;
    add_part(mass, com, inertia, m, c, J);
}

int tn_shapes_mass(tn_context *context, tn_span span, const char *body_name, const tn_shape_def *shapes, size_t count,
                   double *mass, double com[3], double inertia[6])
{
    tn_check all = { .context = context, .span = span, .what = "body", .name = body_name };
    *mass = 0;
    tn_zero3(com);
    memset(inertia, 0, 6 * sizeof *inertia);
    for (size_t i = 0; i < count; i++) {
        const tn_shape_def *shape = &shapes[i];
        tn_check one = all;
        one.code = TN_OK;
        tn_pose pose;
        tn_moments moments;
        check_shape(&one, i + 1, shape, &pose);
        if (one.code == TN_OK && has_mass(shape) && shape_moments(&one, i + 1, shape, &moments))
            add_shape(mass, com, inertia, shape, &pose, &moments);
        tn_check_note(&all, one.code);
    }
    return all.code;
}

/* Gives a shape copies of its arrays. */
static int own_arrays(tn_context *context, tn_shape *shape, const double *vertices, const int *triangles)
{
    bool mesh = shape->kind == TN_SHAPE_MESH;
    shape->vertices = NULL;
    shape->triangles = NULL;
    if (!mesh)
        shape->triangle_count = 0;
    if (!mesh && shape->kind != TN_SHAPE_POLYGON) {
        shape->vertex_count = 0;
        return TN_OK;
    }
    shape->vertices = tn_alloc(context, 3 * shape->vertex_count, sizeof *vertices);
    shape->triangles = mesh ? tn_alloc(context, 3 * shape->triangle_count, sizeof *triangles) : NULL;
    if (!shape->vertices || (mesh && !shape->triangles))
        return TN_ERROR_MEMORY;
    memcpy(shape->vertices, vertices, 3 * shape->vertex_count * sizeof *vertices);
    if (mesh)
        memcpy(shape->triangles, triangles, 3 * shape->triangle_count * sizeof *triangles);
    return TN_OK;
}

int tn_shapes_copy(tn_shape **out, tn_context *context, const tn_shape_def *shapes, size_t count)
{
    *out = count > 0 ? tn_alloc(context, count, sizeof **out) : NULL;
    int code = *out || count == 0 ? TN_OK : TN_ERROR_MEMORY;
    for (size_t i = 0; i < count && code == TN_OK; i++) {
        const tn_shape_def *from = &shapes[i];
        tn_shape *to = &(*out)[i];
        *to = (tn_shape){ .kind = from->kind, .pose = from->pose, .density = from->density, .mass = from->mass,
                          .vertex_count = from->vertex_count, .triangle_count = from->triangle_count,
                          .touch = from->touch, .colour = from->colour,
                          .finish = from->finish ? tn_finish_find(from->finish) : NULL };
        tn_copy3(to->size, from->size);
        tn_quat_normalize(to->pose.q);
        snprintf(to->material, sizeof to->material, "%s", from->material ? from->material : "");
        code = own_arrays(context, to, from->vertices, from->triangles);
    }
    if (code < 0 && *out) {
        tn_shapes_free(context, *out, count);
        *out = NULL;
    }
    return code;
}

int tn_shapes_clone(tn_shape **out, tn_context *context, const tn_shape *shapes, size_t count)
{
    *out = count > 0 ? tn_alloc(context, count, sizeof **out) : NULL;
    int code = *out || count == 0 ? TN_OK : TN_ERROR_MEMORY;
    for (size_t i = 0; i < count && code == TN_OK; i++) {
        (*out)[i] = shapes[i];
        code = own_arrays(context, &(*out)[i], shapes[i].vertices, shapes[i].triangles);
    }
    if (code < 0 && *out) {
        tn_shapes_free(context, *out, count);
        *out = NULL;
    }
    return code;
}

void tn_shapes_free(tn_context *context, tn_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tn_free(context, shapes[i].vertices);
        tn_free(context, shapes[i].triangles);
    }
    tn_free(context, shapes);
}

void tn_body_free_shapes(tn_context *context, tn_body *body)
{
    tn_shapes_free(context, body->shapes, body->shape_count);
    tn_shapes_free(context, body->looks, body->look_count);
    body->shapes = body->looks = NULL;
    body->shape_count = body->look_count = 0;
}
