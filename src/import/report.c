/* The report of an import, as text and as JSON. */
#include "import_impl.h"

#include "decimal.h"
#include "entities.h"
#include "vec.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LINES = 40 };      /* of a list in the text; JSON has all */
enum { MOST_KINDS = 32, SHOWN_OF_A_KIND = 3 };

static size_t used_joints(const tn_machine *machine)
{
    size_t count = 0;
    for (size_t i = 0; i < machine->joint_count; i++)
        count += !machine->joints[i].merged && !machine->joints[i].dropped;
    return count;
}

static size_t own_bodies(const tn_machine *machine)
{
    size_t count = 0;
    for (size_t i = 1; i < machine->body_count; i++)
        count += machine->bodies[i].into == (int)i;
    return count;
}

static void add_more(tn_text *text, size_t total)
{
    if (total > MOST_LINES)
        tn_text_add(text, "  ... and %zu more (--json lists all)\n", total - MOST_LINES);
}

/* kg of what is fixed to ground: no part of the moving machine, of use for comparing with the CAD system. */
static double mass_in_ground(const tn_machine *machine)
{
    double mass = 0;
    for (size_t b = 1; b < machine->body_count; b++)
        mass += machine->bodies[b].into == TN_GROUND ? machine->bodies[b].own_mass : 0;
    return mass;
}

static void text_counts(tn_text *text, const tn_import *import)
{
    const tn_machine *machine = import->machine;
    size_t own = own_bodies(machine), merged = machine->body_count - 1 - own;
    tn_text_add(text, "%s: %s (%s)\n\n", import->file, machine->name, import->importer->doc);
    tn_text_add(text, "bodies       %zu", own);
    if (merged > 0)
        tn_text_add(text, " (%zu in the file: %zu are rigid parts of others or of ground)", machine->body_count - 1, merged);
    tn_text_add(text, "\njoints       %zu", used_joints(machine));
    if (machine->coupling_count > 0)
        tn_text_add(text, ", %zu couplings", machine->coupling_count);
    if (machine->load_count > 0)
        tn_text_add(text, ", %zu forces and drives", machine->load_count);
    tn_text_add(text, "\n");
    if (machine->part_count > 0)
        tn_text_add(text, "subsystems   %zu\n", machine->part_count);
    if (import->assembled == TN_OK) {
        tn_text_add(text, "equations    %d\nrank         %d", import->counts.equations, import->counts.rank);
        if (import->counts.equations > import->counts.rank)
            tn_text_add(text, " (%d equations are redundant; smallest singular value kept %.2g, largest dropped %.2g)",
                        import->counts.equations - import->counts.rank, import->counts.smallest_kept,
                        import->counts.largest_dropped);
        tn_text_add(text, "\nfreedoms     %d\n", import->counts.freedoms);
        double held = mass_in_ground(machine);
        tn_text_add(text, "mass         %.6g kg", import->total_mass);
        if (held > 0)
            tn_text_add(text, ", and %.6g kg fixed to ground", held);
        tn_text_add(text, "\n");
    } else if (import->trouble) {
        tn_text_add(text, "assembly     failed: %s\n", import->trouble);
    }
}

static void text_masses(tn_text *text, const tn_machine *machine)
{
    size_t shown = 0, total = own_bodies(machine);
    tn_text_add(text, "\nbody                                mass, kg  from\n");
    for (size_t i = 1; i < machine->body_count && shown < MOST_LINES; i++) {
        const tn_machine_body *body = &machine->bodies[i];
        if (body->into != (int)i)
            continue;
        tn_text_add(text, "%-32s %11.6g  %s\n", body->label, body->mass, body->mass_source);
        shown++;
    }
    add_more(text, total);
}

static void text_joints(tn_text *text, const tn_machine *machine)
{
    size_t shown = 0, total = used_joints(machine);
    if (total > 0)
        tn_text_add(text, "\njoint                            type            source\n");
    for (size_t i = 0; i < machine->joint_count && shown < MOST_LINES; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        if (joint->merged || joint->dropped)
            continue;
        tn_text_add(text, "%-32s %-15s %s", joint->label, joint->type, joint->source);
        if (joint->confidence < 1)
            tn_text_add(text, " (inferred, confidence %.2f: %s)", joint->confidence, joint->evidence ? joint->evidence : "");
        tn_text_add(text, "\n");
        shown++;
    }
    add_more(text, total);
    for (size_t i = 0, first = 1; i < machine->joint_count; i++)
        if (machine->joints[i].dropped && machine->joints[i].confidence < 1) {
            tn_text_add(text, "%s  %-30s %-15s confidence %.2f: %s\n", first ? "\nproposed, not used (accept to use):\n" : "",
                        machine->joints[i].label, machine->joints[i].type, machine->joints[i].confidence,
                        machine->joints[i].evidence ? machine->joints[i].evidence : "");
            first = 0;
        }
}

