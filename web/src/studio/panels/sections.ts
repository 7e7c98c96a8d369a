// The gallery in sections. Models that are in none come last.

interface Section {
  title: string
  models: string[]
}

const SECTIONS: Section[] = [
  {
    title: 'To begin with',
    models: ['four-bar', 'slider-crank', 'double-pendulum', 'newtons-cradle', 'bouncing-ball', 'door', 'gyroscope'],
  },
  {
    title: 'Linkages',
    models: [
      'watt',
      'scott-russell',
      'driven-slider-crank',
      'walker',
      'gripper',
      'andrews',
      'n-four-bar',
      'bricard',
      'stiff-linkage',
      'balance',
    ],
  },
  {
    title: 'Gears, clocks and presses',
    models: ['gear-train', 'planetary-gear', 'geneva', 'escapement', 'ratchet', 'screw-press'],
  },
  {
    title: 'Falling, touching and rolling',
    models: [
      'domino-row',
      'marble-run',
      'incline',
      'conveyor',
      'rubber-ball',
      'throw',
      'tube-and-bowl',
      'bowl',
      'poured-spheres',
      'tippe-top',
      'rattleback',
      'rolling-disc',
      'sleigh',
      'pick-part',
      'door-stop',
      'falling-parts',
      'catenary',
      'user-joint',
    ],
  },
  {
    title: 'Machines with motors, oil, air and heat',
    models: [
      'excavator',
      'engine',
      'hydraulic-press',
      'pick-and-place',
      'inverted-pendulum',
      'drive-train',
      'brake-heat',
      'quadcopter',
      'pid-arm',
      'robot-arm-inverse',
      'gas-spring-door',
    ],
  },
  { title: 'Vehicles', models: ['car', 'quarter-car', 'vibration', 'lane-change'] },
  {
    title: 'Made of parts, and imported',
    models: ['steam-machine', 'tool-trolley', 'imported-slider-crank', 'imported-crane'],
  },
]

/** Models by section, in the order of the sections; empty ones are left out. */
export function sectionsOf<Model extends { name: string }>(models: Model[]): { title: string; models: Model[] }[] {
  const byName = new Map(models.map((model) => [model.name, model]))
  const sections = SECTIONS.map(({ title, models: names }) => ({
    title,
    models: names.flatMap((name) => byName.get(name) ?? []),
  }))
  const known = new Set(SECTIONS.flatMap(({ models: names }) => names))
  const others = models.filter(({ name }) => !known.has(name))
  return [...sections, { title: 'More', models: others }].filter(({ models: list }) => list.length > 0)
}
