/* WebSockets of the studio: messages of clients, and what is sent to them. */
#include "network.h"
#include "request.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int show_frame(void *user, tn_session *session)
{
    tn_studio *s = user;
    if (session)
        s->hub.frame_due = true;
    return TN_OK;
}

static int open_client(struct lws *wsi, tn_socket_state *state)
{
    tn_studio *s = tn_network_studio(wsi);
    tn_right right = (tn_right)(intptr_t)lws_get_opaque_user_data(wsi);
    *state = (tn_socket_state){ .client = tn_client_create(&s->clients, right) };
    if (!state->client)
        return -1;
    cJSON *hello = tn_studio_hello(s, state->client);
    tn_message *message = tn_message_create(cJSON_PrintUnformatted(hello));
    cJSON_Delete(hello);
    if (message) {
        tn_client_send(&s->clients, state->client, message);
        tn_message_release(&s->clients, message);
    }
    tn_client_join(&s->clients, state->client, &s->hub.published.scene);
    tn_runner_send(s->hub.runner, show_frame, s);
    return 0;
}

static void close_client(struct lws *wsi, tn_socket_state *state)
{
    if (state->client)
        tn_client_leave(&tn_network_studio(wsi)->clients, state->client);
    free(state->text);
    *state = (tn_socket_state){ 0 };
}

static bool append_fragment(tn_socket_state *state, const void *bytes, size_t size)
{
    if (state->size + size > TN_MESSAGE_LIMIT)
        return false;
    if (state->size + size > state->capacity) {
        size_t capacity = 2 * state->capacity > state->size + size ? 2 * state->capacity : state->size + size;
        char *grown = realloc(state->text, capacity);
        if (!grown)
            return false;
        state->text = grown;
        state->capacity = capacity;
    }
    if (size > 0)
        memcpy(state->text + state->size, bytes, size);
    state->size += size;
    return true;
}

/* The message is complete. A client that keeps sending invalid messages is cut off. */
static int handle_message(struct lws *wsi, tn_socket_state *state)
{
    tn_studio *s = tn_network_studio(wsi);
    const char *wrong = state->skipping ? "a message is longer than 4 MiB" : lws_frame_is_binary(wsi)
                        ? "messages to the studio are text" : NULL;
    bool valid = false;
    if (wrong)
        tn_request_reject_invalid(s, state->client, wrong);
    else
        valid = tn_request_handle(s, state->client, state->text ? state->text : "", state->size);
    state->size = 0;
    state->skipping = false;
    if (state->capacity > 1 << 16) {                   /* not kept for the next, which will be short */
        free(state->text);
        state->text = NULL;
        state->capacity = 0;
    }
    state->invalid += !valid;
    return state->invalid > TN_INVALID_LIMIT ? -1 : 0;
}

static int receive_fragment(struct lws *wsi, tn_socket_state *state, const void *bytes, size_t size)
{
    if (!state->skipping && !append_fragment(state, bytes, size))
        state->skipping = true;
    if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi))
        return 0;
    return handle_message(wsi, state);
}

/* One piece at a time: answers and news first, then the latest frame. */
static int send_next_message(struct lws *wsi, tn_socket_state *state)
{
    tn_clients *clients = &tn_network_studio(wsi)->clients;
    tn_client *client = state->client;
    int written = 0;
    pthread_mutex_lock(&clients->lock);
    bool overflown = client->overflown, more = client->count + client->fresh > 1;
    pthread_mutex_unlock(&clients->lock);
    if (overflown)
        return -1;
    tn_message *message = tn_client_next(clients, client);
    if (message) {
        written = lws_write(wsi, message->bytes, message->size, LWS_WRITE_TEXT);
        tn_message_release(clients, message);
    } else if (tn_client_take_frame(clients, client)) {
        written = lws_write(wsi, client->front.room + TN_MESSAGE_ROOM, client->front.size, LWS_WRITE_BINARY);
    }
    if (more)
        lws_callback_on_writable(wsi);
    return written < 0 ? -1 : 0;
}

void tn_socket_cut_off(struct lws *wsi)
{
    const struct lws_protocols *protocol = lws_get_protocol(wsi);
    if (!protocol || protocol->callback != tn_socket_callback)
        return;
    const tn_socket_state *state = lws_wsi_user(wsi);
    tn_clients *clients = &tn_network_studio(wsi)->clients;
    pthread_mutex_lock(&clients->lock);
    bool overflown = state && state->client && state->client->overflown;
    pthread_mutex_unlock(&clients->lock);
    if (overflown)
        shutdown(lws_get_socket_fd(wsi), SHUT_RDWR);   /* a timeout would wait for the rest to be sent */
}

int tn_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        return open_client(wsi, user);
    case LWS_CALLBACK_RECEIVE:
        return receive_fragment(wsi, user, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_next_message(wsi, user);
    case LWS_CALLBACK_CLOSED:
        close_client(wsi, user);
        return 0;
    default:
        return 0;
    }
}
