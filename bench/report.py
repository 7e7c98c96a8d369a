"""The benchmark's verdict: ratios to the fastest peer beside what they must be, then every figure with its error."""
import math

# Accelerations with larger relative errors than this are wrong, and their time does not count.
RIGHT = 1e-6
CLOSED = 1e-10      # m or rad: what the joints of our runs must keep


def right(row):
    return max(row["energy_error"], row["closure_error"], row["residual"]) <= RIGHT


def label(row):
    return f"{row['engine']} {row['method']}".strip()


def pick(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def fastest(rows):
    return min(rows, key=lambda row: row["microseconds"], default=None)


def exponent(points):
    """Slope of log time over log N by least squares."""
    logs = [(math.log(n), math.log(t)) for n, t in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


class Table:
    def __init__(self):
        self.lines = []

    def verdict(self, what, value, bound, ok, note):
        self.lines.append(f"  {'ok  ' if ok else 'MISS'}  {what:<48} {value:>9}   must be {bound:<8} {note}")

    def at_most(self, what, value, bound, note=""):
        if value is None:
            self.verdict(what, "-", f"<= {bound}", False, note)
        else:
            self.verdict(what, f"{value:.3g}", f"<= {bound}", value <= bound, note)


def forward_ratios(table, rows, workload, bound):
    for n in sorted({row["n"] for row in pick(rows, workload=workload) if 10 <= row["n"] <= 1000}):
        here = pick(rows, workload=workload, n=n)
        ours = fastest([row for row in here if row["engine"] == "tenon" and right(row)])
        peer = fastest([row for row in here if row["engine"] != "tenon" and right(row)])
        what = f"{workload}, N = {n}: ours / fastest peer"
        if peer is None:
            continue
        if ours is None:
            table.at_most(what, None, bound, "ours is not right")
            continue
        table.at_most(what, ours["microseconds"] / peer["microseconds"], bound,
                      f"{ours['microseconds']:.3g} us, {label(peer)} {peer['microseconds']:.3g} us")


def forward_growth(table, rows, workload, bound):
    ours = [row for row in pick(rows, workload=workload, engine="tenon") if row["n"] >= 100]
    points = [(row["n"], row["microseconds"]) for row in ours if right(row)]
    note = f"N = {points[0][0]} to {points[-1][0]}" if points else ""
    if len(points) < len(ours):
        note += f"; not right: N = {', '.join(str(row['n']) for row in ours if not right(row))}"
    table.at_most(f"{workload}: growth exponent", exponent(points) if len(points) > 1 else None, bound, note)


def ladder_verdicts(table, rows):
    """A02 is a planar mechanism: its planar model counts. The spatial one stands beside it in the figures."""
    ours = [row for row in pick(rows, workload="ladder", engine="tenon", method="rk4")
            if row["closure_error"] <= CLOSED]
    mine, theirs = fastest(pick(ours, n=40)), fastest(pick(rows, engine="mujoco", method="rk4", n=40))
    if theirs:
        table.at_most("ladder, N = 40: ours / MuJoCo's RK4 step",
                      mine["microseconds"] / theirs["microseconds"] if mine else None, 1.0,
                      f"{mine['microseconds']:.3g} us, {theirs['microseconds']:.3g} us; energy error "
                      f"{mine['energy_error']:.1g} J, {theirs['energy_error']:.1g} J" if mine else "joints not closed")
    points = [(row["n"], row["microseconds"]) for row in ours if row["n"] >= 10]
    if len(points) > 1:
        table.at_most("ladder: growth exponent", exponent(points), 1.1, f"N = {points[0][0]} to {points[-1][0]}")


def crossing(runs, error):
    """Seconds at which runs of growing effort come below an error and stay there, between runs by straight lines in
    logarithms; None when they do not."""
    runs = sorted(runs, key=lambda row: row["microseconds"])
    kept = len(runs)
    while kept > 0 and runs[kept - 1]["position_error"] <= error:
        kept -= 1
    if kept == len(runs):
        return None
    last = runs[kept]["microseconds"] * 1e-6
    if kept == 0:
        return last
    first = runs[kept - 1]["microseconds"] * 1e-6
    errors = [math.log(max(runs[k]["position_error"], 1e-16)) for k in (kept - 1, kept)]
    part = (errors[0] - math.log(error)) / (errors[0] - errors[1])
    return first * (last / first) ** part


def seconds_to(rows, error):
    """The fastest way to an error: seconds and method; None when there is none."""
    times = []
    for name in dict.fromkeys(label(row) for row in rows):
        seconds = crossing([row for row in rows if label(row) == name], error)
        if seconds is not None:
            times.append((seconds, name))
    return min(times, default=None)


def run_verdicts(table, rows, workload, error, bound):
    here = [row for row in rows if row["workload"].removesuffix("-3d") == workload]
    peer = seconds_to([row for row in here if row["engine"] != "tenon"], error)
    for name in (workload, workload + "-3d"):
        ours = seconds_to([row for row in pick(rows, workload=name, engine="tenon") if row["closure_error"] <= CLOSED],
                          error)
        what = f"{name} to {error:g}: ours / fastest peer"
        if peer and ours:
            table.at_most(what, ours[0] / peer[0], bound, f"{ours[0]:.3g} s ({ours[1]}), {peer[0]:.3g} s ({peer[1]})")
        else:
            table.at_most(what, None if peer else 0, bound,
                          "ours does not get there" if peer else "no peer gets there")


def planar_verdict(table, rows):
    for n in sorted({row["n"] for row in pick(rows, workload="planar") if 10 <= row["n"] <= 1000}):
        flat = fastest(pick(rows, workload="planar", engine="tenon", n=n))
        space = fastest(pick(rows, workload="planar-3d", engine="tenon", n=n))
        if flat and space:
            ratio = space["microseconds"] / flat["microseconds"]
            table.verdict(f"planar chain, N = {n}: as spatial / planar", f"{ratio:.3g}", ">= 2", ratio >= 2,
                          f"{space['microseconds']:.3g} us, {flat['microseconds']:.3g} us")


def memory_verdict(table, rows):
    ours = [row for row in pick(rows, engine="tenon") if row["workload"] in ("chain", "tree")]
    largest = max(ours, key=lambda row: row["n"], default=None)
    if largest:
        table.at_most("memory per body with its joint, KiB", largest["bytes_per_body"] / 1024, 4,
                      f"model and session, {largest['workload']} of {largest['n']}")


def edit_verdicts(table, rows):
    seconds = {row["workload"]: row["seconds"] for row in rows}
    if "step" not in seconds:
        return
    table.at_most("edit of a joint among 1000 bodies, ms", 1e3 * max(seconds["edit: cut"], seconds["edit: join"]), 5,
                  f"cut {1e3 * seconds['edit: cut']:.3g}, join {1e3 * seconds['edit: join']:.3g}")
    table.at_most("step after an edit / any step", seconds["step after an edit"] / seconds["step"], 2)


def figures(rows, error_names):
    lines = [f"  {'workload':<12}{'engine':<26}{'N':>7}{'accuracy':>10}{'time, us':>12}  " +
             "".join(f"{name:>16}" for name in error_names.values())]
    for row in rows:
        lines.append(f"  {row['workload']:<12}{label(row):<26}{row['n']:>7}{row['accuracy']:>10.3g}"
                     f"{row['microseconds']:>12.4g}  " + "".join(f"{row[name]:>16.2g}" for name in error_names))
    return lines


def program_figures(rows):
    for row in rows:
        yield f"  {row['workload']:<28}{row['n']:>7}{row['seconds']:>10.3g} s   " + \
              (f"energy error {row['energy_error']:.2g} J, drift {row['closure_error']:.2g}; "
               if row["energy_error"] != "" else "") + row["settings"]


def sweep_figure(program, runs):
    """Runs per second of a sweep beside a loop over MuJoCo's steps alone."""
    ours, theirs = pick(program, workload="sweep"), pick(runs, workload="pendulum", engine="mujoco", method="rk4",
                                                         accuracy=1e-3)
    if ours and theirs:
        yield (f"  runs per second of the sweep: {1 / ours[0]['seconds']:.0f}; of a loop over MuJoCo's RK4 steps of "
               f"the same pendulum: {1e6 / theirs[0]['microseconds']:.0f}")


def settings(rows):
    seen = {}
    for row in rows:
        seen.setdefault((row["engine"], row["settings"]), None)
    return [f"  {engine:<9}{text}" for engine, text in seen]


def text(forward, ladder, runs, program):
    table = Table()
    forward_ratios(table, forward, "chain", 0.8)
    forward_ratios(table, forward, "ball", 0.8)
    for workload in ("chain", "ball", "tree"):
        forward_growth(table, forward, workload, 1.05)
    ladder_verdicts(table, ladder)
    run_verdicts(table, runs, "four-bar", 1e-6, 0.2)
    run_verdicts(table, runs, "four-bar", 1e-9, 0.2)
    run_verdicts(table, runs, "pendulum", 1e-9, 0.5)
    planar_verdict(table, forward)
    memory_verdict(table, forward)
    edit_verdicts(table, program)
    errors = {"energy_error": "power error", "closure_error": "joint gap", "residual": "moment left"}
    step_errors = {"energy_error": "energy error, J", "closure_error": "closure, m"}
    return "\n".join(
        ["Verdicts (a time counts only if its error does)"] + table.lines +
        ["", "Forward dynamics: accelerations at a state (errors relative)"] + figures(forward, errors) +
        ["", "Ladder of N four-bars: one step of 1 ms (largest errors over the steps)"] + figures(ladder, step_errors) +
        ["", "Work and precision: a whole run (four-bar 10 s, double pendulum 5 s)"] +
        figures(runs, {"position_error": "position err., m", **step_errors}) +
        ["", "The program"] + list(program_figures(program)) + list(sweep_figure(program, runs)) +
        ["", "Settings"] + settings(forward + ladder + runs)) + "\n"


def schemes(rows):
    """Cost of a step over that of projection + rk4 + direct: a line a scheme and solver, a column a model."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    ratio = {(row["model"], row["scheme"], row["solver"]): row["ratio"] for row in rows}
    lines = ["", "Cost of a step over that of projection + rk4 + direct in the same run",
             f"  {'':<24}" + "".join(f"{model:>18}" for model in models)]
    for scheme, solver in dict.fromkeys((row["scheme"], row["solver"]) for row in rows):
        lines.append(f"  {scheme + ' + ' + solver:<24}"
                     + "".join(f"{ratio.get((model, scheme, solver), '-'):>18}" for model in models))
    return "\n".join(lines) + "\n"
