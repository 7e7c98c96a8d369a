/* Writes the report of a run as text or as JSON. */
#include "run_report.h"
#include "answers.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double real_time_factor(const tn_summary *s)
{
    return s->wall > 0 ? s->time / s->wall : NAN;
}

const char *tn_hash_text(char text[TN_HASH_TEXT], const tn_session *session)
{
    snprintf(text, TN_HASH_TEXT, "%016" PRIx64, tn_session_hash(session));
    return text;
}

static void print_energy(const tn_summary *s, FILE *out)
{
    fprintf(out, "energy      %.9g J at the start, %.9g J at the end, %.9g J of work; error %.2g J", s->energy_start,
            s->energy_end, s->energy_work, s->energy_error);
    const double largest = fmax(fmax(fabs(s->energy_start), fabs(s->energy_end)), fabs(s->energy_work));
    if (tn_summary_energy_error(s) > 1)
        fprintf(out, ", more than the peak kinetic energy of %.2g J and %.2g of the largest energy in the balance", s->energy_peak,
                s->energy_error / fmax(largest, s->energy_peak));
    else if (!isnan(tn_summary_energy_error(s)))
        fprintf(out, ", %.2g of the peak kinetic energy", tn_summary_energy_error(s));
    else if (s->energy_peak > 0)
        fputs("; nothing moves, its kinetic energy is round-off", out);
    fputc('\n', out);
}

static void print_parts(const tn_session *session, FILE *out)
{
    for (size_t k = 0; k < tn_session_part_count(session); k++) {
        tn_part_info part = tn_session_part(session, k);
        fprintf(out, "part        %s: %s, %ld steps, %ld rejected, %ld evaluations\n",
                part.path ? part.path : "main file", part.integrator, part.steps, part.rejected, part.evaluations);
    }
}

void tn_summary_print(const tn_model *model, const tn_session *session, double until, FILE *out)
{
    tn_summary s = tn_session_summary(session);
    const char *where = tn_model_entity_name(model, s.drift_joint);
    char hash[TN_HASH_TEXT];
    fprintf(out, "simulated   %.9g of %.9g s: %ld steps, %ld rejected, %ld evaluations", s.time, until, s.steps,
            s.rejected, s.evaluations);
    if (s.iterations > 0)
        fprintf(out, ", %ld iterations", s.iterations);
    fputc('\n', out);
    print_parts(session, out);
    fprintf(out, "wall time   %.3g s", s.wall);
    if (s.wall > 0)
        fprintf(out, ", %.3g x real time", real_time_factor(&s));
    fprintf(out, "\ndrift       %.2g m or rad at most", s.max_drift);
    if (where && s.max_drift > 0)
        fprintf(out, " ('%s')", where);
    fprintf(out, ", %.2g per second in velocities\n", s.max_velocity_drift);
    print_energy(&s, out);
    if (s.network_scale > 0)
        fprintf(out, "devices     error of the energy balance %.2g J, %.2g of the energy exchanged\n", s.network_error,
                s.network_error / s.network_scale);
    if (s.rank_max > 0 && s.rank_max != s.rank_min)
        fprintf(out, "rank        %d to %d\n", s.rank_min, s.rank_max);
    else if (s.rank_max > 0)
        fprintf(out, "rank        %d\n", s.rank_max);
    const double record = tn_session_solve(session).record;
    if (record > until)
        fprintf(out, "table       the start only: the run ends before the first sample; 'record' is %.3g s\n", record);
    fprintf(out, "state hash  %s\n", tn_hash_text(hash, session));
}

cJSON *tn_json_summary(const tn_model *model, const tn_session *session)
{
    tn_summary s = tn_session_summary(session);
    const struct { const char *name; double value; } numbers[] = {
        { "time", s.time }, { "wall", s.wall }, { "real_time_factor", real_time_factor(&s) },
        { "steps", (double)s.steps }, { "rejected", (double)s.rejected }, { "evaluations", (double)s.evaluations },
        { "iterations", (double)s.iterations },
        { "max_drift", s.max_drift }, { "max_velocity_drift", s.max_velocity_drift },
        { "energy_start", s.energy_start }, { "energy_end", s.energy_end }, { "energy_work", s.energy_work },
        { "energy_error", s.energy_error }, { "energy_peak", s.energy_peak },
        { "energy_error_relative", tn_summary_energy_error(&s) },
        { "network_error", s.network_error }, { "network_scale", s.network_scale },
        { "events", (double)s.events }, { "holds", (double)s.holds }, { "unsolved", (double)s.unsolved },
        { "rank_min", s.rank_min }, { "rank_max", s.rank_max },
    };
    cJSON *summary = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cJSON_AddNumberToObject(summary, numbers[i].name, numbers[i].value);
    const char *where = tn_model_entity_name(model, s.drift_joint);
    if (where && s.max_drift > 0)
        cJSON_AddStringToObject(summary, "drift_joint", where);
    if (s.stopped_by)
        cJSON_AddStringToObject(summary, "stopped_by", s.stopped_by);
    tn_json_add_parts(summary, session);
    char hash[TN_HASH_TEXT];
    cJSON_AddStringToObject(summary, "hash", tn_hash_text(hash, session));
    return summary;
}

