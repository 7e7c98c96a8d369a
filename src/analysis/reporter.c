/* Reports on a system at a state, and the memory that they need (redundancy.h). */
#include "redundancy.h"

struct tn_reporter {
    tn_report report;              /* the first member: tn_report_destroy gets its address */
    tn_context *context;
    const tn_system *system;
    tn_arena *made;                /* memory of the evaluation and of the solver */
    tn_arena *lists;               /* memory of the lists of the last report */
    tn_arena *scratch;             /* memory while a report is made */
    tn_eval *e;
    const tn_solver_type *solver;  /* the default one: some do not decide a rank, and some schemes use no solver */
    tn_saddle *saddle;
};

/* One block that holds the lists of any report, so that clearing them never requests memory. */
static int reserve_lists(tn_reporter *r)
{
    const size_t joints = (size_t)r->system->constraint_count + 4;     /* four more: gaps between the lists */
    if (!tn_arena_alloc(r->lists, joints, sizeof(tn_redundancy_group) + sizeof(tn_id) + sizeof(tn_reaction_uniqueness)))
        return TN_ERROR_MEMORY;
    return tn_arena_clear(r->lists);
}

static int fill_reporter(tn_reporter *r, tn_coupling *coupling)
{
    r->made = tn_arena_create(r->context);
    r->lists = tn_arena_create(r->context);
    r->scratch = tn_arena_create(r->context);
    if (!r->made || !r->lists || !r->scratch)
        return TN_ERROR_MEMORY;
    TN_TRY(reserve_lists(r));
    TN_TRY(tn_coupled_eval_create(&r->e, r->system, coupling, r->made, false));
    return tn_coupled_analyze(&r->saddle, &r->solver, r->e, r->system, &r->system->structure, r->system->jacobian_size, r->made);
}

/* Frees the memory that only further reports need. */
static void end_reports(tn_reporter *r)
{
    if (r->saddle)
        r->solver->destroy(r->saddle);
    r->saddle = NULL;
    tn_arena_destroy(r->made);
    tn_arena_destroy(r->scratch);
    r->made = r->scratch = NULL;
}

int tn_reporter_create(tn_reporter **out, const tn_system *system, tn_coupling *coupling)
{
    tn_reporter *r = tn_alloc(system->context, 1, sizeof *r);
    if (!r)
        return TN_ERROR_MEMORY;
    r->context = system->context;
    r->system = system;
    r->solver = tn_solver_types[0];
    int code = fill_reporter(r, coupling);
    if (code < 0) {
        tn_reporter_destroy(r);
        return code;
    }
    *out = r;
    return TN_OK;
}

void tn_reporter_destroy(tn_reporter *r)
{
    if (!r)
        return;
    end_reports(r);
    tn_arena_destroy(r->lists);
    tn_free(r->context, r);
}

int tn_reporter_find(const tn_report **out, tn_reporter *r, double t, const double *y, const double *memory)
{
    tn_saddle_info info;
    TN_TRY(tn_arena_clear(r->lists));
    tn_eval_take_values(r->e, r->system);
    tn_eval_motion(r->e, r->system, t, y, y + r->system->positions);
    tn_eval_constraints(r->e, r->system, memory, 1, true);
    TN_TRY(r->solver->factor(r->saddle, r->e->M, r->e->G, TN_RANK_DECIDE));
    r->solver->info(r->saddle, &info);
    int code = tn_redundancy(&r->report, r->system, r->e, &info, r->lists, r->scratch);
    const int cleared = tn_arena_clear(r->scratch);
    *out = &r->report;
    return code < 0 ? code : cleared;
}

int tn_report_create(tn_report **out, const tn_system *system, tn_coupling *coupling, double t, const double *y, const double *memory)
{
    tn_reporter *r = NULL;
    const tn_report *found;
    TN_TRY(tn_reporter_create(&r, system, coupling));
    int code = tn_reporter_find(&found, r, t, y, memory);
    end_reports(r);
    if (code < 0) {
        tn_reporter_destroy(r);
        return code;
    }
    *out = &r->report;
    return TN_OK;
}

void tn_report_destroy(tn_context *context, tn_report *report)
{
    (void)context;
    tn_reporter_destroy((tn_reporter *)report);
}
