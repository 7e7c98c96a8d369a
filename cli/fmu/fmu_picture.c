/* Draws the picture of an FMU: the bodies of the model at its start as lines between their centres of mass and what is attached to
 * them, as a PNG without compression, which the archive has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fmu_facts.h"
#include "output.h"

enum { SIDE = 128, MARGIN = 12, ROW = 1 + 3 * SIDE, MOST_SEGMENTS = 2000 };
/* Pixels from the middle of a line or point to its edge. */
static const double LINE_WIDTH = 1.4, POINT_WIDTH = 3.2;
/* In space, y leads to the right and up by these shares. */
static const double ACROSS = 0.45, UP = 0.3;

typedef struct segment {
    double from[2], to[2];         /* m */
    bool attached;                 /* a joint or force is at its end */
} segment;

typedef struct drawing {
    const tn_session *session;
    const tn_model *model;
    segment *segments;
    size_t count;
    double low[2], high[2];
} drawing;

/* ---- what is drawn ---- */

static void world_point(double out[3], const drawing *d, tn_id body, const double point[3])
{
    tn_pose pose = tn_pose_identity();
    double t[3];
    tn_session_pose(&pose, d->session, body);          /* ground keeps the identity */
    const double *q = pose.q, *v = q + 1;
    for (int k = 0; k < 3; k++)
        t[k] = 2 * (v[(k + 1) % 3] * point[(k + 2) % 3] - v[(k + 2) % 3] * point[(k + 1) % 3]);
    for (int k = 0; k < 3; k++)
        out[k] = pose.p[k] + point[k] + q[0] * t[k] + v[(k + 1) % 3] * t[(k + 2) % 3] - v[(k + 2) % 3] * t[(k + 1) % 3];
}

static void project(double out[2], const drawing *d, const double p[3])
{
    bool plane = tn_model_dimension(d->model) == 2;
    out[0] = plane ? p[0] : p[0] + ACROSS * p[1];
    out[1] = plane ? p[1] : p[2] + UP * p[1];
}

static void add_segment(drawing *d, const double from[3], const double to[3], bool attached)
{
    if (d->count == MOST_SEGMENTS)
        return;
    segment *s = &d->segments[d->count];
    project(s->from, d, from);
    project(s->to, d, to);
    s->attached = attached;
    if (!isfinite(s->from[0] + s->from[1] + s->to[0] + s->to[1]))
        return;
    d->count++;
    for (int k = 0; k < 2; k++) {
        d->low[k] = fmin(d->low[k], fmin(s->from[k], s->to[k]));
        d->high[k] = fmax(d->high[k], fmax(s->from[k], s->to[k]));
    }
}

/* The centre of mass of a body; of ground the point itself. */
static void centre_of(double out[3], const drawing *d, tn_id body, const double point[3])
{
    double mass, com[3], inertia[6];
    if (tn_model_body_mass(&mass, com, inertia, d->model, body) < 0)
        memcpy(com, point, sizeof com);
    world_point(out, d, body, com);
}

