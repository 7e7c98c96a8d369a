/* The runner: advances a session in its own thread and accepts commands from any thread.
 *
 * From tn_runner_start to tn_runner_stop the session, its model and its context belong to the runner; no other thread
 * may use them. All other functions here may be called from any thread. The runner takes commands in the order in which
 * they were posted, each as a whole between two steps, and answers each exactly once. */
#ifndef TENON_RUNNER_H
#define TENON_RUNNER_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_runner tn_runner;

/* The answer to a command. */
typedef struct tn_reply {
    long ticket;
    int code;                  /* TN_OK or an error */
    double taken;              /* s: simulated time when the command was taken; ack.time: target time of an undo */
    tn_ack ack;
    char message[400];         /* first diagnostic of an error */
} tn_reply;
/* Called by the runner's thread for every command, in the order of the commands. */
typedef void (*tn_reply_callback)(void *user, const char *command, const tn_reply *reply);

/* Starts the runner, paused. frame: s of wall time between two checks of the clock and of the commands, 1/60 for a
 * display. on_reply may be NULL. */
TN_API int tn_runner_start(tn_runner **out, tn_session *session, double frame, tn_reply_callback on_reply, void *user);
/* Ends the thread after its current step; the session belongs to the caller again. Commands and calls that were not
 * taken yet are answered with TN_ERROR_ARGUMENT ("the runner has stopped"). Threads that already wait get their answers
 * first; no thread may start to use the runner any more. */
TN_API void tn_runner_stop(tn_runner *runner);

/* Sets the simulated seconds per second of wall time; 0 pauses (so does an event that stops), INFINITY runs as fast as
 * possible. When the model is too slow for this speed, it runs as fast as it can and does not catch up later. */
TN_API void tn_runner_set_speed(tn_runner *runner, double speed);
/* Runs to exactly this time, then pauses; pauses at once when the time has passed already. speed 0: keeps the current
 * speed, or 1 when paused. */
TN_API void tn_runner_run_to(tn_runner *runner, double time, double speed);
/* Takes this number of integrator steps, then pauses. */
TN_API void tn_runner_step(tn_runner *runner, long steps);

/* Adds a command to the queue ("{ remove: elbow }", or "undo", "redo", "undo restore", "redo restore"). Returns its
 * ticket, 1 and up; TN_ERROR_MEMORY, or TN_ERROR_ARGUMENT when the queue is full or the text is too long. */
TN_API long tn_runner_post(tn_runner *runner, const char *command);

/* Waits for the answer to a command, at most this many seconds. TN_OK; TN_NEWS_INTERRUPTED: no answer yet;
 * TN_ERROR_ARGUMENT: the ticket does not exist, or its answer was dropped (the last TN_RUNNER_REPLIES are kept). */
enum { TN_RUNNER_QUEUE = 4096, TN_RUNNER_REPLIES = 4096, TN_RUNNER_COMMAND = 1 << 16 };
TN_API int tn_runner_wait(tn_reply *reply, tn_runner *runner, long ticket, double seconds);

/* Runs the function in the runner's thread, between two steps and in the order of the commands. The function may use
 * the session as its own: to read channels, seek, drag, save. Returns the function's result; diagnostics that the
 * function leaves are cleared. When the function has not started after this many seconds, it is removed from the queue
 * and never runs: TN_NEWS_INTERRUPTED. Once it has started, the call waits for its end. TN_ERROR_ARGUMENT when the
 * queue is full, the runner is being stopped, or the caller is the runner's own thread (a callback). */
typedef int (*tn_runner_function)(void *user, tn_session *session);
TN_API int tn_runner_call(tn_runner *runner, tn_runner_function function, void *user, double seconds);

/* The same without waiting; may also be called from callbacks and calls. The function's result is ignored. When the
 * runner is stopped first, the stopping thread calls the function with session NULL, so that it can free user.
 * TN_ERROR_ARGUMENT when the queue is full or the runner is being stopped; the function is not called then. */
TN_API int tn_runner_send(tn_runner *runner, tn_runner_function function, void *user);
/* Only from within a call: continues with another session, paused. The old session belongs to the caller when the call
 * ends. */
TN_API void tn_runner_exchange(tn_runner *runner, tn_session *session);

/* Called by the runner's thread after every turn: a piece of motion (one frame or one step), a command, or a call.
 * NULL: no callback. Set it before the runner has anything to do. */
typedef void (*tn_turn_callback)(void *user, tn_session *session);
TN_API void tn_runner_on_turn(tn_runner *runner, tn_turn_callback callback, void *user);

typedef struct tn_runner_status {
    double time;               /* s simulated */
    double speed;              /* the speed that was set */
    double pace;               /* the speed reached over the last second of wall time */
    long steps, commands;      /* taken so far */
    long queued;               /* commands and calls not yet taken */
    uint64_t hash;             /* of the state after the last command or call */
    int code;                  /* TN_OK, or the error that stopped the motion (commands are still taken) */
    char message[400];
} tn_runner_status;
TN_API tn_runner_status tn_runner_now(tn_runner *runner);

#ifdef __cplusplus
}
#endif
#endif
