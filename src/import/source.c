/* Code that the readers of formats share: numbers in attributes, rotations, tables of names. */
#include "source.h"

#include "diag.h"
#include "names.h"
#include "vec.h"

#include <ctype.h>
#include <stdlib.h>

int tn_parse_numbers(double *out, int max, const char *text)
{
    int count = 0;
    while (true) {
        text += strspn(text, " \t\r\n,;");
        if (*text == 0)
            return count;
        char *end;
        double value = strtod(text, &end);
        if (end == text || !isfinite(value) || (*end && !strchr(" \t\r\n,;", *end)))
            return -1;
        if (count < max)
            out[count] = value;
        count++;
        text = end;
    }
}

/* The same where numbers may be quotients, such as "0.13/2", or end in a second point, such as "-1.57." */
static int parse_leniently(double *out, int max, const char *text)
{
    int count = 0;
    while (true) {
        text += strspn(text, " \t\r\n,;");
        if (*text == 0)
            return count;
        char *end;
        double value = strtod(text, &end), divisor = 1;
        if (end != text && *end == '/') {
            text = end + 1;
            divisor = strtod(text, &end);
        }
        end += end != text && *end == '.';
        if (end == text || !isfinite(value / divisor) || (*end && !strchr(" \t\r\n,;", *end)))
            return -1;
        if (count < max)
            out[count] = value / divisor;
        count++;
        text = end;
    }
}

void tn_source_numbers(tn_machine *machine, double *out, int n, const char *text, const char *what, tn_span place)
{
    double values[16];
    if (!text)
        return;
    int count = n <= 16 ? tn_parse_numbers(values, n, text) : -1;
    bool lenient = count < 0 && n <= 16 && parse_leniently(values, n, text) == n;
    if (lenient)
        tn_machine_note_add(machine, TN_WARNING, place, "%s '%.60s': quotients and numbers with two points are no numbers of this format; "
                            "the first is taken as %.9g", what, text, values[0]);
    bool more = n >= 3 && count > n;           /* scale="1 1 1 1" */
    if (more)
        tn_machine_note_add(machine, TN_WARNING, place, "%s '%.60s': %d numbers where %d are meant; the first count", what, text,
                            count, n);
    if (count == n || more || lenient) {
        memcpy(out, values, (size_t)n * sizeof *values);
        return;
    }
    machine->status = tn_fail(machine->context, TN_ERROR_MODEL, place, "%s '%.60s': expected %d finite number%s", what, text,
                              n, n == 1 ? "" : "s");
}

void tn_source_drop_foreign(tn_machine *machine, tn_xml *root, const char *own)
{
    tn_xml *previous = NULL, *next;
    for (tn_xml *e = root->first; e; e = next) {
        next = e->next;
        if (e->space[0] == 0 || strcmp(e->space, own) == 0) {
            tn_source_drop_foreign(machine, e, own);
            previous = e;
            continue;
        }
        tn_machine_leave_out(machine, e->place, "<%s:%s>", e->space, e->name);
        *(previous ? &previous->next : &root->first) = next;
        root->last = next ? root->last : previous;
    }
}

void tn_attribute_numbers(tn_machine *machine, double *out, int n, const tn_xml *element, const char *attribute)
{
    char what[100];
    if (!element)
        return;
    snprintf(what, sizeof what, "<%.40s> %.40s", element->name, attribute);
    tn_source_numbers(machine, out, n, tn_xml_get(element, attribute), what, element->place);
}

double tn_attribute_number(tn_machine *machine, const tn_xml *element, const char *attribute, double otherwise)
{
    tn_attribute_numbers(machine, &otherwise, 1, element, attribute);
    return otherwise;
}

double tn_attribute_bound(tn_machine *machine, const tn_xml *element, const char *attribute, double otherwise)
{
    const char *text = element ? tn_xml_get(element, attribute) : NULL;
    if (!text)
        return otherwise;
    text += strspn(text, " \t\r\n");
    char *end;
    double value = strtod(text, &end);
    if (end != text && isinf(value) && end[strspn(end, " \t\r\n")] == 0)
        return value;
    return tn_attribute_number(machine, element, attribute, otherwise);
}

