/* Inputs and states by number: for controllers, other simulators and optimisers that drive a session in a loop.
 *
 * An input is declared in the model ("inputs:", docs/model-format.md) and named in any expression. A program sets its
 * value between two calls that advance; the value then holds, or is a polynomial of time up to a cubic. Values and rates
 * are a part of the state: undo, saved runs, branches and replays contain them. */
#ifndef TENON_INPUTS_H
#define TENON_INPUTS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_input {
    tn_id id;                  /* its handle; kind TN_KIND_NONE: out of range */
    const char *name;
    const char *unit;          /* SI: "N m"; "" is a plain number */
    double initial;            /* the default of the model */
    double low, high;          /* bounds; infinite: none */
} tn_input;
/* The inputs of a model, in the order of the file. tn_model_find gives the handle of one by its name. */
TN_API size_t tn_model_input_count(const tn_model *model);
TN_API tn_input tn_model_input_at(const tn_model *model, size_t index);

/* Sets an input: the value holds from now on. Takes some nanoseconds and does not allocate. A value equal to the present
 * one changes nothing, to the bit. TN_ERROR_STALE when the handle is not that of an input in use; TN_ERROR_ARGUMENT with
 * a diagnostic when the value is not finite or out of bounds; then nothing has changed. */
TN_API int tn_session_input(tn_session *session, tn_id input, double value);
/* The same with a rate (per second): the value changes linearly from now on. Bounds are checked for the value now. */
TN_API int tn_session_input_ramp(tn_session *session, tn_id input, double value, double rate);
/* The same for several inputs at a time; rates NULL: zero. On an error no input has changed. */
TN_API int tn_session_inputs(tn_session *session, const tn_id *inputs, const double *values, const double *rates,
                             size_t count);
/* The value follows a polynomial from now on. derivatives: the value, then its first, second and third derivative by time (per s,
 * s^2, s^3); count: how many are given, from 1 to TN_INPUT_NUMBERS, the others are zero. Bounds are checked for the value now. */
enum { TN_INPUT_NUMBERS = 4 };
TN_API int tn_session_input_curve(tn_session *session, tn_id input, const double *derivatives, size_t count);
/* The value goes from its present value and rate to this value and rate within a communication step (s), as a cubic. Called
 * before every step, with rates that fit, the input has a continuous rate. Both ends are checked against the bounds. */
TN_API int tn_session_input_reach(tn_session *session, tn_id input, double value, double rate, double step);
/* The present value and rate; both pointers may be NULL. */
TN_API int tn_session_input_now(double *value, double *rate, const tn_session *session, tn_id input);

/* A controller with a sample time: advances the session to time `until` (s), and calls the controller exactly at the
 * whole multiples of period from now on up to, but not including, until. The controller reads channels and sets inputs;
 * TN_ERROR_ARGUMENT when it has moved the session in time. A non-zero answer ends the call with TN_NEWS_INTERRUPTED. Inputs are also the place for
 * the memory of a controller, since they are saved with the session. */
typedef int (*tn_controller)(void *user, tn_session *session, double time);
TN_API int tn_session_control(tn_session *session, double until, double period, tn_controller controller, void *user);

/* ---- the state as a vector ---- */

/* The state y = (q, v, z): positions and velocities of all bodies, then states of components, forces, drives and inputs
 * (TN_INPUT_NUMBERS of each: the value and its derivatives). Its layout is fixed until the model is edited. */
TN_API size_t tn_session_state_size(const tn_session *session);
/* Copies the state, and its rate dy/dt at the present time. */
TN_API int tn_session_state(double *state, const tn_session *session);
TN_API int tn_session_state_rate(double *rate, tn_session *session);
/* The rate at another time and state, which need not satisfy the constraints exactly; the session does not change. For
 * integrators of other tools. TN_ERROR_STEP when there are no accelerations. */
TN_API int tn_session_rate_at(double *rate, tn_session *session, double time, const double *state);
/* The values of channels at another time and state; the session does not change. */
TN_API int tn_readout_values_at(double *values, tn_readout *readout, double time, const double *state);
/* Moves the session to another time and state. Positions and velocities are projected onto the constraints first. Devices keep
 * what they remember: their next samples are the first ones from that time on, and delays go on with the past that they have.
 * TN_ERROR_ARGUMENT when a number is not finite, TN_ERROR_STEP when the state cannot be projected; nothing has changed
 * then. Not for models with components (steps of their own). */
TN_API int tn_session_set_state(tn_session *session, double time, const double *state);

/* A directional derivative of state rates and outputs: how they change when time stands still, the state changes by
 * state_direction and the inputs (all of the model, in order) by input_direction; either may be NULL, meaning zero.
 * By central differences of high order. rate_change has tn_session_state_size numbers and may be NULL; output_change one
 * for each channel of outputs; outputs may be NULL. */
TN_API int tn_session_derivative(double *rate_change, double *output_change, tn_session *session,
                                 tn_readout *outputs, const double *state_direction, const double *input_direction);

/* ---- integrators of other tools ---- */

/* Why no integrator of another tool can solve the model, as a part of a sentence ("it has components"); NULL: one can. */
TN_API const char *tn_session_exchange_refusal(const tn_session *session);
/* Event indicators: numbers for the events of the model, the kinks and modes of its devices, limits of joints and contacts. All are
 * positive while nothing is due; where one becomes zero or negative, call tn_session_follow and tn_session_handle_events. The count is fixed
 * until the model is edited. */
TN_API size_t tn_session_indicator_count(const tn_session *session);
TN_API int tn_session_indicators_at(double *values, tn_session *session, double time, const double *state);
/* The time of the next sample of a device, which is due there without an indicator; INFINITY: there is none. */
TN_API double tn_session_next_sample(tn_session *session);
/* An integrator has accepted a step: moves the session to its end as tn_session_set_state does, but limits and contacts keep their
 * modes, and events that were passed are not forgotten. */
TN_API int tn_session_follow(tn_session *session, double time, const double *state);
/* Carries out what is due at the present state: samples, impacts, changes of branches and modes, events. They may change the state, and
 * edit the model. TN_NEWS_STOPPED when an event ends the run. */
TN_API int tn_session_handle_events(tn_session *session);

/* ---- snapshots in memory ---- */

/* The complete state of a run: what a session needs to continue to the bit. */
typedef struct tn_state_snapshot tn_state_snapshot;
/* Takes the present state. The snapshot is valid while the session is open. */
TN_API int tn_session_take_snapshot(tn_state_snapshot **out, tn_session *session);
/* Returns to a snapshot of this session, or of another session with the same model; any number of times.
 * TN_ERROR_ARGUMENT when the snapshot does not fit the present model. */
TN_API int tn_session_restore(tn_session *session, const tn_state_snapshot *snapshot);
TN_API double tn_state_snapshot_time(const tn_state_snapshot *snapshot);
/* The snapshot as a text, for files and other processes, and back; owned through tn_text_free. */
TN_API int tn_state_snapshot_write(char **out, const tn_state_snapshot *snapshot);
TN_API int tn_state_snapshot_read(tn_state_snapshot **out, tn_context *context, const char *text, size_t size);
TN_API void tn_state_snapshot_destroy(tn_state_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
