/* Commands that only give numbers other values. */
#ifndef TN_IO_EDIT_NUMBERS_H
#define TN_IO_EDIT_NUMBERS_H

#include "edit.h"
#include "numbers.h"

/* The numbers that a command sets, with the words about it in edit->text and the note for the model's text in edit->note,
 * which is the caller's; count 0: the command is something else, or
 * has a mistake, and tn_model_edit has to look at it. The model is not changed. */
int tn_model_read_numbers(tn_number_list *out, tn_edit *edit, tn_model *model, const tn_command_text *command);
#endif
