/* The published results, one line each: TN_REPRODUCTION(name) stands for NAME.c in this folder and its
 * tn_reproduction_NAME. The order here is the order in which they are computed. */
TN_REPRODUCTION(welch_table_1)
TN_REPRODUCTION(welch_table_2)
TN_REPRODUCTION(welch_table_3)
TN_REPRODUCTION(joli_references)
