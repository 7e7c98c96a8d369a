/* Fuzz target: messages of a client to the studio, one a line, in a server within this process. */
#define _XOPEN_SOURCE 700
#include "fuzz.h"
#include "request.h"
#include "studio.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 16 };

static tn_studio *studio;

static int nothing(void *user, tn_session *session)
{
    (void)user;
    (void)session;
    return TN_OK;
}

static void open_studio(void)
{
    static char folder[] = "/tmp/tenon-fuzz-studio-XXXXXX";
    static const tn_page_file page[] = { { NULL, NULL, false, NULL, 0 } };
    tn_studio_options options = { .folder = mkdtemp(folder), .state = folder, .paused = true, .page = page };
    if (tn_studio_open(&studio, &options, stderr) < 0)
        abort();
}

static void drop_answers(tn_client *client)
{
    for (tn_message *m; (m = tn_client_next(&studio->clients, client));)
        tn_message_release(&studio->clients, m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!studio)
        open_studio();
    tn_client *client = tn_client_create(&studio->clients, size % 2 ? TN_RIGHT_EDIT : TN_RIGHT_VIEW);
    tn_message *none = NULL;
    char *text = malloc(size + 1), *next = NULL;
    if (!client || !text)
        abort();
    tn_client_join(&studio->clients, client, &none);
    memcpy(text, data, size);
    text[size] = '\0';
    int lines = 0;
    for (char *line = strtok_r(text, "\n", &next); line && lines++ < MOST_LINES; line = strtok_r(NULL, "\n", &next))
        tn_request_handle(studio, client, line, strlen(line));
    tn_runner_set_speed(studio->hub.runner, 0);
    tn_runner_call(studio->hub.runner, nothing, NULL, 10);
    drop_answers(client);
    tn_client_leave(&studio->clients, client);
    free(text);
    return 0;
}
