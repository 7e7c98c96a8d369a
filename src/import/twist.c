/* Twist spaces of joints between two bodies: rows, null space, names. */
#include "twist.h"

#include "entities.h"
#include "vec.h"

static const double LENGTH = TN_TWIST_LENGTH;
static const double RANK_TOLERANCE = 1e-5;     /* singular values: kept ones of real files are >= 1e-2, dropped <= 1e-9 */
static const double SAME_DIRECTION = 1e-6;     /* sine of the angle between directions that count as one */

/* Equations of a type: lengths along axes of frame 1, and axes of frame 2 perpendicular to axes of frame 1. */
typedef struct twist_type {
    const char *name;
    const char *lengths;       /* of d = N - M along x1, y1, z1: "xyz" */
    const char *turns;         /* "zx": x of frame 2 stays perpendicular ... see add_turn; pairs of letters */
    bool combines;
} twist_type;

/* In turns, "xz" means x1 . z2 = 0; 'r' stands for all three rotations. */
static const twist_type twist_types[] = {
    { "fixed", "xyz", "r", true },         { "revolute", "xyz", "xzyz", true }, { "prismatic", "xy", "r", true },
    { "cylindrical", "xy", "xzyz", true }, { "spherical", "xyz", "", true },    { "planar", "z", "xzyz", true },
    { "point-on-line", "xy", "", true },   { "point-on-plane", "z", "", true }, { "parallel", "", "xzyz", true },
    { "perpendicular", "", "zz", false },  { "line-in-plane", "z", "zz", true },{ "universal", "xyz", "zz", false },
    { "no-rotation", "", "r", true },      { "cross-slide", "z", "r", true },
    { "touch-plane", "z", "", false },     { "line-at-distance-of-plane", "z", "zz", false },
};

static const twist_type *find_type(const char *name)
{
    for (size_t i = 0; i < sizeof twist_types / sizeof *twist_types; i++)
        if (strcmp(twist_types[i].name, name) == 0)
            return &twist_types[i];
    return NULL;
}

bool tn_twist_combines(const char *type)
{
    const twist_type *t = find_type(type);
    return t && t->combines;
}

void tn_twist_begin(tn_twist_space *space, const double origin[3])
{
    space->row_count = space->free_count = 0;
    tn_copy3(space->origin, origin);
}

static void add_row(tn_twist_space *space, const double angular[3], const double linear[3])
{
    if (space->row_count >= TN_TWIST_ROWS)
        return;
    double *row = space->rows[space->row_count++];
    tn_copy3(row, angular);
    tn_copy3(row + 3, linear);
}

/* The velocity of the point along the direction is zero, divided by the length. */
static void add_length(tn_twist_space *space, const double point[3], const double n[3])
{
    double arm[3], angular[3];
    tn_sub3(arm, point, space->origin);
    tn_cross3(angular, arm, n);
    for (int k = 0; k < 3; k++)
        angular[k] /= LENGTH;
    add_row(space, angular, n);
}

static void add_rotation(tn_twist_space *space, const double n[3])
{
    static const double none[3] = { 0, 0, 0 };
    add_row(space, n, none);
}

static void axes_of(double axes[3][3], const tn_pose *frame)
{
    double R[3][3];
    tn_quat_matrix(R, frame->q);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axes[i][k] = R[k][i];
}

bool tn_twist_add(tn_twist_space *space, const char *type, const tn_pose *frame1, const tn_pose *frame2)
{
    const twist_type *t = find_type(type);
    double a[3][3], b[3][3];
    if (!t)
        return false;
    axes_of(a, frame1);
    axes_of(b, frame2);
    for (const char *c = t->lengths; *c; c++)
        add_length(space, frame2->p, a[*c - 'x']);
    if (t->turns[0] == 'r')
        for (int k = 0; k < 3; k++)
            add_rotation(space, a[k]);
    else
        for (const char *c = t->turns; *c; c += 2) {
            double n[3];
            tn_cross3(n, b[c[1] - 'x'], a[c[0] - 'x']);    /* d/dt (a . b) = w . (b x a) */
            add_rotation(space, n);
        }
    return true;
}

double tn_twist_gap(const char *type, const tn_pose *frame1, const tn_pose *frame2)
{
    const twist_type *t = find_type(type);
    double a[3][3], b[3][3], d[3], gap = 0;
    if (!t)
        return 0;
    axes_of(a, frame1);
    axes_of(b, frame2);
    tn_sub3(d, frame2->p, frame1->p);
    for (const char *c = t->lengths; *c; c++)
        gap = fmax(gap, fabs(tn_dot3(d, a[*c - 'x'])));
    if (t->turns[0] == 'r') {
        tn_pose r = tn_pose_relative(frame1, frame2);
        gap = fmax(gap, 2 * tn_norm3(r.q + 1));
    } else {
        for (const char *c = t->turns; *c; c += 2)
            gap = fmax(gap, fabs(tn_dot3(a[c[0] - 'x'], b[c[1] - 'x'])));
    }
    return gap;
}

