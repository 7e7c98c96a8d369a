/* Parts of the studio that need no network: frames as bytes, who may come in, names of files, queues of clients. */
#include "near.h"
#include "access.h"
#include "client.h"
#include "connections.h"
#include "folder.h"
#include "frame.h"
#include "journals.h"
#include "json_text.h"
#include "page.h"
#include <cJSON.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- frames ---- */

static uint32_t word(const uint8_t *bytes, size_t at)
{
    return bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16 | (uint32_t)bytes[at + 3] << 24;
}

static void test_head_of_a_frame(void **state)
{
    (void)state;
    uint8_t bytes[TN_FRAME_HEAD] = { 0 };
    tn_frame_head head = { .revision = 7, .number = 0x01020304, .flags = TN_FRAME_RUNNING | TN_FRAME_REACTIONS,
                           .time = 1.5, .speed = -2, .bodies = 3, .joints = 4, .forces = 6, .channels = 5 };
    tn_frame_put_head(bytes, &head);
    assert_memory_equal(bytes, "TNF2", 4);
    assert_int_equal(word(bytes, 4), 7);
    assert_memory_equal(bytes + 8, "\x04\x03\x02\x01", 4);
    assert_int_equal(word(bytes, 12), 9);
    assert_memory_equal(bytes + 16, "\0\0\0\0\0\0\xf8\x3f", 8);
    assert_memory_equal(bytes + 24, "\0\0\0\0\0\0\0\xc0", 8);
    assert_int_equal(word(bytes, 32), 3);
    assert_int_equal(word(bytes, 36), 4);
    assert_int_equal(word(bytes, 40), 5);
    assert_int_equal(word(bytes, 48), 0);              /* nothing of forces without what they do */
    head.flags = TN_FRAME_FORCES;
    tn_frame_put_head(bytes, &head);
    assert_int_equal(word(bytes, 36), 0);              /* no joints without reactions */
    assert_int_equal(word(bytes, 48), 6);
}

/* The table of docs/protocol.md, added up by hand. */
static void test_parts_of_a_frame(void **state)
{
    (void)state;
    tn_frame_head head = { .bodies = 3, .joints = 2, .forces = 5, .channels = 1 };
    tn_frame_layout plan = tn_frame_layout_of(&head);
    assert_int_equal(plan.begin[TN_PART_POSES], 56);
    assert_int_equal(plan.begin[TN_PART_PULL], 56 + 168);
    assert_int_equal(plan.length[TN_PART_PULL], 0);
    assert_int_equal(plan.channels, 224);
    assert_int_equal(plan.size, 232);
    head.flags = TN_FRAME_OPTIONAL | TN_FRAME_PULL;
    plan = tn_frame_layout_of(&head);
    assert_int_equal(plan.begin[TN_PART_VELOCITIES], 224);
    assert_int_equal(plan.begin[TN_PART_ACCELERATIONS], 224 + 72);
    assert_int_equal(plan.begin[TN_PART_REACTIONS], 296 + 72);
    assert_int_equal(plan.begin[TN_PART_FORCES], 368 + 48);
    assert_int_equal(plan.begin[TN_PART_PULL], 416 + 120);
    assert_int_equal(plan.channels, 560);
    assert_int_equal(plan.size, 568);
}

