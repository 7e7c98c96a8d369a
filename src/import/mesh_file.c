/* Triangle surfaces from files: choice of the reader, volumes, and their text as STL. */
#include "mesh_file.h"

#include "diag.h"
#include "file.h"
#include "vec.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define TN_MESH(name) extern const tn_mesh_format tn_mesh_##name;
#include "mesh_list.h"
#undef TN_MESH
#define TN_MESH(name) &tn_mesh_##name,
static const tn_mesh_format *const mesh_formats[] = {
#include "mesh_list.h"
};
#undef TN_MESH

static const size_t MESH_LIMIT = (size_t)256 << 20;        /* bytes of a mesh file */

void tn_triangles_free(tn_triangles *mesh)
{
    if (!mesh->context)
        return;
    tn_free(mesh->context, mesh->vertices);
    tn_free(mesh->context, mesh->triangles);
    mesh->vertices = NULL;
    mesh->triangles = NULL;
}

void tn_triangles_vertex(tn_triangles *mesh, double x, double y, double z)
{
    if (mesh->status < 0 || mesh->vertex_count >= TN_MESH_MOST)
        return;
    mesh->status = tn_grow(mesh->context, &mesh->vertices, &mesh->vertex_capacity, 3 * (mesh->vertex_count + 1),
                           sizeof *mesh->vertices);
    if (mesh->status < 0)
        return;
    double *v = &mesh->vertices[3 * mesh->vertex_count++];
    v[0] = x;
    v[1] = y;
    v[2] = z;
}

void tn_triangles_add(tn_triangles *mesh, long a, long b, long c)
{
    if (mesh->status < 0 || mesh->triangle_count >= TN_MESH_MOST)
        return;
    mesh->status = tn_grow(mesh->context, &mesh->triangles, &mesh->triangle_capacity, 3 * (mesh->triangle_count + 1),
                           sizeof *mesh->triangles);
    if (mesh->status < 0)
        return;
    int *t = &mesh->triangles[3 * mesh->triangle_count++];
    t[0] = (int)a;
    t[1] = (int)b;
    t[2] = (int)c;
}

/* Corners exist and are finite. */
static bool is_sound(const tn_triangles *mesh, char why[120])
{
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] < 0 || (size_t)mesh->triangles[i] >= mesh->vertex_count) {
            snprintf(why, 120, "a triangle names vertex %d of %zu", mesh->triangles[i], mesh->vertex_count);
            return false;
        }
    if (!tn_finite((int)(3 * mesh->vertex_count), mesh->vertices)) {
        snprintf(why, 120, "a coordinate is not a finite number");
        return false;
    }
    if (mesh->triangle_count == 0)
        snprintf(why, 120, "there are no triangles in it");
    return mesh->triangle_count > 0;
}

static const tn_mesh_format *mesh_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < TN_LENGTH(mesh_formats); i++) {
        const char *at = mesh_formats[i]->endings;
        size_t length = strlen(dot);
        for (; *at; at += strcspn(at, " "), at += strspn(at, " "))
            if (strncasecmp(at, dot, length) == 0 && (at[length] == ' ' || at[length] == 0))
                return mesh_formats[i];
    }
    return NULL;
}

bool tn_mesh_file_read(tn_triangles *out, tn_machine *machine, const char *path, tn_span place)
{
    *out = (tn_triangles){ .context = machine->context, .unit = 1 };
    char *data = NULL, why[120] = "";
    size_t size = 0;
    const tn_mesh_format *format = mesh_format(path);
    if (!format) {
        tn_machine_leave_out(machine, place, "meshes of a format that is not read (%.40s)",
                             strrchr(path, '.') ? strrchr(path, '.') : "no ending");
        return false;
    }
    tn_report_mark mark = tn_report_now(machine->context);
    if (tn_file_read(&data, &size, machine->context, path, place, NULL, MESH_LIMIT) < 0) {
        tn_report_forget(machine->context, mark);
        tn_machine_note_add(machine, TN_WARNING, place, "mesh '%s' cannot be read or has more than %zu MB", path,
                            MESH_LIMIT >> 20);
        return false;
    }
    bool good = format->read(out, data, size, why, path) && out->status >= 0 && is_sound(out, why);
    tn_free(machine->context, data);
    tn_report_forget(machine->context, mark);
    if (!good)
        tn_machine_note_add(machine, TN_WARNING, place, "mesh '%s' cannot be used: %s", path,
                            out->status < 0 ? "out of memory" : why);
    return good;
}

