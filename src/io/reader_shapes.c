/* Reads the shapes and looks of bodies. */
#include "elementary.h"
#include "file.h"
#include "finishes.h"
#include "hull.h"
#include "reader.h"
#include "stl.h"
#include "toothed.h"
#include "vec.h"
#include <string.h>

/* The default thickness of shapes in a planar model. */
static const double PLANAR_DEPTH = 1;      /* m */

static bool missing(tn_reader *r, const tn_node *node, const tn_node *value, const tn_section *section, const char *key)
{
    if (value == NULL)
        tn_read_error(r, node->span, "a %s needs '%s'", section->name, key);
    return value == NULL;
}

static void read_box(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_box.keys;
    shape->size[2] = PLANAR_DEPTH;
    if (!missing(r, node, values[BOX_SIZE], &tn_section_box, "size"))
        tn_read_numbers(r, values[BOX_SIZE], &keys[BOX_SIZE], (size_t)r->model->dimension, 3, shape->size);
    tn_read_pose(r, &values[BOX_AT], &keys[BOX_AT], &shape->pose);
}

static void read_sphere(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_sphere.keys;
    if (!missing(r, node, values[SPHERE_RADIUS], &tn_section_sphere, "radius"))
        tn_read_number(r, values[SPHERE_RADIUS], &keys[SPHERE_RADIUS], &shape->size[0]);
    tn_read_vector(r, values[SPHERE_AT], &keys[SPHERE_AT], shape->pose.p);
}

static void between_ends(tn_reader *r, const tn_node *node, const tn_node *const *values, const tn_key *keys,
                         tn_shape_def *shape)
{
    double from[3], to[3], along[3], middle[3];
    if (values[ROUND_FROM] == NULL || values[ROUND_TO] == NULL) {
        tn_read_error(r, node->span, "'from' and 'to' belong together");
        return;
    }
    bool good = tn_read_vector(r, values[ROUND_FROM], &keys[ROUND_FROM], from);
    if (!tn_read_vector(r, values[ROUND_TO], &keys[ROUND_TO], to) || !good)
        return;
    tn_sub3(along, to, from);
    shape->size[1] = tn_norm3(along);
    if (!(shape->size[1] > 0) || !isfinite(shape->size[1])) {
        tn_read_error(r, values[ROUND_TO]->span, "'from' and 'to' are the same point, or too far apart");
        return;
    }
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * (from[k] + to[k]);
    shape->pose = tn_pose_z(middle, along);
}

/* Cylinder, tube, cone, rod, capsule: by length, at and axis, or by from and to. */
static void read_round(tn_reader *r, const tn_node *node, const tn_section *section, const tn_node *const *values,
                       tn_shape_def *shape)
{
    const tn_key *keys = section->keys;
    bool slender = section == &tn_section_rod && values[ROUND_RADIUS] == NULL;
    if (!slender && !missing(r, node, values[ROUND_RADIUS], section, "radius"))
        tn_read_number(r, values[ROUND_RADIUS], &keys[ROUND_RADIUS], &shape->size[0]);
    if (slender)
        shape->size[0] = 0;
    if (section == &tn_section_tube && !missing(r, node, values[ROUND_INNER], section, "inner"))
        tn_read_number(r, values[ROUND_INNER], &keys[ROUND_INNER], &shape->size[2]);
    bool by_length = values[ROUND_LENGTH] != NULL || values[ROUND_AT] != NULL || values[ROUND_AXIS] != NULL;
    if (values[ROUND_FROM] != NULL || values[ROUND_TO] != NULL) {
        if (by_length)
            tn_read_error(r, node->span, "give either 'from' and 'to', or 'length', 'at' and 'axis'");
        else
            between_ends(r, node, values, keys, shape);
        return;
    }
    double at[3] = { 0 }, axis[3] = { 0, 0, 1 };
    shape->size[1] = PLANAR_DEPTH;
    if (r->model->dimension == 3 && values[ROUND_LENGTH] == NULL)
        tn_read_error(r, node->span, "a %s needs 'length', or 'from' and 'to'", section->name);
    tn_read_number(r, values[ROUND_LENGTH], &keys[ROUND_LENGTH], &shape->size[1]);
    tn_read_vector(r, values[ROUND_AT], &keys[ROUND_AT], at);
    tn_read_axis(r, values[ROUND_AXIS], &keys[ROUND_AXIS], axis);
    shape->pose = tn_pose_z(at, axis);
}