static void test_numbers_of_a_frame(void **state)
{
    (void)state;
    uint8_t bytes[24];
    assert_ptr_equal(tn_frame_put_floats(bytes, (double[]){ 1, -0.5 }, 2), bytes + 8);
    assert_memory_equal(bytes, "\0\0\x80\x3f\0\0\0\xbf", 8);
    assert_ptr_equal(tn_frame_put_doubles(bytes, (double[]){ 1, -0.5 }, 2), bytes + 16);
    assert_memory_equal(bytes, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xe0\xbf", 16);
}

/* ---- JSON without a tree ---- */

/* What a reader makes of one number that was written. */
static double read_back(double value)
{
    tn_json_text out = { 0 };
    tn_json_text_number(&out, NULL, value);
    char *text = tn_json_text_take(&out);
    cJSON *json = cJSON_Parse(text);
    const double read = cJSON_IsNumber(json) ? json->valuedouble : NAN;
    cJSON_Delete(json);
    free(text);
    return read;
}

static void test_numbers_read_back_to_the_bit(void **state)
{
    (void)state;
    uint64_t random = 12345;
    static const double special[] = { 0, 1, -1, 0.1, 0.3, 0.1 + 0.2, 1e-4, 9.9999e-5, 1e15, 1e15 - 1, 1e16, 999999.5, 1e6 + 0.5, 0.000123456789,
                                      1234.5678901234, DBL_MAX, DBL_MIN, 4.9e-324, 1.0 / 3, 2.5e-9, 123456.123456789, 5e-10 };
    for (size_t k = 0; k < sizeof special / sizeof special[0]; k++) {
        assert_true(read_back(special[k]) == special[k]);
        assert_true(read_back(-special[k]) == -special[k]);
    }
    for (int k = 0; k < 200000; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int decimals = (int)(random >> 60);
        const double value = k % 2 ? (double)(int64_t)random * 0x1p-40 : (double)(int64_t)(random >> 24) / pow(10, decimals);
        if (read_back(value) != value)
            fail_msg("%.17g is read back as %.17g", value, read_back(value));
    }
    assert_true(isnan(read_back(NAN)) && isnan(read_back(INFINITY)));
}

static void test_json_text_is_that_of_a_tree(void **state)
{
    (void)state;
    static const char *const names[] = { "", "plain", "quo\"te", "back\\slash", "line\nfeed\ttab\x01\x1f", "\xc3\xa4" };
    const tn_word words[] = { { .bits = 1 }, { .number = 0.5f }, { .bits = 0xffffffffu }, { .bits = 0 } };
    tn_json_text out = { 0 };
    cJSON *tree = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(tree, "list");
    tn_json_text_begin(&out, NULL, '{');
    tn_json_text_begin(&out, "list", '[');
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        tn_json_text_string(&out, NULL, names[k]);
        cJSON_AddItemToArray(list, cJSON_CreateString(names[k]));
    }
    tn_json_text_begin(&out, NULL, '{');
    tn_json_text_end(&out, '}');
    cJSON_AddItemToArray(list, cJSON_CreateObject());
    tn_json_text_end(&out, ']');
    tn_json_text_numbers(&out, "numbers", (double[]){ 0, -0.05, 1e-7, 123456789, 1.0 / 3 }, 5);
    cJSON_AddItemToObject(tree, "numbers", cJSON_CreateDoubleArray((double[]){ 0, -0.05, 1e-7, 123456789, 1.0 / 3 }, 5));
    tn_json_text_bool(&out, "good", true);
    cJSON_AddTrueToObject(tree, "good");
    for (size_t k = 0; k <= 4; k++) {
        char key[8], text[64];
        snprintf(key, sizeof key, "w%zu", k);
        tn_base64_words(text, words, k);
        tn_json_text_words(&out, key, words, k);
        cJSON_AddStringToObject(tree, key, text);
    }
    tn_json_text_end(&out, '}');
    char *text = tn_json_text_take(&out), *expected = cJSON_PrintUnformatted(tree);
    assert_string_equal(text, expected);
    free(text);
    cJSON_free(expected);
    cJSON_Delete(tree);
}

/* ---- who may come in ---- */

static void test_tokens(void **state)
{
    (void)state;
    tn_access a = { .port = 80 }, b = { .port = 80 };
    char wrong[64];
    assert_true(tn_access_open(&a, "127.0.0.1") && tn_access_open(&b, "127.0.0.1"));
    assert_int_equal(strlen(a.edit), 32);
    assert_string_not_equal(a.edit, a.view);
    assert_string_not_equal(a.edit, b.edit);
    assert_int_equal(tn_access_right(&a, a.edit), TN_RIGHT_EDIT);
    assert_int_equal(tn_access_right(&a, a.view), TN_RIGHT_VIEW);
    assert_int_equal(tn_access_right(&a, b.edit), TN_RIGHT_NONE);
    assert_int_equal(tn_access_right(&a, NULL), TN_RIGHT_NONE);
    assert_int_equal(tn_access_right(&a, ""), TN_RIGHT_NONE);
    for (size_t k = 0; k < 32; k++) {
        snprintf(wrong, sizeof wrong, "%s", a.edit);
        wrong[k] = wrong[k] == '0' ? '1' : '0';
        assert_int_equal(tn_access_right(&a, wrong), TN_RIGHT_NONE);
        wrong[k] = '\0';
        assert_int_equal(tn_access_right(&a, wrong), TN_RIGHT_NONE);
    }
    snprintf(wrong, sizeof wrong, "%s0", a.edit);
    assert_int_equal(tn_access_right(&a, wrong), TN_RIGHT_NONE);
}

