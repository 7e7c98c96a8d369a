/* Edits between two steps: each is a copy of the model, changed and put in its place; so taking one back is putting the
 * old model back. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "edit.h"
#include "live.h"
#include "model_text.h"
#include "undo.h"
#include "vec.h"

/* ---- the model as of now ---- */

static void settle_body(const tn_session *s, int b, tn_body *model)
{
    const tn_sys_body *body = &s->system->bodies[b];
    const tn_pose identity = tn_pose_identity();
    tn_sys_frame frame = tn_system_frame(s->system, body->source, &identity);
    const double *q = s->stepper->y + body->q;
    tn_frame_motion m;
    tn_frame_motion_of(s->stepper->eval, s->system, &frame, &m);
    tn_copy3(model->pose.p, m.p);
    tn_copy3(model->velocity, m.v);
    tn_copy3(model->angular_velocity, m.w);
    model->placed = true;
    if (body->motion == TN_MOTION_PLANAR)
        model->pose = tn_pose_planar(m.p[0], m.p[1], q[2]);
    if (body->motion == TN_MOTION_SPATIAL) {
        tn_pose local = tn_pose_relative(&body->offset, &identity);
        tn_quat_mul(model->pose.q, q + 3, local.q);
        tn_quat_normalize(model->pose.q);
    }
}

/* Poses, velocities and states as they are, parameters as built as they were found, no conditions on the start: what a
 * command says "as built" means now. */
static void settle_model(const tn_session *s)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    s->model->solve = s->solve;
    tn_eval_motion(st->eval, sys, st->t, st->y, st->y + sys->positions);
    for (int b = 0; b < sys->body_count; b++)
        settle_body(s, b, &s->model->bodies[sys->bodies[b].source]);
    for (int i = 0; i < sys->own_constraints; i++) {
        tn_joint *joint = &s->model->joints[sys->constraints[i].source];
        for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name; k++)
            joint->parameters[k] = sys->constraints[i].parameters[k];
        for (int k = 0; k < TN_MAX_COORDINATES; k++)
            joint->start[k] = joint->start_rate[k] = NAN;
    }
    for (int k = 0; k < sys->states; k++)
        if (sys->state[k].decl >= 0)
            s->model->forces[sys->state[k].source].start[sys->state[k].decl] =
                st->y[sys->positions + sys->velocities + k];
}

/* The same for a model of another time: what both have is where it is now. */
static void settle_other(const tn_session *s, tn_model *other)
{
    const tn_model *m = s->model;
    for (size_t b = 1; b < m->body_count && b < other->body_count; b++) {
        const tn_body *from = &m->bodies[b];
        tn_body *to = &other->bodies[b];
        if (!from->entity.alive || !to->entity.alive || from->entity.generation != to->entity.generation)
            continue;
        to->pose = from->pose;
        tn_copy3(to->velocity, from->velocity);
        tn_copy3(to->angular_velocity, from->angular_velocity);
    }
    for (size_t k = 0; k < m->force_count && k < other->force_count; k++)
        if (m->forces[k].entity.alive && other->forces[k].entity.alive &&
            m->forces[k].entity.generation == other->forces[k].entity.generation)
            memcpy(other->forces[k].start, m->forces[k].start, sizeof m->forces[k].start);
}

/* The session's own model from the first edit on: the caller's stays as it is. */
static int own_model(tn_session *s)
{
    tn_model *own = NULL;
    if (s->owns_model)
        return TN_OK;
    TN_TRY(tn_model_clone(&own, s->model));
    s->model = own;
    s->system->model = own;
    s->owns_model = true;
    return TN_OK;
}

/* ---- history ---- */

/* Nothing but drags of this body since the last entry was made. */
static bool goes_on(const tn_session *s, tn_id body)
{
    const tn_history *h = s->history;
    const tn_undo_entry *last = h->undo_count > 0 ? &h->undo[h->undo_count - 1] : NULL;
    return last && h->redo_count == 0 && last->dragged.kind == TN_KIND_BODY && last->dragged.index == body.index &&
           last->dragged.generation == body.generation && last->snapshot.t == s->stepper->t &&
           last->steps == s->stepper->counts.steps;
}

