// What the page shows and how, apart from the session: theme, open panels, tool in use, layers of the view.
import type { ThemeName } from '../scene/theme'

export type Overlay = 'gallery' | 'help' | 'palette' | 'export' | 'page'
export type ToolName = 'joint' | 'body' | 'force' | 'spring'

const systemTheme = matchMedia('(prefers-color-scheme: dark)')

function stored<T>(key: string, otherwise: T): T {
  const text = localStorage.getItem(`tenon.${key}`)
  return text === null ? otherwise : (JSON.parse(text) as T)
}

class Ui {
  /** undefined: as the system has it */
  chosenTheme = $state<ThemeName | undefined>(stored<ThemeName | undefined>('theme', undefined))
  private system = $state<ThemeName>(systemTheme.matches ? 'dark' : 'light')
  readonly theme = $derived(this.chosenTheme ?? this.system)
  overlay = $state<Overlay>()
  tool = $state<ToolName>()
  /** path of the subsystem that is opened: tree and text are about it */
  inside = $state<string>()
  /** open panel at the bottom */
  dock = $state<string | undefined>()
  leftOpen = $state(stored('left', true))
  rightOpen = $state(stored('right', true))
  show = $state({
    joints: true,
    grid: true,
    reactions: false,
    forces: false,
    velocities: false,
    accelerations: false,
    touches: false,
    paths: true,
    speeds: false,
    follow: true,
    ghosts: false,
    centres: false,
    /** of velocities and accelerations */
    polygons: false,
    /** curves of many points of what the pointer is on */
    atlas: false,
  })
  /** runs stop at the end that the model gives */
  stopAtEnd = $state(true)
  /** nothing but the view, for an audience */
  presenting = $state(false)
  /** size of arrows: 1 is what the page finds fitting */
  arrowScale = $state(1)
  /** how quickly a pulled point follows, Hz */
  pullRate = $state(4)
  /** names that would go with what is about to be deleted */
  doomed = $state.raw<string[]>([])
  /** what can be done to a component (undefined: to the view), and where on the page that was asked */
  menu = $state.raw<{ name: string | undefined; x: number; y: number }>()
  /** ends the film that is being made; undefined: none is */
  endFilm = $state.raw<() => void>()
  /** pictures of the GIF that is being made */
  filmed = $state(0)
  /** plots stand over pictures and films */
  filmPlots = $state(true)
  /** loop over a part of the past, s */
  loop = $state.raw<[number, number] | undefined>()

  constructor() {
    systemTheme.addEventListener('change', () => (this.system = systemTheme.matches ? 'dark' : 'light'))
  }

  setTheme(theme: ThemeName | undefined): void {
    this.chosenTheme = theme
    if (theme) localStorage.setItem('tenon.theme', JSON.stringify(theme))
    else localStorage.removeItem('tenon.theme')
  }

  toggleSide(side: 'left' | 'right'): void {
    const key = `${side}Open` as const
    this[key] = !this[key]
    localStorage.setItem(`tenon.${side}`, JSON.stringify(this[key]))
  }

  toggleDock(panel: string): void {
    this.dock = this.dock === panel ? undefined : panel
  }
}

export const ui = new Ui()
