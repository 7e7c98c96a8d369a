/* The words of expressions: reads numbers, units and names, and reports mistakes in them. */
#include "diag.h"
#include "elementary.h"
#include "expr_parse.h"
#include "unit_scan.h"
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    NUMBER_SIZE = 64,
    PATH_PARTS = 32,               /* names are looked for in so many parts of a run of words, points and hyphens */
    SHOWN = 64                     /* characters of strange words in messages */
};

int tn_parse_fail(const tn_parse *p, const char *format, ...)
{
    const tn_parse *outermost = p;
    while (outermost->outer)
        outermost = outermost->outer;
    tn_expr_error *e = p->error;
    e->offset = outermost->blame;
    size_t used = 0;
    if (p->name)
        used = (size_t)snprintf(e->message, sizeof e->message, "in '%.*s': ", TN_NAME_SIZE, p->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->message + used, sizeof e->message - used, format, arguments);
    va_end(arguments);
    return TN_ERROR_MODEL;
}

bool tn_char_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool tn_char_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

char tn_parse_peek(tn_parse *p)
{
    while (p->text[p->at] && strchr(" \t\r\n", p->text[p->at]))
        p->at++;
    return p->text[p->at];
}

static int word_length(const char *text)
{
    return (int)tn_word_length(text, strlen(text));
}

bool tn_parse_at_word(tn_parse *p, const char *word)
{
    tn_parse_peek(p);
    const char *here = p->text + p->at;
    int length = word_length(here);
    return length == (int)strlen(word) && memcmp(here, word, (size_t)length) == 0;
}

static bool at_connective(tn_parse *p)
{
    return tn_parse_at_word(p, "and") || tn_parse_at_word(p, "or");
}

/* Suggestions for operators of other languages, and for decimal commas. */
static const char *operator_hint(const tn_parse *p)
{
    const char *here = p->text + p->at;
    switch (here[0]) {
    case ',': return p->at > 0 && tn_char_digit(here[-1]) && tn_char_digit(here[1]) ? "; decimals have a point" : "";
    case '=': return "; computed numbers are hardly ever equal, write abs(a - b) < tolerance";
    case '!': return "; the word for it is 'not'";
    case '&': return "; the word for it is 'and'";
    case '|': return "; the word for it is 'or'";
    default: return "";
    }
}

int tn_parse_unexpected(tn_parse *p, const char *expected)
{
    char c = tn_parse_peek(p);
    const char *here = p->text + p->at;
    p->blame = p->at;
    if (!c)
        return tn_parse_fail(p, "the text ends where %s is expected", expected);
    int length = word_length(here);
    if (length == 0 && (c < ' ' || c == 0x7f))
        return tn_parse_fail(p, "unexpected character 0x%02x where %s is expected", (unsigned)c, expected);
    if (length == 0)
        length = 1 + (strchr("=!<>&|", here[0]) && here[1] && strchr("=&|", here[1]));
    return tn_parse_fail(p, "unexpected '%.*s' where %s is expected%s", length < SHOWN ? length : SHOWN, here, expected,
                         operator_hint(p));
}

/* A number times a power of ten. The digits go to the C library as an integer with exponent, since its decimal point depends on the
 * locale. */
static int read_number(tn_parse *p, int power, double *value)
{
    char digits[NUMBER_SIZE + 16];
    int length = 0;
    long exponent = power;
    bool fraction = false;
    p->blame = p->at;
    for (char c; tn_char_digit(c = p->text[p->at]) || (c == '.' && !fraction); p->at++) {
        if (c == '.') {
            fraction = true;
            continue;
        }
        if (length == NUMBER_SIZE)
            return tn_parse_fail(p, "a number of more than %d digits", NUMBER_SIZE);
        digits[length++] = c;
        exponent -= fraction;
    }
    const char *e = p->text + p->at;
    bool sign = e[0] && (e[1] == '+' || e[1] == '-');
    if ((e[0] == 'e' || e[0] == 'E') && tn_char_digit(e[sign ? 2 : 1])) {
        char *end;
        long given = strtol(e + 1, &end, 10);
        enum { BEYOND = 100000 };      /* no double reaches it; keeps the sum from overflowing */
        exponent += given > BEYOND ? BEYOND : given < -BEYOND ? -BEYOND : given;
        p->at = (int)(end - p->text);
    }
    snprintf(digits + length, sizeof digits - (size_t)length, "e%ld", exponent);
    *value = strtod(digits, NULL);
    return TN_OK;
}

static bool is_separator(char c)
{
    return c == '.' || c == '-';
}

