/* Memory of the judge of a run: what its samples need is made when the run opens, so that steps request none. A new stepper
 * or system ends it; the next sample makes it again. */
#include "coupling.h"
#include "session_impl.h"

static int fill_room(tn_trust_room *room, tn_session *s, bool halves)
{
    const size_t velocities = (size_t)s->system->velocities, size = (size_t)s->system->size;
    room->residual = tn_arena_alloc(room->arena, velocities, sizeof(double));
    room->largest = tn_arena_alloc(room->arena, velocities, sizeof(double));
    room->start = tn_arena_alloc(room->arena, size, sizeof(double));
    if (halves) {
        room->whole = tn_arena_alloc(room->arena, size, sizeof(double));
        room->halves = tn_arena_alloc(room->arena, size, sizeof(double));
    }
    TN_TRY(tn_arena_status(room->arena));
    TN_TRY(tn_coupled_eval_create(&room->rows, s->system, s->coupling, room->arena, false));
    for (int k = 0; k < 2 && halves; k++) {
        tn_solve solve = s->solve;
        solve.step = s->solve.step / (k + 1);
        solve.until = s->solve.step;       /* a probe takes one step or two */
        TN_TRY(tn_stepper_create(&room->probes[k], s->system, s->coupling, &solve, s->model->solve_span));
    }
    return TN_OK;
}

int tn_trust_room_make(tn_session *s, bool halves)
{
    if (s->trust.room && (s->trust.room->probes[0] || !halves))
        return TN_OK;
    tn_trust_room_free(s);
    tn_trust_room *room = tn_alloc(s->context, 1, sizeof *room);
    if (!room)
        return TN_ERROR_MEMORY;
    s->trust.room = room;
    room->arena = tn_arena_create(s->context);
    int code = room->arena ? fill_room(room, s, halves) : TN_ERROR_MEMORY;
    if (code < 0)
        tn_trust_room_free(s);
    return code;
}

void tn_trust_room_free(tn_session *s)
{
    tn_trust_room *room = s->trust.room;
    if (!room)
        return;
    for (int k = 0; k < 2; k++)
        tn_stepper_destroy(room->probes[k]);
    tn_reporter_destroy(room->reporter);
    if (room->arena)
        tn_arena_destroy(room->arena);
    tn_free(s->context, room);
    s->trust.room = NULL;
}
