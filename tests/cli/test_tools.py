"""tenon doctor and tenon completion: what they print is complete, and shells take it.

usage: test_tools.py PROGRAM [unittest options]
"""
import json
import os
import shutil
import subprocess
import sys
import unittest

PROGRAM = ""
OK, USAGE = 0, 2


def tenon(*words, status=OK, **how):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, **how)
    assert done.returncode == status, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Doctor(unittest.TestCase):
    def test_all_that_a_report_needs(self):
        told = json.loads(tenon("doctor", "--json"))
        self.assertEqual(told["program"]["version"], json.loads(tenon("version", "--json"))["version"])
        self.assertEqual(set(told["features"]), set(json.loads(tenon("version", "--json"))["features"]))
        self.assertTrue(any(name.startswith("libyaml") for name in told["libraries"]))
        for group, name in (("machine", "processors"), ("machine", "memory"), ("limits", "open files"), ("program", "compiler")):
            self.assertTrue(told[group][name])
        self.assertTrue(told["ok"])
        self.assertTrue(tenon("doctor").rstrip().endswith("nothing is wrong"))

    def test_what_is_wrong_is_told(self):
        where = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_STATE_HOME")}
        self.assertIn("/tmp", tenon("doctor", status=3, env=where))


class Completion(unittest.TestCase):
    def setUp(self):
        self.commands = json.loads(tenon("help", "--json"))["commands"]

    def test_every_command_and_option(self):
        for shell, option in (("bash", "{0}"), ("zsh", "'{0}["), ("fish", "-l {1}")):
            script = tenon("completion", shell)
            for command in self.commands:
                self.assertIn(command["name"], script)
                for o in command["options"]:
                    words = option.format(o["name"], o["name"][2:])
                    self.assertTrue(words in script or "*" + words in script or words.replace("'", "'*", 1) in script,
                                    (shell, command["name"], o["name"]))

    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = 'source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, PROGRAM, *words], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete("tenon", "kin"), ["kinematics"])
        self.assertEqual(set(self.complete("tenon", "")), {command["name"] for command in self.commands})
        self.assertIn("--integrator", self.complete("tenon", "run", "--i"))
        self.assertNotIn("--integrator", self.complete("tenon", "plot", "--"))
        self.assertEqual(self.complete("tenon", "nonsense", "--"), [])
        self.assertIn("/usr", self.complete("tenon", "run", "/us"))

    def test_other_shells_take_their_scripts(self):
        for shell, words in (("zsh", ["-n"]), ("fish", ["--no-execute"])):
            if shutil.which(shell):
                subprocess.run([shell, *words], input=tenon("completion", shell), text=True, check=True)

    def test_unknown_shell(self):
        tenon("completion", "tcsh", status=USAGE)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
