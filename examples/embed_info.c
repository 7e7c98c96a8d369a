/* Freedoms and redundancy of a model file: embed_info MODEL
 *
 * Tells which joints depend on each other and which of their reactions are unique, and checks that the groups account
 * for every equation that is more than the motion needs. */
#include <stdio.h>
#include <tenon/tenon.h>

static void print_group(const tn_model *model, const tn_redundancy_group *group)
{
    printf("%d too many among:", group->excess);
    for (size_t k = 0; k < group->joint_count; k++)
        printf(" %s", tn_model_entity_name(model, group->joints[k]));
    putchar('\n');
}

/* "Fx Fy Tz": the parts of the joint's reaction that the motion does not determine. */
static void print_reaction(const tn_model *model, const tn_reaction_uniqueness *reaction)
{
    printf("%s (%s): ", tn_model_entity_name(model, reaction->joint), tn_model_entity_type(model, reaction->joint));
    int loose = 0;
    for (int k = 0; k < 3; k++) {
        if (!reaction->force[k])
            printf("F%c ", "xyz"[k]);
        if (!reaction->torque[k])
            printf("T%c ", "xyz"[k]);
        loose += !reaction->force[k] + !reaction->torque[k];
    }
    puts(loose ? "not unique" : "unique");
}

static int print_report(const tn_model *model, const tn_report *report)
{
    int excess = 0;
    printf("%d equations, rank %d: %d freedoms (%d by counting)\n", report->equations, report->rank, report->freedoms,
           report->gruebler);
    for (size_t i = 0; i < report->group_count; i++) {
        print_group(model, &report->groups[i]);
        excess += report->groups[i].excess;
    }
    for (size_t i = 0; i < report->reaction_count; i++)
        print_reaction(model, &report->reactions[i]);
    return excess == report->equations - report->rank ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s MODEL\n", argv[0]);
        return 2;
    }
    tn_context *context = tn_context_create(NULL);
    if (!context)
        return 1;
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_report *report = NULL;
    int failed = tn_model_read(&model, context, argv[1]) < 0 || tn_session_open(&session, model, NULL) < 0 ||
                 tn_session_report(&report, session) < 0 || print_report(model, report) != 0;

    tn_diagnostics_print(context, stderr);
    tn_report_destroy(context, report);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return failed;
}