static double thickness(tn_reader *r, const tn_node *node, const tn_section *section, const tn_node *value,
                        const tn_key *key)
{
    double depth = PLANAR_DEPTH;
    if (r->model->dimension == 2 || !missing(r, node, value, section, "thickness"))
        tn_read_number(r, value, key, &depth);
    return depth;
}

static void read_disc(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_disc.keys;
    if (!missing(r, node, values[DISC_RADIUS], &tn_section_disc, "radius"))
        tn_read_number(r, values[DISC_RADIUS], &keys[DISC_RADIUS], &shape->size[0]);
    shape->size[1] = thickness(r, node, &tn_section_disc, values[DISC_THICKNESS], &keys[DISC_THICKNESS]);
    tn_read_vector(r, values[DISC_AT], &keys[DISC_AT], shape->pose.p);
}

/* Pairs of lengths into vertices of the reader's arena. */
static void read_corners(tn_reader *r, const tn_node *list, tn_shape_def *shape)
{
    const tn_key *key = &tn_section_polygon.keys[POLYGON_CORNERS];
    size_t count;
    const tn_node *const *items = tn_read_list(r, &list, key->name, &count);
    if (items == NULL)
        return;
    double *vertices = tn_arena_alloc(r->arena, 3 * count, sizeof *vertices);
    if (vertices == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return;
    }
    for (size_t i = 0; i < count && r->stop == TN_OK; i++)
        tn_read_numbers(r, items[i], key, 2, 2, &vertices[3 * i]);
    shape->vertices = vertices;
    shape->vertex_count = count;
}

static void read_polygon(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_polygon.keys;
    if (!missing(r, node, values[POLYGON_CORNERS], &tn_section_polygon, "corners"))
        read_corners(r, values[POLYGON_CORNERS], shape);
    shape->size[0] = thickness(r, node, &tn_section_polygon, values[POLYGON_THICKNESS], &keys[POLYGON_THICKNESS]);
    tn_read_pose(r, &values[POLYGON_AT], &keys[POLYGON_AT], &shape->pose);
}

static void read_half_space(tn_reader *r, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_half_space.keys;
    bool planar = r->model->dimension == 2;
    double at[3] = { 0 }, normal[3] = { 0, planar ? 1 : 0, planar ? 0 : 1 };
    tn_read_vector(r, values[HALF_SPACE_AT], &keys[HALF_SPACE_AT], at);
    tn_read_axis(r, values[HALF_SPACE_NORMAL], &keys[HALF_SPACE_NORMAL], normal);
    shape->pose = planar ? tn_pose_planar(at[0], at[1], tn_atan2(-normal[0], normal[1])) : tn_pose_z(at, normal);
}

/* Rows of lengths into a table in the reader's arena: rows x columns. Rows with other lengths are errors. columns 0: as
 * many as the first row has. */
static double *read_rows(tn_reader *r, const tn_node *list, const tn_key *key, size_t *columns, size_t *rows)
{
    const tn_node *const *items = tn_read_list(r, &list, key->name, rows);
    if (items == NULL)
        return NULL;
    if (*columns == 0 && *rows > 0 && items[0]->kind == TN_NODE_LIST)
        *columns = items[0]->count;
    double *table = tn_arena_alloc(r->arena, *columns * *rows, sizeof *table);
    if (table == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return NULL;
    }
    size_t before = r->errors;
    for (size_t i = 0; i < *rows && r->stop == TN_OK; i++)
        tn_read_numbers(r, items[i], key, *columns, *columns, &table[*columns * i]);
    return r->errors == before && r->stop == TN_OK ? table : NULL;
}

