/* Byte streams over TCP, with TLS or without, and sealed texts. All functions that wait have a limit in seconds. */
#ifndef TN_NET_NET_H
#define TN_NET_NET_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tn_stream tn_stream;

enum { TN_STREAM_TEXT = 200, TN_STREAM_SOCKETS = 8 };

typedef struct tn_stream_security {
    bool plain;                    /* no TLS */
    const char *certificate, *key; /* of a server: files in PEM format */
    const char *authority;         /* of a client: file of trusted certificates in PEM format; NULL: those of the system */
} tn_stream_security;

/* Connects to a server and checks its certificate against the host's name. TN_ERROR_FILE with the reason in trouble. */
int tn_stream_connect(tn_stream **out, const char *host, const char *port, const tn_stream_security *security, double limit,
                      char trouble[TN_STREAM_TEXT]);
/* Sockets that listen at all addresses of a host; port "0" chooses a free port. Returns how many, or TN_ERROR_FILE. */
int tn_stream_listen(int sockets[TN_STREAM_SOCKETS], const char *host, const char *port, char trouble[TN_STREAM_TEXT]);
/* The port that a socket listens at. */
int tn_stream_port(int socket);
/* Takes over a socket that accept has returned, and makes the server's part of the TLS handshake. */
int tn_stream_accept(tn_stream **out, int socket, const tn_stream_security *security, double limit, char trouble[TN_STREAM_TEXT]);
/* TN_ERROR_FILE: the connection is lost, or the limit has passed. */
int tn_stream_send(tn_stream *stream, const void *bytes, size_t size, double limit);
int tn_stream_receive(tn_stream *stream, void *bytes, size_t size, double limit);
/* stream may be NULL. */
void tn_stream_close(tn_stream *stream);
/* Does the host have addresses of this machine's loopback only? */
bool tn_net_is_loopback(const char *host);

/* Sealing encrypts bytes and protects them against change (AES-256-GCM). A sealed text is longer by TN_SEAL_SIZE. */
enum { TN_SEAL_KEY = 32, TN_SEAL_SIZE = 28 };
int tn_seal_key(unsigned char key[TN_SEAL_KEY]);
/* A key for one purpose, made of another key: what is sealed for one name is unknown to all others. */
int tn_seal_derive(unsigned char out[TN_SEAL_KEY], const unsigned char key[TN_SEAL_KEY], const char *name);
int tn_seal(unsigned char *out, const unsigned char key[TN_SEAL_KEY], const void *bytes, size_t size);
/* size: of the sealed bytes. TN_ERROR_ARGUMENT: they were sealed with another key, or changed. */
int tn_unseal(void *out, const unsigned char key[TN_SEAL_KEY], const unsigned char *sealed, size_t size);

#endif
