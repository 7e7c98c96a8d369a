/* Units of Adams datasets. */
#include "adm_reader.h"

#include "diag.h"

#include <strings.h>

typedef struct adm_unit {
    const char *name;
    double value;
} adm_unit;

static void read_unit(adm_reader *r, const adm_statement *s, const char *key, const adm_unit *units, double *out)
{
    const char *text = tn_adm_get(s, key);
    for (; text && units->name; units++)
        if (tn_adm_is(text, units->name)) {
            *out = units->value;
            return;
        }
    if (text)
        ADM_ERROR(r, s->place, "UNITS: %s '%s' is not known", key, text);
}

/* A system of units, such as SYSTEM = MKS, gives the units that the statement does not give one by one. */
static void read_system(adm_reader *r, const adm_statement *s)
{
    static const struct { const char *name; double length, mass, force; } systems[] = {
        { "MKS", 1, 1, 1 }, { "MMKS", 1e-3, 1, 1 }, { "CGS", 1e-2, 1e-3, 1e-5 },
        { "IPS", 0.0254, 175.12683524647636, 4.4482216152605 }, { "FPS", 0.3048, 14.593902937206364, 4.4482216152605 },
    };
    const char *text = tn_adm_get(s, "SYSTEM");
    for (size_t k = 0; text && k < TN_LENGTH(systems); k++)
        if (strcasecmp(text, systems[k].name) == 0) {
            r->length = systems[k].length;
            r->mass = systems[k].mass;
            r->force = systems[k].force;
            return;
        }
    if (text)
        ADM_ERROR(r, s->place, "UNITS: SYSTEM '%s' is not known", text);
}

void tn_adm_units(adm_reader *r)
{
    static const adm_unit lengths[] = { { "METER", 1 }, { "MILLIMETER", 1e-3 }, { "MM", 1e-3 }, { "CENTIMETER", 1e-2 },
        { "CM", 1e-2 }, { "KILOMETER", 1e3 }, { "INCH", 0.0254 }, { "FOOT", 0.3048 }, { "FEET", 0.3048 }, { "MILE", 1609.344 },
        { "M", 1 }, { NULL, 0 } };
    static const adm_unit masses[] = { { "KILOGRAM", 1 }, { "KG", 1 }, { "GRAM", 1e-3 }, { "POUND_MASS", 0.45359237 },
        { "OUNCE_MASS", 0.028349523125 }, { "SLUG", 14.593902937206364 }, { "SLINCH", 175.12683524647636 },
        { "MEGAGRAM", 1e3 }, { "TONNE", 1e3 }, { NULL, 0 } };
    static const adm_unit forces[] = { { "NEWTON", 1 }, { "KILONEWTON", 1e3 }, { "KNEWTON", 1e3 }, { "MILLINEWTON", 1e-3 },
        { "DYNE", 1e-5 }, { "POUND_FORCE", 4.4482216152605 }, { "OUNCE_FORCE", 0.27801385095378125 },
        { "KILOGRAM_FORCE", 9.80665 }, { "MEGANEWTON", 1e6 }, { NULL, 0 } };
    static const adm_unit times[] = { { "SECOND", 1 }, { "MILLISECOND", 1e-3 }, { "MINUTE", 60 }, { "HOUR", 3600 },
        { NULL, 0 } };
    bool given = false;
    r->length = r->mass = r->time = r->force = 1;
    for (const adm_statement *s = r->first; s; s = s->next) {
        if (!tn_adm_is(s->keyword, "UNITS"))
            continue;
        given = true;
        read_system(r, s);
        read_unit(r, s, "LENGTH", lengths, &r->length);
        read_unit(r, s, "MASS", masses, &r->mass);
        read_unit(r, s, "FORCE", forces, &r->force);
        read_unit(r, s, "TIME", times, &r->time);
    }
    if (!given)
        tn_machine_note_add(r->machine, TN_WARNING, ((tn_span){ r->files->main, 1, 1 }), "there is no UNITS statement: m, kg, N "
                            "and s are assumed");
}
