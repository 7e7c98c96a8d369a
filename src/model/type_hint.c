/* Suggests a type for a name that no type has (type_hint.h). */
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

/* The joint types of a model that exist in its dimension. */
static const char *joint_candidate(void *user, size_t index)
{
    const tn_model *model = user;
    for (size_t k = 0; k < model->own_type_count; k++)
        if (tn_joint_type_exists(model, model->own_types[k]) && index-- == 0)
            return model->own_types[k]->name;
    for (const tn_joint_type *const *type = tn_joint_types; *type; type++)
        if (!(*type)->internal && tn_joint_type_exists(model, *type) && index-- == 0)
            return (*type)->name;
    return NULL;
}

/* The type whose name and description have the most words of a name. */
static const char *joint_by_words(const tn_model *model, const char *name)
{
    const char *best = NULL;
    int most = 0;
    for (const tn_joint_type *const *type = tn_joint_types; *type; type++) {
        bool counts = !(*type)->internal && tn_joint_type_exists(model, *type);
        int common = counts ? count_common(name, (*type)->name, (*type)->doc) : 0;
        best = common > most ? (*type)->name : best;
        most = common > most ? common : most;
    }
    return best;
}

const char *tn_joint_type_hint(char *buffer, size_t size, const tn_model *model, const char *name)
{
    if (tn_model_force_type(name)) {
        snprintf(buffer, size, ": it is a force type, write it under 'forces'");
        return buffer;
    }
    const char *near = tn_nearest(name, joint_candidate, (void *)model);
    return say_type(buffer, size, near ? near : joint_by_words(model, name));
}

const char *tn_joint_type_counterpart(char *buffer, size_t size, const tn_model *model, const tn_joint_type *wanted)
{
    const char *found = NULL;
    for (const tn_joint_type *const *type = tn_joint_types; *type && !found; type++)
        found = wanted->doc && tn_joint_type_exists(model, *type) && strcmp((*type)->doc, wanted->doc) == 0 ? (*type)->name : NULL;
    return say_type(buffer, size, found);
}

static const char *force_candidate(void *user, size_t index)
{
    (void)user;
    for (const tn_force_type *const *type = tn_force_types; *type; type++)
        if (!(*type)->internal && index-- == 0)
            return (*type)->name;
    return NULL;
}

const char *tn_force_type_hint(char *buffer, size_t size, const tn_model *model, const char *name)
{
    if (tn_model_joint_type(model, name)) {
        snprintf(buffer, size, ": it is a joint type, write it under 'joints'");
        return buffer;
    }
    const char *best = tn_nearest(name, force_candidate, NULL);
    bool near = best != NULL;
    int most = 0;
    for (const tn_force_type *const *type = tn_force_types; !near && *type; type++) {
        int common = (*type)->internal ? 0 : count_common(name, (*type)->name, (*type)->doc);
        best = common > most ? (*type)->name : best;
        most = common > most ? common : most;
    }
    return say_type(buffer, size, best);
}
