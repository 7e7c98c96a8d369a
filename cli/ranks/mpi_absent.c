/* In place of mpi_team.c in builds without MPI: there is no team to join. Only tn_mpi_built is called then. */
#include "mpi_team.h"
#include <stddef.h>

bool tn_mpi_built(void)
{
    return false;
}

tn_mpi_team *tn_mpi_join(bool (*ended)(void))
{
    (void)ended;
    return NULL;
}

tn_team tn_mpi_members(tn_mpi_team *team)
{
    (void)team;
    return (tn_team){ 0 };
}

tn_traffic tn_mpi_traffic(const tn_mpi_team *team)
{
    (void)team;
    return (tn_traffic){ 0 };
}

const char *tn_mpi_trouble(const tn_mpi_team *team)
{
    (void)team;
    return "this build has no MPI";
}

void tn_mpi_leave(tn_mpi_team *team, const char *reason)
{
    (void)team, (void)reason;
}

int tn_mpi_finish(tn_mpi_team *team, int status)
{
    (void)team;
    return status;
}
