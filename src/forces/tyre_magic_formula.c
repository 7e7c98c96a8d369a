/* Tyre by the Magic Formula (tyre.h), version 5.2 / PAC2002: pure and combined slip, camber, aligning torque. Coefficients have
 * the names of .tir files. H. B. Pacejka, Tire and Vehicle Dynamics, section 4.3.2.
 *     M(C, B, E, x) = C atan(B x - E (B x - atan(B x)))
 *     fx = Gx (Dx sin M(Cx, Bx, Ex, kappa + SHx) + SVx),   fy = Gy (Dy sin M(Cy, By, Ey, alpha + SHy) + SVy) + SVyk
 *     mz = -t (fy - SVyk) + Mzr + s fx */
#include "tyre.h"

#define P(name, doc) { name, "", doc, 0.0, NULL }
#define MAGIC(C, bx, E) "(" C ") * atan(" bx " - (" E ") * (" bx " - atan(" bx ")))"

#define KX "(load * (pkx1 + pkx2 * dfz) * exp(clamp(pkx3 * dfz, -20, 20)) * lkx)"
#define DX "(load * (pdx1 + pdx2 * dfz) * (1 - pdx3 * gamma^2) * lmux)"
#define EX "min(1, (pex1 + pex2 * dfz + pex3 * dfz^2) * (1 - pex4 * sign(kx)))"
#define SHY "(phy1 + phy2 * dfz + phy3 * gamma)"
#define SVY "(load * (pvy1 + pvy2 * dfz + (pvy3 + pvy4 * dfz) * gamma) * lmuy)"
#define KY "(pky1 * fnomin * sin(2 * atan(load / (pky2 * fnomin))) * (1 - pky3 * abs(gamma)) * lky)"
#define DY "(load * (pdy1 + pdy2 * dfz) * (1 - pdy3 * gamma^2) * lmuy)"
#define EY "min(1, (pey1 + pey2 * dfz) * (1 - (pey3 + pey4 * gamma) * sign(ay)))"
#define BXA "(rbx1 * cos(atan(rbx2 * kappa)))"
#define BYK "(rby1 * cos(atan(rby2 * (slip - rby3))))"
#define SHYK "(rhy1 + rhy2 * dfz)"
/* K / (C D), 0 without load; D may have either sign. */
#define SLOPE(K, CD) K " * " CD " / (" CD "^2 + (1e-3 N)^2)"
#define WEIGHT(B, C, E, x, shift) \
    "cos(" MAGIC(C, "(" B " * (" x " + " shift "))", E) ") / cos(" MAGIC(C, "(" B " * (" shift "))", E) ")"
#define SHARPER "(lky / max(lmuy, 1e-6))"    /* factor on the slip at which the trail and the residual torque vanish */
#define BT "((qbz1 + qbz2 * dfz + qbz3 * dfz^2) * (1 + qbz4 * gamma + qbz5 * abs(gamma)) * " SHARPER ")"
#define ET "min(1, (qez1 + qez2 * dfz + qez3 * dfz^2) * (1 + (qez4 + qez5 * gamma) * 2 / pi * atan(" BT " * qcz1 * at)))"
#define TINY "1e-20"                       /* keeps the derivative of a square root finite where nothing slips */
#define EQUIVALENT(x) "(atan(sqrt(tan(" x ")^2 + (stiffer * kappa)^2 + " TINY ")) * if(" x " < 0, -1, 1))"

