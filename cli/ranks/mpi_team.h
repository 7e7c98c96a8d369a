/* A team (tenon/team.h) of the processes that mpirun has started. Nothing here waits for a process that is gone:
 * waiting is polling, and looks for two things: the signal by which mpirun ends those that are left when one dies, and
 * notices.
 *
 * A process that leaves the common work, for whatever reason, gives notice to all: how many gathers it has taken part
 * in, and why it left. Who waits in a gather that the other one has completed gets all it needs; who waits in a later
 * one would wait for ever, and the team is broken. */
#ifndef TN_CLI_MPI_TEAM_H
#define TN_CLI_MPI_TEAM_H

#include "tenon/team.h"
#include <stdbool.h>

enum { TN_NOTICE_TEXT = 232 };

typedef struct tn_mpi_team tn_mpi_team;

/* Of this process, since it joined. */
typedef struct tn_traffic {
    double messages, message_bytes;    /* sent by this process */
    double gathers, gather_bytes;      /* its own parts */
    double waited;                     /* s */
} tn_traffic;

/* Whether this build has MPI; otherwise there is no team to join. */
bool tn_mpi_built(void);
/* Starts MPI. ended tells whether a signal wants the program to end. */
tn_mpi_team *tn_mpi_join(bool (*ended)(void));
/* The team for the library; rank and size are those of MPI. */
tn_team tn_mpi_members(tn_mpi_team *team);
tn_traffic tn_mpi_traffic(const tn_mpi_team *team);
/* After TN_ERROR_TEAM: what happened, in words. */
const char *tn_mpi_trouble(const tn_mpi_team *team);
/* This process takes no further part; "": it is done. */
void tn_mpi_leave(tn_mpi_team *team, const char *reason);
/* Waits until all have left and rank 0 has called this; ends MPI, unless a signal wants all to end. Returns the status
 * that rank 0 has given: all end with the same. */
int tn_mpi_finish(tn_mpi_team *team, int status);

#endif