/* Where names of a path starting at text may end, shortest first; returns how many. */
static int path_ends(const char *text, int ends[PATH_PARTS])
{
    int count = 0, i = 0;
    for (; i < TN_NAME_SIZE && count < PATH_PARTS; i++) {
        bool inside = tn_char_letter(text[i]) || tn_char_digit(text[i]);
        if (!inside && i > 0 && !is_separator(text[i - 1]))
            ends[count++] = i;
        if (!inside && !is_separator(text[i]))
            break;
    }
    return count;
}

static tn_symbol look_up(const tn_parse *p, const char *text, int length, char name[TN_NAME_SIZE])
{
    snprintf(name, TN_NAME_SIZE, "%.*s", length, text);
    return p->scope ? p->scope->lookup(p->scope, name) : (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
}

int tn_parse_symbol(tn_parse *p, tn_symbol *symbol, char name[TN_NAME_SIZE])
{
    const char *text = p->text + p->at;
    int ends[PATH_PARTS], word = word_length(text);
    p->blame = p->at;
    if (word >= TN_NAME_SIZE)
        return tn_parse_fail(p, "a name of more than %d characters", TN_NAME_SIZE - 1);
    int end = word;
    *symbol = (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
    for (int i = path_ends(text, ends); i-- > 0 && symbol->kind == TN_SYMBOL_UNKNOWN && ends[i] > word;) {
        end = ends[i];
        *symbol = look_up(p, text, end, name);
    }
    if (symbol->kind == TN_SYMBOL_UNKNOWN) {
        end = word;
        *symbol = look_up(p, text, end, name);
    }
    p->at += end;
    if (symbol->kind != TN_SYMBOL_UNKNOWN) {
        p->name_at = p->blame;
        p->name_end = p->at;
    }
    return TN_OK;
}

/* Looks ahead: the name that stands here, with what the scope knows of it; kind UNKNOWN when it knows nothing. */
static tn_symbol symbol_ahead(const tn_parse *p, char name[TN_NAME_SIZE])
{
    tn_parse ahead = *p;
    tn_expr_error ignored;
    tn_symbol symbol;
    ahead.error = &ignored;
    return tn_parse_symbol(&ahead, &symbol, name) == TN_OK ? symbol : (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
}

/* A name that the scope knows stands here. */
static bool at_symbol(const tn_parse *p)
{
    char name[TN_NAME_SIZE];
    return symbol_ahead(p, name).kind != TN_SYMBOL_UNKNOWN;
}

/* The next word alone is the name of a symbol: no longer path begins with it. */
static bool word_is_symbol(const tn_parse *p)
{
    char name[TN_NAME_SIZE];
    return symbol_ahead(p, name).kind != TN_SYMBOL_UNKNOWN && strlen(name) == (size_t)word_length(p->text + p->at);
}

/* Characters that look like those of expressions, and come with copied text. "": the word has none of them. */
static const char *similar_hint(const char *word, char hint[SHOWN])
{
    static const struct { const char *seen, *code, *wanted; } similar[] = {
        { "\xe2\x88\x92", "U+2212", "-" }, { "\xe2\x80\x93", "U+2013", "-" }, { "\xe2\x80\x94", "U+2014", "-" }, { "\xc3\x97", "U+00D7", "*" },
        { "\xc2\xb7", "U+00B7", "*" }, { "\xe2\x8b\x85", "U+22C5", "*" }, { "\xc3\xb7", "U+00F7", "/" }, { "\xc2\xb2", "U+00B2", "^2" },
        { "\xc2\xb3", "U+00B3", "^3" }, { "\xc2\xa0", "U+00A0", " " }, { "\xe2\x80\xaf", "U+202F", " " }, { "\xe2\x80\x89", "U+2009", " " },
        { "\xe3\x80\x80", "U+3000", " " },
    };
    hint[0] = '\0';
    for (size_t k = 0; k < TN_LENGTH(similar) && hint[0] == '\0'; k++)
        if (strstr(word, similar[k].seen))
            snprintf(hint, SHOWN, "; write '%s' in place of '%s' (%s)", similar[k].wanted, similar[k].seen, similar[k].code);
    return hint;
}

/* Whether the word is made of units, "Nms" of N, m and s. */
static bool made_of_units(const char *word, size_t length)
{
    for (size_t k = 1; k < length; k++)
        if (tn_unit_known(word, k) && (tn_unit_known(word + k, length - k) || made_of_units(word + k, length - k)))
            return true;
    return false;
}

/* The symbol of a unit that is written out, "meters"; NULL for other words. */
static const char *unit_symbol(const char *word)
{
    static const struct { const char *word, *symbol; } names[] = {
        { "metre", "m" }, { "meter", "m" }, { "millimetre", "mm" }, { "millimeter", "mm" }, { "inch", "in" }, { "inche", "in" },
        { "foot", "ft" }, { "feet", "ft" }, { "gram", "g" }, { "kilogram", "kg" }, { "kilo", "kg" }, { "tonne", "t" }, { "pound", "lb" },
        { "second", "s" }, { "sec", "s" }, { "minute", "min" }, { "hour", "h" }, { "hertz", "Hz" }, { "degree", "deg" }, { "radian", "rad" },
        { "newton", "N" }, { "pascal", "Pa" }, { "joule", "J" }, { "watt", "W" }, { "volt", "V" }, { "ampere", "A" }, { "amp", "A" },
        { "kelvin", "K" }, { "liter", "L" }, { "litre", "L" }, { "percent", "%" },
    };
    const size_t length = strlen(word), one = length > 0 && word[length - 1] == 's' ? length - 1 : length;
    for (size_t k = 0; k < TN_LENGTH(names); k++)
        if (strlen(names[k].word) == one && strncasecmp(word, names[k].word, one) == 0)
            return names[k].symbol;
    return NULL;
}

/* Ways of writing units that are not ours: "meters", "m2" and "Nms". "" for other words. */
static const char *spelling_hint(const char *word, char hint[SHOWN])
{
    enum { LONGEST = 8 };
    const size_t length = strlen(word), last = length > 0 ? length - 1 : 0;
    const char *symbol = unit_symbol(word);
    hint[0] = '\0';
    if (symbol)
        snprintf(hint, SHOWN, "; write '%s'", symbol);
    else if (last > 0 && tn_char_digit(word[last]) && tn_unit_known(word, last))
        snprintf(hint, SHOWN, "; write '%.*s^%c'", (int)last, word, word[last]);
    else if (length <= LONGEST && made_of_units(word, length))
        snprintf(hint, SHOWN, "; write units apart, as in 'N m s'");
    return hint;
}

static int fail_unit(tn_parse *p)
{
    char name[SHOWN], hint[SHOWN + 32], similar[SHOWN];
    snprintf(name, sizeof name, "%.*s", word_length(p->text + p->at), p->text + p->at);
    p->blame = p->at;
    if (at_symbol(p))
        return tn_parse_fail(p, "'%s' is not a unit; write * to multiply by it", name);
    return tn_parse_fail(p, "unknown unit '%s'%s", name, similar_hint(name, similar)[0] || spelling_hint(name, similar)[0] ? similar
                         : tn_did_you_mean(hint, sizeof hint, name, tn_unit_candidate, NULL));
}

/* Letters that are units and that models also use as names of parameters: "3 L" is not three litres where L is a length. */
static bool hides_unit(tn_parse *p)
{
    const char *word = p->text + p->at;
    return word_length(word) == 1 && strchr("AKCVSFHTLl", word[0]) && at_symbol(p);
}

/* A unit stands at p, and neither a function nor a name of the scope; tight: behind "/" without spaces, where a unit comes first. */
static bool unit_meant(tn_parse *p, char join, bool tight)
{
    const char *word = p->text + p->at;
    const int length = (int)tn_unit_word(word, strlen(word));
    const bool time = length == 1 && word[0] == 't';
    char name[TN_NAME_SIZE];
    const tn_symbol symbol = symbol_ahead(p, name);
    if (!tn_unit_known(word, (size_t)length) || word[length] == '(' || (join == '*' && (time || symbol.owner)))
        return false;
    return symbol.kind == TN_SYMBOL_UNKNOWN || (join == '/' && tight && !time && !hides_unit(p) && word_is_symbol(p));
}

/* Units in parentheses stand at p, and none of them is a name of the scope. */
static bool group_meant(const tn_parse *p)
{
    tn_parse ahead = *p;
    double factor;
    tn_dim dim;
    if (tn_unit_scan_group(p->text + p->at, strlen(p->text + p->at), &factor, &dim) == 0)
        return false;
    for (ahead.at++; ahead.text[ahead.at] && ahead.text[ahead.at] != ')';) {
        const int length = word_length(ahead.text + ahead.at);
        if (length > 0 && tn_char_letter(ahead.text[ahead.at]) && at_symbol(&ahead))
            return false;
        ahead.at += length > 0 ? length : 1;
    }
    return true;
}

/* The sign behind which the unit goes on, '*' or '/'; moves behind it. 0: it does not go on. "5 N/m" without spaces is a unit, also
 * where the model has an m of its own; with spaces, and behind "*", a name of the model comes first. Time, t, is a name before it is
 * a tonne, also where nothing depends on time. */
static char unit_goes_on(tn_parse *p)
{
    const int start = p->at;
    char join;
    const size_t sign = tn_unit_join(p->text + start, strlen(p->text + start), &join);
    if (sign == 0)
        return '\0';
    p->at += (int)sign;
    const bool tight = start > 0 && p->text[start - 1] != ' ' && p->text[p->at] != ' ';
    const bool point = p->text[start] == '.';
    tn_parse_peek(p);
    const bool group = join == '/' && p->text[p->at] == '(';
    if ((tight || !point) && (group ? group_meant(p) : unit_meant(p, join, tight)))
        return join;
    p->at = start;
    return '\0';
}

/* Reads one unit, or a group of them behind "/", and multiplies factor and dim by it or divides them by it. */
static int read_unit_item(tn_parse *p, bool per, double *factor, tn_dim *dim)
{
    const char *text = p->text + p->at;
    double item_factor;
    tn_dim item_dim;
    const size_t used = per && text[0] == '(' ? tn_unit_scan_group(text, strlen(text), &item_factor, &item_dim)
                                              : tn_unit_scan(text, strlen(text), &item_factor, &item_dim);
    if (used == 0)
        return fail_unit(p);
    p->at += (int)used;
    *factor = per ? *factor / item_factor : *factor * item_factor;
    *dim = tn_dim_product(*dim, item_dim, per ? -1 : 1);
    return TN_OK;
}

/* The unit behind a number; leaves the dimension unknown when there is none. */
static int read_unit(tn_parse *p, double *factor, tn_dim *dim, bool *found)
{
    *factor = 1;
    *dim = TN_DIM_NUMBER;
    *found = false;
    for (;;) {
        char c = tn_parse_peek(p);
        int start = p->at;
        bool one = !*found && c == '1';    /* "5 1/s" */
        if (one) {
            p->at++;
            c = tn_parse_peek(p);
        }
        const char join = *found || (one && c == '/') ? unit_goes_on(p) : '\0';
        const bool beside = !one && (tn_char_letter(c) || c == '%') && !at_connective(p);
        if (!join && !beside) {
            p->at = start;
            return TN_OK;
        }
        if (!join && hides_unit(p))
            return fail_unit(p);
        TN_TRY(read_unit_item(p, join == '/', factor, dim));
        *found = true;
    }
}

/* "20 degC", and with a minus sign in front, as the whole text: the scale has an offset, so degrees Celsius cannot be part
 * of a larger expression. Returns the number of characters of the unit; 0: another unit. */
static int celsius_length(const tn_parse *p)
{
    static const char *const names[] = { "degC", "\xC2\xB0" "C" };
    const char *word = p->text + p->at;
    const size_t length = tn_word_length(word, strlen(word));
    for (size_t k = 0; k < TN_LENGTH(names); k++)
        if (strlen(names[k]) == length && memcmp(word, names[k], length) == 0)
            return (int)length;
    return 0;
}

static int parse_celsius(tn_parse *p, tn_term *out, double value, int begin, int length)
{
    const double zero = 273.15;        /* K */
    int first = 0, minus = 0;
    p->at += length;
    for (; first < begin; first++) {
        minus += p->text[first] == '-';
        if (p->text[first] != ' ' && p->text[first] != '-')
            break;
    }
    if (first < begin || minus > 1 || tn_parse_peek(p) != '\0')
        return tn_parse_fail(p, "degC stands in a whole value such as '20 degC' only: write K in expressions");
    /* the minus sign is applied to the result afterwards */
    return tn_term_constant(p, out, minus ? value - zero : value + zero, (tn_dim){ .K = 1 }, true);
}

/* The exponent of a factor that is a power of ten but for the round-off of its product. */
static bool decimal_exponent(double factor, int *exponent)
{
    char text[16];
    *exponent = (int)round(tn_log10(factor));
    snprintf(text, sizeof text, "1e%d", *exponent);
    const double power = strtod(text, NULL);
    return fabs(factor - power) <= 8 * DBL_EPSILON * power;
}

/* The number at begin in a decimal unit: "1.3 ms" is the double nearest to 0.0013, which 1.3 * 0.001 is not. So lengths agree in
 * whatever unit they are written, and samples fall on multiples of their period. */
static double decimal_value(const tn_parse *p, int begin, double factor, double product)
{
    tn_parse again = *p;
    int exponent;
    again.at = begin;
    if (factor == 1 || !decimal_exponent(factor, &exponent))
        return product;
    return read_number(&again, exponent, &product) == TN_OK ? product : NAN;
}

int tn_parse_number(tn_parse *p, tn_term *out)
{
    double value = 0, factor;
    tn_dim dim;
    bool found;
    tn_parse_peek(p);
    const int begin = p->at;
    TN_TRY(read_number(p, 0, &value));
    tn_parse_peek(p);
    const int celsius = celsius_length(p);
    if (celsius > 0)
        return parse_celsius(p, out, value, begin, celsius);
    TN_TRY(read_unit(p, &factor, &dim, &found));
    if (!isfinite(value * factor))
        return tn_parse_fail(p, "the number is too large");
    return tn_term_constant(p, out, decimal_value(p, begin, factor, value * factor), dim, found);
}

typedef struct suggestions {
    const tn_scope *scope;
    size_t scope_count;            /* names of the scope seen so far */
} suggestions;

/* The scope's names, then functions and constants. */
static const char *suggest(void *user, size_t index)
{
    suggestions *s = user;
    if (s->scope && s->scope->candidate && index == s->scope_count) {
        const char *name = s->scope->candidate(s->scope, index);
        if (name) {
            s->scope_count++;
            return name;
        }
    }
    size_t rest = index - s->scope_count;
    if (rest == 0)
        return "pi";
    return tn_function_name(rest - 1);
}

/* "; did you mean ...?" for a name; "" when nothing is near. */
static const char *hint_for(const tn_parse *p, const char *name, char hint[TN_NAME_SIZE + 32])
{
    suggestions s = { p->scope, 0 };
    return tn_did_you_mean(hint, TN_NAME_SIZE + 32, name, suggest, &s);
}

/* The path that an unknown word at blame belongs to, with what went before if a known name is joined to it by a point.
 * A hyphen behind the last point is taken as a minus unless the whole is like a name with a hyphen. */
static void unknown_path(tn_parse *p, char path[TN_NAME_SIZE])
{
    int ends[PATH_PARTS];
    if (p->name_end > 0 && p->blame == p->name_end + 1 && p->text[p->name_end] == '.')
        p->blame = p->name_at;
    const char *text = p->text + p->blame;
    int count = path_ends(text, ends);
    snprintf(path, TN_NAME_SIZE, "%.*s", count > 0 ? ends[count - 1] : word_length(text), text);
    suggestions s = { p->scope, 0 };
    const char *near = tn_nearest(path, suggest, &s);
    char *point = strrchr(path, '.'), *minus = strchr(point ? point : path, '-');
    if (minus && !(near && strchr(near, '-')))
        *minus = '\0';
}

/* "; 'motor' has 'v', 'i'" where the path begins with the name of something that has other channels; "" otherwise. */
static const char *members_of(const tn_parse *p, const char *path, char hint[TN_NAME_SIZE + 32])
{
    enum { SIZE = TN_NAME_SIZE + 32, MOST = 8 };
    suggestions s = { p->scope, 0 };
    const char *point = strrchr(path, '.'), *name;
    const size_t length = point ? (size_t)(point - path) : 0;
    size_t used = 0;
    int count = 0;
    hint[0] = '\0';
    for (size_t k = 0; length > 0 && count <= MOST && (name = suggest(&s, k)); k++) {
        if (strncmp(name, path, length) != 0 || name[length] != '.' || strchr(name + length + 1, '.') || used + strlen(name) + 8 > SIZE)
            continue;
        if (used == 0)
            used = (size_t)snprintf(hint, SIZE, "; '%.*s' has ", (int)length, path);
        used += (size_t)(count++ == MOST ? snprintf(hint + used, SIZE - used, " ...")
                                         : snprintf(hint + used, SIZE - used, "%s'%s'", count > 1 ? ", " : "", name + length + 1));
    }
    return hint;
}

int tn_parse_unknown(tn_parse *p, const char *word, bool call)
{
    char path[TN_NAME_SIZE], hint[TN_NAME_SIZE + 32], similar[SHOWN];
    if (call)
        return tn_parse_fail(p, "unknown function '%s'%s", word, hint_for(p, word, hint));
    unknown_path(p, path);
    if (tn_function_find(path, strlen(path)))
        return tn_parse_fail(p, "'%s' is a function; write %s(...)", path, path);
    bool unit = tn_unit_known(path, strlen(path));
    return tn_parse_fail(p, "unknown name '%s'%s%s", path, unit ? " (a unit stands directly behind its number)" : "",
                         similar_hint(path, similar)[0] ? similar : hint_for(p, path, hint)[0] ? hint : members_of(p, path, hint));
}
