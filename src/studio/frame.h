/* Frames: what moves, as bytes (docs/protocol.md, "Frames"). Little-endian whatever the machine. */
#ifndef TN_STUDIO_FRAME_H
#define TN_STUDIO_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum { TN_FRAME_MAGIC = 0x31464e54, TN_FRAME_HEAD = 48 };
enum { TN_FRAME_GOING = 1, TN_FRAME_FAILED = 2, TN_FRAME_PULL = 4, TN_FRAME_REACTIONS = 8, TN_FRAME_VELOCITIES = 16 };

typedef struct tn_frame_head {
    uint32_t revision, number, flags;
    double time, speed;
    uint32_t bodies, joints, channels;     /* joints: 0 without reactions */
    uint32_t subscription;                 /* number of the one that the channels belong to; 0: none */
} tn_frame_head;

/* Where in the bytes each part begins; parts that are not there have no length. */
typedef struct tn_frame_plan {
    size_t poses, velocities, reactions, pull, channels, size;
} tn_frame_plan;
tn_frame_plan tn_frame_plan_of(const tn_frame_head *head);

void tn_frame_put_head(uint8_t *bytes, const tn_frame_head *head);
/* Numbers one after the other; each returns the place behind them. */
uint8_t *tn_frame_put_floats(uint8_t *at, const double *values, size_t count);
uint8_t *tn_frame_put_doubles(uint8_t *at, const double *values, size_t count);

#endif
