/* A model as other programs describe machines: a tree of bodies from ground up, and the joints that close loops. */
#ifndef TN_CLI_ROBOT_H
#define TN_CLI_ROBOT_H

#include "command.h"
#include <cJSON.h>
#include <stdio.h>

typedef enum robot_kind {
    ROBOT_FIXED, ROBOT_REVOLUTE, ROBOT_PRISMATIC, ROBOT_SPHERICAL, ROBOT_UNIVERSAL, ROBOT_CYLINDRICAL, ROBOT_PLANAR,
    ROBOT_OTHER                /* no counterpart elsewhere */
} robot_kind;

typedef struct robot_joint {
    tn_id id;
    const char *name, *type;
    robot_kind kind;
    int body1, body2;
    tn_pose frame1, frame2;    /* in the frames of the bodies; z is the axis */
    bool tree;                 /* part of the tree; otherwise it closes a loop */
    bool reversed;             /* in the tree: body 2 is the parent */
    double start[3];           /* coordinates at t = 0 */
    double low, high;          /* of the only coordinate; infinite: none */
    double damping, friction, stiffness, rest;
    double armature;           /* of rotors that turn with the only coordinate */
} robot_joint;

typedef struct robot_body {
    tn_id id;
    const char *name;
    tn_pose pose;              /* in the world at t = 0, assembled */
    double mass, com[3], inertia[6];
    int parent, joint;         /* joint -1: ground, or free in the world (parent 0) */
} robot_body;

typedef struct robot_coupling {
    const char *name;
    int joint1, joint2;        /* factor1 q1 + factor2 q2 = offset */
    double factor1, factor2, offset;
} robot_coupling;

typedef struct robot {
    const tn_model *model;
    tn_session *session;
    robot_body *bodies;        /* 0 is ground; parents stand before their children in order */
    robot_joint *joints;
    robot_coupling *couplings;
    int *order;
    size_t body_count, joint_count, coupling_count;
    char **notes;              /* what has no counterpart */
    size_t note_count, note_capacity;
} robot;

/* The machine of a model in its assembled start. Returns the exit status; destroy it in any case. */
int tn_robot_make(robot *out, tn_context *context, tn_model *model, cJSON *diagnostics);
void tn_robot_destroy(robot *r);
void tn_robot_note(robot *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writers. What they leave out they note. */
void tn_robot_urdf(robot *r, FILE *out);
void tn_robot_mjcf(robot *r, FILE *out);
void tn_robot_simscape(robot *r, FILE *out);
/* Runs the model to its end and writes shapes and motion: glTF 2.0, as GLB when binary. Returns the exit status. */
int tn_robot_gltf(robot *r, FILE *out, bool binary, tn_context *context, cJSON *diagnostics);

/* Poses: b, given in a, where a is given; b as seen from a; a vector turned. */
tn_pose tn_robot_compose(const tn_pose *a, const tn_pose *b);
tn_pose tn_robot_relative(const tn_pose *a, const tn_pose *b);
void tn_robot_turn(double out[3], const double q[4], const double v[3]);
void tn_robot_matrix(double R[3][3], const double q[4]);
/* A text inside quotes of XML. */
void tn_robot_text(FILE *out, const char *text);

#endif
