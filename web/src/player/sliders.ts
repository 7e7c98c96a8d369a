// Sliders for parameters: another scene and motion for every combination of their values.
import { byId } from './dom'
import { valueText } from './units'

interface SliderData {
  name: string
  unit: string
  values: number[]
  start: number
}

/** Number of the run that belongs to chosen values; the first slider changes slowest. */
export function runOf(counts: number[], chosen: number[]): number {
  return counts.reduce((run, count, k) => run * count + chosen[k], 0)
}

/** Builds the sliders of the page; change is called with the number of a run. The run to begin with. */
export function connectSliders(change: (run: number) => void): number {
  const element = document.getElementById('sliders')
  if (!element) return 0
  const sliders = JSON.parse(element.textContent!) as SliderData[]
  const counts = sliders.map(({ values }) => values.length)
  const chosen = sliders.map(({ start }) => start)
  const room = byId('parameters')
  room.hidden = false
  sliders.forEach(({ name, unit, values, start }, k) => {
    const label = document.createElement('label')
    const input = document.createElement('input')
    const output = document.createElement('output')
    Object.assign(input, { type: 'range', min: '0', max: String(values.length - 1), step: '1', value: String(start) })
    const show = () => {
      const text = valueText(values[chosen[k]], unit)
      output.textContent = text
      input.setAttribute('aria-valuetext', text)
      input.style.setProperty('--done', `${(100 * chosen[k]) / (values.length - 1)}%`)
    }
    input.addEventListener('input', () => {
      chosen[k] = Number(input.value)
      show()
      change(runOf(counts, chosen))
    })
    const title = document.createElement('span')
    title.textContent = name
    label.append(title, input, output)
    room.append(label)
    show()
  })
  return runOf(counts, chosen)
}
