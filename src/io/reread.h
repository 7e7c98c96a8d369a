/* Reads models again from the texts that their origin keeps. */
#ifndef TN_IO_REREAD_H
#define TN_IO_REREAD_H

#include "origin.h"
#include "tenon/model.h"

/* Like tn_model_read_with. Model files come from the origin, meshes and tables from disk; it is an error when these
 * have changed. */
int tn_model_reread(tn_model **out, tn_context *context, const tn_origin *origin, const tn_setting *parameters,
                    size_t count);

/* Another text in the place of the origin's first file; other model files from those given, from the origin, or from
 * disk. */
int tn_model_read_in_place(tn_model **out, const tn_origin *origin, const tn_origin *files, const char *text,
                           size_t size);

#endif
