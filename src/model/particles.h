/* Checks of joints and forces at particles: points that have neither orientation nor extent. */
#ifndef TENON_MODEL_PARTICLES_H
#define TENON_MODEL_PARTICLES_H

#include "check.h"

/* Complains about a joint that holds an orientation of a particle, or that is away from the particle. */
void tn_check_particle_joint(tn_check *check, const tn_joint *joint);

/* Complains about a coordinate that measures the orientation of a particle: nothing can act along it. coordinate may be -1. */
void tn_check_particle_coordinate(tn_check *check, const tn_joint *joint, int coordinate);

/* Complains about a force between frames that is a torque on a particle, that acts along axes of one, or that is away from it. */
void tn_check_particle_force(tn_check *check, const tn_force *force);

#endif
