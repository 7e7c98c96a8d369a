#!/usr/bin/env python3
"""Compiled subsystems against open ones: processor time of a step, for the car and the steam machine.

usage: components.py BUILD_FOLDER [--rounds N]

One subsystem, or all of a kind, in place of the open ones. Rounds take turns between the variants; the best of each counts,
less that of a run of two steps. Prints CSV: model, solver, variant, microseconds a step, ratio to the open model.
"""
import argparse
import pathlib
import resource
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Model, subsystem, parameters that the model gives it, step.
SUBJECTS = [("car/car.yaml", "suspension", "side,stiffness,damping,strut_load,tyre_load", 5e-3),
            ("steam-machine/steam-machine.yaml", "unit", "phase", 1e-2)]
SOLVERS = ["direct", "hierarchical"]
VARIANTS = {"open": 0, "one": 1, "all": -1}     # subsystems that are compiled; -1: as many as there are
SHORT, LONG = 2, 1002                           # steps


def write_variants(tenon, folder, model, part, parameters, step):
    """Variant -> path."""
    source = ROOT / "examples" / model
    shutil.copytree(source.parent, folder, dirs_exist_ok=True)
    subprocess.run([tenon, "compile", folder / f"{part}.yaml", "-o", folder / f"{part}.so", "--open", parameters],
                   check=True, stdout=subprocess.DEVNULL)
    text = source.read_text().split("\noutputs:")[0]
    text += f"\nsolve: {{ step: {step}, integrator: rk4, record: 1000 s }}\n"
    paths = {}
    for variant, count in VARIANTS.items():
        paths[variant] = folder / f"{variant}.yaml"
        paths[variant].write_text(text.replace(f"{part}.yaml", f"{part}.so", count))
    return paths


def processor_time(tenon, path, solver, until):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([tenon, "run", path, "--solver", solver, "--until", str(until), "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(tenon, paths, solver, step, rounds):
    """Variant -> seconds a step."""
    best = {}
    for _ in range(rounds):
        for variant, path in paths.items():
            for steps in (SHORT, LONG):
                time = processor_time(tenon, path, solver, steps * step)
                best[variant, steps] = min(time, best.get((variant, steps), time))
    return {variant: (best[variant, LONG] - best[variant, SHORT]) / (LONG - SHORT) for variant in paths}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    tenon = next(path for path in (options.build / "tenon" / "tenon", options.build / "tenon") if path.is_file())
    print("model,solver,variant,microseconds,ratio")
    for model, part, parameters, step in SUBJECTS:
        with tempfile.TemporaryDirectory() as folder:
            paths = write_variants(tenon, pathlib.Path(folder), model, part, parameters, step)
            for solver in SOLVERS:
                times = measure(tenon, paths, solver, step, options.rounds)
                for variant, time in times.items():
                    print(f"{pathlib.Path(model).stem},{solver},{variant},{1e6 * time:.0f},{time / times['open']:.2f}",
                          flush=True)


if __name__ == "__main__":
    main()
