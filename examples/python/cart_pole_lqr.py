"""A cart-pole balanced by a linear-quadratic regulator that is designed on the linearised, and runs on the full model."""
# %% the model, from Python objects
import numpy as np
import tenon

b = tenon.Builder("Cart-pole", dimension=2, gravity=[0, -9.81])
L = b.parameter("L", "0.6 m")
cart = b.body("cart", mass="1 kg", inertia=0.01)
pole = b.body("pole", mass="0.2 kg", com=[0, L / 2], inertia=0.006)
rail = b.joint("rail", "translational", between=[b.ground, cart])
hinge = b.joint("hinge", "revolute", between=[cart, pole])
push = b.input("push", unit="N", low=-30, high=30)
b.force("motor", "force", on=cart, value=[push, 0])
b.initial(hinge, angle="15 deg", rate=0)
b.initial(rail, position=0, rate=0)
b.output(rail.position)
b.output(hinge.angle)
b.solve(until=6, record=0.01)
m = b.model()

# %% linearise about the upright position: a model with another start
upright = tenon.parse(b.text.replace("15 deg", "0"))
lin = upright.linearize(inputs=["push"], outputs=["rail.position", "hinge.angle"])
print("states:", [s[0] for s in lin.states], " unstable:", np.max(lin.eigenvalues().real).round(3), "1/s")


# %% the Riccati equation by the stable subspace of its Hamiltonian matrix
def lqr(A, B, Q, R):
    H = np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]])
    values, vectors = np.linalg.eig(H)
    stable = vectors[:, values.real < 0]
    n = len(A)
    P = np.real(stable[n:] @ np.linalg.inv(stable[:n]))
    return np.linalg.solve(R, B.T @ P)


K = lqr(lin.A, lin.B, np.diag([10, 10, 1, 1.0]), np.array([[0.1]]))
print("K =", K.round(3))

# %% the controller, every 10 ms, on the full model
s = m.session()
read = s.readout([name for name, _, _ in lin.states])


def controller(session):
    session["push"] = float(np.clip(-K @ read(), -30, 30)[0])


s.control(6, 0.01, controller)
print(f"after 6 s: cart at {s['rail.position']:.2e} m, pole at {s['hinge.angle']:.2e} rad")
assert abs(s["hinge.angle"]) < 1e-3 and abs(s["rail.position"]) < 1e-2
