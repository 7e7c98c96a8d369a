/* Adams datasets (.adm): statements with continuation lines, units, parts and markers. */
#include "adm_commands.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

static const double PI = 3.141592653589793;

bool tn_adm_is(const char *word, const char *name)
{
    size_t length = strlen(word);
    return strcasecmp(word, name) == 0 || (length >= 3 && length < strlen(name) && strncasecmp(word, name, length) == 0);
}

const char *tn_adm_get(const adm_statement *s, const char *key)
{
    for (const adm_argument *a = s->arguments; a; a = a->next)
        if (a->key[0] && strcmp(a->key, key) == 0)
            return a->text;
    for (const adm_argument *a = s->arguments; a; a = a->next)
        if (a->key[0] && tn_adm_is(a->key, key))
            return a->text;
    return NULL;
}

bool tn_adm_has(const adm_statement *s, const char *flag)
{
    size_t length = strlen(flag);
    for (const adm_argument *a = s->arguments; a; a = a->next)
        if (!a->key[0] && (tn_adm_is(a->text, flag) ||
                           (length > 7 && strncasecmp(a->text, flag, length) == 0)))   /* ROTATIONAL for ROTATION */
            return true;
    return false;
}

const char *tn_adm_scan(const char *text, double *out)
{
    char *end;
    text += strspn(text, " \t");
    if (!isdigit((unsigned char)*text) && !strchr("+-.", *text))
        return NULL;
    *out = strtod(text, &end);
    if (end == text || !isfinite(*out))
        return NULL;
    if ((*end == 'D' || *end == 'd') && !isalnum((unsigned char)end[1]) && !strchr("_+-", end[1] ? end[1] : ' ')) {
        *out *= PI / 180;
        end++;
    }
    return end;
}

int tn_adm_numbers(adm_reader *r, const adm_statement *s, const char *key, double *out, int max)
{
    const char *text = tn_adm_get(s, key), *at = text;
    int count = 0;
    while (text && *at) {
        double value;
        at += strspn(at, " \t,");
        if (!*at)
            break;
        const char *end = tn_adm_scan(at, &value);
        if (!end || (*end && !strchr(" \t,", *end))) {
            ADM_ERROR(r, s->place, "%s/%d: %s = %.60s: expected numbers", s->keyword, s->id, key, text);
            return 0;
        }
        if (count < max)
            out[count] = value;
        count++;
        at = end;
    }
    return count < max ? count : max;
}

double tn_adm_number(adm_reader *r, const adm_statement *s, const char *key, double otherwise)
{
    tn_adm_numbers(r, s, key, &otherwise, 1);
    return otherwise;
}

/* ---- statements ---- */

static const char *upper(adm_reader *r, const char *text, size_t length)
{
    char *copy = tn_arena_strndup(r->machine->arena, text, length);
    for (char *c = copy; c && *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return copy ? copy : "";
}

static const char *trimmed(adm_reader *r, const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)*text))
        text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    const char *copy = tn_arena_strndup(r->machine->arena, text, length);
    return copy ? copy : "";
}

/* "QG = 1", a number that belongs to the argument before it, or a word. */
static void add_argument(adm_reader *r, adm_statement *s, adm_argument **last, const char *text, size_t length)
{
    const char *word = trimmed(r, text, length), *equals = strchr(word, '=');
    double number;
    if (!word[0])
        return;
    if (!equals && *last && (*last)->key[0] && tn_adm_scan(word, &number)) {
        enum { LONGEST_LIST = 2000 };          /* characters; no list that counts here is longer */
        if (strlen((*last)->text) < LONGEST_LIST)
            (*last)->text = tn_machine_text(r->machine, "%s,%s", (*last)->text, word);
        return;
    }
    adm_argument *a = tn_arena_alloc(r->machine->arena, 1, sizeof *a);
    if (!a)
        return;
    size_t head = equals ? (size_t)(equals - word) : 0;
    while (head > 0 && isspace((unsigned char)word[head - 1]))
        head--;
    a->key = equals ? upper(r, word, head) : "";
    a->text = equals ? trimmed(r, equals + 1, strlen(equals + 1)) : word;
    if (*last)
        (*last)->next = a;
    else
        s->arguments = a;
    *last = a;
}

