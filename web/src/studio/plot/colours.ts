// Colours of curves, apart from each other in both themes.
export const palette = {
  light: ['#1f5fae', '#d9690b', '#127a4b', '#a4262c', '#6b4fbb', '#00798c', '#8a6d00', '#c2417c'],
  dark: ['#74b2ff', '#ffa057', '#5fd39a', '#ff8590', '#b9a3ff', '#54d1e0', '#e6c84f', '#ff8fc0'],
}
export const greyCurve = '#9aa5b4'

export function colourOf({ colour, stroke }: { colour: number; stroke?: string }, among: string[]): string {
  return stroke ?? (colour < 0 ? greyCurve : among[colour % among.length])
}
