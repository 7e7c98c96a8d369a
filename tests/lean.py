#!/usr/bin/env python3
"""A build without some optional features, from outside: it runs models, and says plainly what it lacks.

usage: lean.py PROGRAM [FEATURE...]

FEATURE: HDF5, SUNDIALS, METIS, MPI, studio, import, net, pages: those that this build must lack, and no others may be missing.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
MODEL = str(EXAMPLES / "four-bar.yaml")


class Build:
    def __init__(self, program):
        self.program = str(Path(program).resolve())
        self.failures = []

    def run(self, *words, **environment):
        return subprocess.run([self.program, *words], capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, **environment})

    def expect(self, truth, text, done):
        if not truth:
            self.failures.append(f"{text}: status {done.returncode}\n{done.stdout}{done.stderr}")

    def refuses(self, text, *words, **environment):
        """Ends with an error that says so; not by a signal."""
        done = self.run(*words, **environment)
        self.expect(done.returncode > 0 and text in done.stderr, f"{' '.join(words)} does not say '{text}'", done)

    def accepts(self, *words, **environment):
        done = self.run(*words, **environment)
        self.expect(done.returncode == 0, f"{' '.join(words)} fails", done)
        return done


def check_integrators(build, absent, folder):
    listed = build.accepts("describe").stdout
    for name in ("cvode", "ida"):
        words = ["run", MODEL, "--until=0.1", f"--integrator={name}", f"--output={folder}/{name}.csv"]
        if absent:
            build.refuses(f"this build has no SUNDIALS, which the integrator '{name}' needs", *words)
        else:
            build.accepts(*words)
        if (f" {name} " in listed.replace("\n", " ")) == absent:
            build.failures.append(f"'tenon describe' {'lists' if absent else 'does not list'} {name}")


def check_features(build, absent, folder):
    features = json.loads(build.accepts("version", "--json").stdout)["features"]
    if {name for name, built in features.items() if not built} != absent:
        build.failures.append(f"'tenon version' lists other features than {absent or 'none'} as absent: {features}")
    build.accepts("run", MODEL, "--until=1", f"--output={folder}/a.csv")
    build.accepts("sweep", MODEL, "--help")
    (folder / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    hdf5 = ["run", MODEL, "--until=0.1", f"--output={folder}/b.h5"]
    if "HDF5" in absent:
        build.refuses("this build has no HDF5", *hdf5)
        build.refuses("this build has no HDF5", "plot", f"{folder}/a.h5")
    else:
        build.accepts(*hdf5)
    check_integrators(build, "SUNDIALS" in absent, folder)
    divide = ["partition", MODEL, "--parts=2"]
    if "METIS" in absent:
        build.refuses("this build has no METIS", *divide)
    else:
        build.accepts(*divide)
    if "MPI" in absent:
        two = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
        build.refuses("this build has no MPI", "run", MODEL, "--until=0.1", **two)
    if "studio" in absent:
        build.refuses("this build has no studio", "studio", MODEL, "--port=0", "--no-browser", f"--state={folder}")
    (folder / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    bring = ["import", f"{folder}/r.urdf", "-o", f"{folder}/r"]
    if "import" in absent:
        build.refuses("this build has no libxml2", *bring)
    else:
        build.accepts(*bring)
    offer = ["serve", str(EXAMPLES / "car/suspension.yaml"), "--token=a-token-of-the-test", "--host=127.0.0.1"]
    if "net" in absent:
        build.refuses("this build has no OpenSSL", *offer)
    compiled = f"{folder}/suspension.so"
    build.accepts("compile", str(EXAMPLES / "car/suspension.yaml"), "-o", compiled)
    build.accepts("info", compiled)


def main():
    build = Build(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        check_features(build, set(sys.argv[2:]), Path(name))
    print("\n".join(build.failures) or "ok")
    return 1 if build.failures else 0


if __name__ == "__main__":
    sys.exit(main())
