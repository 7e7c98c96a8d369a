/* Attributes: values that entities of a kind have beside the parameters of their type. A row of a table here and the field
 * of the definition (tenon/model.h) give everything else: the key in model files and its schema, the check, the command
 * "set", the property in the studio, and the comparison of models. */
#ifndef TN_MODEL_ATTRIBUTES_H
#define TN_MODEL_ATTRIBUTES_H

#include "check.h"

#include <math.h>

typedef enum tn_sign { TN_ANY_SIGN, TN_POSITIVE, TN_NOT_NEGATIVE } tn_sign;

typedef enum tn_attribute_kind {
    TN_ATTRIBUTE_NUMBER,
    TN_ATTRIBUTE_CHOICE,       /* one of some words; an integer of any size */
    TN_ATTRIBUTE_COORDINATE,   /* name of a joint coordinate */
    TN_ATTRIBUTE_EXPRESSION
} tn_attribute_kind;

/* The words of a choice; values NULL: a word stands for its index. */
typedef struct tn_words {
    const char *words[4];      /* ending in NULL */
    const int *values;
} tn_words;
extern const tn_words tn_crossing_words, tn_closing_words, tn_way_words;

/* NUMBER(field, unit, sign, largest value, default, description); the default NAN: may be none.
 * WORD(field, key, kind, words of a choice, description). */
#define TN_CONTACT_ATTRIBUTES(NUMBER, WORD) \
    NUMBER(restitution, "", TN_NOT_NEGATIVE, 1, 0, "0: impacts are plastic (default); 1: elastic.") \
    NUMBER(tangential_restitution, "", TN_NOT_NEGATIVE, 1, 0, \
        "Share of the slip that an impact turns round where friction holds. Default: 0.") \
    NUMBER(friction, "", TN_NOT_NEGATIVE, INFINITY, 0, "Coefficient of dry friction. Default: 0.") \
    NUMBER(static_friction, "", TN_NOT_NEGATIVE, INFINITY, 0, "Coefficient of friction at rest; 0 (default): friction.") \
    NUMBER(stribeck_speed, "m/s", TN_NOT_NEGATIVE, INFINITY, 0, \
        "Speed over which static friction falls to that of sliding; 0 (default): at once.") \
    NUMBER(viscous_friction, "s/m", TN_NOT_NEGATIVE, INFINITY, 0, \
        "Growth of the coefficient of sliding with the speed. Default: 0.") \
    NUMBER(friction_across, "", TN_NOT_NEGATIVE, INFINITY, 0, "In space: coefficient across the grain; 0 (default): friction.") \
    NUMBER(rolling_resistance, "m", TN_NOT_NEGATIVE, INFINITY, 0, "Torque against rolling over the normal force. Default: 0.") \
    NUMBER(drilling_radius, "m", TN_NOT_NEGATIVE, INFINITY, 0, \
        "In space: radius of the contact patch, for friction against spinning. Default: 0.") \
    NUMBER(adhesion, "N", TN_NOT_NEGATIVE, INFINITY, 0, "Force by which a touch may pull. Default: 0.") \
    NUMBER(stiffness, "N/m", TN_NOT_NEGATIVE, INFINITY, 0, \
        "Shapes give way: force per depth where the depth is 'scale'. 0 (default): rigid.") \
    NUMBER(modulus, "Pa", TN_NOT_NEGATIVE, INFINITY, 0, \
        "Balls give way after Hertz: effective modulus, 1 / E* = (1 - nu1^2) / E1 + (1 - nu2^2) / E2; instead of stiffness.") \
    NUMBER(exponent, "", TN_NOT_NEGATIVE, INFINITY, 1.5, "Of the depth in the force, with stiffness; 1.5 (default): Hertz, 1: linear.") \
    NUMBER(scale, "m", TN_NOT_NEGATIVE, INFINITY, 1, "Depth to which 'stiffness' belongs. Default: 1 m.") \
    NUMBER(damping, "s/m", TN_NOT_NEGATIVE, INFINITY, 0, \
        "Hunt and Crossley, where shapes give way: share of the elastic force per speed of approach. Default: 0.") \
    NUMBER(creep_speed, "m/s", TN_NOT_NEGATIVE, INFINITY, 0.001, \
        "Slip below which friction fades, where shapes give way. Default: 0.001.")
