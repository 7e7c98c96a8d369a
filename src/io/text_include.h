/* A text with the files that it includes written into it. */
#ifndef TN_IO_TEXT_INCLUDE_H
#define TN_IO_TEXT_INCLUDE_H

#include "origin.h"
#include "source_edit.h"

/* The source is that of the origin's first file. */
int tn_text_include(tn_source *source, const tn_origin *origin);

#endif
