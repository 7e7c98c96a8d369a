/* Models as components of models: types for tests that wrap what a text says. */
#ifndef TEST_NESTED_COMPONENTS_H
#define TEST_NESTED_COMPONENTS_H

#include "mechanisms.h"
#include "tenon/sys/component.h"

enum { TEST_COMPONENTS = 8, TEST_PORTS = 6 };

/* What the type makes; parameter "which" says of which text. One test at a time. */
typedef struct test_component {
    machine inside;
    const char *targets[TEST_PORTS];
    int count;
} test_component;
static test_component test_components[TEST_COMPONENTS];
static tn_port_decl test_ports[TEST_PORTS];
static tn_component_type test_type;
static tn_disclosure test_component_level = TN_DISCLOSE_CONDENSED;   /* of types that are defined */

static int test_component_create(void **self, const tn_component_host *host, const tn_component_setting *setting,
                           const double *parameters)
{
    (void)host;
    (void)setting;
    const test_component *component = &test_components[(int)parameters[0]];
    tn_component c;
    int code = tn_component_from_model(&c, component->inside.model, component->targets, component->count);
    *self = c.self;
    return code;
}

/* The type for ports of these names, and what is in its component "which". targets: what the ports are inside. */
static inline void test_component_define(int which, machine inside, const char *const *names,
                                         const char *const *targets, int count)
{
    static const tn_parameter_decl parameters[] = { { "which", "", "the text", 0, NULL } };
    test_component *component = &test_components[which];
    tn_component c;
    *component = (test_component){ .inside = inside, .count = count };
    memcpy(component->targets, targets, (size_t)count * sizeof *targets);
    machine_must(&inside, tn_component_from_model(&c, inside.model, targets, count));
    test_type = *c.type;
    for (int k = 0; k < count; k++)
        test_ports[k] = (tn_port_decl){ names[k], "" };
    test_type.ports = test_ports;
    test_type.parameters = parameters;
    test_type.parameter_count = 1;
    test_type.create = test_component_create;
    test_type.disclosure = test_component_level;
    tn_component_destroy(&c);
}

static inline void test_components_close(void)
{
    for (int k = 0; k < TEST_COMPONENTS; k++)
        if (test_components[k].inside.context)
            machine_close(&test_components[k].inside);
}

static inline void test_component_add(const machine *m, const char *path, int which)
{
    const tn_subsystem_def def = tn_subsystem_default();
    machine_must(m, tn_model_add_component(NULL, m->model, path, &test_type, &def,
                                           &(tn_setting){ "which", which }, 1));
}

#endif
