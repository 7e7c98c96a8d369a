/* tenon serve: offers components to models on other machines. */
#define _DEFAULT_SOURCE            /* getentropy, mkdtemp */
#include "compile_options.h"
#include "interrupt.h"
#include "output.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PORT, HOST, TOKEN, CERTIFICATE, KEY, OPEN, DISCLOSE, STATE_KEY, CLIENTS, OPTION_COUNT };

static const tn_option options[] = {
    [PORT] = { "--port", TN_OPTION_NOT_NEGATIVE, "N", "port to listen on; default 0: one that is free", NULL },
    [HOST] = { "--host", TN_OPTION_TEXT, "ADDRESS", "address to listen on; default localhost: this machine only", NULL },
    [TOKEN] = { "--token", TN_OPTION_TEXT, "TEXT", "what clients must know; default: $TENON_TOKEN, or one that is printed", NULL },
    [CERTIFICATE] = { "--certificate", TN_OPTION_TEXT, "FILE", "certificate (PEM, with its chain): clients come by TLS", NULL },
    [KEY] = { "--key", TN_OPTION_TEXT, "FILE", "private key of the certificate (PEM)", NULL },
    [OPEN] = { "--open", TN_OPTION_TEXTS, "NAME,...", "parameters that clients may give; others are fixed", NULL },
    [DISCLOSE] = { "--disclose", TN_OPTION_TEXT, "LEVEL", "what clients get: respond, or condense (default)", NULL },
    [STATE_KEY] = { "--state-key", TN_OPTION_TEXT, "FILE", "key that seals saved states, made when it is not there: saved "
                    "states outlive the server", NULL },
    [CLIENTS] = { "--clients", TN_OPTION_POSITIVE, "N", "components at a time, at most 64; default 16", NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

typedef struct offer {
    char folder[40], names[TN_MAX_TEXTS][128], libraries[TN_MAX_TEXTS][TN_CLI_PATH], token[40];
    bool made[TN_MAX_TEXTS];       /* the library is a file of ours */
    tn_served served[TN_MAX_TEXTS];
} offer;

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

/* A token that nobody guesses, in hexadecimal digits. */
static const char *make_token(char token[40])
{
    unsigned char random[16];
    if (getentropy(random, sizeof random) != 0)
        return NULL;
    for (size_t k = 0; k < sizeof random; k++)
        snprintf(token + 2 * k, 3, "%02x", random[k]);
    return token;
}

/* Libraries are served as they are; model files are compiled first. */
static int make_library(offer *o, size_t k, tn_context *context, const char *file, const tn_compile_options *compile)
{
    const char *name = tn_file_name(file), *dot = strrchr(name, '.');
    snprintf(o->names[k], sizeof o->names[k], "%.*s", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
    if (ends_in(file, ".so")) {
        char *whole = realpath(file, NULL);
        snprintf(o->libraries[k], TN_CLI_PATH, "%s", whole ? whole : file);
        free(whole);
    } else {
        o->made[k] = snprintf(o->libraries[k], TN_CLI_PATH, "%s/%zu.so", o->folder, k) < TN_CLI_PATH;
        int status = tn_diagnostics_flush(context, tn_compile(context, file, o->libraries[k], compile), NULL);
        if (status != TN_EXIT_OK)
            return status;
    }
    o->served[k] = (tn_served){ o->names[k], o->libraries[k] };
    return TN_EXIT_OK;
}

static void say(void *user, const char *line)
{
    (void)user;
    printf("%s\n", line);
    fflush(stdout);
}

static bool is_stopped(void *user)
{
    (void)user;
    return tn_interrupted();
}

static int serve_offer(tn_context *context, const tn_arguments *arguments, offer *o)
{
    const tn_option_value *given = arguments->options;
    char port[8];
    tn_serve_options serve = tn_serve_default();
    snprintf(port, sizeof port, "%d", given[PORT].given && given[PORT].number < 65536 ? (int)given[PORT].number : 0);
    serve.port = port;
    serve.host = given[HOST].given ? given[HOST].text : serve.host;
    serve.certificate = given[CERTIFICATE].text;
    serve.key = given[KEY].text;
    serve.state_key = given[STATE_KEY].text;
    serve.most_clients = given[CLIENTS].given ? (int)given[CLIENTS].number : serve.most_clients;
    serve.say = say;
    serve.stop = is_stopped;
    serve.token = given[TOKEN].given ? given[TOKEN].text : getenv("TENON_TOKEN");
    if (!serve.token && (serve.token = make_token(o->token)) != NULL)
        printf("TENON_TOKEN=%s\n", serve.token);
    tn_interrupt_catch();
    return tn_diagnostics_flush(context, tn_serve(context, o->served, arguments->operand_count, &serve), NULL);
}

static void remove_libraries(const offer *o, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (o->made[k])
            unlink(o->libraries[k]);
    rmdir(o->folder);
}

static int run_serve(tn_context *context, const tn_arguments *arguments)
{
    offer *o = tn_allocate(1, sizeof *o);
    tn_compile_request request;
    strcpy(o->folder, "/tmp/tenon-serve-XXXXXX");
    if (!mkdtemp(o->folder)) {
        free(o);
        return tn_file_failed("/tmp");
    }
    int status = tn_compile_request_take(&request, "serve", &arguments->options[OPEN], &arguments->options[DISCLOSE]);
    if (request.options.disclose == 0)
        request.options.disclose = TN_DISCLOSE_CONDENSED;
    for (size_t k = 0; status == TN_EXIT_OK && k < arguments->operand_count; k++)
        status = make_library(o, k, context, arguments->operands[k], &request.options);
    if (status == TN_EXIT_OK)
        status = serve_offer(context, arguments, o);
    tn_compile_request_end(&request);
    remove_libraries(o, arguments->operand_count);
    free(o);
    return status;
}

const tn_command tn_command_serve = {
    .name = "serve",
    .summary = "Offer subsystems to models on other machines, which do not get their files.",
    .details = "Prints an address for each: 'use: tenon://HOST:PORT/NAME' in a model elsewhere. Runs until Ctrl+C.\n"
               "Clients give the token in TENON_TOKEN and, where the system does not trust the certificate, a file with it\n"
               "in TENON_AUTHORITY. See docs/components.md.",
    .operands = "SUBSYSTEM...",
    .min_operands = 1,
    .max_operands = TN_MAX_TEXTS,
    .options = options,
    .run = run_serve,
};