double tn_triangles_opening(const tn_triangles *mesh, const double scale[3])
{
    double sum[3] = { 0 }, area = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        double a[3], b[3], n[3];
        for (int c = 0; c < 3; c++) {
            const double *v = mesh->vertices + c, from = v[3 * mesh->triangles[3 * i]];
            a[c] = scale[c] * (v[3 * mesh->triangles[3 * i + 1]] - from);
            b[c] = scale[c] * (v[3 * mesh->triangles[3 * i + 2]] - from);
        }
        tn_cross3(n, a, b);
        tn_axpy3(sum, 1, n);
        area += tn_norm3(n);
    }
    return area > 0 ? tn_norm3(sum) / area : 1;
}

void tn_triangles_warn_open(tn_machine *machine, const tn_triangles *mesh, const double scale[3], const char *name, tn_span place)
{
    static const double CLOSED = 1e-5;         /* single precision, added up over many triangles */
    if (tn_triangles_opening(mesh, scale) > CLOSED)
        tn_machine_note_add(machine, TN_WARNING, place, "the surface of mesh '%s' is not closed: its volume, and so mass and inertia, "
                            "are rough; close it, or give the mass in the file", name);
}

/* Sums over tetrahedra from the origin: volume, first and second moments. */
bool tn_triangles_moments(double *volume, double com[3], double inertia[6], const tn_triangles *mesh,
                          const double scale[3])
{
    double V = 0, S[3] = { 0 }, P[3][3] = { { 0 } };
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        double v[3][3], n[3];
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++)
                v[k][c] = scale[c] * mesh->vertices[3 * mesh->triangles[3 * i + (size_t)k] + c];
        tn_cross3(n, v[1], v[2]);
        double det = tn_dot3(v[0], n);
        V += det / 6;
        for (int a = 0; a < 3; a++) {
            double sum = v[0][a] + v[1][a] + v[2][a];
            S[a] += det / 24 * sum;
            for (int b = 0; b < 3; b++) {
                double other = v[0][b] + v[1][b] + v[2][b];
                P[a][b] += det / 120 * (sum * other + v[0][a] * v[0][b] + v[1][a] * v[1][b] + v[2][a] * v[2][b]);
            }
        }
    }
    double sign = V < 0 ? -1 : 1;      /* a mirrored scale, or normals inwards */
    V *= sign;
    if (!(V > 0))
        return false;
    for (int a = 0; a < 3; a++)
        com[a] = sign * S[a] / V;
    double C[3][3];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            C[a][b] = sign * P[a][b] - V * com[a] * com[b];
    const double all[6] = { C[1][1] + C[2][2], C[0][0] + C[2][2], C[0][0] + C[1][1], -C[0][1], -C[0][2], -C[1][2] };
    memcpy(inertia, all, sizeof all);
    *volume = V;
    return true;
}

static void put_float(char **at, double value)
{
    float number = (float)value;
    memcpy(*at, &number, sizeof number);
    *at += sizeof number;
}

int tn_triangles_stl(char **data, size_t *size, const tn_triangles *mesh, const double scale[3])
{
    *size = 84 + 50 * mesh->triangle_count;
    char *text = tn_alloc(mesh->context, *size, 1), *at = text;
    uint32_t count = (uint32_t)mesh->triangle_count;
    bool mirrored = scale[0] * scale[1] * scale[2] < 0;
    if (!text)
        return TN_ERROR_MEMORY;
    snprintf(text, 80, "written by tenon import");
    memcpy(text + 80, &count, sizeof count);
    at += 84;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++)
            put_float(&at, 0);         /* readers compute the normal from the corners */
        for (int k = 0; k < 3; k++) {
            int corner = mirrored ? 2 - k : k;
            const double *v = &mesh->vertices[3 * mesh->triangles[3 * i + (size_t)corner]];
            for (int c = 0; c < 3; c++)
                put_float(&at, scale[c] * v[c]);
        }
        at += 2;
    }
    *data = text;
    return TN_OK;
}
