"""Functions of a layer call only functions of layers above it in src/layers.txt.

    calls.py ROOT BUILD NM

Includes are checked by layers.py; a function that is declared above and defined below would pass there. Tables of joints
and forces are the exception: the model finds types by name in them. No function waits by the clock on the wall, which jumps.
No function takes elementary functions from the C library, whose last bits depend on the processor (base/elementary.h), but
those that define ours and the importers, whose result is a text.
"""
import subprocess
import sys
from pathlib import Path

WALL_CLOCK = {"gettimeofday", "sem_timedwait", "pthread_mutex_timedlock", "mq_timedreceive"}
ELEMENTARY = {"sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10",
              "pow", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "hypot", "cbrt"}
MAY_CALL_ELEMENTARY = ("base/exponential.c", "base/trigonometric.c", "import/")
TABLES = {"tn_joint_types", "tn_force_types", "tn_device_families", "tn_domains"}


def layers(root):
    lines = (root / "src" / "layers.txt").read_text().splitlines()
    return [line.split("|")[0].strip() for line in lines if "|" in line and not line.startswith("#")]


def symbols(nm, paths):
    """For each object file the names that it defines, and the names that it needs."""
    found = {str(path): (set(), set()) for path in paths}
    listing = subprocess.run([nm, "-A", *found], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        path, _, rest = line.partition(":")
        fields = rest.split()
        if len(fields) == 3 and fields[1] in "TDRB":
            found[path][0].add(fields[2])
        elif len(fields) == 2 and fields[0] == "U":
            found[path][1].add(fields[1])
    return found


def main():
    root, build, nm = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    order = {name: place for place, name in enumerate(layers(root))}
    objects = {path: f"{path.parent.name}/{path.name[:-2]}" for path in build.glob("src/CMakeFiles/tn_*.dir/*/*.c.o")}
    objects = {path: source for path, source in objects.items()                # objects of removed files stay behind
               if path.parent.name in order and (root / "src" / source).is_file()}
    if not objects:
        print(f"no object files under {build}")
        return 1
    files, owner = {}, {}
    for path, (defined, needed) in symbols(nm, objects).items():
        files[objects[Path(path)]] = needed
        owner.update({name: objects[Path(path)] for name in defined})
    problems = [f"{file} calls {name} of {owner[name]}, a later layer"
                for file, needed in sorted(files.items()) for name in sorted(needed - TABLES)
                if name in owner and order[owner[name].split("/")[0]] > order[file.split("/")[0]]]
    problems += [f"{file} calls {name}: waiting depends on the clock on the wall; take CLOCK_MONOTONIC"
                 for file, needed in sorted(files.items()) for name in sorted(needed & WALL_CLOCK)]
    problems += [f"{file} calls {name} of the C library: take ours of base/elementary.h"
                 for file, needed in sorted(files.items()) for name in sorted(needed & ELEMENTARY)
                 if not file.startswith(MAY_CALL_ELEMENTARY)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
