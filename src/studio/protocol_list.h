/* The messages of the studio's protocol, each once. The table of verbs, the check of arguments, the types of the page
 * (web/src/studio/messages.ts) and the tables of docs/protocol.md are made from this list.
 *
 *     TN_RECORD(NAME, BASE, FIELDS(...), "what it is")           a type that fields name; BASE "" or a type it extends
 *     TN_VERB(NAME, PLACE, ACCESS, FIELDS(arguments), ANSWER_BASE, FIELDS(answer), "what it does")
 *     TN_PUSH(NAME, BASE, FIELDS(...), "when it is sent")
 *
 * A field is { "name", "type", "meaning" }; "name?" may be absent. Types are those of TypeScript: string, number,
 * boolean, object, unknown, T[], Record<string, T>, 'word' | 'word', and the names of records. PLACE is NETWORK, WORKER
 * or SESSION, ACCESS is EDIT or VIEW. The answers of verbs that run in the session also carry "time". */

/* ---- records ---- */

TN_RECORD(Diagnostic, "", FIELDS(
    { "severity", "string", "" },
    { "file?", "string", "" },
    { "line?", "number", "" },
    { "column?", "number", "" },
    { "message", "string", "" }),
    "A finding about a text, with its place.")
TN_RECORD(Channel, "", FIELDS(
    { "name", "string", "" },
    { "unit", "string", "" }),
    "A channel or an expression of channels.")
TN_RECORD(Property, "", FIELDS(
    { "name", "string", "" },
    { "unit", "string", "" },
    { "value?", "number", "SI; absent where an expression says it or nothing is given" },
    { "expression?", "string", "as the model has it, where it is more than a number" },
    { "default?", "number", "" },
    { "as_built?", "string", "where the value comes from when it is not given" },
    { "doc", "string", "" },
    { "fixed?", "boolean", "the command 'set' cannot change it" }),
    "A property of a component, as its type declares it.")
TN_RECORD(Component, "", FIELDS(
    { "name", "string", "" },
    { "type?", "string", "" },
    { "enabled?", "boolean", "takes part" },
    { "file?", "string", "" },
    { "line?", "number", "of the model's text" },
    { "properties?", "Property[]", "" }),
    "What every component of the scene has.")
TN_RECORD(Limit, "", FIELDS(
    { "coordinate", "string", "" },
    { "low?", "number", "" },
    { "high?", "number", "" },
    { "restitution", "number", "" }),
    "A limit of a joint coordinate, m or rad; a side without a limit is absent.")
TN_RECORD(FileParameter, "", FIELDS(
    { "name", "string", "" },
    { "value", "number", "" },
    { "unit", "string", "of value: rad, rad/s or rad/s^2 where its text has an angle" },
    { "written?", "string", "unit of angles in its text, such as rpm" },
    { "given?", "string", "as the surrounding model gives it; absent where the file's own value counts" }),
    "A parameter of a model file.")
TN_RECORD(Solve, "", FIELDS(
    { "scheme", "string", "" },
    { "integrator", "string", "" },
    { "solver", "string", "" },
    { "step?", "number", "s; absent where the method chooses" }),
    "Settings of the solution, methods by name.")
TN_RECORD(Subsystem, "Component", FIELDS(
    { "parent", "string", "" },
    { "file", "string", "" },
    { "closed", "boolean", "compiled: its contents are not disclosed" },
    { "position", "number[]", "m" },
    { "rotation", "number[]", "quaternion" },
    { "ports", "Record<string, string>", "name of each, and the path of the body or frame behind it" },
    { "parameters", "FileParameter[]", "" },
    { "solve?", "Solve", "settings of its own" }),
    "A subsystem of the scene.")
TN_RECORD(SceneBody, "BodyData & Component", FIELDS(
    { "mirrored?", "boolean", "" }),
    "A body of the scene.")
TN_RECORD(SceneJoint, "ConnectionData & Component", FIELDS(
    { "limits?", "Limit[]", "" },
    { "mirrored?", "boolean", "in a mirror image: it turns from x to -y of its frames" }),
    "A joint of the scene.")
TN_RECORD(DevicePort, "", FIELDS(
    { "name", "string", "" },
    { "domain", "string", "electrical, ...; rotary and translational are coordinates of the mechanism" },
    { "text?", "string", "as the model has it: a node, ground or a coordinate; absent: the port is open" },
    { "node?", "string", "path of its node" }),
    "A port of a device.")
TN_RECORD(SceneForce, "ConnectionData & Component", FIELDS(
    { "mirrored?", "boolean", "" },
    { "family?", "string", "of a device: electrical, machines, ..." },
    { "device_ports?", "DevicePort[]", "of a device" },
    { "domain?", "string", "of a node where devices meet" },
    { "across?", "string", "of a node: what is measured there, voltage, pressure, ..." },
    { "across_unit?", "string", "" }),
    "A force of the scene; devices, and nodes where they meet, are among them.")
