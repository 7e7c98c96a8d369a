/* Compiles what a device holds in one of its modes: the text of its mechanical port becomes terms of a relation, or the ends of
 * a rod. The texts are those of the reader: "NAME.angle", "(2) * NAME.angle + (-1) * OTHER.angle",
 * "norm(B.position - A.position)". */
#include "hybrid.h"

#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "force_scope.h"

/* An entity by a name as its device sees it; what: the rest of the name. */
static tn_id find_entity(const tn_system *s, const tn_force *force, const char *name, const char **what)
{
    char path[TN_PATH_SIZE];
    tn_id id = { .kind = TN_KIND_NONE };
    if (tn_path_within(path, force->entity.name, name))
        id = tn_model_split(s->model, path, what);
    if (id.kind == TN_KIND_NONE)
        id = tn_model_split(s->model, name, what);
    /* the rest lies in the buffer; it is the end of the name, too */
    if (id.kind != TN_KIND_NONE && *what)
        *what = name + strlen(name) - strlen(*what);
    return id;
}

static bool find_coordinate(const tn_system *s, const tn_force *force, const char *name, struct tn_joint_term *term)
{
    const char *what = NULL;
    tn_id id = find_entity(s, force, name, &what);
    if (id.kind != TN_KIND_JOINT || !what || s->constraint_of[id.index] < 0)
        return false;
    const tn_joint_form *form = tn_joint_form_of(s->model, s->model->joints[id.index].type);
    for (int k = 0; k < tn_joint_coordinate_count(form); k++)
        if (strcmp(form->coordinates[k].name, what) == 0) {
            *term = (struct tn_joint_term){ .joint = id.index, .coordinate = k, .factor = 1 };
            return true;
        }
    return false;
}

static bool find_end(const tn_system *s, const tn_force *force, const char *name, uint32_t *body, tn_pose *pose)
{
    const char *what = NULL;
    tn_id id = find_entity(s, force, name, &what);
    *pose = tn_pose_identity();
    if (id.kind == TN_KIND_BODY)
        *body = id.index;
    if (id.kind == TN_KIND_FRAME) {
        *body = s->model->frames[id.index].body;
        *pose = s->model->frames[id.index].pose;
    }
    return (id.kind == TN_KIND_BODY || id.kind == TN_KIND_FRAME) && what && strcmp(what, "position") == 0;
}

/* "norm(B.position - A.position)". The copy is changed. */
static bool take_rod(const tn_system *s, const tn_force *force, tn_hold *hold, char *text)
{
    size_t length = strlen(text);
    char *between = strstr(text, " - ");
    if (strncmp(text, "norm(", 5) != 0 || text[length - 1] != ')' || !between)
        return false;
    text[length - 1] = *between = '\0';
    return find_end(s, force, text + 5, &hold->body2, &hold->frame2) && find_end(s, force, between + 3, &hold->body1, &hold->frame1);
}

/* The parenthesis that closes the one at which the text begins; NULL: none. */
static char *closing_parenthesis(char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0)
            return text;
    }
    return NULL;
}

/* "(2) * NAME.angle + (-1) * OTHER.angle": splits the copy into factors and names. Returns the number of terms; 0: it is none. */
static int split_terms(char *text, const char **factors, const char **names, int most)
{
    int count = 0;
    while (text && *text == '(' && count < most) {
        char *end = closing_parenthesis(text);
        if (!end || strncmp(end, ") * ", 4) != 0)
            return 0;
        *end = '\0';
        factors[count] = text + 1;
        names[count++] = end + 4;
        text = strstr(end + 4, " + (");
        if (text) {
            *text = '\0';
            text += 3;
        }
    }
    return text ? 0 : count;
}

enum { MOST_TERMS = 32 };

static int add_factors(tn_system *s, tn_sampler *sampler, const char **factors, size_t count)
{
    const tn_force *force = &s->model->forces[sampler->source];
    const tn_scope *own = tn_force_scope_in(sampler->formula, sampler->source);
    char what[200];
    if (!own)
        return TN_ERROR_MEMORY;
    const tn_force_scope *scope = own->user;
    snprintf(what, sizeof what, "%s '%.80s': factor of a coordinate", tn_force_word(force), force->entity.name);
    for (size_t k = 0; k < count; k++)
        TN_TRY(tn_formula_add(sampler->formula, factors[k], &scope->names.scope, NULL, force->entity.span, what, NULL));
    return TN_OK;
}

/* Finds the terms or the rod in the text of the port. */
static int take_port(tn_system *s, tn_sampler *sampler, const char *port)
{
    const tn_force *force = &s->model->forces[sampler->source];
    tn_hold *hold = sampler->hold;
    const char *factors[MOST_TERMS] = { "1" }, *names[MOST_TERMS];
    char *text = tn_arena_strdup(s->arena, port), *copy = tn_arena_strdup(s->arena, port);
    hold->terms = tn_arena_alloc(s->arena, MOST_TERMS, sizeof *hold->terms);
    if (!text || !copy || !hold->terms)
        return TN_ERROR_MEMORY;
    bool rod = take_rod(s, force, hold, text), found = !rod;
    int count = rod ? 0 : split_terms(copy, factors, names, MOST_TERMS);
    if (!rod && count == 0) {
        names[0] = port;
        count = 1;
    }
    for (int k = 0; k < count; k++)
        found = found && find_coordinate(s, force, names[k], &hold->terms[k]);
    if (!rod && !found)
        return tn_fail(s->context, TN_ERROR_MODEL, force->entity.span, "device '%s' can stick: '%s' must be a coordinate of a joint, "
                       "a map of such coordinates with factors, or a 'line' of two frames", force->entity.name,
                       force->type->device->hold_port);
    hold->term_count = (size_t)count;
    return add_factors(s, sampler, factors, hold->term_count);
}

static int mode_index(const tn_device *d, const char *name)
{
    for (int k = 0; k < TN_DEVICE_MODES && d->modes[k]; k++)
        if (strcmp(d->modes[k], name) == 0)
            return k;
    return -1;
}

int tn_hold_compile(tn_system *s, tn_sampler *sampler)
{
    const tn_force *force = &s->model->forces[sampler->source];
    const tn_device *d = force->type->device;
    const int port = tn_device_port_find(force->type, d->hold_port);
    const char *unit;
    char rate[80];
    if (port < 0 || tn_port_open(force, port))
        return TN_OK;
    sampler->hold = tn_arena_alloc(s->arena, 1, sizeof *sampler->hold);
    const tn_scope *scope = tn_force_scope_in(sampler->formula, sampler->source);
    if (!sampler->hold || !scope)
        return TN_ERROR_MEMORY;
    *sampler->hold = (tn_hold){ .mode = mode_index(d, d->hold_mode), .rate = tn_tape_outputs(sampler->formula->tape),
                                .held = tn_hybrid_memory(s, sampler->source, "held", &unit) };
    s->network->hybrid->hold_count++;
    snprintf(rate, sizeof rate, "%.60s.rate", d->hold_port);
    TN_TRY(tn_formula_add(sampler->formula, rate, scope, NULL, force->entity.span, "rate of a port", NULL));
    sampler->hold->factor = tn_tape_outputs(sampler->formula->tape);
    return take_port(s, sampler, force->ports[port]->text);
}
