"""Events from outside: what tenon run tells about them, and how they end runs.

usage: test_events.py PROGRAM [unittest options]
"""
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
OK, MODEL, STEP = 0, 1, 5
BALL = """\
tenon: 1
name: Ball
dimension: 2
gravity: [0, -9.81]
bodies: { ball: { type: particle, mass: 1 kg, position: [0, 1 m], velocity: [1, 5] } }
outputs: [ball.position, apex.count, apex.time]
solve: { until: 3, record: 0.5 }
events:
  apex: { when: ball.velocity.y, do: { log: "{ball.position.y} high" } }
  graze: { when: ball.position.y - 1 m - 12.5 / 9.81 }
"""
LAND = "  land: { when: ball.position.y, crosses: down, do: [ { log: landed }, stop ] }\n"
APEX, LANDING = 5 / 9.81, (5 + math.sqrt(25 + 2 * 9.81)) / 9.81
CHAIN = """\
tenon: 1
dimension: 2
bodies: { dot: { type: particle, mass: 1 } }
states: { z: { rate: '-1 / (1 s - t)' } }
events:
  ring: { when: sin(20 * z) }
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tenon(self, text, *words, status=OK):
        (self.folder / "m.yaml").write_text(text)
        done = subprocess.run([PROGRAM, words[0], "m.yaml", *words[1:]], capture_output=True, text=True,
                              cwd=self.folder, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def test_summary(self):
        done = self.tenon(BALL + LAND, "run")
        self.assertRegex(done.stderr, r"(?m)^event +0\.50968399\d* +apex down$")
        self.assertRegex(done.stderr, r"(?m)^event +0\.50968399\d* +graze touch$")
        self.assertRegex(done.stderr, r"(?m)^event +1\.1906035\d* +land down$")
        self.assertRegex(done.stderr, r"(?m)^log +0\.50968399\d* +apex: 2\.27420999 m high$")
        self.assertRegex(done.stderr, r"(?m)^stopped +by event 'land' at t = 1\.1906035\d* s$")
        rows = [line.split(",") for line in done.stdout.splitlines()]
        self.assertEqual([row[0] for row in rows[1:]], ["0", "0.5", "1"])
        self.assertEqual([row[3] for row in rows], ["apex.count", "0", "0", "1"])
        self.assertEqual([row[4] for row in rows[:3]], ["apex.time [s]", "nan", "nan"])
        self.assertAlmostEqual(float(rows[3][4]), APEX, delta=1e-12)

    def test_quiet(self):
        self.assertEqual(self.tenon(BALL + LAND, "run", "--quiet").stderr, "")

    def test_json(self):
        answer = json.loads(self.tenon(BALL + LAND, "run", "--json").stdout)
        self.assertEqual(answer["end"], "stopped")
        self.assertEqual(answer["summary"]["stopped_by"], "land")
        self.assertEqual(answer["summary"]["events"], 3)
        self.assertEqual([(e["event"], e["kind"]) for e in answer["events"]],
                         [("apex", "down"), ("graze", "touch"), ("land", "down")])
        for event, time in zip(answer["events"], (APEX, APEX, LANDING)):
            self.assertAlmostEqual(event["time"], time, delta=1e-12)
        self.assertEqual([(e["event"], e["text"]) for e in answer["log"]],
                         [("apex", "2.27420999 m high"), ("land", "landed")])

    def test_run_to_the_end(self):
        answer = json.loads(self.tenon(BALL, "run", "--json").stdout)
        self.assertEqual(answer["end"], "complete")
        self.assertNotIn("stopped_by", answer["summary"])
        self.assertEqual(answer["summary"]["time"], 3)

    def test_many_are_cut(self):
        text = BALL.replace("record: 0.5", "record: 0.5, max_step: 1 ms") + "  tick: { when: sin(200 * t) }\n"
        ticks = math.floor(3 * 200 / math.pi)
        self.assertRegex(self.tenon(text, "run").stderr,
                         rf"(?m)^events +{ticks + 2 - 40} more; --json lists {ticks + 2}$")

    def test_chain_without_end_saves_the_state(self):
        done = self.tenon(CHAIN, "run", status=STEP)
        self.assertIn("m.yaml:6:3: error: event 'ring' fires without end at t = 0.9999", done.stderr)
        self.assertTrue((self.folder / "m.state.yaml").exists())

    def test_check_finds_mistakes(self):
        text = BALL.replace("ball.velocity.y", "ball.velocty.y") + LAND.replace("stop", "{ reset: aepx }")
        done = self.tenon(text, "check", status=MODEL)
        self.assertRegex(done.stderr, r"(?m)^m\.yaml:9:17: error: .*ball\.velocty\.y")
        self.assertRegex(done.stderr, r"(?m)^m\.yaml:11:.*there is no event 'aepx'; did you mean 'apex'\?")

    def test_format_keeps_actions(self):
        done = self.tenon("events:\n  land: { do: [stop, {log: 'a {t}'}], when: ball.position.y }\ntenon: 1\n",
                          "format")
        self.assertEqual(done.stdout, "tenon: 1\n\nevents:\n"
                                      "  land: { when: ball.position.y, do: [ stop, { log: 'a {t}' } ] }\n")


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
