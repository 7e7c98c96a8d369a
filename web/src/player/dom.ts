// Elements of the page, and the two kinds of buttons that keep a state.

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}

export const button = (id: string) => byId<HTMLButtonElement>(id)

/** A button that is on or off; returns what switches it. */
export function toggle(id: string, apply: (on: boolean) => void): () => void {
  const element = button(id)
  const change = () => {
    const on = element.getAttribute('aria-pressed') !== 'true'
    element.setAttribute('aria-pressed', String(on))
    apply(on)
  }
  element.addEventListener('click', change)
  return change
}

function openers(): HTMLButtonElement[] {
  return [...document.querySelectorAll<HTMLButtonElement>('button[aria-expanded]')]
}

export function closePanels(): void {
  for (const element of openers()) {
    byId(element.getAttribute('aria-controls')!).hidden = true
    element.setAttribute('aria-expanded', 'false')
  }
}

/** A button that opens a panel; only one panel is open. */
export function opener(id: string): () => void {
  const element = button(id)
  const panel = byId(element.getAttribute('aria-controls')!)
  const change = () => {
    const open = panel.hidden
    closePanels()
    panel.hidden = !open
    element.setAttribute('aria-expanded', String(open))
  }
  element.addEventListener('click', change)
  return change
}

/** A plain button; returns what it does. */
export function press(id: string, action: () => void): () => void {
  button(id).addEventListener('click', action)
  return action
}