static bool only_in_space(tn_reader *r, const tn_node *node, const tn_section *section)
{
    if (r->model->dimension == 2)
        tn_read_error(r, node->span, "a %s is for spatial models; planar ones have polygon", section->name);
    return r->model->dimension == 3;
}

static void read_torus(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_torus.keys;
    double at[3] = { 0 }, axis[3] = { 0, 0, 1 };
    if (!missing(r, node, values[TORUS_RADIUS], &tn_section_torus, "radius"))
        tn_read_number(r, values[TORUS_RADIUS], &keys[TORUS_RADIUS], &shape->size[0]);
    if (!missing(r, node, values[TORUS_TUBE], &tn_section_torus, "tube"))
        tn_read_number(r, values[TORUS_TUBE], &keys[TORUS_TUBE], &shape->size[1]);
    tn_read_vector(r, values[TORUS_AT], &keys[TORUS_AT], at);
    tn_read_axis(r, values[TORUS_AXIS], &keys[TORUS_AXIS], axis);
    shape->pose = tn_pose_z(at, axis);
}

static void read_bowl(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_bowl.keys;
    double at[3] = { 0 }, axis[3] = { 0 };
    axis[r->model->dimension - 1] = 1;
    if (!missing(r, node, values[BOWL_RADIUS], &tn_section_bowl, "radius"))
        tn_read_number(r, values[BOWL_RADIUS], &keys[BOWL_RADIUS], &shape->size[0]);
    shape->size[1] = shape->size[0];
    tn_read_number(r, values[BOWL_DEPTH], &keys[BOWL_DEPTH], &shape->size[1]);
    tn_read_vector(r, values[BOWL_AT], &keys[BOWL_AT], at);
    tn_read_axis(r, values[BOWL_AXIS], &keys[BOWL_AXIS], axis);
    shape->pose = tn_pose_z(at, axis);
}

static void read_ellipsoid(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_ellipsoid.keys;
    if (!missing(r, node, values[ELLIPSOID_HALF_AXES], &tn_section_ellipsoid, "half_axes"))
        tn_read_numbers(r, values[ELLIPSOID_HALF_AXES], &keys[ELLIPSOID_HALF_AXES], 3, 3, shape->size);
    tn_read_pose(r, &values[ELLIPSOID_AT], &keys[ELLIPSOID_AT], &shape->pose);
}

static void read_hull(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_hull.keys;
    size_t columns = 3, count = 0;
    tn_hull hull;
    tn_read_pose(r, &values[HULL_AT], &keys[HULL_AT], &shape->pose);
    if (!only_in_space(r, node, &tn_section_hull) || missing(r, node, values[HULL_POINTS], &tn_section_hull, "points"))
        return;
    const double *points = read_rows(r, values[HULL_POINTS], &keys[HULL_POINTS], &columns, &count);
    if (points == NULL)
        return;
    int code = tn_hull_find(&hull, r->context, r->arena, points, count);
    if (code == TN_ERROR_ARGUMENT)
        tn_read_error(r, values[HULL_POINTS]->span, "the points of the hull must be four or more that do not lie in one plane");
    else
        tn_read_ok(r, code);
    shape->vertices = points;
    shape->vertex_count = count;
    shape->triangles = hull.triangles;
    shape->triangle_count = hull.triangle_count;
    shape->touch = TN_TOUCH_HULL;
}

