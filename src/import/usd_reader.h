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
struct usd_prim {
    const char *type, *name, *path;            /* "PhysicsRevoluteJoint", "elbow", "/World/elbow" */
    usd_attribute *metadata, *attributes;
    usd_prim *parent, *first, *last, *next;
    tn_span place;
    double turn[3][3], shift[3];               /* to the world: x' = turn x + shift, units of the file; set by the reader */
    int body;                                  /* of the machine that it belongs to; TN_GROUND: none */
    bool root;                                 /* it is that body */
};

typedef struct usd_reader {
    tn_machine *machine;
    const tn_source_files *files;
    usd_prim *root;            /* its metadata are those of the layer */
    tn_name_index *paths;
    usd_prim **prims;          /* by the numbers in paths */
    size_t prim_count, prim_capacity;
    double length, mass;       /* m and kg of the file's units */
    int up;                    /* axis: 1 y, 2 z */
    bool failed;
} usd_reader;

#define USD_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

/* Reads the layer into r->root and the table of paths. */
int tn_usd_parse(usd_reader *r, const char *data, size_t size);
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
void tn_usd_joint(usd_reader *r, const usd_prim *prim);

#endif
