"""The generated parts of docs/joints.md, docs/forces.md and docs/devices.md agree with the types that the program has.

    type_pages.py TENON ROOT            fails and names the parts that are out of date
    type_pages.py TENON ROOT --write    writes them again

A generated part stands between "<!-- generated: NAME -->" and "<!-- end -->". Text outside is written by hand and stays.
"""
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

PART = re.compile(r"<!-- generated: (?P<name>[^ ]+) -->\n.*?<!-- end -->\n", re.DOTALL)
VECTORS_IN_SPACE = 3


def unit_text(unit):
    return unit.replace("|", " or ").replace("*", "any") if unit else ""


def value_text(parameter):
    if "default" in parameter:
        return f"{parameter['default']:g}"
    if "default_expression" in parameter:
        return f"`{parameter['default_expression']}`"
    return "must be given"


def parameter_rows(parameters):
    """One row a parameter; entries of vectors and matrices (value.x, value.y, ...) share a row."""
    for base, group in itertools.groupby(parameters, lambda p: p["name"].split(".")[0]):
        group = list(group)
        units = " or ".join(dict.fromkeys(unit_text(p["unit"]) for p in group))
        first, last = group[0], group[-1]
        if len(group) == 1:
            yield f"| `{first['name']}` | {units} | {first['doc']} | {value_text(first)} |"
        else:
            yield f"| `{first['name']}` ... `{last['name']}` | {units} | {first['doc']} ... {last['doc']} | {value_text(first)} |"


def parameter_table(parameters):
    if not parameters:
        return []
    return ["| parameter | unit | | default |\n| --- | --- | --- | --- |\n" + "\n".join(parameter_rows(parameters))]


def equations_of(form):
    lines = [f"{text} = 0" if len(text) < 4000 else f"... = 0     ({len(text)} characters: the type's file explains them)"
             for text in form["equations"] + form["velocity_equations"]]
    lines += [f"separation  {form['separation']}"] if "separation" in form else []
    return "```\n" + "\n".join(lines) + "\n```" if lines else "No equations."


def coordinates_of(form):
    texts = [f"`{c['name']}` ({c['unit']}) = `{c['expression']}`" for c in form["coordinates"]]
    return ["Coordinates: " + "; ".join(texts) + "."] if texts else []


def joint_part(joint):
    paragraphs = [joint["doc"]]
    told = lambda form: {key: value for key, value in form.items() if key != "axis"}  # the page has no word about it
    forms = [(title, told(joint[key])) for key, title in (("planar", "In the plane"), ("spatial", "In space")) if key in joint]
    if len(forms) == 2 and forms[0][1] == forms[1][1]:
        forms = [("In the plane and in space", forms[0][1])]
    for title, form in forms:
        paragraphs += [f"{title}:", equations_of(form), *coordinates_of(form)]
    if joint.get("axis2"):
        paragraphs.append(f"`axis2`: {joint['axis2']}.")
    return "\n\n".join(paragraphs + parameter_table(joint["parameters"]))


def variants(expression):
    """An expression that differs along a length and along an angle gives two lines."""
    texts = expression.split("|")
    return texts if len(texts) == 1 else [f"{texts[0]}    (along a length)", f"{texts[1]}    (along an angle)"]


def force_part(force):
    efforts = itertools.zip_longest(force["effort"], force["along"] or ["q"] * len(force["effort"]))
    lines = [f"effort  {effort}  along  {along}" for effort, along in efforts]
    lines += [f"{key}  {force[key]}" for key in ("force", "torque") if key in force]
    lines += [f"{c['name']} = {text}" for c in force["channels"] for text in variants(c["expression"])]
    lines += [f"rate of {s['name']} = {s['rate']}" for s in force["states"]]
    lines += [f"{key}  {force[key]}" for key in ("potential", "loss") if key in force]
    lines = [line for line in lines if len(line) <= 200]      # a matrix written out is for machines: "tenon describe"
    paragraphs = [force["doc"], "```\n" + "\n".join(lines) + "\n```"] if lines else [force["doc"]]
    paragraphs += parameter_table(force["parameters"])
    channels = [f"`{c['name']}`" + (f" ({unit_text(c['unit'])})" if c["unit"] else "") for c in force["channels"]]
    if channels:
        paragraphs.append("Channels: " + ", ".join(channels) + ".")
    states = [f"`{s['name']}`" + (f" ({unit_text(s['unit'])})" if s["unit"] else "") + f", starts as `{s['start']}`"
              for s in force["states"]]
    if states:
        paragraphs.append("States: " + "; ".join(states) + ".")
    return "\n\n".join(paragraphs)


