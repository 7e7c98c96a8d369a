/* Components of other programs: the motion of the library itself, also through a slow connection; connections that are lost and
 * come back; clients that are turned away. */
#include "live_runs.h"
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "link.h"
#include "tenon/serve.h"

static const char LIBRARY[] = TENON_BAD_LIBRARIES "/good.so", TOKEN[] = "a-token-of-the-test";

static const char MODEL[] = "tenon: 1\n"
                            "bodies:\n"
                            "  ball: { mass: 1, inertia: [1, 1, 1], position: [0, 0, -1] }\n"
                            "subsystems:\n"
                            "  part: { use: \"%s\" }\n"
                            "forces:\n"
                            "  s: { type: spring, between: [part.middle, ball], stiffness: 40, length: 0.5 }\n"
                            "solve: { until: 1, integrator: rk4, step: 2 ms }\n";

/* ---- servers ---- */

typedef struct server {
    pid_t process;
    int port;
} server;

/* In the child: it ends with the test. */
static void begin_child(void)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void write_port(void *user, const char *line)
{
    const char *colon = strrchr(line, ':');
    int port = colon && strncmp(line, "tenon", 5) == 0 ? atoi(colon + 1) : 0;
    if (port > 0 && write(*(int *)user, &port, sizeof port) < 0)
        abort();
}

/* port 0: a free one. key: file of the key of saved states, or NULL. */
static server start_server(int port, const char *key)
{
    server s = { .port = 0 };
    int ends[2];
    char text[8];
    assert_int_equal(pipe(ends), 0);
    snprintf(text, sizeof text, "%d", port);
    s.process = fork();
    if (s.process == 0) {
        begin_child();
        tn_context *context = tn_context_create(NULL);
        tn_serve_options options = tn_serve_default();
        const tn_served served = { "part", LIBRARY };
        options.host = "127.0.0.1";
        options.port = text;
        options.token = TOKEN;
        options.state_key = key;
        options.say = write_port;
        options.user = &ends[1];
        close(ends[0]);
        _exit(tn_serve(context, &served, 1, &options) == TN_OK ? 0 : 1);
    }
    setpgid(s.process, s.process);
    close(ends[1]);
    assert_int_equal(read(ends[0], &s.port, sizeof s.port), sizeof s.port);
    close(ends[0]);
    return s;
}

static void stop_server(const server *s)
{
    kill(-s->process, SIGKILL);
    waitpid(s->process, NULL, 0);
}

/* Passes bytes on after a delay: a slow connection. Serves one connection after another. */
static _Noreturn void pass_on(int listening, int port, long nanoseconds)
{
    for (;;) {
        int client = accept(listening, NULL, NULL), there = socket(AF_INET, SOCK_STREAM, 0);
        const struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        if (fork() == 0) {
            struct pollfd ends[2] = { { .fd = client, .events = POLLIN }, { .fd = there, .events = POLLIN } };
            char bytes[65536];
            bool good = connect(there, (const struct sockaddr *)&address, sizeof address) == 0;
            while (good && poll(ends, 2, -1) > 0)
                for (int k = 0; good && k < 2; k++) {
                    ssize_t size = ends[k].revents ? read(ends[k].fd, bytes, sizeof bytes) : -1;
                    if (size > 0)
                        nanosleep(&(struct timespec){ .tv_nsec = nanoseconds }, NULL);
                    good = ends[k].revents == 0 || (size > 0 && write(ends[1 - k].fd, bytes, (size_t)size) == size);
                }
            _exit(0);
        }
        close(client);
        close(there);
    }
}

static server start_slow_way(int port)
{
    server s;
    char trouble[TN_STREAM_TEXT];
    int listening[TN_STREAM_SOCKETS];
    assert_int_equal(tn_stream_listen(listening, "127.0.0.1", "0", trouble), 1);
    s.port = tn_stream_port(listening[0]);
    s.process = fork();
    if (s.process == 0) {
        begin_child();
        fcntl(listening[0], F_SETFL, 0);               /* it may block */
        pass_on(listening[0], port, 500000);
    }
    setpgid(s.process, s.process);
    close(listening[0]);
    return s;
}

/* ---- models ---- */

static int read_at(machine *m, const char *address, const char *token)
{
    char text[1000];
    snprintf(text, sizeof text, MODEL, address);
    *m = (machine){ .context = tn_context_create(NULL) };
    assert_int_equal(tn_context_credentials(m->context, token, NULL), TN_OK);
    return tn_model_read_text(&m->model, m->context, text, strlen(text), "model.yaml", ".");
}

