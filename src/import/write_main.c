/* model.yaml of an imported machine, the file that belongs to the user, and the reference that the source carries. */
#include "writer.h"

#include "diag.h"
#include "entities.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 1/s: from this rate of decay on a step of dopri5 (3.3 of its inverse at most) is far shorter than motion asks for. */
static const double STIFF_RATE = 10000;
#ifdef TENON_HAS_SUNDIALS
static const double NOISY_RATE = 1e9;          /* from here on round-off of velocities shakes accelerations, which ida does without */
#endif

static bool series_counts(const tn_machine *machine, size_t index)
{
    int body = machine->series[index].body;
    return machine->bodies[body].into == body;
}

/* The solution that the file carries, as reference.csv, and what of it is compared. */
static void write_expectation(tn_text *text, tn_machine *machine)
{
    size_t written = 0;
    for (size_t i = 0; i < machine->series_count; i++)
        if (series_counts(machine, i))
            tn_text_add(text, "%s%s.%c: %s.position.%c", written++ == 0
                        ? "expect: { reference: { file: reference.csv, tolerance: 1e-3, channels: { " : ", ",
                        machine->bodies[machine->series[i].body].label, 'x' + machine->series[i].axis,
                        tn_body_reference(machine, -1, machine->series[i].body), 'x' + machine->series[i].axis);
    if (written > 0)
        tn_text_add(text, " } } }\n");
}

static int write_reference(tn_folder *folder)
{
    tn_machine *machine = folder->machine;
    tn_text text;
    char *all = NULL;
    if (machine->series_count == 0)
        return TN_OK;
    tn_text_begin(&text, machine->context);
    tn_text_add(&text, "t");
    for (size_t i = 0; i < machine->series_count; i++)
        if (series_counts(machine, i))
            tn_text_add(&text, ",%s.%c", machine->bodies[machine->series[i].body].label, 'x' + machine->series[i].axis);
    for (size_t k = 0; k < machine->time_count; k++) {
        tn_text_add(&text, "\n%.17g", machine->times[k]);
        for (size_t i = 0; i < machine->series_count; i++)
            if (series_counts(machine, i))
                tn_text_add(&text, ",%.17g", machine->series[i].values[k]);
    }
    tn_text_add(&text, "\n");
    TN_TRY(tn_text_take(&text, &all));
    int code = tn_folder_put(folder, "reference.csv", all, strlen(all));
    tn_free(machine->context, all);
    return code;
}

/* An implicit integrator where losses are fast. */
static void write_integrator(tn_text *text, tn_machine *machine)
{
    const char *joint = "", *integrator = "generalized-alpha";
    double rate = tn_machine_fastest(machine, &joint);
    if (rate < STIFF_RATE)
        return;
#ifdef TENON_HAS_SUNDIALS
    integrator = rate < NOISY_RATE ? "cvode" : "ida";
#endif
    tn_text_add(text, ", integrator: %s, tolerance: 1e-6", integrator);
    tn_machine_note_add(machine, TN_NOTE, TN_NOWHERE, "losses along '%s' settle at about %.2g 1/s: the model is stiff, and "
                        "model.yaml takes the integrator %s", joint, rate, integrator);
}

int tn_write_main(tn_folder *folder)
{
    tn_machine *machine = folder->machine;
    TN_TRY(write_reference(folder));
    tn_text text;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/model.yaml", folder->work);
    if (folder->update && access(path, F_OK) == 0)
        return TN_OK;
    tn_text_begin(&text, machine->context);
    tn_text_add(&text, "# Yours to edit: a later import brings mechanism.yaml up to date and leaves this file as it is.\n"
                       "# Drives, forces, contacts and start values can be added here.\n\ntenon: 1\nname: ");
    tn_text_add_json(&text, machine->name);
    tn_text_add(&text, "\ninclude: mechanism.yaml\n");
    tn_text_add(&text, "solve: { until: %g s, record: 10 ms", isnan(machine->until) ? 10.0 : machine->until);
    write_integrator(&text, machine);
    if (machine->options->contacts)            /* many files start a little inside of the floor */
        tn_text_add(&text, ", overlaps: resolve");
    tn_text_add(&text, " }\n");
    write_expectation(&text, machine);
    return tn_folder_put_text(folder, &text, "model.yaml");
}
