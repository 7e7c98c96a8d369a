#!/usr/bin/env python3
"""Follows the recipes of CONTRIBUTING.md: one addition of each kind to a copy of the sources, and then tries each.

usage: recipes.py copy SOURCE FOLDER     a copy of the sources with the additions
       recipes.py try PROGRAM SOURCE     tries them with the program that was built from the copy
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

GALLERY_MODEL = "examples/recipe-swing.yaml"

# Recipe -> file that is new -> its text.
NEW_FILES = {
    "joint": {"src/joints/recipe_bead.c": """\
/* Recipe bead: N stays in the plane through M across x1.
 *     d . x1 = 0 */
#include "tenon/sys/joint.h"

const tn_joint_type tn_joint_recipe_bead = {
    .name = "recipe-bead",
    .doc = "A point of body 2 stays in a plane of body 1.",
    .spatial = { .equations = { "d . x1" }, .coordinates = { { "position", "m", "d . z1" } } },
    .planar_axis = TN_AXIS_NONE,
    .spatial_axis = TN_AXIS_Z,
    .glyph = "bead",
};
"""},
    "force": {"src/forces/recipe_push.c": """\
/* Recipe push: a force along y1 on body 2. */
#include "tenon/sys/force.h"

const tn_force_type tn_force_recipe_push = {
    .name = "recipe-push",
    .doc = "A constant force along y1.",
    .parameters = { { "strength", "N", "the force", 0.0, NULL } },
    .force = "strength * y1",
};
"""},
    "device": {"src/devices/recipe_family.c": """\
/* Recipe family: a link of two thermal nodes. */
#include "tenon/sys/device.h"

static const tn_force_type recipe_link = {
    .name = "recipe-link",
    .doc = "h = rate (Ta - Tb).",
    .place = TN_PLACE_NONE,
    .parameters = { { "rate", "W/K", "heat flow per difference of temperature", 1.0, NULL } },
    .channels = { { "h", "W", "rate * (a.temperature - b.temperature)" } },
    .device = &(const tn_device){
        .family = "recipe", .ports = { { "a", "thermal", "", false, 0 }, { "b", "thermal", "", false, 0 } },
        .flows = { { "a", "heat", "h" }, { "b", "heat", "-(h)" } },
    },
};

const tn_force_type *const tn_devices_recipe_family[] = { &recipe_link, NULL };
"""},
    "integrator": {"src/step/recipe_ralston.c": """\
/* Integrator "recipe-ralston": Ralston's method of order 2. */
#include "runge_kutta.h"

static const double a[] = { 0, 0, 2.0 / 3, 0 };
static const double b[] = { 0.25, 0.75 };
static const double c[] = { 0, 2.0 / 3 };

static int step_recipe_ralston(tn_stepper *stepper, tn_step *s)
{
    return tn_runge_kutta(stepper, s, &(tn_butcher){ 2, a, b, c });
}

const tn_integrator_type tn_integrator_recipe_ralston = {
    .name = "recipe-ralston",
    .doc = "Ralston, order 2, fixed step.",
    .order = 2,
    .vectors = 3,
    .step = step_recipe_ralston,
};
"""},
    "command": {"cli/recipe.c": """\
/* The command "recipe". */
#include "command.h"

#include <stdio.h>

static int run_recipe(tn_context *context, const tn_arguments *arguments)
{
    (void)context;
    (void)arguments;
    puts("cooked");
    return TN_EXIT_OK;
}

const tn_command tn_command_recipe = {
    .name = "recipe",
    .summary = "Print one word.",
    .operands = "",
    .run = run_recipe,
};
"""},
    "panel": {"web/src/studio/panels/Recipe.svelte": """\
<script lang="ts">
  import { session } from '../session.svelte'
</script>

<p>It is {session.time} s.</p>
"""},
    "channel": {},
    "attribute": {},
    "model of the gallery": {GALLERY_MODEL: """\
# Recipe swing: a rod on a pin, let go from the horizontal.
# Shows that a model of the gallery is one file and one picture.
tenon: 1
name: Recipe swing
dimension: 2
gravity: [0, -9.81]

bodies:
  rod:
    shapes: [ { rod: { from: [0, 0], to: [0.5, 0], radius: 5 mm }, mass: 1 kg } ]

joints:
  pin: { type: revolute, between: [ground, rod], at: [0, 0] }

