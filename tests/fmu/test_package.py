"""What is in FMUs beside the library: terminals, picture, names, and dependencies that are tried by perturbation.

usage: test_package.py PROGRAM SOURCE_FOLDER
"""
import copy
import os
import sys
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from folder import SOURCE, Folder
from importer import STRUCTURED, Instance, check, check_terminals, put


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
