"""Plots of the results with gnuplot; without gnuplot, a line says so."""
import shutil
import subprocess

SIZE = "set terminal pngcairo size 900,600 font 'sans,11'\nset grid\nset key outside right\nset logscale xy\n" \
       "set format x '10^{%L}'\nset format y '10^{%L}'\n"


COLOURS = {"tenon": "#d62728", "mujoco": "#1f77b4", "bullet": "#2ca02c", "simbody": "#9467bd", "dart": "#ff7f0e",
           "ode": "#7f7f7f"}


def series(rows, x, y):
    """Points (x, y) by engine and method, in the order of the rows."""
    lines = {}
    for row in rows:
        if row[x] > 0 and row[y] > 0:
            lines.setdefault((row["engine"], row["method"]), []).append((row[x], row[y]))
    return lines


def with_model(rows):
    """The rows with workload and method as the plots name them: a spatial model of a planar mechanism is a method."""
    return [dict(row, workload=row["workload"].removesuffix("-3d"), seconds=1e-6 * row["microseconds"],
                 method=row["method"] + (", spatial" if row["workload"].endswith("-3d") else "")) for row in rows]


def curve(index, lines, engine, method):
    """An engine has one colour; its methods differ in dashes."""
    dash = 1 + [key for key in lines if key[0] == engine].index((engine, method))
    width = 3 if engine == "tenon" else 1.5
    return (f"$data{index} using 1:2 with linespoints linecolor rgb '{COLOURS[engine]}' dashtype {dash} "
            f"linewidth {width} pointtype {4 + dash} pointsize 0.7 title '{(engine + ' ' + method).strip()}'")


def script(path, title, x_label, y_label, lines):
    parts = [f"set output '{path}'", f"set title '{title}'", f"set xlabel '{x_label}'", f"set ylabel '{y_label}'"]
    for index, points in enumerate(lines.values()):
        parts += [f"$data{index} << EOD", *(f"{px:.9g} {py:.9g}" for px, py in points), "EOD"]
    curves = [curve(index, lines, *key) for index, key in enumerate(lines)]
    return "\n".join(parts) + "\nplot " + ", ".join(curves) + "\n"


def draw(folder, forward, ladder, runs):
    if not shutil.which("gnuplot"):
        print("plots: gnuplot is not installed, skipped")
        return
    text = SIZE
    for workload in dict.fromkeys(row["workload"] for row in forward):
        rows = [row for row in forward if row["workload"] == workload]
        text += script(folder / f"forward-{workload}.png", f"Forward dynamics: {workload}", "bodies", "microseconds",
                       series(rows, "n", "microseconds"))
    text += script(folder / "ladder.png", "Ladder of N four-bars: one step", "N", "microseconds",
                   series(with_model(ladder), "n", "microseconds"))
    runs = with_model(runs)
    for workload in dict.fromkeys(row["workload"] for row in runs):
        rows = [row for row in runs if row["workload"] == workload]
        text += script(folder / f"work-precision-{workload}.png", f"Work and precision: {workload}",
                       "position error at the end, m", "CPU time, s", series(rows, "position_error", "seconds"))
    subprocess.run(["gnuplot"], input=text, text=True, check=True)