TN_RECORD(Coupling, "Component", FIELDS(
    { "type", "string", "" },
    { "couples?", "CoupledCoordinate[]", "" },
    { "mirrored?", "boolean", "" },
    { "limits?", "Limit[]", "" }),
    "A joint that relates coordinates of other joints; drives are among them.")
TN_RECORD(CoupledCoordinate, "", FIELDS(
    { "joint", "string", "" },
    { "coordinate", "string", "" }),
    "A coordinate that a coupling uses.")
TN_RECORD(SceneEvent, "Component", FIELDS(
    { "when", "string", "" },
    { "crosses", "string", "" },
    { "do", "string[]", "" }),
    "An event of the model.")
TN_RECORD(VariantChoice, "", FIELDS(
    { "name", "string", "of the entity" },
    { "chosen", "string", "" },
    { "variants", "string[]", "" }),
    "Several definitions of one entity; set NAME.variant chooses.")
TN_RECORD(StudioScene, "SceneData", FIELDS(
    { "bodies", "SceneBody[]", "" },
    { "joints", "SceneJoint[]", "" },
    { "forces", "SceneForce[]", "" },
    { "couplings", "Coupling[]", "" },
    { "others?", "Component[]", "forces that act on no body: states, controllers" },
    { "variants?", "VariantChoice[]", "" },
    { "events?", "SceneEvent[]", "" },
    { "subsystems", "Subsystem[]", "" },
    { "parameters", "FileParameter[]", "of the model's text" },
    { "solve", "Solve", "" },
    { "until?", "number", "end of a run, s" }),
    "The mechanism with everything that can be changed.")
TN_RECORD(Acknowledgement, "", FIELDS(
    { "text", "string", "what was done" },
    { "changed", "boolean", "" },
    { "energy_change", "number", "J" },
    { "displacement", "number", "m: largest displacement of a body" },
    { "revision", "number", "of the model after the edit" },
    { "hash", "string", "of the state" }),
    "The acknowledgement of an edit.")
TN_RECORD(Part, "", FIELDS(
    { "file", "string", "" },
    { "ports", "string[]", "" },
    { "parameters", "FileParameter[]", "" }),
    "A file that can be used as a subsystem.")
TN_RECORD(GalleryModel, "", FIELDS(
    { "name", "string", "" },
    { "file", "string", "relative to the gallery" },
    { "title", "string", "" },
    { "text", "string", "" },
    { "picture", "string", "" }),
    "A model of the gallery.")
TN_RECORD(TypeParameter, "", FIELDS(
    { "name", "string", "" },
    { "unit?", "string", "" },
    { "doc?", "string", "" },
    { "default?", "number", "" },
    { "default_expression?", "string", "" },
    { "*", "unknown", "" }),
    "A parameter that a type declares.")
TN_RECORD(TypeCoordinate, "", FIELDS(
    { "name", "string", "" },
    { "unit", "string", "" },
    { "*", "unknown", "" }),
    "A coordinate that a joint type has.")
TN_RECORD(TypeForm, "", FIELDS(
    { "axis?", "boolean", "the joint lies along an axis, which may be given" },
    { "equations?", "string[]", "" },
    { "velocity_equations?", "string[]", "" },
    { "coordinates?", "TypeCoordinate[]", "" },
    { "*", "unknown", "" }),
    "The planar or the spatial form of a joint type.")
TN_RECORD(Descriptor, "", FIELDS(
    { "family", "string", "" },
    { "name", "string", "" },
    { "doc", "string", "" },
    { "parameters", "TypeParameter[]", "" },
    { "glyph?", "string", "of a joint: name of its picture" },
    { "planar?", "TypeForm", "" },
    { "spatial?", "TypeForm", "" },
    { "*", "unknown", "" }),
    "A type of joint, force, solver, scheme or integrator, as 'tenon describe --json' prints it.")
TN_RECORD(Suggestion, "", FIELDS(
    { "text", "string", "" },
    { "command?", "string", "leaves a joint of the group out with the same motion" }),
    "What can be done about a group of dependent joints.")
TN_RECORD(DependentGroup, "", FIELDS(
    { "joints", "string[]", "" },
    { "excess", "number", "equations more than the motion needs" },
    { "suggestion?", "Suggestion", "" }),
    "Joints whose equations depend on each other.")
TN_RECORD(JointUniqueness, "", FIELDS(
    { "name", "string", "" },
    { "type", "string", "" },
    { "unique", "Record<string, boolean>", "by component of the reaction" }),
    "Which components of a joint's reaction the mechanism determines.")
TN_RECORD(Drift, "", FIELDS(
    { "now?", "number | null", "" },
    { "largest", "number", "" },
    { "largest_velocity", "number", "" },
    { "joint?", "string", "" }),
    "Drift of the constraints, m or rad, and per second.")
TN_RECORD(Energy, "", FIELDS(
    { "kinetic?", "number | null", "" },
    { "potential?", "number | null", "" },
    { "error?", "number | null", "" },
    { "start", "number", "" },
    { "work", "number", "" },
    { "largest_error", "number", "" },
    { "peak", "number", "of kinetic energy" }),
    "The energy account, J.")