/* Two triangles for each square of the grid. */
static void grid_triangles(int *triangles, size_t columns, size_t rows)
{
    for (size_t j = 0; j + 1 < rows; j++)
        for (size_t i = 0; i + 1 < columns; i++) {
            int a = (int)(j * columns + i), b = a + 1, c = a + (int)columns, d = c + 1;
            const int square[6] = { a, b, d, a, d, c };
            memcpy(triangles, square, sizeof square);
            triangles += 6;
        }
}

static void read_height_field(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_height_field.keys;
    const tn_section *section = &tn_section_height_field;
    size_t columns = 0, rows = 0;
    double spacing[2] = { 1, 1 };
    tn_read_pose(r, &values[HEIGHTS_AT], &keys[HEIGHTS_AT], &shape->pose);
    if (!only_in_space(r, node, section) || missing(r, node, values[HEIGHTS_SPACING], section, "spacing") ||
        missing(r, node, values[HEIGHTS_HEIGHTS], section, "heights") ||
        !tn_read_numbers(r, values[HEIGHTS_SPACING], &keys[HEIGHTS_SPACING], 2, 2, spacing))
        return;
    const double *heights = read_rows(r, values[HEIGHTS_HEIGHTS], &keys[HEIGHTS_HEIGHTS], &columns, &rows);
    if (heights == NULL)
        return;
    if (columns < 2 || rows < 2) {
        tn_read_error(r, values[HEIGHTS_HEIGHTS]->span, "a height field needs two rows of two heights at least");
        return;
    }
    double *vertices = tn_arena_alloc(r->arena, 3 * columns * rows, sizeof *vertices);
    int *triangles = tn_arena_alloc(r->arena, 6 * (columns - 1) * (rows - 1), sizeof *triangles);
    if (vertices == NULL || triangles == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return;
    }
    for (size_t k = 0; k < columns * rows; k++) {
        vertices[3 * k] = spacing[0] * (double)(k % columns);
        vertices[3 * k + 1] = spacing[1] * (double)(k / columns);
        vertices[3 * k + 2] = heights[k];
    }
    grid_triangles(triangles, columns, rows);
    shape->vertices = vertices;
    shape->vertex_count = columns * rows;
    shape->triangles = triangles;
    shape->triangle_count = 2 * (columns - 1) * (rows - 1);
    shape->touch = TN_TOUCH_SURFACE;
}

static void read_mesh(tn_reader *r, const tn_node *node, const tn_node *const *values, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_mesh.keys;
    double scale = 1;
    tn_read_number(r, values[MESH_SCALE], &keys[MESH_SCALE], &scale);
    tn_read_pose(r, &values[MESH_AT], &keys[MESH_AT], &shape->pose);
    shape->touch = (tn_mesh_touch)tn_read_choice(r, values[MESH_TOUCH], &keys[MESH_TOUCH], TN_TOUCH_NOTHING);
    if (missing(r, node, values[MESH_FILE], &tn_section_mesh, "file"))
        return;
    const char *file = tn_read_text(r, values[MESH_FILE], "file");
    if (file == NULL)
        return;
    char *path = tn_path_join(r->arena, r->folder, file);
    if (path == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return;
    }
    if (tn_read_note_file(r, path, values[MESH_FILE]->span))
        tn_read_ok(r, tn_stl_read(shape, r->arena, r->context, path, scale, values[MESH_FILE]->span));
}

static void read_kind(tn_reader *r, const tn_node *node, int kind, tn_shape_def *shape)
{
    const tn_section *section = tn_section_shape.keys[kind].section;
    const tn_node *values[TN_MAX_KEYS];
    if (!tn_read_keys(r, node, section, values, NULL, 0, NULL))
        return;
    if (kind == SHAPE_BOX)
        read_box(r, node, values, shape);
    else if (kind == SHAPE_SPHERE)
        read_sphere(r, node, values, shape);
    else if (kind == SHAPE_DISC)
        read_disc(r, node, values, shape);
    else if (kind == SHAPE_POLYGON)
        read_polygon(r, node, values, shape);
    else if (kind == SHAPE_HALF_SPACE)
        read_half_space(r, values, shape);
    else if (kind == SHAPE_TORUS)
        read_torus(r, node, values, shape);
    else if (kind == SHAPE_BOWL)
        read_bowl(r, node, values, shape);
    else if (kind == SHAPE_ELLIPSOID)
        read_ellipsoid(r, node, values, shape);
    else if (kind == SHAPE_HULL)
        read_hull(r, node, values, shape);
    else if (kind == SHAPE_HEIGHT_FIELD)
        read_height_field(r, node, values, shape);
    else if (kind == SHAPE_MESH)
        read_mesh(r, node, values, shape);
    else
        read_round(r, node, section, values, shape);
}