def rows_of(form, dimension):
    vectors = sum(text == "d" for text in form["equations"])
    return len(form["equations"]) + len(form["velocity_equations"]) + vectors * (dimension - 1)


def joint_table(joints):
    lines = ["| type | equations: plane | space | coordinates |", "| --- | --- | --- | --- |"]
    for joint in joints:
        plane = rows_of(joint["planar"], 2) if "planar" in joint else ""
        space = rows_of(joint["spatial"], VECTORS_IN_SPACE) if "spatial" in joint else ""
        coordinates = [c["name"] for key in ("spatial", "planar") if key in joint for c in joint[key]["coordinates"]]
        names = ", ".join(dict.fromkeys(coordinates))
        lines.append(f"| [{joint['name']}](#{joint['name']}) | {plane} | {space} | {names} |")
    return "\n".join(lines)


def force_table(forces):
    places = {"frames": "on a frame, or between two", "joint": "along a joint", "none": "on nothing"}
    lines = ["| type | acts | potential | states |", "| --- | --- | --- | --- |"]
    for force in forces:
        states = ", ".join(s["name"] for s in force["states"])
        lines.append(f"| [{force['name']}](#{force['name']}) | {places[force['place']]} | "
                     f"{'yes' if 'potential' in force else ''} | {states} |")
    return "\n".join(lines)


def device_part(devices):
    """One table a family: type, ports, parameters, sentence."""
    lines = []
    for family, group in itertools.groupby(devices, lambda d: d["of"]):
        lines += [f"**{family}**", "", "| type | ports | parameters | |", "| --- | --- | --- | --- |"]
        for device in group:
            ports = ", ".join(f"{p['name']} ({p['domain']}{'?' if p['optional'] else ''})" for p in device["ports"])
            parameters = ", ".join(p["name"] + ("" if value_text(p) == "must be given" else f" [{value_text(p)}]")
                                   for p in device["parameters"])
            lines.append(f"| `{device['name']}` | {ports} | {parameters} | {device['doc']} |")
        lines.append("")
    return "\n".join(lines[:-1])


def parts_of(types):
    """Page -> name of a part -> its text."""
    joints = [t for t in types if t["family"] == "joint"]
    forces = [t for t in types if t["family"] == "force" and not t.get("internal")]
    return {
        "joints.md": {
            **{j["name"]: joint_part(j) for j in joints},
            "table": joint_table([j for j in joints if not j.get("internal")]),
            "table-of-contacts": joint_table([j for j in joints if j.get("internal")]),
        },
        "devices.md": {"shelf": device_part([t for t in types if t["family"] == "device"])},
        "forces.md": {**{f["name"]: force_part(f) for f in forces}, "table": force_table(forces)},
    }


def rewritten(text, parts):
    def put(match):
        name = match["name"]
        return f"<!-- generated: {name} -->\n{parts[name]}\n<!-- end -->\n" if name in parts else match[0]
    return PART.sub(put, text)


def main():
    program, root = sys.argv[1], Path(sys.argv[2])
    types = json.loads(subprocess.run([program, "describe", "--json"], check=True, capture_output=True, text=True).stdout)
    problems = []
    for page, parts in parts_of(types).items():
        path = root / "docs" / page
        text = path.read_text()
        present = [match["name"] for match in PART.finditer(text)]
        problems += [f"{page}: no part '{name}'" for name in parts if name not in present]
        problems += [f"{page}: part '{name}' is of no type" for name in present if name not in parts]
        new = rewritten(text, parts)
        if new != text and "--write" in sys.argv:
            path.write_text(new)
        elif new != text:
            problems.append(f"{page} is out of date: run tests/type_pages.py TENON . --write")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
