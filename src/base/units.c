/* Units and dimensions: parsing unit texts and printing dimensions. */
#include "units.h"
#include "unit_scan.h"
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct unit {
    const char *name;
    double factor;                 /* to SI */
    tn_dim dim;
    const char *prefixes;          /* one letter each; u stands for the micro sign too */
} unit;

static const unit units[] = {
    { "m", 1, { 1, 0, 0, 0, 0 }, "numcdk" },
    { "g", 1e-3, { 0, 1, 0, 0, 0 }, "numk" },
    { "t", 1e3, { 0, 1, 0, 0, 0 }, "" },
    { "s", 1, { 0, 0, 1, 0, 0 }, "num" },
    { "min", 60, { 0, 0, 1, 0, 0 }, "" },
    { "h", 3600, { 0, 0, 1, 0, 0 }, "" },
    { "Hz", 1, { 0, 0, -1, 0, 0 }, "mkMG" },
    { "N", 1, { 1, 1, -2, 0, 0 }, "numcdkMG" },
    { "Nm", 1, { 2, 1, -2, 0, 0 }, "umkM" },
    { "Nmm", 1e-3, { 2, 1, -2, 0, 0 }, "" },
    { "Pa", 1, { -1, 1, -2, 0, 0 }, "mkMG" },
    { "bar", 1e5, { -1, 1, -2, 0, 0 }, "m" },
    { "J", 1, { 2, 1, -2, 0, 0 }, "numkMG" },
    { "W", 1, { 2, 1, -3, 0, 0 }, "numkMG" },
    { "rad", 1, { 0, 0, 0, 0, 0 }, "num" },
    { "deg", PI / 180, { 0, 0, 0, 0, 0 }, "" },
    { "\xC2\xB0", PI / 180, { 0, 0, 0, 0, 0 }, "" },
    { "rev", 2 * PI, { 0, 0, 0, 0, 0 }, "" },
    { "rpm", 2 * PI / 60, { 0, 0, -1, 0, 0 }, "" },
    { "in", 0.0254, { 1, 0, 0, 0, 0 }, "" },
    { "ft", 0.3048, { 1, 0, 0, 0, 0 }, "" },
    { "lb", 0.45359237, { 0, 1, 0, 0, 0 }, "" },
    { "lbf", 4.4482216152605, { 1, 1, -2, 0, 0 }, "" },
    { "%", 0.01, { 0, 0, 0, 0, 0 }, "" },
    { "A", 1, { 0, 0, 0, 1, 0 }, "numk" },
    { "K", 1, { 0, 0, 0, 0, 1 }, "m" },
    { "C", 1, { 0, 0, 1, 1, 0 }, "num" },
    { "Ah", 3600, { 0, 0, 1, 1, 0 }, "m" },
    { "V", 1, { 2, 1, -3, -1, 0 }, "numkM" },
    { "ohm", 1, { 2, 1, -3, -2, 0 }, "umkM" },
    { "Ohm", 1, { 2, 1, -3, -2, 0 }, "umkM" },
    { "\xCE\xA9", 1, { 2, 1, -3, -2, 0 }, "umkM" },
    { "\xE2\x84\xA6", 1, { 2, 1, -3, -2, 0 }, "umkM" },
    { "S", 1, { -2, -1, 3, 2, 0 }, "num" },
    { "F", 1, { -2, -1, 4, 2, 0 }, "pnum" },
    { "H", 1, { 2, 1, -2, -2, 0 }, "num" },
    { "Wb", 1, { 2, 1, -2, -1, 0 }, "m" },
    { "T", 1, { 0, 1, -2, -1, 0 }, "m" },
    { "Wh", 3600, { 2, 1, -2, 0, 0 }, "kM" },
    { "L", 1e-3, { 3, 0, 0, 0, 0 }, "m" },
    { "l", 1e-3, { 3, 0, 0, 0, 0 }, "m" },
    { "cc", 1e-6, { 3, 0, 0, 0, 0 }, "" },
    { "St", 1e-4, { 2, 0, -1, 0, 0 }, "c" },
};