TN_RECORD(SolvedPart, "", FIELDS(
    { "path?", "string", "" },
    { "scheme", "string", "" },
    { "integrator", "string", "" },
    { "solver", "string", "" },
    { "bodies", "number", "" },
    { "joints", "number", "" },
    { "steps", "number", "" },
    { "rejected", "number", "" },
    { "evaluations", "number", "" }),
    "A part of a model that is solved by parts.")
TN_RECORD(SolverReport, "Solve", FIELDS(
    { "steps", "number", "" },
    { "rejected", "number", "" },
    { "evaluations", "number", "" },
    { "iterations", "number", "" },
    { "step_wall", "number", "s of wall time a step" },
    { "mean_step", "number", "s" },
    { "parts?", "SolvedPart[]", "" }),
    "The work of the solver.")
TN_RECORD(PartSteps, "", FIELDS(
    { "path", "string", "empty for everything that is in no such subsystem" },
    { "steps", "number", "" },
    { "rejected", "number", "" },
    { "evaluations", "number", "" }),
    "Steps of a subsystem that takes its own.")
TN_RECORD(BodyMass, "", FIELDS(
    { "name", "string", "" },
    { "type", "string", "" },
    { "mass", "number", "" }),
    "A body with its mass, kg.")
TN_RECORD(HealthReport, "", FIELDS(
    { "name", "string", "of the model" },
    { "dimension", "number", "" },
    { "coordinates", "number", "" },
    { "equations", "number", "" },
    { "rank", "number", "" },
    { "freedoms", "number", "by rank" },
    { "gruebler", "number", "freedoms by the Grübler count" },
    { "smallest_kept", "number", "singular value" },
    { "largest_dropped", "number", "singular value" },
    { "subsystems", "unknown[]", "" },
    { "bodies", "BodyMass[]", "" },
    { "joints", "JointUniqueness[]", "" },
    { "contacts", "unknown[]", "" },
    { "triggers", "unknown[]", "fuses and latches" },
    { "groups", "DependentGroup[]", "" },
    { "singularity", "number", "smallest singular value kept: 0 at a singular position" },
    { "sigma?", "number | null", "disturbance over enforced part of the constraints" },
    { "drift", "Drift", "" },
    { "energy", "Energy", "" },
    { "solver", "SolverReport", "" },
    { "parts", "PartSteps[]", "" },
    { "trouble?", "string", "the error that stopped the motion" },
    { "age", "number", "s since the report was made" }),
    "The report of 'health'.")
TN_RECORD(MotionPart, "", FIELDS(
    { "coordinate", "string", "" },
    { "unit", "string", "" },
    { "amount", "number", "" },
    { "phase", "number", "rad" }),
    "A coordinate in a motion.")
TN_RECORD(Mode, "", FIELDS(
    { "frequency", "number", "Hz" },
    { "omega", "number", "rad/s" },
    { "damping", "number", "" },
    { "eigenvalue", "number[]", "real and imaginary part" },
    { "shape", "MotionPart[]", "" }),
    "A mode of small motions.")
TN_RECORD(BodyMotion, "", FIELDS(
    { "name", "string", "" },
    { "re", "number[]", "" },
    { "im", "number[]", "" }),
    "Displacement of the centre of mass and small turn of a body: re cos p - im sin p at phase p.")
TN_RECORD(Gap, "", FIELDS(
    { "joint", "string", "" },
    { "before", "number", "" },
    { "after", "number", "" }),
    "A gap that assembly closed, m or rad.")
TN_RECORD(Shift, "", FIELDS(
    { "body", "string", "" },
    { "distance", "number", "" },
    { "angle", "number", "" }),
    "The displacement of a body by assembly.")
TN_RECORD(StartValue, "", FIELDS(
    { "name", "string", "of the body, joint or drive" },
    { "what", "string", "" },
    { "unit", "string", "" },
    { "given?", "number", "absent where the model gives none" },
    { "found", "number", "" }),
    "A start value that assembly changed or found.")
TN_RECORD(Assembly, "", FIELDS(
    { "steps", "number", "" },
    { "gaps", "Gap[]", "" },
    { "shifts", "Shift[]", "" },
    { "start_values", "StartValue[]", "values that assembly changed or found" }),
    "The answer of 'assemble', as 'tenon assemble --json' prints it.")
TN_RECORD(Support, "", FIELDS(
    { "name", "string", "of the stop or contact" },
    { "points", "number", "that bear load" },
    { "force", "number", "N; of a stop against rotation: N m" },
    { "friction", "number", "N" },
    { "sticks", "boolean", "friction keeps it from sliding" }),
    "A stop or contact that bears load in an equilibrium.")