/* Turns the frame about its origin by the angle whose sine is given, from the direction a towards b. */
static void turn_frame(tn_pose *frame, const double a[3], const double b[3], double sine)
{
    double axis[3], q[4], turned[4], length;
    tn_cross3(axis, a, b);
    length = tn_norm3(axis);
    if (!(length > 0))
        return;
    for (int k = 0; k < 3; k++)
        axis[k] *= asin(fmin(fmax(sine, -1), 1)) / length;
    tn_quat_exp(q, axis);
    tn_quat_mul(turned, q, frame->q);
    memcpy(frame->q, turned, sizeof turned);
}

void tn_twist_fit(const char *type, const tn_pose *frame1, tn_pose *frame2)
{
    const twist_type *t = find_type(type);
    double a[3][3], b[3][3], d[3], along[3];
    if (!t)
        return;
    axes_of(a, frame1);
    axes_of(b, frame2);
    tn_sub3(d, frame2->p, frame1->p);
    for (const char *c = t->lengths; *c; c++)
        tn_axpy3(frame2->p, -tn_dot3(d, a[*c - 'x']), a[*c - 'x']);
    if (t->turns[0] == 'r') {
        memcpy(frame2->q, frame1->q, sizeof frame2->q);
    } else if (strcmp(t->turns, "xzyz") == 0) {        /* the z axes are parallel, or opposite */
        double way = tn_dot3(a[2], b[2]) < 0 ? -1 : 1, cross[3];
        for (int k = 0; k < 3; k++)
            along[k] = way * a[2][k];
        tn_cross3(cross, b[2], along);
        turn_frame(frame2, b[2], along, tn_norm3(cross));
    } else if (strcmp(t->turns, "zz") == 0) {
        turn_frame(frame2, b[2], a[2], -tn_dot3(a[2], b[2]));
    }
}

/* Eigenvalues and vectors (columns of V) of a symmetric matrix by Jacobi's rotations. */
static void jacobi6(double A[6][6], double V[6][6])
{
    memset(V, 0, 36 * sizeof(double));
    for (int i = 0; i < 6; i++)
        V[i][i] = 1;
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0;
        for (int p = 0; p < 6; p++)
            for (int q = p + 1; q < 6; q++)
                off += A[p][q] * A[p][q];
        if (off == 0)
            return;
        for (int p = 0; p < 6; p++)
            for (int q = p + 1; q < 6; q++) {
                if (A[p][q] == 0)
                    continue;
                double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 6; k++) {
                    double x = A[k][p], y = A[k][q];
                    A[k][p] = c * x - s * y;
                    A[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 6; k++) {
                    double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - s * y;
                    A[q][k] = s * x + c * y;
                    x = V[k][p], y = V[k][q];
                    V[k][p] = c * x - s * y;
                    V[k][q] = s * x + c * y;
                }
            }
    }
}

void tn_twist_solve(tn_twist_space *space)
{
    double A[6][6] = { { 0 } }, V[6][6];
    for (int r = 0; r < space->row_count; r++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                A[i][j] += space->rows[r][i] * space->rows[r][j];
    jacobi6(A, V);
    space->free_count = 0;
    space->smallest_kept = space->largest_dropped = 0;
    for (int k = 0; k < 6; k++) {
        double sigma = sqrt(fmax(A[k][k], 0));
        if (sigma > RANK_TOLERANCE) {
            space->smallest_kept = space->smallest_kept == 0 ? sigma : fmin(space->smallest_kept, sigma);
            continue;
        }
        space->largest_dropped = fmax(space->largest_dropped, sigma);
        for (int i = 0; i < 6; i++)
            space->free[space->free_count][i] = V[i][k];
        space->free_count++;
    }
}

/* Splits the free twists: those without rotation (orthonormal directions in t), and the others with what they have of the
 * former taken out (in r). */
static void split(const tn_twist_space *space, double t[3][3], int *translations, double r[6][6], int *rotations)
{
    double B[6][6];
    int rows = space->free_count;
    memcpy(B, space->free, sizeof B);
    *translations = *rotations = 0;
    /* Gaussian elimination on the angular part with full pivoting; what is left without one is a translation. */
    bool used[6] = { false };
    for (int step = 0; step < 3; step++) {
        int best = -1;
        double size = RANK_TOLERANCE;
        int column = 0;
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < 3 && !used[i]; k++)
                if (fabs(B[i][k]) > size) {
                    size = fabs(B[i][k]);
                    best = i;
                    column = k;
                }
        if (best < 0)
            break;
        used[best] = true;
        for (int i = 0; i < rows; i++)
            if (i != best && !used[i]) {
                double factor = B[i][column] / B[best][column];
                for (int k = 0; k < 6; k++)
                    B[i][k] -= factor * B[best][k];
            }
        memcpy(r[(*rotations)++], B[best], 6 * sizeof(double));
    }
    for (int i = 0; i < rows; i++) {
        if (used[i])
            continue;
        double v[3] = { B[i][3], B[i][4], B[i][5] };
        for (int k = 0; k < *translations; k++)
            tn_axpy3(v, -tn_dot3(v, t[k]), t[k]);
        double length = tn_norm3(v);
        if (length < RANK_TOLERANCE)
            continue;
        for (int k = 0; k < 3; k++)
            t[*translations][k] = v[k] / length;
        ++*translations;
    }
    for (int i = 0; i < *rotations; i++)
        for (int k = 0; k < *translations; k++) {
            double along = tn_dot3(r[i] + 3, t[k]);
            tn_axpy3(r[i] + 3, -along, t[k]);
        }
}

