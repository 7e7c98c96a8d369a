/* Texts of the compressibility of oil with free air, at the pressure of a port:
 *     c(p) = 1 / bulk_modulus + air (p0 / (p0 + p))^(1/1.4) / (1.4 (p0 + p)),   p0 ambient
 *     e(p) = integral of p c(p) from 0 to p: energy per volume
 * The part of the air is held from 0.001 p0 downwards. */
#ifndef TN_DEVICES_OIL_H
#define TN_DEVICES_OIL_H

#define TN_OIL_HELD(port) "max(" port ".pressure, 0.001 * ambient - ambient)"
#define TN_OIL_RATIO(port) "((ambient + " TN_OIL_HELD(port) ") / ambient)"
#define TN_OIL_AIR(port) "air * (ambient / (ambient + " TN_OIL_HELD(port) "))^(1 / 1.4) / (1.4 * (ambient + " TN_OIL_HELD(port) "))"
#define TN_OIL_SOFT(port) "(1 / bulk_modulus + if(air > 0, " TN_OIL_AIR(port) ", 0 / bulk_modulus))"
#define TN_OIL_ENERGY(port)                                                                                          \
    "(" port ".pressure^2 / (2 * bulk_modulus) + if(air > 0, air * ambient * ((" TN_OIL_RATIO(port) "^(0.4 / 1.4) - 1) / 0.4"  \
    " + " TN_OIL_RATIO(port) "^(-1 / 1.4) - 1) + " TN_OIL_AIR(port) " * (" port ".pressure^2 - (" TN_OIL_HELD(port)     \
    ")^2) / 2, 0 Pa))"

/* Oil does not bear tension: below a vacuum the pressure of a model without air is none. */
#define TN_OIL_BEARS(port) { "air > 0 or " port ".pressure > -ambient", "oil must not be pulled: its pressure is below a vacuum; give the medium 'air', or feed the line" }

#endif
