// Bullet: btMultiBody (articulated-body algorithm, joint coordinates); loops closed by point-to-point constraints
// between multi-bodies, solved by projected Gauss-Seidel. The double-precision library.
#include <cstdio>
#include <cstring>
#include <vector>

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletCollisionCommon.h>

#include "engine.h"

namespace {

const int ITERATIONS = 100;

struct link_place {
    int tree, link;             // which multi-body, which of its links
};

}  // namespace

struct engine {
    const scene *s;
    double dt;
    bool with_state;            // forward: joint positions are set before the accelerations are asked for
    std::vector<btMultiBody *> trees;
    std::vector<link_place> place;
    btAlignedObjectArray<btScalar> r;
    btAlignedObjectArray<btVector3> v;
    btAlignedObjectArray<btMatrix3x3> m;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{ &configuration };
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btSphereShape point{ 1e-3 };
    btMultiBodyDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
};

namespace {

const char *const methods[] = { "euler", "state", "rk4", nullptr };

btVector3 vec(const double *x)
{
    return btVector3(x[0], x[1], x[2]);
}

void find_trees(engine *e, std::vector<int> &sizes)
{
    for (int i = 0; i < e->s->count; i++) {
        int parent = e->s->bodies[i].parent;
        int tree = parent < 0 ? static_cast<int>(sizes.size()) : e->place[parent].tree;
        if (parent < 0)
            sizes.push_back(0);
        e->place.push_back({ tree, sizes[tree]++ });
    }
}

void add_link(engine *e, int i)
{
    const scene_body &b = e->s->bodies[i];
    btMultiBody *tree = e->trees[e->place[i].tree];
    int link = e->place[i].link, parent = b.parent < 0 ? -1 : e->place[b.parent].link;
    btVector3 offset = vec(b.at) - (b.parent < 0 ? btVector3(0, 0, 0) : vec(e->s->bodies[b.parent].com));
    btQuaternion none(0, 0, 0, 1);
    if (b.joint == SCENE_BALL)
        tree->setupSpherical(link, b.mass, vec(b.inertia), parent, none, offset, vec(b.com), true);
    else
        tree->setupRevolute(link, b.mass, vec(b.inertia), parent, none, vec(b.axis), offset, vec(b.com), true);
}

void set_positions(engine *e)
{
    for (int i = 0; i < e->s->count; i++) {
        const scene_body &b = e->s->bodies[i];
        double turn[4] = { b.turn[1], b.turn[2], b.turn[3], b.turn[0] };
        double angle = b.angle;
        e->trees[e->place[i].tree]->setJointPosMultiDof(e->place[i].link, b.joint == SCENE_BALL ? turn : &angle);
    }
}

void set_velocities(engine *e)
{
    for (int i = 0; i < e->s->count; i++) {
        const scene_body &b = e->s->bodies[i];
        e->trees[e->place[i].tree]->setJointVelMultiDof(e->place[i].link, b.joint == SCENE_BALL ? b.spin : &b.rate);
    }
}

// Constraints act only between links that have a collider; these collide with nothing.
void add_collider(engine *e, int body)
{
    const link_place &place = e->place[body];
    auto *collider = new btMultiBodyLinkCollider(e->trees[place.tree], place.link);
    collider->setCollisionShape(&e->point);
    e->trees[place.tree]->getLink(place.link).m_collider = collider;
    e->world.addCollisionObject(collider, 0, 0);
}

void add_loops(engine *e)
{
    for (int i = 0; e->s->loop_count > 0 && i < e->s->count; i++)
        add_collider(e, i);
    for (int k = 0; k < e->s->loop_count; k++) {
        const scene_loop &l = e->s->loops[k];
        const link_place &a = e->place[l.body1], &b = e->place[l.body2];
        auto *pin = new btMultiBodyPoint2Point(e->trees[a.tree], a.link, e->trees[b.tree], b.link,
                                               vec(l.at1) - vec(e->s->bodies[l.body1].com),
                                               vec(l.at2) - vec(e->s->bodies[l.body2].com));
        pin->setMaxAppliedImpulse(1e30);
        e->world.addMultiBodyConstraint(pin);
    }
}

engine *create(const scene *s, const char *method, double accuracy, char *settings)
{
    engine *e = new engine;
    std::vector<int> sizes;
    e->s = s;
    e->dt = accuracy;
    e->with_state = std::strcmp(method, "state") == 0;
    find_trees(e, sizes);
    for (int size : sizes) {
        auto *tree = new btMultiBody(size, 0, btVector3(0, 0, 0), true, false);
        tree->setLinearDamping(0);
        tree->setAngularDamping(0);
        tree->setMaxCoordinateVelocity(1e30);
        tree->setUseGyroTerm(true);
        tree->useRK4Integration(std::strcmp(method, "rk4") == 0);
        e->trees.push_back(tree);
    }
    for (int i = 0; i < s->count; i++)
        add_link(e, i);
    for (auto *tree : e->trees) {
        tree->finalizeMultiDof();
        e->world.addMultiBody(tree);
    }
    set_positions(e);
    set_velocities(e);
    add_loops(e);
    e->world.setGravity(vec(s->gravity));
    e->world.getSolverInfo().m_numIterations = ITERATIONS;
    if (accuracy == 0)
        for (int i = 0; i < s->count; i++)
            e->trees[e->place[i].tree]->addLinkForce(e->place[i].link, s->bodies[i].mass * vec(s->gravity));
    std::snprintf(settings, 200, "3.24 float64; %s; %d iterations; %s", method, ITERATIONS,
                  e->with_state ? "joint rotations from the state" : "joint rotations cached");
    return e;
}

void evaluate(engine *e, double dt)
{
    for (auto *tree : e->trees)
        tree->computeAccelerationsArticulatedBodyAlgorithmMultiDof(dt, e->r, e->v, e->m, false, false, false);
}

void forward(engine *e)
{
    if (e->with_state)
        set_positions(e);
    evaluate(e, 0);
}

// The algorithm adds dt times the accelerations to the velocities.
void accelerations(engine *e, double *a)
{
    std::vector<double> joint;
    evaluate(e, 1);
    for (int i = 0; i < e->s->count; i++) {
        const scene_body &b = e->s->bodies[i];
        const btScalar *after = e->trees[e->place[i].tree]->getJointVelMultiDof(e->place[i].link);
        for (int k = 0; k < (b.joint == SCENE_BALL ? 3 : 1); k++)
            joint.push_back(after[k] - (b.joint == SCENE_BALL ? b.spin[k] : b.rate));
    }
    set_velocities(e);
    scene_accelerations(e->s, joint.data(), a);
}

void step(engine *e)
{
    e->world.stepSimulation(e->dt, 0);
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
    std::vector<std::vector<btVector3>> omega, velocity;
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    for (auto *tree : e->trees) {
        omega.emplace_back(tree->getNumLinks() + 1);
        velocity.emplace_back(tree->getNumLinks() + 1);
        tree->forwardKinematics(turns, places);
        tree->compTreeLinkVelocities(omega.back().data(), velocity.back().data());
    }
    for (int i = 0; i < e->s->count; i++) {
        int tree = e->place[i].tree, link = e->place[i].link;
        const btTransform &x = e->trees[tree]->getLink(link).m_cachedWorldTransform;
        btVector3 w = x.getBasis() * omega[tree][link + 1], v = x.getBasis() * velocity[tree][link + 1];
        for (int r = 0; r < 3; r++) {
            m[i].c[r] = x.getOrigin()[r];
            m[i].v[r] = v[r];
            m[i].w[r] = w[r];
            for (int c = 0; c < 3; c++)
                m[i].R[r][c] = x.getBasis()[r][c];
        }
    }
}

}  // namespace

extern "C" const engine_type bench_engine = {
    "bullet", methods, create, forward, accelerations, step, advance, motion,
};