/* port 0: the library is loaded here. */
static machine open_at(int port)
{
    char address[200];
    machine m;
    snprintf(address, sizeof address, port ? "tenon+tcp://127.0.0.1:%d/part" : LIBRARY, port);
    int code = read_at(&m, address, TOKEN);
    machine_must(&m, code);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

static bool told(const machine *m, const char *words)
{
    for (size_t k = 0; k < tn_diagnostics_count(m->context); k++)
        if (strstr(tn_diagnostics_get(m->context, k)->message, words))
            return true;
    tn_diagnostics_print(m->context, stderr);
    return false;
}

static double largest_difference(const machine *a, const machine *b)
{
    static const char *const channels[] = { "ball.position.x", "ball.position.z", "ball.velocity.z", "part.middle.position.z",
                                            "part.middle.velocity.x" };
    double largest = 0;
    for (size_t k = 0; k < TN_LENGTH(channels); k++) {
        double x = NAN, y = NAN;
        machine_must(a, tn_session_value(&x, a->session, channels[k]));
        machine_must(b, tn_session_value(&y, b->session, channels[k]));
        largest = fmax(largest, fabs(x - y));
        assert_true(isfinite(x) && isfinite(y));
    }
    return largest;
}

static void test_same_motion(void **state)
{
    (void)state;
    server s = start_server(0, NULL), slow = start_slow_way(s.port);
    machine here = open_at(0), there = open_at(s.port), far = open_at(slow.port);
    machine_must(&here, tn_session_advance(here.session, 0.2));
    machine_must(&there, tn_session_advance(there.session, 0.2));
    machine_must(&far, tn_session_advance(far.session, 0.2));
    assert_true(largest_difference(&here, &there) == 0);
    assert_true(largest_difference(&here, &far) < 1e-13);
    machine_close(&here);
    machine_close(&there);
    machine_close(&far);
    stop_server(&slow);
    stop_server(&s);
}

/* A server that ends stops the run, which keeps its state and goes on when the server is back: to the same motion. */
static void test_lost_connection(void **state)
{
    (void)state;
    char key[] = "/tmp/tenon-test-key-XXXXXX";
    close(mkstemp(key));
    unlink(key);
    server s = start_server(0, key);
    machine here = open_at(0), there = open_at(s.port);
    machine_must(&there, tn_session_keep_rewind(there.session, 1 << 20, 0.001));
    machine_must(&there, tn_session_advance(there.session, 0.1));
    stop_server(&s);
    double t = tn_session_time(there.session);
    assert_true(tn_session_advance(there.session, 0.1) < 0);
    assert_true(told(&there, "lost the connection to its server"));
    assert_true(told(&there, "component 'part'"));
    assert_true(tn_session_time(there.session) == t);
    assert_true(tn_session_advance(there.session, 0.1) < 0);
    assert_true(told(&there, "cannot be reached"));
    s = start_server(s.port, key);
    machine_must(&there, tn_session_advance(there.session, 0.1));
    machine_must(&here, tn_session_advance(here.session, 0.2));
    assert_true(largest_difference(&here, &there) == 0);
    machine_must(&there, tn_session_seek(there.session, 0.05));
    machine_must(&there, tn_session_advance(there.session, 0.15));
    assert_true(largest_difference(&here, &there) < 1e-13);
    stop_server(&s);
    unlink(key);
    s = start_server(s.port, NULL);                    /* a server that does not have the key */
    assert_true(tn_session_seek(there.session, 0.05) < 0);
    assert_true(tn_session_seek(there.session, 0.05) < 0);
    assert_true(told(&there, "does not know the saved state"));
    machine_close(&here);
    machine_close(&there);
    stop_server(&s);
}

/* A second component, at another server: hung on the ball. */
static machine open_pair(int first, int second)
{
    char text[2000], addresses[2][200];
    const int ports[2] = { first, second };
    machine m = { .context = tn_context_create(NULL) };
    for (int k = 0; k < 2; k++)
        snprintf(addresses[k], sizeof addresses[k], ports[k] ? "tenon+tcp://127.0.0.1:%d/part" : LIBRARY, ports[k]);
    snprintf(text, sizeof text, "tenon: 1\nbodies: { ball: { mass: 1, inertia: [1, 1, 1], position: [0, 0, -1] } }\n"
             "subsystems: { part: { use: \"%s\" }, twin: { use: \"%s\" } }\n"
             "forces:\n  s: { type: spring, between: [part.middle, ball], stiffness: 40, length: 0.5 }\n"
             "  z: { type: spring, between: [twin.middle, ball], stiffness: 30, length: 0.4 }\n"
             "solve: { until: 1, integrator: rk4, step: 2 ms }\n", addresses[0], addresses[1]);
    assert_int_equal(tn_context_credentials(m.context, TOKEN, NULL), TN_OK);
    machine_must(&m, tn_model_read_text(&m.model, m.context, text, strlen(text), "model.yaml", "."));
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

/* Both are asked at the same time. Where the first is lost, the answer of the second is still under way: it is waited for, and
 * the run goes on when the first is back. */
static void test_asked_at_the_same_time(void **state)
{
    (void)state;
    char key[] = "/tmp/tenon-test-key-XXXXXX";
    close(mkstemp(key));
    unlink(key);
    server first = start_server(0, key), second = start_server(0, NULL), slow = start_slow_way(second.port);
    machine here = open_pair(0, 0), there = open_pair(first.port, second.port), far = open_pair(first.port, slow.port);
    machine *const runs[] = { &there, &far };
    machine_must(&here, tn_session_advance(here.session, 0.1));
    for (int k = 0; k < 2; k++)
        machine_must(runs[k], tn_session_advance(runs[k]->session, 0.05));
    stop_server(&first);
    for (int k = 0; k < 2; k++) {
        assert_true(tn_session_advance(runs[k]->session, 0.05) < 0);
        assert_true(told(runs[k], "lost the connection to its server"));
    }
    first = start_server(first.port, key);
    for (int k = 0; k < 2; k++)
        machine_must(runs[k], tn_session_advance(runs[k]->session, 0.05));
    assert_true(largest_difference(&here, &there) == 0);
    assert_true(largest_difference(&here, &far) < 1e-13);
    unlink(key);
    for (int k = 0; k < 2; k++)
        machine_close(runs[k]);
    machine_close(&here);
    stop_server(&slow);
    stop_server(&second);
    stop_server(&first);
}

static void must_refuse(const char *address, const char *token, const char *words)
{
    machine m;
    assert_true(read_at(&m, address, token) < 0);
    assert_true(told(&m, words));
    machine_close(&m);
}

static void test_refusals(void **state)
{
    (void)state;
    char address[100], tokens[100];
    server s = start_server(0, NULL);
    snprintf(address, sizeof address, "tenon+tcp://127.0.0.1:%d/part", s.port);
    must_refuse(address, NULL, "does not accept the token");
    must_refuse(address, "another-token", "does not accept the token");
    snprintf(tokens, sizeof tokens, "host:1=x,127.0.0.1:%d=wrong,%s", s.port, TOKEN);
    must_refuse(address, tokens, "does not accept the token");
    snprintf(address, sizeof address, "tenon+tcp://127.0.0.1:%d/prt", s.port);
    snprintf(tokens, sizeof tokens, "nonsense,127.0.0.1:%d=%s", s.port, TOKEN);
    must_refuse(address, tokens, "no component 'prt'; did you mean 'part'?");
    snprintf(address, sizeof address, "tenon://127.0.0.1:%d/part", s.port);
    must_refuse(address, TOKEN, "cannot be reached");  /* TLS at a server without it */
    must_refuse("tenon+tcp://127.0.0.1:1/part", TOKEN, "Connection refused");
    must_refuse("tenon+tcp://192.0.2.1:7000/part", TOKEN, "is not on this machine");
    must_refuse("tenon://", TOKEN, "is no address");
    must_refuse("tenon://host/part", TOKEN, "is no address");
    must_refuse("tenon://host:port/part", TOKEN, "is no address");
    stop_server(&s);
}

/* Bytes that are no greeting, and requests that lead out of the exchange, end that connection and nothing else. */
static void test_hostile_clients(void **state)
{
    (void)state;
    server s = start_server(0, NULL);
    char port[8], trouble[TN_STREAM_TEXT], noise[4096];
    const tn_stream_security plain = { .plain = true };
    const tn_link_address address = { .plain = true, .host = "127.0.0.1", .name = "part" };
    tn_link_address there = address;
    snprintf(port, sizeof port, "%d", s.port);
    snprintf(there.port, sizeof there.port, "%d", s.port);
    for (int k = 0; k < 40; k++) {
        tn_stream *stream = NULL;
        tn_link *link = NULL;
        for (size_t j = 0; j < sizeof noise; j++)
            noise[j] = (char)(j * 31 + (size_t)k * 17);
        assert_int_equal(tn_stream_connect(&stream, "127.0.0.1", port, &plain, 5, trouble), TN_OK);
        tn_stream_send(stream, noise, sizeof noise, 1);
        tn_stream_close(stream);
        size_t length = sizeof noise;
        if (tn_link_open(&link, &there, TOKEN, NULL, trouble) == TN_OK)
            tn_link_call(link, k % 14, noise, &length, sizeof noise, 5);
        tn_link_close(link);
    }
    machine m = open_at(s.port);
    machine_must(&m, tn_session_advance(m.session, 0.01));
    machine_close(&m);
    stop_server(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_motion),
        cmocka_unit_test(test_lost_connection),
        cmocka_unit_test(test_asked_at_the_same_time),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_hostile_clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
