// Bullet: spheres fall into a box, for bench/heaps.py. Reads: number of spheres, half width of the box, radius, friction,
// restitution, seconds; then the centre of each sphere. Steps at Bullet's 240 Hz with its usual solver. Prints processor time
// (s) of the steps and the deepest overlap (m).
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

#include <btBulletDynamicsCommon.h>

int main()
{
    int count = 0;
    double wall = 0, radius = 0, friction = 0, restitution = 0, until = 0, deepest = 0;
    if (std::scanf("%d %lf %lf %lf %lf %lf", &count, &wall, &radius, &friction, &restitution, &until) != 6)
        return 1;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, 0, -9.81));
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    auto add = [&](btCollisionShape *shape, double mass, const btVector3 &place) {
        shapes.emplace_back(shape);
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            inertia.setValue(0.4 * mass * radius * radius, 0.4 * mass * radius * radius, 0.4 * mass * radius * radius);
        bodies.emplace_back(new btRigidBody(mass, nullptr, shape, inertia));
        btTransform pose(btQuaternion::getIdentity(), place);
        bodies.back()->setWorldTransform(pose);
        bodies.back()->setFriction(std::sqrt(friction));           // Bullet multiplies those of both bodies
        bodies.back()->setRestitution(std::sqrt(restitution));
        world.addRigidBody(bodies.back().get());
    };
    const btVector3 normals[] = { { 0, 0, 1 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } };
    for (const btVector3 &n : normals)
        add(new btStaticPlaneShape(n, n.z() > 0 ? 0 : -wall), 0, btVector3(0, 0, 0));
    for (int k = 0; k < count; k++) {
        double x, y, z;
        if (std::scanf("%lf %lf %lf", &x, &y, &z) != 3)
            return 1;
        add(new btSphereShape(radius), 1, btVector3(x, y, z));
    }
    std::clock_t start = std::clock();
    for (int k = 0; k < static_cast<int>(240 * until); k++) {
        world.stepSimulation(1. / 240, 0, 1. / 240);
        for (int m = 0; m < dispatcher.getNumManifolds(); m++)
            for (int p = 0; p < dispatcher.getManifoldByIndexInternal(m)->getNumContacts(); p++)
                deepest = std::fmax(deepest, -dispatcher.getManifoldByIndexInternal(m)->getContactPoint(p).getDistance());
    }
    std::printf("%.6g %.3g\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, deepest);
    for (auto &body : bodies)
        world.removeRigidBody(body.get());
    return 0;
}