#define TN_FUSE_ATTRIBUTES(NUMBER, WORD) \
    NUMBER(force, "N", TN_POSITIVE, INFINITY, NAN, "Largest reaction force: beyond, the joint is disabled.") \
    NUMBER(torque, "N m", TN_POSITIVE, INFINITY, NAN, "Largest reaction torque: beyond, the joint is disabled.")
#define TN_LATCH_ATTRIBUTES(NUMBER, WORD) \
    WORD(when, "when", TN_ATTRIBUTE_EXPRESSION, NULL, "Expression of channels: the joint engages where it is 0.") \
    WORD(crosses, "crosses", TN_ATTRIBUTE_CHOICE, &tn_crossing_words, "up, down or both (default).") \
    WORD(snap, "closing", TN_ATTRIBUTE_CHOICE, &tn_closing_words, \
         "Bodies that are apart then: refuse (default) ends the run, snap moves them together.")
#define TN_RATCHET_ATTRIBUTES(NUMBER, WORD) \
    WORD(coordinate, "coordinate", TN_ATTRIBUTE_COORDINATE, NULL, "Which one. Default: the joint's first.") \
    WORD(way, "way", TN_ATTRIBUTE_CHOICE, &tn_way_words, "In which it is free: up (default) or down.") \
    NUMBER(pitch, "m|rad", TN_NOT_NEGATIVE, INFINITY, 0, \
           "From tooth to tooth; these are at its whole multiples. Default: 0, it stops at once.") \
    NUMBER(restitution, "", TN_NOT_NEGATIVE, 1, 0, "At the tooth. Default: 0.")

typedef struct tn_attribute {
    const char *name;
    tn_attribute_kind kind;
    const char *unit;          /* "" is a plain number; "m|rad": that of the joint coordinate */
    tn_sign sign;
    double most;
    double initial;            /* NaN: there may be none */
    const tn_words *words;
    const char *doc;
    size_t offset, size;       /* of the field in the definition */
} tn_attribute;

/* Each ends with name NULL. */
extern const tn_attribute tn_contact_attributes[], tn_fuse_attributes[], tn_latch_attributes[], tn_ratchet_attributes[];

size_t tn_attribute_count(const tn_attribute *rows);
/* NULL: there is no such attribute. */
const tn_attribute *tn_attribute_find(const tn_attribute *rows, const char *name);
/* "restitution and friction"; the buffer. */
const char *tn_attribute_names(char *buffer, size_t size, const tn_attribute *rows);
double *tn_attribute_place(const tn_attribute *row, void *definition);
/* NaN, if the attribute is not a number. */
double tn_attribute_value(const tn_attribute *row, const void *definition);
/* Word, name or expression; NULL for numbers, and where nothing is said. */
const char *tn_attribute_word(const tn_attribute *row, const void *definition);
/* The index of the chosen word. */
int tn_attribute_choice(const tn_attribute *row, const void *definition);
void tn_attribute_choose(const tn_attribute *row, void *definition, int word);
/* False, with what is wanted in `wanted`, for a value that the attribute cannot have. */
bool tn_attribute_allows(const tn_attribute *row, double value, char *wanted, size_t size);
void tn_attributes_default(const tn_attribute *rows, void *definition);
/* what: "ratchet: ", or "" for the entity itself. */
void tn_attributes_check(tn_check *check, const char *what, const tn_attribute *rows, const void *definition);
bool tn_attributes_same(const tn_attribute *rows, const void *a, const void *b);

#endif
