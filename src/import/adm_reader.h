/* The reader of Adams datasets: what its files share. */
#ifndef TN_IMPORT_ADM_READER_H
#define TN_IMPORT_ADM_READER_H

#include "source.h"

typedef struct adm_argument {
    const char *key;           /* upper case; "" for a word by itself */
    const char *text;
    struct adm_argument *next;
} adm_argument;

typedef struct adm_statement {
    const char *keyword;       /* upper case */
    const char *name;          /* by the comment of Adams View above it, or "joint_3" */
    int id;
    tn_span place;
    bool used;                 /* SPLINE, VARIABLE: a function names it */
    adm_argument *arguments;
    struct adm_statement *next;
} adm_statement;

typedef struct adm_marker {
    int body, id;
    tn_pose pose;              /* in the body's frame */
    int frame;                 /* of the body, for expressions; -1: not asked for yet */
} adm_marker;

typedef struct adm_joint {
    int joint;                 /* of the machine */
    int i, j;                  /* markers */
} adm_joint;

typedef struct adm_reader {
    tn_machine *machine;
    const tn_source_files *files;
    adm_statement *first;
    double length, mass, time, force;          /* SI of the file's units */
    tn_name_index *part_ids, *marker_ids, *joint_ids;
    adm_marker *markers;
    size_t marker_count, marker_capacity;
    adm_joint *joints;
    size_t joint_count, joint_capacity;
    int nesting;               /* of variables whose functions are being read */
    bool failed;
} adm_reader;

#define ADM_ERROR(r, place, ...) \
    ((r)->failed = true, (void)tn_fail((r)->machine->context, TN_ERROR_MODEL, place, __VA_ARGS__))

/* The statements of a dataset. */
int tn_adm_parse(adm_reader *r, const char *data, size_t size);
/* UNITS: sizes of the file's units. */
void tn_adm_units(adm_reader *r);
/* Whether a word is the name or an abbreviation of it of at least three letters. */
bool tn_adm_is(const char *word, const char *name);
/* The text of an argument, or the flag; NULL: there is none. */
const char *tn_adm_get(const adm_statement *s, const char *key);
bool tn_adm_has(const adm_statement *s, const char *flag);
/* Numbers of an argument, "90D" in rad; how many there are, at most max. 0: there is no such argument. */
int tn_adm_numbers(adm_reader *r, const adm_statement *s, const char *key, double *out, int max);
double tn_adm_number(adm_reader *r, const adm_statement *s, const char *key, double otherwise);
/* A number at text, "1.5E-3" or "90D" (in rad); NULL: none. */
const char *tn_adm_scan(const char *text, double *out);
/* A marker by the argument that has its number; NULL with an error when there is none. */
adm_marker *tn_adm_marker(adm_reader *r, const adm_statement *s, const char *key);
adm_marker *tn_adm_marker_by_id(const adm_reader *r, int id);
tn_pose tn_adm_world(const adm_reader *r, const adm_marker *m);

/* Joints, primitives, couplers, gears and motions. */
void tn_adm_constraint(adm_reader *r, const adm_statement *s);
void tn_adm_coupling(adm_reader *r, const adm_statement *s);
void tn_adm_motion(adm_reader *r, const adm_statement *s);
/* GCON: a constraint by a function. */
void tn_adm_constraint_by_function(adm_reader *r, const adm_statement *s);
/* A coordinate along or about the z axis of marker j. */
typedef struct adm_coordinate {
    int joint;                 /* of the machine; -1: there is none */
    const char *name;
    double sign;               /* the machine's coordinate counts this way */
} adm_coordinate;
/* The coordinate of the joint of the markers i and j; where they have none, that of a joint that holds nothing and measures, if
 * their z axes are parallel. */
adm_coordinate tn_adm_coordinate(adm_reader *r, int i, int j, bool angle);
/* Pictures. */
void tn_adm_graphics(adm_reader *r, const adm_statement *s);
/* Forces. */
void tn_adm_force(adm_reader *r, const adm_statement *s);

/* A function of Adams as an expression without units, of file units; NULL with a text in why when it has no counterpart. In
 * the arena. */
const char *tn_adm_expression(adm_reader *r, const char *text, char why[160]);
/* A call of a function that is more than an expression of its arguments; NULL with a text in why. */
const char *tn_adm_call(adm_reader *r, const char *name, const char **arguments, int count, char why[160]);
/* Splines that functions use, as tables of the model. */
void tn_adm_tables(adm_reader *r);

#endif
