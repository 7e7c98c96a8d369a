/* Boxes that only respond in the solver of a system with components: see boxed.h. */
#include "boxed.h"

int tn_asked_find(tn_saddle *k, tn_arena *arena)
{
    const tn_system *s = k->system;
    k->asked = tn_arena_alloc(arena, (size_t)k->bodies, sizeof(bool));
    if (!k->asked)
        return TN_ERROR_MEMORY;
    for (int n = 0; n < s->box_count; n++)
        for (int p = 0; p < s->boxes[n].instance.component.type->port_count && tn_is_asked(k, &s->boxes[n]); p++)
            k->asked[k->number[s->boxes[n].body[p]]] = true;
    k->responder.asked = k->asked;
    return TN_OK;
}

bool tn_asked_any(const tn_saddle *k)
{
    for (int b = 0; b < k->bodies; b++)
        if (k->asked[b])
            return true;
    return false;
}

int tn_asked_estimate_masses(const tn_saddle *k)
{
    const tn_system *s = k->system;
    for (int n = 0; n < s->box_count; n++) {
        tn_box *box = &s->boxes[n];
        if (!tn_is_asked(k, box))
            continue;
        TN_TRY(tn_box_begin_answers(k->e, s, box));
        for (int j = 0; j < box->columns; j++) {
            const int body = k->number[box->body[j / box->width]], i = j % box->width;
            k->used->M[k->used->structure.mass_offset[body] + (size_t)(i * (box->width + 1))] = 1 / box->mobility[j];
        }
    }
    return TN_OK;
}

/* Place of the j-th column of a box that is asked. */
static int column_of_port(const tn_saddle *k, const tn_box *box, int j)
{
    return k->used->structure.body_column[k->number[box->body[j / box->width]]] + j % box->width;
}

int tn_asked_respond(void *user, const double *f, double *a)
{
    const tn_saddle *k = user;
    const tn_system *s = k->system;
    for (int n = 0; n < s->box_count; n++) {
        tn_box *box = &s->boxes[n];
        if (!tn_is_asked(k, box))
            continue;
        for (int j = 0; j < box->columns; j++)
            box->tau[j] = f[column_of_port(k, box, j)];
        TN_TRY(tn_box_answer(k->e, s, box, box->tau, box->answer));
        for (int j = 0; j < box->columns; j++)
            a[column_of_port(k, box, j)] = box->answer[j];
    }
    return TN_OK;
}