static const struct { char letter; double factor; } prefixes[] = {
    { 'p', 1e-12 }, { 'n', 1e-9 }, { 'u', 1e-6 }, { 'm', 1e-3 }, { 'c', 1e-2 }, { 'd', 1e-1 }, { 'k', 1e3 }, { 'M', 1e6 }, { 'G', 1e9 },
};

/* Prefixed units that people write, for suggestions. */
static const char *const usual[] = {
    "mm", "cm", "km", "mg", "kg", "ms", "us", "kN", "MN", "kPa", "MPa", "GPa", "mbar", "kJ", "kW", "MW", "kHz", "mrad",
    "mA", "kA", "mV", "kV", "kohm", "uF", "mF", "mH", "cSt", "kWh",
};

static bool is_named(const unit *u, const char *name, size_t length)
{
    return strlen(u->name) == length && memcmp(u->name, name, length) == 0;
}

/* Bytes of the prefix at the start of name, with its letter; 0 when there is none. */
static size_t prefix_read(const char *name, size_t length, char *letter, double *factor)
{
    bool micro = length > 2 && (memcmp(name, "\xC2\xB5", 2) == 0 || memcmp(name, "\xCE\xBC", 2) == 0);
    *letter = micro ? 'u' : name[0];
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (prefixes[i].letter == *letter) {
            *factor = prefixes[i].factor;
            return micro ? 2 : 1;
        }
    return 0;
}

static const unit *unit_find(const char *name, size_t length, double *factor)
{
    if (length == 0)
        return NULL;
    char letter;
    double prefix_factor = 1;
    size_t skip = prefix_read(name, length, &letter, &prefix_factor);
    const unit *prefixed = NULL;
    for (const unit *u = units; u < units + sizeof units / sizeof units[0]; u++) {
        if (is_named(u, name, length)) {
            *factor = u->factor;
            return u;
        }
        if (skip > 0 && strchr(u->prefixes, letter) && is_named(u, name + skip, length - skip))
            prefixed = u;
    }
    if (prefixed)
        *factor = prefix_factor * prefixed->factor;
    return prefixed;
}

bool tn_unit_known(const char *name, size_t length)
{
    double factor;
    return unit_find(name, length, &factor) != NULL;
}

const char *tn_unit_candidate(void *user, size_t index)
{
    (void)user;
    size_t count = sizeof units / sizeof units[0];
    if (index < count)
        return units[index].name;
    index -= count;
    return index < sizeof usual / sizeof usual[0] ? usual[index] : NULL;
}

size_t tn_word_length(const char *text, size_t length)
{
    size_t n = 0;
    for (; n < length; n++) {
        unsigned char c = (unsigned char)text[n];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
        if (!letter && c != '%' && c != '_' && !(c >= '0' && c <= '9'))
            break;
    }
    return n;
}

/* Bytes of the sign at the start of text, 0 when there is none of them; sign is what it stands for. */
static size_t sign_read(const char *text, size_t length, char *sign)
{
    static const struct { const char *text; char sign; } signs[] = {
        { "\xC2\xB9", '1' }, { "\xC2\xB2", '2' }, { "\xC2\xB3", '3' }, { "\xE2\x81\xB4", '4' }, { "\xE2\x81\xBB", '-' },
        { "\xC2\xB7", '*' }, { "\xE2\x8B\x85", '*' },
    };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t bytes = strlen(signs[i].text);
        if (length >= bytes && memcmp(text, signs[i].text, bytes) == 0) {
            *sign = signs[i].sign;
            return bytes;
        }
    }
    return 0;
}

size_t tn_unit_word(const char *text, size_t length)
{
    const size_t word = tn_word_length(text, length);
    char sign;
    size_t n = 0;
    while (n < word && sign_read(text + n, word - n, &sign) == 0)
        n++;
    return n;
}

