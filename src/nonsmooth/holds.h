/* Devices that hold a mechanical port: clutches, brakes and freewheels that stick. While such a device is in its holding mode, a
 * joint is attached that keeps its port where it is; the multiplier of the joint is what it holds with. These joints come
 * before those of closed limits and contacts. */
#ifndef TN_NONSMOOTH_HOLDS_H
#define TN_NONSMOOTH_HOLDS_H

#include "session_impl.h"

/* Number of devices that hold, by their modes in the stepper's memory. */
int tn_holds_count(const tn_session *session);
/* Makes the joints of these devices, in the arena; out has room for tn_holds_count. */
int tn_holds_list(tn_session *session, tn_arena *arena, tn_attached *out);
/* At the accepted state: devices whose modes contradict the rates of their ports take their starts again. */
int tn_holds_refresh(tn_session *session);
/* At the accepted state: attaches and detaches joints until no device holds with more than it can. */
int tn_holds_settle(tn_session *session);

#endif
