/* Command files of Adams View (.cmd) as statements of a dataset: what creates and modifies the objects of a model is collected by
 * name, and written as the statements that Adams View would export. Expressions are not evaluated: Adams View writes their values
 * where it creates objects, and the expressions behind all of them. */
#include "adm_commands.h"

#include "diag.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

static const char *lower(adm_commands *c, const char *text, size_t length)
{
    char *copy = tn_arena_strndup(c->reader->machine->arena, text, length);
    for (char *at = copy; at && *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return copy ? copy : "";
}

tn_span tn_cmd_place(const adm_commands *c, int line)
{
    return (tn_span){ c->reader->files->main, line, 1 };
}

/* A name without its dot and its model, in lower case. */
const char *tn_cmd_plain(adm_commands *c, const char *name)
{
    size_t length = strlen(c->model);
    name += *name == '.';
    if (length > 0 && strncasecmp(name, c->model, length) == 0 && name[length] == '.')
        name += length + 1;
    return lower(c, name, strlen(name));
}

cmd_object *tn_cmd_find(adm_commands *c, const char *name)
{
    const char *plain = tn_cmd_plain(c, name);
    int index = tn_index_find(c->names, plain);
    size_t length = strlen(plain);
    cmd_object *found = NULL;
    if (index >= 0 || length == 0 || strchr(plain, '.'))
        return index < 0 ? NULL : c->list[index];
    for (cmd_object *o = c->first; o; o = o->next) {       /* a name without its part: the only one of that name */
        size_t whole = strlen(o->name);
        if (whole <= length || o->name[whole - length - 1] != '.' || strcmp(o->name + whole - length, plain) != 0)
            continue;
        if (found)
            return NULL;
        found = o;
    }
    return found;
}

const char *tn_cmd_get(const cmd_object *o, const char *key)
{
    for (const cmd_value *v = o->values; v; v = v->next)
        if (strcmp(v->key, key) == 0)
            return v->text;
    return NULL;
}

/* ---- commands ---- */

static cmd_object *new_object(adm_commands *c, const char *kind, const char *name, int line)
{
    tn_arena *arena = c->reader->machine->arena;
    cmd_object *o = tn_arena_alloc(arena, 1, sizeof *o);
    if (c->count == c->capacity) {
        size_t more = c->capacity ? 2 * c->capacity : 64;
        cmd_object **list = tn_arena_alloc(arena, more, sizeof(cmd_object *));
        if (list && c->count > 0)
            memcpy(list, c->list, c->count * sizeof(cmd_object *));
        c->list = list;
        c->capacity = more;
    }
    if (!o || !c->list) {
        c->reader->machine->status = TN_ERROR_MEMORY;
        return NULL;
    }
    const char *dot = strrchr(name, '.');
    *o = (cmd_object){ .kind = kind, .name = tn_cmd_plain(c, name), .shown = dot ? dot + 1 : name, .frame = c->frame, .line = line,
                       .id = strcmp(tn_cmd_plain(c, name), "ground") == 0 ? 1 : (int)c->count + 2 };
    tn_index_put(c->names, o->name, (int)c->count);
    c->list[c->count++] = o;
    *c->tail = o;
    c->tail = &o->next;
    return o;
}

/* Takes values over; expressions only where there is no value yet. */
static void merge(adm_commands *c, cmd_object *o, cmd_value *values)
{
    enum { MOST_VALUES = 500 };        /* no command has as many keys */
    for (cmd_value *v = values, *next; v; v = next) {
        cmd_value *own = o->values;
        next = v->next;
        while (own && strcmp(own->key, v->key) != 0)
            own = own->next;
        if (own && v->text[0] != '(')
            own->text = v->text;
        if (own || ++o->value_count > MOST_VALUES)
            continue;
        cmd_value *copy = tn_arena_alloc(c->reader->machine->arena, 1, sizeof *copy);
        if (!copy)
            return;
        *copy = (cmd_value){ v->key, v->text, o->values };
        o->values = copy;
    }
}

/* Takes "defaults" and "model" commands, which hold for all commands behind them. */
static void read_default(adm_commands *c, const char *words, const cmd_value *values)
{
    for (const cmd_value *v = values; v; v = v->next) {
        if (strcmp(words, "model create") == 0 && strcmp(v->key, "model_name") == 0 && !c->model[0])
            c->model = v->text + (v->text[0] == '.');
        if (strcmp(v->key, "default_coordinate_system") == 0)
            c->frame = tn_cmd_plain(c, v->text);
        if (strcmp(v->key, "angle") == 0)
            c->degrees = strncasecmp(v->text, "deg", 3) == 0;
        if (strcmp(v->key, "orientation_type") == 0 && strcasecmp(v->text, "body313") != 0)
            tn_machine_note_add(c->reader->machine, TN_WARNING, tn_cmd_place(c, 1), "orientations by '%s' are read as body313", v->text);
    }
}

/* Begins and ends of blocks, whose conditions are not evaluated. */
static bool take_block(adm_commands *c, const char *words)
{
    if (strcmp(words, "for") == 0 || strcmp(words, "while") == 0 || strcmp(words, "if") == 0)
        c->blocks++;
    else if (strcmp(words, "end") == 0)
        c->blocks -= c->blocks > 0;
    else
        return false;
    return true;
}

static void take_command(adm_commands *c, const char *words, cmd_value *values, int line)
{
    static const char *const verbs[] = { " create", " modify", " attributes", NULL };
    static const char *const kinds[] = { "part", "marker", "constraint", "force", "material", "geometry", "data_element",
                                         "variable" };
    const char *verb = NULL, *name = NULL;
    bool wanted = false;
    if (take_block(c, words))
        return;
    if (strncmp(words, "defaults", 8) == 0 || strcmp(words, "model create") == 0) {
        if (strcmp(words, "defaults units") == 0 && !tn_cmd_find(c, "units"))
            new_object(c, "units", "units", line);
        if (strcmp(words, "defaults units") == 0 && tn_cmd_find(c, "units"))
            merge(c, tn_cmd_find(c, "units"), values);
        read_default(c, words, values);
        return;
    }
    for (size_t i = 0; i < TN_LENGTH(kinds); i++)
        wanted = wanted || (strncmp(words, kinds[i], strlen(kinds[i])) == 0 && words[strlen(kinds[i])] == ' ');
    for (const char *const *v = verbs; *v && !verb; v++)
        verb = strstr(words, *v);
    for (const cmd_value *v = values; v && !name; v = v->next) {
        size_t length = strlen(v->key);
        name = length > 5 && strcmp(v->key + length - 5, "_name") == 0 ? v->text : NULL;
    }
    if (strncmp(words, "contact create", 14) == 0 || strncmp(words, "ude create", 10) == 0)
        tn_machine_leave_out(c->reader->machine, tn_cmd_place(c, line), "%s", words);
    if (!wanted || !verb || !name || (c->blocks > 0 && strncmp(words, "variable", 8) == 0))
        return;
    if (c->blocks > 0) {
        ADM_ERROR(c->reader, tn_cmd_place(c, line), "'%s' stands in a block of for, while or if, which are not evaluated: export the model "
                  "as a dataset (.adm)", words);
        return;
    }
    cmd_object *o = tn_cmd_find(c, name);
    if (strncmp(verb, " attributes", 11) == 0) {
        for (const cmd_value *v = values; o && v; v = v->next)
            if (strcmp(v->key, "active") == 0)
                o->off = strcasecmp(v->text, "off") == 0;
        return;
    }
    bool create = strncmp(verb, " create", 7) == 0;
    if (!o && create)
        o = new_object(c, tn_machine_text(c->reader->machine, "%.*s%s", (int)(verb - words), words, verb + 7), name, line);
    if (!o)
        return;
    if (create && strcmp(words, "part create rigid_body name_and_position") == 0)
        o->frame = c->frame;           /* its mass may have been told before */
    merge(c, o, values);
}

/* ---- text ---- */

/* One item of a value: a text in quotes, something in brackets with what hangs on it, or a word. */
static const char *read_item(const char *at, const char *stop, const char **begin, size_t *length)
{
    int depth = 0;
    if (at < stop && *at == '"') {
        *begin = ++at;
        while (at < stop && *at != '"')
            at++;
        *length = (size_t)(at - *begin);
        return at < stop ? at + 1 : at;
    }
    *begin = at;
    for (; at < stop && (depth > 0 || (!isspace((unsigned char)*at) && *at != ',')); at++)
        depth += *at == '(' || *at == '{' ? 1 : *at == ')' || *at == '}' ? -1 : 0;
    *length = (size_t)(at - *begin);
    return at;
}

static const char *blanks(const char *at, const char *stop)
{
    while (at < stop && isspace((unsigned char)*at))
        at++;
    return at;
}

/* A whole command: words, then "key = item, item ...". Texts in quotes that follow each other are one text. */
static void read_command(adm_commands *c, const char *at, const char *stop, int line)
{
    enum { LONGEST = 200 };            /* characters of the words of a command */
    tn_machine *machine = c->reader->machine;
    const char *words = "";
    cmd_value *values = NULL, **tail = &values;
    while ((at = blanks(at, stop)) < stop && tn_machine_status(machine) >= 0) {
        const char *begin = at;
        while (at < stop && !isspace((unsigned char)*at) && *at != '=')
            at++;
        const char *word = lower(c, begin, (size_t)(at - begin));
        at = blanks(at, stop);
        if (at >= stop || *at != '=') {
            if (strlen(words) < LONGEST)
                words = tn_machine_text(machine, "%s%s%s", words, words[0] ? " " : "", word);
            continue;
        }
        tn_text text;
        char *whole = NULL;
        tn_text_begin(&text, machine->context);
        for (bool more = true, first = true; more; first = false) {
            const char *item;
            size_t length;
            at = blanks(at + 1, stop);
            bool quoted = at < stop && *at == '"';
            at = blanks(read_item(at, stop, &item, &length), stop);
            tn_text_add(&text, "%s%.*s", first || quoted ? "" : ",", (int)length, item);
            more = at < stop && *at == ',';
        }
        cmd_value *v = tn_arena_alloc(machine->arena, 1, sizeof *v);
        if (tn_text_take(&text, &whole) < 0 || !v) {
            machine->status = TN_ERROR_MEMORY;
            return;
        }
        *v = (cmd_value){ word, tn_machine_text(machine, "%s", whole), NULL };
        tn_free(machine->context, whole);
        *tail = v;
        tail = &v->next;
    }
    if (words[0])
        take_command(c, words, values, line);
}

/* Commands go on after an ampersand; comments begin with an exclamation mark outside of quotes. */
static void read_commands(adm_commands *c, const char *data, size_t size)
{
    const char *stop = data + size;
    tn_text text;
    bool open = false;
    int line = 0, first = 0;
    for (const char *at = data; at < stop && tn_machine_status(c->reader->machine) >= 0; ) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at)), *eol = newline ? newline : stop, *end = at;
        bool quoted = false;
        line++;
        while (end < eol && (quoted || *end != '!'))
            quoted = (*end++ == '"') != quoted;
        while (end > at && isspace((unsigned char)end[-1]))
            end--;
        bool more = end > at && end[-1] == '&';
        if (!open) {
            tn_text_begin(&text, c->reader->machine->context);
            first = line;
        }
        tn_text_add(&text, "%.*s ", (int)(end - at - more), at);
        open = more && newline && newline + 1 < stop;
        if (!open) {
            char *whole = NULL;
            if (tn_text_take(&text, &whole) < 0) {
                c->reader->machine->status = TN_ERROR_MEMORY;
                return;
            }
            read_command(c, whole, whole + strlen(whole), first);
            tn_free(c->reader->machine->context, whole);
        }
        at = newline ? eol + 1 : stop;
    }
}

