/* Access to the studio: tokens, and the hosts and origins of requests. */
#include "access.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static bool make_token(char token[TN_TOKEN_SIZE])
{
    unsigned char bytes[TN_TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t k = 0; k < sizeof bytes; k++)
        snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    return true;
}

bool tn_access_open(tn_access *access, const char *host)
{
    snprintf(access->host, sizeof access->host, "%s", host);
    return make_token(access->edit) && make_token(access->view);
}

/* Looks at every byte whatever it finds. */
static bool same_token(const char *a, const char *b)
{
    unsigned char different = 0;
    for (size_t k = 0; k < TN_TOKEN_SIZE; k++)
        different |= (unsigned char)(a[k] ^ b[k]);
    return different == 0;
}

tn_right tn_access_right(const tn_access *access, const char *token)
{
    char padded[TN_TOKEN_SIZE] = { 0 };
    size_t length = token ? strnlen(token, TN_TOKEN_SIZE) : 0;
    memcpy(padded, token ? token : "", length < TN_TOKEN_SIZE ? length : 0);
    bool edit = same_token(padded, access->edit), view = same_token(padded, access->view);
    return edit ? TN_RIGHT_EDIT : view ? TN_RIGHT_VIEW : TN_RIGHT_NONE;
}

static bool is_number(const char *name)
{
    unsigned char address[sizeof(struct in6_addr)];
    char inner[64];
    size_t length = strlen(name);
    if (length > 2 && length < sizeof inner && name[0] == '[' && name[length - 1] == ']') {
        memcpy(inner, name + 1, length - 2);
        inner[length - 2] = '\0';
        return inet_pton(AF_INET6, inner, address) == 1;
    }
    return inet_pton(AF_INET, name, address) == 1;
}

static bool is_loopback(const char *name)
{
    return strcmp(name, "127.0.0.1") == 0 || strcmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0 ||
           strcmp(name, "::1") == 0;
}

bool tn_access_host_good(const tn_access *access, const char *host)
{
    char name[256], port[16];
    const char *colon = host ? strrchr(host, ':') : NULL;
    if (!colon || (size_t)(colon - host) >= sizeof name)
        return false;
    snprintf(port, sizeof port, "%d", access->port);
    snprintf(name, sizeof name, "%.*s", (int)(colon - host), host);
    if (strcmp(colon + 1, port) != 0)
        return false;
    if (is_loopback(access->host))
        return is_loopback(name);
    return is_number(name) || strcmp(name, access->host) == 0;
}

bool tn_access_origin_good(const tn_access *access, const char *origin)
{
    static const char scheme[] = "http://";
    if (!origin)
        return true;
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           tn_access_host_good(access, origin + sizeof scheme - 1);
}
