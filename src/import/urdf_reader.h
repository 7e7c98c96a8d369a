/* The reader of URDF: what its files share. */
#ifndef TN_IMPORT_URDF_READER_H
#define TN_IMPORT_URDF_READER_H

#include "source.h"

typedef struct urdf_reader {
    tn_machine *machine;
    const tn_source_files *files;
    tn_name_index *links, *joints;
    int *parents;              /* by body: the joint above it, -1: none */
    bool failed;
} urdf_reader;

#define URDF_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

typedef struct urdf_type {
    const char *name, *type, *coordinate;      /* type NULL: no joint */
    bool limited;
} urdf_type;

/* xyz and rpy of an element; NULL: none. */
tn_pose tn_urdf_pose(urdf_reader *r, const tn_xml *origin);
/* The kind of joint that a type names; NULL with an error. */
const urdf_type *tn_urdf_type(urdf_reader *r, const tn_xml *joint, const char *name);
/* Frames of a joint at places on its bodies, by its <axis>. */
void tn_urdf_frames(urdf_reader *r, const tn_xml *element, const char *name, tn_machine_joint *joint, const tn_pose *place1,
                    const tn_pose *place2);

/* Elements of simulators: true when all that an element says is understood. After the links and joints. */
bool tn_urdf_extension(urdf_reader *r, const tn_xml *element);
/* Whether a <gazebo> element has joints of SDFormat, without expressions of xacro. */
bool tn_urdf_closes_loops(const tn_xml *gazebo);
/* Joints of simulators that close loops, when the links have their places. */
void tn_urdf_close_loops(urdf_reader *r, const tn_xml *root);

#endif
