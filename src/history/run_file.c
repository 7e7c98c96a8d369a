/* Run files: writing and reading the head, and reading the lines of the entries. */
#include "run_file.h"

#include <inttypes.h>
#include <string.h>
#include "diag.h"
#include "file.h"
#include "reread.h"

/* ---- writing ---- */

/* Does a YAML block scalar keep the text unchanged? Line breaks other than LF would change. */
static bool is_block_text(const tn_origin_file *file)
{
    static const char *const breaks[] = { "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf" };
    for (size_t k = 0; k < TN_LENGTH(breaks); k++)
        if (strstr(file->text, breaks[k]))
            return false;
    return file->size > 0;
}

static void write_block(tn_text *out, const tn_origin_file *file)
{
    const char *line = file->text, *end = line + file->size;
    tn_text_add(out, "  text: |2%c\n", end[-1] == '\n' ? '+' : '-');
    while (line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        int length = (int)((next ? next : end) - line);
        tn_text_add(out, "%s%.*s\n", length ? "    " : "", length, line);
        line += length + 1;
    }
}

static int write_file(tn_text *out, tn_context *context, const tn_origin_file *file)
{
    tn_text_add(out, "- path: ");
    tn_text_add_json(out, file->path);
    tn_text_add(out, "\n  size: %zu\n  hash: \"%016" PRIx64 "\"\n", file->size, file->hash);
    if (!file->text)
        return TN_OK;
    if (strlen(file->text) != file->size)
        return tn_fail(context, TN_ERROR_ARGUMENT, ((tn_span){ file->path, 0, 0 }),
                       "a run can be kept only with model files in UTF-8");
    if (is_block_text(file)) {
        write_block(out, file);
    } else {
        tn_text_add(out, "  text: ");
        tn_text_add_json(out, file->text);
        tn_text_add(out, "\n");
    }
    return TN_OK;
}

/* Reads the model again from its texts and compares: entities that calls built or changed are not in the texts. */
static int check_origin(const tn_session *s, const tn_setting *parameters, size_t count)
{
    tn_model *again = NULL;
    TN_TRY(tn_model_reread(&again, s->context, s->given->origin, parameters, count));
    bool same = tn_model_same(again, s->given);
    tn_model_destroy(again);
    if (!same)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "the model was changed by calls after it was read: its text does not say what is run; use "
                       "tn_session_apply");
    return TN_OK;
}

static int write_parameters(tn_text *out, const tn_session *s)
{
    const tn_origin *origin = s->given->origin;
    tn_text_add(out, "parameters: {");
    for (size_t k = 0; k < origin->setting_count; k++)
        tn_text_add(out, "%s %s: %.17g", k ? "," : "", origin->settings[k].name, origin->settings[k].value);
    tn_text_add(out, " }\n");
    return check_origin(s, origin->settings, origin->setting_count);
}

int tn_run_head_write(tn_text *out, const tn_session *s)
{
    const tn_origin *origin = s->given->origin;
    if (s->stepper->motion_only || s->kinematics || s->loads)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "only a session of tn_session_open can be kept in a file");
    if (!origin)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                       "the model was built by calls: only a run of a model that was read can be kept in a file");
    tn_text_add(out, "# A run of Tenon; 'tenon replay' repeats it.\ntenon-run: 1\nprogram: \"%s\"\nname: ",
                tn_version());
    tn_text_add_json(out, tn_model_name(s->given));
    tn_text_add(out, "\nfolder: ");
    tn_text_add_json(out, origin->folder);
    tn_text_add(out, "\n");
    TN_TRY(write_parameters(out, s));
    tn_text_add(out, "solve: ");
    tn_solve_write(out, &s->solve_given);
    tn_text_add(out, "\nfiles:\n");
    for (size_t k = 0; k < origin->count; k++)
        TN_TRY(write_file(out, s->context, &origin->files[k]));
    tn_text_add(out, "---\n");
    return out->broken ? TN_ERROR_MEMORY : TN_OK;
}

/* ---- reading ---- */

static int refuse(const tn_run_file *f, const tn_node *node, const char *reason)
{
    return tn_fail(f->context, TN_ERROR_MODEL, node ? node->span : ((tn_span){ f->path, 1, 1 }), "%s", reason);
}

static int read_file(tn_run_file *f, const tn_node *map)
{
    const tn_node *path = tn_node_get(map, "path"), *text = tn_node_get(map, "text"), *hash = tn_node_get(map, "hash");
    double size;
    if (!path || path->kind != TN_NODE_TEXT || !hash || (text && text->kind != TN_NODE_TEXT))
        return refuse(f, map, "a file has 'path', 'size', 'hash', and 'text' when it is a model file");
    tn_origin_file file = { .path = path->as.text, .text = text ? text->as.text : NULL };
    TN_TRY(tn_map_hash(&file.hash, f->context, hash));
    TN_TRY(tn_map_number(&size, f->context, map, "size"));
    file.size = text ? strlen(text->as.text) : size >= 0 && size < 1e15 ? (size_t)size : 0;
    return tn_origin_add(f->origin, &file);
}

