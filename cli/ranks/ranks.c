/* Finds the number of this process among those of mpirun, and shares the work of a command among them. */
#include "ranks.h"
#include "interrupt.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_SHOWN = 6 };

const char tn_ranks_solver[] = "hierarchical";

struct tn_ranks {
    tn_context *context;
    const char *command;
    tn_mpi_team *mpi;
    tn_team team;
    tn_place *places;
    size_t place_count;
    char *names;                   /* the texts that places point into */
    bool speaks;
    pid_t *pids;                   /* of each rank on this machine; 0: elsewhere, or not known yet */
    tn_placement *placement;
    tn_traffic *traffic;           /* of each rank; NULL: not known */
};

/* ---- processes ---- */

static bool number_in_environment(const char *name, size_t *out)
{
    const char *text = getenv(name);
    char *end = NULL;
    *out = text ? strtoul(text, &end, 10) : 0;
    return text && end != text && *end == '\0';
}

tn_rank tn_rank_of_environment(void)
{
    static const char *const names[][2] = {
        { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
        { "PMI_RANK", "PMI_SIZE" },
        { "PMIX_RANK", "SLURM_NTASKS" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tn_rank rank;
        if (number_in_environment(names[i][0], &rank.rank) && number_in_environment(names[i][1], &rank.size) &&
            rank.rank < rank.size)
            return rank;
    }
    return (tn_rank){ 0, 1 };
}

/* Where stderr was before it was silenced; -1: it is not. There is one of it in a process. */
static int voice = -1;
/* Bytes that libraries have written to it while the team was joined. */
static off_t small_talk;

void tn_rank_silence(void)
{
    FILE *said = tmpfile();
    voice = dup(STDERR_FILENO);
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0)
        dup2(nothing, STDOUT_FILENO);
    if (said || nothing >= 0)
        dup2(said ? fileno(said) : nothing, STDERR_FILENO);
    if (nothing >= 0)
        close(nothing);
    if (said)
        fclose(said);
}

/* The first line that this program has written to stderr since it was silenced; "" when there is none. */
static void first_words(char text[TN_NOTICE_TEXT])
{
    fflush(stderr);
    ssize_t length = pread(STDERR_FILENO, text, TN_NOTICE_TEXT - 1, small_talk);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

/* ---- places that the user gives ---- */

static int misplaced(const tn_ranks *r, const char *text)
{
    fprintf(stderr, "tenon %s: --place: '%s' is not of the form NAME=RANK, with a rank from 0 to %d\n", r->command,
            text, r->team.size - 1);
    return TN_EXIT_USAGE;
}

/* One "NAME=RANK", which is cut at its "=". */
static int take_place(tn_ranks *r, char *text)
{
    char *equals = strrchr(text, '='), *end = NULL;
    long rank = equals ? strtol(equals + 1, &end, 10) : -1;
    if (!equals || equals == text || end == equals + 1 || *end != '\0' || rank < 0 || rank >= r->team.size)
        return misplaced(r, text);
    *equals = '\0';
    r->places[r->place_count++] = (tn_place){ text, (int)rank };
    return TN_EXIT_OK;
}

static int take_places(tn_ranks *r, const tn_option_value *place)
{
    size_t length = 1, most = 0;
    for (size_t i = 0; i < place->text_count; i++)
        length += strlen(place->texts[i]) + 1;
    r->names = tn_allocate(length, 1);
    for (size_t i = 0; i < place->text_count; i++) {
        strcat(r->names, place->texts[i]);
        strcat(r->names, ",");
    }
    for (const char *c = r->names; *c; c++)
        most += *c == ',';
    r->places = tn_allocate(most, sizeof *r->places);
    int status = TN_EXIT_OK;
    char *rest = NULL;
    for (char *word = strtok_r(r->names, ",", &rest); word && status == TN_EXIT_OK; word = strtok_r(NULL, ",", &rest))
        status = take_place(r, word);
    r->team.places = r->places;
    r->team.place_count = r->place_count;
    return status;
}

static int no_such_name(const tn_ranks *r, const char *name)
{
    const tn_placement *p = r->placement;
    const char *near = tn_nearest_text(name, p->names, p->name_count);
    fprintf(stderr, "tenon %s: --place: the model has no subsystem or group '%s'", r->command, name);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputc('\n', stderr);
    return TN_EXIT_USAGE;
}

static int check_place(const tn_ranks *r, const tn_place *place)
{
    const tn_placement *p = r->placement;
    size_t k = 0;
    while (k < p->name_count && strcmp(p->names[k], place->name) != 0)
        k++;
    return k < p->name_count ? TN_EXIT_OK : no_such_name(r, place->name);
}

/* ---- opening and closing ---- */

int tn_ranks_join(tn_ranks **out, tn_context *context, const char *command, const tn_option_value *place)
{
    tn_rank told = tn_rank_of_environment();
    *out = NULL;
    if (told.size == 1 && place->given) {
        fprintf(stderr, "tenon %s: --place: there is one process only; start several with mpirun\n", command);
        return TN_EXIT_USAGE;
    }
    if (told.size == 1)
        return TN_EXIT_OK;
    if (!tn_mpi_built()) {
        if (told.rank == 0)
            fprintf(stderr, "tenon %s: %zu processes were started, but this build has no MPI: start one, or build "
                    "Tenon with MPI\n", command, told.size);
        return TN_EXIT_USAGE;
    }
    tn_interrupt_catch();
    tn_ranks *r = tn_allocate(1, sizeof *r);
    *out = r;
    r->context = context;
    r->command = command;
    r->mpi = tn_mpi_join(tn_interrupted);
    if (voice >= 0)
        small_talk = lseek(STDERR_FILENO, 0, SEEK_CUR);
    r->team = tn_mpi_members(r->mpi);
    r->speaks = r->team.rank == 0;
    if (r->team.size != (int)told.size || r->team.rank != (int)told.rank) {
        fprintf(stderr, "tenon %s: %zu processes were started, but they are not of the MPI this program was built "
                "with: use its mpirun\n", command, told.size);
        return TN_EXIT_USAGE;
    }
    tn_context_set_team(context, &r->team);
    return take_places(r, place);
}

bool tn_ranks_speak(const tn_ranks *r)
{
    return !r || r->speaks;
}

/* When rank 0 has died, the first remaining rank writes the messages in its place. */
static void take_the_floor(tn_ranks *r)
{
    for (int k = 0; k < r->team.rank; k++)
        if (!r->pids || r->pids[k] == 0 || kill(r->pids[k], 0) == 0 || errno != ESRCH)
            return;
    if (!r->speaks && voice >= 0)
        dup2(voice, STDERR_FILENO);
    r->speaks = true;
}

int tn_ranks_finish(tn_ranks *r, int status)
{
    if (!r)
        return status;
    tn_placement_destroy(r->context, r->placement);
    tn_context_set_team(r->context, NULL);
    status = tn_mpi_finish(r->mpi, status);
    free(r->traffic);
    free(r->pids);
    free(r->places);
    free(r->names);
    free(r);
    return status;
}

/* ---- exchange between ranks ---- */

/* Sends count numbers of every rank to all ranks; `all` has size * count numbers. */
static int collect(tn_ranks *r, double *all, const double *own, int count)
{
    int *counts = tn_allocate((size_t)r->team.size, sizeof(int)), *offsets = tn_allocate((size_t)r->team.size,
                                                                                       sizeof(int));
    for (int k = 0; k < r->team.size; k++) {
        counts[k] = count;
        offsets[k] = k * count;
    }
    memcpy(all + offsets[r->team.rank], own, (size_t)count * sizeof(double));
    int code = r->team.gather(r->team.user, all, counts, offsets);
    free(counts);
    free(offsets);
    return code;
}

/* Facts that ranks exchange, as numbers that doubles hold exactly. */
enum { LOW, HIGH, VERSION, MACHINE, PID, TOLD };

static double number_of(const char *text)
{
    uint32_t number = 0;
    for (; *text; text++)
        number = 31 * number + (unsigned char)*text;
    return number;
}

static void introduce(double own[TOLD], uint64_t hash)
{
    char machine[256] = "";
    gethostname(machine, sizeof machine - 1);
    own[LOW] = (double)(hash & 0xffffffff);
    own[HIGH] = (double)(hash >> 32);
    own[VERSION] = number_of(tn_version());
    own[MACHINE] = number_of(machine);
    own[PID] = (double)getpid();
}

static int compare_rank(const tn_ranks *r, int rank, const double *first, const double *other)
{
    const char *what = first[VERSION] != other[VERSION] ? "is another version of the program"
                       : first[LOW] != other[LOW] || first[HIGH] != other[HIGH] ? "has read another model" : NULL;
    if (!what)
        return TN_EXIT_OK;
    fprintf(stderr, "tenon %s: rank %d %s than rank 0: all need the same\n", r->command, rank, what);
    return TN_EXIT_RANKS;
}

int tn_ranks_compare(tn_ranks *r, uint64_t hash)
{
    double own[TOLD];
    if (!r)
        return TN_EXIT_OK;
    double *all = tn_allocate((size_t)(r->team.size * TOLD), sizeof(double));
    introduce(own, hash);
    int status = collect(r, all, own, TOLD) < 0 ? tn_ranks_explain(r, NULL) : TN_EXIT_OK;
    r->pids = tn_allocate((size_t)r->team.size, sizeof *r->pids);
    for (int k = 0; k < r->team.size && status == TN_EXIT_OK; k++) {
        const double *other = all + k * TOLD;
        status = compare_rank(r, k, all, other);
        r->pids[k] = other[MACHINE] == own[MACHINE] ? (pid_t)other[PID] : 0;
    }
    free(all);
    return status;
}

int tn_ranks_place(tn_ranks *r, const tn_model *model, cJSON *diagnostics)
{
    if (!r)
        return TN_EXIT_OK;
    int status = tn_diagnostics_flush(r->context, tn_model_placement(&r->placement, model), diagnostics);
    for (size_t k = 0; k < r->place_count && status == TN_EXIT_OK; k++)
        status = check_place(r, &r->places[k]);
    return status;
}

int tn_ranks_explain(tn_ranks *r, cJSON *diagnostics)
{
    if (tn_interrupted())
        take_the_floor(r);
    tn_diagnostic trouble = { .severity = TN_ERROR, .message = tn_mpi_trouble(r->mpi) };
    fprintf(stderr, "tenon: error: %s\n", trouble.message);
    if (diagnostics)
        cJSON_AddItemToArray(diagnostics, tn_json_diagnostic(&trouble));
    tn_diagnostics_clear(r->context);
    return TN_EXIT_RANKS;
}

void tn_ranks_leave(tn_ranks *r, int status)
{
    char why[TN_NOTICE_TEXT] = "";
    if (!r)
        return;
    if (status != TN_EXIT_OK && tn_ranks_speak(r))
        snprintf(why, sizeof why, "gave up");                      /* it has told why itself */
    else if (status != TN_EXIT_OK)
        first_words(why);
    tn_mpi_leave(r->mpi, why);
}

/* ---- report ---- */

enum { TRAFFIC_NUMBERS = sizeof(tn_traffic) / sizeof(double) };
_Static_assert(sizeof(tn_traffic) == TRAFFIC_NUMBERS * sizeof(double), "it is collected as numbers");

void tn_ranks_count(tn_ranks *r)
{
    if (!r)
        return;
    tn_traffic own = tn_mpi_traffic(r->mpi);
    tn_traffic *all = tn_allocate((size_t)r->team.size, sizeof *all);
    if (collect(r, (double *)all, (const double *)&own, TRAFFIC_NUMBERS) == TN_OK)
        r->traffic = all;
    else
        free(all);
}

/* Of all ranks together; of those that wait, the one that waits least. */
static tn_traffic total_of(const tn_ranks *r)
{
    tn_traffic total = { 0 };
    for (int k = 0; k < r->team.size; k++) {
        const tn_traffic *t = &r->traffic[k];
        total.messages += t->messages;
        total.message_bytes += t->message_bytes;
        total.gathers = t->gathers;                                /* the same ones for all */
        total.gather_bytes += t->gather_bytes;
        total.waited = k == 0 || t->waited < total.waited ? t->waited : total.waited;
    }
    return total;
}

/* Is the name that of something inside another one that has the same rank? */
static bool is_inside(const tn_placement *p, size_t inner)
{
    for (size_t k = 0; k < p->name_count; k++) {
        size_t length = strlen(p->names[k]);
        if (p->ranks[k] == p->ranks[inner] && strncmp(p->names[inner], p->names[k], length) == 0 &&
            p->names[inner][length] == '.')
            return true;
    }
    return false;
}

static void print_rank(const tn_placement *p, int rank, FILE *out)
{
    size_t shown = 0, more = 0;
    fprintf(out, "  rank %-4d %5.1f %% of the work, %d bodies", rank, 100 * p->work[rank] / p->total,
            p->bodies[rank]);
    for (size_t k = 0; k < p->name_count; k++) {
        if (p->ranks[k] != rank || is_inside(p, k))
            continue;
        if (shown < NAMES_SHOWN)
            fprintf(out, "%s%s", shown++ == 0 ? ": " : ", ", p->names[k]);
        else
            more++;
    }
    if (more > 0)
        fprintf(out, " and %zu more", more);
    fputc('\n', out);
}

void tn_ranks_print(const tn_ranks *r, long steps, double wall, FILE *out)
{
    if (!r || !r->placement)
        return;
    fprintf(out, "ranks       %d; the solver's work takes %.2f of the time of one process at best\n", r->team.size,
            r->placement->elapsed / r->placement->total);
    for (int k = 0; k < r->team.size; k++)
        print_rank(r->placement, k, out);
    if (!r->traffic || steps == 0)
        return;
    tn_traffic t = total_of(r);
    fprintf(out, "messages    %.4g of %.4g kB in all and %.4g gathers of %.4g kB in all, per step; waiting %.1f %% of "
            "the time at least\n", t.messages / (double)steps, t.message_bytes / 1e3 / (double)steps,
            t.gathers / (double)steps, t.gather_bytes / 1e3 / (double)steps, wall > 0 ? 100 * t.waited / wall : 0);
}

static cJSON *json_rank(const tn_placement *p, int rank)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "work", p->work[rank] / p->total);
    cJSON_AddNumberToObject(item, "bodies", p->bodies[rank]);
    cJSON *names = cJSON_AddArrayToObject(item, "parts");
    for (size_t k = 0; k < p->name_count; k++)
        if (p->ranks[k] == rank)
            cJSON_AddItemToArray(names, cJSON_CreateString(p->names[k]));
    return item;
}

cJSON *tn_json_ranks(const tn_ranks *r, long steps)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddNumberToObject(document, "size", r->team.size);
    cJSON *list = cJSON_AddArrayToObject(document, "placed");
    for (int k = 0; k < r->team.size && r->placement; k++)
        cJSON_AddItemToArray(list, json_rank(r->placement, k));
    if (!r->traffic || steps == 0)
        return document;
    tn_traffic t = total_of(r);
    cJSON_AddNumberToObject(document, "at_best", r->placement->elapsed / r->placement->total);
    cJSON_AddNumberToObject(document, "links", r->placement->links);
    cJSON_AddNumberToObject(document, "messages_per_step", t.messages / (double)steps);
    cJSON_AddNumberToObject(document, "message_bytes_per_step", t.message_bytes / (double)steps);
    cJSON_AddNumberToObject(document, "gathers_per_step", t.gathers / (double)steps);
    cJSON_AddNumberToObject(document, "gather_bytes_per_step", t.gather_bytes / (double)steps);
    cJSON_AddNumberToObject(document, "waited", t.waited);
    return document;
}
