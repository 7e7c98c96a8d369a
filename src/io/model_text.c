/* The text of a model as it is now: what was read, with the changes of commands since, in agreement with the model. */
#include "model_text.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "format.h"
#include "reread.h"
#include "keys.h"
#include "text_change.h"
#include "text_include.h"

typedef struct names {
    const char **items;
    size_t count, capacity;
} names;

/* A text while it is made. */
typedef struct maker {
    const tn_model *model;
    const tn_origin *origin;
    tn_arena *arena;
    tn_source source;
    names touched;                 /* joints that commands have defined */
    tn_origin *files;              /* what commands brought along */
    const char *inside;            /* the first thing in a subsystem that was changed; NULL: there is none */
} maker;

static int note(maker *m, names *list, const char *name)
{
    TN_TRY(tn_grow(m->model->context, &list->items, &list->capacity, list->count + 1, sizeof *list->items));
    list->items[list->count++] = name;
    return TN_OK;
}

static bool is_noted(const names *list, const char *name)
{
    for (size_t k = 0; k < list->count; k++)
        if (strcmp(list->items[k], name) == 0)
            return true;
    return false;
}

/* ---- what was done since ---- */

static void note_inside(maker *m, const char *path)
{
    m->inside = m->inside != NULL ? m->inside : path;
}

/* Texts of files that a command brought along. */
static int take_files(maker *m, const tn_node *files)
{
    for (unsigned i = 0; files != NULL && i < files->count; i++) {
        const char *text = files->as.items[2 * i + 1]->as.text;
        tn_origin_file file = { .path = files->as.items[2 * i]->as.text, .text = text, .size = strlen(text) };
        TN_TRY(tn_origin_add(m->files, &file));
    }
    return TN_OK;
}

static bool write_parameters(maker *m)
{
    for (size_t k = 0; k < m->origin->setting_count; k++) {
        const tn_setting *set = &m->origin->settings[k];
        const char *unit = "";
        char text[120];
        for (size_t i = 0; i < m->model->parameter_count; i++)
            if (strcmp(m->model->parameters[i].name, set->name) == 0 && m->model->parameters[i].unit != NULL)
                unit = m->model->parameters[i].unit;
        snprintf(text, sizeof text, "%.17g%s%.80s", set->value, unit[0] != '\0' ? " " : "", unit);
        tn_change_result made = tn_change_parameter(&m->source, set->name, tn_source_make_text(&m->source, text));
        if (made == TN_CHANGE_NO_MEMORY)
            return false;
        if (made == TN_CHANGE_NO_PLACE)
            note_inside(m, set->name);
    }
    return true;
}

/* Joints with a new definition may have found parameters as built. */
static int note_joint(void *user, tn_change_kind kind, const char *section, const char *name)
{
    maker *m = user;
    bool defines = kind == TN_CHANGE_ADD || kind == TN_CHANGE_REPLACE;
    return defines && strcmp(section, "joints") == 0 ? note(m, &m->touched, name) : TN_OK;
}

/* Files from the last command to the first, since the last text of a file counts. */
static int write_commands(maker *m)
{
    size_t count = 0;
    for (const tn_amendment *a = m->model->amendments; a != NULL; a = a->before)
        count++;
    const tn_amendment **all = tn_arena_alloc(m->arena, count, sizeof *all);
    tn_source command;
    if (all == NULL)
        return TN_ERROR_MEMORY;
    size_t next = count;
    for (const tn_amendment *a = m->model->amendments; a != NULL; a = a->before) {
        all[--next] = a;
        if (a->changes[0] != TN_CHANGE_FILES)
            continue;
        TN_TRY(tn_source_open(&command, m->arena, m->model->context, "command", a->text, a->size));
        TN_TRY(take_files(m, tn_source_get(command.root, "files")));
    }
    for (; next < count; next++) {
        if (all[next]->inside != NULL)
            note_inside(m, all[next]->inside);
        if (all[next]->changes[0] == TN_CHANGE_FILES || all[next]->changes[0] == '\0')
            continue;
        TN_TRY(tn_source_open(&command, m->arena, m->model->context, "command", all[next]->text, all[next]->size));
        TN_TRY(tn_change_apply(&m->source, command.root, all[next]->changes, note_joint, m));
    }
    return TN_OK;
}

/* ---- agreement with the model ---- */