void tn_motion_print(const tn_model *model, const tn_session *session, double until, FILE *out)
{
    tn_summary s = tn_session_summary(session);
    const char *where = tn_model_entity_name(model, s.drift_joint);
    fprintf(out, "solved      %.9g of %.9g s: %ld steps, %ld halved; wall time %.3g s\n", s.time, until, s.steps,
            s.rejected, s.wall);
    fprintf(out, "residuals   %.2g m or rad at most", s.max_drift);
    if (where && s.max_drift > 0)
        fprintf(out, " ('%s')", where);
    fprintf(out, ", %.2g per second in velocities\n", s.max_velocity_drift);
    if (s.energy_peak > 0)
        print_energy(&s, out);
}

cJSON *tn_json_motion(const tn_session *session)
{
    tn_summary s = tn_session_summary(session);
    cJSON *summary = cJSON_CreateObject();
    cJSON_AddNumberToObject(summary, "time", s.time);
    cJSON_AddNumberToObject(summary, "wall", s.wall);
    cJSON_AddNumberToObject(summary, "steps", (double)s.steps);
    cJSON_AddNumberToObject(summary, "halved", (double)s.rejected);
    cJSON_AddNumberToObject(summary, "max_drift", s.max_drift);
    cJSON_AddNumberToObject(summary, "max_velocity_drift", s.max_velocity_drift);
    return summary;
}

static const char *kind_text(tn_fired_kind kind)
{
    static const char *const names[] = { [TN_FIRED_UP] = "up", [TN_FIRED_DOWN] = "down", [TN_FIRED_TOUCH] = "touch" };
    return names[kind];
}

enum { LINES = 40 };               /* of a list: a screen; --json has all */

static void print_log(const tn_session *session, FILE *out)
{
    size_t count = tn_session_log_count(session);
    for (size_t i = 0; i < count && i < LINES; i++) {
        tn_log_entry entry = tn_session_log_entry(session, i);
        fprintf(out, "log         %-16.12g %s: %s\n", entry.time, entry.event, entry.text);
    }
    if (count > LINES)
        fprintf(out, "log         %zu more lines; --json lists them\n", count - LINES);
}

static void print_impacts(const tn_session *session, FILE *out)
{
    size_t count = tn_session_impact_count(session);
    for (size_t i = 0; i < count && i < LINES; i++) {
        tn_impact impact = tn_session_impact(session, i);
        fprintf(out, "impact      %-16.12g %s at %.6g, impulse %.6g", impact.time, impact.name, impact.speed,
                impact.impulse);
        if (impact.loss != 0)
            fprintf(out, ", %.6g J lost", impact.loss);
        fputc('\n', out);
    }
    if (count > LINES)
        fprintf(out, "impacts     %zu more lines; --impacts and --json list them\n", count - LINES);
}

void tn_impacts_write(const tn_session *session, FILE *out)
{
    fputs("t [s],name,speed [m/s],impulse [N s],loss [J]\n", out);
    for (size_t i = 0; i < tn_session_impact_count(session); i++) {
        tn_impact impact = tn_session_impact(session, i);
        fprintf(out, "%.17g,%s,%.17g,%.17g,%.17g\n", impact.time, impact.name, impact.speed, impact.impulse, impact.loss);
    }
}

