/* The reader of FreeCAD documents: what its files share. */
#ifndef TN_IMPORT_FCSTD_READER_H
#define TN_IMPORT_FCSTD_READER_H

#include "archive.h"
#include "source.h"

typedef struct fc_object {
    const char *name, *type;
    const tn_xml *data;        /* its entry in ObjectData, or in Objects */
    int body;                  /* of the machine; -1: none */
    tn_pose world;
    bool placed;
} fc_object;

/* A joint of the document, in an assembly. */
typedef struct fc_joint {
    fc_object *object, *container;
    int frame;                 /* body of the assembly's frame */
    int joint;                 /* of the machine; -1: none */
} fc_joint;

/* A shape in the archive that belongs to a body. */
typedef struct fc_shape {
    int body;
    tn_pose in;                /* its frame on the body */
    const char *entry;
} fc_shape;

typedef struct fc_reader {
    tn_machine *machine;
    const tn_source_files *files;
    tn_archive *archive;
    tn_name_index *names;
    fc_object *objects;
    size_t object_count;
    fc_joint *joints;
    size_t joint_count, joint_capacity;
    fc_shape *shapes;
    size_t shape_count, shape_capacity;
    size_t parts;
    bool failed;
} fc_reader;

#define FC_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

double tn_fc_number(fc_reader *r, const fc_object *object, const char *name, double otherwise);
bool tn_fc_flag(const fc_object *object, const char *name, bool otherwise);
tn_pose tn_fc_placement(fc_reader *r, const fc_object *object, const char *name);
const char *tn_fc_enumeration(fc_reader *r, const fc_object *object, const char *name);
fc_object *tn_fc_find(const fc_reader *r, const char *name);
fc_object *tn_fc_link(const fc_reader *r, const fc_object *object, const char *name, const char **file);
const char *tn_fc_sub(const fc_object *object, const char *name);

/* Notes a joint for later. */
void tn_fc_joint_add(fc_reader *r, fc_object *joint, fc_object *container, int frame);
/* Makes all joints, after the parts. */
int tn_fc_joints(fc_reader *r);
/* The file of a property in the archive; NULL: none. The first link of a group; NULL: none. */
const char *tn_fc_file(const fc_object *object, const char *name);
const tn_xml *tn_fc_group(const fc_object *object);
/* Notes the shapes of a part; masses and meshes of all of them, by the CAD helper. */
void tn_fc_shape(fc_reader *r, const fc_object *object);
int tn_fc_shapes(fc_reader *r);

#endif
