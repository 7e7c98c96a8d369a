// Collects dropped files, also from folders, with their paths, and sends them to the server in pieces.
import type { Answer } from '../protocol'
import { session } from '../session.svelte'

export interface Dropped {
  /** with folders, as it was dropped */
  path: string
  file: File
}

const PIECE = 2 << 20 // bytes: as base64 well below the largest message
const BLOCK = 0x8000 // characters that one call takes
const MOST_FILES = 400
/** endings of files that hold a machine, the most likely first */
const MACHINES = [
  /\.urdf$/i,
  /\.(step|stp|p21)$/i,
  /\.fcstd$/i,
  /\.asmt$/i,
  /\.adm$/i,
  /\.usda$/i,
  /\.(sdf|world)$/i,
  /\.(xml|mjcf)$/i,
]
const ASSETS = /\.(stl|obj|mtl|ply|dae|gltf|glb|bin|config|brp|xacro)$/i
const OWN = /(^|\/)(package|manifest)\.xml$|\.config$/i

const isMachine = (path: string) => !OWN.test(path) && MACHINES.some((ending) => ending.test(path))

export const isImported = (path: string): boolean => isMachine(path) || /\.xacro$/i.test(path)
export const isNeeded = (path: string): boolean => isMachine(path) || ASSETS.test(path) || OWN.test(path)

/** The files that may be the machine itself, the likeliest first: by kind, then by how far up they are. */
export function candidates(files: Dropped[]): Dropped[] {
  const rank = ({ path }: Dropped) => MACHINES.findIndex((ending) => ending.test(path))
  const depth = ({ path }: Dropped) => path.split('/').length
  const machines = files.filter(({ path }) => isMachine(path))
  if (machines.length === 0) return files.filter(({ path }) => isImported(path))
  return machines.sort((a, b) => depth(a) - depth(b) || rank(a) - rank(b) || a.path.localeCompare(b.path))
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((done, failed) => entry.file(done, failed))
}

/** A reader gives a hundred entries at a time, none at the end. */
async function entriesOf(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed))
    if (some.length === 0) return all
    all.push(...some)
  }
}

async function walk(entry: FileSystemEntry, into: Dropped[]): Promise<void> {
  if (into.length > MOST_FILES || entry.name.startsWith('.')) return
  if (entry.isFile)
    into.push({ path: entry.fullPath.replace(/^\//, ''), file: await fileOf(entry as FileSystemFileEntry) })
  else for (const inside of await entriesOf(entry as FileSystemDirectoryEntry)) await walk(inside, into)
}

/** Must be called while the event is handled: afterwards its files are gone. */
export async function droppedFiles(data: DataTransfer): Promise<Dropped[]> {
  const entries = [...data.items]
    .map((item) => item.webkitGetAsEntry?.())
    .filter((entry) => entry !== null && entry !== undefined)
  const plain = [...data.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }))
  if (!entries.some((entry) => entry.isDirectory)) return plain
  const all: Dropped[] = []
  for (const entry of entries) await walk(entry, all)
  return all
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += BLOCK) text += String.fromCharCode(...bytes.subarray(at, at + BLOCK))
  return btoa(text)
}

/** Puts a file into the served folder, piece by piece; told gets the bytes that are there. */
export async function upload(name: string, file: File, told: (bytes: number) => void): Promise<Answer<'upload'>> {
  let answer: Answer<'upload'>
  let offset = 0
  do {
    const bytes = new Uint8Array(await file.slice(offset, offset + PIECE).arrayBuffer())
    answer = await session.ask('upload', {
      file: name,
      content: base64(bytes),
      replace: true,
      ...(offset && { offset }),
    })
    offset += bytes.length
    told(bytes.length)
  } while (answer.ok && offset < file.size)
  return answer
}
