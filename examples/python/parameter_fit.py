"""Finds friction and length of a pendulum from measured angles, by Gauss-Newton."""
# %% the model has parameters
import numpy as np
import tenon

text = """
tenon: 1
name: Pendulum
dimension: 2
gravity: [0, -9.81]
parameters: { L: 0.8 m, d: 0.02 N m s }
bodies:
  arm: { mass: 1 kg, com: [L, 0], inertia: 0.01 kg m^2 }
joints:
  pivot: { type: revolute, between: [ground, arm] }
forces:
  friction: { type: motor, joint: pivot, value: -d * pivot.rate }
initial: { pivot: { angle: -30 deg, rate: 0 } }
outputs: [pivot.angle]
solve: { until: 5 s, record: 20 ms }
"""
model = tenon.parse(text)

# %% the measurement: another pendulum, with noise
rng = np.random.default_rng(1)
truth = {"L": 0.93, "d": 0.11}
measured = np.asarray(model.with_parameters(**truth).run()["pivot.angle"])
measured = measured + rng.normal(0, 2e-3, len(measured))


# %% Gauss-Newton with differences
def angles(x):
    return np.asarray(model.with_parameters(L=x[0], d=x[1]).run()["pivot.angle"])


x = np.array([0.8, 0.02])
for k in range(8):
    r = angles(x) - measured
    J = np.column_stack([(angles(x + h) - angles(x - h)) / (2 * np.max(h)) for h in 1e-5 * np.eye(2)])
    dx = np.linalg.lstsq(J, -r, rcond=None)[0]
    x = x + dx
    print(f"{k}: L = {x[0]:.5f} m, d = {x[1]:.5f} N m s, misfit {np.sqrt(np.mean(r**2)):.2e} rad")
    if np.max(np.abs(dx)) < 1e-7:
        break
assert abs(x[0] - truth["L"]) < 1e-3 and abs(x[1] - truth["d"]) < 5e-3
