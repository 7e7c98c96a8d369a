/* Surfaces and colours of looks: one line each. The reader, the schema, tenon describe and the viewers follow from here. */
#ifndef TN_MODEL_FINISHES_H
#define TN_MODEL_FINISHES_H

/* FINISH(name, colour, metalness, roughness, opacity, description): values of a physically based shader. */
#define TN_FINISHES(FINISH) \
    FINISH(paint, TN_NO_COLOUR, 0.05, 0.45, 1, "Paint, in the colour of the body where none is given.") \
    FINISH(steel, 0xb4bcc6, 0.45, 0.34, 1, "Bright steel.") \
    FINISH(iron, 0x4d535c, 0.35, 0.62, 1, "Cast iron.") \
    FINISH(aluminium, 0xd5dade, 0.4, 0.42, 1, "Brushed aluminium.") \
    FINISH(brass, 0xcaa24a, 0.5, 0.34, 1, "Brass.") \
    FINISH(copper, 0xc0764c, 0.5, 0.36, 1, "Copper.") \
    FINISH(rubber, 0x2b2d31, 0, 0.92, 1, "Black rubber.") \
    FINISH(plastic, 0xe6e4de, 0, 0.3, 1, "Smooth plastic.") \
    FINISH(wood, 0xb5834f, 0, 0.75, 1, "Wood.") \
    FINISH(concrete, 0xa9a9a4, 0, 0.95, 1, "Concrete.") \
    FINISH(brick, 0xa85b46, 0, 0.9, 1, "Brick.") \
    FINISH(asphalt, 0x53565b, 0, 0.96, 1, "Asphalt.") \
    FINISH(grass, 0x6f9a56, 0, 1, 1, "Grass.") \
    FINISH(leather, 0x6e4630, 0, 0.6, 1, "Leather.") \
    FINISH(glass, 0xb9d6e2, 0.05, 0.08, 0.32, "Glass, to look through.") \
    FINISH(water, 0x4f93b5, 0, 0.15, 0.5, "Water and other liquids, to look through.")

/* COLOUR(name, 0xrrggbb). */
#define TN_COLOURS(COLOUR) \
    COLOUR(white, 0xf2f3f4) COLOUR(silver, 0xc3c9d0) COLOUR(grey, 0x8b939e) COLOUR(black, 0x24272c) \
    COLOUR(red, 0xc63d3a) COLOUR(orange, 0xe08433) COLOUR(yellow, 0xe6bd37) COLOUR(green, 0x479a63) \
    COLOUR(teal, 0x2b9aa6) COLOUR(blue, 0x3b78c2) COLOUR(navy, 0x2b4570) COLOUR(purple, 0x8767c2) \
    COLOUR(pink, 0xd26f9e) COLOUR(brown, 0x8a5f40) COLOUR(beige, 0xe2d3b5)

/* Value of a colour's name, or of six hexadecimal digits with or without # before them; TN_NO_COLOUR: neither. */
int tn_colour_find(const char *text);

#endif
