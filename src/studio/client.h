/* Clients: one place for the latest frame, and a bounded queue for what must not be lost.
 *
 * Three threads meet here: the one of the network, the runner's, and the worker's. What they share is guarded by one
 * lock, which is never held while something is computed, written or waited for. */
#ifndef TN_STUDIO_CLIENT_H
#define TN_STUDIO_CLIENT_H

#include "turns.h"
#include "tenon/tenon.h"
#include <pthread.h>

/* Before the bytes of a message there is so much room, for those who put a head in front. */
enum { TN_MESSAGE_ROOM = 32 };

/* Immutable, shared by all who have to send it. */
typedef struct tn_message {
    int users;                 /* guarded by the lock of the clients */
    size_t size;
    unsigned char *bytes;      /* behind the room */
} tn_message;

enum { TN_OUTBOX_MESSAGES = 4096, TN_OUTBOX_BYTES = 64 << 20, TN_MOST_PENDING = 256, TN_MOST_CHANNELS = 256 };

/* A frame in a buffer that grows and is used again. */
typedef struct tn_frame_buffer {
    unsigned char *room;       /* TN_MESSAGE_ROOM bytes, then the frame */
    size_t size, capacity;     /* of the frame */
} tn_frame_buffer;

/* The client's choice of data in frames; only the runner's thread uses it. */
typedef struct tn_subscription {
    char **names;
    size_t count;
    tn_readout *readout;       /* NULL: no channels */
    uint32_t frame_parts;          /* TN_FRAME_OPTIONAL: parts besides poses and channels */
    uint32_t number;           /* of the client's subscriptions: 1, 2, ... */
} tn_subscription;

typedef struct tn_client {
    struct tn_client *next;
    unsigned number;
    tn_right right;
    tn_line session_line, worker_line;     /* requests that wait for these threads; theirs to guard */
    int users;                 /* the network, the list, and requests under way; guarded */
    bool gone, overflown;      /* guarded */
    int pending;               /* requests under way; guarded */
    tn_message *outbox[TN_OUTBOX_MESSAGES];    /* a ring; guarded */
    size_t first, count, bytes;
    tn_frame_buffer back, latest, front;       /* the runner's; guarded; the network's */
    bool fresh;                /* latest was not sent yet; guarded */
    tn_subscription subscription;
} tn_client;

typedef struct tn_clients {
    pthread_mutex_t lock;
    tn_client *list;
    unsigned count, viewers, numbered;     /* viewers: those of count that look on */
    void (*wake)(void *user);  /* something is to be sent */
    void *user;
} tn_clients;

bool tn_clients_open(tn_clients *clients, void (*wake)(void *user), void *user);
void tn_clients_close(tn_clients *clients);

/* A new one with a number; NULL when out of memory. It gets what it is sent, but nothing that all are sent until it has
 * joined; greeting (may point to NULL), read under the lock, is what it gets then first of all. */
tn_client *tn_client_create(tn_clients *clients, tn_right right);
void tn_client_join(tn_clients *clients, tn_client *client, tn_message *const *greeting);
/* The network has lost it. It stays in the list until the runner's thread sweeps. */
void tn_client_leave(tn_clients *clients, tn_client *client);
/* One more request under way: false when there are too many. And one less. */
bool tn_client_begin(tn_clients *clients, tn_client *client);
void tn_client_end(tn_clients *clients, tn_client *client);
/* By the runner's thread: takes those that left out of the list and frees what belongs to that thread. */
void tn_clients_remove_closed(tn_clients *clients);

/* Takes the text, which was made by cJSON; NULL when out of memory. */
tn_message *tn_message_create(char *text);
void tn_message_release(tn_clients *clients, tn_message *message);
/* Puts it into the queue of one, or of all. A client whose queue is full is marked for being cut off. */
void tn_client_send(tn_clients *clients, tn_client *client, tn_message *message);
void tn_clients_broadcast(tn_clients *clients, tn_message *message);
/* By the network: the next message, to be dropped by it; NULL: none. */
tn_message *tn_client_next(tn_clients *clients, tn_client *client);

/* By the runner's thread: room for a frame of that size; NULL when out of memory. Then: it is the latest now. */
unsigned char *tn_client_frame(tn_client *client, size_t size);
void tn_client_publish(tn_clients *clients, tn_client *client);
/* By the network: the latest frame if it is new, in front. */
bool tn_client_take_frame(tn_clients *clients, tn_client *client);

/* By the runner's thread: takes the subscription in place of the one before and numbers it. */
void tn_clients_subscribe(tn_clients *clients, tn_client *client, tn_subscription *subscription);
void tn_subscription_clear(tn_subscription *subscription);

#endif
