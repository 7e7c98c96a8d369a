/* COLLADA meshes (.dae): all geometries as their scene places them, in the unit of the file; triangles, strips and fans of
 * them, polylist and polygons. As the viewers of robot files do, it does not turn a file whose up_axis is y. */
#include "mesh_file.h"

#include "vec.h"
#include "xml.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct dae_reader {
    tn_triangles *out;
    tn_arena *arena;
    const tn_xml *root;
    char *why;
    int visits;
} dae_reader;

/* r = a b, 4 x 4 */
static void mul44(double r[16], const double a[16], const double b[16])
{
    double product[16];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            product[4 * i + j] = 0;
            for (int k = 0; k < 4; k++)
                product[4 * i + j] += a[4 * i + k] * b[4 * k + j];
        }
    memcpy(r, product, sizeof product);
}

/* Depth first; bounded by the number of elements. */
static const tn_xml *find_id(const tn_xml *root, const char *id)
{
    const tn_xml *at = root;
    if (id && *id == '#')
        id++;
    while (at && id) {
        const char *own = tn_xml_get(at, "id");
        if (own && strcmp(own, id) == 0)
            return at;
        if (at->first) {
            at = at->first;
            continue;
        }
        while (at != root && !at->next)
            at = at->parent;
        at = at == root ? NULL : at->next;
    }
    return NULL;
}

/* Numbers stand between spaces, so a comma can only be a decimal one. */
static const char *with_points(dae_reader *r, const char *text)
{
    char *copy = strchr(text, ',') ? tn_arena_strdup(r->arena, text) : NULL;
    for (char *at = copy; at && (at = strchr(at, ',')); )
        *at = '.';
    return copy ? copy : text;
}

static double *number_list(dae_reader *r, const char *text, size_t *count)
{
    text = with_points(r, text);
    size_t capacity = strlen(text) / 2 + 1;
    double *list = tn_arena_alloc(r->arena, capacity, sizeof *list);
    char *end;
    *count = 0;
    for (; list && *count < capacity; text = end) {
        double value = strtod(text, &end);
        if (end == text)
            break;
        list[(*count)++] = value;
    }
    return list;
}

/* The source of positions behind an <input semantic="VERTEX"> or "POSITION"; its offset among the indices. */
static const tn_xml *positions(dae_reader *r, const tn_xml *primitive, size_t *offset, size_t *stride)
{
    const tn_xml *source = NULL;
    *stride = 1;
    for (const tn_xml *in = tn_xml_child(primitive, "input"); in; in = tn_xml_next(in, "input")) {
        const char *meaning = tn_xml_get(in, "semantic"), *at = tn_xml_get(in, "offset");
        size_t place = at ? strtoul(at, NULL, 10) : 0;
        if (place + 1 > *stride && place < 64)
            *stride = place + 1;
        if (!meaning || (strcmp(meaning, "VERTEX") != 0 && strcmp(meaning, "POSITION") != 0))
            continue;
        *offset = place;
        source = find_id(r->root, tn_xml_get(in, "source"));
        if (source && tn_xml_is(source, "vertices"))
            for (const tn_xml *v = tn_xml_child(source, "input"); v; v = tn_xml_next(v, "input"))
                if (tn_xml_get(v, "semantic") && strcmp(tn_xml_get(v, "semantic"), "POSITION") == 0) {
                    source = find_id(r->root, tn_xml_get(v, "source"));
                    break;
                }
    }
    return source;
}

static size_t add_vertices(dae_reader *r, const tn_xml *source, const double m[16])
{
    const tn_xml *array = tn_xml_child(source, "float_array");
    size_t count = 0, before = r->out->vertex_count;
    double *values = array ? number_list(r, array->text, &count) : NULL;
    for (size_t i = 0; values && i + 2 < count; i += 3) {
        const double *v = &values[i];
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = m[4 * k] * v[0] + m[4 * k + 1] * v[1] + m[4 * k + 2] * v[2] + m[4 * k + 3];
        tn_triangles_vertex(r->out, p[0], p[1], p[2]);
    }
    return before;
}

/* Corners of a primitive: every stride-th number from offset on names a vertex counted from base. */
typedef struct dae_corners {
    size_t stride, offset, base;
    bool mirror;               /* the place turns the outside in */
} dae_corners;

static void add_triangle(dae_reader *r, const dae_corners *c, const double *p, size_t i, size_t j, size_t k)
{
    long v[3] = { (long)p[i * c->stride + c->offset], (long)p[j * c->stride + c->offset], (long)p[k * c->stride + c->offset] };
    long base = (long)c->base;
    tn_triangles_add(r->out, base + v[0], base + v[c->mirror ? 2 : 1], base + v[c->mirror ? 1 : 2]);
}

/* One polygon of n corners as a fan. */
static void add_polygon(dae_reader *r, const dae_corners *c, const double *p, size_t n)
{
    for (size_t k = 2; k < n; k++)
        add_triangle(r, c, p, 0, k - 1, k);
}

/* Every corner from the third on makes a triangle with the two before it. */
static void add_strip(dae_reader *r, const dae_corners *c, const double *p, size_t n)
{
    for (size_t k = 2; k < n; k++)
        add_triangle(r, c, p, k % 2 == 0 ? k - 2 : k - 1, k % 2 == 0 ? k - 1 : k - 2, k);
}

static bool is_mirror(const double m[16])
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]) < 0;
}

