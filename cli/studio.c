/* tenon studio: serves a session to browsers. */
#define _XOPEN_SOURCE 700          /* realpath */
#include "interrupt.h"
#include "output.h"
#include "player_page.h"
#include "studio.h"
#include "studio_page.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT, HOST, CERTIFICATE, KEY, SHOWN, FOLDER, GALLERY, RESUME, ENTRIES, STATE, PAUSED, NO_BROWSER, PLUGINS, SYNC, OPTION_COUNT };

static const tn_option options[] = {
    [PORT] = { "--port", TN_OPTION_NOT_NEGATIVE, "N", "port to listen on; default 0: one that is free", NULL },
    [HOST] = { "--host", TN_OPTION_TEXT, "ADDRESS", "address to listen on; default: 127.0.0.1 and ::1, this machine",
               NULL },
    [CERTIFICATE] = { "--certificate", TN_OPTION_TEXT, "FILE", "certificate (PEM, with its chain): browsers come by https",
                      NULL },
    [KEY] = { "--key", TN_OPTION_TEXT, "FILE", "private key of the certificate (PEM)", NULL },
    [SHOWN] = { "--shown-at", TN_OPTION_TEXT, "URL", "where browsers see it when a proxy stands before it: "
                "https://studio.example.org", NULL },
    [FOLDER] = { "--folder", TN_OPTION_TEXT, "FOLDER", "where models are opened and saved; default: that of the model",
                 NULL },
    [GALLERY] = { "--gallery", TN_OPTION_TEXT, "FOLDER", "models to start from; default: the examples", NULL },
    [RESUME] = { "--resume", TN_OPTION_TEXT, "JOURNAL", "go on where an earlier run of the studio ended", NULL },
    [ENTRIES] = { "--entries", TN_OPTION_NOT_NEGATIVE, "N", "with --resume: only the first N entries of the journal", NULL },
    [STATE] = { "--state", TN_OPTION_TEXT, "FOLDER", "where journals are kept; default: $XDG_STATE_HOME/tenon", NULL },
    [PAUSED] = { "--paused", TN_OPTION_FLAG, NULL, "do not run yet", NULL },
    [NO_BROWSER] = { "--no-browser", TN_OPTION_FLAG, NULL, "open no browser", NULL },
    [PLUGINS] = { "--plugins", TN_OPTION_FLAG, NULL, "clients that edit may have shared libraries loaded; their code "
                  "runs here", NULL },
    [SYNC] = { "--sync", TN_OPTION_FLAG, NULL, "acknowledge an edit when it is on the disk: it survives a power failure",
               NULL },
    [OPTION_COUNT] = { NULL, TN_OPTION_FLAG, NULL, NULL, NULL },
};

enum { PATH_SIZE = 4096 };

/* The page where there is none: the address works for other clients. */
static const unsigned char no_page_text[] =
    "<!doctype html><meta charset=utf-8><title>Tenon</title><p>This program was built "
    "without its pages (TENON_WEB=OFF); other clients are welcome: docs/protocol.md.";

static const tn_page_file no_page[] = {
    { "/", "text/html; charset=utf-8", false, no_page_text, sizeof no_page_text - 1 },
    { NULL, NULL, false, NULL, 0 },
};

/* ---- folders ---- */

