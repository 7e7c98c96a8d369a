#!/usr/bin/env python3
"""Compiled subsystems against open ones: processor time of a step, for the car and the steam machine.

usage: components.py BUILD_FOLDER [--rounds N] [--instructions]

One subsystem, or all of a kind, in place of the open ones, compiled at both levels of disclosure that solve exactly.
Rounds take turns between the variants; the best of each counts,
less that of a run of two steps. Prints CSV: model, solver, variant, microseconds a step, ratio to the open model. With
--instructions, valgrind counts those of a step, in thousands: on a busy machine that is what can be compared.
"""
import argparse
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Model, subsystem, parameters that the model gives it, step.
SUBJECTS = [("car/car.yaml", "suspension", "side,stiffness,damping,strut_load,tyre_load", 5e-3),
            ("steam-machine/steam-machine.yaml", "unit", "phase", 1e-2)]
SOLVERS = ["direct", "hierarchical"]
LEVELS = ["condense", "open"]
COUNTS = {"one": 1, "all": -1}                  # subsystems that are compiled; -1: as many as there are
SHORT, LONG, COUNTED = 2, 1002, 22              # steps: of short and long runs, and of those whose instructions count


def write_variants(tenon, folder, model, part, parameters, step):
    """Variant -> path."""
    source = ROOT / "examples" / model
    shutil.copytree(source.parent, folder, dirs_exist_ok=True)
    for level in LEVELS:
        subprocess.run([tenon, "compile", folder / f"{part}.yaml", "-o", folder / f"{level}.so", "--open", parameters,
                        "--disclose", level], check=True, stdout=subprocess.DEVNULL)
    text = source.read_text().split("\noutputs:")[0]
    text = text.replace("(t - 2.5 s)", "t")      # a car that stands still has nothing to put right after a step
    text += f"\nsolve: {{ step: {step}, integrator: rk4, record: 1000 s }}\n"
    texts = {"file": text}
    for level in LEVELS:
        for name, count in COUNTS.items():
            texts[f"{level}-{name}"] = text.replace(f"{part}.yaml", f"{level}.so", count)
    for variant, content in texts.items():
        (folder / f"{variant}-model.yaml").write_text(content)
    return {variant: folder / f"{variant}-model.yaml" for variant in texts}


def instructions(tenon, path, solver, until):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", tenon, "run", path,
                           "--solver", solver, "--until", str(until), "--quiet"], check=True, capture_output=True,
                          text=True)
    return float(re.search(r"Collected : (\d+)", done.stderr).group(1))


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


def count(tenon, paths, solver, step):
    """Variant -> thousands of instructions a step."""
    runs = {variant: [instructions(tenon, path, solver, steps * step) for steps in (SHORT, COUNTED)]
            for variant, path in paths.items()}
    return {variant: (long - short) / (COUNTED - SHORT) / 1e3 for variant, (short, long) in runs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    if options.instructions and not shutil.which("valgrind"):
        parser.error("--instructions needs valgrind: apt-get install valgrind")
    tenon = next(path for path in (options.build / "tenon" / "tenon", options.build / "tenon") if path.is_file())
    unit = "thousands of instructions" if options.instructions else "microseconds"
    print(f"model,solver,variant,{unit},ratio")
    for model, part, parameters, step in SUBJECTS:
        with tempfile.TemporaryDirectory() as folder:
            paths = write_variants(tenon, pathlib.Path(folder), model, part, parameters, step)
            for solver in SOLVERS:
                if options.instructions:
                    costs = count(tenon, paths, solver, step)
                else:
                    costs = {variant: 1e6 * time
                             for variant, time in measure(tenon, paths, solver, step, options.rounds).items()}
                for variant, cost in costs.items():
                    print(f"{pathlib.Path(model).stem},{solver},{variant},{cost:.0f},{cost / costs['file']:.2f}",
                          flush=True)


if __name__ == "__main__":
    main()