/* ---- values ---- */

bool tn_cmd_numbers(adm_commands *c, const cmd_object *o, const char *key, double *out, int n, bool angle)
{
    const char *text = tn_cmd_get(o, key), *at = text;
    for (int k = 0; at && k < n; k++) {
        const char *end = tn_adm_scan(at, &out[k]);
        if (!end) {
            ADM_ERROR(c->reader, tn_cmd_place(c, o->line), "'%s': %s = %.60s: expected numbers; expressions are not evaluated: export the "
                      "model as a dataset (.adm)", o->shown, key, text);
            return false;
        }
        if (angle && c->degrees && end[-1] != 'd' && end[-1] != 'D')
            out[k] *= acos(-1.0) / 180;
        at = end + strspn(end, " \t,");
    }
    return at != NULL;
}

const char *tn_cmd_last(const char *kind)
{
    const char *space = strrchr(kind, ' ');
    return space ? space + 1 : kind;
}

/* ---- the file ---- */

int tn_adm_commands_read(adm_commands **out, adm_reader *r, const char *data, size_t size, char **dataset)
{
    adm_commands *c = tn_arena_alloc(r->machine->arena, 1, sizeof *c);
    if (!c)
        return TN_ERROR_MEMORY;
    *out = c;
    *c = (adm_commands){ .reader = r, .tail = &c->first, .model = "", .frame = "ground", .degrees = true };
    TN_TRY(tn_index_create(&c->names, r->machine));
    cmd_object *ground = new_object(c, "part rigid_body", "ground", 1);
    TN_TRY(tn_machine_status(r->machine));
    ground->id = 1;
    read_commands(c, data, size);
    TN_TRY(tn_machine_status(r->machine));
    tn_text_begin(&c->text, r->machine->context);
    tn_text_add(&c->text, "ADAMS/View model name: %s", c->model);
    for (const cmd_object *o = c->first; o && tn_machine_status(r->machine) >= 0; o = o->next)
        tn_cmd_write(c, o);
    tn_text_add(&c->text, "\nEND\n");
    if (tn_text_take(&c->text, dataset) < 0)
        return r->machine->status = TN_ERROR_MEMORY;
    if (!r->failed && tn_machine_status(r->machine) >= 0)
        return TN_OK;
    tn_free(r->machine->context, *dataset);
    *dataset = NULL;
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(r->machine);
}

int tn_adm_commands_line(const adm_commands *c, int line)
{
    return line >= 2 && line - 2 < c->line_count ? c->lines[line - 2] : 1;
}
