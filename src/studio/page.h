/* The files of the page, as they are stored in the program. */
#ifndef TN_STUDIO_PAGE_H
#define TN_STUDIO_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tn_page_file {
    const char *path;          /* "/" or "/assets/main-HASH.js"; NULL ends a table */
    const char *type;          /* of the content */
    bool gzip;                 /* the bytes are compressed */
    const unsigned char *bytes;
    size_t size;
} tn_page_file;

/* NULL: there is none. */
const tn_page_file *tn_page_find(const tn_page_file *files, const char *path);
/* Whether a client that sent this header takes gzip; NULL: it sent none. */
bool tn_page_accepts_gzip(const char *accept_encoding);
/* The content without compression, by malloc; NULL: out of memory, or damaged. */
unsigned char *tn_page_inflate(size_t *size, const tn_page_file *file);

#endif
