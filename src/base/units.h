/* Units: "mm", "deg", "rpm", "kN/m", "kg m^2", "N m s/rad". Prefixes and powers; angles are numbers. */
#ifndef TN_BASE_UNITS_H
#define TN_BASE_UNITS_H

#include "tenon/sys/joint.h"

/* Parses a whole unit text. 0 and factor to SI, or -1 when some part is not a unit. "" and "1" are plain numbers. */
int tn_unit_parse(const char *text, size_t length, double *factor, tn_dim *dim);
/* True for one unit name with optional prefix: "mm", "N", "deg". */
bool tn_unit_known(const char *name, size_t length);
/* The candidate list for suggestions. */
const char *tn_unit_candidate(void *user, size_t index);

bool tn_dim_equal(tn_dim a, tn_dim b);
tn_dim tn_dim_product(tn_dim a, tn_dim b, int power_of_b);
/* "m", "kg m^2", "1/s"; "number" for none. In buffer, which is returned. */
const char *tn_dim_text(tn_dim dim, char *buffer, size_t size);
/* "length", "mass", "stiffness", ... or the unit text when it has no name. */
const char *tn_dim_name(tn_dim dim, char *buffer, size_t size);

#endif
