/* Signals that end a run early: the run stops after its step, and its files are completed. */
#include "interrupt.h"
#include <signal.h>
#include <stddef.h>

/* Written by the signal handler, which can reach nothing else. */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

void tn_interrupt_catch(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)     /* nohup keeps a program running */
        sigaction(SIGHUP, &action, NULL);
}

void tn_interrupt_ignore_full_files(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

bool tn_interrupted(void)
{
    return interrupted != 0;
}

void tn_interrupt_leave_to_parent(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
}
