/* Commands that only change numbers. */
#ifndef TN_IO_EDIT_NUMBERS_H
#define TN_IO_EDIT_NUMBERS_H

#include "edit.h"
#include "numbers.h"

/* Returns the numbers that a command sets, with its description in edit->text and the change of the model's text in
 * edit->note, which the caller owns. count 0: the command does something else, or has a mistake, and must be executed
 * by tn_model_edit. The model is not changed. */
int tn_model_read_numbers(tn_number_list *out, tn_edit *edit, tn_model *model, const tn_command_text *command);
#endif