TN_RECORD(Equilibrium, "", FIELDS(
    { "kind", "string", "" },
    { "freedoms", "number", "" },
    { "steps", "number", "" },
    { "residual", "number", "" },
    { "load", "number", "" },
    { "margin", "number | null", "" },
    { "by_stiffness", "boolean", "" },
    { "direction", "MotionPart[]", "of the least stable motion" },
    { "supports", "Support[]", "stops and contacts that bear load" },
    { "halted", "Record<string, number>", "rates, m/s or rad/s, of drives that stand still here but not in the motion" },
    { "values", "Record<string, number | null>", "by channel" }),
    "The answer of 'statics', as 'tenon statics --json' prints it.")
TN_RECORD(Modes, "", FIELDS(
    { "modes", "Mode[]", "" },
    { "freedoms", "number", "" },
    { "undamped", "boolean", "" },
    { "bodies?", "BodyMotion[]", "of the mode that was asked for" }),
    "The answer of 'modes', as 'tenon modes --json' prints it.")
TN_RECORD(TableColumn, "", FIELDS(
    { "name", "string", "" },
    { "unit", "string", "" },
    { "values", "string", "base64 of doubles in little-endian order" }),
    "A column of numbers.")
TN_RECORD(RefusedStep, "", FIELDS(
    { "time", "number", "s" },
    { "step", "number", "s" },
    { "why", "string", "" }),
    "A step that was tried and rejected.")
TN_RECORD(OpenDocument, "", FIELDS(
    { "number", "number", "" },
    { "name", "string", "of its file, or the one it would get" },
    { "title", "string", "of the model" },
    { "file?", "string", "path within the served folder; absent where it was never saved there" },
    { "unsaved", "boolean", "it has changes that are not saved" }),
    "A model that is open.")
TN_RECORD(FolderFile, "", FIELDS(
    { "file", "string", "path within the served folder" },
    { "modified", "number", "s since 1970" }),
    "A model of the served folder.")
TN_RECORD(UnsavedModel, "", FIELDS(
    { "id", "string", "" },
    { "name", "string", "of its file" },
    { "title", "string", "of the model" },
    { "when", "number", "of its last change, s since 1970" }),
    "A model that an earlier program left unsaved.")
TN_RECORD(Hello, "", FIELDS(
    { "protocol", "number", "version" },
    { "version", "string", "of the program" },
    { "access", "'edit' | 'view'", "" },
    { "client", "number", "" },
    { "name", "string", "of the model's file" },
    { "folder?", "string", "where models are opened and saved; for clients that may edit" },
    { "journal?", "string", "its path; for clients that may edit" },
    { "revision", "number", "" },
    { "branch", "number", "" },
    { "time", "number", "s" },
    { "speed", "number | 'max'", "" },
    { "document", "number", "the one that is shown" },
    { "documents", "OpenDocument[]", "" },
    { "broken?", "string", "file of the folder that the program was started with and that has mistakes" },
    { "view_token?", "string", "for clients that may edit" }),
    "The session and this client's place in it.")

TN_RECORD(FreeMotion, "", FIELDS(
    { "coordinate", "string", "moves by 1, m or rad; the other independent ones stay" },
    { "unit", "string", "" },
    { "shape", "MotionPart[]", "" },
    { "bodies", "BodyMotion[]", "" }),
    "A motion that the joints leave free.")
TN_RECORD(PageSlider, "", FIELDS(
    { "parameter", "string", "" },
    { "low", "number", "SI" },
    { "high", "number", "SI" },
    { "count", "number", "of values, both ends among them: 2 to 101" }),
    "A slider of a page that plays motions.")
TN_RECORD(ImportDecision, "", FIELDS(
    { "about", "'joint' | 'assembly' | 'density' | 'mass' | 'ground' | 'drive'", "" },
    { "name", "string", "key of a joint, path of a body or sub-assembly" },
    { "value", "string", "as `tn_import_decision`; empty: takes an earlier one back" }),
    "What a person decided about an import.")
TN_RECORD(ImportBody, "", FIELDS(
    { "source", "string", "path in the file" },
    { "name?", "string", "in the model" },
    { "part_of?", "string", "the body that it is a rigid part of" },
    { "mass", "number", "kg, with all that is part of it" },
    { "own_mass", "number", "kg" },
    { "volume", "number", "m^3; 0: the file has the mass, or none" },
    { "mass_source", "string", "" },
    { "file", "string | null", "" },
    { "line", "number", "" }),
    "A body of the file.")
TN_RECORD(ImportContact, "", FIELDS(
    { "kind", "'cylindrical' | 'planar' | 'spherical'", "" },
    { "point", "number[]", "" },
    { "axis", "number[]", "" },
    { "radius", "number", "" },
    { "length", "number", "along the axis" }),
    "Faces that meet, in the world, m.")