/* Prints number of impacts, largest impulse and lost energy for every name in the list of impacts. */
static void print_impact_totals(const tn_session *session, FILE *out)
{
    size_t count = tn_session_impact_count(session), lines = 0;
    for (size_t i = 0; i < count && lines < LINES; i++) {
        tn_impact first = tn_session_impact(session, i);
        size_t times = 0;
        double most = 0, lost = 0;
        bool before = false;
        for (size_t k = 0; k < i && !before; k++)
            before = strcmp(tn_session_impact(session, k).name, first.name) == 0;
        for (size_t k = i; k < count && !before; k++) {
            tn_impact impact = tn_session_impact(session, k);
            if (strcmp(impact.name, first.name) != 0)
                continue;
            times++;
            most = impact.impulse > most ? impact.impulse : most;
            lost += impact.loss;
        }
        if (before)
            continue;
        fprintf(out, "contact     %s: %zu impacts, largest impulse %.6g, %.6g J lost\n", first.name, times, most, lost);
        lines++;
    }
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void tn_touches_print(tn_session *session, FILE *out)
{
    tn_contact_touch touches[LINES];
    print_impact_totals(session, out);
    int count = tn_session_touches(touches, LINES, session);
    for (int k = 0; k < count && k < LINES; k++) {
        const tn_contact_touch *t = &touches[k];
        fprintf(out, "touch       %s: %s and %s, %s, normal %.6g N, friction %.6g N, slip %.6g m/s\n", t->contact, t->body1,
                t->body2, t->state, t->force, length_of(t->friction), length_of(t->slip));
    }
    if (count > LINES)
        fprintf(out, "touches     %d more; --json lists them\n", count - LINES);
}

static void add_vector(cJSON *item, const char *name, const double v[3])
{
    cJSON_AddItemToObject(item, name, cJSON_CreateDoubleArray(v, 3));
}

cJSON *tn_json_touches(tn_session *session)
{
    cJSON *list = cJSON_CreateArray();
    int count = tn_session_touches(NULL, 0, session);
    tn_contact_touch *touches = count > 0 ? calloc((size_t)count, sizeof *touches) : NULL;
    if (touches)
        count = tn_session_touches(touches, (size_t)count, session);
    for (int k = 0; k < count && touches; k++) {
        const tn_contact_touch *t = &touches[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "contact", t->contact);
        cJSON_AddStringToObject(item, "body1", t->body1);
        cJSON_AddStringToObject(item, "body2", t->body2);
        cJSON_AddStringToObject(item, "state", t->state);
        add_vector(item, "point", t->point);
        add_vector(item, "normal", t->normal);
        cJSON_AddNumberToObject(item, "force", t->force);
        add_vector(item, "friction", t->friction);
        add_vector(item, "slip", t->slip);
        cJSON_AddItemToArray(list, item);
    }
    free(touches);
    return list;
}

void tn_events_print(const tn_session *session, FILE *out)
{
    tn_summary s = tn_session_summary(session);
    print_impacts(session, out);
    if (s.holds > 0)
        fprintf(out, "in time     %ld times contacts were stepped in time, to first order: their changes crowded or had no end\n", s.holds);
    if (s.unsolved > 0)
        fprintf(out, "unsolved    %ld decisions about contacts\n", s.unsolved);
    size_t kept = tn_session_fired_count(session), shown = kept < LINES ? kept : LINES;
    for (size_t i = 0; i < shown; i++) {
        tn_fired fired = tn_session_fired(session, i);
        fprintf(out, "event       %-16.12g %s %s\n", fired.time, fired.event, kind_text(fired.kind));
    }
    if ((size_t)s.events > shown)
        fprintf(out, "events      %ld more; --json lists %zu\n", s.events - (long)shown, kept);
    print_log(session, out);
    if (s.stopped_by)
        fprintf(out, "stopped     by event '%s' at t = %.12g s\n", s.stopped_by, s.time);
}

cJSON *tn_json_events(const tn_session *session)
{
    cJSON *events = cJSON_CreateArray();
    for (size_t i = 0; i < tn_session_fired_count(session); i++) {
        tn_fired fired = tn_session_fired(session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "time", fired.time);
        cJSON_AddStringToObject(item, "event", fired.event);
        cJSON_AddStringToObject(item, "kind", kind_text(fired.kind));
        cJSON_AddItemToArray(events, item);
    }
    return events;
}

cJSON *tn_json_impacts(const tn_session *session)
{
    cJSON *impacts = cJSON_CreateArray();
    for (size_t i = 0; i < tn_session_impact_count(session); i++) {
        tn_impact impact = tn_session_impact(session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "time", impact.time);
        cJSON_AddStringToObject(item, "name", impact.name);
        cJSON_AddNumberToObject(item, "speed", impact.speed);
        cJSON_AddNumberToObject(item, "impulse", impact.impulse);
        cJSON_AddNumberToObject(item, "loss", impact.loss);
        cJSON_AddItemToArray(impacts, item);
    }
    return impacts;
}

cJSON *tn_json_log(const tn_session *session)
{
    cJSON *log = cJSON_CreateArray();
    for (size_t i = 0; i < tn_session_log_count(session); i++) {
        tn_log_entry entry = tn_session_log_entry(session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "time", entry.time);
        cJSON_AddStringToObject(item, "event", entry.event);
        cJSON_AddStringToObject(item, "text", entry.text);
        cJSON_AddItemToArray(log, item);
    }
    return log;
}

void tn_verdicts_print(const tn_session *session, bool ended, bool only_failed, FILE *out)
{
    if (!ended && tn_session_verdict_count(session) > 0) {
        fprintf(out, "expect      not judged: the run did not get to its end: FAIL\n");
        return;
    }
    for (size_t i = 0; i < tn_session_verdict_count(session); i++) {
        tn_verdict v = tn_session_verdict(session, i);
        if (!v.ok || !only_failed)
            fprintf(out, "expect      %-24s error %8.2g, tolerance %8.2g: %s\n", v.what, v.error, v.tolerance,
                    v.ok ? "ok" : v.error <= v.tolerance ? "not judged" : "FAIL");
    }
}

cJSON *tn_json_verdicts(const tn_session *session, bool ended)
{
    cJSON *verdicts = cJSON_CreateArray();
    for (size_t i = 0; i < tn_session_verdict_count(session); i++) {
        tn_verdict v = tn_session_verdict(session, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "what", v.what);
        cJSON_AddNumberToObject(item, "error", v.error);
        cJSON_AddNumberToObject(item, "tolerance", v.tolerance);
        cJSON_AddBoolToObject(item, "ok", v.ok && ended);
        cJSON_AddItemToArray(verdicts, item);
    }
    return verdicts;
}

bool tn_verdicts_hold(const tn_session *session)
{
    for (size_t i = 0; i < tn_session_verdict_count(session); i++)
        if (!tn_session_verdict(session, i).ok)
            return false;
    return true;
}