static void text_redundancy(tn_text *text, const tn_import *import)
{
    if (import->group_count > 0)
        tn_text_add(text, "\nJoints whose equations depend on each other (the motion is unique, their reactions are not):\n");
    for (size_t i = 0; i < import->group_count && i < MOST_LINES; i++)
        tn_text_add(text, "  %s\n", import->groups[i]);
    if (import->moved_count > 0)
        tn_text_add(text, "\nThe file was not exactly assembled; these bodies were moved:\n");
    for (size_t i = 0; i < import->moved_count && i < MOST_LINES; i++)
        tn_text_add(text, "  %-32s %.3g m, %.3g deg\n", import->moved[i].name, import->moved[i].distance,
                    import->moved[i].angle * 180 / acos(-1.0));
    add_more(text, import->moved_count);
}

static void add_place(tn_text *text, tn_span place)
{
    if (place.file)
        tn_text_add(text, "%s:", place.file);
    if (place.file && place.line > 0)
        tn_text_add(text, "%d: ", place.line);
    else if (place.file)
        tn_text_add(text, " ");
}

/* Past names in quotes, digits, signs and points. */
static const char *skip_particulars(const char *at)
{
    while (*at == '\'' || (*at && strchr("0123456789.+-", *at))) {
        const char *end = *at == '\'' ? strchr(at + 1, '\'') : NULL;
        at = end ? end + 1 : at + 1;
    }
    return at;
}

/* Whether two messages say the same about different things. */
static bool are_alike(const tn_machine_note *a, const tn_machine_note *b)
{
    const char *x = skip_particulars(a->text), *y = skip_particulars(b->text);
    while (*x && *x == *y) {
        x = skip_particulars(x + 1);
        y = skip_particulars(y + 1);
    }
    return a->severity == b->severity && *x == *y;
}

/* The messages; of those that are alike the first ones. */
static void text_messages(tn_text *text, const tn_machine *machine)
{
    static const char *const words[] = { [TN_NOTE] = "note", [TN_WARNING] = "warning", [TN_ERROR] = "error" };
    struct { size_t first, count; } kinds[MOST_KINDS];
    size_t kind_count = 0, lines = 0, told = 0;
    if (machine->note_count > 0)
        tn_text_add(text, "\n");
    for (size_t i = 0; i < machine->note_count; i++) {
        const tn_machine_note *note = &machine->notes[i];
        size_t k = 0;
        while (k < kind_count && !are_alike(note, &machine->notes[kinds[k].first]))
            k++;
        if (k == kind_count && k < MOST_KINDS) {
            kinds[k].first = i;
            kinds[k].count = 0;
            kind_count++;
        }
        if (k < kind_count && ++kinds[k].count > SHOWN_OF_A_KIND) {
            told++;
        } else if (lines < MOST_LINES) {
            add_place(text, note->place);
            tn_text_add(text, "%s: %s\n", words[note->severity], note->text);
            lines++;
        }
    }
    for (size_t k = 0; k < kind_count; k++)
        if (kinds[k].count > SHOWN_OF_A_KIND) {
            const tn_machine_note *first = &machine->notes[kinds[k].first];
            tn_text_add(text, "  ... and %zu more %ss like that", kinds[k].count - SHOWN_OF_A_KIND, words[first->severity]);
            if (first->place.file)
                tn_text_add(text, " of line %d", first->place.line);
            tn_text_add(text, " (--json lists all)\n");
        }
    if (machine->note_count - told > lines)
        tn_text_add(text, "  ... and %zu more (--json lists all)\n", machine->note_count - told - lines);
}

static void text_notes(tn_text *text, const tn_import *import)
{
    const tn_machine *machine = import->machine;
    if (machine->left_out_count > 0)
        tn_text_add(text, "\nLeft out:\n");
    for (size_t i = 0; i < machine->left_out_count && i < MOST_LINES; i++) {
        tn_text_add(text, "  %zu x %s, first at ", machine->left_out[i].count, machine->left_out[i].what);
        tn_span place = machine->left_out[i].first;
        tn_text_add(text, "%s:%d\n", place.file ? place.file : "?", place.line);
    }
    text_messages(text, machine);
    if (import->change_count > 0)
        tn_text_add(text, "\nSince the last import:\n");
    for (size_t i = 0; i < import->change_count && i < MOST_LINES; i++)
        tn_text_add(text, "  %s\n", import->changes[i]);
    add_more(text, import->change_count);
}

