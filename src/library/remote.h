/* Code that runs elsewhere and answers requests. Either in a process, a fork of this one, to which requests and answers go
 * through shared memory: a crash or a hang there is a message here. It protects from faults, not from attacks: the code runs
 * with the rights of this process. Or at the other end of a link to another program (link.h).
 *
 * One thread at a time uses a remote. The process ends with tn_remote_stop, and by itself when this process is gone. */
#ifndef TN_LIBRARY_REMOTE_H
#define TN_LIBRARY_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tn_link;                        /* link.h */

enum { TN_REMOTE_TEXT = 200 };

/* Answers a request in the process, with what stands in the room; the code is that of tn_remote_call. */
typedef int (*tn_remote_serve)(void *user, int request, void *room);

typedef struct tn_remote {
    struct tn_remote_board *board;     /* shared; NULL: not started, or stopped */
    size_t size;                       /* bytes of the mapping */
    pid_t process;                     /* 0: it has ended */
    struct tn_link *link;              /* NULL: a process, or the link is lost */
    size_t length;                     /* bytes of the room that a link carries: of a request, then of its answer */
    char trouble[TN_REMOTE_TEXT];      /* how it ended: "crashes in 'take' (Segmentation fault)"; "": it has not */
} tn_remote;

/* Starts a process that answers requests with serve. room: bytes of shared memory; pages that are never written take no memory.
 * TN_ERROR_MEMORY or TN_ERROR_FILE, with errno. */
int tn_remote_start(tn_remote *remote, size_t room, tn_remote_serve serve, void *user);
/* The same over a link, which the remote then owns. */
int tn_remote_join(tn_remote *remote, size_t room, struct tn_link *link);
/* The shared memory, aligned for any type; it stays until tn_remote_stop. */
void *tn_remote_room(const tn_remote *remote);
/* Sends a request, waits for its answer and returns its code. name: of the request, for messages. limit: s, after which the
 * process is ended. TN_ERROR_ARGUMENT with trouble when it crashes, ends or does not answer in time, and in all later calls. */
int tn_remote_call(tn_remote *remote, int request, const char *name, double limit);
/* The two halves of a call: nothing else may be sent before the answer has come. */
int tn_remote_send(tn_remote *remote, int request, const char *name, double limit);
int tn_remote_receive(tn_remote *remote, const char *name, double limit);
bool tn_remote_runs(const tn_remote *remote);
/* Ends the process and frees the shared memory; nothing happens to a remote that was not started. */
void tn_remote_stop(tn_remote *remote);

#endif
