/* Parts and their faces as tenon-cad reports them. */
#ifndef TN_IMPORT_CAD_PARTS_H
#define TN_IMPORT_CAD_PARTS_H

#include "machine.h"

typedef enum tn_face_kind { TN_FACE_PLANE, TN_FACE_CYLINDER, TN_FACE_SPHERE } tn_face_kind;

/* A face of a part, in the part's coordinates (m). */
typedef struct tn_cad_face {
    tn_face_kind kind;
    double point[3], axis[3];  /* plane: centroid, normal out of the material; otherwise centre and axis */
    double radius, low, high;  /* extent along the axis from point */
    double wrap;               /* rad: how far round it goes */
    double area;
    bool inner;                /* a hole or socket */
    double box[6];             /* smallest x y z, largest x y z */
} tn_cad_face;

typedef struct tn_cad_part {
    const char *name;
    double volume, com[3], inertia[6], density;
    int solids;
    tn_cad_face *faces;
    size_t face_count, face_capacity;
    double *vertices;          /* of its mesh; NULL: none */
    int *triangles;
    size_t vertex_count, triangle_count;
} tn_cad_part;

typedef struct tn_cad_occurrence {
    int parent, part;          /* -1: none */
    tn_pose pose;              /* in the world */
    const char *name;
} tn_cad_occurrence;

typedef struct tn_cad_tree {
    tn_cad_part *parts;
    size_t part_count, part_capacity;
    tn_cad_occurrence *occurrences;
    size_t occurrence_count, occurrence_capacity;
} tn_cad_tree;

/* Reads the answer of the helper; meshes come from the folder. */
int tn_cad_parse(tn_cad_tree *out, tn_machine *machine, char *answer, const char *folder, tn_span place);
/* Mass of a part for a body, with the density of the file when it is one (50 ... 23000 kg/m^3), or that of the options; in is
 * the part's frame on the body. */
void tn_cad_mass(tn_machine *machine, int body, const tn_cad_part *part, const tn_pose *in);
/* The mesh of a part as a shape of a body. */
void tn_cad_shape(tn_machine *machine, int body, const tn_cad_part *part, const tn_pose *in);

/* A body with the part whose faces it has. */
typedef struct tn_cad_body {
    int body;
    const tn_cad_part *part;
    int group;                 /* bodies of one group are rigidly connected already */
    const char *name;
} tn_cad_body;
/* Proposes joints where faces of different groups meet; adds them to the machine with confidence and evidence. */
int tn_cad_infer(tn_machine *machine, const tn_cad_body *bodies, size_t count);

#endif