TN_RECORD(ImportJoint, "", FIELDS(
    { "name", "string", "in the model" },
    { "key", "string", "of decisions" },
    { "type", "string", "" },
    { "source", "string", "what the file calls it" },
    { "body1", "string", "" },
    { "body2", "string", "" },
    { "confidence", "number", "1: the file says it" },
    { "evidence", "string | null", "" },
    { "used", "boolean", "" },
    { "merged", "boolean", "it has made one body of two" },
    { "decided", "boolean", "" },
    { "at", "number[]", "m" },
    { "axis", "number[]", "" },
    { "coordinates", "string[]", "" },
    { "contacts", "ImportContact[]", "" },
    { "file", "string | null", "" },
    { "line", "number", "" }),
    "A joint of the file, or a proposal.")
TN_RECORD(ImportAssembly, "", FIELDS(
    { "path", "string", "" },
    { "name", "string", "" },
    { "rigid", "boolean", "" },
    { "decided", "boolean", "" },
    { "inside?", "number", "joints that would be found inside, were it flexible" }),
    "A sub-assembly of the file.")
TN_RECORD(ImportShift, "", FIELDS(
    { "name", "string", "" },
    { "distance", "number", "m" },
    { "angle", "number", "rad" }),
    "A body that was moved because the file was not exactly assembled.")
TN_RECORD(ImportLeftOut, "", FIELDS(
    { "what", "string", "" },
    { "count", "number", "" },
    { "file", "string | null", "" },
    { "line", "number", "" }),
    "Something in the file that has no counterpart.")
TN_RECORD(ImportNote, "", FIELDS(
    { "severity", "string", "" },
    { "message", "string", "" },
    { "file", "string | null", "" },
    { "line", "number", "" }),
    "A message of an import.")
TN_RECORD(ImportMaterial, "", FIELDS(
    { "name", "string", "" },
    { "density", "number", "kg/m^3" }),
    "A material that decisions about densities may name.")
TN_RECORD(ImportReport, "", FIELDS(
    { "format", "string", "" },
    { "source", "string", "the file" },
    { "folder", "string", "" },
    { "model", "string", "to be opened: path within the served folder" },
    { "name", "string", "" },
    { "couplings", "number", "" },
    { "loads", "number", "forces and drives" },
    { "subsystems", "number", "" },
    { "bodies", "ImportBody[]", "" },
    { "joints", "ImportJoint[]", "" },
    { "assemblies", "ImportAssembly[]", "" },
    { "decisions", "ImportDecision[]", "all that count" },
    { "assembled", "boolean", "" },
    { "trouble", "string | null", "why it cannot be put together" },
    { "equations?", "number", "" },
    { "rank?", "number", "" },
    { "freedoms?", "number", "" },
    { "redundant?", "number", "" },
    { "mass?", "number", "kg" },
    { "ground_mass?", "number", "kg, of the parts that are fixed to ground" },
    { "redundancy", "string[]", "groups of joints whose equations depend on each other" },
    { "moved", "ImportShift[]", "" },
    { "left_out", "ImportLeftOut[]", "" },
    { "notes", "ImportNote[]", "" },
    { "changes", "string[]", "against an earlier import: new, moved, vanished" },
    { "materials", "ImportMaterial[]", "" }),
    "What became of a file, as 'tenon import --json' prints it.")

/* ---- verbs ---- */

TN_VERB(command, SESSION, EDIT, FIELDS(
    { "text?", "string", "" },
    { "command?", "object", "" }), "Acknowledgement", NO_FIELDS,
    "applies an edit as in [live.md](live.md), given as text or as a JSON object")
TN_VERB(undo, SESSION, EDIT, FIELDS(
    { "restore?", "boolean", "" }), "Acknowledgement", NO_FIELDS,
    "takes the last edit back. `restore`: with the state before the edit; otherwise the model only")
TN_VERB(redo, SESSION, EDIT, FIELDS(
    { "restore?", "boolean", "" }), "Acknowledgement", NO_FIELDS,
    "applies an edit again that was taken back")
TN_VERB(speed, SESSION, EDIT, FIELDS(
    { "value", "number | 'max'", "" }), "", NO_FIELDS,
    "sets simulated seconds per second; 0 pauses, `\"max\"` is as fast as possible")
TN_VERB(step, SESSION, EDIT, FIELDS(
    { "count", "number", "" }), "", NO_FIELDS,
    "takes `count` steps and pauses; negative: back, at most 4096")
TN_VERB(reset, SESSION, EDIT, NO_FIELDS, "Acknowledgement", NO_FIELDS,
    "goes to t = 0 with the present model; a new journal begins, and earlier edits cannot be taken back any more")
TN_VERB(seek, SESSION, EDIT, FIELDS(
    { "time", "number", "" }), "", NO_FIELDS,
    "goes to a past instant and pauses")
TN_VERB(branch, SESSION, EDIT, NO_FIELDS, "", FIELDS(
    { "branch", "number", "" }),
    "starts another future here; curves so far belong to the old one")
TN_VERB(run_to, SESSION, EDIT, FIELDS(
    { "time?", "number", "" },
    { "when?", "string", "" },
    { "speed?", "number | 'max'", "" }), "", NO_FIELDS,
    "runs at `speed` (by default the present one, or 1) to exactly `time`, or to the first step after the expression `when` crosses zero; then pauses")