static size_t read_teeth(tn_reader *r, const tn_node *node, const tn_node *value, const tn_section *section, const tn_key *key)
{
    double teeth = 0;
    if (missing(r, node, value, section, "teeth") || !tn_read_number(r, value, key, &teeth))
        return 0;
    if (teeth >= 3 && teeth <= TN_TEETH_MOST && teeth == floor(teeth))
        return (size_t)teeth;
    tn_read_error(r, value->span, "'teeth' must be a whole number from 3 to %d", TN_TEETH_MOST);
    return 0;
}

/* Room for the corners of an outline, in the reader's arena. */
static double *corners_of(tn_reader *r, tn_shape_def *look, size_t count)
{
    double *corners = tn_arena_alloc(r->arena, 3 * count, sizeof *corners);
    if (corners == NULL)
        r->stop = TN_ERROR_MEMORY;
    look->vertices = corners;
    look->vertex_count = corners ? count : 0;
    return corners;
}

static void read_gear(tn_reader *r, const tn_node *node, tn_shape_def *look)
{
    const tn_section *section = &tn_section_gear;
    const tn_key *keys = section->keys;
    const tn_node *values[TN_MAX_KEYS];
    tn_gear_outline gear = { .radius = 0 };
    const size_t before = r->errors;
    if (!tn_read_keys(r, node, section, values, NULL, 0, NULL))
        return;
    if (!missing(r, node, values[GEAR_RADIUS], section, "radius"))
        tn_read_number(r, values[GEAR_RADIUS], &keys[GEAR_RADIUS], &gear.radius);
    gear.teeth = read_teeth(r, node, values[GEAR_TEETH], section, &keys[GEAR_TEETH]);
    tn_read_number(r, values[GEAR_RIM], &keys[GEAR_RIM], &gear.rim);
    look->size[0] = thickness(r, node, section, values[GEAR_THICKNESS], &keys[GEAR_THICKNESS]);
    tn_read_pose(r, &values[GEAR_AT], &keys[GEAR_AT], &look->pose);
    if (values[GEAR_RIM] != NULL && r->errors == before && !(gear.rim > gear.radius))
        tn_read_error(r, values[GEAR_RIM]->span, "'rim' is the outside of a ring: it must be larger than 'radius'");
    double *corners = r->errors == before ? corners_of(r, look, tn_gear_corner_count(&gear)) : NULL;
    if (corners)
        tn_gear_corners(corners, &gear);
}

static void read_rack(tn_reader *r, const tn_node *node, tn_shape_def *look)
{
    const tn_section *section = &tn_section_rack;
    const tn_key *keys = section->keys;
    const tn_node *values[TN_MAX_KEYS];
    tn_rack_outline rack = { .pitch = 0 };
    const size_t before = r->errors;
    if (!tn_read_keys(r, node, section, values, NULL, 0, NULL))
        return;
    if (!missing(r, node, values[RACK_PITCH], section, "pitch"))
        tn_read_number(r, values[RACK_PITCH], &keys[RACK_PITCH], &rack.pitch);
    rack.teeth = read_teeth(r, node, values[RACK_TEETH], section, &keys[RACK_TEETH]);
    if (!missing(r, node, values[RACK_HEIGHT], section, "height"))
        tn_read_number(r, values[RACK_HEIGHT], &keys[RACK_HEIGHT], &rack.height);
    look->size[0] = thickness(r, node, section, values[RACK_THICKNESS], &keys[RACK_THICKNESS]);
    tn_read_pose(r, &values[RACK_AT], &keys[RACK_AT], &look->pose);
    double *corners = r->errors == before ? corners_of(r, look, tn_rack_corner_count(&rack)) : NULL;
    if (corners)
        tn_rack_corners(corners, &rack);
}

