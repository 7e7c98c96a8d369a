"""Examples of the documents: commands run, their output is as printed, and YAML has keys, types and units that exist.

usage: doc_examples.py PROGRAM SOURCE [FILE.md...]

TENON_DOCS_PYTHON names a Python that finds the package tenon; without it blocks of Python are not run. TENON_DOCS_CC names a C compiler
(cc); blocks of C must compile but for variables that they do not declare.

A block with "$ tenon ..." shows a command and what it prints; one with "tenon ..." only commands. Both run in a folder with the
examples. What needs a network, another program or minutes is left out (LEFT_OUT). Printed lines must come out in their order; numbers
may differ by a part in a hundred (or both be round-off), and lines with times of computation, hashes and paths are not compared.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LEFT_OUT = re.compile(r"""
    tenon\ (studio|serve|COMMAND|stability\ MODEL|replay|animate)\b   # servers, placeholders, large pages
  | tenon\ reproduce(?!\ welch-table-2$|\ cg-counts)                  # tests of their own (cli.reproduce)
  | tenon\ import\ (robot|urdf/robot)\.urdf | --random | --size\ 10000 | before\.csv | report\.svg
  | tenon\ (run|kinematics|statics)\ (over-driven|slider-driven|falling|second-half|four-bar)\.yaml
  | pendulum\.ssp | system/model\.yaml                              # of an export (fmu.import)
  | --script | \*\.yaml | tenon\ export\ | tenon\ compile | validation/ | crane/model\.yaml | --until\ 20 | \ <\ 
""", re.VERBOSE)
VOLATILE = re.compile(r"wall time|state hash|real time|^\s*\.\.\.|/tmp/|tenon: ")
# Messages about names that a fragment does not define, or about what only a whole model has.
ELSEWHERE = re.compile(r"no (body|joint|frame|force|file|table|event|port|parameter|subsystem|group|node|device|contact|channel|medium)\b|"
                       r"unknown (name|function)|cannot read|there is no|is missing|does not assemble|contradicts|a comparison takes|"
                       r"not a finite|overlap|beyond its limit|no state|takes \d+ argument|has no|duplicate key|where .* is expected|"
                       r"needs|named twice|cannot be reached|must be a (map|list)|in a model of|is declared|No such file")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# First keys of blocks that are commands, scripts or values.
NOT_OF_MODELS = {"set", "edits", "add", "remove"}
ROUND_OFF = 1e-9
PART = 0.011


def blocks(text):
    for match in re.finditer(r"(?ms)^```(\w*)\n(.*?)^```", text):
        yield match.group(1), match.group(2), text[:match.start()].count("\n") + 2


def same_line(printed, found):
    a, b = NUMBER.findall(printed), NUMBER.findall(found)
    if NUMBER.sub("#", printed).split() != NUMBER.sub("#", found).split() or len(a) != len(b):
        return False
    pairs = [(float(x), float(y)) for x, y in zip(a, b)]
    return all(abs(x - y) <= PART * max(abs(x), abs(y)) or max(abs(x), abs(y)) < ROUND_OFF for x, y in pairs)


def compare(printed, found):
    """The first printed line that does not come in its turn; None: all do."""
    at = 0
    printed = list(printed)
    while printed:
        line = printed.pop(0)
        if not line.strip() or VOLATILE.search(line):
            continue
        if printed and any(same_line(f"{line} {printed[0]}", one) for one in found[at:]):
            line += " " + printed.pop(0)               # a long line that the page breaks in two
        wanted = re.split(r"\s{2,}#|…|\.\.\.$", line)[0].rstrip()
        while at < len(found) and not same_line(wanted, found[at]) and not (wanted != line.rstrip() and
                                                                            found[at].startswith(wanted)):
            at += 1
        if at == len(found):
            return line
        at += 1
    return None


# Runs the blocks of a page in one namespace; those with ">>> " are compared with what they show, numbers within a part in a hundred.
PYTHON = """
import doctest, re, sys
sys.path.insert(0, {tests!r})
from doc_examples import same_line

