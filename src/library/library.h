/* Components in shared libraries. A library stays loaded while anyone holds it. */
#ifndef TN_LIBRARY_H
#define TN_LIBRARY_H

#include "tenon/library.h"

#endif
