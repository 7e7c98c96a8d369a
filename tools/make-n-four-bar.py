#!/usr/bin/env python3
"""Writes the N-four-bar problem (N + 1 upright cranks, N horizontal bars, all 1 m and 1 kg) as a model file.

usage: make-n-four-bar.py N [--spatial] [--until SECONDS] [--reference CSV] > model.yaml
"""
import argparse


def bodies(n, spatial):
    def pad(*v):
        return "[" + ", ".join(list(v) + (["0"] if spatial else [])) + "]"

    rate = "[0, 0, -1]" if spatial else "-1"
    crank_inertia = "[1/12, 0.001, 1/12]" if spatial else "1/12"
    bar_inertia = "[0.001, 1/12, 1/12]" if spatial else "1/12"
    for i in range(n + 1):
        yield (f"  crank{i}: {{ mass: 1, com: {pad('0', '0.5')}, inertia: {crank_inertia}, "
               f"position: {pad(str(i), '0')}, angular_velocity: {rate} }}")
    for i in range(1, n + 1):
        yield (f"  bar{i}: {{ mass: 1, com: {pad('0.5', '0')}, inertia: {bar_inertia}, "
               f"position: {pad(str(i - 1), '1')}, velocity: {pad('1', '0')} }}")


def joints(n, spatial):
    def pin(name, first, second, x, y):
        at = f"[{x}, {y}, 0], axis: z" if spatial else f"[{x}, {y}]"
        return f"  {name}: {{ type: revolute, between: [{first}, {second}], at: {at} }}"

    for i in range(n + 1):
        yield pin(f"A{i}", "ground", f"crank{i}", i, 0)
    for i in range(n + 1):
        if i > 0:
            yield pin(f"B{i}_left", f"crank{i}", f"bar{i}", i, 1)
        if i < n:
            yield pin(f"B{i}_right", f"crank{i}", f"bar{i + 1}", i, 1)


def model(n, spatial, until, reference):
    kind = "spatial, with redundant hinges" if spatial else "planar"
    gravity = "[0, -9.81, 0]" if spatial else "[0, -9.81]"
    lines = [
        f"# N-four-bar with N = {n} ({kind}): passes a position where all bars are in line twice per turn.",
        "# Benchmark A02 of the IFToMM multibody library; written by tools/make-n-four-bar.py.",
        "tenon: 1",
        f"name: N-four-bar, N = {n}, {'spatial' if spatial else 'planar'}",
        f"dimension: {3 if spatial else 2}",
        f"gravity: {gravity}",
        "",
        "bodies:",
        *bodies(n, spatial),
        "",
        "joints:",
        *joints(n, spatial),
        "",
        "outputs: [bar1.position, bar1.velocity, energy.total, drift.max]",
        f"solve: {{ until: {until}, integrator: dopri5, tolerance: 1e-12, absolute_tolerance: 1e-12, record: 0.1 }}",
    ]
    if reference:
        lines += [
            "expect:",
            "  energy: 1e-8",
            "  drift: 1e-10",
            "  reference:",
            f"    file: {reference}",
            "    tolerance: 1e-6",
            "    channels: { B0x: bar1.position.x, B0y: bar1.position.y, "
            "B0vx: bar1.velocity.x, B0vy: bar1.velocity.y }",
        ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n", type=int)
    parser.add_argument("--spatial", action="store_true")
    parser.add_argument("--until", default="10")
    parser.add_argument("--reference", help="CSV table with columns t, B0x, B0y, B0vx, B0vy")
    options = parser.parse_args()
    print(model(options.n, options.spatial, options.until, options.reference))


main()