size_t tn_unit_join(const char *text, size_t length, char *join)
{
    if (length == 0)
        return 0;
    *join = text[0] == '/' ? '/' : '*';
    if (strchr("*/.", text[0]))
        return 1;
    char sign;
    const size_t bytes = sign_read(text, length, &sign);
    return bytes > 0 && sign == '*' ? bytes : 0;
}

/* Bytes of the next character of a power, 0 at the end; raised: superscripts. */
static size_t power_character(const char *text, size_t length, bool raised, char *c)
{
    if (raised)
        return sign_read(text, length, c);
    *c = length > 0 ? text[0] : '\0';
    return length > 0;
}

/* "^2", "^-1" with one digit, or the same in superscripts: bytes read, 0 when there is no such power. */
static size_t power_read(const char *text, size_t length, int *power)
{
    const bool raised = length == 0 || text[0] != '^';
    size_t used = raised ? 0 : 1;
    char c = '\0';
    size_t next = power_character(text + used, length - used, raised, &c);
    const bool negative = next > 0 && c == '-';
    if (negative) {
        used += next;
        next = power_character(text + used, length - used, raised, &c);
    }
    if (next == 0 || c < '0' || c > '9')
        return 0;
    *power = negative ? '0' - c : c - '0';
    return used + next;
}

size_t tn_unit_scan(const char *text, size_t length, double *factor, tn_dim *dim)
{
    size_t used = tn_unit_word(text, length);
    double base = 1;
    const unit *u = unit_find(text, used, &base);
    if (!u)
        return 0;
    int power = 1;
    used += power_read(text + used, length - used, &power);
    *factor = 1;
    for (int i = 0; i < (power < 0 ? -power : power); i++)
        *factor = power < 0 ? *factor / base : *factor * base;
    *dim = tn_dim_product(TN_DIM_NUMBER, u->dim, power);
    return used;
}

