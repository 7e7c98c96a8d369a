/* USD text with the physics schema: rigid bodies, masses, shapes and joints. Lengths are in metersPerUnit, angles in degrees,
 * quaternions have their real part first. */
#include "usd_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <string.h>

static const double DEGREE = 3.141592653589793 / 180;

/* ---- transforms ---- */

typedef struct usd_affine {
    double turn[3][3], shift[3];
} usd_affine;

static usd_affine affine_identity(void)
{
    return (usd_affine){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
}

/* b first, then a */
static usd_affine affine_compose(const usd_affine *a, const usd_affine *b)
{
    usd_affine c;
    for (int i = 0; i < 3; i++) {
        c.shift[i] = a->shift[i];
        for (int j = 0; j < 3; j++) {
            c.shift[i] += a->turn[i][j] * b->shift[j];
            c.turn[i][j] = a->turn[i][0] * b->turn[0][j] + a->turn[i][1] * b->turn[1][j] + a->turn[i][2] * b->turn[2][j];
        }
    }
    return c;
}

/* One operation: "xformOp:rotateXYZ", perhaps with a suffix behind it. */
static bool read_op(usd_reader *r, const usd_prim *prim, const char *name, usd_affine *out)
{
    const char *op = name + strlen("xformOp:");
    double v[16] = { 0 }, q[4];
    *out = affine_identity();
    if (strncmp(op, "translate", 9) == 0) {
        tn_usd_numbers(r, prim, name, out->shift, 3);
    } else if (strncmp(op, "scale", 5) == 0) {
        v[0] = v[1] = v[2] = 1;
        tn_usd_numbers(r, prim, name, v, 3);
        for (int k = 0; k < 3; k++)
            out->turn[k][k] = v[k];
    } else if (strncmp(op, "orient", 6) == 0) {
        v[0] = 1;
        tn_usd_numbers(r, prim, name, v, 4);
        memcpy(q, v, sizeof q);
        tn_quat_normalize(q);
        tn_quat_matrix(out->turn, q);
    } else if (strncmp(op, "rotate", 6) == 0) {
        size_t axes = strspn(op + 6, "XYZ");
        if ((axes != 1 && axes != 3) || !tn_usd_numbers(r, prim, name, v, axes))
            return axes == 1 || axes == 3;
        char sequence[4] = "XYZ";
        double angles[3] = { 0 };
        for (size_t k = 0; k < axes; k++) {
            sequence[k] = op[6 + k];
            angles[k] = v[k] * DEGREE;
        }
        tn_euler_quat(q, angles, sequence);
        tn_quat_matrix(out->turn, q);
    } else if (strncmp(op, "transform", 9) == 0) {
        if (tn_usd_numbers(r, prim, name, v, 16))
            for (int i = 0; i < 3; i++) {      /* rows are images of the axes */
                out->shift[i] = v[12 + i];
                for (int j = 0; j < 3; j++)
                    out->turn[i][j] = v[4 * j + i];
            }
    } else {
        return false;
    }
    return true;
}

static void place_prim(usd_reader *r, usd_prim *prim)
{
    const usd_attribute *order = tn_usd_get(prim, "xformOpOrder");
    usd_affine all = affine_identity(), op;
    if (prim->parent) {
        memcpy(all.turn, prim->parent->turn, sizeof all.turn);
        memcpy(all.shift, prim->parent->shift, sizeof all.shift);
    }
    for (size_t i = 0; order && i < order->text_count; i++) {
        const char *name = order->texts[i];
        if (strcmp(name, "!resetXformStack!") == 0) {
            all = affine_identity();
            continue;
        }
        if (strncmp(name, "xformOp:", 8) != 0 || !read_op(r, prim, name, &op)) {
            if (strncmp(name, "!invert!", 8) == 0)
                USD_ERROR(r, order->place, "'%s': inverted operations are not understood: flatten the stage first", prim->path);
            else
                tn_machine_leave_out(r->machine, order->place, "transform '%s'", name);
            continue;
        }
        all = affine_compose(&all, &op);
    }
    memcpy(prim->turn, all.turn, sizeof all.turn);
    memcpy(prim->shift, all.shift, sizeof all.shift);
}

tn_pose tn_usd_pose(const usd_reader *r, const usd_prim *prim, double scale[3])
{
    tn_pose pose = tn_pose_identity();
    double R[3][3];
    double x[3], y[3], z[3], handed;
    for (int k = 0; k < 3; k++) {
        x[k] = prim->turn[k][0];
        y[k] = prim->turn[k][1];
        pose.p[k] = prim->shift[k] * r->length;
        scale[k] = sqrt(prim->turn[0][k] * prim->turn[0][k] + prim->turn[1][k] * prim->turn[1][k] +
                        prim->turn[2][k] * prim->turn[2][k]);
    }
    if (!(scale[0] > 0 && scale[1] > 0 && scale[2] > 0))
        return pose;
    for (int k = 0; k < 3; k++)
        x[k] /= scale[0];
    tn_axpy3(y, -tn_dot3(x, y), x);
    double length = tn_norm3(y);
    for (int k = 0; k < 3 && length > 0; k++)
        y[k] /= length;
    tn_cross3(z, x, y);
    handed = z[0] * prim->turn[0][2] + z[1] * prim->turn[1][2] + z[2] * prim->turn[2][2];
    if (handed < 0)
        scale[2] = -scale[2];
    for (int k = 0; k < 3; k++)
        R[k][0] = x[k], R[k][1] = y[k], R[k][2] = z[k];
    tn_quat_from_matrix(pose.q, (const double (*)[3])R);
    return pose;
}

/* ---- bodies ---- */

/* Velocities: along and about axes of the prim's parent in principle; files give them in the world. Angular ones in deg/s. */
static void read_velocity(usd_reader *r, const usd_prim *prim, int body)
{
    double v[3] = { 0 }, w[3] = { 0 };
    tn_machine_body *b = &r->machine->bodies[body];
    bool given = tn_usd_numbers(r, prim, "physics:velocity", v, 3);
    given = tn_usd_numbers(r, prim, "physics:angularVelocity", w, 3) || given;
    for (int k = 0; k < 3; k++) {
        b->velocity[k] = v[k] * r->length;
        b->angular_velocity[k] = w[k] * DEGREE;
    }
    b->moving = given && (tn_norm3(b->velocity) > 0 || tn_norm3(b->angular_velocity) > 0);
}

static void fix_to_ground(usd_reader *r, int body, const char *source)
{
    tn_machine *machine = r->machine;
    int joint = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_base", machine->bodies[body].name), "fixed", TN_GROUND,
                                     body, machine->bodies[body].place);
    if (tn_machine_status(machine) < 0)
        return;
    machine->joints[joint].frame1 = machine->bodies[body].pose;
    machine->joints[joint].source = source;
}

