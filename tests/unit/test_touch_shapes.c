/* Touches between all pairs of shapes in space, at random: gaps against distances found by support functions alone. */
#include "touch_world.h"

static const double FAR = 1e3;         /* m: a margin that leaves nothing out */

/* ---- distances by support functions ---- */

typedef struct convex {
    const tn_shape_def *shape;
    double R[3][3], p[3];
} convex;

static convex convex_of(const touch_world *w, int i)
{
    convex c = { .shape = &w->shapes[i] };
    tn_pose world = tn_pose_compose(&w->poses[1 + i], &w->shapes[i].pose);
    tn_quat_matrix(c.R, world.q);
    tn_copy3(c.p, world.p);
    return c;
}

/* The point of the shape, in its own frame, that is farthest along d. */
static void own_support(const tn_shape_def *s, const double d[3], double x[3])
{
    double flat = sqrt(d[0] * d[0] + d[1] * d[1]), size = tn_norm3(d), up = d[2] > 0 ? 1 : -1, extent = 0;
    tn_zero3(x);
    switch (s->kind) {
    case TN_SHAPE_BOX:
        for (int k = 0; k < 3; k++)
            x[k] = (d[k] > 0 ? 1 : -1) * s->size[k] / 2;
        break;
    case TN_SHAPE_SPHERE:
    case TN_SHAPE_CAPSULE:
        for (int k = 0; k < 3; k++)
            x[k] = s->size[0] * d[k] / size;
        x[2] += s->kind == TN_SHAPE_CAPSULE ? up * s->size[1] / 2 : 0;
        break;
    case TN_SHAPE_CONE:
        if (d[2] * s->size[1] > flat * s->size[0]) {
            x[2] = s->size[1] / 2;
            break;
        }
        up = -1;
        /* fall through */
    case TN_SHAPE_CYLINDER:
        for (int k = 0; k < 2 && flat > 0; k++)
            x[k] = s->size[0] * d[k] / flat;
        x[2] = up * s->size[1] / 2;
        break;
    case TN_SHAPE_ELLIPSOID:
        for (int k = 0; k < 3; k++)
            extent += s->size[k] * s->size[k] * d[k] * d[k];
        for (int k = 0; k < 3; k++)
            x[k] = s->size[k] * s->size[k] * d[k] / sqrt(extent);
        break;
    default: fail();
    }
}

static void support(const convex *c, double sign, const double d[3], double x[3])
{
    double own[3], along[3], far[3] = { sign * d[0], sign * d[1], sign * d[2] };
    tn_mul33t(own, (const double (*)[3])c->R, far);
    own_support(c->shape, own, along);
    tn_mul33(x, (const double (*)[3])c->R, along);
    tn_add3(x, x, c->p);
}