/* Splits "JOINT/3, REVOLUTE, I = 1" at commas and backslashes outside of brackets. */
static adm_statement *make_statement(adm_reader *r, const char *text, const char *view_name, tn_span place)
{
    adm_statement *s = tn_arena_alloc(r->machine->arena, 1, sizeof *s);
    adm_argument *last = NULL;
    size_t head = strcspn(text, "/, \t=");
    if (!s)
        return NULL;
    *s = (adm_statement){ .keyword = upper(r, text, head), .place = place };
    text += head;
    text += strspn(text, " \t");
    if (*text == '/') {
        char *end;
        s->id = (int)strtol(text + 1, &end, 10);
        text = end;
    }
    s->name = view_name ? view_name : tn_machine_text(r->machine, "%s_%d", s->keyword, s->id);
    int depth = 0;
    const char *begin = text;
    for (const char *c = text; ; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (*c == 0 || *c == '\\' || (*c == ',' && depth <= 0)) {
            add_argument(r, s, &last, begin, (size_t)(c - begin));
            begin = c + 1;
        }
        if (*c == 0)
            break;
    }
    return s;
}

/* The name in a comment adams_view_name='arm'; NULL: none. */
static const char *view_name(adm_reader *r, const char *comment, size_t length)
{
    static const char mark[] = "adams_view_name='";
    const char *copy = tn_arena_strndup(r->machine->arena, comment, length), *at = copy ? strstr(copy, mark) : NULL;
    if (!at)
        return NULL;
    at += sizeof mark - 1;
    return strchr(at, '\'') ? tn_arena_strndup(r->machine->arena, at, strcspn(at, "'")) : NULL;
}

/* State at the end of the text of a statement that is read so far. */
typedef struct adm_tail {
    int depth;                 /* of brackets */
    char last;                 /* character that is no blank */
    char key;                  /* first letter of the last key */
} adm_tail;

static void follow(adm_tail *tail, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        tail->depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (text[i] == '=') {
            size_t k = i;
            while (k > 0 && isspace((unsigned char)text[k - 1]))
                k--;
            while (k > 0 && isalpha((unsigned char)text[k - 1]))
                k--;
            tail->key = (char)toupper((unsigned char)text[k]);
        }
        if (!isspace((unsigned char)text[i]))
            tail->last = text[i];
    }
}

/* Whether the comma at the beginning of a line only marks it as a continuation: inside brackets, after an operator, and in a
 * function before one. */
static bool is_mere_mark(const adm_tail *tail, const char *line)
{
    if (tail->depth > 0 || (tail->last && strchr("+-*/(,=\\", tail->last)))
        return true;
    line += 1 + strspn(line + 1, " \t");
    return (tail->key == 'F' || tail->key == 'T') && strchr("+-*/\\", *line);
}

/* The title is the first line, if it is there; the title of Adams View may stand below comments. */
static bool is_title(const char *line, size_t length, int number)
{
    static const char *const statements[] = { "UNITS/", "PART/", "MARKER/" };
    if (length >= 21 && strncasecmp(line, "ADAMS/View model name", 21) == 0)
        return true;
    for (size_t i = 0; i < TN_LENGTH(statements); i++)
        if (length > strlen(statements[i]) && strncasecmp(line, statements[i], strlen(statements[i])) == 0)
            return false;
    return number == 1;
}

