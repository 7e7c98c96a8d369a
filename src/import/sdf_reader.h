/* The reader of SDFormat: what its files share. */
#ifndef TN_IMPORT_SDF_READER_H
#define TN_IMPORT_SDF_READER_H

#include "source.h"

typedef enum sdf_kind { SDF_MODEL, SDF_LINK, SDF_JOINT, SDF_FRAME } sdf_kind;
enum { SDF_OPEN, SDF_BUSY, SDF_RESOLVED };

/* Everything that has a pose and a name: "arm::hand::palm". */
typedef struct sdf_entity {
    sdf_kind kind;
    const char *name, *scope;  /* with scope; the scope it stands in */
    const char *inner;         /* model: the scope of its content; that around it for merged ones */
    const char *home;          /* the name of the model's own frame in the scope; "__model__" unless it was merged */
    const tn_xml *element;
    tn_pose raw, world;
    const char *relative;      /* NULL: the world */
    int state;
    int body, joint;           /* of the machine; -1: none */
} sdf_entity;

/* A shape whose pose is relative to another frame than its link. */
typedef struct sdf_late_shape {
    int body;
    size_t shape;
    int link;                  /* the entity it belongs to */
    const char *relative;
    const tn_xml *pose;
} sdf_late_shape;

typedef struct sdf_reader {
    tn_machine *machine;
    const tn_source_files *files;
    tn_name_index *names;
    sdf_entity *entities;
    size_t entity_count, entity_capacity;
    sdf_late_shape *late;
    size_t late_count, late_capacity;
    int version;               /* 104 for 1.4; 0: not given. Before 1.5 axes of joints are in the frame of the model */
    bool failed;
} sdf_reader;

#define SDF_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

/* Replaces <include> elements by the models they name. */
void tn_sdf_include(sdf_reader *r, tn_xml *root);
/* "0 0 1 0 0 0" of the <pose> in an element. */
tn_pose tn_sdf_pose(sdf_reader *r, const tn_xml *owner);
void tn_sdf_inertial(sdf_reader *r, const tn_xml *link, int body);
/* <visual> and <collision> of a link. */
void tn_sdf_shape(sdf_reader *r, const tn_xml *element, int body, int link);
/* Shapes that are placed relative to other frames, when these are known. */
void tn_sdf_place_shapes(sdf_reader *r);
/* Whether a model around the element is static. */
bool tn_sdf_is_static(const tn_xml *element);
int tn_sdf_find(sdf_reader *r, const char *scope, const char *name);
/* The same for a name that an element of the file says: "__model__" and "" are the model that the element is in. */
int tn_sdf_find_from(sdf_reader *r, const sdf_entity *from, const char *name);
tn_pose tn_sdf_resolve(sdf_reader *r, int entity);
/* The body that a child element of an entity names; -1 with an error. */
int tn_sdf_body(sdf_reader *r, const sdf_entity *from, const tn_xml *end);
void tn_sdf_joint(sdf_reader *r, int entity);
/* Couplings of its axes to other joints, after all joints. */
void tn_sdf_mimic(sdf_reader *r, int entity);
/* Couples the two joints that a gearbox is about, after all joints. */
void tn_sdf_gearbox(sdf_reader *r, int entity);

/* Joints of SDFormat in <gazebo> elements of a URDF file whose links have their places: they close loops. */
int tn_sdf_joints_of_urdf(tn_machine *machine, const tn_source_files *files, const tn_xml *robot, const tn_name_index *links);

/* "1.10" is 110, and newer than "1.9"; 0: no version. */
int tn_sdf_version(const char *text);

#endif
