/* The keys of shapes, of bodies and of their looks. */
#include "keys_impl.h"
#include "finishes.h"
#include <stddef.h>

static const char *const touch_choices[] = { "nothing", "surface", "hull", NULL };
#define FINISH_CHOICE(name, ...) #name,
static const char *const finish_choices[] = { TN_FINISHES(FINISH_CHOICE) NULL };
#define COLOUR_WORD(name, value) " " #name
#define COLOUR_WORDS TN_COLOURS(COLOUR_WORD)

#define SHAPE_KEYS \
    [SHAPE_BOX] = { .name = "box", TN_VALUE_SECTION, NULL, "A box.", .section = &tn_section_box }, \
    [SHAPE_CYLINDER] = { .name = "cylinder", TN_VALUE_SECTION, NULL, "A cylinder.", .section = &tn_section_cylinder }, \
    [SHAPE_SPHERE] = { .name = "sphere", TN_VALUE_SECTION, NULL, "A ball.", .section = &tn_section_sphere }, \
    [SHAPE_ROD] = { .name = "rod", TN_VALUE_SECTION, NULL, \
                    "A straight rod, slender by default.", .section = &tn_section_rod }, \
    [SHAPE_CAPSULE] = { .name = "capsule", TN_VALUE_SECTION, NULL, "A cylinder with half balls at its ends.", \
                        .section = &tn_section_capsule }, \
    [SHAPE_DISC] = { .name = "disc", TN_VALUE_SECTION, NULL, "A round plate across z: a cylinder.", \
                     .section = &tn_section_disc }, \
    [SHAPE_POLYGON] = { .name = "polygon", TN_VALUE_SECTION, NULL, "A plate across z with straight, convex edges.", \
                        .section = &tn_section_polygon }, \
    [SHAPE_HALF_SPACE] = { .name = "half_space", TN_VALUE_SECTION, NULL, \
                           "Everything behind a plane: floors and walls. No mass.", .section = &tn_section_half_space }, \
    [SHAPE_CONE] = { .name = "cone", TN_VALUE_SECTION, NULL, "A round cone, pointed at its end.", \
                     .section = &tn_section_cone }, \
    [SHAPE_TORUS] = { .name = "torus", TN_VALUE_SECTION, NULL, "A ring.", .section = &tn_section_torus }, \
    [SHAPE_ELLIPSOID] = { .name = "ellipsoid", TN_VALUE_SECTION, NULL, "An ellipsoid.", \
                          .section = &tn_section_ellipsoid }, \
    [SHAPE_TUBE] = { .name = "tube", TN_VALUE_SECTION, NULL, "A cylinder with a bore.", \
                     .section = &tn_section_tube }, \
    [SHAPE_BOWL] = { .name = "bowl", TN_VALUE_SECTION, NULL, \
                     "The inside of a sphere, up to a brim; planar: of a circle. No mass.", .section = &tn_section_bowl }, \
    [SHAPE_HULL] = { .name = "hull", TN_VALUE_SECTION, NULL, "The convex hull of points; spatial models only.", \
                     .section = &tn_section_hull, .dimension = 3 }, \
    [SHAPE_HEIGHT_FIELD] = { .name = "height_field", TN_VALUE_SECTION, NULL, \
                             "Ground with heights over a grid; spatial models only. No mass.", \
                             .section = &tn_section_height_field, .dimension = 3 }, \
    [SHAPE_MESH] = { .name = "mesh", TN_VALUE_SECTION, NULL, "A surface of triangles from an STL file.", \
                     .section = &tn_section_mesh }

const tn_section tn_section_shape = { .name = "shape", .keys = {
    SHAPE_KEYS,
    [SHAPE_MASS] = { .name = "mass", TN_VALUE_NUMBER, "kg",
                     "Mass of the shape. Without mass and density: a picture only.",
                     TN_POSITIVE },
    [SHAPE_DENSITY] = { .name = "density", TN_VALUE_NUMBER, "kg/m^3",
                        "Density of the shape, instead of mass.", TN_POSITIVE },
    [SHAPE_MATERIAL] = { .name = "material", TN_VALUE_TEXT, NULL, "Name for the tables 'materials' of contacts." },
} };

const tn_section tn_section_look = { .name = "look", .keys = {
    SHAPE_KEYS,
    [LOOK_GEAR] = { .name = "gear", TN_VALUE_SECTION, NULL, "A gear across z, or a ring with teeth inside. Only a look.",
                    .section = &tn_section_gear },
    [LOOK_RACK] = { .name = "rack", TN_VALUE_SECTION, NULL, "A rack along x with its teeth towards y. Only a look.",
                    .section = &tn_section_rack },
    [LOOK_MATERIAL] = { .name = "material", TN_VALUE_CHOICE, NULL,
                        "What the surface is of. Default: paint.", .choices = finish_choices },
    [LOOK_COLOUR] = { .name = "colour", TN_VALUE_TEXT, NULL,
                      "Colour in place of that of the material: \"#3b78c2\", or one of" COLOUR_WORDS "." },
} };