const char *tn_text_section(const tn_model *model, tn_id id)
{
    switch (id.kind) {
    case TN_KIND_BODY: return "bodies";
    case TN_KIND_SUBSYSTEM: return "subsystems";
    case TN_KIND_JOINT: return tn_joint_motion(&model->joints[id.index]) != NULL ? "drives" : "joints";
    case TN_KIND_FORCE: return strcmp(model->forces[id.index].type->name, "state") == 0 ? "states" : "forces";
    case TN_KIND_CONTACT: return "contacts";
    default: return NULL;
    }
}

static bool is_on_by_default(const tn_node *entity)
{
    return tn_source_get(entity, "latch") == NULL;
}

/* What is enabled in the model is enabled in the text. */
static bool write_switch(const maker *m, tn_node *entity, bool on)
{
    const char *text = tn_source_get_text(entity, "enabled");
    bool said = text == NULL ? is_on_by_default(entity) : strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
    if (said == on)
        return true;
    if (on != is_on_by_default(entity))
        return tn_source_put_text(&m->source, entity, "enabled", on ? "yes" : "no");
    tn_source_drop_key(entity, "enabled");
    return true;
}

/* Frames that a body has no longer. */
static void drop_frames(const maker *m, const char *body, tn_node *frames)
{
    for (unsigned i = 0; frames != NULL && frames->kind == TN_NODE_MAP && i < frames->count;) {
        char path[TN_PATH_SIZE];
        snprintf(path, sizeof path, "%s.%s", body, frames->as.items[2 * i]->as.text);
        if (tn_model_find(m->model, path).kind == TN_KIND_NONE)
            tn_source_drop(frames, i);
        else
            i++;
    }
}

/* Bodies that a contact has no longer. */
static void drop_touching(const maker *m, tn_node *bodies)
{
    for (unsigned i = 0; bodies != NULL && bodies->kind == TN_NODE_LIST && i < bodies->count;)
        if (tn_model_find(m->model, bodies->as.items[i]->as.text).kind == TN_KIND_NONE)
            tn_source_drop(bodies, i);
        else
            i++;
}

/* Entities that were removed go, and others are switched as they are. */
static bool agree_on_section(const maker *m, const char *key)
{
    tn_node *section = tn_source_get(m->source.root, key);
    for (unsigned i = 0; section != NULL && section->kind == TN_NODE_MAP && i < section->count;) {
        const char *name = section->as.items[2 * i]->as.text, *right;
        tn_node *entity = tn_node_value(section, i);
        tn_id id = tn_model_find(m->model, name);
        right = tn_text_section(m->model, id);
        if (right == NULL || strcmp(right, key) != 0) {
            tn_source_drop(section, i);
            continue;
        }
        drop_frames(m, name, tn_source_get(entity, "frames"));
        drop_touching(m, id.kind == TN_KIND_CONTACT ? tn_source_get(entity, "between") : NULL);
        drop_touching(m, id.kind == TN_KIND_CONTACT ? tn_source_get(entity, "among") : NULL);
        if (!write_switch(m, entity, tn_model_enabled(m->model, id)))
            return false;
        i++;
    }
    return true;
}

/* Starts of what was removed. */
static void drop_starts(const maker *m)
{
    tn_node *initial = tn_source_get(m->source.root, "initial");
    for (unsigned i = 0; initial != NULL && initial->kind == TN_NODE_MAP && i < initial->count;)
        if (tn_model_find(m->model, initial->as.items[2 * i]->as.text).kind == TN_KIND_NONE)
            tn_source_drop(initial, i);
        else
            i++;
}

static bool is_output(const tn_model *model, const char *channel)
{
    for (size_t k = 0; k < model->output_count; k++)
        if (strcmp(model->outputs[k].channel, channel) == 0)
            return true;
    return false;
}

/* The channel that an item of the list gives: "elbow.angle", or { twice: 2 * elbow.angle }. */
static const char *channel_of(const tn_node *item)
{
    if (item->kind == TN_NODE_MAP && item->count == 1)
        return item->as.items[0]->as.text;
    return item->kind == TN_NODE_TEXT ? item->as.text : NULL;
}

/* Outputs that the model has no more. */
static void drop_outputs(const maker *m)
{
    tn_node *list = tn_source_get(m->source.root, "outputs");
    for (unsigned i = 0; list != NULL && list->kind == TN_NODE_LIST && i < list->count;) {
        const char *channel = channel_of(list->as.items[i]);
        if (channel != NULL && !is_output(m->model, channel))
            tn_source_drop(list, i);
        else
            i++;
    }
}

