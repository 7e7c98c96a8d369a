/* The current text of a model: the text that was read, with the changes of later commands, in agreement with the
 * model. */
#include "model_text.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "format.h"
#include "reread.h"
#include "shortest.h"
#include "text_agree.h"
#include "text_change.h"
#include "text_include.h"

/* The data while a text is made. */
typedef struct maker {
    const tn_model *model;
    const tn_origin *origin;
    tn_arena *arena;
    tn_source source;
    tn_origin *files;              /* files that are part of commands */
    const char *inside;            /* the first changed entity inside a subsystem; NULL: none */
} maker;

/* ---- commands since the model was read ---- */

static void note_inside(maker *m, const char *path)
{
    m->inside = m->inside != NULL ? m->inside : path;
}

/* Texts of files that are part of a command. */
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
        char digits[TN_SHORTEST_SIZE], text[120], word[120] = "";
        for (size_t i = 0; i < m->model->parameter_count; i++) {
            tn_parameter_value p = m->model->parameters[i];
            if (strcmp(p.name, set->name) != 0)
                continue;
            unit = p.unit != NULL ? p.unit : "";
            p.value = set->value;
            tn_parameter_word(word, sizeof word, &p);
        }
        snprintf(text, sizeof text, "%s%s%.80s", tn_shortest(digits, set->value), unit[0] != '\0' ? " " : "", unit);
        tn_node *value = tn_source_make_text(&m->source, word[0] != '\0' ? word : text);
        tn_change_result made = word[0] != '\0' ? tn_change_choice(&m->source, set->name, value)
                                                : tn_change_parameter(&m->source, set->name, value);
        if (made == TN_CHANGE_NO_MEMORY)
            return false;
        if (made == TN_CHANGE_NO_PLACE)
            note_inside(m, set->name);
    }
    return true;
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
        TN_TRY(tn_source_open(&command, m->arena, m->model->context, TN_CHANGE_FILE, a->text, a->size));
        TN_TRY(take_files(m, tn_source_get(command.root, "files")));
    }
    for (; next < count; next++) {
        if (all[next]->inside != NULL)
            note_inside(m, all[next]->inside);
        char first = all[next]->changes[0];
        if (first == TN_CHANGE_FILES || first == TN_CHANGE_WHOLE || all[next]->size == 0)
            continue;
        TN_TRY(tn_source_open(&command, m->arena, m->model->context, TN_CHANGE_FILE, all[next]->text, all[next]->size));
        TN_TRY(tn_change_apply(&m->source, command.root, all[next]->changes));
        if (all[next]->inside != NULL)
            TN_TRY(tn_change_inside(&m->source, command.root));
    }
    return TN_OK;
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

/* Done twice: reading the text so far shows which changes are still missing. */
static int agree(maker *m, char **out)
{
    tn_model *again = NULL;
    if (!tn_text_agree(&m->source, m->model))
        return TN_ERROR_MEMORY;
    TN_TRY(write_text(m, out));
    TN_TRY(read_again(&again, m, *out));
    int code = tn_text_complete(&m->source, m->model, again) ? TN_OK : TN_ERROR_MEMORY;
    if (code == TN_OK)
        code = tn_model_align(again, m->model);
    if (code == TN_OK && !tn_text_place(&m->source, m->model, again))
        code = TN_ERROR_MEMORY;
    tn_model_destroy(again);
    TN_TRY(code);
    TN_TRY(write_text(m, out));
    return verify(m, *out);
}

/* Replaces the diagnostics about a text that does not agree by the reason why no text can agree. */
static int refuse(const maker *m, tn_report_mark mark)
{
    tn_context *context = m->model->context;
    tn_report_forget(context, mark);
    return tn_fail(context, TN_ERROR_MODEL, TN_NOWHERE,
                   "the text of the model cannot say what was done to '%s': it is inside a subsystem, which has a file "
                   "of its own", m->inside);
}

/* The whole text that commands have been replaced by; NULL: there is none. */
static const tn_amendment *whole_text(const tn_model *model)
{
    const tn_amendment *first = model->amendments;
    while (first != NULL && first->before != NULL)
        first = first->before;
    return first != NULL && first->changes[0] == TN_CHANGE_WHOLE ? first : NULL;
}

/* Opens the text that the commands change. */
static int open_base(maker *m)
{
    const tn_origin_file *main = &m->origin->files[0];
    const tn_amendment *whole = whole_text(m->model);
    if (whole != NULL)
        return tn_source_open(&m->source, m->arena, m->model->context, main->path, whole->text, whole->size);
    TN_TRY(tn_source_open(&m->source, m->arena, m->model->context, main->path, main->text, main->size));
    TN_TRY(tn_text_include(&m->source, m->origin));
    return write_parameters(m) ? TN_OK : TN_ERROR_MEMORY;
}

static int make_text(maker *m, char **out)
{
    TN_TRY(open_base(m));
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

/* bytes of commands from which on they are replaced by a text; with long texts, the length of the text. */
static const size_t RENEW_FROM = (size_t)256 << 10;

/* Have the commands grown past the limit, or past twice, four times, ... the limit? Where no text can express the model, the
 * attempts become rare. */
static bool renewal_due(const tn_model *model)
{
    const tn_amendment *last = model->amendments;
    if (model->origin == NULL || last == NULL || last->before == NULL)
        return false;
    size_t main = model->origin->files[0].size, limit = main > RENEW_FROM ? main : RENEW_FROM;
    while (limit <= last->before->bytes)
        limit *= 2;
    return last->bytes >= limit;
}

/* A list with the whole text, and the files of the commands. */
static int whole_amendments(tn_amendment **out, const maker *m, const char *text)
{
    tn_amendment whole = { .text = text, .size = strlen(text), .changes = (const char[]){ TN_CHANGE_WHOLE, 0 } };
    TN_TRY(tn_amendment_add(out, m->model->context, &whole));
    (*out)->bytes = 0;
    return tn_change_note_files(out, m->model->context, m->files);
}

int tn_model_renew_text(tn_model *model)
{
    maker m;
    char *text = NULL;
    tn_amendment *new = NULL;
    if (!renewal_due(model))
        return TN_OK;
    tn_report_mark mark = tn_report_now(model->context);
    int code = begin_model_text(&m, model);
    if (code == TN_OK)
        code = current_text(&m, &text);
    if (code == TN_OK)
        code = whole_amendments(&new, &m, text);
    end(&m);
    tn_free(model->context, text);
    if (code == TN_OK) {
        tn_amendment_release(model->amendments);
        model->amendments = new;
    } else {
        tn_amendment_release(new);
        tn_report_forget(model->context, mark);
    }
    return code == TN_ERROR_MEMORY ? code : TN_OK;
}

/* Settings that were chosen for the session stay, unless the text changes them. */
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