outputs: [pin.angle]

solve: { until: 0.5, step: 1 ms }
expect: { energy: 1e-6, drift: 1e-9 }
"""},
}
# Recipe -> (picture that is there, picture that is new); web/pictures.mjs draws them, here one is borrowed.
PICTURES = {
    "model of the gallery": ("web/src/studio/pictures/four-bar.webp", "web/src/studio/pictures/recipe-swing.webp"),
}

# Recipe -> (file, text that is there, what it becomes): the lines in lists.
LINES = {
    "joint": [("src/joints/list.h", "TN_JOINT(revolute)\n", "TN_JOINT(revolute)\nTN_JOINT(recipe_bead)\n")],
    "force": [("src/forces/list.h", "TN_FORCE(drag)\n", "TN_FORCE(drag)\nTN_FORCE(recipe_push)\n")],
    "device": [("src/devices/list.h", "TN_DEVICES(thermal)\n", "TN_DEVICES(thermal)\nTN_DEVICES(recipe_family)\n")],
    "integrator": [("src/step/list.h", "TN_INTEGRATOR(rk4)\n", "TN_INTEGRATOR(rk4)\nTN_INTEGRATOR(recipe_ralston)\n")],
    "command": [("cli/list.h", "TN_COMMAND(version)\n", "TN_COMMAND(version)\nTN_COMMAND(recipe)\n")],
    "panel": [("web/src/studio/panels/dock.ts", "export const docked: DockPanel[] = [\n",
               "export const docked: DockPanel[] = [\n"
               "  { id: 'recipe', title: 'Recipe', icon: 'list', load: () => import('./Recipe.svelte') },\n")],
    "channel": [("src/channels/channel_table.c", "static double work_done(",
                 "static double twice_kinetic(tn_session *s, const tn_probe *p)\n{\n    (void)p;\n"
                 "    return 2 * energy_now(s).kinetic;\n}\n\nstatic double work_done("),
                ("src/channels/channel_table.c", "    { TN_OF_EVENT, \"count\"",
                 "    { TN_OF_MODEL, \"energy.recipe\", \"J\", NULL, NUMBER, DYNAMICS, twice_kinetic, \"twice the kinetic energy\", 0 },\n"
                 "    { TN_OF_EVENT, \"count\"")],
    "attribute": [("include/tenon/model.h", "    double friction;           /* Coulomb's coefficient",
                   "    double recipe;\n    double friction;           /* Coulomb's coefficient"),
                  ("src/model/attributes.h", "    NUMBER(friction, \"\", TN_NOT_NEGATIVE, INFINITY, 0, \"Coefficient",
                   "    NUMBER(recipe, \"m\", TN_NOT_NEGATIVE, 3, 1, \"A length. Default: 1 m.\") \\\n"
                   "    NUMBER(friction, \"\", TN_NOT_NEGATIVE, INFINITY, 0, \"Coefficient")],
}

MODEL = """\
tenon: 1
name: recipes
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ball:
    shapes: [{ sphere: { radius: 0.1 }, mass: 1 }]
    position: [0, 0, 1]
  floor_plate:
    shapes: [{ box: { size: [1, 1, 0.1] }, mass: 1 }]
    position: [0, 0, -2]
joints:
  bead: { type: recipe-bead, between: [ground, ball], axis: z }
  hold: { type: fixed, between: [ground, floor_plate], at: [0, 0, -2] }
forces:
  push: { type: recipe-push, between: [ground, ball], strength: 2 N }
devices:
  hot: { type: temperature-source, at: { a: warm }, value: 400 K }
  cold: { type: temperature-source, at: { a: cool }, value: 300 K }
  link: { type: recipe-link, at: { a: warm, b: cool }, rate: 0.5 W/K }
contacts:
  touch: { between: [ball, floor_plate], recipe: 200 cm }
