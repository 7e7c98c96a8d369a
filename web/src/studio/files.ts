// Files that the page hands to its reader.

export function hand(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content
  const url = URL.createObjectURL(blob)
  follow(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** As a click on a link to a download. */
export function follow(url: string, name: string): void {
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
