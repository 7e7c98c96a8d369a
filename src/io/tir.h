/* Coefficients of tyres in .tir files: lines KEY = value, in sections, with comments after $ or !. */
#ifndef TN_IO_TIR_H
#define TN_IO_TIR_H

#include "tenon/sys/force.h"
#include "draft.h"
#include "mem.h"

/* Adds the parameters of a tyre type that the file gives and the draft does not have. Errors have their line in the file. */
int tn_tir_read(tn_force_draft *draft, tn_context *context, tn_arena *arena, const tn_force_type *type, const char *path,
                tn_span where);

#endif
