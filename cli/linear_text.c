/* Prints a linear system as a table, CSV, JSON or a script. */
#include "linear_text.h"
#include <math.h>
#include <string.h>

/* One of the four matrices with what its rows and columns are. */
typedef struct matrix {
    const char *name;
    const double *at;
    const tn_linear_variable *rows, *columns;
    size_t row_count, column_count;
} matrix;

enum { MATRICES = 4 };

static void list_matrices(const tn_linear_system *s, matrix out[MATRICES])
{
    out[0] = (matrix){ "A", s->A, s->states, s->states, s->state_count, s->state_count };
    out[1] = (matrix){ "B", s->B, s->states, s->inputs, s->state_count, s->input_count };
    out[2] = (matrix){ "C", s->C, s->outputs, s->states, s->output_count, s->state_count };
    out[3] = (matrix){ "D", s->D, s->outputs, s->inputs, s->output_count, s->input_count };
}

/* ---- table ---- */

static void print_variables(const char *title, const char *letter, const tn_linear_variable *v, size_t count, FILE *out)
{
    if (count > 0)
        fprintf(out, "\n%s\n", title);
    for (size_t k = 0; k < count; k++)
        fprintf(out, "  %s%-3zu %-32s %13.7g %s\n", letter, k + 1, v[k].name, fabs(v[k].value) < 1e-15 ? 0 : v[k].value,
                v[k].unit);
}

/* The largest entry of a row or column: `count` entries, each `apart` places after the one before. */
static double largest(const double *first, size_t count, size_t apart)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(first[k * apart]));
    return most;
}

/* Entries that are round-off compared with the largest ones in their row and in their column, which have their units, are shown
 * as zero. */
static void print_matrix(const matrix *m, FILE *out)
{
    static const double ROUND_OFF = 1e-14;
    const size_t rows = m->row_count, columns = m->column_count;
    if (rows == 0 || columns == 0)
        return;
    fprintf(out, "\n%s =\n", m->name);
    for (size_t i = 0; i < rows; i++) {
        const double in_row = largest(m->at + i * columns, columns, 1);
        for (size_t j = 0; j < columns; j++) {
            const double entry = m->at[i * columns + j], least = ROUND_OFF * fmin(in_row, largest(m->at + j, rows, columns));
            fprintf(out, " %12.6g", fabs(entry) <= least ? 0 : entry);
        }
        fprintf(out, "\n");
    }
}

void tn_linear_print(const tn_linear_system *s, FILE *out)
{
    matrix matrices[MATRICES];
    list_matrices(s, matrices);
    print_variables("states, with their values at this point", "x", s->states, s->state_count, out);
    print_variables("inputs", "u", s->inputs, s->input_count, out);
    print_variables("outputs", "y", s->outputs, s->output_count, out);
    for (int k = 0; k < MATRICES; k++)
        print_matrix(&matrices[k], out);
}

/* ---- CSV ---- */

/* Quoted where it has to be. */
static void print_field(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

static void print_label(const tn_linear_variable *v, FILE *out)
{
    char label[640];
    snprintf(label, sizeof label, "%s%s%s%s", v->name, v->unit[0] ? " [" : "", v->unit, v->unit[0] ? "]" : "");
    print_field(label, out);
}

void tn_linear_print_csv(const tn_linear_system *s, FILE *out)
{
    matrix matrices[MATRICES];
    list_matrices(s, matrices);
    for (int k = 0; k < MATRICES; k++) {
        const matrix *m = &matrices[k];
        fprintf(out, "%s%s", k > 0 ? "\n" : "", m->name);
        for (size_t j = 0; j < m->column_count; j++) {
            fputc(',', out);
            print_label(&m->columns[j], out);
        }
        fputc('\n', out);
        for (size_t i = 0; i < m->row_count; i++) {
            print_label(&m->rows[i], out);
            for (size_t j = 0; j < m->column_count; j++)
                fprintf(out, ",%.17g", m->at[i * m->column_count + j] + 0.0);
            fputc('\n', out);
        }
    }
}

/* ---- MATLAB ---- */

static void print_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, *text == '\'' ? "''" : "%c", *text);
    fputc('\'', out);
}

static void print_cells(const char *what, const tn_linear_variable *v, size_t count, FILE *out)
{
    fprintf(out, "%s_names = {", what);
    for (size_t k = 0; k < count; k++) {
        fputs(k > 0 ? ", " : "", out);
        print_quoted(v[k].name, out);
    }
    fprintf(out, "};\n%s_units = {", what);
    for (size_t k = 0; k < count; k++) {
        fputs(k > 0 ? ", " : "", out);
        print_quoted(v[k].unit, out);
    }
    fprintf(out, "};\n%s_values = [", what);
    for (size_t k = 0; k < count; k++)
        fprintf(out, "%s%.17g", k > 0 ? "; " : "", v[k].value);
    fprintf(out, "];\n");
}

void tn_linear_print_matlab(const tn_linear_system *s, const char *model, FILE *out)
{
    matrix matrices[MATRICES];
    list_matrices(s, matrices);
    fprintf(out, "%% x' = A x + B u, y = C x + D u: %s at t = %.17g s\n", model, s->time);
    print_cells("state", s->states, s->state_count, out);
    print_cells("input", s->inputs, s->input_count, out);
    print_cells("output", s->outputs, s->output_count, out);
    for (int k = 0; k < MATRICES; k++) {
        const matrix *m = &matrices[k];
        if (m->row_count == 0 || m->column_count == 0) {
            fprintf(out, "%s = zeros(%zu, %zu);\n", m->name, m->row_count, m->column_count);
            continue;
        }
        fprintf(out, "%s = [\n", m->name);
        for (size_t i = 0; i < m->row_count; i++, fprintf(out, "\n"))
            for (size_t j = 0; j < m->column_count; j++)
                fprintf(out, " %.17g", m->at[i * m->column_count + j] + 0.0);
        fprintf(out, "];\n");
    }
}

/* ---- JSON ---- */

static cJSON *json_variables(const tn_linear_variable *v, size_t count)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t k = 0; k < count; k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", v[k].name);
        cJSON_AddStringToObject(item, "unit", v[k].unit);
        cJSON_AddNumberToObject(item, "value", v[k].value);
        cJSON_AddItemToArray(array, item);
    }
    return array;
}

void tn_linear_add_json(const tn_linear_system *s, cJSON *object)
{
    matrix matrices[MATRICES];
    list_matrices(s, matrices);
    cJSON_AddNumberToObject(object, "time", s->time);
    cJSON_AddItemToObject(object, "states", json_variables(s->states, s->state_count));
    cJSON_AddItemToObject(object, "inputs", json_variables(s->inputs, s->input_count));
    cJSON_AddItemToObject(object, "outputs", json_variables(s->outputs, s->output_count));
    for (int k = 0; k < MATRICES; k++) {
        cJSON *rows = cJSON_AddArrayToObject(object, matrices[k].name);
        for (size_t i = 0; i < matrices[k].row_count; i++)
            cJSON_AddItemToArray(rows, cJSON_CreateDoubleArray(matrices[k].at + i * matrices[k].column_count,
                                                               (int)matrices[k].column_count));
    }
}