static void read_body(usd_reader *r, usd_prim *prim)
{
    double scale[3];
    int body = tn_machine_add_body(r->machine, prim->name, prim->place);
    if (tn_machine_status(r->machine) < 0)
        return;
    prim->body = body;
    prim->root = true;
    r->machine->bodies[body].path = prim->path;
    r->machine->bodies[body].pose = tn_usd_pose(r, prim, scale);
    read_velocity(r, prim, body);
    if (tn_usd_number(r, prim, "physics:kinematicEnabled", 0) != 0) {
        tn_machine_note_add(r->machine, TN_NOTE, prim->place, "the kinematic body '%s' is fixed to ground", prim->name);
        fix_to_ground(r, body, "kinematic");
    }
}

/* Prims in the order of the file, so parents come first. */
static void read_prims(usd_reader *r)
{
    for (size_t i = 0; i < r->prim_count; i++) {
        usd_prim *prim = r->prims[i];
        place_prim(r, prim);
        prim->body = prim->parent ? prim->parent->body : TN_GROUND;
        if (tn_usd_has_schema(prim, "PhysicsRigidBodyAPI") && tn_usd_number(r, prim, "physics:rigidBodyEnabled", 1) != 0)
            read_body(r, prim);
    }
}

/* ---- the layer ---- */

static void read_layer(usd_reader *r)
{
    const usd_attribute *metres = tn_usd_meta(r->root, "metersPerUnit"), *kilograms = tn_usd_meta(r->root, "kilogramsPerUnit");
    const usd_attribute *up = tn_usd_meta(r->root, "upAxis");
    r->length = metres && metres->number_count > 0 && metres->numbers[0] > 0 ? metres->numbers[0] : 0.01;
    r->mass = kilograms && kilograms->number_count > 0 && kilograms->numbers[0] > 0 ? kilograms->numbers[0] : 1;
    r->up = up && up->text_count > 0 && (up->texts[0][0] == 'Z' || up->texts[0][0] == 'z') ? 2 : 1;
    if (!metres)
        tn_machine_note_add(r->machine, TN_NOTE, r->root->place, "there is no metersPerUnit: USD means 0.01");
    r->machine->gravity[r->up] = -9.81;
    for (size_t i = 0; i < r->prim_count; i++) {
        const usd_prim *prim = r->prims[i];
        double direction[3] = { 0 };
        if (strcmp(prim->type, "PhysicsScene") != 0)
            continue;
        double magnitude = tn_usd_number(r, prim, "physics:gravityMagnitude", -INFINITY) * r->length;
        magnitude = magnitude >= 0 && isfinite(magnitude) ? magnitude : 9.81;
        tn_usd_numbers(r, prim, "physics:gravityDirection", direction, 3);
        double length = tn_norm3(direction);
        if (!(length > 0)) {
            direction[r->up] = -1;
            length = 1;
        }
        for (int k = 0; k < 3; k++)
            r->machine->gravity[k] = magnitude * direction[k] / length;
        break;
    }
}

