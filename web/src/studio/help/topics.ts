// What people ask, with short answers. `deed` is the title of an action that does it.
export interface Topic {
  title: string
  group: string
  text: string[]
  deed?: string
}

const building: Topic[] = [
  {
    title: 'Draw a linkage',
    text: [
      'Press K and click from end to end: each click ends a link and begins the next. The first end is pinned to ground, ends that meet are pinned to each other. Esc ends the chain.',
      'A click on a pin with the tool Motor drives it, one on a point with the tool Path draws its path.',
    ],
    deed: 'Sketch',
  },
  {
    title: 'Give a link an exact length',
    text: [
      'In Sketch, choose Shape. Click a length in the view, or in the list, and type another: 120 mm. The other links keep theirs, and the mechanism closes again. Or drag an end.',
    ],
    deed: 'Sketch',
  },
  {
    title: 'Build in space',
    text: [
      'B adds a box, cylinder, ball or another solid with its sizes and its material. W moves and turns what is selected by handles, or by typed values. J joins two places: faces, edges, axes and centres snap.',
    ],
    deed: 'Body tool',
  },
  {
    title: 'Join two bodies',
    text: [
      'J, then click two places. Where they meet, they are joined at once. Where they are apart, the tool says how far, and offers to snap them together, to draw them together smoothly, or to join them as built.',
    ],
    deed: 'Joint tool',
  },
  {
    title: 'Make many of one: copies, rows, circles, mirror images',
    text: [
      'Select bodies and what belongs to them, with Shift and click or with a box. Ctrl+C and Ctrl+V put a copy beside them.',
      'Pattern puts copies in a row or around an axis. Mirror puts the mirror image on the other side of a plane. Each is one undo.',
    ],
    deed: 'Pattern or mirror',
  },
  {
    title: 'Drive a joint',
    text: [
      'Select a joint and press R. The drive turns or moves it with a constant rate; its form at the right takes other rates, or an expression of the time t.',
    ],
    deed: 'Drive joint',
  },
  {
    title: 'Draw shapes that fall and touch',
    text: [
      'In Sketch, Freehand shape makes a body of a stroke, Floor gives it something to lie on. Hinge shapes and Weld shapes join what overlaps where you click.',
    ],
    deed: 'Sketch',
  },
].map((topic) => ({ group: 'Building', ...topic }))

const running: Topic[] = [
  {
    title: 'Run, pause, go back',
    text: [
      'Space runs and pauses. The arrow keys go step by step, Home goes to the start. Drag on the timeline to go back: what was there is there again to the bit. Branch starts another future from there.',
    ],
    deed: 'Run or pause',
  },
  {
    title: 'Pull at it',
    text: [
      'Drag a body while it runs: a spring pulls it to the pointer. While it is paused, the same drag moves the mechanism as its joints allow, and a joint that stands in the way glows.',
    ],
  },
  {
    title: 'Change it while it runs',
    text: [
      'Everything can be changed at any time: delete a joint, type another length, move a slider of a parameter. Positions and velocities stay as they are. Ctrl+Z takes a change back and leaves the time alone; Ctrl+Alt+Z goes back to the moment before, too.',
    ],
    deed: 'Undo; time stays where it is',
  },
  {
    title: 'The run stopped with an error',
    text: [
      'The red box over the view names the component and its line, and offers to show it or to take the last edit back. Health tells whether joints contradict each other or a singular position is near.',
    ],
    deed: 'Health',
  },
].map((topic) => ({ group: 'Running', ...topic }))

const asking: Topic[] = [
  {
    title: 'Plot something',
    text: [
      'Select a component and press P, or click or drag one of its live values at the right. The menu of a plot saves it as a picture or a table.',
    ],
    deed: 'Plots',
  },
  {
    title: 'See forces, velocities and paths in the view',
    text: [
      'The strip at the right of the view switches arrows and paths on and off: 1 to 4 and 0 for arrows, 5 for paths. T draws the path of the selected body, X clears the paths; the palette colours them by speed.',
    ],
    deed: 'Path of the selected body',
  },
  {
    title: 'Judge a linkage',
    text: [
      'Four-bars and slider-cranks are recognized: with nothing selected, the panel at the right tells the Grashof class, the transmission angle and the dead points. 9 shows instant centres, Y polygons of velocities and accelerations, A curves of many coupler points.',
    ],
    deed: 'Instant centres, in the plane',
  },
  {
    title: 'What does "redundant" mean?',
    text: [
      'Some joints say the same twice: a door has two hinges, one would do. The motion is exact nevertheless; but how such joints share the load cannot be told from rigid bodies, so their reactions are marked as not unique. It is no mistake.',
    ],
    deed: 'Health',
  },
  {
    title: 'Measure',
    text: [
      'I measures distances, angles and radii between clicked places, and puts notes there. They follow the motion.',
    ],
    deed: 'Measure, and notes in the view',
  },
].map((topic) => ({ group: 'Asking', ...topic }))

const keeping: Topic[] = [
  {
    title: 'Save and open',
    text: [
      'Ctrl+S saves into the folder that the studio serves, Ctrl+O opens from there or from the gallery; files may be dropped onto the page. Several models are open as tabs.',
      'Unsaved changes survive a crash: the next start in the same folder offers them.',
    ],
    deed: 'Open',
  },
  {
    title: 'Make a picture, a drawing or a film',
    text: [
      'Export saves the view as PNG, a planar mechanism as a line drawing with its lengths (SVG), and films as WebM, MP4 or GIF, on request with the plots over the view.',
    ],
    deed: 'Export',
  },
  {
    title: 'Put it on a web page',
    text: [
      'tenon animate MODEL --slider r=100mm:300mm:9 writes one file that plays the motion anywhere, with a slider for the parameter r, and --embed prints the line that puts the file into another page.',
    ],
  },
  {
    title: 'Show it to an audience',
    text: ['Shift+F5 shows nothing but the view and the timeline; Esc ends it.'],
    deed: 'Presentation: nothing but the view',
  },
].map((topic) => ({ group: 'Keeping and showing', ...topic }))

export const topics: Topic[] = [...building, ...running, ...asking, ...keeping]

/** Those with all words of the question, in title or text. */
export function topicsAbout(question: string): Topic[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean)
  return topics.filter(({ title, text }) => {
    const all = [title, ...text].join(' ').toLowerCase()
    return words.every((word) => all.includes(word))
  })
}