/* Nearest point to the origin of the flat through a subset of the simplex's corners; false: it is outside of the subset. */
static bool nearest_in(const double (*s)[3], const int *of, int count, double x[3], double weight[4])
{
    double A[3][3], b[3], first[3];
    tn_copy3(first, s[of[0]]);
    for (int i = 1; i < count; i++) {
        double e[3];
        tn_sub3(e, s[of[i]], first);
        b[i - 1] = -tn_dot3(e, first);
        for (int j = 1; j < count; j++) {
            double f[3];
            tn_sub3(f, s[of[j]], first);
            A[i - 1][j - 1] = tn_dot3(e, f);
        }
    }
    for (int k = 0; k < count - 1; k++) {              /* elimination; A is positive definite */
        if (!(A[k][k] > 1e-28))
            return false;
        for (int i = k + 1; i < count - 1; i++) {
            double l = A[i][k] / A[k][k];
            for (int j = k; j < count - 1; j++)
                A[i][j] -= l * A[k][j];
            b[i] -= l * b[k];
        }
    }
    weight[0] = 1;
    for (int k = count - 2; k >= 0; k--) {
        for (int j = k + 1; j < count - 1; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
        weight[0] -= weight[k + 1] = b[k];
    }
    tn_zero3(x);
    for (int i = 0; i < count; i++) {
        if (!(weight[i] >= 0))
            return false;
        tn_axpy3(x, weight[i], s[of[i]]);
    }
    return true;
}

/* Reduces the simplex to the corners around its point x that is nearest to the origin. */
static int reduce(double (*s)[3], int count, double x[3])
{
    double best = INFINITY, kept[4][3];
    int left = 0;
    for (int set = 1; set < 1 << count; set++) {
        int of[4], n = 0;
        double y[3], weight[4];
        for (int i = 0; i < count; i++)
            if (set >> i & 1)
                of[n++] = i;
        if (!nearest_in((const double (*)[3])s, of, n, y, weight) || !(tn_norm3(y) < best))
            continue;
        best = tn_norm3(y);
        tn_copy3(x, y);
        left = n;
        for (int i = 0; i < n; i++)
            tn_copy3(kept[i], s[of[i]]);
    }
    for (int i = 0; i < left; i++)
        tn_copy3(s[i], kept[i]);
    return left;
}

/* Distance of two convex shapes (Gilbert, Johnson and Keerthi 1988); 0 where they overlap. x: from b to a. */
static double convex_distance(const convex *a, const convex *b, double x[3])
{
    double s[4][3], d[3], one[3], two[3];
    int count = 0;
    tn_sub3(x, a->p, b->p);
    for (int round = 0; round < 400; round++) {
        for (int k = 0; k < 3; k++)
            d[k] = -x[k];
        support(a, 1, d, one);
        support(b, -1, d, two);
        tn_sub3(s[count], one, two);
        double size = tn_norm3(x);
        if (size < 1e-12 || (round > 0 && size - tn_dot3(s[count], x) / size < 1e-12))
            return size < 1e-12 ? 0 : size;
        count = reduce(s, count + 1, x);
        if (count == 4)
            return 0;
    }
    return tn_norm3(x);
}

/* away: from body 2 to body 1. */
static double plane_distance(const touch_world *w, int plane, double away[3])
{
    convex p = convex_of(w, plane), c = convex_of(w, 1 - plane);
    double n[3] = { p.R[0][2], p.R[1][2], p.R[2][2] }, x[3], d[3];
    support(&c, -1, n, x);
    tn_sub3(d, x, p.p);
    for (int k = 0; k < 3; k++)
        away[k] = plane ? n[k] : -n[k];
    return tn_dot3(d, n);
}

static double true_distance(const touch_world *w, double away[3])
{
    for (int i = 0; i < 2; i++)
        if (w->shapes[i].kind == TN_SHAPE_HALF_SPACE)
            return plane_distance(w, i, away);
    convex a = convex_of(w, 0), b = convex_of(w, 1);
    return convex_distance(&a, &b, away);
}

/* ---- pairs ---- */

enum { KINDS = 7, WORLDS = 40, POSES = 4 };
static const form forms[KINDS] = { BALL, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HALF_SPACE };
static const double EXACT = 1e-9;      /* m */
/* m: overlap that is noticed; shapes are 0.2 to 2 m large, and deep overlaps are those of polyhedra up to 0.07 m inside of round ones. */
static const double DEPTH = 0.08;

/* Pairs whose gaps are exact distances, also where they are apart: not those with sharp corners over sharp edges. */
static bool is_exact(form one, form two)
{
    if (one == HALF_SPACE || two == HALF_SPACE)
        return true;
    return !(one == BOX && (two == BOX || two == CONE)) && !(one == CYLINDER && two == CYLINDER);
}

/* The gap of the nearest touch; NaN: there is none. */
static double nearest_gap(touch_world *w, double margin)
{
    const tn_touch *touch = nearest_touch(w, margin);
    return touch ? touch->gap : NAN;
}

typedef struct tally {
    long overlaps, unnoticed;
} tally;

/* v has the same shapes as w, with the bodies exchanged. */
static void compare_pair(touch_world *w, touch_world *v, uint32_t *seed, bool exact, tally *all)
{
    double away[3];
    v->poses[2] = w->poses[1] = random_place(seed, 3, 0.5);
    v->poses[1] = w->poses[2] = random_place(seed, 3, 1.5);
    double distance = true_distance(w, away), gap = nearest_gap(w, FAR), other = nearest_gap(v, FAR);
    if (distance <= 0)
        return;
    assert_int_equal(isnan(gap), isnan(other));
    if (!isnan(gap))
        assert_near(gap, other, EXACT);
    if (exact)
        assert_near(gap, distance, EXACT);
    for (int k = 0; k < 3; k++)                        /* moved together until they overlap */
        w->poses[2].p[k] += (distance + DEPTH) * away[k] / tn_norm3(away);
    v->poses[1] = w->poses[2];
    bool noticed = nearest_gap(w, EXACT) < 0;
    assert_int_equal(noticed, nearest_gap(v, EXACT) < 0);
    all->overlaps++;
    all->unnoticed += !noticed;
}

/* Gaps are those of the exchanged pair, and the distances where they should be; nothing goes through anything. Of two cones, a
 * few go deeper. */
static void test_all_pairs(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < KINDS; i++)
        for (int j = i; j < KINDS - (i == KINDS - 1); j++) {
            tally all = { 0 };
            for (int k = 0; k < WORLDS; k++) {
                touch_world w, v;
                open_random(&w, &seed, 3, forms[i], forms[j]);
                v.shapes[0] = w.shapes[1];
                v.shapes[1] = w.shapes[0];
                open_world(&v, 3, 0);
                for (int m = 0; m < POSES; m++)
                    compare_pair(&w, &v, &seed, is_exact(forms[i], forms[j]), &all);
                close_world(&w);
                close_world(&v);
            }
            assert_true(all.overlaps > WORLDS / 2);
            assert_true(all.unnoticed <= (forms[i] == CONE && forms[j] == CONE ? all.overlaps / 20 : 0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
