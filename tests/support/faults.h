/* File calls that fail when told to: the n-th write, sync, rename or cut of a file. tests/support/faults.c has the calls in
 * place of those of the C library; a test that links it decides here what fails. */
#ifndef TEST_FAULTS_H
#define TEST_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum fault_call {
    FAULT_WRITE = 1, FAULT_SYNC = 2, FAULT_RENAME = 4, FAULT_CUT = 8, FAULT_OPEN = 16,
} fault_call;

typedef struct faults {
    unsigned calls;            /* which calls count, and may fail */
    long first, last;          /* the calls that fail, from 1; first 0: none */
    int error;                 /* errno */
    bool partial;              /* a write that fails has written half of its bytes before */
    bool interrupted;          /* every other write fails with EINTR, and the others write seven bytes at most */
    long count;                /* calls so far */
    long long synced;          /* bytes of the file that was synced last, at that time */
} faults;

extern faults test_faults;

#endif