static void add_primitive(dae_reader *r, const tn_xml *primitive, const double m[16])
{
    static const char *const kinds[] = { "triangles", "polylist", "polygons", "tristrips", "trifans" };
    size_t kind = 0, count = 0, sides = 0;
    dae_corners c = { .mirror = is_mirror(m) };
    while (kind < TN_LENGTH(kinds) && !tn_xml_is(primitive, kinds[kind]))
        kind++;
    const tn_xml *source = kind < TN_LENGTH(kinds) ? positions(r, primitive, &c.offset, &c.stride) : NULL;
    if (!source)
        return;
    c.base = add_vertices(r, source, m);
    const char *sizes = tn_xml_child_text(primitive, "vcount");
    double *vcount = kind == 1 && sizes ? number_list(r, sizes, &sides) : NULL;
    for (const tn_xml *p = tn_xml_child(primitive, "p"); p; p = tn_xml_next(p, "p")) {
        double *index = number_list(r, p->text, &count);
        if (!index)
            return;
        size_t corners = count / c.stride;
        for (size_t k = 0; kind == 0 && k + 2 < corners; k += 3)
            add_polygon(r, &c, index + k * c.stride, 3);
        if (kind == 3)
            add_strip(r, &c, index, corners);
        else if (kind > 0 && !vcount)
            add_polygon(r, &c, index, corners);
        for (size_t s = 0, at = 0; vcount && s < sides && vcount[s] >= 0 && at + (size_t)vcount[s] <= corners; s++) {
            add_polygon(r, &c, index + at * c.stride, (size_t)vcount[s]);
            at += (size_t)vcount[s];
        }
    }
}

static void add_geometry(dae_reader *r, const tn_xml *geometry, const double m[16])
{
    for (const tn_xml *mesh = tn_xml_child(geometry, "mesh"); mesh; mesh = tn_xml_next(mesh, "mesh"))
        for (const tn_xml *e = mesh->first; e; e = e->next)
            add_primitive(r, e, m);
}

/* m = m times the transform that the element is, if it is one. */
static void apply_transform(double m[16], const tn_xml *e)
{
    double v[16], t[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
    size_t count = 0;
    const char *text = e->text;
    char *end;
    for (; count < 16; text = end) {
        v[count] = strtod(text, &end);
        if (end == text)
            break;
        count++;
    }
    if (tn_xml_is(e, "matrix") && count == 16) {
        memcpy(t, v, sizeof t);
    } else if (tn_xml_is(e, "translate") && count == 3) {
        for (int k = 0; k < 3; k++)
            t[4 * k + 3] = v[k];
    } else if (tn_xml_is(e, "scale") && count == 3) {
        for (int k = 0; k < 3; k++)
            t[5 * k] = v[k];
    } else if (tn_xml_is(e, "rotate") && count == 4 && tn_norm3(v) > 0) {
        double phi[3], q[4], R[3][3], length = tn_norm3(v);
        for (int k = 0; k < 3; k++)
            phi[k] = v[k] / length * v[3] * acos(-1.0) / 180;
        tn_quat_exp(q, phi);
        tn_quat_matrix(R, q);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                t[4 * i + j] = R[i][j];
    } else {
        return;
    }
    mul44(m, m, t);
}

static void visit_node(dae_reader *r, const tn_xml *node, const double above[16], int depth)
{
    enum { DEEPEST = 100, MOST_VISITS = 20000 };
    double m[16];
    memcpy(m, above, sizeof m);
    if (depth > DEEPEST || ++r->visits > MOST_VISITS)
        return;
    for (const tn_xml *e = node->first; e; e = e->next) {
        apply_transform(m, e);
        if (tn_xml_is(e, "node"))
            visit_node(r, e, m, depth + 1);
        const tn_xml *target = tn_xml_get(e, "url") ? find_id(r->root, tn_xml_get(e, "url")) : NULL;
        if (target && tn_xml_is(e, "instance_geometry"))
            add_geometry(r, target, m);
        else if (target && tn_xml_is(e, "instance_node"))
            visit_node(r, target, m, depth + 1);
        else if (target && tn_xml_is(e, "instance_controller")) {
            const tn_xml *skin = tn_xml_child(target, "skin");
            const tn_xml *geometry = skin ? find_id(r->root, tn_xml_get(skin, "source")) : NULL;
            if (geometry)
                add_geometry(r, geometry, m);
        }
    }
}

static bool read_dae(tn_triangles *out, const char *data, size_t size, char why[120], const char *path)
{
    static const double identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
    tn_arena *arena = tn_arena_create(out->context);
    tn_xml *root = NULL;
    if (!arena || tn_xml_parse(&root, arena, out->context, path, data, size) < 0) {
        snprintf(why, 120, "not well-formed XML");
        tn_arena_destroy(arena);
        return false;
    }
    dae_reader r = { .out = out, .arena = arena, .root = root, .why = why };
    const tn_xml *asset = tn_xml_child(root, "asset"), *unit = tn_xml_child(asset, "unit");
    const char *meter = unit ? tn_xml_get(unit, "meter") : NULL;
    double m = meter ? strtod(meter, NULL) : 1, scaled[16];
    memcpy(scaled, identity, sizeof scaled);
    for (int k = 0; k < 3; k++)
        scaled[5 * k] = m > 0 ? m : 1;
    const tn_xml *scene = tn_xml_child(tn_xml_child(root, "library_visual_scenes"), "visual_scene");
    if (scene)
        visit_node(&r, scene, scaled, 0);
    for (const tn_xml *g = tn_xml_child(tn_xml_child(root, "library_geometries"), "geometry");
         g && out->triangle_count == 0; g = tn_xml_next(g, "geometry"))
        add_geometry(&r, g, scaled);
    tn_arena_destroy(arena);
    return true;
}

const tn_mesh_format tn_mesh_dae = { ".dae", read_dae };
