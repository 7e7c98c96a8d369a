"""A small importer of FMUs (FMI 2.0 and 3.0, co-simulation and model exchange), written from the standard for the tests, and a
checker of modelDescription.xml. It shares no code with the exporter: Python's standard library only."""
import ctypes
import datetime
import math
import os
import re
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

OK, WARNING, DISCARD, ERROR, FATAL = range(5)
D, SIZE, VR, BOOL = ctypes.c_double, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_bool
LOG2 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p,
                        ctypes.c_char_p)
LOG3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
UPDATE3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double, ctypes.c_bool, ctypes.c_bool, ctypes.c_bool, ctypes.c_bool,
                           ctypes.POINTER(ctypes.c_bool), ctypes.POINTER(ctypes.c_double))


class Callbacks2(ctypes.Structure):
    _fields_ = [("log", LOG2), ("allocate", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("finished", ctypes.c_void_p), ("environment", ctypes.c_void_p)]


class EventInfo2(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("new", "terminate", "nominals", "values", "defined")] + [("time", D)]


class FMU:
    """An unpacked FMU and its description."""

    def __init__(self, path, folder=None):
        self.folder = folder or tempfile.mkdtemp(prefix="fmu importer ")
        with zipfile.ZipFile(path) as archive:
            archive.extractall(self.folder)
        self.root = ElementTree.parse(os.path.join(self.folder, "modelDescription.xml")).getroot()
        self.version = int(self.root.get("fmiVersion")[0])
        self.token = self.root.get("guid") or self.root.get("instantiationToken")
        kinds = [k for k in ("CoSimulation", "ModelExchange") if self.root.find(k) is not None]
        self.kinds = kinds
        self.identifier = self.root.find(kinds[0]).get("modelIdentifier")
        self.variables = {}
        for v in self.root.find("ModelVariables"):
            self.variables[v.get("name")] = v
        self.references = {name: int(v.get("valueReference")) for name, v in self.variables.items()}
        self.outputs = [n for n, v in self.variables.items() if v.get("causality") == "output"]
        self.states = sum(1 for v in self.variables.values() if self.type_of(v).get("derivative"))
        self.indicators = int(self.root.get("numberOfEventIndicators", 0)) if self.version == 2 else len(
            self.root.findall("ModelStructure/EventIndicator"))
        platform = "linux64" if self.version == 2 else "x86_64-linux"
        self.path = os.path.join(self.folder, "binaries", platform, self.identifier + ".so")
        self.library = ctypes.CDLL(self.path, mode=os.RTLD_LOCAL | os.RTLD_NOW)

    def type_of(self, variable):
        return variable[0] if self.version == 2 else variable

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Instance:
    """One instance; calls return statuses, `messages` collects the log."""

    def __init__(self, fmu, exchange=False, token=None, resource="default", callbacks=True, name=b"one", event_mode=False, early=False,
                 look=None):
        self.fmu, self.lib, self.exchange, self.v = fmu, fmu.library, exchange, fmu.version
        self.messages = []
        self.prefix = f"fmi{self.v}"
        token = (fmu.token if token is None else token).encode()
        where = os.path.join(fmu.folder, "resources")
        if self.v == 2:
            uri = ("file://" + where.replace(" ", "%20")) if resource == "default" else resource
            self.log = LOG2(lambda env, inst, status, cat, fmt, arg: self.messages.append((status, (arg or b"").decode())))
            self.callbacks = Callbacks2(log=self.log) if callbacks else Callbacks2()
            self.lib.fmi2Instantiate.restype = ctypes.c_void_p
            self.c = self.lib.fmi2Instantiate(name, 0 if exchange else 1, token, uri.encode() if uri else None,
                                              ctypes.byref(self.callbacks), 0, 1)
        else:
            path = (where + "/") if resource == "default" else resource
            self.log = LOG3(lambda env, status, cat, text: self.messages.append((status, (text or b"").decode())))
            log = self.log if callbacks else ctypes.cast(None, LOG3)
            path = path.encode() if path else None
            if exchange:
                self.lib.fmi3InstantiateModelExchange.restype = ctypes.c_void_p
                self.c = self.lib.fmi3InstantiateModelExchange(name, token, path, BOOL(0), BOOL(1), None, log)
            else:
                self.lib.fmi3InstantiateCoSimulation.restype = ctypes.c_void_p
                self.look = UPDATE3(look) if look else ctypes.cast(None, UPDATE3)
                self.c = self.lib.fmi3InstantiateCoSimulation(name, token, path, BOOL(0), BOOL(1), BOOL(event_mode), BOOL(early),
                                                              None, SIZE(0), None, log, self.look)

    def call(self, function, *arguments):
        return getattr(self.lib, self.prefix + function)(ctypes.c_void_p(self.c), *arguments)

    def must(self, function, *arguments):
        status = self.call(function, *arguments)
        assert status == OK, (function, status, self.messages)

    def initialize(self, start=0.0, **values):
        if values:
            self.set(**values)
        if self.v == 2:
            self.must("SetupExperiment", 0, D(0), D(start), 0, D(0))
            self.must("EnterInitializationMode")
        else:
            self.must("EnterInitializationMode", BOOL(0), D(0), D(start), BOOL(0), D(0))
        self.must("ExitInitializationMode")

    def references(self, names):
        return (VR * len(names))(*[self.fmu.references[n] for n in names])

    def get(self, names):
        values = (D * len(names))()
        if self.v == 2:
            self.must("GetReal", self.references(names), SIZE(len(names)), values)
        else:
            self.must("GetFloat64", self.references(names), SIZE(len(names)), values, SIZE(len(names)))
        return list(values)

    def try_set(self, names, numbers):
        values = (D * len(names))(*numbers)
        if self.v == 2:
            return self.call("SetReal", self.references(names), SIZE(len(names)), values)
        return self.call("SetFloat64", self.references(names), SIZE(len(names)), values, SIZE(len(names)))

    def set(self, **values):
        assert self.try_set(list(values), list(values.values())) == OK, self.messages

    def step(self, time, step):
        if self.v == 2:
            return self.call("DoStep", D(time), D(step), 0)
        flags, last = [BOOL(1), BOOL(1), BOOL(1)], D(-1)
        status = self.call("DoStep", D(time), D(step), BOOL(0), *[ctypes.byref(f) for f in flags], ctypes.byref(last))
        self.terminate, self.last = flags[1].value, last.value
        self.event, self.early = flags[0].value, flags[2].value
        return status

    # ---- model exchange ----

    def vector(self, function):
        values = (D * self.fmu.states)()
        self.must(function, values, SIZE(self.fmu.states))
        return list(values)

    def update(self):
        """One event iteration; true when the states changed. `ends`: the run ends; `next`: the next time event, or infinity."""
        if self.v == 2:
            info = EventInfo2(*[7] * 5, 1e9)
            self.must("NewDiscreteStates", ctypes.byref(info))
            flags, time = [info.new, info.terminate, info.nominals, info.values, info.defined], info.time
        else:
            found, next_time = [BOOL(1) for _ in range(5)], D(0)
            self.must("UpdateDiscreteStates", *[ctypes.byref(f) for f in found], ctypes.byref(next_time))
            flags, time = [f.value for f in found], next_time.value
        assert flags[0] == flags[2] == 0
        self.ends, self.next = bool(flags[1]), time if flags[4] else float("inf")
        return bool(flags[3])

    def indicators(self):
        """Signs of the event indicators at the present time and state."""
        if self.fmu.indicators == 0:
            return []
        values = (D * self.fmu.indicators)()
        self.must("GetEventIndicators", values, SIZE(self.fmu.indicators))
        return [v > 0 for v in values]

    def rates(self, time, x):
        self.must("SetTime", D(time))
        self.must("SetContinuousStates", (D * len(x))(*x), SIZE(len(x)))
        return self.vector("GetDerivatives" if self.v == 2 else "GetContinuousStateDerivatives")

    def completed(self):
        flag = ctypes.c_int if self.v == 2 else BOOL
        event, terminate = flag(1), flag(1)
        self.must("CompletedIntegratorStep", flag(1), ctypes.byref(event), ctypes.byref(terminate))
        assert not terminate.value
        return bool(event.value)

    def free(self):
        getattr(self.lib, self.prefix + "FreeInstance")(ctypes.c_void_p(self.c))


def simulate(fmu, names, until, step, inputs=None, **start):
    """Co-simulation: rows of values at every step, the start included."""
    i = Instance(fmu)
    i.initialize(**start)
    rows = [i.get(names)]
    for k in range(round(until / step)):
        if inputs:
            i.set(**inputs(k * step))
        status = i.step(k * step, step)
        assert status == OK, (status, i.messages)
        rows.append(i.get(names))
    i.call("Terminate")
    i.free()
    return rows


def runge_kutta(i, t, x, h):
    """The state after a step of the classical method."""
    k1 = i.rates(t, x)
    k2 = i.rates(t + h / 2, [a + h / 2 * b for a, b in zip(x, k1)])
    k3 = i.rates(t + h / 2, [a + h / 2 * b for a, b in zip(x, k2)])
    k4 = i.rates(t + h, [a + h * b for a, b in zip(x, k3)])
    return [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(x, k1, k2, k3, k4)]


def put(i, t, x):
    i.must("SetTime", D(t))
    if x:
        i.must("SetContinuousStates", (D * len(x))(*x), SIZE(len(x)))


def signs_after(i, t, x, h):
    """State and signs of the indicators after a step."""
    y = runge_kutta(i, t, x, h)
    put(i, t + h, y)
    return y, i.indicators()


def locate(i, t, x, h, before):
    """The shortest step, by bisection, after which an indicator has another sign."""
    low, high = 0.0, h
    while high - low > 1e-13 * max(1, abs(t)):
        middle = (low + high) / 2
        if signs_after(i, t, x, middle)[1] == before:
            low = middle
        else:
            high = middle
    return high


def integrate(fmu, names, until, step, h, prepare=None):
    """Model exchange with the classical Runge-Kutta method of step h, and events; rows at every `step`, and event modes."""
    i = Instance(fmu, exchange=True)
    if prepare:
        prepare(i)
    i.initialize()
    while i.update():
        pass
    i.must("EnterContinuousTimeMode")
    x, t, rows, events = i.vector("GetContinuousStates"), 0.0, [i.get(names)], 0
    before = i.indicators()
    while len(rows) <= round(until / step) and not i.ends:
        end = min(len(rows) * step, i.next)
        length = end - t if end - t <= h * (1 + 1e-9) else h
        y, signs = signs_after(i, t, x, length)
        if signs != before:
            length = locate(i, t, x, length, before)
            y, signs = signs_after(i, t, x, length)
        t, x = (end if length == end - t else t + length), y
        put(i, t, x)
        if i.completed() or signs != before or t >= i.next:
            i.must("EnterEventMode")
            events += 1
            while i.update():
                x = i.vector("GetContinuousStates")
            i.must("EnterContinuousTimeMode")
        before = i.indicators()
        if t >= len(rows) * step - 1e-12:
            rows.append(i.get(names))
    i.must("Terminate")
    i.free()
    return rows, events


# ---- rules of modelDescription.xml ----

TRIPLES = {"parameter": {"fixed": {"exact"}, "tunable": {"exact"}},
           "input": {"continuous": {None}, "discrete": {None}},
           "output": {"continuous": {"calculated", "exact", "approx"}, "discrete": {"calculated", "exact", "approx"}},
           "local": {"continuous": {"calculated", "exact", "approx"}, "fixed": {"calculated"}},
           "independent": {"continuous": {None}}}


QUOTED = r"'(?:[^'\\\n]|\\['\"?\\abfnrtv])+'"
PART = rf"(?:[A-Za-z_]\w*|{QUOTED})(?:\[\d+(?:,\d+)*\])?"
STRUCTURED = re.compile(rf"{PART}(?:\.{PART})*|der\({PART}(?:\.{PART})*(?:,\d+)?\)", re.ASCII)


def check_terminals(root, text, names_of_files):
    """Violations of the rules of terminalsAndIcons.xml."""
    icons = ElementTree.fromstring(text)
    bad = [] if icons.tag == "fmiTerminalsAndIcons" and icons.get("fmiVersion") == "3.0" else ["root of terminals"]
    if [e.tag for e in icons] not in (["GraphicalRepresentation"], ["GraphicalRepresentation", "Terminals"], ["Terminals"]):
        bad.append("elements of terminals")
    if icons.find("GraphicalRepresentation/Icon") is not None and "terminalsAndIcons/icon.png" not in names_of_files:
        bad.append("no icon.png")
    variables = {v.get("name") for v in root.find("ModelVariables")}
    terminals = [t.get("name") for t in icons.iter("Terminal")]
    if len(set(terminals)) < len(terminals) or (icons.find("Terminals") is not None and not terminals):
        bad.append("names of terminals")
    for t in icons.iter("Terminal"):
        members = [m.get("memberName") for m in t.findall("TerminalMemberVariable")]
        if t.get("matchingRule") in ("plug", "bus") and (None in members or len(set(members)) < len(members)):
            bad.append(f"members of {t.get('name')}")
        bad += [f"variable {m.get('variableName')}" for m in t.findall("TerminalMemberVariable")
                if m.get("variableName") not in variables or m.get("variableKind") not in ("signal", "inflow", "outflow")]
    return bad


BASE = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"}
TYPES = {2: {"Real", "Integer", "Boolean", "String", "Enumeration"},
         3: {"Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean", "String",
             "Binary", "Enumeration", "Clock"}}
FLAGS = {"needsExecutionTool", "canBeInstantiatedOnlyOncePerProcess", "canGetAndSetFMUState", "canGetAndSetFMUstate",
         "canSerializeFMUState", "canSerializeFMUstate", "providesDirectionalDerivative", "providesDirectionalDerivatives",
         "providesAdjointDerivatives", "canHandleVariableCommunicationStepSize", "canReturnEarlyAfterIntermediateUpdate",
         "mightReturnEarlyFromDoStep", "hasEventMode", "providesEvaluateDiscreteStates", "canInterpolateInputs",
         "canRunAsynchronuously", "canNotUseMemoryManagementFunctions", "providesIntermediateUpdate", "needsCompletedIntegratorStep",
         "completedIntegratorStepNotNeeded"}


def is_number(text, least=None, above=None):
    """A finite number of XML Schema, at least or above a bound."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return False
    return math.isfinite(value) and (least is None or value >= least) and (above is None or value > above)


def check_date(text):
    try:
        datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return [f"date {text}"]
    return [] if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", text) else [f"date {text}"]


def check_units(root):
    """Rules of UnitDefinitions: names once, whole exponents of base units, factors that can be divided by."""
    names = [u.get("name") for u in root.iter("Unit")]
    bad = ["unit without a name"] * names.count(None) + [f"unit {n} twice" for n in set(names) if names.count(n) > 1]
    for unit in root.iter("Unit"):
        for base in unit.findall("BaseUnit"):
            for key, value in base.items():
                whole = re.fullmatch(r"[+-]?\d+", value)
                if not (whole if key in BASE else is_number(value) if key in ("factor", "offset") else False):
                    bad.append(f"unit {unit.get('name')}: {key} {value}")
        shown = [d.get("name") for d in unit.findall("DisplayUnit")]
        if len(set(shown)) < len(shown) or None in shown:
            bad.append(f"display units of {unit.get('name')}")
        bad += [f"display unit {d.get('name')}" for d in unit.findall("DisplayUnit")
                if not is_number(d.get("factor", "1")) or float(d.get("factor", "1")) == 0 or not is_number(d.get("offset", "0"))]
    return bad


def check_numbers(root, two):
    """Attributes that are numbers or truth values."""
    bad = []
    experiment = root.find("DefaultExperiment")
    if experiment is not None:
        start = float(experiment.get("startTime", 0)) if is_number(experiment.get("startTime", "0")) else 0
        if not is_number(experiment.get("startTime", "0"), 0) or not is_number(experiment.get("stopTime", "1e9"), above=start):
            bad.append("times of the default experiment")
        bad += [f"default {k}" for k in ("tolerance", "stepSize") if not is_number(experiment.get(k, "1"), above=0)]
    for kind in [k for k in ("ModelExchange", "CoSimulation") if root.find(k) is not None]:
        for key, value in root.find(kind).items():
            if key in FLAGS and value not in ("true", "false", "0", "1"):
                bad.append(f"{kind}: {key} {value}")
            if key == "maxOutputDerivativeOrder" and not re.fullmatch(r"\d+", value):
                bad.append(f"{kind}: {key} {value}")
            if key == "fixedInternalStepSize" and not is_number(value, above=0):
                bad.append(f"{kind}: {key} {value}")
    for v in root.iter("ScalarVariable" if two else "Float64"):
        t = v[0] if two and len(v) else v
        given = {k: t.get(k) for k in ("start", "min", "max", "nominal") if t.get(k) is not None}
        if t.tag in ("Real", "Float64") and v.find("Dimension") is None:
            bad += [f"{v.get('name')}: {k} {x}" for k, x in given.items() if not is_number(x)]
        numbers = {k: float(x) for k, x in given.items() if is_number(x)}
        if numbers.get("min", -math.inf) > numbers.get("max", math.inf) or numbers.get("start", -math.inf) > numbers.get("max", math.inf):
            bad.append(f"{v.get('name')}: bounds")
    return bad


def check(root):
    """All violations of the standard's rules that importers look for, as texts."""
    version = root.get("fmiVersion")
    two = version == "2.0"
    bad = [] if version in ("2.0", "3.0") else [f"fmiVersion {version}"]
    for attribute in ("modelName", "guid" if two else "instantiationToken"):
        if not root.get(attribute):
            bad.append(f"no {attribute}")
    date = root.get("generationDateAndTime")
    bad += check_date(date) if date else []
    bad += check_units(root) + check_numbers(root, two)
    order = ["ModelExchange", "CoSimulation", "ScheduledExecution", "UnitDefinitions", "TypeDefinitions", "LogCategories",
             "DefaultExperiment", "VendorAnnotations", "ModelVariables", "ModelStructure", "Annotations"]
    tags = [e.tag for e in root]
    if any(t not in order for t in tags) or [order.index(t) for t in tags if t in order] != sorted(
            order.index(t) for t in tags if t in order):
        bad.append("order of elements")
    if len(set(tags)) < len(tags):
        bad.append("an element twice")
    kinds = [root.find(k) for k in ("ModelExchange", "CoSimulation") if root.find(k) is not None]
    if not kinds:
        bad.append("no kind")
    for kind in kinds:
        if not re.fullmatch(r"[A-Za-z_]\w*", kind.get("modelIdentifier") or ""):
            bad.append("modelIdentifier")
        wrong = [a for a in kind.keys() if ("FMUState" if two else "FMUstate") in a]
        bad += [f"spelling of {a}" for a in wrong]
    units = {u.get("name") for u in root.iter("Unit")}
    variables = list(root.find("ModelVariables") if root.find("ModelVariables") is not None else [])
    names, references, states, derivatives, outputs = set(), set(), {}, [], []
    for index, v in enumerate(variables, 1):
        name, t = v.get("name"), (v[0] if two and len(v) else v)
        reference = v.get("valueReference")
        if not name or "\n" in name or name in names:
            bad.append(f"name {name!r}")
        elif root.get("variableNamingConvention") == "structured" and not STRUCTURED.fullmatch(name):
            bad.append(f"structured name {name!r}")
        if reference is None or (not two and reference in references) or not re.fullmatch(r"\d+", reference) or int(reference) >= 2**32:
            bad.append(f"{name}: valueReference")
        if t.tag not in TYPES[2 if two else 3]:
            bad.append(f"{name}: type {t.tag}")
        names.add(name)
        references.add(reference)
        causality, variability, initial = v.get("causality", "local"), v.get("variability", "continuous"), v.get("initial")
        allowed = TRIPLES.get(causality, {}).get(variability)
        if allowed is None or initial not in allowed | ({None} if causality != "parameter" else {None}):
            bad.append(f"{name}: {causality} {variability} {initial}")
        start = t.get("start")
        needs = causality in ("parameter", "input") or initial in ("exact", "approx")
        if needs and start is None:
            bad.append(f"{name}: start missing")
        if not needs and start is not None:
            bad.append(f"{name}: start not allowed")
        if is_number(start) and is_number(t.get("min")) and float(start) < float(t.get("min")):
            bad.append(f"{name}: start below min")
        shown = {d.get("name") for u in root.iter("Unit") if u.get("name") == t.get("unit") for d in u.findall("DisplayUnit")}
        if t.get("displayUnit") and t.get("displayUnit") not in shown:
            bad.append(f"{name}: display unit {t.get('displayUnit')} not defined")
        if t.get("unit") and t.get("unit") not in units:
            bad.append(f"{name}: unit {t.get('unit')} not defined")
        key = str(index) if two else reference
        states[key] = v
        if t.get("derivative"):
            derivatives.append((key, t.get("derivative")))
        if causality == "output":
            outputs.append(key)
        if causality == "independent" and (start is not None or initial is not None):
            bad.append(f"{name}: independent with start")
    if not two and sum(v.get("causality") == "independent" for v in variables) != 1:
        bad.append("one independent variable is needed")
    bad += [f"derivative of {d}, which is not there" for _, d in derivatives if d not in states]
    bad += [f"derivative of {d}, which is not continuous" for _, d in derivatives
            if d in states and states[d].get("variability", "continuous") != "continuous"]
    structure = root.find("ModelStructure")
    if structure is None:
        return bad + ["no ModelStructure"]

    def listed(group, element):
        if two:
            found = structure.find(group)
            return [u.get("index") for u in found] if found is not None else []
        return [u.get("valueReference") or "" for u in structure.findall(element)]

    groups = {"Outputs", "Derivatives", "DiscreteStates", "InitialUnknowns"} if two else {
        "Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown", "EventIndicator"}
    bad += [f"element {u.tag} in ModelStructure" for u in structure if u.tag not in groups]

    if sorted(listed("Outputs", "Output")) != sorted(outputs):
        bad.append("Outputs are not the outputs")
    if root.find("ModelExchange") is not None and sorted(listed("Derivatives", "ContinuousStateDerivative")) != sorted(
            k for k, _ in derivatives):
        bad.append("Derivatives are not the derivatives")
    if not two:
        bad += [f"event indicator {e.get('valueReference')}" for e in structure.findall("EventIndicator")
                if e.get("valueReference") not in states]
    calculated = [d for _, d in derivatives if d in states and states[d].get("initial", "calculated") != "exact"]
    unknown = sorted(outputs + calculated + [k for k, _ in derivatives])
    if sorted(listed("InitialUnknowns", "InitialUnknown")) != unknown:
        bad.append("InitialUnknowns")
    for u in structure.iter():
        listed_knowns, kinds_given = u.get("dependencies"), u.get("dependenciesKind")
        if kinds_given is not None and (listed_knowns is None or len(kinds_given.split()) != len(listed_knowns.split())):
            bad.append("dependenciesKind")
        if set((kinds_given or "").split()) - {"dependent", "constant", "fixed", "tunable", "discrete"}:
            bad.append(f"dependenciesKind {kinds_given}")
        for known in (listed_knowns or "").split():
            if known not in states:
                bad.append(f"dependency {known}")
    return bad
