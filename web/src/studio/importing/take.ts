// Files that somebody brings: machines of other formats are imported with all that came with them, models are opened.
import { documents } from '../documents/documents.svelte'
import type { Dropped } from './collect'
import { isImported } from './collect'
import { importing } from './importing.svelte'

export async function takeFiles(files: Dropped[]): Promise<void> {
  if (files.some(({ path }) => isImported(path))) await importing.begin(files)
  else await documents.takeFiles(files.map(({ file }) => file))
}

export const plainFiles = (list: FileList | null | undefined): Dropped[] =>
  [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }))

/** Asks for files of this computer. */
export function chooseFiles(): void {
  const chooser = document.createElement('input')
  chooser.type = 'file'
  chooser.multiple = true
  chooser.onchange = () => void takeFiles(plainFiles(chooser.files))
  chooser.click()
}
