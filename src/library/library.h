/* Components in shared libraries. A library stays loaded while anyone holds it. */
#ifndef TN_LIBRARY_H
#define TN_LIBRARY_H

#include "tenon/library.h"
#include <stddef.h>

/* A field that a library made with an older header lacks. */
#define TN_COMPONENT_HAS(type, field) \
    ((type)->size >= offsetof(tn_component_type, field) + sizeof (type)->field && (type)->field)

#endif