static bool is_folder(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

/* Examples beside the program: where they are installed, or in the tree it was built in. */
static const char *find_gallery(char path[PATH_SIZE])
{
    static const char *const places[] = { "/../share/tenon/examples", "/../examples" };
    char program[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        snprintf(path, PATH_SIZE, "%.4000s%s", program, places[k]);
        if (is_folder(path))
            return path;
    }
    return NULL;
}

/* Makes a folder and those above it. */
static bool make_folder(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static int choose_state(char path[PATH_SIZE], const tn_option_value *given)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (given->given)
        snprintf(path, PATH_SIZE, "%s", given->text);
    else if (state && state[0] == '/')
        snprintf(path, PATH_SIZE, "%s/tenon", state);
    else
        snprintf(path, PATH_SIZE, "%s/.local/state/tenon", home ? home : "/tmp");
    return make_folder(path) ? TN_EXIT_OK : tn_file_failed(path);
}

/* ---- what people see ---- */

/* Every user of the machine can read the words that a program was started with, so the browser is not given the address, which
 * has the token, but a page that leads there and that only this user can read. */
static bool write_way(char path[PATH_SIZE], const char *state, const char *url)
{
    snprintf(path, PATH_SIZE, "%.4000s/browser-%ld.html", state, (long)getpid());
    unlink(path);                                      /* left by a program that was killed */
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (!out)
        return false;
    fprintf(out, "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url=%s\">"
            "<title>Tenon</title><a href=\"%s\">Tenon</a>\n", url, url);
    return tn_file_close(out, path) == TN_EXIT_OK;
}

static void open_browser(const char *page)
{
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {                             /* a grandchild: nobody has to wait for it */
            int nowhere = dup2(STDERR_FILENO, STDOUT_FILENO);
            (void)nowhere;
            execlp("xdg-open", "xdg-open", page, (char *)NULL);
            _exit(EXIT_FAILURE);
        }
        _exit(EXIT_SUCCESS);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* way: the file that leads the browser there, to be removed in the end; empty: none. */
static void announce(char way[PATH_SIZE], const tn_studio *studio, const tn_arguments *arguments, const char *state)
{
    const char *edit = tn_studio_url(studio, true), *view = tn_studio_url(studio, false);
    if (arguments->json) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddStringToObject(document, "url", edit);
        cJSON_AddStringToObject(document, "view", view);
        cJSON_AddStringToObject(document, "journal", tn_studio_journal(studio));
        tn_json_print(document);
    } else {
        printf("studio:      %s\nto look on:  %s\njournal:     %s\nCtrl+C ends it.\n", edit, view,
               tn_studio_journal(studio));
    }
    fflush(stdout);
    bool desktop = (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) && isatty(STDOUT_FILENO);
    way[0] = '\0';
    if (desktop && !arguments->options[NO_BROWSER].given && write_way(way, state, edit))
        open_browser(way);
}

static int usage(const char *what)
{
    fprintf(stderr, "tenon studio: %s\n", what);
    return TN_EXIT_USAGE;
}

static int check_options(const tn_arguments *arguments)
{
    const tn_option_value *given = arguments->options;
    if (given[PORT].given && (given[PORT].number > 65535 || given[PORT].number != floor(given[PORT].number)))
        return usage("--port: a whole number up to 65535");
    if (given[CERTIFICATE].given != given[KEY].given)
        return usage("--certificate and --key go together");
    for (int k = CERTIFICATE; k <= KEY; k++)
        if (given[k].given && access(given[k].text, R_OK) != 0)
            return tn_file_failed(given[k].text);
    if (given[RESUME].given && arguments->operand_count > 0)
        return usage("--resume: the journal knows its model; give one or the other");
    if (given[ENTRIES].given && (!given[RESUME].given || given[ENTRIES].number != floor(given[ENTRIES].number)))
        return usage("--entries: a whole number of entries of a journal that --resume names");
    if (given[FOLDER].given && !is_folder(given[FOLDER].text))
        return usage("--folder: there is no such folder");
    if (given[GALLERY].given && !is_folder(given[GALLERY].text))
        return usage("--gallery: there is no such folder");
    return TN_EXIT_OK;
}

/* Can other machines reach it? */
static bool is_exposed(const char *host)
{
    return host && strcmp(host, "localhost") != 0 && strcmp(host, "::1") != 0 && strncmp(host, "127.", 4) != 0;
}

static void tell_refusal(const tn_studio_options *wanted, int reason)
{
    if (reason == EPROTO)
        fprintf(stderr, "tenon studio: certificate '%s' and key '%s' cannot be used: they are no PEM files, or do not "
                "belong together\n", wanted->certificate, wanted->key);
    else if (reason == EDESTADDRREQ)
        fprintf(stderr, "tenon studio: --shown-at '%s': an address is https://NAME or https://NAME:PORT, without a path\n",
                wanted->shown);
    else
        fprintf(stderr, "tenon studio: cannot listen on %s port %d: %s\n", wanted->host ? wanted->host : "localhost",
                wanted->port, strerror(reason));
}

static int serve(const tn_studio_options *wanted, const tn_arguments *arguments)
{
    tn_studio *studio = NULL;
    int code = tn_studio_open(&studio, wanted, stderr);
    if (code == TN_ERROR_FILE && errno != 0)
        tell_refusal(wanted, errno);
    if (code < 0)
        return tn_exit_status(code);
    if (is_exposed(wanted->host) && !wanted->certificate && !wanted->shown)
        fprintf(stderr, "tenon studio: warning: nothing is encrypted: who can listen on the network gets the token; see "
                "--certificate and --shown-at\n");
    tn_interrupt_catch();
    char way[PATH_SIZE];
    announce(way, studio, arguments, wanted->state);
    tn_studio_serve(studio, tn_interrupted);
    if (way[0] != '\0')
        unlink(way);
    tn_studio_close(studio);
    return TN_EXIT_OK;
}

static int run_studio(tn_context *context, const tn_arguments *arguments)
{
    (void)context;                                     /* every run has one of its own */
    const tn_option_value *given = arguments->options;
    char gallery[PATH_SIZE], state[PATH_SIZE];
    int status = check_options(arguments);
    if (status == TN_EXIT_OK)
        status = choose_state(state, &given[STATE]);
    if (status != TN_EXIT_OK)
        return status;
    tn_studio_options wanted = {
        .model = arguments->operand_count > 0 ? arguments->operands[0] : NULL,
        .resume = given[RESUME].text, .resume_entries = given[ENTRIES].given ? (long)given[ENTRIES].number : -1, .folder = given[FOLDER].text,
        .gallery = given[GALLERY].given ? given[GALLERY].text : find_gallery(gallery), .state = state,
        .certificate = given[CERTIFICATE].text, .key = given[KEY].text, .shown = given[SHOWN].text,
        .host = given[HOST].text, .port = (int)given[PORT].number, .paused = given[PAUSED].given,
        .plugins = given[PLUGINS].given && !arguments->no_plugins,
        .sync = given[SYNC].given,
        .page = tn_studio_page[0].path ? tn_studio_page : no_page,
        .player = tn_player_page,
    };
    return serve(&wanted, arguments);
}

const tn_command tn_command_studio = {
    .name = "studio",
    .summary = "Serve a model to browsers, where it runs, is pulled at and changed.",
    .details = "Without a model, start from the gallery. The address printed contains a token: who has it may edit.\n"
               "The journal of the run is kept: 'tenon replay' repeats it, --resume goes on from it.",
    .operands = "[MODEL]",
    .max_operands = 1,
    .options = options,
    .run = run_studio,
};
