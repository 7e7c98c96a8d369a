/* Triangles of a body's shapes, for pictures. */
#ifndef TN_CLI_GLTF_SHAPES_H
#define TN_CLI_GLTF_SHAPES_H

#include "robot.h"
#include <stdint.h>

typedef struct gltf_mesh {
    float *vertices;           /* vertex_count x 3, in the body's frame */
    uint32_t *corners;         /* corner_count, three a triangle */
    size_t vertex_count, vertex_capacity, corner_count, corner_capacity;
} gltf_mesh;

/* Adds all shapes of a body; shapes without an end (half-spaces) are no pictures. */
void tn_gltf_shapes(gltf_mesh *mesh, robot *r, int body);
void tn_gltf_mesh_free(gltf_mesh *mesh);

#endif
