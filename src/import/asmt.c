/* Ondsel .asmt: a tree of words by tabs, with parts, markers, joints, motions and, after a simulation, time series. */
#include "asmt_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <ctype.h>

enum { DEEPEST = 40, MOST_LINES = 2000000 };

tn_span tn_asmt_place(const asmt_reader *r, const asmt_node *node)
{
    return (tn_span){ r->files->main, node->line, 1 };
}

/* ---- the tree ---- */

static asmt_node *add_node(asmt_reader *r, asmt_node *parent, const char *text, size_t length, int line)
{
    asmt_node *node = tn_arena_alloc(r->machine->arena, 1, sizeof *node);
    char *copy = node ? tn_arena_strndup(r->machine->arena, text, length) : NULL;
    if (!copy)
        return NULL;
    *node = (asmt_node){ .text = copy, .line = line };
    if (parent && parent->last)
        parent->last->next = node;
    else if (parent)
        parent->first = node;
    if (parent)
        parent->last = node;
    return node;
}

static int parse_lines(asmt_reader *r, const char *data, size_t size)
{
    asmt_node *open[DEEPEST + 1] = { NULL };
    int line = 0, depth = 0;
    open[0] = r->root = add_node(r, NULL, "", 0, 1);
    for (const char *at = data, *stop = data + size; at < stop && r->root; ) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));
        end = end ? end : stop;
        const char *begin = at;
        int level = 0;
        while (begin < end && *begin == '\t')
            begin++, level++;
        const char *last = end;
        while (last > begin && isspace((unsigned char)last[-1]))
            last--;
        tn_span place = { r->files->main, ++line, 1 };
        if (line > MOST_LINES)
            return tn_fail(r->machine->context, TN_ERROR_MODEL, place, "more than %d lines", MOST_LINES);
        if (last > begin) {
            if (level >= DEEPEST || level > depth)
                return tn_fail(r->machine->context, TN_ERROR_MODEL, place, "a line that is indented %d tabs below nothing",
                               level);
            open[level + 1] = add_node(r, open[level], begin, (size_t)(last - begin), line);
            if (!open[level + 1])
                return TN_ERROR_MEMORY;
            depth = level + 1;
        }
        at = end + 1;
    }
    return r->root ? TN_OK : TN_ERROR_MEMORY;
}

asmt_node *tn_asmt_child(const asmt_node *node, const char *name)
{
    asmt_node *c = node ? node->first : NULL;
    while (c && strcmp(c->text, name) != 0)
        c = c->next;
    return c;
}

const char *tn_asmt_value(const asmt_node *node, const char *name)
{
    const asmt_node *c = tn_asmt_child(node, name);
    return c && c->first ? c->first->text : NULL;
}

double tn_asmt_number(asmt_reader *r, const asmt_node *node, const char *name, double otherwise)
{
    const asmt_node *c = tn_asmt_child(node, name);
    if (c && c->first)
        tn_source_numbers(r->machine, &otherwise, 1, c->first->text, name, tn_asmt_place(r, c->first));
    return otherwise;
}

static void vector(asmt_reader *r, const asmt_node *node, const char *name, double out[3])
{
    const asmt_node *c = tn_asmt_child(node, name);
    if (c && c->first)
        tn_source_numbers(r->machine, out, 3, c->first->text, name, tn_asmt_place(r, c->first));
}