const tn_section tn_section_box = { .name = "box", .keys = {
    [BOX_SIZE] = { .name = "size", TN_VALUE_NUMBERS, "m",
                   "Edge lengths. Planar: [x, y], 1 m deep, or [x, y, z].", TN_POSITIVE },
    TN_POSE_KEYS("at", "Centre in the body's frame.", BOX_AT),
} };

#define END_KEYS(radius_sign, radius_doc) \
    [ROUND_FROM] = { .name = "from", TN_VALUE_VECTOR, "m", "One end; instead of length, at and axis." }, \
    [ROUND_TO] = { .name = "to", TN_VALUE_VECTOR, "m", "The other end." }, \
    [ROUND_RADIUS] = { .name = "radius", TN_VALUE_NUMBER, "m", radius_doc, radius_sign }, \
    [ROUND_LENGTH] = { .name = "length", TN_VALUE_NUMBER, "m", \
                       "Length between the ends; with at and axis.", TN_POSITIVE }, \
    [ROUND_AT] = { .name = "at", TN_VALUE_VECTOR, "m", "Centre in the body's frame." }, \
    [ROUND_AXIS] = { .name = "axis", TN_VALUE_AXIS, NULL, "Direction of the length. Default: z." }

const tn_section tn_section_cylinder = { .name = "cylinder", .keys = { END_KEYS(TN_POSITIVE, "Radius.") } };
const tn_section tn_section_capsule = { .name = "capsule", .keys = {
    END_KEYS(TN_POSITIVE, "Radius; the half balls are beyond the ends.") } };
const tn_section tn_section_cone = { .name = "cone", .keys = {
    END_KEYS(TN_POSITIVE, "Radius of its base, which is at 'from', or at the lower end of the axis.") } };
const tn_section tn_section_tube = { .name = "tube", .keys = {
    END_KEYS(TN_POSITIVE, "Outer radius."),
    [ROUND_INNER] = { .name = "inner", TN_VALUE_NUMBER, "m", "Radius of the bore.", TN_POSITIVE } } };
const tn_section tn_section_rod = { .name = "rod", .keys = { END_KEYS(TN_NOT_NEGATIVE, "Radius. Default: 0.") } };

const tn_section tn_section_sphere = { .name = "sphere", .keys = {
    [SPHERE_RADIUS] = { .name = "radius", TN_VALUE_NUMBER, "m", "Radius.", TN_POSITIVE },
    [SPHERE_AT] = { .name = "at", TN_VALUE_VECTOR, "m", "Centre in the body's frame." },
} };

const tn_section tn_section_disc = { .name = "disc", .keys = {
    [DISC_RADIUS] = { .name = "radius", TN_VALUE_NUMBER, "m", "Radius.", TN_POSITIVE },
    [DISC_THICKNESS] = { .name = "thickness", TN_VALUE_NUMBER, "m", "Along z. Planar: 1 m by default.", TN_POSITIVE },
    [DISC_AT] = { .name = "at", TN_VALUE_VECTOR, "m", "Centre in the body's frame." },
} };

const tn_section tn_section_polygon = { .name = "polygon", .keys = {
    [POLYGON_CORNERS] = { .name = "corners", TN_VALUE_PAIRS, "m", "[[x, y], ...] all round, either way; convex." },
    [POLYGON_THICKNESS] = { .name = "thickness", TN_VALUE_NUMBER, "m", "Along z. Planar: 1 m by default.",
                            TN_POSITIVE },
    TN_POSE_KEYS("at", "Origin of the corners' coordinates in the body's frame.", POLYGON_AT),
} };

const tn_section tn_section_half_space = { .name = "half_space", .keys = {
    [HALF_SPACE_AT] = { .name = "at", TN_VALUE_VECTOR, "m", "A point of the plane. Default: the origin." },
    [HALF_SPACE_NORMAL] = { .name = "normal", TN_VALUE_AXIS, NULL,
                            "Out of the half-space. Default: z; planar: y." },
} };

const tn_section tn_section_torus = { .name = "torus", .keys = {
    [TORUS_RADIUS] = { .name = "radius", TN_VALUE_NUMBER, "m", "Radius of the ring, to the middle of its tube.", TN_POSITIVE },
    [TORUS_TUBE] = { .name = "tube", TN_VALUE_NUMBER, "m", "Radius of the tube.", TN_POSITIVE },
    [TORUS_AT] = { .name = "at", TN_VALUE_VECTOR, "m", "Centre in the body's frame." },
    [TORUS_AXIS] = { .name = "axis", TN_VALUE_AXIS, NULL, "Axis of the ring. Default: z." },
} };