/* The first body below a prim that no joint has as its second one; -1: none. */
static int root_body(const usd_reader *r, const usd_prim *above)
{
    for (size_t i = 0; i < r->prim_count; i++) {
        const usd_prim *prim = r->prims[i], *up = prim;
        bool second = false;
        while (up && up != above)
            up = up->parent;
        if (!up || !prim->root)
            continue;
        for (size_t k = 0; k < r->machine->joint_count; k++)
            second = second || (r->machine->joints[k].body2 == prim->body && r->machine->joints[k].body1 != TN_GROUND);
        if (!second)
            return prim->body;
    }
    return -1;
}

/* Finds the bodies that are fixed to the world without a joint; adds a note when nothing holds the machine. */
static void read_bases(usd_reader *r)
{
    tn_machine *machine = r->machine;
    for (size_t i = 0; i < r->prim_count; i++)
        if (tn_usd_number(r, r->prims[i], "physxArticulation:isFixedBase", 0) != 0 && root_body(r, r->prims[i]) >= 0)
            fix_to_ground(r, root_body(r, r->prims[i]), "isFixedBase");
    if (machine->options->base == TN_BASE_FIXED && machine->body_count > 1)
        fix_to_ground(r, 1, "base");
    bool held = machine->joint_count == 0 || machine->options->base == TN_BASE_FREE;
    for (size_t k = 0; k < machine->joint_count; k++)
        held = held || machine->joints[k].body1 == TN_GROUND || machine->joints[k].body2 == TN_GROUND;
    if (!held)
        tn_machine_note_add(machine, TN_NOTE, r->root->place, "nothing holds the machine in the world: it is free; --base=fixed holds its "
                            "first body");
}

static int read_stage(usd_reader *r)
{
    tn_machine *machine = r->machine;
    const usd_attribute *name = tn_usd_meta(r->root, "defaultPrim");
    machine->name = name && name->text_count > 0 ? name->texts[0] : "USD stage";
    read_layer(r);
    read_prims(r);
    if (machine->body_count == 1 && !r->failed)
        return tn_fail(machine->context, TN_ERROR_MODEL, r->root->place, "no prim has the PhysicsRigidBodyAPI: there is nothing that "
                       "moves");
    for (size_t i = 0; i < r->prim_count && !r->failed; i++)
        tn_usd_shapes(r, r->prims[i]);
    for (size_t i = 0; i < r->prim_count && !r->failed; i++)
        if (r->prims[i]->root)
            tn_usd_mass(r, r->prims[i]);
    for (size_t i = 0; i < r->prim_count && !r->failed; i++)
        tn_usd_joint(r, r->prims[i]);
    for (size_t i = 0; i < r->prim_count && !r->failed; i++)
        tn_usd_mimic(r, r->prims[i]);
    read_bases(r);
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static int read_usd(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    usd_reader r = { .machine = machine, .files = files };
    if (strncmp(data, "PXR-USDC", 8) == 0 || strncmp(data, "PK", 2) == 0)
        return tn_fail(machine->context, TN_ERROR_MODEL, ((tn_span){ files->main, 0, 0 }), "this is a binary USD file: write it as "
                       "text first, 'usdcat --flatten %s -o scene.usda'", files->main);
    TN_TRY(tn_index_create(&r.paths, machine));
    usd_layer top = { .path = files->main };
    r.layers = &top;
    TN_TRY(tn_usd_parse(&r, &top, data, size));
    r.root = top.root;
    TN_TRY(tn_usd_compose(&r));
    return read_stage(&r);
}

static bool is_usd(const char *data, size_t size)
{
    (void)size;
    return strncmp(data, "#usda", 5) == 0 || strncmp(data, "PXR-USDC", 8) == 0;
}

const tn_importer tn_importer_usd = {
    .name = "usd",
    .endings = ".usda .usd .usdc",
    .doc = "USD text with the physics schema",
    .recognises = is_usd,
    .read = read_usd,
};
