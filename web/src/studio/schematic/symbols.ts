// Pictures of devices on a field of 48 by 24 around the centre of a box, and the colours of domains.
export const DOMAIN_COLOURS: Record<string, string> = {
  electrical: '#d98a00',
  hydraulic: '#c0392b',
  pneumatic: '#2f7fc1',
  thermal: '#b0489b',
  rotary: '#5d8a3a',
  translational: '#5d8a3a',
  signal: '#7a7f87',
}

export const domainColour = (domain: string): string => DOMAIN_COLOURS[domain] ?? '#7a7f87'

const CIRCLE = 'M0-10a10 10 0 1 0 0 20 10 10 0 0 0 0-20M-24 0h14M10 0h14'
const VALVE = 'M-24 0h8M16 0h8M-16-10v20L16-10v20z'
const CYLINDER = 'M-20-9h32v18h-32zM-4-9v18M-4 0h28'
const TANK = 'M-14-10v18h28v-18M-14-3h28'

/** By type, then by what the name of the type contains. */
const PICTURES: [RegExp, string][] = [
  [/^resistor$|^laminar$|^conductor$/, 'M-24 0h6l3-8 6 16 6-16 6 16 6-16 3 8h12'],
  [/^capacitor$/, 'M-24 0h20M4 0h20M-4-11v22M4-11v22'],
  [/^inductor$/, 'M-24 0h6a6 6 0 0 1 12 0 6 6 0 0 1 12 0 6 6 0 0 1 12 0h6'],
  [/diode|check-valve/, 'M-24 0h14M10 0h14M-10-9v18L10 0zM10-9v18'],
  [/^switch$/, 'M-24 0h14M10 0h14M-10 0 9-9'],
  [
    /transformer/,
    'M-12-12a4 4 0 0 1 0 8 4 4 0 0 1 0 8 4 4 0 0 1 0 8M12-12a4 4 0 0 0 0 8 4 4 0 0 0 0 8 4 4 0 0 0 0 8M-2-12v24M2-12v24',
  ],
  [/op-amp/, 'M-14-12v24L16 0zM-24-6h10M-24 6h10M16 0h8'],
  [/battery/, 'M-24 0h16M8 0h16M-8-11v22M-3-5V5M3-11v22M8-5V5'],
  [/motor|emf|pmsm|pump/, `${CIRCLE}M-4 5v-10l4 6 4-6V5`],
  [/current-source|flow-source|gas-source|heat-source/, `${CIRCLE}M-6 0H6M6 0 2-4M6 0 2 4`],
  [/source|reservoir/, `${CIRCLE}M-5 0q2.5-7 5 0t5 0`],
  [
    /valve-4-3|valve-5-2/,
    'M-24-9h16v18h-16zM-8-9H8V9H-8zM8-9h16v18H8zM-20 6v-12M-12-6V6M-4 6v-5M4 6v-5M12 6 20-6M20 6 12-6',
  ],
  [/valve/, VALVE],
  [/orifice|pipe/, 'M-24 0h48M-4-9q4 5 8 0M-4 9q4-5 8 0'],
  [/accumulator/, 'M0-12a10 10 0 0 0-10 10v4a10 10 0 0 0 20 0v-4a10 10 0 0 0-10-10M-10 0h20'],
  [/cylinder/, CYLINDER],
  [/volume|chamber|hose|heat-capacity/, TANK],
  [/convection|radiation/, 'M-12-10v20M-6 0q3-8 6 0t6 0M2 0'],
  [/clutch|brake|freewheel|capstan/, 'M-24 0h18M-6-10v20M-1-10v20M-1 0h25'],
  [/coupling|spring-damper|belt/, 'M-24 0h6l3-8 6 16 6-16 6 16 3-8h18'],
  [/pid|filter|transfer|state-space|lag|integrator|derivative/, 'M-18 10V-9M-18 10h36M-18 8q6-14 14-14h22'],
  [/pwm|relay|sample|timer|counter|encoder|quantizer/, 'M-20 8h8V-8h12V8h12V-8h8'],
  [/state-machine/, 'M-12-6a5 5 0 1 0 .1 0M12-6a5 5 0 1 0 .1 0M-6-4Q0-12 6-4M6 2Q0 10-6 2'],
]

/** Path of the picture of a type; a type without one has none but its name. */
export function pictureOf(type: string): string {
  return PICTURES.find(([names]) => names.test(type))?.[1] ?? 'M-14-8h28V8h-28z'
}
