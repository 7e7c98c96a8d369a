"""What is in FMUs beside the library: terminals, picture, names, sources that are compiled, and dependencies that are tried by
perturbation.

usage: test_package.py PROGRAM SOURCE_FOLDER
"""
import copy
import ctypes
import os
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from folder import SOURCE, Folder
from importer import STRUCTURED, Instance, check, check_terminals, put, simulate


def read_picture(data):
    """Width, height and rows of a PNG of 8 bits and three colours; every sum is checked."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        size, name = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + size]
        assert int.from_bytes(data[at + 8 + size:at + 12 + size], "big") == zlib.crc32(name + body)
        chunks[name] = body
        at += 12 + size
    width, height = (int.from_bytes(chunks[b"IHDR"][k:k + 4], "big") for k in (0, 4))
    assert chunks[b"IHDR"][8:] == bytes([8, 2, 0, 0, 0]) and chunks[b"IEND"] == b""
    rows = zlib.decompress(chunks[b"IDAT"])
    assert len(rows) == height * (1 + 3 * width)
    return width, height, rows


class Package(Folder):
    def files(self, fmu):
        found = {}
        for folder, _, names in os.walk(fmu.folder):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(os.path.join(folder, name), fmu.folder)] = file.read()
        return found

    def test_pictures(self):
        for version, place in ((2, "model.png"), (3, "terminalsAndIcons/icon.png")):
            width, height, rows = read_picture(self.files(self.fmus[version])[place])
            self.assertEqual((width, height), (128, 128))
            pixels = [rows[k:k + 3] for y in range(height) for k in range(y * 385 + 1, (y + 1) * 385, 3)]
            dark = sum(p != b"\xff\xff\xff" for p in pixels)
            self.assertTrue(50 < dark < 4000)           # a line with a pin at its end
        empty = os.path.join(self.folder, "empty.yaml")
        with open(empty, "w") as file:
            file.write("tenon: 1\ninputs: { u: { unit: m } }\noutputs: [y: 2 * u]\n")
        read_picture(self.files(self.export(empty, name="empty"))["model.png"])

    def test_terminals(self):
        fmu = self.fmus[3]
        files = self.files(fmu)
        text = files["terminalsAndIcons/terminalsAndIcons.xml"].decode()
        self.assertEqual(check_terminals(fmu.root, text, files), [])
        self.assertIn('<Terminal name="pivot" matchingRule="bus">', text)
        self.assertIn('variableName="arm.tip.acceleration.y" memberName="acceleration.y"', text)
        for old, new in (('memberName="acceleration.y"', ""), ("pivot.angle", "pivot.angel"), ('"3.0"', '"2.0"'),
                         ('"signal"', '"noise"'), ('name="pivot"', 'name="arm.tip"')):
            self.assertNotEqual(check_terminals(fmu.root, text.replace(old, new), files), [], old)
        self.assertNotEqual(check_terminals(fmu.root, text, {}), [])

    def test_names(self):
        for name in ("a", "a.b", "a[1].b[2,3]", "der(a.b)", "der(x[1],2)", "'pin-a'.angle", "'a\\'b'", "_x1"):
            self.assertTrue(STRUCTURED.fullmatch(name), name)
        for name in ("", "1a", "a..b", "a.", "a[]", "a[x]", "der(a", "pin-a", "'a", "a b", "a[1]b", "\u00e4"):
            self.assertFalse(STRUCTURED.fullmatch(name), name)
        root = copy.deepcopy(self.fmus[3].root)
        root.set("variableNamingConvention", "structured")
        self.assertEqual(check(root), [])
        root.find("ModelVariables")[1].set("name", "a b")
        self.assertNotEqual(check(root), [])

    def test_lists_of_sources(self):
        """Every C file is listed, includes lead to files that are there, and nothing but system headers is beyond the folder."""
        for version in (2, 3):
            fmu = self.export(self.model, "--fmi", str(version), "--sources", name="listed")
            self.assertEqual(check(fmu.root), [])
            found = {n[8:]: data.decode() for n, data in self.files(fmu).items() if n.startswith("sources/")}
            if version == 2:
                lists = [[f.get("name") for f in kind.find("SourceFiles")] for kind in (fmu.root.find("CoSimulation"),
                                                                                       fmu.root.find("ModelExchange"))]
            else:
                build = ElementTree.fromstring(found["buildDescription.xml"])
                self.assertEqual(build.find("BuildConfiguration").get("modelIdentifier"), fmu.identifier)
                lists = [[f.get("name") for f in build.iter("SourceFile")]]
            for names in lists:
                self.assertEqual(sorted(names), sorted(n for n in found if n.endswith(".c")))
            for name, text in found.items():
                for included in re.findall(r'^#include "(.*)"', text, re.M):
                    self.assertIn(os.path.normpath(os.path.join(os.path.dirname(name), included)), found, name)
                self.assertNotIn("#include <tenon/", text)
            self.assertNotIn("define TENON_HAS_SUNDIALS", found["fmu_settings.h"])
            fmu.close()
        stiff = os.path.join(self.folder, "stiff.yaml")
        with open(self.model) as model, open(stiff, "w") as file:
            file.write(model.read().replace("solve: {", "solve: { integrator: cvode,"))
        fmu = self.export(stiff, "--fmi", "3", "--sources", name="stiff")
        self.assertIn(b"define TENON_HAS_SUNDIALS", self.files(fmu)["sources/fmu_settings.h"])
        self.assertIn(b'name="sundials_cvode"', self.files(fmu)["sources/buildDescription.xml"])
        fmu.close()

    def test_sources(self):
        """The compiled sources do the same as the library, to the bit, and show nothing but the functions of the standards."""
        fmu = self.export(self.model, "--fmi", "3", "--sources", name="sources")
        expected = simulate(fmu, fmu.outputs, 0.5, 0.05)
        os.remove(fmu.path)
        subprocess.run(["make", "-j2", "CFLAGS=-O0 -w", "-s"], cwd=os.path.join(fmu.folder, "sources"), check=True)
        fmu.library = ctypes.CDLL(fmu.path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        self.assertEqual(simulate(fmu, fmu.outputs, 0.5, 0.05), expected)
        symbols = subprocess.run(["nm", "-D", "--defined-only", fmu.path], capture_output=True, text=True, check=True).stdout.split()[2::3]
        self.assertEqual((len(symbols), {s[:4] for s in symbols}), (119, {"fmi2", "fmi3"}))
        for version, prefix in ((2, "fmu_fmi2.c"), (3, "fmu_fmi3.c")):          # for programs that link several FMUs statically
            done = subprocess.run(["cc", "-E", "-P", f"-DFMI{version}_FUNCTION_PREFIX=one_", prefix], capture_output=True, text=True,
                                  cwd=os.path.join(fmu.folder, "sources"), check=True)
            self.assertRegex(done.stdout, rf"one_fmi{version}DoStep\(")
            self.assertNotRegex(done.stdout, rf"\bfmi{version}DoStep\(")
        fmu.close()

    def depends(self, fmu):
        """Names of unknowns -> names of their dependencies."""
        names = {str(r): n for n, r in fmu.references.items()}
        unknowns = fmu.root.findall("ModelStructure/Output") + fmu.root.findall("ModelStructure/ContinuousStateDerivative")
        return {names[u.get("valueReference")]: {names[d] for d in u.get("dependencies").split()} for u in unknowns}

    def test_dependencies(self):
        """Whatever changes with an input or state is listed as dependent on it."""
        models = [self.model] + [os.path.join(SOURCE, "examples", n + ".yaml") for n in ("four-bar", "quarter-car")]
        for model in models:
            fmu = self.export(model, "--fmi", "3", "--kind", "me", name="d")
            depends, i = self.depends(fmu), Instance(fmu, exchange=True)
            i.initialize()
            i.update()
            i.must("EnterContinuousTimeMode")
            unknowns, x = list(depends), i.vector("GetContinuousStates")
            states = [n for n in fmu.variables if n.startswith("state[")]
            inputs = [n for n, v in fmu.variables.items() if v.get("causality") == "input"]
            before = i.get(unknowns)
            for k, known in enumerate(states + inputs):
                if k < len(states):
                    put(i, 0.0, [v + (1e-3 if n == k else 0) for n, v in enumerate(x)])
                else:
                    put(i, 0.0, x)
                    i.set(**{known: i.get([known])[0] + 0.1})
                for name, old, new in zip(unknowns, before, i.get(unknowns)):
                    if abs(new - old) > 1e-7 * max(1, abs(old)):
                        self.assertIn(known, depends[name], f"{model}: {name}")
                if k >= len(states):
                    i.set(**{known: i.get([known])[0] - 0.1})
            i.free()
            fmu.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
