"""A mechanism changes while it moves: a joint is cut, the cut is taken back, two futures are compared."""
# %% a double pendulum in mid-swing
import os
import tenon

here = os.path.dirname(os.path.abspath(__file__))
s = tenon.load(os.path.join(here, "..", "double-pendulum.yaml")).session()
s.advance(1.0)
energy = s["energy.total"]
before = s.hash

# %% cut the elbow: the lower arm flies off; energy stays
print(s.apply({"remove": "elbow"})["text"], f"at t = {s.t:g} s")
s.advance(0.5)
print(f"energy changed by {s['energy.total'] - energy:.1e} J")
assert abs(s["energy.total"] - energy) < 1e-6

# %% take it back: same time, same bits
s.undo()
assert s.hash == before and s.t == 1.0
print("taken back to t = 1 s, to the bit")

# %% two futures from one moment
moment = s.moment()
s.advance(0.5)
kept = s["energy.kinetic"]
s.restore(moment)
s.apply({"gravity": [0, 0]})
s.advance(0.5)
print(f"kinetic energy after 0.5 s: {kept:.3f} J; without gravity {s['energy.kinetic']:.3f} J")
print(s.text[:60].splitlines()[0])