static bool agree_on_entities(const maker *m)
{
    static const char *const sections[] = { "bodies", "subsystems", "joints", "drives", "forces", "contacts", "states" };
    drop_outputs(m);
    drop_starts(m);
    for (size_t k = 0; k < TN_LENGTH(sections); k++)
        if (!agree_on_section(m, sections[k]))
            return false;
    return true;
}

static bool is_setting(const maker *m, const char *name)
{
    for (int k = 0; tn_section_solve.keys[k].name != NULL; k++)
        if (strcmp(tn_section_solve.keys[k].name, name) == 0)
            return true;
    for (size_t k = 0; k < m->model->solve.setting_count; k++)
        if (strcmp(m->model->solve.settings[k].name, name) == 0)
            return true;
    return false;
}

/* Settings of a method that is no longer used. */
static void drop_settings(const maker *m)
{
    tn_node *solve = tn_source_get(m->source.root, "solve");
    for (unsigned i = 0; solve != NULL && i < solve->count;)
        if (!is_setting(m, solve->as.items[2 * i]->as.text))
            tn_source_drop(solve, i);
        else
            i++;
}

static tn_node *number_list(const tn_source *source, const double *values, size_t count)
{
    tn_node *list = tn_source_make_list(source);
    for (size_t k = 0; list != NULL && k < count; k++) {
        char text[40];
        snprintf(text, sizeof text, "%.17g", values[k]);
        if (!tn_source_append(source, list, tn_source_make_text(source, text)))
            return NULL;
    }
    return list;
}

static tn_node *pose_node(const maker *m, const tn_pose *pose)
{
    static const double none[4] = { 1, 0, 0, 0 };
    const tn_source *source = &m->source;
    tn_node *map = tn_source_make_map(source, true), *turn = tn_source_make_map(source, true);
    if (map == NULL || turn == NULL ||
        !tn_source_put(source, map, "at", number_list(source, pose->p, (size_t)m->model->dimension)))
        return NULL;
    if (memcmp(pose->q, none, sizeof none) == 0)
        return map;
    return tn_source_put(source, turn, "quaternion", number_list(source, pose->q, 4)) &&
           tn_source_put(source, map, "rotation", turn) ? map : NULL;
}

/* Where a joint or force is, on each of its bodies, in numbers. */
static bool put_ends(const maker *m, tn_node *entity, const tn_end ends[2])
{
    static const char *const other_ways[] = { "at", "axis", "axis2", "on", "from" };
    const tn_source *source = &m->source;
    tn_node *between = tn_source_make_list(source), *poses = tn_source_make_list(source);
    if (between == NULL || poses == NULL)
        return false;
    for (int side = 0; side < 2; side++)
        if (!tn_source_append(source, between, tn_source_make_text(source, tn_model_entity_name(m->model, ends[side].body))) ||
            !tn_source_append(source, poses, pose_node(m, &ends[side].pose)))
            return false;
    for (size_t k = 0; k < TN_LENGTH(other_ways); k++)
        tn_source_drop_key(entity, other_ways[k]);
    return tn_source_put(source, entity, "between", between) && tn_source_put(source, entity, "ends", poses);
}

/* A body, or a frame of one, that the text has; what a subsystem has is said in its file. */
static bool has_place(const maker *m, const char *path)
{
    const tn_node *subsystems = tn_source_get(m->source.root, "subsystems");
    for (unsigned i = 0; subsystems != NULL && i < subsystems->count; i++)
        if (tn_path_inside(path, subsystems->as.items[2 * i]->as.text))
            return true;
    const tn_node *bodies = tn_source_get(m->source.root, "bodies");
    size_t length = strcspn(path, ".");
    for (unsigned i = 0; bodies != NULL && i < bodies->count; i++) {
        const char *body = bodies->as.items[2 * i]->as.text;
        if (strlen(body) == length && strncmp(body, path, length) == 0)
            return path[length] == '\0' ||
                   tn_source_get(tn_source_get(tn_node_value(bodies, i), "frames"), path + length + 1) != NULL;
    }
    return strcmp(path, "ground") == 0;
}

/* Does it attach to what the text has only? */
static bool is_attached(const maker *m, const tn_node *entity)
{
    const char *on = tn_source_get_text(entity, "on"), *from = tn_source_get_text(entity, "from");
    const tn_node *between = tn_source_get(entity, "between");
    for (unsigned i = 0; between != NULL && i < between->count; i++)
        if (!has_place(m, between->as.items[i]->as.text))
            return false;
    return (on == NULL || has_place(m, on)) && (from == NULL || has_place(m, from));
}

