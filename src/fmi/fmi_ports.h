/* FMUs that take forces and give motion, as components (tenon/sys/component.h): ports move as outputs of the FMU say, and the forces
 * of joints on the ports are its inputs. With the states x of the FMU, the rates v(x) of the ports and the forces tau
 *     x' = f(x) + B tau,   v' = dv/dx x' = D tau + r,   D = dv/dx B,   r = dv/dx f
 * so joints hold ports rigidly, without springs between. The FMU is for model exchange and has no events. */
#ifndef TN_FMI_PORTS_H
#define TN_FMI_PORTS_H

#include "fmi.h"
#include "tenon/sys/component.h"

enum { TN_FMI_TURN = 3, TN_FMI_FREEDOMS };             /* shifts along x, y, z of the port; a turn about z */

/* How a port moves along one of them: variables of the FMU. */
typedef struct tn_fmi_freedom {
    const char *position;          /* NULL: the integral of the rate from 0 */
    const char *rate, *force;      /* NULL: it does not move so */
} tn_fmi_freedom;

typedef struct tn_fmi_port {
    const char *name;
    tn_pose pose;                  /* where its positions are 0, in the frame of the component */
    tn_span span;
    tn_fmi_freedom freedoms[TN_FMI_FREEDOMS];
} tn_fmi_port;

typedef struct tn_fmi_ports tn_fmi_ports;

/* Names of freedom k, for messages: "x", "vx", "fx", or "turn", "rate", "torque". */
extern const char *const tn_fmi_freedom_names[TN_FMI_FREEDOMS][3];

/* The variables that must be outputs of the FMU (each once), to open it with. most: length of out. Returns their number. */
size_t tn_fmi_ports_outputs(tn_fmi_choice *out, size_t most, const tn_fmi_port *ports, int count);
/* Takes a reference to the FMU and copies the rest. TN_ERROR_MODEL with a diagnostic. */
int tn_fmi_ports_create(tn_fmi_ports **out, tn_context *context, tn_fmi *fmi, const char *who, int dimension, const tn_fmi_port *ports,
                        int count);
tn_fmi_ports *tn_fmi_ports_retain(tn_fmi_ports *ports);
/* ports may be NULL. */
void tn_fmi_ports_release(tn_fmi_ports *ports);
/* Valid as long as there is a reference. Its function create refuses: tn_fmi_ports_make does that. */
const tn_component_type *tn_fmi_ports_type(const tn_fmi_ports *ports);
int tn_fmi_ports_make(void **self, const tn_fmi_ports *ports, const tn_component_host *host, const tn_component_setting *setting);
/* Are both the same FMU with the same ports? NULL: no FMU. */
bool tn_fmi_ports_same(const tn_fmi_ports *a, const tn_fmi_ports *b);

#endif
