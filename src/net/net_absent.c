/* Byte streams over TCP in a build without OpenSSL: they say so. */
#include "net.h"

#include <stdio.h>
#include "tenon/context.h"

static int say_absent(char trouble[TN_STREAM_TEXT])
{
    snprintf(trouble, TN_STREAM_TEXT, "this build has no OpenSSL, which components on other machines need");
    return TN_ERROR_FILE;
}

int tn_stream_connect(tn_stream **out, const char *host, const char *port, const tn_stream_security *security, double limit,
                      char trouble[TN_STREAM_TEXT])
{
    (void)out;
    (void)host;
    (void)port;
    (void)security;
    (void)limit;
    return say_absent(trouble);
}

int tn_stream_listen(int sockets[TN_STREAM_SOCKETS], const char *host, const char *port, char trouble[TN_STREAM_TEXT])
{
    (void)sockets;
    (void)host;
    (void)port;
    return say_absent(trouble);
}

int tn_stream_port(int socket)
{
    (void)socket;
    return -1;
}

int tn_stream_accept(tn_stream **out, int socket, const tn_stream_security *security, double limit, char trouble[TN_STREAM_TEXT])
{
    (void)out;
    (void)socket;
    (void)security;
    (void)limit;
    return say_absent(trouble);
}

int tn_stream_send(tn_stream *stream, const void *bytes, size_t size, double limit)
{
    (void)stream;
    (void)bytes;
    (void)size;
    (void)limit;
    return TN_ERROR_FILE;
}

int tn_stream_receive(tn_stream *stream, void *bytes, size_t size, double limit)
{
    (void)stream;
    (void)bytes;
    (void)size;
    (void)limit;
    return TN_ERROR_FILE;
}

void tn_stream_close(tn_stream *stream)
{
    (void)stream;
}

bool tn_net_is_loopback(const char *host)
{
    (void)host;
    return true;                       /* nothing is reached by it */
}

int tn_seal_key(unsigned char key[TN_SEAL_KEY])
{
    (void)key;
    return TN_ERROR_FILE;
}

int tn_seal_derive(unsigned char out[TN_SEAL_KEY], const unsigned char key[TN_SEAL_KEY], const char *name)
{
    (void)out;
    (void)key;
    (void)name;
    return TN_ERROR_FILE;
}

int tn_seal(unsigned char *out, const unsigned char key[TN_SEAL_KEY], const void *bytes, size_t size)
{
    (void)out;
    (void)key;
    (void)bytes;
    (void)size;
    return TN_ERROR_FILE;
}

int tn_unseal(void *out, const unsigned char key[TN_SEAL_KEY], const unsigned char *sealed, size_t size)
{
    (void)out;
    (void)key;
    (void)sealed;
    (void)size;
    return TN_ERROR_FILE;
}