const tn_section tn_section_bowl = { .name = "bowl", .keys = {
    [BOWL_RADIUS] = { .name = "radius", TN_VALUE_NUMBER, "m", "Radius of the sphere.", TN_POSITIVE },
    [BOWL_DEPTH] = { .name = "depth", TN_VALUE_NUMBER, "m",
                     "From its bottom to its brim, up to the diameter (a closed sphere). Default: the radius.", TN_POSITIVE },
    [BOWL_AT] = { .name = "at", TN_VALUE_VECTOR, "m", "Centre of the sphere in the body's frame." },
    [BOWL_AXIS] = { .name = "axis", TN_VALUE_AXIS, NULL, "Out of the opening. Default: z; planar: y." },
} };

const tn_section tn_section_ellipsoid = { .name = "ellipsoid", .keys = {
    [ELLIPSOID_HALF_AXES] = { .name = "half_axes", TN_VALUE_NUMBERS, "m", "[x, y, z]: half of its extents.", TN_POSITIVE },
    TN_POSE_KEYS("at", "Centre in the body's frame.", ELLIPSOID_AT),
} };

const tn_section tn_section_hull = { .name = "hull", .keys = {
    [HULL_POINTS] = { .name = "points", TN_VALUE_ROWS, "m", "[[x, y, z], ...]: four or more, not all in one plane." },
    TN_POSE_KEYS("at", "Origin of the points' coordinates in the body's frame.", HULL_AT),
} };

const tn_section tn_section_height_field = { .name = "height_field", .keys = {
    [HEIGHTS_SPACING] = { .name = "spacing", TN_VALUE_NUMBERS, "m", "[along x, along y] from point to point of the grid.",
                          TN_POSITIVE },
    [HEIGHTS_HEIGHTS] = { .name = "heights", TN_VALUE_ROWS, "m",
                          "Heights (z): a list for each y, upwards, of one height for each x. Each square is two "
                          "triangles." },
    TN_POSE_KEYS("at", "The first point of the grid, at height 0, in the body's frame.", HEIGHTS_AT),
} };

const tn_section tn_section_mesh = { .name = "mesh", .keys = {
    [MESH_FILE] = { .name = "file", TN_VALUE_TEXT, NULL, "STL file, relative to the model file." },
    [MESH_SCALE] = { .name = "scale", TN_VALUE_NUMBER, "m", "Length of the file's unit. Default: 1 m.", TN_POSITIVE },
    [MESH_TOUCH] = { .name = "touch", TN_VALUE_CHOICE, NULL,
                     "With what it touches in spatial models: nothing (default), its surface, or its convex hull.",
                     .choices = touch_choices },
    TN_POSE_KEYS("at", "Origin of the file's coordinates in the body's frame.", MESH_AT),
} };

const tn_section tn_section_gear = { .name = "gear", .keys = {
    [GEAR_RADIUS] = { .name = "radius", TN_VALUE_NUMBER, "m", "Radius of the pitch circle.", TN_POSITIVE },
    [GEAR_TEETH] = { .name = "teeth", TN_VALUE_NUMBER, "", "How many teeth; the middle of the first is at x." },
    [GEAR_RIM] = { .name = "rim", TN_VALUE_NUMBER, "m",
                   "Outer radius of a ring whose teeth point inwards. Default: they point outwards.", TN_POSITIVE },
    [GEAR_THICKNESS] = { .name = "thickness", TN_VALUE_NUMBER, "m", "Along z. Planar: 1 m by default.", TN_POSITIVE },
    TN_POSE_KEYS("at", "Centre in the body's frame.", GEAR_AT),
} };

const tn_section tn_section_rack = { .name = "rack", .keys = {
    [RACK_PITCH] = { .name = "pitch", TN_VALUE_NUMBER, "m",
                     "From tooth to tooth: 2 pi radius / teeth of the gear that meshes with it.", TN_POSITIVE },
    [RACK_TEETH] = { .name = "teeth", TN_VALUE_NUMBER, "", "How many teeth." },
    [RACK_HEIGHT] = { .name = "height", TN_VALUE_NUMBER, "m", "From the pitch line to the back.", TN_POSITIVE },
    [RACK_THICKNESS] = { .name = "thickness", TN_VALUE_NUMBER, "m", "Along z. Planar: 1 m by default.", TN_POSITIVE },
    TN_POSE_KEYS("at", "Middle of the first tooth, on the pitch line, in the body's frame.", RACK_AT),
} };