class Checker(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        return same_line(want, got) or super().check_output(want, got, flags)

names = {{}}
for where, block in {blocks!r}:
    block = re.sub(r"(?m)^.*\\.sweep\\(.*\\n(array.*\\n)?", "", block)    # a hundred runs
    if ">>> " in block:
        test = doctest.DocTestParser().get_doctest(block, names, where, where, 0)
        if doctest.DocTestRunner(checker=Checker()).run(test, clear_globs=False).failed:
            sys.exit(1)
        continue
    try:
        exec(compile(block, where, "exec"), names)
    except ModuleNotFoundError as absent:              # packages that only an example needs
        if absent.name == "tenon":
            raise
"""
C_HEAD = "".join(f"#include <{name}>\n" for name in ("tenon/tenon.h", "tenon/sys/joint.h", "tenon/sys/component.h", "stdio.h", "string.h",
                                                     "math.h"))
C_BODY = "void f(tn_context *context, tn_model *model, tn_session *session, tn_session *run);\n" \
         "void f(tn_context *context, tn_model *model, tn_session *session, tn_session *run)\n{{\n(void)context, (void)model, (void)session, (void)run;\n{{\n{}\n}}\n}}\n"


class Runner:
    def __init__(self, program, source):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-docs-"))
        for name in ("examples", "validation"):
            (self.folder / name).symlink_to(source / name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/tenon").symlink_to(program)
        self.env = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        for name in ("four-bar", "double-pendulum"):
            (self.folder / f"{name}.yaml").write_text((source / f"examples/{name}.yaml").read_text())
        self.faults, self.commands, self.models = [], 0, 0

    def begin(self):
        """Every page starts without results of the others."""
        for file in self.folder.glob("*.csv"):
            file.unlink()

    def shell(self, command):
        self.commands += 1
        return subprocess.run(command, shell=True, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=60)

    def console(self, where, body):
        lines = body.replace("\\\n", " ").splitlines()
        starts = [k for k, line in enumerate(lines) if re.match(r"\$ ", line)] or None
        if starts is None:
            for line in lines:
                if line.startswith("tenon ") and not LEFT_OUT.search(line):
                    done = self.shell(line.split("  #")[0])
                    if done.returncode != 0:
                        self.faults.append(f"{where}: '{line}' ends with {done.returncode}: {done.stderr[-300:]}")
            return
        for begin, end in zip(starts, starts[1:] + [len(lines)]):
            command = lines[begin][2:].split("  #")[0]
            if not command.startswith("tenon ") or LEFT_OUT.search(command):
                continue
            done = self.shell(command)
            missing = compare(lines[begin + 1:end], (done.stdout + done.stderr).splitlines())
            if missing is not None and compare(lines[begin + 1:end], (done.stderr + done.stdout).splitlines()) is not None:
                self.faults.append(f"{where}: '{command}' does not print\n    {missing}\n  but\n    " +
                                   "\n    ".join((done.stdout + done.stderr).splitlines()[:25]))

    def python(self, page):
        program = os.environ.get("TENON_DOCS_PYTHON")
        if not program or not page:
            return
        code = PYTHON.format(tests=str(Path(__file__).parent.resolve()), blocks=page)
        done = subprocess.run([program, "-c", code], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            self.faults.append(f"{page[0][0]}: {(done.stdout + done.stderr)[-1500:]}")

    def c(self, where, body, include):
        """As a file, or as the body of a function."""
        code = "\n".join(line for line in body.splitlines() if not line.startswith("#include"))
        told = []
        for text in (code, C_BODY.format(code)):
            done = subprocess.run([os.environ.get("TENON_DOCS_CC", "cc"), "-std=c17", "-Werror=implicit-function-declaration", "-fsyntax-only", "-I", str(include), "-x", "c", "-"],
                                  input=C_HEAD + text, capture_output=True, text=True, timeout=60)
            told.append([line for line in done.stderr.splitlines() if "error:" in line and
                         not re.search(r"error: .(?!tn_|TN_)\w+.( undeclared|: undeclared)|undeclared identifier '(?!tn_|TN_)|"
                                       r"implicit.* declar\w+ of function .(?!tn_|TN_)|undeclared function '(?!tn_|TN_)", line)])
        if all(told):
            self.faults.append(f"{where}: {min(told, key=len)[0]}")

    def yaml(self, where, body):
        """Every document of the block by itself; several settings under one key are several documents."""
        keys = re.findall(r"(?m)^(\w+):", body)
        parts = [body]
        if len(keys) != len(set(keys)):
            parts = re.findall(r"(?m)^\w+:.*\n(?:[ \t#].*\n)*", body)
        for part in parts:
            first = re.match(r"(?m)\A(?:#.*\n)*(\w+):", part)
            if first is None or first.group(1) in NOT_OF_MODELS:
                continue
            if first.group(1) == "shapes":             # of a body
                part = "bodies:\n  body:\n" + re.sub("(?m)^", "    ", part).rstrip(" ")
            self.models += 1
            text = part if re.search(r"(?m)^tenon:", part) else "tenon: 1\n" + part
            if re.search(r"(?m)^dimension:", text) is None and re.search(r"\[\s*[-\w. /*]+,\s*[-\w. /*]+\s*\]", text):
                tries = [text, text.replace("tenon: 1\n", "tenon: 1\ndimension: 2\n", 1)]
            else:
                tries = [text]
            told = []
            for one in tries:
                (self.folder / "block.yaml").write_text(one)
                done = self.shell("tenon check block.yaml")
                told.append([line for line in (done.stderr + done.stdout).splitlines() if "error:" in line and
                             not ELSEWHERE.search(line)])
            if all(told):
                self.faults.append(f"{where}: {min(told, key=len)[0]}")


def main():
    program, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    files = [Path(f) for f in sys.argv[3:]] or [source / "README.md", *sorted((source / "docs").glob("*.md"))]
    runner = Runner(program, source)
    for file in files:
        runner.begin()
        runner.python([(f"{file.name}:{line}", body) for language, body, line in blocks(file.read_text()) if language == "python"])
        for language, body, line in blocks(file.read_text()):
            where = f"{file.name}:{line}"
            if language == "c":
                runner.c(where, body, source / "include")
            elif language == "yaml":
                runner.yaml(where, body)
            elif language == "":
                runner.console(where, body)
    print("\n".join(runner.faults))
    print(f"{runner.commands} commands, {runner.models} blocks of YAML, {len(runner.faults)} faults")
    subprocess.run(["rm", "-r", str(runner.folder)], check=True)
    return 1 if runner.faults else 0


if __name__ == "__main__":
    sys.exit(main())
