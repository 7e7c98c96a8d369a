/* The table of surfaces and colours of looks. */
#include "finishes.h"
#include "entities.h"
#include <stdlib.h>
#include <string.h>

#define FINISH(word, rgb, metal, rough, opaque, text) \
    { .name = #word, .colour = rgb, .metalness = metal, .roughness = rough, .opacity = opaque, .doc = text },
static const tn_finish finishes[] = { TN_FINISHES(FINISH) };

#define COLOUR(word, rgb) { #word, rgb },
static const struct { const char *name; int value; } colours[] = { TN_COLOURS(COLOUR) };

const tn_finish *tn_finish_at(size_t index)
{
    return index < sizeof finishes / sizeof *finishes ? &finishes[index] : NULL;
}

const tn_finish *tn_finish_find(const char *name)
{
    for (size_t i = 0; i < sizeof finishes / sizeof *finishes; i++)
        if (name && strcmp(finishes[i].name, name) == 0)
            return &finishes[i];
    return NULL;
}

int tn_colour_find(const char *text)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (strcmp(colours[i].name, text) == 0)
            return colours[i].value;
    const char *hex = text[0] == '#' ? text + 1 : text;
    return strlen(hex) == 6 && strspn(hex, digits) == 6 ? (int)strtol(hex, NULL, 16) : TN_NO_COLOUR;
}
