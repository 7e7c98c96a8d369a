/* Device types that are made for a device, since lists in the file decide their size: transfer functions, linear systems,
 * digital filters, shift registers, state machines.
 *
 * The type on the shelf (src/devices/made.c) has the keys; its parameters of unit "list" are read here. The type of the device
 * has the states, memories, modes and channels that the lists ask for, and further parameters for expressions in them. Its name
 * has a hash of its contents, so equal devices share a type. */
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "devices.h"
#include "hash.h"
#include "reader.h"

enum { TEXT_MOST = 3000, LIST_MOST = 32 };

/* The type being made. */
typedef struct maker {
    tn_reader *r;
    const tn_node **values;            /* of the parameters of the type, those that are made here included */
    tn_force_type *type;
    tn_device *device;
    uint64_t hash;
    tn_span span;                      /* of the device */
} maker;

static const char *say(maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *say(maker *m, const char *format, ...)
{
    char text[TEXT_MOST];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length >= TEXT_MOST)
        tn_read_error(m->r, m->span, "the lists are too long");
    const char *copy = tn_arena_strdup(m->r->arena, text);
    m->hash = tn_hash_bytes(m->hash, text, strlen(text));
    return copy != NULL ? copy : (tn_read_ok(m->r, TN_ERROR_MEMORY), "");
}

static const tn_node *value_of(const maker *m, const char *name)
{
    for (int k = 0; m->type->parameters[k].name; k++)
        if (strcmp(m->type->parameters[k].name, name) == 0)
            return m->values[k];
    return NULL;
}

/* Takes the value of a list away, so that it is not read as a number. */
static const tn_node *take_list(maker *m, const char *name)
{
    const tn_node *node = value_of(m, name);
    for (int k = 0; m->type->parameters[k].name; k++)
        if (strcmp(m->type->parameters[k].name, name) == 0)
            m->values[k] = NULL;
    return node;
}

/* Numbers of a list; 0 and an error where there are none. */
static size_t numbers_of(maker *m, const char *name, const tn_node *node, double out[LIST_MOST])
{
    const tn_key key = { .name = name, .unit = "*" };
    if (node == NULL) {
        tn_read_error(m->r, m->span, "'%s' is missing", name);
        return 0;
    }
    return tn_read_numbers(m->r, node, &key, 1, LIST_MOST, out);
}

static int add_parameter(maker *m, const char *name, const tn_node *value)
{
    int k = 0;
    while (k < TN_FORCE_PARAMETERS - 1 && m->type->parameters[k].name)
        k++;
    if (k == TN_FORCE_PARAMETERS - 1) {
        tn_read_error(m->r, value->span, "too many expressions in one device");
        return -1;
    }
    m->type->parameters[k] = (tn_parameter_decl){ name, "*", "", NAN, NULL };  /* no description: has no key of its own */
    m->values[k] = value;
    return k;
}

/* " - (2) * x3", nothing for 0. */
static size_t add_product(char *text, size_t used, double factor, const char *name, int index)
{
    if (factor == 0 || used >= TEXT_MOST)
        return used;
    return used + (size_t)snprintf(text + used, TEXT_MOST - used, " + (%.17g) * %s%d", factor, name, index);
}

/* ---- continuous ---- */

/* x1' = (u - a1 x1 - ... - an xn) / a0,  xk' = x(k-1),  y = d u + sum (b_k - d a_k) x_k,  d = b0 / a0 */
static void make_transfer_function(maker *m, const tn_node *node)
{
    double a[LIST_MOST], given[LIST_MOST], b[LIST_MOST] = { 0 };
    const tn_node *above = take_list(m, "numerator"), *below = take_list(m, "denominator");
    char rate[TEXT_MOST] = "", sum[TEXT_MOST] = "";
    size_t rates = 0, sums = 0, p = numbers_of(m, "numerator", above, given), q = numbers_of(m, "denominator", below, a);
    if (p == 0 || q == 0)
        return;
    const int n = (int)q - 1;
    if (a[0] == 0 || p > q || n > TN_FORCE_STATES || n < 1) {
        tn_read_error(m->r, node->span, a[0] == 0 ? "the first number of 'denominator' must not be 0"
                                        : p > q   ? "'numerator' must not be longer than 'denominator'"
                                                  : "the order must be from 1 to %d", TN_FORCE_STATES);
        return;
    }
    for (size_t k = 0; k < p; k++)
        b[q - p + k] = given[k];
    const double d = b[0] / a[0];
    for (int k = 1; k <= n; k++) {
        rates = add_product(rate, rates, -a[k], "x", k);
        sums = add_product(sum, sums, b[k] - d * a[k], "x", k);
        m->type->states[k - 1] = (tn_state_decl){ say(m, "x%d", k), NULL, "0", k > 1 ? say(m, "x%d", k - 1) : NULL };
    }
    m->type->states[0].rate = say(m, "(u%s) / (%.17g)", rate, a[0]);
    m->type->channels[0] = (tn_channel_decl){ "y", NULL, say(m, "(%.17g) * u%s", d, sum) };
}