static void collect(drawing *d)
{
    static const tn_kind kinds[] = { TN_KIND_JOINT, TN_KIND_FORCE };
    const tn_id ground = tn_model_ground(d->model);
    for (size_t k = 0; k < tn_model_count(d->model, TN_KIND_BODY); k++) {
        double centre[3];
        centre_of(centre, d, tn_model_at(d->model, TN_KIND_BODY, k), (const double[3]){ 0 });
        add_segment(d, centre, centre, false);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (size_t k = 0; k < tn_model_count(d->model, kinds[i]); k++) {
            tn_end ends[2];
            int count = tn_model_ends(ends, d->model, tn_model_at(d->model, kinds[i], k));
            for (int e = 0; e < count; e++) {
                double centre[3], point[3];
                world_point(point, d, ends[e].body, ends[e].pose.p);
                centre_of(centre, d, ends[e].body, ends[e].pose.p);
                add_segment(d, ends[e].body.index == ground.index ? point : centre, point, true);
            }
        }
}

/* ---- pixels ---- */

static double distance(const double p[2], const double a[2], const double b[2])
{
    double d[2] = { b[0] - a[0], b[1] - a[1] }, length = d[0] * d[0] + d[1] * d[1];
    double t = length > 0 ? ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(p[0] - a[0] - t * d[0], p[1] - a[1] - t * d[1]);
}

static void blend(unsigned char *pixel, const unsigned char colour[3], double share)
{
    share = fmin(fmax(share, 0), 1);
    for (int k = 0; k < 3; k++)
        pixel[k] = (unsigned char)lround(pixel[k] + share * (colour[k] - pixel[k]));
}

/* Rows of the PNG: a zero, and the colours. */
static void paint(unsigned char *rows, const drawing *d)
{
    static const unsigned char steel[3] = { 52, 84, 120 }, amber[3] = { 214, 126, 32 };
    const double size = fmax(fmax(d->high[0] - d->low[0], d->high[1] - d->low[1]), 1e-12);
    const double scale = d->count > 0 && isfinite(size) ? (SIDE - 2 * MARGIN) / size : 1;
    for (int y = 0; y < SIDE; y++) {
        rows[y * ROW] = 0;
        memset(rows + y * ROW + 1, 255, 3 * SIDE);
    }
    for (size_t i = 0; i < d->count; i++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const segment *s = &d->segments[i];
                double p[2] = { (x + 0.5 - SIDE / 2.0) / scale + (d->low[0] + d->high[0]) / 2,
                                (SIDE / 2.0 - y - 0.5) / scale + (d->low[1] + d->high[1]) / 2 };
                unsigned char *pixel = rows + y * ROW + 1 + 3 * x;
                blend(pixel, steel, LINE_WIDTH + 0.5 - scale * distance(p, s->from, s->to));
                blend(pixel, s->attached ? amber : steel, POINT_WIDTH + 0.5 - scale * distance(p, s->to, s->to));
            }
}

/* ---- the file ---- */

static void put_word(FILE *out, uint32_t word)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        fputc((int)(word >> shift & 255), out);
}

static uint32_t check_sum(const unsigned char *bytes, size_t count)
{
    uint32_t sum = 0xffffffff;
    for (size_t k = 0; k < count; k++) {
        sum ^= bytes[k];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum;
}

/* bytes: the name of the chunk, then its data. */
static void put_chunk(FILE *out, const unsigned char *bytes, size_t count)
{
    put_word(out, (uint32_t)count - 4);
    fwrite(bytes, 1, count, out);
    put_word(out, check_sum(bytes, count));
}

/* The rows as a stream of zlib with one stored block for each row. */
static size_t pack_rows(unsigned char *to, const unsigned char *rows)
{
    uint32_t a = 1, b = 0;
    size_t n = 0;
    memcpy(to, "IDAT\x78\x01", 6);
    n = 6;
    for (int y = 0; y < SIDE; y++) {
        const unsigned char head[5] = { y == SIDE - 1, ROW & 255, ROW >> 8, ~(unsigned)ROW & 255, ~(unsigned)ROW >> 8 & 255 };
        memcpy(to + n, head, sizeof head);
        memcpy(to + n + sizeof head, rows + y * ROW, ROW);
        n += sizeof head + ROW;
    }
    for (int k = 0; k < SIDE * ROW; k++) {
        a = (a + rows[k]) % 65521;
        b = (b + a) % 65521;
    }
    const unsigned char sum[4] = { (unsigned char)(b >> 8), (unsigned char)b, (unsigned char)(a >> 8), (unsigned char)a };
    memcpy(to + n, sum, sizeof sum);
    return n + sizeof sum;
}

char *tn_fmu_picture(size_t *size, const tn_session *session, const tn_model *model)
{
    static const unsigned char header[] = { 'I', 'H', 'D', 'R', 0, 0, 0, SIDE, 0, 0, 0, SIDE, 8, 2, 0, 0, 0 };
    char *file = NULL;
    drawing d = { .session = session, .model = model, .segments = tn_allocate(MOST_SEGMENTS, sizeof(segment)),
                  .low = { INFINITY, INFINITY }, .high = { -INFINITY, -INFINITY } };
    unsigned char *rows = tn_allocate(SIDE, ROW), *packed = tn_allocate(SIDE + 1, ROW + 5);
    FILE *out = open_memstream(&file, size);
    collect(&d);
    paint(rows, &d);
    if (out) {
        fwrite("\x89PNG\r\n\x1a\n", 1, 8, out);
        put_chunk(out, header, sizeof header);
        put_chunk(out, packed, pack_rows(packed, rows));
        put_chunk(out, (const unsigned char *)"IEND", 4);
        if (fclose(out) != 0)
            file = NULL;
    }
    free(d.segments);
    free(rows);
    free(packed);
    return file;
}