/* Gears and racks are for the eye alone: polygons that need not be convex. */
static void read_toothed(tn_reader *r, const tn_node *const *values, tn_shape_def *look)
{
    *look = tn_shape_default(TN_SHAPE_POLYGON);
    if (values[LOOK_GEAR])
        read_gear(r, values[LOOK_GEAR], look);
    else
        read_rack(r, values[LOOK_RACK], look);
}

/* Which shape a map is: an index of tn_section_shape.keys; SHAPE_COUNT: none, -1: more than one. */
enum { SHAPE_COUNT = SHAPE_MESH + 1 };
static int find_kind(const tn_node *const *values)
{
    int kind = SHAPE_COUNT;
    for (int k = SHAPE_BOX; k <= SHAPE_MESH; k++)
        if (values[k] != NULL)
            kind = kind == SHAPE_COUNT ? k : -1;
    return kind;
}

static void read_as(tn_reader *r, const tn_node *node, int kind, tn_shape_def *shape)
{
    static const tn_shape_kind kinds[] = {
        [SHAPE_BOX] = TN_SHAPE_BOX, [SHAPE_CYLINDER] = TN_SHAPE_CYLINDER, [SHAPE_SPHERE] = TN_SHAPE_SPHERE,
        [SHAPE_ROD] = TN_SHAPE_ROD, [SHAPE_CAPSULE] = TN_SHAPE_CAPSULE,   [SHAPE_MESH] = TN_SHAPE_MESH,
        [SHAPE_DISC] = TN_SHAPE_CYLINDER, [SHAPE_POLYGON] = TN_SHAPE_POLYGON,
        [SHAPE_HALF_SPACE] = TN_SHAPE_HALF_SPACE, [SHAPE_CONE] = TN_SHAPE_CONE,
        [SHAPE_TORUS] = TN_SHAPE_TORUS, [SHAPE_ELLIPSOID] = TN_SHAPE_ELLIPSOID, [SHAPE_HULL] = TN_SHAPE_MESH,
        [SHAPE_HEIGHT_FIELD] = TN_SHAPE_MESH, [SHAPE_TUBE] = TN_SHAPE_TUBE, [SHAPE_BOWL] = TN_SHAPE_BOWL,
    };
    *shape = tn_shape_default(kinds[kind]);
    read_kind(r, node, kind, shape);
}

#define SHAPE_WORDS "box, cylinder, tube, sphere, rod, capsule, disc, polygon, half_space, cone, torus, ellipsoid, bowl, hull, " \
                    "height_field, mesh"
#define LOOK_WORDS  SHAPE_WORDS ", gear, rack"

static void read_shape(tn_reader *r, const tn_node *node, tn_shape_def *shape)
{
    const tn_key *keys = tn_section_shape.keys;
    const tn_node *values[TN_MAX_KEYS];
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_shape, values, NULL, 0, NULL))
        return;
    int kind = find_kind(values);
    if (kind == SHAPE_COUNT && r->errors > before)
        return;                                        /* the unknown key was the shape */
    if (kind < 0 || kind == SHAPE_COUNT) {
        tn_read_error(r, node->span, "a shape is one of " SHAPE_WORDS);
        return;
    }
    if (values[SHAPE_MASS] != NULL && values[SHAPE_DENSITY] != NULL)
        tn_read_error(r, values[SHAPE_DENSITY]->span, "give either 'mass' or 'density' of a shape");
    read_as(r, values[kind], kind, shape);
    tn_read_number(r, values[SHAPE_MASS], &keys[SHAPE_MASS], &shape->mass);
    tn_read_number(r, values[SHAPE_DENSITY], &keys[SHAPE_DENSITY], &shape->density);
    shape->material = tn_read_text(r, values[SHAPE_MATERIAL], keys[SHAPE_MATERIAL].name);
}