void tn_attribute_scale(tn_machine *machine, double out[3], const tn_xml *element, const char *attribute)
{
    const char *text = tn_xml_get(element, attribute);
    double value[3];
    if (text && tn_parse_numbers(value, 3, text) == 1)
        out[0] = out[1] = out[2] = value[0];
    else
        tn_attribute_numbers(machine, out, 3, element, attribute);
}

bool tn_attribute_bool(const tn_xml *element, const char *attribute, bool otherwise)
{
    const char *text = element ? tn_xml_get(element, attribute) : NULL;
    return !text ? otherwise : strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

void tn_euler_quat(double q[4], const double angles[3], const char *sequence)
{
    double turn[4], product[4];
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
    for (int k = 0; k < 3; k++) {
        int axis = tolower((unsigned char)sequence[k]) - 'x';
        turn[0] = cos(0.5 * angles[k]);
        turn[1] = turn[2] = turn[3] = 0;
        turn[1 + axis] = sin(0.5 * angles[k]);
        if (isupper((unsigned char)sequence[k]))
            tn_quat_mul(product, turn, q);
        else
            tn_quat_mul(product, q, turn);
        memcpy(q, product, sizeof product);
    }
}

struct tn_name_index {
    tn_name_table *table;      /* of the machine's table of labels: keys begin with a number of the index */
    tn_machine *machine;
    const char **names;
    size_t count, capacity;
    int number;
};

int tn_index_create(tn_name_index **out, tn_machine *machine)
{
    tn_name_index *index = tn_arena_alloc(machine->arena, 1, sizeof *index);
    if (!index)
        return TN_ERROR_MEMORY;
    index->machine = machine;
    index->table = machine->names;
    index->number = ++machine->index_count;
    *out = index;
    return TN_OK;
}

/* The key of a name in the shared table. Labels begin with a digit or '-', indices with '#'. */
static const char *index_key(const tn_name_index *index, const char *name)
{
    size_t length = strlen(name) + 16;
    char *key = tn_arena_alloc(index->machine->arena, length, 1);
    if (key)
        snprintf(key, length, "#%d/%s", index->number, name);
    return key;
}

bool tn_index_put(tn_name_index *index, const char *name, int value)
{
    const char *key = index_key(index, name);
    tn_machine *machine = index->machine;
    if (!key || tn_names_reserve(index->table) < 0) {
        machine->status = TN_ERROR_MEMORY;
        return true;
    }
    if (tn_names_find(index->table, key).kind != TN_KIND_NONE)
        return false;
    tn_names_put(index->table, key, (tn_id){ .kind = TN_KIND_BODY, .index = (uint32_t)value });
    if (index->count == index->capacity) {
        size_t more = index->capacity ? 2 * index->capacity : 16;
        const char **names = tn_arena_alloc(machine->arena, more, sizeof *names);
        if (!names) {
            machine->status = TN_ERROR_MEMORY;
            return true;
        }
        if (index->count > 0)
            memcpy(names, index->names, index->count * sizeof *names);
        index->names = names;
        index->capacity = more;
    }
    index->names[index->count++] = name;
    return true;
}

int tn_index_find(const tn_name_index *index, const char *name)
{
    const char *key = name ? index_key(index, name) : NULL;
    tn_id id = key ? tn_names_find(index->table, key) : (tn_id){ .kind = TN_KIND_NONE };
    return id.kind == TN_KIND_NONE ? -1 : (int)id.index;
}

static const char *index_candidate(void *user, size_t i)
{
    const tn_name_index *index = user;
    return i < index->count && i < 5000 ? index->names[i] : NULL;
}

const char *tn_index_hint(const tn_name_index *index, const char *name, char *buffer, size_t size)
{
    return tn_did_you_mean(buffer, size, name, index_candidate, (void *)(uintptr_t)index);
}
