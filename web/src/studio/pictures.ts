// Addresses of the pictures of the gallery, by the name of the model; made by web/pictures.mjs.
/// <reference types="vite/client" />

const files = import.meta.glob<string>('./pictures/*.webp', { eager: true, query: '?url', import: 'default' })

export const pictures: Record<string, string> = Object.fromEntries(
  Object.entries(files).map(([path, url]) => [path.replace(/^.*\/|\.webp$/g, ''), url]),
)
