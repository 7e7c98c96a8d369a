/* Error messages of the HDF5 library, and the lock around its use. */
#include "hdf5_error.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* The innermost entry comes first and tells the cause. Where a system call failed, it has "error message = '...'" in
 * the midst of addresses and file descriptors. */
static herr_t take_reason(unsigned depth, const H5E_error2_t *entry, void *user)
{
    static const char system_reason[] = "error message = '";
    tn_hdf5_reason *reason = user;
    if (depth > 0 || entry->desc == NULL)
        return 0;
    const char *begin = strstr(entry->desc, system_reason);
    begin = begin != NULL ? begin + sizeof system_reason - 1 : entry->desc;
    int length = (int)strcspn(begin, begin != entry->desc ? "'" : "\n");
    snprintf(reason->text, sizeof reason->text, "%.*s", length, begin);
    return 0;
}

void tn_hdf5_begin(void)
{
    pthread_mutex_lock(&turn);
    H5dont_atexit();
}

void tn_hdf5_end(void)
{
    pthread_mutex_unlock(&turn);
}

bool tn_hdf5_ok(tn_hdf5_reason *reason, hid_t result)
{
    if (result >= 0)
        return true;
    if (reason->text[0] == '\0')
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    return false;
}