int tn_history_begin(tn_session *s, const char *text, tn_id body, bool more, bool *joined)
{
    tn_undo_entry before = { .dragged = body, .steps = s->stepper->counts.steps };
    TN_TRY(tn_undo_prepare(s));
    *joined = more && goes_on(s, body);
    if (*joined)
        return TN_OK;
    before.bytes = tn_undo_bytes(s, s->model);
    snprintf(before.text, sizeof before.text, "%s", text);
    TN_TRY(tn_session_copy_model(s, &before.model));
    int code = tn_snapshot_take(&before.snapshot, s);
    if (code < 0)
        tn_model_destroy(before.model);
    else
        s->history->undo[s->history->undo_count++] = before;
    return code;
}

void tn_history_end(tn_session *s, bool joined, bool keep)
{
    tn_history *h = s->history;
    size_t last = 1;
    if (joined)
        return;
    if (!keep) {
        tn_undo_forget(s, h->undo + --h->undo_count, &last);
        return;
    }
    tn_undo_forget(s, h->redo, &h->redo_count);
    tn_undo_keep_budget(s);
}

/* ---- commands ---- */

/* Puts the model in place and the old one, with the snapshot, at the end of a list. */
static int put_live(tn_session *s, tn_model *model, const tn_recompile_options *how, tn_ack *ack, tn_undo_entry *list, size_t *count)
{
    tn_undo_entry before = { .bytes = tn_undo_bytes(s, s->model) };
    TN_TRY(tn_snapshot_take(&before.snapshot, s));
    int code = tn_session_recompile(s, model, how, ack, &before.model);
    if (code < 0) {
        tn_snapshot_free(&before.snapshot, s->context);
        return code;
    }
    snprintf(before.text, sizeof before.text, "%s", ack->text);
    list[(*count)++] = before;
    return TN_OK;
}

/* A text that changes nothing may still be another text: other comments, another order. */
static void exchange_texts(tn_model *a, tn_model *b)
{
    tn_origin *origin = a->origin;
    tn_amendment *amendments = a->amendments;
    a->origin = b->origin;
    a->amendments = b->amendments;
    b->origin = origin;
    b->amendments = amendments;
}

/* changed is destroyed or belongs to the session, unless there was an error. */
static int edit(tn_session *s, tn_model **changed, const tn_command_text *command, tn_ack *ack)
{
    tn_edit e;
    TN_TRY(tn_model_edit(&e, changed, command));
    if (e.other)
        TN_TRY(tn_pull_carry(e.other, s->model));
    tn_log_complete(s, e.complete);
    snprintf(ack->text, sizeof ack->text, "%s", e.text);
    if (!e.state && tn_model_same(*changed, s->model)) {
        if (e.other)
            exchange_texts(s->model, *changed);
        tn_model_destroy(*changed);
        return TN_OK;
    }
    TN_TRY(put_live(s, *changed, &(tn_recompile_options){ .snap = e.snap, .draw = e.draw, .state = e.state }, ack, s->history->undo,
               &s->history->undo_count));
    tn_undo_forget(s, s->history->redo, &s->history->redo_count);
    tn_undo_keep_budget(s);
    ack->changed = true;
    return TN_OK;
}

int tn_session_copy_model(tn_session *s, tn_model **out)
{
    TN_TRY(own_model(s));
    settle_model(s);
    TN_TRY(tn_model_clone(out, s->model));
    tn_closings_expire(*out, s->stepper->t);
    return TN_OK;
}

int tn_session_put_model(tn_session *s, tn_model *model, tn_ack *ack)
{
    tn_model *old = NULL;
    TN_TRY(tn_session_recompile(s, model, &(tn_recompile_options){ 0 }, ack, &old));
    tn_model_destroy(old);
    return TN_OK;
}

