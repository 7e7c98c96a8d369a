/* FNV-1a hash of states and files; it gives no protection against deliberate collisions. */
#ifndef TN_BASE_HASH_H
#define TN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t TN_HASH_START = 14695981039346656037u;

static inline uint64_t tn_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ byte[k]) * 1099511628211u;
    return hash;
}

#endif
