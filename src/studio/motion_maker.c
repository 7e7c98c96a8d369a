/* Pages that play a motion: runs of the model with all values of its sliders, in the thread of sweeps. */
#include "motion_maker.h"
#include "motion_page.h"
#include "request.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LONGEST = 1e6;                     /* s simulated */
static const double MOST_BYTES = 64e6;                 /* of frames: they are held in memory until they are fetched */
static const double FPS = 30;                          /* frames a second of playing */

typedef struct page_job {
    tn_request *request;       /* answered when all is done */
    tn_model_copy copy;
    tn_sliders sliders;
    double until;
    double time;               /* s: of the session when the work began */
    size_t frames;
    int short_runs;            /* that ended before their time */
    FILE *out;                 /* into the page below */
    tn_made_page page;
} page_job;

/* One of its runs. */
typedef struct page_run {
    page_job *job;
    tn_model *model;
    tn_session *session;
    tn_playback motion;
} page_run;

static void free_page_job(page_job *j)
{
    if (j->out)
        fclose(j->out);
    free(j->page.bytes);
    free(j->copy.text);
    free(j);
}

/* ---- runs ---- */

static void take_frame(void *user, const double *values, size_t count)
{
    page_run *r = user;
    (void)count;
    tn_playback_take(&r->motion, r->model, r->session, values[0]);
}

static int check_cancelled(void *user, const tn_session *session)
{
    (void)session;
    return tn_sweeper_is_cancelled(((page_run *)user)->job->request);
}

static int open_page_run(page_run *r, tn_context *context, size_t run)
{
    const page_job *j = r->job;
    tn_setting settings[TN_SLIDERS_MAX];
    for (size_t i = 0; i < j->sliders.count; i++)
        settings[i] = (tn_setting){ j->sliders.items[i].name, tn_slider_value(&j->sliders, run, i) };
    tn_model_source text = { j->copy.name, j->copy.text, strlen(j->copy.text) };
    int code = tn_model_read_text_with(&r->model, context, &text, j->copy.folder, settings, j->sliders.count);
    if (code < 0)
        return code;
    double speed = tn_playback_speed(j->until);
    tn_solve solve = tn_model_solve(r->model);
    solve.until = j->until;
    solve.record = speed / FPS;
    code = tn_session_open(&r->session, r->model, &solve);
    if (code >= 0 && !tn_playback_open(&r->motion, r->model, j->until, speed, FPS))
        code = TN_ERROR_MEMORY;
    return code;
}

/* A model that cannot be run at all is an error; a run that ends early is shown up to there. */
static int add_page_run(page_job *j, tn_context *context, size_t run)
{
    page_run r = { .job = j };
    int code = open_page_run(&r, context, run);
    if (code >= 0) {
        tn_session_on_sample(r.session, take_frame, &r);
        tn_session_on_step(r.session, check_cancelled, &r);
        j->short_runs += tn_session_run(r.session) < 0;
        tn_playback_take_end(&r.motion, r.model, r.session);
        tn_motion_page_add(j->out, run, r.model, &r.motion);
        j->frames += r.motion.frames;
        tn_diagnostics_clear(context);
    }
    tn_playback_close(&r.motion);
    tn_session_close(r.session);
    tn_model_destroy(r.model);
    return code;
}

static void tell_progress(const page_job *j, size_t run)
{
    tn_clients *clients = &j->request->studio->clients;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "push", "page");
    cJSON_AddNumberToObject(json, "run", (double)run);
    cJSON_AddNumberToObject(json, "runs", (double)j->sliders.runs);
    tn_message *message = tn_message_create(cJSON_PrintUnformatted(json));
    cJSON_Delete(json);
    if (!message)
        return;
    tn_client_send(clients, j->request->client, message);
    tn_message_release(clients, message);
}

/* ---- the page ---- */

/* The message names the values of the run that failed. */
static int refuse_values(const page_job *j, size_t run, int code)
{
    char values[200] = "";
    for (size_t i = 0; i < j->sliders.count; i++) {
        size_t length = strlen(values);
        snprintf(values + length, sizeof values - length, "%s%.60s = %.6g %s", i > 0 ? ", " : "",
                 j->sliders.items[i].name, tn_slider_value(&j->sliders, run, i), j->sliders.items[i].unit);
    }
    const tn_request *r = j->request;
    const cJSON *first = cJSON_GetArrayItem(r->diagnostics, 0);
    const char *why = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(first, "message"));
    return tn_request_refuse(j->request, "model", "with %.180s: %.180s", j->sliders.count > 0 ? values : "the model as it is",
                             why ? why : tn_error_text(code));
}

static int write_page(page_job *j, tn_context *context)
{
    const char *player = j->request->studio->options.player;
    j->out = open_memstream(&j->page.bytes, &j->page.size);
    if (!j->out)
        return TN_ERROR_MEMORY;
    tn_motion_page_begin(j->out, player);
    for (size_t run = 0; run < j->sliders.runs; run++) {
        if (tn_sweeper_is_cancelled(j->request))
            return tn_request_refuse(j->request, "cancelled", "the page was cancelled");
        int code = add_page_run(j, context, run);
        if (code < 0) {
            tn_request_add_diagnostics(j->request, context);
            return refuse_values(j, run, code);
        }
        tell_progress(j, run + 1);
    }
    tn_motion_page_end(j->out, player, &j->sliders);
    bool written = ferror(j->out) == 0;
    written = fclose(j->out) == 0 && written;
    j->out = NULL;
    return written ? TN_OK : TN_ERROR_MEMORY;
}

