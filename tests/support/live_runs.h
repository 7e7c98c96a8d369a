/* Runs by chance, and their journals: a pair of pendulums to which all sorts of things happen. */
#ifndef TEST_LIVE_RUNS_H
#define TEST_LIVE_RUNS_H

#include "mechanisms.h"
#include "read_model.h"
#include "replayed.h"
#include "session_impl.h"
#include "tenon/history.h"
#include <unistd.h>

static const char PENDULUMS[] =
    "tenon: 1\n"
    "name: 'Two \"pendulums\"'\n"
    "\n"
    "dimension: 2     # planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: { m: 2, k: '3 N/m' }\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0], frames: { end: { at: [0.5, 0] } } }\n"
    "  b: { mass: m, inertia: 0.2, position: [1.5, 0], frames: { start: { at: [-0.5, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [a.end, b.start] }\n"
    "forces:\n"
    "  s: { type: spring, between: [ground, b], stiffness: k, length: 0.5, damping: 0.1 }\n"
    "events:\n"
    "  low: { when: pivot.angle + 1, do: { log: 'low, {b.position.x}' } }\n"
    "  far: { when: b.position.y + 1.2, crosses: down, do: { gravity: [0.1, -9.5] } }\n"
    "outputs: [pivot.angle, elbow.angle, b.position]\n"
    "solve: { until: 2, record: 0.05 }\n";

typedef struct place {
    char folder[40], journal[80], saved[80];
} place;

static inline place new_place(void)
{
    place p;
    temporary_folder(p.folder, sizeof p.folder);
    snprintf(p.journal, sizeof p.journal, "%s/run.journal", p.folder);
    snprintf(p.saved, sizeof p.saved, "%s/run.tenon", p.folder);
    return p;
}

static inline void remove_place(const place *p)
{
    unlink(p->journal);
    unlink(p->saved);
    rmdir(p->folder);
}

static inline machine start(const char *text, const tn_solve *solve)
{
    machine m = machine_text(text);
    machine_must(&m, tn_session_open(&m.session, m.model, solve));
    return m;
}

/* One of the things that can happen to a run, by chance. Commands may fail: nothing happens then. */
static inline int something(tn_session *s, uint32_t *random)
{
    static const char again[] = "{ add: { forces: { s: { type: spring, between: [a, b], stiffness: 5, length: 0.1 } } } }";
    static const char *const commands[] = {
        "{ remove: elbow }", "{ remove: s }", "{ set: { s.stiffness: 20 N/m } }", "{ gravity: [1, -9] }",
        "{ add: { joints: { elbow: { type: revolute, between: [a.end, b.start] } } }, closing: snap }",
        "add:\n  joints:\n    weld: { type: fixed, between: [ground, b], at: [1, 1] }   # as built\n",
        "{ remove: weld }", "{ add: { bodies: { c: { mass: 1, inertia: 1 } } } }", "{ remove: c }",
        "{ solve: { tolerance: 1e-7 } }", again, "{ state: { a: { velocity: [0, 0], angular_velocity: 2 } } }",
        "{ state: { a: { angular_velocity: 2 } } }", "{ state: { b: { angle: 1, angular_velocity: 3 } } }",
        "{ state: { elbow: { angle: 1, rate: -1 } } }", "{ disable: b }", "{ enable: b }", "{ parameters: { m: 3 } }",
        "{ state: { elbow: { rate: 1 }, b: { angular_velocity: 1 } }, parameters: { k: 4 N / m } }",
    };
    int what = (int)(uniform(random) * 15);
    tn_solve solve = tn_session_solve(s);
    switch (what) {
    case 0: return tn_session_step(s);
    case 1: return tn_session_undo(NULL, s, true);
    case 2: return tn_session_undo(NULL, s, false);
    case 3: return tn_session_redo(NULL, s, uniform(random) < 0.5);
    case 4:
        solve.tolerance = solve.absolute_tolerance = uniform(random) < 0.5 ? 1e-6 : 1e-9;
        return tn_session_set_solve(s, &solve);
    case 5:
    case 6:
    case 7:
        return tn_session_advance(s, what == 7 ? 0.01 : 0.01 + 0.1 * uniform(random));
    case 8:
    case 9:
        return tn_session_pull(s, &(tn_pull){ .body = tn_model_find(tn_session_model(s), "b"),
                                              .target = { 2 * uniform(random), 1 } });
    case 10: return tn_session_release(s);
    default:
        return tn_session_apply(NULL, s, commands[(int)(uniform(random) * TN_LENGTH(commands))]);
    }
}

/* Goes through the journal; the hash at its end. compared gets the number of hashes, all of which must agree. */
static inline uint64_t replayed(const char *path, size_t *compared, bool *complete)
{
    tn_context *context = tn_context_create(NULL);
    tn_replay *replay = NULL;
    tn_replay_entry entry;
    int code = tn_replay_open(&replay, context, path);
    *compared = 0;
    while (code == TN_OK && (code = tn_replay_next(&entry, replay)) == TN_OK) {
        *compared += entry.compared;
        if (!entry.same)
            fail_msg("%s:%d: another state after: %s", path, entry.line, entry.text);
    }
    if (code < 0) {
        tn_diagnostics_print(context, stderr);
        fail_msg("%s", tn_error_text(code));
    }
    uint64_t hash = tn_session_hash(tn_replay_session(replay));
    *complete = tn_replay_complete(replay);
    tn_replay_close(replay);
    tn_context_destroy(context);
    return hash;
}

#endif
