/* Models to start from: the files of a folder, with what their first comment says. */
#ifndef TN_STUDIO_GALLERY_H
#define TN_STUDIO_GALLERY_H

#include <cJSON.h>
#include <stdbool.h>

/* [{ name, title, text, picture }], by name; empty when there is no such folder. title is the model's name, text its
 * first comment, picture the name of the picture that pages have of it. Owned by the caller. */
cJSON *tn_gallery_read(const char *folder);
/* The file of a model, from the gallery's folder; NULL: it has none of that name. */
const char *tn_gallery_file(const cJSON *gallery, const char *name);

#endif
