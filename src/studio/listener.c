/* Listening sockets of the studio. The network library binds to all addresses when it is given an IPv4 address and
 * knows IPv6, so the sockets are opened here. */
#define _GNU_SOURCE                /* accept4 */
#include "listener.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 512, PORT_TRIES = 20 };

/* Addresses to listen at, and whether all of them must be there. */
typedef struct address_list {
    struct sockaddr_storage items[TN_LISTENER_LIMIT];
    int count;
    bool any;                  /* those that the machine has are enough */
} address_list;

static void add_address(address_list *list, const struct sockaddr *address)
{
    size_t size = address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    if (list->count < TN_LISTENER_LIMIT)
        memcpy(&list->items[list->count++], address, size);
}

static void add_loopback(address_list *list)
{
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    add_address(list, (struct sockaddr *)&four);
    add_address(list, (struct sockaddr *)&six);
    list->any = true;
}

static bool resolve_host(address_list *list, const char *host)
{
    struct addrinfo wanted = { .ai_socktype = SOCK_STREAM }, *found = NULL;
    *list = (address_list){ .any = false };
    if (!host || strcmp(host, "localhost") == 0) {
        add_loopback(list);
        return true;
    }
    if (getaddrinfo(host, NULL, &wanted, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return false;
    }
    for (const struct addrinfo *item = found; item; item = item->ai_next)
        if (item->ai_family == AF_INET || item->ai_family == AF_INET6)
            add_address(list, item->ai_addr);
    freeaddrinfo(found);
    errno = EADDRNOTAVAIL;
    return list->count > 0;
}

static void set_port(struct sockaddr_storage *address, int port)
{
    if (address->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)address)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)address)->sin_port = htons((uint16_t)port);
}

static int get_port(int listening)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(listening, (struct sockaddr *)&address, &size) != 0)
        return 0;
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

/* -1: errno says why. */
static int open_socket(const struct sockaddr_storage *address)
{
    const int on = 1;
    bool six = address->ss_family == AF_INET6;
    socklen_t size = six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    int listening = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listening < 0)
        return -1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if ((!six || setsockopt(listening, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) &&
        bind(listening, (const struct sockaddr *)address, size) == 0 && listen(listening, BACKLOG) == 0)
        return listening;
    int reason = errno;
    close(listening);
    errno = reason;
    return -1;
}

void tn_listener_close(tn_listener *l)
{
    int reason = errno;
    while (l->count > 0)
        close(l->sockets[--l->count]);
    errno = reason;
}

static bool open_all(tn_listener *l, address_list *list, int port)
{
    *l = (tn_listener){ .port = port };
    for (int k = 0; k < list->count; k++) {
        set_port(&list->items[k], l->port);
        int listening = open_socket(&list->items[k]);
        if (listening < 0 && list->any && (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT))
            continue;
        if (listening < 0) {
            tn_listener_close(l);
            return false;
        }
        l->sockets[l->count++] = listening;
        l->port = get_port(listening);
    }
    return l->count > 0;
}

bool tn_listener_open(tn_listener *l, const char *host, int port)
{
    address_list list;
    *l = (tn_listener){ .port = 0 };
    if (!resolve_host(&list, host))
        return false;
    for (int k = 0; k < PORT_TRIES; k++) {
        if (open_all(l, &list, port))
            return true;
        if (port != 0 || errno != EADDRINUSE)          /* a free port of one address may be taken at another */
            break;
    }
    return false;
}

int tn_listener_accept(int listening, char peer[TN_PEER_SIZE])
{
    const int on = 1;
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    int accepted = accept4(listening, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0)
        return -1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const void *address = from.ss_family == AF_INET6 ? (const void *)&((struct sockaddr_in6 *)&from)->sin6_addr
                                                     : (const void *)&((struct sockaddr_in *)&from)->sin_addr;
    if (!inet_ntop(from.ss_family, address, peer, TN_PEER_SIZE))
        snprintf(peer, TN_PEER_SIZE, "unknown");
    return accepted;
}