/* Takes the place of the page that was made before. */
static void publish_page(page_job *j)
{
    tn_studio *studio = j->request->studio;
    pthread_mutex_lock(&studio->clients.lock);
    tn_made_page before = studio->made;
    studio->made = j->page;
    pthread_mutex_unlock(&studio->clients.lock);
    j->page = before;                                  /* freed with the job */
}

static void *run_page_job(void *user)
{
    page_job *j = user;
    tn_request *r = j->request;
    tn_document document = { 0 };
    int code = tn_document_text(&document, j->copy.text, j->copy.name, j->copy.folder, tn_request_plugins(r));
    if (code >= 0)
        code = write_page(j, document.context);
    else if (document.context)
        tn_request_add_diagnostics(r, document.context);
    tn_document_close(&document);
    if (code >= 0) {
        cJSON_AddNumberToObject(r->answer, "time", j->time);
        cJSON_AddNumberToObject(r->answer, "runs", (double)j->sliders.runs);
        cJSON_AddNumberToObject(r->answer, "frames", (double)j->frames);
        cJSON_AddNumberToObject(r->answer, "short", j->short_runs);
        cJSON_AddNumberToObject(r->answer, "bytes", (double)j->page.size);
        publish_page(j);
    }
    tn_sweeper_done(r);
    tn_request_finish(r, code);
    free_page_job(j);
    return NULL;
}

/* ---- message ---- */

static bool has_parameter(const tn_model *model, const char *name, tn_parameter_value *out)
{
    for (size_t k = 0; k < tn_model_parameter_count(model); k++) {
        *out = tn_model_parameter(model, k);
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}

static double number_in(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static int read_slider(page_job *j, const cJSON *given, const tn_model *model)
{
    tn_slider *slider = &j->sliders.items[j->sliders.count];
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(given, "parameter"));
    double count = number_in(given, "count");
    tn_parameter_value parameter;
    if (!name || strlen(name) >= sizeof slider->name || !has_parameter(model, name, &parameter))
        return tn_request_refuse(j->request, "argument", "there is no parameter '%.60s'", name ? name : "");
    slider->low = number_in(given, "low");
    slider->high = number_in(given, "high");
    if (!isfinite(slider->low) || !isfinite(slider->high) || !(slider->low < slider->high))
        return tn_request_refuse(j->request, "argument", "'%s' does not go from a lower to a higher value", name);
    if (!(count >= 2 && count <= TN_SLIDER_VALUES && count == floor(count)))
        return tn_request_refuse(j->request, "argument", "'%s' needs 2 to %d values", name, TN_SLIDER_VALUES);
    slider->count = (size_t)count;
    snprintf(slider->name, sizeof slider->name, "%s", name);
    snprintf(slider->unit, sizeof slider->unit, "%s", parameter.shown ? parameter.shown : "");
    tn_slider_begin_at(slider, parameter.value);
    j->sliders.count++;
    j->sliders.runs *= slider->count;
    return TN_OK;
}

static int read_page_request(page_job *j, const tn_model *model)
{
    tn_request *r = j->request;
    const cJSON *list = tn_request_argument(r, "sliders"), *item;
    j->sliders.runs = 1;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > TN_SLIDERS_MAX)
        return tn_request_refuse(r, "argument", "'sliders' must be a list of at most %d sliders", TN_SLIDERS_MAX);
    int code = tn_request_number(r, "until", 1e-9, LONGEST, &j->until);
    cJSON_ArrayForEach(item, list)
        if (code >= 0)
            code = read_slider(j, item, model);
    if (code < 0)
        return code;
    if (j->sliders.runs > TN_SLIDER_RUNS)
        return tn_request_refuse(r, "argument", "%zu runs are too many for a page: %d are the most", j->sliders.runs,
                                 TN_SLIDER_RUNS);
    double bytes = (double)j->sliders.runs * tn_playback_bytes(model, j->until, tn_playback_speed(j->until), FPS);
    if (bytes > MOST_BYTES)
        return tn_request_refuse(r, "argument", "%.3g MB of frames are too many for a page: choose fewer values or a "
                                 "shorter time", bytes * 1e-6);
    return TN_OK;
}

int tn_verb_page(tn_request *r, tn_session *session)
{
    const char *player = r->studio->options.player;
    if (!player || player[0] == '\0')
        return tn_request_refuse(r, "page", "this program was built without its player (TENON_WEB=OFF)");
    int code = tn_sweeper_refuse_busy(r);
    page_job *j = code >= 0 ? calloc(1, sizeof *j) : NULL;
    if (!j)
        return code < 0 ? code : TN_ERROR_MEMORY;
    *j = (page_job){ .request = r, .time = tn_session_time(session) };
    code = read_page_request(j, tn_session_model(session));
    if (code >= 0)
        code = tn_model_copy_take(&j->copy, r, session);
    if (code >= 0)
        code = tn_sweeper_start(r, run_page_job, j);
    if (code < 0)
        free_page_job(j);
    return code;
}