const tn_force_type tn_force_tyre_magic_formula = {
    .name = "tyre-magic-formula",
    .doc = "Tyre by the Magic Formula 5.2 (PAC2002), with coefficients of a .tir file; in space.",
    .parameters = {
        TYRE_PARAMETERS,
        { "fnomin", "N", "nominal load", NAN, NULL },
        { "lmux", "", "scale of the longitudinal friction", 1.0, NULL },
        { "lmuy", "", "scale of the lateral friction", 1.0, NULL },
        { "lkx", "", "scale of the longitudinal stiffness", 1.0, NULL },
        { "lky", "", "scale of the cornering stiffness", 1.0, NULL },
        { "pcx1", "", "shape of fx", 1.0, NULL }, P("pdx1", "friction of fx"), P("pdx2", "by load"), P("pdx3", "by camber"),
        P("pex1", "curvature of fx"), P("pex2", "by load"), P("pex3", "by load squared"), P("pex4", "while driving"),
        P("pkx1", "slip stiffness over load"), P("pkx2", "by load"), P("pkx3", "exponent by load"),
        P("phx1", "horizontal shift of fx"), P("phx2", "by load"), P("pvx1", "vertical shift of fx over load"), P("pvx2", "by load"),
        P("rbx1", "combined slip of fx: slope"), P("rbx2", "by kappa"), P("rcx1", "shape"), P("rex1", "curvature"),
        P("rex2", "by load"), P("rhx1", "shift"),
        { "pcy1", "", "shape of fy", 1.0, NULL }, P("pdy1", "friction of fy"), P("pdy2", "by load"), P("pdy3", "by camber"),
        P("pey1", "curvature of fy"), P("pey2", "by load"), P("pey3", "by side"), P("pey4", "by camber"),
        P("pky1", "largest cornering stiffness over nominal load"),
        { "pky2", "", "load of the largest cornering stiffness over nominal load", 1.0, NULL }, P("pky3", "by camber"),
        P("phy1", "horizontal shift of fy"), P("phy2", "by load"), P("phy3", "by camber"), P("pvy1", "vertical shift of fy over load"),
        P("pvy2", "by load"), P("pvy3", "by camber"), P("pvy4", "by camber and load"),
        P("rby1", "combined slip of fy: slope"), P("rby2", "by alpha"), P("rby3", "shift of alpha"), P("rcy1", "shape"),
        P("rey1", "curvature"), P("rey2", "by load"), P("rhy1", "shift"), P("rhy2", "by load"), P("rvy1", "fy by kappa"),
        P("rvy2", "by load"), P("rvy3", "by camber"), P("rvy4", "by alpha"), P("rvy5", "by kappa"), P("rvy6", "by kappa"),
        P("qbz1", "slope of the trail"), P("qbz2", "by load"), P("qbz3", "by load squared"), P("qbz4", "by camber"),
        P("qbz5", "by size of camber"), P("qbz9", "slope of the residual torque"), P("qbz10", "by the slope of fy"),
        P("qcz1", "shape of the trail"), P("qdz1", "trail over radius"), P("qdz2", "by load"), P("qdz3", "by camber"),
        P("qdz4", "by camber squared"), P("qdz6", "residual torque"), P("qdz7", "by load"), P("qdz8", "by camber"),
        P("qdz9", "by camber and load"), P("qez1", "curvature of the trail"), P("qez2", "by load"), P("qez3", "by load squared"),
        P("qez4", "by side"), P("qez5", "by side and camber"), P("qhz1", "shift of the trail"), P("qhz2", "by load"),
        P("qhz3", "by camber"), P("qhz4", "by camber and load"), P("ssz1", "arm of fx over radius"), P("ssz2", "by fy"),
        P("ssz3", "by camber"), P("ssz4", "by camber and load"),
    },
    .requirements = { TYRE_REQUIREMENTS, { "fnomin > 0 and abs(pcx1) > 0 and abs(pcy1) > 0 and abs(pky2) > 0",
                                           "'fnomin' must be positive; 'pcx1', 'pcy1' and 'pky2' must not be zero" },
                      { "abs(pdx1) > 0 and abs(pdy1) > 0", "'pdx1' and 'pdy1', the friction, are missing: give them, or a 'tir' file" } },
    .states = { TYRE_STATES },
    .force = TYRE_FORCE,
    .torque = TYRE_TORQUE,
    .channels = {
        TYRE_CHANNELS,
        { "gamma", "", "camber / 1 rad" },
        { "slip", "", "alpha / 1 rad" },
        { "dfz", "", "load / fnomin - 1" },
        { "kx", "", "kappa + phx1 + phx2 * dfz" },
        { "bkx", "", SLOPE(KX, "(pcx1 * " DX ")") " * kx" },
        { "fx", "N", "(" DX " * sin(" MAGIC("pcx1", "bkx", EX) ") + load * (pvx1 + pvx2 * dfz) * lmux) * "
                     WEIGHT(BXA, "rcx1", "rex1 + rex2 * dfz", "slip", "rhx1") },
        { "ay", "", "slip + " SHY },
        { "bay", "", SLOPE(KY, "(pcy1 * " DY ")") " * ay" },
        { "ply", "N", DY " * (rvy1 + rvy2 * dfz + rvy3 * gamma) * cos(atan(rvy4 * slip)) * sin(rvy5 * atan(rvy6 * kappa))" },
        { "side", "N", "(" DY " * sin(" MAGIC("pcy1", "bay", EY) ") + " SVY ") * "
                       WEIGHT(BYK, "rcy1", "rey1 + rey2 * dfz", "kappa", SHYK) },
        { "fy", "N", "side + ply" },
        { "stiffer", "", KX " / if(abs(" KY ") > 1e-6 N, " KY ", 1e-6 N)" },
        { "at", "", "slip + qhz1 + qhz2 * dfz + (qhz3 + qhz4 * dfz) * gamma" },
        { "bat", "", BT " * " EQUIVALENT("at") },
        { "trail", "m", "load / fnomin * radius * (qdz1 + qdz2 * dfz) * (1 + qdz3 * gamma + qdz4 * gamma^2) * cos("
                        MAGIC("qcz1", "bat", ET) ") * cos(slip)" },
        { "ar", "", "ay + " SVY " / if(abs(" KY ") > 1e-6 N, " KY ", 1e-6 N)" },
        { "residual", "N m", "load * radius * (qdz6 + qdz7 * dfz + (qdz8 + qdz9 * dfz) * gamma) * lmuy * cos(atan((qbz9 * " SHARPER " + qbz10 * "
                             SLOPE(KY, DY) ") * " EQUIVALENT("ar") ")) * cos(slip)" },
        { "mz", "N m", "-trail * side + residual + radius * (ssz1 + ssz2 * fy / fnomin + (ssz3 + ssz4 * dfz) * gamma) * fx" },
    },
};
