// Simbody: joint coordinates, order-N articulated-body algorithm; loops closed by Ball constraints with projection.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <Simbody.h>

#include "engine.h"

using namespace SimTK;

struct engine {
    const scene *s;
    MultibodySystem system;
    SimbodyMatterSubsystem matter{ system };
    GeneralForceSubsystem forces{ system };
    std::vector<MobilizedBody> bodies;
    std::unique_ptr<Integrator> integrator;
    State state;
    double dt = 0;
    bool running = false;
};

namespace {

const char *const methods[] = { "rk-merson", "cpodes", "rk-merson-fixed", nullptr };

Vec3 vec(const double *x)
{
    return Vec3(x[0], x[1], x[2]);
}

void add_body(engine *e, const scene_body &b)
{
    Inertia central(b.inertia[0], b.inertia[1], b.inertia[2]);
    Body::Rigid body(MassProperties(b.mass, vec(b.com), central.shiftFromMassCenter(vec(b.com), b.mass)));
    MobilizedBody &parent = b.parent < 0 ? static_cast<MobilizedBody &>(e->matter.Ground()) : e->bodies[b.parent];
    if (b.joint == SCENE_BALL) {
        e->bodies.push_back(MobilizedBody::Ball(parent, Transform(vec(b.at)), body, Transform()));
        return;
    }
    Rotation along(UnitVec3(vec(b.axis)), ZAxis);
    e->bodies.push_back(MobilizedBody::Pin(parent, Transform(along, vec(b.at)), body, Transform(along)));
}

void set_state(engine *e)
{
    for (int i = 0; i < e->s->count; i++) {
        const scene_body &b = e->s->bodies[i];
        if (b.joint == SCENE_BALL) {
            Rotation turn(Quaternion(b.turn[0], b.turn[1], b.turn[2], b.turn[3]));
            e->bodies[i].setQToFitRotation(e->state, turn);
            e->bodies[i].setUToFitAngularVelocity(e->state, turn * vec(b.spin));
        } else {
            e->bodies[i].setOneQ(e->state, 0, b.angle);
            e->bodies[i].setOneU(e->state, 0, b.rate);
        }
    }
}

void make_integrator(engine *e, const char *method, double accuracy)
{
    if (std::strcmp(method, "cpodes") == 0)
        e->integrator = std::make_unique<CPodesIntegrator>(e->system, CPodes::BDF, CPodes::Newton);
    else
        e->integrator = std::make_unique<RungeKuttaMersonIntegrator>(e->system);
    if (std::strcmp(method, "rk-merson-fixed") == 0) {
        e->integrator->setFixedStepSize(accuracy);
        e->integrator->setConstraintTolerance(1e-10);
    } else {
        e->integrator->setAccuracy(accuracy);
        e->integrator->setConstraintTolerance(accuracy);
    }
    e->integrator->initialize(e->state);
    e->integrator->stepTo(0);                   // the first call only reports the start
    e->running = true;
}

engine *create(const scene *s, const char *method, double accuracy, char *settings)
{
    engine *e = new engine;
    e->s = s;
    e->dt = accuracy;
    for (int i = 0; i < s->count; i++)
        add_body(e, s->bodies[i]);
    for (int k = 0; k < s->loop_count; k++) {
        const scene_loop &l = s->loops[k];
        Constraint::Ball(e->bodies[l.body1], vec(l.at1), e->bodies[l.body2], vec(l.at2));
    }
    Force::UniformGravity(e->forces, e->matter, vec(s->gravity));
    e->state = e->system.realizeTopology();
    e->system.realizeModel(e->state);
    set_state(e);
    e->system.realize(e->state, Stage::Acceleration);
    if (accuracy > 0)
        make_integrator(e, method, accuracy);
    std::snprintf(settings, 200, "3.7; %s; double", method);
    return e;
}

// Asking for write access to q and u makes everything that follows from them out of date.
void forward(engine *e)
{
    e->state.updQ();
    e->state.updU();
    e->system.realize(e->state, Stage::Acceleration);
}

void accelerations(engine *e, double *a)
{
    for (int i = 0; i < e->s->count; i++) {
        Vec3 linear = e->bodies[i].findStationAccelerationInGround(e->state, vec(e->s->bodies[i].com));
        Vec3 angular = e->bodies[i].getBodyAngularAcceleration(e->state);
        for (int k = 0; k < 3; k++) {
            a[6 * i + k] = linear[k];
            a[6 * i + 3 + k] = angular[k];
        }
    }
}

void step(engine *e)
{
    e->integrator->stepTo(e->integrator->getTime() + e->dt);
}

int advance(engine *e, double t)
{
    try {
        while (e->integrator->getTime() < t)
            e->integrator->stepTo(t);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "simbody: %s\n", problem.what());
        return 0;
    }
    return 1;
}

void motion(engine *e, scene_motion *m)
{
    const State &state = e->running ? e->integrator->getState() : e->state;
    e->system.realize(state, Stage::Velocity);
    for (int i = 0; i < e->s->count; i++) {
        const MobilizedBody &body = e->bodies[i];
        Vec3 com = vec(e->s->bodies[i].com), c = body.findStationLocationInGround(state, com);
        Vec3 v = body.findStationVelocityInGround(state, com), w = body.getBodyAngularVelocity(state);
        const Rotation &R = body.getBodyRotation(state);
        for (int r = 0; r < 3; r++) {
            m[i].c[r] = c[r];
            m[i].v[r] = v[r];
            m[i].w[r] = w[r];
            for (int k = 0; k < 3; k++)
                m[i].R[r][k] = R[r][k];
        }
    }
}

}  // namespace

extern "C" const engine_type bench_engine = {
    "simbody", methods, create, forward, accelerations, step, advance, motion,
};
