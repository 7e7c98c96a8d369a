#!/usr/bin/env python3
"""Compiled subsystems against open ones: processor time of a step, for the car and the steam machine.

usage: components.py BUILD_FOLDER [--processes N] [--instructions]

One subsystem, or all of a kind, in place of the open ones, compiled at both levels of disclosure that solve exactly.
All variants run in one process and take turns (bench/take_turns.c, compiled here for the library of the build folder);
several processes differ in where memory lies. Prints CSV: model, solver, variant, microseconds a step, ratio to the
open model, standard error of the ratio: means over the processes. With --instructions, valgrind counts those of a step,
in thousands: they do not vary, and have no standard error.
"""
import argparse
import csv
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Model, subsystem, parameters that the model gives it, step.
SUBJECTS = [("car/car.yaml", "suspension", "side,stiffness,damping,strut_load,tyre_load", 5e-3),
            ("steam-machine/steam-machine.yaml", "unit", "phase", 1e-2)]
SOLVERS = ["direct", "hierarchical"]
LEVELS = ["condense", "open"]
COUNTS = {"one": 1, "all": -1}                  # subsystems that are compiled; -1: as many as there are
TURN, ROUNDS = 50, 60                           # steps of a turn, and turns of each variant in a process
SHORT, LONG = 2, 22                             # steps of the runs whose instructions are counted


def call(words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done


def find_program(build):
    """Where an ordinary build has it, or a build of bench/."""
    for path in (build / "tenon" / "tenon", build / "tenon"):
        if path.is_file():
            return path
    sys.exit(f"components.py: there is no program tenon in {build}: build it with cmake first")


def write_variants(tenon, folder, model, part, parameters, step):
    """Variant -> path."""
    source = ROOT / "examples" / model
    shutil.copytree(source.parent, folder, dirs_exist_ok=True)
    for level in LEVELS:
        call([tenon, "compile", folder / f"{part}.yaml", "-o", folder / f"{level}.so", "--open", parameters,
              "--disclose", level])
    text = source.read_text().split("\noutputs:")[0]
    # The passenger keeps bouncing: a car that stands still has nothing to put right after a step.
    text = text.replace("clamp((t - 2.5 s) / 0.1 s, 0, 1)", "sin(7 rad/s * t)")
    text += f"\nsolve: {{ step: {step}, integrator: rk4, record: 1000 s }}\n"
    texts = {"file": text}
    for level in LEVELS:
        for name, count in COUNTS.items():
            texts[f"{level}-{name}"] = text.replace(f"{part}.yaml", f"{level}.so", count)
    for variant, content in texts.items():
        (folder / f"{variant}-model.yaml").write_text(content)
    return {variant: folder / f"{variant}-model.yaml" for variant in texts}


def compile_take_turns(build, folder):
    """The program, with the library of the build; tenon.pc knows what that needs."""
    program = folder / "take_turns"
    libraries = call(["pkg-config", "--libs-only-l", build / "tenon.pc"]).stdout.split()
    call([os.environ.get("CC", "cc"), "-std=c17", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
          f"-I{ROOT / 'include'}", ROOT / "bench" / "take_turns.c", f"-L{build / 'src'}", *libraries, "-o", program])
    return program


def measure(take_turns, paths, solver, processes):
    """Variant -> microseconds a step, for each process."""
    times = {variant: [] for variant in paths}
    for seed in range(1, processes + 1):
        done = call([take_turns, solver, str(seed), str(TURN), str(ROUNDS), *paths.values()])
        for variant, row in zip(paths, csv.DictReader(done.stdout.splitlines())):
            times[variant].append(float(row["microseconds"]))
    return times


def instructions(tenon, path, solver, until):
    done = call(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", tenon, "run", path,
                 "--solver", solver, "--until", str(until), "--quiet"])
    return float(re.search(r"Collected : (\d+)", done.stderr).group(1))


def count_instructions(tenon, paths, solver, step):
    """Variant -> thousands of instructions a step, of the one run that is needed."""
    runs = {variant: [instructions(tenon, path, solver, steps * step) for steps in (SHORT, LONG)]
            for variant, path in paths.items()}
    return {variant: [(long - short) / (LONG - SHORT) / 1e3] for variant, (short, long) in runs.items()}


def print_costs(model, solver, costs):
    """costs: variant -> cost of a step, for each process."""
    for variant, own in costs.items():
        ratios = [cost / reference for cost, reference in zip(own, costs["file"])]
        error = f"{statistics.stdev(ratios) / math.sqrt(len(ratios)):.4f}" if len(ratios) > 1 else ""
        print(f"{pathlib.Path(model).stem},{solver},{variant},{statistics.mean(own):.1f},"
              f"{statistics.mean(ratios):.4f},{error}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    if options.instructions and not shutil.which("valgrind"):
        parser.error("--instructions needs valgrind: apt-get install valgrind")
    if options.processes < 1:
        parser.error("--processes: at least one is needed")
    tenon = find_program(options.build)
    unit = "thousands of instructions" if options.instructions else "microseconds"
    print(f"model,solver,variant,{unit},ratio,standard error")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        take_turns = None if options.instructions else compile_take_turns(tenon.parent, folder)
        for model, part, parameters, step in SUBJECTS:
            paths = write_variants(tenon, folder / part, model, part, parameters, step)
            for solver in SOLVERS:
                print_costs(model, solver, count_instructions(tenon, paths, solver, step) if options.instructions
                            else measure(take_turns, paths, solver, options.processes))


if __name__ == "__main__":
    main()
