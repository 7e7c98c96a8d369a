/* Fuzz target: answers of a server of components ("use: tenon://host:port/name") to a model that uses one. The first two bytes
 * are the length of what the server sends on the first connection, which asks for the declarations; the rest is sent on each
 * of the others. record_link.py writes such a file. */
#include "fuzz.h"
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tenon/tenon.h"

enum { MOST_STEPS = 3 };

/* The server of this process. Static, because its thread lives as long as the process. */
static struct {
    int listening, port;
    const uint8_t *data;
    size_t size, first;
    int connections;               /* of this input */
    int open;                      /* connections that are being answered */
    pthread_mutex_t lock;
    pthread_cond_t closed;
} server = { .lock = PTHREAD_MUTEX_INITIALIZER, .closed = PTHREAD_COND_INITIALIZER };

static void send_all(int socket, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        bytes += sent;
        size -= (size_t)sent;
    }
}

static void answer(int socket)
{
    char request[4096];
    uint8_t *copy;
    size_t size;
    pthread_mutex_lock(&server.lock);
    bool begin = server.connections++ == 0;
    size = begin ? server.first : server.size - server.first;
    copy = malloc(size + 1);
    if (copy && size > 0)
        memcpy(copy, server.data + (begin ? 0 : server.first), size);
    pthread_mutex_unlock(&server.lock);
    if (copy)
        send_all(socket, copy, size);
    shutdown(socket, SHUT_WR);
    while (recv(socket, request, sizeof request, 0) > 0)
        continue;
    close(socket);
    free(copy);
}

static void *serve_one(void *user)
{
    answer((int)(intptr_t)user);
    pthread_mutex_lock(&server.lock);
    if (--server.open == 0)
        pthread_cond_signal(&server.closed);
    pthread_mutex_unlock(&server.lock);
    return NULL;
}

static void *serve(void *user)
{
    for (;;) {
        pthread_t thread;
        int socket = accept(server.listening, NULL, NULL);
        pthread_mutex_lock(&server.lock);
        server.open++;
        pthread_mutex_unlock(&server.lock);
        if (socket < 0 || pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)socket) != 0)
            abort();
        pthread_detach(thread);
    }
    return user;
}

static void begin_serving(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    pthread_t thread;
    server.listening = socket(AF_INET, SOCK_STREAM, 0);
    if (server.listening < 0 || bind(server.listening, (struct sockaddr *)&address, length) < 0 ||
        listen(server.listening, 16) < 0 || getsockname(server.listening, (struct sockaddr *)&address, &length) < 0 ||
        pthread_create(&thread, NULL, serve, NULL) != 0)
        abort();
    server.port = ntohs(address.sin_port);
}

static void run_model(tn_context *context)
{
    char text[400];
    tn_model *model = NULL;
    tn_session *session = NULL;
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\nsubsystems: { part: { use: 'tenon+tcp://127.0.0.1:%d/part' } }\n"
             "joints: { pivot: { type: revolute, between: [ground, part.hook] } }\n"
             "solve: { until: 1, step: 1 ms, integrator: rk4 }\n", server.port);
    if (tn_model_read_text(&model, context, text, strlen(text), "fuzz.yaml", "") >= 0 &&
        tn_session_open(&session, model, NULL) >= 0)
        for (int k = 0; k < MOST_STEPS && tn_session_step(session) >= 0; k++)
            continue;
    tn_session_close(session);
    tn_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    if (!server.port)
        begin_serving();
    size_t first = (size_t)(data[0] | data[1] << 8);
    pthread_mutex_lock(&server.lock);
    server.data = data + 2;
    server.size = size - 2;
    server.first = first < size - 2 ? first : size - 2;
    server.connections = 0;
    pthread_mutex_unlock(&server.lock);
    tn_context *context = tn_context_create(NULL);
    tn_context_credentials(context, "the-token-of-fuzzing", NULL);
    run_model(context);
    char line[4096];
    FILE *out = fmemopen(line, sizeof line, "w");
    if (out) {
        tn_diagnostics_print(context, out);
        fclose(out);
    }
    tn_context_destroy(context);
    pthread_mutex_lock(&server.lock);
    while (server.open > 0)                            /* an answer under way would look like a leak */
        pthread_cond_wait(&server.closed, &server.lock);
    server.size = server.first = 0;                    /* the bytes are the caller's */
    pthread_mutex_unlock(&server.lock);
    return 0;
}
