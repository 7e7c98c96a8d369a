/* The page that plays motions: frames of a run, values of sliders, and writing it. */
#include "motion_page.h"
#include "scene.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSE_WORDS = 7 };
static const double least_playing = 2;         /* s: a shorter run is played more slowly, so that its motion can be seen */
static const double same_time = 1e-6;          /* part of a frame */
static const char mark[] = "<!--tenon-data-->";        /* where in the player its data belong */

/* ---- frames ---- */

double tn_playback_speed(double until)
{
    double slower = 1;
    for (int k = 0; until > 0 && until * slower < least_playing; k++)
        slower *= k % 3 == 1 ? 2.5 : 2;
    return 1 / slower;
}

static size_t words_in_row(const tn_model *model)
{
    return 1 + POSE_WORDS * tn_model_count(model, TN_KIND_BODY);
}

static double frame_count(double until, double speed, double fps)
{
    return floor(until * fps / speed) + 3;
}

double tn_playback_bytes(const tn_model *model, double until, double speed, double fps)
{
    return frame_count(until, speed, fps) * (double)(words_in_row(model) * sizeof(tn_word));
}

bool tn_playback_open(tn_playback *out, const tn_model *model, double until, double speed, double fps)
{
    *out = (tn_playback){ .row_words = words_in_row(model), .speed = speed, .fps = fps };
    out->capacity = (size_t)frame_count(until, speed, fps);
    out->words = malloc(out->capacity * out->row_words * sizeof *out->words);
    return out->words != NULL;
}

void tn_playback_take(tn_playback *m, const tn_model *model, const tn_session *session, double t)
{
    if (m->frames == m->capacity)
        return;
    tn_word *row = m->words + m->frames++ * m->row_words;
    m->last = t;
    (row++)->number = (float)t;
    for (size_t b = 0; b < tn_model_count(model, TN_KIND_BODY); b++) {
        tn_pose pose = tn_pose_identity();
        tn_session_pose(&pose, session, tn_model_at(model, TN_KIND_BODY, b));
        for (int k = 0; k < 3; k++)
            (row++)->number = (float)pose.p[k];
        for (int k = 0; k < 4; k++)
            (row++)->number = (float)pose.q[k];
    }
}

void tn_playback_take_end(tn_playback *m, const tn_model *model, const tn_session *session)
{
    double end = tn_session_time(session);
    if (m->frames == 0 || end - m->last > same_time * m->speed / m->fps)
        tn_playback_take(m, model, session, end);
}

void tn_playback_close(tn_playback *m)
{
    free(m->words);
    m->words = NULL;
}

/* ---- sliders ---- */

static double value_at(const tn_slider *s, size_t index)
{
    return index + 1 == s->count ? s->high : s->low + (s->high - s->low) * (double)index / (double)(s->count - 1);
}

void tn_slider_begin_at(tn_slider *slider, double value)
{
    double part = (value - slider->low) / (slider->high - slider->low);
    slider->start = (size_t)lround(fmin(fmax(part, 0), 1) * (double)(slider->count - 1));
}

double tn_slider_value(const tn_sliders *sliders, size_t run, size_t index)
{
    for (size_t i = sliders->count - 1; i > index; i--)
        run /= sliders->items[i].count;
    const tn_slider *slider = &sliders->items[index];
    return value_at(slider, run % slider->count);
}

/* [{ "name", "unit", "values", "start" }, ...] */
static cJSON *sliders_json(const tn_sliders *sliders)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < sliders->count; i++) {
        const tn_slider *s = &sliders->items[i];
        cJSON *entry = cJSON_CreateObject(), *values = cJSON_AddArrayToObject(entry, "values");
        cJSON_AddStringToObject(entry, "name", s->name);
        cJSON_AddStringToObject(entry, "unit", s->unit);
        for (size_t k = 0; k < s->count; k++)
            cJSON_AddItemToArray(values, cJSON_CreateNumber(value_at(s, k)));
        cJSON_AddNumberToObject(entry, "start", (double)s->start);
        cJSON_AddItemToArray(list, entry);
    }
    return list;
}

/* ---- the page ---- */

/* JSON within a page: no text in it, whatever it says, can end the element it stands in. Takes the document. */
static void write_json(FILE *out, cJSON *document)
{
    char *text = cJSON_PrintUnformatted(document);
    for (const char *c = text; *c; c++)
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    cJSON_free(text);
    cJSON_Delete(document);
}

void tn_motion_page_begin(FILE *out, const char *page)
{
    fwrite(page, 1, (size_t)(strstr(page, mark) - page), out);
}

/* In elements with the number of the run: scene, scene-1, scene-2, ... */
void tn_motion_page_add(FILE *out, size_t run, const tn_model *model, const tn_playback *motion)
{
    cJSON *scene = tn_json_scene(model);
    char number[32] = "";
    if (run > 0)
        snprintf(number, sizeof number, "-%zu", run);
    cJSON_AddStringToObject(scene, "generator", "tenon " TENON_VERSION);
    cJSON_AddNumberToObject(scene, "speed", motion->speed);
    cJSON_AddNumberToObject(scene, "fps", motion->fps);
    fprintf(out, "<script type=\"application/json\" id=\"scene%s\">", number);
    write_json(out, scene);
    fprintf(out, "</script>\n<script type=\"text/plain\" id=\"motion%s\">", number);
    tn_base64_write(out, motion->words, motion->frames * motion->row_words);
    fputs("</script>\n", out);
}

void tn_motion_page_end(FILE *out, const char *page, const tn_sliders *sliders)
{
    if (sliders->count > 0) {
        fputs("<script type=\"application/json\" id=\"sliders\">", out);
        write_json(out, sliders_json(sliders));
        fputs("</script>", out);
    }
    fputs(strstr(page, mark) + sizeof mark - 1, out);
}
