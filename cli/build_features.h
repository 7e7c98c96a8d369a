/* The optional parts of the library and the program that this build has. */
#ifndef TN_CLI_BUILD_FEATURES_H
#define TN_CLI_BUILD_FEATURES_H

#include "tenon/tenon.h"

size_t tn_program_feature_count(void);
tn_feature tn_program_feature_at(size_t index);

#endif
