/* Libraries as the model needs them: making components, comparing. */
#ifndef TN_LIBRARY_LIBRARIES_H
#define TN_LIBRARY_LIBRARIES_H

#include <stdbool.h>
#include "tenon/library.h"
#include "tenon/sys/component.h"

/* Makes a component of the library's type, as create of the type does. */
int tn_library_create(void **self, const tn_library *library, const tn_component_host *host,
                      const tn_component_setting *setting, const double *parameters);
/* Are both libraries of the same file, each in processes of their own? Their types then differ as pointers only. */
bool tn_library_same(const tn_library *a, const tn_library *b);

#endif
