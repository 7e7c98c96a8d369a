/* Reading and writing numbers of a model by their kind and index. */
#include "numbers.h"

#include "attributes.h"

static double *place_of(const tn_model *m, const tn_number *n)
{
    switch (n->kind) {
    case TN_NUMBER_FORCE: return &m->forces[n->index].parameters[n->part];
    case TN_NUMBER_MASS: return &m->bodies[n->index].mass;
    case TN_NUMBER_COM: return &m->bodies[n->index].com[n->part];
    case TN_NUMBER_INERTIA: return &m->bodies[n->index].inertia[n->part];
    case TN_NUMBER_JOINT: return &m->joints[n->index].parameters[n->part];
    case TN_NUMBER_CONTACT: return tn_attribute_place(&tn_contact_attributes[n->part], &m->contacts[n->index].law);
    case TN_NUMBER_LIMIT_LOW: return &m->limits[n->index].low;
    case TN_NUMBER_LIMIT_HIGH: return &m->limits[n->index].high;
    case TN_NUMBER_LIMIT_RESTITUTION: return &m->limits[n->index].restitution;
    case TN_NUMBER_PITCH: return &m->limits[n->index].pitch;
    case TN_NUMBER_FUSE: return tn_attribute_place(&tn_fuse_attributes[n->part], &tn_model_trigger(m, n->index)->fuse);
    case TN_NUMBER_GRAVITY: break;
    }
    return NULL;
}

double tn_number_in(const tn_model *m, const tn_number *n)
{
    return n->kind == TN_NUMBER_GRAVITY ? m->gravity[n->part] : *place_of(m, n);
}

void tn_numbers_exchange(tn_model *m, tn_number *numbers, int count)
{
    for (int k = 0; k < count; k++) {
        double *place = numbers[k].kind == TN_NUMBER_GRAVITY ? &m->gravity[numbers[k].part] : place_of(m, &numbers[k]);
        double old = *place;
        *place = numbers[k].value;
        numbers[k].value = old;
    }
}
