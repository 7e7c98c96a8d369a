#!/usr/bin/env python3
"""Heaps against Bullet: spheres fall into a box and come to rest.

usage: heaps.py TENON [--peer BULLET_HEAP_BENCH] [--spheres N ...] [--walls N ...] [--seconds S] [--step MS]

Ours steps contacts in time; the peer (bench/peers/bullet_heap.cpp) has its 240 Hz. Both start from the same places and run one
after the other on one core. Prints CSV: engine, spheres, processor time (s), ratio to the peer, steps, steps whose forces
obey the laws to more than 1e-8 only, deepest overlap (m; of the peer). Without the peer there is no ratio. Walls have N rows
of N bricks, and no peer.
"""
import argparse
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

RADIUS, FRICTION, RESTITUTION, WALL = 0.05, 0.5, 0.1, 0.5       # m, -, -, m: half the width of the box
APART, JITTER = 0.125, 0.01                                      # m: of the places


def places(count):
    draw = random.Random(3)
    row = 5 if count <= 250 else 7
    middle = (row - 1) / 2
    for k in range(count):
        where = ((k % row - middle) * APART, (k // row % row - middle) * APART, 0.1 + k // row // row * APART)
        yield [x + draw.uniform(-JITTER, JITTER) for x in where]


def model(centres, seconds, step):
    walls = ["normal: [0, 0, 1]"] + [f"normal: [{-s}, 0, 0], at: [{s * WALL}, 0, 0]" for s in (1, -1)]
    walls += [f"normal: [0, {-s}, 0], at: [0, {s * WALL}, 0]" for s in (1, -1)]
    lines = ["tenon: 1", "gravity: [0, 0, -9.81]", "bodies:",
             "  ground: { shapes: [" + ", ".join(f"{{ half_space: {{ {w} }} }}" for w in walls) + "] }"]
    inertia = 0.4 * RADIUS ** 2
    for k, (x, y, z) in enumerate(centres):
        lines.append(f"  s{k}: {{ mass: 1, inertia: [{inertia}, {inertia}, {inertia}], position: [{x}, {y}, {z}],"
                     f" shapes: [ {{ sphere: {{ radius: {RADIUS} }} }} ] }}")
    names = ", ".join(f"s{k}" for k in range(len(centres)))
    lines.append(f"contacts: {{ heap: {{ among: [ground, {names}], restitution: {RESTITUTION}, friction: {FRICTION} }} }}")
    return finish(lines, seconds, step)


def finish(lines, seconds, step):
    # Samples are five steps apart, so that they cut no step short.
    lines.append(f"solve: {{ until: {seconds}, contact: time-stepping, contact_step: {step} ms, record: {5 * step} ms }}")
    return "\n".join(lines) + "\n"


def wall_model(rows, seconds, step):
    """Bricks in `rows` rows of as many, each row half a brick aside: four corners of a brick meet two bricks below."""
    lines = ["tenon: 1", "gravity: [0, 0, -9.81]", "bodies:", "  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } } ] }"]
    names = [f"b{i}x{j}" for i in range(rows) for j in range(rows)]
    for k, name in enumerate(names):
        i, j = divmod(k, rows)
        x, z = 0.21 * j + 0.105 * (i % 2), 0.05 + 0.1 * i
        lines.append(f"  {name}: {{ mass: 1, inertia: [0.0017, 0.0042, 0.0042], position: [{x:.4f}, 0, {z:.4f}],"
                     " shapes: [ { box: { size: [0.2, 0.1, 0.1] } } ] }")
    lines.append(f"contacts: {{ wall: {{ among: [ground, {', '.join(names)}], restitution: 0, friction: {FRICTION} }} }}")
    return finish(lines, seconds, step)


def processor_time():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def run_ours(program, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "heap.yaml"
        path.write_text(text)
        before = processor_time()
        done = subprocess.run([program, "run", path, "--json", "-o", path.with_suffix(".csv")], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        summary = json.loads(done.stdout)["summary"]
    return processor_time() - before, summary.get("steps", ""), summary.get("unsolved", 0)


def run_peer(program, centres, seconds):
    text = f"{len(centres)} {WALL} {RADIUS} {FRICTION} {RESTITUTION} {seconds}\n"
    text += "\n".join(" ".join(map(str, c)) for c in centres)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tenon")
    parser.add_argument("--peer", type=pathlib.Path)
    parser.add_argument("--spheres", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--walls", type=int, nargs="+", default=[])
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--step", type=float, default=4, help="ms")
    options = parser.parse_args()
    if not options.peer or not options.peer.exists():
        print("heaps.py: Bullet is not there (tools/setup-bench.sh installs it): ours alone", file=sys.stderr)
    print("engine,spheres,seconds,ratio,steps,unsolved,overlap")
    for count in options.spheres:
        centres, peer = list(places(count)), None
        if options.peer and options.peer.exists():
            peer, deepest = run_peer(options.peer, centres, options.seconds)
            print(f"bullet,{count},{peer:.3g},1,{int(240 * options.seconds)},,{deepest:.2g}")
        ours, steps, unsolved = run_ours(options.tenon, model(centres, options.seconds, options.step))
        print(f"tenon,{count},{ours:.3g},{f'{ours / peer:.3g}' if peer else ''},{steps},{unsolved},", flush=True)
    for rows in options.walls:
        ours, steps, unsolved = run_ours(options.tenon, wall_model(rows, options.seconds, options.step))
        print(f"tenon wall,{rows * rows},{ours:.3g},,{steps},{unsolved},", flush=True)


main()
