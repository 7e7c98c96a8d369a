#!/usr/bin/env python3
"""Runs the benchmark: all engines on the same mechanisms, pinned to one core, interleaved, best of several rounds.

usage: run.py BUILD_FOLDER [--quick] [--results FOLDER] [--core N] [--rounds N]

Writes one CSV table a group and plots into the results folder and prints the ratios to the fastest peer.
"""
import argparse
import csv
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import plots
import report
import workloads

FIELDS = ["workload", "engine", "method", "n", "accuracy", "microseconds", "energy_error", "closure_error", "residual",
          "x", "y", "bytes_per_body", "settings"]
NUMBERS = FIELDS[3:12]
TIMEOUT = 60        # s: for one program
LONG = 3            # s: a program that takes longer than this is run in one round only
BIG = 100000        # bodies of the model file that is read
SWEEP = 200                     # runs of the sweep
EDITED = 1000       # bodies of the chain that is edited while it runs
ROOT = pathlib.Path(__file__).resolve().parent.parent


def deep_stack():
    """Some engines recurse along the chain; none shall end for want of stack."""
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))


class Bench:
    def __init__(self, build, core):
        self.build = pathlib.Path(build)
        self.pin = ["taskset", "-c", str(core)]

    def run(self, program, arguments):
        begun = time.monotonic()
        done = subprocess.run(self.pin + [str(self.build / program)] + arguments, capture_output=True, text=True,
                              timeout=TIMEOUT, check=False, preexec_fn=deep_stack)
        return done, time.monotonic() - begun

    def measure(self, task):
        """A row, and how long its program took; the row is None when the engine could not do it."""
        try:
            done, seconds = self.run(task.engine + "_bench", task.arguments())
        except subprocess.TimeoutExpired:
            return None, TIMEOUT, f"more than {TIMEOUT} s"
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines()
            return None, seconds, lines[0] if lines else f"ended with code {done.returncode}"
        row = dict(zip(FIELDS, done.stdout.strip().split(",", len(FIELDS) - 1)))
        for field in NUMBERS:
            row[field] = float(row[field])
        row["n"] = int(row["n"])
        row["method"] = task.method
        return row, seconds, None


def merge(best, row):
    """The figures of the faster round; rounds agree in everything but the time."""
    if best is None or row["microseconds"] < best["microseconds"]:
        return row
    return best


def run_group(bench, name, tasks, rounds):
    """Rounds over all tasks, so that a slow moment of the machine does not hit one engine alone."""
    tasks = list(tasks)
    best, given_up = {}, set()
    for turn in range(rounds):
        for index, task in enumerate(tasks):
            if sys.stderr.isatty():
                print(f"\r{name}: round {turn + 1} of {rounds}, {index + 1} of {len(tasks)}: {task.engine} "
                      f"{task.workload} {task.n}   \033[K", end="", file=sys.stderr)
            if task in given_up:
                continue
            row, seconds, problem = bench.measure(task)
            if row is None:
                print(f"\n{task.engine} {task.method}, {task.workload} of {task.n}: {problem}", file=sys.stderr)
            else:
                best[task] = merge(best.get(task), row)
            if row is None or seconds > LONG:
                given_up.add(task)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return [best[task] for task in tasks if task in best]


def add_position_errors(bench, rows):
    done, _ = bench.run("bench_reference", [])
    reference = {}
    for line in done.stdout.splitlines():
        name, x, y, _ = line.split(",")
        reference[name] = float(x), float(y)
    for row in rows:
        x, y = reference[row["workload"].removesuffix("-3d")]
        row["position_error"] = ((row["x"] - x) ** 2 + (row["y"] - y) ** 2) ** 0.5


def write_pendulum(path):
    """Two rods released from the horizontal, as in the runs; the length of the second can be swept."""
    with open(path, "w", encoding="ascii") as out:
        out.write("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: { L: 1 m }\nbodies:\n"
                  "  upper: { mass: 1, com: [0.5, 0], inertia: 1/12, position: [0, 0] }\n"
                  "  lower: { mass: 1, com: [L/2, 0], inertia: L^2/12, position: [1, 0] }\n"
                  "joints:\n  shoulder: { type: revolute, between: [ground, upper], at: [0, 0] }\n"
                  "  elbow: { type: revolute, between: [upper, lower], at: [1, 0] }\n"
                  "outputs: [lower.angle]\nsolve: { until: 5, step: 1 ms, integrator: rk4, record: 5 }\n")


def program_row(name, n, seconds, summary, settings):
    return {"workload": name, "engine": "tenon", "n": n, "seconds": seconds,
            "energy_error": summary.get("energy_error", ""), "closure_error": summary.get("max_drift", ""),
            "settings": settings}