/* A line begins a statement with a letter, and goes on with the one before after a comma or an ampersand. */
int tn_adm_parse(adm_reader *r, const char *data, size_t size)
{
    adm_statement **end = &r->first;
    const char *name = NULL, *next_name = NULL, *stop = data + size;
    tn_text text;
    tn_span place = { r->files->main, 0, 1 };
    tn_text_begin(&text, r->machine->context);
    bool open = false, goes_on = false;
    adm_tail tail = { 0 };
    int line = 0;
    for (const char *at = data; tn_machine_status(r->machine) >= 0; ) {
        const char *newline = at < stop ? memchr(at, '\n', (size_t)(stop - at)) : NULL, *eol = newline ? newline : stop;
        const char *mark = at < stop ? memchr(at, '!', (size_t)(eol - at)) : NULL, *content = mark ? mark : eol;
        bool last = at >= stop;
        line++;
        while (at < content && isspace((unsigned char)*at))
            at++;
        while (content > at && isspace((unsigned char)content[-1]))
            content--;
        size_t length = (size_t)(content - at);
        bool more = open && length > 0 && (*at == ',' || goes_on), title = is_title(at, length, line);
        if ((length > 0 && !more && !title) || last) {
            char *whole = NULL;
            if (open && tn_text_take(&text, &whole) >= 0) {
                *end = make_statement(r, whole, name, place);
                end = *end ? &(*end)->next : end;
                tn_free(r->machine->context, whole);
            }
            if (last)
                break;
            tn_text_begin(&text, r->machine->context);
            open = true;
            tail = (adm_tail){ 0 };
            place.line = line;
            name = next_name;
            next_name = NULL;
        }
        if (length > 0 && !title) {
            bool ampersand = content[-1] == '&';
            bool mark_only = more && *at == ',' && is_mere_mark(&tail, at);
            tn_text_add(&text, "%.*s", (int)(length - ampersand - mark_only), at + mark_only);
            follow(&tail, at + mark_only, length - ampersand - mark_only);
            goes_on = ampersand || content[-1] == ',';
        }
        const char *found = mark ? view_name(r, mark, (size_t)(eol - mark)) : NULL;
        next_name = found ? found : next_name;
        at = newline ? eol + 1 : stop;
    }
    char *rest = NULL;         /* of a text that was not finished for want of memory */
    if (tn_machine_status(r->machine) < 0 && tn_text_take(&text, &rest) >= 0)
        tn_free(r->machine->context, rest);
    return tn_machine_status(r->machine);
}

/* ---- parts and markers ---- */

/* The orientation by 3-1-3 angles, or by points on the z axis and in the xz plane; prefix is "G" for parts, "P" for
 * markers. */
static tn_pose read_pose(adm_reader *r, const adm_statement *s, const char *q, const char *zp, const char *xp)
{
    tn_pose pose = tn_pose_identity();
    double angles[3] = { 0 }, z[3], x[3];
    tn_adm_numbers(r, s, q, pose.p, 3);
    bool has_z = tn_adm_numbers(r, s, zp, z, 3) == 3, has_x = tn_adm_numbers(r, s, xp, x, 3) == 3;
    if (tn_adm_numbers(r, s, "REULER", angles, 3) > 0 || tn_adm_numbers(r, s, "EULER", angles, 3) > 0) {
        tn_euler_quat(pose.q, angles, "zxz");
    } else if (has_z || has_x) {
        double u[3] = { 0, 0, 1 }, v[3] = { 1, 0, 0 }, w[3], R[3][3];
        bool usex = tn_adm_has(s, "USEXP");
        if (has_z)
            tn_sub3(u, z, pose.p);
        if (has_x)
            tn_sub3(v, x, pose.p);
        double *main = usex ? v : u, *other = usex ? u : v, length = tn_norm3(main);
        if (!(length > 0)) {
            ADM_ERROR(r, s->place, "%s/%d: the axis has no direction", s->keyword, s->id);
            return pose;
        }
        for (int k = 0; k < 3; k++)
            main[k] /= length;
        tn_axpy3(other, -tn_dot3(other, main), main);
        if (!(tn_norm3(other) > 1e-12)) {          /* any perpendicular direction */
            double any[3] = { fabs(main[0]) < 0.9, fabs(main[0]) >= 0.9, 0 };
            memcpy(other, any, sizeof any);
            tn_axpy3(other, -tn_dot3(other, main), main);
        }
        length = tn_norm3(other);
        for (int k = 0; k < 3; k++)
            other[k] /= length;
        tn_cross3(w, u, v);
        for (int k = 0; k < 3; k++)
            R[k][0] = v[k], R[k][1] = w[k], R[k][2] = u[k];
        tn_quat_from_matrix(pose.q, (const double (*)[3])R);
    }
    for (int k = 0; k < 3; k++)
        pose.p[k] *= r->length;
    return pose;
}