/* The sum of one row of a matrix with names such as x1. *used is where the text ends. */
static bool add_row(maker *m, const char *name, const tn_node *node, size_t row, size_t columns, const char *of, char *text,
                    size_t *used)
{
    double numbers[LIST_MOST];
    const tn_node *line = node->kind == TN_NODE_LIST && node->count > row ? node->as.items[row] : node;
    const tn_key key = { .name = name, .unit = "*" };
    if (tn_read_numbers(m->r, line, &key, columns, columns, numbers) == 0)
        return false;
    for (size_t k = 0; k < columns; k++)
        *used = add_product(text, *used, numbers[k], of, (int)k + 1);
    return true;
}

static size_t rows_of(const tn_node *node)
{
    return node == NULL ? 0 : node->kind == TN_NODE_LIST ? node->count : 1;
}

/* x' = A x + B u,  y = C x + D u */
static void make_state_space(maker *m, const tn_node *node)
{
    const tn_node *u = take_list(m, "u"), *A = take_list(m, "A"), *B = take_list(m, "B"), *C = take_list(m, "C"),
                  *D = take_list(m, "D"), *start = take_list(m, "start");
    const size_t states = rows_of(A), inputs = rows_of(u), outputs = rows_of(C);
    double starts[LIST_MOST] = { 0 };
    if (u == NULL || A == NULL || B == NULL || C == NULL || states > TN_FORCE_STATES || inputs > LIST_MOST ||
        outputs > TN_FORCE_CHANNELS || rows_of(B) != states || (D != NULL && rows_of(D) != outputs)) {
        tn_read_error(m->r, node->span, "'u', 'A', 'B' and 'C' are needed: A and B with a row for each state, at most %d, C and D "
                      "with a row for each output", TN_FORCE_STATES);
        return;
    }
    const tn_key key = { .name = "start", .unit = "*" };
    if (start != NULL && tn_read_numbers(m->r, start, &key, states, states, starts) == 0)
        return;
    for (size_t k = 0; k < inputs; k++)
        add_parameter(m, say(m, "u%zu", k + 1), u->kind == TN_NODE_LIST ? u->as.items[k] : u);
    for (size_t k = 0; k < states; k++) {
        char text[TEXT_MOST] = "0";
        size_t used = 1;
        if (!add_row(m, "A", A, k, states, "x", text, &used) || !add_row(m, "B", B, k, inputs, "u", text, &used))
            return;
        m->type->states[k] = (tn_state_decl){ say(m, "x%zu", k + 1), NULL, say(m, "%.17g", starts[k]), say(m, "%s", text) };
    }
    for (size_t k = 0; k < outputs; k++) {
        char text[TEXT_MOST] = "0";
        size_t used = 1;
        if (!add_row(m, "C", C, k, states, "x", text, &used) ||
            (D != NULL && !add_row(m, "D", D, k, inputs, "u", text, &used)))
            return;
        m->type->channels[k] = (tn_channel_decl){ outputs == 1 ? "y" : say(m, "y%zu", k + 1), NULL, say(m, "%s", text) };
    }
}

/* ---- sampled ---- */