static size_t skip_space(const char *text, size_t length, size_t at)
{
    while (at < length && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

size_t tn_unit_scan_group(const char *text, size_t length, double *factor, tn_dim *dim)
{
    const char *end = length > 0 && text[0] == '(' ? memchr(text, ')', length) : NULL;
    if (!end)
        return 0;
    const size_t inside = (size_t)(end - text) - 1;
    if (skip_space(text + 1, inside, 0) == inside || tn_unit_parse(text + 1, inside, factor, dim) != 0)
        return 0;
    return inside + 2;
}

/* One unit, "1" as the first, or a group behind "/": bytes read, 0 when there is none. */
static size_t item_read(const char *text, size_t length, bool first, char join, double *factor, tn_dim *dim)
{
    *factor = 1;
    *dim = TN_DIM_NUMBER;
    if (first && text[0] == '1')
        return 1;
    return join == '/' && text[0] == '(' ? tn_unit_scan_group(text, length, factor, dim) : tn_unit_scan(text, length, factor, dim);
}

int tn_unit_parse(const char *text, size_t length, double *factor, tn_dim *dim)
{
    *factor = 1;
    *dim = TN_DIM_NUMBER;
    size_t at = skip_space(text, length, 0);
    if (at == length)
        return 0;
    char join = '*';
    for (bool first = true; at < length; first = false) {
        double item_factor;
        tn_dim item_dim;
        const size_t used = item_read(text + at, length - at, first, join, &item_factor, &item_dim);
        if (used == 0)
            return -1;
        *factor = join == '/' ? *factor / item_factor : *factor * item_factor;
        *dim = tn_dim_product(*dim, item_dim, join == '/' ? -1 : 1);
        const size_t end = at + used;
        at = skip_space(text, length, end);
        if (at == length)
            return 0;
        const size_t sign = tn_unit_join(text + at, length - at, &join);
        if (sign == 0 && at == end)
            return -1;
        join = sign > 0 ? join : '*';
        at = skip_space(text, length, at + sign);
    }
    return -1;
}

bool tn_dim_equal(tn_dim a, tn_dim b)
{
    return a.m == b.m && a.kg == b.kg && a.s == b.s && a.A == b.A && a.K == b.K;
}

/* Saturates; physical quantities never come near the bounds. */
static signed char exponent(int a, int b, int power)
{
    int sum = a + b * power;
    return (signed char)(sum > 99 ? 99 : sum < -99 ? -99 : sum);
}

tn_dim tn_dim_product(tn_dim a, tn_dim b, int power_of_b)
{
    return (tn_dim){ exponent(a.m, b.m, power_of_b), exponent(a.kg, b.kg, power_of_b), exponent(a.s, b.s, power_of_b),
                     exponent(a.A, b.A, power_of_b), exponent(a.K, b.K, power_of_b) };
}

const char *tn_dim_text(tn_dim dim, char *buffer, size_t size)
{
    const struct { const char *name; int power; } part[] = {
        { "kg", dim.kg }, { "m", dim.m }, { "s", dim.s }, { "A", dim.A }, { "K", dim.K }
    };
    char text[64] = "";
    size_t length = 0;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < 5; i++) {
            int power = sign * part[i].power;
            if (power <= 0)
                continue;
            const char *join = sign < 0 ? (length > 0 ? "/" : "1/") : (length > 0 ? " " : "");
            int added = snprintf(text + length, sizeof text - length, power > 1 ? "%s%s^%d" : "%s%s", join,
                                 part[i].name, power);
            length += (size_t)added;
        }
    snprintf(buffer, size, "%s", length > 0 ? text : "number");
    return buffer;
}

const char *tn_dim_name(tn_dim dim, char *buffer, size_t size)
{
    static const struct { tn_dim dim; const char *name; } names[] = {
        { { 0, 0, 0, 0, 0 }, "number" },
        { { 1, 0, 0, 0, 0 }, "length" },
        { { 2, 0, 0, 0, 0 }, "area" },
        { { 3, 0, 0, 0, 0 }, "volume" },
        { { 0, 1, 0, 0, 0 }, "mass" },
        { { 0, 0, 1, 0, 0 }, "time" },
        { { 0, 0, -1, 0, 0 }, "rate" },
        { { 0, 0, -2, 0, 0 }, "angular acceleration" },
        { { 1, 0, -1, 0, 0 }, "velocity" },
        { { 1, 0, -2, 0, 0 }, "acceleration" },
        { { 1, 1, -2, 0, 0 }, "force" },
        { { 2, 1, -2, 0, 0 }, "torque or energy" },
        { { 2, 1, -3, 0, 0 }, "power" },
        { { -1, 1, -2, 0, 0 }, "pressure" },
        { { -3, 1, 0, 0, 0 }, "density" },
        { { 2, 1, 0, 0, 0 }, "moment of inertia" },
        { { 1, 1, -1, 0, 0 }, "momentum" },
        { { 2, 1, -1, 0, 0 }, "angular momentum" },
        { { 0, 1, -2, 0, 0 }, "stiffness" },
        { { 0, 1, -1, 0, 0 }, "damping" },
        { { 0, 0, 0, 1, 0 }, "current" },
        { { 0, 0, 0, 0, 1 }, "temperature" },
        { { 0, 0, 1, 1, 0 }, "charge" },
        { { 2, 1, -3, -1, 0 }, "voltage" },
        { { 2, 1, -3, -2, 0 }, "resistance" },
        { { -2, -1, 3, 2, 0 }, "conductance" },
        { { -2, -1, 4, 2, 0 }, "capacitance" },
        { { 2, 1, -2, -2, 0 }, "inductance" },
        { { 2, 1, -2, -1, 0 }, "magnetic flux" },
        { { 3, 0, -1, 0, 0 }, "volume flow" },
        { { 2, 0, -1, 0, 0 }, "kinematic viscosity" },
        { { 2, 1, -2, 0, -1 }, "heat capacity" },
        { { 2, 1, -3, 0, -1 }, "thermal conductance" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (tn_dim_equal(names[i].dim, dim)) {
            snprintf(buffer, size, "%s", names[i].name);
            return buffer;
        }
    return tn_dim_text(dim, buffer, size);
}
