"""What is measured: which engine runs which workload, how far and with which settings."""
from dataclasses import dataclass

ENGINES = ["tenon", "mujoco", "bullet", "simbody", "dart", "ode"]
FORWARD = ["chain", "ball", "tree", "star", "planar", "planar-3d"]

# Largest N of forward dynamics an engine is asked for: what it does within a few seconds, set-up included.
FORWARD_LIMIT = {"tenon": 100000, "mujoco": 1000, "bullet": 30000, "simbody": 100000, "dart": 1000, "ode": 100}
# Less where the set-up (DART) or the depth times three freedoms (MuJoCo) takes too long, or the engine fails (Bullet).
SLOW_LIMIT = {("ball", "mujoco"): 300, ("ball", "bullet"): 10000, ("ball", "simbody"): 30000,
              ("ball", "dart"): 200, ("tree", "dart"): 200, ("star", "dart"): 200, ("planar", "dart"): 200}
QUICK_LIMIT = {"mujoco": 500, "dart": 100}
LADDER_LIMIT = {"tenon": 1000, "mujoco": 1000, "bullet": 100, "simbody": 40, "dart": 100, "ode": 40}
LADDER_STEP = 1e-3

# Bullet's algorithm alone, and with the joint rotations it needs computed from the state, as all others do.
FORWARD_METHODS = {"bullet": ["", "state"]}
LADDER_METHODS = {"tenon": ["rk4"], "mujoco": ["euler", "rk4"], "bullet": ["euler"], "simbody": ["rk-merson-fixed"],
                  "dart": ["euler"], "ode": ["step"]}
# Methods with error control take tolerances, the others steps.
TOLERANCES = {("tenon", "dopri5"), ("tenon", "dop853"), ("simbody", "rk-merson"), ("simbody", "cpodes")}
RUN_METHODS = {"tenon": ["dopri5", "dop853", "rk4"], "mujoco": ["euler", "rk4"], "bullet": ["euler", "rk4"],
               "simbody": ["rk-merson", "cpodes"], "dart": ["euler"], "ode": ["step"]}
RUN_SPATIAL = {"tenon"}         # engines with planar models run the spatial one too
SMALLEST_TOLERANCE = {"tenon": 13, "simbody": 12}      # as powers of ten
SHORTEST_STEP = {"mujoco": 2e-5, "bullet": 5e-5, "dart": 5e-5, "ode": 5e-5, "tenon": 1e-4}


@dataclass(frozen=True)
class Task:
    workload: str
    engine: str
    n: int
    repetitions: int
    accuracy: float = 0
    method: str = ""

    def arguments(self):
        words = [self.workload, str(self.n), str(self.repetitions), repr(float(self.accuracy))]
        return words + ([self.method] if self.method else [])


def forward_tasks(engines, quick):
    sizes = [1, 10, 100, 1000, 10000]
    if not quick:
        sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 3000, 10000, 30000, 100000]
    for workload in FORWARD:
        for engine in engines:
            limit = SLOW_LIMIT.get((workload, engine), FORWARD_LIMIT[engine])
            if quick:
                limit = min(limit, QUICK_LIMIT.get(engine, limit))
            if workload == "planar-3d" and engine != "tenon":
                continue
            for method in FORWARD_METHODS.get(engine, [""]):
                for n in sizes:
                    if n <= limit and (n <= 1000 or workload in ("chain", "ball", "tree")):
                        yield Task(workload, engine, n, 5, 0, method)


def ladder_tasks(engines, quick):
    for engine in engines:
        for method in LADDER_METHODS[engine]:
            for n in [2, 10, 40] if quick else [2, 5, 10, 20, 40, 100, 200, 500, 1000]:
                for name in ["ladder"] + (["ladder-3d"] if engine in RUN_SPATIAL else []):
                    if n <= LADDER_LIMIT[engine]:
                        yield Task(name, engine, n, 1, LADDER_STEP, method)


def accuracies(engine, method, quick):
    if (engine, method) in TOLERANCES:
        return [10.0 ** -k for k in range(3, SMALLEST_TOLERANCE[engine] + 1, 2 if quick else 1)]
    steps = [1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5]
    shortest = SHORTEST_STEP[engine] * (5 if quick else 1)
    return [h for h in steps if h >= 0.99 * shortest]


def run_tasks(engines, quick):
    for workload in ["four-bar", "pendulum"]:
        for engine in engines:
            for method in RUN_METHODS[engine]:
                for name in [workload] + ([workload + "-3d"] if engine in RUN_SPATIAL else []):
                    for accuracy in accuracies(engine, method, quick):
                        yield Task(name, engine, 1, 3, accuracy, method)
