/* Ranks: the processes that mpirun and its like have started from one command line. Some commands share their work
 * among them; of the others rank 0 does all. */
#ifndef TN_CLI_RANKS_H
#define TN_CLI_RANKS_H

#include "mpi_team.h"
#include "output.h"

typedef struct tn_rank {
    size_t rank, size;
} tn_rank;
/* As the environment tells; { 0, 1 } when it does not. */
tn_rank tn_rank_of_environment(void);
/* For ranks other than 0: what is printed is not seen. The first line of stderr goes to rank 0 if it is the reason why
 * this rank gives up. */
void tn_rank_silence(void);

#define TN_OPTION_PLACE { "--place", TN_OPTION_TEXTS, "NAME=R,...", \
                          "under mpirun: rank R has this subsystem or group; may be repeated", NULL }

/* The only solver that ranks share. */
extern const char tn_ranks_solver[];

/* A run that ranks share. Functions take NULL for a run of one process, and have nothing to do then. */
typedef struct tn_ranks tn_ranks;
/* Makes this process a member of a team, which is the context's from here on. *out is NULL when there is only one
 * process. place: of TN_OPTION_PLACE. A mistake is explained on stderr; returns the exit status. */
int tn_ranks_join(tn_ranks **out, tn_context *context, const char *command, const tn_option_value *place);
/* Whether this process writes files and prints. */
bool tn_ranks_speak(const tn_ranks *ranks);
/* All must have the same version and the same model, by its hash. */
int tn_ranks_compare(tn_ranks *ranks, uint64_t hash);
/* Finds who has what; names of --place that the model does not have are a mistake. */
int tn_ranks_place(tn_ranks *ranks, const tn_model *model, cJSON *diagnostics);
/* Explains TN_ERROR_TEAM; returns the exit status. From here on another process may be the one that speaks. */
int tn_ranks_explain(tn_ranks *ranks, cJSON *diagnostics);
/* At the end of the common work, where all have come to it: what has been sent and received. */
void tn_ranks_count(tn_ranks *ranks);
/* This process takes no further part in the work; the others are told why. */
void tn_ranks_leave(tn_ranks *ranks, int status);
/* The bodies of each process and the messages between processes, for so many steps. */
void tn_ranks_print(const tn_ranks *ranks, long steps, double wall, FILE *out);
cJSON *tn_json_ranks(const tn_ranks *ranks, long steps);
/* After leaving: waits until all are done. The context has no team any more. Returns the exit status of all. */
int tn_ranks_finish(tn_ranks *ranks, int status);

#endif