static int read_files(tn_run_file *f, const tn_node *root)
{
    const tn_node *files = tn_node_get(root, "files"), *folder = tn_node_get(root, "folder");
    if (!files || files->kind != TN_NODE_LIST || files->count == 0 || !folder || folder->kind != TN_NODE_TEXT)
        return refuse(f, root, "'folder' and 'files' say what was run: one of them is missing");
    TN_TRY(tn_origin_create(&f->origin, f->context, folder->as.text));
    for (unsigned k = 0; k < files->count; k++)
        TN_TRY(read_file(f, files->as.items[k]));
    return f->origin->files[0].text ? TN_OK : refuse(f, files, "the first file must be the model");
}

static int read_parameters(tn_run_file *f, const tn_node *root)
{
    const tn_node *map = tn_node_get(root, "parameters");
    if (!map)
        return TN_OK;
    if (map->kind != TN_NODE_MAP)
        return refuse(f, map, "'parameters' must be a map of numbers");
    f->parameters = tn_arena_alloc(f->arena, map->count, sizeof *f->parameters);
    if (!f->parameters)
        return TN_ERROR_MEMORY;
    f->parameter_count = map->count;
    for (unsigned k = 0; k < map->count; k++) {
        f->parameters[k].name = map->as.items[2 * k]->as.text;
        TN_TRY(tn_map_number(&f->parameters[k].value, f->context, map, f->parameters[k].name));
    }
    return TN_OK;
}

static int read_head(tn_run_file *f, size_t size)
{
    size_t budget = TN_YAML_NODES;
    const tn_node *root, *version, *solve;
    TN_TRY(tn_yaml_parse(&root, f->arena, f->context, f->path, f->text, size, &budget));
    version = tn_node_get(root, "tenon-run");
    if (!version || version->kind != TN_NODE_TEXT || strcmp(version->as.text, "1") != 0)
        return refuse(f, version, "this is no run of Tenon: those begin with 'tenon-run: 1'");
    TN_TRY(read_files(f, root));
    TN_TRY(read_parameters(f, root));
    solve = tn_node_get(root, "solve");
    if (!solve)
        return refuse(f, root, "'solve' is missing");
    return tn_solve_read(&f->solve, f->context, solve);
}

/* Finds the entries, after the line "---". No text in the head contains such a line: texts are indented or quoted. */
static const char *find_entries(const char *text)
{
    const char *found = strstr(text, "\n---\n");
    return found ? found + 5 : NULL;
}

int tn_run_file_open(tn_run_file *f, tn_context *context, const char *path, char *text, size_t size)
{
    *f = (tn_run_file){ .context = context, .path = path, .text = text, .size = size };
    f->arena = tn_arena_create(context);
    if (!f->arena)
        return TN_ERROR_MEMORY;
    const char *entries = find_entries(text);
    if (!entries)
        return refuse(f, NULL, "this is no run of Tenon: there is no line '---' before its entries");
    f->next = (size_t)(entries - text);
    f->line = 1;
    for (const char *c = text; c < entries; c++)
        f->line += *c == '\n';
    return read_head(f, f->next - 4);
}

void tn_run_file_close(tn_run_file *f)
{
    if (f->arena)
        tn_arena_destroy(f->arena);
    tn_origin_release(f->origin);
    tn_free(f->context, f->text);
    *f = (tn_run_file){ 0 };
}

static bool is_empty_line(const char *line, size_t size)
{
    size_t k = strspn(line, " \t\r");
    return k >= size || line[k] == '#';
}

bool tn_run_file_line(tn_run_file *f, const char **line, size_t *size, tn_span *place)
{
    while (f->next < f->size) {
        const char *begin = f->text + f->next, *end = memchr(begin, '\n', f->size - f->next);
        if (!end)
            return false;
        *line = begin;
        *size = (size_t)(end - begin);
        *place = (tn_span){ f->path, f->line, 1 };
        f->next += *size + 1;
        f->line++;
        if (!is_empty_line(begin, *size))
            return true;
    }
    return false;
}

bool tn_run_file_is_last(const tn_run_file *f)
{
    tn_run_file rest = *f;
    const char *line;
    size_t size;
    tn_span place;
    return !tn_run_file_line(&rest, &line, &size, &place);
}