static void read_colour(tn_reader *r, const tn_node *node, tn_shape_def *look)
{
    const char *text = tn_read_text(r, node, "colour");
    if (text == NULL)
        return;
    look->colour = tn_colour_find(text);
    if (look->colour == TN_NO_COLOUR)
        tn_read_error(r, node->span, "'%.40s' is no colour: give six hexadecimal digits in quotes, \"#3b78c2\", or a name "
                                     "such as red, blue or white", text);
}

static void read_look(tn_reader *r, const tn_node *node, tn_shape_def *look)
{
    const tn_key *keys = tn_section_look.keys;
    const tn_node *values[TN_MAX_KEYS];
    size_t before = r->errors;
    *look = tn_shape_default(TN_SHAPE_NONE);
    if (!tn_read_keys(r, node, &tn_section_look, values, NULL, 0, NULL))
        return;
    int kind = find_kind(values);
    const int toothed = (values[LOOK_GEAR] != NULL) + (values[LOOK_RACK] != NULL);
    if (kind < 0 || toothed + (kind != SHAPE_COUNT) > 1)
        tn_read_error(r, node->span, "a look is one shape at most, of " LOOK_WORDS);
    else if (toothed)
        read_toothed(r, values, look);
    else if (kind != SHAPE_COUNT)
        read_as(r, values[kind], kind, look);
    else if (values[LOOK_MATERIAL] == NULL && values[LOOK_COLOUR] == NULL && r->errors == before)
        tn_read_error(r, node->span, "a look has a shape (one of " LOOK_WORDS "), a material or a colour");
    if (kind == SHAPE_MESH && look->touch != TN_TOUCH_NOTHING)
        tn_read_error(r, values[kind]->span, "a look touches nothing: leave 'touch' out, or put the mesh into 'shapes'");
    look->touch = TN_TOUCH_NOTHING;                    /* hulls and height fields are for the eye alone here */
    if (values[LOOK_MATERIAL] != NULL)
        look->finish = tn_finish_at((size_t)tn_read_choice(r, values[LOOK_MATERIAL], &keys[LOOK_MATERIAL], 0))->name;
    if (values[LOOK_COLOUR] != NULL)
        read_colour(r, values[LOOK_COLOUR], look);
}

static const tn_shape_def *read_list(tn_reader *r, const tn_node *node, const char *label,
                                     void (*read)(tn_reader *r, const tn_node *node, tn_shape_def *shape), size_t *count)
{
    const tn_node *const *items = tn_read_list(r, &node, label, count);
    tn_shape_def *shapes = items ? tn_arena_alloc(r->arena, *count, sizeof *shapes) : NULL;
    if (items != NULL && shapes == NULL)
        r->stop = TN_ERROR_MEMORY;
    for (size_t i = 0; shapes != NULL && i < *count && r->stop == TN_OK; i++)
        read(r, items[i], &shapes[i]);
    if (shapes == NULL)
        *count = 0;
    return shapes;
}

void tn_read_shapes(tn_reader *r, const tn_node *node, tn_body_def *def)
{
    def->shapes = read_list(r, node, tn_section_body.keys[BODY_SHAPES].name, read_shape, &def->shape_count);
}

void tn_read_looks(tn_reader *r, const tn_node *node, tn_body_def *def)
{
    def->looks = read_list(r, node, tn_section_body.keys[BODY_LOOK].name, read_look, &def->look_count);
}
