/* Access to the studio: tokens, and the hosts and origins of requests. */
#include "access.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* The part of an address behind "://". */
static const char *authority_of(const char *address)
{
    const char *found = strstr(address, "://");
    return found ? found + 3 : address;
}

bool tn_access_show_at(tn_access *access, const char *address)
{
    size_t length = strlen(address);
    length -= length > 0 && address[length - 1] == '/';
    if ((strncmp(address, "http://", 7) != 0 && strncmp(address, "https://", 8) != 0) || length >= sizeof access->shown)
        return false;
    snprintf(access->shown, sizeof access->shown, "%.*s", (int)length, address);
    const char *name = authority_of(access->shown);
    bool good = name[0] != '\0' && strcspn(name, "/?#@ \\") == strlen(name);
    if (!good)
        access->shown[0] = '\0';
    return good;
}

/* Splits HOST[:PORT]; browsers leave out the port that the scheme implies. */
static bool split_host(const tn_access *access, const char *host, char name[256], int *port)
{
    const char *colon = strrchr(host, ':'), *bracket = strrchr(host, ']');
    colon = colon && (!bracket || colon > bracket) ? colon : NULL;
    size_t length = colon ? (size_t)(colon - host) : strlen(host);
    char *end = NULL;
    if (length == 0 || length >= 256)
        return false;
    snprintf(name, 256, "%.*s", (int)length, host);
    *port = access->secure ? 443 : 80;
    if (!colon)
        return true;
    if (strspn(colon + 1, "0123456789") != strlen(colon + 1) || colon[1] == '\0' || strlen(colon + 1) > 5)
        return false;
    *port = (int)strtol(colon + 1, &end, 10);
    return true;
}

bool tn_access_host_good(const tn_access *access, const char *host)
{
    char name[256];
    int port;
    if (!host)
        return false;
    if (access->shown[0] != '\0' && strcasecmp(host, authority_of(access->shown)) == 0)
        return true;
    if (!split_host(access, host, name, &port) || port != access->port)
        return false;
    if (is_loopback(access->host))
        return is_loopback(name);
    return is_number(name) || strcasecmp(name, access->host) == 0;
}

bool tn_access_origin_good(const tn_access *access, const char *origin)
{
    const char *scheme = access->secure ? "https://" : "http://";
    if (!origin || (access->shown[0] != '\0' && strcasecmp(origin, access->shown) == 0))
        return true;
    if (strncmp(origin, scheme, strlen(scheme)) != 0)
        return false;
    const char *host = origin + strlen(scheme);
    bool shown = access->shown[0] != '\0' && strcasecmp(host, authority_of(access->shown)) == 0;
    return !shown && tn_access_host_good(access, host);        /* the shown name has its own scheme */
}
