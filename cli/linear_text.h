/* A linearised system as text: a table for people, CSV, JSON, a script for MATLAB and Octave. */
#ifndef TN_CLI_LINEAR_TEXT_H
#define TN_CLI_LINEAR_TEXT_H

#include "output.h"

void tn_linear_print(const tn_linear_system *system, FILE *out);
void tn_linear_print_csv(const tn_linear_system *system, FILE *out);
void tn_linear_print_matlab(const tn_linear_system *system, const char *model, FILE *out);
/* Names, units, values and matrices, added to an object. */
void tn_linear_add_json(const tn_linear_system *system, cJSON *object);

#endif
