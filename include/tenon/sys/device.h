/* The interface for authors of devices: motors, pumps, valves, controllers, which meet at nodes.
 *
 * A device is a force (sys/force.h) with ports. A port of an electrical, hydraulic, pneumatic or thermal domain is
 * connected to a node; ports of devices at the same node have the same across variables (voltage), and their through
 * variables (current) add up to zero. A mechanical port is a coordinate of the mechanism; the device pushes it with an
 * effort. The expressions of a device may use
 *     PORT.voltage ...      across variables of the node of a port         PORT.position, PORT.rate    mechanical ports
 *     PORT.connected        1 where the port is at a node, 0 where it is open or at ground
 *     parameters, unknowns, states, memories, channels, by their names     mode, since      number of the mode, its start
 *     PARAMETER.rate, PARAMETER.moves   rate by the motion and by time, 0 where it is a number; 1 where it has one
 *     density ...           parameters of the medium of its domain         t                time
 * Unknowns are solved for: as many equations as unknowns. A flow counts INTO the device. A node whose devices have
 * stores has states; the rates follow from the domain (tn_domain). Other nodes are unknowns of the network.
 *
 * Memories change at samples (period, offset) to the value of "next", or where a mode is entered. Modes are left by
 * switches, at the instant when an expression becomes positive. Lists end at the first NULL name. */
#ifndef TENON_SYS_DEVICE_H
#define TENON_SYS_DEVICE_H

#include "force.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_DEVICE_PORTS = 8, TN_DEVICE_UNKNOWNS = 8, TN_DEVICE_FLOWS = 12, TN_DEVICE_STORES = 8, TN_DEVICE_MEMORIES = 24,
       TN_DEVICE_MODES = 12, TN_DEVICE_SWITCHES = 24, TN_DEVICE_STARTS = 4, TN_DOMAIN_ACROSS = 2, TN_DOMAIN_SUMS = 3 };

/* The quantity that a port connects: a domain by its name, or a coordinate of the mechanism. */
#define TN_PORT_ROTARY "rotary"
#define TN_PORT_TRANSLATIONAL "translational"

typedef struct tn_device_port {
    const char *name, *domain, *doc;
    bool optional;             /* may be left open: its flow is not used, its across variables are those of ground */
    int group;                 /* ports of a device in different groups do not conduct to each other; -1: to ground */
} tn_device_port;

typedef struct tn_unknown_decl {
    const char *name, *unit;
    const char *guess;         /* expression of parameters; NULL: 0 */
    double nominal;            /* SI: usual size; 0: 1 */
} tn_unknown_decl;

/* A sum at a port: a through variable (flow), or a storage sum of the domain. */
typedef struct tn_flow_decl {
    const char *port, *name, *expression;
} tn_flow_decl;

typedef struct tn_memory_decl {
    const char *name, *unit, *start, *next;    /* next NULL: changes only where a mode is entered */
} tn_memory_decl;

/* Goes from one mode to another when the expression is positive. */
typedef struct tn_switch_decl {
    const char *from, *to;
    const char *when;
} tn_switch_decl;

/* Fields of a device type beyond those of a force type. */
typedef struct tn_device {
    const char *family;        /* for lists: "electrical" */
    tn_device_port ports[TN_DEVICE_PORTS];
    tn_unknown_decl unknowns[TN_DEVICE_UNKNOWNS];
    const char *equations[TN_DEVICE_UNKNOWNS];         /* zero when they hold */
    tn_flow_decl flows[TN_DEVICE_FLOWS];               /* into the device */
    tn_flow_decl stores[TN_DEVICE_STORES];
    tn_flow_decl starts[TN_DEVICE_STARTS];             /* port, across variable, its value at the start where given */
    tn_memory_decl memories[TN_DEVICE_MEMORIES];
    const char *period, *offset;                       /* of its samples; period NULL: none */
    const char *modes[TN_DEVICE_MODES];
    const char *start_mode;                            /* expression of parameters: number of the first mode; NULL: 0 */
    tn_switch_decl switches[TN_DEVICE_SWITCHES];
    const char *hold_mode, *hold_port; /* in this mode an equation holds the mechanical port where it is, at the memory "held";
                                          switches and channels may use "hold", the effort against larger coordinates that
                                          this takes, 0 in other modes. NULL: none */
    const char *stored, *loss, *supplied;              /* J, W, W: energy account; NULL: none */
    const char *history;                               /* expression whose past is kept; NULL: none */
    int shift;                 /* number of samples that the second memory, its input, is kept before the first one, its output, gets it;
                                  0: none */
    bool made;                 /* lists in the file decide its size: the reader makes the type of each device */
    bool from_lists;           /* internal: made by the reader */
    bool medium;               /* internal: holds the parameters of a medium */
    const struct tn_domain *node;                      /* internal: the type of the nodes of a domain */
    struct tn_fmi *external;                           /* internal: its equations are in an FMU */
} tn_device;

/* A kind of network: across variables of nodes, through variables of ports, sums of stores, and the rates of the across
 * variables of a node that stores. In the rates NAME is the sum over all ports; flows count out of devices there. */
typedef struct tn_domain {
    const char *name, *doc;
    struct { const char *name, *unit, *ground; double nominal; } across[TN_DOMAIN_ACROSS];   /* ground: expression */
    struct { const char *name, *unit; } through[TN_DOMAIN_ACROSS];
    struct { const char *name, *unit; } sums[TN_DOMAIN_SUMS];     /* the first one decides whether the node stores */
    const tn_force_type *node;         /* type of its nodes */
    const tn_force_type *medium;       /* type of its medium; NULL: none */
    const char *energy;                /* through variable that is a power itself; NULL: power is across times through */
    bool needs_storage;                /* each node must store, or a source must hold it */
} tn_domain;

/* All built-in types and domains, ending in NULL. */
typedef const tn_force_type *const *tn_device_family;      /* ends in NULL */
extern TN_API const tn_device_family tn_device_families[];
extern TN_API const tn_domain *const tn_domains[];

#ifdef __cplusplus
}
#endif
#endif
