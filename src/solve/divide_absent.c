/* Replaces divide.c in builds without METIS. */
#include "tenon/sys/partition.h"
#include "diag.h"

int tn_structure_divide(int *part, int *count, tn_context *context, const tn_structure *structure, int parts,
                        double unevenness)
{
    (void)part, (void)structure, (void)parts, (void)unevenness;
    *count = 0;
    return tn_fail(context, TN_ERROR_ARGUMENT, (tn_span){ 0 },
                   "this build has no METIS, which divides models into groups: name the groups in the model, or build "
                   "Tenon with METIS");
}
