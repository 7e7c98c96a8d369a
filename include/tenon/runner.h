/* A session that runs by itself, in a thread of its own, and takes commands from any thread.
 *
 * From tn_runner_start to tn_runner_stop session, model and context belong to the runner: nobody else may touch them.
 * All other functions here may be called from any thread. Commands are taken in the order in which they were posted,
 * each as a whole between two steps, and each is answered exactly once. */
#ifndef TENON_RUNNER_H
#define TENON_RUNNER_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_runner tn_runner;

/* What became of a command. */
typedef struct tn_reply {
    long ticket;
    int code;                  /* TN_OK or an error */
    double taken;              /* s simulated when it was taken; ack.time is where an undo went back to */
    tn_ack ack;
    char message[400];         /* first diagnostic of an error */
} tn_reply;
/* Called by the runner's thread for every command, in their order. */
typedef void (*tn_reply_callback)(void *user, const char *command, const tn_reply *reply);

/* Starts paused. frame: s of wall time between two looks at the clock and at commands, 1/60 for a display. on_reply may
 * be NULL. */
TN_API int tn_runner_start(tn_runner **out, tn_session *session, double frame, tn_reply_callback on_reply, void *user);
/* Ends the thread after the step it is in; the session is the caller's again. Commands not yet taken are answered with
 * TN_ERROR_ARGUMENT ("the runner has stopped"), so are calls. Threads that wait get their answers first; nobody may
 * begin to use the runner from here on. */
TN_API void tn_runner_stop(tn_runner *runner);

/* Simulated seconds per second of wall time; 0 pauses (so does an event that stops), INFINITY is as fast as possible.
 * Where the model is too heavy for
 * the speed, it runs as fast as it can and does not catch up later. */
TN_API void tn_runner_set_speed(tn_runner *runner, double speed);
/* Goes on to exactly this time, then pauses; where it is past, it pauses at once. speed 0: the present one, or 1 when
 * paused. */
TN_API void tn_runner_run_to(tn_runner *runner, double time, double speed);
/* Takes so many steps of the integrator, then pauses. */
TN_API void tn_runner_step(tn_runner *runner, long steps);

/* Puts a command into the queue ("{ remove: elbow }", or "undo", "redo", "undo restore", "redo restore"). Returns its
 * ticket, 1 and up; TN_ERROR_MEMORY, or TN_ERROR_ARGUMENT when the queue is full or the text too long. */
TN_API long tn_runner_post(tn_runner *runner, const char *command);

/* Waits until the command is answered, at most so many seconds. TN_OK; TN_NEWS_INTERRUPTED: not yet; TN_ERROR_ARGUMENT:
 * no such ticket, or its answer is no longer kept (the last TN_RUNNER_REPLIES are). */
enum { TN_RUNNER_QUEUE = 4096, TN_RUNNER_REPLIES = 4096, TN_RUNNER_COMMAND = 1 << 16 };
TN_API int tn_runner_wait(tn_reply *reply, tn_runner *runner, long ticket, double seconds);

/* Runs the function in the runner's thread, between two steps and in its turn among the commands, with the session as
 * its own for so long: to read channels, seek, drag, save. Returns its answer; what it leaves as diagnostics is
 * cleared. When it has not begun after so many seconds it is taken out of the queue and never runs:
 * TN_NEWS_INTERRUPTED. Once it runs, it is waited for. TN_ERROR_ARGUMENT when the queue is full, the runner is being
 * stopped, or the caller is the runner's own thread (a callback). */
typedef int (*tn_runner_function)(void *user, tn_session *session);
TN_API int tn_runner_call(tn_runner *runner, tn_runner_function function, void *user, double seconds);

/* The same without waiting; also from callbacks and from within calls. Its answer is for nobody. When the runner is
 * stopped first, the thread that stops it calls the function with session NULL, so that what user is can be freed.
 * TN_ERROR_ARGUMENT when the queue is full or the runner is being stopped; it is not called then. */
TN_API int tn_runner_send(tn_runner *runner, tn_runner_function function, void *user);
/* Only from within a call: goes on with another session, paused. The one before is the caller's when the call ends. */
TN_API void tn_runner_exchange(tn_runner *runner, tn_session *session);

/* Called by the runner's thread after every turn: a piece of motion (a frame of it, or a step), a command, a call.
 * NULL: nobody is. To be set before there is anything to do. */
typedef void (*tn_turn_callback)(void *user, tn_session *session);
TN_API void tn_runner_on_turn(tn_runner *runner, tn_turn_callback callback, void *user);

typedef struct tn_runner_status {
    double time;               /* s simulated */
    double speed;              /* wanted */
    double pace;               /* reached over the last second of wall time */
    long steps, commands;      /* taken so far */
    long queued;               /* commands and calls not yet taken */
    uint64_t hash;             /* of the state after the last command or call */
    int code;                  /* TN_OK while it runs; an error that stopped the motion (commands are still taken) */
    char message[400];
} tn_runner_status;
TN_API tn_runner_status tn_runner_now(tn_runner *runner);

#ifdef __cplusplus
}
#endif
#endif