static const char *id_text(const adm_reader *r, int id)
{
    return tn_machine_text(r->machine, "%d", id);
}

static void read_part(adm_reader *r, const adm_statement *s)
{
    bool ground = tn_adm_has(s, "GROUND");
    int body = ground ? TN_GROUND : tn_machine_add_body(r->machine, s->name, s->place);
    if (!tn_index_put(r->part_ids, id_text(r, s->id), body))
        ADM_ERROR(r, s->place, "%s/%d is there twice", s->keyword, s->id);
    if (!ground)
        r->machine->bodies[body].pose = read_pose(r, s, "QG", "ZG", "XG");
}

static void read_marker(adm_reader *r, const adm_statement *s, int part)
{
    const char *of = tn_adm_get(s, "PART");
    if (!of)
        of = tn_adm_get(s, "POINT_MASS");
    int body = of ? tn_index_find(r->part_ids, id_text(r, atoi(of))) : part;       /* "02" is part 2 */
    if (body < 0) {
        if (of || !tn_adm_get(s, "FLEX_BODY"))
            ADM_ERROR(r, s->place, "MARKER/%d: there is no part %s", s->id, of ? of : "before it");
        else
            tn_machine_leave_out(r->machine, s->place, "markers of flexible bodies");
        return;
    }
    if (r->marker_count == r->marker_capacity) {
        size_t more = r->marker_capacity ? 2 * r->marker_capacity : 64;
        adm_marker *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
        if (!list) {
            r->machine->status = TN_ERROR_MEMORY;
            return;
        }
        if (r->marker_count > 0)
            memcpy(list, r->markers, r->marker_count * sizeof *list);
        r->markers = list;
        r->marker_capacity = more;
    }
    r->markers[r->marker_count] = (adm_marker){ .body = body, .id = s->id, .pose = read_pose(r, s, "QP", "ZP", "XP"),
                                                .frame = -1 };
    if (!tn_index_put(r->marker_ids, id_text(r, s->id), (int)r->marker_count++))
        ADM_ERROR(r, s->place, "MARKER/%d is there twice", s->id);
}

adm_marker *tn_adm_marker_by_id(const adm_reader *r, int id)
{
    int index = tn_index_find(r->marker_ids, id_text(r, id));
    return index < 0 ? NULL : &r->markers[index];
}

adm_marker *tn_adm_marker(adm_reader *r, const adm_statement *s, const char *key)
{
    const char *text = tn_adm_get(s, key);
    adm_marker *marker = text ? tn_adm_marker_by_id(r, atoi(text)) : NULL;
    if (!marker)
        ADM_ERROR(r, s->place, "%s/%d: %s = %s: there is no such marker", s->keyword, s->id, key, text ? text : "");
    return marker;
}

tn_pose tn_adm_world(const adm_reader *r, const adm_marker *m)
{
    return tn_pose_compose(&r->machine->bodies[m->body].pose, &m->pose);
}

/* Mass and inertia; IP is about marker IM, by default CM, with products as positive integrals. */
static void read_mass(adm_reader *r, const adm_statement *s, int body)
{
    static const double centre[3] = { 0, 0, 0 };
    double mass = tn_adm_number(r, s, "MASS", 0) * r->mass, ip[6] = { 0 }, tensor[6];
    const adm_marker *cm = tn_adm_get(s, "CM") ? tn_adm_marker(r, s, "CM") : NULL;
    const adm_marker *im = tn_adm_get(s, "IM") ? tn_adm_marker(r, s, "IM") : cm;
    tn_adm_numbers(r, s, "IP", ip, 6);
    tn_pose pose = im ? im->pose : tn_pose_identity(), where = cm ? cm->pose : pose;
    for (int k = 0; k < 6; k++)
        tensor[k] = (k < 3 ? 1 : -1) * ip[k] * r->mass * r->length * r->length;
    if (im && cm && im != cm) {
        tn_pose at = tn_pose_relative(&im->pose, &cm->pose);       /* the centre as seen from IM */
        const double *c = at.p, square = tn_dot3(c, c);
        for (int k = 0; k < 3; k++)
            tensor[k] -= mass * (square - c[k] * c[k]);
        tensor[3] += mass * c[0] * c[1];
        tensor[4] += mass * c[0] * c[2];
        tensor[5] += mass * c[1] * c[2];
    }
    memcpy(pose.p, where.p, sizeof pose.p);
    r->machine->bodies[body].mass_source = "PART of the file";
    tn_body_add_mass(&r->machine->bodies[body], mass, &pose, centre, tensor);
}

