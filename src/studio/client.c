/* Clients of the studio: queues of messages, places for frames, and their lifetime. */
#include "client.h"
#include "tenon/sys/utf8.h"
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

bool tn_clients_open(tn_clients *c, void (*wake)(void *user), void *user)
{
    *c = (tn_clients){ .wake = wake, .user = user };
    return pthread_mutex_init(&c->lock, NULL) == 0;
}

void tn_clients_close(tn_clients *c)
{
    for (tn_client *client = c->list; client; client = client->next)
        client->gone = true;
    tn_clients_remove_closed(c);
    pthread_mutex_destroy(&c->lock);
}

/* ---- messages ---- */

tn_message *tn_message_create(char *text)
{
    if (text)
        tn_utf8_mend(text);                            /* browsers end a connection that brings anything else */
    size_t size = text ? strlen(text) : 0;
    tn_message *m = !text ? NULL : malloc(sizeof *m + TN_MESSAGE_ROOM + size);
    if (m) {
        *m = (tn_message){ .users = 1, .size = size, .bytes = (unsigned char *)(m + 1) + TN_MESSAGE_ROOM };
        memcpy(m->bytes, text, size);
    }
    cJSON_free(text);
    return m;
}

static void release_message(tn_message *m)
{
    if (m && --m->users == 0)
        free(m);
}

void tn_message_release(tn_clients *c, tn_message *m)
{
    pthread_mutex_lock(&c->lock);
    release_message(m);
    pthread_mutex_unlock(&c->lock);
}

static void enqueue_message(tn_client *client, tn_message *m)
{
    if (client->gone || client->overflown)
        return;
    if (client->count == TN_OUTBOX_MESSAGES || client->bytes + m->size > TN_OUTBOX_BYTES) {
        client->overflown = true;
        return;
    }
    m->users++;
    client->outbox[(client->first + client->count++) % TN_OUTBOX_MESSAGES] = m;
    client->bytes += m->size;
}

void tn_client_send(tn_clients *c, tn_client *client, tn_message *m)
{
    pthread_mutex_lock(&c->lock);
    enqueue_message(client, m);
    pthread_mutex_unlock(&c->lock);
    c->wake(c->user);
}

void tn_clients_broadcast(tn_clients *c, tn_message *m)
{
    pthread_mutex_lock(&c->lock);
    for (tn_client *client = c->list; client; client = client->next)
        enqueue_message(client, m);
    pthread_mutex_unlock(&c->lock);
    c->wake(c->user);
}

static tn_message *dequeue_message(tn_client *client)
{
    if (client->count == 0)
        return NULL;
    tn_message *m = client->outbox[client->first];
    client->first = (client->first + 1) % TN_OUTBOX_MESSAGES;
    client->count--;
    client->bytes -= m->size;
    return m;
}

tn_message *tn_client_next(tn_clients *c, tn_client *client)
{
    pthread_mutex_lock(&c->lock);
    tn_message *m = dequeue_message(client);
    pthread_mutex_unlock(&c->lock);
    return m;
}

/* ---- coming and going ---- */

tn_client *tn_client_create(tn_clients *c, tn_right right)
{
    tn_client *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;
    client->right = right;
    client->users = 2;                                 /* the network and the list */
    pthread_mutex_lock(&c->lock);
    client->number = ++c->numbered;
    pthread_mutex_unlock(&c->lock);
    return client;
}

void tn_client_join(tn_clients *c, tn_client *client, tn_message *const *greeting)
{
    pthread_mutex_lock(&c->lock);
    if (*greeting)
        enqueue_message(client, *greeting);
    client->next = c->list;
    c->list = client;
    c->count++;
    c->viewers += client->right == TN_RIGHT_VIEW;
    pthread_mutex_unlock(&c->lock);
    c->wake(c->user);
}

static void release_client(tn_client *client)
{
    if (--client->users > 0)
        return;
    free(client->back.room);
    free(client->latest.room);
    free(client->front.room);
    free(client);
}

void tn_client_leave(tn_clients *c, tn_client *client)
{
    tn_message *m;
    pthread_mutex_lock(&c->lock);
    client->gone = true;
    c->count--;
    c->viewers -= client->right == TN_RIGHT_VIEW;
    while ((m = dequeue_message(client)))
        release_message(m);
    release_client(client);
    pthread_mutex_unlock(&c->lock);
}

bool tn_client_begin(tn_clients *c, tn_client *client)
{
    pthread_mutex_lock(&c->lock);
    bool room = client->pending < TN_MOST_PENDING;
    client->pending += room;
    client->users += room;
    pthread_mutex_unlock(&c->lock);
    return room;
}

void tn_client_end(tn_clients *c, tn_client *client)
{
    pthread_mutex_lock(&c->lock);
    client->pending--;
    release_client(client);
    pthread_mutex_unlock(&c->lock);
}

void tn_subscription_clear(tn_subscription *s)
{
    tn_readout_close(s->readout);
    for (size_t k = 0; k < s->count; k++)
        free(s->names[k]);
    free(s->names);
    *s = (tn_subscription){ 0 };
}

void tn_clients_subscribe(tn_clients *c, tn_client *client, tn_subscription *subscription)
{
    pthread_mutex_lock(&c->lock);
    bool gone = client->gone;                          /* maybe swept already: nobody would clear it */
    pthread_mutex_unlock(&c->lock);
    if (!gone) {
        subscription->number = client->subscription.number + 1;
        tn_subscription_clear(&client->subscription);
        client->subscription = *subscription;
        *subscription = (tn_subscription){ 0 };
    }
    tn_subscription_clear(subscription);
}

void tn_clients_remove_closed(tn_clients *c)
{
    pthread_mutex_lock(&c->lock);
    for (tn_client **link = &c->list; *link;) {
        tn_client *client = *link;
        if (!client->gone) {
            link = &client->next;
            continue;
        }
        *link = client->next;
        tn_subscription_clear(&client->subscription);
        release_client(client);
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- frames ---- */

unsigned char *tn_client_frame(tn_client *client, size_t size)
{
    tn_frame_buffer *back = &client->back;
    if (size > back->capacity) {
        unsigned char *room = realloc(back->room, TN_MESSAGE_ROOM + size);
        if (!room)
            return NULL;
        back->room = room;
        back->capacity = size;
    }
    back->size = size;
    return back->room + TN_MESSAGE_ROOM;
}

static void exchange_buffers(tn_frame_buffer *a, tn_frame_buffer *b)
{
    tn_frame_buffer was = *a;
    *a = *b;
    *b = was;
}

void tn_client_publish(tn_clients *c, tn_client *client)
{
    pthread_mutex_lock(&c->lock);
    exchange_buffers(&client->back, &client->latest);
    client->fresh = true;
    pthread_mutex_unlock(&c->lock);
}

bool tn_client_take_frame(tn_clients *c, tn_client *client)
{
    pthread_mutex_lock(&c->lock);
    bool fresh = client->fresh;
    if (fresh)
        exchange_buffers(&client->latest, &client->front);
    client->fresh = false;
    pthread_mutex_unlock(&c->lock);
    return fresh;
}
