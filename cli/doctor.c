/* The command "doctor": prints the facts about program and machine that a bug report needs. */
#include "build_features.h"
#include "output.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST_LIBRARIES = 256, LINE = 512 };

typedef struct fact {
    const char *group, *name;
    char value[LINE];
} fact;

enum { MOST_FACTS = 320 };

typedef struct facts {
    fact items[MOST_FACTS];
    size_t count;
} facts;

static void add_fact(facts *f, const char *group, const char *name, const char *value)
{
    if (f->count == MOST_FACTS)
        return;
    fact *item = &f->items[f->count++];
    item->group = group;
    item->name = name;
    snprintf(item->value, sizeof item->value, "%.500s", value);
}

static void add_build(facts *f)
{
    char text[LINE];
    add_fact(f, "program", "version", tn_version());
#ifdef __clang__
    add_fact(f, "program", "compiler", "clang " __clang_version__);
#else
    add_fact(f, "program", "compiler", "gcc " __VERSION__);
#endif
    snprintf(text, sizeof text, "%zu bits, C %ld", 8 * sizeof(void *), (long)__STDC_VERSION__);
    add_fact(f, "program", "target", text);
    for (size_t k = 0; k < tn_program_feature_count(); k++) {
        tn_feature feature = tn_program_feature_at(k);
        add_fact(f, "features", feature.name, feature.built ? "yes" : "no");
    }
}

/* The shared libraries in use, as the system has mapped them. */
static void add_libraries(facts *f)
{
    static char names[MOST_LIBRARIES][LINE];
    size_t count = 0;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps) && count < MOST_LIBRARIES) {
        char *path = strchr(line, '/');
        if (!path || !strstr(path, ".so"))
            continue;
        path[strcspn(path, "\n")] = '\0';
        char real[LINE];
        snprintf(real, sizeof real, "%.500s", path);
        if (count > 0 && strcmp(names[count - 1], real) == 0)
            continue;
        memcpy(names[count], real, sizeof real);
        add_fact(f, "libraries", tn_file_name(names[count]), names[count]);
        count++;
    }
    if (maps)
        fclose(maps);
}

static void add_limit(facts *f, const char *name, int resource)
{
    struct rlimit limit;
    char text[LINE] = "unknown";
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, sizeof text, "%llu", (unsigned long long)limit.rlim_cur);
    else if (getrlimit(resource, &limit) == 0)
        snprintf(text, sizeof text, "unlimited");
    add_fact(f, "limits", name, text);
}

static void add_machine(facts *f)
{
    struct utsname system;
    struct statvfs disk;
    char text[LINE];
    if (uname(&system) == 0) {
        snprintf(text, sizeof text, "%.100s %.100s %.100s", system.sysname, system.release, system.machine);
        add_fact(f, "machine", "system", text);
    }
    snprintf(text, sizeof text, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    add_fact(f, "machine", "processors", text);
    snprintf(text, sizeof text, "%.0f MiB", (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE) / 1048576);
    add_fact(f, "machine", "memory", text);
    if (statvfs(".", &disk) == 0) {
        snprintf(text, sizeof text, "%.0f MiB", (double)disk.f_bavail * (double)disk.f_frsize / 1048576);
        add_fact(f, "machine", "free disk here", text);
    }
    add_fact(f, "machine", "locale", getenv("LC_ALL") ? getenv("LC_ALL") : getenv("LANG") ? getenv("LANG") : "");
    add_limit(f, "open files", RLIMIT_NOFILE);
    add_limit(f, "file size", RLIMIT_FSIZE);
    add_limit(f, "stack", RLIMIT_STACK);
    add_limit(f, "address space", RLIMIT_AS);
}

/* Problems of the installation, each with a remedy. */
static size_t add_troubles(facts *f)
{
    size_t before = f->count;
    struct statvfs disk;
    if (statvfs(".", &disk) == 0 && (double)disk.f_bavail * (double)disk.f_frsize < 64e6)
        add_fact(f, "trouble", "disk", "less than 64 MB are free here: journals and results may not fit");
    volatile double tiny = DBL_MIN;
    if (tiny / 2 == 0)
        add_fact(f, "trouble", "arithmetic", "subnormal numbers are flushed to zero: results differ from those of other machines");
    volatile double one = 1, eps = DBL_EPSILON / 2;
    if (one + eps != one || one + 3 * eps != one + 4 * eps)
        add_fact(f, "trouble", "arithmetic", "rounding is not to nearest: results differ from those of other machines");
    if (!getenv("HOME") && !getenv("XDG_STATE_HOME"))
        add_fact(f, "trouble", "journals", "neither HOME nor XDG_STATE_HOME is set: the studio keeps its journals in /tmp");
    return f->count - before;
}

static void print_facts(const facts *f)
{
    const char *group = "";
    for (size_t k = 0; k < f->count; k++) {
        const fact *item = &f->items[k];
        if (strcmp(group, item->group) != 0)
            printf("%s%s\n", k ? "\n" : "", item->group);
        group = item->group;
        printf("  %-16s %s\n", item->name, item->value);
    }
}

static void print_facts_json(const facts *f, size_t troubles)
{
    cJSON *document = cJSON_CreateObject(), *group = NULL;
    cJSON_AddBoolToObject(document, "ok", troubles == 0);
    for (size_t k = 0; k < f->count; k++) {
        const fact *item = &f->items[k];
        if (k == 0 || strcmp(f->items[k - 1].group, item->group) != 0)
            group = cJSON_AddObjectToObject(document, item->group);
        cJSON_AddStringToObject(group, item->name, item->value);
    }
    tn_json_print(document);
}

static int run_doctor(tn_context *context, const tn_arguments *arguments)
{
    (void)context;
    static facts f;
    add_build(&f);
    add_machine(&f);
    add_libraries(&f);
    size_t troubles = add_troubles(&f);
    if (arguments->json) {
        print_facts_json(&f, troubles);
    } else {
        print_facts(&f);
        if (troubles == 0)
            puts("\nnothing is wrong");
    }
    return troubles == 0 ? TN_EXIT_OK : TN_EXIT_FILE;
}

const tn_command tn_command_doctor = {
    .name = "doctor",
    .summary = "Print version, features, libraries and limits, for bug reports.",
    .details = "Exit status 3 when something is wrong with the machine: the last lines say what.",
    .operands = "",
    .run = run_doctor,
};
