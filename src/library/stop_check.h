/* Checks what a component says about joints inside that have limits. */
#ifndef TN_LIBRARY_STOP_CHECK_H
#define TN_LIBRARY_STOP_CHECK_H

#include "tenon/sys/component.h"

/* More joints with limits than this are taken for an error. */
enum { TN_MOST_STOPS = 1000 };

/* The error in a stop of a component with that many ports; NULL: none. Texts of a stop without error end within their
 * room. */
const char *tn_stop_trouble(const tn_component_stop *stop, int port_count);
/* Number of stops of a component; 0 where its type has none. */
int tn_stop_count(const tn_component *component);

#endif
