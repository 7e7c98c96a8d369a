#!/usr/bin/env python3
"""A mutation sample: small faults, one at a time, in the numerical folders; counts those that the tests notice.

usage: mutate.py [--count N] [--seed S] [--folder NAME ...] [--only FILE:LINE] [--near] [--list]

Works on a copy of the sources in build/mutation. Faults with which the library does not compile do not count. A fault is
noticed when a unit test or validation model fails, crashes or takes more than CPU_LIMIT seconds of processor time. Tests that are near to
the file run first; with --near they and the validation models are all, which gives a lower bound. Exit status 1: fewer than
90 % were noticed.
"""
import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

FOLDERS = ["math", "solve", "system", "step", "nonsmooth", "analysis"]
COPY = Path("build/mutation")
CPU_LIMIT = 120                # s of processor time for one test; the slowest needs some 20
THE_COMPILER = "the compiler"
SPARE = 2                      # faults that are drawn for each that is wanted: some do not compile
WANTED = 0.9                   # share of faults that the tests should notice

# Tests that are about a folder; they run before the others.
NEAR = {
    "math": ["dense", "cone", "cone_sparse", "direct", "orientations"],
    "solve": ["direct", "guided_fronts", "cone_sparse", "solvers", "hierarchical", "cluster", "groups", "equivalence"],
    "system": ["conform_joints", "conform_forces", "forces", "derivatives", "force_states", "equivalence", "linearize", "devices",
               "device_delay", "work"],
    "step": ["orders", "schemes", "newmark", "implicit", "equivalence", "turns", "joint_settings", "statics", "trust"],
    "nonsmooth": ["limits", "contact_motion", "contact_laws", "friction_laws", "contact_truth", "ratchets", "contacts", "heaps"],
    "analysis": ["assembly", "start", "statics", "linearize", "modes", "kinematics", "redundancy", "stability", "inverse", "conflict", "drag"],
}

NEAR_CONES = ["cone", "cone_sparse", "contact_motion", "friction_laws", "contact_truth", "heaps"]

# Pattern, replacement, name. A pattern's first group is what is replaced.
OPERATORS = [
    (r"(?<=[\w\])] )(\+)(?= [\w(*&-])", "-", "plus becomes minus"),
    (r"(?<=[\w\])] )(-)(?= [\w(*&])", "+", "minus becomes plus"),
    (r"(?<=[\w\])] )(\*)(?= [\w(-])", "/", "times becomes divided by"),
    (r"(?<=[\w\])] )(/)(?= [\w(-])", "*", "divided by becomes times"),
    (r"(?<=[\w\])] )(\+=)(?= )", "-=", "+= becomes -="),
    (r"(?<=[\w\])] )(-=)(?= )", "+=", "-= becomes +="),
    (r"(?<=[\w\])] )(<)(?= [\w(-])", ">=", "< becomes >="),
    (r"(?<=[\w\])] )(>)(?= [\w(-])", "<=", "> becomes <="),
    (r"(?<=[\w\])] )(==)(?= )", "!=", "== becomes !="),
    (r"(?<=[\w\])] )(!=)(?= )", "==", "!= becomes =="),
    (r"(?<= )(&&)(?= )", "||", "&& becomes ||"),
    (r"(?<= )(\|\|)(?= )", "&&", "|| becomes &&"),
    (r"(?<=[ (=])(-)(?=[a-z]\w*(?:\[|\(|->|;))", "", "a sign is lost"),
    (r"(?<=[ (])(0\.5)(?=[ ;)])", "0.25", "0.5 becomes 0.25"),
    (r"^( +[a-z][\w.>\[\]-]* [+*-]?= [^;{]*;)$", "    ;", "an assignment is lost"),
]
# Lines on which a fault changes words, memory or assertions only.
SKIPPED = re.compile(r'^\s*(#|/\*|\*|//|case |default|static const |enum|typedef|TN_ASSERT|assert)|"|NULL|alloc|sizeof|TN_ERROR|'
                     r"diag|_Static_assert|span|TN_TRY\(tn_\w*(own|grow|reserve)")


def candidates(source, folders):
    """All faults that could be made: (file, line number from 0, new line, name of the fault)."""
    found = []
    for folder in folders:
        for path in sorted((source / "src" / folder).glob("*.c")):
            comment = False
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
                begins = "/*" in line and "*/" not in line.split("/*", 1)[1]
                inside, comment = comment, begins or (comment and "*/" not in line)
                if inside or comment or SKIPPED.search(line) or not line.startswith("    "):
                    continue
                code = line.split("/*")[0].split("//")[0].rstrip()
                for pattern, to, name in OPERATORS:
                    for match in re.finditer(pattern, code):
                        changed = code[:match.start(1)] + to + code[match.end(1):]
                        found.append((path.relative_to(source), number, changed, name))
    return found


