/* The reader of MJCF: what its files share. */
#ifndef TN_IMPORT_MJCF_READER_H
#define TN_IMPORT_MJCF_READER_H

#include "source.h"

/* A joint of the file: a coordinate of a joint of the machine. */
typedef struct mjcf_joint {
    int joint;                 /* of the machine; -1: a free joint, or one of several that leave a body free */
    const char *coordinate;    /* NULL: none of its own (ball, free) */
    double sign;               /* the machine's coordinate counts this way */
    double ref;                /* value of the coordinate in the pose of the file */
    double shift;              /* the machine counts sign * (q - shift) */
    bool hinge;
    int body;                  /* that it moves */
    double anchor[3], axis[3]; /* in the body's frame; unit vector */
    double efforts[2];         /* N or N m: bounds of what its actuators together do; both 0: none */
    bool driven;               /* an actuator acts along it already */
} mjcf_joint;

typedef struct mjcf_mesh {
    const char *path;          /* NULL: not found, or no file */
    double *vertices;          /* without a file: vertex_count x 3; NULL: none */
    int *triangles;            /* triangle_count x 3: as given, or their convex hull */
    size_t vertex_count, triangle_count;
    double scale[3];
    tn_pose ref;               /* of the mesh's own frame */
    const tn_xml *element;
} mjcf_mesh;

typedef struct mjcf_site {
    int body;
    tn_pose pose;
} mjcf_site;

/* A part of a tendon's length: coef times a coordinate. */
enum { MJCF_TENDON_TERMS = 8 };
typedef struct mjcf_term {
    mjcf_joint joint;
    double coef;
} mjcf_term;

/* A spatial tendon as strands from site to site. */
typedef struct mjcf_spatial {
    const tn_xml *tendon;
    mjcf_term terms[MJCF_TENDON_TERMS];
    size_t count;              /* 0: it cannot be written */
} mjcf_spatial;

typedef struct mjcf_reader {
    tn_machine *machine;
    const tn_source_files *files;
    tn_xml *root;
    double angle;              /* rad of the file's unit */
    char eulerseq[4];
    const char *mesh_folder;
    bool autolimits;
    bool global;               /* places are in the world, not in the frame of the body around them */
    int from_geoms;            /* 0: no, 1: yes, 2: where there is no inertial */
    int groups[2];             /* geoms of these groups have mass */
    bool no_limits, no_actuators, no_equalities;       /* flags of <option> */
    double bound_mass, bound_inertia, total_mass;
    tn_name_index *classes, *body_names, *joint_names, *mesh_names, *site_names, *tendon_names;
    const tn_xml **defaults;   /* by class: the <default> element */
    size_t default_count, default_capacity;
    const tn_xml *main_default;        /* the last <default> at the top: those before it count after it; NULL: none */
    mjcf_joint *joints;
    size_t joint_count, joint_capacity;
    mjcf_mesh *meshes;
    size_t mesh_count, mesh_capacity;
    mjcf_site *sites;
    size_t site_count, site_capacity;
    const tn_xml **tendons;
    size_t tendon_count, tendon_capacity;
    mjcf_spatial *spatials;
    size_t spatial_count, spatial_capacity;
    int *parents;              /* by body; NULL: not asked for yet */
    int copies;                /* elements made by <replicate> */
    bool failed;
} mjcf_reader;

#define MJCF_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

/* Room for one more entry in an array of the arena. */
bool tn_mjcf_grow(mjcf_reader *r, void *array, size_t *capacity, size_t count, size_t size);
/* A copy of the element with what its class gives where it says nothing itself. childclass: of the body around it. */
tn_xml *tn_mjcf_complete(mjcf_reader *r, const tn_xml *element, const char *childclass);
/* A pose whose z axis has the direction, turned from (0, 0, 1) the shortest way, as MuJoCo does for zaxis and fromto. */
tn_pose tn_mjcf_pose_z(const double p[3], const double axis[3]);
tn_pose tn_mjcf_pose(mjcf_reader *r, const tn_xml *element);
/* limited and range of an element by the rules of autolimits. */
bool tn_mjcf_range(mjcf_reader *r, const tn_xml *element, const char *flag, const char *range, double out[2]);

/* The joints of a body, given completed; in is the body's frame in its parent. */
void tn_mjcf_joints(mjcf_reader *r, tn_xml *const *list, size_t count, int parent, int body, const tn_pose *in);
/* A geom, given completed: shape, and mass if with_mass; in is the frame around it on the body. */
void tn_mjcf_geom(mjcf_reader *r, const tn_xml *geom, int body, const tn_pose *in, bool with_mass);
void tn_mjcf_meshes(mjcf_reader *r);
/* <contact> <exclude>, after the bodies. */
void tn_mjcf_excludes(mjcf_reader *r);
void tn_mjcf_inertial(mjcf_reader *r, const tn_xml *inertial, int body, const tn_pose *in);
/* <equality>, <tendon> and <actuator>, after the bodies. */
void tn_mjcf_loads(mjcf_reader *r);

/* The parts of a tendon's length; 0: a joint has no coordinate of its own, a site is not there, or there are too many. Strands of
 * spatial tendons are made when they are first asked for. */
size_t tn_mjcf_tendon_terms(mjcf_reader *r, const tn_xml *tendon, mjcf_term out[MJCF_TENDON_TERMS]);

/* The effort along a length: constant + by_length * L + by_rate * L', from low to high if bounded. */
typedef struct mjcf_law {
    double constant, by_length, by_rate;
    bool bounded;
    double low, high;
} mjcf_law;
/* Distributes the effort along the sum of the terms over their joints. */
void tn_mjcf_effort(mjcf_reader *r, const mjcf_term *terms, size_t count, const char *name, const char *source, tn_span place,
                    const mjcf_law *law);
/* Stiffness, damping and range of a tendon. */
void tn_mjcf_tendon_spring(mjcf_reader *r, const tn_xml *tendon, const tn_xml *full);

#endif