static bool same_pose(const tn_pose *a, const tn_pose *b)
{
    return memcmp(a->p, b->p, sizeof a->p) == 0 && memcmp(a->q, b->q, sizeof a->q) == 0;
}

/* again is what the text gives so far; NULL: it was not read yet. */
static bool is_placed(const maker *m, const tn_source_entry *e, const tn_end ends[2], const tn_model *again)
{
    tn_end read[2];
    if (again == NULL)
        return is_attached(m, e->value);
    return tn_model_ends(read, again, tn_model_find(again, e->key->as.text)) == 2 &&
           same_pose(&read[0].pose, &ends[0].pose) && same_pose(&read[1].pose, &ends[1].pose) &&
           read[0].body.index == ends[0].body.index && read[1].body.index == ends[1].body.index;
}

/* Poses in place of frames that are gone, and of points where the bodies were when a command named them. */
static bool place_all(const maker *m, const tn_model *again, bool *changed)
{
    static const char *const sections[] = { "joints", "forces" };
    for (size_t s = 0; s < TN_LENGTH(sections); s++) {
        const tn_node *section = tn_source_get(m->source.root, sections[s]);
        for (unsigned i = 0; section != NULL && i < section->count; i++) {
            const tn_source_entry entry = tn_source_at(section, i), *e = &entry;
            tn_end ends[2];
            if (tn_source_get(e->value, "joint") != NULL ||
                tn_model_ends(ends, m->model, tn_model_find(m->model, e->key->as.text)) != 2 ||
                is_placed(m, e, ends, again))
                continue;
            *changed = true;
            if (!put_ends(m, e->value, ends))
                return false;
        }
    }
    return true;
}

/* What a joint that came by a command found as built. */
static bool write_found(const maker *m, const tn_model *again)
{
    tn_node *section = tn_source_get(m->source.root, "joints");
    for (unsigned i = 0; section != NULL && i < section->count; i++) {
        const tn_source_entry e_at = tn_source_at(section, i), *e = &e_at;
        tn_id id = tn_model_find(m->model, e->key->as.text), read = tn_model_find(again, e->key->as.text);
        if (!is_noted(&m->touched, e->key->as.text) || id.kind != TN_KIND_JOINT || read.kind != TN_KIND_JOINT)
            continue;
        const tn_joint *joint = &m->model->joints[id.index], *text = &again->joints[read.index];
        for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name != NULL; k++) {
            char number[40];
            snprintf(number, sizeof number, "%.17g", joint->parameters[k]);
            if (isnan(text->parameters[k]) && !isnan(joint->parameters[k]) &&
                !tn_source_put_text(&m->source, e->value, joint->type->parameters[k].name, number))
                return false;
        }
    }
    return true;
}

/* ---- the whole ---- */

static int write_text(maker *m, char **out)
{
    tn_free(m->model->context, *out);
    *out = NULL;
    tn_format_spread(m->source.root);
    return tn_source_write(out, &m->source);
}

static int read_again(tn_model **out, const maker *m, const char *text)
{
    return tn_model_read_in_place(out, m->origin, m->files, text, strlen(text));
}

static int verify(const maker *m, const char *text)
{
    tn_model *again = NULL;
    int code = read_again(&again, m, text);
    if (code == TN_OK)
        code = tn_model_align(again, m->model);
    if (code == TN_OK)
        code = tn_model_set_solve(again, &m->model->solve);
    if (code == TN_OK && !tn_model_same(again, m->model))
        code = tn_fail(m->model->context, TN_ERROR_MODEL, TN_NOWHERE,
                       "the model has become what no text can say: it was changed by calls, or a setting stands for "
                       "all joints and for one");
    tn_model_destroy(again);
    return code;
}

/* Twice: what the text says so far shows what it still has to say. */
static int agree(maker *m, char **out)
{
    tn_model *again = NULL;
    bool changed = false;
    drop_settings(m);
    if (!agree_on_entities(m) || !place_all(m, NULL, &changed))
        return TN_ERROR_MEMORY;
    TN_TRY(write_text(m, out));
    TN_TRY(read_again(&again, m, *out));
    int code = write_found(m, again) ? TN_OK : TN_ERROR_MEMORY;
    if (code == TN_OK)
        code = tn_model_align(again, m->model);
    if (code == TN_OK && !place_all(m, again, &changed))
        code = TN_ERROR_MEMORY;
    tn_model_destroy(again);
    TN_TRY(code);
    TN_TRY(write_text(m, out));
    return verify(m, *out);
}

