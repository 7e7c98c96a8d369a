/* Numbers as people write them. */
#ifndef TN_SHORTEST_H
#define TN_SHORTEST_H

enum { TN_SHORTEST_SIZE = 32 };

/* The text of a number with as few digits as reading it back to the same bits needs: 0.1, not 0.10000000000000001. Returns out. */
const char *tn_shortest(char out[TN_SHORTEST_SIZE], double value);

/* Quicker, for tables: 15 digits where they are enough, otherwise 17. */
const char *tn_short_or_full(char out[TN_SHORTEST_SIZE], double value);

#endif