/* a0 y(k) = sum b_j u(k-j) - sum a_j y(k-j). Memory y is y(k-1) until the sample, then y(k). */
static void make_discrete_filter(maker *m, const tn_node *node)
{
    double a[LIST_MOST], b[LIST_MOST];
    const tn_node *above = take_list(m, "numerator"), *below = take_list(m, "denominator");
    size_t p = numbers_of(m, "numerator", above, b), q = numbers_of(m, "denominator", below, a), used = 0;
    char text[TEXT_MOST] = "";
    int at = 1;
    if (p == 0 || q == 0)
        return;
    if (a[0] == 0 || p + q > TN_DEVICE_MEMORIES) {
        tn_read_error(m->r, node->span, a[0] == 0 ? "the first number of 'denominator' must not be 0"
                                                  : "at most %d numbers together", TN_DEVICE_MEMORIES);
        return;
    }
    for (size_t j = 1; j < p; j++) {
        used = add_product(text, used, b[j], "u", (int)j);
        m->device->memories[at++] = (tn_memory_decl){ say(m, "u%zu", j), NULL, "0", j > 1 ? say(m, "u%zu", j - 1) : "u" };
    }
    if (q > 1)
        used += (size_t)snprintf(text + used, TEXT_MOST - used, " + (%.17g) * y", -a[1]);
    for (size_t j = 2; j < q; j++) {
        used = add_product(text, used, -a[j], "y", (int)j - 1);
        m->device->memories[at++] = (tn_memory_decl){ say(m, "y%zu", j - 1), NULL, "0", j > 2 ? say(m, "y%zu", j - 2) : "y" };
    }
    m->device->memories[0] = (tn_memory_decl){ "y", NULL, "0", say(m, "((%.17g) * u%s) / (%.17g)", b[0], text, a[0]) };
}

/* y = u(k - count): a shift register. */
static void make_delay_samples(maker *m, const tn_node *node)
{
    const tn_node *given = take_list(m, "count");
    const tn_key key = { .name = "count", .unit = "" };
    enum { MOST = 1000000 };
    double count = 0;
    if (given == NULL || !tn_read_number(m->r, given, &key, &count) || !(count >= 1 && count <= MOST) || floor(count) != count) {
        tn_read_error(m->r, node->span, "'count' must be a whole number from 1 to %d", MOST);
        return;
    }
    (void)say(m, "%d", (int)count);                    /* becomes part of the type's name */
    m->device->shift = (int)count;
    m->device->memories[0] = (tn_memory_decl){ "y", NULL, "start", "y" };
    m->device->memories[1] = (tn_memory_decl){ "last", NULL, "start", "u" };
}

/* ---- state machines ---- */

static int mode_index(const tn_device *d, const char *name)
{
    for (int k = 0; name != NULL && k < TN_DEVICE_MODES && d->modes[k]; k++)
        if (strcmp(d->modes[k], name) == 0)
            return k;
    return -1;
}

/* The value of an output in a mode; a mode that is a text gives y. */
static const tn_node *output_in(const tn_node *mode, const char *output)
{
    return mode->kind == TN_NODE_MAP ? tn_node_get(mode, output) : strcmp(output, "y") == 0 ? mode : NULL;
}

/* One output: if(mode < 0.5, its value in mode 0, if(mode < 1.5, ...)) */
static void make_output(maker *m, const tn_node *modes, const char *output, int channel)
{
    char text[TEXT_MOST] = "";
    size_t used = 0;
    for (unsigned k = 0; k < modes->count && used < TEXT_MOST; k++) {
        const tn_node *mode = modes->as.items[2 * k + 1], *value = output_in(mode, output);
        if (value == NULL || value->kind != TN_NODE_TEXT) {
            tn_read_error(m->r, mode->span, "mode '%.40s' must give '%.40s', as the first mode does",
                          modes->as.items[2 * k]->as.text, output);
            return;
        }
        const char *name = say(m, "%.40s_in_%.40s", output, modes->as.items[2 * k]->as.text);
        add_parameter(m, name, value);
        if (k + 1 < modes->count)
            used += (size_t)snprintf(text + used, TEXT_MOST - used, "if(mode < %g, %s, ", k + 0.5, name);
        else
            used += (size_t)snprintf(text + used, TEXT_MOST - used, "%s", name);
    }
    for (unsigned k = 1; k < modes->count && used < TEXT_MOST; k++)
        used += (size_t)snprintf(text + used, TEXT_MOST - used, ")");
    m->type->channels[channel] = (tn_channel_decl){ say(m, "%s", output), NULL, say(m, "%s", text) };
}

static void make_modes(maker *m, const tn_node *modes)
{
    const tn_node *first = modes->as.items[1];
    for (unsigned k = 0; k < modes->count; k++)
        m->device->modes[k] = say(m, "%s", modes->as.items[2 * k]->as.text);
    if (first->kind != TN_NODE_MAP) {
        make_output(m, modes, "y", 0);
        return;
    }
    for (unsigned k = 0; k < first->count && k < TN_FORCE_CHANNELS; k++)
        make_output(m, modes, first->as.items[2 * k]->as.text, (int)k);
}