/* Velocities of the centre of mass along axes of ground or VM, angular ones about axes of WM or CM. */
static void read_velocity(adm_reader *r, const adm_statement *s, int body)
{
    static const char *const names[6] = { "VX", "VY", "VZ", "WX", "WY", "WZ" };
    double v[6], world[3], arm[3], c[3];
    bool any = false;
    for (int k = 0; k < 6; k++) {
        v[k] = tn_adm_number(r, s, names[k], 0) / r->time * (k < 3 ? r->length : 1);
        any = any || v[k] != 0;
    }
    if (!any)
        return;
    tn_machine_body *b = &r->machine->bodies[body];
    const adm_marker *vm = tn_adm_get(s, "VM") ? tn_adm_marker(r, s, "VM") : NULL;
    const adm_marker *wm = tn_adm_get(s, "WM") ? tn_adm_marker(r, s, "WM") : tn_adm_get(s, "CM") ? tn_adm_marker(r, s, "CM") : NULL;
    tn_pose turn = wm ? tn_adm_world(r, wm) : b->pose, along = vm ? tn_adm_world(r, vm) : tn_pose_identity();
    tn_quat_rotate(b->angular_velocity, turn.q, v + 3);
    tn_quat_rotate(world, along.q, v);
    tn_quat_rotate(arm, b->pose.q, b->com);
    tn_cross3(c, b->angular_velocity, arm);
    tn_sub3(b->velocity, world, c);
    b->moving = true;
}

/* ---- the file ---- */

static void read_bodies(adm_reader *r)
{
    int part = -1;
    for (const adm_statement *s = r->first; s; s = s->next)
        if (tn_adm_is(s->keyword, "PART") || tn_adm_is(s->keyword, "POINT_MASS"))
            read_part(r, s);
    for (const adm_statement *s = r->first; s; s = s->next) {
        if (tn_adm_is(s->keyword, "PART") || tn_adm_is(s->keyword, "POINT_MASS"))
            part = tn_index_find(r->part_ids, id_text(r, s->id));
        else if (tn_adm_is(s->keyword, "MARKER"))
            read_marker(r, s, part);
    }
    for (const adm_statement *s = r->first; s; s = s->next)
        if ((tn_adm_is(s->keyword, "PART") || tn_adm_is(s->keyword, "POINT_MASS")) && !tn_adm_has(s, "GROUND")) {
            int body = tn_index_find(r->part_ids, id_text(r, s->id));
            read_mass(r, s, body);
            read_velocity(r, s, body);
        }
}

typedef struct adm_kind {
    const char *keyword;
    int round;                 /* forces and motions need the joints */
    void (*read)(adm_reader *r, const adm_statement *s);       /* NULL: it says nothing about the mechanism */
} adm_kind;

static const adm_kind kinds[] = {
    { "JOINT", 0, tn_adm_constraint },  { "JPRIM", 0, tn_adm_constraint }, { "GRAPHICS", 0, tn_adm_graphics },
    { "COUPLER", 1, tn_adm_coupling },  { "GEAR", 1, tn_adm_coupling },    { "MOTION", 1, tn_adm_motion },
    { "SFORCE", 1, tn_adm_force },      { "VFORCE", 1, tn_adm_force },     { "VTORQUE", 1, tn_adm_force },
    { "GFORCE", 1, tn_adm_force },      { "SPRINGDAMPER", 1, tn_adm_force }, { "BUSHING", 1, tn_adm_force },
    { "BEAM", 1, tn_adm_force },        { "GCON", 1, tn_adm_constraint_by_function },
    { "UNITS", 0, NULL },  { "PART", 0, NULL },    { "POINT_MASS", 0, NULL }, { "MARKER", 0, NULL }, { "ACCGRAV", 0, NULL },
    { "END", 0, NULL },    { "REQUEST", 0, NULL }, { "OUTPUT", 0, NULL },     { "RESULTS", 0, NULL }, { "INTEGRATOR", 0, NULL },
    { "PREFERENCES", 0, NULL }, { "DEBUG", 0, NULL }, { "LSOLVER", 0, NULL }, { "EQUILIBRIUM", 0, NULL }, { "IC", 0, NULL },
    { "SPLINE", 0, NULL }, { "VARIABLE", 0, NULL }, { "KINEMATICS", 0, NULL },  { "MREQUEST", 0, NULL }, { "STRING", 0, NULL },
};