TN_VERB(pull, SESSION, EDIT, FIELDS(
    { "body", "string", "" },
    { "at", "number[]", "" },
    { "target", "number[]", "" },
    { "omega?", "number", "" },
    { "cap?", "number", "" }), "", NO_FIELDS,
    "pulls a point of a body, see `tn_pull`; sent again it moves the target. Answered only when it fails")
TN_VERB(release, SESSION, EDIT, NO_FIELDS, "", FIELDS(
    { "energy", "number", "J that the pull put in" }),
    "ends the pull")
TN_VERB(drag, SESSION, EDIT, FIELDS(
    { "body", "string", "" },
    { "at", "number[]", "" },
    { "target", "number[]", "" },
    { "more?", "boolean", "" }), "Acknowledgement", FIELDS(
    { "reached", "boolean", "" },
    { "unfinished", "boolean", "ask again" },
    { "distance", "number", "m that are left" },
    { "blocking", "string[]", "joints and contacts" },
    { "blocking_by", "string[]", "'limit', 'drive', 'joint' or 'contact' for each" }),
    "while paused: moves a body along the constraints (`tn_session_drag`); `more` joins it with the last one for undo")
TN_VERB(journal, SESSION, EDIT, FIELDS(
    { "go_on", "boolean", "" }), "", NO_FIELDS,
    "whether edits are made while the journal cannot be written (`status.journal`). `false`, as at the start: they are "
    "refused. `true`: they are made, counted, and written when there is room again")
TN_VERB(subscribe, SESSION, VIEW, FIELDS(
    { "channels?", "string[]", "" },
    { "reactions?", "boolean", "" },
    { "forces?", "boolean", "" },
    { "velocities?", "boolean", "" },
    { "accelerations?", "boolean", "" },
    { "touches?", "boolean", "" }), "", FIELDS(
    { "channels", "Channel[]", "" },
    { "subscription", "number", "" }),
    "chooses the contents of this client's frames; at most 256 channels or expressions of them")
TN_VERB(channels, SESSION, VIEW, NO_FIELDS, "", FIELDS(
    { "channels", "Channel[]", "" }),
    "lists all channels")
TN_VERB(value, SESSION, VIEW, FIELDS(
    { "channels", "string[]", "" }), "", FIELDS(
    { "values", "(number | null)[]", "" }),
    "evaluates channels or expressions now")
TN_VERB(types, WORKER, VIEW, NO_FIELDS, "", FIELDS(
    { "types", "Descriptor[]", "" }),
    "lists the types of joints, forces and settings with parameters, units, defaults and help")
TN_VERB(history, SESSION, VIEW, FIELDS(
    { "channels", "string[]", "" },
    { "after?", "number", "" }), "", FIELDS(
    { "rows", "(number | null)[][]", "[time, value, ...] at each snapshot" },
    { "more", "boolean", "ask again, after the last time" }),
    "values of channels or expressions at the kept snapshots since the model last changed, later than `after`. "
    "Snapshots are 1/60 s apart, in large models up to 0.1 s")
TN_VERB(parts, WORKER, VIEW, FIELDS(
    { "dimension", "number", "" }), "", FIELDS(
    { "parts", "Part[]", "" }),
    "lists files beside the model (`.yaml`, `.yml`, `.json`; `.so` with `--plugins` and the editing token) that have "
    "ports and can be used as a subsystem in such a model")
TN_VERB(text, SESSION, VIEW, FIELDS(
    { "subsystem?", "string", "" }), "", FIELDS(
    { "text", "string", "" },
    { "file", "string", "" },
    { "revision", "number", "" },
    { "changeable?", "boolean", "of a subsystem: another file can be put beside the model, which is a file of the served folder itself" }),
    "the text of the model with all edits, or the file of a subsystem as it was read")
TN_VERB(check, WORKER, VIEW, FIELDS(
    { "text", "string", "" }), "", FIELDS(
    { "good", "boolean", "" }),
    "checks a text without applying it; the answer has `diagnostics`")
TN_VERB(hdf5, WORKER, VIEW, FIELDS(
    { "model", "string", "" },
    { "dimension", "number", "" },
    { "rows", "number", "" },
    { "columns", "TableColumn[]", "" }), "", FIELDS(
    { "file", "string", "its bytes as base64" }),
    "makes an HDF5 file of the client's table")
TN_VERB(apply_text, SESSION, EDIT, FIELDS(
    { "text", "string", "" }), "Acknowledgement", NO_FIELDS,
    "continues the run with that text as its model, states matched by name")
TN_VERB(health, SESSION, VIEW, NO_FIELDS, "HealthReport", NO_FIELDS,
    "reports on constraints, drift, energy and solver at the present state")
TN_VERB(statics, SESSION, EDIT, NO_FIELDS, "Equilibrium", NO_FIELDS,
    "puts the session into equilibrium, paused")