int tn_import_report_text(char **out, tn_import *import)
{
    tn_text text;
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    tn_text_begin(&text, import->context);
    text_counts(&text, import);
    text_masses(&text, import->machine);
    text_joints(&text, import->machine);
    text_redundancy(&text, import);
    text_notes(&text, import);
    tn_decimal_end(&decimal);
    return tn_text_take(&text, out);
}

static void json_number(tn_text *text, const char *key, double value)
{
    if (isfinite(value))
        tn_text_add(text, ", \"%s\": %.17g", key, value);
    else
        tn_text_add(text, ", \"%s\": null", key);
}

static void json_text(tn_text *text, const char *key, const char *value)
{
    tn_text_add(text, ", \"%s\": ", key);
    if (value)
        tn_text_add_json(text, value);
    else
        tn_text_add(text, "null");
}

static void json_place(tn_text *text, tn_span place)
{
    json_text(text, "file", place.file);
    tn_text_add(text, ", \"line\": %d", place.line);
}

static void json_bodies(tn_text *text, const tn_machine *machine)
{
    tn_text_add(text, ", \"bodies\": [");
    for (size_t i = 1; i < machine->body_count; i++) {
        const tn_machine_body *body = &machine->bodies[i];
        bool own = body->into == (int)i;
        tn_text_add(text, "%s{ \"source\": ", i > 1 ? ", " : "");
        tn_text_add_json(text, body->path);
        json_text(text, own ? "name" : "part_of", body->label);
        json_number(text, "mass", body->mass);
        json_number(text, "own_mass", body->own_mass);
        json_number(text, "volume", body->volume);
        json_text(text, "mass_source", body->mass_source);
        json_place(text, body->place);
        tn_text_add(text, " }");
    }
    tn_text_add(text, "]");
}

static void json_vector(tn_text *text, const char *key, const double v[3])
{
    tn_text_add(text, ", \"%s\": [%.9g, %.9g, %.9g]", key, v[0], v[1], v[2]);
}

/* Where a joint is in the world, and the faces that it was inferred from. */
static void json_joint_geometry(tn_text *text, const tn_machine *machine, const tn_machine_joint *joint)
{
    static const double z[3] = { 0, 0, 1 };
    tn_pose pose = tn_machine_pose(machine, joint->body1), frame = tn_pose_compose(&pose, &joint->frame1);
    double axis[3];
    tn_quat_rotate(axis, frame.q, z);
    json_vector(text, "at", frame.p);
    json_vector(text, "axis", axis);
    tn_text_add(text, ", \"coordinates\": [");
    for (size_t k = 0; k < joint->coordinate_count; k++)
        tn_text_add(text, "%s\"%s\"", k > 0 ? ", " : "", joint->coordinates[k].name);
    tn_text_add(text, "], \"contacts\": [");
    for (size_t k = 0; k < joint->contact_count; k++) {
        const tn_joint_contact *c = &joint->contacts[k];
        tn_text_add(text, "%s{ \"kind\": \"%s\"", k > 0 ? ", " : "", c->kind);
        json_vector(text, "point", c->point);
        json_vector(text, "axis", c->axis);
        tn_text_add(text, ", \"radius\": %.9g, \"length\": %.9g }", c->radius, c->length);
    }
    tn_text_add(text, "]");
}

static void json_joints(tn_text *text, const tn_machine *machine)
{
    tn_text_add(text, ", \"joints\": [");
    for (size_t i = 0; i < machine->joint_count; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        tn_text_add(text, "%s{ \"name\": ", i > 0 ? ", " : "");
        tn_text_add_json(text, joint->label);
        json_text(text, "key", joint->key);
        json_text(text, "type", joint->type);
        json_text(text, "source", joint->source);
        json_text(text, "body1", machine->bodies[joint->body1].label);
        json_text(text, "body2", machine->bodies[joint->body2].label);
        json_number(text, "confidence", joint->confidence);
        json_text(text, "evidence", joint->evidence);
        tn_text_add(text, ", \"used\": %s, \"merged\": %s", joint->dropped ? "false" : "true",
                    joint->merged ? "true" : "false");
        tn_text_add(text, ", \"decided\": %s", joint->decided ? "true" : "false");
        json_joint_geometry(text, machine, joint);
        json_place(text, joint->place);
        tn_text_add(text, " }");
    }
    tn_text_add(text, "]");
}

