/* Files of triangle surfaces, for pictures and volumes. One reader a format: mesh_NAME.c and a line in mesh_list.h. */
#ifndef TN_IMPORT_MESH_FILE_H
#define TN_IMPORT_MESH_FILE_H

#include "machine.h"

typedef struct tn_triangles {
    tn_context *context;
    double *vertices;          /* vertex_count x 3 */
    int *triangles;            /* triangle_count x 3 */
    size_t vertex_count, vertex_capacity, triangle_count, triangle_capacity;
    double unit;               /* m: length of the file's unit, where it says so; 1 otherwise */
    int status;
} tn_triangles;

typedef struct tn_mesh_format {
    const char *endings;
    /* data[size] is 0. False: not of this format; why is a text of at most 120 bytes. */
    bool (*read)(tn_triangles *out, const char *data, size_t size, char why[120], const char *path);
} tn_mesh_format;

enum { TN_MESH_MOST = 20000000 };      /* triangles and vertices */

/* The surface of a file; every vertex is finite. False with a note at place when it cannot be read. The caller frees it
 * with tn_triangles_free in any case. */
bool tn_mesh_file_read(tn_triangles *out, tn_machine *machine, const char *path, tn_span place);
void tn_triangles_free(tn_triangles *mesh);
void tn_triangles_vertex(tn_triangles *mesh, double x, double y, double z);
void tn_triangles_add(tn_triangles *mesh, long a, long b, long c);

/* How far a surface is from being closed: the length of the sum of its area vectors as a share of its area. That of a closed one is 0,
 * and only then is the volume the same wherever the origin is. */
double tn_triangles_opening(const tn_triangles *mesh, const double scale[3]);
/* Warns where the mass comes from the volume of a surface that is not closed. */
void tn_triangles_warn_open(tn_machine *machine, const tn_triangles *mesh, const double scale[3], const char *name, tn_span place);
/* Volume, centroid and inertia about it of a closed surface times a scale; inertia for unit density. False when the volume
 * is not positive. */
bool tn_triangles_moments(double *volume, double com[3], double inertia[6], const tn_triangles *mesh,
                          const double scale[3]);
/* A binary STL of the surface times a scale. Owned: tn_free. */
int tn_triangles_stl(char **data, size_t *size, const tn_triangles *mesh, const double scale[3]);

#endif
