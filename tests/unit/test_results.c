/* Results in files: what a run records is read back to the last bit from either format; interrupted runs, failing disks
 * and damaged files end in messages. */
#include "alloc.h"
#include "mem.h"
#include "read_model.h"
#include "tenon/tenon.h"
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

/* The HDF5 library loses memory over damaged files. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static const char pendulum[] =
    "tenon: 1\n"
    "name: Pendulum\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies: { bob: { type: particle, mass: 1, position: [1, 0] } }\n"
    "joints: { bar: { type: rod, between: [ground, bob], length: 1 } }\n"
    "outputs: [bob, energy, bob.position.x]\n"             /* one of them twice */
    "solve: { until: 2.5, step: 1 ms, integrator: rk4, record: step }\n";

enum { STEPS = 2500 };                                     /* of a whole run: more than two chunks of rows */

typedef struct bench {
    tn_context *context;
    tn_model *model;
    tn_session *session;
    char folder[64], path[100];
} bench;

static bench open_bench(const char *name)
{
    bench b = { .context = tn_context_create(NULL) };
    snprintf(b.path, sizeof b.path, "%s/%s", temporary_folder(b.folder, sizeof b.folder), name);
    assert_int_equal(tn_model_read_text(&b.model, b.context, pendulum, strlen(pendulum), "m.yaml", "."), TN_OK);
    assert_int_equal(tn_session_open(&b.session, b.model, NULL), TN_OK);
    return b;
}

static void close_bench(bench *b)
{
    tn_session_close(b->session);
    tn_model_destroy(b->model);
    tn_context_destroy(b->context);
}