static tn_pose pose_of(asmt_reader *r, const asmt_node *node)
{
    tn_pose pose = tn_pose_identity();
    double R[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const asmt_node *matrix = tn_asmt_child(node, "RotationMatrix"), *row = matrix ? matrix->first : NULL;
    vector(r, node, "Position3D", pose.p);
    for (int k = 0; k < 3 && row; k++, row = row->next)
        tn_source_numbers(r->machine, R[k], 3, row->text, "RotationMatrix", tn_asmt_place(r, row));
    double cross[3];
    tn_cross3(cross, R[0], R[1]);
    if (fabs(tn_dot3(cross, R[2]) - 1) > 1e-3) {
        ASMT_ERROR(r, matrix ? matrix : node, "RotationMatrix is no rotation");
        return pose;
    }
    tn_quat_from_matrix(pose.q, (const double (*)[3])R);
    tn_quat_normalize(pose.q);
    return pose;
}

/* ---- parts ---- */

static void add_marker(asmt_reader *r, const char *path, const char *name, int body, const tn_pose *pose)
{
    if (r->marker_count == r->marker_capacity) {
        size_t more = r->marker_capacity ? 2 * r->marker_capacity : 64;
        asmt_marker *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
        if (!list) {
            r->machine->status = TN_ERROR_MEMORY;
            return;
        }
        if (r->marker_count > 0)
            memcpy(list, r->marker_list, r->marker_count * sizeof *list);
        r->marker_list = list;
        r->marker_capacity = more;
    }
    r->marker_list[r->marker_count] = (asmt_marker){ .pose = *pose, .body = body, .frame = -1 };
    tn_index_put(r->markers, tn_machine_text(r->machine, "%s/%s", path, name ? name : ""), (int)r->marker_count++);
}

static void read_markers(asmt_reader *r, const asmt_node *owner, const char *path, int body)
{
    const asmt_node *points = tn_asmt_child(owner, "RefPoints");
    for (const asmt_node *p = points ? points->first : NULL; p; p = p->next) {
        const asmt_node *markers = tn_asmt_child(p, "Markers");
        tn_pose at = pose_of(r, p);
        for (const asmt_node *m = markers ? markers->first : NULL; m; m = m->next) {
            tn_pose own = pose_of(r, m), whole = tn_pose_compose(&at, &own);
            add_marker(r, path, tn_asmt_value(m, "Name"), body, &whole);
        }
    }
}

static void read_part(asmt_reader *r, const asmt_node *part, const char *assembly)
{
    static const double centre[3] = { 0, 0, 0 };
    const char *name = tn_asmt_value(part, "Name");
    const asmt_node *mass = tn_asmt_child(part, "PrincipalMassMarker");
    name = name ? name : "part";
    int body = tn_machine_add_body(r->machine, name, tn_asmt_place(r, part));
    if (tn_machine_status(r->machine) < 0)
        return;
    const char *path = tn_machine_text(r->machine, "%s/%s", assembly, name);
    r->machine->bodies[body].path = path;
    r->machine->bodies[body].pose = pose_of(r, part);
    if (mass) {
        double tensor[6] = { 0 };
        tn_pose pose = pose_of(r, mass);
        vector(r, mass, "MomentOfInertias", tensor);
        r->machine->bodies[body].mass_source = "principal mass marker of the file";
        tn_body_add_mass(&r->machine->bodies[body], tn_asmt_number(r, mass, "Mass", 0), &pose, centre, tensor);
        add_marker(r, path, tn_asmt_value(mass, "Name"), body, &pose);
    }
    tn_machine_body *b = &r->machine->bodies[body];
    vector(r, part, "Velocity3D", b->velocity);
    vector(r, part, "Omega3D", b->angular_velocity);
    b->moving = tn_norm3(b->velocity) > 1e-30 || tn_norm3(b->angular_velocity) > 1e-30;
    read_markers(r, part, path, body);
}

/* ---- results ---- */

/* Time series of parts: what the file says about its own solution. */
static void read_series(asmt_reader *r)
{
    const asmt_node *start = tn_asmt_child(r->root, "TimeSeries");
    enum { MOST_TIMES = 20000 };
    double *times = NULL;
    int count = 0, body = -1;
    for (const asmt_node *e = start; e; e = e->next) {
        const char *tab = strpbrk(e->text, "\t ");      /* "PartSeries /A/part" has a tab or a blank */
        if (!tab)
            continue;
        size_t length = (size_t)(tab - e->text);
        if (length == 4 && strncmp(e->text, "Time", 4) == 0 && !times) {
            const char *list = strstr(tab, "Input") ? strstr(tab, "Input") + 5 : tab;
            times = tn_arena_alloc(r->machine->arena, MOST_TIMES, sizeof *times);
            count = times ? tn_parse_numbers(times, MOST_TIMES, list) : 0;
            int rising = 1;
            while (rising < count && times[rising] > times[rising - 1])
                rising++;
            count = count > 0 && count <= MOST_TIMES ? rising : 0;
        } else if (length == 10 && strncmp(e->text, "PartSeries", 10) == 0) {
            body = -1;
            for (size_t b = 1; b < r->machine->body_count; b++)
                if (strcmp(r->machine->bodies[b].path, tab + 1) == 0)
                    body = (int)b;
        } else if (length == 1 && e->text[0] >= 'X' && e->text[0] <= 'Z' && body > 0 && count > 1) {
            double *values = tn_arena_alloc(r->machine->arena, (size_t)count + 1, sizeof *values);
            int found = values ? tn_parse_numbers(values, count + 1, tab) : 0;
            if (found > count)
                tn_machine_add_series(r->machine, body, e->text[0] - 'X', times, values + 1, (size_t)count);
        }
    }
}

static int read_assembly(asmt_reader *r)
{
    tn_machine *machine = r->machine;
    const asmt_node *assembly = tn_asmt_child(r->root, "Assembly"), *parameters = tn_asmt_child(assembly, "SimulationParameters");
    const asmt_node *parts = tn_asmt_child(assembly, "Parts"), *gravity = tn_asmt_child(assembly, "ConstantGravity");
    if (!assembly)
        return tn_fail(machine->context, TN_ERROR_MODEL, ((tn_span){ r->files->main, 1, 1 }), "there is no 'Assembly' in it");
    const char *name = tn_asmt_value(assembly, "Name");
    machine->name = name ? name : "assembly";
    const char *path = tn_machine_text(machine, "/%s", machine->name);
    read_markers(r, assembly, path, TN_GROUND);
    for (const asmt_node *p = parts ? parts->first : NULL; p; p = p->next)
        if (strcmp(p->text, "Part") == 0)
            read_part(r, p, path);
        else
            tn_machine_leave_out(machine, tn_asmt_place(r, p), "%s", p->text);
    if (machine->body_count == 1)
        return tn_fail(machine->context, TN_ERROR_MODEL, tn_asmt_place(r, assembly), "the assembly has no parts");
    tn_asmt_sets(r, assembly, path);
    if (gravity && gravity->first)
        tn_source_numbers(machine, machine->gravity, 3, gravity->first->text, "ConstantGravity", tn_asmt_place(r, gravity));
    machine->until = tn_asmt_number(r, parameters, "tend", NAN) - tn_asmt_number(r, parameters, "tstart", 0);
    if (!(machine->until > 0))
        machine->until = NAN;
    tn_machine_note_add(machine, TN_NOTE, tn_asmt_place(r, assembly), "units are not in the file: m, kg and s are assumed");
    read_series(r);
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static int read_asmt(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    asmt_reader r = { .machine = machine, .files = files };
    TN_TRY(tn_index_create(&r.markers, machine));
    TN_TRY(tn_index_create(&r.joints, machine));
    TN_TRY(parse_lines(&r, data, size));
    return read_assembly(&r);
}

static bool is_asmt(const char *data, size_t size)
{
    return size > 20 && (strncmp(data, "OndselSolver", 12) == 0 || strncmp(data, "freeCAD: 3D CAD", 15) == 0 ||
                         strncmp(data, "Assembly\n", 9) == 0);
}

const tn_importer tn_importer_asmt = {
    .name = "asmt",
    .endings = ".asmt",
    .doc = "Ondsel solver assembly",
    .recognises = is_asmt,
    .read = read_asmt,
};
