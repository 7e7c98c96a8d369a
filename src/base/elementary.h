/* Elementary functions with the same bits on every processor. The functions of the C library are not used for numbers that
 * reach the state of a run: that library has other versions of them, with other last bits, for processors with fused
 * multiply-add than for those without. Errors stay below one unit in the last place (tests/unit/test_elementary.c). */
#ifndef TN_BASE_ELEMENTARY_H
#define TN_BASE_ELEMENTARY_H

double tn_exp(double x);
double tn_exp2(double x);
double tn_ln(double x);
double tn_log2(double x);
double tn_log10(double x);
double tn_pow(double x, double y);
double tn_sinh(double x);
double tn_cosh(double x);
double tn_tanh(double x);

double tn_sin(double x);
double tn_cos(double x);
void tn_sin_cos(double x, double *sine, double *cosine);   /* the same bits as both, in less time */
double tn_tan(double x);
double tn_asin(double x);
double tn_acos(double x);
double tn_atan(double x);
double tn_atan2(double y, double x);
double tn_hypot(double x, double y);

#endif
