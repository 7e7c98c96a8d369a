// Lengths and angles as people type them.
const METRES: Record<string, number> = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254 }
const RADIANS: Record<string, number> = { deg: Math.PI / 180, '°': Math.PI / 180, rad: 1 }

function read(text: string, units: Record<string, number>, otherwise: string): number {
  const parts = /^([-+]?[\d.]+(?:e[-+]?\d+)?)\s*([a-z°]*)$/i.exec(text.trim())
  const size = parts && units[parts[2] || otherwise]
  return size ? Number(parts[1]) * size : NaN
}

/** NaN: it is no length. A bare number is in metres. */
export const metres = (text: string): number => read(text, METRES, 'm')
/** NaN: it is no angle. A bare number is in degrees. */
export const radians = (text: string): number => read(text, RADIANS, 'deg')
