// DART: joint coordinates, articulated-body algorithm; loops closed by BallJointConstraint (LCP, semi-implicit Euler).
#include <cmath>
#include <cstdio>
#include <vector>

#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "engine.h"

using namespace dart::dynamics;

struct engine {
    const scene *s;
    std::vector<SkeletonPtr> trees;
    std::vector<BodyNode *> bodies;
    dart::simulation::WorldPtr world;
    double root_position, root_velocity;    // of the first freedom, as the scene has it
};

namespace {

const char *const methods[] = { "euler", nullptr };

Eigen::Vector3d vec(const double *x)
{
    return Eigen::Vector3d(x[0], x[1], x[2]);
}

void set_body(BodyNode *node, const scene_body &b)
{
    Eigen::Matrix3d moment = vec(b.inertia).asDiagonal();
    node->setInertia(Inertia(b.mass, vec(b.com), moment));
    node->setGravityMode(true);
}

void add_body(engine *e, const scene_body &b)
{
    if (b.parent < 0) {
        e->trees.push_back(Skeleton::create("tree" + std::to_string(e->trees.size())));
        e->trees.back()->setGravity(vec(e->s->gravity));
    }
    BodyNode *parent = b.parent < 0 ? nullptr : e->bodies[b.parent];
    SkeletonPtr tree = b.parent < 0 ? e->trees.back() : parent->getSkeleton();
    std::string name = "b" + std::to_string(e->bodies.size());
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = vec(b.at);
    BodyNode *node = nullptr;
    if (b.joint == SCENE_BALL) {
        BallJoint::Properties joint;
        joint.mName = name;
        joint.mT_ParentBodyToJoint = at;
        node = tree->createJointAndBodyNodePair<BallJoint>(parent, joint, BodyNode::AspectProperties(name)).second;
        Eigen::Quaterniond turn(b.turn[0], b.turn[1], b.turn[2], b.turn[3]);
        node->getParentJoint()->setPositions(BallJoint::convertToPositions(turn.toRotationMatrix()));
        node->getParentJoint()->setVelocities(vec(b.spin));
    } else {
        RevoluteJoint::Properties joint;
        joint.mName = name;
        joint.mT_ParentBodyToJoint = at;
        joint.mAxis = vec(b.axis);
        node = tree->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, BodyNode::AspectProperties(name)).second;
        node->getParentJoint()->setPosition(0, b.angle);
        node->getParentJoint()->setVelocity(0, b.rate);
    }
    set_body(node, b);
    e->bodies.push_back(node);
}

void add_loops(engine *e)
{
    for (int k = 0; k < e->s->loop_count; k++) {
        const scene_loop &l = e->s->loops[k];
        Eigen::Vector3d at = e->bodies[l.body1]->getWorldTransform() * vec(l.at1);
        e->world->getConstraintSolver()->addConstraint(
            std::make_shared<dart::constraint::BallJointConstraint>(e->bodies[l.body1], e->bodies[l.body2], at));
    }
}

engine *create(const scene *s, const char *, double accuracy, char *settings)
{
    engine *e = new engine;
    e->s = s;
    for (int i = 0; i < s->count; i++)
        add_body(e, s->bodies[i]);
    if (accuracy > 0) {
        e->world = dart::simulation::World::create();
        e->world->setGravity(vec(s->gravity));
        e->world->setTimeStep(accuracy);
        for (auto &tree : e->trees)
            e->world->addSkeleton(tree);
        add_loops(e);
    }
    e->root_position = e->trees[0]->getRootJoint()->getPosition(0);
    e->root_velocity = e->trees[0]->getRootJoint()->getVelocity(0);
    std::snprintf(settings, 200, "6.12; semi-implicit Euler; default LCP solver; double");
    return e;
}

// A root's state that differs in the last bit marks everything below it as changed; an equal one would not.
double other(double now, double original)
{
    return now == original ? std::nextafter(original, 1e9) : original;
}

void forward(engine *e)
{
    for (auto &tree : e->trees) {
        Joint *root = tree->getRootJoint();
        root->setPosition(0, other(root->getPosition(0), e->root_position));
        root->setVelocity(0, other(root->getVelocity(0), e->root_velocity));
        tree->computeForwardDynamics();
    }
}

void accelerations(engine *e, double *a)
{
    for (int i = 0; i < e->s->count; i++) {
        Eigen::Vector3d linear = e->bodies[i]->getCOMLinearAcceleration();
        Eigen::Vector3d angular = e->bodies[i]->getAngularAcceleration();
        for (int k = 0; k < 3; k++) {
            a[6 * i + k] = linear[k];
            a[6 * i + 3 + k] = angular[k];
        }
    }
}

void step(engine *e)
{
    e->world->step();
}

int advance(engine *e, double t)
{
    long steps = static_cast<long>(t / e->world->getTimeStep() + 0.5);
    for (long k = 0; k < steps; k++)
        e->world->step();
    return 1;
}

void motion(engine *e, scene_motion *m)
{
    for (int i = 0; i < e->s->count; i++) {
        const BodyNode *body = e->bodies[i];
        Eigen::Vector3d c = body->getCOM(), v = body->getCOMLinearVelocity(), w = body->getAngularVelocity();
        Eigen::Matrix3d R = body->getWorldTransform().linear();
        for (int r = 0; r < 3; r++) {
            m[i].c[r] = c[r];
            m[i].v[r] = v[r];
            m[i].w[r] = w[r];
            for (int k = 0; k < 3; k++)
                m[i].R[r][k] = R(r, k);
        }
    }
}

}  // namespace

extern "C" const engine_type bench_engine = {
    "dart", methods, create, forward, accelerations, step, advance, motion,
};
