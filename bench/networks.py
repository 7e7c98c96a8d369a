#!/usr/bin/env python3
"""Networks of devices against ngspice: a ladder of resistors and capacitors on an alternating voltage.

usage: networks.py TENON [--peer NGSPICE] [--nodes N ...]

Processor time of whole processes, one after the other, at several accuracies. Errors are the largest differences of two node voltages
from a run of ours with tolerance 1e-11, at ten instants. Prints CSV: engine, nodes, setting, error (V), processor time (s), and for the peer the
ratio of our time at the same error, between our runs on logarithmic scales; no ratio where our runs do not enclose the error. Without the peer
there is no ratio.
"""
import argparse
import csv
import io
import math
import pathlib
import resource
import shutil
import subprocess
import tempfile

RESISTANCE, CAPACITANCE, FREQUENCY = 10, 1e-6, 50                  # ohm, F, Hz
END, INSTANTS = 20e-3, 10                                           # s
WATCHED = (20, 50)                                                  # nodes
OURS = ("1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8")            # tolerances of cvode
PEERS = (("trap", 1e-4, 1e-4), ("trap", 1e-6, 1e-5), ("trap", 1e-7, 2e-6), ("gear", 1e-5, 1e-4), ("gear", 1e-7, 2e-5), ("gear", 1e-8, 1e-5))


def used(arguments, folder):
    """Output of a process, and the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_ours(program, folder, nodes, tolerance):
    lines = ["tenon: 1", "devices:",
             f"  V: {{ type: voltage-source, at: {{ p: n0, n: ground }}, value: 1 V * sin(2 * pi * {FREQUENCY} / 1 s * t) }}"]
    for k in range(1, nodes + 1):
        lines.append(f"  R{k}: {{ type: resistor, at: {{ p: n{k - 1}, n: n{k} }}, resistance: {RESISTANCE} ohm }}")
        lines.append(f"  C{k}: {{ type: capacitor, at: {{ p: n{k}, n: ground }}, capacitance: {CAPACITANCE} F }}")
    lines.append(f"outputs: [{', '.join(f'n{k}.voltage' for k in WATCHED)}]")
    lines.append(f"solve: {{ until: {END} s, record: {END / INSTANTS} s, integrator: cvode }}")
    (folder / "ladder.yaml").write_text("\n".join(lines) + "\n")
    text, time = used([program, "run", "ladder.yaml", "-q", "--tolerance", tolerance], folder)
    return [[float(x) for x in row[1:]] for row in list(csv.reader(io.StringIO(text)))[1:] if row], time


def run_peer(program, folder, nodes, method, relative, longest):
    voltages = " ".join(f"v(n{k})" for k in WATCHED)
    lines = ["ladder", f"V1 n0 0 SIN(0 1 {FREQUENCY})"]
    for k in range(1, nodes + 1):
        lines += [f"R{k} n{k - 1} n{k} {RESISTANCE}", f"C{k} n{k} 0 {CAPACITANCE} IC=0"]
    lines += [f".options reltol={relative} vntol={relative * 1e-3} abstol=1e-12 method={method} maxord={6 if method == 'gear' else 2}", ".control",
              f"tran {END / INSTANTS} {END} 0 {longest} uic", f"linearize {voltages}", f"print {voltages}", "quit", ".endc", ".end"]
    (folder / "ladder.cir").write_text("\n".join(lines) + "\n")
    text, time = used([program, "-b", "ladder.cir"], folder)
    rows = [line.split() for line in text.splitlines()]
    return [[float(x) for x in row[1:]] for row in rows if len(row) == 1 + len(WATCHED) and row[0].isdigit()], time


def error_of(rows, reference):
    if len(rows) != len(reference):
        raise SystemExit(f"{len(rows)} rows instead of {len(reference)}")
    return max(abs(a - b) for row, other in zip(rows[1:], reference[1:]) for a, b in zip(row, other))


def time_at(points, error):
    """Our time at an error, on a straight line of logarithms between two runs; None where it is beyond them."""
    points = sorted(points)
    for (e0, t0), (e1, t1) in zip(points, points[1:]):
        if e0 <= error <= e1:
            return math.exp(math.log(t0) + (math.log(error) - math.log(e0)) / (math.log(e1) - math.log(e0)) * (math.log(t1) - math.log(t0)))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tenon", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--peer", default=shutil.which("ngspice"))
    parser.add_argument("--nodes", type=int, nargs="+", default=[200, 1000])
    given = parser.parse_args()
    print("engine,nodes,setting,error,time,ratio")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for nodes in given.nodes:
            reference, _ = run_ours(given.tenon, folder, nodes, "1e-11")
            points = []
            for tolerance in OURS:
                rows, time = run_ours(given.tenon, folder, nodes, tolerance)
                points.append((error_of(rows, reference), time))
                print(f"tenon,{nodes},{tolerance},{points[-1][0]:.2g},{time:.3f},", flush=True)
            for method, relative, longest in PEERS if given.peer else ():
                rows, time = run_peer(given.peer, folder, nodes, method, relative, longest)
                error = error_of(rows, reference)
                ours = time_at(points, error)
                print(f"ngspice,{nodes},{method} {relative:g} {longest:g},{error:.2g},{time:.3f},{ours / time if ours else float('nan'):.2f}", flush=True)


if __name__ == "__main__":
    main()