def measure_edits(bench):
    """A joint cut and made again in a running chain."""
    done, _ = bench.run("live_bench", [str(EDITED)])
    if done.returncode != 0:
        print(f"edits: {done.stderr.strip()}", file=sys.stderr)
        return []
    _, cut, join, _, step, after = (float(field) for field in done.stdout.split(","))
    return [program_row("edit: cut", EDITED, cut / 1e3, {}, "one joint of a running chain removed"),
            program_row("edit: join", EDITED, join / 1e3, {}, "... and made again, velocities made consistent"),
            program_row("step", EDITED, step / 1e3, {}, "rk4, between edits"),
            program_row("step after an edit", EDITED, after / 1e3, {}, "the first one")]


def measure_program(bench, rounds):
    """What people feel of the program itself: start, reading, two published problems."""
    rows = []
    for name in ["A03_andrews_squeezer_CWI", "A04_bricard"]:
        answers = [bench.run("tenon/tenon", ["run", str(ROOT / "validation" / f"{name}.yaml"), "--json"])[0].stdout
                   for _ in range(rounds)]
        summaries = [json.loads(answer)["summary"] for answer in answers]
        fastest = min(summaries, key=lambda summary: summary["wall"])
        rows.append(program_row(name, 1, fastest["wall"], fastest,
                                "tolerance of the model file; wall time of stepping"))
    small = ["run", str(ROOT / "examples" / "double-pendulum.yaml"), "--until", "0.001", "-q", "-o", os.devnull]
    rows.append(program_row("start-up", 2, min(bench.run("tenon/tenon", small)[1] for _ in range(10 * rounds)), {},
                            "tenon run, 1 ms of a double pendulum, process included"))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chain.yaml")
        bench.run("tenon/tenon", ["generate", "chain", "--size", str(BIG), "-o", path])
        done, seconds = bench.run("tenon/tenon", ["check", path])
        settings = f"tenon check, {os.path.getsize(path) / 1e6:.0f} MB, process included"
        if done.returncode != 0:
            message = (done.stderr.strip().splitlines() or ["no message"])[0]
            settings += "; FAILED: " + message.replace(path, "chain.yaml")
        rows.append(program_row("read", BIG, seconds, {}, settings))
        path = os.path.join(folder, "pendulum.yaml")
        write_pendulum(path)
        sweep = ["sweep", path, "--grid", f"L=0.5:1.5:{SWEEP}", "--jobs", "1", "--restart", "-o",
                 os.path.join(folder, "sweep.csv")]
        seconds = min(bench.run("tenon/tenon", sweep)[1] for _ in range(rounds))
        rows.append(program_row("sweep", SWEEP, seconds / SWEEP, {}, "tenon sweep: one run of 5 s of the double "
                                "pendulum, rk4, 1 ms; process, reading and table included"))
    rows += measure_edits(bench)
    return rows


def measure_schemes(bench):
    """Cost of a step of every scheme with every solver."""
    done, _ = bench.run("schemes_bench", [str(ROOT / "validation")])
    if done.returncode != 0:
        print(f"schemes: {done.stderr.strip()}", file=sys.stderr)
    return list(csv.DictReader(done.stdout.splitlines()))


def write_table(path, rows):
    fields = list(dict.fromkeys(field for row in rows for field in row))
    with open(path, "w", newline="", encoding="ascii") as out:
        writer = csv.DictWriter(out, fields)
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and rounds: under 3 minutes")
    parser.add_argument("--results", default=str(ROOT / "bench" / "results"))
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, help="default: 3, quick 1")
    options = parser.parse_args()
    rounds = options.rounds or (1 if options.quick else 3)
    results = pathlib.Path(options.results)
    results.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.build, options.core)
    engines = [engine for engine in workloads.ENGINES if (bench.build / f"{engine}_bench").exists()]
    for engine in workloads.ENGINES:
        if engine not in engines:
            print(f"{engine}: no driver was built, skipped")

    forward = run_group(bench, "forward dynamics", workloads.forward_tasks(engines, options.quick), rounds)
    ladder = run_group(bench, "ladder", workloads.ladder_tasks(engines, options.quick), rounds)
    runs = run_group(bench, "work and precision", workloads.run_tasks(engines, options.quick), min(rounds, 2))
    add_position_errors(bench, runs)
    program = measure_program(bench, rounds)
    schemes = measure_schemes(bench)
    groups = {"forward": forward, "ladder": ladder, "work-precision": runs, "program": program, "schemes": schemes}
    for name, rows in groups.items():
        write_table(results / f"{name}.csv", rows)
    plots.draw(results, forward, ladder, runs)
    text = report.text(forward, ladder, runs, program) + report.schemes(schemes)
    (results / "report.txt").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
