/* Frames: the motion of a document as bytes (docs/protocol.md, "Frames"), little-endian on every machine. */
#ifndef TN_STUDIO_FRAME_H
#define TN_STUDIO_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum { TN_FRAME_MAGIC = 0x32464e54, TN_FRAME_HEAD = 56 };
enum { TN_FRAME_RUNNING = 1, TN_FRAME_FAILED = 2, TN_FRAME_PULL = 4, TN_FRAME_REACTIONS = 8, TN_FRAME_VELOCITIES = 16,
       TN_FRAME_ACCELERATIONS = 32, TN_FRAME_FORCES = 64, TN_FRAME_TOUCHES = 128 };
/* Parts of a frame that a client may choose. */
enum { TN_FRAME_OPTIONAL = TN_FRAME_REACTIONS | TN_FRAME_VELOCITIES | TN_FRAME_ACCELERATIONS | TN_FRAME_FORCES |
                           TN_FRAME_TOUCHES };
/* Touches of contacts that a frame has at most. */
enum { TN_FRAME_MOST_TOUCHES = 1000 };

typedef struct tn_frame_head {
    uint32_t revision, number, flags;
    double time, speed;
    uint32_t bodies, joints, forces, touches, channels;    /* joints, forces, touches: written as 0 where their part is left out */
    uint32_t subscription;                 /* number of the subscription to which the channels belong; 0: none */
} tn_frame_head;

/* Parts of a frame, in order. */
typedef enum tn_frame_part {
    TN_PART_POSES, TN_PART_VELOCITIES, TN_PART_ACCELERATIONS, TN_PART_REACTIONS, TN_PART_FORCES, TN_PART_TOUCHES, TN_PART_PULL,
    TN_FRAME_PARTS
} tn_frame_part;

/* Where in the bytes each part begins, and how long it is: 0 when it is not there. Channels come last. */
typedef struct tn_frame_layout {
    size_t begin[TN_FRAME_PARTS], length[TN_FRAME_PARTS], channels, size;
} tn_frame_layout;
tn_frame_layout tn_frame_layout_of(const tn_frame_head *head);

void tn_frame_put_head(uint8_t *bytes, const tn_frame_head *head);
/* Numbers one after the other; each returns the place behind them. */
uint8_t *tn_frame_put_floats(uint8_t *at, const double *values, size_t count);
uint8_t *tn_frame_put_doubles(uint8_t *at, const double *values, size_t count);

#endif