static int apply_live(tn_session *s, const tn_command_text *command, tn_ack *ack)
{
    tn_model *changed = NULL;
    *ack = (tn_ack){ .time = s->stepper->t };
    TN_TRY(tn_undo_prepare(s));
    TN_TRY(tn_session_copy_model(s, &changed));
    int code = edit(s, &changed, command, ack);
    if (code < 0)
        tn_model_destroy(changed);
    return code;
}

int tn_session_apply_text(tn_session *s, const tn_command_text *command, tn_ack *ack)
{
    tn_ack ignored;
    ack = ack ? ack : &ignored;
    TN_TRY(tn_log_prepare(s, &(tn_entry){ .kind = TN_ENTRY_DO, .command = *command }));
    int code = apply_live(s, command, ack);
    return tn_log_commit(s, code, ack->changed);
}

int tn_session_text(char **out, tn_session *s)
{
    if (s->owns_model)
        settle_model(s);
    return tn_model_text(out, s->model);
}

int tn_session_set_text(tn_ack *ack, tn_session *s, const char *text)
{
    tn_text command;
    char *words = NULL;
    tn_text_begin(&command, s->context);
    tn_text_add(&command, "{ closing: snap, text: ");
    tn_text_add_json(&command, text);
    tn_text_add(&command, " }");
    int code = tn_text_take(&command, &words);
    if (code == TN_OK)
        code = tn_session_apply(ack, s, words);
    tn_free(s->context, words);
    return code;
}

int tn_session_apply(tn_ack *ack, tn_session *s, const char *command)
{
    tn_command_text text = tn_command_alone(command);
    return tn_session_apply_text(s, &text, ack);
}

/* The last of one list takes its place, what is there now goes to the other. */
static int step_back(tn_session *s, bool restore, tn_ack *ack, bool undo)
{
    tn_history *h = s->history;
    *ack = (tn_ack){ .time = s->stepper->t };
    if (!h || (undo ? h->undo_count : h->redo_count) == 0)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "there is nothing to %s", undo ? "undo" : "redo");
    TN_TRY(tn_undo_prepare(s));
    tn_undo_entry *last = undo ? &h->undo[h->undo_count - 1] : &h->redo[h->redo_count - 1];
    char text[sizeof last->text];
    snprintf(text, sizeof text, "%s", last->text);
    snprintf(ack->text, sizeof ack->text, "%s", text);
    settle_model(s);
    if (!restore)
        settle_other(s, last->model);
    TN_TRY(put_live(s, last->model, &(tn_recompile_options){ .snap = true, .snapshot = restore ? &last->snapshot : NULL }, ack,
               undo ? h->redo : h->undo, undo ? &h->redo_count : &h->undo_count));
    *(undo ? &h->undo_count : &h->redo_count) -= 1;
    tn_snapshot_free(&last->snapshot, s->context);
    snprintf(ack->text, sizeof ack->text, "%s: %.200s", undo ? "took back" : "made again", text);
    ack->changed = true;
    ack->time = s->stepper->t;
    return TN_OK;
}

static int logged_step_back(tn_session *s, bool restore, tn_ack *ack, bool undo)
{
    tn_ack ignored;
    TN_TRY(tn_log_prepare(s, &(tn_entry){ .kind = undo ? TN_ENTRY_UNDO : TN_ENTRY_REDO, .restore = restore }));
    return tn_log_commit(s, step_back(s, restore, ack ? ack : &ignored, undo), true);
}

int tn_session_undo(tn_ack *ack, tn_session *s, bool restore)
{
    return logged_step_back(s, restore, ack, true);
}

int tn_session_redo(tn_ack *ack, tn_session *s, bool restore)
{
    return logged_step_back(s, restore, ack, false);
}

const tn_model *tn_session_model(const tn_session *s)
{
    return s->model;
}
