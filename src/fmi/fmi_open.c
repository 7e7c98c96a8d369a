/* Opens FMUs: what the model chooses of the description, checked before any code of the FMU runs. */
#include "fmi_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"

/* Longest name of a state, and most numbers of all matrices. */
enum { MOST_STATES = 150, MOST_SIGNALS = 2000 };

typedef struct opener {
    tn_fmi *fmi;
    const tn_fmi_request *request;
} opener;

static int refuse(const opener *o, tn_span span, const char *what, const char *name)
{
    char text[TN_FMI_TROUBLE];
    snprintf(text, sizeof text, what, name);
    return tn_fail(o->fmi->context, TN_ERROR_MODEL, span.line > 0 ? span : o->request->span, "%s: FMU '%.200s' %s",
                   o->request->who, o->request->path, text);
}

static const char *variable_candidate(void *user, size_t index)
{
    const tn_fmi_description *d = user;
    return index < (size_t)d->variable_count ? d->variables[index].name : NULL;
}

/* Why a variable cannot be a number of the model; NULL: it can. */
static const char *trouble_of(const tn_fmi_variable *v)
{
    return v->type == TN_FMI_CLOCK ? "has the clock '%.80s': clocks are not supported"
         : v->clocked ? "has '%.80s', which changes with a clock: clocks are not supported"
         : v->unsized ? "has '%.80s' as an array whose size is not known"
         : v->type == TN_FMI_TEXT ? "has '%.80s' as a text, which is no number of the model"
         : v->type == TN_FMI_OTHER ? "has '%.80s' as bytes, which cannot be used here" : NULL;
}

/* The variable of a choice; negative: an error. */
static int choose(const opener *o, const tn_fmi_choice *choice)
{
    const tn_fmi_description *d = &o->fmi->description;
    char hint[160];
    int k = tn_fmi_find(d, choice->variable);
    if (k < 0)
        return tn_fail(o->fmi->context, TN_ERROR_MODEL, choice->span, "%s: FMU '%.200s' has no variable '%.80s'%s",
                       o->request->who, o->request->path, choice->variable,
                       tn_did_you_mean(hint, sizeof hint, choice->variable, variable_candidate, (void *)(uintptr_t)d));
    const char *why = trouble_of(&d->variables[k]);
    return why ? refuse(o, choice->span, why, choice->variable) : k;
}

/* ---- kind ---- */

/* Steps are taken back and repeated: the FMU has to allow both. */
static int check_iteration(const opener *o)
{
    const tn_fmi_kind *kind = o->fmi->kind;
    if (!kind->saves)
        return refuse(o, TN_NOWHERE, "cannot go back to an earlier state (%s), which 'coupling: iterate' needs", "canGetAndSetFMUState");
    if (!kind->variable_steps)
        return refuse(o, TN_NOWHERE, "makes steps of one length only (no %s), 'coupling: iterate' needs others",
                      "canHandleVariableCommunicationStepSize");
    return TN_OK;
}

