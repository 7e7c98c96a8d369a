/* Command files of Adams View as datasets. */
#ifndef TN_IMPORT_ADM_COMMANDS_H
#define TN_IMPORT_ADM_COMMANDS_H

#include "adm_reader.h"
#include "solid_mass.h"

typedef struct cmd_value {
    const char *key, *text;    /* key in lower case; items separated by commas */
    struct cmd_value *next;
} cmd_value;

/* An object of the model. */
typedef struct cmd_object {
    const char *kind;          /* "constraint joint revolute": the command without "create" */
    const char *name, *shown;  /* in lower case, without the model; as written, without the model and the part */
    const char *frame;         /* the coordinate system that was the default when the object was created */
    int id, line;
    bool off;
    cmd_value *values;
    int value_count;
    struct cmd_object *next;
} cmd_object;

typedef struct adm_commands {
    adm_reader *reader;
    tn_name_index *names;
    cmd_object *first, **tail, **list;         /* list: by the numbers in names */
    size_t count, capacity;
    const char *model, *frame;
    bool degrees;
    int blocks;                /* of for, while and if around the command */
    int *lines;                /* of the command file, by the lines of the dataset */
    int line_count, line_capacity;
    tn_text text;
} adm_commands;

/* Reads the commands, and writes the dataset that says the same. Owned: tn_free. */
int tn_adm_commands_read(adm_commands **out, adm_reader *r, const char *data, size_t size, char **dataset);
/* The line of the command file that a line of the dataset comes from. */
int tn_adm_commands_line(const adm_commands *c, int line);
/* Pictures, and masses of parts that have a density only, after the parts. */
void tn_adm_commands_solids(adm_commands *c);

tn_span tn_cmd_place(const adm_commands *c, int line);
/* A name without its dot and its model, in lower case. */
const char *tn_cmd_plain(adm_commands *c, const char *name);
/* NULL: there is none, or several of a name without its part. */
cmd_object *tn_cmd_find(adm_commands *c, const char *name);
const char *tn_cmd_get(const cmd_object *o, const char *key);
/* n numbers of a value, angles in rad; false: there is no such value, or (with an error) it is no numbers. */
bool tn_cmd_numbers(adm_commands *c, const cmd_object *o, const char *key, double *out, int n, bool angle);
/* The last word of a kind: "revolute". */
const char *tn_cmd_last(const char *kind);
/* Adds the statement of an object to the dataset. */
void tn_cmd_write(adm_commands *c, const cmd_object *o);

#endif