static void make_switch(maker *m, const tn_node *item, int k)
{
    static const char *const keys[] = { "from", "to", "when", "after" };
    const char *values[4] = { NULL };
    for (unsigned i = 0; item->kind == TN_NODE_MAP && i < item->count; i++) {
        size_t n = 0;
        while (n < TN_LENGTH(keys) && strcmp(keys[n], item->as.items[2 * i]->as.text) != 0)
            n++;
        if (n == TN_LENGTH(keys))
            tn_read_error(m->r, item->as.items[2 * i]->span, "unknown key '%.60s' of a switch", item->as.items[2 * i]->as.text);
        else
            values[n] = tn_read_text(m->r, item->as.items[2 * i + 1], keys[n]);
    }
    for (int i = 0; i < 2; i++)
        if (values[i] && mode_index(m->device, values[i]) < 0) {
            tn_read_error(m->r, item->span, "a switch leads %s '%.60s', which is no mode of the machine", keys[i], values[i]);
            return;
        }
    if (mode_index(m->device, values[0]) < 0 || mode_index(m->device, values[1]) < 0 || (!values[2] && !values[3])) {
        tn_read_error(m->r, item->span, "a switch needs 'from' and 'to', which are modes, and 'when' or 'after'");
        return;
    }
    const char *when = say(m, "when%d", k + 1), *after = say(m, "after%d", k + 1);
    if (values[2])
        add_parameter(m, when, tn_node_get(item, "when"));
    if (values[3])
        add_parameter(m, after, tn_node_get(item, "after"));
    m->device->switches[k] = (tn_switch_decl){
        say(m, "%s", values[0]), say(m, "%s", values[1]),
        values[2] && values[3] ? say(m, "if(t - since - %s < 0, -1, %s)", after, when)
                               : values[2] ? when : say(m, "t - since - %s", after) };
}

static void make_state_machine(maker *m, const tn_node *node)
{
    const tn_node *modes = take_list(m, "modes"), *switches = take_list(m, "switches"), *start = take_list(m, "start");
    if (modes == NULL || modes->kind != TN_NODE_MAP || modes->count == 0 || modes->count > TN_DEVICE_MODES) {
        tn_read_error(m->r, node->span, "'modes' must be a map of 1 to %d modes to what they give: { idle: 0, run: 1 }",
                      TN_DEVICE_MODES);
        return;
    }
    if (switches == NULL || switches->kind != TN_NODE_LIST || switches->count > TN_DEVICE_SWITCHES) {
        tn_read_error(m->r, node->span, "'switches' must be a list of at most %d maps: { from: idle, to: run, when: ... }",
                      TN_DEVICE_SWITCHES);
        return;
    }
    make_modes(m, modes);
    for (unsigned k = 0; k < switches->count; k++)
        make_switch(m, switches->as.items[k], (int)k);
    const int first = start == NULL ? 0 : mode_index(m->device, tn_read_text(m->r, start, "start"));
    if (first < 0)
        tn_read_error(m->r, start->span, "'start' must be one of the modes");
    m->device->start_mode = say(m, "%d", first < 0 ? 0 : first);
}

/* ---- sensors of the mechanism ---- */

static const char *const letters = "xyz";

/* A memory that takes an expression of the model, which becomes a parameter. */
static void add_measure(maker *m, int *count, const char *name, const char *unit, const char *expression)
{
    tn_node *value = tn_arena_alloc(m->r->arena, 1, sizeof *value);
    const char *seen = say(m, "seen_%s", name);
    if (value == NULL) {
        tn_read_ok(m->r, TN_ERROR_MEMORY);
        return;
    }
    *value = (tn_node){ .span = m->span, .kind = TN_NODE_TEXT, .as.text = expression };
    add_parameter(m, seen, value);
    m->device->memories[(*count)++] = (tn_memory_decl){ name, unit, "0", seen };
}

/* The component of a vector along an axis of the frame; offset: what is subtracted from the vector. */
static const char *component_text(maker *m, const char *frame, const char *vector, int axis, const double offset[3])
{
    const int dimension = m->r->model->dimension;
    char text[TEXT_MOST];
    size_t used = 0;
    for (int k = 0; k < dimension && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s(%s.%s.%c - (%.17g)) * %s.%c_axis.%c", k > 0 ? " + " : "", frame,
                                 vector, letters[k], offset[k], frame, letters[axis], letters[k]);
    return say(m, "%s", text);
}