static int choose_kind(opener *o)
{
    tn_fmi *fmi = o->fmi;
    const tn_fmi_description *d = &fmi->description;
    const tn_fmi_wish wish = o->request->wish;
    const bool any = wish == TN_FMI_ANY_KIND && !o->request->iterate;
    fmi->facts.exchange = wish == TN_FMI_EXCHANGE || (any && d->exchange.there && d->exchange.library);
    fmi->facts.iterates = o->request->iterate;
    fmi->kind = fmi->facts.exchange ? &d->exchange : &d->simulation;
    if (!fmi->kind->there)
        return refuse(o, TN_NOWHERE, "offers %s only", fmi->facts.exchange ? "co-simulation (kind: cs)" : "model exchange (kind: me)");
    if (fmi->kind->needs_tool)
        return refuse(o, TN_NOWHERE, "needs the tool that made it to run (%s)", "needsExecutionTool");
    if (!fmi->kind->library)
        return refuse(o, TN_NOWHERE, "has no library '%s' for this platform", fmi->kind->identifier);
    if (fmi->facts.exchange)
        return d->rate_count <= MOST_STATES ? TN_OK : refuse(o, TN_NOWHERE, "has more than 150 states: use kind: cs%s", "");
    fmi->facts.period = isnan(o->request->period) ? d->step : o->request->period;
    if (!(fmi->facts.period > 0))
        return refuse(o, TN_NOWHERE, "is for co-simulation: say how often values are exchanged, %s", "such as period: 1 ms");
    if (o->request->iterate)
        return check_iteration(o);
    if (wish == TN_FMI_ANY_KIND)
        tn_warn(fmi->context, o->request->span, "%s: values are exchanged every %g s and held in between, so the error falls "
                "with the first power of 'period'; say 'kind: cs' when this is meant%s", o->request->who, fmi->facts.period,
                fmi->kind->saves && fmi->kind->variable_steps ? ", or 'coupling: iterate'" : "");
    return TN_OK;
}

/* ---- signals ---- */