static void test_hosts_and_origins(void **state)
{
    (void)state;
    tn_access here = { .host = "127.0.0.1", .port = 8080 }, all = { .host = "0.0.0.0", .port = 8080 };
    static const char *const good[] = { "127.0.0.1:8080", "localhost:8080", "[::1]:8080" };
    static const char *const bad[] = { "", "127.0.0.1", "127.0.0.1:80", "evil.example:8080",
                                       "127.0.0.1.evil.example:8080", "localhost:8080@evil", "192.168.0.7:8080",
                                       ":8080" };
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        assert_true(tn_access_host_good(&here, good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_false(tn_access_host_good(&here, bad[k]));
    assert_false(tn_access_host_good(&here, NULL));
    assert_true(tn_access_host_good(&all, "192.168.0.7:8080"));
    assert_true(tn_access_host_good(&all, "[fe80::1]:8080"));
    assert_false(tn_access_host_good(&all, "evil.example:8080"));
    assert_true(tn_access_origin_good(&here, NULL));
    assert_true(tn_access_origin_good(&here, "http://localhost:8080"));
    assert_false(tn_access_origin_good(&here, "https://localhost:8080"));
    assert_false(tn_access_origin_good(&here, "http://evil.example"));
    assert_false(tn_access_origin_good(&here, "null"));
}

/* With TLS the scheme is https, and browsers leave out its usual port. */
static void test_secure_hosts(void **state)
{
    (void)state;
    tn_access usual = { .host = "studio.example", .port = 443, .secure = true };
    assert_true(tn_access_host_good(&usual, "studio.example"));
    assert_true(tn_access_host_good(&usual, "Studio.example:443"));
    assert_true(tn_access_host_good(&usual, "[fe80::1]"));
    assert_false(tn_access_host_good(&usual, "studio.example:80"));
    assert_false(tn_access_host_good(&usual, "studio.example:"));
    assert_false(tn_access_host_good(&usual, "studio.example:443x"));
    assert_true(tn_access_origin_good(&usual, "https://studio.example"));
    assert_false(tn_access_origin_good(&usual, "http://studio.example"));
}

/* Behind a proxy the studio has another name, and by that name the proxy's scheme. */
static void test_shown_address(void **state)
{
    (void)state;
    static const char *const wrong[] = { "studio.example", "https://", "https://studio.example/tenon", "ftp://studio.example",
                                         "https://user@studio.example", "https://studio.example?x", "" };
    tn_access access = { .host = "127.0.0.1", .port = 8080 };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_false(tn_access_show_at(&access, wrong[k]));
        assert_string_equal(access.shown, "");
    }
    assert_true(tn_access_show_at(&access, "https://studio.example/"));
    assert_string_equal(access.shown, "https://studio.example");
    assert_true(tn_access_host_good(&access, "studio.example"));
    assert_false(tn_access_host_good(&access, "studio.example:8080"));
    assert_false(tn_access_host_good(&access, "studio.example.evil"));
    assert_true(tn_access_host_good(&access, "127.0.0.1:8080"));
    assert_true(tn_access_origin_good(&access, "https://studio.example"));
    assert_false(tn_access_origin_good(&access, "http://studio.example"));
    assert_false(tn_access_origin_good(&access, "https://studio.example.evil"));
}

/* ---- files ---- */

static void test_names_stay_in_the_folder(void **state)
{
    (void)state;
    char folder[] = "/tmp/tenon-folder-XXXXXX", path[TN_PATH_SIZE], there[TN_PATH_SIZE];
    assert_non_null(mkdtemp(folder));
    assert_true(tn_folder_write(folder, "a.yaml", "text", 4));
    assert_true(tn_folder_find(path, folder, "a.yaml"));
    snprintf(there, sizeof there, "%s/link.yaml", folder);
    assert_int_equal(symlink("/etc/passwd", there), 0);
    static const char *const bad[] = { "", ".", "..", "/etc/passwd", "../a.yaml", "x/../a.yaml", "./a.yaml",
                                       "link.yaml", "a.yaml/", "//a.yaml", "b.yaml", ".hidden" };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_false(tn_folder_find(path, folder, bad[k]));
    assert_true(tn_folder_write(folder, "link.yaml", "mine", 4));      /* the link is replaced, not followed */
    size_t size = 0;
    char *text = tn_file_load(&size, there, 100);
    assert_int_equal(size, 4);
    assert_string_equal(text, "mine");
    free(text);
    assert_null(tn_file_load(&size, there, 3));
    unlink(there);
    snprintf(there, sizeof there, "%s/a.yaml", folder);
    unlink(there);
    assert_int_equal(rmdir(folder), 0);
}

static void test_names_of_new_models(void **state)
{
    (void)state;
    static const char *const good[] = { "a.yaml", "My model.yml", "x.json", "a.b.yaml" };
    static const char *const bad[] = { "", "a", ".yaml", "a.sh", "a/b.yaml", "../a.yaml", "a\\b.yaml", "a\nb.yaml",
                                       ".a.yaml" };
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        assert_true(tn_folder_name_good(good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_false(tn_folder_name_good(bad[k]));
}

/* ---- clients ---- */

static void count_up(void *user)
{
    ++*(int *)user;
}

static tn_message *message_of(size_t size)
{
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    text[size] = '\0';
    return tn_message_create(text);
}

static void test_queues_are_bounded(void **state)
{
    (void)state;
    tn_clients clients;
    tn_message *const nothing = NULL;
    int woken = 0;
    assert_true(tn_clients_open(&clients, count_up, &woken));
    tn_client *reads = tn_client_create(&clients, TN_RIGHT_EDIT), *sleeps = tn_client_create(&clients, TN_RIGHT_VIEW);
    tn_client_join(&clients, reads, &nothing);
    tn_client_join(&clients, sleeps, &nothing);
    tn_message *message = message_of(10);
    for (int k = 0; k < TN_OUTBOX_MESSAGES + 1; k++) {
        tn_clients_broadcast(&clients, message);
        tn_message *taken = tn_client_next(&clients, reads);
        assert_ptr_equal(taken, message);
        tn_message_release(&clients, taken);
    }
    assert_false(reads->overflown);
    assert_true(sleeps->overflown);
    assert_int_equal(woken, TN_OUTBOX_MESSAGES + 3);
    tn_message_release(&clients, message);
    message = message_of(TN_OUTBOX_BYTES / 2 + 1);
    tn_client_send(&clients, reads, message);
    assert_false(reads->overflown);
    tn_client_send(&clients, reads, message);
    assert_true(reads->overflown);
    tn_message_release(&clients, message);
    tn_client_leave(&clients, reads);
    tn_client_leave(&clients, sleeps);
    tn_clients_close(&clients);
}

/* Only the latest frame is there, and once. */
static void test_one_place_for_frames(void **state)
{
    (void)state;
    tn_clients clients;
    tn_message *const nothing = NULL;
    int woken = 0;
    assert_true(tn_clients_open(&clients, count_up, &woken));
    tn_client *client = tn_client_create(&clients, TN_RIGHT_VIEW);
    tn_client_join(&clients, client, &nothing);
    assert_false(tn_client_take_frame(&clients, client));
    for (int k = 1; k <= 3; k++) {
        unsigned char *bytes = tn_client_frame(client, (size_t)k);
        memset(bytes, k, (size_t)k);
        tn_client_publish(&clients, client);
    }
    assert_true(tn_client_take_frame(&clients, client));
    assert_int_equal(client->front.size, 3);
    assert_memory_equal(client->front.room + TN_MESSAGE_ROOM, "\3\3\3", 3);
    assert_false(tn_client_take_frame(&clients, client));
    for (int k = 0; k < TN_MOST_PENDING; k++)
        assert_true(tn_client_begin(&clients, client));
    assert_false(tn_client_begin(&clients, client));
    tn_client_leave(&clients, client);
    tn_clients_remove_closed(&clients);                        /* requests under way keep it */
    for (int k = 0; k < TN_MOST_PENDING; k++)
        tn_client_end(&clients, client);
    tn_clients_close(&clients);
}

/* ---- journals ---- */

enum { NO_PROCESS = 99999999 };        /* more than Linux gives */

static void touch(const char *folder, const char *stem, int day, long process)
{
    char name[200];
    snprintf(name, sizeof name, "%s-202601%02d-120000-%ld-1.journal", stem, day, process);
    assert_true(tn_folder_write(folder, name, "x", 1));
}

static bool is_there(const char *folder, const char *stem, int day, long process)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s-202601%02d-120000-%ld-1.journal", folder, stem, day, process);
    return access(path, F_OK) == 0;
}

static void remove_all(const char *folder)
{
    char command[200];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void test_old_journals_go(void **state)
{
    (void)state;
    char folder[] = "/tmp/tenon-journals-XXXXXX", own[TN_PATH_SIZE];
    assert_non_null(mkdtemp(folder));
    for (int day = 1; day <= 6; day++)
        touch(folder, "car", day, NO_PROCESS);
    touch(folder, "car", 1, getpid());                 /* of a program that runs */
    touch(folder, "car-2", 1, NO_PROCESS);             /* of another model */
    assert_true(tn_folder_write(folder, "car-notes.journal", "x", 1));
    assert_true(tn_folder_write(folder, "car.yaml", "x", 1));
    tn_journals_prune(folder, "car", 3);
    for (int day = 1; day <= 6; day++)
        assert_int_equal(is_there(folder, "car", day, NO_PROCESS), day >= 4);
    assert_true(is_there(folder, "car", 1, getpid()) && is_there(folder, "car-2", 1, NO_PROCESS));
    assert_true(tn_folder_find(own, folder, "car-notes.journal") && tn_folder_find(own, folder, "car.yaml"));
    assert_true(tn_journal_path(own, sizeof own, folder, "car", 7));
    assert_true(tn_folder_write(folder, strrchr(own, '/') + 1, "x", 1));
    tn_journals_prune(folder, "car", 0);
    assert_int_equal(access(own, F_OK), 0);            /* its own is running */
    assert_false(is_there(folder, "car", 6, NO_PROCESS));
    tn_journals_prune("/nowhere", "car", 0);
    remove_all(folder);
}

/* ---- connections ---- */

static void test_budget_of_connections(void **state)
{
    (void)state;
    tn_connections c = { 0 };
    char handles[400];
    int used = 0, closed = 0;
    for (; used < 300; used++) {
        assert_true(tn_connections_add(&c, &handles[used], "10.0.0.1"));
        void *excess = tn_connections_excess(&c, "10.0.0.1");
        if (excess) {
            assert_ptr_equal(excess, &handles[closed]);        /* the oldest one */
            tn_connections_remove(&c, excess);
            closed++;
        }
    }
    assert_int_equal(used - closed, TN_PEER_WAITING);
    assert_true(tn_connections_add(&c, &handles[used], "10.0.0.2"));
    assert_null(tn_connections_excess(&c, "10.0.0.2"));        /* another peer has a budget of its own */
    for (int k = 0; k < TN_PEER_BUSY; k++) {
        assert_true(tn_connections_set(&c, &handles[closed + k], TN_CONNECTION_BUSY));
        assert_true(tn_connections_set(&c, &handles[closed + k], TN_CONNECTION_BUSY));
    }
    assert_true(tn_connections_add(&c, &handles[++used], "10.0.0.1"));
    assert_false(tn_connections_set(&c, &handles[used], TN_CONNECTION_BUSY));
    assert_true(tn_connections_set(&c, &handles[closed], TN_CONNECTION_WAITING));
    assert_true(tn_connections_set(&c, &handles[used], TN_CONNECTION_BUSY));
    assert_false(tn_connections_set(&c, &handles[399], TN_CONNECTION_BUSY));   /* nobody knows it */
    tn_connections_clear(&c);
    assert_null(c.newest);
}

/* ---- turns ---- */

typedef struct asked {
    tn_turn turn;
    char name;
    char *order;                   /* the names of those that had their turn */
} asked;

static int note_turn(void *user, tn_session *session)
{
    asked *a = user;
    (void)session;
    strncat(a->order, &a->name, 1);
    return TN_OK;
}

static void note_refusal(void *user)
{
    asked *a = user;
    strncat(a->order, "-", 2);
}

static void test_clients_take_turns(void **state)
{
    (void)state;
    tn_turns t;
    tn_line hostile = { 0 }, viewer = { 0 }, editor = { 0 }, other = { 0 };
    char order[40] = "";
    asked all[12];
    const struct { tn_line *line; tn_right right; char name; } come[] = {
        { &hostile, TN_RIGHT_VIEW, 'h' }, { &hostile, TN_RIGHT_VIEW, 'h' }, { &hostile, TN_RIGHT_VIEW, 'h' }, { &hostile, TN_RIGHT_VIEW, 'h' },
        { &viewer, TN_RIGHT_VIEW, 'v' }, { &viewer, TN_RIGHT_VIEW, 'w' }, { &editor, TN_RIGHT_EDIT, 'e' }, { &editor, TN_RIGHT_EDIT, 'f' },
        { &other, TN_RIGHT_EDIT, 'o' },
    };
    assert_true(tn_turns_open(&t));
    for (size_t k = 0; k < sizeof come / sizeof come[0]; k++) {
        all[k] = (asked){ .turn = { .run = note_turn, .refuse = note_refusal, .user = &all[k] }, .name = come[k].name, .order = order };
        assert_int_equal(tn_turns_add(&t, come[k].line, come[k].right, &all[k].turn), k == 0);     /* the thread is asked once */
    }
    for (int k = 0; k < 7; k++)
        assert_true(tn_turns_serve(&t, NULL));
    assert_string_equal(order, "eofhvhw");
    tn_turns_refuse(&t);
    assert_string_equal(order, "eofhvhw--");
    assert_true(tn_turns_add(&t, &hostile, TN_RIGHT_VIEW, &all[0].turn));
    assert_false(tn_turns_serve(&t, NULL));
    assert_string_equal(order, "eofhvhw--h");
    tn_turns_close(&t);
}

static void test_all_peers_together(void **state)
{
    (void)state;
    tn_connections c = { 0 };
    char handles[TN_ALL_WAITING + 1], peer[TN_PEER_SIZE];
    for (int k = 0; k <= TN_ALL_WAITING; k++) {
        snprintf(peer, sizeof peer, "10.0.1.%d", k);
        assert_true(tn_connections_add(&c, &handles[k], peer));
        void *excess = tn_connections_excess(&c, peer);
        assert_ptr_equal(excess, k < TN_ALL_WAITING ? NULL : &handles[0]);
    }
    assert_null(tn_connections_excess(&c, peer));              /* each is returned once */
    tn_connections_clear(&c);
}

/* ---- the page ---- */

static void test_files_of_the_page(void **state)
{
    (void)state;
    static const unsigned char text[] = "a page, a page, a page, a page";
    unsigned char packed[200];
    z_stream stream = { .next_in = (unsigned char *)text, .avail_in = sizeof text - 1, .next_out = packed,
                        .avail_out = sizeof packed };
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    const tn_page_file files[] = { { "/", "text/html", true, packed, stream.total_out }, { NULL, NULL, false, NULL, 0 } };
    assert_ptr_equal(tn_page_find(files, "/"), files);
    assert_ptr_equal(tn_page_find(files, "/index.html"), files);
    assert_null(tn_page_find(files, "/other"));
    size_t size = 0;
    unsigned char *content = tn_page_inflate(&size, files);
    assert_int_equal(size, sizeof text - 1);
    assert_memory_equal(content, text, size);
    free(content);
    packed[20] ^= 0xff;
    assert_null(tn_page_inflate(&size, files));
    static const char *const yes[] = { "gzip", "br, gzip", "gzip;q=0.1", "GZIP , br", "deflate,gzip" };
    static const char *const no[] = { "", "br", "gzip;q=0", "gzip;q=0.0, br", "xgzip", "gzipx", "identity" };
    for (size_t k = 0; k < sizeof yes / sizeof yes[0]; k++)
        assert_true(tn_page_accepts_gzip(yes[k]));
    for (size_t k = 0; k < sizeof no / sizeof no[0]; k++)
        assert_false(tn_page_accepts_gzip(no[k]));
    assert_false(tn_page_accepts_gzip(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_of_a_frame),
        cmocka_unit_test(test_parts_of_a_frame),
        cmocka_unit_test(test_numbers_of_a_frame),
        cmocka_unit_test(test_numbers_read_back_to_the_bit),
        cmocka_unit_test(test_json_text_is_that_of_a_tree),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_hosts_and_origins),
        cmocka_unit_test(test_secure_hosts),
        cmocka_unit_test(test_shown_address),
        cmocka_unit_test(test_budget_of_connections),
        cmocka_unit_test(test_all_peers_together),
        cmocka_unit_test(test_clients_take_turns),
        cmocka_unit_test(test_files_of_the_page),
        cmocka_unit_test(test_names_stay_in_the_folder),
        cmocka_unit_test(test_names_of_new_models),
        cmocka_unit_test(test_queues_are_bounded),
        cmocka_unit_test(test_one_place_for_frames),
        cmocka_unit_test(test_old_journals_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