outputs: [link.h, energy.recipe, energy.kinetic, ball.position.y, ball.position.z]
solve: { integrator: recipe-ralston, step: 1 ms, until: 0.5 }
"""


def make_copy(source, folder):
    """What git knows of, with its present content; the packages of the page are linked."""
    os.makedirs(folder, exist_ok=True)
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        here, there = os.path.join(source, name), os.path.join(folder, name)
        if not os.path.exists(here):
            continue
        os.makedirs(os.path.dirname(there), exist_ok=True)
        if not os.path.exists(there) or open(here, "rb").read() != open(there, "rb").read():
            shutil.copy(here, there)
    for name, text in ((n, t) for files in NEW_FILES.values() for n, t in files.items()):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    for old, new in PICTURES.values():
        shutil.copy(os.path.join(folder, old), os.path.join(folder, new))
    for recipe, lines in LINES.items():
        if len(NEW_FILES[recipe]) + len({name for name, _, _ in lines}) > 2:
            sys.exit(f"the recipe for a {recipe} touches more than two files")
        for name, old, new in lines:
            path = os.path.join(folder, name)
            text = open(path, encoding="utf-8").read()
            if text.count(old) != 1:
                sys.exit(f"{name} has {text.count(old)} places like {old!r}: the recipe for a {recipe} no longer holds")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))


def check(condition, what):
    if not condition:
        sys.exit(f"recipes: {what}")


def run(program, *arguments, status=0):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    check(done.returncode == status, f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def try_engine(program, folder):
    model = os.path.join(folder, "model.yaml")
    with open(model, "w", encoding="utf-8") as file:
        file.write(MODEL)
    for name in ("recipe-bead", "recipe-push", "recipe-link", "recipe-ralston"):
        check(name in run(program, "describe", name), f"describe does not know {name}")
    check(run(program, "recipe") == "cooked\n", "the new command does not run")
    check("recipe" in run(program, "help"), "help does not list the new command")
    check("energy.recipe" in run(program, "describe", "channels"), "the new channel is not listed")
    check('"recipe"' in run(program, "schema"), "the schema lacks the new attribute")
    result = os.path.join(folder, "result.csv")
    run(program, "run", model, "--output", result)
    last = open(result, encoding="utf-8").read().split()[-1].split(",")
    heat, twice, kinetic, y, z = (float(value) for value in last[-5:])
    check(abs(heat - 50) < 1e-9, f"the new device passes {heat} W")
    check(abs(twice - 2 * kinetic) < 1e-9 * twice, "the new channel is wrong")
    check(abs(y - 2 * 0.125) < 1e-9 and abs(z - (1 - 9.81 * 0.125)) < 1e-9, f"the motion is wrong: {y}, {z}")
    contact = json.loads(run(program, "info", model, "--json"))["contacts"][0]
    check(contact["recipe"] == 2.0, f"the new attribute is read as {contact}")
    for wrong, told in (("5 m", "between 0 and 3"), ("2 kg", "kg")):
        bad = os.path.join(folder, "bad.yaml")
        with open(bad, "w", encoding="utf-8") as file:
            file.write(MODEL.replace("200 cm", wrong))
        check(told in run(program, "check", bad, status=1), f"a recipe of {wrong} is not refused")


def try_gallery(program, source):
    """A model of the gallery: in normal form, checked, and with a motion that keeps what it promises."""
    model = os.path.join(source, GALLERY_MODEL)
    run(program, "format", "--check", model)
    run(program, "check", model)
    told = run(program, "run", model, "--output", os.devnull)
    check(len(re.findall(r"^expect .*: ok$", told, re.M)) == 2, f"the run does not say that both expectations are met: {told}")


def try_page(source):
    output = os.path.abspath(os.path.join(source, "build/page"))
    packages = os.path.join(source, "web/node_modules")
    if not os.path.exists(packages):
        os.symlink(os.path.abspath("web/node_modules"), packages)
    subprocess.run(["node", "build.mjs", "studio", output], cwd=os.path.join(source, "web"), check=True,
                   stdout=subprocess.DEVNULL)
    listed = open(os.path.join(output, "manifest.txt"), encoding="utf-8").read()
    check(re.search(r"assets/Recipe-", listed), "the new panel is not in the page")
    picture = os.path.join(source, "web/src/studio/pictures/recipe-swing.webp")    # small ones are inside the page's scripts
    check(os.path.exists(picture), "the picture of the new model is not where the page takes pictures from")


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "copy":
        make_copy(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 4 and sys.argv[1] == "try":
        with tempfile.TemporaryDirectory() as folder:
            try_engine(os.path.abspath(sys.argv[2]), folder)
        try_gallery(os.path.abspath(sys.argv[2]), sys.argv[3])
        try_page(sys.argv[3])
        print(f"{len(NEW_FILES)} recipes hold")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
