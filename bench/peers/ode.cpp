// ODE: absolute coordinates, every joint a constraint, one dense LCP per step (dWorldStep, exact for bilateral joints).
// It has no call for accelerations alone: forward is one very short step.
#include <cstdio>
#include <vector>

#include <ode/ode.h>

#include "engine.h"

struct engine {
    const scene *s;
    dWorldID world;
    std::vector<dBodyID> bodies;
    double dt;
};

namespace {

const char *const methods[] = { "step", nullptr };
const double INSTANT = 1e-7;    // s: step that stands for an instant

void add_body(engine *e, const scene_body &b)
{
    const scene_motion &m = b.start;
    dBodyID body = dBodyCreate(e->world);
    dMass mass;
    dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia[0], b.inertia[1], b.inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, m.c[0], m.c[1], m.c[2]);
    dQuaternion q = { b.q[0], b.q[1], b.q[2], b.q[3] };
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, m.v[0], m.v[1], m.v[2]);
    dBodySetAngularVel(body, m.w[0], m.w[1], m.w[2]);
    e->bodies.push_back(body);
}

void add_hinge(engine *e, int body1, int body2, const double *p, const double *axis)
{
    dJointID joint = dJointCreateHinge(e->world, nullptr);
    dJointAttach(joint, e->bodies[body2], body1 < 0 ? nullptr : e->bodies[body1]);
    dJointSetHingeAnchor(joint, p[0], p[1], p[2]);
    dJointSetHingeAxis(joint, axis[0], axis[1], axis[2]);
}

void add_joint(engine *e, int i)
{
    const scene_body &b = e->s->bodies[i];
    if (b.joint == SCENE_BALL) {
        dJointID joint = dJointCreateBall(e->world, nullptr);
        dJointAttach(joint, e->bodies[i], b.parent < 0 ? nullptr : e->bodies[b.parent]);
        dJointSetBallAnchor(joint, b.p[0], b.p[1], b.p[2]);
        return;
    }
    dVector3 axis;
    dBodyVectorToWorld(e->bodies[i], b.axis[0], b.axis[1], b.axis[2], axis);
    add_hinge(e, b.parent, i, b.p, axis);
}

engine *create(const scene *s, const char *, double accuracy, char *settings)
{
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    engine *e = new engine{ s, dWorldCreate(), {}, accuracy > 0 ? accuracy : INSTANT };
    dWorldSetGravity(e->world, s->gravity[0], s->gravity[1], s->gravity[2]);
    dWorldSetERP(e->world, 0.2);
    dWorldSetCFM(e->world, 1e-12);
    for (int i = 0; i < s->count; i++)
        add_body(e, s->bodies[i]);
    for (int i = 0; i < s->count; i++)
        add_joint(e, i);
    for (int k = 0; k < s->loop_count; k++) {
        const scene_loop &l = s->loops[k];
        dVector3 p;
        const double *com = s->bodies[l.body1].com;
        dBodyGetRelPointPos(e->bodies[l.body1], l.at1[0] - com[0], l.at1[1] - com[1], l.at1[2] - com[2], p);
        add_hinge(e, l.body1, l.body2, p, l.axis);
    }
    std::snprintf(settings, 200, "0.16 double; dWorldStep; ERP 0.2; CFM 1e-12");
    return e;
}

void step(engine *e)
{
    dWorldStep(e->world, e->dt);
}

// Velocities after an instant, less those before it, which the scene has.
void accelerations(engine *e, double *a)
{
    for (int i = 0; i < e->s->count; i++) {
        const scene_motion &m = e->s->bodies[i].start;
        const dReal *v = dBodyGetLinearVel(e->bodies[i]), *w = dBodyGetAngularVel(e->bodies[i]);
        for (int k = 0; k < 3; k++) {
            a[6 * i + k] = (v[k] - m.v[k]) / e->dt;
            a[6 * i + 3 + k] = (w[k] - m.w[k]) / e->dt;
        }
    }
}

int advance(engine *e, double t)
{
    long steps = static_cast<long>(t / e->dt + 0.5);
    for (long k = 0; k < steps; k++)
        step(e);
    return 1;
}

void motion(engine *e, scene_motion *m)
{
    for (int i = 0; i < e->s->count; i++) {
        const dReal *c = dBodyGetPosition(e->bodies[i]), *v = dBodyGetLinearVel(e->bodies[i]);
        const dReal *w = dBodyGetAngularVel(e->bodies[i]), *R = dBodyGetRotation(e->bodies[i]);
        for (int r = 0; r < 3; r++) {
            m[i].c[r] = c[r];
            m[i].v[r] = v[r];
            m[i].w[r] = w[r];
            for (int k = 0; k < 3; k++)
                m[i].R[r][k] = R[4 * r + k];
        }
    }
}

}  // namespace

extern "C" const engine_type bench_engine = {
    "ode", methods, create, step, accelerations, step, advance, motion,
};
