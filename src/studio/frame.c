/* Frames: positions and what else moves, as bytes. */
#include "frame.h"
#include <stdbool.h>
#include <string.h>

enum { POSE_NUMBERS = 7, SCREW_NUMBERS = 6 };

static uint8_t *put_bits(uint8_t *at, uint64_t bits, int bytes)
{
    for (int k = 0; k < bytes; k++)
        *at++ = (uint8_t)(bits >> 8 * k);
    return at;
}

tn_frame_layout tn_frame_layout_of(const tn_frame_head *head)
{
    const size_t screw = SCREW_NUMBERS * sizeof(float);
    const struct { uint32_t flag; size_t bytes; } parts[TN_FRAME_PARTS] = {
        [TN_PART_POSES] = { 0, POSE_NUMBERS * sizeof(double) * head->bodies },
        [TN_PART_VELOCITIES] = { TN_FRAME_VELOCITIES, screw * head->bodies },
        [TN_PART_ACCELERATIONS] = { TN_FRAME_ACCELERATIONS, screw * head->bodies },
        [TN_PART_REACTIONS] = { TN_FRAME_REACTIONS, screw * head->joints },
        [TN_PART_FORCES] = { TN_FRAME_FORCES, screw * head->forces },
        [TN_PART_TOUCHES] = { TN_FRAME_TOUCHES, screw * head->touches },
        [TN_PART_PULL] = { TN_FRAME_PULL, screw },
    };
    tn_frame_layout p = { .size = TN_FRAME_HEAD };
    for (int k = 0; k < TN_FRAME_PARTS; k++) {
        bool there = parts[k].flag == 0 || (head->flags & parts[k].flag);
        p.begin[k] = p.size;
        p.length[k] = there ? parts[k].bytes : 0;
        p.size += p.length[k];
    }
    p.channels = (p.size + 7) / 8 * 8;
    p.size = p.channels + head->channels * sizeof(double);
    return p;
}

void tn_frame_put_head(uint8_t *bytes, const tn_frame_head *head)
{
    const uint32_t first[] = { TN_FRAME_MAGIC, head->revision, head->number, head->flags };
    const uint32_t last[] = { head->bodies, head->flags & TN_FRAME_REACTIONS ? head->joints : 0, head->channels,
                              head->subscription, head->flags & TN_FRAME_FORCES ? head->forces : 0,
                              head->flags & TN_FRAME_TOUCHES ? head->touches : 0 };
    for (int k = 0; k < 4; k++)
        bytes = put_bits(bytes, first[k], 4);
    bytes = tn_frame_put_doubles(bytes, (double[]){ head->time, head->speed }, 2);
    for (int k = 0; k < 6; k++)
        bytes = put_bits(bytes, last[k], 4);
}

uint8_t *tn_frame_put_floats(uint8_t *at, const double *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        float value = (float)values[k];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        at = put_bits(at, bits, 4);
    }
    return at;
}

uint8_t *tn_frame_put_doubles(uint8_t *at, const double *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        at = put_bits(at, bits, 8);
    }
    return at;
}