static void read_round(adm_reader *r, int round)
{
    for (const adm_statement *s = r->first; s; s = s->next) {
        const adm_kind *kind = NULL;
        for (size_t i = 0; i < TN_LENGTH(kinds) && !kind; i++)
            if (strcmp(s->keyword, kinds[i].keyword) == 0)
                kind = &kinds[i];
        for (size_t i = 0; i < TN_LENGTH(kinds) && !kind; i++)
            if (tn_adm_is(s->keyword, kinds[i].keyword))
                kind = &kinds[i];
        if (!kind && round == 0)
            tn_machine_leave_out(r->machine, s->place, "%s", s->keyword);
        else if (kind && kind->read && kind->round == round)
            kind->read(r, s);
        if (round == 0 && strcmp(s->keyword, "ACCGRAV") == 0)
            for (int k = 0; k < 3; k++) {
                static const char *const names[3] = { "IGRAV", "JGRAV", "KGRAV" };
                r->machine->gravity[k] = tn_adm_number(r, s, names[k], 0) * r->length / (r->time * r->time);
            }
    }
}

static bool is_command_file(const char *data)
{
    return (strstr(data, "\nmodel create") || strstr(data, "\ndefaults units")) && !strstr(data, "\nPART/");
}

static int read_adm(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    adm_reader r = { .machine = machine, .files = files };
    static const char title[] = "ADAMS/View model name:";
    adm_commands *commands = NULL;
    TN_TRY(tn_index_create(&r.part_ids, machine));
    TN_TRY(tn_index_create(&r.marker_ids, machine));
    TN_TRY(tn_index_create(&r.joint_ids, machine));
    if (is_command_file(data)) {
        char *dataset = NULL;
        TN_TRY(tn_adm_commands_read(&commands, &r, data, size, &dataset));
        int code = tn_adm_parse(&r, dataset, strlen(dataset));
        data = tn_machine_text(machine, "%.300s", dataset);        /* its title */
        tn_free(machine->context, dataset);
        TN_TRY(code);
        for (adm_statement *s = r.first; s; s = s->next)
            s->place.line = tn_adm_commands_line(commands, s->place.line);
    } else {
        TN_TRY(tn_adm_parse(&r, data, size));
    }
    machine->name = "Adams model";
    const char *found = strstr(data, title);
    if (found && (found == data || found[-1] == '\n')) {
        const char *name = found + sizeof title - 1;
        machine->name = trimmed(&r, name, strcspn(name, "\r\n"));
    }
    tn_adm_units(&r);
    read_bodies(&r);
    if (commands && !r.failed)
        tn_adm_commands_solids(commands);
    if (machine->body_count == 1 && !r.failed)
        return tn_fail(machine->context, TN_ERROR_MODEL, ((tn_span){ files->main, 1, 1 }), "there is no PART in it");
    if (!r.failed)
        read_round(&r, 0);
    if (!r.failed)
        read_round(&r, 1);
    if (!r.failed)
        tn_adm_tables(&r);
    return r.failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static bool is_adm(const char *data, size_t size)
{
    (void)size;
    return strncasecmp(data, "ADAMS/View model name", 21) == 0 || strstr(data, "\nPART/") || is_command_file(data);
}

const tn_importer tn_importer_adm = {
    .name = "adm",
    .endings = ".adm .cmd",
    .doc = "Adams dataset",
    .recognises = is_adm,
    .read = read_adm,
};
