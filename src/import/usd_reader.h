/* The reader of USD text: what its files share. */
#ifndef TN_IMPORT_USD_READER_H
#define TN_IMPORT_USD_READER_H

#include "source.h"

/* A value: numbers of all brackets one after the other, or texts (strings, tokens, paths, assets). */
typedef struct usd_attribute {
    const char *name;          /* "physics:mass" */
    double *numbers;
    size_t number_count;
    const char **texts;
    size_t text_count;
    tn_span place;
    struct usd_attribute *next;
} usd_attribute;

typedef struct usd_prim usd_prim;

/* A file. */
typedef struct usd_layer {
    const char *path;
    usd_prim *root;            /* its metadata are those of the layer; NULL: not readable */
    struct usd_layer *next;
} usd_layer;

typedef struct usd_variant {
    const char *set, *name;
    usd_prim *content;         /* in the place of the prim that has the set */
    struct usd_variant *next;
} usd_variant;

/* Another prim whose references and variants count for a prim, too. */
typedef struct usd_origin {
    const usd_prim *from;
    struct usd_origin *next;
} usd_origin;

struct usd_prim {
    const usd_layer *layer;
    usd_variant *variants;
    usd_origin *origins;
    bool abstract;             /* a class: only for prims that inherit from it */
    const char *type, *name, *path;            /* "PhysicsRevoluteJoint", "elbow", "/World/elbow" */
    usd_attribute *metadata, *attributes;
    usd_prim *parent, *first, *last, *next;
    tn_span place;
    double turn[3][3], shift[3];               /* to the world: x' = turn x + shift, units of the file; set by the reader */
    int body;                                  /* of the machine that it belongs to; TN_GROUND: none */
    bool root;                                 /* it is that body */
    int joint;                                 /* of the machine; -1: none */
};

typedef struct usd_reader {
    tn_machine *machine;
    const tn_source_files *files;
    usd_prim *root;            /* its metadata are those of the layer */
    tn_name_index *paths;
    usd_prim **prims;          /* by the numbers in paths; set by tn_usd_compose */
    usd_layer *layers;         /* that were read */
    int made;                  /* prims of all layers */
    size_t prim_count, prim_capacity;
    double length, mass;       /* m and kg of the file's units */
    int up;                    /* axis: 1 y, 2 z */
    bool failed;
} usd_reader;

#define USD_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

/* Reads a layer. */
int tn_usd_parse(usd_reader *r, usd_layer *layer, const char *data, size_t size);
/* A new child; parent NULL: none. NULL with an error. */
usd_prim *tn_usd_new_prim(usd_reader *r, const usd_layer *layer, usd_prim *parent, const char *type, const char *name, tn_span place);
/* Brings in sub-layers, references, payloads, inherited classes and chosen variants, then makes the table of paths. */
int tn_usd_compose(usd_reader *r);
const usd_attribute *tn_usd_get(const usd_prim *prim, const char *name);
const usd_attribute *tn_usd_meta(const usd_prim *prim, const char *name);
/* n numbers; an absent or empty attribute leaves out as it is. False: absent, or another number of them (with an error). */
bool tn_usd_numbers(usd_reader *r, const usd_prim *prim, const char *name, double *out, size_t n);
double tn_usd_number(usd_reader *r, const usd_prim *prim, const char *name, double otherwise);
const char *tn_usd_token(const usd_prim *prim, const char *name, const char *otherwise);
/* Whether an applied schema is listed: "PhysicsRigidBodyAPI". */
bool tn_usd_has_schema(const usd_prim *prim, const char *schema);
/* The first prim with the path, NULL: none. */
usd_prim *tn_usd_find(const usd_reader *r, const char *path);
/* The place of a prim's frame as a pose (m) and the lengths of its axes. */
tn_pose tn_usd_pose(const usd_reader *r, const usd_prim *prim, double scale[3]);

/* Shapes of a body, and its mass properties by them and by what the prim says. */
void tn_usd_shapes(usd_reader *r, const usd_prim *prim);
void tn_usd_mass(usd_reader *r, const usd_prim *prim);
void tn_usd_joint(usd_reader *r, usd_prim *prim);
/* Reads which joint a joint follows, after all joints. */
void tn_usd_mimic(usd_reader *r, const usd_prim *prim);

#endif
