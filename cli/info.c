/* The command "info": counts freedoms and explains redundant joints. */
#include "library_text.h"
#include "output.h"
#include "scene.h"
#include "tenon/sys/joint.h"
#include <math.h>
#include <string.h>

typedef struct subject {
    const char *path;
    tn_model *model;
    tn_session *session;
    tn_report *report;
} subject;

static bool all_unique(const subject *s)
{
    for (size_t i = 0; i < s->report->reaction_count; i++)
        for (const tn_reaction_part *p = tn_reaction_parts(s->model); p->label; p++)
            if (!tn_reaction_is_unique(&s->report->reactions[i], p))
                return false;
    return true;
}

static const char *name_of(const subject *s, tn_id id)
{
    const char *name = tn_model_entity_name(s->model, id);
    return name ? name : "(contact)";          /* where bodies rest on each other */
}

static const char *type_of(const subject *s, tn_id id)
{
    const char *type = tn_model_entity_type(s->model, id);
    return type ? type : "";
}

static int column_width(const subject *s, tn_kind kind, const char *(*text)(const subject *, tn_id))
{
    size_t width = strlen("joint");
    for (size_t i = 0; i < tn_model_count(s->model, kind); i++) {
        size_t length = strlen(text(s, tn_model_at(s->model, kind, i)));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_counts(const subject *s)
{
    const tn_report *r = s->report;
    const char *name = tn_model_name(s->model);
    const char *space = tn_model_dimension(s->model) == 2 ? "planar" : "spatial";
    printf("%s%s%s (%s)\n\n", s->path, name[0] ? ": " : "", name, space);
    printf("bodies       %d (%d coordinates)\n", r->bodies, r->coordinates);
    printf("joints       %d\n", r->joints);
    printf("equations    %d\n", r->equations);
    printf("rank         %d", r->rank);
    if (r->largest_dropped > 0 || r->equations > r->rank)
        printf(" (smallest singular value kept %.2g, largest dropped %.2g)", r->smallest_kept, r->largest_dropped);
    printf("\nfreedoms     %d by rank, %d by the Grübler count\n", r->freedoms, r->gruebler);
}

/* "big_end, strap" */
static void print_ports(const subject *s, tn_id id, size_t count)
{
    for (size_t k = 0; k < count; k++)
        printf("%s%s", k > 0 ? ", " : "", tn_model_port(s->model, id, k).name);
}

/* Subsystems inside one, or inside the model, each with what it holds itself. */
static void print_subsystems(const subject *s, tn_id parent, int depth)
{
    tn_id id;
    for (size_t i = 0; (id = tn_model_child(s->model, parent, i)).kind != TN_KIND_NONE; i++) {
        tn_subsystem_info info;
        if (tn_model_subsystem(&info, s->model, id) < 0)
            return;
        int width = 24 - 2 * depth;
        printf("%*s%-*s  bodies %zu, joints %zu, forces %zu%s", 2 * depth, "", width > 0 ? width : 0, info.name,
               info.bodies, info.joints, info.forces, info.ports > 0 ? "; ports " : "");
        print_ports(s, id, info.ports);
        printf("%s%s%s%s%s\n", info.file ? " (" : "", info.file ? info.file : "", info.file ? ")" : "",
               info.closed ? ", closed" : "", tn_model_enabled(s->model, id) ? "" : ", disabled");
        print_subsystems(s, id, depth + 1);
    }
}

static void print_tree(const subject *s)
{
    if (tn_model_count(s->model, TN_KIND_SUBSYSTEM) == 0)
        return;
    puts("\nsubsystem");
    print_subsystems(s, (tn_id){ .kind = TN_KIND_NONE }, 0);
}

static void print_bodies(const subject *s)
{
    int name_width = column_width(s, TN_KIND_BODY, name_of), type_width = column_width(s, TN_KIND_BODY, type_of);
    printf("\n%-*s  %-*s  mass, kg\n", name_width, "body", type_width, "type");
    for (size_t i = 0; i < tn_model_count(s->model, TN_KIND_BODY); i++) {
        tn_id body = tn_model_at(s->model, TN_KIND_BODY, i);
        double mass = 0, com[3], inertia[6];
        tn_model_body_mass(&mass, com, inertia, s->model, body);
        printf("%-*s  %-*s  %.6g\n", name_width, name_of(s, body), type_width, type_of(s, body), mass);
    }
}

/* Joints, and which parts of their reactions the motion determines. */
static void print_joints(const subject *s)
{
    if (s->report->reaction_count == 0)
        return;
    int name_width = column_width(s, TN_KIND_JOINT, name_of), type_width = column_width(s, TN_KIND_JOINT, type_of);
    printf("\n%-*s  %-*s  reaction unique (world axes)?\n", name_width, "joint", type_width, "type");
    printf("%-*s  %-*s", name_width, "", type_width, "");
    for (const tn_reaction_part *p = tn_reaction_parts(s->model); p->label; p++)
        printf("%5s", p->label);
    putchar('\n');
    for (size_t i = 0; i < s->report->reaction_count; i++) {
        const tn_reaction_uniqueness *reaction = &s->report->reactions[i];
        printf("%-*s  %-*s", name_width, name_of(s, reaction->joint), type_width, type_of(s, reaction->joint));
        for (const tn_reaction_part *p = tn_reaction_parts(s->model); p->label; p++)
            printf("%5s", tn_reaction_is_unique(reaction, p) ? "yes" : "no");
        putchar('\n');
    }
}

static void print_contacts(const subject *s)
{
    enum { SHOWN = 8 };
    size_t count = tn_model_count(s->model, TN_KIND_CONTACT);
    int width = column_width(s, TN_KIND_CONTACT, name_of);
    if (count == 0)
        return;
    width = width < (int)strlen("contact") ? (int)strlen("contact") : width;
    printf("\n%-*s  restitution  friction  bodies\n", width, "contact");
    for (size_t i = 0; i < count; i++) {
        tn_id contact = tn_model_at(s->model, TN_KIND_CONTACT, i), bodies[SHOWN];
        double restitution = 0, friction = 0;
        int body_count = tn_model_contact_bodies(bodies, SHOWN, s->model, contact);
        tn_model_contact_values(&restitution, &friction, s->model, contact);
        printf("%-*s  %11.6g  %8.6g  ", width, name_of(s, contact), restitution, friction);
        for (int k = 0; k < body_count && k < SHOWN; k++)
            printf("%s%s", k > 0 ? ", " : "", name_of(s, bodies[k]));
        puts(body_count > SHOWN ? ", ..." : "");
    }
}

static void print_triggers(const subject *s)
{
    tn_fuse fuse;
    tn_latch latch;
    for (size_t i = 0, shown = 0; i < tn_model_count(s->model, TN_KIND_JOINT); i++) {
        tn_id joint = tn_model_at(s->model, TN_KIND_JOINT, i);
        if (!tn_joint_has_trigger(s->model, joint, &fuse, &latch))
            continue;
        printf("%s%s:", shown++ == 0 ? "\n" : "", name_of(s, joint));
        if (!isnan(fuse.force))
            printf(" breaks at %.6g N", fuse.force);
        if (!isnan(fuse.torque))
            printf("%s %.6g N m", isnan(fuse.force) ? " breaks at" : " or", fuse.torque);
        if (latch.when.text)
            printf("%s engages when %s is zero", isnan(fuse.force) && isnan(fuse.torque) ? "" : ",", latch.when.text);
        putchar('\n');
    }
}

static void print_groups(const subject *s)
{
    if (s->report->group_count == 0)
        return;
    puts("\nJoints whose equations depend on each other:");
    for (size_t i = 0; i < s->report->group_count; i++) {
        const tn_redundancy_group *group = &s->report->groups[i];
        fputs("  ", stdout);
        for (size_t k = 0; k < group->joint_count; k++)
            printf("%s%s", k > 0 ? ", " : "", name_of(s, group->joints[k]));
        printf(": %d more %s than the motion needs\n", group->excess, group->excess == 1 ? "equation" : "equations");
    }
}

static void print_explanation(const subject *s)
{
    const tn_report *r = s->report;
    int excess = r->equations - r->rank;
    if (excess == 0) {
        puts("\nNo equation is redundant: the motion and all reactions are unique.");
        return;
    }
    printf("\n%d of the %d equations %s already implied by the others, so the Grübler count is off by %d.\n", excess,
           r->equations, excess == 1 ? "is" : "are", excess);
    if (all_unique(s))
        puts("The motion is unique, and so are all reactions.");
    else
        puts("The motion is unique; the reactions marked 'no' are not determined by rigid-body mechanics: how the\n"
             "joints share that load depends on their stiffness.");
}

/* Couplings relate coordinates of joints: their forces do not pass through the bearings. */
static bool is_coupling(const char *type)
{
    for (int k = 0; tn_joint_types[k]; k++)
        if (strcmp(tn_joint_types[k]->name, type) == 0)
            return tn_joint_types[k]->joints != 0 && !tn_joint_types[k]->drives;
    return false;
}

static void print_couplings(const subject *s)
{
    int count = 0;
    for (size_t i = 0; i < tn_model_count(s->model, TN_KIND_JOINT); i++) {
        tn_id joint = tn_model_at(s->model, TN_KIND_JOINT, i);
        if (is_coupling(type_of(s, joint)))
            printf("%s%s", count++ == 0 ? "\nCouplings of coordinates: " : ", ", name_of(s, joint));
    }
    if (count > 0)
        puts(".\nThey act on coordinates, not on bodies at a place: the reactions of bearings hold no tooth forces. The types\n"
             "gear-mesh, rack-mesh, bevel-mesh and worm-mesh act where teeth touch.");
}

static void print_loops(const subject *s)
{
    char text[1000];
    for (size_t k = 0; tn_session_loop(text, sizeof text, s->session, k) == TN_OK; k++)
        printf("%salgebraic loop: %s\n", k == 0 ? "\n" : "", text);
}

/* "drive: ideal, losses (chosen), table" */
static void print_variants(const subject *s)
{
    for (size_t i = 0, shown = 0; i < tn_model_parameter_count(s->model); i++) {
        tn_parameter_value p = tn_model_parameter(s->model, i), one = p;
        char word[128];
        if (!p.choices)
            continue;
        printf("%s%.*s:", shown++ == 0 ? "\nVariants:\n  " : "  ", (int)(strrchr(p.name, '.') - p.name), p.name);
        for (one.value = 0; tn_parameter_word(word, sizeof word, &one)[0]; one.value++)
            printf("%s %s%s", one.value > 0 ? "," : "", word, one.value == p.value ? " (chosen)" : "");
        putchar('\n');
    }
}

static void print_text(const subject *s)
{
    print_counts(s);
    print_tree(s);
    print_bodies(s);
    print_joints(s);
    print_contacts(s);
    print_triggers(s);
    print_groups(s);
    print_explanation(s);
    print_couplings(s);
    print_loops(s);
    print_variants(s);
    if (tn_session_gap_count(s->session) > 0) {
        putchar('\n');
        tn_gaps_print(s->model, s->session, stdout);
    }
}

static int library_info(tn_context *context, const tn_arguments *arguments)
{
    cJSON *document = arguments->json ? cJSON_CreateObject() : NULL;
    cJSON *diagnostics = document ? cJSON_CreateArray() : NULL;
    int status = tn_library_describe(context, arguments->operands[0], document, diagnostics);
    if (document) {
        cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
        cJSON_AddItemToObject(document, "diagnostics", diagnostics);
        tn_json_print(document);
    }
    return status;
}

static int run_info(tn_context *context, const tn_arguments *arguments)
{
    if (tn_is_library(arguments->operands[0]))
        return library_info(context, arguments);
    subject s = { .path = arguments->operands[0] };
    cJSON *diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    int code = tn_model_read(&s.model, context, s.path);
    if (code >= 0)
        code = tn_session_open(&s.session, s.model, NULL);
    if (code >= 0)
        code = tn_session_report(&s.report, s.session);
    int status = tn_diagnostics_flush(context, code, diagnostics);
    if (arguments->json) {
        cJSON *document = cJSON_CreateObject();
        cJSON_AddBoolToObject(document, "ok", status == TN_EXIT_OK);
        cJSON_AddStringToObject(document, "file", s.path);
        if (status == TN_EXIT_OK) {
            tn_json_add_report(document, s.model, s.report);
            cJSON *loops = cJSON_AddArrayToObject(document, "loops");
            char text[1000];
            for (size_t k = 0; tn_session_loop(text, sizeof text, s.session, k) == TN_OK; k++)
                cJSON_AddItemToArray(loops, cJSON_CreateString(text));
            cJSON_AddItemToObject(document, "variants", tn_json_variants(s.model));
            cJSON_AddItemToObject(document, "gaps", tn_json_gaps(s.model, s.session));
        }
        cJSON_AddItemToObject(document, "diagnostics", diagnostics);
        tn_json_print(document);
    } else if (status == TN_EXIT_OK) {
        print_text(&s);
    }
    tn_report_destroy(context, s.report);
    tn_session_close(s.session);
    tn_model_destroy(s.model);
    return status;
}

const tn_command tn_command_info = {
    .name = "info",
    .summary = "Count freedoms, and explain redundant joints and which reactions are unique.",
    .details = "For a library (.so): what it discloses.",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_info,
};
