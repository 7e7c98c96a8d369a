/* Which type somebody may mean who wrote a name that no type has (type_hint.h). */
#include "type_hint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"

enum { WORD_SIZE = 32 };
enum { LEAST_LETTERS = 3, LEAST_NEAR = 5 };    /* "on" and "of" tell nothing; of short words every letter must be right */

static bool tells_something(const char *word)
{
    return strlen(word) >= LEAST_LETTERS && strcmp(word, "joint") != 0;
}

/* The next word of a text before its end or a colon, in small letters; false: there is none. */
static bool next_word(const char **text, char word[WORD_SIZE])
{
    const char *at = *text;
    while (*at && *at != ':' && !isalpha((unsigned char)*at))
        at++;
    size_t length = 0;
    for (; isalpha((unsigned char)*at); at++)
        if (length + 1 < WORD_SIZE)
            word[length++] = (char)tolower((unsigned char)*at);
    word[length] = '\0';
    *text = at;
    return length > 0;
}

static bool has_word(const char *text, const char *wanted)
{
    char word[WORD_SIZE];
    const char *found = word;
    while (next_word(&text, word))
        if (tells_something(word) &&
            (strcmp(word, wanted) == 0 || (strlen(word) >= LEAST_NEAR && tn_nearest_text(wanted, &found, 1))))
            return true;
    return false;
}

/* How many words of a name the name or the description of a type has. */
static int count_common(const char *name, const char *type, const char *doc)
{
    char word[WORD_SIZE];
    int count = 0;
    while (next_word(&name, word))
        if (tells_something(word))
            count += has_word(type, word) || has_word(doc, word);
    return count;
}

static const char *say_type(char *buffer, size_t size, const char *type)
{
    if (type)
        snprintf(buffer, size, "; did you mean '%s'?", type);
    else
        buffer[0] = '\0';
    return buffer;
}

const char *tn_joint_type_hint(char *buffer, size_t size, const tn_model *model, const char *name)
{
    if (tn_model_force_type(name)) {
        snprintf(buffer, size, ": it is a force type, write it under 'forces'");
        return buffer;
    }
    const char *best = tn_nearest(name, tn_model_joint_type_candidate, (void *)model);
    bool near = best != NULL;
    int most = 0;
    for (const tn_joint_type *const *type = tn_joint_types; !near && *type; type++) {
        int common = (*type)->internal ? 0 : count_common(name, (*type)->name, (*type)->doc);
        best = common > most ? (*type)->name : best;
        most = common > most ? common : most;
    }
    return say_type(buffer, size, best);
}

const char *tn_force_type_hint(char *buffer, size_t size, const tn_model *model, const char *name)
{
    if (tn_model_joint_type(model, name)) {
        snprintf(buffer, size, ": it is a joint type, write it under 'joints'");
        return buffer;
    }
    const char *best = tn_nearest(name, tn_model_force_type_candidate, NULL);
    bool near = best != NULL;
    int most = 0;
    for (const tn_force_type *const *type = tn_force_types; !near && *type; type++) {
        int common = (*type)->internal ? 0 : count_common(name, (*type)->name, (*type)->doc);
        best = common > most ? (*type)->name : best;
        most = common > most ? common : most;
    }
    return say_type(buffer, size, best);
}
