"""From zero to a plotted four-bar linkage."""
# %% load, run
import os
import matplotlib
matplotlib.use("Agg")                       # without a display; leave this out in a notebook
import numpy as np
import tenon

here = os.path.dirname(os.path.abspath(__file__))
m = tenon.load(os.path.join(here, "..", "four-bar.yaml"), r=0.12)
res = m.run(until=5, record=1e-3)
print(res)

# %% arrays with units
angle = res["pivot.angle"]
print(f"the crank turned {angle[-1] / (2 * np.pi):.2f} times; unit of the angle: {angle.unit}")
energy = res["energy.total"]
print(f"energy changed by {np.ptp(energy):.1e} {energy.unit}")
assert np.ptp(energy) < 1e-6

# %% a picture
axes = res.plot("pivot.angle", "hinge.angle", "elbow.reaction.force.x", "elbow.reaction.force.y")
axes[0].figure.savefig(os.environ.get("PICTURE", os.devnull), format="png")

# %% how the joint force grows with the crank
sweep = m.sweep(of="max(elbow.reaction)", r=np.linspace(0.10, 0.14, 5), until=1)
for r, force in zip(sweep["r"], np.asarray(sweep)):
    print(f"r = {r:.2f} m: {force:.1f} N")