/* The tree: sub-assemblies that may be rigid or flexible, and what was decided. */
static void json_decisions(tn_text *text, const tn_machine *machine)
{
    tn_text_add(text, ", \"assemblies\": [");
    for (size_t i = 0; i < machine->assembly_count; i++) {
        const tn_machine_assembly *assembly = &machine->assemblies[i];
        tn_text_add(text, "%s{ \"path\": ", i > 0 ? ", " : "");
        tn_text_add_json(text, assembly->path);
        json_text(text, "name", assembly->name);
        tn_text_add(text, ", \"rigid\": %s, \"decided\": %s", assembly->rigid ? "true" : "false",
                    assembly->decided ? "true" : "false");
        if (assembly->proposals >= 0)
            tn_text_add(text, ", \"inside\": %d", assembly->proposals);
        tn_text_add(text, " }");
    }
    tn_text_add(text, "], \"decisions\": [");
    for (size_t i = 0; i < machine->decision_count; i++) {
        tn_text_add(text, "%s{ \"about\": ", i > 0 ? ", " : "");
        tn_text_add_json(text, machine->decisions[i].about);
        json_text(text, "name", machine->decisions[i].name);
        json_text(text, "value", machine->decisions[i].value);
        tn_text_add(text, " }");
    }
    tn_text_add(text, "]");
}

static void json_engine(tn_text *text, const tn_import *import)
{
    tn_text_add(text, ", \"assembled\": %s", import->assembled == TN_OK ? "true" : "false");
    json_text(text, "trouble", import->trouble);
    if (import->assembled == TN_OK) {
        tn_text_add(text, ", \"equations\": %d, \"rank\": %d, \"freedoms\": %d, \"redundant\": %d",
                    import->counts.equations, import->counts.rank, import->counts.freedoms,
                    import->counts.equations - import->counts.rank);
        json_number(text, "mass", import->total_mass);
        json_number(text, "ground_mass", mass_in_ground(import->machine));
    }
    tn_text_add(text, ", \"redundancy\": [");
    for (size_t i = 0; i < import->group_count; i++) {
        tn_text_add(text, i > 0 ? ", " : "");
        tn_text_add_json(text, import->groups[i]);
    }
    tn_text_add(text, "], \"moved\": [");
    for (size_t i = 0; i < import->moved_count; i++) {
        tn_text_add(text, "%s{ \"name\": ", i > 0 ? ", " : "");
        tn_text_add_json(text, import->moved[i].name);
        json_number(text, "distance", import->moved[i].distance);
        json_number(text, "angle", import->moved[i].angle);
        tn_text_add(text, " }");
    }
    tn_text_add(text, "]");
}

static void json_notes(tn_text *text, const tn_import *import)
{
    static const char *const words[] = { [TN_NOTE] = "note", [TN_WARNING] = "warning", [TN_ERROR] = "error" };
    const tn_machine *machine = import->machine;
    tn_text_add(text, ", \"left_out\": [");
    for (size_t i = 0; i < machine->left_out_count; i++) {
        tn_text_add(text, "%s{ \"what\": ", i > 0 ? ", " : "");
        tn_text_add_json(text, machine->left_out[i].what);
        tn_text_add(text, ", \"count\": %zu", machine->left_out[i].count);
        json_place(text, machine->left_out[i].first);
        tn_text_add(text, " }");
    }
    tn_text_add(text, "], \"notes\": [");
    for (size_t i = 0; i < machine->note_count; i++) {
        tn_text_add(text, "%s{ \"severity\": \"%s\"", i > 0 ? ", " : "", words[machine->notes[i].severity]);
        json_text(text, "message", machine->notes[i].text);
        json_place(text, machine->notes[i].place);
        tn_text_add(text, " }");
    }
    tn_text_add(text, "], \"changes\": [");
    for (size_t i = 0; i < import->change_count; i++) {
        tn_text_add(text, i > 0 ? ", " : "");
        tn_text_add_json(text, import->changes[i]);
    }
    tn_text_add(text, "]");
}

int tn_import_report_json(char **out, tn_import *import)
{
    const tn_machine *machine = import->machine;
    tn_text text;
    tn_decimal decimal;
    TN_TRY(tn_decimal_begin(&decimal));
    tn_text_begin(&text, import->context);
    tn_text_add(&text, "{ \"format\": \"%s\"", import->importer->name);
    json_text(&text, "source", import->file);
    json_text(&text, "folder", import->folder);
    json_text(&text, "name", machine->name);
    tn_text_add(&text, ", \"couplings\": %zu, \"loads\": %zu, \"subsystems\": %zu", machine->coupling_count,
                machine->load_count, machine->part_count);
    json_bodies(&text, machine);
    json_joints(&text, machine);
    json_decisions(&text, machine);
    json_engine(&text, import);
    json_notes(&text, import);
    tn_text_add(&text, " }");
    tn_decimal_end(&decimal);
    return tn_text_take(&text, out);
}

void tn_import_report_free(tn_import *import, char *text)
{
    tn_free(import->context, text);
}
