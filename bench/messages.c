/* What messages cost between two processes, as "tenon run" uses them: there and back, and a gather of all.
 *
 * usage: mpirun -n 2 messages_bench
 *
 * Best of many, in microseconds, one way. Prints CSV: bytes, message, gather (each process gives half of the bytes). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2000, LARGEST = 1 << 17 };         /* numbers */

static void wait_for(MPI_Request *request)
{
    for (int done = 0; !done;)
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
}

static double there_and_back(double *data, int count, int rank)
{
    MPI_Request request;
    double begun = MPI_Wtime();
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank)
            MPI_Isend(data, count, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(data, count, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request);
        wait_for(&request);
    }
    return (MPI_Wtime() - begun) / 2;
}

static double gather(double *data, int count)
{
    MPI_Request request;
    const int half = count - count / 2, counts[2] = { half, count / 2 }, offsets[2] = { 0, half };
    double begun = MPI_Wtime();
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return MPI_Wtime() - begun;
}

int main(void)
{
    int rank, size;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *data = calloc(LARGEST, sizeof *data);
    if (!data || size != 2) {
        fputs("messages_bench: start two of it with mpirun -n 2\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0)
        puts("bytes,message,gather");
    for (int count = 1; count <= LARGEST; count *= 8) {
        double message = 1, all = 1;
        for (int k = 0; k < ROUNDS; k++) {
            double one = there_and_back(data, count, rank), other = gather(data, count);
            message = one < message ? one : message;
            all = other < all ? other : all;
        }
        if (rank == 0)
            printf("%zu,%.2f,%.2f\n", (size_t)count * sizeof(double), 1e6 * message, 1e6 * all);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