static void make_imu(maker *m, const tn_node *node)
{
    static const char *const accelerations[] = { "ax", "ay", "az" }, *const rates[] = { "wx", "wy", "wz" };
    tn_attachment at;
    const tn_node *given = take_list(m, "frame");
    if (given == NULL)
        tn_read_error(m->r, node->span, "'frame' is missing: the body or frame that carries the sensor");
    const char *frame = given != NULL && tn_read_attachment(m->r, given, "frame", &at) ? given->as.text : NULL;
    const int dimension = m->r->model->dimension;
    const double none[3] = { 0 };
    int count = 0;
    if (frame == NULL)
        return;
    if (m->r->model->gravity_text[0].text || m->r->model->gravity_text[1].text || m->r->model->gravity_text[2].text)
        tn_read_error(m->r, node->span, "an imu needs a gravity that does not change");
    for (int k = 0; k < dimension; k++)
        add_measure(m, &count, accelerations[k], "m/s^2", component_text(m, frame, "acceleration", k, m->r->model->gravity));
    for (int k = 0; k < dimension && dimension == 3; k++)
        add_measure(m, &count, rates[k], "rad/s", component_text(m, frame, "angular_velocity", k, none));
    if (dimension == 2)
        add_measure(m, &count, "wz", "rad/s", say(m, "%s.angular_velocity", frame));
}

static void make_load_cell(maker *m, const tn_node *node)
{
    static const char *const forces[] = { "fx", "fy", "fz" }, *const torques[] = { "tx", "ty", "tz" };
    tn_coupling_term term;
    const tn_node *given = take_list(m, "joint");
    if (given == NULL)
        tn_read_error(m->r, node->span, "'joint' is missing");
    const char *joint = given != NULL && tn_read_term(m->r, given, "joint", &term) ? given->as.text : NULL;
    const int dimension = m->r->model->dimension;
    int count = 0;
    if (joint == NULL)
        return;
    for (int k = 0; k < dimension; k++)
        add_measure(m, &count, forces[k], "N", say(m, "%s.reaction_local.force.%c", joint, letters[k]));
    for (int k = 0; k < dimension && dimension == 3; k++)
        add_measure(m, &count, torques[k], "N m", say(m, "%s.reaction_local.torque.%c", joint, letters[k]));
    if (dimension == 2)
        add_measure(m, &count, "tz", "N m", say(m, "%s.reaction_local.torque", joint));
}

/* ---- all ---- */

/* The lists are in the equations now. */
static void drop_lists(maker *m)
{
    int kept = 0;
    for (int k = 0; k < TN_FORCE_PARAMETERS && m->type->parameters[k].name; k++)
        if (strcmp(m->type->parameters[k].unit, "list") != 0) {
            m->type->parameters[kept] = m->type->parameters[k];
            m->values[kept++] = m->values[k];
        }
    for (int k = kept; k < TN_FORCE_PARAMETERS && m->type->parameters[k].name; k++)
        m->type->parameters[k] = (tn_parameter_decl){ .name = NULL };
}

const tn_force_type *tn_read_made_type(tn_reader *r, const tn_force_type *shelf, const tn_node *node, const tn_node **values)
{
    static const struct { const char *name; void (*make)(maker *m, const tn_node *node); } kinds[] = {
        { "transfer-function", make_transfer_function }, { "state-space", make_state_space },
        { "discrete-filter", make_discrete_filter },     { "delay-samples", make_delay_samples },
        { "state-machine", make_state_machine },         { "imu", make_imu },
        { "load-cell", make_load_cell } };
    maker m = { .r = r, .values = values, .type = tn_arena_alloc(r->arena, 1, sizeof *m.type),
                .device = tn_arena_alloc(r->arena, 1, sizeof *m.device), .hash = TN_HASH_START, .span = node->span };
    const size_t before = r->errors;
    if (m.type == NULL || m.device == NULL) {
        tn_read_ok(r, TN_ERROR_MEMORY);
        return NULL;
    }
    *m.type = *shelf;
    *m.device = *shelf->device;
    m.device->made = false;
    m.device->from_lists = true;
    m.type->device = m.device;
    for (size_t k = 0; k < TN_LENGTH(kinds); k++)
        if (strcmp(kinds[k].name, shelf->name) == 0)
            kinds[k].make(&m, node);
    if (r->errors != before)
        return NULL;
    drop_lists(&m);
    m.type->name = say(&m, "%s-%08x", shelf->name, (unsigned)(m.hash ^ m.hash >> 32));
    const tn_force_type *known = tn_model_device_type(r->model, NULL, m.type->name);
    if (known == NULL && tn_read_ok(r, tn_model_add_device_type_at(r->model, m.type, node->span)))
        known = tn_model_device_type(r->model, NULL, m.type->name);
    return known;
}
