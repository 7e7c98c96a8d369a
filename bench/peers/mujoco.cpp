// MuJoCo: joint coordinates, composite-body inertia and sparse factorization; loops closed softly by "connect".
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include "engine.h"

struct engine {
    const scene *s;
    mjModel *model;
    mjData *data;
    std::vector<int> body;      // MuJoCo's number of every body of the scene
};

namespace {

const char *const methods[] = { "euler", "rk4", nullptr };
// Bodies nested deeper than this go into an included file: the XML parser limits depth.
const int NESTED = 60;

std::string format(const char *pattern, const double *x, int n)
{
    std::string text;
    char number[40];
    for (int k = 0; k < n; k++) {
        std::snprintf(number, sizeof number, k ? " %.17g" : "%.17g", x[k]);
        text += number;
    }
    return std::string(pattern) + "=\"" + text + "\" ";
}

struct writer {
    const scene *s;
    std::vector<std::vector<int>> children;
    std::vector<std::string> files;     // file 0 is the model

    void body(int i, int depth, size_t file)
    {
        if (depth == NESTED) {
            files.emplace_back("<mujocoinclude>\n");
            size_t inner = files.size() - 1;
            body(i, 0, inner);
            files[inner] += "</mujocoinclude>\n";
            files[file] += "<include file=\"part" + std::to_string(inner) + ".xml\"/>\n";
            return;
        }
        const scene_body &b = s->bodies[i];
        files[file] += "<body name=\"b" + std::to_string(i) + "\" " + format("pos", b.at, 3) +
                       format("quat", b.turn, 4) + "><inertial " + format("pos", b.com, 3) +
                       format("mass", &b.mass, 1) +
                       format("diaginertia", b.inertia, 3) + "/>" +
                       (b.joint == SCENE_BALL ? std::string("<joint type=\"ball\"/>\n")
                                              : "<joint type=\"hinge\" " + format("axis", b.axis, 3) + "/>\n");
        for (int child : children[i])
            body(child, depth + 1, file);
        files[file] += "</body>\n";
    }

    void model(const char *method, double dt)
    {
        double solref[2] = { 2 * dt, 1 };
        files.emplace_back("<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/>");
        std::string header = "<option " + format("timestep", &dt, 1) + format("gravity", s->gravity, 3) +
                             "integrator=\"" + (std::strcmp(method, "rk4") ? "Euler" : "RK4") +
                             "\" solver=\"Newton\" tolerance=\"1e-12\" jacobian=\"sparse\">"
                             "<flag contact=\"disable\" limit=\"disable\" frictionloss=\"disable\" passive=\"disable\" "
                             "actuation=\"disable\"/></option>";
        header += "<size njmax=\"" + std::to_string(3 * s->loop_count + 10) + "\" nconmax=\"1\" nstack=\"" +
                  std::to_string(200000 + 40000L * s->loop_count + 200L * s->count) + "\"/>\n<worldbody>\n";
        files[0] += header;
        for (int i = 0; i < s->count; i++)
            if (s->bodies[i].parent < 0)
                body(i, 0, 0);
        files[0] += "</worldbody><equality>\n";
        for (int k = 0; k < s->loop_count; k++) {
            const scene_loop &l = s->loops[k];
            files[0] += "<connect body1=\"b" + std::to_string(l.body1) + "\" body2=\"b" + std::to_string(l.body2) +
                        "\" " + format("anchor", l.at1, 3) + format("solref", solref, 2) +
                        "solimp=\"0.9999 0.9999 0.001 0.5 2\"/>\n";
        }
        files[0] += "</equality></mujoco>\n";
    }
};

mjModel *load(const std::vector<std::string> &files)
{
    std::vector<mjVFS> vfs(1);
    char error[500] = "";
    mj_defaultVFS(vfs.data());
    for (size_t k = 0; k < files.size(); k++) {
        std::string name = "part" + std::to_string(k) + ".xml";
        mj_makeEmptyFileVFS(vfs.data(), name.c_str(), static_cast<int>(files[k].size()));
        std::memcpy(vfs[0].filedata[vfs[0].nfile - 1], files[k].data(), files[k].size());
    }
    mjModel *model = mj_loadXML("part0.xml", vfs.data(), error, sizeof error);
    mj_deleteVFS(vfs.data());
    if (!model)
        std::fprintf(stderr, "mujoco: %s\n", error);
    return model;
}

engine *create(const scene *s, const char *method, double accuracy, char *settings)
{
    double dt = accuracy > 0 ? accuracy : 1e-3;
    writer w{ s, std::vector<std::vector<int>>(s->count), {} };
    for (int i = 0; i < s->count; i++)
        if (s->bodies[i].parent >= 0)
            w.children[s->bodies[i].parent].push_back(i);
    w.model(method, dt);
    mjModel *model = load(w.files);
    if (!model)
        return nullptr;
    engine *e = new engine{ s, model, mj_makeData(model), {} };
    for (int i = 0; i < s->count; i++)
        e->body.push_back(mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
    for (int i = 0; i < s->count; i++) {
        const scene_body &b = s->bodies[i];
        mjtNum *qvel = e->data->qvel + model->body_dofadr[e->body[i]];
        if (b.joint == SCENE_BALL)
            std::memcpy(qvel, b.spin, sizeof b.spin);
        else
            qvel[0] = b.rate;
    }
    mj_forward(model, e->data);
    std::snprintf(settings, 200, "%s; %s; contacts off; Newton 1e-12; sparse; solref 2dt 1; solimp 0.9999; double",
                  mj_versionString(), method);
    return e;
}

void forward(engine *e)
{
    mj_forward(e->model, e->data);
}

void accelerations(engine *e, double *a)
{
    std::vector<double> joint;
    for (int i = 0; i < e->s->count; i++) {
        const mjtNum *qacc = e->data->qacc + e->model->body_dofadr[e->body[i]];
        joint.insert(joint.end(), qacc, qacc + (e->s->bodies[i].joint == SCENE_BALL ? 3 : 1));
    }
    scene_accelerations(e->s, joint.data(), a);
}

void step(engine *e)
{
    mj_step(e->model, e->data);
}

int advance(engine *e, double t)
{
    long steps = static_cast<long>(t / e->model->opt.timestep + 0.5);
    for (long k = 0; k < steps; k++)
        mj_step(e->model, e->data);
    return e->data->warning[mjWARN_BADQACC].number == 0;
}

void motion(engine *e, scene_motion *m)
{
    mj_kinematics(e->model, e->data);
    mj_comPos(e->model, e->data);
    mj_comVel(e->model, e->data);
    for (int i = 0; i < e->s->count; i++) {
        mjtNum velocity[6];
        int b = e->body[i];
        mj_objectVelocity(e->model, e->data, mjOBJ_BODY, b, velocity, 0);
        std::memcpy(m[i].c, e->data->xipos + 3 * b, sizeof m[i].c);
        std::memcpy(m[i].R, e->data->xmat + 9 * b, sizeof m[i].R);
        std::memcpy(m[i].w, velocity, sizeof m[i].w);
        std::memcpy(m[i].v, velocity + 3, sizeof m[i].v);
    }
}

}  // namespace

extern "C" const engine_type bench_engine = {
    "mujoco", methods, create, forward, accelerations, step, advance, motion,
};
