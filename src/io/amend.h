/* Commands, written into the text of the model they change. */
#ifndef TN_IO_AMEND_H
#define TN_IO_AMEND_H

#include "entities.h"
#include "source_edit.h"

/* Does to the text what the command did to the model, as far as names and values go: what hangs on a removed thing
 * stays, and places "as built" are as written. model is for its joint types. The command has been carried out: it is
 * known to make sense. */
int tn_amend(const tn_source *source, const tn_source_node *command, const tn_model *model);

/* Another value for a parameter: of the model, or, by its path, of a subsystem that the text has; in deeper ones
 * nothing changes. False: out of memory. */
bool tn_amend_parameter(const tn_source *source, const char *name, tn_source_node *value);
/* The name without its path; *entry: that of its subsystem, NULL when it is in none or the text has it not. */
const char *tn_amend_owner(const tn_source *source, const char *parameter, tn_source_node **entry);

/* The entry of the subsystem whose settings "front_left.solve" are; NULL: it is something else, or the text has it
 * not. */
tn_source_node *tn_amend_settings_owner(const tn_source *source, const char *path);

/* The map of a section of the model, made when it is not there; NULL when out of memory. */
tn_source_node *tn_amend_section(const tn_source *source, int section);
/* Bodies, subsystems, joints, drives, forces, contacts and states: the sections whose names are entities; ends
 * with -1. */
extern const int tn_entity_sections[];

#endif
