/* All force types, in the order in which they are shown. A new type is its file and one line here. */
TN_FORCE(force)
TN_FORCE(torque)
TN_FORCE(spring)
TN_FORCE(state)
