// Files that the page hands to its reader.
import { notices } from './notices.svelte'
import { token } from './token'

export function hand(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content
  const url = URL.createObjectURL(blob)
  follow(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Fetches what the server exports; the token goes in a header, since addresses are written to logs. */
export async function download(what: string, name: string): Promise<void> {
  const response = await fetch(`/export/${what}`, { headers: { Authorization: `Bearer ${token}` } }).catch(
    () => undefined,
  )
  if (response?.ok) hand(name, await response.blob())
  else notices.show('error', `${name} could not be had`, response ? `status ${response.status}` : 'no connection')
}

/** As a click on a link to a download. */
function follow(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}

/** A name without signs that file systems dislike. */
export function fileName(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9.]+/g, '-')
      .replace(/^-|-$/g, '') || 'tenon'
  )
}
