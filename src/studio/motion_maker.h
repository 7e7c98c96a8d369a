/* The page that plays the motion of the model anywhere, made beside the session and downloaded as page.html. */
#ifndef TN_STUDIO_MOTION_MAKER_H
#define TN_STUDIO_MOTION_MAKER_H

#include <stddef.h>

/* The last page that was made; guarded by the lock of the clients. */
typedef struct tn_made_page {
    char *bytes;               /* by malloc; NULL: none was made */
    size_t size;
} tn_made_page;

#endif