/* A name that expressions can use. */
static bool is_name(const char *text)
{
    if (!((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z') || text[0] == '_'))
        return false;
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == strlen(text);
}

/* The name of an output in the model: elements of arrays are y_1, A_2_3. */
static const char *default_name(tn_arena *arena, const char *name)
{
    char *copy = tn_arena_strdup(arena, name);
    size_t length = copy ? strlen(copy) : 0;
    if (length > 0 && copy[length - 1] == ']')
        copy[length - 1] = '\0';
    for (char *c = copy; length > 0 && name[length - 1] == ']' && c && *c; c++)
        if (*c == '[' || *c == ',')
            *c = '_';
    return copy;
}

/* Refuses inputs that a model cannot set, since they would keep their start values without a word. Texts may keep theirs: they
 * choose files and names. */
static int check_inputs(const opener *o)
{
    const tn_fmi_description *d = &o->fmi->description;
    for (int k = 0; k < d->variable_count; k++) {
        const tn_fmi_variable *v = &d->variables[k];
        if (v->causality == TN_FMI_INPUT && v->type != TN_FMI_OTHER && trouble_of(v))
            return refuse(o, TN_NOWHERE, trouble_of(v), v->name);
    }
    return TN_OK;
}

static int take_inputs(opener *o)
{
    tn_fmi *fmi = o->fmi;
    const tn_fmi_description *d = &fmi->description;
    int count = 0;
    for (int k = 0; k < d->variable_count; k++)
        count += d->variables[k].causality == TN_FMI_INPUT && !trouble_of(&d->variables[k]);
    tn_fmi_signal *signals = tn_arena_alloc(fmi->arena, (size_t)count, sizeof *signals);
    fmi->input = tn_arena_alloc(fmi->arena, (size_t)count, sizeof *fmi->input);
    int *discrete = tn_arena_alloc(fmi->arena, (size_t)count, sizeof *discrete);
    if (count > MOST_SIGNALS)
        return refuse(o, TN_NOWHERE, "has too many inputs%s", "");
    TN_TRY(tn_arena_status(fmi->arena));
    for (int k = 0; k < d->variable_count; k++) {
        const tn_fmi_variable *v = &d->variables[k];
        if (v->causality != TN_FMI_INPUT || trouble_of(v))
            continue;
        if (fmi->facts.exchange && !v->continuous)
            discrete[fmi->facts.discretes++] = fmi->facts.inputs;
        if (fmi->facts.iterates && !v->continuous)
            return refuse(o, TN_NOWHERE, "has the discrete input '%.80s', which 'coupling: iterate' cannot follow", v->name);
        signals[fmi->facts.inputs] = (tn_fmi_signal){ v->name, v->unit, v->start };
        fmi->input[fmi->facts.inputs++] = k;
    }
    fmi->facts.input = signals;
    fmi->facts.discrete = discrete;
    return TN_OK;
}

bool tn_fmi_is_real(const tn_fmi *fmi, int input)
{
    return fmi->description.variables[fmi->input[input]].type <= TN_FMI_FLOAT32;
}

double tn_fmi_sent(const tn_fmi *fmi, int input, double value)
{
    const bool truth = fmi->description.variables[fmi->input[input]].type == TN_FMI_BOOLEAN;
    return tn_fmi_is_real(fmi, input) ? value : truth ? value != 0 : rint(value);
}

static int add_output(opener *o, tn_fmi_signal *signals, int variable, const char *name)
{
    tn_fmi *fmi = o->fmi;
    signals[fmi->facts.outputs] = (tn_fmi_signal){ tn_arena_strdup(fmi->arena, name),
                                                   fmi->description.variables[variable].unit, 0 };
    if (!signals[fmi->facts.outputs].name)
        return TN_ERROR_MEMORY;
    fmi->output[fmi->facts.outputs++] = variable;
    return TN_OK;
}

static int take_outputs(opener *o)
{
    tn_fmi *fmi = o->fmi;
    const tn_fmi_description *d = &fmi->description;
    size_t most = o->request->outputs ? o->request->output_count : (size_t)d->variable_count;
    tn_fmi_signal *signals = tn_arena_alloc(fmi->arena, most, sizeof *signals);
    fmi->output = tn_arena_alloc(fmi->arena, most, sizeof *fmi->output);
    TN_TRY(tn_arena_status(fmi->arena));
    for (size_t k = 0; o->request->outputs && k < o->request->output_count; k++) {
        int variable = choose(o, &o->request->outputs[k]);
        TN_TRY(variable);
        TN_TRY(add_output(o, signals, variable, o->request->outputs[k].name));
    }
    for (int k = 0; !o->request->outputs && k < d->variable_count; k++) {
        if (d->variables[k].causality != TN_FMI_OUTPUT || trouble_of(&d->variables[k]))
            continue;
        const char *name = default_name(fmi->arena, d->variables[k].name);
        if (name && is_name(name))
            TN_TRY(add_output(o, signals, k, name));
    }
    fmi->facts.output = signals;
    return fmi->facts.outputs <= MOST_SIGNALS ? TN_OK : refuse(o, TN_NOWHERE, "has too many outputs: choose some by 'outputs'%s", "");
}

/* A parameter may also be a text. */
static int choose_parameter(const opener *o, const tn_fmi_choice *choice)
{
    const int k = tn_fmi_find(&o->fmi->description, choice->variable);
    return k >= 0 && o->fmi->description.variables[k].type == TN_FMI_TEXT && !o->fmi->description.variables[k].unsized ? k : choose(o, choice);
}

/* The value of a parameter: a text, the name of an enumeration's item, or a number. */
static int take_value(opener *o, const tn_fmi_variable *v, size_t k)
{
    tn_fmi *fmi = o->fmi;
    const tn_fmi_choice *choice = &o->request->parameters[k];
    double *value = &fmi->parameter_value[fmi->parameter_count];
    if (v->type == TN_FMI_TEXT && !choice->text)
        return refuse(o, choice->span, "has '%.80s', whose value is a text", v->name);
    if (v->type == TN_FMI_TEXT) {
        fmi->parameter_text[fmi->parameter_count] = tn_arena_strdup(fmi->arena, choice->text);
        return tn_arena_status(fmi->arena);
    }
    for (int i = 0; choice->text && i < v->item_count; i++)
        if (strcmp(v->items[i].name, choice->text) == 0) {
            *value = v->items[i].value;
            return TN_OK;
        }
    const char *unit = v->unit ? v->unit : v->type > TN_FMI_FLOAT32 ? "1" : "*";
    return o->request->number(o->request->user, k, unit, value) ? TN_OK : TN_ERROR_MODEL;
}

static int take_parameters(opener *o)
{
    tn_fmi *fmi = o->fmi;
    const size_t count = o->request->parameter_count;
    fmi->parameter_text = tn_arena_alloc(fmi->arena, count, sizeof *fmi->parameter_text);
    fmi->parameter = tn_arena_alloc(fmi->arena, count, sizeof *fmi->parameter);
    fmi->parameter_value = tn_arena_alloc(fmi->arena, count, sizeof *fmi->parameter_value);
    TN_TRY(tn_arena_status(fmi->arena));
    for (size_t k = 0; k < count; k++) {
        const tn_fmi_choice *choice = &o->request->parameters[k];
        int variable = choose_parameter(o, choice);
        TN_TRY(variable);
        const tn_fmi_variable *v = &fmi->description.variables[variable];
        if (v->causality != TN_FMI_PARAMETER && !(v->causality == TN_FMI_LOCAL && v->has_start))
            return refuse(o, choice->span, "has '%.80s', which is not a parameter that can be set", v->name);
        fmi->parameter[fmi->parameter_count] = variable;
        TN_TRY(take_value(o, v, k));
        fmi->parameter_count++;
    }
    return TN_OK;
}

static int take_states(opener *o)
{
    tn_fmi *fmi = o->fmi;
    const tn_fmi_description *d = &fmi->description;
    fmi->facts.states = fmi->facts.exchange ? d->rate_count : 0;
    fmi->facts.indicators = fmi->facts.exchange ? d->indicator_count : 0;
    fmi->facts.state_names = tn_arena_alloc(fmi->arena, (size_t)fmi->facts.states, sizeof *fmi->facts.state_names);
    if (!fmi->facts.state_names)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < fmi->facts.states; k++)
        fmi->facts.state_names[k] = d->variables[d->states[k]].name;
    return TN_OK;
}

/* ---- dependencies ---- */

static bool lists(const tn_fmi_description *d, const tn_fmi_unknown *unknown, int variable)
{
    for (int k = 0; k < unknown->count; k++)
        if (tn_fmi_same_variable(d, unknown->on[k], variable))
            return true;
    return false;
}

/* The entry of the model structure of an output; NULL: it has none, and depends on everything. */
static const tn_fmi_unknown *entry_of(const tn_fmi_description *d, int variable)
{
    for (int k = 0; k < d->output_count; k++)
        if (tn_fmi_same_variable(d, d->outputs[k].variable, variable))
            return &d->outputs[k];
    return NULL;
}

static int find_dependencies(tn_fmi *fmi)
{
    const tn_fmi_facts *f = &fmi->facts;
    const tn_fmi_description *d = &fmi->description;
    const int unknowns = f->outputs + f->states, knowns = f->inputs + f->states;
    fmi->depends = tn_arena_alloc(fmi->arena, (size_t)unknowns * (size_t)knowns, sizeof *fmi->depends);
    if (!fmi->depends)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < unknowns; i++) {
        const tn_fmi_unknown *entry = i < f->outputs ? entry_of(d, fmi->output[i]) : &d->rates[i - f->outputs];
        for (int j = 0; j < knowns; j++)
            fmi->depends[i * knowns + j] = f->iterates || !entry || !entry->lists ||
                                           lists(d, entry, j < f->inputs ? fmi->input[j] : d->states[j - f->inputs]);
        for (int j = 0; j < f->discretes; j++)         /* they change at events alone */
            fmi->depends[i * knowns + f->discrete[j]] = false;
    }
    return TN_OK;
}

bool tn_fmi_depends(const tn_fmi *fmi, int unknown, int known)
{
    return fmi->depends[unknown * (fmi->facts.inputs + fmi->facts.states) + known];
}

/* ---- the whole ---- */

/* All are single numbers of 64 bits, as derivatives are asked for here. */
static bool are_reals(const tn_fmi *fmi, const int *variables, int count)
{
    for (int k = 0; k < count; k++) {
        const tn_fmi_variable *v = &fmi->description.variables[variables[k]];
        if (v->type != TN_FMI_FLOAT64 || v->size > 1)
            return false;
    }
    return true;
}

static int fill(tn_fmi *fmi, const tn_fmi_request *request)
{
    opener o = { fmi, request };
    fmi->path = tn_arena_strdup(fmi->arena, request->path);
    fmi->who = tn_arena_strdup(fmi->arena, request->who);
    if (!fmi->path || !fmi->who)
        return TN_ERROR_MEMORY;
    fmi->limit = request->limit;
    fmi->facts.file = fmi->path;
    TN_TRY(tn_fmi_package_read(fmi, request));
    TN_TRY(choose_kind(&o));
    fmi->facts.version = fmi->description.version;
    fmi->facts.completed = fmi->facts.exchange && fmi->kind->completed;
    fmi->facts.saves = fmi->kind->saves;
    TN_TRY(check_inputs(&o));
    TN_TRY(take_inputs(&o));
    TN_TRY(take_outputs(&o));
    TN_TRY(take_parameters(&o));
    TN_TRY(take_states(&o));
    fmi->facts.directional = fmi->kind->directional && are_reals(fmi, fmi->output, fmi->facts.outputs) &&
                             are_reals(fmi, fmi->input, fmi->facts.inputs) &&
                             are_reals(fmi, fmi->description.states, fmi->facts.states);
    return find_dependencies(fmi);
}

/* The same FMU of the same device, opened before in the context: states behind its handles are known there. */
static tn_fmi *find_known(const tn_fmi *fmi)
{
    tn_fmi *other;
    for (size_t k = 0; (other = tn_context_list_at(fmi->context, k)) != NULL; k++)
        if (tn_fmi_same(other, fmi))
            return tn_fmi_retain(other);
    return NULL;
}

int tn_fmi_open(tn_fmi **out, tn_context *context, const tn_fmi_request *request)
{
    tn_fmi *fmi = tn_alloc(context, 1, sizeof *fmi);
    if (!fmi)
        return TN_ERROR_MEMORY;
    fmi->context = context;
    fmi->users = 1;
    fmi->arena = tn_arena_create(context);
    if (!fmi->arena || pthread_mutex_init(&fmi->lock, NULL) != 0) {
        tn_arena_destroy(fmi->arena);
        tn_free(context, fmi);
        return TN_ERROR_MEMORY;
    }
    int code = fill(fmi, request);
    tn_fmi *known = code == TN_OK ? find_known(fmi) : NULL;
    if (code == TN_OK && !known)
        code = tn_context_list_add(context, fmi);
    if (code < 0 || known)
        tn_fmi_release(fmi);
    *out = known ? known : fmi;
    return code;
}

const tn_fmi_facts *tn_fmi_facts_of(const tn_fmi *fmi)
{
    return &fmi->facts;
}

bool tn_fmi_same(const tn_fmi *a, const tn_fmi *b)
{
    if (a == b)
        return true;
    bool same = a->stamp == b->stamp && strcmp(a->who, b->who) == 0 && strcmp(a->description.token, b->description.token) == 0 &&
                a->facts.exchange == b->facts.exchange && a->facts.iterates == b->facts.iterates && a->facts.period == b->facts.period &&
                a->parameter_count == b->parameter_count && a->facts.outputs == b->facts.outputs &&
                a->facts.inputs == b->facts.inputs && a->limit == b->limit;
    same = same && !a->dead[0] && !b->dead[0];         /* one whose process is gone starts again */
    for (int k = 0; same && k < a->parameter_count; k++)
        same = a->parameter[k] == b->parameter[k] && (a->parameter_text[k] ? strcmp(a->parameter_text[k], b->parameter_text[k]) == 0
                                                                            : a->parameter_value[k] == b->parameter_value[k]);
    for (int k = 0; same && k < a->facts.outputs; k++)
        same = a->output[k] == b->output[k] && strcmp(a->facts.output[k].name, b->facts.output[k].name) == 0;
    return same;
}