/* In place of what is said about a text that does not agree: why no text does. */
static int refuse(const maker *m, tn_report_mark mark)
{
    tn_context *context = m->model->context;
    tn_report_forget(context, mark);
    return tn_fail(context, TN_ERROR_MODEL, TN_NOWHERE,
                   "the text of the model cannot say what was done to '%s': it is inside a subsystem, which has a file "
                   "of its own", m->inside);
}

static int make_text(maker *m, char **out)
{
    const tn_origin_file *main = &m->origin->files[0];
    TN_TRY(tn_source_open(&m->source, m->arena, m->model->context, main->path, main->text, main->size));
    TN_TRY(tn_text_include(&m->source, m->origin));
    if (!write_parameters(m))
        return TN_ERROR_MEMORY;
    TN_TRY(write_commands(m));
    tn_report_mark mark = tn_report_now(m->model->context);
    int code = agree(m, out);
    return code == TN_ERROR_MODEL && m->inside != NULL ? refuse(m, mark) : code;
}

static int begin_model_text(maker *m, const tn_model *model)
{
    *m = (maker){ .model = model, .origin = model->origin, .arena = tn_arena_create(model->context) };
    return m->arena != NULL ? tn_origin_create(&m->files, model->context, model->origin->folder) : TN_ERROR_MEMORY;
}

static void end(maker *m)
{
    tn_origin_release(m->files);
    tn_arena_destroy(m->arena);
    tn_free(m->model->context, m->touched.items);
}

static int copy_main(char **out, const tn_model *model)
{
    const tn_origin_file *main = &model->origin->files[0];
    *out = tn_alloc(model->context, main->size + 1, 1);
    if (*out != NULL)
        memcpy(*out, main->text, main->size);
    return *out != NULL ? TN_OK : TN_ERROR_MEMORY;
}

static int current_text(maker *m, char **out)
{
    bool as_read = m->model->amendments == NULL && m->origin->setting_count == 0;
    int code = as_read ? copy_main(out, m->model) : make_text(m, out);
    if (code < 0) {
        tn_free(m->model->context, *out);
        *out = NULL;
    }
    return code;
}

int tn_model_text(char **out, const tn_model *model)
{
    maker m;
    *out = NULL;
    if (model->origin == NULL)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "the model was built by calls: it has no text");
    int code = begin_model_text(&m, model);
    if (code == TN_OK)
        code = current_text(&m, out);
    end(&m);
    return code;
}

/* Settings that were chosen for the session stay, unless the text now says otherwise. */
static int keep_settings(maker *m, tn_model *to, const char *present)
{
    tn_model *before = NULL;
    TN_TRY(read_again(&before, m, present));
    int code = TN_OK;
    if (tn_solve_same(&before->solve, &to->solve))
        code = tn_model_set_solve(to, &m->model->solve);
    tn_model_destroy(before);
    return code;
}

/* The files that the command brings along come before those of earlier ones. */
static int read_new(tn_model **out, maker *m, const char *text, const tn_origin *files)
{
    tn_origin *all = NULL;
    int code = tn_origin_create(&all, m->model->context, m->origin->folder);
    for (size_t k = 0; code == TN_OK && k < files->count; k++)
        code = tn_origin_add(all, &files->files[k]);
    for (size_t k = 0; code == TN_OK && k < m->files->count; k++)
        code = tn_origin_add(all, &m->files->files[k]);
    if (code == TN_OK)
        code = tn_model_read_in_place(out, m->origin, all, text, strlen(text));
    tn_origin_release(all);
    return code;
}

int tn_model_from_text(tn_model **out, const tn_model *model, const char *text, const tn_origin *files)
{
    maker m;
    tn_model *read = NULL;
    char *present = NULL;
    *out = NULL;
    if (model->origin == NULL)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "the model was built by calls: no text can take its place");
    int code = begin_model_text(&m, model);
    if (code == TN_OK)
        code = current_text(&m, &present);
    if (code == TN_OK)
        code = read_new(&read, &m, text, files);
    if (code == TN_OK)
        code = keep_settings(&m, read, present);
    if (code == TN_OK)
        code = tn_model_align(read, model);
    end(&m);
    tn_free(model->context, present);
    if (code < 0)
        tn_model_destroy(read);
    else
        *out = read;
    return code;
}
