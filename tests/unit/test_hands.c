/* Examples in the hands of somebody who tries everything: pulls, drags, takes joints off and puts them on again, at random.
 * Whatever is asked for, the motion can go on. */
#include "mechanisms.h"
#include "random.h"

enum { DEEDS = 8, TRIES = 5 };

typedef struct toy {
    const char *file;
    const char *bodies[4], *joints[6]; /* ending in NULL */
    double size;                           /* m */
} toy;
static const toy toys[] = {
    { "four-bar", { "crank", "coupler", "rocker" }, { "pivot", "elbow", "wrist", "hinge" }, 0.2 },
    { "slider-crank", { "crank", "rod", "piston" }, { "pivot", "elbow", "wrist", "slide" }, 0.15 },
    { "door", { "leaf" }, { NULL }, 0.15 },
    { "gear-train", { "gear", "wheel", "rack" }, { "shaft1", "shaft2", "slide", "mesh", "pinion" }, 0.1 },
    { "ratchet", { "drum", "crate" }, { "axle", "shaft", "rope" }, 0.1 },
    { "incline", { "block" }, { NULL }, 0.15 },
    { "newtons-cradle", { "b1", "b2", "b4" }, { "p1", "p2", "p4" }, 0.1 },
    { "falling-parts", { "upper", "lower" }, { "pivot" }, 0.15 },
    { "gyroscope", { "arm", "rotor" }, { "pivot", "spin" }, 0.15 },
};

typedef struct player {
    machine m;
    const toy *toy;
    uint32_t random;
    tn_id body;
    tn_pose pose;
} player;

static const char *any(player *p, const char *const *names)
{
    uint32_t count = 0;
    while (names[count])
        count++;
    return count > 0 ? names[next_random(&p->random) % count] : NULL;
}

static void run(player *p, double duration)
{
    machine_must(&p->m, tn_session_advance(p->m.session, duration));
}

/* Somewhere near where it was. */
static void move_target(player *p, double target[3])
{
    for (int k = 0; k < tn_model_dimension(p->m.model); k++)
        target[k] += between(&p->random, -0.3, 0.3) * p->toy->size;
}

static void pull(player *p)
{
    tn_pull hand = { .body = p->body, .omega = 25 };
    random_vector(&p->random, 2, p->toy->size, hand.at);
    memcpy(hand.target, p->pose.p, sizeof hand.target);
    if (tn_session_pull(p->m.session, &hand) < 0)      /* it cannot move at all */
        return;
    for (int k = 0; k < 10; k++) {
        move_target(p, hand.target);
        machine_must(&p->m, tn_session_pull(p->m.session, &hand));
        run(p, 0.03);
    }
    machine_must(&p->m, tn_session_release(p->m.session));
}

static void drag(player *p)
{
    tn_drag hand = { .body = p->body };
    random_vector(&p->random, 2, p->toy->size, hand.at);
    memcpy(hand.target, p->pose.p, sizeof hand.target);
    for (int k = 0; k < 6; k++) {
        move_target(p, hand.target);
        hand.more = k > 0;
        machine_must(&p->m, tn_session_drag(NULL, p->m.session, &hand));
    }
}

/* Commands may be refused: what is off already, or has come too far apart. */
static void take_off_and_put_on(player *p, const char *joint, bool remove)
{
    char text[100];
    snprintf(text, sizeof text, "{ %s: %s }", remove ? "remove" : "disable", joint);
    if (tn_session_apply(NULL, p->m.session, text) < 0)
        return;
    run(p, between(&p->random, 0.01, 0.1));
    snprintf(text, sizeof text, "{ enable: %s, closing: snap }", joint);
    if (remove)
        tn_session_undo(NULL, p->m.session, next_random(&p->random) % 2);
    else
        tn_session_apply(NULL, p->m.session, text);
}

static void play(player *p)
{
    run(p, between(&p->random, 0.05, 0.3));
    uint32_t deed = next_random(&p->random) % 4;
    const char *joint = any(p, p->toy->joints);
    p->body = tn_model_find(tn_session_model(p->m.session), any(p, p->toy->bodies));
    machine_must(&p->m, tn_session_pose(&p->pose, p->m.session, p->body));
    if (deed == 0 || (deed == 1 && !joint))
        pull(p);
    else if (deed == 1 || !joint)
        drag(p);
    else
        take_off_and_put_on(p, joint, deed == 2);
}

static void test_every_toy(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof toys / sizeof toys[0]; k++)
        for (uint32_t try = 0; try < TRIES; try++) {
            char path[300];
            snprintf(path, sizeof path, TENON_SOURCE_DIR "/examples/%s.yaml", toys[k].file);
            player p = { .m = machine_read(path), .toy = &toys[k], .random = 1000 + try };
            machine_must(&p.m, tn_session_open(&p.m.session, p.m.model, NULL));
            for (int deed = 0; deed < DEEDS; deed++)
                play(&p);
            run(&p, 0.2);
            machine_close(&p.m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_toy) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
