/* Writes the page that plays motions in any browser: frames of runs, sliders, and the page itself (docs/animate.md). */
#ifndef TN_JSON_MOTION_PAGE_H
#define TN_JSON_MOTION_PAGE_H

#include "base64.h"
#include "tenon/tenon.h"
#include <cJSON.h>

/* Frames of a run. One row a frame: the time, then position and quaternion (w first) of every body. */
typedef struct tn_playback {
    tn_word *words;                /* by malloc */
    size_t row_words, frames, capacity;
    double speed, fps;             /* simulated seconds a second of playing; frames a second of playing */
    double last;                   /* s: time of the last frame */
} tn_playback;

/* The largest of 1, 1/2, 1/5, 1/10, 1/20, ... with which playing takes long enough to be seen. */
double tn_playback_speed(double until);
/* Bytes that the frames of a run up to this time take. */
double tn_playback_bytes(const tn_model *model, double until, double speed, double fps);
/* Room for these frames, and for the last state when it falls between two of them. False: no memory. */
bool tn_playback_open(tn_playback *out, const tn_model *model, double until, double speed, double fps);
/* Adds a frame with the poses that the session has now; no frame, when all have been added. */
void tn_playback_take(tn_playback *motion, const tn_model *model, const tn_session *session, double t);
/* The state at the end of a run, where it is not a frame already. */
void tn_playback_take_end(tn_playback *motion, const tn_model *model, const tn_session *session);
void tn_playback_close(tn_playback *motion);

/* Sliders: parameters of the model with a row of values each; a run for every combination. */
enum { TN_SLIDERS_MAX = 3, TN_SLIDER_NAME = 64, TN_SLIDER_VALUES = 101, TN_SLIDER_RUNS = 1000 };

typedef struct tn_slider {
    char name[TN_SLIDER_NAME];
    char unit[TN_SLIDER_NAME];         /* "": none */
    double low, high;                  /* SI units */
    size_t count;                      /* values, both ends among them */
    size_t start;                      /* the one nearest to the value that the model has */
} tn_slider;

typedef struct tn_sliders {
    tn_slider items[TN_SLIDERS_MAX];
    size_t count;
    size_t runs;                       /* the product of their counts; 1 without sliders */
} tn_sliders;

/* Sets start for the value that the model has. */
void tn_slider_begin_at(tn_slider *slider, double value);
/* Value of a slider in a run; the first slider changes slowest. */
double tn_slider_value(const tn_sliders *sliders, size_t run, size_t index);

/* Writing a page: its beginning, every run, its end. page: the player without data. */
void tn_motion_page_begin(FILE *out, const char *page);
void tn_motion_page_add(FILE *out, size_t run, const tn_model *model, const tn_playback *motion);
void tn_motion_page_end(FILE *out, const char *page, const tn_sliders *sliders);

#endif