static void say(bench *b, const char *words)
{
    assert_true(tn_diagnostics_count(b->context) > 0);
    const char *message = tn_diagnostics_get(b->context, 0)->message;
    if (strstr(message, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, message);
    tn_diagnostics_clear(b->context);
}

static tn_results *read_back(bench *b, const char *path)
{
    tn_results *results;
    int code = tn_results_read(&results, b->context, path);
    if (code < 0)
        tn_diagnostics_print(b->context, stderr);
    assert_int_equal(code, TN_OK);
    return results;
}

static void test_both_formats_hold_the_same(void **state)
{
    (void)state;
    bench b = open_bench("run.h5");
    char csv[100];
    snprintf(csv, sizeof csv, "%s/run.csv", b.folder);
    FILE *out = fopen(csv, "w");
    assert_int_equal(tn_session_record_csv(b.session, out), TN_OK);
    assert_int_equal(tn_session_record_hdf5(b.session, b.path), TN_OK);
    assert_int_equal(tn_session_run(b.session), TN_NEWS_END);
    assert_int_equal(tn_session_record_end(b.session), TN_OK);
    fclose(out);

    tn_results *text = read_back(&b, csv), *binary = read_back(&b, b.path);
    assert_int_equal(tn_results_rows(text), STEPS + 1);
    assert_int_equal(tn_results_rows(binary), STEPS + 1);
    assert_int_equal(tn_results_columns(text), tn_session_recorded_count(b.session));
    assert_int_equal(tn_results_columns(binary), tn_results_columns(text) - 1);    /* the repeated one once */
    for (size_t k = 0; k < tn_results_columns(binary); k++) {
        tn_channel channel = tn_results_column(binary, k), same = tn_results_column(text, k);
        assert_string_equal(channel.name, same.name);
        assert_string_equal(channel.unit, same.unit);
        assert_memory_equal(tn_results_values(binary, k), tn_results_values(text, k), (STEPS + 1) * sizeof(double));
    }
    assert_string_equal(tn_results_model(binary), "Pendulum");
    tn_results_destroy(text);
    tn_results_destroy(binary);
    close_bench(&b);
}

static void test_a_table_of_ones_own(void **state)
{
    (void)state;
    bench b = open_bench("table.h5");
    double t[1500], x[1500];
    for (int k = 0; k < 1500; k++) {
        t[k] = 0.01 * k;
        x[k] = k == 700 ? NAN : sin(t[k]);
    }
    const tn_channel channels[] = { { "t", "s" }, { "crank.angle", "rad" } };
    const double *const columns[] = { t, x };
    const tn_results_table table = { "Sine", 2, channels, columns, 2, 1500 };
    assert_int_equal(tn_results_write_hdf5(b.context, b.path, &table), TN_OK);
    tn_results *results = read_back(&b, b.path);
    assert_int_equal(tn_results_rows(results), 1500);
    assert_string_equal(tn_results_model(results), "Sine");
    assert_string_equal(tn_results_column(results, 1).unit, "rad");
    assert_memory_equal(tn_results_values(results, 0), t, sizeof t);
    assert_memory_equal(tn_results_values(results, 1), x, sizeof x);
    tn_results_destroy(results);
    assert_int_equal(tn_results_write_hdf5(b.context, "/nowhere/at/all.h5", &table), TN_ERROR_FILE);
    say(&b, "cannot write");
    close_bench(&b);
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

static char *record_bytes(size_t *size)
{
    bench b = open_bench("run.h5");
    assert_int_equal(tn_session_record_hdf5(b.session, b.path), TN_OK);
    assert_int_equal(tn_session_advance(b.session, 0.2), TN_OK);
    assert_int_equal(tn_session_record_end(b.session), TN_OK);
    char *bytes = bytes_of(b.path, size);
    close_bench(&b);
    return bytes;
}

static void test_same_run_same_bytes(void **state)
{
    (void)state;
    size_t size, again_size;
    char *bytes = record_bytes(&size);
    nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 100000000 }, NULL);      /* dates would have seconds */
    char *again = record_bytes(&again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    free(bytes);
    free(again);
}

static int stop_at_one(void *user, const tn_session *session)
{
    (void)user;
    return tn_session_time(session) > 1.2345 - 1e-6;
}

static void test_interrupted_run_leaves_a_whole_file(void **state)
{
    (void)state;
    bench b = open_bench("run.h5");
    assert_int_equal(tn_session_record_hdf5(b.session, b.path), TN_OK);
    tn_session_on_step(b.session, stop_at_one, NULL);
    assert_int_equal(tn_session_run(b.session), TN_NEWS_INTERRUPTED);
    tn_results *early = read_back(&b, b.path);             /* still being written: what is on the disk is valid */
    assert_int_equal(tn_results_rows(early), 1024);
    tn_results_destroy(early);
    tn_session_close(b.session);                           /* writes the rest unasked */
    b.session = NULL;
    tn_results *results = read_back(&b, b.path);
    assert_int_equal(tn_results_rows(results), 1236);
    assert_near(tn_results_values(results, 0)[1235], 1.235, 1e-12);
    tn_results_destroy(results);
    close_bench(&b);
}

static void test_unwritable_place(void **state)
{
    (void)state;
    bench b = open_bench("missing/run.h5");
    assert_int_equal(tn_session_record_hdf5(b.session, b.path), TN_ERROR_FILE);
    say(&b, "run.h5': No such file or directory");
    assert_int_equal(tn_session_record_hdf5(b.session, b.folder), TN_ERROR_FILE);
    say(&b, "Is a directory");
    assert_int_equal(tn_session_run(b.session), TN_NEWS_END);
    close_bench(&b);
}

/* A limit on the size of files fails writes as a full disk does. */
static void test_full_disk_ends_the_run(void **state)
{
    (void)state;
    bench b = open_bench("run.h5");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 40000;                                /* room for the first chunks */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(tn_session_record_hdf5(b.session, b.path), TN_OK);
    setrlimit(RLIMIT_FSIZE, &small);
    int code = tn_session_run(b.session);
    double reached = tn_session_time(b.session);
    int end = tn_session_record_end(b.session);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(code, TN_ERROR_FILE);
    assert_int_equal(end, TN_OK);                          /* told once */
    say(&b, "run.h5': File too large");
    assert_true(reached > 0.5 && reached < 2.4);
    assert_int_equal(tn_session_run(b.session), TN_NEWS_END);
    close_bench(&b);
}

/* ---- hostile files ---- */

static int read_bytes_as(bench *b, const void *data, size_t size)
{
    tn_results *results;
    write_file(b->folder, "hostile.h5", data, size);
    char path[100];
    snprintf(path, sizeof path, "%s/hostile.h5", b->folder);
    int code = tn_results_read(&results, b->context, path);
    if (code == TN_OK)
        assert_true(tn_results_rows(results) <= 201);
    else
        assert_null(results);
    tn_results_destroy(results);
    assert_true(code == TN_OK || (code == TN_ERROR_FILE && tn_diagnostics_count(b->context) > 0));
    return code;
}

static void test_cut_and_flipped(void **state)
{
    (void)state;
    bench b = open_bench("run.h5");
    size_t size;
    char *bytes = record_bytes(&size);
    assert_int_equal(read_bytes_as(&b, bytes, size), TN_OK);
    for (size_t cut = 8; cut < size; cut += 97) {
        tn_diagnostics_clear(b.context);
        assert_int_equal(read_bytes_as(&b, bytes, cut), TN_ERROR_FILE);
    }
    int refused = 0;
    uint32_t random = 12345;
    for (int k = 0; k < 400; k++) {
        random = random * 1664525u + 1013904223u;
        size_t at = 8 + (random >> 8) % (size - 8);
        char kept = bytes[at];
        bytes[at] = (char)(kept ^ (1 << k % 8));
        tn_diagnostics_clear(b.context);
        refused += read_bytes_as(&b, bytes, size) < 0;
        bytes[at] = kept;
    }
    assert_true(refused > 50);                             /* many bytes of a short file are air */
    free(bytes);
    close_bench(&b);
}

static void test_not_hdf5_at_all(void **state)
{
    (void)state;
    bench b = open_bench("run.h5");
    enum { SIZE = 10 << 20 };
    char *garbage = malloc(SIZE);
    uint32_t random = 1;
    for (size_t k = 0; k < SIZE; k++) {
        random = random * 1664525u + 1013904223u;
        garbage[k] = (char)(random >> 24);
    }
    assert_int_equal(read_bytes_as(&b, garbage, SIZE), TN_ERROR_FILE);
    say(&b, "neither a text nor an HDF5 file");
    memcpy(garbage, "\x89HDF\r\n\x1a\n", 8);
    assert_int_equal(read_bytes_as(&b, garbage, SIZE), TN_ERROR_FILE);
    say(&b, "this HDF5 file cannot be read");
    for (size_t k = 0; k < SIZE; k++)
        garbage[k] = (char)(garbage[k] | 1);               /* no NUL: a text of one endless line */
    assert_int_equal(read_bytes_as(&b, garbage, SIZE), TN_ERROR_FILE);
    say(&b, "this is not a table");
    assert_int_equal(read_bytes_as(&b, "t [s],x [m]\n0,1\n1,2\n", 20), TN_OK);    /* the content counts, not the name */
    assert_int_equal(read_bytes_as(&b, "t,x\n0,1\n1,\n", 11), TN_ERROR_FILE);
    say(&b, "a number is missing here");
    free(garbage);
    close_bench(&b);
}

/* ---- files of other programs ---- */

typedef struct foreign {
    const char *words;                                     /* of the first diagnostic; NULL: none */
    int code;
    size_t rows;
    void (*make)(hid_t file);
} foreign;

static void add_column(hid_t file, const char *name, hid_t type, int dimensions, const hsize_t *sizes)
{
    hid_t space = H5Screate_simple(dimensions, sizes, NULL);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const double values[6] = { 1, 2, 3, 4, 5, 6 };
    if (sizes[0] <= 6)
        assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
}

static void make_plain(hid_t file)
{
    add_column(file, "t", H5T_IEEE_F32BE, 1, (hsize_t[]){ 3 });
    add_column(file, "x", H5T_STD_I16LE, 1, (hsize_t[]){ 3 });
}

static void make_uneven(hid_t file)
{
    add_column(file, "t", H5T_IEEE_F64LE, 1, (hsize_t[]){ 5 });
    add_column(file, "x", H5T_IEEE_F64LE, 1, (hsize_t[]){ 4 });
}

static void make_matrix(hid_t file)
{
    add_column(file, "t", H5T_IEEE_F64LE, 2, (hsize_t[]){ 2, 3 });
}

static void make_group(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "bob", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void make_link(hid_t file)
{
    assert_true(H5Lcreate_external("/etc/passwd", "/", file, "t", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* Two rows, in one chunk of 2 GiB that was never written. */
static void make_large_chunks(hid_t file)
{
    const hsize_t rows = 2, most = H5S_UNLIMITED, chunk = 1 << 28;
    hid_t space = H5Screate_simple(1, &rows, &most), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    H5Dclose(H5Dcreate2(file, "t", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
}

static void make_endless(hid_t file)
{
    add_column(file, "t", H5T_IEEE_F64LE, 1, (hsize_t[]){ (hsize_t)1 << 50 });
}

static void make_empty(hid_t file)
{
    (void)file;
}

static void make_later(hid_t file)
{
    int version = 2;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, "format_version", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    make_plain(file);
}

static void test_files_of_other_programs(void **state)
{
    (void)state;
    static const foreign cases[] = {
        { NULL, TN_OK, 3, make_plain },
        { "columns have 4 to 5 rows; the first 4 are read", TN_OK, 4, make_uneven },
        { "'t' is not a column of numbers", TN_ERROR_FILE, 0, make_matrix },
        { "'bob' is not a column of numbers", TN_ERROR_FILE, 0, make_group },
        { "'t' is a link", TN_ERROR_FILE, 0, make_link },
        { "more numbers than it can hold", TN_ERROR_FILE, 0, make_endless },
        { "chunks that are larger than the file", TN_ERROR_FILE, 0, make_large_chunks },
        { "no columns", TN_ERROR_FILE, 0, make_empty },
        { "later version", TN_ERROR_FILE, 0, make_later },
    };
    for (size_t i = 0; i < TN_LENGTH(cases); i++) {
        bench b = open_bench("other.h5");
        hid_t file = H5Fcreate(b.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        cases[i].make(file);
        H5Fclose(file);
        tn_results *results;
        assert_int_equal(tn_results_read(&results, b.context, b.path), cases[i].code);
        if (cases[i].words)
            say(&b, cases[i].words);
        if (cases[i].code == TN_OK) {
            assert_int_equal(tn_results_rows(results), cases[i].rows);
            assert_int_equal(tn_results_columns(results), 2);
            for (size_t k = 0; k < cases[i].rows; k++)
                assert_near(tn_results_values(results, 1)[k], (double)k + 1, 0);
            assert_string_equal(tn_results_column(results, 1).unit, "");
            assert_null(tn_results_model(results));
        }
        tn_results_destroy(results);
        close_bench(&b);
    }
}

/* ---- memory ---- */

static int record_and_read(tn_context *context, const char *path)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_results *results = NULL;
    int code = tn_model_read_text(&model, context, pendulum, strlen(pendulum), "m.yaml", ".");
    if (code == TN_OK)
        code = tn_session_open(&session, model, NULL);
    if (code == TN_OK)
        code = tn_session_record_hdf5(session, path);
    if (code == TN_OK)
        code = tn_session_advance(session, 0.01);
    if (code == TN_OK)
        code = tn_session_record_end(session);
    if (code == TN_OK)
        code = tn_results_read(&results, context, path);
    tn_results_destroy(results);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static void test_every_request_fails(void **state)
{
    (void)state;
    char folder[64], path[100];
    snprintf(path, sizeof path, "%s/run.h5", temporary_folder(folder, sizeof folder));
    int code = TN_ERROR_MEMORY;
    for (long n = 1; code != TN_OK; n++) {
        test_alloc a = { .fail_at = n };
        tn_context *context = test_context(&a);
        code = context ? record_and_read(context, path) : TN_ERROR_MEMORY;
        if (code == TN_OK ? a.calls >= n : code != TN_ERROR_MEMORY)
            fail_msg("request %ld failed, but the code is %d", n, code);
        if (context)
            tn_context_destroy(context);
        assert_int_equal(a.alive, 0);
    }
}

static void test_no_requests_while_recording(void **state)
{
    (void)state;
    char folder[64], path[100];
    snprintf(path, sizeof path, "%s/run.h5", temporary_folder(folder, sizeof folder));
    test_alloc a = { 0 };
    tn_context *context = test_context(&a);
    tn_model *model = NULL;
    tn_session *session = NULL;
    assert_int_equal(tn_model_read_text(&model, context, pendulum, strlen(pendulum), "m.yaml", "."), TN_OK);
    tn_solve solve = tn_model_solve(model);
    assert_int_equal(tn_session_open(&session, model, &solve), TN_OK);
    assert_int_equal(tn_session_record_hdf5(session, path), TN_OK);
    long before = a.calls;
    assert_int_equal(tn_session_run(session), TN_NEWS_END);
    assert_int_equal(a.calls, before);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    assert_int_equal(a.alive, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_formats_hold_the_same),
        cmocka_unit_test(test_a_table_of_ones_own),
        cmocka_unit_test(test_same_run_same_bytes),
        cmocka_unit_test(test_interrupted_run_leaves_a_whole_file),
        cmocka_unit_test(test_unwritable_place),
        cmocka_unit_test(test_full_disk_ends_the_run),
        cmocka_unit_test(test_cut_and_flipped),
        cmocka_unit_test(test_not_hdf5_at_all),
        cmocka_unit_test(test_files_of_other_programs),
        cmocka_unit_test(test_every_request_fails),
        cmocka_unit_test(test_no_requests_while_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