/* Axis direction and nearest point to the origin of a twist (w, v / LENGTH), and its pitch in m per rad. */
static double axis_of(const tn_twist_space *space, const double twist[6], double axis[3], double point[3])
{
    double w2 = tn_dot3(twist, twist), cross[3], length = sqrt(w2);
    tn_cross3(cross, twist, twist + 3);
    for (int k = 0; k < 3; k++) {
        axis[k] = twist[k] / length;
        point[k] = space->origin[k] + LENGTH * cross[k] / w2;
    }
    return LENGTH * tn_dot3(twist, twist + 3) / w2;
}

static bool parallel(const double a[3], const double b[3])
{
    double c[3];
    tn_cross3(c, a, b);
    return tn_norm3(c) < SAME_DIRECTION;
}

/* The common point of three rotations: where v = -w x (p - origin) for all of them, by least squares. */
static bool common_point(const tn_twist_space *space, double r[6][6], double point[3])
{
    /* v_i = w_i x s with s = origin - p scaled; solved by Cramer on the normal equations */
    double N[3][3] = { { 0 } }, f[3] = { 0 }, s[3];
    for (int i = 0; i < 3; i++) {
        const double *w = r[i], *v = r[i] + 3;
        double w2 = tn_dot3(w, w), c[3];
        tn_cross3(c, v, w);            /* [w]x' v = -w x v = v x w, for v = w x s: normal equations [w]x'[w]x s = [w]x' v */
        for (int a = 0; a < 3; a++) {
            f[a] += c[a];
            for (int b = 0; b < 3; b++)
                N[a][b] += (a == b ? w2 : 0) - w[a] * w[b];
        }
    }
    double c0[3], c1[3], c2[3];
    tn_cross3(c0, N[1], N[2]);
    tn_cross3(c1, N[2], N[0]);
    tn_cross3(c2, N[0], N[1]);
    double det = tn_dot3(N[0], c0);
    if (!(fabs(det) > 1e-12))
        return false;
    for (int k = 0; k < 3; k++)
        s[k] = (c0[k] * f[0] + c1[k] * f[1] + c2[k] * f[2]) / det;
    for (int i = 0; i < 3; i++) {      /* does every rotation have it? */
        double moved[3];
        tn_cross3(moved, r[i], s);
        tn_sub3(moved, r[i] + 3, moved);
        if (tn_norm3(moved) > SAME_DIRECTION)
            return false;
    }
    for (int k = 0; k < 3; k++)
        point[k] = space->origin[k] - LENGTH * s[k];
    return true;
}

static const char *name_one_rotation(const tn_twist_space *space, double r[6][6], double t[3][3], int translations,
                                     tn_pose *frame)
{
    double axis[3], point[3], pitch = axis_of(space, r[0], axis, point);
    if (translations == 0 && fabs(pitch) < SAME_DIRECTION * LENGTH) {
        *frame = tn_pose_z(point, axis);
        return "revolute";
    }
    if (translations == 1 && parallel(axis, t[0])) {
        *frame = tn_pose_z(point, axis);
        return "cylindrical";
    }
    if (translations == 2 && fabs(tn_dot3(axis, t[0])) < SAME_DIRECTION && fabs(tn_dot3(axis, t[1])) < SAME_DIRECTION) {
        *frame = tn_pose_z(space->origin, axis);
        return "planar";
    }
    if (translations == 3) {
        *frame = tn_pose_z(space->origin, axis);
        return "parallel";
    }
    return NULL;
}

const char *tn_twist_name(const tn_twist_space *space, tn_pose *frame)
{
    double t[3][3] = { { 0 } }, r[6][6] = { { 0 } }, point[3];
    int translations, rotations;
    static const double z[3] = { 0, 0, 1 };
    *frame = tn_pose_z(space->origin, z);
    if (space->free_count == 6)
        return "free";
    if (space->free_count == 0)
        return "fixed";
    split(space, t, &translations, r, &rotations);
    if (rotations == 1)
        return name_one_rotation(space, r, t, translations, frame);
    if (rotations == 0 && translations == 1) {
        *frame = tn_pose_z(space->origin, t[0]);
        return "prismatic";
    }
    if (rotations == 0 && translations == 2) {
        double normal[3];
        tn_cross3(normal, t[0], t[1]);
        *frame = tn_pose_z(space->origin, normal);
        return "cross-slide";
    }
    if (rotations == 0 && translations == 3)
        return "no-rotation";
    if (rotations == 3 && translations == 0 && common_point(space, r, point)) {
        *frame = tn_pose_z(point, z);
        return "spherical";
    }
    return NULL;
}