TN_VERB(assemble, SESSION, EDIT, NO_FIELDS, "Assembly", NO_FIELDS,
    "assembles the start of the model's text; the run is not touched")
TN_VERB(sweep, SESSION, EDIT, FIELDS(
    { "parameter?", "string", "" },
    { "property?", "string", "" },
    { "values", "number[]", "" },
    { "channel", "string", "" },
    { "until", "number", "" }), "", FIELDS(
    { "runs", "number", "" },
    { "cancelled", "boolean", "" }),
    "runs the model from its start to `until`, s, once for each of up to 256 values (SI) of a parameter of its text "
    "(`L`, `front.stiffness`) or of a property (`coil.stiffness`), beside the session. Each run is sent as a push "
    "`sweep`; the answer follows the last. One sweep at a time: `busy`")
TN_VERB(sweep_cancel, NETWORK, EDIT, NO_FIELDS, "", NO_FIELDS,
    "cancels the sweep or page under way, if there is one")
TN_VERB(page, SESSION, EDIT, FIELDS(
    { "sliders", "PageSlider[]", "" },
    { "until", "number", "" }), "", FIELDS(
    { "runs", "number", "" },
    { "frames", "number", "" },
    { "short", "number", "runs that ended before `until`" },
    { "bytes", "number", "" }),
    "makes the page that plays the motion anywhere, with up to 3 sliders for parameters of the model's text: the model is run "
    "from its start to `until`, s, for every combination of their values, beside the session. A push `page` follows each run; "
    "afterwards the page is at `/export/page.html`. One sweep or page at a time: `busy`")
TN_VERB(modes, SESSION, VIEW, FIELDS(
    { "bodies?", "number", "" }), "Modes", NO_FIELDS,
    "frequencies and damping of small motions about the present state; `bodies` is the number of a mode, from 1, whose "
    "body motions the answer includes")
TN_VERB(mobility, SESSION, VIEW, NO_FIELDS, "", FIELDS(
    { "motions", "FreeMotion[]", "" }),
    "the motions that the joints leave free at the present state, one for each independent coordinate")
TN_VERB(import, SESSION, EDIT, FIELDS(
    { "files", "string[]", "" },
    { "folder", "string", "" },
    { "decisions?", "ImportDecision[]", "" },
    { "density?", "number", "" },
    { "collisions?", "boolean", "" }), "ImportReport", NO_FIELDS,
    "makes a model folder in the served folder from files there: the first is the machine, folders of the others are searched "
    "for what it refers to ([import.md](import.md)). Decisions of an earlier import into the folder count, `decisions` more. "
    "The session is not touched. One import at a time: `busy`")
TN_VERB(import_cancel, NETWORK, EDIT, NO_FIELDS, "", NO_FIELDS,
    "cancels the import under way, if there is one")
TN_VERB(gallery, WORKER, VIEW, NO_FIELDS, "", FIELDS(
    { "models", "GalleryModel[]", "" }),
    "lists the models to start from")
TN_VERB(open, SESSION, EDIT, FIELDS(
    { "model", "string", "" },
    { "beside?", "boolean", "" }), "Acknowledgement", NO_FIELDS,
    "opens a model of the gallery, or a path in the served folder, paused. The model shown before stays open when it has "
    "unsaved changes, or with `beside`; otherwise it is closed. At most 16 are open: `documents`")
TN_VERB(new, SESSION, EDIT, FIELDS(
    { "dimension", "number", "" },
    { "beside?", "boolean", "" }), "Acknowledgement", NO_FIELDS,
    "opens an empty model, as `open` does")
TN_VERB(open_text, SESSION, EDIT, FIELDS(
    { "text", "string", "" },
    { "name", "string", "" },
    { "mended?", "boolean", "" },
    { "beside?", "boolean", "" }), "Acknowledgement", NO_FIELDS,
    "opens a text as a model that is not saved yet. `mended`: it is to be saved as the file `name` of the served folder")
TN_VERB(show, SESSION, EDIT, FIELDS(
    { "document", "number", "" }), "Acknowledgement", NO_FIELDS,
    "shows another open model, paused; its run stands where it was left")
TN_VERB(close, SESSION, EDIT, FIELDS(
    { "document?", "number", "" },
    { "discard?", "boolean", "" }), "Acknowledgement", NO_FIELDS,
    "closes an open model, by default the one shown. Refused with `unsaved` where that would lose changes, unless `discard`")
TN_VERB(save, SESSION, EDIT, FIELDS(
    { "name?", "string", "" },
    { "document?", "number", "" },
    { "replace?", "boolean", "" }), "", FIELDS(
    { "name", "string", "" }),
    "writes the text into the served folder: as `name` (no folders; `.yaml`, `.yml` or `.json`), with the files it uses, or "
    "as the file that it has (`name` when it has none). What the page shows goes to `NAME.studio` beside it. Refused with "
    "`exists` or `changed` where it would overwrite a file, or what another program wrote meanwhile, unless `replace`")
