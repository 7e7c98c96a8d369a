#!/usr/bin/env python3
"""Runs shared by processes: time, messages and bytes a step for 1 and 2 ranks side by side, and what the parts cost.

usage: ranks.py BUILD_FOLDER [--rounds N] [--results FOLDER]

Rounds take turns between 1 and 2 ranks, and the best of each counts. Writes ranks.csv, shares.csv and messages.csv.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEPS = 20
STEP = 1e-3
FLEETS, LADDERS = [10, 50, 200], [100, 1000]
PARTS = 4                       # groups of the ladders
MPIRUN = ["mpirun", "--oversubscribe", "-n"]
TIMEOUT = 600                   # s
UNMET = 6                       # status: the car expects something of a longer run


def call(words, statuses=(0,)):
    own = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=TIMEOUT, env=own,
                          check=False)
    if done.returncode not in statuses:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def make_models(tenon, folder):
    """Name -> path: fleets, that nothing holds together; ladders in groups; the car."""
    models = {"car": ROOT / "examples" / "car" / "car.yaml"}
    for n in FLEETS:
        models[f"fleet of {n}"] = folder / f"fleet{n}.yaml"
        call([tenon, "generate", "fleet", "-n", n, "-o", models[f"fleet of {n}"]])
    for n in LADDERS:
        plain, path = folder / "plain.yaml", folder / f"ladder{n}.yaml"
        call([tenon, "generate", "ladder", "-n", n, "-o", plain])
        call([tenon, "partition", plain, "--parts", PARTS, "-o", path])
        models[f"ladder of {n}"] = path
    return models


def run(tenon, path, size):
    words = ["run", path, "--solver=hierarchical", f"--until={STEPS * STEP}", f"--step={STEP}", "--integrator=rk4",
             "--record=1", "-o", os.devnull, "--json"]
    return json.loads(call([*([*MPIRUN, size] if size > 1 else []), tenon, *words], (0, UNMET)))


def measure(tenon, name, path, rounds):
    rows = {}
    for _ in range(rounds):
        for size in (1, 2):
            answer = run(tenon, path, size)
            summary, shared = answer["summary"], answer.get("ranks", {})
            row = {"model": name, "ranks": size, "microseconds": 1e6 * summary["wall"] / summary["steps"],
                   "at_best": shared.get("at_best", 1), "messages": shared.get("messages_per_step", 0),
                   "message_bytes": shared.get("message_bytes_per_step", 0),
                   "gathers": shared.get("gathers_per_step", 0), "gather_bytes": shared.get("gather_bytes_per_step", 0),
                   "hash": summary["hash"]}
            if size not in rows or row["microseconds"] < rows[size]["microseconds"]:
                rows[size] = row
    if rows[1].pop("hash") != rows[2].pop("hash"):
        sys.exit(f"{name}: not the same bits")
    rows[2]["ratio"] = rows[2]["microseconds"] / rows[1]["microseconds"]
    return [rows[1], rows[2]]


def write_table(path, rows):
    with open(path, "w", newline="", encoding="ascii") as out:
        writer = csv.DictWriter(out, rows[-1])
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench" / "results")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    tenon = options.build / "tenon" / "tenon"
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} processors; load of the machine at the start: {load:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        models = make_models(tenon, pathlib.Path(folder))
        rows = []
        print(f"{'model':16} {'1 rank':>10} {'2 ranks':>10} {'ratio':>6} {'solver':>7} {'messages':>9} {'kB':>7} "
              f"{'gathers':>8} {'kB':>7}   a step; time in microseconds")
        for name, path in models.items():
            one, two = measure(tenon, name, path, options.rounds)
            rows += [one, two]
            print(f"{name:16} {one['microseconds']:10.0f} {two['microseconds']:10.0f} {two['ratio']:6.2f} "
                  f"{two['at_best']:7.2f} {two['messages']:9.1f} {two['message_bytes'] / 1e3:7.1f} "
                  f"{two['gathers']:8.1f} {two['gather_bytes'] / 1e3:7.1f}")
        write_table(options.results / "ranks.csv", rows)
        shares = call([options.build / "shares_bench", *models.values()])
    shares = list(csv.DictReader(io.StringIO(shares)))
    for row, name in zip(shares, models):
        row["model"] = name
    write_table(options.results / "shares.csv", shares)
    messages = call([*MPIRUN, 2, options.build / "messages_bench"])
    (options.results / "messages.csv").write_text(messages)
    print("\nmicroseconds of an evaluation, of the solver in it, and of a solution with the factors at hand")
    for row in shares:
        print(f"{row['model']:16} {row['bodies']:>6} bodies {row['evaluation']:>9} {row['keeping']:>9} "
              f"{row['again']:>9}   {row['nanoseconds_each']} ns a multiplication")
    print("\n" + messages, end="")


if __name__ == "__main__":
    main()
