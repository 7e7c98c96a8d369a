/* Functions that the readers of formats share: numbers in attributes, poses, files that a file refers to. */
#ifndef TN_IMPORT_SOURCE_H
#define TN_IMPORT_SOURCE_H

#include "machine.h"
#include "xml.h"

/* The files of an import. */
typedef struct tn_source_files {
    tn_machine *machine;
    const char *main;          /* the machine itself */
    const char *folder;        /* its folder, absolute */
    const char **roots;        /* absolute folders that may be read; the first is the package of the main file */
    size_t root_count;
} tn_source_files;

/* A reader of a format. */
typedef struct tn_importer {
    const char *name, *endings, *doc;          /* "urdf", ".urdf .xml", "Unified Robot Description Format" */
    /* Whether the first bytes look like the format, for endings that several have; NULL: by the ending alone. */
    bool (*recognises)(const char *data, size_t size);
    /* Fills the machine. Errors go to the context; what goes on nevertheless are notes of the machine. */
    int (*read)(tn_machine *machine, const tn_source_files *files, const char *data, size_t size);
} tn_importer;

extern const tn_importer *const tn_importers[];        /* ending in NULL */

/* Folders that may be read: the package around the main file, and the folders of the others. */
int tn_source_begin(tn_source_files *out, tn_machine *machine, const char *const *paths, size_t count);
/* The file that a reference means, on disk and inside the allowed folders: package://, model://, file://, relative to
 * folder. NULL with a note when there is none. folder NULL: that of the main file. */
const char *tn_source_locate(const tn_source_files *files, const char *folder, const char *reference, tn_span place);
/* The same without a note; *outside: there is such a file, in a folder that may not be read. */
const char *tn_source_search(const tn_source_files *files, const char *folder, const char *reference, bool *outside);
/* The folder of the file that a place is in; NULL: that of the main file. */
const char *tn_source_folder(const tn_source_files *files, tn_span place);
/* Reads a whole file that was found; owned by the context: tn_free. */
int tn_source_load(char **data, size_t *size, const tn_source_files *files, const char *path, tn_span place);

/* Numbers separated by space or commas: how many there are, at most max are written; -1: something else, or not finite. */
int tn_parse_numbers(double *out, int max, const char *text);
/* Exactly n numbers of an attribute, or of a text. An absent one (NULL) leaves out as it is. Adds an error otherwise;
 * what names it in the message. */
void tn_source_numbers(tn_machine *machine, double *out, int n, const char *text, const char *what, tn_span place);
/* Takes away elements below the root that belong to others by the prefix of their names, and counts them; those of one prefix
 * stay. */
void tn_source_drop_foreign(tn_machine *machine, tn_xml *root, const char *own);
void tn_attribute_numbers(tn_machine *machine, double *out, int n, const tn_xml *element, const char *attribute);
double tn_attribute_number(tn_machine *machine, const tn_xml *element, const char *attribute, double otherwise);
/* A bound of a range: a number, or inf, -inf, Infinity. */
double tn_attribute_bound(tn_machine *machine, const tn_xml *element, const char *attribute, double otherwise);
/* Three factors; one number stands for all of them. */
void tn_attribute_scale(tn_machine *machine, double out[3], const tn_xml *element, const char *attribute);
bool tn_attribute_bool(const tn_xml *element, const char *attribute, bool otherwise);

/* Rotation by angles about axes: "xyz" turns about the new axes, "XYZ" about the fixed ones (lower and upper case as in
 * MuJoCo's eulerseq). */
void tn_euler_quat(double q[4], const double angles[3], const char *sequence);

/* The form in which the world is known by name in joints. */
typedef struct tn_name_index tn_name_index;
/* A table from names to indices. put returns false when the name is there already. find: -1, there is none. */
int tn_index_create(tn_name_index **out, tn_machine *machine);
bool tn_index_put(tn_name_index *index, const char *name, int value);
int tn_index_find(const tn_name_index *index, const char *name);
/* "; did you mean 'x'?" or "" */
const char *tn_index_hint(const tn_name_index *index, const char *name, char *buffer, size_t size);

#endif