def limit_processor():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def make_copy(source):
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True, cwd=source).stdout
    for name in filter(None, listed.split("\0")):
        here, there = source / name, COPY / name
        if here.exists() and not (there.exists() and there.read_bytes() == here.read_bytes()):
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)


def configure():
    subprocess.run(["cmake", "-S", COPY, "-B", COPY / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DTENON_WERROR=ON", "-DTENON_WEB=OFF"],
                   check=True, stdout=subprocess.DEVNULL)


def build(*targets):
    return subprocess.run(["cmake", "--build", COPY / "build", "-j", str(os.cpu_count()), "--target", *targets],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def passes(command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=3600,
                              cwd=COPY / "build", preexec_fn=limit_processor).returncode == 0
    except subprocess.TimeoutExpired:
        return False


class Trials:
    """The tests in the order in which they are tried, and what they say of a fault."""

    def __init__(self, near_only):
        self.near_only = near_only
        text = (COPY / "tests/CMakeLists.txt").read_text(encoding="utf-8")
        self.units = re.findall(r"^tenon_unit_test\((\w+) ", text, re.M)
        self.models = sorted((COPY / "validation").glob("*.yaml"))

    def order(self, path):
        near = [name for name in self.units if path.stem in name or name in path.stem]
        near += NEAR_CONES if path.stem.startswith("cone") else NEAR.get(path.parent.name, [])
        near = [name for name in dict.fromkeys(near) if name in self.units]
        return near, [name for name in self.units if name not in near]

    def unit_fails(self, name):
        return None if build(f"test_{name}") and passes([f"tests/test_{name}"]) else f"unit.{name}"

    def model_fails(self):
        if not build("tenon"):
            return "the build"
        for model in self.models:
            if not passes(["./tenon", "run", model.resolve(), "--quiet", "--output", "/dev/null"]):
                return f"validation.run.{model.stem}"
        return None

    def noticed_by(self, path):
        if not build("tn_" + path.parent.name):
            return THE_COMPILER
        near, far = self.order(path)
        first = next(filter(None, (self.unit_fails(name) for name in near)), None)
        if first or self.near_only:
            return first or self.model_fails()
        return self.model_fails() or next(filter(None, (self.unit_fails(name) for name in far)), None)


def try_fault(trials, fault):
    path, number, changed, _ = fault
    file = COPY / path
    text = file.read_text(encoding="utf-8")
    lines = text.split("\n")
    lines[number] = changed
    try:
        file.write_text("\n".join(lines), encoding="utf-8")
        return trials.noticed_by(path)
    finally:
        file.write_text(text, encoding="utf-8")


def choose(options):
    found = candidates(Path.cwd(), options.folder or FOLDERS)
    if options.only:
        file, line = options.only.rsplit(":", 1)
        return [fault for fault in found if str(fault[0]) == file and fault[1] + 1 == int(line)]
    return random.Random(options.seed).sample(found, min(SPARE * options.count, len(found)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", action="append")
    parser.add_argument("--only", help="FILE:LINE: all faults of that line")
    parser.add_argument("--near", action="store_true", help="only the tests of the folder and the validation models")
    parser.add_argument("--list", action="store_true", help="list the faults and make none")
    options = parser.parse_args()
    os.chdir(Path(__file__).resolve().parents[1])
    faults = choose(options)
    if options.list:
        for path, number, changed, name in faults:
            print(f"{path}:{number + 1}: {name}: {changed.strip()}")
        return 0
    make_copy(Path.cwd())
    configure()
    trials, tried, noticed = Trials(options.near), 0, 0
    for path, number, changed, name in faults:
        if tried == options.count:
            break
        by = try_fault(trials, (path, number, changed, name))
        if by == THE_COMPILER:
            continue
        tried += 1
        noticed += by is not None
        print(f"{'noticed' if by else 'SURVIVES'}  {path}:{number + 1}: {name}: {changed.strip()}"
              + (f"  ({by})" if by else ""), flush=True)
    print(f"{noticed} of {tried} noticed")
    return 0 if noticed >= WANTED * tried else 1


if __name__ == "__main__":
    sys.exit(main())
