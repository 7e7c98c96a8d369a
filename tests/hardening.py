"""The program and the library of compiled components are built with the protection of compiler and linker.

    hardening.py [--in-build] FILE...

In the folder of a build the program finds its libraries by a path of that build; an installed one must not.
"""
import platform
import re
import subprocess
import sys

ENDBR64 = b"\xf3\x0f\x1e\xfa"


def readelf(path, *words):
    return subprocess.run(["readelf", "-W", *words, path], check=True, capture_output=True, text=True).stdout


def faults(path, in_build):
    """What is missing, in words."""
    head, program = readelf(path, "-h"), readelf(path, "-l")
    dynamic, symbols = readelf(path, "-d"), readelf(path, "--dyn-syms")
    segments = re.findall(r"^\s+(\w+)\s+(?:0x\w+\s+){5}([RWE ]{3})", program, re.M)
    flags = dict(segments)
    if not re.search(r"Type:\s+DYN", head):
        yield "not position independent"
    if "INTERP" in flags and not re.search(r"FLAGS_1.*\bPIE\b", dynamic):
        yield "not a position independent executable"
    if "GNU_RELRO" not in flags:
        yield "relocations stay writable (no RELRO)"
    if not re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic):
        yield "symbols are bound lazily (no BIND_NOW)"
    if "E" in flags.get("GNU_STACK", "E"):
        yield "the stack is executable"
    if any("W" in rights and "E" in rights for _, rights in segments):
        yield "a segment is writable and executable"
    if not in_build and re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        yield "libraries are searched in a folder of the build (RPATH)"
    if "__stack_chk_fail" not in symbols:
        yield "no stack canaries"
    if not re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")):
        yield "no checked functions (FORTIFY)"
    if platform.machine() == "x86_64":
        with open(path, "rb") as file:
            if file.read().count(ENDBR64) < 100:
                yield "no indirect branch targets (CET)"


def main():
    in_build, paths = "--in-build" in sys.argv, [word for word in sys.argv[1:] if word != "--in-build"]
    found = [f"{path}: {fault}" for path in paths for fault in faults(path, in_build)]
    print("\n".join(found) if found else f"{len(paths)} files are hardened")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
