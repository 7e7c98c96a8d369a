/* Elements that Drake has added to URDF and SDFormat alike. */
#ifndef TN_IMPORT_DRAKE_H
#define TN_IMPORT_DRAKE_H

#include "source.h"

/* How the format around the elements finds what they name. */
typedef struct tn_drake_names {
    void *user;
    /* The body that a link or frame stands for, and its place on it; false with an error. */
    bool (*find)(void *user, const tn_xml *element, const char *name, int *body, tn_pose *place);
} tn_drake_names;

bool tn_drake_knows(const tn_xml *element);
/* Adds the spring, bushing or ball joint that an element stands for, when all bodies have their places. */
void tn_drake_read(tn_machine *machine, const tn_xml *element, const tn_drake_names *names);

#endif