TN_VERB(recoverable, WORKER, EDIT, NO_FIELDS, "", FIELDS(
    { "models", "UnsavedModel[]", "" }),
    "lists models that earlier programs left unsaved, the latest first")
TN_VERB(recover, SESSION, EDIT, FIELDS(
    { "model", "string", "" },
    { "beside?", "boolean", "" }), "Acknowledgement", NO_FIELDS,
    "opens such a model, by its `id`; it is unsaved still")
TN_VERB(forget, WORKER, EDIT, FIELDS(
    { "model", "string", "" }), "", NO_FIELDS,
    "gives such a model up, by its `id`")
TN_VERB(files, WORKER, EDIT, NO_FIELDS, "", FIELDS(
    { "files", "FolderFile[]", "" },
    { "recent", "string[]", "those opened or saved last, the latest first" }),
    "lists the models of the served folder")
TN_VERB(file, WORKER, EDIT, FIELDS(
    { "file", "string", "" }), "", FIELDS(
    { "text", "string", "" }),
    "the text of a model of the served folder, with its mistakes if it has some")
TN_VERB(upload, WORKER, EDIT, FIELDS(
    { "file", "string", "" },
    { "content", "string", "" },
    { "offset?", "number", "" },
    { "replace?", "boolean", "" }), "", NO_FIELDS,
    "puts a file into the served folder: a model, mesh or table, or a file to be imported, its bytes as base64. `exists` where "
    "there is one, unless `replace`. Large files come in pieces: `offset` is how many bytes the file has already")
TN_VERB(keep_view, SESSION, EDIT, FIELDS(
    { "view", "object", "" },
    { "document?", "number", "" }), "", NO_FIELDS,
    "what a page shows with a model (plots, paths, layers), for pages that open it later")
TN_VERB(kept_view, SESSION, VIEW, FIELDS(
    { "document?", "number", "" }), "", FIELDS(
    { "document", "number", "" },
    { "view?", "object", "" }),
    "what was kept of that")
TN_VERB(preferences, WORKER, EDIT, FIELDS(
    { "change?", "object", "" }), "", FIELDS(
    { "preferences", "object", "" }),
    "choices of the person at this machine (units, theme), kept from one start to the next; `null` takes one back")
TN_VERB(session, NETWORK, VIEW, NO_FIELDS, "Hello", NO_FIELDS,
    "the contents of the hello message")

/* ---- messages that nobody asked for ---- */

TN_PUSH(hello, "Hello", NO_FIELDS, "first of all")
TN_PUSH(scene, "", FIELDS(
    { "time", "number", "s" },
    { "document", "number", "whose it is" },
    { "revision", "number", "" },
    { "scene", "StudioScene", "" }),
    "after `hello` and after every change of the model")
TN_PUSH(documents, "", FIELDS(
    { "document", "number", "the one that is shown" },
    { "documents", "OpenDocument[]", "" }),
    "when another model is shown, opened, closed or saved, or has its first unsaved change")
TN_PUSH(edit, "", FIELDS(
    { "client", "number", "whose edit it was" },
    { "time", "number", "s" },
    { "text", "string", "" },
    { "energy_change", "number", "J" },
    { "displacement", "number", "m" },
    { "revision", "number", "" }),
    "after an edit of any client")
TN_PUSH(event, "", FIELDS(
    { "time", "number", "s" },
    { "event", "string", "" },
    { "kind?", "'up' | 'down' | 'touch'", "of an event that fired" },
    { "text?", "string", "of a line of the log" }),
    "when an event fires, and for each line of the log")
TN_PUSH(sweep, "", FIELDS(
    { "run", "number", "from 1" },
    { "value", "number", "" },
    { "t", "number[]", "s" },
    { "y", "(number | null)[]", "the channel" },
    { "message?", "string", "why the run failed" }),
    "to the client that asked for the sweep, after each run, with 401 instants")
TN_PUSH(page, "", FIELDS(
    { "run", "number", "done so far" },
    { "runs", "number", "" }),
    "to the client that asked for the page, after each run")
TN_PUSH(status, "", FIELDS(
    { "time", "number", "s" },
    { "speed", "number | 'max'", "asked for; 0: paused" },
    { "pace", "number", "reached" },
    { "steps", "number", "" },
    { "rejected", "number", "" },
    { "refused?", "RefusedStep", "the last step that was rejected" },
    { "queued", "number", "requests that wait for the session" },
    { "rewind_begin", "number | null", "s: how far back the run can be sought" },
    { "rewind_end", "number", "s" },
    { "rewind_bytes", "number", "memory that snapshots may take" },
    { "branch", "number", "" },
    { "clients", "number", "" },
    { "code", "string", "of the error that stopped the motion; empty: none" },
    { "message", "string", "of that error; it stays until the cause is removed" },
    { "journal", "string", "why the journal cannot be written, as on a full disk; empty: it is written" },
    { "unwritten", "number", "edits that are in no file, see the verb `journal`" },
    { "not_kept?", "string", "why unsaved changes could not be written to disk" }),
    "four times a second")
